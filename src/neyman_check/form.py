"""The file of a proof, field by field (docs/proofs/checker.md): what is claimed, and choices that are to prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from flint import acb, arb

from neyman_check.claims.references import REFERENCES
from neyman_check.claims.statement import Given, Statement
from neyman_check.claims.statements import QUANTITIES
from neyman_check.deltas.fork import ForkPlan
from neyman_check.deltas.line import Plan
from neyman_check.deltas.path import Route
from neyman_check.deltas.veil import VeilPlan
from neyman_check.errors import Unreadable
from neyman_check.laws.told import Cut, Grid, Polyline, Rule, Rules, Told, Witness
from neyman_check.mechanism import ADJACENCIES
from neyman_check.reading import Fields, number

__all__ = ["FORMAT", "VERSION", "Part", "Proof", "Wanted", "part_of", "plan_of", "read", "statement_of"]

FORMAT, VERSION = "neyman-proof", 1
_BITS = 64, 2048
_MOST_LINES, _MOST_PLACES, _MOST_STATEMENTS, _MOST_NODES = 500, 4000, 1000, 100_000
_MOST_RUNS, _FURTHEST_NODE = 5000, 10**9  # behind a veil
_MOST_CELLS, _MOST_TERMS = 1000, 100
_MOST_SEGMENTS, _MOST_GAUSS = 400, 400  # of a polyline, and nodes of one of its segments
_MOST_TANGENTS, _MOST_TESTS = 1000, 10  # of what rho alone promises, and of tests that it allows
_DIRECTIONS = ("remove", "add")
_LEAST_FLOOR = 1e-300  # at which mu with no floor is bounded from below: any floor is sound


def _rate(x: float) -> bool:
    return 0.0 <= x <= 1.0


_GIVEN: dict[str, tuple[Callable[[float], bool], str]] = {
    **dict.fromkeys(("delta", "alpha", "fpr", "baseline", "prior", "membership_prior", "floor", "at"),
                    (_rate, "a number from 0 to 1")),
    "epsilon": (lambda x: abs(x) <= 1e6, "a number from -1e6 to 1e6"), "mu": (lambda x: x >= 0.0, "0 or more"),
    "rho": (lambda x: x >= 0.0, "0 or more"), "order": (lambda x: 1.0 < x <= 1e15, "a number above 1, to 1e15"),
}  # fmt: skip
"""The domain of what a quantity is given."""


class Wanted(NamedTuple):
    """delta of a direction at an eps >= 0, by a line's number, or by outcomes."""

    remove: bool
    epsilon: float
    line: int | None


class Part(NamedTuple):
    """A cell of eps, epsilon - radius to epsilon + radius, on which a line, or outcomes, are summed as a
    polynomial of so many terms.
    """

    remove: bool
    line: int | None
    epsilon: float
    radius: float
    terms: int


class Proof(NamedTuple):
    """The file, read."""

    mechanism: Any
    adjacency: str
    bits: int
    lines: tuple[Plan | Route | ForkPlan | VeilPlan, ...]
    wanted: tuple[Wanted, ...]
    statements: tuple[tuple[str, Statement], ...]
    parts: tuple[Part, ...] = ()


def read(data: Any) -> Proof:
    """Every field of a proof, or where it is none."""
    fields = Fields(data, "proof")
    fields.word("format", (FORMAT,))
    fields.count("version", VERSION, VERSION)
    bits = fields.count("bits", *_BITS)
    mechanism, adjacency = fields.take("mechanism"), fields.word("adjacency", ADJACENCIES)
    lines = tuple(plan_of(one, i) for i, one in enumerate(fields.list("lines", _MOST_LINES)))
    wanted = tuple(_wanted(one, i, len(lines)) for i, one in enumerate(fields.list("places", _MOST_PLACES)))
    cells = fields.list("cells", _MOST_CELLS) if fields.has("cells") else []
    parts = tuple(part_of(one, i, len(lines)) for i, one in enumerate(cells))
    stated = tuple(_statement(one, i) for i, one in enumerate(fields.list("statements", _MOST_STATEMENTS)))
    fields.done()
    return Proof(mechanism, adjacency, bits, lines, wanted, stated, parts)


