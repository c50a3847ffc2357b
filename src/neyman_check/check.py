"""A proof checked: what follows from the mechanism's definition and the lines that somebody chose.

    mechanism, adjacency     what was run
    lines                    where contours lie, with the grids of their steps: choices, none of which is believed
    places                   the eps >= 0 at which a direction's delta is wanted, and by which line (or by outcomes)
    statements               what is claimed

A direction's proved deltas, the larger of both where either may happen, and the curve that they leave decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from flint import arb, ctx

from neyman_check.claims import QUANTITIES, Proved, Statement
from neyman_check.curve import Curve, Place
from neyman_check.errors import NotProved, Unreadable
from neyman_check.exact import Outcomes
from neyman_check.laws import Cut, Grid, Law, Witness
from neyman_check.line import Ball, Line, Plan
from neyman_check.mechanism import ADJACENCIES, laws_of, tail_mu_squared
from neyman_check.reading import Fields, number
from neyman_check.references import REFERENCES

__all__ = ["FORMAT", "VERSION", "Answer", "Checked", "Checker", "Proof", "Wanted", "check", "read"]

FORMAT, VERSION = "neyman-proof", 1
_BITS = 64, 1024
_MOST_LINES, _MOST_PLACES, _MOST_STATEMENTS = 500, 4000, 1000
_DIRECTIONS = ("remove", "add")


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
    lines: tuple[dict[str, Any], ...]
    wanted: tuple[Wanted, ...]
    statements: tuple[tuple[str, Statement], ...]


class Answer(NamedTuple):
    """What became of a statement: "proved", "refuted", or "not proved" and why."""

    id: str
    statement: Statement
    verdict: str
    reason: str


def read(data: Any) -> Proof:
    """Every field of a proof, or where it is none."""
    fields = Fields(data, "proof")
    fields.word("format", (FORMAT,))
    fields.count("version", VERSION, VERSION)
    bits = fields.count("bits", *_BITS)
    ctx.prec = bits
    mechanism, adjacency = fields.take("mechanism"), fields.word("adjacency", ADJACENCIES)
    lines = tuple(fields.list("lines", _MOST_LINES))
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
            given[key] = asked.number(key, lambda _: True, "a number")
    if quantity in ("mu", "tail_mu"):  # from below it is a matter of one alpha
        given.update({key: asked.number(key, lambda x: 0.0 < x < 1.0, "a rate") for key in ("at",) if asked.has(key)})
        given.setdefault("floor", 1e-300)
    asked.done()
    sides = [side for side in ("at_most", "at_least") if fields.has(side)]
    if len(sides) != 1:
        raise Unreadable(f"{where}: one of at_most and at_least was expected")
    value = number(fields.take(sides[0]), f"{where}.{sides[0]}", lambda _: True, "a number")
    fields.done()
    return name, Statement(quantity, given, sides[0] == "at_most", arb(value))


def _plan(data: Any, i: int, laws: list[Law]) -> Plan:
    fields = Fields(data, f"lines[{i}]")
    direction = fields.word("direction", _DIRECTIONS)
    c, far, period = (
        arb(fields.number(name, lambda x: x > 0.0, "a number above 0")) for name in ("c", "far", "period")
    )
    nodes = fields.count("nodes", 2, 10**6)
    told = tuple(_witness(one, f"lines[{i}].steps[{j}]") for j, one in enumerate(fields.list("steps", 1000)))
    fields.done()
    if len(told) != len(laws):
        raise NotProved(f"line {i} speaks of {len(told)} kinds of steps, there are {len(laws)}")
    return Plan(direction == "remove", c, far, period, nodes, told)


def _witness(data: Any, where: str) -> Witness | None:
    if data is None:
        return None
    fields = Fields(data, where)
    here, far = (Grid(*_grid(fields.within(name), False)) for name in ("here", "far"))
    cut = Cut(*_grid(fields.within("cut"), True))
    fields.done()
    return Witness(here, far, cut)


def _grid(fields: Fields, shifted: bool) -> Iterator[Any]:
    yield arb(fields.number("low", lambda _: True, "a number"))
    yield arb(fields.number("step", lambda x: x > 0.0, "a number above 0"))
    yield fields.count("count", 1, 10**6)
    yield arb(fields.number("angle", lambda x: 0.0 < x < math.pi, "an angle"))
    if shifted:
        yield arb(fields.number("strip", lambda x: x > 0.0, "a number above 0"))
    fields.done()


class Checker:
    """Lines are laid when a place first asks for them."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.laws = laws_of(proof.mechanism, proof.adjacency)
        self._lines: dict[int, Line] = {}
        self._outcomes: dict[bool, Outcomes] = {}

    def delta(self, wanted: Wanted) -> Ball:
        """What is proved of one direction at one place."""
        epsilon = arb(wanted.epsilon)
        if wanted.line is None:
            if wanted.remove not in self._outcomes:
                self._outcomes[wanted.remove] = Outcomes(self.laws, wanted.remove)
            return self._outcomes[wanted.remove].delta(epsilon)
        if wanted.line not in self._lines:
            plan = _plan(self.proof.lines[wanted.line], wanted.line, self.laws)
            self._lines[wanted.line] = Line(self.laws, plan)
        line = self._lines[wanted.line]
        if line.plan.remove != wanted.remove:
            raise NotProved(f"line {wanted.line} is of the other direction")
        return line.delta(epsilon)

    def deltas(self) -> tuple[dict[bool, dict[float, Ball]], str]:
        """All of them, by direction and eps; and why others are missing."""
        found: dict[bool, dict[float, Ball]] = {True: {}, False: {}}
        why = ""
        for one in self.proof.wanted:
            try:
                ball = self.delta(one)
            except NotProved as reason:
                why = why or str(reason)
                continue
            if not (ball.lower.is_finite() and ball.upper.is_finite()):
                why = why or "a line that says nothing"
                continue
            lower, upper = ball.lower.lower(), ball.upper.upper()
            known = found[one.remove].get(one.epsilon)
            found[one.remove][one.epsilon] = (
                Ball(lower, upper) if known is None else Ball(known.lower.max(lower), known.upper.min(upper))
            )
        return found, why

    def proved(self) -> tuple[Proved, str]:
        """The curve that the deltas leave."""
        found, why = self.deltas()
        adjacency = self.proof.adjacency
        if adjacency in ("add_or_remove", "replace"):
            both = (True, False) if adjacency == "add_or_remove" else (True,)
            shared = sorted(set.intersection(*(set(found[way]) for way in both)))
            ahead = {e: _largest([found[way][e] for way in both]) for e in shared}
            behind = ahead
        else:
            ahead, behind = found[adjacency == "remove"], found[adjacency != "remove"]
        places = [_reversed(e, ball) for e, ball in sorted(behind.items(), reverse=True) if e > 0.0]
        places += [Place(arb(e), arb(e).exp(), ball.lower, ball.upper) for e, ball in sorted(ahead.items())]
        curve = Curve(places) if places else None
        if curve is None:
            raise NotProved(why or "no delta was asked for: no line was short enough, or no law has a lemma")
        symmetric = adjacency in ("add_or_remove", "replace")
        return Proved(curve, symmetric, lambda: tail_mu_squared(self.proof.mechanism, adjacency)), why


