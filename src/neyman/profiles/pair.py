"""The two directions of an adjacency seen as one certified profile over all real eps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.few import every, some
from neyman.numerics.functions.normal import probit
from neyman.numerics.functions.score import score
from neyman.profiles.effort import cut_short
from neyman.profiles.ended import below_chord
from neyman.profiles.profile import SHARPEST, Bracket, Fall, Profile
from neyman.profiles.real_line import bracket_at

__all__ = ["DIRECTIONS", "Adjacency", "Direction", "HeldTogether", "LargestProfile", "MaximumProfile", "Pair"]

Adjacency = Literal["add_or_remove", "add", "remove", "replace"]
Direction = Literal["remove", "add"]  # P holds the record, or Q does
DIRECTIONS: tuple[Direction, Direction] = ("remove", "add")
_NEARLY = 2.0 * SHARPEST  # relative width of what is nearly sharp: steers
_SOON = 1.0  # eps up to which losses end soon: a chord to an end that is much farther says nothing


class MaximumProfile(Profile):
    """max(delta_remove, delta_add) at every eps: the profile of "add or remove one record"."""

    def __init__(self, first: Profile, second: Profile) -> None:
        self.first = first
        self.second = second
        self._last: tuple[bytes, Bracket, Bracket] | None = None
        self._zero: tuple[Bracket, Bracket] | None = None
        self._steered: tuple[bytes, Bracket, Bracket] | None = None
        self._steady = True

    @property
    def method(self) -> str:
        """How the two are computed: usually in the same way."""
        ways = dict.fromkeys(", ".join((self.first.method, self.second.method)).split(", "))
        return ", ".join(ways)

    @property
    def revealed(self) -> float:
        """The larger of the two."""
        return max(self.first.revealed, self.second.revealed)

    @property
    def tail_mu(self) -> float:
        """The larger of the two."""
        return max(self.first.tail_mu, self.second.tail_mu)

    @property
    def end(self) -> float:
        """The larger of the two."""
        return max(self.first.end, self.second.end)

    @property
    def knots(self) -> FloatArray:
        """Those of both, and where two straight pieces cross."""
        return self._knots

    @cached_property
    def _knots(self) -> FloatArray:
        if not self.first.knots.size or not self.second.knots.size:
            return np.concatenate([self.first.knots, self.second.knots])
        both = np.unique(np.concatenate([[0.0], self.first.knots, self.second.knots]))
        ahead = self.first.bracket(both).upper - self.second.bracket(both).upper
        at = np.flatnonzero(ahead[:-1] * ahead[1:] < 0.0)
        share = ahead[at] / (ahead[at] - ahead[at + 1])
        crossed = both[at] + np.log1p(share * np.expm1(both[at + 1] - both[at]))
        return np.unique(np.concatenate([both, crossed]))

    rule = "the larger of two"

    @property
    def steady(self) -> bool:
        """Whether each answers alone, or all that was asked so far was nearly sharp: the others mend what is not, some
        of it only together.
        """
        return self._steady or (self.first.source is None and self.second.source is None)

    @property
    def expected(self) -> tuple[FloatArray, FloatArray] | None:
        """The lesser of the two scores, where the first's are known."""
        first, second = self.first.expected, self.second.expected
        if first is None or second is None:
            return first or second
        return first[0], np.minimum(first[1], np.interp(first[0], *second, right=np.inf))

    def fall(self, log_alpha: float) -> Fall | None:
        """The first's, which as a rule is the larger in the end."""
        return self.first.fall(log_alpha) or self.second.fall(log_alpha)

    def behind(self, epsilon: float) -> Iterator[Profile]:
        """Both."""
        return iter((self.first, self.second))

    def bracket(self, epsilon: FloatArray) -> Bracket:
        """Bounds at each ``epsilon``: the maximum of bounds bounds the maximum."""
        return _larger(*self._both(epsilon))

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        """As ``bracket``, as far as a search for ``goals`` needs it; not kept."""
        if self._zero is not None and _is_zero(epsilon):
            return _larger(*self._zero)
        return _larger(self.first.decide(epsilon, goals), self.second.decide(epsilon, goals))

    def rough(self, epsilon: FloatArray) -> Bracket:
        """As ``bracket``, as sharp as steering needs."""
        return _larger(*self._rough(epsilon))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """The slope of whichever is larger."""
        if self._last is not None and self._last[0] == epsilon.tobytes():
            a, b = self._last[1:]
        elif self._zero is not None and _is_zero(epsilon):
            a, b = self._zero
        else:
            a, b = self._rough(epsilon)
        first_larger = a.upper > b.upper
        if not every(first_larger):
            first_larger |= (a.upper == b.upper) & (a.log_gap_upper <= b.log_gap_upper)
            if not some(first_larger):
                return _slope(self.second, epsilon, b)
        if every(first_larger):
            return _slope(self.first, epsilon, a)
        return np.where(first_larger, _slope(self.first, epsilon, a), _slope(self.second, epsilon, b))

    def _rough(self, epsilon: FloatArray) -> tuple[Bracket, Bracket]:
        """Both as sharp as steering needs: solvers ask for the slope where they just were."""
        place = epsilon.tobytes()
        if self._steered is None or self._steered[0] != place:
            first = self.first.rough(epsilon)
            found = first, self._second(epsilon, first, self._roughly)
            if cut_short():
                return found
            self._steered = place, *found
        return self._steered[1:]

    def _both(self, epsilon: FloatArray) -> tuple[Bracket, Bracket]:
        """Both brackets; solvers ask again and again for eps = 0, and for the slope where they just were. What was cut
        short for want of effort is not kept: the next question may know more.
        """
        zero = _is_zero(epsilon)
        if zero and self._zero is not None:
            return self._zero
        place = epsilon.tobytes()
        if not zero and self._last is not None and self._last[0] == place:
            return self._last[1:]
        if epsilon.size == 1 and not zero and (found := self._among_last(epsilon)) is not None:
            return found
        away = not zero and every(epsilon > 0.0)
        if not away and (found := self._from_zero(epsilon)) is not None:
            self._last = place, *found
            return found
        first = (_sharp(self.first, epsilon) if away else None) or self.first.bracket(epsilon)
        second = _sharp(self.second, epsilon, first) if away and self._soon is None else None
        if second is None:
            second = self.second.bracket(epsilon) if zero else self._second(epsilon, first, self._above)
        _ = first.lower, second.lower  # which may be found only now
        self._steady = self._steady and (zero or (first.sharp and second.sharp) or _nearly_sharp(first, second))
        if not cut_short():
            if zero:
                self._zero = first, second
            else:
                self._last = place, first, second
        return first, second

    def _among_last(self, epsilon: FloatArray) -> tuple[Bracket, Bracket] | None:
        """Both, of one ``epsilon`` among those that were asked last: that where a search ended."""
        if self._last is None:
            return None
        same = np.frombuffer(self._last[0]) == epsilon[0]
        if not some(same):
            return None
        at = int(same.argmax())
        return self._last[1].at(slice(at, at + 1)), self._last[2].at(slice(at, at + 1))

    def _from_zero(self, epsilon: FloatArray) -> tuple[Bracket, Bracket] | None:
        """Both, where the first ``epsilon`` is 0, at which they are known, and their sources are sharp beyond."""
        if self._zero is None or self._soon is not None or not (epsilon[0] == 0.0 and every(epsilon[1:] > 0.0)):
            return None
        rest = [_sharp(one, epsilon[1:]) for one in (self.first, self.second)]
        if rest[0] is None or rest[1] is None or len(epsilon) == 1:
            return None
        return self._zero[0].followed(rest[0]), self._zero[1].followed(rest[1])

    def _second(self, epsilon: FloatArray, first: Bracket, ask: Callable[[FloatArray, FloatArray], Bracket]) -> Bracket:
        """The second's brackets, by ``ask``; where its losses end soon only as far as it may be the larger: delta is
        convex in e^eps, and below its chord from eps = 0 to the end, where it is 0 if nothing is revealed.
        """
        known, end = self._zero, self._soon
        chord = None if known is None or end is None else below_chord(epsilon, float(known[1].upper[0]), end)
        if chord is None:
            return ask(epsilon, first.lower)
        at = np.flatnonzero(~(chord.upper <= first.lower))
        return chord.sharpened(at, ask(epsilon[at], first.lower[at])) if len(at) else chord

    @cached_property
    def _soon(self) -> float | None:
        """Where the second's losses end, if that is soon and it reveals nothing."""
        end = self.second.end
        return end if end <= _SOON and self.second.tail_mu < np.inf else None

    def _roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        return self.second.rough(epsilon)

    def _above(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        return self.second.above(epsilon, lambda: least)


def _slope(profile: Profile, epsilon: FloatArray, known: Bracket) -> FloatArray:
    """Its slope: where all that is ``known`` is sharp that of its source, as it would say itself."""
    if known.sharp and profile.source is not None and every(epsilon > 0.0):
        return profile.source.slope(epsilon)
    return profile.slope(epsilon)


def _sharp(profile: Profile, epsilon: FloatArray, beside: Bracket | None = None) -> Bracket | None:
    """What its source says at each ``epsilon`` > 0, if that is sharp, or all of it below what is known of a larger one
    ``beside``; None where more hands are needed.
    """
    found = None if profile.source is None else profile.source.kept(epsilon)
    if found is None or found.sharp:
        return found
    if beside is None or not beside.sharp:
        return None
    below = (found.upper <= beside.lower) & (found.log_gap_lower >= beside.log_gap_upper)
    return found if every(below | found.sharp_places()) else None


def _nearly_sharp(first: Bracket, second: Bracket) -> bool:
    """Whether the larger is known nearly as well as ``sharp`` says."""
    upper = np.maximum(first.upper, second.upper)
    return every(upper - np.maximum(first.lower, second.lower) <= _NEARLY * upper)


def _is_zero(epsilon: FloatArray) -> bool:
    return epsilon.size == 1 and bool(epsilon[0] == 0.0)


def _larger(a: Bracket, b: Bracket) -> Bracket:
    return Bracket(
        np.maximum(a.lower, b.lower),
        np.maximum(a.upper, b.upper),
        np.minimum(a.log_gap_lower, b.log_gap_lower),
        np.minimum(a.log_gap_upper, b.log_gap_upper),
        a.sharp and b.sharp,
    )


class LargestProfile(MaximumProfile):
    """The larger of two for another reason: as one pair's, in both directions, not each that of one direction."""


class Pair(NamedTuple):
    """The profile for eps >= 0 (``forward``) and the reversed pair's (``backward``), which answers for eps < 0.

    delta(-e) = 1 - e^-e + e^-e delta_backward(e). One object in both places means a symmetric trade-off curve.
    """

    forward: Profile
    backward: Profile

    @classmethod
    def of(cls, remove: Profile, add: Profile, adjacency: Adjacency) -> Pair:
        """Arrange the two directions for ``adjacency``; "replace" takes a symmetric pair, given twice."""
        if adjacency == "remove":
            return cls(remove, add)
        if adjacency == "add":
            return cls(add, remove)
        both = remove if remove is add else MaximumProfile(remove, add)
        return cls(both, both)

    @classmethod
    def both(cls, found: Sequence[Profile]) -> Pair:
        """One for each direction, or one that stands for both."""
        return cls(found[0], found[-1])

    @property
    def reversed(self) -> Pair:
        """The same with P and Q exchanged."""
        return Pair(self.backward, self.forward)

    def towards(self, direction: Direction) -> Pair:
        """Of "remove" and "add" (this pair), the one asked for first, what it is the reversal of behind it."""
        return self if direction == "remove" else self.reversed

    @property
    def symmetric(self) -> bool:
        """Whether f is its own inverse."""
        return self.forward is self.backward

    @property
    def lesser(self) -> Pair | None:
        """A pair nowhere above this one that is known better, if there is one."""
        ahead = self.forward.lesser
        back = ahead if self.symmetric else self.backward.lesser
        return None if ahead is None or back is None else Pair(ahead, back)

    @property
    def branches(self) -> tuple[Profile, ...]:
        """The profiles that matter: one when symmetric, else both."""
        return (self.forward,) if self.symmetric else (self.forward, self.backward)

    @property
    def tail_mu(self) -> float:
        """A mu valid with no floor, for every branch."""
        return max(branch.tail_mu for branch in self.branches)

    @property
    def method(self) -> str:
        """How the profiles are computed."""
        return self.forward.method

    def bracket(self, epsilon: FloatArray) -> Bracket:
        """Bounds on delta and log(1 - delta) at each real ``epsilon`` (1-d, finite)."""
        if some(epsilon < 0.0):
            return bracket_at(self.forward, self.backward, epsilon)
        return self.forward.bracket(epsilon)


def delta_score(delta: FloatArray, log_gap: FloatArray) -> FloatArray:
    """-Phi^-1(delta), nearly, from whichever of delta and 1 - delta is small: as good as linear in eps for secants."""
    small = delta < 0.5
    with np.errstate(divide="ignore"):
        log_delta = np.log(delta)
    if every(small):
        return score(log_delta)
    found = score(np.where(small, log_delta, log_gap))
    return np.where(small, found, -found)


def alpha_score(profile: Profile, epsilon: FloatArray) -> FloatArray:
    """-Phi^-1(Q(L > eps)), approximate."""
    with np.errstate(divide="ignore"):
        return -probit(np.minimum(np.log(profile.slope(epsilon)) - epsilon, 0.0))


def power_score(profile: Profile, epsilon: FloatArray) -> FloatArray:
    """-Phi^-1(P(L > eps)), approximate."""
    touched = profile.touched(epsilon)
    if touched is not None:
        return np.where(
            touched[1] < -np.log(2.0), -probit(np.minimum(touched[1], 0.0)), probit(np.minimum(touched[2], 0.0))
        )
    b, slope = profile.rough(epsilon), profile.slope(epsilon)
    power = b.upper + slope
    with np.errstate(divide="ignore"):
        small = -probit(np.log(np.clip(power, 0.0, 0.5)))
        complement = np.log(np.clip(np.exp(b.log_gap_lower) - slope, 0.0, 1.0))
    return np.where(power < 0.5, small, probit(complement))


class HeldTogether(Profile):
    """The profile of several promises that hold at once: ``parts``, of which every single question is dear."""

    parts: tuple[Pair, ...]
