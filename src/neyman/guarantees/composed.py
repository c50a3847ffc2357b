"""Guarantees computed from certified profiles: the pessimistic one that is handed out, and its optimistic twin."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._errors import NotCertified
from neyman._validate import FloatArray, choice
from neyman.engines.closed_form import BlatantProfile, GaussianProfile
from neyman.engines.effort import Effort, question
from neyman.engines.profile import Bracket, Profile
from neyman.engines.renyi_step import Statement
from neyman.guarantees.area import area_over_points, area_under_curve, fixed_point
from neyman.guarantees.base import Guarantee
from neyman.guarantees.curve import SMALLEST_ALPHA
from neyman.guarantees.epsilon import epsilon_lower, epsilon_upper
from neyman.guarantees.gaussian_fit import Fit, fit_lower, fit_upper
from neyman.guarantees.regret import Divergence, divergence, divergence_at, shortfall
from neyman.guarantees.renyi import Divergences, KnownDivergence, divergences
from neyman.guarantees.report import GDPReport, OptimisticReport
from neyman.guarantees.sides import Adjacency, Sides
from neyman.guarantees.tradeoff import beta_lower, beta_upper, power_lower, power_upper
from neyman.losses.base import Step
from neyman.mechanisms import Mechanism
from neyman.numerics.normal import UNIT

__all__ = ["ComposedGuarantee", "OptimisticGuarantee", "PessimisticGuarantee"]

_TINY = 5e-324
_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_MU_WIDTH = 1e2  # how many tolerances wide mu may be, relatively: of few rare steps float64 cannot see the tail better
_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


class PessimisticGuarantee(Guarantee):
    """Every value on the safe side: delta, epsilon, mu, advantage, auc and regret from above, the errors from below."""

    def __init__(
        self, sides: Sides, adjacency: Adjacency, effort: Effort | None = None, stated: Statement | None = None
    ) -> None:
        super().__init__(sides, adjacency)
        self._effort = Effort() if effort is None else effort
        self._statement = stated  # of Renyi divergences, beyond what the curve tells
        self._fits: dict[float, Fit] = {}
        self._last_epsilon: tuple[FloatArray, FloatArray] | None = None
        self._regrets: dict[float, Divergence] = {}

    @property
    def effort(self) -> Effort:
        """What each of its questions may cost."""
        return self._effort

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
        return min(1.0, max(0.5, 1.0 - area_under_curve(self._sides, self._start) + UNIT))

    @cached_property
    @question
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha (= (1 - delta(0)) / 2 when f is symmetric)."""
        return fixed_point(self._sides, upper=False)

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences, bounded from both sides."""
        if self._statement is not None:
            return KnownDivergence(self._statement, self._sides)
        return divergences(self._sides, self._adjacency, None)

    def _renyi(self, order: FloatArray) -> FloatArray:
        return self.divergences.divergence(order, True)

    def _zcdp(self) -> float:
        return self._concentration

    @cached_property
    def _concentration(self) -> float:
        return self.divergences.concentration(True)

    def fit(self, floor: float) -> Fit:
        """The Gaussian fit at ``floor``, computed once."""
        if floor not in self._fits:
            self._fits[floor] = fit_upper(self._sides, floor, self._start)
        return self._fits[floor]

    def _reach(self) -> float | None:
        fit = self._fits.get(SMALLEST_ALPHA)
        return fit.epsilon_floor if fit is not None and self._sides.symmetric else None

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._sides.bracket(epsilon).upper

    @question
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return self.upper_epsilon(delta)

    def upper_epsilon(self, delta: FloatArray) -> FloatArray:
        """``epsilon`` of a 1-d array, remembered for the optimistic twin that is usually asked next."""
        if self._last_epsilon is None or not np.array_equal(self._last_epsilon[0], delta):
            root = epsilon_upper(self._sides.forward, delta, self._start, self.known)
            self._last_epsilon = delta.copy(), root
        return self._last_epsilon[1].copy()

    @property
    def known(self) -> tuple[FloatArray, FloatArray] | None:
        """Points of the profile that an earlier question left behind (approximate: they steer)."""
        return next((fit.scores for fit in self._fits.values()), None)

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        return beta_lower(self._sides, alpha, self._start)

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        return power_upper(self._sides, fpr, self._start)

    @question
    def _bayes_error(self, prior: FloatArray) -> FloatArray:
        return _bayes_error(self._sides, prior, -1.0)

    @question
    def _mu(self, floor: float) -> float:
        if math.isinf(self.tail_mu) and math.isinf(self.upper_epsilon(np.array([floor]))[0]):
            return math.inf
        return min(self.fit(floor).mu, self.tail_mu)

    @question
    def _gdp(self, floor: float) -> GDPReport:
        mu, tail = self._mu(floor), self.tail_mu
        gaussian: Profile = BlatantProfile() if math.isinf(mu) else GaussianProfile(mu)
        if floor not in self._regrets:
            self._regrets[floor] = divergence(self._sides, Sides(gaussian, gaussian))
        lost = 0.0
        if mu < tail:
            lost = shortfall(self._sides, gaussian, (floor, self.fit(floor).epsilon_floor), self._start)
        return GDPReport(mu, self._regrets[floor].upper, floor, tail, lost)

    def worst(self, floor: float) -> float:
        """The real eps at which the regret of mu at ``floor`` is attained."""
        if floor not in self._regrets:
            self._gdp(floor)
        return self._regrets[floor].epsilon if floor in self._regrets else 0.0

    @question
    def _regret(self, other: Sides) -> float:
        return divergence(self._sides, other).upper


class ComposedGuarantee(PessimisticGuarantee):
    """The guarantee of a mechanism, from the certified profiles of its two directions.

    delta and epsilon (wherever delta >= 1e-30), advantage and mu are handed out only when their certified bracket is
    as narrow as ``tolerance`` asks (for epsilon: its own, or that of delta there); otherwise ``NotCertified`` carries
    the bracket. Every other verb is a sound bound of whatever width.

    Parameters
    ----------
    remove, add : Profile
        The pair with the record under H1, and the reverse. "replace" takes a symmetric pair: one profile given twice.
    adjacency : str
        "add_or_remove", "add", "remove" or "replace".
    tolerance : float
        Relative width that the bracket of delta may have where delta >= 1e-30, in (0, 1).
    losses : tuple of (Step, int), optional
        The privacy losses it was composed from, each with its count, where they are known.
    mechanism : Mechanism, optional
        What they are the losses of.
    effort : Effort, optional
        What each question may cost, shared with the profiles; no limit unless given.
    held : bool
        Whether values are held to the tolerance; if not, they are certified bounds of whatever width.

    Raises
    ------
    InvalidParameter
        If the adjacency is unknown.

    Examples
    --------
    >>> from neyman.engines.closed_form import GaussianProfile
    >>> p = GaussianProfile(1.0)
    >>> g = ComposedGuarantee(p, p, "add_or_remove")
    >>> round(g.epsilon(1e-5), 6)
    4.377178
    """

    def __init__(
        self,
        remove: Profile,
        add: Profile,
        adjacency: str = "add_or_remove",
        tolerance: float = 1e-6,
        losses: tuple[tuple[Step, int], ...] | None = None,
        mechanism: Mechanism | None = None,
        effort: Effort | None = None,
        held: bool = True,
    ) -> None:
        checked: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)
        super().__init__(Sides.of(remove, add, checked), checked, effort)
        self._tolerance = tolerance
        self._losses = losses
        self._mechanism = mechanism
        self._held = held
        if held:  # else nothing is computed before it is asked for
            _ = self._start

    @property
    def held(self) -> bool:
        """Whether values are held to the tolerance."""
        return self._held

    @property
    def mechanism(self) -> Mechanism | None:
        """What was accounted for; None where the guarantee came from elsewhere (a distribution, other guarantees)."""
        return self._mechanism

    @property
    def losses(self) -> tuple[tuple[Step, int], ...] | None:
        """The privacy losses it was composed from, each with its count; None where they are not known."""
        return self._losses

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences, bounded from both sides."""
        return divergences(self._sides, self._adjacency, self._losses)

    @property
    def tolerance(self) -> float:
        """The relative width that the bracket of delta may have where delta >= 1e-30."""
        return self._tolerance

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        bracket = self._sides.bracket(epsilon)
        self._demand("delta", epsilon, bracket)
        return bracket.upper

    @question
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        epsilon = super()._epsilon(delta)
        if not self._held:
            return epsilon
        asked = np.flatnonzero((delta >= _ASKED) & (epsilon > 0.0) & np.isfinite(epsilon))
        bracket = self._sides.bracket(epsilon[asked])
        wide = self._wide(bracket)
        if np.any(wide):  # where delta falls off a cliff, epsilon may be known all the same
            at = asked[wide]
            lower = epsilon_lower(self._sides.forward, delta[at], self._start, epsilon[at])
            vague = np.flatnonzero(~(epsilon[at] - lower <= self._tolerance * epsilon[at]))
            if len(vague):
                i = int(vague[0])
                name = f"epsilon({float(delta[at[i]]):.9g})"
                raise NotCertified(name, float(lower[i]), float(epsilon[at[i]]), self._advice())
        return epsilon

    @question
    def _mu(self, floor: float) -> float:
        if floor not in self._mus:
            upper = super()._mu(floor)
            if math.isfinite(upper) and self._held:
                lower = fit_lower(self._sides, floor, self._start, self.fit(floor))
                # what a relative tolerance in the power at the floor comes to, for small mu and for large
                if not upper - lower <= self._tolerance * max(_MU_WIDTH * upper, 0.1):
                    raise NotCertified(f"mu(floor={floor:g})", lower, upper, self._advice())
            self._mus[floor] = upper
        return self._mus[floor]

    @cached_property
    def _mus(self) -> dict[float, float]:
        return {}

    def _advice(self) -> str:
        product = self._mechanism is None and self._losses is not None
        made = "compose_tradeoffs()" if product else "account()"
        wide = f"wider than the tolerance {self._tolerance:g} asks; pass a larger tolerance to {made} to accept it"
        return f"{wide}, or a larger effort: some of the work was not done" if self.effort.spent else wide

    def _wide(self, bracket: Bracket) -> NDArray[np.bool_]:
        """Where delta is not as narrow as it should be."""
        if not self._held:
            return np.zeros(len(bracket.upper), dtype=np.bool_)
        return (bracket.upper >= _ASKED) & ~(bracket.upper - bracket.lower <= self._tolerance * bracket.upper)

    def _demand(self, name: str, epsilon: FloatArray, bracket: Bracket) -> None:
        wide = self._wide(bracket)
        if np.any(wide):
            i = int(np.argmax(wide))
            lower, upper = float(bracket.lower[i]), float(bracket.upper[i])
            raise NotCertified(f"{name}({float(epsilon[i]):.9g})", lower, upper, self._advice())


