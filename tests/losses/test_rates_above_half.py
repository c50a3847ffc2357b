"""Sampled Gaussians with rates above 1/2, where 1 - q + q e^t comes near 1 - q: against ball arithmetic."""

import math

import numpy as np
import pytest

from neyman.engines.choose import profiles
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.reference import arb

CASES = [  # noise, rate, steps, standard deviations of the composed loss above its mean
    (1e4, 0.9999, 10**8, 3.0), (31.0, 0.97, 4000, 2.2), (3.0, 1.0 - 1e-9, 40, -0.4), (900.0, 0.51, 10**6, 3.5),
]  # fmt: skip


def drawn(seed: int, count: int) -> list[tuple[float, float, int, float]]:
    rng = np.random.default_rng(seed)
    some: list[tuple[float, float, int, float]] = []
    while len(some) < count:
        rate = float(rng.uniform(0.5, 1.0) if len(some) % 2 else 1.0 - 10.0 ** rng.uniform(-12.0, -0.5))
        noise, steps = float(10.0 ** rng.uniform(-0.3, 4.0)), int(10.0 ** rng.uniform(1.0, 8.0))
        if 0.02 < math.sqrt(steps) * rate / noise < 12.0:
            some.append((noise, rate, steps, float(rng.uniform(-1.0, 4.0))))
    return some


def check(noise: float, rate: float, steps: int, above: float) -> None:
    mu = math.sqrt(steps) * rate / noise
    epsilon = max(0.5 * mu * mu + above * mu, 0.0)
    found = profiles(((SubsampledGaussianStep(noise, rate), steps),), 1e-6)
    for direction, profile in zip(("remove", "add"), found, strict=True):
        truth = arb.delta([(noise, rate, steps)], epsilon, direction)
        bracket = profile.bracket(np.array([epsilon]))
        value, unsure = float(truth), truth.error + 2.0**-52
        assert bracket.lower[0] <= value * (1.0 + unsure), (noise, rate, steps, epsilon, direction)
        assert bracket.upper[0] >= value * (1.0 - unsure), (noise, rate, steps, epsilon, direction)


@pytest.mark.parametrize("case", CASES)
def test_delta_encloses_the_truth(case: tuple[float, float, int, float]) -> None:
    check(*case)


def test_the_figure_that_was_false() -> None:
    remove, _ = profiles(((SubsampledGaussianStep(1e4, 0.9999), 10**8),), 1e-6)
    assert remove.bracket(np.array([4.376671244041987])).upper[0] >= 1.0000003396645554e-5


@pytest.mark.slow
def test_hundreds_of_settings_enclose_the_truth() -> None:
    for case in drawn(17, 300):
        try:
            check(*case)
        except (arb.TooExpensive, ArithmeticError):
            continue
