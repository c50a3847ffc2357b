"""Gauss-Legendre rules against 40 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.numerics.functions.gauss import gauss


@pytest.mark.parametrize("count", [1, 2, 7, 8, 12, 20, 24])
def test_nodes_and_weights_are_correctly_rounded(count: int) -> None:
    nodes, weights = gauss(count)
    assert np.all(np.diff(nodes) > 0.0)
    with mp.workdps(40):
        for x, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            exact = mp.findroot(lambda t: mp.legendre(count, t), (x - 1e-9, x + 1e-9)) if x else mp.mpf(0)
            slope = count * (mp.legendre(count - 1, exact) - exact * mp.legendre(count, exact)) / (1 - exact**2)
            assert x == float(exact)
            assert weight == pytest.approx(float(2 / ((1 - exact**2) * slope**2)), rel=2.3e-16)
