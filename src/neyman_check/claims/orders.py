"""Gauss's rule for a sampled Laplace step at one real order, which the checker chooses for itself.

Any rule is sound: what it errs by is in the ball (Lemma L3 of docs/proofs/laplace.md).
"""

from __future__ import annotations

import math

from flint import arb

from neyman_check.laws.base import demand
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.laws.told import Rule, Rules

__all__ = ["rules_at"]

_ANGLES = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.45)
_NATS = 55.0  # e-folds by which a rule errs less than what it sums
_WIDEST, _MOST = 1e4, 2000  # losses, and nodes


def rules_at(law: SampledLaplace | ExchangedLaplace, w: arb) -> Rules:
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
