"""Two discrete laws: their trade-off curve is a polygon, with an edge for every outcome.

Sorted by q/p, falling, P (under H0 here) adds up to alpha and what is left of Q to beta: the corners (Dong, Roth and Su
2022, after Neyman and Pearson). Each probability is within its relative error e of the truth, so that every test has
true errors of at least 1 - e and at most 1 + e times its errors here: the curve lies between this polygon, shrunk by
1 - e towards the origin, and the same times 1 + e, whatever order rounding has put like outcomes in. Outcomes too far
out to be listed are revealed in the first polygon, and are never called in the second.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.engines.line.laws import answered, quietly
from neyman.numerics.rounding import SLIGHT, UNIT

__all__ = ["Corners", "DiscreteLaw", "corners_between"]

Corners = tuple[FloatArray, FloatArray]

_MOST = 1 << 19  # outcomes
_DOUBLINGS = 18  # steps away from the median, all of which are listed: SciPy adds up to some that are asked for
_NOTHING = 1e-300  # of the mass beyond: outcomes no one lists
_TOTAL = 1e-9  # by which all may miss 1, beside the errors stated
_APART = 1e-9  # places nearer to each other are one
_LEAST = -1e4  # log of a probability that is 0 in floats: less than that is taken for it, and paid for


class DiscreteLaw:
    """A discrete distribution of ``scipy.stats`` on places one apart, taken at its word.

    Examples
    --------
    >>> from scipy import stats
    >>> DiscreteLaw("p", stats.binom(10, 0.5), 1e-12, 0.0).reach()
    (0.0, 10.0)
    """

    def __init__(self, name: str, distribution: Any, relative: float, absolute: float) -> None:
        self.name, self.relative, self.absolute = name, relative, absolute
        new = hasattr(distribution, "ccdf")
        self._log = distribution.logpmf
        self._below = distribution.cdf
        self._above = distribution.ccdf if new else distribution.sf
        self._median = distribution.icdf if new else distribution.ppf
        ends = np.asarray(quietly(distribution.support), dtype=np.float64)
        if ends.shape != (2,) or not ends[0] <= ends[1]:
            raise InvalidParameter(name, distribution, "one distribution with fixed numbers for its parameters")
        self.low, self.high = float(ends[0]), float(ends[1])

    def reach(self) -> tuple[float, float]:
        """The first and the last place beyond which next to nothing lies, or as far as is worth a list."""
        middle = float(np.asarray(quietly(self._median, np.array([0.5])), dtype=np.float64)[0])
        if not math.isfinite(middle):
            raise InvalidParameter(self.name, middle, "a distribution with a median", "SciPy cannot tell this one's.")
        step = 2.0 ** np.arange(_DOUBLINGS)
        down, up = np.maximum(middle - step, self.low), np.minimum(middle + step, self.high)
        below, above = answered(self.name, self._below, down), answered(self.name, self._above, up)
        first = down[int(np.argmax(below <= _NOTHING))] if bool(np.any(below <= _NOTHING)) else down[-1]
        last = up[int(np.argmax(above <= _NOTHING))] if bool(np.any(above <= _NOTHING)) else up[-1]
        return float(max(first, self.low)), float(min(last, self.high))

    def logs(self, place: FloatArray) -> FloatArray:
        """Logs of the probabilities: -inf where there are none, a number where there may be some."""
        found = np.full(place.shape, -np.inf)
        on = (place >= self.low) & (place <= self.high)
        if math.isfinite(self.low):  # nothing is between the places of its lattice
            on &= np.abs((place - self.low) - np.rint(place - self.low)) < _APART
        if np.any(on):
            found[on] = np.nan_to_num(answered(self.name, self._log, place[on]), nan=-np.inf)
        if not bool(np.all(found <= _TOTAL)):
            at = int(np.argmax(found))
            raise InvalidParameter(
                self.name, float(found[at]), f"a law with probabilities: one at {float(place[at])!r}"
            )
        found[on] = np.maximum(found[on], _LEAST)
        return np.minimum(found, 0.0)

    def outside(self, first: float, last: float) -> float:
        """The mass beyond these places, rounded up."""
        below = float(answered(self.name, self._below, np.array([first - 0.5]))[0]) if first > self.low else 0.0
        above = float(answered(self.name, self._above, np.array([last + 0.5]))[0]) if last < self.high else 0.0
        mass = below + above
        return mass * (1.0 + self.relative) + 2.0 * self.absolute + _NOTHING if mass > 0.0 or first > self.low else 0.0


def corners_between(p: DiscreteLaw, q: DiscreteLaw) -> tuple[Corners, Corners]:
    """Return the corners of polygons nowhere above and nowhere below the curve of P under H0 and Q under H1.

    Examples
    --------
    >>> from scipy import stats
    >>> p, q = (DiscreteLaw(name, stats.bernoulli(rate), 1e-12, 0.0) for name, rate in (("p", 0.25), ("q", 0.75)))
    >>> below, above = corners_between(p, q)
    >>> below[0].round(9).tolist(), below[1].round(9).tolist()
    ([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])
    """
    place, missed = _listed(p, q)
    log_p, log_q = p.logs(place), q.logs(place)
    some = (log_p > -np.inf) | (log_q > -np.inf)
    place, log_p, log_q = place[some], log_p[some], log_q[some]
    with np.errstate(under="ignore"):
        masses = np.exp(log_p), np.exp(log_q)
    errors = []
    for law, mass, logs, rest in zip((p, q), masses, (log_p, log_q), missed, strict=True):
        total = math.fsum(mass) + rest
        size = float(np.max(np.abs(logs[np.isfinite(logs)]), initial=0.0))
        error = law.relative + SLIGHT + UNIT * (len(mass) + 4.0 * size)
        off = abs(total - 1.0)
        if not off <= _TOTAL + 2.0 * (error + rest) + law.absolute * len(mass):
            raise InvalidParameter(
                law.name, total, f"a law whose probabilities add up to 1 within {_TOTAL:g}",
                "The value is what was found. Where logpmf has lost digits, state relative_error.",
            )  # fmt: skip
        errors.append(error + off)
    order = np.argsort(log_p - log_q, kind="stable")
    alpha = np.append(0.0, np.cumsum(masses[0][order]))
    beta = np.append(np.cumsum(masses[1][order][::-1])[::-1], 0.0)
    # outcomes that only Q has come first: with them alpha is 0
    first = int(np.sum(log_p == -np.inf))
    alpha, beta = alpha[first:], beta[first:]
    last = len(beta) - int(np.sum(log_q == -np.inf))
    alpha, beta = alpha[:last], beta[:last]
    rest = [len(place) * law.absolute for law in (p, q)]
    low = [np.maximum(v * (1.0 - e) - r, 0.0) for v, e, r in zip((alpha, beta), errors, rest, strict=True)]
    # what underflows: all but a sum of no outcome, the first alpha and the last beta, may be more than a float tells
    summed = [np.arange(len(alpha)) > 0, np.arange(len(beta)) < len(beta) - 1]
    high = [
        v * (1.0 + e) + np.where(some, r + _NOTHING, r)
        for v, some, e, r in zip((alpha, beta), summed, errors, rest, strict=True)
    ]
    return (low[0], low[1]), (high[0], high[1] + missed[1] * (1.0 + errors[1]))


def _listed(p: DiscreteLaw, q: DiscreteLaw) -> tuple[FloatArray, tuple[float, float]]:
    """All places that count, and the masses of both beyond them."""
    reaches = p.reach(), q.reach()
    first, last = min(reach[0] for reach in reaches), max(reach[1] for reach in reaches)
    if not last - first <= _MOST:
        raise InvalidParameter(
            p.name, f"{last - first:.3g} outcomes", f"laws that live on at most {_MOST} outcomes",
            f"With {q.name} they reach from {first!r} to {last!r}.",
        )  # fmt: skip
    starts = {law.low if math.isfinite(law.low) else math.floor(first) for law in (p, q)}
    shifts = np.unique([start - math.floor(start) for start in starts])
    whole = math.floor(first) + np.arange(last - math.floor(first) + 1.0)
    place = np.unique((whole + shifts[:, None]).ravel())
    return place, (p.outside(float(place[0]), float(place[-1])), q.outside(float(place[0]), float(place[-1])))
