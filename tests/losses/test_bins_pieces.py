"""How a bin of a Gaussian-based loss is divided between its ends, against closed forms in ball arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

from neyman.losses.gaussian import bins
from neyman.numerics.rounding import UNIT


def below(x: arb) -> arb:
    """Phi(x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def both(left: float, right: float, sigma: float, middle: float) -> tuple[arb, arb]:
    """What the lower and the upper end have, over the density at ``middle``."""
    s, low, high = arb(sigma), arb(left), arb(right)
    mass = below(high) - below(low)
    grown = (1 / (2 * s * s) - low / s).exp() * (below(high - 1 / s) - below(low - 1 / s))
    density = (-(arb(middle) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()
    upper = (grown - mass) / ((high - low) / s).expm1()
    return (mass - upper) / density, upper / density


def off(found: np.ndarray, truth: arb) -> float:
    return float(abs(arb(float(found[0])) / truth - 1).mid())


def half_width(left: float, width: float, sigma: float) -> float:
    middle = abs(left + 0.5 * width)
    return 0.5 * width * (middle + 0.5 * width + 1.0 / sigma) + width * bins._CURVED


def of_half_width(left: float, sigma: float, half: float) -> float:
    """The right end of such a bin."""
    low, high = 1e-9, 50.0
    for _ in range(60):
        width = 0.5 * (low + high)
        low, high = (width, high) if half_width(left, width, sigma) < half else (low, width)
    return left + low


def draw(rng: np.random.Generator) -> tuple[float, float, float]:
    """The noise, and both ends of a bin that is worked on in pieces: of most only one."""
    sigma = float(np.exp(rng.uniform(-4.0, 6.0)))
    left = float(rng.choice([rng.normal(0.0, 1.0), rng.uniform(-15.0, 15.0), rng.normal(0.0, 0.3)]))
    half = float(rng.choice([0.02 * (1.0 - 1e-9), rng.uniform(0.002, 0.02), rng.uniform(0.02, 4.0)]))
    return sigma, left, of_half_width(left, sigma, half)


# where the rule errs most: next to 0, of much noise
HARDEST = [(300.0, -0.02), (300.0, -0.19), (1e3, 0.2), (1e3, -0.3)]


@pytest.mark.parametrize("seed", range(3))
def test_pieces_of_a_bin_lose_no_more_than_is_said(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = [(s, left, of_half_width(left, s, 0.02 * (1.0 - 1e-9))) for s, left in HARDEST]
    cases += [draw(rng) for _ in range(40)]
    with ctx.workprec(1600):
        for sigma, left, right in cases:
            width = right - left
            middle, half = float(np.clip(0.0, left, right)), half_width(left, width, sigma)
            one = [np.array([x]) for x in (left, width, half, middle)]
            lower, upper = bins._wide(one[0], one[1], one[2], one[3], sigma)
            truth = both(left, right, sigma, middle)
            rounded = 8.0 * UNIT * (16.0 + (max(abs(left), abs(right)) + 1.0 / sigma) ** 2)
            assert off(lower + upper, truth[0] + truth[1]) <= bins._PIECES + rounded
            assert off(lower, truth[0]) <= bins._SPLIT + rounded
            assert off(upper, truth[1]) <= bins._SPLIT + rounded


def test_what_is_said_of_pieces_is_needed() -> None:
    """Six times 4e-14, as it was, and thirty times that of what either end has."""
    sigma, left = HARDEST[1]
    right = of_half_width(left, sigma, 0.02 * (1.0 - 1e-9))
    one = [np.array([x]) for x in (left, right - left, 0.02, left)]
    with ctx.workprec(1600):
        lower, _ = bins._wide(one[0], one[1], one[2], np.clip(0.0, one[0], one[0] + one[1]), sigma)
        assert off(lower, both(left, right, sigma, min(max(0.0, left), right))[0]) > 1e-12
    assert math.isclose(half_width(left, right - left, sigma), 0.02, rel_tol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_narrow_bins_err_by_the_fourth_power_of_their_half_width(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with ctx.workprec(1600):
        for _ in range(60):
            sigma, left = float(np.exp(rng.uniform(-4.0, 6.0))), float(rng.normal(0.0, 3.0))
            half = 1e-3 * (1.0 - 1e-9) * float(rng.choice([1.0, rng.uniform(0.05, 1.0)]))
            right = of_half_width(left, sigma, half)
            width, middle = right - left, 0.5 * (left + right)
            lower, upper = bins._narrow(np.array([middle]), np.array([width]), sigma)
            truth = both(left, right, sigma, middle)
            # the width itself is rounded, by half a unit of the ends
            rounded = 8.0 * UNIT * (16.0 + (max(abs(left), abs(right)) + 1.0 / sigma) ** 2)
            for found, known in zip((lower, upper), truth, strict=True):
                assert off(found, known) <= half**4 + bins._SERIES + rounded
