"""Epsilon after every step of a run that goes on: from lines that were laid for more steps than there were."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.growing import GrowingLines
from neyman.engines.contour.parts import Parts
from neyman.guarantees.questions.epsilon import certified_near, epsilon_upper, spread
from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.sums.norm import together
from neyman.profiles.pair import Adjacency, Pair
from neyman.profiles.profile import Profile

__all__ = ["Growth"]

Losses = tuple[tuple[Step, int], ...]

_ADJACENCIES: dict[str, Adjacency] = {"add_or_remove": "add_or_remove", "add": "add", "remove": "remove"}
_SHARE, _FEWEST = 0.4, 8  # of the steps so far, that lines are laid for besides, and how many at least: steer
_SHARP = 1e-9  # relative width of the delta at an answer, above which the guarantee is asked instead
_MOST_KINDS = 64  # of steps: of more, plans are dear, and no effort counts them here
_MOST_STEPS = 10**7  # of which rounding is far below what a bracket may be wide
_FEW = 24  # steps from which lines may be short enough: steers
_TRIES, _NEAR, _FARTHEST = 6, 1e-13, 16.0  # Newton's, until a step is as small beside epsilon; times the guess: steer
_KEPT = 8  # deltas of which the last answers are kept, to guess the next


class Growth:
    """What an accountant keeps from one question to the next.

    The first questions, and one that is no continuation of the last two, find nothing here: whoever asks once pays for
    nothing else. Answers are certified as those of ``account`` are, and differ from them by 1e-9 of delta at most.
    """

    def __init__(self) -> None:
        self._seen: dict[Step, int] | None = None
        self._last: Step | None = None  # the kind that went on when it was asked last
        self._laid: _Laid | None = None
        self._next = _FEW

    def epsilon(self, losses: Losses, adjacency: str, tolerance: float, delta: float) -> float | None:
        """The epsilon of ``losses`` at ``delta`` in (0, 1), from above; None where the guarantee has to be asked."""
        if not (_usual(losses) and adjacency in _ADJACENCIES and tolerance >= _SHARP):
            return None
        counts = dict(losses)
        before, self._seen = self._seen, counts
        last, self._last = self._last, _grown(before, counts)
        if self._laid is not None and (more := self._laid.more(counts)) is not None:
            return self._laid.epsilon(more, adjacency, delta)
        growing, total = self._last, sum(counts.values())
        if growing is None or growing != last or total < self._next:
            return None
        self._laid = _Laid.of(losses, growing)
        self._next = _FEW if self._laid is not None else 2 * total
        return None if self._laid is None else self._laid.epsilon(0, adjacency, delta)


def _usual(losses: Losses) -> bool:
    """Whether all are Gaussian steps, sampled or together, of parameters that no rounding has moved."""
    if len(losses) > _MOST_KINDS:
        return False
    together_ = [times for step, times in losses if isinstance(step, GaussianStep)]
    kinds = all(isinstance(step, (GaussianStep, SubsampledGaussianStep)) for step, _ in losses)
    exact = kinds and all(step.ends[0] == step.ends[1] for step, _ in losses)
    return exact and together_ in ([], [1]) and 0 < sum(times for _, times in losses) <= _MOST_STEPS


def _grown(before: dict[Step, int] | None, now: dict[Step, int]) -> Step | None:
    """The one kind of sampled steps of which there are more than before, if that is all, and they are no more than a
    share of all.
    """
    if before is None or before.keys() != now.keys():
        return None
    grown = [step for step in now if now[step] != before[step]]
    if len(grown) != 1 or not isinstance(grown[0], SubsampledGaussianStep):
        return None
    return grown[0] if 0 < now[grown[0]] - before[grown[0]] <= max(_FEWEST, _SHARE * sum(before.values())) else None


@dataclass
class _Laid:
    """Lines of both directions, for some more steps of one kind than the ``base`` has."""

    base: dict[Step, int]
    growing: Step
    most: int
    remove: GrowingLines
    add: GrowingLines
    start: float = 0.0
    answers: dict[float, list[tuple[int, float]]] = field(default_factory=dict)

    @classmethod
    def of(cls, losses: Losses, growing: Step) -> _Laid | None:
        mu = next((step.mu for step, _ in losses if isinstance(step, GaussianStep)), 0.0)
        sampled = [(step, times) for step, times in losses if isinstance(step, SubsampledGaussianStep)]
        steps = tuple((step.transform(), times) for step, times in sampled)
        place = [step for step, _ in sampled].index(growing)  # pyright: ignore[reportArgumentType]
        parts, most = Parts(steps, mu, "remove"), max(_FEWEST, int(_SHARE * sum(times for _, times in losses)))
        pair = zip((parts, parts.reversed), Walk.pair(parts), strict=True)
        remove, add = (GrowingLines(law, walk, place, most) for law, walk in pair)
        return cls(dict(losses), growing, most, remove, add) if len(remove.places) and len(add.places) else None

    def more(self, counts: dict[Step, int]) -> int | None:
        """How many more steps these are than the base; None where that is not what they are."""
        more = counts.get(self.growing, 0) - self.base[self.growing]
        same = counts.keys() == self.base.keys() and sum(counts.values()) == sum(self.base.values()) + more
        others = all(times == self.base[step] for step, times in counts.items() if step != self.growing)
        return more if same and others and 0 <= more <= self.most else None

    def epsilon(self, more: int, adjacency: str, delta: float) -> float | None:
        """From above; None where the lines are not sharp."""
        counts = {step: times + more * (step == self.growing) for step, times in self.base.items()}
        tail = together((step.tail_mu, times) for step, times in counts.items())
        profile = Pair.of(self.remove.at(more, tail), self.add.at(more, tail), _ADJACENCIES[adjacency]).forward
        goal = np.array([delta])
        self.start = self.start or spread(profile)
        guess = self._guess(more, delta)
        near = None if guess is None else _newton(profile, delta, guess)
        found = epsilon_upper(profile, goal, self.start) if near is None else certified_near(profile, goal, near)
        if not (math.isfinite(found[0]) and _sharp(profile, float(found[0]), delta)):
            return None
        if delta not in self.answers and len(self.answers) >= _KEPT:
            self.answers.clear()
        self.answers[delta] = [*self.answers.get(delta, [])[-1:], (more, float(found[0]))]
        return float(found[0])

    def _guess(self, more: int, delta: float) -> float | None:
        """From the last two answers, as if epsilon grew evenly."""
        known = self.answers.get(delta, [])
        if len(known) < 2 or known[0][0] == known[1][0]:
            return known[-1][1] if known else None
        (first, low), (last, high) = known
        return max(0.0, high + (high - low) * (more - last) / (last - first))


def _newton(profile: Profile, delta: float, guess: float) -> np.ndarray | None:
    """Where delta(eps) is ``delta``, in its logarithm; None where that does not come near."""
    x = guess
    for _ in range(_TRIES):
        at = np.array([x])
        upper, slope = float(profile.bracket(at).upper[0]), float(profile.slope(at)[0])
        if not (upper > 0.0 and slope > 0.0):
            return None
        step = math.log(upper / delta) * upper / slope
        x = max(0.0, x + step)
        if not x <= _FARTHEST * guess:  # it has gone astray
            return None
        if abs(step) <= _NEAR * x:
            return np.array([x])
    return None


def _sharp(profile: Profile, epsilon: float, delta: float) -> bool:
    """Whether delta is well known there, and comes near what was asked."""
    found = profile.bracket(np.array([epsilon]))
    lower, upper = float(found.lower[0]), float(found.upper[0])
    return upper - lower <= _SHARP * upper and (epsilon == 0.0 or upper >= delta * (1.0 - _SHARP))