class OptimisticGuarantee(Guarantee):
    """Certified bounds from the other side: delta, epsilon, mu, ... from below; beta, bayes_error from above."""

    def __init__(self, pessimistic: PessimisticGuarantee) -> None:
        super().__init__(pessimistic.sides, pessimistic.adjacency)
        self._twin = pessimistic

    @property
    def effort(self) -> Effort:
        """That of its twin."""
        return self._twin.effort

    @cached_property
    def optimistic(self) -> OptimisticGuarantee:
        """Itself."""
        return self

    @property
    def pessimistic(self) -> PessimisticGuarantee:
        """The guarantee that these are lower bounds of."""
        return self._twin

    @property
    def tail_mu(self) -> float:
        """A lower bound on the floor-free mu: mu at the floor 1e-10."""
        return self._mu(1e-10)

    @cached_property
    @question
    def auc(self) -> float:
        """The area under the ROC curve, 1 - integral of f."""
        return min(1.0, max(0.5, 1.0 - area_over_points(self._sides, self._start) - UNIT))

    @cached_property
    @question
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha (= (1 - delta(0)) / 2 when f is symmetric)."""
        return fixed_point(self._sides, upper=True)

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._sides.bracket(epsilon).lower

    @question
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return epsilon_lower(self._sides.forward, delta, self._start, self._twin.upper_epsilon(delta))

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        return beta_upper(self._sides, alpha, self._start)

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        return power_lower(self._sides, fpr, self._start)

    @question
    def _bayes_error(self, prior: FloatArray) -> FloatArray:
        return _bayes_error(self._sides, prior, 1.0)

    def _renyi(self, order: FloatArray) -> FloatArray:
        return self._twin.divergences.divergence(order, False)

    def _zcdp(self) -> float:
        return self._concentration

    @cached_property
    def _concentration(self) -> float:
        return self._twin.divergences.concentration(False)

    @question
    def _mu(self, floor: float) -> float:
        return fit_lower(self._sides, floor, self._start, self._twin.fit(floor))

    @question
    def _gdp(self, floor: float) -> GDPReport:
        mu = self._mu(floor)
        gaussian: Profile = BlatantProfile() if math.isinf(mu) else GaussianProfile(mu)
        regret = divergence_at(self._sides, Sides(gaussian, gaussian), self._twin.worst(floor))
        return OptimisticReport(mu, regret, floor, max(mu, self.tail_mu), 0.0)

    @question
    def _regret(self, other: Sides) -> float:
        return divergence(self._sides, other).lower


def _bayes_error(sides: Sides, prior: FloatArray, sign: float) -> FloatArray:
    """(1 - prior) gap(eps) rounded down (sign -1) or up (+1); rounding eps costs a relative |eps| units at most."""
    inside = np.clip(prior, 5e-324, 1.0 - UNIT)
    epsilon = np.log(inside) - np.log1p(-inside)
    b = sides.bracket(epsilon)
    log_gap = b.log_gap_lower if sign < 0.0 else b.log_gap_upper
    with np.errstate(under="ignore"):
        value = (1.0 - inside) * np.exp(log_gap)
    room = 16.0 * UNIT * (1.0 + np.abs(epsilon) + np.minimum(np.abs(log_gap), 800.0))
    tiny = np.where(log_gap > -np.inf, _TINY * (1.0 + (value > 0.0)), 0.0)  # a gap may underflow
    value = np.clip(value * (1.0 + sign * room) + sign * tiny, 0.0, np.minimum(prior, 1.0 - prior))
    return np.where((prior == 0.0) | (prior == 1.0), 0.0, value)
