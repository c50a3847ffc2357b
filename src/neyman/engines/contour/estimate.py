"""What a contour has answered so far, eps by eps, and the bracket that follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.numerics.functions.few import every, largest, smallest, some
from neyman.numerics.rounding import LARGEST_EXPONENT, SMALLEST, UNIT
from neyman.profiles.profile import Bracket

if TYPE_CHECKING:
    from neyman.profiles.certificate import Certificate

__all__ = [
    "SHARP",
    "Book",
    "Contour",
    "Estimate",
    "Estimates",
    "Reading",
    "entered",
    "faults",
    "of_delta",
    "scaled",
    "slopes_of",
]

_LARGEST = 709.0  # whose e^x is a float; of more, all is lost

ObjectArray = NDArray[np.object_]

_ANSWERED = ("value", "slope", "error", "log_scale", "is_gap", "lost", "by")

_TINY = 1e-290  # beside which the smallest float is nothing, also after a rounding or two
_ROUNDED = 16.0 * UNIT  # certifies: relative, of a mantissa times an exponential, and of a logarithm
_DOWN_UP = np.array([[-1.0], [1.0]])  # a bound from below, and one from above
# certifies: two products that underflow; and, relative, a sum with what is lost: the rest of it is in _ROUNDED
_UNDERFLOW, _SUM = 2.0 * SMALLEST, 1.0 + 4.0 * UNIT
_LOGGED = 4.0 * UNIT  # certifies: relative, of a logarithm, and of its sum with that of a scale and a little more
# certifies: the same of log(1 - delta), relative and absolute
_GAP_GROWN, _GAP_MOVED = 1.0 + _DOWN_UP * _ROUNDED, _DOWN_UP * _ROUNDED
SHARP = 1e-8  # relative error that needs no further work


class Book(dict[str, FloatArray]):
    """The terms of an error, by name, in the mantissa's units."""

    def enter(self, name: str, amount: FloatArray) -> None:
        """Add to one of them."""
        self[name] = self[name] + amount if name in self else amount + 0.0

    def enter_all(self, other: Book, share: FloatArray | float = 1.0) -> None:
        """Add those of an ``other``, each times a share."""
        for name, amount in other.items():
            self.enter(name, amount * share)


def entered(book: Book | None, name: str, amount: FloatArray) -> FloatArray:
    """``amount``, written down where there is a book."""
    if book is not None:
        book.enter(name, amount)
    return amount


class Estimate(NamedTuple):
    """What a contour says at each eps: the mantissa of what it integrates (delta right of the pole at 0, 1 - delta
    between the poles) and of e^eps Q(L > eps), a bound on the error of the first, and the log of their common scale.
    """

    mantissa: FloatArray
    slope: FloatArray
    error: FloatArray
    log_scale: FloatArray

    @classmethod
    def unknown(cls, size: int) -> Estimate:
        """Nothing known, of so many eps."""
        zero = np.zeros(size)
        return cls(zero, zero.copy(), np.full(size, math.inf), zero.copy())

    def settled(self) -> Estimate:
        """The same, but nothing known wherever any number overflowed."""
        with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs
            known = every(np.isfinite(self.mantissa + self.slope + self.error))
        if known:
            return self
        sound = np.isfinite(self.mantissa) & np.isfinite(self.slope) & (self.error >= 0.0)
        value, slope = np.where(sound, self.mantissa, 0.0), np.where(sound, self.slope, 0.0)
        return Estimate(value, slope, np.where(sound, self.error, math.inf), self.log_scale)


class Contour(Protocol):
    """One that crosses the real axis at ``c``; ``lost`` is the mass that the law it integrates lacks."""

    @property
    def kind(self) -> str:
        """What it is called."""
        ...

    @property
    def nodes(self) -> int:
        """Of its quadrature."""
        ...

    @property
    def plan_dict(self) -> dict[str, float | str] | None:
        """What another certifier needs to find the same again; None where there is no such form."""
        ...

    @property
    def c(self) -> float: ...

    @property
    def lost(self) -> float: ...

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """The estimate at each ``epsilon``; the terms of its error go into the ``book``."""
        ...


def faults(log_size: FloatArray, error: FloatArray) -> FloatArray:
    """Bound on |e^K| |e^d - 1| for all |d| <= ``error``, Re K = ``log_size``: as good where ``error`` is huge and e^K
    nothing.
    """
    with np.errstate(over="ignore", under="ignore"):
        size, small = np.exp(log_size), error < 1.0
        if every(small):  # as a rule
            return size * np.expm1(error)
        return np.where(small, size * np.expm1(np.minimum(error, 1.0)), np.exp(log_size + error) + size)


