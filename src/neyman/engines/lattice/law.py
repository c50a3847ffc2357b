"""One step's loss on a lattice, twice: a law that is never below the truth and one that is never above it.

Write C(k) = E_Q[(e^L - k)_+] for any positive measure. Order by C, and the order survives products of measures, so a
lattice measure with C above (below) that of every step gives delta above (below) for the whole composition.

- Pessimistic: C is replaced by its chords between lattice points (both masses of every bin kept at its two ends).
  No law on the lattice above C is smaller.
- Optimistic: the chords are lowered at lattice point j by gamma_j, at least the sag of C under both neighbouring
  chords; the second differences of gamma come off the masses. The sag of one bin of width Delta in k is at most
  Delta min(a b / (a + b), M e^v / 8), with a, b the masses at its ends, M = a + b and v the variation of the logarithm
  of the density (the first bound is the triangle of the two tangents). A bin too wide for that takes the tangent at
  its upper end (gamma >= Delta b below, none above), which keeps the lowered function positive and falling. Where a
  mass turns negative the convex hull is taken: the point is removed and its mass shared by its neighbours. No shift of
  the lattice is needed, and the gap to the pessimistic law is O(h^2). Outcomes far apart would lose O(h) to this: they
  stay divided, and the composition pays for it (``divided``). Where a density is steep at the end of a law, as
  that of sampled Laplace noise of small scale, lowering would cost the mean of e^L at first order: there the lower law
  has a lattice of its own, which begins at the mean of what lies at that end (``GridLaw.gathered``; Jensen).

Both laws are made directly under the tilt e^{c l}, so that far tails lose no digits to underflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.bins import BinSplit, GridLaw
from neyman.numerics.rounding import LARGEST_EXPONENT, SLIGHT, TINY, UNIT
from neyman.profiles.pair import Direction

__all__ = ["StepLaws", "TiltedLaw", "largest_loss", "tilted_laws"]

_PASSED_ON = 1 << 17  # times that a negative mass may be passed on to its neighbours
_LOWEST = -740.0  # log of what mass from below comes to at least, in units of the largest
_COARSEST = 230.0  # h, times c where that is above 1, so that e^{3 c h} is a float
_ROUNDED = 64.0 * UNIT  # certifies: of a second difference of masses, beside the errors of its terms


@dataclass(frozen=True, slots=True)
class TiltedLaw:
    """Masses p_j e^{c l_j - log_norm} on l_j = base + (first + j) h, with sum 1.

    ``relative`` bounds, one-sidedly, how far rounding can have left the masses on the unsafe side.
    """

    masses: FloatArray
    log_norm: float
    relative: float


@dataclass(frozen=True, slots=True)
class StepLaws:
    """The two lattice laws of one step in one direction, on the same lattice.

    ``infinite`` is the pessimistic mass at +infinity; ``slack`` the distance by which the true lattice may be off.
    ``divided``: the lower law holds outcomes divided between two points, which ``divided`` must make up for.
    """

    base: float
    first: int
    upper: TiltedLaw
    lower: TiltedLaw
    infinite: float
    slack: float
    divided: bool


def tilted_laws(bins: BinSplit, direction: Direction, c: float) -> StepLaws:
    """Both laws of one step under tilt ``c`` >= 0; ``direction`` is "remove" or "add"."""
    remove = direction == "remove"
    n, h = len(bins.lower), bins.h
    edges = bins.base + (bins.first + np.arange(n, dtype=np.float64)) * h
    z = c + 1.0 if remove else -c
    # a bin that holds nothing has no say in the scale
    log_mass = np.where(bins.lower + bins.upper > 0.0, bins.log_scale + z * edges, -math.inf)
    node, log_node = bins.nodes
    log_node = log_node + z * (bins.base + (bins.first + node) * h)
    full = bool(np.any(bins.lower) or np.any(bins.upper))
    highest = float(np.max(log_mass)) + max(z * h, 0.0) if full else -math.inf
    peak = max(highest, float(np.max(log_node, initial=-math.inf)))
    with np.errstate(under="ignore"):
        mass = np.exp(log_mass - peak) if full else np.zeros(n)
        nodes = np.bincount(node, np.exp(log_node - peak), n + 1)
        low, high = bins.lower * mass, bins.upper * (np.exp(log_mass + (z * h - peak)) if full else mass)
    variation = bins.variation
    base, first, below, above = bins.base, bins.first, bins.below[1], bins.above[1]
    if not remove:
        low, high, variation, nodes = high[::-1], low[::-1], variation[::-1], nodes[::-1]
        base, first, below, above = -bins.base, -(bins.first + n), bins.above[0], bins.below[0]
    furthest = float(np.max(np.abs(edges[[0, -1]]))) + h
    exponent = max(float(np.max(np.abs(bins.log_scale))), float(np.max(np.abs(bins.nodes[1]), initial=0.0)))
    error = bins.relative + 2.0 * bins.slack + 8.0 * UNIT * (8.0 + exponent + abs(z) * furthest + abs(peak))
    bottom = base + first * h
    lift = below + c * bottom - peak if below > -math.inf else -math.inf
    # beside so much all the others are nothing: it counts as revealed
    hidden = below if lift > LARGEST_EXPONENT else -math.inf
    moved_up = math.exp(max(lift, _LOWEST)) if hidden < below else 0.0
    tiny = TINY if below > -math.inf else 0.0  # covers a bottom mass that underflows
    upper = _pessimistic(low, high, error, moved_up + tiny) + nodes * (1.0 + error)
    lower = nodes * (1.0 - error)
    lone = np.isinf(variation) & (low + high > 0.0) if bins.lone else np.zeros(n, dtype=bool)
    if bool(np.any(lone)):
        lower = lower + _divided(np.where(lone, low, 0.0), np.where(lone, high, 0.0), error)
        low, high = np.where(lone, 0.0, low), np.where(lone, 0.0, high)
    if bool(np.any(low) or np.any(high)):
        lower = _optimistic(low, high, variation, h, c, error, lower)
    infinite = _at_least(above) + _at_least(hidden)
    laws = _normalised(upper, peak), _normalised(lower, peak)
    return StepLaws(base, first, *laws, infinite, bins.slack, bool(np.any(lone)))


def _at_least(log_mass: float) -> float:
    return math.exp(log_mass) if log_mass > -LARGEST_EXPONENT else (TINY if log_mass > -math.inf else 0.0)


def _normalised(masses: FloatArray, peak: float) -> TiltedLaw:
    total = float(np.sum(masses))
    if not total > 0.0:
        return TiltedLaw(np.zeros_like(masses), -math.inf, 0.0)
    return TiltedLaw(masses / total, math.log(total) + peak, 16.0 * UNIT * (1.0 + abs(peak)))


def _pessimistic(low: FloatArray, high: FloatArray, error: float, moved_up: float) -> FloatArray:
    spread = error * (low + high)
    out = np.zeros(len(low) + 1)
    out[:-1] += low + spread
    out[1:] += high + spread
    out[0] += moved_up
    out *= 1.0 + 8.0 * UNIT
    return out


def _divided(low: FloatArray, high: FloatArray, error: float) -> FloatArray:
    """The chords themselves, rounded down."""
    spread = error * (low + high)
    return np.append(np.maximum(low - spread, 0.0), 0.0) + np.append(0.0, np.maximum(high - spread, 0.0))


def _optimistic(
    low: FloatArray, high: FloatArray, variation: FloatArray, h: float, c: float, error: float, others: FloatArray
) -> FloatArray:
    """Lower the chords, and add ``others``, which lie on the lattice; see the module. Everything is in units of tilted
    P-mass, gamma also divided by expm1(h).
    """
    n = len(low)
    if max(c, 1.0) * h > _COARSEST:  # so that e^{3 (1 + c) h} and e^{2 c h}, below, are floats
        return others  # of what lies between points a lattice this coarse says nothing
    far = high * math.exp(-(1.0 + c) * h)  # the upper mass, in the units of the lower end
    whole = low + far
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        triangle = np.where(whole > 0.0, low * (far / whole), 0.0)
        parabola = np.where(
            np.isfinite(variation), 0.125 * whole * np.exp(np.minimum(variation, LARGEST_EXPONENT)), np.inf
        )
    sag = np.minimum(triangle, parabola)
    over = far.copy()  # at most C / expm1(h): the bin's own share and the bins just above
    for shift in (1, 2, 3):
        over[:-shift] += whole[shift:] * math.exp(-(1.0 + c) * h * shift)
    ahead = np.append(over[1:], 0.0)
    central = (variation < 1.0) & (sag * math.exp(c * h) <= ahead)
    gamma = np.zeros(n + 1)
    gamma[:-1] = np.where(central, sag, far)
    gamma[1:] = np.maximum(gamma[1:], np.where(central, sag * math.exp(c * h), 0.0))
    rise = gamma[1:] * math.exp(-c * h) - gamma[:-1]  # gamma_{j+1} - gamma_j, seen from j
    before = np.append(-math.expm1(-h) * gamma[0], (gamma[1:-1] - gamma[:-2] * math.exp(c * h)))
    out = low - (rise - math.exp(h) * before)
    out[1:] += high[:-1]
    around = np.maximum(whole, np.append(0.0, high[:-1]))
    for shift in (1, 2):
        around[shift:] = np.maximum(around[shift:], whole[:-shift] * math.exp(c * h * shift))
    around[:-1] = np.maximum(around[:-1], whole[1:])
    out -= (16.0 * error + _ROUNDED) * around
    return _hull(np.append(out, 0.0) + others, h, c)


def _hull(masses: FloatArray, h: float, c: float) -> FloatArray:
    """Remove negative masses by taking the convex hull; what reaches -infinity is dropped, and what would leave less
    than nothing at the last node.
    """
    end = len(masses) - 1
    pending = np.flatnonzero(masses[:end] < 0.0).tolist()
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for _ in range(_PASSED_ON):
        if not pending:
            break
        j = pending.pop()
        if not masses[j] < 0.0:
            continue
        p, n = before.get(j, j - 1), after.get(j, j + 1)
        d1, d2 = (j - p) * h, (n - j) * h
        # expm1(d2) / expm1(d1 + d2), which may overflow
        share = math.exp(-d1) * math.expm1(-d2) / math.expm1(-d1 - d2) if p >= 0 else 0.0
        mass = float(masses[j])
        masses[j] = 0.0
        if c * d2 > LARGEST_EXPONENT:  # nothing is a lower bound, too
            return np.zeros_like(masses)
        if p >= 0:
            masses[p] += mass * share * math.exp(-c * d1)
            after[p] = n
            if masses[p] < 0.0:
                pending.append(p)
        masses[n] += mass * (1.0 - share) * math.exp(c * d2)
        before[n] = p
        if n < end and masses[n] < 0.0:
            pending.append(n)
    masses[end] = max(masses[end], 0.0)
    # what is passed on without end, through places that hold nothing, leaves nothing; nor is that more than the truth
    return np.zeros_like(masses) if pending or not np.all(np.isfinite(masses)) else masses


def largest_loss(laws: Sequence[tuple[GridLaw, int]], remove: bool) -> float:
    """The largest loss of a composition, rounded up: to the last bit where that of every law is known exactly."""
    exact: Fraction | None = Fraction(0)
    for law, times in laws:
        exact = None if exact is None or law.exact_end is None else exact + times * law.exact_end
    if exact is None:
        return math.fsum(times * law.end(remove) for law, times in laws) * (1.0 + SLIGHT)
    return float(exact) if Fraction(float(exact)) >= exact else math.nextafter(float(exact), math.inf)
