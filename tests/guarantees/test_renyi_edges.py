"""Renyi divergences, and the deltas beside them, where float64 would hide what is left of a loss."""

import math
import warnings

import mpmath
import numpy as np
import pytest

import neyman as ny
from tests.guarantees.test_renyi import discrete, encloses


@pytest.mark.parametrize(("epsilon", "rate"), [(20.0, 1.0 - 1e-10), (30.0, 1.0 - 1e-12), (30.0, 0.9999)])
def test_records_that_hardly_ever_stay_out(epsilon: float, rate: float) -> None:
    """1 - rate is all that the other direction's largest loss rests on: nothing of it may cancel."""
    g = ny.account(ny.PureMechanism(epsilon).poisson(rate), adjacency="add")
    with mpmath.workdps(60):
        high = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        q, without = mpmath.mpf(rate), [high, 1 - high]
        mixed = [(1 - q) * a + q * b for a, b in zip(without, without[::-1], strict=True)]
        encloses(g, 2.0, discrete(without, mixed, 2.0))
        encloses(g, 0.5, discrete(without, mixed, 0.5))
        largest = mpmath.log(without[0] / mixed[0])
        at = float(largest) * 0.999
        delta = without[0] - mpmath.exp(at) * mixed[0]
        assert g.optimistic.delta(at) <= delta <= g.delta(at)
        assert g.optimistic.epsilon(0.0) <= largest <= g.epsilon(0.0)


@pytest.mark.parametrize("small", [1e-13, 1e-9, 1e-300])
def test_nearly_everything_is_revealed_one_way(small: float) -> None:
    g = ny.account(ny.Tabulated((0.9, 0.1, 0.0), (small / 2, small / 2, 1.0 - small)), adjacency="remove")
    with mpmath.workdps(60):
        half = mpmath.mpf(small / 2)
        p = [mpmath.mpf(0.9), mpmath.mpf(0.1)]
        for order in (0.3, 1.0, 2.0):
            encloses(g, order, discrete(p, [half, half], order))
        at = float(mpmath.log(p[0] / half)) * 0.999
        delta = p[0] - mpmath.exp(at) * half
        assert g.optimistic.delta(at) <= delta <= g.delta(at)


@pytest.mark.parametrize("m", [
    ny.PureMechanism(1e-10), ny.RandomizedResponse(1e-10, 5), ny.DiscreteLaplace(1e10), ny.PureMechanism(1e-3),
], ids=repr)  # fmt: skip
def test_losses_smaller_than_a_unit_are_told_apart(m: ny.Mechanism) -> None:
    """1e-14 of a loss is 1e-14 still: rare samples of weak mechanisms reveal little, not nothing."""
    g, whole = ny.account(m.poisson(1e-12)), ny.account(m)
    for promised, exact in ((g.delta(0.0), whole.optimistic.delta(0.0)), (g.epsilon(0.0), whole.epsilon(0.0))):
        assert promised == pytest.approx(1e-12 * exact, rel=2e-3)
    assert g.delta(0.0) >= 1e-12 * whole.optimistic.delta(0.0) * (1.0 - 1e-12)
    assert g.renyi(2.0) >= 0.999e-24 * whole.optimistic.renyi(2.0)
    assert g.zcdp() > 0.0


@pytest.mark.slow
def test_no_divergence_is_lost_below_the_smallest_floats() -> None:
    for g in (ny.GDP(1e-200), ny.PureDP(1e-200), ny.account(ny.PureMechanism(1e-200)), ny.RDP([2.0], [5e-324])):
        for order in (5e-324, 1e-6, 0.5, 1.0, 2.0):
            assert g.renyi(order) > 0.0
        assert g.zcdp() > 0.0
    assert ny.ZCDP(5e-324).renyi(1e-6) > 0.0
    assert ny.account(ny.PureMechanism(1.0).poisson(1e-300)).renyi(1e308) > 0.0
    g = ny.account(ny.DiscreteGaussian(0.03))
    assert g.optimistic.renyi(5e-324) <= 5e-324 * 555 <= g.renyi(5e-324)
    assert g.renyi(1e308) == math.inf
    assert g.optimistic.renyi(1e308) > 1e307
    assert ny.PureDP(1e-3).renyi(1e308) == pytest.approx(1e-3)


def test_promises_without_a_finite_loss() -> None:
    for nothing in (ny.PureDP(0.0), ny.ApproximateDP(0.0, 0.0), ny.Profile([0.0], [0.0]), ny.Tradeoff([0, 1], [1, 0])):
        assert nothing.renyi(2.0) == nothing.optimistic.renyi(0.5) == nothing.zcdp() == 0.0
    half = ny.ApproximateDP(0.0, 0.5)
    assert half.optimistic.renyi(0.5) <= 2.0 * math.log(2.0) <= half.renyi(0.5) <= 2.0 * math.log(2.0) * (1 + 1e-9)
    assert math.isinf(half.renyi(1.0))
    assert math.isinf(ny.account(ny.Tabulated((1.0, 0.0), (0.0, 1.0))).renyi(0.5))


def test_a_guarantee_too_wide_for_its_tolerance_can_still_be_shown() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.01, 100), tolerance=1e-12)
    with pytest.raises(ny.NotCertified):
        g.advantage  # noqa: B018
    assert ", advantage in [" in repr(g)


def test_points_off_the_table_of_contacts_do_not_overflow() -> None:
    """NumPy said so of one of the hundreds of points that a mu looks at."""
    few = ny.RDP([0.553, 3.081, 113.2, 198.8], [5.749e-05, 0.0002929, 0.01159, 0.01908])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (few * ny.ApproximateDP(0.015, 0.0002382) * ny.RDP([7.271], [0.004345])).mu() == np.inf
