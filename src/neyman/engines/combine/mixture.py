"""A composition of a law that is a list of outcomes with any other.

delta(eps) = sum over l of p(l) delta_other(eps - l). Exact, whatever the other engine, and as sharp as it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.combine.faded import FadedProfile, faded
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import readable
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import around, bracket_at, slope_at, widened

__all__ = ["MixtureProfile"]

_ROWS = 1 << 16  # places asked of the other profile at a time
_DEVIATIONS = np.array([11.0, 16.0, 24.0])  # of the other, where nothing may be left of its delta
_BESIDE = 1e9  # deltas larger than that times what is left are not moved by it
_BLURRED = 1e-8  # of delta, that the room of all outcomes may come to together and not be read
_UNSEEN, _UNSTEERED = 3e-8, 1e-5  # of delta, that what is not read may come to; where only solvers are steered
_EACH = 300.0  # nominal nanoseconds of an outcome at an eps, beside what the other counts: its bounds, and refusals
_LABOUR = 1e4  # nominal nanoseconds of an eps of the other from which on it is dear to ask
_NEARLY = 0.5  # delta from which 1 - delta is asked for, too
_RARE = 1e-27  # mass of the outcomes at both ends that are not read where nothing so small counts


class MixtureProfile(Profile):
    """``atoms`` in one direction, composed with ``other``, whose reversal is ``backward``.

    Of a ``deviation`` of the losses of the other, where it is given, follows where it is not worth asking.
    """

    def __init__(
        self, atoms: Atoms, remove: bool, other: Profile, backward: Profile, tail_mu: float, deviation: float = 0.0
    ) -> None:
        known = np.isfinite(atoms.log_w)
        loss, log_w = atoms.loss[known], atoms.log_w[known]
        self._loss = loss if remove else -loss[::-1]
        self._log_mass = (log_w if remove else log_w[::-1]) + 0.5 * self._loss
        self._mass = np.exp(self._log_mass)
        self._left_out = atoms.overlap + other.log_overlap
        self._slack, self._stretch = atoms.slack, atoms.stretch + 4.0 * UNIT
        self._relative = atoms.relative + UNIT * (8.0 + len(loss))
        self._dropped, self._ended = atoms.dropped, atoms.dropped == 0.0 or atoms.ended
        self._flushed = SMALLEST * (1.0 + len(loss))  # of masses and products too small for a float
        self._other, self._backward, self._tail_mu = other, backward, tail_mu
        self._deviation = deviation
        self._dear = "transform" in other.method or "lattice" in other.method or other.labour > _LABOUR
        kept = (np.cumsum(self._mass) > _RARE) & (np.cumsum(self._mass[::-1])[::-1] > _RARE)
        most = np.flatnonzero(kept) if kept.any() else np.arange(len(loss))
        # of both ends, rounding and all
        self._unread = 0.0 if kept.all() or not kept.any() else 2.0 * _RARE * (1.0 + self._relative)
        self._every, self._most = slice(0, len(loss)), slice(int(most[0]), int(most[-1]) + 1)

    @property
    def method(self) -> str:
        return f"exact sum over {self._other.method}"

    @property
    def end(self) -> float:
        if not self._ended:
            return math.inf
        last = float(self._loss[-1])
        return self._other.end + last + self._slack + self._stretch * (abs(last) + abs(self._other.end))

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def labour(self) -> float:
        return (self._most.stop - self._most.start) * max(self._other.labour, self._backward.labour)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self.above(epsilon, lambda: np.zeros(len(epsilon)))

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._asked(epsilon, np.zeros(len(epsilon)), rough=True)

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._asked(epsilon, least())

    def _asked(self, epsilon: FloatArray, least: FloatArray, rough: bool = False) -> Bracket:
        """Bounds, sharp where delta may be ``least`` or more; ``rough``: as sharp as steering needs."""
        out = [np.full(len(epsilon), value) for value in (0.0, 1.0, -np.inf, 0.0)]  # where nothing is known of it
        rows = max(1, _ROWS // len(self._loss))
        for i in range(0, len(epsilon), rows):
            part = slice(i, i + rows)
            if not readable(_EACH * len(self._loss) * len(epsilon[part])):
                break
            for target, value in zip(out, self._served(epsilon[part], least[part], rough), strict=True):
                target[part] = value
        lower, upper, low, high = out
        for value in out:
            value[epsilon >= self.end] = 0.0
        return Bracket(lower, np.maximum(np.minimum(upper, 1.0), lower), np.minimum(low, 0.0), np.minimum(high, 0.0))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        found = self._slopes(epsilon, self._most)
        deep = np.flatnonzero(~(found > _BESIDE * self._unread))
        if len(deep) and self._most != self._every:
            found[deep] = self._slopes(epsilon[deep], self._every)
        return found

    def _slopes(self, epsilon: FloatArray, part: slice) -> FloatArray:
        at = np.subtract.outer(epsilon, self._loss[part])
        other, backward = (self._other, self._backward) if self._near is None else self._near
        return slope_at(other, backward, at.ravel()).reshape(at.shape) @ self._mass[part]

    @cached_property
    def _near(self) -> tuple[FadedProfile, FadedProfile] | None:
        """The other and its reversal, as far as they are worth asking."""
        if not self._deviation > 0.0:
            return None
        other, backward = (faded(one, _DEVIATIONS * self._deviation) for one in (self._other, self._backward))
        return None if other is None or backward is None else (other, backward)

    def _served(
        self, epsilon: FloatArray, least: FloatArray, rough: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """By what is worth asking, of the outcomes that are not too rare, and whole where what is small counts."""
        if self._near is None and self._most == self._every:
            return self._sums(epsilon, self._other, self._backward, self._every, least, rough)
        near, left = self._near or (self._other, self._backward), self._unread
        found = self._sums(epsilon, *near, self._most, least, rough)
        if self._near is not None:
            left = max(left, *(one.left for one in self._near))
        with np.errstate(under="ignore"):
            known = (found[0] > _BESIDE * left) & (np.exp(found[2]) > _BESIDE * self._unread)
            deep = np.flatnonzero(~(known | (found[1] < least)))
        if len(deep):
            whole = self._sums(epsilon[deep], self._other, self._backward, self._every, least[deep], rough)
            for target, value in zip(found, whole, strict=True):
                target[deep] = value
        return found

    def _sums(
        self, epsilon: FloatArray, other: Profile, backward: Profile, part: slice, least: FloatArray, rough: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Bounds on delta and on log(1 - delta), with the outcomes of that ``part`` read where they count: for delta
        no less than ``least``, and beside 1 - (1 - e^eps)_+ of the other, which is at least its delta.
        """
        loss, mass, log_mass = self._loss[part], self._mass[part], self._log_mass[part]
        unread = 0.0 if part == self._every else self._unread
        at = np.subtract.outer(epsilon, loss)
        room = self._slack + self._stretch * np.abs(loss) + 4.0 * UNIT * np.abs(epsilon)[:, None]
        if self._dear:
            with np.errstate(under="ignore", over="ignore"):
                sure = np.maximum(-np.expm1(np.minimum(at, 0.0)), 0.0) @ mass
                goal = np.where(sure < _NEARLY, np.maximum((_UNSTEERED if rough else _UNSEEN) * sure, least), 0.0)
                counted = goal[:, None] / (len(mass) * np.maximum(mass, SMALLEST))
            counting = None if rough else mass
            most, fewest, least_gap, most_gap = self._read_once(other, backward, at, room, counting, counted)
        else:
            if rough:
                found = widened(bracket_at(other, backward, at.ravel(), rough=True), room.ravel())
            else:
                found = around(other, backward, at.ravel(), room.ravel())
            most, fewest, least_gap, most_gap = _shaped(found, at)
        with np.errstate(under="ignore"):
            upper = most @ mass * (1.0 + self._relative) + self._dropped + self._flushed + unread
            lower = fewest @ mass * (1.0 - self._relative) - self._flushed
        with np.errstate(divide="ignore"):
            low = np.logaddexp.reduce(least_gap + log_mass, axis=1)
            high = np.logaddexp.reduce(most_gap + log_mass, axis=1)
        slack = self._relative + 4.0 * UNIT * (4.0 + np.log2(len(log_mass) + 1.0)) * (2.0 + np.abs(low))
        # outcomes left out cannot make 1 - delta smaller; of them min(p, e^eps q) <= e^{eps / 2} sqrt(p q)
        with np.errstate(divide="ignore"):
            left_out = np.minimum(np.log(self._dropped), self._left_out + 0.5 * epsilon) * (1.0 - 4.0 * UNIT)
            left_out = np.logaddexp(left_out, np.log(unread))
        gap_low, gap_high = low - slack, np.logaddexp(high, left_out) + slack
        return (
            np.maximum(lower, 0.0),
            upper,
            np.where(np.isnan(gap_low), -np.inf, gap_low),
            np.where(np.isnan(gap_high), 0.0, gap_high),
        )

    def _read_once(
        self,
        other: Profile,
        backward: Profile,
        at: FloatArray,
        room: FloatArray,
        mass: FloatArray | None,
        counted: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The same for an engine that is dear to ask: read twice only where a little room counts beside the sum
        (of outcomes whose ``mass`` is given).
        """
        once = widened(bracket_at(other, backward, at.ravel(), least=counted.ravel()), room.ravel())
        most, least, low, high = _shaped(once, at)
        if mass is None:
            return most, least, low, high
        counts = mass * room > _BLURRED / len(mass) * (least @ mass)[:, None]
        if counts.any():
            twice = around(other, backward, at[counts], room[counts], counted[counts])
            most[counts], least[counts] = twice.upper, twice.lower
        return most, least, low, high


def _shaped(found: Bracket, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Bounds on delta from above and below, and on log(1 - delta) from below and above, as ``at`` is."""
    columns = found.upper, found.lower, found.log_gap_lower, found.log_gap_upper
    most, least, low, high = (column.reshape(at.shape).copy() for column in columns)
    return most, least, low, high
