"""What is known of a law along rotated rays: how it bends, what lies beyond its grid, and what sums of it miss."""

from __future__ import annotations

import cmath
import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from flint import acb, arb, fmpq

from neyman.losses.gaussian.paths import ray
from neyman.losses.gaussian.paths.ray import SECTOR, WIDEST, Ray
from neyman.losses.gaussian.paths.rotated import RotatedLaw
from neyman.losses.gaussian.paths.sums import steepness
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.numerics.functions.log1p import log1p

FAR = 1.4  # |z| up to which the sector counts as a whole
LAWS = [(1.0, 0.01), (0.3, 1e-9), (4.0, 0.7), (2.5, 1e-14), (0.15, 0.2), (12.0, 0.999)]  # sigma, rate


def cells(places: np.ndarray) -> list[arb]:
    """Balls that cover what lies between."""
    return [arb(0.5 * (a + b), 0.5 * (b - a) * (1.0 + 1e-9)) for a, b in pairwise(places.tolist())]


def edge() -> list[acb]:
    """Balls that cover the edge of where all z are, as far as |z| = 60; by symmetry its upper half."""
    y = SECTOR - WIDEST
    ray_, turn = (acb(arb(angle).cos(), arb(angle).sin()) for angle in (SECTOR, WIDEST))
    out = [ray_ * r for r in cells(np.geomspace(1e-3, FAR, 4000))]
    low = WIDEST + math.asin(y / FAR)
    out += [acb(angle.cos(), angle.sin()) * arb(FAR) for angle in cells(np.linspace(low - 1e-9, SECTOR, 2000))]
    return out + [acb(x, arb(y)) * turn for x in cells(np.linspace(math.sqrt(FAR**2 - y**2) - 1e-9, 60.0, 30000))]


def bernoulli(z: acb) -> tuple[acb, acb, acb]:
    """b, b' and b'': the quotient, or near 0 its series, of whose terms those left out are below 1e-25."""
    if float(abs(z).upper()) > 0.5:
        e = z.exp()
        rest = e - 1
        return z / rest, (rest - z * e) / rest**2, e * (z * (e + 1) - 2 * rest) / rest**3
    terms = [arb(fmpq.bernoulli(k)) / math.factorial(k) for k in range(26)]
    sums = [acb(0)] * 3
    for k, term in enumerate(terms):
        for order in range(min(k, 2) + 1):
            sums[order] += term * math.perm(k, order) * z ** (k - order)
    return sums[0], sums[1], sums[2]


def test_what_bends_a_ray_is_bounded_on_the_edge_of_where_it_may_be() -> None:
    most = dict.fromkeys(("half", "k0", "k1", "k2", "k3", "one", "b"), 0.0)
    for z in edge():
        b, first, second = bernoulli(z)
        found = {
            "half": first, "k0": acb(b.imag), "k1": z * first, "k2": z * z * second, "k3": z * z * first,
            "one": 1 - (1 - b) / z, "b": b,
        }  # fmt: skip
        for name, value in found.items():
            most[name] = max(most[name], float(abs(value).upper()))
    assert most["half"] <= 0.5
    assert most["one"] <= 1.0
    assert most["b"] <= 1.0
    for name, said in (("k0", ray.LEAN), ("k1", ray.TURN), ("k2", ray.BEND), ("k3", ray.FALL)):
        assert 0.9 * said <= most[name] <= said


def test_no_path_leaves_where_all_is_bounded() -> None:
    for chi in np.linspace(0.0, WIDEST, 13):
        for y in np.linspace(-(SECTOR - chi), SECTOR - chi, 15):
            zeta = np.linspace(-30.0, 60.0, 4000) + 1j * y
            loss = log1p(np.exp(zeta))
            for alpha in np.linspace(0.0, chi, 5):
                z = loss * np.exp(1j * alpha)
                size, angle = np.abs(z), np.abs(np.angle(z))
                late = WIDEST + np.arcsin(np.minimum((SECTOR - WIDEST) / size, 1.0))
                assert np.all(angle <= np.where(size > FAR, late, SECTOR) + 1e-12)


def log_weight(law: Ray, t: mp.mpc) -> mp.mpc:
    loss = mp.e ** (1j * mp.mpf(law.chi)) * mp.log1p(mp.e ** (t + law.log_rho))
    theta = mp.log(mp.expm1(loss) / mp.e ** (t + law.log_rho)) + t
    slope = mp.e ** (1j * mp.mpf(law.chi)) / (1 + mp.e ** -(t + law.log_rho)) / (1 - mp.e**-loss)
    return -((mp.mpf(law.sigma) ** 2 * theta + 0.5) ** 2) / (2 * mp.mpf(law.sigma) ** 2) + mp.log(slope)


