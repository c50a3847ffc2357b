"""Rules for sampled Laplace and sampled normal noise at one real order, which the checker chooses for itself.

Any rule is sound: what it errs by is in the ball (Lemma L3 of docs/proofs/laplace.md, Lemma 2 of docs/proofs/lines.md).
"""

from __future__ import annotations

import math

from flint import arb

from neyman_check.errors import NotProved
from neyman_check.laws.base import Law, demand
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.laws.sampled import SampledGaussian
from neyman_check.laws.told import Cut, Grid, Rule, Rules, Told, Witness

__all__ = ["told_at"]

_ANGLES = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.45)
_NATS = 55.0  # e-folds by which a rule errs less than what it sums
_MORE = 15.0  # those of a step of many, of which kappa is small next to the first order
_WIDEST, _MOST, _LONGEST = 1e4, 2000, 10_000  # losses, nodes of Gauss, and those of a grid
_PLACES, _BENT = 400, 1.5  # of a look at a moment; angle to which log Re G has a tangent
_STEEPEST = 1.5  # angle of a line on which nodes lie


def told_at(law: Law, w: arb) -> Told:
    """What serves a law there; None where none is wanted."""
    try:
        if isinstance(law, (SampledLaplace, ExchangedLaplace)):
            return _rules(law, w)
        return _grids(law, w) if isinstance(law, SampledGaussian) and w < 0 else None
    except (ArithmeticError, ValueError):
        raise NotProved("a sampled step at an order out of the reach of floats") from None


def _grids(law: SampledGaussian, w: arb) -> Witness:
    """Of a record added, w < 0."""
    s, q, at = float(law.s.mid()), float(law.q.mid()), float(w.mid())
    demand(0.0 < s < math.inf and 0.0 < q < 1.0 and at > -1e15, "a sampled step at an order out of reach")
    nats = _NATS + math.log(law.times) + _MORE
    lean = 0.5 * at * q * (at * q - 1.0) / (s * s)
    told = _about(s, q, at)  # log of the moment, of which the bounds tell more
    nearer, lean, flat = nats - told, max(lean - told, 0.0) + nats, max(at * math.log1p(-q) - told, 0.0) + nats
    low = -min(s * math.sqrt(2.0 * flat), s * math.sqrt(2.0 * lean) - at * q) - 1.0
    high = s * math.sqrt(2.0 * max(nearer, 1.0)) + 1.0
    room = min(lean, flat)

    def step(angle: float) -> float:
        y = angle * s * s
        tangent = 1.0 - q * (1.0 - math.cos(2.0 * angle)) if 2.0 * angle < _BENT else 1e-300
        worse = at * max(math.log(tangent), math.log(math.cos(angle)))
        return 2.0 * math.pi * y / (room + 2.0 * angle * y + worse)

    angle = max((t for t in (*_ANGLES, math.sqrt(0.5 * nats) / s) if t < _STEEPEST), key=step)
    number = (high - low) / step(angle)
    demand(number < _LONGEST, "a sampled step at an order that takes too many nodes")
    grid = Grid(arb(low), arb(step(angle)), math.ceil(number) + 1, arb(angle))
    return Witness(grid, grid, Cut(grid.low, grid.step, 1, grid.angle, arb(1)))


def _about(s: float, q: float, w: float) -> float:
    """log E G^w, about, w < 0: of a few hundred places."""
    low = min(w * q, 0.0) - 9.0 * s
    places = [low + (9.0 * s - low) * k / _PLACES for k in range(_PLACES + 1)]
    logs = [w * _log_r((2.0 * x - 1.0) / (2.0 * s * s), q) - 0.5 * (x / s) ** 2 for x in places]
    top = max(logs)
    width = (places[1] - places[0]) / (s * math.sqrt(2.0 * math.pi))
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) * width)


def _rules(law: SampledLaplace | ExchangedLaplace, w: arb) -> Rules:
    """One that serves w, and 1 - w where records are exchanged."""
    d, q, at = float(law.d.mid()), float(law.q.mid()), float(w.mid())
    demand(0.0 < d < _WIDEST and 0.0 < q < 1.0 and abs(at) < 1e15, "a Laplace step of losses too large for a rule")
    tilts = (at, 1.0 - at) if isinstance(law, ExchangedLaplace) else (at,)
    number, angle = min((max(_number(d, q, w, angle) for w in tilts), angle) for angle in _ANGLES)
    demand(number < _MOST, "a Laplace step at an order that takes too many nodes")
    rule = Rule(math.ceil(number), arb(angle))
    return Rules(rule, rule)


def _number(d: float, q: float, w: float, angle: float) -> float:
    """Of nodes: the bound on the ellipse beside the atom that counts at w."""
    height = angle / d
    wide = math.hypot(1.0, height)
    edge, end = (_log_r(math.copysign(x * d, w), q) for x in (wide, 1.0))
    grown = 0.5 * (wide - 1.0) * d + w * (edge - end)
    grown += d if w > 0.0 else w * math.log(math.cos(0.5 * angle))
    return max((_NATS + grown) / (2.0 * math.asinh(height)), 1.0) + 1.0


def _log_r(t: float, q: float) -> float:
    none, taken = math.log1p(-q), math.log(q) + t
    return max(none, taken) + math.log1p(math.exp(-abs(none - taken)))
