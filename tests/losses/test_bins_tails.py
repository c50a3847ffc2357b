"""What lies beyond the bins of a step is never below the truth, however far its two normals lie apart."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.losses.gaussian.bins import Shape, _tails


@pytest.mark.parametrize("rate", [1.0, 0.3, 1e-6])
def test_masses_beyond_the_bins(rate: float) -> None:
    """Where they were stated to 8 units of u^2 beside 1e-12, 2 of these 240 numbers lay below."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        sigma = float(10.0 ** rng.uniform(-3.0, -0.5))
        u, side = float(rng.uniform(-1.0, 1.0) / sigma), float(rng.choice([-1.0, 1.0]))
        told = _tails(Shape(sigma, rate), u, side)
        with mp.workdps(60):
            without, shifted = (mp.erfc(side * (mp.mpf(u) - mean) / mp.sqrt(2)) / 2 for mean in (0, 1 / mp.mpf(sigma)))
            mixed = (1 - mp.mpf(rate)) * without + mp.mpf(rate) * shifted
            for log_mass, exact in zip(told, (mp.log(without), mp.log(mixed)), strict=True):
                assert exact <= log_mass
                assert log_mass <= exact + 1e-11 + 1e-14 / sigma**2