@pytest.mark.parametrize(("sigma", "rate"), LAWS)
def test_a_weight_bends_no_more_than_is_said(sigma: float, rate: float) -> None:
    log_rho = math.log(rate) - math.log1p(-rate)
    with mp.workdps(40):
        for chi, y in ((0.0, 0.3), (0.6, 0.55), (0.42, -0.17), (0.1, 1.0), (0.3, -0.9)):
            law = Ray(sigma, log_rho, chi, 0.05)
            places = [mp.mpc(v - log_rho, y) for v in (-25.0, -8.0, -3.0, -1.0, 0.0, 1.0, 2.0, 4.0, 9.0, 25.0)]
            each = (mp.diff(lambda t, law=law: log_weight(law, t), at, 2, h=mp.mpf(10) ** -9) for at in places)
            bends = [abs(complex(one)) for one in each]
            assert max(bends) <= law.bend * (1.0 + 1e-6)
            if chi == 0.0:
                assert max(bends) >= law.bend * (1.0 - 1e-6)


@pytest.mark.parametrize(("sigma", "rate"), LAWS)
def test_what_lies_beyond_an_end_is_no_more_than_is_said(sigma: float, rate: float) -> None:
    log_rho, step = math.log(rate) - math.log1p(-rate), min(0.05, 0.2 / sigma)
    known = 0
    for chi, y in ((0.0, 0.0), (0.0, -0.3), (0.6, 0.55), (0.42, -0.17), (0.1, 0.4), (0.3, -0.3)):
        law = Ray(sigma, log_rho, chi, step)
        for place in (3.0, 6.0, 12.0):
            ends = (
                place / sigma + 0.5 / sigma**2,
                -(place / sigma + 0.5 / sigma**2),
                -log_rho + place,
                -log_rho - place,
            )
            for end, pull in [(end, pull) for end in ends for pull in (0.0, 2.0)]:
                count = math.ceil(80.0 / sigma / step) + 400
                after = end + step * np.arange(count) + 1j * y
                said = float(law.log_beyond(end, y, np.full(1, pull))[0])
                if said < math.inf:
                    true = law.along(after)[1].real + pull * (after.real - end)
                    assert np.logaddexp.reduce(true) <= said + 1e-6
                    known += 1
                said = law.log_before(end, y)
                if said < math.inf:
                    true = law.along(end - step * np.arange(count) + 1j * y)[1].real
                    assert np.logaddexp.reduce(true) <= said + 1e-6
                    known += 1
    assert known > 20


def integral(law: RotatedLaw, shift: float, w: complex) -> float:
    """log of that of |f e^{wS}| along a line, by a sum forty times finer and further."""
    t = law._grid()
    fine = np.linspace(t[0] - 2.0, t[-1] + 2.0, 40 * len(t))
    loss, weight, _ = law._along(fine + 1j * shift)
    with np.errstate(over="ignore"):
        return float(np.logaddexp.reduce(weight.real + (w * loss).real)) + math.log((fine[1] - fine[0]) / law.step)


def coarse(sigma: float, rate: float, chi: float, tilt: float, step: float) -> RotatedLaw:
    return RotatedLaw(SamplingTransform(sigma, rate), chi, 4.0, 1.0, step, tilt)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.7, 1e-6), (2.5, 0.3), (1.5, 0.97)])
def test_however_coarse_a_grid_its_bounds_hold(sigma: float, rate: float) -> None:
    """Of sums that miss much, with what they say they miss; and without it, they would be false."""
    short = 0
    for chi, tilt in ((0.0, 0.2), (0.05, 0.3), (0.4, 0.35)):
        for step in np.linspace(1.5, 3.2, 9) / sigma:
            law = coarse(sigma, rate, chi, tilt, float(step))
            for w in (0.0 + 0j, 1.0 + 0j, 3.0 + 0j, -1.0 + 2.0j, 5.0j, 0.5 + 1e3j, -2.0 + 1e6j):
                true = integral(law, 0.0, w)
                said = float(law.log_bound(np.array([w]))[0]) - w.real * law.edge
                assert true <= said + 1e-9
                tilted = (w * cmath.exp(1j * law.chi)).real
                short += true > float(law._log_sums(np.array([tilted]))[0])
    assert short > 5


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.7, 1e-6), (2.5, 0.3), (1.5, 0.97)])
def test_cells_bound_what_lies_along_a_side(sigma: float, rate: float) -> None:
    short = 0
    for chi, tilt in ((0.0, 0.2), (0.3, 0.28), (0.5, 0.4)):
        for step in np.linspace(1.5, 3.2, 9) / sigma:
            law = coarse(sigma, rate, chi, tilt, float(step))
            for w in (0.0 + 0j, 1.0 + 0j, 2.0 + 3.0j, -1.0 + 2.0j, 20.0j, -20.0 + 200.0j):
                for side, sign in zip(law.sides, (-1, 1), strict=True):
                    true = integral(law, sign * tilt, w)
                    said = float(law._log_along(side, np.array([w]), sign)[0])
                    assert true <= said + 1e-9
                    plain = law._along(law._grid() + 1j * sign * tilt)
                    short += true > float(np.logaddexp.reduce(plain[1].real + (w * plain[0]).real)) + 1e-9
    assert short > 5


