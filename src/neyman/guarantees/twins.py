"""The two sides of a certified guarantee: the pessimistic one that is handed out, and its optimistic twin."""

from __future__ import annotations

import math
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import BlatantProfile, GaussianProfile
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.questions.epsilon import epsilon_lower, epsilon_upper
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import EFFORT, Effort, cut_short, question, questions
from neyman.profiles.pair import Adjacency, Pair
from neyman.profiles.profile import Profile

if TYPE_CHECKING:
    from neyman.engines.renyi.step import Statement
    from neyman.guarantees.loss.bounds import Bounds
    from neyman.guarantees.loss.privacy_loss import LossDirection
    from neyman.guarantees.questions.mu.at_floor import Fit
    from neyman.guarantees.questions.regret import Divergence
    from neyman.guarantees.questions.report import GDPReport
    from neyman.guarantees.renyi import Divergences

__all__ = ["OptimisticGuarantee", "PessimisticGuarantee"]

_KEPT = 16  # answers of epsilon that are remembered


class PessimisticGuarantee(Guarantee):
    """Every value on the safe side: delta, epsilon, mu, advantage, auc and regret from above, the errors from below."""

    def __init__(
        self, sides: Pair, adjacency: Adjacency, effort: Effort | None = None, stated: Statement | None = None
    ) -> None:
        super().__init__(sides, adjacency, Effort(EFFORT) if effort is None else effort)
        self._statement = stated  # of Renyi divergences, beyond what the curve tells
        self._fits: dict[float, Fit] = {}
        self._epsilons: dict[bytes, FloatArray] = {}
        self._missed: dict[tuple[float, float], tuple[Divergence, float]] = {}  # of a floor and the mu there

    @cached_property
    def optimistic(self) -> OptimisticGuarantee:
        """The guarantee of certified lower bounds: its answers and this one's enclose the truth."""
        return OptimisticGuarantee(self)

    @property
    def pessimistic(self) -> PessimisticGuarantee:
        """Itself."""
        return self

    @property
    def tail_mu(self) -> float:
        """A mu that is valid with no floor at all (inf where there is none)."""
        return self._sides.tail_mu

    @cached_property
    @question
    def auc(self) -> float:
        """The area under the ROC curve, 1 - integral of f."""
        from neyman.guarantees.questions.curve.area import area_under_curve

        return min(1.0, max(0.5, 1.0 - area_under_curve(self._sides, self._start) + UNIT))

    @cached_property
    @question
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha (= (1 - delta(0)) / 2 when f is symmetric)."""
        from neyman.guarantees.questions.curve.area import fixed_point

        return fixed_point(self._sides, upper=False)

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences, bounded from both sides."""
        from neyman.guarantees.renyi import KnownDivergence, divergences

        if self._statement is not None:
            return KnownDivergence(self._statement, self._sides)
        return divergences(self._sides, self._adjacency, None)

    def known_mean(self, direction: LossDirection) -> Bounds | None:
        """The mean of the privacy loss of that direction under its P, where it is known otherwise than by delta."""
        return None

    @question
    def _renyi(self, order: FloatArray) -> FloatArray:
        return self.divergences.divergence(order, True)

    @question
    def _zcdp(self) -> float:
        return self._concentration

    @cached_property
    def _concentration(self) -> float:
        return self.divergences.concentration(True)

    def fit(self, floor: float) -> Fit:
        """The Gaussian fit at ``floor``, computed once."""
        from neyman.guarantees.questions.mu.at_floor import fit_upper

        if floor not in self._fits:
            found = fit_upper(self._sides, floor, self._start)
            if cut_short():  # it may be tried again
                return found
            self._fits[floor] = found
        return self._fits[floor]

    def _reach(self) -> float | None:
        from neyman.guarantees.questions.curve.points import SMALLEST_ALPHA

        fit = self._fits.get(SMALLEST_ALPHA)
        return fit.epsilon_floor if fit is not None and self._sides.symmetric else None

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._sides.bracket(epsilon).upper

    @questions
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return self.upper_epsilon(delta)

    def upper_epsilon(self, delta: FloatArray) -> FloatArray:
        """``epsilon`` of a 1-d array, remembered for the optimistic twin that is usually asked next."""
        asked = delta.tobytes()
        if asked not in self._epsilons:
            root = epsilon_upper(self._sides.forward, delta, self._start, self.known)
            if cut_short():  # it may be tried again
                return root
            if len(self._epsilons) >= _KEPT:
                self._epsilons.clear()
            self._epsilons[asked] = root
        return self._epsilons[asked].copy()

    @property
    def known(self) -> tuple[FloatArray, FloatArray] | None:
        """Points of the profile that an earlier question left behind (approximate: they steer)."""
        return next((fit.scores for fit in self._fits.values()), None)

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        from neyman.guarantees.questions.curve.tradeoff import beta_lower

        return beta_lower(self._sides, alpha, self._start)

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        from neyman.guarantees.questions.curve.tradeoff import power_upper

        return power_upper(self._sides, fpr, self._start)

    @question
    def _bayes_error(self, prior: FloatArray) -> FloatArray:
        return _bayes_error(self._sides, prior, -1.0)

    @question
    def _mu(self, floor: float) -> float:
        if math.isinf(self.tail_mu) and math.isinf(self.upper_epsilon(np.array([floor]))[0]):
            return math.inf
        return min(self.fit(floor).mu, self.tail_mu)

    def least_mu(self, floor: float) -> float:
        """mu at ``floor`` from below."""
        from neyman.guarantees.questions.mu.at_floor import fit_lower

        return fit_lower(self._sides, floor, self._start, self.fit(floor))

    @question
    def least_mu_beside(self, floor: float, other: PessimisticGuarantee) -> float:
        """The same, read where the mu of another guarantee, of which that is known, is attained: nearly as sharp where
        the two are much alike, and a fraction of the work.
        """
        from neyman.guarantees.questions.mu.at_floor import lower_beside

        return lower_beside(self._sides, floor, self._start, other.fit(floor))

    @question
    def _gdp(self, floor: float) -> GDPReport:
        from neyman.guarantees.questions.report import GDPReport

        mu = self._mu(floor)
        regret, lost = self._missed_by(floor, mu)
        return GDPReport(mu, regret.upper, floor, self.tail_mu, lost)

    def _missed_by(self, floor: float, mu: float) -> tuple[Divergence, float]:
        """The regret of a ``mu``, and what is lost below the ``floor`` it holds from, if anything is."""
        from neyman.guarantees.questions.regret import divergence, divergence_and_shortfall

        if (floor, mu) in self._missed:
            return self._missed[floor, mu]
        gaussian: Profile = BlatantProfile() if math.isinf(mu) else GaussianProfile(mu)
        if mu < self.tail_mu:
            last = self.fit(floor).epsilon_floor
            found = divergence_and_shortfall(self._sides, gaussian, (floor, last), self._start)
        else:
            found = divergence(self._sides, Pair(gaussian, gaussian)), 0.0
        if not cut_short():  # else it may be tried again
            self._missed[floor, mu] = found
        return found

    @question
    def worst(self, floor: float) -> float:
        """The real eps at which the regret of mu at ``floor`` is attained."""
        return self._missed_by(floor, self._mu(floor))[0].epsilon

    @question
    def _regret(self, other: Pair) -> float:
        from neyman.guarantees.questions.regret import divergence

        return divergence(self._sides, other).upper


