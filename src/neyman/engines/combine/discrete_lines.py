"""Discrete laws by contours, where their lines are short: along one period of the transform, or behind a thin veil."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from neyman.engines.atoms.gathered import gathered
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.combine.smoothed import THIN, VEIL, SmoothedProfile
from neyman.engines.combine.total_variation import TotalVariation
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.truncation.period import folded
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from neyman.losses.discrete.transform import DiscreteTransform
from neyman.losses.readings.transform import Transform
from neyman.numerics.exact.common_unit import common_unit
from neyman.numerics.rounding import SLIGHT
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Direction, Pair

__all__ = ["behind_smoothing", "whole_period"]

_POINTS = 1 << 20  # budget of the lattice behind
# deviations of a step, times outcomes, in that of the whole beyond which returns are too many; of few steps off any
# lattice, which a lattice divides at little cost, it takes less
_RETURNING, _OF_FEW, _FEW = 400.0, 10.0, 32
# outcomes listed for each that weighs something, and e-folds that few steps fall by far out if they are to go by lines
_SPREAD, _FALLEN = 5.0, 26.0
_LISTED = 1 << 16  # outcomes of all steps, each of which a walk weighs some hundred times
_SPARSE = 20000  # nodes that their lines may have, all of them, unless they are as cheap and sharp
_ASKED, _LEAST, _PLACES = -69.0, 1e-30, 12  # log of the least delta held to the tolerance, it, and where that is seen

Losses = tuple[tuple[Step, int], ...]


def whole_period(losses: Losses, tolerance: float, tail_mu: float, effort: Effort) -> Pair | None:
    """Discrete Gaussians on one lattice, where lines along one period of their transform are short."""
    laws = [(transform(step), times) for step, times in losses]
    moved = folded([(law, times) for law, times in laws if isinstance(law, DiscreteGaussianTransform)])
    if moved is None or len(moved[0]) < len(laws):
        return None
    contour = ContourProfile(Parts(*moved[:1], 0.0, "remove", moved[1]), None, tail_mu, effort)
    if not contour.short:
        return None
    lattice = partial(LatticeProfile, losses, "remove", tolerance, effort=effort)
    profile = FallbackProfile(contour, TotalVariation(contour, contour), lattice, tolerance, _POINTS)
    return Pair.both([profile])


def behind_smoothing(
    losses: Losses, directions: Sequence[Direction], tolerance: float, tail_mu: float, effort: Effort
) -> Pair | None:
    """Discrete laws without a common lattice, where their transforms return to full size one by one, or hardly ever."""
    units = [step.table().unit for step, _ in losses if isinstance(step, DiscreteStep)]
    if None not in units and common_unit([unit for unit in units if unit is not None]) is not None:
        return None
    laws = [(transform(step), times) for step, times in losses]
    steps = tuple((law, times) for law, times in laws if law is not None)
    if len(steps) < len(laws):
        return None
    gaussians = len(Parts(steps, VEIL, "remove").discrete_gaussians)
    thin = None if gaussians == len(steps) else _thin(steps)
    contours = None if thin is None else _two_veils(steps, thin, tail_mu, effort, _SPARSE)
    veil = VEIL if thin is None or contours is None else thin
    if contours is None and gaussians:
        contours = _two_veils(steps, VEIL, tail_mu, effort, None)
    if contours is None:
        return None
    meetings = [TotalVariation(*(both if len(directions) > 1 else both[:1] * 2)) for both in contours]
    ends = [sum(times * law.largest(remove) for law, times in steps) * (1.0 + SLIGHT) for remove in (True, False)]

    def veiled(i: int, lattice: Callable[[], LatticeProfile] | None) -> SmoothedProfile:
        near, far = ((both[i], meeting) for both, meeting in zip(contours, meetings, strict=True))
        return SmoothedProfile(near, far, lattice, tolerance, _POINTS, veil, ends[i])

    many = not all(one.within(_SPARSE) for one in contours[1])
    if many and not all(_sharp(veiled(i, None), contours[0][i], tolerance) for i in range(len(directions))):
        return None
    few = tuple(one for step, times in losses for one in gathered(step, times))
    lattices = (partial(LatticeProfile, few, way, tolerance, effort=effort) for way in directions)
    found = [veiled(i, lattice) for i, lattice in enumerate(lattices)]
    return Pair.both(found)


def _sharp(profile: SmoothedProfile, contour: ContourProfile, tolerance: float) -> bool:
    """Whether it is where its contour stands, at every delta that is held to the tolerance."""
    bracket = profile.bracket(contour.stands(_ASKED, _PLACES))
    return bool(np.all((bracket.upper - bracket.lower <= tolerance * bracket.upper) | (bracket.upper < _LEAST)))


def _two_veils(
    steps: tuple[tuple[Transform, int], ...], veil: float, tail_mu: float, effort: Effort, nodes: float | None
) -> list[tuple[ContourProfile, ContourProfile]] | None:
    """Both directions behind each of two veils; None where their lines have more ``nodes`` than that, or where those of
    the first direction are not short.
    """
    contours: list[tuple[ContourProfile, ContourProfile]] = []
    for parts in (Parts(steps, veil, "remove"), Parts(steps, 2.0 * veil, "remove")):
        remove, add = (
            ContourProfile(one, walk, tail_mu, effort)
            for one, walk in zip((parts, parts.reversed), Walk.pair(parts), strict=True)
        )
        if not (remove.short if nodes is None else remove.light(nodes) and add.light(nodes)):
            return None
        contours.append((remove, add))
    return contours


def _thin(steps: tuple[tuple[Transform, int], ...]) -> float | None:
    """The mu of a veil that costs next to nothing; None where far too much of a line would have to be looked at: about
    as many deviations of the whole as the veil is thinner than it, times the outcomes, over that of one step.
    """
    middle = np.array([0.5])
    each = [float(law.moments(middle).variance[0]) for law, _ in steps]
    whole = math.sqrt(sum(times * one for (_, times), one in zip(steps, each, strict=True)))
    listed = [len(law.table.loss) for law, _ in steps if isinstance(law, DiscreteTransform)]
    if sum(listed) > _LISTED:
        return None
    terms = sum(law.terms(0.5, 0.0) for law, _ in steps)
    bent = [(law, times) for law, times in steps if isinstance(law, DiscreteTransform) and law.table.unit is None]
    loose = sum(times for _, times in bent)
    # many outcomes that share no lattice point everywhere, far out: |A| is about one over the root of their number
    fallen = sum(0.5 * times * math.log(max(law.terms(0.5, 0.0) / _SPREAD, 1.0)) for law, times in bent)
    returning = _OF_FEW if loose <= _FEW and fallen < _FALLEN else _RETURNING
    return THIN * whole if terms * math.sqrt(max(each)) <= returning * whole else None
