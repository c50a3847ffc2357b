"""Guarantee: everything a person may ask of a privacy promise, as views of one function delta(eps).

The public verbs live here once, with their validation and broadcasting; which side a value is rounded to is up to the
subclasses, and their names say it: `PessimisticGuarantee` (privacy never better than stated) and
`OptimisticGuarantee` (never worse). Laws: delta is non-increasing in eps and convex in e^eps, with values in [0, 1];
beta is convex and non-increasing in alpha, at most 1 - alpha; epsilon(delta(e)) = e wherever delta falls strictly.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from neyman._errors import InvalidParameter, NotCertified
from neyman._remade import Remade
from neyman._upward import Shown
from neyman._validate import MAX_COUNT, between, count, inside, whole
from neyman.guarantees import made
from neyman.guarantees.questions.epsilon import spread
from neyman.guarantees.verbs import Views
from neyman.profiles.effort import Effort, shared_effort
from neyman.profiles.pair import Adjacency, Pair

if TYPE_CHECKING:
    from neyman.guarantees.loss.privacy_loss import LossDirection, PrivacyLoss
    from neyman.guarantees.questions.answer import Satisfaction
    from neyman.guarantees.questions.report import GDPReport, TradeoffPoints
    from neyman.guarantees.twins import PessimisticGuarantee
    from neyman.profiles.certificate import CertifiedDelta

__all__ = ["Guarantee"]

_LARGEST = sys.float_info.max
_MOST_POINTS = 10**7  # of a curve: more than any picture or table holds


class Guarantee(Shown, Remade, Views):
    """A certified promise about the best test between neighbouring data sets.

    Every verb takes a scalar (and returns a float) or an array (and returns an array of the same shape).
    """

    __array_ufunc__: ClassVar[None] = None  # an array times a guarantee is refused: NumPy would multiply one by one

    effort: Effort
    """What each of its questions may cost."""

    def __init__(self, sides: Pair, adjacency: Adjacency, effort: Effort) -> None:
        self._sides = sides
        self._adjacency: Adjacency = adjacency
        self.effort = effort

    @cached_property
    def _start(self) -> float:
        """Where solvers begin."""
        return spread(self._sides.forward)

    @property
    def adjacency(self) -> Adjacency:
        """Which neighbouring data sets the promise is about."""
        return self._adjacency

    @property
    def method(self) -> str:
        """How delta(eps) is computed and certified."""
        return self._sides.method

    @property
    def sides(self) -> Pair:
        """The certified profiles behind the verbs: for eps >= 0, and of the reversed pair for eps < 0."""
        return self._sides

    @cached_property
    @abstractmethod
    def optimistic(self) -> Guarantee:
        """The guarantee of certified lower bounds: its answers and this one's enclose the truth."""

    @property
    @abstractmethod
    def pessimistic(self) -> PessimisticGuarantee:
        """The guarantee of certified upper bounds, which ``optimistic`` belongs to."""

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The privacy loss L = log dP/dQ as a random variable: cdf, quantiles, moments and draws, each certified.

        Of ``.optimistic`` it is the same: every answer is a bracket.

        Examples
        --------
        >>> import neyman as ny
        >>> law = ny.account(ny.RandomizedResponse(1.0)).loss.under_p  # +1 or -1
        >>> round(law.cdf(0.0).upper, 9), [round(b, 9) for b in law.mean]
        (0.268941421, [0.462117157, 0.462117157])
        """
        from neyman.guarantees.loss.privacy_loss import PrivacyLoss
        from neyman.guarantees.renyi import decay

        own = self.pessimistic
        direction: LossDirection = "both" if self._sides.symmetric else "add" if self.adjacency == "add" else "remove"
        found = PrivacyLoss(self._sides, direction, self.effort, lambda: decay(own.divergences), own.known_mean)
        return found.remember((attrgetter("loss"), (own,)))

    @cached_property
    def advantage(self) -> float:
        """The largest membership advantage TPR - FPR: delta(0), the total variation distance of the two output laws."""
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
        place, so that a blatant mechanism never gets a small mu. It is inf where delta stays above ``floor`` however
        large epsilon is: with that chance the output reveals the record, and no Gaussian curve tells of that, even if
        one lies below f down to the floor. (Of "add" alone that is what only the law without the record shows.)

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

    def certificate(self, epsilon: float) -> CertifiedDelta:
        """Return why delta(epsilon) lies where it does: of each direction who answered, and the terms of the error.

        Parameters
        ----------
        epsilon : float
            One real number.

        Returns
        -------
        CertifiedDelta
            ``print`` shows it. Its terms are bounds, as delta itself; they add up to the width of each bracket or more.

        Raises
        ------
        InvalidParameter
            If ``epsilon`` is not one finite real number.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.account(ny.Gaussian(1.0)).certificate(1.0).directions["both"].supply
        'closed form'
        """
        from neyman.guarantees.questions.certified import certified_delta

        at = between("epsilon", epsilon, -_LARGEST, _LARGEST)
        with self.effort:
            return certified_delta(self._sides, self._adjacency, at)

    def regret(self, other: Guarantee) -> float:
        """Return Delta(self || other), what is given away by stating ``other`` instead of this guarantee.

        The Delta-divergence of Kaissis et al. (2024), max over real eps of (delta_other - delta_self) / (1 + e^eps); in
        [0, 1/2]. The larger of both ways, the symmetrised Delta-divergence, is ``compare(...).distance``.

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
        with shared_effort(self, other):
            return self._regret(other.sides)

    def satisfies(self, other: Guarantee) -> Satisfaction:
        """Decide whether every bound on attacks that ``other`` promises holds for this guarantee.

        f_self >= f_other at every alpha, which is delta_self <= delta_other at every real epsilon. "yes" and "no" are
        proved from the certified brackets of both, on whole intervals and never on a grid; adjacencies are not
        compared.

        Parameters
        ----------
        other : Guarantee
            Any guarantee.

        Returns
        -------
        Satisfaction
            ``.outcome`` is "yes", "no" (with the ``alpha`` and ``epsilon`` where it fails, and by how much) or
            "undecided". As a truth value it is True for "yes" alone.

        Raises
        ------
        InvalidParameter
            If ``other`` is not a guarantee.

        Examples
        --------
        >>> import neyman as ny
        >>> laplace = ny.account(ny.Laplace(1.0))
        >>> laplace.satisfies(ny.GDP(1.04)).outcome, laplace.satisfies(ny.GDP(1.02)).outcome
        ('yes', 'no')
        """
        if not isinstance(other, Guarantee):
            raise InvalidParameter("other", other, "a Guarantee")
        with shared_effort(self, other):
            return made.satisfaction(self, other)

    def is_fdp(self, f: Guarantee | Callable[..., object]) -> Satisfaction:
        """Decide whether this is f-DP: f_self >= f at every alpha (Dong, Roth and Su 2022, Definition 2.3).

        Parameters
        ----------
        f : Guarantee or callable
            As for ``satisfies``; or a function, as ``Tradeoff.from_function`` takes it, asked until this is nowhere
            below its chords ("yes") or somewhere below what is proved of it ("no").

        Returns
        -------
        Satisfaction
            Its ``str`` is a sentence, with the ``alpha`` where it fails. Of a curve that is attained it is "undecided".

        Raises
        ------
        InvalidParameter
            If ``f`` is neither, or no trade-off curve.

        Examples
        --------
        >>> import neyman as ny
        >>> print(ny.account(ny.Laplace(1.0)).is_fdp(lambda alpha: (1.0 - alpha) ** 4))
        yes
        """
        with self.effort:
            return made.fdp(self, f)

    def group(self, k: int) -> Guarantee:
        """Return the guarantee for ``k`` records that change together: f^(k) = 1 - (1 - f)^{applied k times}.

        Each record moves the data to a neighbour, so under "add" (or "remove") k records are added (removed), under
        "replace" k are exchanged. GDP(mu) becomes GDP(k mu); of epsilon-DP more is left than (k epsilon)-DP.

        Parameters
        ----------
        k : int
            At least 1; at most 1000 unless f is Gaussian (costs grow with it).

        Returns
        -------
        Guarantee
            Certified both ways; with k = 1 this guarantee itself.

        Raises
        ------
        InvalidParameter
            If ``k`` is not a whole number >= 1, or too large for this guarantee.

        Notes
        -----
        Dong, Roth and Su (2022), Gaussian differential privacy, Theorem 2.14. delta is bounded above by a division of
        epsilon among the k steps and by the Gaussian of k ``tail_mu``, below by the ROC curve applied k times.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.GDP(0.5).group(4)
        GDP(mu=2.0)
        >>> pair = ny.account(ny.PureMechanism(1.0)).group(2)
        >>> pair.epsilon(0.0), round(pair.advantage, 6), round(ny.account(ny.PureMechanism(2.0)).advantage, 6)
        (2.0, 0.632121, 0.761594)
        """
        return made.group_of(self, whole("k", k, 1, MAX_COUNT))

    def inverse(self) -> Guarantee:
        """Return the guarantee with the roles of alpha and beta exchanged: its trade-off function is f^-1.

        "add" becomes "remove" and the reverse. Itself where f is symmetric; the inverse of the inverse is the original.

        Examples
        --------
        >>> import neyman as ny
        >>> g = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="remove")
        >>> g.inverse().adjacency, g.inverse().inverse() is g, bool(abs(g.inverse().beta(g.beta(0.2)) - 0.2) < 1e-9)
        ('add', True, True)
        """
        return made.inverse_of(self)

    def symmetrized(self) -> Guarantee:
        """Return the best symmetric guarantee that follows from this one; itself where it is symmetric.

        What follows depends on the orders that the promise covers:

        - "add_or_remove" and "replace" promise f for (S, S') and for (S', S), so that f^-1 holds as well: the answer is
          max(f, f^-1), nowhere below f (Dong, Roth and Su 2022, Gaussian differential privacy, Section 2).
        - "add" and "remove" promise f for one order alone; the other order has f^-1, and either may be the case. The
          answer is the convex hull of min(f, f^-1), nowhere above f, and speaks of "add_or_remove". The maximum would
          be unsafe.

        Examples
        --------
        >>> import neyman as ny
        >>> g = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="remove")
        >>> g.symmetrized().adjacency, g.symmetrized().epsilon(1e-5) == ny.account(ny.DPSGD(1.0, 0.1, 10)).epsilon(1e-5)
        ('add_or_remove', True)
        """
        return made.symmetrized_of(self)

    def curve(self, n: int = 256) -> TradeoffPoints:
        """Return ``n`` certified points of the trade-off curve, from alpha about 1e-10 to its mirror image.

        Parameters
        ----------
        n : int
            From 2 to 10^7.

        Raises
        ------
        InvalidParameter
            If ``n`` is not a whole number from 2 to 10^7.
        """
        from neyman.guarantees.questions.curve.points import tradeoff_points

        points = whole("n", n, 2, _MOST_POINTS)
        with self.effort:
            return tradeoff_points(self._sides, points, self._start, self._reach())

    def _reach(self) -> float | None:
        """The eps at which alpha is about the smallest a curve shows, if an earlier question found it."""
        return None

    @abstractmethod
    def _mu(self, floor: float) -> float: ...
    @abstractmethod
    def _gdp(self, floor: float) -> GDPReport: ...
    @abstractmethod
    def _regret(self, other: Pair) -> float: ...

    def __mul__(self, other: Guarantee) -> Guarantee:
        """Compose two guarantees for the same neighbours: what both promise together (``compose_tradeoffs``)."""
        if not isinstance(other, Guarantee):
            return self._no_product(other)
        return made.compose_tradeoffs(self, other)

    def __pow__(self, n: int) -> Guarantee:
        """Compose ``n`` of them, n a whole number >= 0."""
        return made.repeated(self, count("n", n))

    def __repr__(self) -> str:
        try:
            advantage = f"{self.advantage:.6g}"
        except NotCertified as wide:  # to show a guarantee is not to ask for its digits
            advantage = f"in [{wide.lower:.6g}, {wide.upper:.6g}]"
        return f"<{type(self).__name__}: {self.adjacency}, {self.method}, advantage {advantage}>"


def _floor(floor: object) -> float:
    return inside("floor", floor, 0.0, 0.5, "The promise of mu holds at error rates of floor and above.")
