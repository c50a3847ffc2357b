"""What one setting of DP-SGD gives away at least: certified, at less than half of what its account takes.

Both directions together (adjacency "add_or_remove"); 0 where nothing is certain.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.answering.floor import foot
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.lines import Lines, lines
from neyman.engines.batch.laying.plan import Plan, last_epsilon
from neyman.engines.batch.laying.settings import Settings, spreads, taken

__all__ = ["least_delta", "least_local_mu"]

_ALPHAS = 1e-18, 0.02  # the least certifies that deltas where alpha is above it are floats with all their digits
_LEAST = 1e-30  # certifies: the same of delta itself
_FARTHEST, _DEEPEST = 300.0, 1e-12  # eps that are asked, at most, and delta down to which rungs are laid
_NOISE, _LITTLE, _SPREAD = 0.9, 0.64, 0.5  # noise from which lines are short, and where the loss spreads so far
_FURTHER = 3.0  # times where a Gaussian is cut: the only line is the shortest, its grid was too coarse for its end


def least_delta(sigma: float, rate: float, steps: int, epsilon: float) -> float:
    """Return a number that delta at an eps >= 0 is not below."""
    settings = _settings(sigma, rate, steps)
    if not 0.0 <= epsilon <= _FARTHEST or not _worth(settings):
        return 0.0
    with np.errstate(all="ignore"):  # what is no number is not certain
        at = np.full((1, 1), epsilon)
        found = float(_line(settings, Ladder.of(settings, float(np.log(_DEEPEST))), at).read(at).lower.max())
    return found if found >= _LEAST else 0.0


def least_local_mu(sigma: float, rate: float, steps: int, alpha: float) -> float:
    """Return a number that the local mu at one alpha is not below."""
    settings = _settings(sigma, rate, steps)
    if not _ALPHAS[0] <= alpha <= _ALPHAS[1] or not _worth(settings):
        return 0.0
    with np.errstate(all="ignore"):
        ladder = Ladder.of(settings, float(np.log(alpha)))
        last = last_epsilon(ladder, float(np.log(alpha)))
        found = float(foot(_line(settings, ladder, last[:, None]), last, alpha).lower[0])
    return found if found > 0.0 else 0.0


def _settings(sigma: float, rate: float, steps: int) -> Settings:
    return Settings(np.array([sigma]), np.array([rate]), np.array([float(steps)]))


def _worth(settings: Settings) -> bool:
    columns = settings.sigma, settings.rate, settings.steps
    near = _NOISE if spreads(*columns)[0] < _SPREAD else _LITTLE
    return bool(taken(*columns)[0]) and settings.sigma[0] >= near


def _line(settings: Settings, ladder: Ladder, epsilon: FloatArray) -> Lines:
    return lines(settings, ladder, Plan.about(ladder, epsilon), _FURTHER)[0]
