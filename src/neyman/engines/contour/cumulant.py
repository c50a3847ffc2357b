"""The cumulant K(c) = log E_P[e^{cL}] of the composed loss, walked along a ladder of real c: its saddle points.

From it follow, by Chernoff, how far apart the aliases of a contour must lie, and which few lines Re z = c serve which
eps. One walk over w serves both directions: K_remove(c) = sum T log A(c + 1), K_add(c) = sum T log A(-c).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.rungs import evenly_apart, foreseeable, foreseen
from neyman.losses.gaussian.many.moments import lost_of, moments_of, summed
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import LOGGED, Moments, Transform
from neyman.losses.whole import demand_whole
from neyman.numerics.functions.few import every, largest, some
from neyman.numerics.rounding import HUGE, LARGEST_EXPONENT, UNIT

if TYPE_CHECKING:
    pass

__all__ = ["DEEPEST", "LOST", "MERGED", "WALKED", "Walk"]

DEEPEST = 745.0  # -log of the smallest positive float: no profile is asked for below
_EACH = 64.0  # certifies: units of the mean loss that T steps may move K at a pole by, for the square root of T
_FIRST, _SHALLOW, _FURTHEST = 0.04, 0.05, 45.0  # in units of 1 / deviation: the first c, but at most that, and the last
_QUARTERS = np.array([0.25, 0.5, 0.75])  # of a hole: where rungs are put in it
_POLES = np.array([-1.0, 0.0])  # of 1 / (z (z + 1)): c at which lines cannot stand
_MIDDLE = np.array([-0.97, -0.9, -0.75, -0.5, -0.25, -0.1, -0.03])  # those between the poles that are always looked at
_KNEE = 15.0  # in the same units: c beyond which rungs lie evenly
_APART, _SAME = 2.5, 1e-6  # deviations that tilted means may be apart; of c, by which two may differ and be one
_NEAR = 5.0  # deviations from eps = 0 within which delta is neither 0 nor 1
_CLOSE = 36.0  # e-folds that a transform is wanted below its size, for each step: what it errs by is added
_DOUBLED = 8  # times that the last c is, at first, on the way to the end of a law
_ROUNDS, _FORESEEN = 14, 4  # of rungs put between others, and of those that are foreseen
_MORE = 1.3  # times as many rungs as at first that may be foreseen
_TOO_DEEP = 1.5  # times the depth of the smallest float: from where rungs bound nothing that anybody asks for
_TOLD_APART = 1e-12  # relative distance of losses below which nobody asks for one between them
_ENOUGH = 130.0  # depth that an ended law is followed to
_STEEPEST = 1e17  # c beyond which c + 1 is c to a float
_LAST = 0.02  # c times the distance of the tilted mean from the end: all that is left is the last atom
WALKED = 1e-6  # of K, where Chernoff bounds are made of it: they leave as much room
_TOGETHER = 256  # steps whose moments are asked at once
_COUNTED = 10**8  # steps, as many of each kind, from which rounding, of each some units, is more than that
_COLUMNS = ("c", "k", "mean", "variance", "log_lost", "cuts")
# relative error of mu^2 z (z + 1) / 2: four units because mu is within two of what it was rounded from (the bracket
# holds for either), one each for the square, z + 1 and their product, and sqrt(5) for the complex one
MERGED = 12.0 * UNIT
LOST = -110.0  # log of the mass that a line may cut off to stay clear of moments that explode


@dataclass(frozen=True)
class Walk:
    """K, K', K'' at ascending real ``c``; per step the place where its law was cut, and the log of all the mass
    beyond.
    """

    c: FloatArray
    k: FloatArray
    mean: FloatArray
    variance: FloatArray
    log_lost: FloatArray
    cuts: FloatArray

    @classmethod
    def along(cls, parts: Parts) -> Walk:
        """Walk from far left of -1 to far right of 0, as far as the cumulant reaches."""
        return cls._ladder(parts)._completed(parts)

    @classmethod
    def pair(cls, parts: Parts) -> tuple[Walk, Walk]:
        """The walk of ``parts`` and that of the other direction, from one ladder."""
        ladder = cls._ladder(parts)
        return ladder._completed(parts), ladder._mirrored()._completed(parts.reversed)

    @classmethod
    def _ladder(cls, parts: Parts) -> Walk:
        """Rungs on both sides of the poles, as dense and as far as either direction wants them."""
        poles = _evaluate(parts.sample(), _POLES, plain=True)
        least, most = sorted(np.sqrt(poles.variance).tolist())
        # the masses under Q and P: K is 0 at both poles, but for what rounding does to each step
        off = WALKED + _EACH * UNIT * math.sqrt(parts.count) * most
        for k, under in zip(poles.k, ("P", "Q") if parts.direction == "add" else ("Q", "P"), strict=True):
            demand_whole("a composition", under, math.exp(min(float(k), LARGEST_EXPONENT)), 2.0 * off)
        rungs = far = evenly_apart(min(_FIRST / most, _SHALLOW), _FURTHEST / least, _KNEE / most)
        if jumping := [(law, times) for law, times in parts.sample().steps if foreseeable(law)]:
            far = cls._foreseen(jumping, rungs, least * least)
        shallow = rungs[rungs < 0.25]
        middle = np.concatenate([_MIDDLE, -shallow, -1.0 + shallow])
        middle.sort()
        if not every(new := middle[1:] != middle[:-1]):
            middle = middle[np.concatenate([[True], new])]
        left, right = (rungs, far) if parts.direction == "remove" else (far, rungs)
        return _evaluate(parts, np.concatenate([-1.0 - left[::-1], middle, right]))

    @classmethod
    def _foreseen(
        cls, jumping: Sequence[tuple[SamplingTransform, int]], rungs: FloatArray, variance: float
    ) -> FloatArray:
        """Those ``rungs`` to the side of the large losses that lines may want, and others in holes that are foreseen
        there, if these are few.
        """
        most = _MORE * len(rungs)
        for _ in range(_FORESEEN):
            walk = cls(rungs, *foreseen(rungs, jumping, variance), rungs, rungs)
            deep = (walk.depth < -_TOO_DEEP * DEEPEST).nonzero()[0]
            walk = walk._only(slice(int(deep[0]) + 2)) if len(deep) else walk
            holes, rungs = walk._holes(math.inf), walk.c
            if not 0 < len(holes) <= most - len(rungs):
                break
            rungs = np.sort(np.concatenate([rungs, holes]))
        return rungs

    def _mirrored(self) -> Walk:
        """The same ladder for the other direction: K_add(c) = K_remove(-1 - c)."""
        k, variance, log_lost, cuts = (
            np.ascontiguousarray(each[..., ::-1]) for each in (self.k, self.variance, self.log_lost, self.cuts)
        )
        return Walk(-1.0 - self.c[::-1], k, -self.mean[::-1], variance, log_lost, cuts)

    def _completed(self, parts: Parts) -> Walk:
        """As far as this direction reaches, without holes on its right."""
        walk = self._reachable()
        end, many = parts.largest_loss, _DOUBLED
        while end < math.inf and walk.depth[-1] > -_ENOUGH and walk.c[-1] < _STEEPEST and not walk._last(end)[-1]:
            # losses with an end: the approach to it may take many orders of magnitude in c
            steeper = walk._merged(_evaluate(parts, walk.c[-1] * 2.0 ** np.arange(1, many + 1)))._reachable()
            if len(steeper.c) == len(walk.c):
                break
            walk, many = steeper, 2 * many
        for _ in range(_ROUNDS):
            gaps = walk._holes(end)
            if not len(gaps):
                break
            walk = walk._merged(_evaluate(parts, gaps))._reachable()
        return walk

    @classmethod
    def at(cls, parts: Parts, c: FloatArray) -> Walk:
        """Just these ``c``, ascending: as many of them as are within reach."""
        return _evaluate(parts, c)._reachable()

    def of_one(self, step: Parts) -> Walk:
        """The same places for a ``step`` of those that the composition holds."""
        return _evaluate(step, self.c)

    def grown(self, one: Walk, more: int) -> Walk:
        """With so many ``more`` of a step that the composition holds already, of which ``one`` is the walk."""
        with np.errstate(over="ignore"):
            return replace(
                self, k=self.k + more * one.k, mean=self.mean + more * one.mean,
                variance=self.variance + more * one.variance,
                log_lost=np.logaddexp(self.log_lost, one.log_lost + math.log(max(more, 1))),
            )  # fmt: skip

    @cached_property
    def depth(self) -> FloatArray:
        """K(c) - c K'(c): the log of how rare the losses are that the line at c stands on."""
        return self.k - self.c * self.mean

    @cached_property
    def poles(self) -> list[int]:
        """Before which of its c the poles at -1 and at 0 lie."""
        return self.c.searchsorted(_POLES).tolist()

    def useful(self, limit: float = LOST) -> BoolArray:
        """Right of 0: the c at which a line can be certified, deep enough and not so far that its law would be maimed.

        ``limit`` is the log of the mass that may be cut off.
        """
        whole = (self.c > 0.0) & (self.log_lost <= limit)
        at = whole.nonzero()[0]
        return whole & (self.depth > -DEEPEST) & (self.c < self.c[at[-1]]) if len(at) else whole

    def cut_at(self, index: int, limit: float = LOST) -> FloatArray:
        """Where a line at ``index`` cuts each step: at the earliest harmless cut to its right, so that steeper c
        bound it.
        """
        if self._unended:
            return self.cuts[:, index].copy()
        right = (self.c >= self.c[index]) & (self.c > 0.0) & (self.log_lost <= limit)
        right[index] = True
        return np.min(self.cuts[:, right], axis=1)

    @cached_property
    def uncut(self) -> bool:
        """Whether nothing is lost anywhere."""
        return largest(self.log_lost) == -math.inf

    @cached_property
    def _unended(self) -> bool:
        """Whether no law is cut anywhere."""
        return every(self.cuts == math.inf)

    def whole(self, index: int, limit: float = LOST) -> BoolArray:
        """The c whose law is cut no earlier than that of the line at ``index``: a smaller law bounds nothing."""
        if self.uncut:
            return np.ones(len(self.c), dtype=np.bool_)
        return np.all(self.cuts >= self.cut_at(index, limit)[:, None], axis=0)

    def _last(self, end: float) -> BoolArray:
        """Where the tilted law is as good as its last atom, at ``end``."""
        if end == math.inf:
            return np.zeros(len(self.c), dtype=np.bool_)
        steep = self.c * math.sqrt(float(self.variance[np.argmin(np.abs(self.c))])) > 1.0
        return steep & (self.c * (end - self.mean) < _LAST)

    def _holes(self, end: float) -> FloatArray:
        """Places to add: between neighbours on one side of the poles that leave a hole in eps, short of the ``end`` of
        the law.
        """
        right = ((self.c > 0.0) & ~self._last(end)).nonzero()[0]
        beyond = (self.depth[right] < -DEEPEST).nonzero()[0]
        right = right[: beyond[0] + 1] if len(beyond) else right
        between = slice(int(self.c.searchsorted(-1.0, side="right")), int(self.c.searchsorted(0.0)))
        places: list[FloatArray] = []
        for run in (between, right):
            c, mean, sd = self.c[run], self.mean[run], np.sqrt(self.variance[run])
            wide = c[1:] - c[:-1]
            apart = np.maximum(_APART * np.minimum(sd[:-1], sd[1:]), _TOLD_APART * np.abs(mean[1:]))
            hole = (mean[1:] - mean[:-1] > apart) & (wide > _SAME * np.abs(c[1:]))
            if run is between:
                # there only eps near 0, and 1 - delta that float64 can tell from 0, are worth a line of their own
                k = self.k[run]
                visible = np.maximum(k[:-1], k[1:]) > -DEEPEST
                hole &= visible | ((mean[:-1] < _NEAR * sd[:-1]) & (mean[1:] > -_NEAR * sd[1:]))
            if some(hole):
                places.append((c[:-1][hole, None] + wide[hole, None] * _QUARTERS).ravel())
        return np.concatenate(places) if places else self.c[:0]

    def _reachable(self) -> Walk:
        # beyond the first unreachable c on the right nothing counts, even where the cumulant seems finite again
        keep = np.isfinite(self.k) & (self.k < HUGE) & (self.variance > 0.0)
        if every(keep):
            return self
        broken = (~keep & (self.c > 0.0)).nonzero()[0]
        if len(broken):
            keep &= self.c < self.c[broken[0]]
        return self._only(keep)

    def _only(self, keep: BoolArray | slice) -> Walk:
        return Walk(**{name: getattr(self, name)[..., keep] for name in _COLUMNS})

    def _merged(self, other: Walk) -> Walk:
        order = np.argsort(np.concatenate([self.c, other.c]), kind="stable")
        both = {name: (getattr(self, name), getattr(other, name)) for name in _COLUMNS}
        return Walk(**{name: np.concatenate(pair, axis=-1)[..., order] for name, pair in both.items()})