class OptimisticGuarantee(Guarantee):
    """Certified bounds from the other side: delta, epsilon, mu, ... from below; beta, bayes_error from above."""

    def __init__(self, pessimistic: PessimisticGuarantee) -> None:
        super().__init__(pessimistic.sides, pessimistic.adjacency, pessimistic.effort)
        self._twin = pessimistic

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return self._recipe or (attrgetter("optimistic"), (self._twin,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptimisticGuarantee) and other._twin == self._twin

    def __hash__(self) -> int:
        return hash((OptimisticGuarantee, self._twin))

    @cached_property
    def _start(self) -> float:
        return self._twin._start

    @cached_property
    def optimistic(self) -> OptimisticGuarantee:
        """Itself."""
        return self

    @property
    def pessimistic(self) -> PessimisticGuarantee:
        """The guarantee that these are lower bounds of."""
        return self._twin

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where the mechanism remembers it."""
        return self._twin.dataset_size

    @property
    def tail_mu(self) -> float:
        """A lower bound on the floor-free mu: mu at the floor 1e-10."""
        return self._mu(1e-10)

    @cached_property
    @question
    def auc(self) -> float:
        """The area under the ROC curve, 1 - integral of f."""
        from neyman.guarantees.questions.curve.area import area_over_points

        return min(1.0, max(0.5, 1.0 - area_over_points(self._sides, self._start) - UNIT))

    @cached_property
    @question
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha (= (1 - delta(0)) / 2 when f is symmetric)."""
        from neyman.guarantees.questions.curve.area import fixed_point

        return fixed_point(self._sides, upper=True)

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._sides.bracket(epsilon).lower

    @questions
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return epsilon_lower(self._sides.forward, delta, self._start, self._twin.upper_epsilon(delta))

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        from neyman.guarantees.questions.curve.tradeoff import beta_upper

        return beta_upper(self._sides, alpha, self._start)

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        from neyman.guarantees.questions.curve.tradeoff import power_lower

        return power_lower(self._sides, fpr, self._start)

    @question
    def _bayes_error(self, prior: FloatArray) -> FloatArray:
        return _bayes_error(self._sides, prior, 1.0)

    @question
    def _renyi(self, order: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", under="ignore"):
            most = order * self._dominating + SMALLEST
        return np.minimum(self._twin.divergences.divergence(order, False), most)

    @question
    def _zcdp(self) -> float:
        return self._concentration

    @cached_property
    def _concentration(self) -> float:
        return min(self._twin.divergences.concentration(False), self._dominating)

    @property
    def _dominating(self) -> float:
        """rho of the Gaussian that dominates at every alpha, from above: no divergence is more than its own."""
        tail = self._twin.tail_mu
        return 0.5 * tail * tail * (1.0 + 8.0 * UNIT) + SMALLEST

    @question
    def _mu(self, floor: float) -> float:
        return self._twin.least_mu(floor)

    @question
    def _gdp(self, floor: float) -> GDPReport:
        from neyman.guarantees.questions.regret import divergence_at
        from neyman.guarantees.questions.report import OptimisticReport

        mu = self._mu(floor)
        gaussian: Profile = BlatantProfile() if math.isinf(mu) else GaussianProfile(mu)
        regret = divergence_at(self._sides, Pair(gaussian, gaussian), self._twin.worst(floor))
        return OptimisticReport(mu, regret, floor, max(mu, self.tail_mu), 0.0)

    @question
    def _regret(self, other: Pair) -> float:
        from neyman.guarantees.questions.regret import divergence

        return divergence(self._sides, other).lower


def _bayes_error(sides: Pair, prior: FloatArray, sign: float) -> FloatArray:
    """(1 - prior) gap(eps) rounded down (sign -1) or up (+1); rounding eps costs a relative |eps| units at most."""
    inside = np.clip(prior, 5e-324, 1.0 - UNIT)
    epsilon = np.log(inside) - np.log1p(-inside)
    b = sides.bracket(epsilon)
    log_gap = b.log_gap_lower if sign < 0.0 else b.log_gap_upper
    with np.errstate(under="ignore"):
        value = (1.0 - inside) * np.exp(log_gap)
    room = 16.0 * UNIT * (1.0 + np.abs(epsilon) + np.minimum(np.abs(log_gap), 800.0))
    tiny = np.where(log_gap > -np.inf, SMALLEST * (1.0 + (value > 0.0)), 0.0)  # a gap may underflow
    value = np.clip(value * (1.0 + sign * room) + sign * tiny, 0.0, np.minimum(prior, 1.0 - prior))
    return np.where((prior == 0.0) | (prior == 1.0), 0.0, value)
