"""Where to lay a path that serves the eps about one, with how many nodes. Floats only choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neyman.witnesses.plans.line import TooDear, saddle
from neyman.witnesses.steps.base import Step
from neyman.witnesses.steps.shift import ComplexArray, Way

__all__ = ["Laid", "Planner", "path", "planned", "points_of"]

_BEND = 0.5  # how far to the side, of how far up
_ELLIPSES = (2.6, 1.8)  # rho of a segment's ellipse: which are tried
_NODES = 64  # of a segment
_SEGMENTS, _TRIES = 100, 130  # of a path, and how often one is tried
_NEAREST = 0.5  # of the eps that it is laid for
_SPARE = 4.0  # e-folds by which one segment is better than the path
_SMALLEST, _FLAT = 1e-5, 0.8  # of the saddle, and by how many e-folds such a point is higher
_SHORTER, _LONGER = 0.5, 1.5  # times the segment that was too long; times the last, where it took few nodes
_LEAST = 1e-2  # of the width that a tilt resolves: a deviation below that of rounding
_SHORTEST = 1e-3  # of a segment, beside its distance from the poles
_FURTHEST, _MOVED, _FALLEN = 1e3, 1.2, 5.0  # how far an eps is still served, while saddle and delta hardly change
_MOST = 60_000_000  # units of work


@dataclass(frozen=True)
class Laid:
    """A segment of a path."""

    end: complex
    count: int
    rho: float
    ways: list[Way | None]
    most: float  # log |e^K| at its end, and above

    @property
    def work(self) -> int:
        """Units of work that it takes."""
        each = sum(10 * sum(way.counts) + 16 * len(way.counts) for way in self.ways if way is not None)
        return (self.count + 5) * (each + 50) + 400 * sum(sum(way.counts) for way in self.ways if way is not None)


@dataclass
class Planner:
    """Where a path begins, and what its errors may be."""

    steps: Sequence[Step]
    remove: bool
    c: float
    cumulant: float  # there
    deviation: float
    goal: float = 0.0  # log of what the error may be where it is laid for
    rho: float = _ELLIPSES[0]
    goals: list[tuple[float, float]] = field(default_factory=list)  # eps, log of what the error may be

    def at(self, height: float) -> complex:
        """The point of the path at a height: aside, to where e^{-z eps} decays and the integrand is bounded."""
        if any(step.bounded for step in self.steps):
            return complex(self.c, height)
        if self.remove or not math.isfinite(self.end):
            far = [one.bend(self.c, height) for one in (step.shifter for step in self.steps) if one is not None]
            return complex(min([math.hypot(self.c, _BEND * height), *far]), height)
        return complex(self.c - _BEND * (math.hypot(self.c, height) - self.c), height)

    @property
    def end(self) -> float:
        """What no loss exceeds, of a record added."""
        return sum(step.end for step in self.steps)

    @property
    def last(self) -> float:
        """What no loss exceeds, of either direction, as far as eps come near it."""
        lasts = [step.last(self.remove) for step in self.steps]
        return min(sum(lasts), math.inf if self.remove else self.end)

    def turned(self, z: ComplexArray) -> ComplexArray:
        """w of each."""
        return z + 1.0 if self.remove else -np.conj(z)

    def laid(self, start: complex, end: complex, most: float) -> Laid | None:
        """None where too many nodes are wanted."""
        half, middle = 0.5 * (end - start), 0.5 * (end + start)
        for rho in sorted(_ELLIPSES, key=lambda x: x != self.rho):  # that which served last first
            wide, high = (rho + 1.0 / rho) / 2.0, (rho - 1.0 / rho) / 2.0
            apart = math.prod(_apart((pole - middle) / half, wide, high) * abs(half) for pole in (0.0, -1.0))
            if not apart > 0.0:
                continue
            corners = middle + half * np.array([complex(s * wide, t * high) for s in (1, -1) for t in (1, -1)])
            room = _SPARE + max(most - start.real * e - goal for e, goal in self.goals)
            room = max(room + math.log(abs(half) / abs(start * (start + 1.0))), 3.0)
            found = self._ways(np.array([start, end, *corners]), room)
            if found is None:
                continue
            ways, logs = found
            front = math.log(16.0 / 3.0 * abs(half) / (math.pi * apart)) - math.log1p(-(rho**-2)) + _SPARE
            logs = logs if len(logs) else np.zeros(6)
            about = sum((step.log_most(self.turned(corners), abs(middle.imag)) for step in self.steps), np.zeros(4))
            short = max(
                float((about + logs[2:] - corners.real * e).max()) - goal for e, goal in self.goals
            )  # fmt: skip
            count = max(math.ceil((front + short) / (2.0 * math.log(rho))), 1)
            if count <= _NODES:
                self.rho = rho
                above = sum(float(step.log_most(self.turned(np.array([end])), end.imag)[0]) for step in self.steps)
                return Laid(end, count, rho, ways, above + float(logs[1]))
        return None

    def _ways(self, z: ComplexArray, room: float) -> tuple[list[Way | None], Any] | None:
        ways: list[Way | None] = []
        logs = np.zeros(len(z))
        for step in self.steps:
            way = None
            if step.shifter is not None:
                nats = np.array([room, room, 2.0, 2.0, 2.0, 2.0]) + math.log(step.times)
                way = step.shifter.way(step.turned(self.turned(z)), nats)
                if way is None:
                    return None
                logs += step.times * way.logs
            ways.append(way)
        return ways, logs

    def over(self, last: Laid) -> bool:
        """Whether what is above the end of a segment is nothing."""
        z = last.end
        return all(last.most - z.real * e - math.log(math.pi * z.imag) < goal - 1.0 for e, goal in self.goals)


def _apart(seen: complex, wide: float, high: float) -> float:
    return math.hypot(max(abs(seen.real) - wide, 0.0), max(abs(seen.imag) - high, 0.0))


def path(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf
) -> dict[str, Any]:
    """A path for ``epsilon`` and those within ``reach`` standard deviations of it, good to ``nats`` e-folds; delta is
    known to be no more than e^``log_most``. A negative ``epsilon`` is one of the pair exchanged.
    """
    planner = planned(steps, remove, epsilon, reach, nats, log_most)
    return _written(remove, planner.c, _followed(planner, min(4.0 / planner.deviation, 1.2 * planner.c)))


def planned(steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float) -> Planner:
    """Where such a path begins, and how good it is to be."""
    losses = _Losses(steps, remove)
    c = losses.beginning(epsilon)
    deviation = losses.deviation(c)
    planner = Planner(steps, remove, c, losses.cumulant(c), deviation)
    least, most = _served(planner, losses, epsilon, reach * deviation)
    less = math.log(max(deviation * 2.6, 1.0)) + 2.0 + nats
    planner.goal = min(losses.lowest(epsilon) - less, log_most - nats)
    planner.goals = [
        (most, min(planner.goal - c * (most - epsilon) - 0.5 * reach**2, losses.lowest(most) - less)),
        (least, losses.lowest(least) - less),
    ]
    return planner


@dataclass
class _Losses:
    """K and what it tells of delta, on the real axis."""

    steps: Sequence[Step]
    remove: bool

    def cumulant(self, c: float) -> float:
        return sum(step.log_moment(c + 1.0 if self.remove else -c) for step in self.steps)

    def beginning(self, epsilon: float) -> float:
        """The saddle, or a point that is hardly higher and further from where losses are too rare."""
        c, least = saddle(self.cumulant, epsilon)
        small = (c * f for f in np.geomspace(1.0, _SMALLEST, 40).tolist())

        def chernoff(x: float) -> float:
            return self.cumulant(x) - x * epsilon - math.log(x) - math.log1p(x)

        return min((x for x in small if chernoff(x) <= least + _FLAT), default=c)

    def deviation(self, c: float) -> float:
        k = [self.cumulant(c * x) for x in (0.999, 1.0, 1.001)]
        if not all(map(math.isfinite, k)):
            raise TooDear
        return math.sqrt(max((k[0] - 2.0 * k[1] + k[2]) / (1e-3 * c) ** 2, min(1e-12, (_LEAST / c) ** 2)))

    def lowest(self, epsilon: float) -> float:
        """log of delta, about: where hardly anything happens what does not is 1 of e^K, and nothing of delta."""
        found = saddle(self.cumulant, epsilon)[1]
        try:
            return min(found, saddle(lambda c: _less_one(self.cumulant(c)), epsilon)[1])
        except TooDear:
            return found


def _served(planner: Planner, losses: _Losses, epsilon: float, near: float) -> tuple[float, float]:
    """From which eps to which a path is to serve: as far as saddle and delta hardly change."""
    least, most = max(epsilon - near, _NEAREST * epsilon), epsilon + near
    if planner.remove and epsilon < 0.5 * planner.end and all(step.seen for step in planner.steps):
        back = min(epsilon, 0.0)  # and those of a record added, which are the negative ones
        least = back - 0.5 * (planner.end + back)
    fallen = losses.lowest(epsilon) - _FALLEN
    while 0.0 < most < _FURTHEST and saddle(losses.cumulant, 2.0 * most)[0] < _MOVED * planner.c:
        if losses.lowest(2.0 * most) < fallen:
            break
        most *= 2.0
    if planner.last > epsilon:
        most = min(most, 0.5 * (epsilon + planner.last))
    return least, most


def _followed(planner: Planner, length: float) -> list[Laid]:
    """Segment by segment, until nothing is left above; the first of a length."""
    laid, start, bound, work, tries = list[Laid](), complex(planner.c, 0.0), planner.cumulant, 0, 0
    while not (laid and planner.over(laid[-1])):
        size = abs(start)
        length = min(length, 1.2 * size)
        one = None
        while one is None:
            tries += 1
            if length < _SHORTEST * size or len(laid) >= _SEGMENTS or tries > _TRIES:
                raise TooDear
            one = planner.laid(start, planner.at(start.imag + length), bound)
            if one is None:
                length *= _SHORTER
        laid.append(one)
        start, bound, work = one.end, one.most, work + one.work
        if work > _MOST:
            raise TooDear
        length *= _LONGER if one.count < 0.7 * _NODES else 1.0
    return laid


def _less_one(cumulant: float) -> float:
    """log of e^K - 1; inf where that is nothing to floats."""
    if not cumulant > 0.0:
        return math.inf
    return cumulant + math.log(-math.expm1(-cumulant))


def _written(remove: bool, c: float, laid: list[Laid]) -> dict[str, Any]:
    """As a proof has it."""
    kinds = range(len(laid[0].ways))
    ways = [[one.ways[i] for one in laid] for i in kinds]
    return {
        "direction": "remove" if remove else "add",
        "path": points_of(complex(c, 0.0), laid),
        "steps": [
            None if kind[0] is None else [way.written() for way in kind if way is not None] for kind in ways
        ],
    }  # fmt: skip


def points_of(start: complex, laid: Sequence[Laid]) -> dict[str, Any]:
    """A polyline, as a proof has it."""
    return {
        "points": [[start.real, start.imag], *([one.end.real, one.end.imag] for one in laid)],
        "counts": [one.count for one in laid], "ellipses": [one.rho for one in laid],
    }  # fmt: skip
