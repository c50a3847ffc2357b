"""The search for a target that is not ordered, such as a regret: it may be met, missed and met again.

From where so little is told that the target is met, if there is such a place, step by step toward where more is told,
up to the first trial that differs. What lies between two trials is not seen: nothing is said of it.
"""

from __future__ import annotations

import math
from itertools import pairwise

from neyman._errors import InvalidParameter, NotCertified
from neyman.calibration.gaussian_reading import mu_of_advantage
from neyman.calibration.limit import sound
from neyman.calibration.search import Limits, unseen
from neyman.calibration.trial import Trial, Trials

__all__ = ["scanned"]

_STEP = 0.35  # on the chart: mu by a factor of 1.4 or so; a regret rises and falls over more than ten of them
_MOST = 200  # steps
_LEAP = 40.0  # on the chart: the longest step to where little is told
_PEAK = 3  # times the gaps on either side of the largest are halved


def scanned(trials: Trials, start: float, limits: Limits) -> tuple[Trial, Trial]:
    """Return a trial that meets the target and one that misses it: the first two that differ, from the quiet side.

    Raises
    ------
    InvalidParameter
        If no trial missed it, or none met it.
    NotCertified
        As ``account``.
    """
    low, high = sorted(trials.chart.to(limit) for limit in limits)
    begun = _at(trials, trials.chart.to(start), (low, high))
    if begun is None:
        advice = f"It says: {trials.refusal(start)}"
        raise InvalidParameter(
            "bracket", None, f"given: the search would start at {start!r}, which make refuses", advice
        )
    toward = _louder(trials, begun, (low, high))
    here = _quiet(trials, begun, toward, (low, high))
    pair = _changed(trials, here, toward, (low, high)) or _neighbours(trials, toward)
    if pair is None and here.meets:
        pair = _peak(trials)
    if pair is None:
        raise unseen(trials)
    return pair


def _at(trials: Trials, x: float, ends: Limits, toward: float = 0.0) -> Trial | None:
    """The trial at a place of the chart, or at the end of it; None where make refuses it, or nothing is beyond."""
    parameter = trials.chart.back(min(max(x, ends[0]), ends[1]))
    parameter = float(max(round(parameter), 1)) if trials.integer else parameter
    if trials.integer and toward and trials.known(parameter) is not None:
        parameter += toward  # charts of whole numbers rise with them
    if not parameter > 0.0 or not ends[0] - 1e-12 <= trials.chart.to(parameter) <= ends[1] + 1e-12:
        return None
    return None if trials.refusal(parameter) is not None else trials.at(parameter, rough=True)


def _louder(trials: Trials, begun: Trial, ends: Limits) -> float:
    """On which side more is told, by the advantage: 1.0 or -1.0 on the chart."""
    told = _told(begun)
    for step in (_STEP, -_STEP, 8.0 * _STEP, -8.0 * _STEP, 32.0 * _STEP, -32.0 * _STEP):
        other = _at(trials, begun.x + step, ends, math.copysign(1.0, step))
        if other is not None and other.x != begun.x and _told(other) != told:
            return math.copysign(1.0, (_told(other) - told) * (other.x - begun.x))
    return 1.0


def _told(trial: Trial) -> float:
    return sound(lambda: trial.guarantee.advantage)


def _quiet(trials: Trials, begun: Trial, toward: float, ends: Limits) -> Trial:
    """The trial from which to begin: so little is told there that the target is met; else the last in reach."""
    here, leap = begun, _STEP
    while not (here.meets and mu_of_advantage(_told(here)) <= 0.5 * trials.target.gaussian_mu):
        other = _at(trials, here.x - toward * leap, ends, -toward)
        if other is None or other.x == here.x:
            break
        here, leap = other, min(2.0 * leap, _LEAP)
    return here


def _changed(trials: Trials, here: Trial, toward: float, ends: Limits) -> tuple[Trial, Trial] | None:
    """The first two neighbours of which one meets the target and one does not; None where there are none in sight."""
    for _ in range(_MOST):
        if _bare(here, min(part.limit for part in trials.target.parts if not part.ordered)):
            return None
        other = _at(trials, here.x + toward * _STEP, ends, toward)
        if other is None or other.x == here.x:
            return None
        if other.meets != here.meets:
            return (here, other) if here.meets else (other, here)
        here = other
    return None


def _neighbours(trials: Trials, toward: float) -> tuple[Trial, Trial] | None:
    """The same of all trials: one of the way to where little is told may have missed what lies between two steps."""
    rows = sorted(trials.by_age, key=lambda trial: trial.x * toward)
    return next(((a, b) if a.meets else (b, a) for a, b in pairwise(rows) if a.meets != b.meets), None)


def _bare(trial: Trial, limit: float) -> bool:
    """Whether so much is told that no attacker errs by more than what may be regretted: there, and wherever more is
    told. The errors of the best guess are concave in the prior: twice that at 1/2, 1 - advantage, is above them all.
    """
    try:
        return 1.0 - trial.guarantee.optimistic.advantage <= limit
    except NotCertified as wide:
        return 1.0 - wide.lower <= limit


def _peak(trials: Trials) -> tuple[Trial, Trial] | None:
    """Look on either side of the largest excess for a trial that misses."""
    for _ in range(_PEAK):
        rows = sorted(trials.by_age, key=lambda trial: trial.x)
        place = max(range(len(rows)), key=lambda i: rows[i].excess)
        for beside in (place - 1, place + 1):
            if not 0 <= beside < len(rows):
                continue
            middle = trials.chart.back(0.5 * (rows[place].x + rows[beside].x))
            middle = float(round(middle)) if trials.integer else middle
            if trials.known(middle) is None and trials.refusal(middle) is None and not trials.at(middle).meets:
                return rows[min(place, beside)], trials.at(middle)
    return None
