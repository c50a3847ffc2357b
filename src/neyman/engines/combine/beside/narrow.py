"""A law A beside one, B, that tells hardly anything: A itself, read a little earlier. Either may be the list.

For every e > 0, with tau = P_B(L > e), and since q_B >= e^{-e} p_B where L_B <= e,

    1 - delta(eps) = int min(p_A p_B, e^eps q_A q_B) >= (1 - tau) (1 - delta_A(eps - e)),

while delta(eps) >= delta_A(eps), for no composition is more private than its part. And tau is at most e^{K_B(c) - c e}
for every c > 0 (Chernoff), and delta_B(e / 2) / (1 - e^{-e / 2}).

Where delta_A bends little within the losses of B, that is sharper by an order (``BesideLittle``). With y = e^eps, r =
dP_B/dQ_B and

    phi(r) = int (r p_A - y q_A)+ = r delta_A(y / r),    delta(eps) = E_{Q_B}[phi(r)],

phi is convex, rises, and no steeper than 1: for every h in (0, 1), with the chords D+ from 1 to 1 + h and D- from 1 - h
to 1, phi(r) <= phi(1) + (r - 1) D- + (r - 1)+ (D+ - D-) within 1 +- h, and beyond by no more than |r - 1| above that.
As E r = 1, or less, and E (r - 1)+ = delta_B(0),

    delta(eps) <= delta_A(eps) + (D+ - D-) delta_B(0) + t,
    t = 2 delta_B(log(1 + h/2)) + 2 (1 - h/2) delta_B'(-log(1 - h/2)),

B' the reversal of B: (r - 1) <= 2 (r - 1 - h/2)+ where r > 1 + h, and likewise below. And g(r) = r - phi(r) is concave,
from 0, so that with its chords 1 - delta(eps) >= (1 - t) (1 - delta_A(eps)) - (G- - G+) delta_B(0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.combine.before import BoundedProfile, one_of
from neyman.engines.contour.cumulant import WALKED, Walk
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import ROUNDED
from neyman.engines.lattice.cumulant import Cumulant
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import ListedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.numerics.rounding import ROOM, SLIGHT, SMALLEST, UNIT
from neyman.profiles.pair import DIRECTIONS, Direction, Pair
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import bracket_at

__all__ = ["BesideLittle", "NarrowProfile", "beside", "beside_discrete", "hidden", "margins", "tails"]

Faint = tuple[list[tuple[float, float]], float]  # margins, and the largest loss

_TRIED = np.geomspace(1e-14, 10.0, 256)  # losses that are tried as the room of what tells little: any will do
_GOALS = (1e-12, 1e-24, 1e-40)  # of tau
_TOLD = 1e-2  # total loss beyond which nobody asks whether it is hidden
_POINTS = 1 << 20  # of the longest lattice
_NEXT_TO_NOTHING = 3e-4  # of the deviation of the others, that of steps which bend their curve by less than 1e-6
_SPREADS = np.array([8.0, 16.0, 24.0, 32.0, 48.0])  # h, in units of delta_B(0): of a Gaussian .4 deviations


def margins(faint: Profile) -> list[tuple[float, float]]:
    """A few e with bounds on their tau, the least first; none where even tau <= 1e-12 takes a large e.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> [f"{e:.0e}" for e, _ in margins(GaussianProfile(1e-6))]
    ['1e-05', '2e-05', '3e-05']
    """
    half = 0.5 * _TRIED
    return _first(faint.bracket(half).upper / -np.expm1(-half) * (1.0 + 8.0 * UNIT))


def tails(walk: Walk) -> list[tuple[float, float]]:
    """The same by Chernoff, from a walk along the cumulant of the faint steps: no line is needed.

    Examples
    --------
    >>> from neyman.engines.contour.parts import Parts
    >>> [f"{e:.0e}" for e, _ in tails(Walk.along(Parts((), 1e-6, "remove")))]
    ['8e-06', '1e-05', '2e-05']
    """
    right = walk.c > 0.0
    c, k = walk.c[right], walk.k[right]
    pull = np.multiply.outer(_TRIED, c)
    log_tail = np.logaddexp(k - pull + ROUNDED * (np.abs(k) + pull) + WALKED, walk.log_lost[right])
    with np.errstate(under="ignore"):
        return _first(np.exp(np.minimum(log_tail.min(axis=1), 0.0)) * (1.0 + ROOM) + SMALLEST)


def _first(tau: FloatArray) -> list[tuple[float, float]]:
    """Where bounds on tau at each e that is tried meet the goals first."""
    first = [int(np.argmax(tau <= goal)) for goal in _GOALS if bool(np.any(tau <= goal))]
    return [(float(_TRIED[i]), float(tau[i])) for i in sorted(set(first))]


class NarrowProfile(Profile):
    """``law``, whose reversal is ``backward``, beside steps of which ``known`` are the ``margins`` and ``end`` is the
    largest loss.
    """

    def __init__(
        self, law: Profile, backward: Profile, end: float, known: list[tuple[float, float]], tail_mu: float
    ) -> None:
        self._law, self._backward, self._known, self._tail_mu = law, backward, known, tail_mu
        self._end = (law.end + end) * (1.0 + 4.0 * UNIT)

    @property
    def method(self) -> str:
        return self._law.method

    @property
    def end(self) -> float:
        return self._end

    @property
    def knots(self) -> FloatArray:
        return self._law.knots

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._law.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        own = self._law.bracket(epsilon)
        upper, low = np.ones(len(epsilon)), np.full(len(epsilon), -np.inf)
        for e, tau in self._known:
            early = bracket_at(self._law, self._backward, epsilon - e - 8.0 * UNIT * (epsilon + e))
            upper = np.minimum(upper, (early.upper + tau) * (1.0 + 4.0 * UNIT))
            low = np.maximum(low, (early.log_gap_lower + np.log1p(-tau)) * (1.0 + 4.0 * UNIT) - UNIT * tau)
        ended = epsilon >= self._end
        upper, low = np.where(ended, 0.0, upper), np.where(ended, 0.0, low)
        lower, high = np.where(ended, 0.0, own.lower), np.where(ended, 0.0, own.log_gap_upper)
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)


class BesideLittle(Profile):
    """``law``, whose reversal is ``backward``, beside steps of the profiles ``little`` (this direction, the other).

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> law, little = GaussianProfile(1.0), GaussianProfile(1e-5)
    >>> b = BesideLittle(law, law, (little, little), 2.0).bracket(np.array([1.0]))
    >>> bool(b.lower[0] <= GaussianProfile(math.hypot(1.0, 1e-5)).bracket(np.array([1.0])).upper[0])
    True
    >>> bool(b.upper[0] - b.lower[0] < 1e-8 * b.upper[0])
    True
    """

    def __init__(self, law: Profile, backward: Profile, little: Pair, tail_mu: float) -> None:
        self._law, self._backward, self._little, self._tail_mu = law, backward, little, tail_mu

    @property
    def method(self) -> str:
        return self._law.method

    @property
    def end(self) -> float:
        return (self._law.end + self._little[0].end) * (1.0 + 4.0 * UNIT)

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @cached_property
    def _known(self) -> tuple[float, list[tuple[float, float]]]:
        """delta_B(0), and a few h with bounds on their t."""
        told = float(self._little[0].bracket(np.zeros(1)).upper[0])
        h = np.clip(_SPREADS * told, 0.0, 0.5)
        h = np.unique(h[h > 0.0])
        above = self._little[0].bracket(np.log1p(0.5 * h) * (1.0 - 4.0 * UNIT)).upper
        below = (1.0 - 0.5 * h) * self._little[1].bracket(-np.log1p(-0.5 * h) * (1.0 - 4.0 * UNIT)).upper
        return told, list(zip(h.tolist(), (2.0 * (above + below) * (1.0 + 8.0 * UNIT)).tolist(), strict=True))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._law.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, False)

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, True)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self.sharp_within(epsilon, *goals)

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self.sharp_within(epsilon, least())

    def _bounds(self, epsilon: FloatArray, rough: bool) -> Bracket:
        own = self._law.rough(epsilon) if rough else self._law.bracket(epsilon)
        told, known = self._known
        upper, low = np.ones(len(epsilon)), np.full(len(epsilon), -np.inf)
        slack = 8.0 * UNIT * (1.0 + epsilon)
        for h, t in known:
            if not t < 1.0:
                continue
            more = bracket_at(self._law, self._backward, epsilon - math.log1p(h) - slack, rough)
            less = bracket_at(self._law, self._backward, epsilon - math.log1p(-h) - slack, rough)
            bend = ((1.0 + h) * more.upper + (1.0 - h) * less.upper - 2.0 * own.lower) / h
            upper = np.minimum(upper, own.upper + np.clip(bend, 0.0, 1.0) * (1.0 + 16.0 * UNIT) * told + t)
            with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                size = own.log_gap_upper
                rest = (1.0 + h) * np.exp(more.log_gap_lower - size) + (1.0 - h) * np.exp(less.log_gap_lower - size)
                lost = np.maximum((2.0 - rest * (1.0 - 16.0 * UNIT)) / h, 0.0) * told * np.exp(size - own.log_gap_lower)
                kept = own.log_gap_lower + np.log1p(-np.minimum((lost + t) * (1.0 + 8.0 * UNIT), 1.0))
            low = np.maximum(low, np.where(np.isnan(kept), -np.inf, kept) - 4.0 * UNIT)
        ended = epsilon >= self.end
        upper, low = np.where(ended, 0.0, np.minimum(upper * (1.0 + 8.0 * UNIT), 1.0)), np.where(ended, 0.0, low)
        lower, high = np.where(ended, 0.0, own.lower), np.where(ended, 0.0, own.log_gap_upper)
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)


def beside(
    atoms: Atoms,
    rest: Sequence[tuple[Step, int]],
    profiles: Callable[[], Pair],
    directions: Sequence[Direction],
    apart: float | None,
    tail_mu: float,
) -> Pair | None:
    """Both directions of a list of outcomes beside the ``rest``, whose ``profiles`` are made only if next to nothing of
    its losses lies ``apart``: as far as two points of any lattice for both, unless that is given; None where it does.
    """
    apart = float(atoms.loss[-1] - atoms.loss[0]) / _POINTS if apart is None else apart
    if not Cumulant(tuple((step.bins(), times) for step, times in rest), "remove").at(0.0).deviation < apart:
        return None
    found = _by_walks(rest)
    if found is None or not _within(found, apart):
        found = [(margins(one), one.end) for one in profiles()]
    if not _within(found, apart):
        return None
    laws = [AtomsProfile(atoms, remove, tail_mu) for remove in (True, False)]
    both = [NarrowProfile(laws[i], laws[1 - i], found[i][1], found[i][0], tail_mu) for i in range(len(directions))]
    return Pair.both(both)


def hidden(
    little: Sequence[tuple[DiscreteStep, int]],
    rest: Sequence[tuple[Step, int]],
    profiles: Callable[[], Pair],
    directions: Sequence[Direction],
    share: float,
    tail_mu: float,
) -> Pair | None:
    """Both directions of the ``rest``, whose ``profiles`` are made only if next to nothing of the ``little`` that
    discrete steps tell lies beyond that ``share`` of a deviation of the rest; None where it does.
    """
    if not little or not rest or sum(times * _furthest(step) for step, times in little) > _TOLD:
        return None
    laws = [(transform(step), times) for step, times in rest if not isinstance(step, GaussianStep)]
    if any(law is None for law, _ in laws):
        return None
    variance = sum(times * float(law.moments(np.ones(1)).variance[0]) for law, times in laws if law is not None)
    variance += sum(step.mu**2 for step, _ in rest if isinstance(step, GaussianStep))
    found = _by_walks(little)
    if found is None or not _within(found, share * np.sqrt(variance)):
        return None
    both = profiles()
    made = [NarrowProfile(both[i], both[1 - i], found[i][1], found[i][0], tail_mu) for i in range(len(directions))]
    return Pair.both(made)


def _furthest(step: DiscreteStep) -> float:
    """The largest loss that is listed, either way."""
    return float(np.abs(step.table().whole()[0].loss).max())


def _within(found: list[Faint], apart: float) -> bool:
    """Whether next to nothing lies as far out as that, in either direction."""
    return all(known and known[-1][0] < apart for known, _ in found)


def _by_walks(rest: Sequence[tuple[Step, int]]) -> list[Faint] | None:
    """Margins and largest loss in both directions; None where a step has no transform, or the variance is no float."""
    laws = [(transform(step), times) for step, times in rest if not isinstance(step, GaussianStep)]
    steps = tuple((law, times) for law, times in laws if law is not None)
    if len(steps) < len(laws):
        return None
    mu = next((step.mu for step, _ in rest if isinstance(step, GaussianStep)), 0.0)
    poles = np.array([0.0, 1.0])
    if not np.all(mu * mu + sum((times * law.moments(poles).variance for law, times in steps), np.zeros(2)) > 0.0):
        return None
    parts = Parts(steps, mu, "remove")
    both = zip((parts, parts.reversed), Walk.pair(parts), strict=True)
    return [(tails(walk), law.largest_loss * (1.0 + SLIGHT)) for law, walk in both]


def beside_discrete(
    losses: Sequence[tuple[Step, int]],
    tolerance: float,
    tail_mu: float,
    parted: Callable[[tuple[tuple[Step, int], ...]], Pair],
    engine: Callable[[], Pair],
) -> Pair | None:
    """Both directions of discrete steps beside steps that tell next to nothing, either all that are not discrete or
    some of those that are, each ``parted`` from the others; the ``engine`` of all only where that is not sharp. None
    where that is not so.
    """
    discrete = [isinstance(step, DiscreteStep) for step, _ in losses]
    if len(losses) == 1 or not any(discrete) or any(isinstance(step, ListedStep) for step, _ in losses):
        return None
    sizes = [Cumulant(((step.bins(), times),), "remove").at(0.0).deviation for step, times in losses]
    large = [size >= _NEXT_TO_NOTHING * max(sizes) for size in sizes]
    if all(large) or not (all(discrete) or large == discrete):
        return None
    most, rest = (
        parted(tuple(one for one, kept in zip(losses, large, strict=True) if kept is which)) for which in (True, False)
    )
    behind = cache(engine)
    both = [
        BoundedProfile(
            BesideLittle(*most.towards(way), rest.towards(way), tail_mu), partial(one_of, behind, i), tolerance
        )
        for i, way in enumerate(DIRECTIONS[: 1 if most.symmetric and rest.symmetric else 2])
    ]
    return Pair.both(both)
