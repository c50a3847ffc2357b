"""Where to ask a trade-off curve that is given as a function, so that few points tell all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, unmasked
from neyman.numerics.rounding import UNIT

__all__ = ["CurveFunction", "sample"]

CurveFunction = Callable[[FloatArray], FloatArray]

_FIRST = (0.25, 0.5, 0.75)  # alphas that are asked first
_FLOOR = 1e-10  # powers below it are told to this times the tolerance, not to the tolerance
_NEAR_ZERO = 1e-290  # no closer to 0 than this: floats end
_NEAR_ONE = 1e-15  # no closer to 1: floats are that far apart
_NOISE = 8.0  # a gap that so many errors explain is not refined
_ROUNDS = 400  # halving an interval down to neighbouring floats takes 60


def sample(
    f: CurveFunction, tolerance: float, points: int, relative: float, absolute: float
) -> tuple[FloatArray, FloatArray]:
    """Return alphas strictly between 0 and 1, and f there.

    An interval is divided, where the lines of its neighbours meet, while what is not known there is more than
    ``tolerance`` of the power 1 - beta, or of 1 - alpha with the roles exchanged; the worst first. What is chosen bears
    on how sharp a certificate is, never on whether it is true.

    Raises
    ------
    InvalidParameter
        If f does not answer with as many numbers in [0, 1], in float64 unless the errors allow for less.

    Examples
    --------
    >>> alpha, beta = sample(lambda a: (1.0 - a) ** 2, 0.1, 16, 0.0, 0.0)
    >>> len(alpha), bool(np.all(beta == (1.0 - alpha) ** 2))
    (16, True)
    """
    alpha = np.array(_FIRST)
    beta = _values(f, alpha, relative + absolute)
    for _ in range(_ROUNDS):
        gap, where = _gaps(alpha, beta, relative, absolute)
        wanted = np.flatnonzero(gap > tolerance)
        left = points - len(alpha)
        if len(wanted) == 0 or left <= 0:
            break
        wanted = np.sort(wanted[np.argsort(-gap[wanted], kind="stable")[:left]])
        more = where[wanted]
        values = _values(f, more, relative + absolute)
        order = np.argsort(np.append(alpha, more), kind="stable")
        alpha, beta = np.append(alpha, more)[order], np.append(beta, values)[order]
    return alpha, beta


def _values(f: CurveFunction, alpha: FloatArray, error: float) -> FloatArray:
    raw = unmasked("f", _asked(f, alpha))
    allowed = f"a function that answers an array of {len(alpha)} alphas with an array of as many betas"
    if raw is None or raw.dtype.kind not in "fiu" or raw.shape != alpha.shape:
        raise InvalidParameter("f", "something else" if raw is None else f"shape {raw.shape}, {raw.dtype}", allowed)
    if raw.dtype.kind == "f" and not float(np.finfo(raw.dtype).eps) <= max(error, 2.0 * UNIT):
        allowed = "a function that answers in float64, or with the errors of less stated"
        raise InvalidParameter("f", str(raw.dtype), allowed, "State relative_error or absolute_error.")
    beta = raw.astype(np.float64)
    fine = (beta >= 0.0) & (beta <= 1.0)
    if not bool(np.all(fine)):
        at = int(np.argmin(fine))
        raise InvalidParameter("f", float(beta[at]), f"in [0, 1] at alpha = {float(alpha[at])!r}")
    return beta


def _asked(f: CurveFunction, alpha: FloatArray) -> object:
    """What f says of all at once; of one after the other, if it knows numbers only."""
    try:
        found = f(alpha.copy())
    except (TypeError, ValueError):  # of math.exp, and of `if`
        return [_one(f, float(a)) for a in alpha]
    if len(alpha) and np.ndim(cast(Any, found)) == 0:  # a constant
        return [_one(f, float(a)) for a in alpha]
    return found


def _one(f: CurveFunction, alpha: float) -> object:
    found: Any = cast(Any, f)(alpha)
    number = hasattr(found, "__float__") and np.ndim(found) == 0
    return float(found) if number else found


def _gaps(alpha: FloatArray, beta: FloatArray, relative: float, absolute: float) -> tuple[FloatArray, FloatArray]:
    """How much is not known between neighbours, the ends of the curve among them, and where to ask there."""
    x, y = np.concatenate([[0.0], alpha, [1.0]]), np.concatenate([[1.0], beta, [0.0]])
    width, slope = np.diff(x), np.diff(y) / np.diff(x)
    before, after = np.append(-np.inf, slope[:-1]), np.append(slope[1:], 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        part = width * ((after - slope) / (after - before))
        lost = (slope - before) * part
        lost[0] = width[0] * (after[0] - slope[0])  # nothing is known on the left: at 0 itself
        power, rest = 1.0 - (y[:-1] + slope * part - lost), 1.0 - (x[:-1] + part)
        gap = np.maximum(lost / (power + _FLOOR), lost / -slope / (rest + _FLOOR))
    part = np.clip(np.where(np.isfinite(part), part, 0.5 * width), width / 16.0, width * (15.0 / 16.0))
    part[0] = min(0.25 * width[0], width[0] ** 1.25)  # near 0 the power of a steep curve spans hundreds of decades
    where = x[:-1] + part
    noise = _NOISE * (relative * y[:-1] + absolute)
    room = (x[:-1] < where) & (where < x[1:]) & (x[1:] > _NEAR_ZERO) & (1.0 - x[:-1] > _NEAR_ONE)
    return np.where(room & (lost > noise) & np.isfinite(gap), gap, 0.0), where
