"""The loss of a Laplace step: two atoms, and between them one smooth piece, or two mirrored ones.

With d = 1 / b and t(x) = (|x| - |x - 1|) / b in [-d, d], the law F_0 has the mass 1/2 at t = -d, e^{-d} / 2 at t = d
and between them the density e^{-(t + d) / 2} / 4. The loss is m(t) = log(1 - q + q e^t); when a record is exchanged it
is m(t) - m(-d) where x > 0, and minus that, mirrored, where x < 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.bins import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.readings.smooth_bins import QUADRATURE, smooth_bins
from neyman.losses.sampling import MIXED_ERROR, above, above_error, mixed
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["LaplaceLaw", "Piece"]

_SAME = 1e-12  # relative distance at which the upper atom is moved onto an edge
_LOOK = 300  # points of a look at the law, from either end
_STEEP = 1.0  # variation of a bin's density from which the optimistic law is not made by lowering its chord
_GATHERED, _ROUNDS = 2, 60  # bins at the lower end that are gathered at their mean; steps towards that, at most
_BESIDE = 1e-4  # share of all losses next to the lower atom where what lies between points lies near that
_DEPTH = 60.0  # -log of the tilted mass that a step may leave out of sight
_NEAREST = 1e-9  # of all losses: the first point of a look
_ROUNDED = 64.0 * UNIT  # certifies: of a mean of losses, relative


@dataclass(frozen=True, slots=True)
class Piece:
    """t in (-d, d) with loss ``sign`` (m(t) - ``level``) and log density ``log_weight`` - (t + d) / 2 under Q, plus
    m(t) where the loss is mirrored.
    """

    d: float
    rate: float
    sign: float
    level: float
    log_weight: float

    def loss(self, t: FloatArray) -> FloatArray:
        return self.sign * (mixed(t, self.rate) - self.level)

    def log_q(self, t: FloatArray) -> FloatArray:
        return self.seen(t)[0]

    def seen(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log density and loss."""
        told = mixed(t, self.rate)
        log_density = self.log_weight - 0.5 * (t + self.d)
        return log_density + told if self.sign < 0.0 else log_density, self.sign * (told - self.level)

    def place(self, gap: FloatArray) -> FloatArray:
        """The t, within -d .. d, at which m(t) is ``gap`` >= 0 above m(-d): the ends exactly at the ends."""
        low, high = mixed(np.array([-self.d, self.d]), self.rate)
        inner = np.minimum(above(-self.d, np.minimum(gap, high - low), self.rate) - self.d, self.d)
        return np.where(gap >= high - low, self.d, inner)


