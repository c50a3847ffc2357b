"""The outcomes of a step parted in common and rare ones, and how many of all steps have a rare one (``rare_outcomes``).

With a and b the masses of the rare ones under P and under Q, j of T steps have one with probability A_j = C(T, j) a^j
(1 - a)^{T - j} under P, and B_j, the same of b, under Q. What is too rare to be listed at all is neither: that any step
has such an outcome adds T times its mass to what may be anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.rounding import AMPLE, SMALLEST, UNIT

__all__ = ["Given", "Parting", "parting"]

_SELDOM = 0.005  # rare outcomes of all steps together, in the mean, at most
_SHORT = 1 << 17  # outcomes of the common ones together that are listed
_LONG = 400  # rare outcomes of one step
_LEAST = 1e-290  # mass of the rare ones, at least
_FAINT = 1e-9  # a / b, at least
# rare ones in all steps that are looked at, and the log of the mass of those that are not
_MOST, _NOTHING = 12, -104.0
# of log A_j, for rounding: up to 26 terms and sums of up to 310 each, of 10^9 steps (26 * 310 units are 1e-12); and for
# the mass of what is not listed, which the common ones are normalised with
_VAGUE = 2e-12
_ANY = 1.1  # certifies: times T times the mass that one step leaves out, of masses that may exceed 1 by rounding
_BEYOND = 0.1  # certifies: log of a series over its first term, at most 1 / (1 - 0.01)


@dataclass(frozen=True)
class Given:
    """What is known of j rare ones: log A_j and log B_j, how far they are off, log(A_j / B_j), how far that is; the
    largest losses given j of both directions.
    """

    log_mass: tuple[float, float]
    vague: float
    ratio: float
    off: float
    end: tuple[float, float]


@dataclass(frozen=True)
class Parting:
    """The laws of a step given that its outcome is ``common``, and that it is ``rare``; what is known of j = 0, 1, ...
    rare ones in all steps, and bounds on the masses of all else under P and under Q.
    """

    common: Outcomes
    rare: Outcomes
    counts: tuple[Given, ...]
    rest: tuple[float, float]


def parting(table: Outcomes, times: int, log_least: float) -> Parting | None:
    """The outcomes parted so that of ``times`` hardly any is rare; None where that separates nothing. Those that all
    steps show with less than e^log_least are not listed.
    """
    table, lost = _listed(table, log_least - math.log(times))
    rare = _rare(table, times)
    if rare is None:
        return None
    loss, p, q = table.loss[rare], np.exp(table.log_p[rare]), np.exp(table.log_q[rare])
    a, b = float(p.sum()), float(q.sum())
    if not min(a, b) > _LEAST:
        return None
    # p - q, of which neither cancels
    with np.errstate(over="ignore", invalid="ignore"):
        more = np.where(loss > 0.0, p * -np.expm1(-loss), q * np.expm1(loss))
    d, off = float(more.sum()), table.relative + UNIT * (16.0 + len(q))
    wrong = float(np.sum(off * np.abs(more) + p * (table.slack + table.stretch * np.abs(loss)))) + 8.0 * SMALLEST
    if not d > -(1.0 - _FAINT) * b:  # the ratio would not be a float
        return None
    ratios = math.log1p(-d / (1.0 - b)), math.log1p(d / b)
    rooms = (
        2.0 * wrong + 2.0 * off * abs(d) + 8.0 * UNIT * abs(ratios[0]) + SMALLEST,
        2.0 * (wrong + off * abs(d)) / a + 8.0 * UNIT * abs(ratios[1]) + SMALLEST,
    )
    logs = (math.log1p(-a), math.log1p(-b)), (math.log(a), math.log(b))
    vague = off + wrong / a + 4.0 * UNIT * (2.0 + max(abs(logs[1][0]), abs(logs[1][1])))
    common = _given(table, ~rare, logs[0][1], ratios[0], rooms[0], 2.0 * b * off)
    seldom = _given(table, rare, logs[1][1], ratios[1], rooms[1], off)
    counts, beyond = _counts((common, seldom), times, logs, vague, ratios, rooms)
    rest = tuple(mass + _ANY * times * lost + SMALLEST for mass in beyond)
    return Parting(common, seldom, counts, (rest[0], rest[1]))


def _listed(table: Outcomes, log_least: float) -> tuple[Outcomes, float]:
    """Without the outcomes that weigh less than that under both laws, and the mass that is left out, under either."""
    log_most = np.maximum(table.log_q, table.log_p)
    kept = log_most >= log_least
    lost = (table.dropped + float(np.sum(np.exp(log_most[~kept])))) * (1.0 + 2.0 * table.relative + AMPLE)
    return replace(table, loss=table.loss[kept], log_q=table.log_q[kept], dropped=lost), lost


def _rare(table: Outcomes, times: int) -> NDArray[np.bool_] | None:
    """Which outcomes are rare: all that are seldom if those that are not can be listed, else those of large loss."""
    most = np.exp(np.maximum(table.log_q, table.log_p))
    order = np.argsort(most)
    rare = np.zeros(len(most), dtype=bool)
    rare[order[np.cumsum(most[order]) <= _SELDOM / times]] = True
    if rare.all():
        return None
    if math.comb(np.count_nonzero(~rare) + min(times, _SHORT) - 1, min(times, _SHORT)) > _SHORT:
        rare &= table.loss > table.loss[~rare].max()
    fits = 0 < np.count_nonzero(rare) <= _LONG and np.count_nonzero(~rare) > 1
    return rare if fits else None


def _given(table: Outcomes, kept: NDArray[np.bool_], log_b: float, ratio: float, room: float, off: float) -> Outcomes:
    """The law given that the outcome is among those ``kept``, of a log mass known within ``off``."""
    loss, log_q = table.loss[kept] - ratio, table.log_q[kept] - log_b
    stretch = table.stretch + 2.0 * UNIT
    relative = table.relative + off + 4.0 * UNIT * (2.0 + abs(log_b) + float(np.max(np.abs(log_q), initial=0.0)))
    return replace(
        table, loss=loss, log_q=log_q, slack=table.slack + room + stretch * abs(ratio), stretch=stretch,
        relative=relative, dropped=0.0, growth=math.inf,
    ).weighed("a law given what is rare")  # fmt: skip


def _counts(
    laws: tuple[Outcomes, Outcomes], times: int, logs: tuple[tuple[float, float], tuple[float, float]], vague: float,
    ratios: tuple[float, float], rooms: tuple[float, float],
) -> tuple[tuple[Given, ...], tuple[float, float]]:  # fmt: skip
    """What is known of j = 0, 1, ..., and bounds on the masses of more, under P and under Q."""
    counts: list[Given] = []
    log_ways = 0.0
    for j in range(min(_MOST, times) + 1):
        masses = [log_ways + j * logs[1][side] + (times - j) * logs[0][side] for side in (0, 1)]
        if j > 1 and max(masses) < _NOTHING:
            break
        ends = [j * _furthest(laws[1], sign) + (times - j) * _furthest(laws[0], sign) for sign in (1.0, -1.0)]
        size = (times - j) * abs(ratios[0]) + j * abs(ratios[1])
        ratio = (times - j) * ratios[0] + j * ratios[1]
        off = (times - j) * rooms[0] + j * rooms[1] + 4.0 * UNIT * size
        counts.append(Given((masses[0], masses[1]), j * vague + _VAGUE, ratio, off, (ends[0], ends[1])))
        log_ways += math.log((times - j) / (j + 1.0)) if j < times else -math.inf
    # with A_{j+1} / A_j <= T a / ((j + 1)(1 - a)), less than 0.01, the first of those beyond is nearly all
    j = len(counts)
    beyond = [log_ways + j * logs[1][side] + vague * j + _BEYOND for side in (0, 1)]
    return tuple(counts), (math.exp(beyond[0]), math.exp(beyond[1]))


def _furthest(law: Outcomes, sign: float) -> float:
    """The largest loss in one direction, rounded up."""
    loss = float(np.max(sign * law.loss))
    return loss + law.slack + (law.stretch + 4.0 * UNIT) * abs(loss)
