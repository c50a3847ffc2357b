"""The short lines of both directions side by side: one sum answers every eps of either, to the last bit as each does.

K_add(c) = K_remove(-1 - c), so that whoever asks one direction asks the other at the same eps next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.estimate import Estimate, Estimates, Reading, scaled, slopes_of
from neyman.engines.contour.straight.line import Line, rounded
from neyman.engines.contour.straight.reading import NODE
from neyman.numerics.functions.few import every
from neyman.numerics.sums.turns import by_half
from neyman.profiles.effort import readable
from neyman.profiles.profile import Bracket

if TYPE_CHECKING:
    from neyman.engines.contour.straight.lines import StraightLines

__all__ = ["StackedLines"]

# nodes of a line that is stacked, and of one that others may follow with zeros up to so many in all: halves of a sum of
# more than 128 terms, in which all of a short line comes first, are added last, so that it is the same to the last bit
_LONGEST, _SHORT = 248, 64
_SPARED = 1000  # nodes, zeros among them, beside long lines that cost more than a sum for each
_MOST = 1 << 13  # entries of a table of cosines, or eps, from which each line is read by itself, and nothing is copied
# entries of a table: of more, memory is taken from the system and given back each time; and where no line is copied
_TOGETHER, _SHARED = 3000, 1 << 13
_UNLAID, _APART, _BESIDE = 0, 1, 2  # lines: not laid yet, to be asked by themselves, stacked
_ORDER = [0, 1, 3, 2, 4]  # of what a line sums: first all that is weighed with cosines


class _Rows:
    """The numbers of all lines, a column for each; those of lines that are not stacked are of no meaning."""

    __slots__ = ("blurred", "length", "lines", "lost", "short", "sums", "terms")

    def __init__(self, count: int) -> None:
        self.terms = np.zeros((19, count))  # start and rise of each of eight; lost, wobble, mass
        self.sums = np.zeros((5, count, 0))  # half the nodes, weights with cosines, weights with sines; line, node
        self.length = np.zeros(count, dtype=np.int64)  # nodes, of which more are zeros
        self.lines = np.empty(count, dtype=np.object_)  # themselves
        self.short = True  # whether all lines are
        self.blurred = False  # whether the rounding of the law itself is to be told apart in some
        self.lost = False  # whether some lack a part of the law

    def put(self, i: int, line: Line) -> None:
        """Write down those of a ``line``; the sums of none that is long."""
        length, self.lines[i] = line.sums.shape[1], line
        self.terms[:8, i], self.terms[8:16, i] = line.terms
        self.terms[16:, i] = line.lost, line.wobble, line.mass
        self.length[i] = length
        self.short = self.short and length <= _SHORT
        self.blurred, self.lost = self.blurred or line.blurred, self.lost or line.lost != 0.0
        if length <= _LONGEST:
            if length > self.sums.shape[2]:
                more = np.zeros((*self.sums.shape[:2], length - self.sums.shape[2]))
                self.sums = np.concatenate([self.sums, more], axis=2)
            self.sums[:, i, :length] = line.sums[_ORDER]
            self.sums[0, i] *= 0.5


class StackedLines:
    """The chosen lines of one direction or of both, laid when first needed."""

    def __init__(self, sides: Sequence[StraightLines]) -> None:
        self._sides = sides
        self._firsts = [0, *accumulate(len(side.stands) for side in sides)]
        count = self._firsts.pop()
        self._state = np.zeros(count, dtype=np.int64)
        self._laid: dict[int, Line] = {}
        self._rows = _Rows(count)
        self._last: tuple[bytes, list[Reading | None]] | None = None

    def read(self, side: int, epsilon: FloatArray, place: bytes) -> Reading | None:
        """What its lines say at each ``epsilon``, whose bytes are ``place``; None where one of them is no short one."""
        last = self._last
        if last is None or last[0] != place or last[1][side] is None:
            known = [None for _ in self._sides] if last is None or last[0] != place else last[1]
            last = self._last = place, self._read(side, epsilon, known)
        return last[1][side]

    def _read(self, side: int, epsilon: FloatArray, known: Sequence[Reading | None]) -> list[Reading | None]:
        """The other direction is read as well, unless it is ``known``, where its lines are laid: whoever never asks it
        lays none.
        """
        line = self._best(epsilon)
        if every(self._state.take(line) == _BESIDE) and (all_of := self._answers(line, epsilon)):
            return [*all_of]
        self._lay(side, line[side])
        found = [*known]
        for i in range(len(line)):
            if found[i] is None and every(self._state.take(line[i]) == _BESIDE):
                found[i] = next(iter(self._answers(line[i : i + 1], epsilon)), None)
        return found

    def _best(self, epsilon: FloatArray) -> IntArray:
        """Which line of each side serves each ``epsilon``, a row for each side; of one place where it is one for all,
        as it often is: then less is looked up.
        """
        line = np.empty((len(self._sides), len(epsilon)), dtype=np.int64)
        for i, own in enumerate(self._sides):
            np.add(own.best(epsilon), self._firsts[i], out=line[i])
        return line[:, :1] if len(epsilon) > 1 and every(line == line[:, :1]) else line

    def _answers(self, line: IntArray, epsilon: FloatArray) -> list[Reading]:
        """Of sides all of whose lines are stacked, all at once; none where the effort does not suffice, or where one by
        one they take less.
        """
        rows, each, alone = self._rows, len(epsilon), None
        if rows.short:
            terms = len(line) * each * rows.sums.shape[2]
        else:
            length = rows.length.take(line)
            alone = _alone(length, len(line) * each)
            terms = each // line.shape[1] * int((length if alone is None else length[~alone]).sum())
        if not (max(terms, len(line) * each) <= _MOST and (terms == 0 or readable(NODE * terms))):
            return []
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            if alone is None:
                told = _told(rows, line, epsilon, _summed(rows, line, epsilon))
            else:
                told = self._told(line, epsilon, alone)
            what = told.what
            b = scaled(what.mantissa, what.error, what.log_scale, told.scale, told.lost)
        sharp, found = b.sharp_places(), list[Reading]()
        whole = every(sharp)
        for i in range(len(line)):
            part = slice(i * each, (i + 1) * each)
            bounds = b.lower[part], b.upper[part], b.log_gap_lower[part], b.log_gap_upper[part]
            bracket = Bracket(*bounds, whole or every(sharp[part]))
            found.append(_Side(bracket, told, part, line[i], rows))
        return found

    def _told(self, line: IntArray, epsilon: FloatArray, alone: BoolArray) -> _Told:
        """What each ``line`` says at its eps, of which some are summed ``alone``."""
        sums, tables = np.empty((2, len(line), len(epsilon))), list[tuple[int, Any, Estimate]]()
        for i, mine in enumerate(line):
            for index, at in _parts(mine, alone[i]):
                own = None if index is None else self._laid[index]
                if own is None:
                    sums[:, i, at] = _summed(self._rows, mine[None, at], epsilon[at])[:, 0]
                elif (plain := own.briefly(epsilon[at])) is not None:
                    sums[0, i, at], sums[1, i, at] = plain
                else:
                    sums[:, i, at] = 0.0
                    tables.append((i, at, own.integrate(epsilon[at])))
        told = _told(self._rows, line, epsilon, sums)
        for i, at, what in tables:
            for of_all, said in zip(told.what, what, strict=True):
                of_all.reshape(sums.shape[1:])[i, at] = said
            told.scale.reshape(sums.shape[1:])[i, at] = np.exp(what.log_scale)
        return told

    def _lay(self, side: int, asked: IntArray) -> None:
        """Those of the ``asked`` that were not laid; what there is no effort for is tried again."""
        for index in sorted(set(asked.tolist())):
            if self._state[index] != _UNLAID:
                continue
            line, tried = self._sides[side].short_line(index - self._firsts[side])
            if line is not None and _stackable(line):
                self._laid[index] = line
                self._state[index] = _BESIDE
                self._rows.put(index, line)
            elif tried:
                self._state[index] = _APART


class _Told(NamedTuple):
    """What lines say, side after side, the scales, and what the law lacks, if anything."""

    what: Estimate
    scale: FloatArray
    lost: FloatArray | None


class _Side(Reading):
    """What one side was told, a ``part`` of all, by a ``line`` for each eps or by one for all of them."""

    __slots__ = ("_line", "_part", "_rows", "_told")

    def __init__(self, bracket: Bracket, told: _Told, part: slice, line: IntArray, rows: _Rows) -> None:
        self._found, self.bracket = None, bracket
        self._told, self._part, self._line, self._rows = told, part, line, rows

    def _put_together(self) -> Estimates:
        what, rows = Estimate(*(column[self._part] for column in self._told.what)), self._rows
        own = rows.terms[16:].take(self._line, axis=1)
        final = rounded(own[1], own[2], what.mantissa, what.error) if rows.blurred else None
        lost, by = np.empty(len(what.error)), np.empty(len(what.error), dtype=np.object_)
        lost[:], by[:] = own[0], rows.lines.take(self._line)
        return Estimates.stated(what, lost, final, by)

    def within(self, enough: float) -> bool:
        what = self._told.what
        return every(what.error[self._part] <= enough * np.abs(what.mantissa[self._part]))

    def slopes(self) -> FloatArray:
        what = self._told.what
        return slopes_of(what.slope[self._part], what.log_scale[self._part])


def _told(rows: _Rows, line: IntArray, epsilon: FloatArray, sums: FloatArray) -> _Told:
    """What ``Line.integrate`` says, each ``line`` at an ``epsilon``, by both ``sums`` over its nodes, which are written
    into. Whoever asks ignores what overflows.
    """
    own = rows.terms.take(line, axis=1)
    each = own[8:16] * epsilon
    each += own[:8]
    told, (value, slope), lost = each.reshape(8, -1), sums.reshape(2, -1), None
    near, far, error, left, scale = np.exp(told[:5])
    value -= near
    value += far
    slope -= far
    error += left
    near += far
    if rows.lost:
        lost = np.empty(sums.shape[1:])
        lost[:] = own[16]
        lost = lost.reshape(-1)
        error += lost * near
    error += told[5]
    near *= told[6]
    error += near
    size = np.abs(value)
    size *= told[7]
    error += size
    what = Estimate(value, slope, error, told[4])
    # where a value is no float, or a slope, its error is none
    return _Told(what if every(np.isfinite(error)) else what.settled(), scale, lost)


def _alone(length: IntArray, count: int) -> BoolArray | None:
    """Which lines of such lengths are summed alone, at so many eps in all: long ones, unless a few are beside short
    ones and of one length, so that they are added in the order in which each is.
    """
    nodes, long = int(length.max()), length > _SHORT
    if nodes <= _SHORT or (nodes <= _LONGEST and nodes * count <= _SPARED and every(length[long] == nodes)):
        return None
    return long


def _parts(line: IntArray, alone: BoolArray) -> list[tuple[int | None, Any]]:
    """Each line that is summed ``alone``, and where; None for all others together."""
    if len(line) == 1:
        return [(int(line[0]) if alone[0] else None, slice(None))]
    beside = (~alone).nonzero()[0]
    own = [(index, (line == index).nonzero()[0]) for index in sorted(set(line[alone].tolist()))]
    return [(None, beside), *own] if len(beside) else [*own]


def _summed(rows: _Rows, line: IntArray, epsilon: FloatArray) -> FloatArray:
    """Both sums over the nodes of each ``line`` at an ``epsilon``."""
    width = rows.sums.shape[2] if rows.short else int(rows.length.take(line).max())
    table = rows.sums if width == rows.sums.shape[2] else rows.sums[:, :, :width]
    found, shared = np.empty((2, len(line), len(epsilon))), line.shape[1] == 1
    few = max(1, (_SHARED if shared else _TOGETHER) // (width * len(line)))
    of_all = table.take(line, axis=1) if shared else None
    for i in range(0, len(epsilon), few):
        part = slice(i, i + few)
        own = table.take(line[:, part], axis=1) if of_all is None else of_all
        cosine, sine = by_half(epsilon[part, None] * own[0])
        terms = cosine * own[1:3]
        terms += sine * own[3:]
        np.add.reduce(terms, axis=-1, out=found[:, :, part])
    return found


def _stackable(line: Line) -> bool:
    """Whether its numbers follow from the same formula as all others' here."""
    return type(line) is Line and line.c > 0.0 and line.masses == (1.0, 1.0) and line.shift == 0.0