@dataclass(frozen=True)
class Estimates:
    """What has been integrated so far, eps by eps: the mantissa of delta (or of 1 - delta), its error, their log
    scale. What is ``settled`` needs no arc, what is ``final`` nothing dearer than straight lines.
    """

    value: FloatArray
    slope: FloatArray
    error: FloatArray
    log_scale: FloatArray
    is_gap: BoolArray
    lost: FloatArray
    settled: BoolArray
    final: BoolArray
    by: ObjectArray  # the contour that answered

    @classmethod
    def empty(cls, size: int) -> Estimates:
        """Nothing known: delta in [0, 1]."""
        zero = np.zeros(size)
        return cls(
            zero, zero.copy(), np.full(size, math.inf), zero.copy(), zero > 0.0, zero.copy(), zero > 0.0, zero > 0.0,
            np.empty(size, dtype=np.object_),
        )  # fmt: skip

    @classmethod
    def stated(cls, what: Estimate, lost: FloatArray, final: BoolArray | None, by: ObjectArray) -> Estimates:
        """What lines right of the pole at 0 say, each its own."""
        none = np.zeros((3, len(lost)), dtype=np.bool_)
        return cls(*what, none[0], lost, none[1], none[2] if final is None else final, by)

    def copied(self) -> Estimates:
        """The same, to be written into."""
        return Estimates(*(getattr(self, one.name).copy() for one in fields(self)))

    def put(self, at: IntArray, contour: Contour, epsilon: FloatArray) -> None:
        """Integrate the places ``at`` along ``contour``."""
        self.value[at], self.slope[at], self.error[at], self.log_scale[at] = contour.integrate(epsilon[at])
        self.is_gap[at], self.lost[at], self.by[at] = contour.c < 0.0, contour.lost, contour

    def improve(self, at: IntArray, contour: Contour, epsilon: FloatArray) -> None:
        """The same, where it is sharper than what is known."""
        at = at[~(self.error[at] <= SHARP * np.abs(self.value[at]))]
        if not len(at):
            return
        trial = Estimates.empty(len(at))
        trial.put(np.arange(len(at)), contour, epsilon[at])
        with np.errstate(over="ignore", invalid="ignore"):
            better = (
                trial.error * np.exp(np.minimum(trial.log_scale - self.log_scale[at], LARGEST_EXPONENT))
                < self.error[at]
            )
        for name in _ANSWERED:
            getattr(self, name)[at[better]] = getattr(trial, name)[better]

    def take(self, at: IntArray, other: Estimates) -> None:
        """What another knows at these places."""
        for name in _ANSWERED:
            getattr(self, name)[at] = getattr(other, name)[at]

    def slopes(self) -> FloatArray:
        """e^eps Q(L > eps), as far as it was integrated beside delta."""
        return slopes_of(self.slope, self.log_scale)

    def within(self, enough: float) -> bool:
        """Whether every relative error is ``enough`` at most."""
        return every(self.error <= enough * np.abs(self.value))

    def settle(self, at: IntArray) -> None:
        """Nothing sharper is to be had at ``at``."""
        self.settled[at] = True

    def blunt(self, at: IntArray | slice, enough: float = SHARP) -> BoolArray:
        """Where more work may still pay: the relative error is above ``enough``."""
        return ~(self.error[at] <= enough * np.abs(self.value[at])) & ~self.settled[at]

    def certificate(self, epsilon: float, own: Certificate) -> Certificate | None:
        """``own`` bounds at the first place, explained by the contour that answered there; None where none did."""
        contour: Contour | None = self.by[0]
        if contour is None:
            return None
        book = Book()
        log_scale = float(contour.integrate(np.array([epsilon]), book).log_scale[0])
        # of a mantissa that is no float, or one without a scale, nothing is told apart
        scale = 2.0 * math.exp(min(log_scale, LARGEST_EXPONENT))
        sizes = {name: scale * float(amount[0]) for name, amount in book.items()}
        terms = {name: size if math.isfinite(size) else 0.0 for name, size in sizes.items()}
        terms["lost mass"] = terms.get("lost mass", 0.0) + float(self.lost[0])
        missing = own.width * (1.0 + 4.0 * UNIT) - math.fsum(terms.values())
        terms["rounding"] = terms.get("rounding", 0.0) + max(missing, 0.0)  # that of the scale
        return replace(own, supply=contour.kind, nodes=contour.nodes, terms=terms, plan=contour.plan_dict)

    def bracket(self) -> Bracket:
        """Bounds on delta and log(1 - delta), from whichever of delta, 1 - delta was integrated."""
        if some(self.is_gap):
            return _of_either(self.value, self.error, self.log_scale, self.is_gap, self.lost)
        return of_delta(self.value, self.error, self.log_scale, self.lost)


