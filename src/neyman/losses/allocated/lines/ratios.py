"""The sum S of t likelihood ratios: E (K - S)_+ about any K, by whichever line is the shortest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import TERMS, Contour, Series
from neyman.losses.allocated.lines.hyperbola import Hyperbola, bent
from neyman.losses.allocated.lines.line import LONGEST, NATS, StraightLine
from neyman.losses.allocated.lines.transform import RealTable, real_table
from neyman.numerics.exact.double_double import Twofold
from neyman.numerics.rounding import ROOM
from neyman.profiles.effort import allowance

__all__ = ["Ratios"]

_APART = 0.5  # log2 of the ratio of neighbouring places at which lines cross the axis
_STRAIGHT = 3000.0  # t sigma^2 from which straight lines are looked at first: hyperbolas grow with its root
_SHORT = 1500  # nodes with which one of these is good enough
_WORK = 1.5e6  # nodes of a line times those of its transforms
_PLAIN_WORK = 4e6  # the same in float64
_NOTHING = -640.0  # log f below which nothing is computed: floats end soon
_PLAIN_NATS = 38.0  # -log of what a line may leave in float64
_FEW = 90  # nodes of such a line with which no shorter one is looked for
_PLAIN_COST = 3e4  # nanoseconds of a node
_AT_ONCE = 1 << 16  # nodes times K that are held at a time
_ANY = 0.1  # the share of K that is one cell where there is no power series
_SERIES_COST, _SERIES_BASE = 1e4, 400.0  # nanoseconds of a node of a power series, and of how many more


@dataclass(frozen=True)
class Ratios:
    """The sum of ``t`` >= 2 copies of Y of transform.py at noise ``sigma``."""

    sigma: float
    t: int

    @cached_property
    def _table(self) -> RealTable:
        return real_table(self.sigma)

    @cached_property
    def _lines(self) -> dict[int, Contour | None]:
        return {}

    @cached_property
    def _plain(self) -> dict[int, Contour | None]:
        return {}

    @cached_property
    def _allowed(self) -> set[int]:
        return set()

    @cached_property
    def _rooms(self) -> dict[int, float]:
        return {}

    def series(self, exact: list[Decimal], width: FloatArray) -> Series:
        """The power series of it about each K, in x / ``width`` < K / 2; where there is none its error is inf."""
        k = np.array([float(value) for value in exact])
        places, most = self._places(k), self.most(k)
        asked = (most > _NOTHING) & (k <= self._table.saddle(float(self._table.s[0]), self.t))
        found = [Twofold(np.zeros_like(k), np.zeros_like(k)) for _ in range(TERMS)]
        error = np.full_like(k, np.inf)
        for place in np.unique(places[asked]).tolist():
            line, at = self._line(place), np.flatnonzero((places == place) & asked)
            if line is None or not line.resolved:
                continue
            many = max(_AT_ONCE // line.nodes, 1)
            for some in (at[start : start + many] for start in range(0, len(at), many)):
                if not allowance().take(_SERIES_COST * len(some) * (line.nodes + _SERIES_BASE)):
                    continue
                one = line.series([exact[i] for i in some], k[some], width[some])
                error[some] = one.error
                for whole, part in zip(found, one.coefficients, strict=True):
                    whole.hi[some], whole.lo[some] = part.hi, part.lo
        return Series(found, error)

    def plain(self, k: float) -> Contour | None:
        """The line that serves K in float64, if there is one."""
        place = int(self._places(np.array([k]))[0])
        if place not in self._plain:
            self._plain[place] = self._shortest(float(self._table.every(_APART)[0][place]), _PLAIN_NATS, _FEW)
        return self._plain[place]

    def put(self, k: float) -> tuple[float, float]:
        """f(K) in float64, and a bound on its error: inf where there is no line."""
        line = self.plain(k)
        if line is None or not allowance().take(_PLAIN_COST * line.nodes):
            return 0.0, math.inf
        return line.summed(k)

    def rooms(self, k: FloatArray) -> tuple[NDArray[np.intp], FloatArray]:
        """The place of the line of each K; the share of K that one of its power series reaches."""
        places = self._places(k)
        share = np.zeros_like(k)
        for place in np.unique(places).tolist():
            share[places == place] = self._room(place)
        return places, share

    def _room(self, place: int) -> float:
        if place not in self._rooms:
            k = self._table.saddle(float(self._table.every(_APART)[0][place]), self.t)
            if self.most(np.array([k]))[0] <= _NOTHING:
                return _ANY
            line = self._line(place)
            if line is None or not line.resolved:
                return _ANY
            self._rooms[place] = line.room(k) / k
        return self._rooms[place]

    @cached_property
    def _turns(self) -> FloatArray:
        """The K, falling, from which the next place is the one."""
        c, log_phi = self._table.every(_APART)
        size = self.t * log_phi - 2.0 * np.log(c)
        return np.minimum.accumulate(-np.diff(size) / np.diff(c))

    def line(self, k: float) -> Contour | None:
        """That of one K."""
        return self._line(int(self._places(np.array([k]))[0]))

    def known(self, far: float) -> float:
        """The last K on the way from t to ``far`` up to which every line could be laid."""
        place, c = int(self._places(np.array([float(self.t)]))[0]), self._table.every(_APART)[0]
        step = -1 if far > self.t else 1
        while (
            step * (self._table.saddle(float(c[place]), self.t) - far) > 0.0
            and 0 < place + step < len(c) - 1
            and self._planned(place + step) is not None
        ):
            place += step
        return self._table.saddle(float(c[place]), self.t)

    def _places(self, k: FloatArray) -> NDArray[np.intp]:
        """Which c of the table, every ``_APART`` octaves, is nearest to the saddle point of each K."""
        return np.searchsorted(-self._turns, -k)

    def most(self, k: FloatArray) -> FloatArray:
        """At least log f."""
        c, log_phi = self._table.every(_APART)
        near, most = self._places(k), np.full_like(k, 700.0)
        for place in (near - 1, near, np.minimum(near + 1, len(c) - 1)):  # any c bounds it
            power, size = k * c[place] + self.t * log_phi[place], k * c[place] - self.t * log_phi[place]
            most = np.minimum(most, power - np.log(c[place]) - 1.0 + ROOM * size)
        return most

    def _line(self, place: int) -> Contour | None:
        """That of one place; None where there is none, or where it is more than may be done now."""
        line = self._planned(place)
        if line is not None and place not in self._allowed:
            if not allowance().take(self._table.transform.cost(line.nodes)):
                return None
            self._allowed.add(place)
        return line

    def _planned(self, place: int) -> Contour | None:
        """The same before its nodes are made, which takes the time."""
        if place not in self._lines:
            self._lines[place] = self._shortest(float(self._table.every(_APART)[0][place]))
        return self._lines[place]

    def _shortest(self, c: float, nats: float = NATS, enough: int = 0) -> Contour | None:
        straight = None
        if self.t * self.sigma**2 > _STRAIGHT:
            straight = StraightLine(self._table, self.t, c, nats)
            if straight.nodes <= min(_SHORT, _WORK / self._table.transform.work):
                return straight
        plan = bent(self._table, self.t, c, nats, enough)
        work = _WORK if nats == NATS else _PLAIN_WORK
        most = min(LONGEST, work / self._table.transform.work)
        if plan.nodes <= min(most, most if straight is None else straight.nodes):
            return Hyperbola(self._table, self.t, plan)
        return straight if straight is not None and straight.nodes <= most else None
