"""Integrals of |g e^{aL}| along the paths of an exchanged record, bounded by sums: cells, walls and caps.

**Cells.** Between two nodes d apart log|F e^{aL}| lies at most (M + |a| S) d^2/8 above its chord, with M and S no less
than |(log F)''| and |L''| there, and the exponential of a chord integrates to at most the mean of its ends. A node
knows M and S within d/2 of itself (``hidden``); each cell takes the larger of its ends'.

**M and S.** Where |Im v| <= pi/4, |tanh v| <= 1 and Re cosh^2 v >= 0, so that with p = cosh^2 v

    (log h')' = tanh v c/(p + c),  c = kappa^2 - 1,   |(log h')'| <= 1,
    |(log h')''| <= |1/p| + min(1, 2 |h'|^2),   h'^2 = p/(p + c):    |c p| <= |p + c|^2 / 2.

zeta moves by at most rho = |zeta'| e^r r, 1 + zeta^2 by rho (2 |zeta| + rho), the bend 1 + i tan(chi) zeta/root by
tan(chi) rho |root|^-3. G = kappa cosh Z / cosh H, Z = L/2, with t = tanh Z and s = 1/cosh^2 Z, has

    (log G)_Z = -(kappa^2 - 1) t / cosh^2 H,    (log G)_ZZ = -(kappa^2 - 1) (s - 2 tanh^2 H) / cosh^2 H,
    kappa^2 / cosh^2 H = G^2 s,    cosh^2 H = 1 + kappa^2 sinh^2 Z:

where Z moves by r, cosh Z moves by |t| sinh r + cosh r - 1 of itself, cosh^2 H by |G|^2 r (2 |t| cosh 2r + (1 +
|t|^2) sinh 2r). So all moduli are bounded about each node, or nothing is known; and the derivatives of log g, with X_L
= (1 + G)/2 and X_LL = G (log G)_Z / 4, are sums of products of these.

**Walls and caps.** The sum over |eta| <= N h is that of the integral to E = (N + 1/2) h but for the two sides of the
strip, over e^{2 pi tilt/h} - 1, and its walls at +-E, where what is integrated is weighed by 1 / (1 + e^{2 pi |y|/h}).
All paths of a law end at the same E, each elsewhere among the losses. Two ends are joined by a cap, a straight line:
g is analytic in Re L > 0, and Re(aL) is largest at one end of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.exchanged_path import ExchangedPath, Places, PlaneLaw, Seen, bends, rounded
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, TINY, UNIT

__all__ = ["Cells", "Hidden", "cap", "hidden", "leaning", "log_moduli", "path_cells", "wall_cells"]

_ROWS = 1 << 16  # entries of a table that stays in the cache
_TERM = 64.0  # certifies: units of a sum, beside one for each term, and of the loss at the end of a path
_FLAT = 300.0  # v from which sinh v need not be known
_ROUNDED = 1e-9  # relative: more than what is bounded here errs by in floats
_WALLS = 32  # cells of a wall
_PIECES, _CAPS, _LONG = 8, 8, 2.0  # pieces of a cap; cells of each: so many and one for each such length

Share = Callable[[ComplexArray, FloatArray, FloatArray], FloatArray]  # log of a bound within a radius and an angle


@dataclass(frozen=True)
class Cells:
    """Terms whose sum bounds an integral of |g e^{aL}|: L, by how much of |a| each is raised, and a log weight."""

    loss: ComplexArray
    reach: FloatArray
    log_weight: FloatArray
    radius: FloatArray  # within which of L lies what the term stands for ...
    lean: FloatArray  # ... and within which angle of its argument

    def shared(self, share: Share) -> Cells:
        """With no more of each than its share."""
        return replace(self, log_weight=self.log_weight + _either(share(self.loss, self.radius, self.lean)))

    def squared(self) -> Cells:
        """Times |L|^2."""
        return replace(self, log_weight=self.log_weight + 2.0 * np.log(_either(np.abs(self.loss) + self.radius)))

    def scaled(self, log_factor: float) -> Cells:
        return replace(self, log_weight=self.log_weight + log_factor)

    @staticmethod
    def joined(*each: Cells) -> Cells:
        return Cells(*(np.concatenate([getattr(one, name) for one in each]) for name in Cells.__dataclass_fields__))


def log_moduli(a: ComplexArray, cells: Cells) -> FloatArray:
    """log of the sum over both halves of a path, convex in a; inf where it is no float."""
    halves = [_log_moments(b, cells) for b in (a, -a.conj())]
    return np.logaddexp(*halves) + (len(cells.loss) + _TERM) * UNIT


def _log_moments(b: ComplexArray, cells: Cells) -> FloatArray:
    out, size = np.empty(len(b)), len(cells.loss)
    rows = max(1, _ROWS // size)
    parts = np.stack([b.real, -b.imag, np.abs(b)], axis=1)
    of = np.stack([cells.loss.real, cells.loss.imag, cells.reach])
    for i in range(0, len(b), rows):
        height = parts[i : i + rows] @ of
        height += cells.log_weight
        peak = height.max(axis=1)
        finite = np.isfinite(peak)
        height -= np.where(finite, peak, 0.0)[:, None]
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            total = np.log(np.exp(height, out=height).sum(axis=1))
        # of its own exponent each term errs by four units, and by eight of |aL|, which ``reach`` holds
        known = peak + total + 4.0 * UNIT * np.abs(peak)
        out[i : i + rows] = np.where(finite, known, np.where(peak < 0.0, peak, math.inf))
    return out


@dataclass(frozen=True)
class Hidden:
    """What lies within a radius of a place: bounds on |L'|, |L''|, |(log F)'| and |(log F)''|."""

    speed: FloatArray
    turn: FloatArray
    slope: FloatArray
    bend: FloatArray


def hidden(path: ExchangedPath, places: Places, radius: float) -> Hidden:
    """Of all v within ``radius`` of each place; inf where nothing is known."""
    turn, v, size = math.tan(path.chi), places.v, np.abs(places.zeta)
    speed = 2.0 * np.exp(places.log_speed.real - path.law.log_kappa + radius)  # |zeta'|
    moved = radius * speed
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        square = np.abs(1.0 + places.zeta**2) - moved * (2.0 * size + moved)
        bent = turn * np.where(square > 0.0, square, math.nan) ** -1.5
        least = np.abs(places.bend) - moved * bent
        lean = bent / np.where(least > 0.0, least, math.nan)  # |d(log bend)/dzeta|
        swift = speed * (np.abs(places.bend) + moved * bent)
        drift = 1.0 + lean * speed  # |(log L')'|
        low, wide = np.maximum(v.real - radius, 0.0), np.abs(v.imag) + radius
        second = 1.0 / (np.sinh(np.minimum(low, _FLAT)) ** 2 + np.cos(wide) ** 2) + np.minimum(1.0, 0.5 * speed**2)
        second += lean * speed + speed**2 * lean * (3.0 * (size + moved) / square + lean)
        first, rest = _along(path.law, places.seen, swift, radius)
        bend = rest + first * drift + second
        found = [np.where(np.isfinite(bend) & (wide <= 0.25 * math.pi), one, math.inf) for one in (
            swift, swift * drift, first + drift, bend
        )]  # fmt: skip
    return Hidden(*(one * (1.0 + _ROUNDED) for one in found))


def _along(law: PlaneLaw, seen: Seen, speed: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Bounds on |(log g)_L| |L'| and |(log g)_LL| |L'|^2 where L' is at most ``speed`` within ``radius``."""
    s2, size = law.sigma * law.sigma, 0.5 * speed  # of Z'
    r = radius * size
    t, s, last = bends(seen)
    moved = t * np.sinh(r) + np.cosh(r) - 1.0
    inner = 1.0 - moved
    ratio = size * seen.ratio  # |G Z'|
    shift = radius * ratio * (2.0 * (t * seen.ratio) * np.cosh(2.0 * r))
    shift += (radius * ratio) ** 2 * (1.0 + t * t) * np.sinh(2.0 * r) / np.maximum(r, TINY)
    left = np.where((inner > 0.0) & (shift < 1.0), 1.0 - shift, math.nan)
    grown = (1.0 + moved) / np.sqrt(left)  # of |G|
    most = ratio * grown
    most_s = s / inner**2
    gone = (seen.ratio * grown) * ((t * np.cosh(r) + np.sinh(r)) / inner) * most_s * most  # |(log G)_Z Z'|
    twice = most**2 * most_s * (most_s + 2.0 * (1.0 + last / left))  # |(log G)_ZZ Z'^2|
    share = 1.0 / (seen.one_more / seen.ratio / grown - radius * gone)  # |G / (1 + G)|
    share = np.where(share > 0.0, share, math.nan)
    moves = size * seen.one_more + radius * most * gone  # |X'|
    place, turns = np.abs(seen.place) + radius * moves, most * gone  # |X|, |X_LL L'^2|
    below = np.exp(radius * moves - seen.place.real) * law.scale
    below = np.where(below < 1.0, below / (1.0 - below), math.nan)
    first = s2 * place * moves + size + below * moves + share * gone
    second = s2 * (moves**2 + place * turns) + below * (turns + (1.0 + below) * moves**2)
    return first, second + share * (twice + gone**2) + (share * gone) ** 2