@dataclass(frozen=True)
class LaplaceLaw(GridLaw):
    """The law that a ``LaplaceStep`` of these parameters names."""

    scale: float
    rate: float
    two_sided: bool

    @property
    def d(self) -> float:
        return 1.0 / self.scale

    @cached_property
    def ends(self) -> tuple[float, float]:
        """m(-d) and m(d)."""
        low, high = mixed(np.array([-self.d, self.d]), self.rate)
        return float(low), float(high)

    @cached_property
    def atoms(self) -> tuple[FloatArray, FloatArray]:
        """Losses and log masses under Q."""
        low, high = self.ends
        log_q = np.array([0.0, -self.d]) - math.log(2.0)
        if not self.two_sided:
            return np.array([low, high]), log_q
        # x < -1 and x > 1 have the mass e^{-d} / 2 each without the record, that of the other side with it
        log_far = -self.d - math.log(2.0)
        return np.array([low - high, high - low]), np.array([log_far + high, log_far + low])

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """By ascending loss."""
        low, _ = self.ends
        quarter = -math.log(4.0)
        if not self.two_sided:
            return (Piece(self.d, self.rate, 1.0, 0.0, quarter),)
        return (
            Piece(self.d, self.rate, -1.0, low, quarter),
            Piece(self.d, self.rate, 1.0, low, quarter + low),
        )

    @property
    def base(self) -> float:
        return float(self.atoms[0][0])

    @property
    def unit(self) -> float:
        """The distance of the two atoms."""
        return float(self.atoms[0][1] - self.atoms[0][0])

    @property
    def exact_end(self) -> Fraction | None:
        return 1 / Fraction(self.scale) if self.rate == 1.0 else None

    @property
    def exact(self) -> bool:
        """A lattice does not hold the smooth part."""
        return False

    def end(self, remove: bool) -> float:
        return float(self.atoms[0][1] if remove else -self.atoms[0][0]) * (1.0 + 8.0 * UNIT) + 4.0 * SMALLEST

    @cached_property
    def _seen(self) -> tuple[FloatArray, FloatArray]:
        """Losses and log masses on a grid that is dense at both ends: for looks, not for answers."""
        far = np.geomspace(_NEAREST, 1.0, _LOOK) * self.d
        edge = np.concatenate([[-self.d], far - self.d, self.d - far[-2::-1], [self.d]])
        t, log_width = 0.5 * (edge[1:] + edge[:-1]), np.log(np.diff(edge))
        loss = [self.atoms[0], *(piece.loss(t) for piece in self.pieces)]
        log_q = [self.atoms[1], *(piece.log_q(t) + log_width for piece in self.pieces)]
        return np.concatenate(loss), np.concatenate(log_q)

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        loss, log_q = self._seen
        log_weight = log_q + z * loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        mean = inner(weight, loss) / total
        spread = inner(weight, (loss - mean) ** 2) / total
        # what is further than this from the atom that the tilt favours does not count, wherever it is moved
        whole = self.unit
        seen = min(whole, (_DEPTH + math.log(times)) / c) if c > 0.0 else whole
        reach = (whole - seen, whole) if remove else (0.0, seen)
        between = np.minimum((loss[2:] - self.base) / (_BESIDE * whole), 1.0)
        return Tilted(peak + math.log(total), mean, spread, reach, inner(weight[2:], between) / total)

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        """Edges are counted from the lower atom; where both atoms are at hand, all of them."""
        whole = self.unit
        first, last = math.floor(reach[0] / h), math.ceil(min(reach[1], whole) / h * (1.0 - _SAME))
        return (0 if reach[0] <= 0.0 else first), max(last, first + 1) if reach[1] < whole else last

    def span(self, reach: Reach) -> float:
        return reach[1] - reach[0]

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        low, high = (float(end) for end in self.atoms[0])
        count = math.ceil((high - low) / h * (1.0 - _SAME))  # bins from atom to atom
        off = abs(count * h - (high - low))
        aligned = off <= _SAME * (high - low)
        # the atom at the end of the direction lies on an edge: nothing is above it that could be moved
        moved = (high - low) - count * h if remove and not aligned else 0.0
        index = np.arange(first, last + 1)
        # how far edges lie above the lower atom; the outermost are the atoms
        gap = np.where(index <= 0, 0.0, np.where(index >= count, high - low, moved + h * index))
        lower, upper, variation = self._smooth(gap, low + moved + h * index, h)
        nodes: list[tuple[int, float]] = []
        for at, log_q, on_edge in ((0, float(self.atoms[1][0]), not remove), (count, float(self.atoms[1][1]), remove)):
            j = min(at, count - 1) - first  # the bin beside it
            if aligned or on_edge:
                nodes += [(at - first, log_q)] if first <= at <= last else []
            elif 0 <= j < last - first:
                place = -moved if at == 0 else (high - low) - (count - 1) * h
                share = min(max(math.expm1(place) / math.expm1(h), 0.0), 1.0)
                lower[j] += math.exp(log_q) * (1.0 - share)
                upper[j] += math.exp(log_q) * share
                variation[j] = math.inf
        index_, log_node = np.array([n for n, _ in nodes], dtype=np.int64), np.array([q for _, q in nodes])
        return BinSplit(
            low + moved, first, h, lower, upper, np.zeros(last - first), variation,
            QUADRATURE + 16.0 * UNIT * (2.0 + self.d), (off if aligned else 0.0) + self._slack(h * count),
            self._lost(float(gap[0]), -1.0), self._lost(float(gap[-1]), 1.0), (index_, log_node), lone=True,
        )  # fmt: skip

    def gathered(self, h: float, first: int, last: int) -> BinSplit | None:
        low, high = (float(end) for end in self.atoms[0])
        unit = high - low
        count = math.ceil(unit / h * (1.0 - _SAME))
        steep = 3.0 * h + 1.5 * (float(self.pieces[-1].place(np.array([h]))[0]) + self.d) >= _STEEP
        if self.two_sided or not steep or first > 0 or last <= _GATHERED or abs(count * h - unit) > _SAME * unit:
            return None
        mean = missed = 0.0  # above the lower atom
        t = -self.d
        for _ in range(_ROUNDS):
            t = float(self.pieces[0].place(np.array([mean + _GATHERED * (unit - mean) / count]))[0])
            before, mean = mean, self._mean_below(t)
            missed = abs(mean - before)
            if missed <= 4.0 * UNIT * mean:
                break
        h = (unit - mean) / count
        index = np.arange(last + 1)
        gap = np.where(index >= count, unit, mean + h * np.maximum(index, _GATHERED))
        lower, upper, variation = self._smooth(gap, low + mean + h * index, h)
        log_below = math.log1p(-0.5 * math.exp(-0.5 * (t + self.d)))
        nodes = [(0, log_below)] + ([(count, float(self.atoms[1][1]))] if last >= count else [])
        return BinSplit(
            low + mean, 0, h, lower, upper, np.zeros(last), variation, QUADRATURE + 16.0 * UNIT * (2.0 + self.d),
            missed + _ROUNDED * mean + self._slack(h * count), (-math.inf, -math.inf),
            self._lost(float(gap[-1]), 1.0),
            (np.array([n for n, _ in nodes], dtype=np.int64), np.array([q for _, q in nodes])), lone=True,
        )  # fmt: skip

    def _mean_below(self, t: float) -> float:
        """How far above the lower atom the logarithm of the mean of e^L lies where the noise tells no more than ``t``.

        Of F_1 there is e^{-(d - t) / 2} / 2, of F_0 1 - e^{-(t + d) / 2} / 2.
        """
        x = 0.5 * (t + self.d)
        if not x > 0.0:
            return 0.0
        # the ratio of the two, less e^-d
        log_more = x + 2.0 * math.log(-math.expm1(-x)) - math.log(2.0 - math.exp(-x)) - self.d
        return math.log1p(math.exp(log_more + math.log(self.rate) - self.ends[0]))

    def _slack(self, width: float) -> float:
        """What rounding does to the losses at edges, and at the nodes between them."""
        ends = abs(self.ends[0]) + abs(self.ends[1])
        placed = above_error(-self.d, np.array([self.ends[1] - self.ends[0]]), self.rate)
        return placed + 4.0 * (MIXED_ERROR + UNIT) * ends + 4.0 * UNIT * (abs(self.base) + width)

    def _smooth(self, gap: FloatArray, edge: FloatArray, h: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Per bin, what of the smooth part goes to its lower and its upper end, and the variation of the density."""
        lower, upper, width = (np.zeros(len(edge) - 1) for _ in range(3))
        for piece in self.pieces:
            height = gap if len(self.pieces) == 1 else np.maximum(piece.sign * (gap - 0.5 * self.unit), 0.0)
            place = piece.place(height)
            wide = np.flatnonzero(np.diff(place))  # bins that this piece has a part in: neighbours
            plain = self._whole_bins(gap, h) if self.rate == 1.0 and not self.two_sided else slice(0, 0)
            for part in (wide[wide < plain.start], wide[wide >= plain.stop]) if plain.stop > plain.start else (wide,):
                if not len(part):
                    continue
                own = slice(int(part[0]), int(part[-1]) + 1)
                turned = slice(None, None, 1 if piece.sign > 0.0 else -1)
                ends = place[own.start : own.stop + 1][turned]
                *masses, scale = smooth_bins(ends, edge[:-1][own][turned], h, 0.25, piece.seen)
                for whole, mass in zip((lower, upper), masses, strict=True):
                    whole[own] += (mass * np.exp(scale))[turned]
                width[own] += np.diff(ends)[turned]
            if plain.stop > plain.start:
                lower[plain], upper[plain] = _exponential(gap[plain], h)
                width[plain] = h
        variation = 3.0 * h + 1.5 * width
        steep = variation >= _STEEP
        if float(np.sum(upper[steep])) > 0.5 * h:  # lowering their chords would cost more than dividing them does
            variation[steep] = math.inf
        if len(self.pieces) > 1:  # where two pieces meet, the density may jump
            variation[np.abs(edge[:-1] + 0.5 * h) <= h] = math.inf
        return lower, upper, variation

    def _whole_bins(self, gap: FloatArray, h: float) -> slice:
        """Those of the bins between edges ``gap`` above the lower atom that are as wide as h and meet no atom."""
        whole = np.flatnonzero((gap[:-1] > 0.0) & (gap[1:] < self.unit) & (np.diff(gap) > 0.5 * h))
        return slice(int(whole[0]), int(whole[-1]) + 1) if len(whole) else slice(0, 0)

    def _lost(self, gap: float, side: float) -> tuple[float, float]:
        """Logs of the masses (without, with the record) above (``side`` 1) or below (-1) a loss, that far above the
        lower atom, rounded up.
        """
        if not 0.0 < gap < self.unit:
            return -math.inf, -math.inf
        log_q, log_p = self._tails(gap, side)
        up = ROOM + 16.0 * UNIT * self.d
        return min(log_q + up, 0.0), min(log_p + up, 0.0)

    def _tails(self, gap: float, side: float) -> tuple[float, float]:
        away = gap if not self.two_sided else gap - 0.5 * self.unit
        outer = 1.0 if away > 0.0 else -1.0
        t = float(self.pieces[-1].place(np.array([abs(away)]))[0])
        # of F_0 above t and of F_1 below; F_-1 has e^-d of what F_0 has
        above_t, below_t = -0.5 * (t + self.d) - math.log(2.0), -0.5 * (self.d - t) - math.log(2.0)
        if not self.two_sided:
            if side > 0.0:
                return above_t, self._mixture(above_t, _rest(below_t))
            return _rest(above_t), self._mixture(_rest(above_t), below_t)
        near, far = self._mixture(above_t, _rest(below_t)), self._mixture(above_t, above_t - self.d)
        log_q, log_p = (far, near) if outer > 0.0 else (near, far)
        return (log_q, log_p) if side == outer else (_rest(log_q), _rest(log_p))

    def _mixture(self, without: float, taking: float) -> float:
        q = self.rate
        return taking if q == 1.0 else float(np.logaddexp(math.log1p(-q) + without, math.log(q) + taking))


def _exponential(gap: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """What goes to the lower and the upper end of bins of width ``h`` that begin ``gap`` above the lower atom, of the
    density e^{-gap / 2} / 4: the whole is e^{-gap / 2} (1 - e^{-h / 2}) / 2, and with s the distance from the lower end
    the integral of (e^s - 1) / (e^h - 1) leaves 2 sinh^2(h / 4) / (e^h - 1) at the upper one.
    """
    size = np.exp(-0.5 * gap)
    above = 2.0 * math.sinh(0.25 * h) ** 2 / math.expm1(h)
    return size * (-0.5 * math.expm1(-0.5 * h) - above), size * above


def _rest(log_mass: float) -> float:
    return math.log1p(-math.exp(log_mass))