def test_the_steepest_direction_of_a_sector() -> None:
    angles = np.linspace(-0.4, 0.9, 400)
    for angle in np.linspace(-math.pi, math.pi, 41):
        w = 3.0 * cmath.exp(1j * angle)
        most = max((w * cmath.exp(1j * one)).real for one in angles)
        found = float(steepness(np.array([w]), -0.4, 0.9)[0])
        assert most <= found <= most + 1e-4


def test_angles_too_wide_for_what_is_known_are_refused() -> None:
    with pytest.raises(ArithmeticError):
        RotatedLaw(SamplingTransform(1.0, 0.01), 0.3, 2.0, 0.0, 0.05, 1.0)
    with pytest.raises(ArithmeticError):
        Ray(1.0, -3.0, 0.7, 0.05)


def exactly(law: Ray, t: complex) -> tuple[mp.mpc, mp.mpc]:
    """S and the log of its weight, of the node that a float t is, in 60 digits."""
    with mp.workdps(60):
        turn = mp.expj(mp.mpf(law.chi))
        v = mp.mpc(t) + mp.mpf(law.log_rho)
        soft = mp.log1p(mp.exp(v)) if v.real < 100 else v + mp.exp(-v)
        loss = turn * soft
        theta = loss + mp.log(-mp.expm1(-loss)) if loss.real > 0.3 else mp.log(mp.expm1(loss))
        x = mp.mpf(law.sigma) ** 2 * (theta - mp.mpf(law.log_rho)) + mp.mpf(0.5)
        slope = turn / (1 + mp.exp(-v)) / -mp.expm1(-loss)
        unit = mp.mpf(law.sigma) * mp.mpf(law.step) / mp.sqrt(2 * mp.pi)
        return loss, -((x / mp.mpf(law.sigma)) ** 2) / 2 + mp.log(slope) + mp.log(unit)


@pytest.mark.parametrize(("sigma", "rate"), LAWS)
@pytest.mark.parametrize(("chi", "y"), [(0.0, 0.0), (0.0, 1.0), (0.05, -0.1), (0.6, 0.0), (0.6, 0.4), (0.4, -0.3)])
def test_nodes_are_where_they_should_be_and_weigh_what_they_should(
    sigma: float, rate: float, chi: float, y: float
) -> None:
    """From where nothing is seen of a loss to where it is nothing else, and on either side of where formulas change."""
    law = Ray(sigma, math.log(rate) - math.log1p(-rate), chi, 0.05)
    v = np.concatenate([np.linspace(-120.0, 200.0, 60), -42.0 + np.array([-0.1, 0.1]), 30.0 + np.array([-0.1, 0.1])])
    v = np.concatenate([v, np.linspace(-3.0, 3.0, 20), 42.0 / math.cos(chi) + np.array([-1.0, -0.1, 0.1, 1.0])])
    t = v - law.log_rho + (1j * y if y else 0.0)
    loss, log_weight, condition = law.along(t)
    assert loss.dtype == log_weight.dtype == complex
    for place, found, weight, units in zip(t, loss, log_weight, condition, strict=True):
        true, true_weight = exactly(law, complex(place))
        # S is off by a rounding of t and of v, and a few of itself
        assert abs(mp.mpmathify(complex(found)) - true) <= 2.0**-53 * (10.0 + 2.0 * abs(place)) * abs(true)
        off = float(abs(mp.mpmathify(complex(weight)) - true_weight)) * 2.0**53
        assert off <= 0.7 * (14.0 + float(units))


def test_weights_err_by_about_as_much_as_is_said() -> None:
    """Of many laws: where they weigh anything, a third of it, or a little more."""
    rng, worst, alive = np.random.default_rng(7), 0.0, 0.0
    for _ in range(60):
        sigma, rate = math.exp(rng.uniform(-3.2, 3.4)), math.exp(rng.uniform(-34.0, -1e-3))
        chi = float(rng.choice([0.0, rng.uniform(0.0, WIDEST), WIDEST]))
        y = float(rng.choice([0.0, rng.uniform(chi - SECTOR, SECTOR - chi)]))
        law = Ray(sigma, math.log(rate) - math.log1p(-rate), chi, 0.05)
        t = (rng.uniform(-15.0, 15.0, 20) * sigma - 0.5) / sigma**2 + (1j * y if y else 0.0)
        for place, weight, units in zip(t, *law.along(t)[1:], strict=True):
            if math.isfinite(abs(weight)):
                off = float(abs(mp.mpmathify(complex(weight)) - exactly(law, complex(place))[1])) * 2.0**53
                worst = max(worst, off / (14.0 + float(units)))
                alive = max(alive, off / (14.0 + float(units)) * (abs(weight) < 40.0))
    assert worst <= 0.7
    assert 0.1 <= alive <= 0.4
