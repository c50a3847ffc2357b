"""The bins of a loss that is known by two distribution functions in floats: what their rounding hides is paid for.

Of one direction with the loss x, own law A and the other's B, dB = e^-x dA, what composes is

    C(x) = A(L > x) - e^x B(L > x).

Functions that are off by r, as near 1 those of floats are, make it wrong by r + r e^x; B of a bin is clipped between
e^{-x - h} A and e^-x A, which adds the sum c of what is clipped: r + (r + c) e^x. (Inside a bin, too: some law with its
masses is wrong by no more, the true one with a part of the bin moved to an end.) As a function of y = e^x that is
straight, and C is convex, so that

    max(0, C - r - (r + c) y)

is the C of a law again, and nowhere above the truth. It has the same bins as far as C is above r + (r + c) y; in the
bin where it no longer is, it has all that is left: A(L > x) - r of its own and B(L > x) + r + c of the other's. What
it is below the truth, at most 2 (r + (r + c) y) at the end of that bin, counts as revealed from above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["ROUNDED", "CustomSplit"]

ROUNDED = 4.0 * UNIT  # of a value of such a function: what "right to float64" means, and its class says
_ROOM = 1.01  # certifies: times what is summed over all bins, whose rounding is far less than a hundredth of it


@dataclass(frozen=True)
class CustomSplit:
    """Own masses at the lower and the upper end of each bin, in the order of rising losses; the own mass that counts as
    revealed, and the other's that may be too much; and by how much the two functions contradict each other beyond
    their rounding.
    """

    lower: FloatArray
    upper: FloatArray
    revealed: float
    other_off: float
    contradiction: float

    @classmethod
    def of(cls, edge: FloatArray, h: float, own: FloatArray, other: FloatArray) -> CustomSplit:
        """``own`` and ``other``: at each edge the mass from there on, falling; at the last that of an outcome there."""
        n, r, fall = len(edge) - 1, 4.0 * ROUNDED, -math.expm1(-h)
        mass, given = -np.diff(own), -np.diff(other)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            y = np.exp(edge)
            most = mass / y[:-1]
            seen = np.clip(given, most * math.exp(-h), most)
            clipped = np.append(0.0, np.cumsum(np.abs(seen - given)))
            c = own - y * other
            off = r + (r + clipped[:-1]) * y[1:]
            off[-1] = max(off[-1], c[-1])
            best = int(np.argmax(c[1:] <= off))  # of the last edge c is nothing but the rounding
            less = r + float(clipped[best])
            known = np.flatnonzero(c[: best + 1] >= r + less * y[: best + 1])
            upper = np.clip((mass - y[:-1] * seen) / fall, 0.0, mass)
        contradiction = _apart(edge, h, own, other)
        if not (len(known) and h < 1.0 and math.isfinite(float(y[known[-1] + 1]))):  # floats know nothing
            return cls(np.zeros(n), np.zeros(n), 1.0, 1.0, contradiction)
        last = int(known[-1])
        lower = mass - upper
        lower[last:], upper[last:] = 0.0, 0.0
        rest, beside = float(own[last]) - r, float(other[last]) + less
        upper[last] = min(max((rest - float(y[last]) * beside) / fall, 0.0), rest)
        lower[last] = rest - upper[last]
        revealed = 2.0 * _ROOM * (r + less * float(y[last + 1]))
        return cls(lower, upper, revealed, _ROOM * (less + float(clipped[last])), contradiction)


def _apart(edge: FloatArray, h: float, own: FloatArray, other: FloatArray) -> float:
    """By how much, at most, B contradicts A between two edges, as C has it, beyond rounding."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        most = -np.diff(own) / np.exp(edge[:-1])
        ours = np.append(np.cumsum(most[::-1])[::-1], 0.0)
        theirs = other - other[-1]
        off = np.maximum(theirs - ours, math.exp(-h) * ours - theirs) - 16.0 * ROUNDED
        return float(np.max(np.minimum(np.maximum(off, 0.0) * np.exp(edge), own)))
