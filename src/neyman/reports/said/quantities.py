"""The claims that a report makes about quantities of the table: how they are printed, and what no report could ask."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman._validate import choice
from neyman.profiles.pair import Adjacency
from neyman.quantities import QUANTITIES as TABLE
from neyman.quantities.asked import Asked, Bracket
from neyman.quantities.places import DOMAINS
from neyman.reports.said.claims import Claim, claim_id, printed

__all__ = ["COMPARED", "QUANTITIES", "RISKS", "Given", "checked", "claim", "reprinted", "restated"]

Given = tuple[tuple[str, float | str], ...]

QUANTITIES = {one.claimed or name: one for name, one in TABLE.items() if one.label}
RISKS = tuple(name for name, one in QUANTITIES.items() if one.ask is None and one.risk)  # told in sentences
COMPARED = tuple(name for name, one in QUANTITIES.items() if "reference" in one.places)


def claim(asked: Asked, quantity: str, **given: float | str) -> Claim:
    """Return the claim about ``quantity``, from its certified bracket.

    Examples
    --------
    >>> import neyman as ny
    >>> found = claim(Asked(ny.GDP(1.0), 1e-10), "epsilon", delta=1e-5)
    >>> found.id, found.text, found.sentence
    ('epsilon@1e-05', '4.377179', 'At delta = 1e-05, epsilon is at most 4.377179.')
    """
    place: Given = tuple(given.items())
    kind = QUANTITIES[quantity]
    bracket = kind.certified(asked, tuple(given.values()))
    return restated(quantity, place, reprinted(quantity, bracket), bracket, asked.guarantee.adjacency)


def reprinted(quantity: str, bracket: Bracket) -> str:
    """Return the digits to print of this bracket."""
    kind = QUANTITIES[quantity]
    return printed(*bracket, kind.side, kind.digits, kind.least)


def restated(quantity: str, given: Given, text: str, bracket: Bracket, adjacency: Adjacency) -> Claim:
    """Return the claim that prints ``text``, with everything that follows from it."""
    kind = QUANTITIES[quantity]
    at = tuple(value for _, value in given)
    return Claim(
        claim_id(quantity, given), quantity, given, kind.side, float(text), text, *bracket, kind.filled(kind.label, at),
        kind.told(text, at, adjacency),
    )  # fmt: skip


def checked(quantity: str, given: Given) -> None:
    """Refuse what no report could ask.

    Raises
    ------
    InvalidParameter
        If the quantity is unknown, or what it is given lies outside its domain.
    """
    kind = QUANTITIES[choice("quantity", quantity, tuple(QUANTITIES))]
    names = tuple(name for name, _ in given)
    if names != kind.places:
        raise InvalidParameter("given", names, f"{kind.places} for {quantity}")
    for name, value in given:
        DOMAINS[name](name, value)
