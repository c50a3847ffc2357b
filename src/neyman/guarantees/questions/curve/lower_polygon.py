"""The greatest convex curve that is nowhere above any trade-off curve through given points.

Chords of a convex curve lie above it, its chords extended below it: between two points f is at least what the chord on
the left and the chord on the right reach there. Besides f(0) <= 1, f(1) = 0 and f >= 0 are known. What follows has
corners where the two lines meet; it is not convex at the points, hence its lower convex hull is taken: f is convex, so
nothing above the hull is known to be below every such f, and nothing below it is lost.

Where f(alpha_i) is only known to lie in [low_i, high_i], the line that leaves point i to the right starts at low_i, its
slope being the largest (low_k - high_{k-1}) / (alpha_k - alpha_{k-1}), k <= i: slopes of f rise. To the left likewise.
Lines are met in whole numbers, without error. Both coordinates of a corner are then rounded down: f falls, so that a
corner moved to the left or down is below f still, and so are the chords between such corners.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["down", "lower_hull", "lower_polygon", "upper_polygon"]

Slope = tuple[int, int]  # numerator and positive denominator

_CLOSE, _TINY = 1e-15, 1e-290  # below it products of floats do not tell
_UNDERFLOW = 1e-300  # a relative error says nothing of values that are nearly out of range
_NEAR = 1e-12  # what is this far below a chord, relatively, floats see: its weights err by a few 2^-53


def lower_polygon(
    name: str, alpha: FloatArray, beta: FloatArray, relative: float, absolute: float
) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the greatest convex curve below every trade-off curve f through the points.

    Parameters
    ----------
    name : str
        Whose values they are, for errors.
    alpha : array
        1-d, in [0, 1], strictly rising.
    beta : array
        As many, in [0, 1].
    relative, absolute : float
        f(alpha) is within relative * beta + absolute of beta (and 1e-300, if relative is not 0); both 0 where the
        points are exact.

    Raises
    ------
    InvalidParameter
        If no convex falling curve with f(0) <= 1 and f(1) = 0 is that near to all points.

    Examples
    --------
    >>> x, y = lower_polygon("betas", np.array([0.5]), np.array([0.25]), 0.0, 0.0)
    >>> x.tolist(), y.round(6).tolist()
    ([0.0, 0.6666666666666666, 1.0], [0.5, 0.0, 0.0])
    """
    a, low, high = _bands(name, alpha, beta, relative, absolute)
    most = np.minimum.accumulate(high)
    if not bool(np.all(low <= most)):
        at = int(np.argmax(low - most))
        raise _refused(name, "falling", float(low[at]), float(most[at]), float(a[at]))
    low, high = np.maximum.accumulate(low[::-1])[::-1], most
    _convex(name, a, low, high)
    x, y = _meetings(a, low, high)
    y = np.minimum(y, 1.0 - x)
    first = np.flatnonzero(np.append(True, np.diff(x) > 0.0))  # rounding may put two corners on one alpha
    return lower_hull(x[first], np.minimum.reduceat(y, first))


def upper_polygon(
    name: str, alpha: FloatArray, beta: FloatArray, relative: float, absolute: float
) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the least convex curve nowhere below any trade-off curve through the points: their chords.

    The points as high as their errors allow, with (0, 1) and (1, 0): f is convex and below them, hence below their
    lower convex hull. What ``lower_polygon`` refuses is no curve.

    Examples
    --------
    >>> x, y = upper_polygon("betas", np.array([0.5]), np.array([0.25]), 0.0, 0.0)
    >>> x.tolist(), y.tolist()
    ([0.0, 0.5, 1.0], [1.0, 0.25, 0.0])
    """
    a, _, high = _bands(name, alpha, beta, relative, absolute)
    return lower_hull(a, np.minimum.accumulate(np.minimum(high, 1.0)))


def lower_hull(alpha: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Without the corners that lie on or above the chord of their neighbours.

    Examples
    --------
    >>> lower_hull(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.5, 0.0]))[0].tolist()
    [0.0, 1.0]
    """
    kept = _kept(alpha, beta)
    return alpha[kept], beta[kept]


def _kept(alpha: FloatArray, beta: FloatArray) -> list[int]:
    kept: list[int] = []
    for k in range(len(alpha)):
        while len(kept) > 1 and not _bends(alpha, beta, kept[-2], kept[-1], k):
            kept.pop()
        kept.append(k)
    return kept


def _bends(alpha: FloatArray, beta: FloatArray, i: int, j: int, k: int) -> bool:
    """Whether the corner j lies below the chord from i to k: exactly, for one lost there is a promise too much."""
    whole = float(beta[i] - beta[k]) * float(alpha[j] - alpha[i])
    part = float(beta[i] - beta[j]) * float(alpha[k] - alpha[i])
    if abs(part - whole) > _CLOSE * (part + whole) + _TINY:
        return part > whole
    a, b = ([Fraction(float(x[at])) for at in (i, j, k)] for x in (alpha, beta))
    return (b[0] - b[1]) * (a[2] - a[0]) > (b[0] - b[2]) * (a[1] - a[0])


