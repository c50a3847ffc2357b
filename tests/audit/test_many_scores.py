"""Ten million scores: seconds, and less than a gigabyte."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.audit.rates.sides import Everywhere
from tests.effort import rest_slow

METHODS = [("simultaneous", None), ("fixed", 0.5), ("split", None), ("dkw", None)]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "threshold"), METHODS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_ten_million(method: Any, threshold: float | None, kind: Any) -> None:
    rng = np.random.default_rng(0)
    within = rng.normal(1.0, 1.0, 5_000_000).astype(kind)
    outside = rng.normal(0.0, 1.0, 5_000_000).astype(kind)
    tracemalloc.start()
    start = time.process_time()
    found = ny.audit.from_scores(within, outside, method=method, threshold=threshold)
    verdict = ny.audit.check(ny.GDP(1.0), found)
    band = found.roc()
    took = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1] + within.nbytes + outside.nbytes
    tracemalloc.stop()
    assert verdict.outcome == "consistent"
    assert found.mu > 0.99
    assert band.fpr.size <= 1000
    assert took < 10.0
    assert peak < 1e9


@pytest.mark.parametrize(("method", "threshold"), rest_slow(METHODS, 1))
def test_where_the_exact_calibration_ends(method: Any, threshold: float | None) -> None:
    """Nothing jumps: a few more scores hardly change the bounds, on either side of 10^5.

    With "simultaneous" seconds are spent on the band at the end itself; "split" reads the same kind of band.
    """
    rng = np.random.default_rng(1)
    within, outside = rng.normal(1.0, 1.0, 100_001), rng.normal(0.0, 1.0, 100_001)
    less = ny.audit.from_scores(within[1:], outside[1:], method=method, threshold=threshold)
    more = ny.audit.from_scores(within, outside, method=method, threshold=threshold)
    assert Everywhere(100_000, 0.025).exact
    assert not Everywhere(100_001, 0.025).exact
    assert abs(less.mu - more.mu) < (0.02 if method == "split" else 0.006)  # the split itself changes
    assert less.method == more.method or method in ("simultaneous", "split")
    for claim, outcome in ((1.0, "consistent"), (0.9, "violated")):
        assert ny.audit.check(ny.GDP(claim), less).outcome == ny.audit.check(ny.GDP(claim), more).outcome == outcome
    if method != "split":  # whose thresholds are chosen for each rate by itself
        assert np.all(np.diff(more.roc().lower) >= 0.0)
