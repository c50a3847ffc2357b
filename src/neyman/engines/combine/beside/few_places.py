"""A composition of which a part tells less than the rest: the rest is read at a few places of what that part tells.

Which places, and what follows from them, is said in ``places``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from scipy.special import gammaln

from neyman._validate import FloatArray
from neyman.engines.combine.before import before, towards
from neyman.engines.combine.beside.places import LARGEST, Places, read
from neyman.engines.lattice.cumulant import Cumulant
from neyman.losses.base import Step
from neyman.losses.laplace.step import LaplaceStep
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.profiles.effort import readable
from neyman.profiles.pair import DIRECTIONS, Pair
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import bracket_at, slope_at

__all__ = ["FewPlaces", "beside_less"]

_DEPTHS = 1e-20, 1e-38  # of delta_B, where the places end; the second where a delta is below the first times _BESIDE
_BESIDE = 1e-9  # times a delta: what may be left beyond the places
_DEAR = 1 << 9  # places where the others are dear to read
_CHEAP = "closed form", "exact sum", "lattice"  # to read
_READ = 1 << 16  # readings of the others at a time
_EACH = 40.0  # nominal nanoseconds of an eps at a place, beside what the others count
_LESS = 0.1  # deviations, beside the largest, of steps that tell less
_FELT = 0.3  # e-folds that delta may fall by over a deviation of what tells less
_SHARE, _PLACED = 0.5, 0.3  # of the tolerance: of each alone, and of the reading at few places
_DEEP = -23.0  # log of a delta, roughly
_COUNTED = 1 << 8  # outcomes of several steps that have masses of their own
_UNKNOWN = np.array([0.0, 1.0, -np.inf, 0.0])[:, None]  # bounds on delta and on log(1 - delta) that say nothing
NONE = np.zeros(0), np.zeros(0)  # no outcomes
_ROUNDED = 32.0 * UNIT  # certifies: of an eps, of the largest loss, and of a value between two places
_LOWEST = -690.0  # log of what all terms are measured by, at least: e^690 of a probability is a float
# certifies: of a mass, whose log is a sum of three gammaln of at most 257, each off by 10 units of 1163: 4e-12
_LESS_MASS = 1e-10

Losses = tuple[tuple[Step, int], ...]


class FewPlaces(Profile):
    """``law``, whose reversal is ``backward``, beside steps of the profiles ``little()`` (this direction, the other),
    whose losses have about that ``deviation``; ``steep`` and ``aim`` as of ``Places``. ``atoms`` are losses of ``law``
    that have masses, and these from below, as far as they are known; of more than ``most`` places nothing is said.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> law, little = GaussianProfile(1.0), GaussianProfile(0.03)
    >>> b = FewPlaces(law, law, lambda: (little, little), 0.03, 6.0, 1e-7, 2.0).bracket(np.array([1.0]))
    >>> both = GaussianProfile(math.hypot(1.0, 0.03)).bracket(np.array([1.0]))
    >>> bool(b.lower[0] <= both.upper[0] and both.lower[0] <= b.upper[0])
    True
    >>> bool(b.upper[0] - b.lower[0] < 3e-7 * b.upper[0])
    True
    """

    def __init__(
        self, law: Profile, backward: Profile, little: Callable[[], Pair], deviation: float,
        steep: float, aim: float, tail_mu: float, atoms: tuple[FloatArray, FloatArray] = NONE,
        most: int = LARGEST,
    ) -> None:  # fmt: skip
        self._atoms, self._most = atoms, most
        self._law, self._backward, self._make = law, backward, little
        self._deviation, self._steep, self._aim, self._tail_mu = deviation, steep, aim, tail_mu
        self._places: dict[float, Places | None] = {}

    @property
    def method(self) -> str:
        return self._law.method

    @property
    def end(self) -> float:
        return (self._law.end + self._make()[0].end) * (1.0 + 4.0 * UNIT)

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def labour(self) -> float:
        return _DEAR * (_EACH + 2.0 * self._law.labour) if self._law.method in _CHEAP else 0.0

    def at(self, depth: float) -> Places | None:
        """The places, until what is left is that little."""
        if depth not in self._places:
            self._places[depth] = Places.of(self._make(), self._deviation, self._steep, self._aim, depth, self._most)
        return self._places[depth]

    def slope(self, epsilon: FloatArray) -> FloatArray:
        places = self.at(_DEPTHS[0])
        if places is None:
            return self._law.slope(epsilon)
        out = np.empty(len(epsilon))
        weight = places.above[1]
        for part in self._parts(len(epsilon), places):
            if not self._readable(epsilon[part], places):
                return self._law.slope(epsilon)
            at = np.subtract.outer(epsilon[part], places.loss)
            out[part] = slope_at(self._law, self._backward, at.ravel()).reshape(at.shape) @ weight
        return np.clip(out, 0.0, 1.0)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, 0.0)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self._bounds(epsilon, goals[0])

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._bounds(epsilon, least())

    def _bounds(self, epsilon: FloatArray, least: FloatArray | float) -> Bracket:
        """The same where nobody cares for a delta below ``least``."""
        zero = np.zeros(len(epsilon))
        known = Bracket(zero, zero + 1.0, zero - np.inf, zero)
        open_ = np.arange(len(epsilon))
        for depth in _DEPTHS:
            places = self.at(depth)
            if places is None:
                break
            known = known.sharpened(open_, self._sums(epsilon[open_], places))
            open_ = np.flatnonzero((places.beyond > _BESIDE * known.upper) & (known.upper > least))
            if not len(open_):
                break
        ended = epsilon >= self.end
        upper, lower = np.where(ended, 0.0, known.upper), np.where(ended, 0.0, known.lower)
        low, high = np.where(ended, 0.0, known.log_gap_lower), np.where(ended, 0.0, known.log_gap_upper)
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)

    @staticmethod
    def _parts(count: int, places: Places) -> list[slice]:
        rows = max(1, _READ // len(places.loss))
        return [slice(i, i + rows) for i in range(0, count, rows)]

    @staticmethod
    def _readable(epsilon: FloatArray, places: Places) -> bool:
        return readable(_EACH * len(epsilon) * len(places.loss))

    def _sums(self, epsilon: FloatArray, places: Places) -> Bracket:
        out = np.empty((4, len(epsilon)))
        out[:] = _UNKNOWN
        for part in self._parts(len(epsilon), places):
            if not self._readable(epsilon[part], places):
                break
            out[:, part] = self._block(epsilon[part], places)
        lower, upper, low, high = out
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)

    def _block(self, epsilon: FloatArray, places: Places) -> FloatArray:
        """Bounds on delta from below and above, and on log(1 - delta)."""
        at = np.subtract.outer(epsilon, places.loss)
        room = 4.0 * UNIT * (np.abs(places.loss) + epsilon[:, None])
        found = bracket_at(self._law, self._backward, np.concatenate([(at - room).ravel(), (at + room).ravel()]))
        upper, low = (part[: at.size].reshape(at.shape) for part in (found.upper, found.log_gap_lower))
        lower, high = (part[at.size :].reshape(at.shape) for part in (found.lower, found.log_gap_upper))
        off, tiny = (16.0 + len(places.loss)) * UNIT, SMALLEST * (1.0 + len(places.loss))
        more, less = self._lone(epsilon, places)
        own = int(np.flatnonzero(places.loss == 0.0)[0])  # no composition is more private than its part
        with np.errstate(under="ignore"):
            most = upper @ np.maximum(places.above[1], 0.0) * (1.0 + off) + places.beyond
            most = most * (1.0 + 4.0 * UNIT) - more
            least = lower @ np.maximum(places.below[0], 0.0) * (1.0 - off)
            least += upper @ np.minimum(places.below[0], 0.0) * (1.0 + off)
            least = np.maximum(least * (1.0 - 4.0 * UNIT) + less, lower[:, own])
        least, most = np.maximum(least - tiny, 0.0), np.minimum(most + tiny, 1.0)
        low, far = _logs((low, high), (places.above[0], places.below[1]), off, (more, less))
        with np.errstate(divide="ignore"):
            low = np.maximum(low, np.log1p(-most) * (1.0 + 4.0 * UNIT) - SMALLEST)
            far = np.minimum(far, np.log1p(-np.minimum(least, most)) * (1.0 - 4.0 * UNIT))
        return np.array([least, most, low, np.minimum(far, high[:, own])])

    def _lone(self, epsilon: FloatArray, places: Places) -> tuple[FloatArray, FloatArray]:
        """What is certainly too much of the sum above, and too little of that below, at the outcomes that are known."""
        loss, mass = self._atoms
        more, less = np.zeros(len(epsilon)), np.zeros(len(epsilon))
        if not len(loss):
            return more, less
        at = np.subtract.outer(epsilon, loss)
        room = unsure(loss) + _ROUNDED * epsilon[:, None]
        for turned, (one, (away, above, below)) in enumerate(zip(self._make(), places.sides, strict=True)):
            sign = -1.0 if turned else 1.0
            far, near = np.abs(at) + room, np.maximum(np.abs(at) - room, 0.0)
            with np.errstate(over="ignore"):  # no place is as far out as that
                start, end = np.abs(np.expm1(sign * near)), np.abs(np.expm1(sign * far))
            here = at < 0.0 if turned else at >= 0.0  # at 1 only once
            row, column = np.nonzero(here & (end < away[-1]))
            if not len(row):
                continue
            low, high = read(one, np.concatenate([near[row, column], far[row, column]]), bool(turned))
            start, end = start[row, column], end[row, column]
            over = np.interp(end, away, above) * (1.0 - _ROUNDED) - high[: len(row)]
            under = low[len(row) :] - np.interp(start, away, below) - _ROUNDED * np.interp(start, away, above)
            more += np.bincount(row, np.maximum(over, 0.0) * mass[column], len(epsilon))
            less += np.bincount(row, np.maximum(under, 0.0) * mass[column], len(epsilon))
        return more * (1.0 - ROOM), less * (1.0 - ROOM)


def unsure(loss: FloatArray) -> float:
    """How far any of these may be off: sums of products, of up to eight kinds, in which signs differ. Each is off by a
    few units of the sizes of its terms, together at most twice the largest of all.
    """
    return _ROUNDED * float(np.abs(loss).max())


def _logs(
    gaps: tuple[FloatArray, FloatArray], weights: tuple[FloatArray, FloatArray], off: float,
    known: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Bounds on log(1 - delta) from those of the others' at each place, the weights on the safe side, and what is
    ``known`` to be too little and too much of the sums.
    """
    top = np.maximum(gaps[1].max(axis=1), _LOWEST)
    with np.errstate(under="ignore", divide="ignore", invalid="ignore", over="ignore"):
        least, most = (np.exp(gap - top[:, None]) for gap in gaps)
        low = least @ np.maximum(weights[0], 0.0) * (1.0 - off) + most @ np.minimum(weights[0], 0.0) * (1.0 + off)
        high = most @ np.maximum(weights[1], 0.0) * (1.0 + off)
        low = low - 4.0 * UNIT * np.abs(low) + known[0] * np.exp(-top) * (1.0 - ROOM)
        high = high * (1.0 + 4.0 * UNIT) - known[1] * np.exp(-top) * (1.0 - ROOM) + SMALLEST
        size = (np.abs(top) + 1.0) * 8.0 * UNIT
        low, high = np.log(np.maximum(low, 0.0)) + top - size, np.log(high) + top + size
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), 0.0, np.minimum(high, 0.0))


