"""Corners where the boundaries of two Renyi orders meet: found to all digits, and brackets closed there."""

import numpy as np
import pytest

import neyman as ny
from neyman.engines.region.tangents import Orders

PROMISES = [
    ([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0]),
    ([2.0, 8.0], [15.0, 70.0]),
    ([1.5, 3.0], [0.02, 0.05]),
    ([0.5, 1.0, 4.0], [0.2, 0.4, 1.9]),
    ([1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0], None),
]


def promised(orders, values):
    return ny.RDP(orders, [0.55 * t for t in orders] if values is None else values)


@pytest.mark.parametrize(("orders", "values"), PROMISES)
def test_corners_are_where_both_orders_are_met(orders, values):
    profile = promised(orders, values).sides.forward
    corners = profile._meetings
    assert len(corners.low) >= len(orders) // 2
    assert np.all(corners.low < corners.high)
    assert np.all(corners.high[:-1] <= corners.low[1:])
    t, rho = profile._t[:, None], profile._rho[:, None]
    held = [Orders(t, rho, turned).held(corners.d1, corners.d2) for turned in (False, True)]
    held = np.sort(np.concatenate(held), axis=0)
    assert np.all(np.abs(held[-2:] - 1.0) <= 1e-8)  # two of them, and no third is above
    for at in (corners.low, corners.high):  # and just outside both ends their tangents touch elsewhere, but hardly
        d1, _, _ = profile._table.contacts(at * (1.0 + np.where(at is corners.low, -1e-6, 1e-6)))
        assert np.all(np.abs(d1 - corners.d1) <= 1e-3 * corners.d1)


@pytest.mark.parametrize(("orders", "values"), PROMISES)
def test_brackets_are_closed_at_corners(orders, values):
    profile = promised(orders, values).sides.forward
    corners = profile._meetings
    share = np.array([-0.1, 0.0, 0.1, 0.5, 0.9, 1.0, 1.1])[:, None]
    epsilon = (corners.low + share * (corners.high - corners.low)).ravel()
    epsilon = np.sort(epsilon[corners.low[np.zeros(len(epsilon), dtype=int)] > 0.0])
    bracket = profile.bracket(epsilon)
    deep = bracket.upper > 1e-100
    assert np.all(bracket.lower <= bracket.upper)
    assert np.all((bracket.upper - bracket.lower)[deep] <= 1e-8 * bracket.upper[deep])


@pytest.mark.parametrize("times", [2, 3])
def test_groups_of_orders_that_meet_are_known_as_well(times):
    g = ny.RDP([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0]).group(times)
    epsilon = np.linspace(0.0, 5.0, 21)
    high, low = g.delta(epsilon), g.optimistic.delta(epsilon)
    assert np.all(low <= high)
    assert np.all(high - low <= 1e-6 * high)  # 2e-2 where corners are not known


def test_the_end_of_a_corner_matters():
    """A chord between tangents that are no further apart than the corner's slopes is above delta; beyond it, it is not
    the best: with ends at half the distance, brackets of what lies between them and the ends are open.
    """
    profile = ny.RDP([2.0, 4.0], [1.0, 2.0]).sides.forward
    corners = profile._meetings
    low, high = float(corners.low[0]), float(corners.high[0])
    middle = np.array([0.5 * (low + high)])
    ends = profile.direct(np.array([low, high]))[0].delta
    share = np.expm1(middle - low) / np.expm1(high - low)
    chord = ends[0] + (ends[1] - ends[0]) * share
    assert profile.bracket(middle).lower[0] <= chord[0] * (1.0 + 1e-12)
    assert chord[0] <= profile.direct(middle)[0].delta[0] * 0.999  # the better tangent alone says less