def slopes_of(slope: FloatArray, log_scale: FloatArray) -> FloatArray:
    """A part of 1, by its mantissa and the log of its scale."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.exp(np.minimum(log_scale, LARGEST_EXPONENT))
        found *= slope
    np.maximum(found, 0.0, out=found)
    return np.minimum(found, 1.0, out=found)


def _of_either(
    value: FloatArray, error: FloatArray, log_scale: FloatArray, is_gap: BoolArray, lost: FloatArray
) -> Bracket:
    """Bounds on delta and log(1 - delta) from the mantissa of whichever of delta, 1 - delta was integrated."""
    tiny = 16.0 * UNIT
    # the scale e^{K - c eps} is itself rounded; its exponent may be large
    slack = 4.0 * UNIT * (2.0 + np.abs(log_scale))
    with np.errstate(over="ignore"):
        low = np.maximum(value - error, 0.0) * (1.0 - slack - tiny)
        high = np.maximum(value + error, 0.0) * (1.0 + slack + tiny)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        down, up = np.log(low), np.log(high)
        log_low, log_high = down + log_scale, up + log_scale
        # of a mantissa far below its scale the logarithm is rounded more than what it is the logarithm of
        log_low -= _LOGGED * (np.abs(down) + np.abs(log_low))
        log_high = np.where(high > 0.0, log_high + _LOGGED * (np.abs(up) + np.abs(log_high)), log_high)
        small_low = np.maximum(np.exp(log_low) * (1.0 - tiny) - _UNDERFLOW, 0.0)
        small_high = np.exp(np.minimum(log_high, 1.0)) * (1.0 + tiny) + _UNDERFLOW * (high > 0.0)
        # the law was cut: what was cut off may add to delta or to 1 - delta
        delta_low = np.where(is_gap, 1.0 - small_high - lost - tiny, small_low)
        delta_high = np.where(is_gap, 1.0 - small_low + tiny, small_high + lost * _SUM)
        delta_low, delta_high = np.clip(delta_low, 0.0, 1.0), np.clip(delta_high, 0.0, 1.0)
        gap_low = np.where(is_gap, _log_less(log_low, lost) - tiny, np.log1p(-delta_high) * (1.0 + tiny) - tiny)
        with_lost = np.logaddexp(log_high, np.log(2.0 * lost))
        gap_high = np.where(is_gap, np.minimum(with_lost + tiny, 0.0), np.log1p(-delta_low) * (1.0 - tiny) + tiny)
    return Bracket(delta_low, delta_high, gap_low, np.minimum(gap_high, 0.0))


def of_delta(value: FloatArray, error: FloatArray, log_scale: FloatArray, lost: FloatArray) -> Bracket:
    """The same where delta itself was integrated throughout."""
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        return scaled(value, error, log_scale, np.exp(log_scale), lost)


def scaled(
    value: FloatArray, error: FloatArray, log_scale: FloatArray, scale: FloatArray, lost: FloatArray | None
) -> Bracket:
    """The same, of which the ``scale`` is known, and whether anything is ``lost``; whoever asks ignores what overflows.
    Both bounds are rows of one array.
    """
    bounds = np.empty((2, len(value)))
    low, high = bounds
    np.subtract(value, error, out=low)
    np.add(value, error, out=high)
    np.maximum(bounds, 0.0, out=bounds)
    bounds *= scale
    slack = np.abs(log_scale)
    slack *= 4.0 * UNIT
    slack += _ROUNDED
    slack = _DOWN_UP * slack
    slack += 1.0
    bounds *= slack
    # as a rule both bounds are far above the smallest float, and below 1: then nothing of what follows moves them
    most = largest(high) if len(value) and smallest(low) > _TINY else math.inf
    plain = most < math.inf
    if not plain:
        low -= _UNDERFLOW
        np.maximum(low, 0.0, out=low)
        plain = high.min(initial=1.0) > _TINY and high.max(initial=0.0) < math.inf
        if not plain:
            low[~(scale < math.inf)] = 0.0
    if lost is not None:
        high += lost * _SUM
    if not plain:  # what underflowed is not nothing
        high += _UNDERFLOW * (value + error > 0.0)
    if lost is not None or not most <= 1.0:
        np.fmin(high, 1.0, out=high)
        np.minimum(low, high, out=low)
    gaps = np.negative(bounds)
    np.log1p(gaps, out=gaps)
    gaps *= _GAP_GROWN
    gaps -= _GAP_MOVED
    gap_high, gap_low = gaps
    return Bracket(low, high, gap_low, np.minimum(gap_high, 0.0, out=gap_high))


def _log_less(log_value: FloatArray, lost: FloatArray) -> FloatArray:
    """log(e^log_value - 2 lost), -inf where nothing is left."""
    share = 2.0 * lost * np.exp(np.minimum(-log_value, _LARGEST))
    return np.where(share < 1.0, log_value + np.log1p(-np.minimum(share, 1.0 - UNIT)), -math.inf)


class Reading:
    """What was found at some eps, and the ``bracket`` that follows."""

    __slots__ = ("_found", "bracket")

    def __init__(self, found: Estimates | None, bracket: Bracket) -> None:
        self._found, self.bracket = found, bracket

    @property
    def found(self) -> Estimates:
        """All of it, which nobody else writes."""
        if self._found is None:
            self._found = self._put_together()
        return self._found

    def _put_together(self) -> Estimates:
        """What was not handed over: as a rule nobody asks."""
        raise NotImplementedError

    def within(self, enough: float) -> bool:
        """Whether every relative error is ``enough`` at most."""
        return self.found.within(enough)

    def slopes(self) -> FloatArray:
        """e^eps Q(L > eps), as far as it was integrated beside delta."""
        return self.found.slopes()
