"""What four points of a convex function say of its infimum, and how far apart they are tried.

The secants of neighbouring pairs, extended, lie below it. Points that are too near are not told from each other, as
brackets are wide; of those that are farther apart than that needs, the bend between them is lost.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["change", "convex_infimum"]

_MARGIN, _LEAP = 1.2, 64.0  # times the spacing at which four points would just be told apart; by how much at once
_STEERED = 2  # tries that are drawn apart by that: at a corner it says too little
_TOLD_APART = 0.2  # of the spread times the root of a relative width: points nearer to each other are not told apart
_POWER = 12  # of 8, by which they grow at once at most: steers


def convex_infimum(
    x: FloatArray, lower: FloatArray, upper: FloatArray, farthest: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Lower-bound inf h for convex h with lower <= h <= upper at four increasing points (first axis), over 0 < x + 1 <=
    ``farthest``.

    If the chord over the first pair falls and that over the last pair rises (ok), the infimum is inside or bounded by
    the end values; else h may go on falling outside, but no faster than those chords. Inside, secants extended from
    neighbouring pairs lie below h.
    """
    ok = (upper[1] <= lower[0]) & (upper[2] <= lower[3])
    middle = x[2] - x[1]
    left_end = lower[1] + (lower[1] - upper[2]) * ((x[1] - x[0]) / middle)
    right_end = lower[2] + (lower[2] - upper[1]) * ((x[3] - x[2]) / middle)
    falling = (lower[1] - upper[0]) / (x[1] - x[0])  # extended to the right of x1 it stays below h
    rising = (upper[3] - lower[2]) / (x[3] - x[2])  # extended to the left of x2 it stays below h
    vertex = (lower[2] - lower[1] + falling * x[1] - rising * x[2]) / np.where(falling < rising, falling - rising, -1.0)
    vertex = np.minimum(np.maximum(np.where(np.isfinite(vertex), vertex, x[1]), x[1]), x[2])
    ends = np.minimum(np.minimum.reduce(lower), np.minimum(left_end, right_end))
    at_vertex = np.minimum(lower[1] + falling * (vertex - x[1]), lower[2] - rising * (x[2] - vertex))
    inner = np.where(falling < rising, at_vertex, -np.inf)
    down, up = np.maximum(upper[1] - lower[0], 0.0), np.maximum(upper[2] - lower[3], 0.0)
    left = lower[0] - down * ((x[0] + 1.0) / (x[1] - x[0]))
    right = lower[3] - np.where(up > 0.0, up * (np.maximum(farthest - 1.0 - x[3], 0.0) / (x[3] - x[2])), 0.0)
    inside = np.minimum(np.minimum(inner, ends), np.minimum(left, right))
    scale = np.maximum.reduce(np.abs(lower)) + np.maximum.reduce(np.abs(upper))
    bound = inside - 8.0 * UNIT * scale
    return bound, ok & np.isfinite(bound)


def change(
    found: BoolArray, attempt: int, spacing: FloatArray, start: float, lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Times their spacing at which four points are tried next: narrower where a bound was ``found``, else wider."""
    apart = _apart(lower, upper)
    if found.all():
        return np.fmin(apart, 0.5)
    wider = 8.0 * _widened(spacing, start, lower, upper) if attempt == 0 else np.full(found.shape, 8.0)
    if attempt < _STEERED:
        wider = np.where(np.isnan(apart), wider, apart)
    return np.where(found, np.fmin(apart, 0.5), wider)


def _apart(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Times their spacing at which four points are told from each other, by a little, if the middles of what is known
    of them lie on a parabola about its infimum: it bends with the square of that, and tilts in proportion. Not a number
    where they do not.
    """
    with np.errstate(all="ignore"):
        middle, vague = 0.5 * (lower + upper), np.max(upper - lower, axis=0)
        left, right = middle[0] - middle[1], middle[3] - middle[2]
        bend, tilt = left + right, np.abs(left - right)
        times = _MARGIN * (tilt + np.sqrt(tilt * tilt + 8.0 * bend * vague)) / (2.0 * bend)
        return np.where(np.minimum(left, right) > 0.0, np.clip(times, 1.0 / _LEAP, _LEAP), np.nan)


def _widened(spacing: FloatArray, start: float, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Times how much more four points are drawn apart that are not told from each other: about the infimum the
    objective rises by the square of it, in units of the spread.
    """
    with np.errstate(all="ignore"):
        vague = np.min(upper - lower, axis=0) / np.max(np.abs(upper), axis=0)
        steps = np.log(_TOLD_APART * start * np.sqrt(vague) / spacing) / np.log(8.0)
        return 8.0 ** np.clip(np.nan_to_num(np.floor(steps), nan=0.0, posinf=0.0, neginf=0.0), 0.0, _POWER)
