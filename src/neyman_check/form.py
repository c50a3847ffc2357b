"""The file of a proof, field by field (docs/proofs/checker.md): what is claimed, and choices that are to prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from flint import acb, arb

from neyman_check.claims import QUANTITIES, Statement
from neyman_check.errors import Unreadable
from neyman_check.line import Plan
from neyman_check.mechanism import ADJACENCIES
from neyman_check.path import Route
from neyman_check.reading import Fields, number
from neyman_check.references import REFERENCES
from neyman_check.told import Cut, Grid, Polyline, Rule, Rules, Told, Witness

__all__ = ["FORMAT", "VERSION", "Proof", "Wanted", "plan_of", "read", "statement_of"]

FORMAT, VERSION = "neyman-proof", 1
_BITS = 64, 1024
_MOST_LINES, _MOST_PLACES, _MOST_STATEMENTS, _MOST_NODES = 500, 4000, 1000, 100_000
_MOST_SEGMENTS, _MOST_GAUSS = 400, 400  # of a polyline, and nodes of one of its segments
_DIRECTIONS = ("remove", "add")
_LEAST_FLOOR = 1e-300  # at which mu with no floor is bounded from below: any floor is sound


def _rate(x: float) -> bool:
    return 0.0 <= x <= 1.0


_GIVEN: dict[str, tuple[Callable[[float], bool], str]] = {
    **dict.fromkeys(("delta", "alpha", "fpr", "baseline", "prior", "membership_prior", "floor", "at"),
                    (_rate, "a number from 0 to 1")),
    "epsilon": (lambda x: abs(x) <= 1e6, "a number from -1e6 to 1e6"), "mu": (lambda x: x >= 0.0, "0 or more"),
    "order": (lambda x: 1.0 < x <= 1e15, "a number above 1, to 1e15"),
}  # fmt: skip
"""The domain of what a quantity is given."""


class Wanted(NamedTuple):
    """delta of a direction at an eps >= 0, by a line's number, or by outcomes."""

    remove: bool
    epsilon: float
    line: int | None


class Proof(NamedTuple):
    """The file, read."""

    mechanism: Any
    adjacency: str
    bits: int
    lines: tuple[Plan | Route, ...]
    wanted: tuple[Wanted, ...]
    statements: tuple[tuple[str, Statement], ...]


def read(data: Any) -> Proof:
    """Every field of a proof, or where it is none."""
    fields = Fields(data, "proof")
    fields.word("format", (FORMAT,))
    fields.count("version", VERSION, VERSION)
    bits = fields.count("bits", *_BITS)
    mechanism, adjacency = fields.take("mechanism"), fields.word("adjacency", ADJACENCIES)
    lines = tuple(plan_of(one, i) for i, one in enumerate(fields.list("lines", _MOST_LINES)))
    wanted = tuple(_wanted(one, i, len(lines)) for i, one in enumerate(fields.list("places", _MOST_PLACES)))
    stated = tuple(_statement(one, i) for i, one in enumerate(fields.list("statements", _MOST_STATEMENTS)))
    fields.done()
    return Proof(mechanism, adjacency, bits, lines, wanted, stated)


def _wanted(data: Any, i: int, lines: int) -> Wanted:
    fields = Fields(data, f"places[{i}]")
    direction = fields.word("direction", _DIRECTIONS)
    epsilon = fields.number("epsilon", lambda x: 0.0 <= x <= 1e6, "a number from 0 to 1e6")
    line = fields.take("line")
    if line is not None and not (type(line) is int and 0 <= line < lines):
        raise Unreadable(f"places[{i}].line: the number of a line was expected")
    fields.done()
    return Wanted(direction == "remove", epsilon, line)


def statement_of(data: Any) -> Statement:
    """One alone."""
    return _statement(data, 0)[1]


def _statement(data: Any, i: int) -> tuple[str, Statement]:
    where = f"statements[{i}]"
    fields = Fields(data, where)
    name = fields.take("id")
    if not (isinstance(name, str) and 0 < len(name) <= 100 and name.isprintable()):
        raise Unreadable(f"{where}.id: a short name was expected")
    quantity = fields.word("quantity", tuple(QUANTITIES))
    asked = fields.within("given")
    needed = QUANTITIES[quantity][1]
    given: dict[str, float | str] = {}
    for key in needed:
        if key == "reference":
            given[key] = asked.word(key, tuple(REFERENCES))
        else:
            given[key] = asked.number(key, *_GIVEN[key])
    if quantity in ("mu", "tail_mu"):  # from below it is a matter of one alpha, the floor unless another is named
        given.setdefault("floor", _LEAST_FLOOR)
        given["at"] = asked.number("at", *_GIVEN["at"]) if asked.has("at") else given["floor"]
    if quantity == "zcdp":  # from below it is a matter of one order
        given["order"] = asked.number("order", *_GIVEN["order"]) if asked.has("order") else 2.0
    asked.done()
    sides = [side for side in ("at_most", "at_least") if fields.has(side)]
    if len(sides) != 1:
        raise Unreadable(f"{where}: one of at_most and at_least was expected")
    value = number(fields.take(sides[0]), f"{where}.{sides[0]}", lambda _: True, "a number")
    fields.done()
    return name, Statement(quantity, given, sides[0] == "at_most", arb(value))


