"""Outcomes divided between lattice points: the price is enough, and the bounds that pay it enclose exact sums."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.lattice.divided import Spread
from neyman.engines.lattice.profile import LatticeProfile
from tests.effort import rest_slow


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9),
    st.floats(1e-5, 0.01),
    st.floats(-4.0, 4.0),
)
def test_hats_cover_what_division_adds(heights: list[float], h: float, place: float) -> None:
    """One outcome after n divisions, by all 2^n products, against the hats around k."""
    width = 0.5 * h * math.sqrt(len(heights))
    spread = Spread.of(width)
    assert spread is not None
    factors, weights = np.ones(1), np.ones(1)
    for height in heights:
        up = np.expm1(height * h) / np.expm1(h)
        factors = np.outer(factors, np.exp([-height * h, (1.0 - height) * h])).ravel()
        weights = np.outer(weights, [1.0 - up, up]).ravel()
    x = math.exp(place * width)  # k = 1
    added = float(weights @ np.maximum(x * factors - 1.0, 0.0)) - max(x - 1.0, 0.0)

    def call(k: np.ndarray) -> np.ndarray:
        return np.maximum(x - k, 0.0)

    fall = np.exp(-spread.reach)
    hats = call(fall) - (1.0 + fall) * call(np.ones(1)) + fall * call(1.0 / fall)
    assert added <= float(spread.weight @ hats) + 1e-15


@pytest.mark.parametrize("width", [0.0, 0.021, math.inf, math.nan])
def test_widths_it_cannot_cover(width: float) -> None:
    assert Spread.of(width) is None


def test_its_own_share_is_below_one_half() -> None:
    shares = [spread.share for width in (1e-12, 1e-3, 0.02) if (spread := Spread.of(width)) is not None]
    assert len(shares) == 3
    assert all(0.4 < share < 0.6 for share in shares)


def exact(law: ny.Mechanism, times: int, epsilon: float, remove: bool) -> float:
    """delta by all sums of losses of one step; only outcomes of mass above 1e-9."""
    ((step, _),) = law.losses()
    table = step.table()
    kept = table.log_q > math.log(1e-9)
    loss, log_q = table.loss[kept], table.log_q[kept]
    total = 0.0
    for some in product(range(len(loss)), repeat=times - 1):
        sums = loss[list(some)].sum() + loss
        weight = np.exp(log_q[list(some)].sum() + log_q)
        gain = np.exp(sums) - math.exp(epsilon) if remove else 1.0 - np.exp(epsilon + sums)
        total += float(weight @ np.maximum(gain, 0.0))
    return total


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(
    ("law", "times"), [(ny.DiscreteGaussian(1.0).poisson(0.3), 3), (ny.DiscreteLaplace(0.7, 2).poisson(0.1), 3)]
)
def test_off_lattice_outcomes_are_enclosed(law: ny.Mechanism, times: int, direction: str) -> None:
    profile = LatticeProfile(((law.losses()[0][0], times),), direction, 1e-6)
    epsilon = np.array([-0.3, 0.0, 0.1, 0.35, 0.7])
    bracket = profile.bracket(epsilon)
    truth = np.array([exact(law, times, float(e), direction == "remove") for e in epsilon])
    assert np.all(bracket.upper >= truth)
    assert np.all(bracket.lower <= truth + times * 3e-7)  # the masses left out above
    wide = bracket.upper - bracket.lower
    assert np.all(wide <= 2e-6 * bracket.upper)


def test_a_narrow_budget_widens_the_bracket_and_says_nothing_false() -> None:
    step = ny.DiscreteGaussian(2.0).poisson(0.2).losses()[0][0]
    epsilon = np.array([0.5, 1.5, 2.5])
    sharp = LatticeProfile(((step, 10),), "remove", 1e-6, 1 << 21).bracket(epsilon)
    for points in (1 << 8, 1 << 11, 1 << 14):
        coarse = LatticeProfile(((step, 10),), "remove", 1e-6, points).bracket(epsilon)
        assert np.all(coarse.lower <= sharp.upper)
        assert np.all(sharp.lower <= coarse.upper)


@pytest.mark.parametrize(
    ("law", "times", "delta"),
    rest_slow([
        (ny.DiscreteGaussian(2.0).poisson(0.2), 10, 1e-6),
        (ny.DiscreteGaussian(2.0).poisson(0.2), 100, 1e-6),
        (ny.DiscreteGaussian(5.0).poisson(0.01), 1000, 1e-6),
    ], 0, 2),
)  # fmt: skip
def test_sampled_discrete_noise_is_certified_by_itself(law: ny.Mechanism, times: int, delta: float) -> None:
    guarantee = ny.account(law**times)
    assert guarantee.optimistic.epsilon(delta) >= guarantee.epsilon(delta) * (1.0 - 1e-6)
