"""The outcomes of a discrete step: their losses and their masses, listed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.losses.sampling import MIXED_ERROR, mixed, slope
from neyman.losses.whole import demand_whole, total
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, SMALLEST, UNIT

__all__ = ["Finite", "Outcomes", "discrete_gaussian", "discrete_laplace", "k_ary", "worst_of"]

_TAIL = 38.6  # standard deviations: beyond, masses are below the smallest positive float
_WHOLE = 13.0  # certifies: standard deviations that sums over a whole law span: e^-84 is left
_MOST = 1 << 22  # outcomes that are listed
_TINY = 1e-300  # no less than what a list may leave out
_SHIFTED = 5.0 * UNIT  # certifies: of a loss of a normal law on integers, a square, a quotient and a product
_SMALLER = 8.0  # times by which a difference of two losses may be smaller than they are, to be known to its own digits
_STEEPER = 1e-6  # certifies: relative, of a slope of m over m itself: a few functions


@dataclass(frozen=True)
class Outcomes:
    """Finite outcomes by ascending ``loss``, with the log of their masses under Q; P has e^loss times those.

    ``infinite`` are the masses of P where Q has none and of Q where P has none; ``dropped`` bounds the mass, under
    either, of outcomes left out; a loss is known within ``slack`` + ``stretch`` |loss|, a mass within the relative
    error ``relative``. Where all losses are unit * place with places whole numbers apart, ``unit`` and ``place`` say
    so; ``end`` is the largest loss where it is rational.
    """

    loss: FloatArray
    log_q: FloatArray
    infinite: tuple[float, float] = (0.0, 0.0)
    slack: float = 0.0
    stretch: float = 0.0
    relative: float = 0.0
    dropped: float = 0.0
    unit: float | None = None
    place: FloatArray | None = None
    end: Fraction | None = None
    vague: float = 0.0  # relative error of ``infinite``
    uneven: float = 0.0  # how far from 1 its masses sum to, where they were made so: on the safe side of another law's
    beyond: float = 0.0  # by how much masses, with ``infinite``, weigh more than 1, made so for the same reason
    growth: float = math.inf  # a mass under Q is known within ``growth`` (4 + |log q|), relatively, too

    def off(self, log_least: float) -> float:
        """Relative error of the masses under Q that are no less than e^log_least, but for that of the losses."""
        return min(self.relative, self.growth * (4.0 + abs(log_least)))

    def weighed(self, law: object) -> Outcomes:
        """Itself, if it is the whole of ``law``.

        Raises
        ------
        NotCertified
            If the masses do not sum to 1 under P and under Q, within what they and the losses may be off.
        """
        far = _largest(self.loss)
        off = self.relative + 2.0 * UNIT + self.vague, self.slack + self.stretch * far
        for side, under, logs in ((0, "P", self.log_p), (1, "Q", self.log_q)):
            mass, rounding = total(logs)
            room = off[0] + (2.0 * off[1] if side == 0 else 0.0) + self.dropped
            demand_whole(law, under, mass + self.infinite[side], room + rounding)
        return self

    def sampled(self, rate: float) -> Outcomes:
        """(1 - rate) Q + rate P against Q: the same outcomes when a record takes part with probability ``rate``."""
        if rate == 1.0:
            return self
        loss, log_q = mixed(self.loss, rate), self.log_q
        if self.infinite[1] > 0.0:  # what only Q shows is now merely unlikely
            loss, log_q = np.append(math.log1p(-rate), loss), np.append(math.log(self.infinite[1]), log_q)
        slack = _room(self.loss, loss, rate, self.slack, self.stretch)
        return Outcomes(
            loss, log_q, (rate * self.infinite[0], 0.0), slack, relative=self.relative, dropped=self.dropped,
            vague=self.vague + 2.0 * UNIT,
        ).merged()  # fmt: skip

    def whole(self) -> Finite:
        """The two laws given that neither is infinite, and the logs of the masses under P and Q that this leaves."""
        if self.infinite == (0.0, 0.0):
            return Finite(self, (0.0, 0.0), (0.0, 0.0))
        (log_a, off_a), (log_b, off_b) = self._log_finite(self.log_p, 0), self._log_finite(self.log_q, 1)
        relative = self.relative + off_b  # a share of a sum errs by what both err by
        growth = self.growth * (1.0 + 0.25 * abs(log_b)) + 0.25 * off_b  # |log q| is less by |log_b| at most
        dropped = self.dropped * math.exp(min(-min(log_a, log_b), LARGEST_EXPONENT)) * (1.0 + AMPLE)
        # what all masses together may be off is more of the few that are left
        uneven = max(abs(math.expm1(_log_sum(logs) - log)) for logs, log in ((self.log_p, log_a), (self.log_q, log_b)))
        rest = replace(
            self, log_q=self.log_q - log_b, infinite=(0.0, 0.0), relative=relative, dropped=dropped, growth=growth,
            uneven=uneven,
        )  # fmt: skip
        if log_a != log_b:
            slack = self.slack + 4.0 * UNIT * (abs(log_a) + abs(log_b) + _largest(self.loss)) + off_a + off_b
            rest = replace(rest, loss=self.loss + (log_b - log_a), slack=slack, unit=None, place=None, end=None)
        return Finite(rest, (log_a, log_b), (off_a, off_b))

    def _log_finite(self, logs: FloatArray, side: int) -> tuple[float, float]:
        """log of the mass that is not infinite, how far it may be off: 1 less the rest, or a sum where that cancels.

        The sum says nothing of what masses were moved by: those of a law above another sum to more than they stand for.
        """
        infinite = self.infinite[side]
        if not len(logs):
            return -math.inf, 0.0
        left, off = -math.inf, math.inf
        if infinite < 1.0:
            left = math.log1p(-infinite)
            off = (self.vague + UNIT) * infinite / (1.0 - infinite) + 2.0 * UNIT * abs(left)
        summed = _log_sum(logs)
        spread = self.off(float(np.min(logs))) + self.slack + self.stretch * _largest(self.loss)
        spread += self.dropped * math.exp(-summed)
        heavier = self.beyond * math.exp(-summed) * (1.0 + ROOM)
        spread += -math.log1p(-heavier) if heavier < 1.0 else math.inf
        spread += 4.0 * UNIT * (len(logs) + 2.0) * (1.0 + float(np.max(np.abs(logs))))
        return (left, off) if off <= spread else (summed, spread)

    @property
    def log_p(self) -> FloatArray:
        """log of the masses under P."""
        return self.log_q + self.loss

    def merged(self) -> Outcomes:
        """In ascending order, outcomes of one loss together."""
        order = np.argsort(self.loss, kind="stable")
        loss, log_q = self.loss[order], self.log_q[order]
        apart = np.diff(loss) > 2.0 * self.slack
        if not np.any(apart):  # one outcome says nothing, which losses that differ do, however little
            apart = np.diff(loss) > 0.0
        starts = np.flatnonzero(np.append(True, apart))
        slack = self.slack + float(np.max(loss[np.append(starts[1:] - 1, len(loss) - 1)] - loss[starts]))
        log_q = np.logaddexp.reduceat(log_q, starts)
        return replace(self, loss=loss[starts], log_q=log_q, slack=slack)


class Finite(NamedTuple):
    """``table`` given that neither law is infinite; the logs of what that leaves of both, and how far these are off."""

    table: Outcomes
    log_whole: tuple[float, float]
    off: tuple[float, float]


def k_ary(epsilon: float, k: int, delta: float) -> Outcomes:
    """Randomised response over k answers, after a revelation with probability ``delta``.

    Examples
    --------
    >>> np.exp(k_ary(1.0, 3, 0.0).log_p).round(4)
    array([0.2119, 0.2119, 0.5761])
    """
    # log of e^epsilon + k - 1
    log_sum = epsilon + math.log1p((k - 1) * math.exp(-epsilon))
    rest, end = math.log1p(-delta), Fraction(epsilon)
    relative = 8.0 * UNIT * (2.0 + epsilon + log_sum)
    if epsilon == 0.0:
        return Outcomes(np.zeros(1), np.array([rest]), (delta, delta), relative=relative, end=end)
    log_q = np.array([epsilon, 0.0]) - log_sum + rest
    unit, place = (2.0 * epsilon, np.array([-0.5, 0.5])) if k == 2 else (epsilon, np.array([-1.0, 0.0, 1.0]))
    if k > 2:
        log_q = np.array([log_q[0], math.log(k - 2) - log_sum + rest, log_q[1]])
    return Outcomes(unit * place, log_q, (delta, delta), 0.0, 0.0, relative, 0.0, unit, place, end)


def worst_of(p: tuple[float, ...], q: tuple[float, ...]) -> Outcomes:
    """Two vectors of masses on the same outcomes, which each sum to 1 within rounding.

    Examples
    --------
    >>> worst_of((0.5, 0.5, 0.0), (0.25, 0.25, 0.5)).infinite
    (0.0, 0.5)
    """
    a, b = np.array(p, dtype=np.float64), np.array(q, dtype=np.float64)
    both = (a > 0.0) & (b > 0.0)
    infinite = math.fsum(a[b == 0.0]), math.fsum(b[a == 0.0])
    off = abs(math.fsum(a) - 1.0) + abs(math.fsum(b) - 1.0)
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(a[both]), np.log(b[both])
    loss = log_p - log_q
    near = np.abs(a[both] - b[both]) < 0.5 * b[both]
    loss[near] = np.log1p((a[both] - b[both])[near] / b[both][near])
    slack = off + 4.0 * UNIT * (1.0 + _largest(loss))
    relative = off + 4.0 * UNIT * (1.0 + float(np.max(np.abs(log_q), initial=0.0)))
    vague = off + (0.0 if off == 0.0 and max((b == 0.0).sum(), (a == 0.0).sum()) < 2 else 2.0 * UNIT)
    table = Outcomes(loss, log_q, infinite, slack, relative=relative, vague=vague)
    return table.merged() if len(loss) else table


def discrete_gaussian(sigma: float, shift: int, rate: float, two_sided: bool) -> Outcomes:
    """Discrete Gaussians ``shift`` apart: the loss is (2 shift x - shift^2) / (2 sigma^2) at x, a lattice.

    Examples
    --------
    >>> table = discrete_gaussian(1.0, 1, 1.0, False)
    >>> len(table.place) - 1, float(np.exp(table.log_q).sum().round(12))
    (81, 1.0)
    """
    reach = math.ceil(_TAIL * sigma) + 1
    sides = 2 if two_sided else 1
    if 2 * reach + sides * shift + 1 > _MOST:
        raise InvalidParameter(
            "sigma", sigma, f"at most about {_MOST / 2 / _TAIL:.0f}, and the sensitivity to match",
            "A discrete Gaussian this wide is listed integer by integer; pass a Gaussian of the same sigma in its "
            "place only if the release rounds a continuous one.",
        )  # fmt: skip
    x = np.arange(-reach - (sides - 1) * shift, reach + shift + 1, dtype=np.float64)
    log_f = -0.5 * (x / sigma) ** 2
    most = min(reach, math.ceil(_WHOLE * sigma) + 1)
    log_f -= math.log(math.fsum(np.exp(-0.5 * (np.arange(-most, most + 1) / sigma) ** 2).tolist()))
    relative = 16.0 * UNIT * (4.0 + 0.5 * ((reach + sides * shift) / sigma) ** 2)
    rise, place = shift / sigma**2, x - 0.5 * shift
    up = rise * place
    # decimal sigmas round; a dyadic one may not
    exact = Fraction(rise) * Fraction(sigma) ** 2 == shift and (rise * 2.0**20).is_integer() and rise < 2.0**20
    stretch = 0.0 if exact else _SHIFTED
    if rate == 1.0:
        return Outcomes(up, log_f, (0.0, 0.0), 0.0, stretch, relative, _TINY, rise, place)
    return _mixed(up, rise * (-x - 0.5 * shift) if two_sided else None, log_f, rate, stretch, relative, _TINY)


def discrete_laplace(scale: float, shift: int, rate: float, two_sided: bool) -> Outcomes:
    """Discrete Laplace laws ``shift`` apart: beyond both centres the loss is constant, between them a lattice.

    Examples
    --------
    >>> discrete_laplace(1.0, 2, 1.0, False).loss
    array([-2.,  0.,  2.])
    """
    if 2 * shift + 1 > _MOST:
        raise InvalidParameter("sensitivity", shift, f"at most {_MOST // 2}")
    log_one_more = math.log1p(math.exp(-1.0 / scale))
    first = -shift if two_sided else 0
    x = np.arange(first, shift + 1, dtype=np.float64)
    log_f = np.log(-np.expm1(-1.0 / scale)) - log_one_more - np.abs(x) / scale
    # at its ends the list holds all that lies beyond
    log_f[[0, -1]] = np.array([first, -shift]) / scale - log_one_more
    up = (np.abs(x) - np.abs(x - shift)) / scale
    largest = shift / scale
    stretch, relative = 3.0 * UNIT, 16.0 * UNIT * (4.0 + largest)
    if rate == 1.0:
        unit, place, end = 2.0 / scale, x - 0.5 * shift, shift / Fraction(scale)
        return Outcomes(unit * place, log_f, (0.0, 0.0), 0.0, stretch, relative, 0.0, unit, place, end)
    down = (np.abs(x) - np.abs(x + shift)) / scale if two_sided else None
    return _mixed(up, down, log_f, rate, stretch, relative, 0.0)


def _mixed(
    up: FloatArray, down: FloatArray | None, log_f: FloatArray, rate: float, stretch: float, relative: float,
    dropped: float,
) -> Outcomes:  # fmt: skip
    """One law with the loss ``up`` to that of masses e^log_f, which is the other unless that is mixed, too: at the loss
    ``down``. All known within ``stretch``, relatively.

    The loss is then m(up) - m(down). Each is known to its own digits, so that the difference is known within as many
    times their relative error as it is smaller than the sum of their sizes: none where one rises and the other falls.
    """
    gain = mixed(up, rate)
    further = MIXED_ERROR + stretch * _steepest(up, gain, rate)
    if down is None:
        table = Outcomes(gain, log_f, slack=SMALLEST, stretch=further, relative=relative, dropped=dropped)
        return replace(table, growth=16.0 * UNIT if dropped else math.inf).merged()
    cost = mixed(down, rate)
    further = max(further, MIXED_ERROR + stretch * _steepest(down, cost, rate)) * (1.0 + AMPLE)
    loss, size = gain - cost, np.abs(gain) + np.abs(cost)
    certain, seen = up == down, loss != 0.0  # of equal losses the difference is none
    smaller = float(np.max(size[seen] / np.abs(loss[seen]), initial=1.0))
    if smaller <= _SMALLER:
        slack, more = further * float(np.max(size[~seen & ~certain], initial=0.0)), further * smaller + 2.0 * UNIT
    else:
        slack, more = further * float(np.max(size)) + UNIT * _largest(loss), 0.0
    relative += further * _largest(cost) + 2.0 * UNIT * (1.0 + _largest(log_f))
    return Outcomes(
        loss, log_f + cost, slack=slack + 2.0 * SMALLEST, stretch=more, relative=relative, dropped=dropped
    ).merged()


def _room(loss: FloatArray, after: FloatArray, rate: float, slack: float, stretch: float) -> float:
    """How far ``after``, ``mixed`` of losses known within ``slack`` + ``stretch`` |loss|, may be off.

    Where all of them are small so is this: outcomes that differ are not to be taken for one.
    """
    largest = _largest(loss)
    steepest = min(
        rate * math.exp(min(float(np.max(loss, initial=0.0) - np.max(after, initial=0.0)), LARGEST_EXPONENT)), 1.0
    )
    own = MIXED_ERROR * _largest(after)
    return own + steepest * (1.0 + AMPLE) * (slack + stretch * largest) + SMALLEST


def _steepest(loss: FloatArray, after: FloatArray, rate: float) -> float:
    """How much larger a relative error of a loss t may be, relatively, in m = ``mixed``: t m'(t) / m at most.

    Where t > 0 that may be t and more, for m is about rate e^t: of hardly any rate small losses and large ones are many
    orders of magnitude apart, and each is known to its own digits.
    """
    seen = after != 0.0
    most = float(np.max(loss[seen] * slope(np.minimum(loss[seen], LARGEST_EXPONENT), rate) / after[seen], initial=1.0))
    return most * (1.0 + _STEEPER)


def _log_sum(logs: FloatArray) -> float:
    return float(np.logaddexp.reduce(logs))


def _largest(loss: FloatArray) -> float:
    return float(np.max(np.abs(loss), initial=0.0))
