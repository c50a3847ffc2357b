"""What the error bounds of a rare step's law rest on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neyman._validate import FloatArray
from neyman.engines.contour.rare.steps import Laws
from neyman.losses.gaussian.paths import rare as rare_law
from neyman.losses.gaussian.paths.rare import RarePart
from neyman.losses.readings.transform import ComplexArray
from tests.effort import crossed, rest_slow

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
    """Eight times finer ones find no more."""
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
            assert np.all(true <= told)


def beyond(part: RarePart, shift: float, last: int) -> tuple[ComplexArray, FloatArray]:
    """S and |f D| on the grid of a line far beyond both its ends."""
    law = part.law
    count = np.arange(1, 1500) * max(1, round(0.1 / part.law.transform.sigma / law.step))
    t = np.concatenate([law.t[0] - law.step * count, law.t[last] + law.step * count])
    s, log_weight, _ = law._along(t[t > -600.0] + 1j * shift)
    with np.errstate(all="ignore"):
        modulus = np.exp(log_weight.real) * np.abs(rare_law._share(s, part.low, part.high)[0])
    return s, np.where(np.isfinite(modulus), modulus, 0.0)


@crossed(
    ("sigma", SIGMAS),
    ("rate", [0.5, 1e-3, 2e-6, 1e-20]),
    ("short", [False, True]),
)
def test_beyond_the_ends_there_is_less_than_is_counted(
    sigma: float, rate: float, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the path and on both sides, of the grids as they are, and of such as end too soon."""
    if short:
        monkeypatch.setattr(rare_law, "_LEFT", 2.0)
        monkeypatch.setattr(rare_law, "_RIGHT", 4.0)
    laws = Laws(sigma, rate, 10)
    counted = 0
    for law in (laws.bent, laws.straight):
        for low, high in ((0.0, math.inf), (0.0, 0.5), (1e-5, 0.5), (0.3, math.inf)):
            part = RarePart(law, low, high)
            middle, below, above = part._ends
            lines = (
                (middle, 0.0, len(part.grid[0]) - 1, 0.0), (below, -law.tilt, part._sides[0][2], law.log_gain),
                (above, law.tilt, part._sides[1][2], law.log_gain),
            )  # fmt: skip
            for ends, shift, last, gain in lines:
                s, modulus = beyond(part, shift, last)
                for size in np.geomspace(1e-2, 1e9, 7):
                    for w in (size * np.exp(1j * (0.5 * math.pi - 0.2)), size + 0j):
                        said = float(ends.missing(np.array([[w]]), np.array([abs(w)]), law.ray)[0])
                        if said < math.inf:
                            with np.errstate(all="ignore"):
                                each = np.abs(np.expm1(w * s)) * modulus
                            assert np.sum(each[np.isfinite(each)]) <= said * math.exp(gain) * (1.0 + 1e-9)
                            counted += said > 0.0
    assert counted > 30


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize(("low", "high"), PARTS)
def test_cells_along_the_real_axis_are_not_too_small(sigma: float, low: float, high: float) -> None:
    part = RarePart(Laws(sigma, 2e-6, 10).straight, low, high)
    law = part.law
    fine = np.linspace(law.t[0], law.t[len(part.grid[0]) - 1], 20 * len(law.t))
    s, log_weight, _ = law._along(fine)
    with np.errstate(under="ignore"):
        modulus = np.exp(log_weight.real) * np.abs(rare_law._share(s, low, high)[0])
    modulus[modulus < 1e-280] = 0.0
    true = sums(s, modulus * (float(fine[1] - fine[0]) / law.step))
    length, cells = part.cells
    told = sums(length + 0j, cells)
    assert np.all(true <= told)
    assert np.all(told <= 1.7 * true)
