"""From one language of privacy to another: what ``neyman convert`` asks of a guarantee, and what it says about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman._validate import reals
from neyman.cli.printing.answer import Interval
from neyman.conversions import psi_from
from neyman.guarantees import GDP, RDP, ZCDP, ApproximateDP, Guarantee
from neyman.quantities import QUANTITIES, Quantity
from neyman.quantities.places import At

__all__ = ["Conversion", "convert_to"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
PSI_WIDTH = 1e-11  # relative width of the bracket of psi: psi_from is that near the largest
_PAIR = "A pair alone implies no finite mu: this is the mu of a Gaussian mechanism with exactly this epsilon and delta."
_LOSSY = "Stating it alone loses something: the whole curve may be better."
_BEST = "The best curve that the promise leaves; the mechanism behind it may be better."
_EXACT = "Nothing is lost on this road."


@dataclass(frozen=True, slots=True)
class Row:
    """One number asked for: where (None where there is no place), and its certified bracket."""

    at: float | None
    value: Interval


@dataclass(frozen=True, slots=True)
class Conversion:
    """An answer of ``neyman convert``."""

    source: str
    to: str
    place: str | None
    rows: tuple[Row, ...]
    note: str

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        rows = [{**({} if self.place is None else {self.place: row.at}), **row.value.to_json()} for row in self.rows]
        return {
            "schema": SCHEMA, "version": __version__, "from": self.source, "to": self.to, "values": rows,
            "note": self.note,
        }  # fmt: skip


def convert_to(to: str, guarantee: Guarantee, at: list[float] | None) -> Conversion:
    """Ask ``guarantee`` for ``to`` at the places ``at`` (where there are any; the usual ones if none is named)."""
    target = QUANTITIES[to.replace("-", "_")]
    if target.place is None and at:
        raise InvalidParameter("at", at[0], f"left out: --to {to} is one number")
    if target.place is not None and not at and not target.usual:
        raise InvalidParameter("at", None, f"given: the {target.place} at which {to} is asked for; repeatable")
    pair = _pair(guarantee)
    if to == "mu" and pair is not None and not at:
        psi = psi_from(*pair)
        return Conversion(repr(guarantee), to, None, (Row(None, Interval(psi, psi * (1.0 + PSI_WIDTH))),), _PAIR)
    places = [(float(x),) for x in reals("at", np.array(at, dtype=np.float64))] if at else target.usual or ((),)
    rows = tuple(_row(target, guarantee, place) for place in places)
    return Conversion(repr(guarantee), to, target.place, rows, _note(target, guarantee, rows))


def _pair(guarantee: Guarantee) -> tuple[float, float] | None:
    """epsilon and delta > 0 of a single pair."""
    if not isinstance(guarantee, ApproximateDP):
        return None
    epsilon, delta = guarantee.stated["epsilon"], guarantee.stated["delta"]
    return (epsilon, delta) if isinstance(epsilon, float) and isinstance(delta, float) and delta > 0.0 else None


def _row(target: Quantity, guarantee: Guarantee, place: At) -> Row:
    ends = target.bracket(guarantee, place)
    at = float(place[0]) if place else None
    if any(math.isnan(end) for end in ends):
        raise InvalidParameter("at", at, "a place at which there is an answer")
    return Row(at, Interval(*ends))


def _note(target: Quantity, guarantee: Guarantee, rows: tuple[Row, ...]) -> str:
    floor = rows[-1].at if target.name == "mu" else None
    if floor is not None and not isinstance(guarantee, GDP):
        return str(guarantee.gdp(floor))
    if not target.whole:
        return _LOSSY if floor is None else _EXACT
    return _BEST if isinstance(guarantee, (RDP, ZCDP)) else _EXACT
