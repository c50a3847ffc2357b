"""A law given by its density alone: integrated once, by Gauss-Legendre in cells that are halved until two rules agree.

The error of a cell is taken to be what the rule of the whole cell and that of its halves differ by, which is that of
the worse of the two. This holds for densities that are smooth between the points stated, and it is an assumption for
all others: a peak that no node has seen is not there. That all mass adds up to 1 is checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.engines.line.laws import LineLaw, Sides, answered, around
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import SLIGHT, UNIT

__all__ = ["DensityLaw"]

_NODES, _WEIGHTS = gauss(16)  # on [-1, 1]; what they err by is seen by halving
_AGREED = 1e-13  # relative: two rules that differ by less are not refined
_MOST_CELLS = 20_000  # of a density at most: one that needs more is refused
_ROUNDS = 70  # a cell halved as often has no float between its ends
_TOTAL = 1e-9  # by which all mass may miss 1
_LEAST = -720.0  # log of a mass at which a tail ends
_EXPONENT = 600.0  # of a scale, at most: e^600 is a float
_CLIMBS = 40  # each looks sixteen times as closely
_DOUBLINGS = 1100  # from 1e-16 of the scale to the largest float
# about each point, where the highest place is looked for
_SOUGHT = np.concatenate([[0.0], np.geomspace(1e-12, 1e12, 385), -np.geomspace(1e-12, 1e12, 385)])


class DensityLaw(LineLaw):
    """The law of a density, or of the log of one, between ``low`` and ``high``; ``points`` are where it bends or jumps.

    Examples
    --------
    >>> law = DensityLaw("p", lambda x: -x, 0.0, np.inf, np.zeros(0), 1e-12)
    >>> bool(abs(law.sides(np.array([1.0])).above[0] - np.exp(-1.0)) < 1e-14)
    True
    """

    def __init__(
        self,
        name: str,
        log_density: Callable[[FloatArray], object],
        low: float,
        high: float,
        points: FloatArray,
        relative: float,
        least: float = -np.inf,
    ) -> None:
        self.name, self.low, self.high, self.least = name, low, high, least
        self._log_density = log_density
        self._edge = self._edges(points)
        mass, error = self._refined()
        self._below = np.append(0.0, np.cumsum(mass))
        self._above = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
        total = math.fsum(mass)
        off = abs(total - 1.0)
        if not off <= _TOTAL:
            raise InvalidParameter(
                name, total, f"a density whose integral over the support is 1 within {_TOTAL:g}",
                "The value is what was found: divide by it, or state in points= where the density bends, jumps or has "
                "a narrow peak.",
            )  # fmt: skip
        self.relative = relative
        self._sum = relative + off + SLIGHT + len(mass) * UNIT
        self._below_error = np.append(0.0, np.cumsum(error))
        self._above_error = np.append(np.cumsum(error[::-1])[::-1], 0.0)
        self._error = error

    def log_density(self, x: FloatArray) -> FloatArray:
        inside = (x >= self.low) & (x <= self.high)
        value = np.full(x.shape, -np.inf)
        if np.any(inside):
            found = answered(self.name, self._log_density, x[inside].ravel()).reshape(x[inside].shape)
            if not bool(np.all(found < np.inf)):  # NaN, too
                at = int(np.argmin(found < np.inf))
                allowed = f"a finite density at {float(x[inside].ravel()[at])!r}"
                raise InvalidParameter(self.name, float(found.ravel()[at]), allowed)
            value[inside] = found
        return value

    def sides(self, x: FloatArray) -> Sides:
        at = np.clip(x, self._edge[0], self._edge[-1])
        cell = np.clip(np.searchsorted(self._edge, at, side="right") - 1, 0, len(self._edge) - 2)
        left, right = self._edge[cell], self._edge[cell + 1]
        below = self._below[cell] + self._mass(left, at)[0]
        above = self._above[cell + 1] + self._mass(at, right)[0]
        inner = self._error[cell]
        errors = self._below_error[cell] + inner + self._sum * below, self._above_error[cell + 1] + inner
        return Sides(
            x, below, above, np.where(x <= self.low, 0.0, errors[0]),
            np.where(x >= self.high, 0.0, errors[1] + self._sum * above),
        )  # fmt: skip

    def places(self) -> FloatArray:
        """The edges of its cells, and three places in each."""
        left, width = self._edge[:-1], np.diff(self._edge)
        return np.concatenate([self._edge, [self.low, self.high], *(left + part * width for part in (0.25, 0.5, 0.75))])

    def _mass(self, start: FloatArray, stop: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of cells, and what the rounding of the nodes does to it: at most what the density varies by, per place."""
        half = 0.5 * (stop - start)
        at = np.clip((start + half)[:, None] + half[:, None] * _NODES, start[:, None], stop[:, None])
        with np.errstate(under="ignore", over="ignore"):
            value = np.exp(self.log_density(at))
            varies = np.sum(np.abs(np.diff(value, axis=1)), axis=1) + np.max(value, axis=1) - np.min(value, axis=1)
            return half * (value @ _WEIGHTS), 4.0 * UNIT * np.maximum(np.abs(start), np.abs(stop)) * varies

    def _edges(self, points: FloatArray) -> FloatArray:
        """Where cells begin: at the points, and about the highest place ever wider ones, until nothing is left."""
        ends = np.array([end for end in (self.low, self.high) if math.isfinite(end)])
        inner = points[(points > self.low) & (points < self.high)]
        if len(ends) == 2:
            found = [ends, around(inner, self.high - self.low), np.linspace(self.low, self.high, 9)]
            return np.unique(np.clip(np.concatenate(found), self.low, self.high))
        base = ends[0] if len(ends) else 0.0
        sought = np.concatenate([base + _SOUGHT, inner, *(one + _SOUGHT for one in inner[:16])])
        sought = np.unique(sought[(sought > self.low) & (sought < self.high)])
        height = self.log_density(sought)
        for _ in range(_CLIMBS):  # the peak between two places that are far apart
            k = int(np.argmax(height))
            closer = np.linspace(sought[max(k - 1, 0)], sought[min(k + 1, len(sought) - 1)], 33)
            sought = np.unique(np.append(closer, sought[k]))
            height = self.log_density(sought)
        peak = int(np.argmax(height))
        if not math.isfinite(height[peak]):
            advice = "State in points= where its mass is."
            raise InvalidParameter(self.name, float(height[peak]), "a density that is above 0 somewhere", advice)
        scale = math.exp(-min(max(float(height[peak]), -_EXPONENT), _EXPONENT))
        found = [sought[peak : peak + 1], ends, np.clip(around(inner, scale), self.low, self.high)]
        for way, last in ((-1.0, self.low), (1.0, self.high)):
            with np.errstate(over="ignore"):
                reach = sought[peak] + way * scale * 2.0 ** np.arange(-3.0, _DOUBLINGS)
            reach = reach[np.isfinite(reach) & (way * reach < way * last)]
            with np.errstate(divide="ignore"):
                left = self.log_density(reach) + np.log(np.abs(reach - sought[peak]))
            # from the last place on at which anything is left
            some = np.flatnonzero(left > _LEAST)
            found.append(reach[: (int(some[-1]) + 2 if len(some) else 1)])
        return np.unique(np.concatenate(found))

    def _refined(self) -> tuple[FloatArray, FloatArray]:
        """The mass of each cell and its error; the edges are laid as densely as that takes."""
        edge = self._edge
        whole, _ = self._mass(edge[:-1], edge[1:])
        done: list[tuple[FloatArray, FloatArray, FloatArray]] = []  # left edges, masses, errors
        left, right = edge[:-1], edge[1:]
        count = 0
        for turn in range(_ROUNDS):
            middle = left + 0.5 * (right - left)
            (first, first_off), (second, second_off) = self._mass(left, middle), self._mass(middle, right)
            both, rounding = first + second, first_off + second_off
            error = np.abs(both - whole)
            narrow = (middle <= left) | (middle >= right) | (turn == _ROUNDS - 1)
            fine = (error <= np.maximum(_AGREED * both, rounding)) | narrow
            done.append((left[fine], both[fine], error[fine] + rounding[fine] + 16.0 * UNIT * both[fine]))
            count += int(np.sum(fine))
            open_ = ~fine
            if not np.any(open_):
                break
            if count + 2 * int(np.sum(open_)) > _MOST_CELLS:
                raise InvalidParameter(
                    self.name, f"one that {_MOST_CELLS} cells do not tell", "a density smooth between few points",
                    "State in points= where it bends or jumps; give its log (log=True) where it spans many decades.",
                )  # fmt: skip
            whole = np.concatenate([first[open_], second[open_]])
            at = middle[open_]
            left, right = np.concatenate([left[open_], at]), np.concatenate([at, right[open_]])
        starts, masses, errors = (np.concatenate([part[i] for part in done]) for i in range(3))
        order = np.argsort(starts, kind="stable")
        self._edge = np.append(starts[order], edge[-1])
        return masses[order], errors[order]
