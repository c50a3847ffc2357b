"""delta of both directions by as few lines as serve, and the record of which line proved which."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from neyman.witnesses.corners import corners
from neyman.witnesses.path import path
from neyman.witnesses.plan import TooDear, line
from neyman.witnesses.steps import step_of
from neyman_check.check import Checker
from neyman_check.claims import Proved
from neyman_check.errors import NotProved, Unreadable
from neyman_check.exact import Outcomes
from neyman_check.form import Proof, Wanted, plan_of
from neyman_check.line import Ball
from neyman_check.work import MOST, Work

__all__ = ["Supply"]

_REACH = 1.5  # standard deviations on either side that a line is laid for
_SHARP = 1e-9  # relative width with which a line serves
_MOST_LINES = 200
_ORDERS = 2000  # among which that of the largest D_t / t is looked for
_DEAR = 2_000_000  # units of work of outcomes at one eps, from which lines are looked for instead
_PATIENCE = 20  # times the work of checking one proof, for finding one
_GIVEN_UP = {line: 6, path: 3}  # eps in vain, after which no further one is looked for


class Supply:
    """Of a mechanism under an adjacency; ``nats``: e-folds to which lines are good, ``most``: units of work."""

    def __init__(
        self, mechanism: dict[str, Any], adjacency: str, bits: int, nats: float, most: int = _PATIENCE * MOST
    ) -> None:
        self.lines: list[dict[str, Any]] = []
        self._base = Proof(mechanism, adjacency, bits, (), (), ())
        self._checker = Checker(self._base, Work(bits, most))
        each = self._listing()
        self.listed = each is not None and each <= _DEAR
        self._steps = [] if self.listed else [step_of(law) for law in self._checker.laws]
        self._nats = nats
        self._vain: dict[Callable[..., dict[str, Any]], int] = {line: 0, path: 0}
        self._known: dict[tuple[bool, float], tuple[int | None, Ball] | None] = {}
        self.ways = (True, False)
        symmetric = adjacency in ("add_or_remove", "replace")
        self.turned = adjacency == "add"
        self.ahead = self.ways if symmetric else (not self.turned,)
        self.behind = self.ways if symmetric else (self.turned,)

    def ball(self, remove: bool, epsilon: float) -> Ball | None:
        """delta there, and None where no line serves."""
        found = self._found(remove, epsilon)
        return None if found is None else found[1]

    def found(self, asked: list[float]) -> dict[bool, dict[float, Ball]]:
        """What is proved at each eps, by direction."""
        balls = {remove: {e: self.ball(remove, e) for e in asked} for remove in self.ways}
        return {remove: {e: ball for e, ball in known.items() if ball is not None} for remove, known in balls.items()}

    def follows(self, asked: list[float]) -> Proved:
        """The curve that these leave."""
        return self._checker.follows(self.found(asked))

    def corners(self) -> list[float]:
        """Where delta has corners, as far as outcomes are listed."""
        if not self.listed:
            return []
        return sorted({x for way in self.ways for x in corners(self._outcomes(way), self._checker.laws)})

    def order(self) -> float:
        """About the order of the largest D_t / t; 2 where it is out of reach."""
        try:
            steps = [step_of(law) for law in self._checker.laws]
        except NotProved:
            return 2.0

        def slope(t: float) -> float:
            w = t if True in self.ahead else 1.0 - t
            told = sum(step.log_moment(w) for step in steps) / (t * (t - 1.0))
            return told if math.isfinite(told) else -math.inf

        first, *others = (1.0 + x for x in np.geomspace(1e-5, 1e6, _ORDERS).tolist())
        best = max([first, *others], key=slope)
        return best if best > first else 1.0 + 1e-9  # D_t / t falls from the first order on

    def _outcomes(self, remove: bool) -> Outcomes:
        made = self._checker.made(Wanted(remove, 0.0, None))
        if not isinstance(made, Outcomes):
            raise TypeError(made)
        return made

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
                found = self._found(remove, epsilon)
                if found is not None:
                    rows.append({"direction": "remove" if remove else "add", "epsilon": epsilon, "line": found[0]})
        return rows

    def _found(self, remove: bool, epsilon: float) -> tuple[int | None, Ball] | None:
        key = remove, epsilon
        if key not in self._known:
            try:
                self._known[key] = self._served(remove, epsilon)
            except (NotProved, TooDear):
                self._known[key] = None
        return self._known[key]

    def _sharp(self, remove: bool, epsilon: float, ball: Ball) -> bool:
        """Beside what it is, or beside the other direction, where the larger of both counts."""
        other = self._known.get((not remove, epsilon)) if len(self.ahead) == len(self.ways) else None
        if other is not None and ball.upper <= other[1].lower:
            return True
        beside = ball.upper if other is None else ball.upper.max(other[1].lower)
        return bool(ball.upper - ball.lower <= beside * arb(_SHARP)) and bool(beside.lower() > 0)

    def _best(self, remove: bool, epsilon: float) -> tuple[int, Ball] | None:
        """The first sharp one of the lines that are laid, the last before the others; else the least upper bound."""
        best: tuple[int, Ball] | None = None
        word = "remove" if remove else "add"
        for i in reversed(range(len(self.lines))):
            if self.lines[i]["direction"] == word:
                ball = self._checker.delta(Wanted(remove, epsilon, i))
                if self._sharp(remove, epsilon, ball):
                    return i, ball
                if best is None or ball.upper < best[1].upper:
                    best = i, ball
        return best

    def _served(self, remove: bool, epsilon: float) -> tuple[int | None, Ball] | None:
        left = self._checker.beyond(Wanted(remove, epsilon, None))
        if left is not None or self.listed:
            return None, left or self._checker.delta(Wanted(remove, epsilon, None))
        best = self._best(remove, epsilon)
        if best is not None and self._sharp(remove, epsilon, best[1]):
            return best
        known = float(best[1].upper.log().upper()) if best is not None and best[1].upper > 0 else math.inf
        for choose in (line, path):
            found = self._laid(choose, remove, epsilon, known)
            if found is not None and (best is None or found[1].upper - found[1].lower < best[1].upper - best[1].lower):
                best = found
            if best is not None and self._sharp(remove, epsilon, best[1]):
                return best
        if best is None:
            raise TooDear
        return best

    def _laid(
        self, choose: Callable[..., dict[str, Any]], remove: bool, epsilon: float, known: float
    ) -> tuple[int, Ball] | None:
        """A line or a path more; None where none is short enough, or none was for many eps before."""
        if len(self.lines) >= _MOST_LINES or self._vain[choose] >= _GIVEN_UP[choose]:
            return None
        self._vain[choose] += 1
        try:
            plan = choose(self._steps, remove, epsilon, _REACH, self._nats, known)
            read = *self._checker.proof.lines, plan_of(plan, len(self.lines))
            self.lines.append(plan)
            self._checker.proof = self._base._replace(lines=read)
            ball = self._checker.delta(Wanted(remove, epsilon, len(self.lines) - 1))
        except (TooDear, NotProved, Unreadable):  # Unreadable: longer grids than a proof may have
            return None
        if not (ball.upper.is_finite() and ball.lower.is_finite()):
            return None
        if self._sharp(remove, epsilon, ball):
            self._vain[choose] = 0
        return len(self.lines) - 1, ball
