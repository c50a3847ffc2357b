"""Where to lay a path that forks, for sampled Laplace steps of one kind. Floats only choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.witnesses.plans.line import TooDear
from neyman.witnesses.plans.path import Laid, Planner, planned, points_of
from neyman.witnesses.steps.base import Ended, Step

__all__ = ["fork"]

_RHO = 2.6  # of an arm's ellipses
_GROWS = 0.55  # how far up a segment of an arm goes, of its height: its ellipse reaches down to a tenth of that
_NODES, _SEGMENTS = 300, 120  # of a segment, and of an arm or the trunk
_TRUNK = 40  # segments of a trunk at most
_MOST_OUTCOMES, _MOST_LISTED = 2000, 140  # sums of losses, and those whose parts the checker lists
_WORSE = 1.3  # times the nodes of the best fork, from which a longer trunk is not looked for
_SPARE = 3.0  # e-folds
_GAP = 1e-6  # of the difference of both ends: as near to an eps as that the nearest outcome's loss is taken to be


class _Goal(NamedTuple):
    """Of outcomes led to one side, at one eps: which ones, how far their losses are from it, and how far as they are
    taken to be where they decay.
    """

    goal: float
    kept: IntArray
    shift: FloatArray
    beyond: FloatArray
    decays: FloatArray


class _Arm:
    """One of both, from where the trunk ends: to the right of outcomes below eps, to the left of those above it."""

    def __init__(self, planner: Planner, step: Ended, right: bool) -> None:
        self._step, self._right = step, right
        self._goals: list[_Goal] = []
        first, gap, count = step.ladder
        losses = first + gap * np.arange(count)
        for e, goal in planner.goals:
            beyond = (losses if planner.remove else -losses) - e
            kept = np.flatnonzero((beyond < 0.0) == right)
            if len(kept):
                shift = losses[kept] if planner.remove else np.zeros(len(kept))
                decays = beyond = beyond[kept]
                nearest = float(np.abs(beyond).min())
                if nearest > _GAP * gap:
                    decays = np.where(np.abs(beyond) == nearest, beyond * (_GAP * gap / nearest), beyond)
                self._goals.append(_Goal(goal, kept, shift, beyond, decays))

    def _logs(self, real: float, height: float) -> float:
        """By how much the sum of the moduli, with e^{-z eps}, is above the goal, at most."""
        weights, worst = self._step.log_weights(height), -math.inf
        for one in self._goals:
            beyond = one.decays if (real > 0.0) == self._right else one.beyond
            logs = weights[one.kept] + one.shift + real * beyond
            top = float(logs.max())
            if top > -math.inf:
                worst = max(worst, top + math.log(float(np.exp(logs - top).sum())) - one.goal)
        return worst

    def laid(self, start: complex) -> list[Laid]:
        """Segments until nothing is left above."""
        found: list[Laid] = []
        while not (found and self._over(start)):
            if len(found) >= _SEGMENTS:
                raise TooDear
            up = _GROWS * start.imag
            end = start + complex(up if self._right else -up, up)
            found.append(Laid(end, self._count(start, end), _RHO, [], 0.0))
            start = end
        return found

    def _over(self, last: complex) -> bool:
        return self._logs(last.real, last.imag) - math.log(math.pi * last.imag) < -1.0

    def _count(self, start: complex, end: complex) -> int:
        half, middle = 0.5 * (end - start), 0.5 * (end + start)
        wide, high = (_RHO + 1.0 / _RHO) / 2.0, (_RHO - 1.0 / _RHO) / 2.0
        corners = [middle + half * complex(s * wide, t * high) for s in (1, -1) for t in (1, -1)]
        height, reals = min(z.imag for z in corners), [z.real for z in corners]
        apart = abs(complex(max(0.0, min(reals), -1.0 - max(reals)), height)) ** 2
        front = math.log(16.0 / 3.0 * abs(half) / (math.pi * apart)) + _SPARE
        room = max(self._logs(x, height) for x in (min(reals), max(reals)))
        if not front + room < 2.0 * _NODES * math.log(_RHO):
            raise TooDear
        return max(math.ceil((front + room) / (2.0 * math.log(_RHO))), 2) if room > -math.inf else 1


def fork(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf
) -> dict[str, Any]:
    """A fork for ``epsilon`` and those within ``reach`` standard deviations of it, good to ``nats`` e-folds; delta is
    known to be no more than e^``log_most``.
    """
    if not (len(steps) == 1 and isinstance(step := steps[0], Ended)):
        raise TooDear
    if step.ladder[2] > (_MOST_LISTED if step.listed else _MOST_OUTCOMES):
        raise TooDear
    planner = planned(steps, remove, epsilon, reach, nats, log_most)
    planner.goals = [(epsilon, planner.goal), *planner.goals]
    arms = [_Arm(planner, step, right) for right in (False, True)]
    trunk, start, length = list[Laid](), complex(planner.c, 0.0), min(4.0 / planner.deviation, 1.2 * planner.c)
    best, fewest = None, math.inf
    while len(trunk) < _TRUNK:
        one = planner.laid(start, complex(planner.c, start.imag + length), planner.cumulant)
        if one is None:
            length *= 0.5
            if length < 1e-3 * planner.c:
                break
            continue
        trunk.append(one)
        start = one.end
        try:
            both = [arm.laid(start) for arm in arms]
        except TooDear:
            continue
        nodes = sum(one.count for line in (trunk, *both) for one in line)
        if nodes < fewest:
            best, fewest = (list(trunk), both), nodes
        elif nodes > _WORSE * fewest:
            break
    if best is None:
        raise TooDear
    trunk, (left, right) = best
    end = trunk[-1].end
    return {
        "direction": "remove" if remove else "add",
        "fork": {
            "trunk": points_of(complex(planner.c, 0.0), trunk), "left": points_of(end, left),
            "right": points_of(end, right),
        },
    }  # fmt: skip
