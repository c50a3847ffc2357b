"""The guarantee of a mechanism, handed out where its certified brackets are as narrow as was asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from neyman._errors import NotCertified
from neyman._upward import opened
from neyman._validate import FloatArray, choice
from neyman.guarantees.questions.epsilon import epsilon_lower
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep
from neyman.mechanisms import Mechanism
from neyman.numerics.functions.few import some
from neyman.profiles.effort import Effort, cut_short, question, questions
from neyman.profiles.pair import Adjacency, MaximumProfile, Pair
from neyman.profiles.profile import Bracket, Profile

if TYPE_CHECKING:
    from neyman.guarantees.loss.bounds import Bounds
    from neyman.guarantees.loss.privacy_loss import LossDirection
    from neyman.guarantees.renyi import Divergences

__all__ = ["ComposedGuarantee"]

_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_MU_WIDTH = 1e2  # how many tolerances wide mu may be, relatively: of few rare steps float64 cannot see the tail better
_POOR = 0.1  # of mu: a bound from below that is as far off is worth another at any mu
_STRONG = 8.0  # mu from which one kind of steps may be nearly all of it, and known better alone
_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


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
    alone : callable, optional
        What makes the guarantee of the strongest of its steps alone.

    Raises
    ------
    InvalidParameter
        If the adjacency is unknown.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
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
        alone: Callable[[], PessimisticGuarantee] | None = None,
    ) -> None:
        checked: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)
        super().__init__(Pair.of(remove, add, checked), checked, effort)
        self._tolerance = tolerance
        self._losses = losses
        self._mechanism = mechanism
        self._held = held
        self._alone = alone
        with self.effort:
            if held:  # else nothing is computed before it is asked for
                _ = self._start
            self._cut_short = self.effort.spent  # later answers may be read from what was refused at once

    def __eq__(self, other: object) -> bool:
        """Of one mechanism, for the same neighbours, to the same tolerance; others are equal to themselves alone."""
        if self is other or not isinstance(other, ComposedGuarantee) or self._mechanism is None:
            return self is other
        return (self._mechanism, self.adjacency, self._tolerance) == (
            other._mechanism,
            other.adjacency,
            other._tolerance,
        )

    def __hash__(self) -> int:
        return id(self) if self._mechanism is None else hash((self._mechanism, self.adjacency, self._tolerance))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if self._recipe is not None or self._mechanism is None:
            return super().__reduce_ex__(protocol)
        again = opened("accounting", "account")  # whoever made it: that is what it is the guarantee of
        return again, (self._mechanism, self.adjacency, self._tolerance, self.effort.seconds)

    @property
    def held(self) -> bool:
        """Whether values are held to the tolerance."""
        return self._held

    @property
    def mechanism(self) -> Mechanism | None:
        """What was accounted for; None where the guarantee came from elsewhere (a distribution, other guarantees)."""
        return self._mechanism

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where the mechanism remembers it."""
        return None if self._mechanism is None else self._mechanism.dataset_size

    @property
    def losses(self) -> tuple[tuple[Step, int], ...] | None:
        """The privacy losses it was composed from, each with its count; None where they are not known."""
        return self._losses

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences, bounded from both sides."""
        from neyman.guarantees.renyi import divergences

        return divergences(self._sides, self._adjacency, self._losses)

    @question
    def known_mean(self, direction: LossDirection) -> Bounds | None:
        """The mean of the privacy loss of that direction: a Kullback-Leibler divergence, which adds over the steps."""
        from neyman.guarantees.loss.bounds import Bounds
        from neyman.guarantees.renyi import divergences

        steps = self._losses
        if steps is None or self._adjacency == "replace" or any(isinstance(step, EnclosedStep) for step, _ in steps):
            return None
        if direction == "both":
            if isinstance(self._sides.forward, MaximumProfile):  # neither direction's own
                return None
            found = self.divergences
        else:
            found = divergences(self._sides, direction, steps)
        low, high = (float(found.divergence(np.ones(1), upper)[0]) for upper in (False, True))
        return Bounds(low, high)

    @property
    def tolerance(self) -> float:
        """The relative width that the bracket of delta may have where delta >= 1e-30."""
        return self._tolerance

    @question
    def _delta(self, epsilon: FloatArray) -> FloatArray:
        bracket = self._sides.bracket(epsilon)
        self._demand("delta", epsilon, bracket)
        return bracket.upper

    @questions
    def _epsilon(self, delta: FloatArray) -> FloatArray:
        epsilon = super()._epsilon(delta)
        if not self._held:
            return epsilon
        held = (delta >= _ASKED) & (epsilon > 0.0)
        if cut_short():
            self._demand_finite(delta[held], epsilon[held])
        asked = (held & np.isfinite(epsilon)).nonzero()[0]
        bracket = self._sides.bracket(epsilon[asked])
        wide = self._wide(bracket) | cut_short()  # a search that was cut short may have ended far above
        if some(wide):  # where delta falls off a cliff, epsilon may be known all the same
            at = asked[wide]
            lower = epsilon_lower(self._sides.forward, delta[at], self._start, epsilon[at])
            vague = np.flatnonzero(~(epsilon[at] - lower <= self._tolerance * epsilon[at]))
            if len(vague):
                i = int(vague[0])
                name = f"epsilon({float(delta[at[i]]):.9g})"
                raise self._refused(name, float(lower[i]), float(epsilon[at[i]]))
        return epsilon

    def _demand_finite(self, delta: FloatArray, epsilon: FloatArray) -> None:
        """Raise where nothing but want of effort says that no eps serves."""
        lost = delta[np.isinf(epsilon) & (delta >= self._sides.forward.revealed)]
        if len(lost):
            raise self._refused(f"epsilon({float(lost[0]):.9g})", 0.0, math.inf)

    @question
    def _mu(self, floor: float) -> float:
        if floor not in self._mus:
            upper = super()._mu(floor)
            if math.isinf(upper) and self._held and cut_short() and floor >= self._sides.forward.revealed:
                raise self._refused(f"mu(floor={floor:g})", 0.0, upper)
            if math.isfinite(upper) and self._held:
                lower = self.least_mu(floor)
                if not upper - lower <= self._mu_width(upper):
                    raise self._refused(f"mu(floor={floor:g})", lower, upper)
            self._mus[floor] = upper
        return self._mus[floor]

    def _mu_width(self, upper: float) -> float:
        """What a relative tolerance in the power at the floor comes to, for small mu and for large."""
        return self._tolerance * max(_MU_WIDTH * upper, 0.1)

    @question
    def least_mu(self, floor: float) -> float:
        """mu at ``floor`` from below: no less than that of the strongest of its steps, whose curve lies above its own
        (where that one is below the floor it has passed the floor at a smaller alpha, with a larger local mu).
        """
        if floor not in self._least_mus:
            lower, upper = super().least_mu(floor), min(self.fit(floor).mu, self.tail_mu)
            wide = not upper - lower <= (self._mu_width(upper) if upper > _STRONG else _POOR * upper)
            if wide and self._alone is not None:
                lower = max(lower, self._alone().least_mu(floor))
            if self.effort.spent:  # it may be tried again
                return lower
            self._least_mus[floor] = lower
        return self._least_mus[floor]

    @cached_property
    def _least_mus(self) -> dict[float, float]:
        return {}

    @cached_property
    def _mus(self) -> dict[float, float]:
        return {}

    def _refused(self, quantity: str, lower: float, upper: float) -> NotCertified:
        product = self._mechanism is None and self._losses is not None
        made = "compose_tradeoffs()" if product else "account()"
        wide = f"wider than the tolerance {self._tolerance:g} asks; pass a larger tolerance to {made} to accept it"
        self._cut_short = self._cut_short or self.effort.spent
        why = f"{wide}, or a larger effort: some of the work was not done" if self._cut_short else wide
        return NotCertified(quantity, lower, upper, why, topic="effort" if self._cut_short else "tolerance")

    def _wide(self, bracket: Bracket) -> NDArray[np.bool_]:
        """Where delta is not as narrow as it should be."""
        if not self._held:
            return np.zeros(len(bracket.upper), dtype=np.bool_)
        return (bracket.upper >= _ASKED) & ~(bracket.upper - bracket.lower <= self._tolerance * bracket.upper)

    def _demand(self, name: str, epsilon: FloatArray, bracket: Bracket) -> None:
        wide = self._wide(bracket)
        if some(wide):
            i = int(np.argmax(wide))
            lower, upper = float(bracket.lower[i]), float(bracket.upper[i])
            raise self._refused(f"{name}({float(epsilon[i]):.9g})", lower, upper)
