"""1 - delta of strong compositions, on a lattice by itself: against balls and enumeration, however small it is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.lattice import complement
from neyman.engines.lattice.complement import LatticeGap, spacing
from neyman.engines.lattice.cumulant import Cumulant
from neyman.engines.lattice.profile import LatticeProfile
from neyman.engines.lattice.tilt import plan_tilt
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteLaplaceStep, RandomizedResponseStep
from neyman.losses.laplace.step import LaplaceStep
from tests.hunt import custom
from tests.reference import exact

Steps = tuple[tuple[Step, int], ...]


def gap(steps: Steps, remove: bool, tolerance: float, points: int = 1 << 18) -> LatticeGap:
    laws = tuple((step.bins(), times) for step, times in steps)
    cumulant = Cumulant(laws, "remove" if remove else "add")
    at = cumulant.saddle(0.0, -0.999, -0.001)
    plan = plan_tilt(laws, cumulant, remove, at, 0.0, spacing(sum(times for _, times in steps), tolerance), points)
    assert plan is not None
    return LatticeGap(laws, remove, plan)


def log_rest(delta: arb) -> float:
    with ctx.workprec(4000):
        return float((1 - delta).log())


@pytest.mark.parametrize(("d", "times"), [(12.0, 3), (23.0, 7), (90.0, 2), (0.8, 12)])
def test_laplace_steps_against_balls(d: float, times: int) -> None:
    """Nothing of it is a float in 1 - delta; every eps of a window is served."""
    scale = 1.0 / d
    found = gap(((LaplaceStep(scale), times),), True, 1e-5)
    eps = np.array([0.0, 1e-3, 1.0, 7.0, 25.0])
    low, high = found.log_bounds(eps)
    truth = np.array([log_rest(exact.laplace_delta([arb(scale)] * times, e)) for e in eps.tolist()])
    assert np.all(low <= truth + 1e-13 * np.abs(truth))
    assert np.all(truth <= high + 1e-13 * np.abs(truth))
    assert np.all(high - low <= 6e-5)


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-4, 3e-3])
@pytest.mark.parametrize(("a", "b"), [((9.13, 3), (7.77, 5)), ((14.3, 2), (0.731, 3))])
def test_lone_outcomes_between_points_against_enumeration(
    remove: bool, tolerance: float, a: tuple[float, int], b: tuple[float, int]
) -> None:
    """Sampled and not, of no common unit: each is divided, up to the widest spacing for which the proof holds."""
    steps = ((RandomizedResponseStep(a[0], a[1], 0.83), 3), (RandomizedResponseStep(b[0], b[1]), 2))
    law = exact.compose((exact.sampled(exact.k_ary(*a), 0.83), 3), (exact.k_ary(*b), 2))
    law = law if remove else exact.reverse(law)
    eps = np.linspace(0.0, 12.0, 60)
    low, high = gap(steps, remove, tolerance).log_bounds(eps)
    truth = np.array([log_rest(exact.delta(law, e)) for e in eps.tolist()])
    assert np.all(low <= truth)
    assert np.all(truth <= high)
    assert np.all(high - low <= 30.0 * math.sqrt(tolerance))  # next to an outcome O(h), elsewhere O(h^2)


def test_beyond_the_widest_spacing_nothing_is_told_from_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complement, "_WIDEST", 1e-4)
    _, high = gap(((LaplaceStep(0.1), 3),), True, 1.0, 1 << 10).log_bounds(np.zeros(1))
    assert high[0] == 0.0


def test_a_lattice_that_holds_the_law_divides_nothing() -> None:
    law = exact.compose((exact.sampled(exact.discrete_laplace(0.08, 2), 0.9), 5))
    for remove in (True, False):
        found = LatticeProfile([(DiscreteLaplaceStep(0.08, 2, 0.9), 5)], "remove" if remove else "add")
        b = found.bracket(np.zeros(1))
        truth = log_rest(exact.delta(law if remove else exact.reverse(law), 0.0))
        assert truth < -7.0
        assert b.log_gap_lower[0] <= truth <= b.log_gap_upper[0]
        assert b.log_gap_upper[0] - b.log_gap_lower[0] <= 1e-6


@pytest.mark.parametrize(
    "mechanism",
    [
        ny.Laplace(0.0709) ** 4,
        pytest.param(ny.DiscreteLaplace(0.2428, 3).poisson(0.091) ** 2319, marks=pytest.mark.slow),
        ny.DiscreteLaplace(0.1317, 2) ** 8 * ny.DiscreteGaussian(0.6873).poisson(0.4235) ** 8,
        ny.DiscreteLaplace(0.1401, 1) ** 978 * ny.Gaussian(165.8) ** 92, ny.Laplace(0.112) ** 87,
    ],
    ids=str,
)  # fmt: skip
def test_mu_of_strong_compositions_is_told(mechanism: ny.Mechanism) -> None:
    """They were refused: of 1 - delta nothing was known but that it is small."""
    found = ny.account(mechanism)
    assert 10.0 < found.optimistic.mu() <= found.mu()
    assert found.mu() - found.optimistic.mu() <= 1e-4 * found.mu()


def test_of_a_law_that_is_only_enclosed_the_rest_is_not_composed_by_itself() -> None:
    """The bins of a custom law lie below it: what they leave of 1 - delta is too much."""
    step = custom.laplace(0.02)
    pair = [ny.account(one, "remove", 1e-3) for one in (step**2, ny.Laplace(0.02) ** 2)]
    sides = [one._sides.bracket(np.zeros(1)) for one in pair]
    assert sides[0].log_gap_lower[0] <= sides[1].log_gap_lower[0] + 1e-9
    profile = LatticeProfile([(one, times) for one, times in step.losses(replace=False)], "remove", 1e-3)
    assert profile.bracket(np.zeros(1)).log_gap_lower[0] <= log_rest(exact.laplace_delta([arb(0.02)], 0.0))
    assert profile._between() is None
