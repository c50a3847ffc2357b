"""A number as the page shows it: four digits on the safe side, its bracket, its sentence, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from neyman._errors import NotCertified
from neyman.guarantees import Guarantee
from neyman.numerics.exact.decimals import outward
from neyman.quantities import QUANTITIES
from neyman.quantities.places import At

__all__ = ["DIGITS", "Shown", "asked", "told"]

DIGITS = 4  # of a number at first sight
_ENDS = 7  # of the ends of its bracket


@dataclass(frozen=True, slots=True)
class Shown:
    """One number. ``upper`` is its safe end, of what is promised from below ``lower`` is; NaN: was not asked for.

    Attributes
    ----------
    lower, upper : float
        The truth lies between.
    from_below : bool
        Whether the safe side is below the truth.
    says : str
        The number in a sentence.
    refused : str
        Why it is not certified; empty where it is.
    """

    lower: float
    upper: float
    from_below: bool
    says: str
    refused: str = ""

    @property
    def safe(self) -> float:
        """The end that may be stated."""
        return self.lower if self.from_below else self.upper

    @property
    def text(self) -> str:
        """The number, rounded to its safe side."""
        if self.refused:
            return "not certified"
        return outward(self.safe, DIGITS, up=not self.from_below) if math.isfinite(self.safe) else "none finite"

    def to_dict(self) -> dict[str, object]:
        """Return what the page is told; ends that are not finite are null."""
        whole = not (self.refused or math.isinf(self.safe))
        return {
            "text": self.text, "value": self.safe if whole else None, "lower": _finite(self.lower),
            "upper": _finite(self.upper), "bracket": self._bracket, "says": self.says if whole else "",
            "refused": self.refused,
        }  # fmt: skip

    @property
    def _bracket(self) -> str:
        """Both ends, each rounded outward; empty where only one was asked for."""
        if math.isnan(self.lower) or math.isnan(self.upper):
            return ""
        low, high = outward(self.lower, _ENDS, up=False), outward(self.upper, _ENDS)
        return f"exactly {low}" if low == high else f"{low} to {high}"


def asked(guarantee: Guarantee, name: str, at: At = (), brackets: bool = True) -> Shown:
    """Ask for the quantity of that name; what is refused keeps no other number from being shown.

    Examples
    --------
    >>> import neyman as ny
    >>> found = asked(ny.GDP(1.0), "advantage")
    >>> found.text, found.to_dict()["bracket"]
    ('0.383', '0.3829249 to 0.382925')
    """
    quantity = QUANTITIES[name]
    return told(guarantee, name, at, lambda side: quantity.attacked(side, at), brackets)


def told(guarantee: Guarantee, name: str, at: At, read: Callable[[Guarantee], float], brackets: bool = True) -> Shown:
    """Return a quantity that ``read`` reads off one side of a guarantee, on the side of the truth that it is on."""
    quantity = QUANTITIES[name]
    below = quantity.from_below
    try:
        safe = read(guarantee)
    except NotCertified as wide:
        known = wide.quantity.startswith(name) and wide.lower <= wide.upper
        low, high = (wide.lower, wide.upper) if known else (0.0, math.inf)
        return Shown(low, high, below, "", wide.reason)
    try:
        other = read(guarantee.optimistic) if brackets else math.nan
    except NotCertified:  # the safe end stands by itself
        other = math.nan
    if not math.isnan(other):  # both are true: a rounding apart at most
        other = max(other, safe) if below else min(other, safe)
    # a risk rounds its own sentence, and rounding twice would round too far
    text = repr(safe) if quantity.risk else outward(safe, DIGITS, up=not below)
    says = quantity.told(text, at, guarantee.adjacency)
    return Shown(*((safe, other) if below else (other, safe)), below, says)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
