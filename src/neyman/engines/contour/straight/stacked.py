"""The short lines of both directions side by side: one sum answers every eps of either, to the last bit as each does.

K_add(c) = K_remove(-1 - c), so that whoever asks one direction asks the other at the same eps next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.estimate import Estimate, Estimates, Reading, scaled
from neyman.engines.contour.straight.line import Line, rounded
from neyman.engines.contour.straight.reading import NODE
from neyman.numerics.sums.turns import by_tangent
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
_TOGETHER = 1 << 11  # entries of a table: of more, memory is taken from the system and given back each time
_UNLAID, _APART, _BESIDE = 0, 1, 2  # lines: not laid yet, to be asked by themselves, stacked


class _Rows(NamedTuple):
    """The numbers of all lines, a column for each; those of lines that are not stacked are of no meaning."""

    terms: FloatArray  # start and rise of each of eight; lost, wobble, mass
    sums: FloatArray  # line, one of five, node: of those that are stacked
    length: IntArray  # nodes, of which more are zeros
    short: bool  # whether all lines are
    blurred: bool  # whether the rounding of the law itself is to be told apart in some


class StackedLines:
    """The chosen lines of one direction or of both, laid when first needed."""

    def __init__(self, sides: Sequence[StraightLines]) -> None:
        self._sides = sides
        self._firsts = [0, *accumulate(len(side.stands) for side in sides)]
        count = self._firsts.pop()
        self._state = np.zeros(count, dtype=np.int64)
        self._laid: dict[int, Line] = {}
        self._lines = np.empty(count, dtype=np.object_)  # the same
        self._rows: _Rows | None = None
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
        of = [own.best(epsilon) + first for own, first in zip(self._sides, self._firsts, strict=True)]
        line = of[0] if len(of) == 1 else np.concatenate(of)
        if self._state[line].min() == _BESIDE and (all_of := self._answers(line, epsilon)):
            return [*all_of]
        self._lay(side, of[side])
        found = [*known]
        for i, asked in enumerate(of):
            if found[i] is None and self._state[asked].min() == _BESIDE:
                found[i] = next(iter(self._answers(asked, epsilon)), None)
        return found

    def _answers(self, line: IntArray, epsilon: FloatArray) -> list[Reading]:
        """Of sides all of whose lines are stacked, all at once: an index for each eps and side; none where the effort
        does not suffice, or where one by one they take less.
        """
        rows, count, alone = self._rows or self._table(), len(epsilon), None
        if rows.short:
            terms = len(line) * rows.sums.shape[2]
        else:
            length = rows.length[line]
            alone = _alone(length)
            terms = int((length if alone is None else length[~alone]).sum())
        if not (max(terms, len(line)) <= _MOST and (terms == 0 or readable(NODE * terms))):
            return []
        at = epsilon if len(line) == count else np.concatenate([epsilon, epsilon])
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            if alone is None:
                told, scale, kept = _told(rows, line, at, _summed(rows, line, at))
            else:
                told, scale, kept = self._told(line, at, alone)
            b = scaled(told.mantissa, told.error, told.log_scale, scale, kept[0])
        final = rounded(kept[1], kept[2], told.mantissa, told.error) if rows.blurred else None
        all_of = Estimates.stated(told, kept[0], final, self._lines[line])
        good = b.sharp_places()
        found: list[Reading] = []
        for first in range(0, len(line), count):
            part = slice(first, first + count)
            bounds = b.lower[part], b.upper[part], b.log_gap_lower[part], b.log_gap_upper[part]
            found.append(Reading(all_of, Bracket(*bounds, bool(good[part].all())), part))
        return found

    def _told(self, line: IntArray, epsilon: FloatArray, alone: BoolArray) -> tuple[Estimate, FloatArray, FloatArray]:
        """What each ``line`` says at an ``epsilon``, of which some are summed ``alone``."""
        rows, short, sums = self._table(), (~alone).nonzero()[0], np.empty((2, len(line)))
        if len(short):
            sums[:, short] = _summed(rows, line[short], epsilon[short])
        tables: list[tuple[IntArray, Estimate]] = []
        for index in _distinct(line[alone]):
            own, mine = self._laid[index], (line == index).nonzero()[0]
            plain = own.briefly(epsilon[mine])
            sums[:, mine] = 0.0 if plain is None else plain
            if plain is None:
                tables.append((mine, own.integrate(epsilon[mine])))
        told, scale, kept = _told(rows, line, epsilon, sums)
        for mine, what in tables:
            for of_all, said in zip(told, what, strict=True):
                of_all[mine] = said
            scale[mine] = np.exp(what.log_scale)
        return told, scale, kept

    def _lay(self, side: int, asked: IntArray) -> None:
        """Those of the ``asked`` that were not laid; what there is no effort for is tried again."""
        for index in np.unique(asked[self._state[asked] == _UNLAID]):
            line, tried = self._sides[side].short_line(int(index) - self._firsts[side])
            if line is not None and _stackable(line):
                self._laid[int(index)] = self._lines[index] = line
                self._state[index], self._rows = _BESIDE, None
            elif tried:
                self._state[index] = _APART

    def _table(self) -> _Rows:
        """The numbers of those that are laid."""
        if self._rows is None:
            few = {i: line for i, line in self._laid.items() if line.sums.shape[1] <= _LONGEST}
            longest = max((line.sums.shape[1] for line in few.values()), default=0)
            count = len(self._state)
            terms, sums = np.zeros((19, count)), np.zeros((count, 5, longest))
            length = np.zeros(count, dtype=np.int64)
            for i, line in self._laid.items():
                terms[:16, i] = np.concatenate(line.terms)
                terms[16:, i] = line.lost, line.wobble, line.mass
                length[i] = line.sums.shape[1]
            for i, line in few.items():
                sums[i, :, : length[i]] = line.sums
            blurred = any(line.blurred for line in self._laid.values())
            self._rows = _Rows(terms, sums, length, bool((length <= _SHORT).all()), blurred)
        return self._rows


def _told(
    rows: _Rows, line: IntArray, epsilon: FloatArray, sums: FloatArray
) -> tuple[Estimate, FloatArray, FloatArray]:
    """What ``Line.integrate`` says, each ``line`` at an ``epsilon``, by both ``sums`` over its nodes; the scales, and
    what the law has lost, wobble and mass. Whoever asks ignores what overflows.
    """
    own = rows.terms[:, line]
    told = own[8:16] * epsilon
    told += own[:8]
    near, far, right, left, scale = np.exp(told[:5])
    found, both = np.empty((3, len(line))), near + far
    value, error = np.subtract(sums[0], near, out=found[0]), np.add(right, left, out=found[2])
    value += far
    np.subtract(sums[1], far, out=found[1])
    error += own[16] * both
    error += told[5]
    error += told[6] * both
    error += told[7] * np.abs(value)
    what = Estimate(value, found[1], error, told[4])
    return what if np.isfinite(found).all() else what.settled(), scale, own[16:]


def _alone(length: IntArray) -> BoolArray | None:
    """Which lines of such lengths are summed alone: long ones, unless a few are beside short ones and of one length, so
    that they are added in the order in which each is.
    """
    nodes, long = int(length.max()), length > _SHORT
    if nodes <= _SHORT or (nodes <= _LONGEST and nodes * len(length) <= _SPARED and (length[long] == nodes).all()):
        return None
    return long


def _summed(rows: _Rows, line: IntArray, epsilon: FloatArray) -> FloatArray:
    """Both sums over the nodes of each ``line`` at an ``epsilon``."""
    width = rows.sums.shape[2] if rows.short else int(rows.length[line].max())
    found, few = np.empty((2, len(line))), max(1, _TOGETHER // width)
    for i in range(0, len(line), few):
        part = slice(i, i + few)
        own = rows.sums[line[part]] if rows.short else rows.sums[:, :, :width][line[part]]
        cosine, sine = by_tangent(epsilon[part, None] * own[:, 0])
        terms = cosine[:, None] * own[:, 1::2]
        terms += sine[:, None] * own[:, 2::2]
        found[:, part] = terms.sum(axis=2).T
    return found


def _distinct(index: IntArray) -> list[int]:
    """The different ones of these, as a rule one."""
    return [int(index[0])] if (index == index[0]).all() else np.unique(index).tolist()


def _stackable(line: Line) -> bool:
    """Whether its numbers follow from the same formula as all others' here."""
    return type(line) is Line and line.c > 0.0 and line.masses == (1.0, 1.0) and line.shift == 0.0
