"""epsilon as narrow as delta is sharp: also where a search ends far from it, near the end of a law."""

from __future__ import annotations

import pytest

import neyman as ny

SHARP = [
    (ny.Laplace(145494.33546150578) ** 5, 6.018696002910388e-07),
    (ny.Laplace(489572.4189846944) ** 16, 4.3357402580109694e-10),
    (ny.Laplace(0.24482529928881927), 0.00013535929174261126),
    (ny.Laplace(14387.0) ** 16, 1.2236951623613212e-09),
    (ny.Laplace(2140.4594829130237) ** 3, 1.213193498575957e-05),
    (ny.Laplace(7533.08504132776) ** 2, 1.7233099258207155e-05),
    (ny.RandomizedResponse(9.519959927767882) ** 5, 0.0001218768379746339),
]


@pytest.mark.parametrize(("mechanism", "delta"), SHARP)
def test_both_ends_meet(mechanism: ny.Mechanism, delta: float) -> None:
    """Where delta is known to 1e-9 on either side: all but a millionth of epsilon is known, and it is no more."""
    g = ny.account(mechanism)
    upper, lower = float(g.epsilon(delta)), float(g.optimistic.epsilon(delta))
    assert lower <= upper <= lower * (1.0 + 1e-6)
    assert g.delta(upper) <= delta <= g.optimistic.delta(lower)
    assert g.optimistic.delta(upper * (1.0 - 1e-6)) > delta
    assert g.delta(lower * (1.0 + 1e-6)) < delta


@pytest.mark.parametrize(("mechanism", "delta"), SHARP[:3])
def test_alone_and_among_others(mechanism: ny.Mechanism, delta: float) -> None:
    g = ny.account(mechanism)
    several = g.epsilon([0.1 * delta, delta, 2.0 * delta])
    assert several[1] == pytest.approx(float(ny.account(mechanism).epsilon(delta)), rel=1e-6)
