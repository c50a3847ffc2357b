"""Is one composition part of another, step by step? Then it is more private, far tails and all, by construction."""

from __future__ import annotations

import math
from fractions import Fraction

from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep

__all__ = ["within"]

Losses = tuple[tuple[Step, int], ...]
_MOST = 1 << 14  # pairs of distinct steps that are looked at


def within(mine: Losses, other: Losses) -> bool:
    """Whether every step of ``mine`` finds one of ``other`` that it is ``within``, each used once; False if not found.

    Channels act step by step, so they compose; steps left over only tell more. What finds no partner may share the
    unsampled Gaussians of ``other``, which together are one of mu^2 = sum mu_i^2, and may be divided among steps that
    are mu_i-GDP.

    Examples
    --------
    >>> from neyman.losses.laplace.step import LaplaceStep
    >>> within(((LaplaceStep(2.0), 3),), ((LaplaceStep(1.0), 2), (LaplaceStep(1.5), 1)))
    True
    """
    if mine == other:
        return True
    if len(mine) * len(other) > _MOST:
        return False
    left = {step: times for step, times in sorted(other, key=_strength) if not isinstance(step, GaussianStep)}
    needed, budget = Fraction(0), sum((_squares(*pair) for pair in other if pair[0] not in left), Fraction(0))
    for step, times in sorted(mine, key=_strength, reverse=True):
        rest = times if isinstance(step, GaussianStep) else _unplaced(step, times, left)
        if rest:
            if needed > budget or math.isinf(step.tail_mu):
                return False
            needed += _squares(step, rest)
    return needed <= budget


def _unplaced(step: Step, times: int, left: dict[Step, int]) -> int:
    """How many find no partner; the weakest that will do is taken first."""
    for partner, free in left.items():
        if free and step.within(partner):
            taken = min(times, free)
            times, left[partner] = times - taken, free - taken
        if not times:
            break
    return times


def _strength(pair: tuple[Step, int]) -> float:
    return pair[0].tail_mu


def _squares(step: Step, times: int) -> Fraction:
    """times mu^2, exactly; mu is an upper bound, and that of a Gaussian itself."""
    return times * Fraction(step.tail_mu) ** 2