def path_cells(path: ExchangedPath, places: Places, gap: float) -> Cells:
    """Of the nodes of half a path, at most ``gap`` apart, the last of them its end."""
    known = hidden(path, places, 0.5 * gap)
    return _cells(path, places, known, gap, np.diff(places.v.real))


def wall_cells(path: ExchangedPath, end: float, height: float, tilt: float, step: float) -> Cells:
    """Of the wall at ``end``, within ``tilt`` of ``height``, as the error of the sum weighs it."""
    away = np.linspace(-tilt, tilt, _WALLS + 1)
    gap = 2.0 * tilt / _WALLS
    places = path.at(end + 1j * (height + away))
    cells = _cells(path, places, hidden(path, places, 0.5 * gap), gap, np.full(_WALLS, gap))
    nearest = np.maximum(np.abs(away) - gap, 0.0)
    return replace(cells, log_weight=cells.log_weight - np.logaddexp(0.0, 2.0 * math.pi * nearest / step) + AMPLE)


def _cells(path: ExchangedPath, places: Places, known: Hidden, gap: float, width: FloatArray) -> Cells:
    raised = rounded(places.log_density.real, places.units) + 0.125 * gap**2 * _either(known.bend)
    both = 0.5 * (np.append(width, 0.0) + np.append(0.0, width))
    length = np.abs(places.seen.loss)
    reach = 0.125 * gap**2 * _either(known.turn) + UNIT * (8.0 + places.lengths) * length
    radius = 0.5 * gap * known.speed + UNIT * (8.0 + places.lengths) * length
    log_weight = np.where(np.isfinite(raised), raised + np.log(both) + _ROUNDED, math.inf)
    lean = _lean(path, places, known, 0.5 * gap, radius)
    return Cells(places.seen.loss, np.where(np.isfinite(reach), reach, 0.0), log_weight, radius, lean)


