"""A composition parted in two, for rare steps: many small losses on one scale, and few large jumps on another.

With each step's transform A = A_b + A_j, bulk and jumps,

    delta = I[e^{K_b}] + I[e^K - e^{K_b}],      I[F] = (1/2 pi i) int F(z) e^{-z eps} / (z (z + 1)) dz:

the bulk alone, and all that happens with at least one jump, each the hockey stick of a positive measure. The first is
inverted on the line through its own saddle, which the whole law does not have; the second on a line that suits the
jumps, where e^K - e^{K_b} is as small as the jumps are rare, and so are the errors.

The bulk of a positive measure adds no less than nothing and no more than Chernoff says (``Ceiling``): at deep delta,
which one large jump accounts for, that is next to nothing, and a line would say less. What Chernoff says of the bulk,
and the probability of any jump, bound delta where no line does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.bulk_jumps.lines import Ceiling, Parting
from neyman.engines.contour.bulk_jumps.threshold import Place, Valleys
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Book, Estimate, entered
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import Line
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import Effort

__all__ = ["Split"]

_STRETCH = 1.6  # the eps it serves, relative to the one it is made for
_NOTHING = 19.0  # e-folds below delta of what needs no line
_LITTLE = 17.0  # the same where that is looked at for each eps: 4e-8
_LOOKS = 24  # eps at which that is looked at
_CLOSE = 1.25  # the eps that such a one serves, relative to the one it is made for
_PLANNED = 2e7  # nominal nanoseconds of trying where to part
_LEAST = 1e-200  # eps at which that is worth a thought
_CLOSE_LOOKS = 4  # eps down to the first of them at which that is looked at
_LEVELS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35, 0.29, 0.24, 0.2, 0.16, 0.12)  # of eps: losses at which it is parted
_DEEP = -20.0  # log of a delta that is worth both lines: of a larger one a longer line tells
_USUAL = 0.4  # noise multiplier from which that is worth its time
_HOPEFUL = 0.1  # relative error of the one from which the other is worth a try
_HALVES = (0.5, 0.42, 0.6, 0.35, 0.7)  # the same where both have lines
_BEFORE = (1.0, 0.87, 0.75)  # of the saddle of a bulk: beyond it there may be no c that bounds the aliases of its line
_SHARP = 2e-7  # relative error that is sharp
_RUNGS = np.geomspace(1.0, 500.0, 48)  # over eps: c of the walk along its bulk
_BELOW = 1e-3  # of an eps, the least at which that is looked at


@dataclass(frozen=True)
class Split:
    """Two lines, one through the bulk and one through the jumps, for eps in ``range``.

    Where ``ceiling`` says that the bulk alone adds next to nothing, no line need be laid through it.
    """

    bulk: Line | None
    jumps: Line
    epsilon: float  # what it was made for
    range: tuple[float, float]
    ceiling: Ceiling

    @classmethod
    def lay(
        cls, parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, nodes: int, effort: Effort
    ) -> Split | None:
        """Part the law for ``epsilon`` >= 0; None where it cannot be done with lines of that many ``nodes``, or with so
        much effort.
        """
        place = valleys.place(epsilon)
        if place is None or not effort.take(_PLANNED):
            return None
        mean, deviation = valleys.bulk(place.c)
        span = (
            min(epsilon / _STRETCH, max(mean - 2.0 * deviation, 0.0)),
            max(epsilon * _STRETCH, mean + 2.0 * deviation),
        )
        parting = Parting.of(parts, walk, valleys, place, span, effort)
        jumps = parting.jump_line(nodes, epsilon)
        if jumps is None:
            return None
        bulk, ceiling = parting.bulk_line(nodes), parting.ceiling()
        if bulk is None and not epsilon > 0.0:
            return None
        if bulk is None:  # no line is needed where the bulk alone adds next to nothing
            below = np.geomspace(epsilon, max(span[0], _BELOW * epsilon), _LOOKS)
            known = [ceiling.log_most(np.array([e]))[0] < valleys.log_delta(float(e)) - _NOTHING for e in below]
            if not known[0]:
                return None
            span = (float(below[known.index(False) - 1 if False in known else -1]), span[1])
        return cls(bulk, jumps, epsilon, span, ceiling)

    @classmethod
    def late(
        cls, parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, nodes: int, effort: Effort
    ) -> Split | None:
        """Part the law as late as the bulk alone adds next to nothing at ``epsilon`` > 0, and a little before: no line
        is laid through it. The jumps are then hardly larger than the answer. Where that is not sharp, a little later,
        with a line through the bulk.
        """
        if not epsilon > _LEAST or not effort.take(_PLANNED):
            return None
        span = (epsilon / _CLOSE, epsilon * _CLOSE)
        below = epsilon / np.geomspace(1.0, _CLOSE, _CLOSE_LOOKS)
        # of few steps arcs know more, of little noise one line does
        usual = parts.many and parts.least_noise > _USUAL
        little, rungs = (_LITTLE, _RUNGS) if usual else (_NOTHING, _RUNGS[::2])
        most = np.array([valleys.log_delta(e) for e in below.tolist()]) - little
        known: list[tuple[float, Ceiling, Parting]] = []
        for share in _LEVELS:
            place = valleys.parted_at(share * epsilon, 1.0 / epsilon)
            parting = Parting.of(parts, walk, valleys, place, span, effort, crisp=True)
            ceiling = parting.ceiling(rungs / epsilon)
            far = int(np.argmin(np.append(ceiling.log_most(below) < most, False)))  # as far down as it is enough
            if far > 0 and (not known or below[far - 1] < known[-1][0]):
                known.append((float(below[far - 1]), ceiling, parting))
            if far == len(below):
                break
        found: Split | None = None
        for low, ceiling, parting in known[-1:] + known[:1] * (len(known) > 1 and usual):
            jumps = parting.jump_line(nodes, epsilon)
            if jumps is not None:
                found = cls(None, jumps, epsilon, (low, span[1]), ceiling)._sharper(found, epsilon)
            if found is not None and found.off(epsilon) <= _SHARP:
                return found
        thorough = usual and valleys.log_delta(epsilon) < _DEEP
        thorough = thorough and (found is None or found.off(epsilon) < _HOPEFUL) and effort.take(_PLANNED)
        both = cls._between(parts, walk, valleys, epsilon, nodes, effort) if thorough else None
        return found if both is None else both._sharper(found, epsilon)

    @classmethod
    def _between(
        cls, parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, nodes: int, effort: Effort
    ) -> Split | None:
        """Part the law where few losses make up ``epsilon``, so that the jumps are not much larger than the answer,
        with a line through the bulk, too: the sharpest of a few.
        """
        span = (epsilon / _CLOSE, epsilon * _CLOSE)
        found: Split | None = None
        for share in _HALVES:
            place = valleys.parted_at(share * epsilon, 1.0 / epsilon)
            walked = Parting.of(parts, walk, valleys, place, span, effort, crisp=True).ceiling(_RUNGS / epsilon)
            lowest = int(np.argmin(walked.k - walked.c * epsilon - np.log(walked.c * (walked.c + 1.0))))
            for before in _BEFORE:
                at = Place(before * float(walked.c[lowest]), place.ends)
                parting = Parting.of(parts, walk, valleys, at, span, effort, crisp=True)
                bulk = parting.bulk_line(nodes)
                if bulk is None:
                    continue
                jumps = parting.jump_line(nodes, epsilon)
                split = None if jumps is None else cls(bulk, jumps, epsilon, span, walked)
                found = found if split is None else split._sharper(found, epsilon)
                break
            if found is not None and found.off(epsilon) <= _SHARP:
                break
        return found

    def _sharper(self, other: Split | None, epsilon: float) -> Split:
        """Of two the one of less error there."""
        return self if other is None or self.off(epsilon) < other.off(epsilon) else other

    def off(self, epsilon: float) -> float:
        """The relative error at ``epsilon``."""
        found = self.integrate(np.array([epsilon]))
        value, error = float(found.mantissa[0]), float(found.error[0])
        return error / value if value > 0.0 else math.inf

    @staticmethod
    def log_most(
        parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, effort: Effort, wanted: float = 0.0
    ) -> float:
        """log of a bound on delta at ``epsilon`` > 0: the most that the bulk adds, and the probability of any jump, for
        the best of a few partings; 0 where jumps alone are more than what is ``wanted``.
        """
        best = 0.0
        if not effort.take(_PLANNED):
            return best
        for share in _LEVELS[::2]:
            place = valleys.parted_at(share * epsilon, 1.0 / epsilon)
            parting = Parting.of(parts, walk, valleys, place, (epsilon, epsilon), effort, crisp=True)
            if not parting.log_jumped < wanted:
                continue
            most = parting.ceiling(_RUNGS / epsilon).log_most(np.array([epsilon]))[0]
            best = min(best, float(np.logaddexp(most, parting.log_jumped)))
        return best

    kind = "lines of bulk and jumps"
    plan_dict = None

    @property
    def nodes(self) -> int:
        """Of both lines."""
        return self.jumps.nodes + (0 if self.bulk is None else self.bulk.nodes)

    @property
    def c(self) -> float:
        """Right of 0: delta itself is integrated."""
        return self.jumps.c

    @property
    def lost(self) -> float:
        """Mass of the law beyond all cuts."""
        return self.jumps.lost + (0.0 if self.bulk is None else self.bulk.lost)

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Line.integrate``, of delta."""
        books = None if book is None else (Book(), Book())
        both = [self._bulk(epsilon, books and books[0]), self.jumps.integrate(epsilon, books and books[1])]
        scale = np.maximum(both[0].log_scale, both[1].log_scale)
        value, slope, error = (np.zeros(len(epsilon)) for _ in range(3))
        with np.errstate(under="ignore"):
            for i, (v, s, e, log_scale) in enumerate(both):
                share = np.exp(log_scale - scale)
                rounded = 8.0 * UNIT * (1.0 + np.abs(log_scale) + np.abs(scale))
                value, slope = value + share * v, slope + share * s
                error = error + share * (1.0 + rounded) * e + rounded * share * np.abs(v)
                if book is not None and books is not None:
                    book.enter_all(books[i], share)
        return Estimate(value, slope, error + 4.0 * UNIT * np.abs(value), scale).settled()

    def _bulk(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """The bulk alone: by its line, or where that says less as half of the most it can be, give or take as much."""
        most = self.ceiling.log_most(epsilon)
        half, none = np.full(len(epsilon), 0.5), np.zeros(len(epsilon))
        bounded = Estimate(half, none, half + 4.0 * UNIT, most)
        if self.bulk is None:
            entered(book, "parting", bounded.error)
            return bounded
        own = None if book is None else Book()
        line = self.bulk.integrate(epsilon, own)
        with np.errstate(divide="ignore"):
            vague = np.log(line.error) + line.log_scale > most + math.log(0.5)
        if book is not None and own is not None:
            book.enter_all(own, np.where(vague, 0.0, 1.0))
            book.enter("parting", np.where(vague, bounded.error, 0.0))
        if not vague.any():
            return line
        return Estimate(*(np.where(vague, a, b) for a, b in zip(bounded, line, strict=True)))
