"""What the error bounds of a rare step's law rest on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neyman._validate import FloatArray
from neyman.engines.contour.rare.steps import Laws
from neyman.losses.gaussian import rare as rare_law
from neyman.losses.gaussian.rare import RarePart
from neyman.losses.readings.transform import ComplexArray
from tests.effort import rest_slow

SIGMAS = rest_slow([0.05, 0.13, 0.3, 0.7, 1.5, 3.0], 0, 5)
PARTS = rest_slow([(0.0, math.inf), (0.0, 0.5), (1e-5, 0.5), (0.3, math.inf), (1e-9, 1e-6)], 0)


def sums(s: ComplexArray, modulus: FloatArray) -> FloatArray:
    """Of bounds on |e^{wS} - 1|: for w on the imaginary axis, and for real w from which it grows."""
    out = [float(modulus @ np.minimum(size * np.abs(s), 2.0)) for size in np.geomspace(1e-6, 1e9, 40)]
    with np.errstate(divide="ignore", under="ignore"):
        out += [float(np.sum(np.exp(real * s.real + np.log(modulus) - 600.0))) for real in (0.3, 1.0)]
    return np.array(out)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("rate", [2e-6, *(pytest.param(rate, marks=pytest.mark.slow) for rate in (0.5, 1e-3, 1e-20))])
@pytest.mark.parametrize(("low", "high"), PARTS)
def test_coarse_sums_along_the_sides_are_not_too_small(sigma: float, rate: float, low: float, high: float) -> None:
    """At most half of the room that they leave is used, far out in the tails of much noise, by eight times finer ones;
    hardly any elsewhere.
    """
    laws = Laws(sigma, rate, 10)
    for law in (laws.bent, laws.straight):
        part = RarePart(law, low, high)
        t = law._grid()
        fine = np.linspace(t[0], t[-1], 8 * len(t))
        for (coarse, bounds), shift in zip(part.sides, (-law.tilt, law.tilt), strict=True):
            s, log_weight, _ = law._along(fine + 1j * shift)
            with np.errstate(under="ignore"):
                modulus = np.exp(log_weight.real) * np.abs(rare_law._share(s, low, high)[0])
            modulus[modulus < 1e-280] = 0.0
            true = sums(s, modulus * (float(fine[1] - fine[0]) / law.step))
            told = sums(coarse, bounds * math.exp(law.log_gain))
            assert np.all(2.0 * true <= told)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("rate", [0.5, 1e-3, 2e-6, 1e-20])
def test_beyond_the_ends_there_is_less_than_is_counted(sigma: float, rate: float) -> None:
    """Both tails summed on the same grid, far beyond where it ends."""
    law = Laws(sigma, rate, 10).bent
    part = RarePart(law, 0.0, math.inf)
    t = law._grid()
    left = t[0] - law.step * np.arange(1, 20000)
    beyond = left[left > -600.0], t[len(part.grid[0]) - 1] + law.step * np.arange(1, 20000)
    for w in np.geomspace(1e-2, 1e9, 12) * np.exp(1j * (0.5 * math.pi - 0.2)):
        total = 0.0
        for s, log_weight, _ in map(law._along, beyond):
            with np.errstate(under="ignore"):
                total += float(np.sum(np.abs(np.expm1(w * s)) * np.exp(log_weight.real)))
        assert 0.0 <= total <= float(part.missing(np.array([w]))[0])