def _lean(path: ExchangedPath, places: Places, known: Hidden, radius: float, moved: FloatArray) -> FloatArray:
    """By how much arg L turns along the way through each place, at most: by |Im(L'/L)|, and half of |(log L)''|."""
    size = np.abs(places.seen.loss)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = np.where(size > moved, size - moved, math.nan)
        speed = 2.0 * np.exp(places.log_speed - path.law.log_kappa) * places.bend / places.seen.loss
        along = speed if places.v[0].real < places.v[-1].real else 1j * speed
        second = known.turn / least + (known.speed / least) ** 2
        lean = radius * np.abs(along.imag) + 0.5 * radius**2 * second + _ROUNDED
        return np.fmin(lean, leaning(size, moved))


def leaning(size: FloatArray, radius: FloatArray) -> FloatArray:
    """By how much arg L turns within a radius, at most."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > radius, np.arcsin(np.minimum(radius / size, 1.0)), math.pi)


def cap(law: PlaneLaw, one: complex, other: complex, share: Share | None = None) -> Cells:
    """Of the straight line between two ends."""
    count = _PIECES * (_CAPS + math.ceil(abs(other - one) / _LONG))
    along = one + (other - one) * (np.arange(count) + 0.5) / count
    speed = np.full(count, abs(other - one) * (1.0 + _ROUNDED))
    seen = law.at(along)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        slope, _ = _along(law, seen, speed, 0.5 / count)
        log_most = rounded((seen.log_part + seen.log_slope).real, seen.units) + law.log_kappa - math.log(2.0)
        log_most = log_most + law.log_unit + 0.5 / count * slope + np.log(speed)
        if share is not None:
            log_most = log_most + share(along, speed / count, leaning(np.abs(along), speed / count))
    log_most = np.where(np.isfinite(slope), log_most, math.inf) + _ROUNDED
    ends = one + (other - one) * np.arange(_PIECES + 1) / _PIECES
    each = np.maximum.reduceat(log_most, np.arange(0, count, count // _PIECES)) - math.log(_PIECES)
    most = np.logaddexp(np.append(each, -math.inf), np.append(-math.inf, each))  # each piece is known by both its ends
    none = np.zeros(len(ends))
    return Cells(ends, _TERM * UNIT * np.abs(ends), most, none, none)


def _either(each: FloatArray) -> FloatArray:
    """Of each node the largest of itself and its neighbours."""
    return np.maximum(each, np.maximum(np.append(each[1:], each[-1]), np.append(each[0], each[:-1])))
