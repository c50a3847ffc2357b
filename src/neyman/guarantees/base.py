"""Guarantee: everything a person may ask of a privacy promise, as views of one function delta(eps).

The public verbs live here once, with their validation and broadcasting; which side a value is rounded to is up to the
subclasses, and their names say it: `PessimisticGuarantee` (privacy never better than stated) and
`OptimisticGuarantee` (never worse). Laws: delta is non-increasing in eps and convex in e^eps, with values in [0, 1];
beta is convex and non-increasing in alpha, at most 1 - alpha; epsilon(delta(e)) = e wherever delta falls strictly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, count, inside, reals, unit_interval
from neyman.guarantees.curve import tradeoff_points
from neyman.guarantees.epsilon import spread
from neyman.guarantees.report import GDPReport, TradeoffPoints
from neyman.guarantees.sides import Adjacency, Sides

__all__ = ["Guarantee"]


class Guarantee(ABC):
    """A certified promise about the best test between neighbouring data sets.

    Every verb takes a scalar (and returns a float) or an array (and returns an array of the same shape).
    """

    def __init__(self, sides: Sides, adjacency: Adjacency) -> None:
        self._sides = sides
        self._adjacency: Adjacency = adjacency
        self._start = spread(sides.forward)

    @property
    def adjacency(self) -> Adjacency:
        """Which neighbouring data sets the promise is about."""
        return self._adjacency

    @property
    def method(self) -> str:
        """How delta(eps) is computed and certified."""
        return self._sides.method

    @property
    def sides(self) -> Sides:
        """The certified profiles behind the verbs: for eps >= 0, and of the reversed pair for eps < 0."""
        return self._sides

    @cached_property
    @abstractmethod
    def optimistic(self) -> Guarantee:
        """The guarantee of certified lower bounds: its answers and this one's enclose the truth."""

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def delta(self, epsilon: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return delta(epsilon) for any finite real epsilon.

        Parameters
        ----------
        epsilon : float or array
            Finite; may be negative.

        Returns
        -------
        float or ndarray
            In [0, 1], relative width of the bracket as given by the engine.

        Raises
        ------
        InvalidParameter
            If ``epsilon`` is not finite.
        """
        return _shaped(self._delta, reals("epsilon", epsilon))

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def epsilon(self, delta: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return the least epsilon >= 0 with delta(epsilon) <= ``delta``.

        0 where ``delta`` is at least delta(0); inf where it is below the mass at infinity (and beyond 1e150).

        Parameters
        ----------
        delta : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``delta`` lies outside [0, 1].
        """
        return _shaped(self._epsilon, unit_interval("delta", delta))

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def beta(self, alpha: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return the trade-off function f(alpha): the least false negative rate at false positive rate alpha.

        Parameters
        ----------
        alpha : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``alpha`` lies outside [0, 1].
        """
        return _shaped(self._beta, unit_interval("alpha", alpha))

    @overload
    def roc(self, fpr: float) -> float: ...
    @overload
    def roc(self, fpr: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def roc(self, fpr: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return the true positive rate 1 - f(fpr), from its own small terms (not from 1 - beta).

        Parameters
        ----------
        fpr : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``fpr`` lies outside [0, 1].
        """
        return _shaped(self._power, unit_interval("fpr", fpr))

    @overload
    def bayes_error(self, prior: float) -> float: ...
    @overload
    def bayes_error(self, prior: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def bayes_error(self, prior: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return the error of the best guess when the record is ABSENT with probability ``prior``.

        (1 - prior) (1 - delta(log(prior / (1 - prior)))).

        Parameters
        ----------
        prior : float or array
            P(H0), in [0, 1].

        Raises
        ------
        InvalidParameter
            If ``prior`` lies outside [0, 1].
        """
        return _shaped(self._bayes_error, unit_interval("prior", prior))

    @cached_property
    def advantage(self) -> float:
        """The largest membership advantage TPR - FPR: delta(0)."""
        return float(self._delta(np.zeros(1))[0])

    @cached_property
    @abstractmethod
    def auc(self) -> float:
        """The area under the ROC curve, 1 - integral of f."""

    @cached_property
    @abstractmethod
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha (= (1 - delta(0)) / 2 when f is symmetric)."""

    @property
    @abstractmethod
    def tail_mu(self) -> float:
        """A mu that is valid with no floor at all (inf where there is none)."""

    def mu(self, floor: float = 1e-10) -> float:
        """Return the least mu with G_mu <= f wherever alpha and f(alpha) are at least ``floor``.

        Where the whole curve lies below the floor (the fixed point is smaller), the fixed point takes the floor's
        place, so that a blatant mechanism never gets a small mu.

        Parameters
        ----------
        floor : float
            In (0, 0.5).

        Raises
        ------
        InvalidParameter
            If ``floor`` lies outside (0, 0.5).
        """
        return self._mu(_floor(floor))

    def gdp(self, floor: float = 1e-10) -> GDPReport:
        """Return mu at ``floor`` together with what it leaves out: regret, tail_mu and shortfall.

        Parameters
        ----------
        floor : float
            In (0, 0.5).

        Raises
        ------
        InvalidParameter
            If ``floor`` lies outside (0, 0.5).
        """
        return self._gdp(_floor(floor))

    def regret(self, other: Guarantee) -> float:
        """Return Delta(self || other), what is given away by stating ``other`` instead of this guarantee.

        max over real eps of (delta_other - delta_self) / (1 + e^eps); in [0, 1/2].

        Parameters
        ----------
        other : Guarantee
            Any guarantee.

        Raises
        ------
        InvalidParameter
            If ``other`` is not a guarantee.
        """
        if not isinstance(other, Guarantee):
            raise InvalidParameter("other", other, "a Guarantee")
        return self._regret(other.sides)

    def curve(self, n: int = 256) -> TradeoffPoints:
        """Return ``n`` certified points of the trade-off curve, from alpha about 1e-10 to its mirror image.

        Parameters
        ----------
        n : int
            At least 2.

        Raises
        ------
        InvalidParameter
            If ``n`` is not a whole number >= 2.
        """
        points = count("n", n)
        if points < 2:
            raise InvalidParameter("n", n, "a whole number >= 2")
        return tradeoff_points(self._sides, points, self._start, self._reach())

    def _reach(self) -> float | None:
        """The eps at which alpha is about the smallest a curve shows, if an earlier question found it."""
        return None

    @abstractmethod
    def _delta(self, epsilon: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _epsilon(self, delta: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _beta(self, alpha: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _power(self, fpr: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _bayes_error(self, prior: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _mu(self, floor: float) -> float: ...
    @abstractmethod
    def _gdp(self, floor: float) -> GDPReport: ...
    @abstractmethod
    def _regret(self, other: Sides) -> float: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.adjacency}, {self.method}, advantage {self.advantage:.6g}>"


def _floor(floor: object) -> float:
    return inside("floor", floor, 0.0, 0.5, "The promise of mu holds at error rates of floor and above.")


def _shaped(formula: Callable[[FloatArray], FloatArray], values: FloatArray) -> float | FloatArray:
    result = formula(values.ravel())
    return float(result[0]) if values.ndim == 0 else result.reshape(values.shape)
