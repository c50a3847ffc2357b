"""What a few settings that are much alike say about where a target is met: for searches, which are steered by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.answering.floor import foot
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.lines import Lines, lines
from neyman.engines.batch.laying.plan import Plan, last_epsilon
from neyman.engines.batch.laying.settings import Settings, spreads, taken

__all__ = ["deltas", "local_mus"]

_LEAST_SPREAD = 0.1  # deviations of the loss: of less what lines leave out is no longer little
_SEEN = 1e-12  # of delta: the ladder is laid for no less


def deltas(sigma: FloatArray, rate: FloatArray, steps: FloatArray, epsilon: float) -> FloatArray:
    """delta of both directions at an eps >= 0, about; NaN where nothing is known."""
    settings = Settings(sigma, rate, steps)
    found = np.full(len(sigma), np.nan)
    if _worth(settings):
        with np.errstate(all="ignore"):
            ladder = Ladder.of(settings, float(np.log(_SEEN)))
            at = np.full((len(sigma), 1), epsilon)
            read = _believed(lines(settings, ladder, Plan.about(ladder, at))[0]).read(at)
            lower, upper = read.lower.max(axis=1)[:, 0], read.upper.max(axis=1)[:, 0]
        found = np.where(lower > 0.0, 0.5 * (lower + upper), np.nan)
    return found


def local_mus(sigma: FloatArray, rate: FloatArray, steps: FloatArray, alpha: float) -> FloatArray:
    """The local mu of both directions at one alpha, about; NaN where nothing is known, and where eps < 0."""
    settings = Settings(sigma, rate, steps)
    found = np.full(len(sigma), np.nan)
    if _worth(settings):
        with np.errstate(all="ignore"):
            ladder = Ladder.of(settings, float(np.log(alpha)))
            last = last_epsilon(ladder, float(np.log(alpha)))
            at = foot(_believed(lines(settings, ladder, Plan.about(ladder, last[:, None]))[0]), last, alpha)
        found = np.where((at.lower > 0.0) & np.isfinite(at.upper) & (at.epsilon > 0.0), at.upper, np.nan)
    return found


def _worth(settings: Settings) -> bool:
    columns = settings.sigma, settings.rate, settings.steps
    return bool((taken(*columns) & (spreads(*columns) >= _LEAST_SPREAD)).all())


def _believed(line: Lines) -> Lines:
    """The line as if its nodes were exact and all there are: what it says then is usually near, if not certain."""
    return replace(line, fault=np.zeros_like(line.fault), log_beyond=np.full_like(line.log_beyond, -np.inf))
