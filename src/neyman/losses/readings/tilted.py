"""A tilted law on a grid: what it weighs, where it lies, and the valley behind it in which it may be cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.losses.readings.transform import Moments
from neyman.numerics.functions.few import every, some

__all__ = ["VALLEY", "Grid", "by_kinds", "excess", "last_valley", "of_each_kind", "tilted_moments"]

VALLEY = 46.0  # e^-46: how small the tilted law must be where it is cut
_LARGEST = 650.0  # of exponents whose sums are floats
_KINDS = np.array([-4096.0, -256.0, -64.0, -16.0, -4.0, 0.0, 1.1, 4.0, 16.0, 64.0, 4096.0])  # tilts where kinds end
_FEW_KINDS = np.array([-64.0, 4.0])  # the same where grids are shorter: steep tilts, whose laws reach far, are apart
_MUCH, _TOO_MUCH = 20_000, 1 << 16  # points of a grid, for all tilts, from which there are few kinds, and many
_NEAR = 0.5  # |log A| up to which it is told from A - 1


def last_valley(log_weight: FloatArray, x: FloatArray) -> Any:
    """Index of the last place, along the last axis, that lies in a valley deep enough to cut in."""
    deep = (log_weight < np.maximum.accumulate(log_weight, axis=-1) - VALLEY) & (x > 0.0)
    return deep.shape[-1] - 1 - np.argmax(deep[..., ::-1], axis=-1)


def excess(log_p: Any, a: Any) -> Any:
    """e^log_p (e^a - 1), also where e^a alone overflows, or e^log_p alone is no float."""
    high, low = np.maximum.reduce(a.real, axis=None), np.minimum.reduce(log_p.real, axis=None)
    if high <= _LARGEST and low >= -_LARGEST:
        return np.exp(log_p) * np.expm1(a)
    large = a.real > 1.0
    with np.errstate(under="ignore"):
        grown = np.exp(np.where(large, log_p + a, -math.inf))
        return np.exp(log_p) * np.where(large, -1.0, np.expm1(np.where(large, 0.0, a))) + grown


class Grid(NamedTuple):
    """Places ``step`` apart between two ends."""

    step: float
    low: float
    top: float

    @property
    def points(self) -> float:
        """How many these are."""
        return (self.top - self.low) / self.step


def by_kinds(
    w: FloatArray, grid: Callable[[FloatArray], Grid], moments: Callable[[FloatArray, Grid], Moments]
) -> Moments:
    """``moments`` of tilts, at once on the ``grid`` that they share where that has not many points, else of each
    kind.
    """

    def parted(w: FloatArray, most: list[float], between: list[FloatArray]) -> Moments:
        shared = grid(w)
        if not between or len(w) * shared.points <= most[0]:
            return moments(w, shared)
        return of_each_kind(w, lambda some: parted(some, most[1:], between[1:]), between[0])

    return parted(w, [_MUCH, _TOO_MUCH], [_FEW_KINDS, _KINDS])


def of_each_kind(w: FloatArray, moments: Callable[[FloatArray], Moments], between: FloatArray = _KINDS) -> Moments:
    """``moments`` of tilts, those of a kind at once, where kinds end at the tilts ``between``: steep ones want finer
    grids, and longer ones, than others.
    """
    kinds = between.searchsorted(w, side="right")
    order = kinds.argsort(kind="stable")
    kinds, ordered = kinds[order], w[order]
    starts = [0, *(1 + (kinds[1:] != kinds[:-1]).nonzero()[0]).tolist(), len(w)]
    found = [moments(ordered[first:last]) for first, last in pairwise(starts)]
    if len(found) == 1:
        return found[0]
    back = np.empty(len(w), dtype=np.int64)
    back[order] = np.arange(len(w))
    columns = ([getattr(one, name) for one in found] for name in ("log_a", "mean", "variance", "cut"))
    return Moments(*(np.concatenate(column, axis=-1)[..., back] for column in columns))


def tilted_moments(
    w: FloatArray,
    x: FloatArray,
    step: Any,
    loss: FloatArray,
    density: FloatArray,
    ends: tuple[Any, float],
    entries: int = 1 << 14,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """log A(w), mean and variance of the loss under the law tilted by each w, on a grid; and where the law may be cut:
    inf where it need not, NaN where the grid does not hold it. ``ends`` are the tilt beyond which the law may rise
    again after the end of the grid, so that it is cut there, and the mass that A lacks.

    Of many laws, each on a grid of its own, ``x``, ``loss`` and ``density`` have shape (laws, 1, places), ``step`` and
    the first of ``ends`` (laws, 1); what is returned has (laws, w). Tables have about as many ``entries`` at most.
    """
    rows = max(1, entries // loss.size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        law = _Law.of(x, step, loss, density, ends)
        found, good = law.near(w, law.sums(w, rows))
        cut = np.where(w <= ends[0], np.inf, x[..., -1])  # of other laws the grid is all there is
        if not every(good):
            for i in range(0, len(w), rows):
                part = (..., slice(i, i + rows))
                law.follow(w[i : i + rows], ~good[part], [one[part] for one in found], cut[part])
    return *found, cut


class _Law(NamedTuple):
    """Laws on grids, ``p`` what each place weighs, ``off`` how far its loss lies from the mean and ``square`` that
    squared; ``mass`` and ``spread`` are the sums of the weights and of their squares.
    """

    x: FloatArray
    step: Any
    loss: FloatArray
    density: FloatArray
    ends: tuple[Any, float]
    p: FloatArray
    middle: FloatArray
    off: FloatArray
    square: FloatArray
    mass: FloatArray
    spread: FloatArray
    floats: BoolArray

    @classmethod
    def of(cls, x: FloatArray, step: Any, loss: FloatArray, density: FloatArray, ends: tuple[Any, float]) -> _Law:
        p = np.exp(density)
        mass = np.add.reduce(p, axis=-1)
        middle = np.add.reduce(p * loss, axis=-1) / mass
        off = loss - middle[..., None]
        square = off * off
        spread = np.add.reduce(p * square, axis=-1)
        floats = (np.minimum.reduce(density, axis=-1) >= -_LARGEST) & (x[..., -1] > 0.0)
        return cls(x, step, loss, density, ends, p, middle, off, square, mass, spread, floats)

    def sums(self, w: FloatArray, rows: int) -> FloatArray:
        """Sums of (e^a - 1) p under each tilt, and of that against ``off`` and ``square``; so many ``rows`` at once."""
        found = np.empty((3, *self.mass.shape[:-1], len(w)))
        for i in range(0, len(w), rows):
            more = w[i : i + rows, None] * self.loss
            np.expm1(more, out=more)
            more *= self.p
            np.add.reduce(more, axis=-1, out=found[0, ..., i : i + rows])
            for value, out in zip((self.off, self.square), found[1:, ..., i : i + rows], strict=True):
                _against(more, value, out)
        return found

    def near(self, w: FloatArray, sums: FloatArray) -> tuple[tuple[FloatArray, FloatArray, FloatArray], BoolArray]:
        """log A, mean and variance from A - 1, by one exponential a place and what the law itself weighs; and where
        that is good: where A is near 1, so that what is added to it drowns nothing, neither e^a nor the density leaves
        the floats, and the tilted law is dead at both ends of its grid.
        """
        excess_of_one, aside, variance = sums
        log_a = np.log1p(excess_of_one * self.step - self.ends[1])
        total = self.mass + excess_of_one
        aside /= total
        variance += self.spread
        variance /= total
        variance -= aside * aside
        dead = np.log(total / self.loss.shape[-1]) - VALLEY  # a lower bound on the largest weight, less a valley
        good = (np.abs(log_a) < _NEAR) & (variance > 0.0)
        first, last = w * self.loss[..., 0], w * self.loss[..., -1]
        good &= (np.maximum(first, last) <= _LARGEST) & self.floats
        good &= (self.density[..., 0] + first < dead) & (self.density[..., -1] + last < dead)
        return (log_a, self.middle + aside, variance), good

    def follow(self, w: FloatArray, bad: BoolArray, found: list[FloatArray], cut: FloatArray) -> None:
        """Write into what was ``found`` of some tilts, and where the laws may be ``cut``, that of the ``bad`` ones."""
        rows = bad.nonzero()
        if not len(rows[0]):
            return
        if self.loss.ndim == 1:
            x, loss, density, step = self.x[None], self.loss[None], self.density[None], np.full(len(rows[0]), self.step)
        else:
            x, loss, density, step = (each[rows[0], 0] for each in (self.x, self.loss, self.density, self.step))
        a = w[rows[-1], None] * loss
        tilted = _Rows(a, density + a, loss, density, step)
        cut[rows] = tilted.cut(x, cut[rows])
        for target, value in zip(found, tilted.moments(self.ends[1]), strict=True):
            target[rows] = value


class _Rows(NamedTuple):
    """Tilted laws, one a row: exponents ``a`` of the tilt, ``log_weight`` with the density, both of which are changed
    where the law is cut; of ``loss`` and ``density`` there is but one row where all are one law's.
    """

    a: FloatArray
    log_weight: FloatArray
    loss: FloatArray
    density: FloatArray
    step: FloatArray

    def cut(self, x: FloatArray, cut: FloatArray) -> FloatArray:
        """Cut each in the last valley that is deep enough, unless it is dead where the grid ends; and where that is:
        NaN where the grid does not hold the law, else ``cut`` where the grid holds all of it.
        """
        log_top, last = np.maximum.reduce(self.log_weight, axis=-1), self.log_weight.shape[-1] - 1
        # with no valley on the way, the tilted law falls for good beyond w: nothing was cut, unless the grid ended
        # before; a law that has left the grid at its lower end is out of reach, too
        held = self.log_weight[:, 0] < log_top - VALLEY
        which = (~((self.log_weight[:, -1] < log_top - VALLEY) & (x[:, -1] > 0.0))).nonzero()[0]
        if len(which):
            some, x = self.log_weight[which], _of(x, which)
            crest = np.maximum.accumulate(some, axis=-1)
            deep = (some < crest - VALLEY) & (x > 0.0)
            ends_at = last - np.argmax(deep[:, ::-1], axis=-1)
            beyond = np.arange(last + 1) > ends_at[:, None]
            each = np.arange(len(which))
            self.log_weight[which] = np.where(beyond, -math.inf, np.minimum(some, crest[each, ends_at][:, None]))
            self.a[which] = np.where(beyond, 0.0, self.a[which])
            cut = cut.copy()
            cut[which] = np.where(ends_at < last, x[each if len(x) > 1 else 0, ends_at], cut[which])
            held[which] &= deep.any(axis=-1)
        return np.where(held, cut, np.nan)

    def moments(self, missing: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """log A, mean and variance of each."""
        peak = np.maximum.reduce(self.log_weight, axis=-1)
        weight = np.exp(self.log_weight - peak[:, None])
        total = np.add.reduce(weight, axis=-1)
        mean = np.add.reduce(weight * self.loss, axis=-1) / total
        off = self.loss - mean[:, None]
        weight *= np.multiply(off, off, out=off)
        variance = np.add.reduce(weight, axis=-1) / total
        log_a = peak + np.log(total * self.step)
        near = np.abs(log_a) < _NEAR
        if some(near):
            log_a[near] = _near_one(self.a[near], _of(self.density, near), self.step[near], missing)
        return log_a, mean, variance


def _of(each: FloatArray, rows: Any) -> FloatArray:
    """These rows, or that which stands for all."""
    return each if len(each) == 1 else each[rows]


def _near_one(a: FloatArray, density: FloatArray, step: FloatArray, missing: float) -> FloatArray:
    """log A from A - 1, one row for each."""
    sums = np.empty(len(a))
    large = a.max(axis=-1) > 1.0
    for rows in (large, ~large):
        if some(rows):
            density_there = _of(density, rows)
            sums[rows] = excess(density_there, np.minimum(a[rows], _LARGEST - density_there)).sum(axis=-1)
    return np.log1p(sums * step - missing)


def _against(weight: FloatArray, value: FloatArray, out: FloatArray) -> None:
    """Write sums of weight times value, by a product of a matrix and a vector for each law."""
    if value.ndim == 1:
        np.matmul(weight, value, out=out)
    else:
        out[:] = np.matmul(weight, value.swapaxes(-1, -2))[..., 0]
