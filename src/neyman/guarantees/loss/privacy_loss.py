"""The privacy loss of a guarantee: the random variable L = log dP/dQ of its pair, in either direction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Literal

from neyman._remade import Remade
from neyman.guarantees.loss.bounds import Bounds
from neyman.guarantees.loss.law import LossLaw
from neyman.guarantees.loss.moments import Decay
from neyman.numerics.exact.decimals import outward
from neyman.profiles.effort import Effort
from neyman.profiles.pair import LargestProfile, MaximumProfile, Pair

__all__ = ["LossDirection", "PrivacyLoss"]

LossDirection = Literal["remove", "add", "both"]
_WORDS = {
    "remove": "record under P", "add": "record under Q", "both": "either direction",
}  # fmt: skip


class PrivacyLoss(Remade):
    """The privacy loss random variable L = log dP/dQ of a guarantee's pair (PLRV; its law is the privacy loss
    distribution, PLD): ``g.loss``.

    ``under_p`` and ``under_q`` are its laws when the output is that of P, and that of Q. P is the output law under H1,
    Q under H0: of "remove" P has the record, of "add" Q has it.

    ``direction`` says whose pair it is. A guarantee for "remove" or "add" has one. For "add_or_remove" the pair is the
    one whose trade-off curve is the guarantee's: it dominates both directions at once, and is neither of them where
    they differ; ``remove`` and ``add`` are those of each direction. Where the curve is symmetric, all three are one.

    The law of L is that of the curve, and of nothing else: every pair with the same trade-off curve has the same law of
    L. Of a computed guarantee it is therefore the mechanism's own. A promise that was given (``GDP``, ``Tradeoff``,
    ``ApproximateDP``, ``meet``, ...) has the law of the pair that attains the promised curve, ``ZCDP`` and ``RDP`` that
    of the curve that is converted from them, which no mechanism that keeps them need have: its mean may be above rho. A
    mechanism behind a promise that is more private has another law, and may have large losses more often: P(L > x) is
    not ordered by privacy, as delta and f are.

    Examples
    --------
    >>> import neyman as ny
    >>> loss = ny.account(ny.Gaussian(1.0)).loss  # N(1/2, 1) under P, N(-1/2, 1) under Q
    >>> [round(b, 6) for b in (loss.under_p.mean.upper, loss.under_q.mean.upper, loss.under_p.variance.upper)]
    [0.5, -0.5, 1.0]
    >>> g = ny.account(ny.Gaussian(1.0).poisson(0.1))
    >>> round(g.loss.remove.under_p.mean.upper, 9), round(g.loss.add.under_p.mean.upper, 9)
    (0.00725773, 0.006386136)
    """

    def __init__(
        self,
        sides: Pair,
        direction: LossDirection,
        effort: Effort,
        decay: Decay,
        mean: Callable[[LossDirection], Bounds | None],
    ) -> None:
        self.direction: LossDirection = direction
        self._sides, self._effort, self._decay, self._mean = sides, effort, decay, mean

    @cached_property
    def under_p(self) -> LossLaw:
        """The law of L when the output is that of P."""
        found = LossLaw(self._sides, "P", self._effort, self._decay, lambda: self._mean(self.direction))
        return found.remember((attrgetter("under_p"), (self,)))

    @cached_property
    def under_q(self) -> LossLaw:
        """The law of L when the output is that of Q."""
        found = LossLaw(self._sides, "Q", self._effort, self._decay, lambda: self._turned_mean())
        return found.remember((attrgetter("under_q"), (self,)))

    @cached_property
    def remove(self) -> PrivacyLoss:
        """The loss of a record that is removed: P has it."""
        return self._towards("remove")

    @cached_property
    def add(self) -> PrivacyLoss:
        """The loss of a record that is added: Q has it."""
        return self._towards("add")

    def _towards(self, direction: Literal["remove", "add"]) -> PrivacyLoss:
        if self.direction == direction:
            return self
        if self.direction != "both":
            return self._of(self._sides.reversed, direction)
        one = self._sides.forward
        if isinstance(one, MaximumProfile) and not isinstance(one, LargestProfile):  # that of each direction is known
            removed = Pair(one.first, one.second)
            return self._of(removed if direction == "remove" else removed.reversed, direction)
        return self

    def _of(self, sides: Pair, direction: LossDirection) -> PrivacyLoss:
        found = PrivacyLoss(sides, direction, self._effort, self._decay, self._mean)
        return found.remember((attrgetter(direction), (self,)))

    def _turned_mean(self) -> Bounds | None:
        """-KL(Q || P): that of the other direction."""
        other: dict[LossDirection, LossDirection] = {"remove": "add", "add": "remove", "both": "both"}
        found = self._mean(other[self.direction])
        return None if found is None else -found

    def __str__(self) -> str:
        """The sentence for a person."""
        parts: list[str] = []
        for name, law in (("P", self.under_p), ("Q", self.under_q)):
            middle = law.quantile([0.025, 0.975])
            low = outward(float(middle.lower[0]), 4, up=False)
            high = outward(float(middle.upper[1]), 4)
            parts.append(f"under {name} {_mean_in_words(law)}, 95 % within [{low}, {high}]")
        mass = self.under_p.infinite.upper
        end = f"; infinite with a chance of at most {outward(mass, 3)} under P" if mass > 0.0 else ""
        return f"Privacy loss L = log dP/dQ ({_WORDS[self.direction]}): {'; '.join(parts)}{end}."

    def __repr__(self) -> str:
        return f"<PrivacyLoss: {self.direction}, {self._sides.method}>"


def _mean_in_words(law: LossLaw) -> str:
    mean = law.mean
    near = {f"{v:.4g}" for v in mean}
    if len(near) == 1:
        return f"mean {near.pop()}"
    return f"mean in [{outward(mean.lower, 4, up=False)}, {outward(mean.upper, 4)}]"
