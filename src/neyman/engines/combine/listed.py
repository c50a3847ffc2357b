"""Profiles of discrete laws from their outcomes: from one list of them, or from two that compose to the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from neyman._errors import NotCertified
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.enumeration import parted
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.combine.before import BoundedProfile, one_of, towards
from neyman.engines.combine.beside.widened import WidenedProfile
from neyman.engines.combine.mixture import MixtureProfile
from neyman.engines.combine.staged import StagedProfile
from neyman.engines.lattice.cumulant import Cumulant
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteGaussianStep, DiscreteStep
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.exact.common_unit import common_unit
from neyman.profiles.pair import Direction, Pair
from neyman.profiles.profile import Profile

__all__ = ["apart", "deviation", "few_beside", "listed_and_rest", "lists", "outcome_by_outcome", "widened"]

_NEAR, _FEW = 24.0, 4.0  # deviations of what tells little within which it is asked, and outcomes there in the mean
_RARE = -98.0  # log of a mass that an outcome of a short list may have and be left out
# of the distance of outcomes, that counts as much as the tolerance; the least that is told apart
_PART, _FAINTEST = 0.1, 1e-9
# deviations, beside the largest, of what may be little, tolerance that will do for it, and deviations, beside the
# distance of outcomes, beyond which no lattice is asked for it at each of them
_LITTLE, _VAGUE, _CLOSE = 0.05, 1e-2, 0.02
# nominal nanoseconds of an eps, read at each outcome, from which a lattice of all is planned; eps read for what
# one of its tilts may cost: a question asks some hundred, and makes some ten
_DEAR, _ASKED = 2e7, 10.0

Losses = tuple[tuple[Step, int], ...]
Lattices = tuple[LatticeProfile, LatticeProfile]


def lists(tables: Sequence[tuple[Outcomes, int]]) -> tuple[Atoms, ...]:
    """The list of all outcomes, or two; nothing where they are too many, or floats cannot hold them: another engine
    then weighs its own laws.
    """
    try:
        return parted(tables)
    except NotCertified:
        return ()


def outcome_by_outcome(parts: tuple[Atoms, ...], directions: Sequence[Direction], tail_mu: float) -> Pair:
    """By one list, or by the longer one read at each outcome of the other; one profile stands for both directions."""
    ways = [direction == "remove" for direction in directions]
    if len(parts) == 1:
        sums: list[Profile] = [AtomsProfile(parts[0], remove, tail_mu) for remove in ways]
        return Pair.both(sums)
    outer, inner = parts
    sides = {remove: AtomsProfile(inner, remove, tail_mu) for remove in (True, False)}
    read = [MixtureProfile(outer, remove, sides[remove], sides[not remove], tail_mu) for remove in ways]
    return Pair.both(read)


def listed_and_rest(losses: Losses) -> tuple[Atoms, Losses] | None:
    """The discrete steps outcome by outcome, if there are any and one list holds them, and the other steps."""
    discrete = [(step, times) for step, times in losses if isinstance(step, DiscreteStep)]
    rest = tuple((step, times) for step, times in losses if not isinstance(step, DiscreteStep))
    parts = lists([(step.table().whole()[0], times) for step, times in discrete])
    return (parts[0], rest) if len(parts) == 1 else None


def few_beside(
    losses: Losses, tables: dict[DiscreteStep, Outcomes], directions: Sequence[Direction], tolerance: float,
    tail_mu: float, compose: Callable[[Losses], Pair], lattice: Callable[[], Lattices], short: int = 256,
) -> Pair | None:  # fmt: skip
    """Steps composed by themselves and read at each outcome of a short list that holds those of one kind, or all but
    discrete Gaussians, with a ``lattice`` of all behind them, or before where that costs less; None where there is no
    such list, or no contour, lattice of one kind, exact lattice or sum over rare outcomes to be read.
    """
    found = _shortest(losses, tables, short)
    if found is None:
        return None
    few, rest = found
    of_rest = compose(rest)
    remove = of_rest.forward
    own = remove.method == "lattice" and (len(rest) == 1 or _held(rest))
    if "lattice" in remove.method and not (own or isinstance(remove, StagedProfile)):
        return None
    read = [MixtureProfile(few, way == "remove", *of_rest.towards(way), tail_mu) for way in directions]
    both = Pair.both(read)
    behind = partial(_of_lattice, lattice)
    first, then = (behind(), lambda: both) if _dearer(both, lattice) else (both, behind)
    found = [BoundedProfile(first[i], partial(one_of, then, i), tolerance) for i in range(len(directions))]
    return Pair.both(found)


def _of_lattice(lattice: Callable[[], Lattices]) -> Pair:
    return Pair.both(lattice())


def _dearer(read: Pair, lattice: Callable[[], Lattices]) -> bool:
    """Whether what is read at each outcome costs more than a lattice of all that is as sharp, as planned."""
    labour = max(one.labour for one in read)
    return labour > _DEAR and _ASKED * labour > max(one.work for one in lattice())


def widened(
    losses: Losses, tables: dict[DiscreteStep, Outcomes], directions: Sequence[Direction], tolerance: float,
    tail_mu: float, compose: Callable[..., Pair], behind: Callable[[], Pair],
) -> Pair | None:  # fmt: skip
    """A list of outcomes beside steps that tell so little that few of them are near any eps, with another engine
    ``behind`` both; None where it is not so.
    """
    if len(losses) == 1:
        return None
    spread = [deviation((one,)) for one in losses]
    small = [one < _LITTLE * max(spread) for one in spread]
    rest = tuple(one for one, little in zip(losses, small, strict=True) if little)
    if not rest:
        return None
    parts = lists([
        (tables[step], times)
        for (step, times), little in zip(losses, small, strict=True)
        if isinstance(step, DiscreteStep) and not little
    ])  # fmt: skip
    if len(parts) != 1 or not apart(parts[0], rest):
        return None
    atoms, told = parts[0], deviation(rest)
    # what the rest adds is to delta about what it tells is to the distance of the outcomes
    share = told * len(atoms.loss) / float(np.ptp(atoms.loss))
    aim = min(tolerance * max(_PART / max(share, _FAINTEST), 1.0), _VAGUE)
    both = cache(partial(compose, rest, tolerance=aim))
    if share > _CLOSE and "lattice" in both()[0].method:
        return None
    found = [
        BoundedProfile(
            WidenedProfile(atoms, way == "remove", partial(towards, both, way), told, tail_mu),
            partial(one_of, behind, i),
            tolerance,
        )
        for i, way in enumerate(directions)
    ]
    return Pair.both(found)


def _held(losses: Losses) -> bool:
    """Whether a lattice holds all losses exactly."""
    laws = [step.bins() for step, _ in losses]
    units = [law.unit for law in laws if law.unit is not None and law.exact]
    return len(units) == len(laws) and common_unit(units) is not None


def _shortest(losses: Losses, tables: dict[DiscreteStep, Outcomes], short: int) -> tuple[Atoms, Losses] | None:
    """The shortest list of them, and the many other steps; None where each is long."""
    gaussians = tuple(one for one in losses if isinstance(one[0], DiscreteGaussianStep) and one[0].rate == 1.0)
    others = tuple(one for one in losses if one not in gaussians)
    # discrete Gaussians are served together
    ways = [gaussians, others, *(tuple(one for one in losses if one is not each) for each in others)]
    best: tuple[Atoms, Losses] | None = None
    for rest in ways:
        listed = [(step, times) for step, times in losses if (step, times) not in rest]
        if not listed or not rest:
            continue
        parts = lists([(tables[step], times) for step, times in listed if isinstance(step, DiscreteStep)])
        few = parts[0].trimmed(_RARE) if len(parts) == 1 else None
        if few is not None and len(few.loss) <= (short if best is None else len(best[0].loss) - 1):
            best = few, rest
    return best


def apart(atoms: Atoms, rest: Losses) -> bool:
    """Whether the rest tells so little that few outcomes are near any eps, for it."""
    width = float(np.ptp(atoms.loss))
    return len(atoms.loss) > 1 and deviation(rest) * _NEAR * len(atoms.loss) < _FEW * width


def deviation(rest: Losses) -> float:
    """Standard deviation of the loss of a composition, under P: it steers, it decides nothing."""
    return Cumulant(tuple((step.bins(), times) for step, times in rest), "remove").at(0.0).deviation