def _largest(balls: list[Ball]) -> Ball:
    lower, upper = balls[0]
    for ball in balls[1:]:
        lower, upper = lower.max(ball.lower), upper.max(ball.upper)
    return Ball(lower, upper)


def _reversed(epsilon: float, ball: Ball) -> Place:
    """delta(-e) = 1 - e^-e + e^-e delta(e) of the reversed pair."""
    t = (-arb(epsilon)).exp()
    return Place(arb(-epsilon), t, 1 - t + t * ball.lower, 1 - t + t * ball.upper)


class Checked:
    """A proof, its curve and what follows."""

    def __init__(self, data: Any) -> None:
        self._proof = read(data)
        self.proved: Proved | None = None
        try:
            self.proved, self._why = Checker(self._proof).proved()
        except NotProved as reason:
            self._why = str(reason)

    def answers(self) -> list[Answer]:
        """What became of every statement."""
        proved = self.proved
        if proved is None:
            return [Answer(name, one, "not proved", self._why) for name, one in self._proof.statements]
        return [_answered(name, one, proved, self._why) for name, one in self._proof.statements]


def check(data: Any) -> list[Answer]:
    """What became of every statement of a proof, given as JSON values."""
    return Checked(data).answers()


def _answered(name: str, statement: Statement, proved: Proved, why: str) -> Answer:
    follows = QUANTITIES[statement.quantity][0]
    try:
        if follows(proved, statement):
            return Answer(name, statement, "proved", "")
        beyond = statement.value * (1 + arb(2) ** -45 * (1 if statement.at_most else -1))
        other = statement._replace(at_most=not statement.at_most, value=beyond)
        if "floor" in other.given:
            other = other._replace(given={"at": other.given["floor"], **other.given})
        if statement.value > 0 and follows(proved, other):
            return Answer(name, statement, "refuted", "the opposite is proved")
    except NotProved as reason:
        return Answer(name, statement, "not proved", str(reason))
    return Answer(name, statement, "not proved", why or "the proved deltas do not suffice")
