"""epsilon as narrow as delta is sharp: also where a search ends far from it, near the end of a law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.numerics.functions.normal import probit

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


@pytest.mark.parametrize("run", [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (0.1, 0.01, 3)])
def test_a_search_begins_near_its_end(run: tuple[float, float, int]) -> None:
    """What saddle points expect, of laws that are nearly normal under their tilt: no profile need be asked for it."""
    guarantee = ny.account(ny.DPSGD(*run))
    table = guarantee.sides.forward.expected
    assert table is not None
    for delta in (1e-5, 1e-8):
        guess = float(np.interp(-probit(np.log([delta])), table[1], table[0])[0])
        assert guess == pytest.approx(guarantee.epsilon(delta), rel=0.05)


@pytest.mark.parametrize("run", [(1.0, 0.01, 10), (1.0, 1e-4, 10**4), (0.8, 1e-5, 10**3)])
def test_what_is_far_from_normal_is_not_expected(run: tuple[float, float, int]) -> None:
    """A law in two heaps has a mean where it is not: such places are left out, or far from any delta that is asked."""
    guarantee = ny.account(ny.DPSGD(*run))
    table = guarantee.sides.forward.expected
    for delta in (1e-3, 1e-5):
        goal = -probit(np.log([delta]))[0]
        if table is not None and table[1][0] <= goal <= table[1][-1]:
            assert float(np.interp(goal, table[1], table[0])) == pytest.approx(guarantee.epsilon(delta), rel=0.5)


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        ((0.06724119866482475, 6.965022684928153e-05, 1), 6.965022684927356e-05),
        ((0.06479807359210359, 0.0015201700942632469, 1), 0.0015201700942631755),
    ],
)
def test_where_delta_hardly_falls_epsilon_is_finite(run: tuple[float, float, int], delta: float) -> None:
    """A root may be off by orders of magnitude where delta falls by its last digits: the search goes on from there."""
    guarantee = ny.account(ny.DPSGD(*run))
    epsilon = guarantee.epsilon(delta)
    assert guarantee.optimistic.epsilon(delta) <= epsilon < 0.2
    assert guarantee.delta(epsilon) <= delta


@given(
    sigma=st.floats(-0.7, 1.2).map(lambda x: 10.0**x), rate=st.floats(-4.0, -0.3).map(lambda x: 10.0**x),
    steps=st.floats(0.0, 5.0).map(lambda x: int(10.0**x)), delta=st.floats(-12.0, -1.0).map(lambda x: 10.0**x),
)  # fmt: skip
def test_wherever_it_begins_epsilon_is_the_least(sigma: float, rate: float, steps: int, delta: float) -> None:
    """What steers changes no answer: delta at epsilon is at most what was asked, and a little before it is more."""
    guarantee = ny.account(ny.DPSGD(sigma, rate, steps))
    epsilon = guarantee.epsilon(delta)
    assert guarantee.delta(epsilon) <= delta
    if epsilon > 0.0:
        assert guarantee.delta(epsilon * (1.0 - 2e-7)) > delta


def test_one_that_goes_astray_stops_no_other() -> None:
    """Newton's steps go on for those that come nearer, and what is a little beyond a table is guessed by it."""
    run = ny.Laplace(3.0).poisson(0.2) ** 40
    law = ny.account(run)
    law.gdp()
    deltas = [1e-3, 1e-7, 1e-11, 0.9 * float(law.delta(0.0))]
    together = law.epsilon(deltas)
    for delta, found in zip(deltas, together, strict=True):
        assert found == pytest.approx(float(ny.account(run).epsilon(delta)), rel=1e-6)
