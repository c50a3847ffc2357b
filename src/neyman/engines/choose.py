"""The one place that chooses an engine for a composition.

What reveals the record is set aside first. Then: a closed form where there is one; outcome by outcome where they can be
counted; a lattice for discrete laws that share one; else contours, with a lattice where they are not sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

from neyman.engines.atoms.enumeration import Atoms
from neyman.engines.atoms.gathered import gathered
from neyman.engines.closed_form.pairs import (
    BlatantProfile,
    PerfectProfile,
)
from neyman.engines.closed_form.single import single
from neyman.engines.combine.before import BoundedProfile, before, one_of
from neyman.engines.combine.beside.few_places import beside_less
from neyman.engines.combine.beside.narrow import beside, beside_discrete, hidden
from neyman.engines.combine.discrete_lines import behind_veils, whole_period
from neyman.engines.combine.enclosed import enclosed_profiles, unbundled
from neyman.engines.combine.fallback import BackedProfile
from neyman.engines.combine.infinite_mass import RevealedProfile, revealed_mass
from neyman.engines.combine.listed import (
    apart,
    deviation,
    few_beside,
    listed_and_rest,
    lists,
    outcome_by_outcome,
    widened,
)
from neyman.engines.combine.many_steps import LongProfile
from neyman.engines.combine.mixture import ShiftedProfile
from neyman.engines.combine.outward import outward_profiles
from neyman.engines.combine.total_variation import Meeting
from neyman.engines.contour.cumulant import Parts, Walk
from neyman.engines.contour.laws import stubborn, transform
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.rare.profile import rare_profiles
from neyman.engines.counts.beside import beside_loud
from neyman.engines.counts.faint import FaintProfile, Sampled, is_faint, magnified
from neyman.engines.counts.levels import by_jumps
from neyman.engines.lattice.profile import LatticeProfile
from neyman.engines.quickly import HARDLY, HINT, quickly
from neyman.engines.renyi.elementary import ElementaryProfile
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import EnclosedStep, ListedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.common_unit import common_unit
from neyman.numerics.norm import together
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Profile

__all__ = ["profiles"]

_MANY = 10**6  # steps from which an engine may have little to say: of strong compositions, or for rounding
_FEW, _SEVERAL = 4, 64  # distinct steps up to which a lattice is behind sampled Gaussians alone, and beside other laws
_OUTER = 1 << 12  # outcomes of the shorter of two lists from which short lines, where there are any, come first
_LISTED = 1 << 10  # outcomes up to which another profile is read at each
# nodes of lines beyond which a short lattice comes first, or lists are read at each outcome; log of the least delta
# that such lines usually serve
_LENGTHY, _USUAL = 12000, -30.0
_RARE = -90.0  # log of a mass that one of more outcomes may have and not be read at
_READ = 1 << 14  # the same of what tells something near few of them, and of what is quickly told but for Gaussians
_HANDFUL = 32  # outcomes up to which they come before contours of the whole
_STRONG = 30.0  # mu above which twice as long a lattice does not pay
_HIDDEN = 0.005  # tolerances, in deviations, within which what discrete steps tell hardly moves a delta above 1e-30
_OVER_LATTICE = 1 << 6  # the same where that is a lattice, and where one of all steps would be instead
_OVER_STUBBORN = 1 << 10  # the same where its transforms never die
_POINTS, _SMALL = 1 << 20, 1 << 18  # budget of a lattice, and of one behind sampled Gaussians alone
# shares of all effort that one contour, and all of them, are worth where a lattice is behind them, and where not
_BEHIND = 0.3, 0.4  # the same for what is behind short sums
_BACKED, _ALONE = (0.12, 0.5), (0.15, 1.0)

Losses = tuple[tuple[Step, int], ...]
Both = tuple[Profile, Profile]


def profiles(losses: Losses, tolerance: float, effort: Effort | None = None, enclosing: float | None = None) -> Both:
    """Certified profiles of a composition in the directions "remove" and "add" (one object twice where they agree).

    ``tolerance`` is the relative width aimed for of the bracket of delta(eps) wherever delta >= 1e-30; ``enclosing``
    that of the laws between which steps are enclosed (the same unless given).
    ``effort`` is what a question may cost (no limit unless given): beyond it brackets are wider.
    """
    effort = Effort() if effort is None else effort
    losses = unbundled(losses)
    if any(isinstance(step, EnclosedStep) for step, _ in losses):
        return _long_or_not(
            losses,
            lambda: enclosed_profiles(
                losses, enclosing or tolerance, partial(profiles, tolerance=tolerance, effort=effort)
            ),
            math.inf,
            tolerance,
        )
    below, above = (tuple((step.ends[side], times) for step, times in losses) for side in (0, 1))
    if below != above:  # parameters were rounded on the way: each side has its own
        return outward_profiles(profiles(below, tolerance, effort), profiles(above, tolerance, effort))
    tables = [(step, step.table(), times) for step, times in losses if isinstance(step, DiscreteStep)]
    wholes = {step: table.whole() for step, table, _ in tables}
    log_a, log_b = (math.fsum(times * wholes[step][1][side] for step, _, times in tables) for side in (0, 1))
    if log_a == -math.inf or log_b == -math.inf:  # nothing is shown under both
        return _twice(BlatantProfile())
    finite = {step: whole[0] for step, whole in wholes.items()}
    silent = {step for step, table in finite.items() if len(table.loss) == 1}
    rest = tuple((step, times) for step, times in losses if step not in silent)
    remove, add = _finite(rest, finite, tolerance, effort)
    if log_a == 0.0 and log_b == 0.0:
        return remove, add
    p_revealed, q_revealed = revealed_mass(log_a, tables, 0), revealed_mass(log_b, tables, 1)
    whole = RevealedProfile(remove, add, (log_a, log_b), p_revealed, tolerance)
    if remove is add and log_a == log_b:
        return whole, whole
    return whole, RevealedProfile(add, remove, (log_b, log_a), q_revealed, tolerance)


def _finite(losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, effort: Effort) -> Both:
    """The same of steps that reveal nothing."""
    if not losses:
        return _twice(PerfectProfile())
    alone = single(losses)
    if alone is not None:
        return alone
    tail_mu = together((step.tail_mu, times) for step, times in losses)
    # what is revealed has been set aside
    rest = tuple(
        (ListedStep(tables[step], step.symmetric), times)
        if isinstance(step, DiscreteStep) and max(step.table().infinite) > 0.0
        else (step, times)
        for step, times in losses
    )
    return _long_or_not(rest, lambda: _by_engine(losses, tables, tolerance, tail_mu, effort), tail_mu, tolerance)


def _long_or_not(losses: Losses, engine: Callable[[], Both], tail_mu: float, tolerance: float) -> Both:
    """What the engine says; of very many steps with the elementary bounds beside it."""
    if sum(times for _, times in losses) < _MANY:
        return engine()
    made = cache(engine)
    both = [
        LongProfile(partial(one_of, made, i), partial(ElementaryProfile, losses, i == 0, tail_mu), tail_mu, tolerance)
        for i in range(2)
    ]
    return _both(both[:1] if all(step.symmetric for step, _ in losses) else both)


def _by_engine(
    losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, tail_mu: float, effort: Effort
) -> Both:
    """By whichever engine serves."""
    symmetric = all(step.symmetric for step, _ in losses)
    directions = ("remove",) if symmetric else ("remove", "add")
    if all(isinstance(step, DiscreteStep) for step, _ in losses):
        parts = lists([(tables[step], times) for step, times in losses if isinstance(step, DiscreteStep)])
        if len(parts) == 2 and len(parts[0].loss) > _OUTER:
            lines = behind_veils(losses, directions, tolerance, tail_mu, effort)
            if lines is not None:
                return before(lines, cache(partial(outcome_by_outcome, parts, directions, tail_mu)), tolerance)
        if parts:
            return outcome_by_outcome(parts, directions, tail_mu)
    if any(is_faint(step) for step, _ in losses):
        return _faint(losses, tables, tolerance, tail_mu, effort)
    alone = cache(partial(_together, losses, tables, directions, tolerance, tail_mu, effort))
    parted = partial(_finite, tables=tables, tolerance=tolerance, effort=effort)
    if len(losses) == 1 and isinstance(losses[0][0], DiscreteStep):
        compose = partial(profiles, tolerance=tolerance, effort=effort)
        rest = effort.part(*_BEHIND)
        behind = cache(partial(_together, losses, tables, directions, tolerance, tail_mu, rest))
        found = by_jumps(*losses[0], tables[losses[0][0]], tolerance, tail_mu, effort, compose, behind)
        if found is not None:
            return found
    if (found := beside_loud(losses, tolerance, tail_mu, parted)) is not None:
        return before(found.both, None if found.sharp else alone, tolerance)
    listed = all(isinstance(step, DiscreteStep) for step, _ in losses)
    return (None if listed else beside_discrete(losses, tolerance, tail_mu, parted, alone)) or alone()


def _together(
    losses: Losses, tables: dict[DiscreteStep, Outcomes], directions: tuple[str, ...], tolerance: float, tail_mu: float,
    effort: Effort,
) -> Both:  # fmt: skip
    """All steps by one engine."""
    if all(isinstance(step, DiscreteStep) for step, _ in losses):
        lattice = cache(partial(_on_lattice, losses, directions, tolerance, effort))
        parted = partial(_finite, tables=tables, tolerance=tolerance, effort=effort)
        together = cache(lambda: (
            whole_period(losses, tolerance, tail_mu, effort)
            or few_beside(losses, tables, directions, tolerance, tail_mu, parted, lattice, _HANDFUL)
            or behind_veils(losses, directions, tolerance, tail_mu, effort)
            or few_beside(losses, tables, directions, tolerance, tail_mu, parted, lattice)
            or lattice()
        ))  # fmt: skip
        little = partial(_finite, tables=tables, effort=effort)
        return (
            widened(losses, tables, directions, tolerance, tail_mu, little, together)
            or beside_discrete(losses, tolerance, tail_mu, parted, together)
            or together()
        )
    if any(isinstance(step, ListedStep) for step, _ in losses):  # too long for a contour
        return _on_lattice(losses, directions, tolerance, effort)
    return _by_contour(losses, directions, tolerance, tail_mu, effort)


def _faint(
    losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, tail_mu: float, effort: Effort
) -> Both:
    """Steps in which the record hardly ever takes part, by what each shows alone; the others by their engine."""
    faint = tuple((step, times) for step, times in losses if is_faint(step))
    rest = tuple((step, times) for step, times in losses if not is_faint(step))
    others = _finite(rest, tables, tolerance, effort) if rest else (None, None)
    larger = None if rest else magnified(faint)
    large = None if larger is None else cache(partial(_finite, larger[0], {}, tolerance, effort))
    singles = [
        (single(((step, 1),)) or _one_listed(step, tables), step.rate, times)
        for step, times in faint
        if isinstance(step, Sampled)
    ]
    return _both([
        FaintProfile(
            [(None if both is None else both[i], rate, times) for both, rate, times in singles], others[i], tail_mu,
            None if large is None else partial(one_of, large, i), 0 if larger is None else larger[1],
        )
        for i in range(2)
    ])  # fmt: skip


def _one_listed(step: Step, tables: dict[DiscreteStep, Outcomes]) -> Both | None:
    """One discrete step, outcome by outcome."""
    if not isinstance(step, DiscreteStep):
        return None
    parts = lists([(tables[step], 1)])
    return outcome_by_outcome(parts, ("remove", "add"), step.tail_mu) if parts else None


def _by_contour(losses: Losses, directions: tuple[str, ...], tolerance: float, tail_mu: float, effort: Effort) -> Both:
    little = [(step, times) for step, times in losses if isinstance(step, DiscreteStep)]
    rest = tuple((step, times) for step, times in losses if not isinstance(step, DiscreteStep))
    behind = cache(lambda: _finite(rest, {}, tolerance, effort))
    if (found := hidden(little, rest, behind, directions, _HIDDEN * tolerance, tail_mu)) is not None:
        return found
    listed = listed_and_rest(losses)
    if listed is not None:
        if (found := beside(*listed, behind, directions, _HIDDEN * tolerance, tail_mu)) is not None:
            return found
        whole, listed = listed, (listed[0].trimmed(_RARE), rest)
        length, short = len(listed[0].loss), all(isinstance(step, GaussianStep) for step, _ in rest)
        quick = single(rest) is not None or _before_contours(rest, tolerance, tail_mu, effort) is not None
        bent = length <= _HANDFUL and rare_profiles(rest, tail_mu, effort) is not None
        if bent or (quick and length <= (_OVER_LATTICE if short else _READ)) or (length <= _READ and apart(*listed)):
            return _shifted(*listed, directions, tolerance, tail_mu, effort)  # read at each outcome
        if length > (_READ if short else _LISTED):
            if (found := beside(*whole, behind, directions, None, tail_mu)) is not None:
                return found
            listed = None
    found = _before_contours(losses, tolerance, tail_mu, effort)
    return found if found is not None else _contours(losses, listed, directions, tolerance, tail_mu, effort)


def _before_contours(losses: Losses, tolerance: float, tail_mu: float, effort: Effort) -> Both | None:
    directions = ("remove",) if all(step.symmetric for step, _ in losses) else ("remove", "add")
    contours = cache(lambda: _contours(losses, None, directions, tolerance, tail_mu, effort))
    return quickly(losses, tolerance, tail_mu, effort, contours)


def _contours(
    losses: Losses, listed: tuple[Atoms, Losses] | None, directions: tuple[str, ...], tolerance: float, tail_mu: float,
    effort: Effort,
) -> Both:  # fmt: skip
    """By contours: bent ones where the record hardly ever takes part, before lines or after them."""
    lines = cache(lambda: _lines(losses, listed, directions, tolerance, tail_mu, effort))
    found = rare_profiles(losses, tail_mu, effort)
    if found is None:
        return lines()
    first, bent = found
    return before(bent, lines, min(HARDLY * tolerance, HINT)) if first else before(lines(), lambda: bent, tolerance)


def _lines(
    losses: Losses, listed: tuple[Atoms, Losses] | None, directions: tuple[str, ...], tolerance: float, tail_mu: float,
    effort: Effort,
) -> Both:  # fmt: skip
    """By straight lines, with a lattice behind them, where the transforms fall."""
    mu = next((step.mu for step, _ in losses if isinstance(step, GaussianStep)), 0.0)
    laws = [(transform(step), times) for step, times in losses if not isinstance(step, GaussianStep)]
    steps = tuple((law, times) for law, times in laws if law is not None)
    plain = all(isinstance(step, (GaussianStep, SubsampledGaussianStep)) for step, _ in losses)
    small = len(losses) <= (_FEW if plain else _SEVERAL)
    if len(steps) < len(laws) or (mu == 0.0 and stubborn(steps)):
        if listed is None or len(listed[0].loss) > _OVER_STUBBORN:
            lattice = cache(partial(_on_lattice, losses, directions, tolerance, effort))
            return _less(losses, tolerance, tail_mu, effort, lattice) or lattice()
        return _shifted(*listed, directions, tolerance, tail_mu, effort)
    parts = Parts(steps, mu, "remove")
    each = effort.part(*(_BACKED if small else _ALONE))
    if len(directions) == 1:
        contours = [ContourProfile(parts, Walk.along(parts), tail_mu, each)]
    else:
        pair = zip((parts, parts.reversed), Walk.pair(parts), strict=True)
        contours = [ContourProfile(law, walk, tail_mu, each) for law, walk in pair]
    short = plain or all(contour.within(_LENGTHY, _USUAL) for contour in contours)
    meeting = Meeting(contours[0], contours[-1])
    size = _SMALL if plain else _POINTS
    longest = 2 * _POINTS if tail_mu <= _STRONG and not plain else _POINTS
    lattices = [cache(partial(LatticeProfile, losses, way, tolerance, longest, effort)) for way in directions]
    if listed is not None and not short and max(lattice().points for lattice in lattices) > _SMALL:
        return _shifted(*listed, directions, tolerance, tail_mu, effort)
    backed = [
        BackedProfile(contour, meeting, lattice if small else None, tolerance, size, effort)
        for contour, lattice in zip(contours, lattices, strict=True)
    ]
    if short or not small:
        return _both(backed)
    lined = cache(partial(_lattice_or_lines, lattices, backed, tolerance))
    return _less(losses, tolerance, tail_mu, effort, lined) or lined()


def _lattice_or_lines(
    lattices: Sequence[Callable[[], LatticeProfile]], backed: Sequence[BackedProfile], tolerance: float
) -> Both:
    """Lines that are long, after lattices that are not."""
    if max(lattice().points for lattice in lattices) >= _POINTS:
        return _both(backed)
    return _both([
        BoundedProfile(lattice(), partial(one_of, lambda: (backed[0], backed[-1]), i), tolerance)
        for i, lattice in enumerate(lattices)
    ])  # fmt: skip


def _less(losses: Losses, tolerance: float, tail_mu: float, effort: Effort, engine: Callable[[], Both]) -> Both | None:
    """The same where some tell so much less than others that these are read at few places."""
    tables = {step: step.table().whole()[0] for step, _ in losses if isinstance(step, DiscreteStep)}
    return beside_less(losses, tolerance, tail_mu, partial(_finite, tables=tables, effort=effort), engine)


def _shifted(
    atoms: Atoms, rest: Losses, directions: tuple[str, ...], tolerance: float, tail_mu: float, effort: Effort
) -> Both:
    """The rest, read at each outcome where it tells something."""
    remove, add = _finite(rest, {}, tolerance, effort)
    spread = deviation(rest)
    pairs = {"remove": (remove, add), "add": (add, remove)}
    return _both([ShiftedProfile(atoms, way == "remove", *pairs[way], tail_mu, spread) for way in directions])


def _on_lattice(losses: Losses, directions: tuple[str, ...], tolerance: float, effort: Effort) -> Both:
    tail_mu = together((step.tail_mu, times) for step, times in losses)
    few = tuple(one for step, times in losses for one in gathered(step, times))
    if few != losses:  # cheap enough for epsilon, too, of which delta may know less than of itself
        losses, tolerance = few, 0.5 * tolerance
    discrete = [(step.table().unit, times) for step, times in losses if isinstance(step, DiscreteStep)]
    units = [unit for unit, _ in discrete if unit is not None]
    loose = sum(times for unit, times in discrete if unit is None or common_unit(units) is None)
    # outcomes that no lattice holds are divided between two points of one, each time they are counted
    points = 2 * _POINTS if loose else _POINTS
    return _both([LatticeProfile(losses, direction, tolerance, points, effort, tail_mu) for direction in directions])


def _both(found: Sequence[Profile]) -> Both:
    """Both directions; one profile stands for both."""
    return found[0], found[-1]


def _twice(profile: Profile) -> Both:
    return profile, profile
