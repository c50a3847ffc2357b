"""Where a target is just met, read off a few batches of settings before any of them is accounted for.

Of DP-SGD, both directions together, a batch answers several settings in less than one is accounted for. What it says
steers: which parameters are evaluated, never what is certain of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from neyman._errors import NeymanError
from neyman._validate import FloatArray
from neyman.calibration.aside import setting_of
from neyman.calibration.trial import Trials
from neyman.engines.batch.answering.guide import deltas, local_mus

__all__ = ["BESIDE", "hasten", "nearer"]

_ASKED: dict[str, Callable[[FloatArray, FloatArray, FloatArray, float], FloatArray]] = {
    "delta": deltas,
    "local mu": local_mus,
}
BESIDE = 0.4  # of the tolerance: how far beside the expected crossing either side is tried
_ROUNDS = 7  # batches that are asked at most
_ABOUT = np.array([-0.1, 0.0, 0.1])  # on the chart, about the start: what is asked first
_LONGEST = 1.5  # on the chart: a step to where nothing was asked
_ASIDE, _NEAREST = 0.15, 1e-4  # of the last step, at most, and on the chart, at least: how far about the root to ask
_CLOSE = 0.15  # of the tolerance: by how much the last point may move the root
_POINTS = 5  # that are interpolated
_TRIES = 4  # spreads beside that at the start
_FAR = 0.3  # of the log of mu: a start that is no farther from the target is good enough
_STEP, _FARTHEST = -0.1, 9.0  # on the chart: to the second spread, and to the third at most
_FLAT = 0.05  # slopes of the log of spreads that tell nothing


def hasten(trials: Trials, start: float, limits: tuple[float, float], tolerance: float) -> None:
    """Evaluate on either side of where the target is just met, as far as batches foresee that."""
    known = _foreseen(trials, start, limits, tolerance)
    if known is None:
        return
    root, toward = known
    if trials.integer:
        meets = float(math.floor(root) if toward > 0.0 else math.ceil(root))
        misses = meets + toward
    else:
        meets, misses = (root * (1.0 + side * toward * BESIDE * tolerance) for side in (-1.0, 1.0))
    if all(limits[0] <= end <= limits[1] and trials.refusal(end) is None for end in (meets, misses)):
        trials.at(meets)
        trials.at(misses, hopeless=True)


def _foreseen(
    trials: Trials, start: float, limits: tuple[float, float], tolerance: float
) -> tuple[float, float] | None:
    """Return about the parameter at which the target is just met, as searched for from ``start``, and 1.0 where it is
    missed beyond, -1.0 where below; None where batches do not tell.
    """
    if trials.adjacency != "add_or_remove" or any(part.aside is None for part in trials.target.parts):
        return None
    low, high = sorted(trials.chart.to(max(end, math.ulp(0.0))) for end in limits)
    x = np.clip(trials.chart.to(start) + _ABOUT, low, high)
    places, excesses = np.zeros(0), np.zeros(0)
    for _ in range(_ROUNDS):
        parameters = [_taken(trials, place) for place in x]
        found = _excesses(trials, parameters)
        if found is None:
            return None
        places, first = np.unique(
            np.concatenate([places, [trials.chart.to(parameter) for parameter in parameters]]), return_index=True
        )
        excesses = np.concatenate([excesses, found])[first]
        root, doubt = _crossing(places, excesses)
        if not math.isfinite(root):
            return None
        if doubt <= _CLOSE * tolerance and places[0] <= root <= places[-1]:
            low, high = np.argmin(excesses), np.argmax(excesses)
            rising = trials.chart.back(places[high]) > trials.chart.back(places[low])
            return trials.chart.back(root), 1.0 if rising else -1.0
        nearest = places[np.argmin(np.abs(excesses))]
        root = min(max(root, nearest - _LONGEST, low), nearest + _LONGEST, high)
        aside = max(min(_ASIDE * abs(root - nearest), 2.0 * doubt), _NEAREST)
        x = np.clip(np.array([root - aside, root + aside]), low, high)
    return None


def nearer(trials: Trials, start: float, limits: tuple[float, float]) -> tuple[float, float | None]:
    """Return a parameter at which the deviation of the loss is about mu of the Gaussian that just meets the target, as
    it would be of many small steps, and by what the log of it rises on the chart; ``start`` and None where that is no
    better.
    """
    low, high = sorted(trials.chart.to(end) for end in limits)
    log_mu = math.log(trials.target.gaussian_mu)

    def miss(x: float) -> float:
        found = trials.spread(trials.chart.back(x))
        return math.log(found) - log_mu if 0.0 < found < math.inf else math.nan

    x = trials.chart.to(start)
    y, slope = miss(x), math.nan
    for _ in range(_TRIES):
        to = min(max(x - (y / slope if abs(slope) > _FLAT else _STEP), x - _FARTHEST, low), x + _FARTHEST, high)
        before, x = (x, y), to
        if x == before[0]:
            break
        y = miss(x)
        slope = (y - before[1]) / (x - before[0])
        if not abs(slope) > _FLAT or not math.isfinite(slope):
            return start, None
        if not abs(y) < abs(before[1]):
            x, y = before
        if abs(y) <= _FAR:
            return trials.chart.back(x), slope
    return start, None


def _taken(trials: Trials, x: float) -> float:
    parameter = trials.chart.back(x)
    return float(max(round(parameter), 1)) if trials.integer else parameter


def _crossing(x: FloatArray, excess: FloatArray) -> tuple[float, float]:
    """Where the excess vanishes, by the polynomial in it through the nearest points, and by how much the last of them
    changed that.
    """
    nearest = np.argsort(np.abs(excess), kind="stable")[:_POINTS]
    guess = before = math.nan
    with np.errstate(all="ignore"):  # what is no number is no root
        for count in range(2, len(nearest) + 1):
            some, before = nearest[:count], guess
            guess = float(
                sum(x[i] * math.prod(excess[j] / (excess[j] - excess[i]) for j in some if j != i) for i in some)
            )
    return guess, abs(guess - before) if len(nearest) > 2 else math.inf


def _excesses(trials: Trials, parameters: Sequence[float]) -> FloatArray | None:
    """The excess at each of them, as batches tell it; None where they do not."""
    try:
        settings = [setting_of(trials.made(parameter)) for parameter in parameters]
    except NeymanError:
        return None
    known = [setting for setting in settings if setting is not None]
    if len(known) < len(settings):
        return None
    columns = [np.array(column, dtype=np.float64) for column in zip(*known, strict=True)]
    found = np.full(len(known), -np.inf)
    for part in trials.target.parts:
        if part.aside is None:
            return None
        kind, place = part.aside
        answers = _ASKED[kind](columns[0], columns[1], columns[2], place)
        found = np.maximum(found, [part.excess_aside(answer) for answer in answers.tolist()])
    return found if np.isfinite(found).all() else None
