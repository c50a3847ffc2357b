"""The curve that errors of the best guess leave: the largest of their lines, in rationals, its corners rounded down.

R(prior) >= error is prior alpha + (1 - prior) f(alpha) >= error at every alpha: f lies above a line. The largest of
lines and 0 is convex, its corners are where two neighbours meet, and a corner that is moved to the left or down lies
below the curve, as the chords between such corners do.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.guarantees.questions.curve.lower_polygon import down, lower_hull

__all__ = ["below_lines"]

Line = tuple[Fraction, Fraction]  # beta at alpha = 0, and by how much it falls per alpha

_ROUND = Fraction(1, 10**12)  # relative: an error that is no further below the chord of its neighbours is rounding


def below_lines(priors: FloatArray, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the largest line: ``priors`` rise strictly in (0, 1), each error is in [0, min(prior, 1 -
    prior)].

    Raises
    ------
    InvalidParameter
        If an error lies below a chord of its neighbours, (0, 0) and (1, 0) among them, by more than rounding: no curve
        has these.

    Examples
    --------
    >>> x, y = below_lines(np.array([0.5]), np.array([0.25]))
    >>> x.tolist(), y.tolist()
    ([0.0, 0.5], [0.5, 0.0])
    """
    prior, error = ([Fraction(float(v)) for v in values] for values in (priors, errors))
    _concave(prior, error)
    lines = [(e / (1 - p), p / (1 - p)) for p, e in zip(prior, error, strict=True)]
    kept = _largest(lines)
    if not kept:
        return np.array([0.0]), np.array([0.0])
    corners = [(Fraction(0), kept[0][0])]
    corners += [(_meeting(a, b), _height(a, _meeting(a, b))) for a, b in pairwise(kept)]
    corners.append((kept[-1][0] / kept[-1][1], Fraction(0)))
    x = np.array([down(a.numerator, a.denominator) for a, _ in corners])
    y = np.array([down(b.numerator, b.denominator) for _, b in corners])
    x = np.maximum.accumulate(x)
    first = np.flatnonzero(np.append(True, np.diff(x) > 0.0))
    x, y = x[first], np.minimum.reduceat(y, first)
    return lower_hull(x, np.minimum(np.minimum.accumulate(y), 1.0 - x))


def _concave(prior: list[Fraction], error: list[Fraction]) -> None:
    p = [Fraction(0), *prior, Fraction(1)]
    e = [Fraction(0), *error, Fraction(0)]
    for i in range(1, len(p) - 1):
        chord = (e[i - 1] * (p[i + 1] - p[i]) + e[i + 1] * (p[i] - p[i - 1])) / (p[i + 1] - p[i - 1])
        if e[i] < chord * (1 - _ROUND):
            raise InvalidParameter(
                "errors", float(e[i]), f"concave in the prior: at least {float(chord)!r} at prior {float(p[i])!r}",
                "Where it is only a bound from below, leave it out: its neighbours promise more.",
            )  # fmt: skip


def _largest(lines: list[Line]) -> list[Line]:
    """Those that are the largest somewhere in alpha >= 0 above 0, from alpha = 0 on; they come by rising fall."""
    kept: list[Line] = []
    for line in reversed(lines):  # the steepest first
        if line[0] <= 0:
            continue
        while kept and (line[0] >= kept[-1][0] or _late(kept, line)):
            kept.pop()
        if not kept or line[0] / line[1] > kept[-1][0] / kept[-1][1]:  # it is above 0 for longer
            kept.append(line)
    return kept


def _late(kept: list[Line], line: Line) -> bool:
    """Whether the last line kept is nowhere the largest, once this one is there."""
    start = _meeting(kept[-2], kept[-1]) if len(kept) > 1 else Fraction(0)
    return _meeting(kept[-1], line) <= start


def _meeting(steep: Line, flat: Line) -> Fraction:
    return (steep[0] - flat[0]) / (steep[1] - flat[1])


def _height(line: Line, alpha: Fraction) -> Fraction:
    return line[0] - line[1] * alpha
