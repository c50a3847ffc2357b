"""Discrete Gaussians by contours: theta transforms, islands, one folded period, and laws behind two veils."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.choose import profiles
from neyman.engines.combine.smoothed import SmoothedProfile
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.truncation import recurrences
from neyman.engines.contour.truncation.period import folded
from neyman.engines.contour.truncation.recurrences import islands
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from tests.effort import examples

laws = st.builds(DiscreteGaussianTransform, st.floats(1.0, 5.0), st.integers(1, 4))


def theta(law, w):
    """A(w) term by term."""
    s2, reach = mp.mpf(law.sigma) ** 2, math.ceil(27 * law.sigma + abs(complex(w).real) * law.shift)
    x = range(-reach, reach + 1)
    whole = mp.fsum(mp.exp(-(mp.mpf(k) ** 2) / (2 * s2)) for k in x)
    loss = [(law.shift * mp.mpf(k) - mp.mpf(law.shift) ** 2 / 2) / s2 for k in x]
    return mp.fsum(mp.exp(-(mp.mpf(k) ** 2) / (2 * s2) + w * one) for k, one in zip(x, loss, strict=True)) / whole


@given(laws, st.floats(-6.0, 6.0), st.floats(0.0, 3000.0))
@examples(8, 200)
def test_the_transform_is_the_sum_it_stands_for(law, w, omega):
    with mp.workdps(140):
        whole, value = theta(law, mp.mpf(w)), theta(law, mp.mpc(w, omega))
        log_a, error = law.on_line(w, np.array([omega]), math.inf, 40.0)
        found = mp.exp(mp.mpc(complex(log_a[0])))
        assert abs(found - value) <= error[0] * abs(value) + mp.mpf(10) ** -120
        assert error[0] < 1e-9 or abs(value) < 1e-12 * whole
        look = law.moments(np.array([w]))
        assert abs(look.log_a[0] - mp.log(whole)) <= 1e-13 * (1 + abs(look.log_a[0]))
        away = np.abs(np.remainder(omega * law.pitch + np.pi, 2 * np.pi) - np.pi)
        for closer in (1.0, 0.7, 0.0):  # and it only falls between
            assert float(mp.log(abs(value) / whole)) <= law.log_share(np.array([closer * away]))[0]


@given(laws, st.floats(-6.0, 6.0))
def test_mean_and_variance_are_derivatives(law, w):
    h = 1e-3
    below, here, above = (law.moments(np.array([w + d])) for d in (-h, 0.0, h))
    assert (above.log_a - below.log_a)[0] / (2 * h) == pytest.approx(here.mean[0], rel=1e-5, abs=1e-6)
    assert (above.mean - below.mean)[0] / (2 * h) == pytest.approx(here.variance[0], rel=1e-5, abs=1e-9)


@given(st.lists(st.tuples(st.floats(1.0, 12.0), st.integers(1, 6)), min_size=3, max_size=8), st.integers(0, 2**32 - 1))
@examples(8, 200)
def test_whatever_lies_outside_the_islands_is_as_low_as_they_say(steps, seed):
    chosen = tuple((DiscreteGaussianTransform(sigma, 1), times) for sigma, times in steps)
    parts, last, spacing = Parts(chosen, 0.0, "remove"), 1e4, 0.3
    sd, goal = math.sqrt(sum(times / law.sigma**2 for law, times in chosen)), -30.0
    some, bound = islands(parts, sd, 0.0, last, spacing, goal)
    random = np.random.default_rng(seed)
    periods = np.concatenate([2 * np.pi / law.pitch * np.arange(1, 100) for law, _ in chosen])
    omega = np.concatenate([random.uniform(0.0, last, 5_000), (periods + random.normal(size=len(periods)) * 0.3)])
    omega = np.sort(omega[(omega > 0.0) & (omega < last)])
    inside = np.searchsorted(some[0], omega, "right") - np.searchsorted(some[1], omega, "left") > 0
    out = omega[~inside]
    height = sum(times * np.real(law.on_line(1.0, out, math.inf, 40.0)[0]) for law, times in chosen)
    first = 3.0 / sd
    loss = math.log((1 + math.log(last / first) + spacing / first) / (math.pi * first))
    if bound > -math.inf:  # else all of it was kept
        assert np.all(height <= goal - loss + np.log(np.maximum(out / first, 1.0)) + 1.0)
    nodes = spacing * np.arange(1, round(last / spacing))
    inside = np.searchsorted(some[0], nodes, "right") - np.searchsorted(some[1], nodes, "left") > 0
    rest = nodes[~inside]
    height = sum(times * np.real(law.on_line(1.0, rest, math.inf, 40.0)[0]) for law, times in chosen)
    assert spacing / math.pi * np.sum(np.exp(height) / rest**2) <= math.exp(bound) or bound == -math.inf


def outcomes(steps):
    """Losses and masses under P, every one of them that is not negligible."""
    loss, mass = np.zeros(1), np.ones(1)
    for sigma, times in steps:
        x = np.arange(-math.ceil(9.5 * sigma) + 1, math.ceil(9.5 * sigma) + 2)
        one = np.exp(-0.5 * ((x - 1.0) / sigma) ** 2)
        total = np.ones(1)
        for _ in range(times):
            total = np.convolve(total, one / math.fsum(one))
        place = times * x[0] + np.arange(len(total))
        loss = np.add.outer(loss, (place - 0.5 * times) / sigma**2).ravel()
        mass = np.multiply.outer(mass, total).ravel()
        keep = mass > 1e-19
        loss, mass = loss[keep], mass[keep]
    order = np.argsort(loss)
    return loss[order], mass[order]


def summed(left, right, epsilon):
    """delta of two halves of a composition, pair by pair."""
    (a, p), (b, q) = outcomes(left), outcomes(right)
    tail_p, tail_q = np.append(np.cumsum(q[::-1])[::-1], 0.0), np.append(np.cumsum((q * np.exp(-b))[::-1])[::-1], 0.0)
    out = []
    for e in epsilon:
        at = np.searchsorted(b, e - a, "right")
        out.append(math.fsum(p * (tail_p[at] - np.exp(e - a) * tail_q[at])))
    return np.array(out)


def both(steps):
    return tuple((DiscreteGaussianStep(sigma, 1), times) for sigma, times in steps)


EPSILON = np.array([0.0, 0.3, 1.0, 2.5, 6.0, 9.0])


def encloses(found, truth):
    # the sums leave out masses below 1e-19, some 1e5 of them
    assert np.all(found.lower <= truth * (1 + 1e-10) + 1e-13)
    assert np.all(truth * (1 - 1e-10) <= found.upper)
    assert np.all(found.upper - found.lower <= 1e-8 * found.upper)


def test_two_veils_enclose_what_is_behind_them():
    left, right = [(8.13, 16), (7.01, 16)], [(9.37, 16), (6.29, 12)]
    profile = profiles(both(left + right), 1e-6)[0]
    assert isinstance(profile, SmoothedProfile)
    assert profile.method == "transform"
    encloses(profile.bracket(EPSILON), summed(left, right, EPSILON))


def test_a_folded_period_is_the_sum_over_the_lattice():
    left, right = [[(math.sqrt(5000.0 / (2 * m * 3.1)), 12) for m in shares] for shares in ((37, 11), (29, 53))]
    profile = profiles(both(left + right), 1e-6)[0]
    assert profile.method == "transform"
    unit = 2 * 3.1 / 5000.0
    knots = unit * np.array([1, 1 - 1e-13, 1 + 1e-13, 0.5, 300, 301])
    epsilon = np.concatenate([EPSILON, knots])
    encloses(profile.bracket(epsilon), summed(left, right, epsilon))


@given(
    st.integers(0, 2**32 - 1), st.floats(0.2, 4.0),
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 3)), min_size=2, max_size=6),
)  # fmt: skip
@examples(3, 120)
def test_contours_and_lattices_agree(seed, rho, shares):
    # budgets as statistical offices divide them: whole per mille of one rho
    steps = both([(math.sqrt(1000.0 / (2.0 * share * rho)), 4 * times) for share, times in shares])
    chosen = profiles(steps, 1e-6)[0]
    lattice = LatticeProfile(steps, "remove", 1e-6)
    epsilon = np.sort(np.random.default_rng(seed).uniform(0.0, 12.0, 6))
    one, two = chosen.bracket(epsilon), lattice.bracket(epsilon)
    assert np.all(np.maximum(one.lower, two.lower) <= np.minimum(one.upper, two.upper))
    gaps = np.minimum(one.log_gap_upper, two.log_gap_upper) - np.maximum(one.log_gap_lower, two.log_gap_lower)
    assert np.all(gaps >= 0.0)


@given(st.lists(st.tuples(st.floats(1.0, 30.0), st.integers(2, 12)), min_size=5, max_size=9, unique=True))
@examples(3, 150)
def test_whatever_the_units(steps):
    chosen = profiles(both(steps), 1e-6)[0]
    gaussian = ny.GDP(math.sqrt(sum(times / sigma**2 for sigma, times in steps)))
    found = chosen.bracket(EPSILON)
    assert np.all(found.lower <= found.upper)
    assert np.all(found.upper - found.lower <= 1e-6 * np.maximum(found.upper, 1e-30))
    assert np.all(np.diff(found.lower) <= np.diff(EPSILON))
    # discrete Gaussians of these widths are nearly Gaussian, all together
    assert np.all(np.abs(found.upper - gaussian.delta(EPSILON)) < 0.2)


def test_the_units_of_a_budget_are_found_whatever_they_round_to():
    for rho in np.random.default_rng(5).uniform(0.5, 8.0, 200):
        shares = (20, 274, 85, 131, 131, 238, 118, 3)
        pitch = [DiscreteGaussianTransform(math.sqrt(10.0 / (2.0 * s / 1000.0 * rho)), 1) for s in shares]
        onto = folded([(law, 10) for law in pitch])
        assert onto is not None, rho
        assert max(onto[1].moved) < 1e-13


@pytest.mark.parametrize(("count", "halves"), list(itertools.product((1, 2, 3), (1, 2))))
def test_losses_lie_on_halves_of_the_unit_where_their_number_is_odd(count, halves):
    onto = folded([(DiscreteGaussianTransform(3.0, halves), count)])
    assert onto is not None
    fold = onto[1]
    assert fold.offset == pytest.approx(0.5 * fold.unit * ((count * halves * round(1.0)) % 2))
    assert fold.whole(fold.unit * 6.5) == pytest.approx(7 * fold.unit)
    assert fold.whole(fold.unit * 7.5) == pytest.approx(9 * fold.unit)


def test_a_look_takes_no_more_room_than_a_line_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine returns on a long way: 28 million stretches were looked at, in 2.5 GB, for a line that nobody lays."""
    sizes: list[int] = []
    alive = recurrences._alive

    def seen(edges, *more):
        sizes.append(edges.shape[1])
        return alive(edges, *more)

    monkeypatch.setattr(recurrences, "_alive", seen)
    recurrences._looked.cache_clear()
    parts, last = Parts(((DiscreteGaussianTransform(2.52, 1), 9),), 2e-6, "remove"), 4e6
    some, bound = islands(parts, 1.19, 0.0, last, 0.3, -40.0)
    assert some.tolist() == [[0.0], [last]]
    assert bound == -math.inf
    assert max(sizes) <= recurrences._MOST