def _from_above(transform: Transform, w: FloatArray, moments: Moments, count: float) -> FloatArray:
    """log A from above, by the error that the law states: what Chernoff's bounds of so many steps are made of."""
    found = moments.log_a.copy()
    for i in np.flatnonzero(np.isfinite(found) & ~np.isnan(moments.cut)):
        log_a, error = transform.on_line(float(w[i]), np.zeros(1), float(moments.cut[i]), _CLOSE + math.log(count))
        above = float(log_a[0].real) + math.log1p(float(error[0])) + (1.0 + LOGGED) * UNIT * abs(float(log_a[0].real))
        found[i] = above if math.isfinite(above) else math.inf
    return found


def _evaluate(parts: Parts, c: FloatArray, plain: bool = False) -> Walk:
    """K from above, but for what it is allowed to be off; ``plain``: as it comes."""
    w = parts.argument(c)
    sign = 1.0 if parts.direction == "remove" else -1.0
    k = 0.5 * parts.mu**2 * c * (c + 1.0)
    mean = parts.mu**2 * (c + 0.5)
    variance = np.full(len(c), parts.mu**2)
    cuts = np.empty((len(parts.steps), len(c)))
    lost = np.zeros(len(c))
    for i in range(0, len(parts.steps), _TOGETHER):
        few = parts.steps[i : i + _TOGETHER]
        laws = [law for law, _ in few]
        moments = moments_of(laws, w)
        for j, (transform, times) in enumerate(few):
            log_a = moments.log_a[j]
            if not (plain or times * len(parts.steps) < _COUNTED):
                own = Moments(log_a, moments.mean[j], moments.variance[j], moments.cut[j])
                moments.log_a[j] = _from_above(transform, w, own, parts.count)
        each = [float(times) for _, times in few]
        k = k + summed(each, np.where(np.isnan(moments.cut), np.nan, moments.log_a))
        mean = mean + sign * summed(each, moments.mean)
        variance = variance + summed(each, moments.variance)
        lost = lost + summed(each, lost_of(laws, moments.cut))
        cuts[i : i + _TOGETHER] = moments.cut
    with np.errstate(divide="ignore"):
        return Walk(c, k, mean, variance, np.log(lost), cuts)
