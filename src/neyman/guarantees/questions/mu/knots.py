"""Knots of a curve: certified tangents, and what they say of the local mu between those that are neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.numerics.functions.few import every, some
from neyman.numerics.functions.normal import probit_gap
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import Profile

__all__ = ["BESIDE", "TOLD", "Knots", "between", "interval_bounds", "joined", "local_mu", "log_vertex", "touching"]

_SECTIONS, _LARGEST = 8, 48  # in which an interval is parted where nothing tells how it bends, and at most
_FEW, _SEVERAL = 64, 512  # intervals that are parted at once as they want, and a little
_AT_ONCE = 1500  # places of those few: what may be lost grows with the square of all knots
_MISSED = 1.2  # times what an interval loses, as the square of its length tells it
TOLD = 1e-7  # relative fall of delta between two knots that tells where their tangents meet
BESIDE = 1e-3  # of log alpha: slopes that are as near are believed
_FIRST, _NEXT = slice(None, -1), slice(1, None)  # of each pair of neighbours

_Places = IntArray | slice


class Knots(NamedTuple):
    """Tangents of increasing eps with the (decreasing) alphas between which each pair of them is followed; and, of
    those that were ``joined``, where neighbours meet.
    """

    epsilon: FloatArray
    delta: FloatArray
    log_gap: FloatArray
    log_alpha: FloatArray
    meeting: FloatArray | None = None

    @classmethod
    def of(cls, first: Knots, more: Knots) -> Knots:
        """Both, one after the other."""
        return cls(*[np.concatenate(pair) for pair in zip(first[:4], more[:4], strict=True)])


def touching(branch: Profile, epsilon: FloatArray) -> Knots:
    """Tangents at ``epsilon`` > 0, and about where they touch."""
    b = branch.bracket(epsilon)
    with np.errstate(divide="ignore"):
        log_alpha = np.log(branch.slope(epsilon)) - epsilon
    return Knots(epsilon, b.upper, b.log_gap_lower, log_alpha)


def between(knots: Knots, loose: IntArray, bounds: tuple[FloatArray, FloatArray], most: float) -> FloatArray:
    """Eps within the ``loose`` intervals, as many as bring their bounds below ``most`` if what they lose goes with the
    square of their lengths, and what they attain rises evenly from one end to the other.
    """
    bound, attained = bounds
    start, stop = attained[loose], attained[loose + 1]
    known = np.maximum(start, stop)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = 0.5 * np.abs(stop - start)
        lost = _MISSED * (bound[loose] - known + half)
        wanted = 2.0 * lost / (half + np.sqrt(half * half + 4.0 * (most - known) * lost))
    few = loose.size <= _FEW
    largest = min(_LARGEST, _AT_ONCE // loose.size) if few else (_SECTIONS if loose.size <= _SEVERAL else 2)
    wanted = wanted if few else np.sqrt(wanted)  # what may be lost grows with the square of the knots
    sections = np.ceil(np.where(np.isfinite(wanted), wanted, _SECTIONS))
    sections = np.minimum(np.maximum(sections, 2.0), largest)
    inner = sections.astype(np.int64) - 1
    each = np.arange(loose.size).repeat(inner)
    place = 1 + np.arange(each.size) - (inner.cumsum() - inner).repeat(inner)
    low, high = knots.epsilon[loose], knots.epsilon[loose + 1]
    return low[each] + (high - low)[each] * (place / sections[each])


def joined(knots: Knots, more: Knots, log_floor: float) -> Knots:
    """Both; alphas are kept between the floor and the start, and decreasing."""
    epsilon = np.concatenate([knots.epsilon, more.epsilon])
    order = epsilon.argsort(kind="stable")
    log_alpha = np.concatenate([knots.log_alpha, more.log_alpha])[order]
    alphas = np.minimum.accumulate(np.minimum(np.maximum(log_alpha, log_floor), log_alpha[0]))
    alphas[-1] = log_floor
    # tangents that touch beyond the floor say little about it: the first of them closes the range
    kept = order[: int((alphas <= log_floor).argmax()) + 1]
    delta = np.concatenate([knots.delta, more.delta])[kept]
    log_gap = np.concatenate([knots.log_gap, more.log_gap])[kept]
    found = Knots(epsilon[kept], delta, log_gap, alphas[: len(kept)])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        meeting = _meeting(found, _FIRST, _NEXT)
        return Knots(found.epsilon, delta, log_gap, _between_vertices(found, meeting), meeting)


def _between_vertices(knots: Knots, meeting: FloatArray) -> FloatArray:
    """Each alpha where its tangent meets those beside it, or between: slopes that were steered by what is nearly all of
    a law turn at its corners at once, where the law itself takes a little longer. Who asks ignores 0 / 0.
    """
    if knots.epsilon.size < 3:
        return knots.log_alpha
    inner, told = knots.log_alpha[1:-1], 1.0 - knots.delta[1:] / knots.delta[:-1] > TOLD
    log_v = _or_between(knots, _FIRST, _NEXT, meeting)
    log_v = log_v if every(told) else np.where(told, log_v, np.nan)
    moved = np.where(log_v[1:] - BESIDE > inner, log_v[1:], np.where(log_v[:-1] + BESIDE < inner, log_v[:-1], inner))
    alphas = knots.log_alpha.copy()
    alphas[1:-1] = np.minimum(np.maximum(moved, knots.log_alpha[-1]), knots.log_alpha[0])
    return np.minimum.accumulate(alphas)


def interval_bounds(knots: Knots) -> tuple[FloatArray, FloatArray]:
    """Upper bounds of the local mu between neighbouring knots, and its bound at the knots themselves."""
    n, log_alpha = knots.epsilon.size, knots.log_alpha
    all_, at_i, at_j = np.arange(n), log_alpha[_FIRST], log_alpha[_NEXT]
    i, j = all_[_FIRST], all_[_NEXT]
    if knots.meeting is None:
        log_v = log_vertex(knots, _FIRST, _NEXT)
    else:
        log_v = _or_between(knots, _FIRST, _NEXT, knots.meeting)
    log_v = np.minimum(np.maximum(log_v, at_j), at_i)
    # in one call: every tangent at its own knot, both tangents of a pair at their vertex and at each other's knot
    tangent = np.concatenate([all_, i, j, i, j])
    local = local_mu(knots, tangent, np.concatenate([log_alpha, log_v, log_v, at_j, at_i]))
    attained, (i_at_vertex, j_at_vertex, i_at_j, j_at_i) = local[:n], local[n:].reshape(4, n - 1)
    attained[-1] = min(attained[-1], i_at_j[-1])
    at_vertex = np.maximum(i_at_vertex, j_at_vertex)
    # the vertex below the interval: tangent i is followed throughout (its other end is knot i itself)
    only_i = log_v <= at_j
    only_j = (log_v >= at_i) & ~only_i
    low_end = np.where(only_i, i_at_j, np.maximum(at_vertex, attained[_NEXT]))
    inner = np.where(only_j, np.maximum(j_at_i, attained[_NEXT]), low_end)
    # the first tangent, of slope -1, covers what lies between the branches by its ends: it counts there, even where the
    # next says more at its knot
    only_j[:1] = False
    return np.maximum(inner, np.where(only_j, 0.0, attained[_FIRST])), attained


def log_vertex(knots: Knots, i: _Places, j: _Places) -> FloatArray:
    """log of (delta_i - delta_j) / (e^{e_j} - e^{e_i}), the alpha at which the two tangents meet (approximate)."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        meeting = _meeting(knots, i, j)
    return _or_between(knots, i, j, meeting)


