"""The lines of a claim are rounded so that each lies below what is claimed."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from neyman.audit.tangents import Tangents


@pytest.mark.parametrize("seed", range(4))
def test_no_line_lies_above_its_tangent(seed: int) -> None:
    """An exponential, a product and a sum each: without their room (`_UP`, `DOWN`) a quarter of them would."""
    rng = np.random.default_rng(seed)
    for epsilon, delta in zip(rng.uniform(0.0, 12.0, 60).tolist(), rng.uniform(0.0, 0.3, 60).tolist(), strict=True):
        lines = Tangents.single(epsilon, delta).lines
        with mp.workdps(40):
            e, d = mpf(epsilon), mpf(delta)
            whole = [(mp.exp(-e), mp.exp(-e) * d), (mp.exp(e), mp.expm1(e) + d)]
            for slope, offset in zip(lines.slope, lines.offset, strict=True):
                exact, subtracted = min(whole, key=lambda line: abs(line[0] - mpf(slope)))
                assert mpf(slope) <= exact
                assert mpf(offset) >= subtracted
