"""delta of both directions by as few lines as serve, and the record of which line proved which."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from flint import arb

from neyman.witnesses.corners import corners, lone
from neyman.witnesses.plans.fork import fork
from neyman.witnesses.plans.line import TooDear, line, turned
from neyman.witnesses.plans.path import path
from neyman.witnesses.plans.veil import veil
from neyman.witnesses.steps.base import Ended
from neyman.witnesses.steps.kinds import listed_step, step_of
from neyman.witnesses.steps.returning import Returning
from neyman_check.check import Checker, Made
from neyman_check.claims.statement import Proved
from neyman_check.curves.cell import Cell
from neyman_check.deltas.exact import Outcomes
from neyman_check.deltas.line import Ball
from neyman_check.errors import NotProved, Unreadable
from neyman_check.form import Part, Proof, Wanted, plan_of
from neyman_check.laws.base import FiniteLaw
from neyman_check.work import MOST, Work

__all__ = ["Supply"]

_REACH = 1.5  # standard deviations on either side that a line is laid for
_SHARP, _VEILED = 1e-9, 2e-8  # relative width with which a line serves, or one behind a veil
_MOST_LINES = 200  # of a proof at most
_MUCH_NOISE = 50.0  # noise multiplier from which no path is laid
_FARTHEST = 1e6  # eps of a place that a proof may have
_ORDERS = 2000  # among which that of the largest D_t / t is looked for
_FIRST, _CLOSER, _BESIDE = 1e-5, 3, 21  # from 1 + this on; times closer, with so many beside it
_DEAR = 2_000_000  # units of work of outcomes at one eps, from which lines are looked for instead
_AS_NEAR = 1e-6  # of an eps for which none was found
_PATIENCE = 10  # times the work of checking one proof, for finding one
_TURNED = 0.05  # the largest loss of a record added, up to which it is found by that of one removed
_Planner = Callable[..., dict[str, Any]]
# eps in vain, after which no further one is looked for
_GIVEN_UP: dict[_Planner, int] = {line: 6, turned: 3, veil: 3, path: 2, fork: 12}


class Supply:
    """Of a mechanism under an adjacency; ``nats``: e-folds to which lines are good, ``most``: units of work."""

    def __init__(
        self, mechanism: dict[str, Any], adjacency: str, bits: int, nats: float, most: int = _PATIENCE * MOST
    ) -> None:
        self.lines: list[dict[str, Any]] = []
        self._laid: list[float] = []  # for which eps
        self.bits = bits
        self._base = Proof(mechanism, adjacency, bits, (), (), ())
        self._work = Work(bits, most)
        self._checker = Checker(self._base, self._work)
        each = self._listing()
        self.listed = each is not None and each <= _DEAR
        self._steps = [] if self.listed else [step_of(law) for law in self._checker.laws]
        self._nats = nats
        returning = any(isinstance(step, Returning) for step in self._steps)
        forked = len(self._steps) == 1 and isinstance(self._steps[0], Ended)
        noise = min((one.s for step in self._steps if (one := step.shifter) is not None), default=0.0)
        paths = (path,) if noise < _MUCH_NOISE else ()  # else lines do, and polylines take long to be laid
        more = (veil, *paths) if returning else (fork,) if forked else paths
        self._planners: tuple[_Planner, ...] = (line, turned, *more)
        self._costs: dict[Wanted, int] = {}
        self._failed: list[tuple[_Planner, bool, float]] = []
        self._vain: dict[_Planner, int] = dict.fromkeys(_GIVEN_UP, 0)
        self._known: dict[tuple[bool, float], tuple[int | None, Ball] | None] = {}
        self.steps = max((law.times for law in self._checker.laws), default=0)
        self.ways = (True, False)
        symmetric = adjacency in ("add_or_remove", "replace")
        self.turned = adjacency == "add"
        self.ahead = self.ways if symmetric else (not self.turned,)
        self.behind = self.ways if symmetric else (self.turned,)

    @property
    def symmetric(self) -> bool:
        """Whether both directions are the same."""
        return self._checker.symmetric

    @property
    def veiled(self) -> bool:
        """Whether lines are behind a veil, which ends their digits."""
        return any("veil" in one for one in self.lines)

    def ball(self, remove: bool, epsilon: float) -> Ball | None:
        """delta there, and None where no line serves."""
        found = self._found(remove, epsilon)
        return None if found is None else found[1]

    def told(self, ways: Sequence[bool], epsilon: float) -> tuple[float, float]:
        """delta and 1 - delta, about, of the direction in which it is larger; nan where no line serves."""
        balls = [self.ball(way, epsilon) for way in ways]
        told = [(float(ball.upper.mid()), float((1 - ball.upper).mid())) for ball in balls if ball is not None]
        if not told or len(told) < len(balls):
            return math.nan, math.nan
        return max(told, key=lambda one: (one[0], -one[1]))  # either may be too near to 1 to tell

    def found(self, asked: list[float]) -> dict[bool, dict[float, Ball]]:
        """What is proved at each eps, by direction."""
        balls = {remove: {e: self.ball(remove, e) for e in asked} for remove in self.ways}
        return {
            remove: {e: Ball(ball.lower.lower(), ball.upper.upper()) for e, ball in known.items() if ball is not None}
            for remove, known in balls.items()
        }

    def follows(self, asked: list[float], cells: Sequence[Cell] = ()) -> Proved:
        """The curve that these leave."""
        return self._checker.follows(self.found(asked), "", cells)

    def scale(self) -> float | None:
        """mu of the Gaussians beside outcomes that are listed, if nothing else is."""
        mu = self._outcomes(True).mu
        return None if mu is None else float(mu)

    def line_at(self, remove: bool, epsilon: float) -> tuple[int | None, arb] | None:
        """The number of the line that serves there, and the larger of both directions' deltas."""
        found = self._found(remove, epsilon)
        if found is None:
            return None
        others = [self.ball(way, epsilon) for way in self.ahead] if len(self.ahead) == len(self.ways) else []
        told = found[1].upper
        for ball in others:
            told = told if ball is None else told.max(ball.upper)
        return found[0], told

    def made(self, remove: bool, number: int | None) -> Made:
        """As the checker lays it."""
        return self._checker.made(Wanted(remove, 0.0, number))

    def cell(self, part: Part) -> Cell:
        """What is proved between two places."""
        return self._checker.cell(part)

    def corners(self) -> list[float]:
        """Where delta has corners, as far as outcomes are listed, or a path forks."""
        if not self.listed:
            return sorted({x for way in self.ways for x in lone(self._checker.laws, way)})
        return sorted({x for way in self.ways for x in corners(self._outcomes(way), self._checker.laws)})

    def order(self) -> float:
        """About the order of the largest D_t / t; 2 where it is out of reach."""
        try:
            steps = [listed_step(law) if isinstance(law, FiniteLaw) else step_of(law) for law in self._checker.laws]
        except NotProved:
            return 2.0

        def slope(t: float) -> float:
            w = t if True in self.ahead else 1.0 - t
            told = sum(step.log_moment(w) for step in steps) / (t * (t - 1.0))
            return told if math.isfinite(told) else -math.inf

        def best(low: float, high: float, count: int) -> float:
            return max(np.geomspace(low, high, count).tolist(), key=lambda x: slope(1.0 + float(x)))

        found, near = best(_FIRST, 1e6, _ORDERS), (1e6 / _FIRST) ** (1.0 / _ORDERS)
        if found < 3.0 * _FIRST:
            return 1.0 + 1e-9  # D_t / t falls from the first order on, but for rounding
        for _ in range(_CLOSER):
            found, near = best(found / near, found * near, _BESIDE), near ** (4.0 / _BESIDE)
        return 1.0 + found

    def _outcomes(self, remove: bool) -> Outcomes:
        made = self._checker.made(Wanted(remove, 0.0, None))
        if not isinstance(made, Outcomes):
            raise TypeError(made)
        return made

    def _delta(self, wanted: Wanted) -> Ball:
        """What the checker says, and what it takes, lines included that are laid for it."""
        before = self._work.left
        ball = self._checker.delta(wanted)
        self._costs.setdefault(wanted, before - self._work.left)
        return ball

    def cost(self, asked: Iterable[float]) -> int:
        """Units of work that places take, about."""
        rows = ((way, e, found) for way in self.ways for e in asked if (found := self._found(way, e)) is not None)
        return sum(self._costs.get(Wanted(way or self.symmetric, e, found[0]), 0) for way, e, found in rows)

    def _listing(self) -> int | None:
        """The work that outcomes take at each eps; None where there are none."""
        try:
            return self._outcomes(True).each
        except NotProved:
            return None

    def places(self, asked: list[float]) -> list[dict[str, Any]]:
        """Each eps in each direction, with the line that serves it."""
        rows: list[dict[str, Any]] = []
        for remove in self.ways:
            for epsilon in asked:
                found = self._found(remove, epsilon) if epsilon <= _FARTHEST else None
                if found is not None:
                    rows.append({"direction": "remove" if remove else "add", "epsilon": epsilon, "line": found[0]})
        return rows

    def _found(self, remove: bool, epsilon: float) -> tuple[int | None, Ball] | None:
        key = remove or self._checker.symmetric, epsilon
        if key not in self._known:
            try:
                self._known[key] = self._served(*key)
            except (NotProved, TooDear):
                self._known[key] = None
        return self._known[key]

    def _sharp(self, remove: bool, epsilon: float, ball: Ball, veiled: bool) -> bool:
        """Beside what it is, or beside the other direction, where the larger of both counts."""
        both = len(self.ahead) == len(self.ways) and not self._checker.symmetric
        other = self._known.get((not remove, epsilon)) if both else None
        if other is not None and ball.upper <= other[1].lower:
            return True
        sharp = arb(_VEILED if veiled else _SHARP)
        beside = ball.upper if other is None else ball.upper.max(other[1].lower)
        return bool(ball.upper - ball.lower <= beside * sharp) and bool(beside.lower() > 0)

    def _best(self, remove: bool, epsilon: float) -> tuple[int, Ball] | None:
        """The first sharp one of the lines that are laid, the nearest before others; else the least upper bound."""
        best: tuple[int, Ball] | None = None
        word = "remove" if remove else "add"
        for i in sorted(range(len(self.lines)), key=lambda i: abs(self._laid[i] - epsilon)):
            plan = self.lines[i]
            if plan["direction"] == word or (not {"veil", "fork"} & plan.keys() and epsilon < _TURNED):
                try:
                    ball = self._delta(Wanted(remove, epsilon, i))
                except NotProved:  # one that failed serves nowhere, and others do
                    continue
                if self._sharp(remove, epsilon, ball, "veil" in plan):
                    return i, ball
                if best is None or ball.upper < best[1].upper:
                    best = i, ball
        return best

    def _served(self, remove: bool, epsilon: float) -> tuple[int | None, Ball] | None:
        left = self._checker.beyond(Wanted(remove, epsilon, None))
        if left is not None or self.listed:
            return None, left or self._delta(Wanted(remove, epsilon, None))
        best = self._best(remove, epsilon)
        if best is not None and self._sharp(remove, epsilon, best[1], "veil" in self.lines[best[0]]):
            return best
        known = float(best[1].upper.log().upper()) if best is not None and best[1].upper > 0 else math.inf
        for choose in self._planners:
            away = choose is turned and not (remove and epsilon < self._end < _TURNED)
            if away or (choose is path and self.veiled):  # veils serve better than paths
                continue
            found = self._tried(choose, remove, epsilon, known)
            if found is not None and (best is None or found[1].upper - found[1].lower < best[1].upper - best[1].lower):
                best = found
            if best is not None and self._sharp(remove, epsilon, best[1], choose is veil):
                return best
        if best is None:
            raise TooDear
        return best

    def _tried(self, choose: _Planner, remove: bool, epsilon: float, known: float) -> tuple[int, Ball] | None:
        """A line, veil or path more; None where none is short enough, or one as near by was not."""
        if self._vain[choose] >= _GIVEN_UP[choose]:
            return None
        if any(one is choose and way == remove and abs(at - epsilon) <= _AS_NEAR * at for one, way, at in self._failed):
            return None
        try:
            number = self.lay(remove, epsilon, known, choose)
            ball = self._delta(Wanted(remove, epsilon, number))
        except (TooDear, NotProved):
            self._failed.append((choose, remove, epsilon))
            return None
        if not (ball.upper.is_finite() and ball.lower.is_finite()):
            return None
        if self._sharp(remove, epsilon, ball, choose is veil):
            self._vain[choose] = 0
        else:
            self._failed.append((choose, remove, epsilon))
        return number, ball

    @property
    def _end(self) -> float:
        """The largest loss of a record added."""
        return sum(step.end for step in self._steps)

    def lay(self, remove: bool, epsilon: float, known: float = math.inf, choose: _Planner = line) -> int:
        """The number of a new line; delta is known to be no more than e^``known``. Where many were in vain: TooDear."""
        if len(self.lines) >= _MOST_LINES or self._vain[choose] >= _GIVEN_UP[choose]:
            raise TooDear
        self._vain[choose] += 1
        if choose is path and not remove and all(step.seen for step in self._steps) and epsilon < self._end < _TURNED:
            remove, epsilon = True, -epsilon  # of the pair exchanged, whose paths are the shorter ones
        plan = choose(self._steps, remove, epsilon, _REACH, self._nats, known)
        try:
            read = *self._checker.proof.lines, plan_of(plan, len(self.lines))
        except Unreadable:  # longer grids than a proof may have
            raise TooDear from None
        self.lines.append(plan)
        self._laid.append(epsilon)
        self._checker.proof = self._base._replace(lines=read)
        return len(self.lines) - 1
