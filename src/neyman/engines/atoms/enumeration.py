"""The exact law of a composition of discrete steps, outcome by outcome, where the outcomes can be counted.

Masses are kept as log sqrt(p q): what is rare under P may be common under Q, and neither must underflow. Every sum has
positive terms, so that each mass keeps its relative accuracy however small it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from scipy.special import gammaln

from neyman._validate import FloatArray
from neyman.engines.atoms.atoms import BOUNDED, Atoms
from neyman.engines.atoms.multinomial import counted, summed, ways
from neyman.losses.readings.outcomes import Outcomes
from neyman.losses.whole import demand_whole, total
from neyman.numerics.rounding import ROOM, SCANT, SECOND_ORDER, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["enumerated", "parted", "power", "product"]

_MOST = 1 << 21  # outcomes of a composition
_COUNTED = 1 << 21  # counts, that is outcomes times the kinds of one step, of a power that is listed at once
_OUTCOMES = 6  # kinds of one step up to which a power may be listed without the rarest
_LEFT = 1 << 18  # outcomes that it may then have, and pairs from which two lists are read as two
_OUTER = 1 << 13  # outcomes of the shorter one of these
_WORK = 1 << 22  # pairs of outcomes that are added up at a time
_LATTICE_WORK = 1 << 26  # the same on a lattice, where a pair costs a nanosecond
# steps of many kinds, off any lattice, that are listed but for the rarest, log of the mass of these, pairs at a time,
# and the share of a deviation by which losses may be off, then
_FEW, _RARE, _PAIRS, _BLURRED = 16, -92.0, 1 << 21, 1e-9
_ENDS = (1.0, -1), (-1.0, 0)  # sign and place of the largest loss, and of the least
_SEEN, _APART = 64, 0.8  # outcomes of which it is seen whether sums meet, and the share of these that does not
# they steer: of outcomes that are multiplied out, the share that is not trimmed; relative, of ratios of lattices; of
# the length that is expected of a list of copies, what it has for sure
_TRIMMED, _SAME, _CAUTION = 0.25, 1e-9, 0.8
_NOTHING = -800.0  # log of a mass that is no float
_TINY = 1e-300  # more than masses too small for a float come to
# e-folds below the largest product to which a convolution is exact: what underflows there, at most 2^13 products of
# 5e-324 each, is 1e-16 of it at most
_RANGE = 690.0
_BEYOND = 1e-298  # e^-_RANGE, and what masses may exceed 1 by
_EXPONENTS = 800.0  # certifies: units of e^x that rounding x costs, for x from 0 down to -745


def enumerated(tables: Sequence[tuple[Outcomes, int]]) -> Atoms | None:
    """Return the law of the finite part of a composition; None where it has too many outcomes to list."""
    parts = parted(tables)
    return parts[0] if len(parts) == 1 else None


def parted(tables: Sequence[tuple[Outcomes, int]]) -> tuple[Atoms, ...]:
    """Return that law, or, where it has too many outcomes, two that compose to it, the shorter one first; nothing where
    these, too, have too many.
    """
    ones = [_trimmed(_atoms(table)) for table, _ in tables]
    few = sorted(ones, key=lambda one: len(one.loss))[:3]
    if len(few) == 3 and _too_many(few[0], few[1], few[2]):
        return ()
    rising = sorted(zip(ones, tables, strict=True), key=lambda each: _length(each[0], each[1][1]))
    if len(rising) > 2 and _unlike(ones):
        (a, of_a), (b, of_b), (c, of_c) = ((one, _CAUTION * _length(one, times)) for one, (_, times) in rising[:3])
        if _too_many(a, b, c, (of_a, of_b, of_c)):
            return ()  # not even the two shortest lists are made to find that
    powers: list[tuple[Atoms, tuple[Outcomes, int]]] = []
    for one, (table, times) in rising:
        if len(powers) == 2 and _too_many(powers[0][0], powers[1][0], one) and _unlike(ones):
            return ()  # no longer ones are made to find the same
        power = one if times == 1 else _power(one, times)
        if power is None:
            return ()
        powers.append((power, (table, times)))
    powers.sort(key=lambda one: len(one[0].loss))
    whole: Atoms | None = None
    for i, (power, last) in enumerate(powers):
        if whole is None:
            whole = power
            continue
        two = i + 1 == len(powers) and len(whole.loss) <= _OUTER
        # losses without a lattice do not meet
        apart = two and None in (whole.unit, power.unit) and len(whole.loss) * len(power.loss) > _LEFT
        apart = apart or (i + 1 < len(powers) and _too_many(whole, power, powers[i + 1][0]))
        both = None if apart else product(whole, power)
        if both is None:
            return (_weighed(whole, [one for _, one in powers[:i]]), _weighed(power, [last])) if two else ()
        whole = both
    return () if whole is None else (_weighed(whole, tables),)


def power(table: Outcomes, times: int) -> Outcomes:
    """Return ``times`` copies as one list of outcomes, which are few enough.

    Raises
    ------
    ValueError
        If they are too many to be listed.
    """
    whole = enumerated([(table, times)])
    if whole is None:
        raise ValueError(f"{times} times {len(table.loss)} outcomes are too many to be listed")
    seen = np.isfinite(whole.log_w)
    return Outcomes(
        whole.loss[seen], whole.log_q[seen], slack=whole.slack, stretch=whole.stretch, relative=whole.relative,
        dropped=whole.dropped, end=whole.end, uneven=math.expm1(times * math.log1p(table.uneven)),
    )  # fmt: skip


def _weighed(whole: Atoms, tables: Sequence[tuple[Outcomes, int]]) -> Atoms:
    """The composition, if its masses sum to the product of what those of its steps sum to: a certificate that nothing
    was lost on the way.
    """
    far = float(np.abs(whole.loss).max(initial=0.0))
    for under, sign in (("P", 0.5), ("Q", -0.5)):
        due = math.fsum(times * _log_total(t.log_q + (0.5 + sign) * t.loss) for t, times in tables)
        logs = whole.log_w + sign * whole.loss
        found, rounding = total(logs - due)
        room = whole.relative + whole.slack + (whole.stretch + 8.0 * UNIT) * (1.0 + far + abs(due))
        demand_whole("a composition of outcomes", under, found, room + rounding + whole.dropped)
    return whole


def _log_total(logs: FloatArray) -> float:
    return float(np.logaddexp.reduce(logs))


def _atoms(table: Outcomes) -> Atoms:
    log_w = table.log_q + 0.5 * table.loss
    loss, first = table.loss, 0.0
    if table.place is not None and table.unit is not None:
        # a full lattice: places without an outcome have mass 0
        first = float(table.place[0])
        index = np.rint(table.place - first).astype(np.int64)
        full = np.full(int(index[-1]) + 1, -math.inf)
        full[index] = log_w
        loss, log_w = table.unit * (first + np.arange(len(full))), full
    far = float(np.abs(table.loss).max(initial=0.0))
    relative = table.relative + table.slack + (2.0 * UNIT + table.stretch) * (1.0 + far)
    left_out = _log(table.dropped)  # sqrt(p q) <= (p + q) / 2
    return Atoms(
        loss, log_w, table.slack, table.stretch, relative, table.dropped, table.unit, first, table.end, left_out
    )


def _power(one: Atoms, times: int) -> Atoms | None:
    """``times`` copies."""
    end = None if one.end is None else times * one.end
    if len(one.loss) == 1:
        log_w = one.log_w * times
        error = times * one.relative + 2.0 * UNIT * float(np.abs(log_w).max())
        stretch = one.stretch + 2.0 * UNIT
        return Atoms(one.loss * times, log_w, times * one.slack, stretch, error, 0.0, None, 0.0, end)
    if len(one.loss) == 2:
        return _binomial(one, times, end)
    whole = ways(times, len(one.loss)) * len(one.loss) <= _COUNTED
    if one.unit is None and (whole or len(one.loss) <= _OUTCOMES):
        return _multinomial(one, times, _COUNTED // len(one.loss) if whole else _LEFT, end)
    if one.unit is None and 1 < times <= _FEW and (found := _one_by_one(one, times, end)) is not None:
        return found
    if one.unit is None and _hopeless(one, times):
        return None
    result: Atoms | None = None
    square: Atoms | None = one
    left = times
    while left:
        if left & 1:
            result = square if result is None or square is None else product(result, square)
            if result is None:
                return None
        left >>= 1
        square = product(square, square) if left and square is not None else None
        if left and square is None:
            return None
    return None if result is None else replace(result, end=end)


def _one_by_one(one: Atoms, times: int, end: Fraction | None) -> Atoms | None:
    """Few copies, each added to those before it, without what is too rare to count; None where they are too many, or
    off by as much as they are apart.
    """
    one = one.trimmed(_RARE)
    result = one
    for _ in range(times - 1):
        more = product(result, one) if len(result.loss) * len(one.loss) <= _PAIRS else None
        if more is None:
            return None
        result = more.trimmed(_RARE)
    mass = np.exp(result.log_p)
    deviation = math.sqrt(inner(mass, (result.loss - inner(mass, result.loss)) ** 2))
    return replace(result, end=end) if result.slack <= _BLURRED * deviation else None


def _hopeless(one: Atoms, times: int) -> bool:
    """Whether a product on the way to that power would have too many pairs, unless sums meet, as they hardly ever do:
    seen by those of a few outcomes beside each other.
    """
    kinds, has, square, left = len(one.loss), 0, 1, times
    while left:
        if (left & 1 and ways(has, kinds) * ways(square, kinds) > _WORK) or (
            left > 1 and ways(square, kinds) ** 2 > _WORK
        ):
            break
        has, square, left = has + square * (left & 1), 2 * square, left >> 1
    else:
        return False
    first = max(int(np.argmax(one.log_w)) - _SEEN // 2, 0)
    few = one.loss[first : first + _SEEN]
    sums = np.sort(np.add.outer(few, few)[np.triu_indices(len(few))])
    near = 4.0 * (2.0 * one.slack + (one.stretch + 2.0 * UNIT) * float(np.abs(few).max()))
    return bool(np.mean(np.diff(sums) > near) > _APART)


def _too_many(a: Atoms, b: Atoms, c: Atoms, lengths: Sequence[float] | None = None) -> bool:
    """Whether two on different lattices have too many outcomes for a third to be added, even where some are trimmed;
    of lists on these lattices that are so long, if ``lengths`` are given.
    """
    if a.unit is None or b.unit is None or a.unit == b.unit:
        return False
    n, m, k = (len(one.loss) for one in (a, b, c)) if lengths is None else map(int, lengths)
    left = _TRIMMED * _different(a.unit / b.unit, n, m)
    return left > _OUTER and left * k > _WORK


def _length(one: Atoms, times: int) -> float:
    """About how long a list of so many copies is: what is no float is as far out as of a Gaussian."""
    return len(one.loss) * math.sqrt(times)


def _unlike(ones: Sequence[Atoms]) -> bool:
    """Whether no two of them are on one lattice."""
    units = [one.unit for one in ones]
    return None not in units and len(set(units)) == len(units)


def _different(ratio: float, n: int, m: int) -> int:
    """How many sums of a loss of each of two lattices there are, n and m of them, of units u and v of that ``ratio``:
    i u + j v = k u + l v where k - i is a multiple of q and j - l that of p, for u / v = p / q in lowest terms, and
    nowhere else.
    """
    near = Fraction(ratio).limit_denominator(n)
    if abs(float(near) - ratio) * n > _SAME:  # they meet nowhere along the shorter of the two
        return n * m
    return n * m - max(n - near.denominator, 0) * max(m - near.numerator, 0)


def _binomial(one: Atoms, times: int, end: Fraction | None) -> Atoms | None:
    if times + 1 > _WORK:
        return None
    k = np.arange(times + 1, dtype=np.float64)
    counts = gammaln(times + 1.0) - gammaln(k + 1.0) - gammaln(times - k + 1.0)
    log_w = counts + one.log_w[0] * (times - k) + one.log_w[1] * k
    error = times * one.relative + 8.0 * UNIT * (float(gammaln(times + 2.0)) + float(np.abs(one.log_w).max()) * times)
    slack, stretch, first = times * one.slack, one.stretch, times * one.first
    if one.unit is not None:
        loss = one.unit * (first + k)
    else:
        loss = one.loss[0] * (times - k) + one.loss[1] * k
        slack, stretch = summed(one.loss, times, one.slack, one.stretch)
    dropped = times * one.dropped
    return _trimmed(Atoms(loss, log_w, slack, stretch, error, dropped, one.unit, first, end, _log(dropped)))


def _multinomial(one: Atoms, times: int, most: int, end: Fraction | None) -> Atoms | None:
    """Every way to share ``times`` among few outcomes, but for the rarest if they are more than ``most``."""
    # the law that sqrt(p q) makes, too: of what is left out that must be next to nothing beside all of it
    between = float(np.logaddexp.reduce(one.log_w))
    found = counted((one.log_p, one.log_q, one.log_w - between), times, most)
    if found is None:
        return None
    counts, rare = found
    log_w = gammaln(times + 1.0) - gammaln(counts + 1.0).sum(axis=1) + counts @ one.log_w
    loss = counts @ one.loss
    size = float(np.abs(one.log_w).max())
    error = times * one.relative + 8.0 * UNIT * len(one.loss) * (float(gammaln(times + 2.0)) + size * times)
    slack, stretch = summed(one.loss, times, one.slack, one.stretch)
    order = np.argsort(loss, kind="stable")
    dropped = times * one.dropped + rare
    missed = np.array([times * one.log_overlap + _log(rare), _log(times) + one.overlap + (times - 1) * one.log_overlap])
    overlap = float(np.logaddexp.reduce(missed)) * (1.0 - ROOM) + BOUNDED
    return _trimmed(Atoms(loss[order], log_w[order], slack, stretch, error, dropped, None, 0.0, end, overlap))


def product(a: Atoms, b: Atoms) -> Atoms | None:
    """The law of both; None where it has too many outcomes."""
    pairs = len(a.loss) * len(b.loss)
    relative, dropped = a.relative + b.relative, SECOND_ORDER * (a.dropped + b.dropped)
    end = None if a.end is None or b.end is None else a.end + b.end
    overlap = float(np.logaddexp(a.overlap + b.log_overlap, a.log_overlap + b.overlap)) + BOUNDED
    if a.unit is not None and a.unit == b.unit:
        if pairs > _LATTICE_WORK:
            return None
        first = a.first + b.first
        loss = a.unit * (first + np.arange(len(a.loss) + len(b.loss) - 1))
        log_w, lost, missed = _convolved(a, b, loss)
        overlap = float(np.logaddexp(overlap, missed)) + BOUNDED
        far = sum(float(np.abs(one.loss).max() + abs(one.log_w.max())) for one in (a, b))
        error = relative + 8.0 * UNIT * (min(len(a.loss), len(b.loss)) + _EXPONENTS + far)
        stretch = max(a.stretch, b.stretch)
        slack, dropped = a.slack + b.slack, dropped + lost
        return _trimmed(Atoms(loss, log_w, slack, stretch, error, dropped, a.unit, first, end, overlap))
    if pairs > _WORK:
        return None
    loss = np.add.outer(a.loss, b.loss).ravel()
    log_w = np.add.outer(a.log_w, b.log_w).ravel()
    order = np.argsort(loss, kind="stable")
    loss, log_w = loss[order], log_w[order]
    # |x| + |y| <= |x + y| + that: losses whose signs differ leave a sum that is off by more than in proportion
    turned = 2.0 * min(sum(max(sign * float(one.loss[end]), 0.0) for one in (a, b)) for sign, end in _ENDS)
    stretch = max(a.stretch, b.stretch) + 2.0 * UNIT
    slack = a.slack + b.slack + stretch * turned
    # one sum in another order: of what either is off, not of what both are, for that would grow by what it merges
    near = min(a.slack, b.slack) + (min(a.stretch, b.stretch) + 2.0 * UNIT) * (turned + np.abs(loss[1:]))
    starts = np.flatnonzero(np.append(True, np.diff(loss) > 4.0 * near))
    if len(starts) > _MOST:
        return None
    ends = np.append(starts[1:], len(loss)) - 1
    width, size = loss[ends] - loss[starts], np.minimum(np.abs(loss[ends]), np.abs(loss[starts]))
    large = size > turned
    room = 1.0 + stretch + 8.0 * UNIT  # those that are moved are off by that of themselves
    slack += float(np.max(width, where=~large, initial=0.0)) * room
    stretch += float(np.max(width / np.where(large, size, 1.0), where=large, initial=0.0)) * room
    merged = np.logaddexp.reduceat(log_w, starts)
    most = float(np.max(np.abs(log_w[np.isfinite(log_w)]), initial=0.0))
    off = slack + stretch * float(np.abs(loss[[0, -1]]).max())  # p moved with its loss
    error = relative + 4.0 * UNIT * (1.0 + most) * float(np.max(ends - starts + 1)) + off
    return _trimmed(Atoms(loss[starts], merged, slack, stretch, error, dropped, None, 0.0, end, overlap))


def _convolved(a: Atoms, b: Atoms, loss: FloatArray) -> tuple[FloatArray, float, float]:
    """log of the convolution of sqrt(p q), a bound on what is left out of it under either law, and the log of one on
    the sqrt(p q) left out.

    Where the product is too small for a float beside its largest term it is formed again from p, where losses are
    large, and from q, where they are small: what is too small even then has next to no mass under both.
    """
    log_w, top = _summed(a.log_w, b.log_w)
    unsure = ~(log_w > top - _RANGE)
    lost = 0.0
    for sign in (0.5, -0.5):
        side = np.flatnonzero(unsure & (sign * loss >= 0.0))
        if not len(side):
            continue
        lost += len(side) * _BEYOND
        # no mass of this law is above top - _RANGE + |loss| / 2
        if top + 0.5 * float(np.abs(loss[side[[0, -1]]]).max()) <= 0.0:
            log_w[side] = -math.inf
            continue
        low, high = int(side[0]), int(side[-1])
        parts = [
            (one.log_w + sign * one.loss)[max(low - len(other.loss) + 1, 0) : high + 1]
            for one, other in ((a, b), (b, a))
        ]
        begin = max(low - len(b.loss) + 1, 0) + max(low - len(a.loss) + 1, 0)
        value, highest = _summed(*parts)
        found = value[side - begin]
        log_w[side] = np.where(found > highest - _RANGE, found - sign * loss[side], -math.inf)
    # beside the largest product these are e^-_RANGE at most, and what underflowed
    return log_w, lost, top - _RANGE + math.log(2.0 * len(loss)) if lost > 0.0 else -math.inf


def _summed(a: FloatArray, b: FloatArray) -> tuple[FloatArray, float]:
    """log of the convolution of e^a and e^b, and the log of the product of their largest terms."""
    top = float(a.max()), float(b.max())
    if min(top) == -math.inf:
        return np.full(len(a) + len(b) - 1, -math.inf), -math.inf
    with np.errstate(under="ignore", divide="ignore"):
        return np.log(np.convolve(np.exp(a - top[0]), np.exp(b - top[1]))) + sum(top), sum(top)


def _trimmed(one: Atoms) -> Atoms:
    """Without the ends where neither law has a mass that is a float."""
    alive = np.flatnonzero(one.log_w + 0.5 * np.abs(one.loss) > _NOTHING)
    if not len(alive) or (alive[0] == 0 and alive[-1] == len(one.loss) - 1):
        return one
    kept = slice(int(alive[0]), int(alive[-1]) + 1)
    gone = np.append(one.log_w[: kept.start], one.log_w[kept.stop :])
    overlap = float(np.logaddexp.reduce(gone, initial=one.overlap)) + one.relative + BOUNDED
    return replace(
        one, loss=one.loss[kept], log_w=one.log_w[kept], dropped=one.dropped + _TINY,
        first=one.first + float(alive[0]), overlap=overlap,
    )  # fmt: skip


def _log(mass: float) -> float:
    return math.log(mass) * (1.0 - SCANT) if mass > 0.0 else -math.inf