def _meeting(knots: Knots, i: _Places, j: _Places) -> FloatArray:
    """The same; NaN where that is 0 / 0, which who asks ignores."""
    start, delta = knots.epsilon[i], knots.delta[i]
    fall, small = np.log(np.maximum(delta - knots.delta[j], 0.0)), delta < 0.5
    if not every(small):
        gap = knots.log_gap[j]
        gain = gap + np.log(-np.expm1(np.minimum(knots.log_gap[i] - gap, 0.0)))
        fall = np.where(small, fall, gain)
    return fall - start - np.log(np.expm1(np.minimum(knots.epsilon[j] - start, 700.0)))


def _or_between(knots: Knots, i: _Places, j: _Places, meeting: FloatArray) -> FloatArray:
    """The same; between their own alphas where it is not known."""
    unknown = np.isnan(meeting)
    return np.where(unknown, 0.5 * (knots.log_alpha[i] + knots.log_alpha[j]), meeting) if some(unknown) else meeting


def local_mu(knots: Knots, tangent: np.ndarray, log_alpha: FloatArray) -> FloatArray:
    """m_i(alpha), from the excess power where it is small and from beta = gap - e^eps alpha where that is."""
    epsilon, e, delta, log_gap = knots.epsilon, knots.epsilon[tangent], knots.delta[tangent], knots.log_gap[tangent]
    slack = 4.0 * UNIT * (2.0 + np.abs(e) + np.abs(log_alpha) + np.abs(log_gap))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore", under="ignore"):
        far = epsilon + np.log1p(-np.exp(-np.maximum(epsilon, 1.0)))
        steep = np.where(epsilon > 1.0, far, np.log(np.expm1(np.minimum(epsilon, 1.0))))  # log of e^eps - 1
        log_excess = np.logaddexp(np.log(knots.delta)[tangent], log_alpha + steep[tangent]) + slack
        log_load = e + log_alpha
        load = np.exp(np.minimum(log_load, 0.0))
        share = log_load - log_gap + slack  # log of e^eps alpha / gap
        log_beta = log_gap + np.log(-np.expm1(np.minimum(share, 0.0))) - slack
        direct = np.log1p(-np.minimum(delta + load * (1.0 + slack), 1.0)) - slack
        log_beta = np.where(np.isnan(log_beta), -np.inf, np.maximum(log_beta, np.where(delta < 0.5, direct, -np.inf)))
    out = log_beta <= -1e300
    if not some(out):
        return probit_gap(log_alpha, log_excess, log_beta)
    value = probit_gap(log_alpha, np.where(out, 0.0, log_excess), np.where(out, -1.0, log_beta))
    return np.where(out, np.inf, value)
