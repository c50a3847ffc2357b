"""delta at given eps and epsilon at given delta, of many settings of DP-SGD: certified, or left to the regular engine.

Each question has a line of its own in either direction, laid where its answer is expected. Of a delta that is asked the
larger of both directions is told; epsilon lies between two eps, of which the one's delta is certainly at least, the
other's at most what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.lines import Lines, lines
from neyman.engines.batch.laying.plan import Plan, expected
from neyman.engines.batch.laying.rows import rows_of
from neyman.engines.batch.laying.settings import Settings, taken, whole
from neyman.engines.closed_form.pairs import gaussian_side
from neyman.numerics.rounding import SCANT, TINY

__all__ = ["WIDTH", "Asked", "Questions", "answers"]

SIZE = 32  # settings that are answered together
WIDTH = 1e-8  # relative, of brackets of delta and of epsilon, at most
_SHALLOW, _DEEP = 1e-5, 1e-12  # of delta, down to which rungs are laid: for eps 0, and for any other
_LEVELS, _EPSILON = (1e-15, 0.999), 300.0  # deltas at which epsilon is looked for, and the last eps that is asked
_LEAST = 1e-30  # certifies: deltas that are told, which are floats with all their digits
_NEWTON = 6  # steps
_ROOM = 1.5  # times what a reading leaves unknown: how far beside epsilon its bounds are taken
_LEAST_ROOM = 1e-12  # the same, relative, at least
_FAR = 0.6  # of the guess of epsilon, and its inverse: no farther is its line of use

_Read = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


class Questions(NamedTuple):
    """The eps >= 0 at which delta is asked, and the deltas in (0, 1) at which epsilon is."""

    epsilons: tuple[float, ...]
    levels: tuple[float, ...]

    @property
    def able(self) -> bool:
        """Whether any setting has lines for them."""
        near = all(0.0 <= epsilon <= _EPSILON for epsilon in self.epsilons)
        return near and all(_LEVELS[0] <= level <= _LEVELS[1] for level in self.levels)


@dataclass(frozen=True)
class Asked:
    """Bounds, one row a question (those of delta first), one column a setting; NaN where nothing is ``certain``."""

    certain: BoolArray
    lower: FloatArray
    upper: FloatArray


def answers(sigma: FloatArray, rate: FloatArray, steps: FloatArray, asked: Questions) -> Asked:
    """Answer settings of Poisson-subsampled Gaussian steps, adjacency "add_or_remove".

    Parameters
    ----------
    sigma, rate, steps : ndarray, 1-d, of equal length
        Noise multipliers > 0, rates in [0, 1], whole numbers of steps >= 1.
    asked : Questions
        What is asked of each.

    Returns
    -------
    Asked
        Each to a relative 1e-8, or not certain.
    """
    count = len(asked.epsilons) + len(asked.levels)
    found = Asked(np.zeros((count, len(sigma)), dtype=np.bool_), *(np.full((count, len(sigma)), np.nan) for _ in "ab"))
    if not asked.able:
        return found
    settings = Settings(sigma, rate, steps)
    _fill_whole(found, settings, asked)
    rows = np.flatnonzero(taken(sigma, rate, steps))
    # neighbours in cost: the longest line and grid of a block is that of all
    rows = rows[np.lexsort((steps[rows], np.round(2.0 * np.log(rate[rows])), sigma[rows]))]
    for first in range(0, len(rows) if count else 0, SIZE):
        part = rows[first : first + SIZE]
        with np.errstate(all="ignore"):  # what is no number is not certain
            _fill(found, part, rows_of(settings, part), asked)
    return found


def _fill_whole(found: Asked, settings: Settings, asked: Questions) -> None:
    """Those in which every record takes part in every step: Gaussians, whose mu is known to 3 units."""
    part, mu = whole(settings.sigma, settings.rate, settings.steps)
    column = mu[:, None]

    def read(epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        upper, _, slope = gaussian_side(epsilon, column * (1.0 + SCANT), 1.0)
        return gaussian_side(epsilon, column * (1.0 - SCANT), -1.0)[0], upper, slope

    with np.errstate(all="ignore"):
        for row, epsilon in enumerate(asked.epsilons):
            _put(found, row, part, _at(read, np.full(len(part), epsilon)))
        for row, level in enumerate(asked.levels, len(asked.epsilons)):
            _put(found, row, part, _inverted(read, mu * (0.5 * mu + _quantile(level)), level, 0.0))


def _quantile(level: float) -> float:
    """About -Phi^-1 of it, and no less than what keeps eps positive."""
    return float(np.sqrt(max(-2.0 * np.log(level) - 2.0, 0.25)))


def _fill(found: Asked, part: IntArray, settings: Settings, asked: Questions) -> None:
    """Those that have lines."""
    deepest = min(*asked.levels, _DEEP if any(asked.epsilons) else _SHALLOW, _SHALLOW)
    ladder = Ladder.of(settings, float(np.log(deepest)))
    given = [np.full(len(part), epsilon) for epsilon in asked.epsilons]
    guessed = [expected(ladder, float(np.log(level))) for level in asked.levels]
    laid = lines(settings, ladder, Plan.about(ladder, np.stack([*given, *guessed], axis=1)))
    reads = [_of_line(line) for line in laid]
    for row, (read, epsilon) in enumerate(zip(reads, given, strict=False)):
        _put(found, row, part, _at(read, epsilon))
    for row, (guess, level) in enumerate(zip(guessed, asked.levels, strict=True), len(given)):
        _put(found, row, part, _inverted(reads[row], guess, level, _FAR))


def _put(found: Asked, row: int, part: IntArray, bounds: tuple[FloatArray, FloatArray]) -> None:
    lower, upper = bounds
    sure = (upper - lower <= WIDTH * upper) & (lower >= 0.0) & np.isfinite(upper)
    found.certain[row, part[sure]] = True
    found.lower[row, part[sure]], found.upper[row, part[sure]] = lower[sure], upper[sure]


def _of_line(line: Lines) -> _Read:
    """delta at some eps of each setting, from below and from above, in the direction where it is larger, and e^eps
    Q(L > eps), about.
    """

    def read(epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        told = line.read(epsilon)
        larger = np.argmax(told.upper, axis=1)[:, None]
        return told.lower.max(axis=1), told.upper.max(axis=1), np.take_along_axis(told.slope, larger, 1)[:, 0]

    return read


def _at(read: _Read, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """delta there, from below and from above; NaN where it may be so small that floats lose digits of it."""
    lower, upper, _ = (one[:, 0] for one in read(epsilon[:, None]))
    return np.where(lower >= _LEAST, lower, np.nan), upper


def _inverted(read: _Read, guess: FloatArray, level: float, far: float) -> tuple[FloatArray, FloatArray]:
    """epsilon at delta ``level``, from below and from above, found between ``far`` times the guess and its inverse; inf
    from above where nothing is certain.

    delta falls strictly: what has no less lies no farther, what has no more no nearer.
    """
    nothing = read(np.zeros((len(guess), 1)))[1][:, 0] <= level
    least, most = guess * far, guess / far if far > 0.0 else np.full_like(guess, np.inf)
    epsilon, room = guess, np.zeros_like(guess)
    for _ in range(_NEWTON):
        low, high, slope = (one[:, 0] for one in read(epsilon[:, None]))
        fall = np.maximum(slope, TINY)  # of delta, for each unit of eps
        middle = np.maximum(0.5 * (low + high), TINY)
        room = (high - low) / fall
        step = np.log(middle / level) * middle / fall
        epsilon = np.clip(np.where(np.isfinite(step), epsilon + step, epsilon), least, most)
    room = _ROOM * room + _LEAST_ROOM * epsilon
    below, above = np.maximum(epsilon - room, 0.0), epsilon + room
    low, high, _ = read(np.stack([below, above], axis=1))
    certain = (low[:, 0] >= level) & (high[:, 1] <= level)
    lower, upper = np.where(certain, below, 0.0), np.where(certain, above, np.inf)
    return np.where(nothing, 0.0, lower), np.where(nothing, 0.0, upper)
