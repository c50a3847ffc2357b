"""What the contour engine asks of a law: the characteristic function A(w) = E_Q[e^{wL}] with bounds on every error."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.whole import demand_whole
from neyman.numerics.functions.few import some
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import LARGEST_EXPONENT, TINY

__all__ = ["LOGGED", "WEIGHED", "ComplexArray", "Moments", "Transform", "logged"]

# certifies, units of 2^-53 of its modulus: what a logarithm of A is rounded by (``numerics.functions.log1p``)
LOGGED = 8.0
WEIGHED = 36.0  # e-folds below 1 of the quadrature errors in A(0) and A(1)
_ROUNDED = 2.0**-51  # of the exponential
_LOOKED = 40.0  # the same of a look along a line
_DEAR = 1e5  # terms beyond which a look is no longer free

ComplexArray = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True, slots=True)
class Moments:
    """log A and its first two derivatives at real w; ``cut`` is where the law was cut (inf: nowhere; nan: that w is out
    of reach).
    """

    log_a: FloatArray
    mean: FloatArray
    variance: FloatArray
    cut: FloatArray

    def put(self, at: Any, found: Moments) -> None:
        """Write what was ``found`` of some of them."""
        for mine, its in zip(
            (self.log_a, self.mean, self.variance, self.cut),
            (found.log_a, found.mean, found.variance, found.cut),
            strict=True,
        ):
            mine[at] = its


def logged(
    value: ComplexArray, off: FloatArray, scale: Any = 0.0, more: bool = False
) -> tuple[ComplexArray, FloatArray]:
    """log A of A = e^scale ``value``, or 1 + ``value`` where that is how much ``more`` than 1 it is, and the error of A
    relative to the one that is returned, of ``off`` absolutely (in units of e^scale), which counts at least sixteen
    units of the sum that ``value`` is: a logarithm that ``scale`` cancels is rounded by no more.

    What is no float is replaced by 1e-300, and off by that: an error relative to 0 would be none.

    Examples
    --------
    >>> log_a, error = logged(np.array([0j, 0.5 + 0j]), np.array([1e-9, 1e-9]))
    >>> log_a.real.round(3), bool(error[0] * np.exp(log_a[0].real) >= 1e-9), float(error[1])
    (array([-690.776,   -0.693]), True, 2e-09)
    """
    size = np.abs(1.0 + value if more else value)
    nothing = size < TINY
    if some(nothing):
        value, off = np.where(nothing, 0.0 if more else TINY, value), off + 2.0 * TINY * nothing
        log_a = np.where(nothing, math.log(TINY), log1p(value) if more else np.log(value))
        size = np.maximum(size, TINY)
    else:
        log_a = log1p(value) if more else np.log(value)
    with np.errstate(over="ignore"):
        return log_a + scale, off / size


class Transform(ABC):
    """One step. Its cumulant is log A(z + 1) in the direction "remove" and log A(-z) in the direction "add"."""

    __slots__ = ()

    @property
    def breadth(self) -> float:
        """Standard deviation of the noise over the sensitivity, or what comes near it: steers a search."""
        return 1.0

    @property
    def searched(self) -> float:
        """Nominal nanoseconds that it takes to find where a line may be cut, where its bound is dear."""
        return 0.0

    def largest(self, remove: bool) -> float:
        """No loss of that direction lies above."""
        return math.inf

    @abstractmethod
    def moments(self, w: FloatArray) -> Moments:
        """log A(w) and its first and second derivative, for real w (1-d)."""

    @abstractmethod
    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        """log A(w + i omega) at ``omega`` >= 0 (1-d, ascending), with a bound on the error of each A, relative to the
        one that is returned; what rounds its logarithm comes besides (``LOGGED``).

        ``margin``: how many e-folds below A(w) the quadrature error must lie. ``cut`` is what ``moments`` says of w, or
        before that: of a law that ends where it has not died, or of a tilt out of reach, the values are another law's.
        """

    def looked(self, w: float, omega: FloatArray, cut: float) -> FloatArray:
        """Upper bounds on |A(w + i omega)|, in units of A(w) as ``moments`` tells it: nearly sharp where not small."""
        value, error = self.on_line(w, omega, cut, _LOOKED)
        log_a = float(self.moments(np.array([w])).log_a[0])
        return np.exp(value.real - log_a) * (1.0 + error)

    @abstractmethod
    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        """Upper bounds on log |A(w + i omega')|, of the law cut at ``cut``, for EVERY omega' >= omega (all 1-d,
        paired).
        """

    def log_estimate(
        self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float
    ) -> tuple[FloatArray, FloatArray]:
        """Nearly ``log_bound``, for searches, and what ``certified`` has to know of how it was found."""
        return self.log_bound(w, omega, slope, cut), omega

    def certified(
        self, w: float, omega: float, cut: float, estimate: tuple[float, float], size: float = math.inf
    ) -> float:
        """A bound as ``log_bound`` states, from an estimate for that or a smaller omega: here one is the other. Of
        log A(w), ``size`` is no less, if that is known.
        """
        return estimate[0]

    def log_lost(self, cut: FloatArray) -> FloatArray:
        """Log of a bound on the mass that either law has beyond ``cut``."""
        return np.full(np.shape(cut), -math.inf)

    def weighed(self) -> Transform:
        """Itself, if A(0) = A(1) = 1 within the error that it states.

        Raises
        ------
        NotCertified
            If not.
        """
        if self.terms(1.0, 0.0) > _DEAR:  # the walk along the real axis looks at both anyhow
            return self
        for w in (0.0, 1.0):
            log_a, error = self.on_line(w, np.zeros(1), math.inf, WEIGHED)
            self.weigh(w, float(log_a[0].real), float(error[0]))
        return self

    def weigh(self, w: float, log_a: float, error: float) -> None:
        """Raise NotCertified unless A(w) is 1 within its relative ``error``: w = 0 or 1."""
        under = "P" if w == 1.0 else "Q"
        demand_whole(self, under, math.exp(min(log_a, LARGEST_EXPONENT)), 2.0 * error + _ROUNDED)

    def terms(self, w: float, omega: float) -> float:
        """About how many grid points ``on_line`` needs a node, up to ``omega``."""
        return 1.0

    def looked_terms(self, w: float, omega: float) -> float:
        """The same of ``looked``, for places that are evenly apart."""
        return self.terms(w, omega)
