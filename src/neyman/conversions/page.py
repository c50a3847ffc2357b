"""Everything about one Gaussian mechanism that follows from psi = sensitivity / sigma."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, between, count, probability, unit_interval
from neyman.conversions.arguments import Numbers, orders_above, shaped
from neyman.conversions.binormal import binormal_auc, normal_power
from neyman.guarantees import GDP
from neyman.mechanisms.additive.rounding import at_least, root_at_least, total
from neyman.numerics.rounding import SMALLEST, UNIT

__all__ = ["GaussianPage", "Line"]

_LARGEST = 1e100  # psi at most
_FARTHEST = 700.0  # e^700 is near the largest float64
_UP = 1.0 + 8.0 * UNIT  # certifies: an exponential and a product, or four roundings


class Line(NamedTuple):
    """TPR <= slope FPR + intercept: true of every test, both numbers rounded up."""

    slope: float
    intercept: float


@dataclass(frozen=True)
class GaussianPage:
    """The page of a Gaussian mechanism; every number on it is rounded up, the privacy region outward.

    Parameters
    ----------
    psi : float
        Sensitivity / sigma, the sensitivity index; from 0 (nothing is released) to 1e100.

    Raises
    ------
    InvalidParameter
        If ``psi`` lies outside its domain.

    References
    ----------
    Kaissis, Knolle, Jungmann, Ziller, Usynin and Rueckert, A unified interpretation of the Gaussian mechanism for
    differential privacy through the sensitivity index, 2024.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> page = GaussianPage(Gaussian(sigma=2.0, sensitivity=2.0).psi)
    >>> page.psi, round(page.auc, 6), round(page.advantage, 6), page.zcdp, page.group(3)
    (1.0, 0.76025, 0.382925, 0.5, GaussianPage(psi=3.0))
    """

    psi: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "psi", between("psi", self.psi, 0.0, _LARGEST))

    @cached_property
    def guarantee(self) -> GDP:
        """The promise itself, with every verb: GDP(psi)."""
        return GDP(self.psi)

    @property
    def auc(self) -> float:
        """The area under the ROC curve, Phi(psi / sqrt 2), rounded up by at most 1e-14 (Lemma 3)."""
        return binormal_auc(self.psi, 1.0, 1.0)

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR, 2 Phi(psi / 2) - 1 = delta(0), rounded up by less than 1e-13 of itself."""
        return self.guarantee.advantage

    @property
    def zcdp(self) -> float:
        """The rho of zero-concentrated DP, psi^2 / 2, the least float64 not below it."""
        return at_least(Fraction(self.psi) ** 2 / 2) if self.psi else 0.0

    @overload
    def rdp(self, order: float) -> float: ...
    @overload
    def rdp(self, order: Numbers) -> FloatArray: ...
    def rdp(self, order: float | Numbers) -> float | FloatArray:
        """Return the epsilon of Renyi DP, order psi^2 / 2: a line in the order (Lemma 7).

        Parameters
        ----------
        order : float or array
            Finite, > 0.

        Returns
        -------
        float or ndarray of the shape of ``order``
            Rounded up, by at most 2e-15 of itself (for psi above 1e-150).

        Raises
        ------
        InvalidParameter
            If an order is not a finite number > 0.

        Examples
        --------
        >>> round(GaussianPage(0.5).rdp(8.0), 12)
        1.0
        """
        a = orders_above("order", order, 0.0)
        with np.errstate(over="ignore", under="ignore"):
            line = a.ravel() * self.zcdp * _UP + SMALLEST
        return shaped(line if self.psi > 0.0 else np.zeros_like(line), a)

    @overload
    def roc(self, fpr: float) -> float: ...
    @overload
    def roc(self, fpr: Numbers) -> FloatArray: ...
    def roc(self, fpr: float | Numbers) -> float | FloatArray:
        """Return the true positive rate of the best test, R(x) = Phi(psi + Phi^-1(x)) (Lemma 2).

        Parameters
        ----------
        fpr : float or array
            x, in [0, 1].

        Returns
        -------
        float or ndarray of the shape of ``fpr``
            Rounded up: the argument of Phi by at most 1e-14 of its larger term.

        Raises
        ------
        InvalidParameter
            If ``fpr`` lies outside [0, 1].

        Examples
        --------
        >>> GaussianPage(1.0).roc([0.0, 0.1, 1.0]).round(6)
        array([0.      , 0.389144, 1.      ])
        """
        x = unit_interval("fpr", fpr)
        return shaped(self._power(x.ravel()), x)

    @overload
    def failed_roc(self, fpr: float, failure: float) -> float: ...
    @overload
    def failed_roc(self, fpr: Numbers, failure: float) -> FloatArray: ...
    def failed_roc(self, fpr: float | Numbers, failure: float) -> float | FloatArray:
        """Return k + (1 - k) R(x): the ROC of a mechanism that reveals the record with probability k (figure 5).

        Parameters
        ----------
        fpr : float or array
            x, in [0, 1]. At x = 0 the true positive rate is k.
        failure : float
            k, in [0, 1].

        Returns
        -------
        float or ndarray of the shape of ``fpr``
            Rounded up, as `roc` is.

        Raises
        ------
        InvalidParameter
            If an argument lies outside its domain.

        Examples
        --------
        >>> GaussianPage(1.0).failed_roc(0.0, 0.25)
        0.25
        """
        x, k = unit_interval("fpr", fpr), probability("failure", failure)
        power = self._power(x.ravel())
        moved = np.minimum((k + (1.0 - k) * power) * _UP, 1.0)
        return shaped(np.where(power == 0.0, k, moved if k > 0.0 else power), x)

    def tangent(self, epsilon: float) -> Line:
        """Return the tangent to the ROC curve of slope e^epsilon: its intercept is delta(epsilon) (Lemma 4).

        Parameters
        ----------
        epsilon : float
            In [0, 700].

        Raises
        ------
        InvalidParameter
            If ``epsilon`` lies outside [0, 700].

        Examples
        --------
        >>> slope, intercept = GaussianPage(1.0).tangent(1.0)
        >>> round(slope, 6), round(intercept, 6)
        (2.718282, 0.126937)
        """
        e = between("epsilon", epsilon, 0.0, _FARTHEST)
        return Line(float(np.exp(e)) * _UP if e else 1.0, self.guarantee.delta(e))

    def mirror_tangent(self, epsilon: float) -> Line:
        """Return the tangent of slope e^-epsilon: `tangent` reflected about TPR = 1 - FPR.

        Its intercept is delta(-epsilon) = 1 - e^-epsilon (1 - delta(epsilon)). The two families bound the privacy
        region.

        Parameters
        ----------
        epsilon : float
            In [0, 700].

        Raises
        ------
        InvalidParameter
            If ``epsilon`` lies outside [0, 700].

        Examples
        --------
        >>> slope, intercept = GaussianPage(1.0).mirror_tangent(1.0)
        >>> round(slope, 6), round(intercept, 6)
        (0.367879, 0.678818)
        """
        e = between("epsilon", epsilon, 0.0, _FARTHEST)
        return Line(float(np.exp(-e)) * _UP if e else 1.0, self.guarantee.delta(-e))

    @overload
    def allows(self, fpr: float, tpr: float) -> bool: ...
    @overload
    def allows(self, fpr: Numbers, tpr: float | Numbers) -> NDArray[np.bool_]: ...
    @overload
    def allows(self, fpr: float | Numbers, tpr: Numbers) -> NDArray[np.bool_]: ...
    def allows(self, fpr: float | Numbers, tpr: float | Numbers) -> bool | NDArray[np.bool_]:
        """Return whether some test has these rates: whether they lie in the privacy region.

        1 - R(1 - x) <= TPR <= R(x). The region is rounded outward: what it excludes is impossible.

        Parameters
        ----------
        fpr, tpr : float or array
            In [0, 1]; shapes that broadcast.

        Raises
        ------
        InvalidParameter
            If a rate lies outside [0, 1], or the shapes do not fit.

        Examples
        --------
        >>> page = GaussianPage(1.0)
        >>> page.allows(0.1, 0.38), page.allows(0.1, 0.39), page.allows(0.5, 0.1)
        (True, False, False)
        """
        x, y = unit_interval("fpr", fpr), unit_interval("tpr", tpr)
        try:
            x, y = np.broadcast_arrays(x, y)
        except ValueError:
            raise InvalidParameter("tpr", y.shape, f"of a shape that fits that of fpr, {x.shape}") from None
        miss = np.where(y == 0.0, 1.0, np.maximum(np.nextafter(1.0 - y, 0.0), 0.0))
        rest = np.where(x == 0.0, 1.0, np.where(x == 1.0, 0.0, np.minimum(np.nextafter(1.0 - x, 1.0), 1.0)))
        inside = (y <= self._power(x)) & (miss <= self._power(rest))
        return bool(inside) if inside.ndim == 0 else inside

    def group(self, k: int) -> GaussianPage:
        """Return the page for groups of ``k`` records: k psi (Corollary 7).

        Parameters
        ----------
        k : int
            A whole number >= 0.

        Raises
        ------
        InvalidParameter
            If ``k`` is no such number, or k psi exceeds 1e100.

        Examples
        --------
        >>> GaussianPage(0.5).group(4)
        GaussianPage(psi=2.0)
        """
        exact = Fraction(self.psi) * count("k", k)
        return GaussianPage(at_least(exact) if exact else 0.0)

    def compose(self, *others: GaussianPage) -> GaussianPage:
        """Return the page of all of them together: the root of the sum of the psi^2 (Corollary 8).

        Parameters
        ----------
        *others : GaussianPage
            Any number of them.

        Raises
        ------
        InvalidParameter
            If one is not a page, or the result exceeds 1e100.

        Examples
        --------
        >>> GaussianPage(3.0).compose(GaussianPage(4.0))
        GaussianPage(psi=5.0)
        """
        for other in others:
            if not isinstance(other, GaussianPage):
                raise InvalidParameter("others", other, "pages of Gaussian mechanisms")
        psis = [Fraction(page.psi) for page in (self, *others)]
        unit = max(psis)
        if not unit:
            return self
        root = Fraction(root_at_least(total([(psi / unit) ** 2 for psi in psis])))  # in units of the largest
        return GaussianPage(at_least(unit * root))

    def _power(self, fpr: FloatArray) -> FloatArray:
        return np.maximum(normal_power(fpr, self.psi, 1.0), fpr)
