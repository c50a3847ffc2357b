"""Limit: a target that is one number of the guarantee and the largest, or smallest, that is allowed."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

from neyman._errors import NotCertified
from neyman.calibration.target import Target
from neyman.guarantees import Guarantee, PessimisticGuarantee
from neyman.quantities import QUANTITIES, Quantity
from neyman.quantities.places import At, in_place

__all__ = ["FARTHEST", "Limit", "signed", "sound"]

_LEAST = 1e-18  # of mu: limits nearer to what nobody can miss
FARTHEST = 60.0  # an excess of that size, either way, says only on which side it is


def _place(name: str, value: float) -> str:
    """1/60000 rather than 1.66667e-05."""
    return shown if "/" in (shown := in_place(name, value)) else f"{value:g}"


class Limit(Target):
    """One number of a guarantee, and how large (of errors: how small) it may be."""

    called_in: ClassVar[str] = "ny.targets"  # where people write its name
    quantity: ClassVar[str]  # its name in the table; its places are the fields of the same names
    __match_args__: ClassVar[tuple[str, ...]]  # the names of its fields, the first of them that of the limit
    ordered: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleMethodOverride]
    _vague: ClassVar[bool] = False  # whether an answer that is not as sharp as the tolerance asks will do

    @property
    def parts(self) -> tuple[Limit, ...]:
        """Itself alone."""
        return (self,)

    @property
    def _asked(self) -> tuple[Quantity, At]:
        """What is limited, and where."""
        quantity = QUANTITIES[self.quantity]
        return quantity, tuple(getattr(self, place) for place in quantity.places)

    @property
    def label(self) -> str:
        """What the number is, for tables and messages."""
        quantity, at = self._asked
        return quantity.title(at, _place)

    @property
    def limit(self) -> float:
        """The largest (of errors: the smallest) number that is allowed."""
        return float(getattr(self, self.__match_args__[0]))

    def number(self, side: Guarantee) -> float:
        """Return the number that is limited, on the side of the truth that ``side`` is on."""
        quantity, at = self._asked
        return sound(lambda: quantity.attacked(side, at)) if self._vague else quantity.attacked(side, at)

    def told_by(self, guarantee: PessimisticGuarantee) -> bool:
        """Whether the guarantee itself hands out that number; no other target is met by what it does not."""
        if not self._vague:
            return True
        quantity = QUANTITIES[self.quantity]
        try:
            quantity.attacked(guarantee, tuple(getattr(self, place) for place in quantity.places))
        except NotCertified:
            return False
        return True

    @property
    def aside(self) -> tuple[str, float] | None:
        """What a batch of settings may be asked instead, to steer by: ("delta", epsilon >= 0) or ("local mu", alpha);
        None where it has no such question.
        """
        return None

    def excess_aside(self, answer: float) -> float:
        """Return the excess if that is the answer; NaN for NaN."""
        if not 0.0 <= answer < math.inf:
            return math.nan
        if self.aside is not None and self.aside[0] == "local mu":
            return math.log(answer / self.gaussian_mu) if answer > 0.0 else math.nan
        number = self.of_delta(answer)
        return signed(self.holds(number), self.reading(number), self.gaussian_mu)

    def of_delta(self, delta: float) -> float:
        """Return the number that is limited where ``aside`` is answered by this delta."""
        return delta

    @abstractmethod
    def reading(self, number: float) -> float:
        """Return the mu of a Gaussian mechanism of which ``number`` would be true (approximate: it steers)."""

    def holds(self, number: float) -> bool:
        """Whether that number is within the limit."""
        return number >= self.limit if QUANTITIES[self.quantity].from_below else number <= self.limit

    @property
    def gaussian_mu(self) -> float:
        """The mu of the Gaussian mechanism that would just meet it (approximate)."""
        return self._limit_mu

    @cached_property
    def _limit_mu(self) -> float:
        return max(self.reading(self.limit), _LEAST)

    def excess(self, side: Guarantee) -> float:
        """Return log(mu / gaussian_mu) of the number of ``side``, at most 0 where it is within the limit, else > 0."""
        number = self.number(side)
        return signed(self.holds(number), self.reading(number), self.gaussian_mu)


def sound(ask: Callable[[], float]) -> float:
    """Return what is asked, or, where it is not as sharp as the tolerance asks, its upper bound: true all the same."""
    try:
        return ask()
    except NotCertified as wide:
        return wide.upper


def signed(holds: bool, mu: float, limit: float) -> float:
    """Return log(mu / limit), with the sign that ``holds`` says whatever was rounded."""
    far = math.log(mu / limit) if 0.0 < mu / limit < math.inf else math.copysign(FARTHEST, mu - limit)
    far = min(max(far, -FARTHEST), FARTHEST)
    return min(far, 0.0) if holds else max(far, 5e-324)
