"""Polylines of x for sampled Gaussian steps near a segment of a path, in floats: nothing of this is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray
from scipy.special import log_ndtr

from neyman._validate import FloatArray, IntArray
from neyman.witnesses.steps.left import beginning
from neyman_check.errors import NotProved
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.laws.shifted import Shifted
from neyman_check.laws.told import Polyline

__all__ = ["ComplexArray", "Shifter", "Way"]

ComplexArray = NDArray[np.complexfloating[Any]]

_HEIGHTS = 18  # to which a corner of a polyline may rise
_STEEPEST = 2.0  # slope of a polyline
_LOW = 0.8 * math.pi  # in units of s^2: heights left of the branch points
_BULK, _FINE = 1.5, 0.9  # widths of segments, in units of s, and of s^2 near the branch points
_OTHER = 2.5  # the same left of those of the other record, between which ellipses must find room
_STEEP = 0.03  # by how much, beside Im w, an integrand is to fall there
_FAR, _FINER = 300.0, 0.5  # from such w on finer ones about the branch points: balls lose |w| times their size
_OFF = 4.0  # how far left of the branch points, in units of s^2, a polyline begins at least
_STRIP = 11.0  # the same left of them
_WIDTH = 0.15  # of the least ellipse, to either side of a segment, beside its length
_SLOPE = 0.75  # of the ray beyond a polyline that rises at its end
_SPARE = 2.0  # e-folds by which what is beyond it is less
_GROWTH = 1.35  # of neighbouring segments elsewhere
_MOST_CORNERS = 250  # of a polyline: of more there is none
_LONGER = 4  # times that a polyline begins further left
_ELLIPSES = (1.3, 1.6, 2.0, 2.6, 3.5, 5.0, 9.0)  # rho, of each segment's that of fewest nodes
_LOST = 0.4  # e-folds that balls lose, beside those by which an integrand turns on an edge
_CAUTION = 1.0, 1.7, 3.0  # by which the same are multiplied, until the checker agrees
_SURE = 0.8  # how wide, beside its size, a ball of e^loss may be
_ARCS = 32  # of an ellipse
_ROOTS, _MASSES = np.polynomial.legendre.leggauss(6)  # of a look at an edge
_AT, _WEIGHTS = 0.5 + 0.5 * _ROOTS, np.log(0.5 * _MASSES)  # the same on [0, 1], and the logs of the weights


class Way(NamedTuple):
    """A polyline, and log |A(w)| at most at each w that it was laid for."""

    points: ComplexArray
    counts: list[int]
    ellipses: list[float]
    logs: FloatArray

    def written(self) -> dict[str, Any]:
        """As a proof has it."""
        return {
            "points": [[float(p.real), float(p.imag)] for p in self.points],
            "counts": self.counts,
            "ellipses": self.ellipses,
        }


class _Seen(NamedTuple):
    x: FloatArray
    heights: FloatArray  # (corner, height)
    costs: FloatArray  # (edge, from, to, w)
    last: FloatArray  # (edge, ray, to, w)
    alone: FloatArray  # the least of each w
    before: FloatArray  # log of what is left of the polyline


@dataclass(frozen=True)
class Shifter:
    """Of one kind of step."""

    s: float
    q: float
    exchanged: bool
    times: int = 1

    def bend(self, c: float, height: float) -> float:
        """How far right of c a path may be there, if steps that are seen, whose part of e^K is about e^{(z^2 + b z) /
        (2 s^2)}, are to decay half as fast as straight above c.
        """
        half = 0.5 + self.s**2 * math.log(self.q)
        return math.sqrt((c + half) ** 2 + 0.5 * height**2) - half if c + half > 0.0 else math.inf

    def way(self, w: ComplexArray, nats: FloatArray) -> Way | None:
        """Good to e^-``nats`` beside |A| at each w; None where there is none."""
        small = _SPARE
        seen = self._seen(w, float(nats.max()) + small)
        for _ in range(_LONGER):
            if seen is None:
                return None
            left = float((np.maximum(w.real * math.log1p(-self.q), 0.0) - seen.alone).max())  # beside A, left of all
            if left <= small:
                break
            small = left + _SPARE
            seen = self._seen(w, float(nats.max()) + small)
        return None if seen is None else self._chosen(seen, w, nats)

    def _seen(self, w: ComplexArray, nats: float) -> _Seen | None:
        """Corners, their heights, and log of the moduli on edges and rays; None where too many are wanted."""
        x = self._corners(w, nats)
        if x is None:
            return None
        heights = self._heights(x, w, nats)
        costs = self._edges(x, heights, w)
        last = np.stack([self._after(end, w) for end in x[1:, None] + 1j * heights[1:]])
        last[x[1:] < self._branch + self.s**2] = np.inf
        before = self._before(float(x[0]), w)
        alone = np.array([_least(costs[..., k], last[..., k], float(before[k])) for k in range(len(w))])
        return _Seen(x, heights, costs, last, alone, before) if np.isfinite(alone).all() else None

    def _chosen(self, seen: _Seen, w: ComplexArray, nats: FloatArray) -> Way | None:
        """The polyline of which the worst w is best served, with nodes."""
        x, heights, costs, last, alone, before = seen
        unsure = self._unsure(x, heights, w, costs - alone + nats)
        last = np.where((last - alone < -nats - _SPARE).all(axis=-1, keepdims=True), last, np.inf)
        worst, beyond, mass = ((v - alone).max(axis=-1) for v in (costs, last, before))
        whole, chosen = _cheapest(worst, beyond, nats, unsure, heights, float(mass))
        if not math.isfinite(whole):
            return None
        edges = np.arange(len(chosen) - 1)
        points = x[: len(chosen)] + 1j * heights[np.arange(len(chosen)), chosen]
        logs = np.logaddexp(_logsum(costs[edges, chosen[:-1], chosen[1:]]), before)
        for caution in _CAUTION:
            counted = self._counted(points, w, logs - nats - math.log(len(x)), caution)
            if counted is None:
                return None
            found = self._found(Way(points, *counted, logs), w, nats)
            if found is not None:
                return found
        return None

    def _found(self, way: Way, w: ComplexArray, nats: FloatArray) -> Way | None:
        """With what the checker finds; None where that is less sharp than was planned."""
        law = (ExchangedGaussian if self.exchanged else SampledGaussian)(arb(self.s), arb(self.q), 1)
        line = Polyline(
            tuple(acb(p.real, p.imag) for p in way.points.tolist()), tuple(way.counts), tuple(map(arb, way.ellipses))
        )
        try:
            near = Shifted(law, line, False)
            points = [acb(z.real, z.imag) for z in w.tolist()]
            off = np.array([float(near.off(z).log().upper()) for z in points])
            most = np.array([float(near.most(z, arb(0)).log().upper()) for z in points])
        except NotProved:
            return None
        return way._replace(logs=most) if (off <= way.logs - nats + _SPARE).all() else None

    @property
    def _branch(self) -> float:
        return 0.5 + self.s**2 * (math.log1p(-self.q) - math.log(self.q))

    def _first(self, w: ComplexArray, nats: float) -> float:
        """Where a polyline begins: as far right as the series left of it serves every w."""
        low = min(-self.s * math.sqrt(2.0 * nats), -0.6)
        if self.exchanged or not self.q < 1.0:
            return low
        return beginning(self.s, self.q, self.times, w, nats, (low, self._branch - _OFF * self.s**2))

    def _before(self, first: float, w: ComplexArray) -> FloatArray:
        """log of the modulus left of a polyline."""
        if self.exchanged or not self.q < 1.0:
            return np.full(len(w), -np.inf)
        return np.asarray(w.real * math.log1p(-self.q) + log_ndtr(first / self.s))

    def _corners(self, w: ComplexArray, nats: float) -> FloatArray | None:
        s, reach = self.s, self.s * math.sqrt(2.0 * nats)
        square, size, far = s * s, float(np.abs(w).max()), float(w.real.max())
        real = float(w.imag.min()) < far  # the integrand has a summit near the real axis, at w
        fade = square * (math.log(max(size, 1.0)) + 4.0)
        zones = [(self._branch - fade, self._branch + 3.0 * square)]
        if self.exchanged:  # those of the other record
            zones.append((-self._branch - 3.0 * square, -self._branch + fade))
            reach += _BULK * s
        end = max(
            self._branch + square * (math.log(max(size, 1.0)) + 6.0),
            reach,
            far + reach if real else self._branch + 0.75 * far,
        )  # fine: skip
        end = min(end, self._branch + square * self._fallen(w, nats))
        x, width = [self._first(w, nats)], _BULK * s
        while x[-1] < end:
            at = x[-1]
            most = math.inf
            if at < reach or (real and far - reach < at < far + reach):
                most = _BULK * s
            most = min(most, self._near(at, zones, size))
            if real and at < far - reach:
                most = min(most, max(_BULK * s, 0.7 * (far - reach - at)))
            width = min(width * _GROWTH, most)
            x.append(at + width)
            if len(x) > _MOST_CORNERS:
                return None
        return np.array(x)

    def _near(self, at: float, zones: Sequence[tuple[float, float]], size: float) -> float:
        """How long a segment may be for branch points' sake."""
        square, most = self.s**2, math.inf
        for start, stop in zones:
            if start <= at < stop:
                fine = size < _FAR or at < stop - 6.0 * square
                most = min(most, (_FINE if fine else _FINER) * square)
            elif at < start:
                most = min(most, max(_FINE * square, 0.7 * (start - at)), _STRIP * square)  # ellipses within the strip
        if self.exchanged and at < -abs(self._branch):
            most = min(most, _OTHER * square)
        return most

    def _fallen(self, w: ComplexArray, nats: float) -> float:
        """How far right of the branch points, in units of s^2, nothing is left on a rise of the ray's slope."""
        if not float(w.imag.min()) > 0.0:
            return math.inf
        falls = float((_SLOPE * w.imag - w.real).min())
        return (nats + 10.0) / falls + 8.0 if falls > _STEEP * float(w.imag.max()) else math.inf

    def _heights(self, x: FloatArray, w: ComplexArray, nats: float) -> FloatArray:
        """Those that are tried at each corner: below the branch points, and to the right of them up to any."""
        square, omega, far = self.s**2, float(np.abs(w.imag).mean()), float(w.real.max())
        high = 2.0 * _LOW
        if omega > 0.0 and far > 0.0 and float(w.imag.min()) > 0.3 * far:
            high = max(high, min(0.75 * far * far / (omega * square), _SLOPE * self._fallen(w, nats) + math.pi))
        low = min(max(0.2 * omega * self.q / square, 1e-5), 0.05)
        left = np.concatenate([[0.0], np.geomspace(low, 0.999 * _LOW, _HEIGHTS - 1)])
        right = np.concatenate([[0.0], np.geomspace(0.2 * _LOW, high, _HEIGHTS - 1)])
        return square * np.where((x < self._branch + 0.5 * square)[:, None], left, right)

    def _edges(self, x: FloatArray, heights: FloatArray, w: ComplexArray) -> FloatArray:
        """log of the integral of the modulus along each edge between neighbours."""
        a = (x[:-1, None] + 1j * heights[:-1])[:, :, None, None]
        b = (x[1:, None] + 1j * heights[1:])[:, None, :, None]
        loss, rest = self.logs(a + (b - a) * _AT)
        found = np.stack([_logsum(_modulus(loss, rest, z) + _WEIGHTS, -1) for z in w], axis=-1)
        found += np.log(np.abs(b - a))
        steep = np.abs((b - a).imag) > _STEEPEST * (b - a).real + 1e-300
        top = np.maximum(a.imag, b.imag)
        high = (top > _LOW * self.s**2) | (top + _WIDTH * (b - a).real > 0.98 * math.pi * self.s**2)
        left = np.minimum(a.real, b.real) < self._branch + 0.5 * self.s**2
        start = np.zeros(found.shape[:3], dtype=bool)
        start[0, 1:, :] = True
        bad = ((high & left) | (steep & ~left))[..., 0] | start
        found[bad | ~np.isfinite(found).all(axis=-1)] = np.inf
        return found

    def _unsure(self, x: FloatArray, heights: FloatArray, w: ComplexArray, over: FloatArray) -> FloatArray:
        """By how much an edge's integrand may be too large for what balls of it lose."""
        rise = heights[1:, None, :] - heights[:-1, :, None]
        long = np.abs(np.diff(x)[:, None, None] + 1j * rise)
        slope = self._slope(0.5 * (x[1:] + x[:-1]).astype(np.complex128))[:, None, None, None]
        slack = _LOST * long[..., None] / self.s**2 * np.abs(w) * slope
        with np.errstate(invalid="ignore"):
            found = np.maximum(over + slack, 0.0).max(axis=-1)
        return np.where(np.isfinite(found), found, np.inf)

    def logs(self, x: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
        """The loss, and the logarithm of the rest of the integrand; nan past a branch point."""
        one = self._log_g(x, right=True)
        rest = -x * x / (2.0 * self.s**2) - math.log(self.s * math.sqrt(2.0 * math.pi))
        if not self.exchanged:
            return one, rest
        other = self._log_g(-x, right=False)
        return one - other, rest + other

    def _slope(self, x: ComplexArray) -> FloatArray:
        """s^2 times the modulus of the loss's derivative."""
        found = np.abs(1.0 - (1.0 - self.q) * np.exp(-self._log_g(x, right=True)))
        if self.exchanged:
            found = found + np.abs(1.0 - (1.0 - self.q) * np.exp(-self._log_g(-x, right=False)))
        return found

    def _log_g(self, x: ComplexArray, right: bool) -> ComplexArray:
        u = (2.0 * x - 1.0) / (2.0 * self.s**2)
        level = math.log1p(-self.q) - math.log(self.q)
        beside = u.real - level
        past = beside > 0.7 if right else beside < -0.7
        strip = np.abs(u.imag) < math.pi
        with np.errstate(all="ignore"):
            small = np.exp(np.where(beside > 0, level - u, u - level))
            near = np.log1p(self.q * np.expm1(np.where(beside > 2.0, 0.0, u)))
            far_right = math.log(self.q) + u + np.log1p(small)
            far_left = math.log1p(-self.q) + np.log1p(small)
        inner = np.where(beside > 2.0, far_right, near)
        outer = far_right if right else far_left
        return np.where(past, outer, np.where(strip, inner, np.nan))

    def _after(self, last: ComplexArray, w: ComplexArray) -> FloatArray:
        """log of what is beyond a last corner, level or rising."""
        s, x, y = self.s, w.real[None, :], last.imag[:, None]
        end, square = float(last.real[0]), self.s**2
        u = (2.0 * end - 1.0) / (2.0 * square)
        gone = math.exp(min(math.log1p(-self.q) - math.log(self.q) - u, 0.0))
        front = -math.log1p(-min(gone, 1.0 - 1e-12)) * np.abs(w)[None, :] + x * math.log(self.q)
        if self.exchanged:
            front = front + (1.0 - x) * math.log1p(-self.q)
        level = (x * x + y * y - 2.0 * w.imag * y - x) / (2.0 * square) - 0.5 * np.maximum((end - x) / s, 0.0) ** 2
        falling = (end - x + _SLOPE * (w.imag - y)) / s
        here = (y * y - end * end + 2.0 * x * end - 2.0 * w.imag * y - x) / (2.0 * square)
        rising = np.where(falling > 0.0, here - np.log(np.maximum(falling, 1e-300)), np.inf)
        return front + np.stack([level, rising])

    def _counted(
        self, points: ComplexArray, w: ComplexArray, goal: FloatArray, caution: float
    ) -> tuple[list[int], list[float]] | None:
        """Nodes of each segment, with the ellipse of which fewest are wanted."""
        half, middle = 0.5 * np.diff(points)[:, None], 0.5 * (points[1:] + points[:-1])[:, None]
        turn = 2.0 * np.pi * np.arange(_ARCS + 1) / _ARCS
        across, up = np.cos(turn), np.sin(turn)
        wanted = np.full((len(_ELLIPSES), len(half)), np.inf)
        for i, rho in enumerate(_ELLIPSES):
            long, wide = 0.5 * (rho + 1.0 / rho), 0.5 * (rho - 1.0 / rho)
            arc = 0.5 * (long * (across[1:] + across[:-1]) + 1j * wide * (up[1:] + up[:-1]))
            a, b = 0.5 * long * np.abs(np.diff(across)), 0.5 * wide * np.abs(np.diff(up))
            spread = np.abs(half.real) * a + np.abs(half.imag) * b, np.abs(half.real) * b + np.abs(half.imag) * a
            short = self._largest(middle + half * arc, spread, w, goal, caution)
            short += np.log(16.0 / 3.0 * np.abs(half[:, 0])) - math.log1p(-(rho**-2))
            wanted[i] = np.where(np.isfinite(short), np.maximum(short, 0.0) / (2.0 * math.log(rho)), np.inf)
        best = wanted.argmin(axis=0)
        least = wanted.min(axis=0)
        if not (least < 150.0).all():
            return None
        return [max(math.ceil(n), 1) for n in least], [_ELLIPSES[i] for i in best]

    def _largest(
        self, x: ComplexArray, spread: tuple[FloatArray, FloatArray], w: ComplexArray, goal: FloatArray,
        caution: float,
    ) -> FloatArray:  # fmt: skip
        """By how many e-folds the integrand is too large on boxes about x; inf where one meets a branch point."""
        loss, rest = self.logs(x)
        square, both = self.s**2, spread[0] + spread[1]
        grown = math.sqrt(2.0) * (np.exp(np.minimum(spread[0] / square, 9.0)) * (1.0 + spread[1] / square) - 1.0)
        beside = self._slope(x) * grown  # how wide a ball of e^loss is, beside its size
        beyond = x.real - spread[0] - (abs(self._branch) if self.exchanged else self._branch)
        near = (np.abs(x.imag) + spread[1] < 0.999 * math.pi * square) | (beyond > 0.02 * square)
        right = beyond > 0.72 * square
        if self.exchanged:
            behind = -x.real - spread[0] - abs(self._branch) > 0.72 * square
            right = right | (behind & (np.abs(x.imag) + spread[1] < 0.999 * math.pi * square))
        reached = near & (beside < _SURE)
        wide = np.where(right, self._slope(x) * both / square, -np.log1p(-np.minimum(beside, _SURE)))
        short = np.full(len(x), -np.inf)
        for z, least in zip(w, goal, strict=True):
            slack = caution * (abs(z) * wide + np.abs(x) * both / square)
            short = np.maximum(short, (_modulus(loss, rest, z) + slack).max(axis=1) - least)
        return np.where((reached | right).all(axis=1), short, np.inf)


def _modulus(loss: ComplexArray, rest: ComplexArray, w: complex) -> FloatArray:
    return rest.real + w.real * loss.real - w.imag * loss.imag


def _logsum(v: FloatArray, axis: int = 0) -> FloatArray:
    top = np.max(v, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        return np.squeeze(top, axis) + np.log(np.sum(np.exp(v - top), axis=axis))


def _least(costs: FloatArray, last: FloatArray, before: float) -> float:
    """The least log of a sum along a polyline, whatever its ray."""
    known, least = np.full(costs.shape[1], before), math.inf
    for edge, beyond in zip(costs, last, strict=True):
        known = np.logaddexp(known[:, None], edge).min(axis=0)
        least = min(least, float(np.logaddexp(known, beyond.min(axis=0)).min()))
    return least


def _cheapest(
    costs: FloatArray, last: FloatArray, nats: FloatArray, unsure: FloatArray, heights: FloatArray, before: float
) -> tuple[float, IntArray]:
    """The same, and which height each corner has: of those that are hardly more the surest, and the shortest."""
    size = costs.shape[1]
    tie = math.exp(-float(nats.min())) / len(costs)
    known, doubt = np.full(costs.shape[1], before), np.zeros(costs.shape[1])
    back, ends = list[IntArray](), list[tuple[float, float, int, int, int]]()
    for i, edge in enumerate(costs):
        whole, doubts = np.logaddexp(known[:, None], edge), doubt[:, None] + unsure[i]
        rise = heights[i + 1] - heights[i][:, None]
        for beyond, allowed in zip(last[i], (rise == 0.0, rise > 0.0), strict=True):
            ended = np.where(allowed, np.logaddexp(whole, beyond), np.inf)
            near = ended <= ended.min() + tie
            at = int(np.where(near, doubts, np.inf).argmin())
            ends.append((float(ended.flat[at]), float(doubts.flat[at]), i, at // size, at % size))
        near = whole <= whole.min(axis=0) + tie
        chosen = np.where(near, doubts, np.inf).argmin(axis=0)
        back.append(chosen)
        known, doubt = whole[chosen, np.arange(size)], doubts[chosen, np.arange(size)]
    least = min(one[0] for one in ends)
    good = [one for one in ends if one[0] <= least + math.exp(-float(nats.min()))]
    surest = min(one[1] for one in good)
    _, _, i, before, at = next(one for one in good if one[1] <= surest)
    corners = [at, before]
    for row in reversed(back[:i]):
        corners.append(int(row[corners[-1]]))
    return least, np.array(corners[::-1])
