"""Which of two guarantees is safer against which attackers: stretches of false positive rates between crossings.

A crossing of the privacy curves at eps is one of the trade-off curves: between the false positive rates at which the
two tangents of slope -e^eps touch, the one curve touches with steeper lines and the other with flatter ones, so that
their difference is monotone there; beyond, whoever has the smaller delta on the tangents of the other has the larger
beta. So there are as many of either, in opposite order. What is looked for on a grid is believed if it is as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.comparison.crossings import Crossing
from neyman.guarantees import Guarantee
from neyman.profiles.real_line import slope_at

__all__ = ["Stretch", "in_words", "often", "stretches"]

_FIRST, _GRIDS = 1e-12, (97, 385)  # the least false positive rate that is looked at; how many, at first and then
_ROUNDS, _PARTS = 5, 8  # each crossing is narrowed by so many, so often
_ALIKE = 0.01  # as a share: two ends that are told as one
_MOST = 5  # stretches that are told one by one
_NEARLY_ALL = 0.99  # a false positive rate beyond which nobody attacks


@dataclass(frozen=True, slots=True)
class Stretch:
    """Between the false positive rates ``low`` and ``high``, ``safer`` ("a" or "b") is certainly the safer one.

    Between two stretches, where they change places, nothing is claimed.
    """

    low: float
    high: float
    safer: Literal["a", "b"]


def stretches(a: Guarantee, b: Guarantee, crossings: Sequence[Crossing]) -> tuple[Stretch, ...]:
    """Return the stretches by rising false positive rate, or nothing where not as many crossings are found as there are
    ``crossings`` of the privacy curves.

    Examples
    --------
    >>> import neyman as ny
    >>> a, b = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
    >>> found = stretches(a, b, ny.compare(a, b).crossings)
    >>> [(one.safer, round(one.high, 3)) for one in found]
    [('b', 0.237), ('a', 0.389), ('b', 1.0)]
    """
    try:
        grid, finer = (np.linspace(np.log(_FIRST), -np.log(_FIRST), count) for count in _GRIDS)
        score, sign, changed = _changes(a, b, grid)
        if len(changed) < len(crossings):  # they may lie nearer to each other
            score, sign, changed = _changes(a, b, np.union1d(finer, _touched((a, b), crossings)))
        if len(changed) != len(crossings) or not changed:
            return ()
        ends = [_narrowed(a, b, float(score[i]), float(score[j]), int(sign[i])) for i, j in changed]
    except NotCertified:
        return ()
    rates = _rates(np.array(ends)).tolist()
    lows, highs = [0.0, *(high for _, high in rates)], [*(low for low, _ in rates), 1.0]
    safer = [int(sign[i]) for i, _ in changed] + [int(sign[changed[-1][1]])]
    pairs = zip(lows, highs, safer, strict=True)
    return tuple(Stretch(low, high, "a" if which > 0 else "b") for low, high, which in pairs)


def in_words(found: tuple[Stretch, ...]) -> str:
    """Return the sentence about the stretches; empty where there are none.

    Examples
    --------
    >>> print(in_words((Stretch(0.0, 0.01, "a"), Stretch(0.01, 1.0, "b"))))
    Against attackers with fewer than about 1 in 100 false alarms a is safer, with more b is.
    """
    if not found:
        return ""
    told = [f"Against attackers with fewer than about {often(found[0].high)} false alarms {found[0].safer} is safer"]
    looked = [one for one in found[1:_MOST] if one.low <= _NEARLY_ALL]
    for before, one in pairwise((found[0], *looked)):
        apart = one.low > before.high * (1.0 + _ALIKE)
        where = f"more than about {often(one.low)}" if apart or before is not found[0] else "more"
        last = one is looked[-1] and one is not found[-1]
        told.append(f"with {where}{f', up to {_up_to(one.high)},' if last else ''} {one.safer} is")
    return ", ".join(told) + "."


def _up_to(rate: float) -> str:
    """Rounded down: there, and below, the claim is certain."""
    if rate > _NEARLY_ALL:
        return f"{int(100.0 * rate)} in 100" if rate < 1.0 else "99 in 100"
    return f"about {often(rate)}"


def often(rate: float) -> str:
    """Return how often that is, as people say it.

    Examples
    --------
    >>> often(0.00853), often(0.3), often(2e-9)
    ('1 in 117', '30 in 100', '1 in 5e+08')
    """
    if rate > 0.1:
        return f"{100.0 * rate:.2g} in 100"
    n = float(f"{1.0 / rate:.3g}")
    return f"1 in {n:,.0f}" if n < 1e6 else f"1 in {n:.2g}"


def _touched(both: tuple[Guarantee, Guarantee], crossings: Sequence[Crossing]) -> FloatArray:
    """The scores, about, at which each touches the tangent that both have at a crossing: there the other is safer."""
    epsilon = np.array([0.5 * (one.low + one.high) for one in crossings])
    rates = [slope_at(*g.pessimistic.sides, epsilon) * np.exp(-epsilon) for g in both]
    rate = np.clip(np.concatenate(rates), _FIRST, 1.0 - _FIRST)
    return np.log(rate) - np.log1p(-rate)


def _changes(a: Guarantee, b: Guarantee, score: FloatArray) -> tuple[FloatArray, FloatArray, list[tuple[int, int]]]:
    """The scores, who is safer there, and the places of two between which that changes."""
    sign = _signs(a, b, score)
    return score, sign, [(int(i), int(j)) for i, j in pairwise(np.flatnonzero(sign)) if sign[i] != sign[j]]


def _signs(a: Guarantee, b: Guarantee, score: FloatArray) -> FloatArray:
    """1 where a is certainly the safer one at the rate of this score, -1 where b is, 0 where that cannot be told."""
    rate = _rates(score)
    first, second = (np.asarray(g.pessimistic.beta(rate)) for g in (a, b))
    sign = np.zeros(len(rate))
    # bounds from above are dear: only the one with the smaller bound from below may be the less safe
    for which, mine, other, g in (1.0, first, second, b), (-1.0, second, first, a):
        at = np.flatnonzero(mine > other)
        if len(at):
            sign[at] = which * (mine[at] > np.asarray(g.pessimistic.optimistic.beta(rate[at])))
    return sign


def _narrowed(a: Guarantee, b: Guarantee, low: float, high: float, sign: int) -> tuple[float, float]:
    """The scores between which the sign changes, nearer to each other; as they are where that cannot be told."""
    for _ in range(_ROUNDS):
        inner = np.linspace(low, high, _PARTS + 1)
        found = np.array([sign, *_signs(a, b, inner[1:-1]), -sign])
        low, high = float(inner[np.flatnonzero(found == sign)[-1]]), float(inner[np.flatnonzero(found == -sign)[0]])
    return low, high


def _rates(score: FloatArray) -> FloatArray:
    """From log odds to rates."""
    return 1.0 / (1.0 + np.exp(-score))
