"""What costs next to nothing before contours: Gaussians of hardly any noise, or of so much that each nearly is one.

Closed forms, and sums over how often the record takes part; contours only where those are not sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.before import BoundedProfile, before, one_of
from neyman.engines.counts.combinations import counts, log_overlap, told_apart
from neyman.losses.base import Step
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.profiles.effort import Effort
from neyman.profiles.pair import DIRECTIONS, Pair
from neyman.profiles.profile import Profile

__all__ = ["HARDLY", "HINT", "quickly"]

_FEW = 4  # kinds of exchanged steps that bent contours are laid for
_FAR = 1e5  # noise multiplier from which steps are read as Gaussians first: they are, but for its inverse
_LOUD, _LITTLE = 1e8, 1e-3  # the same from which, and mu below which, nothing is left to be improved
_MISTAKEN = -4.0  # log of the number of steps in which it is expected not to, from which contours know all of it better
_SHARE = {"far": 0.5, "apart": 0.1, "exchanged": 0.01}  # of the tolerance, that is left to what comes first
HARDLY, HINT = 1e4, 0.01  # tolerances, and relative width, up to which no dearer engine is asked after bent contours
_BENT = 300  # steps with exchanged records up to which bent contours are tried first
_FAINT = 0.02  # noise multiplier below which no quadrature is tried

Losses = tuple[tuple[Step, int], ...]


def quickly(
    losses: Losses, tolerance: float, tail_mu: float, effort: Effort, contours: Callable[[], Pair]
) -> Pair | None:
    """Sampled or exchanged Gaussians of hardly any noise, or of very much, and ``contours`` where they are not sharp;
    None where that is not all of ``losses``, or contours had better come first.
    """
    exchanged = [(step, times) for step, times in losses if isinstance(step, ReplacedGaussianStep)]
    steps = [(step, times) for step, times in losses if isinstance(step, SubsampledGaussianStep)]
    mu = next((step.mu for step, _ in losses if isinstance(step, GaussianStep)), 0.0)
    if len(exchanged) + (mu > 0.0) == len(losses):
        return _exchanged(exchanged, mu, tolerance, tail_mu, effort, cache(contours))
    if not steps or len(steps) + (mu > 0.0) < len(losses):
        return None
    noise = [step.sigma for step, _ in steps]
    quick: Pair
    if min(noise) >= _FAR:
        from neyman.engines.closed_form.nearly_gaussian import NearlyGaussianProfile

        quick = Pair.both([NearlyGaussianProfile(steps, mu, way, tail_mu) for way in DIRECTIONS])
        share = _SHARE["far"]
    elif told_apart(steps):
        mistaken = np.logaddexp.reduce([math.log(times) + log_overlap(step) for step, times in steps])
        if mistaken > _MISTAKEN and min(noise) >= _FAINT:
            return None
        listed = counts(steps, mu)
        if listed is None:
            return None
        from neyman.engines.counts.participation import AddedParticipation, RemovedParticipation

        remove, beside_ = RemovedParticipation(steps, tail_mu, listed), Pair.both([GaussianProfile(mu)])
        quick, share = Pair(remove, AddedParticipation(steps, beside_, tail_mu)), _SHARE["apart"]
    else:
        return None
    settled = min(noise) >= _LOUD and math.hypot(mu, *(_shift(step, times) for step, times in steps)) < _LITTLE
    hopeless = settled or min(noise) < _FAINT
    return before(quick, None if hopeless else cache(contours), share * tolerance)


def _exchanged(
    steps: Sequence[tuple[ReplacedGaussianStep, int]], mu: float, tolerance: float, tail_mu: float, effort: Effort,
    contours: Callable[[], Pair],
) -> Pair | None:  # fmt: skip
    """The same of exchanged records: where there is hardly any noise, and few steps by bent contours first."""
    same = [(SubsampledGaussianStep(step.sigma, step.rate), times) for step, times in steps]
    arcs: Profile | None = None
    if sum(times for _, times in steps) <= _BENT and len(steps) <= _FEW:
        from neyman.engines.contour.exchanged.profile import ExchangedArcs

        bends = ExchangedArcs(steps, mu, tail_mu, effort)
        arcs = BoundedProfile(bends, partial(one_of, contours, 0), min(HARDLY * tolerance, HINT))
    listed = counts(same, mu, exchanged=True) if told_apart(same) else None
    if listed is None:
        return None if arcs is None else Pair.both([arcs])
    from neyman.engines.counts.exchanged import ExchangedParticipation

    hopeless = min(step.sigma for step, _ in same) < _FAINT
    quick = ExchangedParticipation(same, tail_mu, listed)
    bent = partial(one_of, contours, 0) if arcs is None else (lambda: arcs)
    return Pair.both([BoundedProfile(quick, None if hopeless else bent, _SHARE["exchanged"] * tolerance)])


def _shift(step: SubsampledGaussianStep, times: int) -> float:
    return math.sqrt(times) * step.rate / step.sigma
