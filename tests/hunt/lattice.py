"""Any composition of few steps, in balls: a test from below, dominated by a law on a lattice from above.

The outputs of a step are parted into bins. From below: every bin is given a whole score, and "the scores of all steps
add up to s or more" is a test like any other, whatever the scores; its two error rates are coefficients of powers of
polynomials. From above: the two masses of a bin, whose losses lie in [i h, k h], are those of a law on these two
points, which is at least as easy to tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb, arb_poly, ctx

from tests.hunt.pairs import Balls, Pair, clipped
from tests.hunt.steps import Bin

__all__ = ["Lattice", "TooLong"]

BITS = 160
LONGEST = 8000
"""Points of the composed lattice."""
_SLACK = 1e-9
"""By how many h an end of a bin may lie beyond its point; counted."""


class TooLong(RuntimeError):
    """The lattice would need more points than allowed."""


@dataclass(frozen=True)
class _Law:
    """Masses by whole number, the first at ``first``."""

    first: int
    masses: arb_poly

    def power(self, times: int) -> _Law:
        return _Law(self.first * times, self.masses**times)

    def times(self, other: _Law) -> _Law:
        return _Law(self.first + other.first, self.masses * other.masses)


class Lattice(Pair):
    """Steps given by their bins at a spacing, each with its count."""

    def __init__(self, steps: Sequence[tuple[Callable[[float], list[Bin]], int]], widths: Sequence[float],
                 longest: int = LONGEST) -> None:  # fmt: skip
        """``widths``: how far the losses of each step reach from end to end."""
        whole = sum(width * times for width, (_, times) in zip(widths, steps, strict=True))
        count = sum(times for _, times in steps)
        if not count < longest / 8:
            raise TooLong(f"{count} steps")
        self.h = max(whole, 1e-300) / (longest - 4 * count)
        self.steps = steps
        self.count = count

    @cached_property
    def _laws(self) -> tuple[_Law, _Law, _Law, _Law, arb, arb]:
        """P and Q of the dominating lattice, P and Q of the scores, and the masses of P and Q beyond every loss."""
        found: list[_Law] | None = None
        hidden = [arb(1), arb(1)]
        for bins, times in self.steps:
            laws, lost = _discretised(bins(self.h), self.h)
            hidden = [a * (1 - b) ** times for a, b in zip(hidden, lost, strict=True)]
            powers = [law.power(times) for law in laws]
            found = powers if found is None else [a.times(b) for a, b in zip(found, powers, strict=True)]
        assert found is not None
        return (*found, 1 - hidden[0], 1 - hidden[1])

    @cached_property
    def _upper(self) -> tuple[_Sums, _Sums]:
        p, q, _, _, _, _ = self._laws
        step = arb(self.h)
        return _Sums.of(p, lambda s: (-step * s).exp(), True), _Sums.of(q, lambda s: (step * s).exp(), False)

    @cached_property
    def _lower(self) -> tuple[list[arb], list[arb], list[arb], list[arb], int]:
        _, _, p, q, _, _ = self._laws
        a, b = _coefficients(p, q)
        return _from_above(a), _from_above(b), _from_below(a), _from_below(b), p.first

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """From below by a threshold of the scores, from above by the dominating lattice."""
        with ctx.workprec(BITS):
            upper = self._from_above(epsilon, add)
            lower = self._from_below(epsilon, add)
        return clipped(lower, upper, epsilon)

    def _from_above(self, epsilon: arb, add: bool) -> arb:
        beyond = self._laws[5 if add else 4]
        shift = arb(self.count) * _SLACK * self.h
        at = float(((-epsilon if add else epsilon) / self.h).mid())
        room = float(self.count) * _SLACK + 1.0
        sums = self._upper[1 if add else 0]
        # every point that may count is inside; terms that are negative are left out by taking the best of near cuts
        best = arb(0)
        for s in range(int(at - room) - 2, int(at + room) + 4):
            mass, tilted = sums.at(s)
            best = best.max(mass - (epsilon - shift).exp() * tilted)
        return best + beyond

    def _from_below(self, epsilon: arb, add: bool) -> arb:
        p_up, q_up, p_down, q_down, first = self._lower
        at = int(float(((-epsilon if add else epsilon) / self.h).mid())) - first
        best = arb(0)
        for s in range(at - 3, at + 5):
            i = min(max(s, 0), len(p_up) - 1)
            value = q_down[i] - epsilon.exp() * p_down[i] if add else p_up[i] - epsilon.exp() * q_up[i]
            best = best.max(value)
        return best


@dataclass(frozen=True)
class _Sums:
    """Masses from a point on (upwards or downwards), and the same masses times e^-+loss."""

    first: int
    upwards: bool
    masses: list[arb]
    tilted: list[arb]

    @classmethod
    def of(cls, law: _Law, weight: Callable[[int], arb], upwards: bool) -> _Sums:
        masses = law.masses.coeffs()
        tilted = [m * weight(law.first + i) for i, m in enumerate(masses)]
        add_up = _from_above if upwards else _from_below
        return cls(law.first, upwards, add_up(masses), add_up(tilted))

    def at(self, s: int) -> tuple[arb, arb]:
        """From s upwards; or from s downwards."""
        i = min(max(s - self.first + (0 if self.upwards else 1), 0), len(self.masses) - 1)
        return self.masses[i], self.tilted[i]


def _from_above(values: Sequence[arb]) -> list[arb]:
    """Entry i: the sum from i on; one more entry, 0."""
    found = [arb(0)]
    for value in reversed(values):
        found.append(found[-1] + value)
    return found[::-1]


def _from_below(values: Sequence[arb]) -> list[arb]:
    """Entry i: the sum of the entries before i."""
    found = [arb(0)]
    for value in values:
        found.append(found[-1] + value)
    return found


def _coefficients(p: _Law, q: _Law) -> tuple[list[arb], list[arb]]:
    a, b = p.masses.coeffs(), q.masses.coeffs()
    n = max(len(a), len(b))
    return a + [arb(0)] * (n - len(a)), b + [arb(0)] * (n - len(b))


def _discretised(bins: list[Bin], h: float) -> tuple[tuple[_Law, _Law, _Law, _Law], tuple[arb, arb]]:
    step, slack = arb(h), arb(h) * _SLACK
    tables: list[dict[int, arb]] = [{}, {}, {}, {}]
    lost = [arb(0), arb(0)]

    def put(which: int, at: int, mass: arb) -> None:
        tables[which][at] = tables[which].get(at, arb(0)) + mass

    for p, q, low, high in bins:
        if low is None or high is None:
            end = high if low is None else low
            at = round(float((end / step).mid()))
            lost = [lost[0] + p, lost[1]] if high is None else [lost[0], lost[1] + q]
            # the other direction's mass is moved to where it tells more
            put(0 if low is None else 1, at + (1 if low is None else -1), p if low is None else q)
            put(2, at, p)
            put(3, at, q)
            continue
        i, k = int(float((low / step).floor().mid())) - 1, int(float((high / step).ceil().mid())) + 1
        while low >= (i + 1) * step - slack:
            i += 1
        while high <= (k - 1) * step + slack:
            k -= 1
        middle = round(float(((low + high) / (2 * step)).mid()))
        put(2, middle, p)
        put(3, middle, q)
        if i >= k:
            put(0, k, p)
            put(1, i, q)
            continue
        a, b = (i * step - slack).exp(), (k * step + slack).exp()
        above = (p - a * q) / (b - a)
        put(0, k, b * above)
        put(0, i, p - b * above)
        put(1, k, above)
        put(1, i, q - above)
    first = min(min(t) for t in tables if t)
    last = max(max(t) for t in tables if t)
    laws = [_Law(first, arb_poly([t.get(i, arb(0)) for i in range(first, last + 1)])) for t in tables]
    return (laws[0], laws[1], laws[2], laws[3]), (lost[0], lost[1])
