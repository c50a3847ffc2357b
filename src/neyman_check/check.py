"""A proof checked: what follows from the mechanism's definition and the lines that somebody chose.

    mechanism, adjacency     what was run
    lines                    where contours lie, with the grids of their steps: choices, none of which is believed
    places                   the eps >= 0 at which a direction's delta is wanted, and by which line (or by outcomes)
    cells                    where between them a line is summed as a polynomial
    statements               what is claimed

A direction's proved deltas, the larger of both where either may happen, and the curve that they leave decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flint import arb, ctx

from neyman_check.claims.always import always, holds
from neyman_check.claims.floorless import tail_mu_squared
from neyman_check.claims.statement import Proved, Statement
from neyman_check.curves.alone import GaussianCurve, alone
from neyman_check.curves.cell import Cell
from neyman_check.curves.cells import Cells
from neyman_check.curves.curve import Curve, Place
from neyman_check.curves.made import Made, cell_of, work_of
from neyman_check.deltas.exact import Outcomes
from neyman_check.deltas.fork import Fork, ForkPlan
from neyman_check.deltas.line import Ball, Line
from neyman_check.deltas.path import Path, Route
from neyman_check.deltas.veil import Veil, VeilPlan
from neyman_check.errors import NotProved
from neyman_check.form import Part, Proof, Wanted, read
from neyman_check.laws.base import FiniteLaw, largest_loss
from neyman_check.mechanism import laws_of
from neyman_check.work import MOST, Work

__all__ = ["Answer", "Checked", "Checker", "Made", "check"]

_EACH = 100  # units of work that a statement takes at each place, at most
_NO_PLACE = ("zcdp", "tail_mu")  # what may follow from the laws alone


class Answer(NamedTuple):
    """What became of a statement: "proved", "refuted", or "not proved" and why."""

    id: str
    statement: Statement
    verdict: str
    reason: str


class Checker:
    """Lines are laid when a place first asks for them; one that fails is not laid again."""

    def __init__(self, proof: Proof, work: Work) -> None:
        self.proof, self.work = proof, work
        self.laws = laws_of(proof.mechanism, proof.adjacency, work.spend)
        self.symmetric = all(law.symmetric for law in self.laws)
        self._known: dict[tuple[str, int], Made | NotProved] = {}
        self._deltas: dict[Wanted, Ball] = {}
        self._ends: dict[bool, tuple[arb, Ball] | None] = {}
        self._alone = alone(self.laws)
        self._tails: list[arb | None] | None = None  # once asked for

    def beyond(self, wanted: Wanted) -> Ball | None:
        """What is left from the largest finite loss on, where an eps is as large: what is revealed for certain."""
        if wanted.remove not in self._ends:
            self._ends[wanted.remove] = self._end(wanted.remove)
        end = self._ends[wanted.remove]
        return end[1] if end is not None and arb(wanted.epsilon) >= end[0] else None

    def _end(self, remove: bool) -> tuple[arb, Ball] | None:
        """The largest finite loss, and what is left from there on."""
        self.work.spend(_EACH * sum(len(law.outcomes) if isinstance(law, FiniteLaw) else 1 for law in self.laws))
        try:
            end = largest_loss(self.laws, remove)
        except NotProved:
            return None
        left = arb(1)
        for law in self.laws:
            left *= law.kept(remove)
        return end, Ball(1 - left, 1 - left)

    def delta(self, wanted: Wanted) -> Ball:
        """What is proved of one direction at one place; where P and Q exchanged are the same, of both."""
        if self.symmetric:
            wanted = wanted._replace(remove=True)
        if wanted.line is None:
            left = self.beyond(wanted)
            if left is not None:
                return left
        if wanted not in self._deltas:
            known = self.made(wanted)
            other = known.remove != wanted.remove and not self.symmetric
            if other and not isinstance(known, (Line, Path)):
                raise NotProved(f"line {wanted.line} is of the other direction")
            self.work.spend(known.each)
            at = arb(wanted.epsilon)
            self._deltas[wanted] = _exchanged(at.exp(), known.delta(-at)) if other else known.delta(at)
        return self._deltas[wanted]

    def made(self, wanted: Wanted) -> Made:
        """What a place names, laid once."""
        key = ("outcomes", wanted.remove) if wanted.line is None else ("line", wanted.line)
        if key not in self._known:
            try:
                self._known[key] = self._made(wanted)
            except NotProved as reason:
                self._known[key] = reason
        known = self._known[key]
        if isinstance(known, NotProved):
            raise known
        return known

    def _made(self, wanted: Wanted) -> Made:
        if wanted.line is None:
            return Outcomes(self.laws, wanted.remove, self.work)
        plan = self.proof.lines[wanted.line]
        if isinstance(plan, Route):
            return Path(self.laws, plan, self.work)
        if isinstance(plan, ForkPlan):
            return Fork(self.laws, plan, self.work)
        if isinstance(plan, VeilPlan):
            return Veil(self.laws, plan, self.work)
        return Line(self.laws, plan, self.work)

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

    def cell(self, part: Part) -> Cell:
        """What is proved of one direction between two places."""
        made = self.made(Wanted(part.remove, part.epsilon, part.line))
        if made.remove != part.remove and not self.symmetric:
            raise NotProved(f"line {part.line} is of the other direction")
        self.work.spend(work_of(made, part.terms))
        return cell_of(made, arb(part.epsilon), arb(part.radius), part.terms)

    def cells(self) -> tuple[list[Cell], str]:
        """All of them, and why others are missing."""
        found: list[Cell] = []
        why = ""
        for part in self.proof.parts:
            try:
                cell = self.cell(part)
            except NotProved as reason:
                why = why or str(reason)
                continue
            if cell.off.is_finite() and all(one.is_finite() for one in cell.coefficients):
                found.append(cell)
        return found, why

    def proved(self) -> tuple[Proved, str]:
        """The curve that the deltas leave, and why others are missing."""
        found, why = self.deltas()
        cells, other = self.cells()
        return self.follows(found, why, cells), why or other

    def bare(self) -> Proved:
        """What follows with no delta at all: rho, and mu with no floor."""
        unknown = {0.0: Ball(arb(0), arb(1))}
        return self.follows({True: unknown, False: unknown})

    def follows(self, found: Mapping[bool, Mapping[float, Ball]], why: str = "", cells: Sequence[Cell] = ()) -> Proved:
        """From deltas by direction and eps to the curve of an adjacency."""
        adjacency, found = self.proof.adjacency, _alike(found)
        symmetric = adjacency in ("add_or_remove", "replace")
        if symmetric:  # either of two records may be the one that is exchanged for the other
            shared = found[True].keys() & found[False].keys()
            ahead = behind = {e: _larger(found[True][e], found[False][e]) for e in shared}
        else:
            ahead, behind = found[adjacency == "remove"], found[adjacency != "remove"]
        if not (ahead or behind or self._alone is not None):
            raise NotProved(why or "no delta was asked for: no line was short enough, or no law has a lemma")
        curve = self._curve(ahead, behind)
        attack = self._curve(behind, ahead) if adjacency == "add" else curve
        ways = (True, False) if symmetric else (adjacency == "remove",)
        back = ways if symmetric else (adjacency != "remove",)
        own = {way: [one for one in cells if one.remove == way or self.symmetric] for way in (True, False)}
        known = Cells(own, ways, back, self.work.spend)
        spend, mu = self.work.spend, self._alone
        return Proved(curve, attack, symmetric, self._tail, self.laws, ways, spend, known, mu, {})

    def _curve(self, ahead: Mapping[float, Ball], behind: Mapping[float, Ball]) -> Curve:
        places = _places(ahead, behind)
        return Curve(places) if self._alone is None else GaussianCurve(self._alone, places)

    def _tail(self) -> arb | None:
        if self._tails is None:
            try:
                self._tails = [tail_mu_squared(self.laws, self.work.spend)]
            except NotProved:
                self._tails = [None]
        return self._tails[0]


def _alike(found: Mapping[bool, Mapping[float, Ball]]) -> Mapping[bool, Mapping[float, Ball]]:
    """At eps = 0 delta is the total variation, of P and Q exchanged, too."""
    if not all(0.0 in found[way] for way in (True, False)):
        return found
    one, other = found[True][0.0], found[False][0.0]
    both = Ball(one.lower.max(other.lower), one.upper.min(other.upper))
    return {way: {**found[way], 0.0: both} for way in (True, False)}


def _larger(one: Ball, other: Ball) -> Ball:
    return Ball(one.lower.max(other.lower), one.upper.max(other.upper))


def _places(ahead: Mapping[float, Ball], behind: Mapping[float, Ball]) -> list[Place]:
    """delta of a pair at eps >= 0, and of the reversed pair."""
    before = [_reversed(e, ball) for e, ball in sorted(behind.items(), reverse=True) if e > 0.0]
    return before + [Place(arb(e), arb(e).exp(), ball.lower, ball.upper) for e, ball in sorted(ahead.items())]


def _reversed(epsilon: float, ball: Ball) -> Place:
    t = (-arb(epsilon)).exp()
    return Place(arb(-epsilon), t, *_exchanged(t, ball))


def _exchanged(t: arb, ball: Ball) -> Ball:
    """delta(-e) = 1 - e^-e + e^-e delta(e) of the reversed pair, t = e^-e; e of either sign."""
    return Ball(1 - t + t * ball.lower, 1 - t + t * ball.upper)


class Checked:
    """A proof, its curve and what follows."""

    def __init__(self, data: Any, most: int = MOST) -> None:
        self._proof = read(data)
        self._work = Work(self._proof.bits, most)
        self.proved: Proved | None = None
        self._bare = False  # no delta is known
        with ctx.workprec(self._proof.bits):
            try:
                checker = Checker(self._proof, self._work)
                try:
                    self.proved, self._why = checker.proved()
                except NotProved as reason:
                    self.proved, self._why, self._bare = checker.bare(), str(reason), True
            except NotProved as reason:
                self._why = str(reason)

    def answers(self) -> list[Answer]:
        """What became of every statement."""
        with ctx.workprec(self._proof.bits):
            return [Answer(name, one, *self._answered(one)) for name, one in self._proof.statements]

    def _answered(self, statement: Statement) -> tuple[str, str]:
        proved = self.proved
        if always(statement):
            return "proved", ""
        if proved is None or (self._bare and statement.quantity not in _NO_PLACE):
            return "not proved", self._why
        try:
            self._work.spend(_EACH * len(proved.curve.places))
            if holds(proved, statement):
                return "proved", ""
            if statement.value > 0:
                beyond = statement.value * (1 + arb(2) ** -45 * (1 if statement.at_most else -1))
                self._work.spend(_EACH * len(proved.curve.places))
                if holds(proved, statement._replace(at_most=not statement.at_most, value=beyond)):
                    return "refuted", "the opposite is proved"
        except NotProved as reason:
            return "not proved", str(reason)
        return "not proved", self._why or "the proved deltas do not suffice"


def check(data: Any, most: int = MOST) -> list[Answer]:
    """What became of every statement of a proof, given as JSON values; ``most`` units of work are done for it."""
    return Checked(data, most).answers()
