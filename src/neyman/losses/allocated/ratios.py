"""The sum S of t likelihood ratios: E (K - S)_+ for any K, by whichever line is the shortest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.allocated.contour import TERMS, Contour, Put, Series
from neyman.losses.allocated.hyperbola import Hyperbola, bent
from neyman.losses.allocated.line import LONGEST, StraightLine
from neyman.losses.allocated.transform import RealTable, Transform
from neyman.numerics.double_double import Twofold

__all__ = ["Ratios"]

_APART = 0.5  # log2 of the ratio of neighbouring places at which lines cross the axis
_STRAIGHT = 3000.0  # t sigma^2 from which straight lines are looked at first: hyperbolas grow with its root
_SHORT = 1500  # nodes with which one of these is good enough
_WORK = 1.5e6  # nodes of a line times those of its transforms
_NOTHING = -640.0  # log f below which nothing is computed: floats end soon
_AT_ONCE = 1 << 16  # nodes times K that are held at a time


@dataclass(frozen=True)
class Ratios:
    """The sum of ``t`` >= 2 copies of Y of transform.py at noise ``sigma``."""

    sigma: float
    t: int

    @cached_property
    def _table(self) -> RealTable:
        return RealTable(Transform(self.sigma))

    @cached_property
    def _lines(self) -> dict[int, Contour | None]:
        return {}

    def put(self, exact: list[Decimal], order: int = 2) -> Put:
        """E (K - S)_+ at each K > 0, or P(S <= K) where ``order`` is 1 (then without an error)."""
        k = np.array([float(value) for value in exact])
        places, most = self._places(k)
        hi, lo, error = np.zeros_like(k), np.zeros_like(k), np.exp(most)
        far = self._table.saddle(float(self._table.s[0]), self.t)
        missing = k > far
        asked = (most > _NOTHING) & ~missing
        for place in np.unique(places[asked]).tolist():
            line, at = self._line(place), np.flatnonzero((places == place) & asked)
            missing[at] = line is None
            if line is None or not line.resolved:  # phi there is no larger than its error: most is all there is
                continue
            many = max(_AT_ONCE // line.nodes, 1)
            for some in (at[start : start + many] for start in range(0, len(at), many)):
                found = line.put([exact[i] for i in some], k[some], order)
                hi[some], lo[some], error[some] = found.value.hi, found.value.lo, found.error
        vague = error > np.exp(most) + np.abs(hi)
        hi[vague], lo[vague], error[vague] = 0.0, 0.0, np.exp(most[vague])
        return Put(Twofold(hi, lo), error, missing)

    def series(self, exact: list[Decimal], width: FloatArray) -> Series:
        """The power series of it about each K, in x / ``width``; where there is none its error is inf."""
        k = np.array([float(value) for value in exact])
        places, most = self._places(k)
        asked = (most > _NOTHING) & (k <= self._table.saddle(float(self._table.s[0]), self.t))
        found = [Twofold(np.zeros_like(k), np.zeros_like(k)) for _ in range(TERMS)]
        error = np.full_like(k, np.inf)
        for place in np.unique(places[asked]).tolist():
            line, at = self._line(place), np.flatnonzero((places == place) & asked)
            if line is None or not line.resolved:
                continue
            many = max(_AT_ONCE // line.nodes, 1)
            for some in (at[start : start + many] for start in range(0, len(at), many)):
                one = line.series([exact[i] for i in some], k[some], width[some])
                error[some] = one.error
                for whole, part in zip(found, one.coefficients, strict=True):
                    whole.hi[some], whole.lo[some] = part.hi, part.lo
        return Series(found, error)

    def known(self, far: float) -> float:
        """The last K on the way from t to ``far`` up to which every line can be laid."""
        places, _ = self._places(np.array([float(self.t)]))
        place, c = int(places[0]), self._table.every(_APART)[0]
        step = -1 if far > self.t else 1
        while (
            step * (self._table.saddle(float(c[place]), self.t) - far) > 0.0
            and 0 < place + step < len(c) - 1
            and self._line(place + step) is not None
        ):
            place += step
        return self._table.saddle(float(c[place]), self.t)

    def _places(self, k: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
        """Which c of the table, every ``_APART`` octaves, is nearest to the saddle point of each K; at least log f."""
        c, log_phi = self._table.every(_APART)
        power = np.multiply.outer(k, c) + self.t * log_phi - 2.0 * np.log(c)
        most = np.min(power + np.log(c) - 1.0 + 1e-12 * (np.multiply.outer(k, c) - self.t * log_phi), axis=1)
        return np.argmin(power, axis=1), np.minimum(most, 700.0)

    def _line(self, place: int) -> Contour | None:
        if place not in self._lines:
            self._lines[place] = self._laid(float(self._table.every(_APART)[0][place]))
        return self._lines[place]

    def _laid(self, c: float) -> Contour | None:
        straight = None
        if self.t * self.sigma**2 > _STRAIGHT:
            straight = StraightLine(self._table, self.t, c)
            if straight.nodes <= min(_SHORT, _WORK / self._table.transform.work):
                return straight
        plan = bent(self._table, self.t, c)
        most = min(LONGEST, _WORK / self._table.transform.work)
        if plan.nodes <= min(most, most if straight is None else straight.nodes):
            return Hyperbola(self._table, self.t, plan)
        return straight if straight is not None and straight.nodes <= most else None
