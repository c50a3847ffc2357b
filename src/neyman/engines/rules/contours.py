"""Rules for steps whose losses are smooth, and lists beside them: contours, with a lattice where they are not sharp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from neyman.engines.closed_form.single import single
from neyman.engines.combine.before import BoundedProfile, before, one_of
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.combine.total_variation import TotalVariation
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.laws import stubborn, transforms
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.rare.rarity import seldom
from neyman.engines.rules.composition import Composition, Losses, Rule, sure
from neyman.engines.rules.discrete import POINTS, on_lattice
from neyman.engines.rules.quickly import HARDLY, HINT, quickly
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.profiles.pair import Direction, Pair

if TYPE_CHECKING:
    from neyman.engines.atoms.atoms import Atoms
    from neyman.engines.lattice.profile import LatticeProfile

    Listed = tuple[Atoms, Losses]

__all__ = ["contours_or_lattice", "lists_beside"]

_FEW, _SEVERAL = 4, 64  # distinct steps up to which a lattice is behind sampled Gaussians alone, and beside other laws
_LISTED = 1 << 10  # outcomes up to which another profile is read at each
# nodes of lines beyond which a short lattice comes first, or lists are read at each outcome; log of the least delta
# that such lines usually serve
_LENGTHY, _USUAL = 12000, -30.0
_RARE = -90.0  # log of a mass that one of more outcomes may have and not be read at
_READ = 1 << 14  # the same of what tells something near few of them, and of what is quickly told but for Gaussians
_HANDFUL = 32  # outcomes up to which they come before contours of the whole, or a lattice of it
_STRONG = 30.0  # mu above which twice as long a lattice does not pay
_HIDDEN = 0.005  # tolerances, in deviations, within which what discrete steps tell hardly moves a delta above 1e-30
_OVER_LATTICE = 1 << 6  # the same where that is a lattice, and where one of all steps would be instead
_OVER_STUBBORN = 1 << 10  # the same where its transforms never die
_SMALL = 1 << 18  # budget of a lattice behind sampled Gaussians alone
# shares of all effort that one contour, and all of them, are worth where a lattice is behind them, and where not
_BACKED, _ALONE = (0.12, 0.5), (0.15, 1.0)


def lists_beside(rest: Rule) -> Rule:
    """Lists that tell next to nothing beside what else there is, or beside which that tells next to nothing; ``rest``
    bounds all of them where that is not sharp.
    """

    def rule(c: Composition) -> Pair | None:
        if c.discrete or not c.lists:
            return None
        from neyman.engines.combine.beside.narrow import beside_discrete

        return beside_discrete(c.losses, c.tolerance, c.tail_mu, c.compose, cache(sure(rest, c)))

    return rule


def contours_or_lattice(c: Composition) -> Pair:
    """Any steps: what hides a list, what is read at each outcome of one, what is quickly told, contours."""
    if not c.lists:
        return _quickly(c) or _contours(c, None)
    from neyman.engines.combine.beside.narrow import beside, hidden
    from neyman.engines.combine.listed import listed_and_rest

    rest = tuple((step, times) for step, times in c.losses if not isinstance(step, DiscreteStep))
    behind = cache(partial(c.compose_smooth, rest))
    if (found := hidden(c.lists, rest, behind, c.directions, _HIDDEN * c.tolerance, c.tail_mu)) is not None:
        return found
    listed = listed_and_rest(c.losses)
    if listed is not None:
        if (found := beside(*listed, behind, c.directions, _HIDDEN * c.tolerance, c.tail_mu)) is not None:
            return found
        whole, listed = listed, (listed[0].trimmed(_RARE), rest)
        length = len(listed[0].loss)
        if _read_at_each(c.part(rest), listed):
            return _averaged(c, listed)
        if length > (_READ if _plain(rest) else _LISTED):
            if (found := beside(*whole, behind, c.directions, None, c.tail_mu)) is not None:
                return found
            listed = None
    return _quickly(c) or _contours(c, listed)


def _plain(losses: Losses) -> bool:
    return all(isinstance(step, GaussianStep) for step, _ in losses)


def _read_at_each(rest: Composition, listed: Listed) -> bool:
    """Whether the ``rest`` is read at each outcome of a list: it is quickly told, or few are near any eps."""
    length = len(listed[0].loss)
    if length <= _HANDFUL and seldom(rest.losses) is not None:
        return True
    from neyman.engines.combine.listed import apart

    quick = single(rest.losses) is not None or _quickly(rest) is not None
    if quick and length <= (_OVER_LATTICE if _plain(rest.losses) else _READ):
        return True
    return length <= _READ and apart(*listed)


def _quickly(c: Composition) -> Pair | None:
    return quickly(c.losses, c.tolerance, c.tail_mu, c.effort, partial(_contours, c, None))


def _contours(c: Composition, listed: Listed | None) -> Pair:
    """By contours: bent ones where the record hardly ever takes part, before lines or after them."""
    rare = seldom(c.losses)
    if rare is None:
        return _lines(c, listed)
    lines = cache(partial(_lines, c, listed))
    from neyman.engines.contour.rare.profile import rare_profiles

    bent = Pair.both(rare_profiles(rare.step, rare.times, c.tail_mu, c.effort))
    if rare.first:
        return before(bent, lines, min(HARDLY * c.tolerance, HINT))
    return before(lines(), lambda: bent, c.tolerance)


def _lines(c: Composition, listed: Listed | None) -> Pair:
    """By straight lines, with a lattice behind them, where the transforms fall."""
    mu = next((step.mu for step, _ in c.losses if isinstance(step, GaussianStep)), 0.0)
    others = [(step, times) for step, times in c.losses if not isinstance(step, GaussianStep)]
    laws = transforms([step for step, _ in others])
    steps = tuple((law, times) for law, (_, times) in zip(laws, others, strict=True) if law is not None)
    if len(steps) < len(laws) or (mu == 0.0 and stubborn(steps)):
        if listed is not None and len(listed[0].loss) <= _OVER_STUBBORN:
            return _mixture(c, listed)
        return _less(c, cache(lambda: Pair.both(on_lattice(c))))
    plain = all(isinstance(step, (GaussianStep, SubsampledGaussianStep)) for step, _ in c.losses)
    small = len(c.losses) <= (_FEW if plain else _SEVERAL)
    contours = _along(c, Parts(steps, mu, "remove"), small)
    short = plain or all(contour.within(_LENGTHY, _USUAL) for contour in contours)
    longest = 2 * POINTS if c.tail_mu <= _STRONG and not plain else POINTS
    lattices: list[Callable[[], LatticeProfile]] = [partial(_lattice, c, way, longest) for way in c.directions]
    if not short:  # else nobody asks but the profile itself
        lattices = [cache(lattice) for lattice in lattices]
    if listed is not None and not short and max(lattice().points for lattice in lattices) > _SMALL:
        return _mixture(c, listed)
    meeting = TotalVariation(contours[0], contours[-1])
    size = _SMALL if plain else POINTS
    backed = [
        FallbackProfile(contour, meeting, lattice if small else None, c.tolerance, size, c.effort)
        for contour, lattice in zip(contours, lattices, strict=True)
    ]
    if short or not small:
        return Pair.both([*backed])
    return _less(c, cache(partial(_lattice_or_lines, lattices, backed, c.tolerance)))


def _lattice(c: Composition, way: Direction, points: int) -> LatticeProfile:
    """That of one direction."""
    from neyman.engines.lattice.profile import LatticeProfile

    return LatticeProfile(c.losses, way, c.tolerance, points, c.effort)


def _along(c: Composition, parts: Parts, small: bool) -> list[ContourProfile]:
    """The contours of each direction."""
    each = c.effort.part(*(_BACKED if small else _ALONE))
    if len(c.directions) == 1:
        return [ContourProfile(parts, Walk.along(parts), c.tail_mu, each)]
    return [*ContourProfile.pair(parts, c.tail_mu, each)]


def _lattice_or_lines(
    lattices: Sequence[Callable[[], LatticeProfile]], backed: Sequence[FallbackProfile], tolerance: float
) -> Pair:
    """Lines that are long, after lattices that are not."""
    if max(lattice().points for lattice in lattices) >= POINTS:
        return Pair.both([*backed])
    return Pair.both([
        BoundedProfile(lattice(), partial(one_of, lambda: Pair.both(backed), i), tolerance)
        for i, lattice in enumerate(lattices)
    ])  # fmt: skip


def _less(c: Composition, engine: Callable[[], Pair]) -> Pair:
    """The ``engine``, where no steps tell so much less than others that these are read at few places."""
    from neyman.engines.combine.beside.few_places import beside_less

    tables = {step: step.table().whole()[0] for step, _ in c.lists}
    parted = partial(c.finite, tables=tables, effort=c.effort)
    return beside_less(c.losses, c.tolerance, c.tail_mu, parted, engine) or engine()


def _averaged(c: Composition, listed: Listed) -> Pair:
    """The rest, read at each outcome; of many after a lattice of all, if that is not too long, where lattices
    serve the rest: its curve bends sharply where its losses end, which these meet at each outcome, and one of all
    averages.
    """
    read = _mixture(c, listed)
    if len(listed[0].loss) <= _HANDFUL or any(one.method != "exact sum over lattice" for one in read):
        return read
    lattices = on_lattice(c)
    if max(one.points for one in lattices) >= POINTS:
        return read
    ways = range(len(c.directions))
    return Pair.both([BoundedProfile(lattices[i], partial(one_of, lambda: read, i), c.tolerance) for i in ways])


def _mixture(c: Composition, listed: Listed) -> Pair:
    """The rest, read at each outcome where it tells something."""
    from neyman.engines.combine.listed import deviation
    from neyman.engines.combine.mixture import MixtureProfile

    atoms, rest = listed
    of_rest, spread = c.compose_smooth(rest), deviation(rest)
    return Pair.both([
        MixtureProfile(atoms, way == "remove", *of_rest.towards(way), c.tail_mu, spread) for way in c.directions
    ])  # fmt: skip
