"""The functions that a guarantee is asked for: their domains, and that arrays come back in the shape they came in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Never, overload

from numpy.typing import NDArray

from neyman._answering import Asked, refuse_unknown, refuse_wrong
from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, positives, reals, unit_interval
from neyman.mechanisms.additive.rounding import at_most

__all__ = ["Views", "delta_of_records"]


class Views(Asked):
    """Every verb takes a scalar (and returns a float) or an array (and returns an array of the same shape).

    What they return, and on which side of the truth, is up to the hooks.
    """

    _called: ClassVar[str] = "g"

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def delta(
        self, epsilon: float | Sequence[Any] | NDArray[Any] | None = None, **unknown: Never
    ) -> float | FloatArray:
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
        if epsilon is None or unknown:
            refuse_wrong("g.delta", unknown, epsilon=epsilon)
        values = reals("epsilon", epsilon)
        return _shaped(self._delta(values.ravel()), values)

    @overload
    def epsilon(self, delta: float | None = None) -> float: ...
    @overload
    def epsilon(self, delta: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def epsilon(
        self, delta: float | Sequence[Any] | NDArray[Any] | None = None, **unknown: Never
    ) -> float | FloatArray:
        """Return the least epsilon >= 0 with delta(epsilon) <= ``delta``.

        0 where ``delta`` is at least delta(0); inf where it is below the mass at infinity (and beyond 1e150). Of a
        Gaussian mechanism it is that of the analytic Gaussian mechanism (Balle and Wang 2018).

        Parameters
        ----------
        delta : float or array, optional
            In [0, 1]. Left out, it is 1/dataset_size (rounded down), where the mechanism remembers its data set: see
            ``default_delta``. That is the largest that is usual, not one that is small.
            Many are searched for together, and one by one where the effort did not suffice for all: that may take
            three times the effort of one more, and is not begun of more than sixty for each second of it.

        Raises
        ------
        InvalidParameter
            If ``delta`` lies outside [0, 1], or is left out where no data set is known.

        Examples
        --------
        >>> import neyman as ny
        >>> run = ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)
        >>> g = ny.account(run)
        >>> g.default_delta, g.epsilon() == g.epsilon(g.default_delta)
        (1.6666666666666664e-05, True)
        """
        if unknown:
            refuse_unknown("g.epsilon", unknown, delta=delta)
        values = unit_interval("delta", self._usual_delta() if delta is None else delta)
        return _shaped(self._epsilon(values.ravel()), values)

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def beta(self, alpha: float | Sequence[Any] | NDArray[Any] | None = None, **unknown: Never) -> float | FloatArray:
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
        if alpha is None or unknown:
            refuse_wrong("g.beta", unknown, alpha=alpha)
        values = unit_interval("alpha", alpha)
        return _shaped(self._beta(values.ravel()), values)

    @overload
    def roc(self, fpr: float) -> float: ...
    @overload
    def roc(self, fpr: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def roc(self, fpr: float | Sequence[Any] | NDArray[Any] | None = None, **unknown: Never) -> float | FloatArray:
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
        if fpr is None or unknown:
            refuse_wrong("g.roc", unknown, fpr=fpr)
        values = unit_interval("fpr", fpr)
        return _shaped(self._power(values.ravel()), values)

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
        values = unit_interval("prior", prior)
        return _shaped(self._bayes_error(values.ravel()), values)

    @overload
    def renyi(self, order: float) -> float: ...
    @overload
    def renyi(self, order: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def renyi(self, order: float | Sequence[Any] | NDArray[Any] | None = None, **unknown: Never) -> float | FloatArray:
        """Return the Renyi divergence D_t between the two output laws, at the order t = ``order``.

        D_t(P || Q) = log E_Q[(dP/dQ)^t] / (t - 1), the Kullback-Leibler divergence at t = 1; P and Q are the laws under
        H1 and H0, so "remove" has P with the record. "add_or_remove" and "replace" take the larger of D_t(P || Q) and
        D_t(Q || P). It does not decrease with t.

        Parameters
        ----------
        order : float or array
            Finite, > 0, a fraction or not. As it grows without end D_t tends to the largest loss, ``epsilon(0.0)``.

        Returns
        -------
        float or ndarray
            >= 0, never below the truth (``optimistic``: never above). From t = 1 on inf where there is mass at
            infinity. A mechanism's own two bounds: within a relative 1e-12 of each other for orders up to 1e4 at usual
            rates, up to 1e-6 for extreme orders at tiny rates; for sampled Gaussian noise the rounding of the
            exponents, 1e-15 times order times loss, comes on top. From profiles alone: 1e-8 to 1e-5.

        Raises
        ------
        InvalidParameter
            If ``order`` is not finite and > 0.

        Notes
        -----
        Divergences add over the steps of a composition (Mironov 2017, Renyi differential privacy, Proposition 1), and
        each is an integral of positive terms with a certified error: see ``engines/renyi/quadrature.py``. For sampled
        Gaussian noise D_t(P || Q) is the larger one for t >= 1 (Mironov, Talwar and Zhang 2019, Theorem 5); both are
        computed.

        Examples
        --------
        >>> import neyman as ny
        >>> g = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
        >>> round(g.renyi(2.0), 9), g.renyi([1.5, 64.0]).round(6)
        (2.442692314, array([ 1.829727, 93.041986]))
        """
        if order is None or unknown:
            refuse_wrong("g.renyi", unknown, order=order)
        advice = "As the order grows without end, the divergence tends to the largest loss: see epsilon(0.0)."
        values = positives("order", order, advice)
        return _shaped(self._renyi(values.ravel()), values)

    def zcdp(self) -> float:
        """Return rho, the least with renyi(t) <= rho t for every t > 1: zero-concentrated differential privacy.

        rho = sup over t > 1 of renyi(t) / t, on the safe side; inf where there is mass at infinity. For Gaussian noise,
        Poisson-sampled or not, it is the limit t -> inf, T / (2 sigma^2) of DP-SGD, as if nothing were sampled: no
        finite grid of orders finds it. Elsewhere it is certified to a relative 1e-9; of Laplace noise at rates below
        1e-20 it is the bound that follows from the width of the loss, w^2 / 8 (Cesar and Rogers 2021).

        Notes
        -----
        Bun and Steinke (2016), Concentrated differential privacy, Definition 1.1; it promises orders t > 1 only.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.account(ny.DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=1000)).zcdp()
        125.0
        >>> round(ny.account(ny.PureMechanism(1.0)).zcdp(), 6)  # tanh(1/2), where 1/2 would follow from epsilon alone
        0.462117
        """
        return self._zcdp()

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where the mechanism remembers it."""
        return None

    @property
    def default_delta(self) -> float | None:
        """The delta of ``epsilon()``: 1/dataset_size, rounded down to a float64; None where no data set is known."""
        return delta_of_records(self.dataset_size)

    def _usual_delta(self) -> float:
        found = self.default_delta
        if found is None:
            advice = "No data set is known: DPSGD(..., dataset_size=60000) says it. Write: g.epsilon(1e-5)"
            raise InvalidParameter("delta", None, "given", advice)
        return found

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
    def _renyi(self, order: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _zcdp(self) -> float: ...


def delta_of_records(dataset_size: int | None) -> float | None:
    """Return 1/dataset_size, rounded down to a float64; None where no data set of more than one record is known."""
    return at_most(Fraction(1, dataset_size)) if dataset_size is not None and dataset_size > 1 else None


def _shaped(result: FloatArray, values: FloatArray) -> float | FloatArray:
    return float(result[0]) if values.ndim == 0 else result.reshape(values.shape)
