"""What an engine hands on: the certified privacy profile of one ordered pair (P, Q).

Conventions (one everywhere): P is the output law under H1, Q under H0, L = log dP/dQ,

    delta(eps) = E_P[(1 - e^{eps - L})_+],     alpha(eps) = Q(L > eps),     beta(eps) = P(L <= eps).

A profile answers for eps >= 0. The other half of the real line is the reversed pair:
delta(-eps) = 1 - e^{-eps} + e^{-eps} delta_reverse(eps).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import BoolArray, FloatArray
from neyman.numerics.functions.few import every

if TYPE_CHECKING:
    from neyman.profiles.certificate import Certificate
    from neyman.profiles.vertices import Vertices

__all__ = ["NEARLY_ONE", "SHARPEST", "Bracket", "Fall", "Profile"]

NEARLY_ONE = 0.999  # delta above which 1 - delta deserves a composition of its own
_HALF = 0.5  # delta from which 1 - delta is told apart
SHARPEST = 1e-10  # relative width of what nothing makes any sharper: it steers who is asked


class Fall(NamedTuple):
    """About where Q(L > eps) is some alpha, and how many of its deviations the loss was tilted to be there: about
    -Phi^-1(alpha) of one that is normal, far more of rare losses that are not.
    """

    epsilon: float
    deviations: float


@dataclass(slots=True, eq=False)
class Bracket:
    """Certified bounds on delta and on log(1 - delta), element by element.

    Both pairs hold at once, floating point included: ``lower <= delta <= upper`` and
    ``log_gap_lower <= log(1 - delta) <= log_gap_upper``. The second pair carries relative accuracy where delta is
    near 1 (down to gaps far below 1e-308, hence the logarithm), the first everywhere else.

    ``sharp``: whoever made it knows that every delta is known to a relative 1e-10, and from one half on 1 - delta as
    well. Profiles that only mend what is wide hand such a bracket on as it is.
    """

    lower: FloatArray
    upper: FloatArray
    log_gap_lower: FloatArray
    log_gap_upper: FloatArray
    sharp: bool = False

    @staticmethod
    def late(
        upper: FloatArray, log_gap_lower: FloatArray, below: Callable[[], tuple[FloatArray, FloatArray]]
    ) -> Bracket:
        """Bounds of which ``lower`` and ``log_gap_upper``, cut where they cross the others, are found when asked."""
        return _Late(upper, log_gap_lower, below)

    @classmethod
    def of_delta(cls, lower: FloatArray, upper: FloatArray) -> Bracket:
        """Bounds on delta alone, and what they say of 1 - delta."""
        lower = np.minimum(lower, upper)  # laws that enclose another may weigh a little more than 1
        with np.errstate(divide="ignore"):
            low, high = np.log1p(-upper), np.log1p(-lower)
        return cls(lower, upper, low * (1.0 + 1e-15) - 1e-300, np.minimum(high * (1.0 - 1e-15), 0.0))

    def __reduce__(self) -> tuple[type[Bracket], tuple[FloatArray | bool, ...]]:
        return Bracket, (self.lower, self.upper, self.log_gap_lower, self.log_gap_upper, self.sharp)

    @property
    def _complete(self) -> bool:
        """Whether all four are there."""
        return True

    def sharp_places(self) -> BoolArray:
        """Where nothing makes it any sharper."""
        narrow = self.upper - self.lower <= SHARPEST * self.upper
        small = self.upper < _HALF
        if every(small):
            return narrow
        with np.errstate(invalid="ignore"):
            return narrow & (small | (self.log_gap_upper - self.log_gap_lower <= SHARPEST))

    def at(self, place: NDArray[np.int64] | slice) -> Bracket:
        """The bounds at these places."""
        if self._complete:
            return Bracket(self.lower[place], self.upper[place], self.log_gap_lower[place], self.log_gap_upper[place])
        return Bracket.late(
            self.upper[place], self.log_gap_lower[place], lambda: (self.lower[place], self.log_gap_upper[place])
        )

    def followed(self, other: Bracket) -> Bracket:
        """These bounds and then the ``other``'s."""
        if self._complete and other._complete:
            return Bracket(
                np.concatenate([self.lower, other.lower]),
                np.concatenate([self.upper, other.upper]),
                np.concatenate([self.log_gap_lower, other.log_gap_lower]),
                np.concatenate([self.log_gap_upper, other.log_gap_upper]),
            )
        return Bracket.late(
            np.concatenate([self.upper, other.upper]),
            np.concatenate([self.log_gap_lower, other.log_gap_lower]),
            lambda: (
                np.concatenate([self.lower, other.lower]),
                np.concatenate([self.log_gap_upper, other.log_gap_upper]),
            ),
        )

    def sharpened(self, place: NDArray[np.intp], other: Bracket) -> Bracket:
        """These bounds, and at the ``place``s the ``other``'s besides, of which there are as many."""
        index = np.arange(len(self.upper))
        index[place] = len(self.upper) + np.arange(len(place))
        return self.followed(self.at(place).within(other)).at(index)

    def within(self, other: Bracket) -> Bracket:
        """The sharper of two bounds on the same numbers, each way."""
        return Bracket(
            np.maximum(self.lower, other.lower),
            np.minimum(self.upper, other.upper),
            np.maximum(self.log_gap_lower, other.log_gap_lower),
            np.minimum(self.log_gap_upper, other.log_gap_upper),
        )


