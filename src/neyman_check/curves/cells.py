"""Whether delta stays on one side of a Gaussian's, or of a straight line in e^eps, on an interval of eps, cell by cell
(docs/proofs/cells.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from flint import arb, arb_poly

from neyman_check.curves.cell import Cell, bell
from neyman_check.laws.base import EXP

__all__ = ["Cells", "Gap"]

_TRIES = 400  # intervals, of one question

_Key = tuple[bool, int]


class Gap(NamedTuple):
    """sum of a_j y^j + sum of k e^{g y}, less ``off``, on -1 <= y <= 1."""

    series: arb_poly
    growing: Sequence[tuple[arb, arb]]
    off: arb

    def least(self, first: arb, last: arb) -> arb:
        """At least, on an interval: Lemma C3."""
        middle = ((first + last) / 2).mid()
        half = (last - middle).max(middle - first).upper()
        found = list(self.series(arb_poly([middle, half])))
        found += [arb(0)] * (3 - len(found))
        off = self.off
        for factor, rate in self.growing:
            term, by = factor * (rate * middle).exp(), rate * half
            off += abs(term) * beyond(abs(by), len(found))
            for j in range(len(found)):
                found[j] += term
                term = term * by / (j + 1)
        flat, slope, bend, *others = found
        off += sum((abs(x) for x in others), arb(0))
        return (_least(flat, abs(slope), bend) - off).lower()


def beyond(by: arb, terms: int) -> arb:
    """What so many terms of e^{by y} leave, |y| <= 1, by >= 0."""
    return by.exp() * by**terms / arb(terms + 1).gamma()


def _least(flat: arb, slope: arb, bend: arb) -> arb:
    """Of flat + slope y + bend y^2, slope >= 0, on -1 <= y <= 1."""
    low = flat - slope - abs(bend)
    if bend > 0:
        low = low.max(flat - slope * slope / (4 * bend))
    if slope >= 2 * abs(bend):
        low = low.max(flat - slope + bend)
    return low


class Cells:
    """Of a mechanism: by direction, and which directions count at eps >= 0 and, reversed, at eps < 0."""

    def __init__(
        self,
        cells: Mapping[bool, Sequence[Cell]],
        ahead: Sequence[bool],
        behind: Sequence[bool],
        spend: Callable[[int], None],
    ) -> None:
        self._cells, self._ahead, self._behind, self._spend = cells, ahead, behind, spend
        self._ends = {(way, i): one.ends for way, found in cells.items() for i, one in enumerate(found)}
        self._bells: dict[tuple[_Key, object], tuple[list[arb], arb]] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(self._cells.values())

    def hold(self, mu: arb, first: arb, last: arb, less: bool, value: arb) -> bool:
        """Whether delta - delta_mu <= value (1 + e^eps) at first <= eps <= last; for ``less`` delta_mu - delta."""
        if not (mu > 0 and mu.is_exact()):
            return False

        def gap(key: _Key) -> Gap:
            return self._gap(key, mu, less, value)

        return self._both(first, last, less, gap, gap)

    def under(self, alpha: arb, beta: arb, first: arb, last: arb) -> bool:
        """Whether 1 - delta - e^eps alpha <= beta at first <= eps <= last."""

        def gap(key: _Key) -> Gap:
            return self._above_line(key, alpha, beta)

        def reversed_gap(key: _Key) -> Gap:
            return self._above_line(key, beta, alpha)

        return self._both(first, last, True, gap, reversed_gap)

    def delta(self, epsilon: arb) -> tuple[arb, arb] | None:
        """Bounds at an eps of either sign, where cells of all directions that count hold it."""
        ways, size = (self._behind, -epsilon) if epsilon < 0 else (self._ahead, epsilon)
        found: list[tuple[arb, arb]] = []
        for way in ways:
            self._spend(2 * len(self._ends))
            holds = (key for key, (a, b) in self._ends.items() if key[0] == way and a <= size and size <= b)
            key = next(holds, None)
            if key is None:
                return None
            self._spend(len(self._cell(key).coefficients) + 2 * EXP)
            found.append(_at(self._cell(key), size))
        lower, upper = found[0]
        for low, high in found[1:]:
            lower, upper = lower.max(low), upper.max(high)
        if epsilon < 0:
            t = epsilon.exp()
            lower, upper = 1 - t + t * lower, 1 - t + t * upper
        return lower.lower(), upper.upper()

    def _both(
        self, first: arb, last: arb, any_way: bool, gap: Callable[[_Key], Gap], reversed_gap: Callable[[_Key], Gap]
    ) -> bool:
        """At either sign of eps; of two directions one decides where delta is to be large, else each must."""
        if not (self and first.is_finite() and last.is_finite()):
            return False
        first, last = first.lower(), last.upper()
        sides: list[tuple[Sequence[bool], arb, arb, Callable[[_Key], Gap]]] = []
        if last >= 0:
            sides.append((self._ahead, first.max(arb(0)), last, gap))
        if first < 0:
            sides.append((self._behind, (-last).max(arb(0)), -first, reversed_gap))
        return all(
            self._covered(group, a, b, found)
            for ways, a, b, found in sides
            for group in ([ways] if any_way else [(way,) for way in ways])
        )

    def _covered(self, ways: Sequence[bool], first: arb, last: arb, gap_of: Callable[[_Key], Gap]) -> bool:
        """Interval by interval, halved where no cell decides."""
        keys = [key for key in self._ends if key[0] in ways]
        gaps: dict[_Key, Gap] = {}

        def decided(a: arb, b: arb) -> bool | None:
            """Whether some cell decides; None where none holds it."""
            self._spend(2 * len(keys) + EXP)
            around = [key for key in keys if self._ends[key][0] <= a and b <= self._ends[key][1]]
            for key in around:
                gaps[key] = gaps[key] if key in gaps else gap_of(key)
            return any(self._decides(key, gaps[key], a, b) for key in around) if around else None

        left = [(first, last)]
        for _ in range(_TRIES):
            a, b = left.pop()
            found = decided(a, b)
            if not found:
                middle = self._furthest(keys, a) if found is None else ((a + b) / 2).mid()
                # what is not decided at one place is not on any interval around it
                if not (a < middle and middle < b and decided(middle, middle)):
                    return False
                left += [(middle, b), (a, middle)]
            if not left:
                return True
        return False

    def _decides(self, key: _Key, gap: Gap, first: arb, last: arb) -> bool:
        cell = self._cell(key)
        self._spend(EXP * len(cell.coefficients))
        return bool(gap.least((first - cell.centre) / cell.radius, (last - cell.centre) / cell.radius) >= 0)

    def _cell(self, key: _Key) -> Cell:
        return self._cells[key[0]][key[1]]

    def _furthest(self, keys: Sequence[_Key], at: arb) -> arb:
        """The last end of those that hold ``at``."""
        found = at
        for start, end in (self._ends[key] for key in keys):
            if start <= at and end > found:
                found = end.lower()
        return found

    def _gap(self, key: _Key, mu: arb, less: bool, value: arb) -> Gap:
        """value (1 + e^eps) less the difference, times e^{tilt x}."""
        cell, name = self._cell(key), (key, mu.man_exp())
        if name not in self._bells:
            self._spend(20 * len(cell.coefficients) + 10 * EXP)
            self._bells[name] = bell(mu, cell.centre, cell.radius, cell.tilt, len(cell.coefficients))
        other, off = self._bells[name]
        sign = -1 if less else 1
        series = arb_poly([sign * (g - a) for g, a in zip(other, cell.coefficients, strict=True)])
        return Gap(series, _growing(cell, value - sign * cell.constant, value), (off + cell.off).upper())

    def _above_line(self, key: _Key, alpha: arb, beta: arb) -> Gap:
        """delta - (1 - beta - e^eps alpha), times e^{tilt x}."""
        cell = self._cell(key)
        return Gap(arb_poly(list(cell.coefficients)), _growing(cell, cell.constant - 1 + beta, alpha), cell.off)


def _at(cell: Cell, epsilon: arb) -> tuple[arb, arb]:
    """Bounds of its delta there."""
    x = epsilon - cell.centre
    back = (-cell.tilt * x).exp()
    value = arb_poly(list(cell.coefficients))(x / cell.radius) * back + cell.constant
    return value - cell.off * back, value + cell.off * back


def _growing(cell: Cell, constant: arb, rising: arb) -> list[tuple[arb, arb]]:
    """(constant + rising e^eps) e^{tilt x}."""
    rate = cell.tilt * cell.radius
    return [(constant, rate), (rising * cell.centre.exp(), rate + cell.radius)]
