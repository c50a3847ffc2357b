"""Many steps of which zCDP or Renyi DP is stated, as a few equal blocks of them.

Steps on the same records may be grouped as one likes: a block of steps is a step, and by the additivity of divergences
it keeps the sum of what its steps state. That is proved of one kind of steps, of two kinds of which all blocks hold as
many, and of steps that do not depend on the outputs of others; not of three kinds and more, or of blocks that hold
unequal numbers, in a run whose later steps are chosen by what earlier ones showed (``docs/internals/regions.md``).
Where a block states less than another, what the other states holds of it,
too. So the trade-off curve of the whole lies nowhere below the tensor product of k curves of the largest block. That is
one law, k times, whatever was composed; a product of two thousand curves, instead, or of twenty different ones, would
take thousands of times as long and differs by a few per cent of delta at small eps, in favour of neither.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.renyi.composition import ComposedStatement
from neyman.guarantees.dominating_pair import worst_loss
from neyman.guarantees.given.rdp import LARGEST_RHO, RDP, ZCDP
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep

__all__ = ["in_blocks", "stated_alone"]

_FEWEST, _MOST = 8, 16  # blocks
_TRIED = 64  # different steps up to which several numbers of blocks are tried
_DIFFERENT = 6  # steps up to which each has a curve of its own, if they are no more than the blocks

Losses = tuple[tuple[Step, int], ...]


def in_blocks(losses: Losses) -> Losses:
    """Return ``losses`` with the steps of which zCDP or Renyi DP alone is known gathered in blocks, if they are many.

    Where nothing that blocks would state says anything of attacks, they are returned as they are.
    """
    stated = tuple((step, times) for step, times in losses if stated_alone(step))
    count = sum(times for _, times in stated)
    if len(stated) <= _DIFFERENT and count <= _MOST:
        return losses
    most = min(_MOST, count)
    counts = range(min(_FEWEST, count), most + 1) if len(stated) <= _TRIED else (most,)
    best = min((_blocks(stated, k) for k in counts), key=lambda blocks: blocks.excess)
    given = best.promise
    if given is None:
        return losses
    return *((step, times) for step, times in losses if not stated_alone(step)), (worst_loss(given), best.many)


def stated_alone(step: Step) -> bool:
    """Whether zCDP or Renyi DP is all that is known of a step."""
    return isinstance(step, EnclosedStep) and step.rate == 1.0 and isinstance(step.promise, ZCDP | RDP)


class _Blocks(NamedTuple):
    """So many blocks, each of which keeps these bounds; how far the sum exceeds what is stated."""

    many: int
    rho: float
    orders: FloatArray
    bounds: FloatArray
    excess: float

    @property
    def promise(self) -> ZCDP | RDP | None:
        """What is stated of a block; None where it says nothing."""
        if 0.0 < self.rho <= LARGEST_RHO:
            return ZCDP(self.rho)
        known = (self.bounds > 0.0) & (self.bounds <= LARGEST_RHO)
        return RDP(self.orders[known], self.bounds[known]) if bool(np.any(known)) else None


def _blocks(stated: Losses, count: int) -> _Blocks:
    """``count`` blocks: of each kind as many steps in one as in another, and those left over one by one, the largest
    first, in the block that has least so far.
    """
    whole = ComposedStatement(stated)
    orders = whole.orders
    total = _size(whole, orders)
    held = [[times // count for _, times in stated] for _ in range(count)]
    load = np.zeros(count)
    single = [_size(ComposedStatement(((step, 1),)), orders) for step, _ in stated]
    for i in sorted(range(len(stated)), key=lambda i: -single[i]):
        for _ in range(stated[i][1] % count):
            least = int(np.argmin(load))
            held[least][i] += 1
            load[least] += single[i]
    rho, bounds = 0.0, np.zeros(len(orders))
    for some in {tuple(each) for each in held}:
        block = ComposedStatement(tuple((step, n) for (step, _), n in zip(stated, some, strict=True) if n))
        rho, bounds = max(rho, block.rho), np.maximum(bounds, block.bound(orders))
    largest = rho if math.isfinite(rho) else float(np.median(bounds)) if len(bounds) else math.inf
    return _Blocks(count, rho, orders, bounds, count * largest / total if total > 0.0 else math.inf)


def _size(statement: ComposedStatement, orders: FloatArray) -> float:
    """One number that says how much is stated."""
    rho = statement.rho
    return rho if math.isfinite(rho) or not len(orders) else float(np.median(statement.bound(orders)))