def plan_of(data: Any, i: int) -> Plan | Route:
    """The line, or path, of that number."""
    fields = Fields(data, f"lines[{i}]")
    remove = fields.word("direction", _DIRECTIONS) == "remove"
    if fields.has("path"):
        points = _polyline(fields.within("path"))
        steps = fields.list("steps", 1000)
        fields.done()
        return Route(remove, points, tuple(_polylines(one, f"lines[{i}].steps[{j}]") for j, one in enumerate(steps)))
    c, far, period = (
        arb(fields.number(name, lambda x: x > 0.0, "a number above 0")) for name in ("c", "far", "period")
    )
    nodes = fields.count("nodes", 2, _MOST_NODES)
    told = tuple(_witness(one, f"lines[{i}].steps[{j}]") for j, one in enumerate(fields.list("steps", 1000)))
    fields.done()
    return Plan(remove, c, far, period, nodes, told)


def _polylines(data: Any, where: str) -> Told:
    if data is None:
        return None
    if not isinstance(data, list) or len(data) > _MOST_SEGMENTS:
        raise Unreadable(f"{where}: null or a list of at most {_MOST_SEGMENTS} polylines was expected")
    return tuple(_polyline(Fields(one, f"{where}[{j}]")) for j, one in enumerate(data))


def _polyline(fields: Fields) -> Polyline:
    where = fields.where
    points, counts, ellipses = (fields.list(name, _MOST_SEGMENTS + 1) for name in ("points", "counts", "ellipses"))
    fields.done()
    if not len(points) == len(counts) + 1 == len(ellipses) + 1 >= 2:
        raise Unreadable(f"{where}: one point more than counts and ellipses was expected, two at least")
    return Polyline(
        tuple(_point(one, f"{where}.points[{j}]") for j, one in enumerate(points)),
        tuple(_nodes(one, f"{where}.counts[{j}]") for j, one in enumerate(counts)),
        tuple(arb(number(one, f"{where}.ellipses[{j}]", lambda x: 1.0 < x <= 1e3, "a number above 1, to 1000"))
              for j, one in enumerate(ellipses)),
    )  # fmt: skip


def _point(data: Any, where: str) -> acb:
    if not isinstance(data, list) or len(data) != 2:
        raise Unreadable(f"{where}: a real and an imaginary part were expected")
    return acb(*(number(one, where, lambda _: True, "a number") for one in data))


def _nodes(data: Any, where: str) -> int:
    if type(data) is not int or not 1 <= data <= _MOST_GAUSS:
        raise Unreadable(f"{where}: a whole number from 1 to {_MOST_GAUSS} was expected")
    return data


def _witness(data: Any, where: str) -> Told:
    if data is None:
        return None
    fields = Fields(data, where)
    if not fields.has("cut"):
        rules = Rules(*(_rule(fields.within(name)) for name in ("here", "far")))
        fields.done()
        return rules
    here, far = (Grid(*_grid(fields.within(name), False)) for name in ("here", "far"))
    cut = Cut(*_grid(fields.within("cut"), True))
    fields.done()
    return Witness(here, far, cut)


def _rule(fields: Fields) -> Rule:
    count = fields.count("count", 1, _MOST_NODES)
    angle = arb(fields.number("angle", lambda x: 0.0 < x < math.pi, "an angle"))
    fields.done()
    return Rule(count, angle)


def _grid(fields: Fields, shifted: bool) -> Iterator[Any]:
    yield arb(fields.number("low", lambda _: True, "a number"))
    yield arb(fields.number("step", lambda x: x > 0.0, "a number above 0"))
    yield fields.count("count", 1, _MOST_NODES)
    yield arb(fields.number("angle", lambda x: 0.0 < x < math.pi, "an angle"))
    if shifted:
        yield arb(fields.number("strip", lambda x: x > 0.0, "a number above 0"))
    fields.done()