def beside_less(
    losses: Losses, tolerance: float, tail_mu: float, parted: Callable[..., Pair], engine: Callable[[], Pair]
) -> Pair | None:
    """Both directions of steps of which some tell less: ``parted`` from the others, which are read at a few places of
    theirs; the ``engine`` of all only where that is not sharp. None where none tells so little.
    """
    if len(losses) < 2:
        return None
    sizes = [Cumulant(((step.bins(), times),), "remove").at(0.0).deviation for step, times in losses]
    small = [size < _LESS * max(sizes) for size in sizes]
    most, rest = (
        tuple(one for one, little in zip(losses, small, strict=True) if little is which) for which in (False, True)
    )
    if not rest:
        return None
    told = math.hypot(*(size for size, little in zip(sizes, small, strict=True) if little))
    steep = _steep(most)
    if not steep * told < _FELT:
        return None
    laws = parted(most, tolerance=_SHARE * tolerance)
    both = cache(partial(parted, rest, tolerance=_SHARE * tolerance))
    return before(_few(most, laws, both, told, steep, _PLACED * tolerance, tail_mu), engine, tolerance)


def _few(
    most: Losses, laws: Pair, little: Callable[[], Pair], told: float, steep: float, aim: float, tail_mu: float
) -> Pair:
    """Both directions of the others, of the profiles ``laws``, read at few places."""
    loss, log_q = _atoms(most)
    many = LARGEST if laws[0].method in _CHEAP else _DEAR
    found = [
        FewPlaces(
            *laws.towards(way), partial(towards, little, way), told, steep, aim, tail_mu,
            (sign * loss, np.exp(log_q + max(sign, 0.0) * loss) * (1.0 - _LESS_MASS)), many,
        )
        for way, sign in zip(DIRECTIONS, (1.0, -1.0), strict=True)
    ]  # fmt: skip
    return Pair.both(found)


