"""What a curator runs: immutable values with an algebra.

``m1 * m2`` runs both, ``m ** n`` runs n independent copies, ``m.poisson(rate)`` runs m on a Poisson sample of records.
Every mechanism has one exact normal form, a bag of single steps with their counts, and everything is read from it:
equality, hash, and the privacy losses for the engines.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, ClassVar, Never

from neyman._answering import Asked, refuse_missing, refuse_unknown
from neyman._upward import Accountable
from neyman._validate import MAX_COUNT, count, probability, whole
from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep
from neyman.mechanisms.additive.rounding import root_at_least, root_at_most, total

__all__ = ["SCHEMA", "Mechanism", "Part", "SingleStep"]

_NOTHING = Fraction(0)  # mu^2 of what is no Gaussian
SCHEMA = 1  # of the dict form: raised when a field changes its meaning


class Mechanism(Asked, Accountable):
    """A randomised algorithm, known by what it promises about one record.

    Two mechanisms are equal when their exact normal forms are: the same sampled steps, each equally often, and the same
    sum of squared mu over the unsampled Gaussians. So ``m ** a * m ** b == m ** (a + b)`` holds to the last bit. What
    is remembered of the data set (``dataset_size``) is no part of that.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> Gaussian(2.0) ** 4 == Gaussian(1.0)
    True
    >>> Gaussian(9.4).poisson(0.1) ** 3 * Gaussian(5.0)
    Gaussian(sigma=5.0, sensitivity=1.0) * Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.1) ** 3
    """

    __slots__ = ()
    _called: ClassVar[str] = "m"
    __array_ufunc__: ClassVar[None] = None  # an array times a mechanism is refused: NumPy would multiply one by one

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The normal form: distinct single steps, in a canonical order, each with its count >= 1."""

    @abstractmethod
    def _sampled(self, rate: float) -> Mechanism:
        """Sample with 0 < rate < 1."""

    @abstractmethod
    def to_node(self) -> dict[str, object]:
        """Return the dict form that stands inside another: ``to_dict`` without the schema number."""

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where that was said; ``g.epsilon()`` is then at delta = 1/dataset_size.

        It survives composition, ``to_dict`` and ``pickle``; it decides no certified number, and no equality.

        Examples
        --------
        >>> import neyman as ny
        >>> run = ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)
        >>> (run * ny.Gaussian(5.0)).dataset_size, ny.Gaussian(5.0).dataset_size
        (60000, None)
        """
        return None

    def with_dataset_size(self, dataset_size: int) -> Mechanism:
        """Return the same mechanism, run on a data set of so many records.

        Parameters
        ----------
        dataset_size : int
            From 1 to 1e18.

        Raises
        ------
        InvalidParameter
            If it is not such a number.

        Examples
        --------
        >>> import neyman as ny
        >>> m = ny.Gaussian(1.0).with_dataset_size(1000)
        >>> m == ny.Gaussian(1.0), ny.account(m).epsilon() == ny.account(m).epsilon(1e-3)
        (True, True)
        """
        from neyman.mechanisms.composition import Composition

        return Composition(self.parts, whole("dataset_size", dataset_size, 1, MAX_COUNT))

    def poisson(self, rate: float | None = None, **unknown: Never) -> Mechanism:
        """Run this mechanism on a Poisson sample: every record takes part independently with probability ``rate``.

        Parameters
        ----------
        rate : float
            In [0, 1]. At 0 nothing is learnt (perfect privacy); at 1 it is the mechanism itself. Sampling twice
            multiplies the rates; the exact product is rounded up to a float64.

        Raises
        ------
        InvalidParameter
            If ``rate`` is not in [0, 1], or the mechanism is a composition: one sample shared by several steps is
            another mechanism than a fresh sample for each.

        Examples
        --------
        >>> from neyman import Gaussian
        >>> Gaussian(9.4).poisson(0.32768)
        Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768)
        """
        from neyman.mechanisms.composition import compose, remembering  # composition.py builds on this file

        refuse_unknown("m.poisson", unknown, rate=rate)
        if rate is None:
            refuse_missing("m.poisson", {"rate": rate})
        q = probability("rate", rate)
        if q == 0.0:
            return remembering(compose(()), self.dataset_size)
        return self if q == 1.0 else self._sampled(q)

    def losses(self, replace: bool = False) -> tuple[tuple[Step, int], ...]:
        """Return the privacy losses to compose, each with its count: what the engines read.

        At most one ``GaussianStep``, first and with count 1, stands for all unsampled Gaussians. Empty means perfect
        privacy.

        Parameters
        ----------
        replace : bool
            Whether one record is exchanged for another, rather than added or removed.

        Raises
        ------
        InvalidParameter
            If ``replace`` is asked of a sampled mechanism of which no worst pair is known.

        Examples
        --------
        >>> from neyman import DPSGD, Gaussian
        >>> (Gaussian(4.0) ** 4 * DPSGD(9.4, 0.1, 2000)).losses()
        ((GaussianStep(mu=0.5), 1), (SubsampledGaussianStep(sigma=9.4, rate=0.1), 2000))
        """
        square = self._mu_squared()
        if replace:
            square *= 4
        merged = ((GaussianStep(root_at_least(square), root_at_most(square)), 1),) if square else ()
        return merged + tuple((step.loss(replace), n) for step, n in self.parts if not step.mu_squared)

    def check_adjacency(self, asked: str) -> None:
        """Refuse neighbours for which something in this mechanism promises nothing.

        Parameters
        ----------
        asked : str
            "add_or_remove", "add", "remove" or "replace".

        Raises
        ------
        InvalidParameter
            If an ``Opaque`` in it promises nothing for them. What is known by its law promises something for all.

        Examples
        --------
        >>> from neyman import DPSGD
        >>> DPSGD(9.4, 0.1, 2000).check_adjacency("replace")
        """
        for step, _ in self.parts:
            step.check_adjacency(asked)

    def to_dict(self) -> dict[str, object]:
        """Return a JSON-ready dict that ``mechanism_from_dict`` reads back.

        Examples
        --------
        >>> from neyman import Gaussian
        >>> Gaussian(9.4).to_dict()
        {'schema': 1, 'kind': 'gaussian', 'sigma': 9.4, 'sensitivity': 1.0}
        """
        known = {} if self.dataset_size is None else {"dataset_size": self.dataset_size}
        return {"schema": SCHEMA, **known, **self.to_node()}

    def __pow__(self, n: int) -> Mechanism:
        """Compose ``n`` independent runs, n a whole number >= 0; ``m ** 0`` is perfect privacy, ``m ** 1`` is m."""
        from neyman.mechanisms.composition import repeat

        return repeat(self, count("n", n))

    def __mul__(self, other: Mechanism) -> Mechanism:
        """Compose two mechanisms; the order does not matter."""
        from neyman.mechanisms.composition import compose

        return compose((self, other)) if isinstance(other, Mechanism) else self._no_product(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return self is other or self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _mu_squared(self) -> Fraction:
        return total([n * step.mu_squared for step, n in self.parts if step.mu_squared])

    def _identity(self) -> tuple[Fraction, frozenset[tuple[Hashable, int]]]:
        return self._mu_squared(), frozenset((step.law, n) for step, n in self.parts if not step.mu_squared)


class SingleStep(Mechanism):
    """A mechanism that is its own normal form: one step, composed with nothing."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The normal form: this step, once."""
        return ((self, 1),)

    @property
    def mu_squared(self) -> Fraction:
        """What this step adds to the one Gaussian of a composition, exactly: 0 unless it is an unsampled Gaussian."""
        return _NOTHING

    @property
    @abstractmethod
    def law(self) -> Hashable:
        """What tells steps apart: those of equal law have the same losses in every use, and are counted together."""

    @property
    @abstractmethod
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: the kind first, then what two steps of that kind can be compared by."""

    def check_adjacency(self, asked: str) -> None:
        """Refuse neighbours for which nothing is promised: none, of what is known by its law."""

    @abstractmethod
    def loss(self, replace: bool = False) -> Step:
        """The privacy loss of this step alone; ``replace`` where a record is exchanged for another."""


Part = tuple[SingleStep, int]