class _Late(Bracket):
    """One that lacks ``lower`` and ``log_gap_upper`` until somebody reads either."""

    __slots__ = ("_below",)

    def __init__(
        self, upper: FloatArray, log_gap_lower: FloatArray, below: Callable[[], tuple[FloatArray, FloatArray]]
    ) -> None:
        self.upper, self.log_gap_lower, self.sharp = upper, log_gap_lower, False
        self._below: Callable[[], tuple[FloatArray, FloatArray]] | None = below

    @property
    def _complete(self) -> bool:
        return self._below is None

    def __getattr__(self, name: str) -> FloatArray:
        if name not in ("lower", "log_gap_upper") or self._below is None:
            raise AttributeError(name)
        lower, log_gap_upper = self._below()
        self._below = None  # which may hold on to much
        self.lower = np.minimum(lower, self.upper)
        self.log_gap_upper = np.maximum(log_gap_upper, self.log_gap_lower)
        return self.lower if name == "lower" else self.log_gap_upper


class Profile(ABC):
    """delta(eps) of one ordered pair for eps >= 0, bracketed.

    Laws: ``bracket`` encloses a function that is non-increasing and convex in e^eps, with values in [0, 1].
    ``slope`` is e^eps Q(L > eps) = -d delta / d eps, accurate but not certified: it steers solvers, it never decides.
    """

    rule: ClassVar[str] = ""  # what it does with the answers of those behind it, for certificates
    width_is: ClassVar[str] = "bounds"  # what its own width is called there

    source: Profile | None = None
    """Another that may be asked first at eps > 0: where it is ``sharp``, bracket and slope of this one are the same."""

    @property
    def lesser(self) -> Profile | None:
        """That of a pair which tells less at every eps, and is known better than this one; None where there is none."""
        return None

    @property
    @abstractmethod
    def method(self) -> str:
        """Which engine answers: "closed form", "exact sum", "transform", "lattice", or several."""

    @property
    def end(self) -> float:
        """From this eps on delta no longer falls: the largest finite loss, rounded up; inf where there is none."""
        return math.inf

    @property
    def turns(self) -> FloatArray:
        """The eps > 0 at which points of contact begin to move, leap or change their pace, where these are known: they
        steer.
        """
        return np.zeros(0)

    @property
    def knots(self) -> FloatArray:
        """The eps >= 0 at which delta bends, rising, where it is straight in e^eps between them: the best tangents."""
        return np.zeros(0)

    @property
    def vertices(self) -> Vertices | None:
        """The vertices of the trade-off curve, where they are few and known; else None."""
        return None

    @property
    def revealed(self) -> float:
        """A bound from below on delta wherever it is: the mass at infinity, or 0 where that is not known by itself."""
        return 0.0

    @property
    def log_overlap(self) -> float:
        """log of a bound on the sum of sqrt(p q) over all that can happen; 0 where none is known."""
        return 0.0

    @property
    def steady(self) -> bool:
        """Whether a place is told the same in any company, but for its last digits: then more places cost little beside
        others. It steers.
        """
        return False

    @property
    def labour(self) -> float:
        """Nominal nanoseconds that one more eps takes, about, where that is much: it steers which engine comes first,
        and decides nothing.
        """
        return 0.0

    @abstractmethod
    def bracket(self, epsilon: FloatArray) -> Bracket:
        """Bounds at each ``epsilon`` (1-d, finite, >= 0)."""

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        """The same for a search, which does not care how wide a bracket is that lies beyond its ``goals``, a least and
        a largest delta: where a bound that costs little says so, a dear engine is not asked.
        """
        return self.bracket(epsilon)

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        """The same where nobody cares for a delta below ``least()``: once it is known to lie there, no more is done."""
        return self.bracket(epsilon)

    def above_roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        """``above`` for what only steers: ``rough`` where delta may be ``least`` or more."""
        return self.above(epsilon, lambda: least)

    def rough(self, epsilon: FloatArray) -> Bracket:
        """The same for what only steers: as sharp as that needs, where an engine has to be sharpened for more."""
        return self.bracket(epsilon)

    def kept(self, epsilon: FloatArray) -> Bracket:
        """As ``bracket``, for who only reads it: it may be that which is remembered."""
        return self.bracket(epsilon)

    def nearly(self, epsilon: FloatArray) -> FloatArray:
        """About delta, for what only steers and is asked for a place to begin, where a formula costs less."""
        return self.bracket(epsilon).upper

    def sharp_within(self, epsilon: FloatArray, least: FloatArray | float, most: float = 1.0) -> Bracket:
        """``rough`` first, and as sharp as ``bracket`` where delta may lie between these; what is nearly 1 is always
        sharp, but for a search.
        """
        found = self.rough(epsilon)
        if found.sharp:
            return found
        asked = (found.upper >= least) & (found.lower <= most)
        asked = asked | (found.upper >= _HALF) if most == 1.0 else asked
        at = np.flatnonzero(asked & ~found.sharp_places())
        if not len(at):
            return found
        place = np.arange(len(epsilon))
        place[at] = len(epsilon) + np.arange(len(at))
        return found.followed(self.bracket(epsilon[at])).at(place)

    def attained(self, alpha: FloatArray, epsilon: FloatArray, turned: bool) -> FloatArray:
        """Lower bounds on 1 - f(alpha) - alpha, or where ``turned`` of that of the reversed pair, from tests that are
        known to do so well: those about each ``epsilon`` >= 0, whose tangent touches about there. 0 where none are.
        """
        return np.zeros_like(alpha)

    def contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """(alpha, beta) on or above the curve, about where tangents of these slopes touch and where they do of the
        reversed pair, from tests that are known; None where none are.
        """
        return None

    def touched(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Logs of the false positive rate, of the power and of 1 less that where each tangent touches, where these are
        known by themselves: they steer.
        """
        return None

    @property
    def expected(self) -> tuple[FloatArray, FloatArray] | None:
        """Increasing eps > 0 and about the scores of delta there (``pair.delta_score``), where somebody knows them who
        has not been asked for any: they steer, and tell where a search may begin.
        """
        return next((found for one in self.behind(1.0) if (found := one.expected) is not None), None)

    def fall(self, log_alpha: float) -> Fall | None:
        """About where Q(L > eps) is e^``log_alpha``, likewise."""
        return next((found for one in self.behind(1.0) if (found := one.fall(log_alpha)) is not None), None)

    def behind(self, epsilon: float) -> Iterator[Profile]:
        """Those whose bounds at ``epsilon`` it may have handed on, the likelier first."""
        return iter(())

    def certificate(self, epsilon: float) -> Certificate:
        """Who answered at ``epsilon`` >= 0, and the terms of the error."""
        from neyman.profiles.certificate import Certificate, handed_on

        own = self.bracket(np.array([epsilon]))
        bare = Certificate(epsilon, float(own.lower[0]) + 0.0, float(own.upper[0]) + 0.0, self.method)
        return handed_on(bare, self.width_is, self.rule, (one.certificate(epsilon) for one in self.behind(epsilon)))

    @abstractmethod
    def slope(self, epsilon: FloatArray) -> FloatArray:
        """Approximate e^eps Q(L > eps) at each ``epsilon`` (1-d, finite, >= 0)."""

    @property
    @abstractmethod
    def tail_mu(self) -> float:
        """Least mu that is valid with no floor at all: an upper bound on it, inf where there is none."""
