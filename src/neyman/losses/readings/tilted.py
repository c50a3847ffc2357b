"""A tilted law on a grid: what it weighs, where it lies, and the valley behind it in which it may be cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.losses.readings.transform import Moments

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
    high, low = np.maximum.reduce(np.real(a), axis=None), np.minimum.reduce(np.real(log_p), axis=None)
    if high <= _LARGEST and low >= -_LARGEST:
        return np.exp(log_p) * np.expm1(a)
    large = np.real(a) > 1.0
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
        found = [law.tilted(w[i : i + rows]) for i in range(0, len(w), rows)]
    if len(found) == 1:
        return found[0]
    log_a, mean, variance, cut = (np.concatenate(column, axis=-1) for column in zip(*found, strict=True))
    return log_a, mean, variance, cut


class _Law(NamedTuple):
    """Laws on grids, ``p`` what each place weighs, ``off`` how far its loss lies from the mean and ``square`` that
    squared; ``size`` are the sums of the weights and of their squares.
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
    size: tuple[FloatArray, FloatArray]
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
        return cls(x, step, loss, density, ends, p, middle, off, square, (mass, spread), floats)

    def tilted(self, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The moments under some tilts, and where the laws may be cut."""
        end, missing = self.ends
        a = w[:, None] * self.loss
        found, good = self._near(a)
        cut = np.where(w <= end, np.inf, self.x[..., -1])  # of other laws the grid is all there is
        if not good.all():
            rows = (~good).nonzero()
            places, losses, densities = (
                np.broadcast_to(each, a.shape)[rows] for each in (self.x, self.loss, self.density)
            )
            steps = np.broadcast_to(self.step, good.shape)[rows]
            some = _Rows(a[rows], densities + a[rows], losses, densities, steps)
            cut[rows] = some.cut(places, cut[rows])
            for target, value in zip(found, some.moments(missing), strict=True):
                target[rows] = value
        return *found, cut

    def _near(self, a: FloatArray) -> tuple[tuple[FloatArray, FloatArray, FloatArray], BoolArray]:
        """log A, mean and variance from A - 1, by one exponential a place and what the law itself weighs; and where
        that is good: where A is near 1, so that what is added to it drowns nothing, neither e^a nor the density leaves
        the floats, and the tilted law is dead at both ends of its grid.
        """
        more = np.expm1(a)
        more *= self.p
        excess_of_one = np.add.reduce(more, axis=-1)
        log_a = np.log1p(excess_of_one * self.step - self.ends[1])
        total = self.size[0] + excess_of_one
        aside = _against(more, self.off) / total
        variance = (_against(more, self.square) + self.size[1]) / total - aside * aside
        dead = np.log(total / a.shape[-1]) - VALLEY  # a lower bound on the largest weight, less a valley
        good = (np.abs(log_a) < _NEAR) & (variance > 0.0)
        good &= (np.maximum(a[..., 0], a[..., -1]) <= _LARGEST) & self.floats
        good &= (self.density[..., 0] + a[..., 0] < dead) & (self.density[..., -1] + a[..., -1] < dead)
        return (log_a, self.middle + aside, variance), good


class _Rows(NamedTuple):
    """Tilted laws, one a row: exponents ``a`` of the tilt, ``log_weight`` with the density, both of which are changed
    where the law is cut.
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
            some = self.log_weight[which]
            crest = np.maximum.accumulate(some, axis=-1)
            deep = (some < crest - VALLEY) & (x[which] > 0.0)
            ends_at = last - np.argmax(deep[:, ::-1], axis=-1)
            beyond = np.arange(last + 1) > ends_at[:, None]
            self.log_weight[which] = np.where(
                beyond, -math.inf, np.minimum(some, np.take_along_axis(crest, ends_at[:, None], axis=-1))
            )
            self.a[which] = np.where(beyond, 0.0, self.a[which])
            cut = cut.copy()
            cut[which] = np.where(ends_at < last, x[which, ends_at], cut[which])
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
        if near.any():
            log_a[near] = _near_one(self.a[near], self.density[near], self.step[near], missing)
        return log_a, mean, variance


def _near_one(a: FloatArray, density: FloatArray, step: FloatArray, missing: float) -> FloatArray:
    """log A from A - 1, one row for each."""
    sums = np.empty(len(a))
    large = a.max(axis=-1) > 1.0
    for rows in (large, ~large):
        if rows.any():
            density_there = density[rows]
            sums[rows] = excess(density_there, np.minimum(a[rows], _LARGEST - density_there)).sum(axis=-1)
    return np.log1p(sums * step - missing)


def _against(weight: FloatArray, value: FloatArray) -> FloatArray:
    """Sums of weight times value, by a product of a matrix and a vector for each law."""
    return weight @ value if value.ndim == 1 else np.matmul(weight, value.swapaxes(-1, -2))[..., 0]
