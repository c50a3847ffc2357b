"""From losses to the guarantee of their composition: by their laws, and by what is stated of their Renyi divergences.

A curve known by Renyi divergences composes in two ways, and neither is always the better one: the laws whose curves
they are do (tensor product), and the divergences add. Both hold, hence so does the largest trade-off curve of both.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from neyman.engines.choose import profiles
from neyman.engines.combine.enclosed import OwnProfile, unbundled
from neyman.engines.combine.told_alone import beside_alone
from neyman.guarantees.computed import ComposedGuarantee
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

if TYPE_CHECKING:
    from neyman.guarantees.given.rdp import RDP, ZCDP

__all__ = ["composition"]

_ENCLOSED = 1e-2  # that values are held to where a curve is known by bounds alone
# how finely stated curves are enclosed: this relative width at delta = 1e-30 is 1e-4 of a delta of 0.1, and below that
# the sum of the divergences says more than the curves do
_STATED = 1e-2

Losses = tuple[tuple[Step, int], ...]


def composition(
    losses: Losses,
    adjacency: str,
    aim: float,
    allowed: Effort,
    loose: bool = False,
    mechanism: Mechanism | None = None,
) -> ComposedGuarantee:
    """Return the guarantee of ``losses``, of which a relative width of ``aim`` is sought with the effort ``allowed``.

    Values are held to it too; if ``loose``, only to 1e-2 where curves are enclosed. Where divergences are stated, they
    are handed out as those of one statement are: by the certified upper bound, whatever the width.
    """
    open_ = unbundled(losses)
    regions = _regions(open_)
    few, enclosing = _gathered(open_, aim) if regions else (open_, aim)
    remove, add = profiles(few, aim, allowed, enclosing)
    both = beside_alone(few, remove, add, partial(profiles, tolerance=aim, effort=allowed))
    remove, add = _within(both, regions) if regions else both
    enclosed = loose and any(isinstance(step, EnclosedStep) for step, _ in open_)
    held = max(aim, _ENCLOSED) if enclosed and not regions else aim
    less = _attained(open_) if regions else _strongest(open_)
    alone = None if less == open_ else partial(composition, less, adjacency, aim, allowed)
    return ComposedGuarantee(remove, add, adjacency, held, losses, mechanism, allowed, held=not regions, alone=alone)


def _gathered(losses: Losses, aim: float) -> tuple[Losses, float]:
    """Steps of which divergences alone are known in blocks, if they are many; how finely curves are enclosed."""
    from neyman.guarantees.algebra.blocks import in_blocks, stated_alone

    plain = all(stated_alone(step) for step, _ in losses if isinstance(step, EnclosedStep))
    return in_blocks(losses), max(aim, _STATED) if plain else aim


def _within(both: Pair, regions: tuple[Pair, ...]) -> Pair:
    """What all of them promise."""
    from neyman.guarantees.envelope.profile import EnvelopeProfile

    remove, add = both
    first = EnvelopeProfile((Pair(remove, add), *regions), rough=True)
    return Pair(first, first if remove is add else EnvelopeProfile((Pair(add, remove), *regions), rough=True))


def _strongest(losses: Losses) -> Losses:
    """The kind of steps that promises least: all of them promise no more."""
    return (max(losses, key=lambda one: math.sqrt(one[1]) * one[0].tail_mu),) if losses else ()


def _attained(losses: Losses) -> Losses:
    """``losses`` with a Gaussian, which keeps the bounds, for each step of which bounds on divergences alone are known.

    What it tells is no more than what is stated may tell, of the curves and of the sums of their divergences.
    """
    from neyman.engines.region.profile import RegionProfile
    from neyman.guarantees.algebra.blocks import stated_alone

    found: list[tuple[Step, int]] = []
    for step, times in losses:
        known = step.forward if isinstance(step, EnclosedStep) and stated_alone(step) else None
        found.append((GaussianStep(known.attained_mu) if isinstance(known, RegionProfile) else step, times))
    return unbundled(tuple(found))


def _regions(losses: Losses) -> tuple[Pair, ...]:
    """What is left by the divergences that are stated, added to those of the other steps."""
    if sum(times for _, times in losses) == 1:  # its curve says it all
        return ()
    if not any(isinstance(step, EnclosedStep) for step, _ in losses):  # no other states any
        return ()
    from neyman.engines.renyi.composition import CompositionDivergence
    from neyman.guarantees.given.rdp import LARGEST_RHO, RDP, ZCDP

    stated = CompositionDivergence(losses, (True, False)).statement
    if stated is None:
        return ()
    found: list[Pair] = []
    if 0.0 < stated.rho <= LARGEST_RHO:
        found.append(_sides(ZCDP(stated.rho)))
    orders = stated.orders
    if len(orders):
        bounds = stated.bound(orders)
        known = (bounds > 0.0) & (bounds <= LARGEST_RHO)
        if np.any(known):
            found.append(_sides(RDP(orders[known], bounds[known])))
    return tuple(found)


def _sides(given: ZCDP | RDP) -> Pair:
    from neyman.guarantees.given.rdp import ZCDP

    profile: Profile = OwnProfile(given.sides.forward, given) if isinstance(given, ZCDP) else given.sides.forward
    return Pair(profile, profile)
