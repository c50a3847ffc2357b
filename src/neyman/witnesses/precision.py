"""How many bits a proof takes, and how good its lines must be: more where 1 - delta is tiny, or steps are many."""

from __future__ import annotations

import math
from typing import Any

from flint import ctx

from neyman.witnesses.supply import Supply

__all__ = ["BITS", "supplied"]

BITS = 128  # of a proof, where no more are wanted
_NATS = 30.0  # e-folds to which lines are good: 1e-13
_MANY = 30  # binary orders of steps that this precision serves
_MOST_BITS, _MOST_NATS = 2048, 240.0  # bits and e-folds at most: what takes more is out of reach
_APART = 1e-6  # 1 - delta at eps = 0, from which down it is looked at
_TINY = 1e-12  # delta from which down t keeps too few digits
_SHARP = 1e-9  # relative, of that


def supplied(mechanism: dict[str, Any], adjacency: str) -> Supply:
    """Places of a mechanism, none of them asked yet; ``NotProved`` where some law has no lemma."""
    nats, bits, first = _NATS, BITS, None
    while True:
        with ctx.workprec(bits):
            supply = Supply(mechanism, adjacency, bits, nats)
            many = 64 * math.ceil(max(math.log2(max(supply.steps, 1)) - _MANY, 0.0) / 16.0)
            least = BITS + many
            if bits >= least:  # else nothing is asked yet
                least = min(least + _beside_one(supply), _MOST_BITS)
            if bits < least:
                bits = least
                continue
            first = first or supply
            if _seen(supply):
                return supply
            if nats >= _MOST_NATS:  # out of reach: what else is claimed takes no more than usual
                return first
        nats *= 2.0
        bits = min(64 * math.ceil((2.0 * nats / math.log(2.0) + 40.0) / 64.0) + many, _MOST_BITS)


def _beside_one(supply: Supply) -> int:
    """More bits where delta is so small that t = e^eps is next to 1 wherever it changes."""
    told, _ = supply.told(supply.ways, 0.0)
    return 64 * math.ceil(-math.log2(told) / 64.0) if 0.0 < told < _TINY else 0


def _seen(supply: Supply) -> bool:
    """Whether 1 - delta at eps = 0 is known to enough digits."""
    for way in supply.ways:
        ball = supply.ball(way, 0.0)
        if ball is None:
            continue
        rest = 1 - ball.upper
        if not rest > _APART and not ball.upper - ball.lower <= rest * _SHARP:
            return False
    return True
