"""Points that tests attain: chords between them never claim more power than the profile allows, and little less."""

from __future__ import annotations

import time

import numpy as np
import pytest

import neyman as ny
from neyman.guarantees.questions.curve.achieved import AchievedCurve
from neyman.guarantees.questions.curve.excess import attained
from neyman.guarantees.questions.curve.tradeoff import power_upper, tangent

ALPHAS = np.append(np.geomspace(1e-9, 0.5, 40), [0.7, 0.99, 1.0])
EPSILONS = np.linspace(-12.0, 12.0, 4001)


@pytest.mark.parametrize("g", [ny.GDP(1.0), ny.ZCDP(0.1), ny.ApproximateDP(1.0, 1e-3), ny.account(ny.Laplace(1.0))])
def test_chords_are_attained_and_near(g: ny.Guarantee) -> None:
    """Excess power is the least over eps of delta(eps) + (e^eps - 1) alpha."""
    found = AchievedCurve((g.sides,), 12.0).excess(ALPHAS)
    upper = g.sides.bracket(EPSILONS).upper
    most = np.array([np.min(upper + np.expm1(EPSILONS) * alpha) for alpha in ALPHAS])
    assert np.all(found <= most * (1.0 + 1e-12))
    assert np.all(found[(ALPHAS > 1e-3) & (ALPHAS < 0.6)] >= 0.99 * most[(ALPHAS > 1e-3) & (ALPHAS < 0.6)])


def test_of_several_curves_the_least_power_counts() -> None:
    one, two = ny.GDP(1.0), ny.PureDP(0.8)
    both = AchievedCurve((one.sides, two.sides), 12.0).excess(ALPHAS)
    each = [AchievedCurve((g.sides,), 12.0).excess(ALPHAS) for g in (one, two)]
    np.testing.assert_array_equal(both, np.minimum(*each))


def test_groups_of_promises_that_hold_at_once_are_read_once() -> None:
    """Each power along the chain asked every part for a lower bound, seven times four of them: minutes in all."""
    g = (ny.ZCDP(0.024) ** 5).group(4)
    for epsilon in (0.0, 1.0):
        lower, upper = g.optimistic.delta(epsilon), g.delta(epsilon)
        assert 0.999 * upper <= lower <= upper
        assert upper >= ny.GDP(4.0 * np.sqrt(2.0 * 5 * 0.024)).optimistic.delta(epsilon)  # which keeps the promise


def test_the_area_over_what_is_attained() -> None:
    """Each of its points asked the law of the composition again: minutes."""
    g = ny.ZCDP(0.378) ** 2
    before = time.process_time()
    assert g.optimistic.auc <= g.auc <= g.optimistic.auc + 2e-4
    assert time.process_time() - before < 10.0


def test_what_is_attained_lies_above_the_curve() -> None:
    curves = [ny.GDP(1.0), ny.PureDP(1.2)]
    alpha, beta = AchievedCurve(tuple(g.sides for g in curves), 6.0).points
    assert np.all(beta >= np.max([g.beta(alpha) for g in curves], axis=0))
    assert np.max(beta - np.max([g.beta(alpha) for g in curves], axis=0)) < 1e-4


def test_what_the_law_below_attains_is_below_the_curve_and_near_it():
    g = ny.ZCDP(0.2) * ny.GDP(0.5)
    sides, alpha = g.sides.forward.parts[0], np.geomspace(1e-9, 0.3, 20)
    assert sides.lesser is not None
    start = 0.8
    most = power_upper(sides, alpha, start) - alpha
    epsilon = tangent(sides, alpha, start)
    for beside in (0.0, 1e-3, 0.1):  # wherever it is looked for
        found = attained(sides, alpha, epsilon + beside, start)
        assert np.all(found <= most * (1.0 + 1e-12))
    assert np.all(attained(sides, alpha, epsilon, start) >= (1.0 - 1e-2) * most)


def test_groups_of_what_a_lattice_tells_are_bounded_from_both_sides() -> None:
    g = ny.account(ny.Laplace(2.0) ** 3).group(2)
    assert 0.0 < g.beta(0.1) <= g.optimistic.beta(0.1) <= g.beta(0.1) * (1.0 + 1e-4)
