"""mu at a floor and its regret, of many settings of DP-SGD: certified from both sides, or left to the regular engine.

The curve is that of both directions together (adjacency "add_or_remove").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.answering.between import between
from neyman.engines.batch.answering.compared import compared
from neyman.engines.batch.answering.contrast import Contrast
from neyman.engines.batch.answering.floor import foot
from neyman.engines.batch.answering.strong import strong
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.lines import Lines, lines
from neyman.engines.batch.laying.plan import Plan
from neyman.engines.batch.laying.rows import rows_of
from neyman.engines.batch.laying.settings import Settings, spreads, taken, whole
from neyman.numerics.rounding import ROOM, SCANT

__all__ = ["REGRET_WIDTH", "RELATIVE_WIDTH", "SIZE", "Batch", "answer"]

SIZE = 32  # settings that are answered together: their tables fit the cache
RELATIVE_WIDTH = 1e-11  # of the bracket of mu, at most
REGRET_WIDTH = 1e-11  # of that of regret
_STRONG, _STRONGER = 9.0, 20.0  # spreads from which the curve may lie below the floor, and certainly does
_BETWEEN, _WEAK = 6.0, 12.0  # from which lines between the poles are tried, and up to which those right of them
_NOTHING, _FINE = 4e-16, 4e-15  # a regret that no other is told from; how near it is told where the curve is so low
_DEEPER = 6.0  # e-folds below the floor to which lines are laid there
_LARGEST = 0.4  # certifies: no less than phi(0)
# floors of which next to none is told beyond; the lower end certifies that deltas where alpha is above it are floats
# with all their digits
_FLOORS = 1e-18, 0.02
_RAISED = (0.0, 1e-12, 6e-12)  # relative: by how much mu is raised until the Gaussian lies below the curve


@dataclass(frozen=True)
class Batch:
    """Bounds of each setting; NaN where ``certain`` is False: nothing is certified to the widths above there.

    ``mu`` is enough wherever alpha and beta are at least the floor, ``regret`` no less than that of ``mu``. The least
    such mu is no less than ``mu_lower``, its regret no less than ``regret_lower``.
    """

    certain: BoolArray
    mu: FloatArray
    mu_lower: FloatArray
    regret: FloatArray
    regret_lower: FloatArray


def answer(sigma: FloatArray, rate: FloatArray, steps: FloatArray, floor: float) -> Batch:
    """Answer settings of Poisson-subsampled Gaussian steps.

    Parameters
    ----------
    sigma, rate, steps : ndarray, 1-d, of equal length
        Noise multipliers > 0, rates in [0, 1], whole numbers of steps >= 1.
    floor : float
        In (0, 0.5).

    Returns
    -------
    Batch
        mu to relative 1e-11 and its regret to 1e-11, or that nothing is certain.
    """
    found = Batch(np.zeros(len(sigma), dtype=np.bool_), *(np.full(len(sigma), np.nan) for _ in range(4)))
    able = np.flatnonzero(taken(sigma, rate, steps) & (_FLOORS[0] <= floor <= _FLOORS[1]))
    spread = spreads(sigma, rate, steps)
    some = Settings(sigma, rate, steps)
    _fill_whole(found, some)
    # the strongest first: what their lines do not tell, others may
    for fill, low, high in ((_fill_strong, _STRONG, np.inf), (_fill_between, _BETWEEN, _STRONGER), (_fill, 0.0, _WEAK)):
        rows = able[~found.certain[able] & (spread[able] > low) & (spread[able] <= high)]
        # neighbours in cost: the longest line and grid of a block is that of all
        rows = rows[np.lexsort((steps[rows], np.round(2.0 * np.log(rate[rows])), sigma[rows]))]
        for first in range(0, len(rows), SIZE):
            part = rows[first : first + SIZE]
            with np.errstate(all="ignore"):  # what is no number is not certain
                fill(found, part, rows_of(some, part), floor)
    return found


def _fill_whole(found: Batch, settings: Settings) -> None:
    """Those in which every record takes part in every step: Gaussians, whose mu is known to 3 units."""
    rows, mu = whole(settings.sigma, settings.rate, settings.steps)
    upper, lower = mu * (1.0 + SCANT), mu * (1.0 - SCANT)
    _put(found, rows, upper, lower, 0.5 * _LARGEST * (upper - lower), np.zeros(len(rows)))


def _fill_strong(found: Batch, part: IntArray, settings: Settings, floor: float) -> None:
    """Those whose whole curve lies below the floor; by lines between the poles where their regret may be felt."""
    at = strong(settings, floor)
    known = at.upper - at.lower <= RELATIVE_WIDTH * at.upper
    unfelt = known & (at.regret <= _NOTHING)
    _put(found, part[unfelt], *(a[unfelt] for a in (at.upper, at.lower, at.regret, np.zeros(len(part)))))
    rows = np.flatnonzero(known & ~unfelt)
    if len(rows):
        some = rows_of(settings, rows)
        ladder, plan = between(some, float(np.log(floor)) - _DEEPER)
        mu, lower = at.upper[rows], at.lower[rows]
        regret = _compared(lines(some, ladder, plan), lower, mu, plan.last, _FINE)
        sure = regret.most - regret.least <= REGRET_WIDTH
        _put(found, part[rows[sure]], *(a[sure] for a in (mu, lower, regret.most, regret.least)))


def _put(
    found: Batch, at: IntArray, mu: FloatArray, mu_lower: FloatArray, regret: FloatArray, regret_lower: FloatArray
) -> None:
    found.certain[at] = True
    found.mu[at], found.mu_lower[at], found.regret[at], found.regret_lower[at] = mu, mu_lower, regret, regret_lower


def _fill_between(found: Batch, part: IntArray, settings: Settings, floor: float) -> None:
    """Those where 1 - delta is what is small."""
    _fill_by(found, part, settings, floor, *between(settings, float(np.log(floor))))


def _fill(found: Batch, part: IntArray, settings: Settings, floor: float) -> None:
    """Those where delta is."""
    ladder = Ladder.of(settings, float(np.log(floor)))
    _fill_by(found, part, settings, floor, ladder, Plan.made(ladder, float(np.log(floor))))


def _fill_by(
    found: Batch, part: IntArray, settings: Settings, floor: float, ladder: Ladder, plan: Plan
) -> None:  # fmt: skip
    both = lines(settings, ladder, plan)
    at = foot(both[1], plan.last, floor)
    rows = np.flatnonzero(np.isfinite(at.upper) & (at.upper - at.lower <= RELATIVE_WIDTH * at.upper))
    for raised in _RAISED:
        if not len(rows):
            return
        mu, lower = at.upper[rows] * (1.0 + raised), at.lower[rows]
        regret = _compared(tuple(rows_of(line, rows) for line in both), lower, mu, at.epsilon[rows])
        sure = regret.below & (mu - lower <= RELATIVE_WIDTH * mu) & (regret.most - regret.least <= REGRET_WIDTH)
        _put(found, part[rows[sure]], *(a[sure] for a in (mu, lower, regret.most, regret.least)))
        rows = rows[~regret.below]


class _Regret(NamedTuple):
    """Whether the Gaussian lies below the curve for certain, and bounds on the regret of the least mu."""

    below: BoolArray
    least: FloatArray
    most: FloatArray


def _compared(
    both: tuple[Lines, ...], lower: FloatArray, mu: FloatArray, last: FloatArray, wide: float = REGRET_WIDTH
) -> _Regret:  # fmt: skip
    """The curve beside the Gaussian of ``mu``, where the least mu is no less than ``lower``."""
    known = compared((Contrast.of(both[0], mu, last), Contrast.of(both[1], mu, last)), last, wide)
    least = known.best - _rising(known.at, lower, mu) * (mu - lower)
    return _Regret(known.below, np.maximum(least, 0.0), known.most)


def _rising(epsilon: FloatArray, low: FloatArray, mu: FloatArray) -> FloatArray:
    """What q at eps rises by with mu, from ``low`` to ``mu``, at most: d delta / d mu = phi(eps / mu - mu / 2)."""
    far, near = (epsilon / some - 0.5 * some for some in (low, mu))
    x = np.where(near > 0.0, near, np.where(far < 0.0, -far, 0.0)) * (1.0 - ROOM)
    return _LARGEST * np.exp(-0.5 * x * x) / (1.0 + np.exp(-epsilon)) * np.exp(-epsilon) * (1.0 + ROOM)
