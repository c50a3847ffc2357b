"""mu with no floor of one discrete Gaussian step, from above (docs/proofs/integers.md, Lemmas I6 and I7).

With S(k) = P(X >= k) of the one at 0 and z(k) = Phi^-1(1 - S(k)) the trade-off curve has the vertices k, and there mu
is z(k) - z(k - shift), the same at k and shift + 1 - k. Where noise is wide it is next to a normal law all along.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from neyman_check.curves.curve import largest
from neyman_check.laws.base import demand
from neyman_check.laws.integers import DiscreteGaussian, beyond, exact

__all__ = ["discrete_gaussian_mu", "further", "smooth"]

_WIDE, _NARROW = Fraction(2510), Fraction(1, 10**6)  # sigma^2 up to which vertices are looked at, and from which on
_MOST = 30_000  # of them
_EACH = 200  # units of work of one
_FIRST, _AGAIN = 10, 4  # times sigma^2: where vertices end first; how often twice as many are tried
_SURE = 1e-9  # by which a distance is larger than floats say


def discrete_gaussian_mu(law: DiscreteGaussian, spend: Callable[[int], None]) -> arb:
    """Of one step, at most."""
    wide = smooth(law)
    if not (_NARROW < law.square < _WIDE):
        return wide
    last = math.ceil(_FIRST * law.square) + math.ceil(4 * math.sqrt(law.square)) + 2 * law.shift + 1
    found = wide
    for _ in range(_AGAIN):
        if last + law.reach > _MOST:
            break
        spend(_EACH * (last + law.reach))
        near, far = _vertices(law, last)
        found = found.min(near.max(far)) if far.is_finite() and near.is_finite() else found
        if far <= near:
            break
        last *= 2
    return found


def smooth(law: DiscreteGaussian) -> arb:
    """Lemma I7: a normal law of the variance sigma^2 - r^2, rounded at random. Any r will do."""
    square = exact(law.square)
    part = ((square.log() * 3 / 2 + 8) / (2 * arb.pi() ** 2)).mid()  # r^2
    if not (part > 0 and part < square):
        return arb.pos_inf()
    fall = (-2 * arb.pi() ** 2 * part).exp()
    off = 2 * fall / (1 - fall)
    if not off < 1:
        return arb.pos_inf()
    turned = ((1 + off) / (1 - off)).log()
    return law.shift / (square - part).sqrt() + 4 * turned * (arb.pi() / 2).sqrt()


def _vertices(law: DiscreteGaussian, last: int) -> tuple[arb, arb]:
    """The largest mu at the vertices up to ``last``, and what it is at most at all further ones."""
    shift, reach = law.shift, law.reach
    step = exact(1 / (2 * law.square))
    mass = [(-x * x * step).exp() for x in range(last + reach + 1)]
    total = mass[0] + 2 * sum(mass[1:], arb(0)) + 2 * beyond(law.square, last + reach) * arb(0.5, 0.5)
    tail = beyond(law.square, last + reach) * arb(0.5, 0.5)
    scores = [arb(0)] * (last + 1)
    for k in range(last + reach, 0, -1):
        tail += mass[k]
        if k <= last:
            scores[k] = arb(2).sqrt() * (2 * tail / total).erfcinv()

    def score(k: int) -> arb:
        return scores[k] if k > 0 else -scores[1 - k]

    near = largest([score(k) - score(k - shift) for k in range((shift + 2) // 2, last + 1)])
    return near, further(law, last + 1 - shift, total)


def further(law: DiscreteGaussian, first: int, total: arb) -> arb:
    """Lemma I6: what z(k + shift) - z(k) is at most for all k >= ``first``; ``total`` is the sum of all masses."""
    sigma, shift = exact(law.square).sqrt(), law.shift
    demand(first > 0, "vertices that end left of the middle")
    series = 1 / (1 - (-exact(Fraction(2 * first + 1) / (2 * law.square))).exp())
    front = ((2 * arb.pi()).sqrt() * series / total).log()
    short = arb(_short(float(sigma.mid()), first, float(front.upper())))
    y = first / sigma - short
    if not (short > 0 and y >= 1 and y * short >= 1):
        return arb.pos_inf()
    if not short * first / sigma >= short * short / 2 + front + ((1 + y * y) / y).log():
        return arb.pos_inf()
    ends = (2 * first + shift) / sigma
    return (shift * ends / sigma + 2 * series.log()) / (ends - 2 * short)


def _short(sigma: float, first: int, front: float) -> float:
    """By how much z(k) may be less than k / sigma: any number will do that passes."""
    found, whole = 0.0, first / sigma
    for _ in range(20):
        y = max(whole - found, 1e-3)
        found = max((found * found / 2.0 + front + math.log((1.0 + y * y) / y)) / whole, 1.0 / y)
    return found * (1.0 + _SURE)
