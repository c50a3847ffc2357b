"""delta by the formulas of the literature for one Renyi order each: bounds that hold beside any finer one.

With D_t <= rho_t at an order t > 1, at every eps >= 0,

    delta <= e^((t-1) (rho_t - eps)) (1 - 1/t)^(t-1) / t                   (Canonne, Kamath and Steinke 2020)
    delta <= (e^((t-1) rho_t) - 1) / (t (e^((t-1) eps) - 1)), eps > rho_t  (Asoodeh et al. 2021)
    delta <= max(1/t, 1 - e^(eps - rho_t))                                 (the same)
    delta <= min(sqrt(rho_t / 2), sqrt(1 - e^-rho_t))                      (Pinsker; Bretagnolle and Huber)

the last for t = 1 as well. No point is searched for, so that neither tiny nor huge divergences stop them.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import SMALLEST, UNIT

__all__ = ["Elementary", "elementary_delta"]

_FAINT = 1e-290  # products smaller than that may have lost digits
_SLACK = 64.0 * UNIT  # a few roundings and as many elementary functions, with a margin
_STRAIGHT = 30.0  # certifies: from there on e^-x < 9.4e-14 is less than what ``_SLACK`` allows of a sum of 2 x, 4.2e-13


def elementary_delta(t: FloatArray, rho: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Return upper bounds on delta at each ``epsilon``: the least over orders t >= 1, along the first axis.

    ``t`` and ``rho`` have shape (m, 1) or (m, n), for n = len(epsilon); each logarithm is rounded up by its terms.

    Examples
    --------
    >>> elementary_delta(np.array([[2.0]]), np.array([[1.0]]), np.array([3.0])).round(12).tolist()  # e^-2 / 4
    [0.033833820809]
    """
    return Elementary(t, rho).delta(epsilon)


class Elementary:
    """What of these bounds does not depend on eps; ``t`` and ``rho`` as above."""

    def __init__(self, t: FloatArray, rho: FloatArray) -> None:
        self._rho, self._r, self._log_t = rho, t - 1.0, np.log(t)
        self._above_one = self._r > 0.0
        safe = np.where(self._above_one, self._r, 1.0)
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            self._have, self._least = self._r * rho, 1.0 / t
            # (t - 1) log(1 - 1/t); beside log t it hardly counts for large t
            rest = self._r * (np.log(safe) - self._log_t)
            self._rest = np.where(t > 2.0, self._r * np.log1p(-1.0 / t), rest)
            self._above = _log_expm1(np.maximum(self._have, _FAINT))
            variation = np.sqrt(np.minimum(-np.expm1(-rho), 0.5 * rho)) * (1.0 + _SLACK) + SMALLEST
        self._variation = np.min(variation, axis=0)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """The least bound at each ``epsilon``."""
        have, log_t, rest, above = self._have, self._log_t, self._rest, self._above
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            asked = self._r * epsilon
            total = have + asked
            exact = have - asked + rest - log_t + _SLACK * (total + np.abs(rest) + log_t)
            below = _log_expm1(np.where(asked > _FAINT, asked, 0.0))
            small = above - below - log_t + _SLACK * (total + np.abs(above) + np.abs(below) + log_t)
            small = np.where(small < -log_t, small, np.inf)  # it is proved for t delta < 1
            logs = np.where(self._above_one, np.fmin(exact, small), np.inf)
            # no order ever promises more than a variation of 1: what is not a number promises nothing
            best = np.exp(np.fmin(np.fmin.reduce(logs, axis=0), 0.0)) * (1.0 + _SLACK) + SMALLEST
            beyond = np.minimum(epsilon - self._rho, 0.0) - _SLACK * (epsilon + self._rho)
            far = np.where(self._above_one, np.maximum(self._least, -np.expm1(beyond)) + _SLACK, 1.0)
        return np.fmin(np.fmin(best, np.fmin.reduce(far, axis=0)), self._variation)


def _log_expm1(x: FloatArray) -> FloatArray:
    """log(e^x - 1), to a few units of itself and of 1."""
    return np.where(x < _STRAIGHT, np.log(np.expm1(np.minimum(x, _STRAIGHT))), x)
