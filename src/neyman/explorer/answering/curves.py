"""The curve as a polygon that no attack is above: what may be drawn, and read off between its corners.

Every real eps gives a line above the curve of the true positive rate, delta(eps) + e^eps alpha. A corner is put about
where two neighbouring lines meet, at the upper of the two: so both ends of each side lie on or above one and the same
line, hence all of the side does. Where the corner stands exactly is of no consequence. Rates are kept as they are, and
not as what is missing to 1: so small ones keep their digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees import GDP, Guarantee
from neyman.guarantees.questions.report import TradeoffPoints
from neyman.numerics.functions.normal import probit
from neyman.numerics.rounding import UNIT

__all__ = ["POINTS", "gaussian_above", "polygon_above", "rounded_down", "rounded_up"]

POINTS = 100  # lines of a curve
# certifies, in units: e^eps errs by 2 of itself at most, the product, the sum and this product by half a unit each
_LINE = 4.0
_LEAST = 1e-300  # certifies: more than what a product below the smallest float loses
# certifies: rounding to so many digits errs by half of 1e-8 of the number at most, and twice as much is moved before
_DIGITS, _MOVED = 9, 1e-8
_LARGEST_EPSILON = 700.0  # beyond it e^eps is no float64
_FINE = 8  # parts of the gap between two lines in which a rate lies that somebody looks at
_APART = 1e-6  # of the largest eps
_DEEPEST = 40  # lines beyond those of a curve

Corners = tuple[FloatArray, FloatArray]


def polygon_above(guarantee: Guarantee, points: int = POINTS, looked_at: Iterable[float] = ()) -> Corners:
    """Return the corners (false and true positive rates, both rising) of a polygon nowhere below the true curve.

    Parameters
    ----------
    guarantee : Guarantee
    points : int
        How many lines, from a false positive rate of 1e-10 on.
    looked_at : floats
        Rates about which lines lie closer, and as far as which there are some.

    Examples
    --------
    >>> import neyman as ny
    >>> alpha, power = polygon_above(ny.GDP(1.0))
    >>> at = np.linspace(0.0, 1.0, 1000)
    >>> bool(np.all(np.interp(at, alpha, power) >= 1.0 - ny.GDP(1.0).beta(at) - 1e-15)), len(alpha)
    (True, 103)
    """
    drawn = guarantee.curve(points)
    return _polygon(guarantee, np.concatenate([drawn.epsilon, *(_about(drawn, rate) for rate in looked_at)]))


def gaussian_above(mu: float, floor: float, points: int = POINTS) -> Corners:
    """Return the same of a Gaussian mechanism, whose lines touch where one knows without looking for it, down to about
    a rate of ``floor``.

    Examples
    --------
    >>> alpha, power = gaussian_above(1.0, 1e-10)
    >>> round(float(np.interp(0.01, alpha, power)), 3), len(alpha)
    (0.092, 101)
    """
    last = mu * (float(-probit(np.log(np.array([floor])))[0]) - 0.5 * mu)
    return _polygon(GDP(mu), np.linspace(0.0, max(last, mu), max(points // 2, 2)))


def _polygon(guarantee: Guarantee, lines: FloatArray) -> Corners:
    turned = guarantee.inverse()
    if turned is guarantee:
        alpha, power = _branch(guarantee, np.abs(lines))
        other = alpha, power
    else:
        (alpha, power), other = _branch(guarantee, lines), _branch(turned, -lines)
    # of the mirrored half: what is missing to 1 of either rate, moved to the safe side by a rounding
    left = np.maximum(1.0 - other[1][::-1] - UNIT, 0.0)
    up = np.minimum(1.0 - other[0][::-1] + UNIT, 1.0)
    x, y = np.append(alpha, left), np.append(power, up)
    # where rounding crossed two corners: farther left, or farther up, they lie above the same lines still
    x, y = np.minimum.accumulate(x[::-1])[::-1], np.maximum.accumulate(y)
    return np.append(x, 1.0), np.append(y, 1.0)


def _about(drawn: TradeoffPoints, rate: float) -> FloatArray:
    """Real eps whose lines touch the curve about that false positive rate (approximate: any lines will do)."""
    e, alpha = drawn.epsilon, drawn.alpha
    i = int(np.searchsorted(-alpha, -rate))  # alpha falls
    if 0 < i < alpha.size:
        return np.linspace(e[i - 1], e[i], _FINE + 1)[1:-1]
    return _beyond(e, alpha, rate) if i > 0 else -_beyond(-e[::-1], drawn.beta[::-1], 1.0 - rate)


def _beyond(e: FloatArray, alpha: FloatArray, rate: float) -> FloatArray:
    """Those beyond the last one, down to a rate below the last one; none where the last two do not say how to go on."""
    if not 0.0 < rate < alpha[-1] < alpha[-2]:
        return e[:0]
    score = -probit(np.log(np.array([alpha[-2], alpha[-1], rate])))
    much = math.ceil((score[2] - score[1]) / (score[1] - score[0])) + 1
    step = float(e[-1] - e[-2])
    return e[-1] + np.linspace(step, much * step, min(much, _DEEPEST)) if step > 0.0 else e[:0]


def _branch(guarantee: Guarantee, lines: FloatArray) -> Corners:
    """The corners from a false positive rate of 0 to the line of slope 1."""
    rising = np.unique(np.append(lines[(lines > 0.0) & (lines <= _LARGEST_EPSILON)], 0.0))
    apart = np.diff(rising, prepend=-1.0) > _APART * rising[-1]  # nobody knows where two lines meet that are one
    epsilon = rising[apart][::-1]
    delta = np.asarray(guarantee.delta(epsilon))
    x = np.exp(epsilon)
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        meet = np.diff(delta) / -np.diff(x)  # approximate: any place will do
    meet = np.maximum.accumulate(np.clip(np.nan_to_num(meet), 0.0, 1.0))
    alpha = np.append(0.0, meet)
    own = _line(delta, x, alpha)
    return alpha, np.append(own[:1], np.maximum(own[1:], _line(delta[:-1], x[:-1], meet)))


def _line(delta: FloatArray, x: FloatArray, alpha: FloatArray) -> FloatArray:
    """The line of slope x, rounded up; not above 1, where the curve is not, either."""
    with np.errstate(under="ignore", over="ignore"):
        return np.minimum((delta + x * alpha) * (1.0 + _LINE * UNIT) + _LEAST, 1.0)


def rounded_down(values: FloatArray) -> list[float]:
    """Return coordinates in few digits, never larger: a corner farther left is above the curve still.

    Examples
    --------
    >>> rounded_down(np.array([1.0, 1.0 / 3.0, 0.0, 2e-10 / 3.0]))
    [1.0, 0.33333333, 0.0, 6.6666666e-11]
    """
    less = np.where(values == 1.0, 1.0, values * (1.0 - _MOVED))
    return [float(f"{value:.{_DIGITS}g}") for value in less.tolist()]


def rounded_up(values: FloatArray) -> list[float]:
    """Return shares in few digits, never smaller: a corner farther up is above the curve still.

    Examples
    --------
    >>> rounded_up(np.array([1.0, 1.0 / 3.0, 0.0, 2e-10 / 3.0]))
    [1.0, 0.333333337, 0.0, 6.66666673e-11]
    """
    more = np.minimum(values * (1.0 + _MOVED), 1.0)
    return [float(f"{value:.{_DIGITS}g}") for value in more.tolist()]
