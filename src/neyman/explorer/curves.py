"""The curve as a polygon that lies below it everywhere: what may be drawn, and read off between its corners.

Every real eps gives a line below the curve, beta >= 1 - delta(eps) - e^eps alpha. A corner is put about where two
neighbouring lines meet, at the lower of the two: so both ends of each side lie on or below one and the same line, hence
all of the side does. Where the corner stands exactly is of no consequence.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees import Guarantee
from neyman.numerics.rounding import UNIT

__all__ = ["POINTS", "polygon_below", "rounded_down"]

POINTS = 100  # lines of a curve
# certifies, in units: e^eps errs by 2 of itself at most, the product by one, the three differences by half a unit each
_LINE = 4.0
# certifies: rounding to nine digits errs by 5e-9 of the number at most, and twice as much is taken off before
_DIGITS, _TAKEN_OFF = 9, 1e-8  # of a coordinate
_LARGEST_EPSILON = 700.0  # beyond it e^eps is no float64


def polygon_below(guarantee: Guarantee, points: int = POINTS) -> tuple[FloatArray, FloatArray]:
    """Return the corners (alpha rising, beta falling) of a polygon nowhere above the trade-off curve.

    Examples
    --------
    >>> import neyman as ny
    >>> alpha, beta = polygon_below(ny.GDP(1.0))
    >>> at = np.linspace(0.0, 1.0, 1000)
    >>> bool(np.all(np.interp(at, alpha, beta) <= ny.GDP(1.0).beta(at) + 1e-15)), len(alpha)
    (True, 103)
    """
    lines = guarantee.curve(points).epsilon
    alpha, beta = _branch(guarantee, lines)
    turned = guarantee.inverse()
    other = (alpha, beta) if turned is guarantee else _branch(turned, -lines)
    x, y = np.append(alpha, other[1][::-1]), np.append(beta, other[0][::-1])
    # where rounding crossed two corners: farther left, or farther down, they lie below the same lines still
    x, y = np.minimum.accumulate(x[::-1])[::-1], np.minimum.accumulate(y)
    return (x, y) if x[-1] == 1.0 else (np.append(x, 1.0), np.append(y, 0.0))


def _branch(guarantee: Guarantee, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The corners from alpha = 0 to the line of slope -1."""
    epsilon = np.unique(np.append(lines[(lines > 0.0) & (lines <= _LARGEST_EPSILON)], 0.0))[::-1]
    delta = np.asarray(guarantee.delta(epsilon))
    x = np.exp(epsilon)
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        meet = np.diff(delta) / -np.diff(x)  # approximate: any place will do
    meet = np.maximum.accumulate(np.clip(np.nan_to_num(meet), 0.0, 1.0))
    alpha = np.append(0.0, meet)
    own = _line(delta, x, alpha)
    return alpha, np.append(own[:1], np.minimum(own[1:], _line(delta[:-1], x[:-1], meet)))


def _line(delta: FloatArray, x: FloatArray, alpha: FloatArray) -> FloatArray:
    """1 - delta - x alpha rounded down; not below 0, where the curve is not, either."""
    with np.errstate(under="ignore", over="ignore"):
        load = x * alpha
    return np.maximum(1.0 - delta - load - _LINE * UNIT * (load + 1.0), 0.0)


def rounded_down(values: FloatArray) -> list[float]:
    """Return coordinates in few digits, never larger: a corner farther left, or farther down, is below the curve still.

    Examples
    --------
    >>> rounded_down(np.array([1.0, 1.0 / 3.0, 0.0, 2e-10 / 3.0]))
    [1.0, 0.33333333, 0.0, 6.6666666e-11]
    """
    less = np.where(values == 1.0, 1.0, values * (1.0 - _TAKEN_OFF))
    return [float(f"{value:.{_DIGITS}g}") for value in less.tolist()]
