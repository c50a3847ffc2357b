"""Surveys of many random settings, far beyond what a test run can afford: `pytest -m slow` (about two minutes).

Sampling rates near 0 and near 1, few steps, deep tails: where a bound that is a little too narrow has hidden before.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from neyman.engines.closed_form.pairs import SubsampledGaussianProfile
from neyman.engines.contour.bulk_jumps.split import Split
from neyman.engines.contour.bulk_jumps.threshold import Valleys
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Bracket, Profile

pytestmark = pytest.mark.slow


def between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(math.log(low), math.log(high))))


def rate(rng: np.random.Generator) -> float:
    """Near 0, anywhere, or near 1."""
    q = between(rng, 1e-7, 0.6)
    return q if rng.random() < 0.7 else 1.0 - q


def single(sigma: float, q: float, times: int, direction: str) -> Parts:
    return Parts(((SamplingTransform(sigma, q), times),), 0.0, direction)


def depth(profile: Profile, delta: float) -> float:
    """An eps with about that delta."""
    low, high = 1e-13, 700.0
    for _ in range(70):
        middle = math.sqrt(low * high)
        if profile.bracket(np.array([middle])).upper[0] > delta:
            low = middle
        else:
            high = middle
    return low


def overlap(a: Bracket, b: Bracket) -> bool:
    return bool(np.all(a.lower <= b.upper) and np.all(b.lower <= a.upper))


@pytest.mark.parametrize("seed", range(8))
def test_one_step_by_contours_and_in_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        sigma, q, direction = between(rng, 0.3, 60.0), rate(rng), ("remove", "add")[int(rng.integers(2))]
        exact = SubsampledGaussianProfile(sigma, q, direction)
        epsilon = np.array([0.0, *(depth(exact, 10.0 ** -rng.uniform(0.3, 28.0)) for _ in range(3))])
        found = ContourProfile(single(sigma, q, 1, direction)).bracket(epsilon)
        assert overlap(found, exact.bracket(epsilon)), (sigma, q, direction, epsilon)


@pytest.mark.parametrize("seed", range(8))
def test_one_step_parted_and_in_closed_form(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    laid = 0
    for _ in range(60):
        sigma, q = between(rng, 0.3, 30.0), between(rng, 1e-6, 0.3)
        exact, parts = SubsampledGaussianProfile(sigma, q, "remove"), single(sigma, q, 1, "remove")
        at = depth(exact, 10.0 ** -rng.uniform(0.5, 25.0))
        lay = Split.late if rng.random() < 0.3 else Split.lay
        split = lay(parts, Walk.along(parts), Valleys.of(parts), at, 9000, Effort())
        if split is None:
            continue
        laid += 1
        epsilon = np.linspace(split.range[0], min(split.range[1], 60.0), 4)
        found = Estimates.empty(len(epsilon))
        found.put(np.arange(len(epsilon)), split, epsilon)
        assert overlap(found.bracket(), exact.bracket(epsilon)), (sigma, q, epsilon)
    assert laid > 10


@pytest.mark.parametrize("seed", range(6))
def test_few_steps_by_contours_and_on_the_lattice(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    for _ in range(12):
        sigma, q, times = between(rng, 0.5, 6.0), between(rng, 3e-3, 0.9), int(rng.integers(2, 50))
        direction = ("remove", "add")[int(rng.integers(2))]
        lattice = LatticeProfile([(SubsampledGaussianStep(sigma, q), times)], direction, 1e-4, max_points=1 << 17)
        contour = ContourProfile(single(sigma, q, times, direction))
        epsilon = np.array([0.0, *(depth(contour, 10.0 ** -rng.uniform(0.5, 15.0)) for _ in range(2))])
        assert overlap(contour.bracket(epsilon), lattice.bracket(epsilon)), (sigma, q, times, direction, epsilon)
