"""One number between its certified ends, and why they are wider than was asked, where they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from neyman._errors import NotCertified

__all__ = ["Interval", "Refusals"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A certified bracket of one number: the truth lies between, the safe side is ``upper``.

    ``refused`` says why it is wider than the tolerance allows; empty where it is not. It is as true either way.
    """

    lower: float
    upper: float
    refused: str = ""

    def to_json(self) -> dict[str, float | str]:
        """Return the two ends; an infinite end is the string "inf", which JSON can hold."""
        ends: dict[str, float | str] = {"lower": _finite(self.lower), "upper": _finite(self.upper)}
        return {**ends, "refused": self.refused} if self.refused else ends


class Refusals:
    """Asks for numbers one by one, and keeps what was refused: one refused number never costs the others."""

    def __init__(self) -> None:
        self.found: list[NotCertified] = []

    def bracket(self, name: str, most: float, read: Callable[[], tuple[float, float]]) -> Interval:
        """Return the bracket that is read; if it is refused, the one that the refusal carries.

        ``name`` is how refusals call the number, and ``most`` the largest it can be: where another was refused on the
        way, nothing else is known of it.
        """
        try:
            return Interval(*read())
        except NotCertified as wide:
            self.found.append(wide)
            own = wide.quantity.startswith(name) and wide.lower <= wide.upper
            return Interval(wide.lower, wide.upper, wide.reason) if own else Interval(0.0, most, wide.reason)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
