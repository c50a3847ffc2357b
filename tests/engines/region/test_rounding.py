"""What the regions of Renyi divergences are rounded by: series, and sums of few functions."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from neyman.engines.region.tangents import log_expm1_ratio

UNIT = 2.0**-53


def test_the_series_of_log_expm1_ratio_is_long_enough() -> None:
    """At z = 1/2 the next term is two units: one coefficient less is 370, and ``_UNITS`` leaves 64 to all."""
    size = np.concatenate([np.geomspace(1e-300, 0.4999, 200), np.linspace(0.3, 0.4999999, 100), [0.5, 0.7, 3.0, 30.0]])
    z = np.concatenate([size, -size])
    found = log_expm1_ratio(z)
    with mp.workdps(60):
        for one, value in zip(z.tolist(), found.tolist(), strict=True):
            truth = mp.log(mp.expm1(one) / mp.mpf(one)) if abs(one) > 1e-20 else mp.mpf(one) / 2
            # below zero from -1/2 on, z and the logarithm are of opposite signs, and of the order of their sum
            assert abs(mp.mpf(value) - truth) <= 16 * UNIT * abs(truth), one
