"""delta(eps) of one of t steps, chosen at random for each record, with Gaussian noise.

Under Q all t outputs are N(0, sigma^2); under P one of them, which nobody is told, is N(1, sigma^2). dP/dQ = S / t, S
the sum of t likelihood ratios (ratios.py). With f(K) = E (K - S)_+ under Q, and E S = t,

    add:  delta(eps) = e^eps f(t e^-eps) / t,        remove:  delta(eps) = 1 - e^eps + f(t e^eps) / t.

The second cancels: f is known to some 28 digits, so that delta is to 1e-28 e^eps. Beyond, and where no line is short
enough, two arguments of one line each hold: whoever is shown the single output of the record learns all (so delta is at
most that of the Gaussian mechanism), and "is any output above x" is a test (so delta is at least what that one shows).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.cells import Cells, ratios
from neyman.losses.allocated.elementary import FAR, FLOOR, by_a_test, one_alone, told_alone
from neyman.losses.allocated.left.line import PANELS, UNKNOWN, Call, left
from neyman.losses.allocated.lines.centred import centred
from neyman.losses.allocated.two import slope_of_two, two_steps
from neyman.numerics.exact.double_double import TWICE, Twofold
from neyman.numerics.rounding import AMPLE, SMALLEST, UNDERFLOW, UNIT
from neyman.profiles.certificate import Certificate
from neyman.profiles.effort import allowance
from neyman.profiles.profile import Bracket, Profile

__all__ = ["AllocatedProfile"]

_LEAST_NOISE, _MOST_NOISE = 0.05, 16.0  # between which lines are laid for the sum itself
_LAST = 40.0  # the eps from which 1e-28 e^eps is no bound
_FAINT = 1e-32  # delta of which lines for "remove" say nothing
_VAGUE = 0.99  # of the upper bound, from which on tests are not tried
_FEW = 64  # eps of which each has all ways tried
_SEVERAL = 1 << 11  # eps of which each is looked at by itself, where there is little noise or it is one integral
_LOUD = 0.5  # noise from which lines in pairs of floats are short
_LOUDEST = 12.0  # the largest noise at which that is tried
_NEAR = 30.0  # eps beyond which nothing is left of what cancels
_LONG = 8 * PANELS  # of a line where no other way is sharp
_CALL_COST = 5e6  # nanoseconds of one
_KNOWN_COST = 1.5e6  # the same of one of many, which share lines
_SHARP = 1.0 - 4e-9  # lower over upper bounds from which lines are not asked
_BLUNT = 1.0 - 1e-7  # the same of power series for many eps
_SOFT = 6.0  # noise from which the sum less its mean is nearly normal
_FAINTEST = 1e-3  # noise below which no eps up to the last tells anything


class AllocatedProfile(Profile):
    """One direction. ``least`` and ``most`` are the ends between which the noise lies, noise over sensitivity."""

    def __init__(self, least: float, most: float, t: int, remove: bool) -> None:
        self._noise, self._t, self._remove = (least, most), t, remove
        self._known: dict[float, Cells] = {}

    @property
    def method(self) -> str:
        """By contours."""
        return "transform"

    @property
    def tail_mu(self) -> float:
        """That of the Gaussian mechanism."""
        return 1.0 / self._noise[0] * (1.0 + 4.0 * UNIT)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        """The sharpest of what integrals and lines say, each asked where those before it are not sharp."""
        found = told_alone(self._noise[0], epsilon)
        within = (epsilon <= FAR) & (found.upper > FLOOR)
        ways = (self._of_two, self._alone, self._centred, self._plainly, self._by_series)
        several = _SEVERAL if self._noise[0] < _LOUD or self._t == 2 else _FEW
        if len(epsilon) > several:  # which power series share
            ways = (self._alone, self._centred, self._by_series, self._of_two)
            ways = ways if self._noise[0] < _SOFT else (self._centred, self._of_two, self._by_series)
        for way in ways:
            blunt = len(epsilon) > _FEW and way == self._by_series
            at = np.flatnonzero(within & _vague(found, _BLUNT if blunt else _SHARP))
            if len(at):
                found = found.sharpened(at, way(epsilon[at]))
        vague = np.flatnonzero(found.lower < _VAGUE * found.upper)
        if not len(vague):
            return found
        return found.sharpened(vague, by_a_test(self._noise[1], self._t, epsilon[vague], self._remove))

    def _between(self, ask: Callable[[float, FloatArray], Bracket], epsilon: FloatArray) -> Bracket:
        """More noise tells less: from above at the lesser noise, from below at the greater."""
        above = ask(self._noise[0], epsilon)
        below = above if self._noise[1] == self._noise[0] else ask(self._noise[1], epsilon)
        return Bracket(below.lower, above.upper, above.log_gap_lower, below.log_gap_upper)

    def _of_two(self, epsilon: FloatArray) -> Bracket:
        """Of two steps, by one integral; whoever is told two of more, of which one is the record's, learns no less."""
        few = not self._remove and self._noise[0] < _LOUD and len(epsilon) <= _FEW
        if self._noise[0] < _FAINTEST or not (self._t == 2 or few):
            return _nothing(epsilon)
        found = self._between(lambda noise, at: two_steps(noise, at, self._remove), epsilon)
        if self._t == 2:
            return found
        zero = np.zeros_like(epsilon)
        return Bracket(zero, found.upper, found.log_gap_lower, zero)

    def _alone(self, epsilon: FloatArray) -> Bracket:
        """Of "remove" where noise is small, by closed forms."""
        if not self._remove or self._noise[0] >= _LOUD:
            return _nothing(epsilon)
        return self._between(lambda noise, at: one_alone(noise, self._t, at), epsilon)

    def _centred(self, epsilon: FloatArray) -> Bracket:
        """Of much noise, by lines for the sum less its mean."""
        if self._noise[0] < _SOFT:
            return _nothing(epsilon)
        return self._between(lambda noise, at: centred(noise, self._t).bracket(at, self._remove), epsilon)

    def _by_series(self, epsilon: FloatArray) -> Bracket:
        """By power series in pairs of floats, which many eps share."""
        reached = epsilon <= _LAST if self._remove else np.ones(len(epsilon), dtype=np.bool_)
        if self._remove:
            reached &= told_alone(self._noise[0], epsilon).upper > _FAINT
        found, at = _nothing(epsilon), np.flatnonzero(reached)
        if not (len(at) and self._laid):
            return found
        above, missing = self._summed(self._noise[0], epsilon[at])
        below = above if self._noise[1] == self._noise[0] else self._summed(self._noise[1], epsilon[at])[0]
        found = found.sharpened(at, Bracket(below.lower, above.upper, above.log_gap_lower, below.log_gap_upper))
        return self._falling(epsilon, found, at[missing]) if self._remove and missing.any() else found

    def certificate(self, epsilon: float) -> Certificate:
        """Which line answered, and what is neither its aliases nor its ends."""
        own = super().certificate(epsilon)
        least, most = self._noise
        if least != most:
            return own
        for upper, kind, nodes, off in self._explained(least, epsilon):
            terms = {name: 2.0 * value for name, value in off.items()}
            if upper == own.upper and sum(terms.values()) <= own.width:  # else another answered
                terms["rounding"] = math.nextafter(own.width - sum(terms.values()), math.inf)
                return replace(own, supply=kind, nodes=nodes, terms=terms)
        return own

    def _explained(self, noise: float, epsilon: float) -> Iterator[tuple[float, str, int, dict[str, float]]]:
        """Upper bounds that may have been handed on, from which nodes, and what these err by but for rounding."""
        at, t = np.array([epsilon]), self._t
        if t == 2 and noise >= _FAINTEST:
            yield float(self._of_two(at).upper[0]), "integral", 0, {}
        if noise >= _SOFT:
            nodes, off = centred(noise, t).explained(epsilon, self._remove)
            yield float(self._centred(at).upper[0]), "straight line", nodes, off
        if not self._laid:
            return
        plain = float(self._plainly(at).upper[0])
        if self._remove:
            for panels in (PANELS, _LONG):
                call = self._called(noise, epsilon, panels)
                yield plain, "to the left of 0", call.nodes, {"truncation": call.left_out / t}
        k = t * math.exp(epsilon if self._remove else -epsilon)
        line = ratios(noise, t).plain(k)
        if line is not None:
            whole = t if self._remove else k
            off = {name: float(part[0]) / whole for name, part in line.terms(np.array([k])).items()}
            yield plain, line.kind, line.nodes, off
        found = self._cells(noise).explained(epsilon)
        if found is not None:
            said, _ = self._summed(noise, at)
            yield float(said.upper[0]), found[0].kind, found[0].nodes, found[1]

    def _plainly(self, epsilon: FloatArray) -> Bracket:
        """In float64, which is sharp nearly everywhere."""
        return self._between(self._floats, epsilon)

    def _floats(self, noise: float, epsilon: FloatArray) -> Bracket:
        value, error = np.array(self._deltas(noise, epsilon)).T
        upper = (value + error) * (1.0 + 4.0 * UNIT) + SMALLEST
        lower = (value - error) * (1.0 - 4.0 * UNIT) - SMALLEST
        return Bracket.of_delta(np.clip(lower, 0.0, 1.0), np.minimum(upper, 1.0))

    def _deltas(self, noise: float, epsilon: FloatArray) -> list[tuple[float, float]]:
        """delta at each eps, and a bound on its error."""
        if not self._remove:
            return [self._put(noise, one) for one in epsilon.tolist()]
        return [self._call(noise, one, len(epsilon) > _FEW) for one in epsilon.tolist()]

    def _put(self, noise: float, epsilon: float) -> tuple[float, float]:
        """Of "add", or of f(K) / K at any eps, with 16 units for K and the quotient."""
        if not _LEAST_NOISE <= noise <= _MOST_NOISE:
            return 0.0, math.inf
        k = self._t * math.exp(-epsilon)
        value, error = ratios(noise, self._t).put(k)
        return value / k, (error + 16.0 * UNIT * value) / k

    def _call(self, noise: float, epsilon: float, many: bool = False) -> tuple[float, float]:
        """Of "remove": to the left of 0, or less what cancels; of ``many`` eps by what costs less first."""
        if many:
            value, error = self._less(noise, epsilon)
            if error <= (1.0 - _SHARP) * value:
                return value, error
        found = self._called(noise, epsilon, cost=_KNOWN_COST if many else _CALL_COST)
        value, error = found.value / self._t, found.error / self._t
        if not found.sharp and epsilon < _NEAR:
            other, off = self._less(noise, epsilon)
            if off < error:
                value, error = other, off
        if not error <= (1.0 - _SHARP) * value and not many:
            longer = self._called(noise, epsilon, _LONG)
            if longer.error / self._t < error:
                value, error = longer.value / self._t, longer.error / self._t
        return value, error

    def _less(self, noise: float, epsilon: float) -> tuple[float, float]:
        """Of "remove", less what cancels."""
        put, off = self._put(noise, -epsilon)
        grown = math.exp(min(epsilon, FAR))
        return grown * put - math.expm1(min(epsilon, FAR)), grown * off + 24.0 * UNIT * grown

    def _called(self, noise: float, epsilon: float, panels: int = PANELS, cost: float = _CALL_COST) -> Call:
        if not _LEAST_NOISE <= noise <= _LOUDEST or not allowance().take(cost * panels / PANELS):
            return UNKNOWN
        return left(noise, self._t).call(self._t * math.exp(epsilon), panels)

    def _falling(self, epsilon: FloatArray, found: Bracket, far: NDArray[np.intp]) -> Bracket:
        """Beyond the last line delta is at most what it is there."""
        noise, t = self._noise[0], self._t
        most = float(np.max(epsilon[far]))
        last = max(math.log(ratios(noise, t).known(t * math.exp(most)) / t), 0.0) * (1.0 - AMPLE)
        beyond = far[epsilon[far] > last]
        if not len(beyond):
            return found
        there = self._summed(noise, np.array([last]))[0].at(np.zeros(len(beyond), dtype=np.int64))
        zero = np.zeros(len(beyond))
        return found.sharpened(beyond, Bracket(zero, there.upper, there.log_gap_lower, zero))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """From the distribution function of S; else of one output alone, or of the Gaussian mechanism."""
        sigma, last = self._noise[0], _LAST if self._remove else FAR
        with np.errstate(under="ignore"):
            x = np.minimum(epsilon, FAR) + (math.log(self._t) if self._remove and sigma < _LOUD else 0.0)
            found = np.exp(x + log_ndtr(-x * sigma - 0.5 / sigma))
        for way in (self._slope_of_two, self._slope_of_much):
            sharp = way(epsilon)
            if not np.isnan(sharp).any():
                return sharp
        at = np.flatnonzero(epsilon <= last)
        at = at[found[at] > _FAINT] if self._remove else at
        if not (len(at) and self._laid):
            return found
        if self._remove and len(at) <= _FEW:
            calls = [self._called(sigma, one) for one in epsilon[at].tolist()]
            if all(one.sharp for one in calls):
                found[at] = [max(one.fall, 0.0) / self._t for one in calls]
                return found
        sharp = self._cells(sigma).falling(epsilon[at])
        if self._remove:
            sharp = sharp / self._t
        else:
            sharp = -sharp / (self._t * np.exp(-epsilon[at])) - self.bracket(epsilon[at]).upper
        found[at] = np.where(np.isnan(sharp), found[at], np.maximum(sharp, 0.0))
        return found

    def _slope_of_two(self, epsilon: FloatArray) -> FloatArray:
        if self._t != 2 or len(epsilon) > _FEW or self._noise[0] < _FAINTEST or np.max(epsilon, initial=0.0) > FAR:
            return np.full_like(epsilon, np.nan)
        return slope_of_two(self._noise[0], epsilon, self._remove)

    def _slope_of_much(self, epsilon: FloatArray) -> FloatArray:
        if self._noise[0] < _SOFT:
            return np.full_like(epsilon, np.nan)
        found = centred(self._noise[0], self._t).slope(epsilon, self._remove)
        return np.where((epsilon > FAR) | (told_alone(self._noise[0], epsilon).upper <= FLOOR), 0.0, found)

    @property
    def _laid(self) -> bool:
        """Whether lines are laid for the sum itself."""
        return self._noise[0] >= _LEAST_NOISE and self._noise[1] <= _MOST_NOISE

    def _cells(self, noise: float) -> Cells:
        if noise not in self._known:
            self._known[noise] = Cells(ratios(noise, self._t), self._remove)
        return self._known[noise]

    def _summed(self, noise: float, epsilon: FloatArray) -> tuple[Bracket, NDArray[np.bool_]]:
        """What the lines say, of 1 - delta too, and where there is none."""
        value, error, missing = self._cells(noise).delta(epsilon)
        gap = Twofold(np.ones_like(value.hi), np.zeros_like(value.hi)) - value
        lower, upper = _ends(value, error)
        if not self._remove:  # far below t lines say less than Chernoff
            far = np.flatnonzero(missing | (lower < _VAGUE * upper))
            k = self._t * np.exp(-epsilon[far])
            upper[far] = np.minimum(upper[far], np.exp(ratios(noise, self._t).most(k)) / k * (1.0 + AMPLE) + SMALLEST)
        least, most = _ends(gap, error + 4.0 * TWICE)
        with np.errstate(divide="ignore"):
            low = np.where(upper < 0.5, np.log1p(-upper), np.log(least))
            high = np.where(upper < 0.5, np.log1p(-lower), np.log(most))
        low, high = low * (1.0 + 8.0 * UNIT) - UNDERFLOW, np.minimum(high * (1.0 - 8.0 * UNIT), 0.0)
        return Bracket(lower, upper, low, high), missing


def _nothing(epsilon: FloatArray) -> Bracket:
    return Bracket.of_delta(np.zeros_like(epsilon), np.ones_like(epsilon))


def _vague(found: Bracket, sharp: float = _SHARP) -> NDArray[np.bool_]:
    """Where delta is not sharp, or 1 - delta where that is the smaller."""
    with np.errstate(invalid="ignore"):
        gap = found.log_gap_upper - found.log_gap_lower
    return (found.lower < sharp * found.upper) | ((found.upper > 0.5) & ~(gap <= 1.0 - sharp))


def _ends(value: Twofold, error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Floats below and above the numbers, between 0 and 1."""
    known = np.isfinite(error)
    error = np.where(known, error, 0.0)
    low, high = value.hi + (value.lo - error), value.hi + (value.lo + error)
    lower = np.where(known, np.clip(low - 2.0 * UNIT * np.abs(low) - UNDERFLOW, 0.0, 1.0), 0.0)
    return lower, np.where(known, np.clip(high + 2.0 * UNIT * np.abs(high) + UNDERFLOW, 0.0, 1.0), 1.0)
