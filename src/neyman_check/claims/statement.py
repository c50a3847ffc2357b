"""What is claimed, and what of the mechanism is known: every claim is decided by these two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from flint import arb

from neyman_check.curves.cells import Cells
from neyman_check.curves.curve import Curve, Place
from neyman_check.errors import NotProved
from neyman_check.laws.base import Law

__all__ = ["Given", "Proved", "Statement", "fits", "number", "places", "points"]


Given = float | str | tuple[tuple[float, ...], ...]
"""A number, a word, or points by which something is to be proved."""


class Statement(NamedTuple):
    """``quantity`` at ``given`` is at most, or at least, ``value`` (a float, exactly)."""

    quantity: str
    given: Mapping[str, Given]
    at_most: bool
    value: arb

    def __reduce__(self) -> tuple[object, ...]:
        """As the float it is: a ball does not travel."""
        return _stated, (self.quantity, dict(self.given), self.at_most, float(self.value))


def _stated(quantity: str, given: dict[str, Given], at_most: bool, value: float) -> Statement:
    return Statement(quantity, given, at_most, arb(value))


class Proved(NamedTuple):
    """What was proved of the mechanism: the curve that deltas leave, that of attacks, mu^2 with no floor, cells, and mu
    of one Gaussian alone.

    The null hypothesis of an attack is that the record is absent: of "add" alone that is the reversed pair.
    """

    curve: Curve
    attack: Curve
    symmetric: bool
    tail: Callable[[], arb | None]  # found when first asked for
    laws: Sequence[Law]
    ways: Sequence[bool]  # "remove", and "add"
    spend: Callable[[int], None]  # counts work that depends on the laws
    cells: Cells
    alone: arb | None
    areas: dict[int, tuple[arb, arb]]  # once found, by how many places were put between


def fits(value: arb, statement: Statement) -> bool:
    """Whether a ball lies on the right side of what is stated."""
    return bool(value <= statement.value if statement.at_most else value >= statement.value)


def number(given: Given) -> arb:
    """A float, exactly."""
    if not isinstance(given, float):
        raise NotProved("something else where a number belongs")
    return arb(given)


def points(given: Given) -> tuple[tuple[float, ...], ...]:
    """Those by which something is to be proved."""
    if not isinstance(given, tuple):
        raise NotProved("something else where points belong")
    return given


def places(proved: Proved) -> list[Place]:
    """Without the start at t = 0."""
    return proved.curve.places[1:]