def _wanted(data: Any, i: int, lines: int) -> Wanted:
    fields = Fields(data, f"places[{i}]")
    found = _where(fields, f"places[{i}]", lines)
    fields.done()
    return Wanted(*found)


def _where(fields: Fields, name: str, lines: int) -> tuple[bool, float, int | None]:
    """Whether it is "remove", eps, and the number of a line."""
    direction = fields.word("direction", _DIRECTIONS)
    epsilon = fields.number("epsilon", lambda x: 0.0 <= x <= 1e6, "a number from 0 to 1e6")
    line = fields.take("line")
    if line is not None and not (type(line) is int and 0 <= line < lines):
        raise Unreadable(f"{name}.line: the number of a line was expected")
    return direction == "remove", epsilon, line


def part_of(data: Any, i: int, lines: int) -> Part:
    """The cell of that number."""
    fields = Fields(data, f"cells[{i}]")
    direction, epsilon, line = _where(fields, f"cells[{i}]", lines)
    radius = fields.number("radius", lambda x: 0.0 < x <= 1e6, "a number above 0, to 1e6")
    terms = fields.count("terms", 3, _MOST_TERMS)
    fields.done()
    return Part(direction, line, epsilon, radius, terms)


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
    given: dict[str, Given] = {}
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
    if quantity == "zcdp_regret":  # from above of tangents, each by an order and a point; from below of one test
        given["touching"] = _points(asked, "touching", 3, _MOST_TANGENTS)
        given["inside"] = _points(asked, "inside", 2, _MOST_TESTS)
    asked.done()
    sides = [side for side in ("at_most", "at_least") if fields.has(side)]
    if len(sides) != 1:
        raise Unreadable(f"{where}: one of at_most and at_least was expected")
    value = number(fields.take(sides[0]), f"{where}.{sides[0]}", lambda _: True, "a number")
    fields.done()
    return name, Statement(quantity, given, sides[0] == "at_most", arb(value))


def _points(fields: Fields, name: str, size: int, most: int) -> tuple[tuple[float, ...], ...]:
    """Those that are there, of so many numbers each."""
    found: list[tuple[float, ...]] = []
    for j, one in enumerate(fields.list(name, most) if fields.has(name) else []):
        where = f"{fields.where}.{name}[{j}]"
        if not isinstance(one, list) or len(one) != size:
            raise Unreadable(f"{where}: {size} numbers were expected")
        found.append(tuple(number(x, where, lambda _: True, "a number") for x in one))
    return tuple(found)


def plan_of(data: Any, i: int) -> Plan | Route | ForkPlan | VeilPlan:
    """The line, path, fork or veil of that number."""
    fields = Fields(data, f"lines[{i}]")
    remove = fields.word("direction", _DIRECTIONS) == "remove"
    if fields.has("path"):
        points = _polyline(fields.within("path"))
        steps = fields.list("steps", 1000)
        fields.done()
        return Route(remove, points, tuple(_polylines(one, f"lines[{i}].steps[{j}]") for j, one in enumerate(steps)))
    if fields.has("fork"):
        parts = fields.within("fork")
        trunk, left, right = (_polyline(parts.within(name)) for name in ("trunk", "left", "right"))
        parts.done()
        fields.done()
        return ForkPlan(remove, trunk, left, right)
    c, far, period = (
        arb(fields.number(name, lambda x: x > 0.0, "a number above 0")) for name in ("c", "far", "period")
    )
    if fields.has("veil"):
        nodes = fields.count("nodes", 2, _FURTHEST_NODE)
        square = arb(fields.number("veil", lambda x: 0.0 < x < 1.0, "a number between 0 and 1"))
        depth = arb(fields.number("depth", lambda x: x > 0.0, "a number above 0"))
        runs = tuple(_run(one, f"lines[{i}].runs[{j}]") for j, one in enumerate(fields.list("runs", _MOST_RUNS)))
        fields.done()
        return VeilPlan(Plan(remove, c, far, period, nodes, ()), square, runs, depth)
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


def _run(data: Any, where: str) -> tuple[int, int]:
    """The first and the last node of a run."""
    if not (
        isinstance(data, list) and len(data) == 2 and all(type(k) is int and 0 <= k <= _FURTHEST_NODE for k in data)
    ):
        raise Unreadable(f"{where}: two numbers of nodes were expected")
    return data[0], data[1]


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
