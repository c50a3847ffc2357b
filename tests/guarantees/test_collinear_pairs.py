"""Pairs that follow from others, lie on one line, or promise next to nothing: the corners are those of the hull."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import crossed, examples, rest_slow


def hull(epsilons, deltas):
    """The corners of the largest profile in x = e^eps, as far as it falls."""
    points = {(mp.mpf(0), mp.mpf(1))}
    for e, d in zip(epsilons, deltas, strict=True):
        x, d = mp.exp(mp.mpf(e)), mp.mpf(d)
        points |= {(x, d), (1 / x, 1 - (1 - d) / x)}
    kept = []
    for x, y in sorted(points):
        while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (x - kept[-2][0]) >= (y - kept[-2][1]) * (
            kept[-1][0] - kept[-2][0]
        ):
            kept.pop()
        if not kept or y < kept[-1][1]:
            kept.append((x, y))
    return kept


def delta(corners, epsilon):
    x = mp.exp(mp.mpf(epsilon))
    for (a, b), (c, d) in itertools.pairwise(corners):
        if a <= x < c:
            return b if x == a else b + (d - b) * (x - a) / (c - a)
    return corners[-1][1]


def check(epsilons, deltas):
    g = ny.Profile(epsilons, deltas)
    with mp.workdps(400):
        corners = hull(epsilons, deltas)
        for e in [0.0, *epsilons, 0.5 * epsilons[0], 0.7 * epsilons[-1], min(2.0 * epsilons[-1], 700.0)]:
            assert g.optimistic.delta(e) <= delta(corners, e) <= g.delta(e)
        fixed = (1 - delta(corners, 0.0)) / 2
        assert g.fixed_point <= fixed <= g.optimistic.fixed_point


@crossed(
    ("beyond", [[44.4], [44.4, 45.2], [5.0, 9.0], [700.0]]),
    ("later", [0.0, 1e-9, 0.43]),
)
def test_pairs_beyond_the_end_change_nothing(beyond, later):
    """mu, rho and Renyi divergences were 0: mirror images were kept or not by their last digits."""
    pure = ny.PureDP(4.7177697589285765)
    g = ny.Profile([4.7177697589285765, *beyond], [0.0, *[later] * len(beyond)])
    assert g.mu() == pure.mu()
    assert g.tail_mu == pytest.approx(pure.tail_mu, rel=1e-12)
    assert g.renyi(1.0) == pytest.approx(pure.renyi(1.0), rel=1e-12)
    assert (g**2).mu() >= (pure**2).optimistic.mu()
    check([4.7177697589285765, *beyond], [0.0, *[later] * len(beyond)])


@examples(60, 3000)
@given(
    epsilon=st.floats(math.log(1e-17), math.log(30.0)).map(math.exp),
    gone=st.floats(math.log(1e-16), 0.0).map(math.exp),
    near_one=st.booleans(), shares=st.lists(st.floats(0.0, 1.0), max_size=4),
)  # fmt: skip
def test_next_to_no_epsilon_and_deltas_near_one(epsilon, gone, near_one, shares):
    """delta(0) of (4e-8, 1 - 1.5e-14) was delta itself, and the fixed point 2e-8 too small on the optimistic side."""
    d = 1.0 - gone if near_one else gone
    epsilons = sorted({epsilon, *(epsilon * (1.0 + share) for share in shares)})
    check(epsilons, [d] * len(epsilons))


@examples(40, 2000)
@given(
    end=st.floats(math.log(1e-6), math.log(20.0)).map(math.exp),
    shares=st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6),
    digits=st.lists(st.integers(-2, 2), min_size=7, max_size=7),
)  # fmt: skip
def test_samples_of_a_straight_profile(end, shares, digits):
    epsilons = sorted({end, *(end * share for share in shares)})
    deltas = [float(ny.PureDP(end).delta(e)) * (1.0 + k * 2.0**-52) for e, k in zip(epsilons, digits, strict=False)]
    check(epsilons, deltas)
    g, pure = ny.Profile(epsilons, deltas), ny.PureDP(end)
    assert g.mu() == pytest.approx(pure.mu(), rel=1e-6)
    assert g.renyi(2.0) == pytest.approx(pure.renyi(2.0), rel=1e-6)


@pytest.mark.parametrize("times", rest_slow([1, 2, 3], 0))
def test_what_a_law_above_leaves_to_infinity_is_no_power_without_alpha(times):
    """ "add" of a sampled promise ends at -n log(1 - q): roc(1e-200) was at least 2.5e-8."""
    g = ny.account(ny.Opaque(ny.Profile([0.0], [5e-8])).poisson(0.5) ** times, "add")
    for alpha in (1e-300, 1e-200, 1e-30):
        assert g.optimistic.roc(alpha) <= 2.0**times * alpha * (1.0 + 1e-9)
    assert math.isfinite(g.optimistic.zcdp())
    assert g.optimistic.zcdp() <= g.zcdp() <= times * math.log(2.0)


def test_rho_is_inf_only_where_something_is_revealed():
    g = ny.account(ny.Opaque(ny.Profile([0.0], [5e-8])).poisson(0.5), "remove")
    assert math.isinf(g.zcdp())
    assert math.isinf(g.optimistic.zcdp())


def test_subnormal_epsilons_are_rounded_outward():
    g = ny.PureDP(0.0)
    assert g.optimistic.delta(-5e-324) == 0.0
    assert np.all(g.delta(np.array([-5e-324, -1e-320])) > 0.0)


@pytest.mark.parametrize("gone", [3.8e-11, 1e-7, 1e-3])
def test_strong_promises_beside_a_gaussian_are_composed(gone):
    """What is left of them sums to more than 1, on the safe side, relatively by far: that was refused as lost mass."""
    g = ny.ApproximateDP(0.5, 1.0 - gone) * ny.Profile([0.0114, 0.786], [1.0 - 3.8e-11, 0.9258]) * ny.GDP(1.0)
    assert 1.0 - gone <= g.delta(0.0) <= 1.0
    assert g.optimistic.delta(0.0) <= g.delta(0.0)
