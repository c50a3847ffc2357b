"""How likely an empirical distribution function crosses a boundary, exactly: what bands at all thresholds rest on.

Of n uniform variables let N(x) be how many lie in [0, x]. The band u holds at the counts k_1 < ... < k_m unless
N(u_j) <= k_j somewhere. N is a Poisson process given N(1) = n, so that the way from u_j to u_(j+1) is one convolution
with Poisson weights. All terms are positive, errors stay relative; weights and states far from the middle are dropped,
which can only lower the probability of staying inside.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.audit.rates.binomials import Counts
from neyman.numerics.rounding import UNIT

__all__ = ["ROUNDING", "crossing_probability"]

ROUNDING = 1e-8  # relative, of the probability of staying inside: 1e-13 a step for thousands of steps, and n log n ulp
_REACH = 7.0  # standard deviations kept on either side
_MORE = 14  # and states, for means near 0


def crossing_probability(n: int, counts: Counts, bounds: FloatArray) -> float:
    """Return an upper bound, above the truth by about 1e-8, on P(N(bounds[j]) <= counts[j] for some j).

    Parameters
    ----------
    n : int
        How many uniform variables.
    counts : array
        Increasing, from 0 to n - 1.
    bounds : array
        Not decreasing, in (0, 1).

    Notes
    -----
    The Poisson form of the recursions for one-sided boundaries: Moscovich and Nadler (2017), Fast calculation of
    boundary crossing probabilities for Poisson processes.

    Examples
    --------
    >>> bound = crossing_probability(2, np.array([0, 1]), np.array([0.5, 0.8]))  # 1 - (0.8^2 - 0.3^2)
    >>> 0.45 <= bound < 0.45 + 2e-8
    True
    """
    lowest, inside, before = 0, np.ones(1), 0.0
    spread = _REACH * np.sqrt(n * bounds * (1.0 - bounds)) + _MORE
    highest = np.minimum(n, n * bounds + spread).astype(np.int64)
    for count, bound, top in zip(counts.tolist(), bounds.tolist(), highest.tolist(), strict=True):
        first, weights = _poisson(n * (bound - before))
        moved = np.convolve(inside, weights)
        lowest, before = lowest + first, bound
        start = max(count + 1 - lowest, 0)
        inside = moved[start : top - lowest + 1]
        lowest += start
        if not inside.size:
            return 1.0
    left = n - (lowest + np.arange(inside.size))
    arrived = _weights(left.astype(np.float64), n * (1.0 - before))
    total = _weights(np.array([float(n)]), float(n))[0]
    return float(min(1.0, 1.0 - np.dot(inside, arrived) / total * (1.0 - ROUNDING) + 2.0 * UNIT))


def _poisson(mean: float) -> tuple[int, FloatArray]:
    """The weights of the Poisson law that matter, and where they start."""
    spread = _REACH * np.sqrt(mean) + _MORE
    first = max(0, int(mean - spread))
    return first, _weights(np.arange(first, int(mean + spread) + 1, dtype=np.float64), mean)


def _weights(at: FloatArray, mean: float) -> FloatArray:
    return np.exp(special.xlogy(at, mean) - special.gammaln(at + 1.0) - mean)
