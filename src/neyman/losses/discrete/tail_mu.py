"""The mu of one discrete step with no floor: the largest at a vertex of its trade-off curve.

Between two vertices the curve is straight, and Phi^-1(1 - alpha) - Phi^-1(beta) along a straight line is quasi-convex:
largest at an end. Towards (0, 1) and (1, 0) it falls to 0 where the losses are finite.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.functions.normal import PROBIT_ERROR, probit
from neyman.numerics.rounding import HUGE, TINY, UNIT

__all__ = ["discrete_gaussian_mu", "outcomes_mu"]

_SMOOTH = 50.0  # sigma from which the law is as good as smooth
_DEEP = 300.0  # standard deviations: from here on the increments of the tail are bounded by hand
_ALL = 13.0  # certifies: deviations that sums over a whole law span: e^-84 is left
# certify: deviations on the left where sums begin, and from where increments are looked at: of these 2e-17 is left out
_LEFT, _MIDDLE = 10.0, 5.0
_ROUNDED = 1e-13  # certifies: of a log of a sum, relative to 1 and the log of its largest term: 900 units
_UNSURE = 1e-6  # certifies: of a probit beyond ``_DEEP``, from below


def outcomes_mu(table: Outcomes) -> float:
    """Return a mu for which the pair is mu-GDP with no floor, rounded up; inf where either law shows what the other
    does not.
    """
    if max(table.infinite) > 0.0:
        return math.inf
    if len(table.loss) < 2:  # all is said alike, but for what no float holds; e-DP is 4 e-GDP
        off = table.slack + (1.0 + table.stretch) * float(np.max(np.abs(table.loss), initial=0.0))
        return 4.0 * off + TINY if off > 0.0 else 0.0
    log_p, log_q = table.log_p, table.log_q
    room = table.relative + table.slack + 8.0 * UNIT * len(log_q) * (1.0 + np.abs(log_q) + np.abs(log_p))
    # alpha = Q(L > l_j) and beta = P(L <= l_j), with their complements
    alpha, beta = np.logaddexp.accumulate(log_q[::-1])[::-1][1:], np.logaddexp.accumulate(log_p)[:-1]
    power, rest = np.logaddexp.accumulate(log_p[::-1])[::-1][1:], np.logaddexp.accumulate(log_q)[:-1]
    mu = _score(alpha - room[1:], rest + room[1:]) + _score(beta - room[:-1], power + room[:-1])
    return max(float(np.max(mu)), 0.0) * (1.0 + 2.0 * PROBIT_ERROR) + TINY


def _score(log_small: FloatArray, log_rest: FloatArray) -> FloatArray:
    """-Phi^-1 of e^log_small, from whichever of it and its complement is below 1/2."""
    near = log_small < math.log(0.5)
    found = probit(np.where(near, log_small, np.minimum(log_rest, math.log(0.5))))
    return np.negative(found, out=found, where=near)


@lru_cache(maxsize=256)
def discrete_gaussian_mu(sigma: float, shift: int) -> float:
    """The same for two discrete Gaussians ``shift`` apart, whose vertices never end.

    With a(k) = -log P(X >= k) and z = -Phi^-1(e^-a), mu at the k-th vertex is z(k) - z(k - shift). a(k) is known but
    for the factor 1 + rho + ... of a geometric series, so every vertex down to ``_DEEP`` deviations is looked at; from
    there on z' <= 1/z bounds the increment by a bound that falls.
    """
    if sigma > _SMOOTH:
        # the offset of z from k/sigma, -log(t/(1 - e^-t))/(sigma t) with t = k/sigma^2, rises by at most 1/(24 sigma^2)
        return shift / sigma * (1.0 + 1.0 / sigma**2)
    last = math.ceil(_DEEP * sigma) + 2 * shift
    k = np.arange(-math.ceil(_LEFT * sigma) - shift, last + 1, dtype=np.float64)
    log_f = -0.5 * (k / sigma) ** 2
    mass = np.exp(-0.5 * (np.arange(-_ALL * sigma - 1.0, _ALL * sigma + 2.0) // 1 / sigma) ** 2)
    log_f -= math.log(math.fsum(mass.tolist()))
    tails = np.logaddexp.accumulate(log_f[::-1])[::-1]
    below = np.logaddexp.accumulate(log_f)
    room = _ROUNDED * (1.0 + np.abs(log_f))
    beyond = -(np.maximum(k[-1], 1.0) + 0.5) / sigma**2  # what the list leaves out at its end
    tails_high = np.logaddexp(tails, log_f[-1] + beyond - math.log1p(-math.exp(beyond)))
    high = _score(tails - room, np.append(-HUGE, below[:-1]) + room)[shift:]
    low = _score(tails_high + room, np.append(-HUGE, below[:-1]) - room)[:-shift]
    middle = (k[shift:] > -_MIDDLE * sigma) & (k[shift:] <= last - shift)  # the left mirrors the right
    most = float(np.max((high - low)[middle]))
    end = float(k[-1]) - shift
    a_rise = shift * (2.0 * end + shift) / (2.0 * sigma**2) + shift / max(end, 1.0)
    return max(most, a_rise / float(low[-1] - _UNSURE)) * (1.0 + 4.0 * PROBIT_ERROR)
