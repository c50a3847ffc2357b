"""max over priors of density (R_mine - R_other), bracketed.

The branch and bound of the unweighted divergence, with a weight. On each interval R_mine - R_other is at most linear in
the prior on either side of one point (``questions/regret.py``), and the density at most its lifted chord: the product
of two linear functions is at most the largest of its three Bernstein coefficients. Intervals whose bound is too large
are divided. Where the prior tends to 0 or 1, R_mine - R_other is at most min(prior, 1 - prior) delta_other.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.comparison.densities import Density
from neyman.guarantees.questions.epsilon import spread
from neyman.guarantees.questions.regret import (
    Divergence,
    Points,
    evaluate,
    last_that_matters,
    majorant,
    merge,
    slope_at_zero,
)
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["weighted_divergence"]

_ABSOLUTE, _RELATIVE = 1e-13, 1e-10  # by which a bound may exceed what no division takes away: steers
_ROUNDS = 14  # of division at most: steers
_MOST_POINTS = 6_000  # eps at most: steers
_FARTHEST = 600.0  # e^-eps and its reciprocal are still numbers
_NEGLIGIBLE = 1e-14  # weighted delta from which down no further eps is asked; what lies beyond counts as a tail


def weighted_divergence(mine: Pair, other: Pair, density: Density) -> Divergence:
    """Certified bounds on the maximum, which is at least 0, and the real eps at which the lower one is attained."""
    bounds = [_branch(mine.forward, other.forward, mine.backward, density)]
    turned = density.turned
    if not (mine.symmetric and other.symmetric and turned == density):
        bounds.append(_branch(mine.backward, other.backward, mine.forward, turned))
    lower, sign = max((b.lower, 1.0 - 2.0 * i) for i, b in enumerate(bounds))
    return Divergence(lower, max(b.upper for b in bounds), sign * bounds[0 if sign > 0.0 else 1].epsilon)


def _branch(mine: Profile, other: Profile, mine_reversed: Profile, density: Density) -> Divergence:
    """The same for eps >= 0."""
    points = evaluate(mine, other, _grid(mine, other, density))
    first_slope = slope_at_zero(mine, mine_reversed, points)
    weights = density.bounds(points.epsilon)
    bound = _interval_bounds(points, first_slope, density, weights[1])
    for _ in range(_ROUNDS):
        at_points = weights[1] * np.maximum(points.other_upper - points.self_lower, 0.0) / (2.0 + points.y)
        at_points[1:-1] = np.minimum(at_points[1:-1], np.maximum(bound[:-1], bound[1:]))
        least = float(np.max(at_points))  # no division brings the bound below it
        loose = np.flatnonzero(bound > least * (1.0 + _RELATIVE) + _ABSOLUTE)
        sections = 8 if loose.size <= 64 else 4
        if loose.size == 0 or points.y.size + loose.size * (sections - 1) > _MOST_POINTS:
            break
        part = np.arange(1, sections) / sections
        low, high = points.epsilon[loose, None], points.epsilon[loose + 1, None]
        inner = np.setdiff1d((low + (high - low) * part).ravel(), points.epsilon)
        if inner.size == 0:
            break
        starts, points = points.epsilon, merge(points, evaluate(mine, other, inner))
        first_slope = min(first_slope, slope_at_zero(mine, mine_reversed, points))
        weights = density.bounds(points.epsilon)
        whole = bound[np.searchsorted(starts, points.epsilon[:-1], side="right") - 1]  # what holds of the undivided
        bound = np.minimum(_interval_bounds(points, first_slope, density, weights[1]), whole)
    tail = points.other_upper[-1] * density.rest(points.epsilon[-1:])[0]
    certain = weights[0] * np.maximum(points.other_lower - points.self_upper, 0.0) / (2.0 + points.y)
    best = int(np.argmax(certain))
    upper = max(float(np.max(bound)), float(tail)) * (1.0 + 64.0 * UNIT)
    return Divergence(float(certain[best]) * (1.0 - 64.0 * UNIT), upper, float(points.epsilon[best]))


def _grid(mine: Profile, other: Profile, density: Density) -> FloatArray:
    """Where to begin: up to where the other's delta alone, weighted, is too small to matter."""
    near = last_that_matters(mine, other)
    ends = np.minimum(spread(other) * np.geomspace(0.1, 100.0, 24), _FARTHEST)
    ends = np.concatenate([ends[ends < near], near * np.array([1.0, 1.3, 2.0, 4.0]), [100.0, 200.0, 400.0, _FARTHEST]])
    ends = np.unique(np.minimum(ends, _FARTHEST))
    small = other.bracket(ends).upper * density.rest(ends) <= _NEGLIGIBLE
    end = float(ends[np.argmax(small)]) if small.any() else _FARTHEST
    knots = density.knots
    grid = np.concatenate([
        [0.0], np.geomspace(near / 5e3, near / 60.0, 8), np.linspace(near / 48.0, near, 48),
        np.linspace(near, max(end, near), 16), knots[knots <= _FARTHEST],
    ])  # fmt: skip
    return np.unique(grid)


def _interval_bounds(p: Points, first_slope: float, density: Density, upper: FloatArray) -> FloatArray:
    """Upper bounds of density times gain on each interval, at least 0."""
    gain, spans = majorant(p, first_slope), density.spans(p.epsilon, upper)
    # the share, in the prior, of the interval that lies before the middle
    share = gain.at / np.diff(p.y) * (2.0 + p.y[1:]) / (2.0 + p.y[:-1] + gain.at)
    start, stop = upper[:-1] + spans.bend, upper[1:] + spans.bend
    largest = np.maximum(np.maximum(gain.start, gain.stop), gain.middle)
    plain = spans.most * np.maximum(largest, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = start * (1.0 - share) + stop * share + 8.0 * UNIT * (start + stop)
        product = np.max([
            start * gain.start, 0.5 * (start * gain.middle + middle * gain.start),
            middle * gain.middle, 0.5 * (middle * gain.stop + stop * gain.middle), stop * gain.stop,
        ], axis=0)  # fmt: skip
        size = np.maximum(np.maximum(np.abs(gain.start), np.abs(gain.stop)), np.abs(gain.middle))
        product = product + 8.0 * UNIT * np.maximum(np.maximum(start, stop), middle) * size  # where terms cancel
    product = np.where(np.isfinite(product), product, plain)  # an interval too wide for a chord
    return np.where(largest > 0.0, np.minimum(product, plain), 0.0)
