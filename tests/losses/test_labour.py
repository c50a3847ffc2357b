"""The work of a plan counts what bins of hardly any noise take: hundreds of pieces each."""

from __future__ import annotations

import math

import pytest

import neyman as ny
from neyman.losses.gaussian import bins
from neyman.losses.gaussian.bins import Shape, split_bins


@pytest.mark.parametrize(
    ("sigma", "rate", "h"), [(1e-5, 1.0, 40.0), (1e-3, 1.0, 5.0), (0.01, 0.3, 2.0), (1.0, 1.0, 0.2)]
)
def test_pieces_are_counted(sigma: float, rate: float, h: float, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, made = Shape(sigma, rate), list[int]()
    reach = (-0.2, 0.2) if sigma < 0.01 else (-5.0, 5.0) if rate == 1.0 else (-math.inf, 5.0)
    repeat = bins.np.repeat

    def counting(values, repeats):
        found = repeat(values, repeats)
        made.append(len(found))
        return found

    monkeypatch.setattr(bins.np, "repeat", counting)
    first, last = shape.cut(reach, h)
    split_bins(shape, h, first, last)
    beyond = sum(made) - (last - first)  # one for each bin is in what a bin takes
    assert beyond <= shape.labour(reach, h) / bins._EACH * 1.01 + (last - first)
    assert shape.labour(reach, h) <= 50.0 * bins._EACH * max(beyond, last - first)


def test_beside_very_strong_gaussians_no_lattice_is_laid_for_minutes() -> None:
    """Bins a hundred losses wide took a thousand pieces each, which no plan had counted."""
    found = ny.account(
        ny.Gaussian(0.0246) ** 6141000 * ny.RandomizedResponse(4.754, 2) ** 3 * ny.Gaussian(0.2217).poisson(0.1) ** 7
    )
    assert found.beta(0.01) <= 1e-300


def test_a_tilt_so_steep_that_floats_end_is_still_planned() -> None:
    """Nothing lies above what is left of the largest weight: an IndexError, of "add" asked for the fifth time."""
    tilted = bins.Shape(0.03631987268628611, 0.07068533273996011).tilted(-(2.0**64), 2.0**64, 2159, False)
    assert all(math.isfinite(value) for value in (tilted.value, tilted.mean, tilted.variance, *tilted.reach))
