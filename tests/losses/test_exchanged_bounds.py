"""Bounds along the paths of an exchanged record, against balls and finer grids."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.engines.contour.exchanged import profile, steps
from neyman.engines.contour.hyperbola import arc
from neyman.losses.gaussian.paths import exchanged_path
from neyman.losses.gaussian.paths.exchanged import ExchangedLaw, alive
from neyman.losses.gaussian.paths.exchanged_bounds import cap, hidden, leaning, log_moduli, wall_cells
from neyman.losses.gaussian.paths.exchanged_part import ORDER, ExchangedPart, log_most
from neyman.losses.gaussian.paths.exchanged_path import ExchangedPath, PlaneLaw
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import UNIT
from tests.effort import rest_slow

SETTINGS = [(1.0, 1e-4), (0.3, 1e-7), (8.0, 1e-9), (25.0, 1e-2), (2.0, 0.1), (0.06, 0.3), (3.0, 1e-12), (1.5, 0.2)]


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    before = ctx.prec
    ctx.prec = 900
    yield
    ctx.prec = before


def ball(z: complex) -> acb:
    return acb(float(z.real), float(z.imag))


def kappa(law: PlaneLaw) -> arb:
    q, s = arb(law.rate), arb(law.sigma)
    return (1 - q) / q * (1 / (2 * s * s)).exp()


def asinh(z: acb) -> acb:
    """Analytic in Re z > 0."""
    return (z + (1 + z * z).sqrt()).log()


def height(law: PlaneLaw, loss: acb, like: complex) -> acb:
    """asinh(kappa sinh(loss / 2)), on the branch of what is like it."""
    k = kappa(law)
    found = asinh(k * (loss / 2).sinh()) if float(loss.real.mid()) < 1.0 else None
    if found is None:
        log_e = k.log() + loss / 2 + (1 - (-loss).exp()).log() - arb(2).log()
        found = log_e + (1 + (1 + (-2 * log_e).exp()).sqrt()).log()
    turns = round((like.imag - float(found.imag.mid())) / (2.0 * math.pi))
    assert turns == 0
    return found


def log_law(law: PlaneLaw, loss: acb, like: complex) -> acb:
    """log g, but for a constant that is added."""
    s, q, k = arb(law.sigma), arb(law.rate), kappa(law)
    h = height(law, loss, like)
    x = loss / 2 + h
    # kappa cosh(L/2) / cosh H without overflow
    log_ratio = loss / 2 - h + (1 + (-loss).exp()).log() - (1 + (-2 * h).exp()).log()
    slope = log_ratio + k.log() + (1 + (-log_ratio).exp() / k).log() - arb(2).log()
    constant = (s / (2 * arb.pi()).sqrt()).log() + (1 - q).log()
    return -((s * x) ** 2) / 2 + loss / 2 + (1 + (-x).exp() / k).log() + slope + constant


def true_path(path: ExchangedPath, v: acb) -> tuple[acb, acb]:
    """L, and log dL/dv."""
    k, turn = kappa(path.law), arb(math.tan(path.chi))
    if float(v.real.mid()) < 40.0:
        half = asinh(v.sinh() / k)
    else:
        e = v.exp() / 2 * (1 - (-2 * v).exp()) / k
        half = asinh(e)
    zeta = 2 * half
    root = (1 + zeta * zeta).sqrt()
    loss = zeta + acb(0, 1) * turn * zeta * zeta / (root + 1)
    log_speed = v - half + (1 + (-2 * v).exp()).log() - (1 + (-zeta).exp()).log()
    return loss, log_speed - k.log() + arb(2).log() + (1 + acb(0, 1) * turn * zeta / root).log()


def true_density(path: ExchangedPath, v: acb, like: complex) -> tuple[acb, acb]:
    """L, and log(g dL/dv)."""
    loss, log_speed = true_path(path, v)
    return loss, log_law(path.law, loss, like) + log_speed


def settings(rng: np.random.Generator, count: int) -> Iterator[tuple[ExchangedPath, float, float]]:
    """Paths, a height, and where they end."""
    while count:
        sigma, rate = float(np.exp(rng.uniform(-3.0, 3.5))), float(np.exp(rng.uniform(-30.0, -0.01)))
        chi = float(rng.choice([0.0, 0.01, 0.1, 0.28, 0.336]))
        tilt = 0.2 if chi == 0.0 else 0.9 * chi
        try:
            law = ExchangedLaw(sigma, rate, chi, 0.5, tilt)
        except ArithmeticError:
            continue
        count -= 1
        yield law.path, chi + float(rng.choice([-tilt, 0.0, tilt])), law.end


def test_what_functions_err_by() -> None:
    rng = np.random.default_rng(4)
    at = np.exp(rng.uniform(-40.0, 6.5, 1000)) + 1j * rng.uniform(-0.8, 0.8, 1000)
    near = np.exp(rng.uniform(-40.0, 18.0, 1000)) * np.exp(1j * rng.uniform(-1.5, 1.5, 1000))
    for function, true, places, allowed in (
        (np.sinh, lambda z: z.sinh(), at, exchanged_path.SINH),
        (np.arcsinh, asinh, near, exchanged_path.ASINH),
        (np.arcsinh, asinh, 1j * np.sin(rng.uniform(-0.75, 0.75, 1000)), exchanged_path.ASINH),
        (log1p, lambda z: (1 + z).log(), near[near.real < 3.0], exchanged_path.LOG1P),
    ):
        off = max(
            float((abs(ball(y) - true(ball(z))) / abs(true(ball(z)))).mid())
            for z, y in zip(places, function(places), strict=True)
        )
        assert off <= 0.5 * allowed * UNIT
        assert off >= 0.02 * allowed * UNIT


@pytest.mark.parametrize("seed", rest_slow(range(12), 0, 1))
def test_floats_along_a_path_err_by_no_more_than_is_said(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spent = 0.0
    for path, y, end in settings(rng, 25):
        eta = np.append(0.0, np.sort(end * rng.uniform(0.0, 1.0, 12) ** 3))
        places = path.at(eta + 1j * y)
        for i, v in enumerate(places.v.tolist()):
            # a node may be off its place by a rounding of eta
            moved = ball(v) * (1 + arb(2) ** -53 * rng.choice([-1, 1])) if v.real else ball(v)
            moved = acb(moved.real, ball(v).imag)
            loss, log_speed = true_path(path, moved)
            truth = log_law(path.law, loss, complex(places.seen.height[i])) + log_speed
            off = float(abs(ball(places.seen.loss[i]) - loss).mid())
            assert off <= UNIT * places.lengths[i] * abs(places.seen.loss[i])
            apart = ball(places.log_density[i]) - truth
            turns = round(float(apart.imag.mid()) / (2.0 * math.pi))
            apart = float(abs(apart - acb(0, 1) * 2 * arb.pi() * turns).mid()) / UNIT
            assert apart <= places.units[i], (path, y, v, apart, places.units[i])
            spent = max(spent, apart / places.units[i])
    assert spent > 0.01


@pytest.mark.parametrize("seed", rest_slow(range(12), 0, 1))
def test_no_derivative_is_larger_than_what_a_cell_may_hide(seed: int) -> None:
    """First and second derivatives of L and of log F by differences in 400 bits, anywhere within the radius."""
    rng = np.random.default_rng(seed)
    closest = np.zeros(4)
    for path, y, end in settings(rng, 25):
        radius = float(rng.choice([1e-3, 0.02, 0.05]))
        places = path.at(np.append(0.0, np.sort(end * rng.uniform(0.0, 1.0, 6) ** 3)) + 1j * y)
        known = hidden(path, places, radius)
        for i, v in enumerate(places.v.tolist()):
            beside = radius * math.sqrt(rng.uniform()) * np.exp(2j * math.pi * rng.uniform())
            if v.real + beside.real < 0.0:
                beside = -beside
            step = arb(2) ** -60

            like = complex(places.seen.height[i])
            (a, p), (b, q), (c, r) = (true_density(path, ball(v + beside) + k * step, like) for k in (-1, 0, 1))
            found = [(c - a) / (2 * step), (c - 2 * b + a) / step**2, (r - p) / (2 * step), (r - 2 * q + p) / step**2]
            if v.real + beside.real < 1e-3:
                continue
            for j, (one, most) in enumerate(
                zip(found, (known.speed[i], known.turn[i], known.slope[i], known.bend[i]), strict=True)
            ):
                assert float(abs(one).mid()) <= most * (1.0 + 1e-9), (path, v, radius, j)
                closest[j] = max(closest[j], float(abs(one).mid()) / most)
    assert np.all(closest > 0.3)


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize(("sigma", "rate"), rest_slow(SETTINGS, 0, 1))
def test_however_coarse_the_cells_their_sum_is_no_less_than_the_integral(sigma: float, rate: float, which: int) -> None:
    """Against a grid 40 times as fine; without what cells may hide it would be less."""
    chi, step, tilt = ((0.0, 0.3, 0.2), (0.28, 0.2, 0.14), (0.1, 0.15, 0.09))[which]
    law = ExchangedLaw(sigma, rate, chi, min(step, 1.0 / sigma), tilt)
    fine = ExchangedLaw(sigma, rate, chi, law.step / 40.0, tilt)
    false = 0
    for a in [0.0, 0.5, 3.0, 1.0 + 20.0j, -2.0, (2.0 + 30.0j) / law.scale * 0.01, 0.3 / law.scale * (1.0 + 2.0j)]:
        at = np.array([complex(a)])
        terms = [(b * fine.loss).real + fine.log_weight.real for b in (at, -at.conj())]
        truth = float(np.logaddexp.reduce(np.concatenate(terms)))
        cells = law.cells
        said = float(log_moduli(at, cells)[0])
        assert said >= truth - 1e-9
        plain = np.logaddexp.reduce(
            np.concatenate([(b * law.loss).real + law.log_weight.real for b in (at, -at.conj())])
        )
        false += plain < truth - 1e-9
    assert false or sigma != 1.0


@pytest.mark.parametrize("chi", [0.0, 0.1, 0.28])
@pytest.mark.parametrize(("sigma", "rate"), rest_slow(SETTINGS, 0, 1))
def test_each_cell_holds_no_more_than_the_mean_of_its_ends(sigma: float, rate: float, chi: float) -> None:
    """Of the law and of a part of it; without what cells may hide, some would."""
    law = ExchangedLaw(sigma, rate, chi, min(0.2, 1.0 / sigma), 0.9 * chi if chi else 0.2)
    cells = law.cells
    nodes = np.append(law._grid, law.end)
    width = np.diff(nodes)
    both = 0.5 * (np.append(width, 0.0) + np.append(0.0, width))
    inside = nodes[:-1, None] + width[:, None] * (np.arange(60) + 0.5) / 60
    fine = law.path.at(inside.ravel() + 1j * chi)
    density, loss = (each.reshape(inside.shape) for each in (fine.log_density.real, fine.seen.loss))
    part = ExchangedPart(law, 6.0 * law.scale, 60.0 * law.scale)
    with np.errstate(all="ignore"):
        share = np.log(np.abs(part._shares(fine.seen.loss)[0])).reshape(inside.shape)
    plain = law.path.at(nodes + 1j * chi).log_density.real
    false = 0
    for bounds, more in ((cells, 0.0), (cells.shared(part._most), share)):
        for a in (0.0, 1.0 + 2.0j, (1.0 + 3.0j) / law.scale, 6.0j / law.scale):
            height = density + more + (a * loss).real
            with np.errstate(all="ignore"):
                truth = np.logaddexp.reduce(height, axis=1) - math.log(60.0)
            ends = bounds.log_weight - np.log(both) + (a * cells.loss).real + abs(a) * bounds.reach
            said = np.logaddexp(ends[:-1], ends[1:]) - math.log(2.0)
            known = truth > -600.0
            assert np.all(truth[known] <= said[known])
            bare = plain + (a * cells.loss).real
            false += np.count_nonzero(truth[known] > (np.logaddexp(bare[:-1], bare[1:]) - math.log(2.0))[known] + 1e-4)
    assert false > 3
    added = cells.shared(part._most).log_weight - cells.log_weight
    most = share.max(axis=1)
    assert np.all((most <= np.minimum(added[:-1], added[1:]) + 1e-9 * np.abs(most)) | (most < -600.0))


@pytest.mark.parametrize(("sigma", "rate"), rest_slow(SETTINGS, 0, 1))
def test_walls_and_caps_are_no_less_than_their_integrals(sigma: float, rate: float) -> None:
    law = ExchangedLaw(sigma, rate, 0.28, min(0.1, 0.2 / sigma), 0.14, 0.336)
    wall = wall_cells(law.path, law.end, law.chi, law.tilt, law.step)
    y = law.chi + np.linspace(-law.tilt, law.tilt, 4001)
    fine = law.path.at(law.end + 1j * y)
    weight = np.log(2.0 * law.tilt / 4000.0) - np.logaddexp(0.0, 2.0 * math.pi * np.abs(y - law.chi) / law.step)
    one, other = law.ends(0.336)
    join = cap(law.path.law, one, other)
    along = one + (other - one) * (np.arange(4000) + 0.5) / 4000
    seen = law.path.law.at(along)
    flat = (seen.log_part + seen.log_slope).real + law.path.law.log_kappa - math.log(2.0) + law.path.law.log_unit
    highest = float(flat.max()) + math.log(abs(other - one))
    assert highest <= join.log_weight.max() + math.log(8.0) <= highest + 1.0 + 0.01 * abs(highest)
    for a in (0.5, 2.0 + 5.0j, 3.0j / law.scale, 10.0 / abs(one) * (1.0 + 1.0j)):
        at = np.array([complex(a)])
        for cells, terms, loss in (
            (wall, fine.log_density.real + weight, fine.seen.loss),
            (join, flat + math.log(abs(other - one) / 4000.0), along),
        ):
            each = [np.logaddexp.reduce((b * loss).real + terms) for b in (at, -at.conj())]
            truth, said = float(np.logaddexp(*each)), float(log_moduli(at, cells)[0])
            assert truth <= said
            assert said <= truth + 12.0 + 0.01 * abs(truth) or cells is join


@pytest.mark.parametrize("seed", range(3))
def test_shares_within_a_radius_are_below_their_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    closest = 0.0
    for _ in range(300):
        low = float(rng.choice([0.0, 1.0]))
        high = float(rng.choice([np.exp(rng.uniform(0.5, 3.0)), math.inf]))
        loss = np.exp(rng.uniform(-1.0, 3.5)) * np.exp(1j * rng.choice([rng.uniform(0.0, 0.7), rng.uniform(0.0, 1.57)]))
        radius = float(abs(loss) * rng.choice([0.0, 0.01, 0.3, 1.5]))
        size, within = np.array([abs(loss)]), np.array([radius])
        said = float(log_most(np.array([loss]), within, leaning(size, within), low, high)[0])
        z = loss + radius * math.sqrt(rng.uniform()) * np.exp(2j * math.pi * rng.uniform())

        def beyond(length: float, z: complex = z) -> acb:
            u = (ball(z) / arb(length)) ** 2
            return 1 - (-u).exp() * sum((u**k / math.factorial(k) for k in range(1, ORDER)), acb(1))

        share = (beyond(low) if low else acb(1)) - (beyond(high) if high < math.inf else acb(0))
        truth = float(abs(share).log().mid()) if low or high < math.inf else 0.0
        if not math.isfinite(truth):
            continue
        assert truth <= said
        closest = max(closest, math.exp(truth - said))
    assert closest > 0.99


@pytest.mark.parametrize("chi", [0.0, 0.2])
@pytest.mark.parametrize(("sigma", "rate"), rest_slow(SETTINGS, 0, 1))
def test_the_rim_of_a_strip_is_no_less_than_its_integral(sigma: float, rate: float, chi: float) -> None:
    """Whole laws, their squares and parts, on the coarser grid along both sides."""
    tilt = 0.19
    law = ExchangedLaw(sigma, rate, chi, min(0.08, 0.25 / sigma), tilt)
    low, high = 3.0 * law.path.law.scale * 2.0, 30.0 * law.path.law.scale * 2.0
    seen = -math.inf
    for shift, cells in zip((-tilt, tilt), law.rim, strict=False):
        count = 20 * round(law.end / law.step)
        width = law.end / count
        fine = law.path.at(width * (np.arange(count) + 0.5) + 1j * (chi + shift))
        gain = math.log(math.expm1(2.0 * math.pi * tilt / law.step))
        terms = fine.log_density.real + math.log(width) - gain
        loss, none = fine.seen.loss, np.zeros(count)
        part = ExchangedPart(law, low, high)
        cases = [(cells, none), (cells.squared(), 2.0 * np.log(np.abs(loss)))]
        if chi:
            with np.errstate(all="ignore"):
                share = part._shares(loss)[0]
                cases.append((cells.shared(part._most), np.log(np.abs(share))))
        for a in (0.5, 3.0, 0.2 / law.scale, (0.5 + 6.0j) / law.scale, 2.0 + 10.0j):
            at = np.array([complex(a)])
            for bounds, more in cases:
                with np.errstate(all="ignore"):
                    each = [np.logaddexp.reduce((b * loss).real + terms + more) for b in (at, -at.conj())]
                truth, said = float(np.logaddexp(*each)), float(log_moduli(at, bounds)[0])
                assert truth <= said + 1e-9 * abs(said)
                seen = max(seen, truth - said)
    assert seen > -2.0


@pytest.mark.parametrize("chi", [0.0, 0.2])
def test_a_coarse_quadrature_is_within_its_error(chi: float) -> None:
    tilt = 0.12 if chi == 0.0 else 0.19
    coarse, fine = (ExchangedLaw(1.0, 1e-3, chi, step, tilt) for step in (0.12, 0.01))
    for w in (1.5 + 0j, 3.0 + 0j, 20.0 + 40.0j, 2.0 + 900.0j, 40.0 + 0j):
        at = np.array([w])
        for one, two in ((coarse.excess, fine.excess), *(
            (ExchangedPart(coarse, low, high).moment, ExchangedPart(fine, low, high).moment)
            for low, high in ((0.0, 0.02), (0.02, 0.4), (0.0, 0.3))
        )):  # fmt: skip
            (value, error), (truth, off) = one(at), two(at)
            assert abs(value[0] - truth[0]) <= error[0] + off[0] or not np.isfinite(error[0] + off[0])


def test_what_is_left_out_of_a_sum_is_counted() -> None:
    rng = np.random.default_rng(1)
    loss = np.exp(np.linspace(-3.0, 3.0, 400)) * np.exp(0.3j)
    log_weight = -np.abs(loss)
    for _ in range(50):
        a = rng.uniform(0.1, 3.0) * np.exp(1j * rng.uniform(0.0, math.pi, 5)) * rng.uniform(1.0, 1.5, 5)
        start, stop, others = alive(a, loss, log_weight, rng.uniform(-30.0, 5.0))
        terms = np.exp((a[:, None] * loss).real + log_weight)
        assert np.all(terms[:, :start].sum(axis=1) + terms[:, stop:].sum(axis=1) <= others)


def test_what_the_ends_of_paths_leave_is_nothing_beside_the_error_of_a_node() -> None:
    """``Where paths end``: e^APART / c against a share of the first node's error, at the least c, scale and spacing."""
    c, spacing = float(profile._RUNGS[0]), 1.5e-5
    scale = c / math.sqrt(steps.STEEPEST * (1.0 + 1e-6) + 2.0)
    error = 16.0 * UNIT * spacing * scale / (2.0 * math.pi * c * (c + 1.0))
    assert math.exp(steps.APART) / c <= steps.SHARE * error


def test_a_strip_meets_the_real_axis_no_further_than_is_looked() -> None:
    opening = arc._OPENING * steps._MOST
    assert math.sin(2.0 * opening) - math.sin(opening) <= steps.FURTHER
