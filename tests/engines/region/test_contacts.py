"""Points of contact that steer: where tangents touch, what is known there, and what groups make of them."""

import numpy as np
import pytest

import neyman as ny
from neyman.profiles.pair import delta_score

PROMISES = [
    ny.ZCDP(1e-3), ny.ZCDP(0.5), ny.ZCDP(40.0), ny.RDP([8.0], [4.0]), ny.RDP([1.0], [0.5]),
    ny.RDP([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0]),
]  # fmt: skip


@pytest.mark.parametrize("g", PROMISES)
def test_power_and_alpha_at_contacts_are_those_of_the_tangent(g):
    profile = g.sides.forward
    epsilon = np.linspace(0.0, min(g.epsilon(1e-3), 50.0), 50)
    alpha, power, miss = profile.touched(epsilon)
    bracket = profile.bracket(epsilon)
    assert np.exp(power) == pytest.approx(np.minimum(bracket.upper + np.exp(epsilon + alpha), 1.0), rel=1e-8)
    assert np.exp(power) + np.exp(miss) == pytest.approx(np.ones(50), rel=1e-12)
    assert np.all(np.diff(alpha) <= 1e-4)


@pytest.mark.parametrize("rho", [1e-3, 0.4, 0.5, 5.0])
def test_groups_of_zcdp_are_known_as_well_as_one_record(rho):
    g = ny.ZCDP(rho).group(3)
    epsilon = np.linspace(0.0, g.epsilon(1e-3), 60)
    high, low = g.delta(epsilon), g.optimistic.delta(epsilon)
    assert np.all(low <= high)
    assert np.all(high - low <= 1e-8 * high)  # 3e-7 where the ends of corners are not looked at


def test_pieces_of_a_region_where_tables_end_are_found_all_the_same():
    profile = ny.RDP([1.0], [0.5]).sides.forward
    epsilon = np.array([1e3, 1e6, 1e9, 1e11])
    assert profile.bracket(epsilon).upper == pytest.approx(0.5 / epsilon, rel=1e-2)


def test_a_chain_says_with_which_power_it_ends():
    profile = ny.RDP([2.0, 4.0], [1.0, 2.0]).group(3).sides.forward
    epsilon = np.linspace(0.1, 8.0, 40)
    alpha, power, _ = profile.touched(epsilon)
    assert np.exp(power) == pytest.approx(profile.bracket(epsilon).upper + np.exp(epsilon + alpha), rel=1e-4)
    assert np.exp(epsilon + alpha) == pytest.approx(profile.slope(epsilon), rel=1e-9)


@pytest.mark.parametrize("orders", [[2.0, 4.0, 8.0, 16.0], [0.5, 1.0, 3.0], [64.0], [1.0]])
def test_where_a_search_for_epsilon_may_begin(orders: list[float]) -> None:
    """Scores are expected where no tangent was asked for, beyond the corner, to a hundredth where one order rules."""
    g = ny.RDP(orders, [0.4 * t for t in orders])
    profile = g.sides.forward
    assert profile.expected is not None
    epsilon, score = profile.expected
    assert (np.diff(epsilon) > 0.0).all()
    assert epsilon[0] > profile.corner[0]
    some = np.linspace(0, len(epsilon) - 1, 12).astype(int)
    found = profile.bracket(epsilon[some])
    told = delta_score(found.upper, found.log_gap_lower)
    alone = found.upper > 1e-200
    assert np.abs(told - score[some])[alone].max() < (1e-2 if len(orders) == 1 else 0.2)
