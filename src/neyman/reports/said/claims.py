"""One promise of a report: a number printed on its safe side, with the certified bracket it was rounded from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from neyman.numerics.exact.decimals import to_place, width_place
from neyman.quantities import Side

__all__ = ["Claim", "claim_id", "printed"]

_DIGITS = 7  # of a printed number, where the bracket is no wider


@dataclass(frozen=True, slots=True)
class Claim:
    """A quantity of the mechanism is at most (or at least) a number.

    Attributes
    ----------
    id : str
        Unique in its report: the quantity and what it is given, as in ``"epsilon@1e-05"``.
    quantity : str
        A name of ``reports.quantities.QUANTITIES``.
    given : tuple of (str, float or str)
        Where it is asked for, as in ``(("delta", 1e-05),)``.
    side : str
        "at most" or "at least".
    value : float
        The number that is printed: outside ``[lower, upper]`` on the safe side, or at its end; may be inf.
    text : str
        Its digits, no more of them than the bracket holds.
    lower, upper : float
        The certified bracket: the truth lies between.
    label : str
        What is bounded, in a few words, for a table.
    sentence : str
        The claim as a sentence.
    """

    id: str
    quantity: str
    given: tuple[tuple[str, float | str], ...]
    side: Side
    value: float
    text: str
    lower: float
    upper: float
    label: str
    sentence: str

    @property
    def says_nothing(self) -> bool:
        """Whether it is a bound that no mechanism could miss."""
        return math.isinf(self.value)


def claim_id(quantity: str, given: tuple[tuple[str, float | str], ...]) -> str:
    """Return the name of a claim.

    Examples
    --------
    >>> claim_id("mu", ()), claim_id("epsilon", (("delta", 1e-5),)), claim_id("divergence", (("reference", "census"),))
    ('mu', 'epsilon@1e-05', 'divergence@census')
    """
    places = ",".join(value if isinstance(value, str) else repr(value) for _, value in given)
    return f"{quantity}@{places}" if places else quantity


def printed(lower: float, upper: float, side: Side, digits: int = _DIGITS, least: int = 1) -> str:
    """Return the digits to print of a bracket: the safe end, rounded outward to a place not below the bracket's width.

    Parameters
    ----------
    lower, upper : float
        The certified bracket.
    side : str
        Which end is promised.
    digits : int
        The most that are printed.
    least : int
        As many are printed in any case: where the other end is a remote bound, whose distance says nothing of how well
        the promised end is known.

    Examples
    --------
    >>> printed(1.5669476482, 1.5669476484, "at most"), printed(0.0, 8.2e-8, "at most"), printed(0.93, 0.94, "at least")
    ('1.566948', '1e-07', '0.93')
    """
    up = side == "at most"
    safe = upper if up else lower
    if safe == 0.0 or math.isinf(safe):
        return f"{safe + 0.0:g}"
    first = Decimal(safe).adjusted()
    held = width_place(lower, upper)
    place = first - digits + 1
    if held is not None:
        place = max(place, min(held, first - least + 1) if least > 1 else held)
    return to_place(safe, place, up=up)