def _bands(
    name: str, alpha: FloatArray, beta: FloatArray, relative: float, absolute: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The points and between what f lies there, with both ends of the curve; rounded outward."""
    low, high = beta, beta
    if relative > 0.0 or absolute > 0.0:
        least = _UNDERFLOW if relative > 0.0 else 0.0
        error = np.nextafter((relative * beta + absolute + least) * (1.0 + 8.0 * UNIT), np.inf)
        low = np.maximum(np.nextafter(beta - error, -1.0), 0.0)
        high = np.nextafter(beta + error, np.inf)
    rest = np.where(alpha < 1.0, np.minimum(np.nextafter(1.0 - alpha, 2.0), 1.0), 0.0)
    high = np.minimum(high, rest)
    if not bool(np.all(low <= high)):
        at = int(np.argmax(low - high))
        raise InvalidParameter(name, float(beta[at]), f"at most 1 - alpha, {1.0 - float(alpha[at])!r}")
    if alpha[0] > 0.0:  # f(0) <= 1
        alpha, low, high = np.append(0.0, alpha), np.append(0.0, low), np.append(1.0, high)
    if alpha[-1] < 1.0:  # f(1) = 0
        alpha, low, high = np.append(alpha, 1.0), np.append(low, 0.0), np.append(high, 0.0)
    return alpha, low, high


def _convex(name: str, alpha: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """There is such a curve if and only if the hull of the upper ends is one: no lower end may be above it."""
    kept = np.array(_kept(alpha, high))
    at = np.arange(len(alpha))
    k = np.minimum(np.searchsorted(kept, at, side="right"), len(kept) - 1)
    i, j = kept[k - 1], kept[k]
    width = alpha[j] - alpha[i]
    chord = high[i] * ((alpha[j] - alpha) / width) + high[j] * ((alpha - alpha[i]) / width)
    for n in np.flatnonzero(~(low <= chord * (1.0 - _NEAR) - _TINY)):
        a, left, right, y, y_left, y_right = (
            Fraction(float(v)) for v in (alpha[n], alpha[i[n]], alpha[j[n]], low[n], high[i[n]], high[j[n]])
        )
        if y * (right - left) > y_left * (right - a) + y_right * (a - left):
            raise _refused(name, "convex", float(low[n]), float(chord[n]), float(a))


def _refused(name: str, word: str, value: float, most: float, alpha: float) -> InvalidParameter:
    advice = "If that is rounding, state it: relative_error or absolute_error."
    return InvalidParameter(name, value, f"{word}: at most {most!r} at alpha = {alpha!r}", advice)


def _meetings(alpha: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lower ends, and where the lines of two neighbours meet below them; from what is known at 0 on."""
    a, unit_a = _whole(alpha)
    both, unit_b = _whole(np.concatenate([low, high]))
    least, most = both[: len(a)], both[len(a) :]
    before, after = _slopes(a, least, most)
    n, d = after[1]
    x, y = [0.0], [down(least[1] * d - n * a[1], d * unit_b)]
    for i in range(1, len(a)):
        x.append(float(alpha[i]))
        y.append(float(low[i]))
        if i == len(a) - 1:
            break
        (n_left, d_left), (n_right, d_right) = before[i], after[i + 1]
        bend = n_right * d_left - n_left * d_right
        part = n_right * (a[i + 1] - a[i]) + (least[i] - least[i + 1]) * d_right
        if bend > 0 and 0 < d_left * part < (a[i + 1] - a[i]) * bend:
            x.append(down(a[i] * bend + d_left * part, bend * unit_a))
            y.append(down(least[i] * bend + n_left * part, bend * unit_b))
    return np.array(x), np.array(y)


def _slopes(a: list[int], least: list[int], most: list[int]) -> tuple[list[Slope], list[Slope]]:
    """At each point, what the slope of f is at least to the right of it, and at most to the left of it."""
    count = len(a)
    before: list[Slope] = [(0, 1)] * count  # none at the first, where none is asked for
    after: list[Slope] = [(0, 1)] * count
    for i in range(1, count):
        n, d = least[i] - most[i - 1], a[i] - a[i - 1]
        n_last, d_last = before[i - 1]
        before[i] = (n, d) if i == 1 or n * d_last > n_last * d else (n_last, d_last)
    for i in range(count - 2, -1, -1):
        n, d = most[i + 1] - least[i], a[i + 1] - a[i]
        n_last, d_last = after[i + 1]
        after[i] = (n, d) if n * d_last < n_last * d else (n_last, d_last)
    return before, after


def _whole(values: FloatArray) -> tuple[list[int], int]:
    """The values in units of one over the second number, exactly."""
    ratios = [float(value).as_integer_ratio() for value in values]
    unit = max(d for _, d in ratios)
    return [n * (unit // d) for n, d in ratios], unit


def down(n: int, d: int) -> float:
    """Return n / d, not negative, rounded down.

    Examples
    --------
    >>> down(1, 4), down(1, 10) < 0.1
    (0.25, True)
    """
    near = n / d
    p, q = near.as_integer_ratio()
    return near if p * d <= n * q else float(np.nextafter(near, -1.0))
