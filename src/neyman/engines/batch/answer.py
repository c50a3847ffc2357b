"""mu at a floor and its regret, of many settings of DP-SGD: certified from both sides, or left to the regular engine.

The curve is that of both directions together (adjacency "add_or_remove").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.compared import compared
from neyman.engines.batch.contrast import Contrast
from neyman.engines.batch.floor import foot
from neyman.engines.batch.ladder import Ladder
from neyman.engines.batch.lines import lines
from neyman.engines.batch.plan import Plan
from neyman.engines.batch.rows import rows_of
from neyman.engines.batch.settings import Settings, taken

__all__ = ["REGRET_WIDTH", "RELATIVE_WIDTH", "SIZE", "Batch", "answer"]

SIZE = 32  # settings that are answered together: their tables fit the cache
RELATIVE_WIDTH = 1e-8  # of the bracket of mu, at most
REGRET_WIDTH = 2e-9  # of that of regret
_LARGEST = 0.4  # certifies: no less than d delta / d mu = phi(eps / mu - mu / 2)
_RAISED = (0.0, 1e-9, 4e-9)  # relative: by how much mu is raised until the Gaussian lies below the curve


@dataclass(frozen=True)
class Batch:
    """Bounds of each setting; NaN where ``certain`` is False: nothing is certified to the widths above there.

    ``mu`` holds wherever alpha and beta are at least the floor, ``regret`` is that of ``mu``, and neither is below
    ``mu_lower`` and ``regret_lower``.
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
        mu to relative 1e-8 and its regret to 2e-9, or that nothing is certain.
    """
    found = Batch(np.zeros(len(sigma), dtype=np.bool_), *(np.full(len(sigma), np.nan) for _ in range(4)))
    able = np.flatnonzero(taken(sigma, rate, steps))
    # neighbours in cost: the longest line and grid of a block is that of all
    able = able[np.lexsort((steps[able], np.round(2.0 * np.log(rate[able])), sigma[able]))]
    for first in range(0, len(able), SIZE):
        part = able[first : first + SIZE]
        with np.errstate(all="ignore"):  # what is no number is not certain
            _fill(found, part, Settings(sigma[part], rate[part], steps[part]), floor)
    return found


def _fill(found: Batch, part: IntArray, settings: Settings, floor: float) -> None:
    ladder = Ladder.of(settings, float(np.log(floor)))
    plan = Plan.made(ladder, float(np.log(floor)))
    both = lines(settings, ladder, plan)
    at = foot(both[1], plan.last, floor)
    rows = np.flatnonzero(np.isfinite(at.upper) & (at.upper - at.lower <= RELATIVE_WIDTH * at.upper))
    for raised in _RAISED:
        if not len(rows):
            return
        mu = at.upper[rows] * (1.0 + raised)
        pair = tuple(Contrast.of(rows_of(line, rows), mu, at.epsilon[rows]) for line in both)
        below, best, most = compared((pair[0], pair[1]), at.epsilon[rows], REGRET_WIDTH)
        lower = best - _LARGEST * (mu - at.lower[rows])
        sure = below & (mu - at.lower[rows] <= RELATIVE_WIDTH * mu) & (most - lower <= REGRET_WIDTH)
        for column, values in zip(
            (found.certain, found.mu, found.mu_lower, found.regret, found.regret_lower),
            (sure, mu, at.lower[rows], most, np.maximum(lower, 0.0)), strict=True,
        ):  # fmt: skip
            column[part[rows[sure]]] = values[sure]
        rows = rows[~below]
