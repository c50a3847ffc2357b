"""What soft shares of losses are at most along a path, and what sums of them over coarse grids hide."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import special

from neyman.losses.gaussian.paths import share_bounds
from neyman.losses.gaussian.paths.exchanged_part import ORDER, shares
from neyman.losses.gaussian.paths.ray import Ray
from neyman.losses.gaussian.paths.share_bounds import log_kept, log_share, log_share_before
from tests.effort import crossed

PATHS = [(0.42, 0.17), (0.42, -0.17), (0.0, 0.25), (0.0, -0.25), (0.42, 0.0), (0.1, 0.3)]  # chi, y
PARTS = [(0.0, 0.5), (0.0, 40.0), (1e-5, 0.5), (0.3, math.inf), (0.4, 0.6), (1e-3, 1e-2), (5.0, 300.0)]


@cache  # the same path is asked for each part
def along(chi: float, y: float, gap: float, finer: int = 1) -> np.ndarray:
    t = np.arange(-14.0, 60.0, gap)
    fine = t[0] + gap / finer * np.arange(finer * (len(t) - 1) + 1)
    return Ray(1.0, 0.0, chi, gap).along(fine + 1j * y)[0]


def share_of(s: np.ndarray, low: float, high: float) -> np.ndarray:
    one, none = np.ones(len(s), complex), np.zeros(len(s), complex)
    with np.errstate(all="ignore"):
        (beyond, below) = shares(s / low)[0] if low > 0.0 else (one, none)
        (further, kept) = shares(s / high)[0] if high < math.inf else (none, one)
        share = np.where(np.abs(beyond) < 0.5, beyond - further, kept - below)
    return np.abs(np.where(np.isfinite(share), share, 0.0))


def test_how_fast_an_incomplete_gamma_function_turns() -> None:
    x = np.linspace(1e-3, 200.0, 400000)
    rate = np.exp(ORDER * np.log(x) - x - math.lgamma(ORDER)) / special.gammainc(ORDER, x)
    turning = rate * (rate + x - ORDER)
    assert 0.95 * share_bounds._TURNING <= turning.max() <= share_bounds._TURNING
    assert rate.max() <= ORDER


@crossed(
    (("chi", "y"), PATHS),
    (("low", "high"), PARTS),
)
def test_sums_of_shares_over_a_coarse_grid_are_no_less_than_integrals(
    chi: float, y: float, low: float, high: float
) -> None:
    """Beside weights of many slopes, on grids as fine as they are used, and on far coarser ones."""
    for gap in (0.04, 0.11, 0.4):
        coarse, fine = along(chi, y, gap), along(chi, y, gap, 40)
        said, true = log_share(coarse, low, high, gap), share_of(fine, low, high)
        assert np.all(true[::40] <= np.exp(said) * (1.0 + 1e-9))
        for slope in (-9.0, -2.0, 0.0, 2.0, 9.0):
            with np.errstate(divide="ignore"):
                integral = np.logaddexp.reduce(slope * np.log(np.abs(fine)) + np.log(true)) - math.log(40.0)
            # |S|^k bends by 2 |k| at most
            bound = np.logaddexp.reduce(slope * np.log(np.abs(coarse)) + said) + 0.25 * abs(slope) * gap**2
            assert integral <= bound


def test_without_what_cells_hide_sums_would_be_too_small() -> None:
    short = 0
    for chi, y in PATHS:
        for low, high in PARTS:
            coarse, fine = along(chi, y, 0.8), along(chi, y, 0.8, 40)
            slope = -9.0 if low > 0.0 else 9.0
            with np.errstate(divide="ignore"):
                integral = np.logaddexp.reduce(slope * np.log(np.abs(fine)) + np.log(share_of(fine, low, high)))
                plain = np.logaddexp.reduce(slope * np.log(np.abs(coarse)) + np.log(share_of(coarse, low, high)))
            short += integral - math.log(40.0) > plain
    assert short > 5


@pytest.mark.parametrize(("low", "high"), PARTS)
def test_shares_before_and_beyond_a_place(low: float, high: float) -> None:
    for chi, y in PATHS:
        s, psi = along(chi, y, 0.05), 2.0 * max(chi, abs(chi + y), abs(y) if y < 0.0 else 0.0)
        share = share_of(s, low, high)
        for place in range(0, len(s), 40):
            size = float(np.abs(s[place]))
            assert share[: place + 1].max() <= math.exp(min(log_share_before(size, psi, low, high), 700.0)) * (1 + 1e-9)
            if high < math.inf and (size / high) ** 2 * math.cos(psi) > ORDER:
                assert share[place:].max() <= math.exp(log_kept(size, psi, low, high)) * (1.0 + 1e-9) + 1e-300
