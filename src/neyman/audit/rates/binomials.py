"""Clopper-Pearson: the largest probability that a binomial count still allows, rounded up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from neyman._validate import FloatArray

__all__ = ["Counts", "upper_limit"]

Counts = NDArray[np.int64]

_PAD = 1e-11  # relative, above the error of the incomplete beta function and of its inverse
_CHECKED = 1e-9  # by how much the tail may seem to miss the level for reasons of rounding alone


def upper_limit(counts: Counts, trials: int, log_level: FloatArray | float) -> FloatArray:
    """Return u with P(Binomial(trials, u) <= count) <= e^log_level: the quantile of Beta(count + 1, trials - count).

    Parameters
    ----------
    counts : array
        From 0 to ``trials``; where it is ``trials``, the limit is 1.
    trials : int
        At least 1.
    log_level : float or array
        Logarithms of the levels, at least -700.

    Notes
    -----
    Clopper and Pearson (1934). The inverse is not trusted: its answer is moved up and then put to the tail itself;
    where that does not confirm it, Hoeffding's bound, and at last 1, take its place.
    """
    level = np.exp(np.broadcast_to(np.asarray(log_level, dtype=np.float64), counts.shape)) * (1.0 - 1e-12)
    some = counts < trials
    a = np.where(some, counts, 0) + 1.0
    b = np.where(some, trials - counts, trials).astype(np.float64)
    inverse = special.betainccinv(a, b, level)
    raised = np.minimum(inverse + _PAD * np.minimum(inverse, 1.0) + 1e-300, 1.0)
    tail = special.betaincc(a, b, raised)
    confirmed = np.isfinite(raised) & (tail <= level * (1.0 + _CHECKED))
    hoeffding = np.minimum(counts / trials + np.sqrt(-np.log(level) / (2.0 * trials)) * (1.0 + 1e-12) + 1e-15, 1.0)
    return np.where(some, np.where(confirmed, raised, hoeffding), 1.0)