def _steep(losses: Losses) -> float:
    """How fast delta falls, relatively, where it is about 1e-10, or at the end of what is likely: it plans."""
    cumulant = Cumulant(tuple((step.bins(), times) for step, times in losses), "remove")
    least = 1.0 / cumulant.at(0.0).deviation
    for c in least * 2.0 ** np.arange(0.0, 8.0, 0.5):
        at = cumulant.at(float(c))
        if at.value - c * at.mean < _DEEP:
            return float(c)
    return 16.0 * least


def _atoms(losses: Losses) -> tuple[FloatArray, FloatArray]:
    """Losses that have masses in a composition of Laplace steps, and logs of these without the record; none where they
    are many, or others are among them.
    """
    loss, log_q = np.zeros(1), np.zeros(1)
    for step, times in losses:
        if not isinstance(step, LaplaceStep) or len(loss) * (times + 1) > _COUNTED:
            return NONE
        (low, high), each = step.bins().atoms
        k = np.arange(times + 1.0)
        several = gammaln(times + 1.0) - gammaln(k + 1.0) - gammaln(times - k + 1.0)
        log_mass = several + k * each[1] + (times - k) * each[0]
        loss = np.add.outer(loss, k * high + (times - k) * low).ravel()
        log_q = np.add.outer(log_q, log_mass).ravel()
    return loss, log_q
