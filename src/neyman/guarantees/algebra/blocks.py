"""Many steps of which zCDP or Renyi DP is stated, as a few blocks of them.

Steps that follow each other are one step, whatever later ones make of earlier outputs, and by the additivity of
divergences it keeps the sum of what they state. So the trade-off curve of the whole lies nowhere below the tensor
product of k curves, each of what any of k blocks may state. That is one law, k times, whatever was composed; a product
of two thousand curves, instead, or of twenty different ones, would take thousands of times as long and differs by a few
per cent of delta at small eps, in favour of neither.

In which order steps of several kinds come nobody says. Let each have a size, M of all and S of the k - 1 largest
together. Whatever the order, k blocks of size at most B = (M + S) / k hold all of them: fill one until the next step
does not fit. If k were not enough, the size of each would be more than B less the step that did not fit, and these,
but for the last, lie in the blocks after: M > k B - S. What a block may state at an order is then what steps of size B
state at most, each kind as often as it comes, whole or in part. Of one kind the largest of k blocks has ceil(T / k).
Steps of other laws among them have a pair of their own, and may be put first (``docs/internals/regions.md``).
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
from neyman.numerics.rounding import UNIT

__all__ = ["in_blocks", "stated_alone"]

_FEWEST, _MOST = 8, 16  # blocks
_TRIED = 64  # different steps up to which several numbers of blocks are tried
_SMALLEST = 1e-12  # of the largest step: the size of any, at least
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
    """``count`` blocks, whatever the order of the steps."""
    whole = ComposedStatement(stated)
    orders = whole.orders
    total = _size(whole, orders)
    if len(stated) == 1:
        step, times = stated[0]
        block = ComposedStatement(((step, -(-times // count)),))
        rho, bounds = block.rho, block.bound(orders)
    else:
        rho, bounds = _at_most(stated, orders, count)
    largest = rho if math.isfinite(rho) else float(np.median(bounds)) if len(bounds) else math.inf
    return _Blocks(count, rho, orders, bounds, count * largest / total if total > 0.0 else math.inf)


def _at_most(stated: Losses, orders: FloatArray, count: int) -> tuple[float, FloatArray]:
    """What any of ``count`` blocks may state: rho, and at each order."""
    each = [ComposedStatement(((step, 1),)) for step, _ in stated]
    times = np.array([float(n) for _, n in stated])
    size = np.array([_size(one, orders) for one in each])
    finite = size[np.isfinite(size)]
    size = np.clip(size, _SMALLEST * float(finite.max(initial=1.0)), float(finite.max(initial=1.0)))
    largest = np.argsort(-size)
    taken = np.clip((count - 1.0) - np.append(0.0, np.cumsum(times[largest])[:-1]), 0.0, times[largest])
    room = (float(times @ size) + float(taken @ size[largest])) / count * (1.0 + _slack(len(size)))
    told = np.column_stack([np.array([one.rho for one in each]), np.array([one.bound(orders) for one in each])])
    found = np.array([_filled(size, times, column, max(room, float(size.max()))) for column in told.T])
    return float(found[0]), found[1:]


def _filled(size: FloatArray, times: FloatArray, told: FloatArray, room: float) -> float:
    """The largest sum of what is ``told``, of steps of that ``room``, each kind at most as often as it comes."""
    first = np.argsort(-told / size)
    used = np.clip(room - np.append(0.0, np.cumsum((times * size)[first])[:-1]), 0.0, (times * size)[first])
    with np.errstate(invalid="ignore"):
        parts = np.where(used > 0.0, used / size[first] * told[first], 0.0)
    return float(parts.sum()) * (1.0 + _slack(len(size)))


def _slack(kinds: int) -> float:
    """More than what sums over so many kinds are rounded by, relative to a block: all have up to ``_MOST`` of it."""
    return 4.0 * _MOST * (2.0 + kinds) * UNIT


def _size(statement: ComposedStatement, orders: FloatArray) -> float:
    """One number that says how much is stated."""
    rho = statement.rho
    return rho if math.isfinite(rho) or not len(orders) else float(np.median(statement.bound(orders)))
