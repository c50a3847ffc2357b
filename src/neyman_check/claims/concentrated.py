"""rho of zero-concentrated DP: the largest D_t / t over all orders t > 1 (docs/proofs/renyi.md).

kappa(t) = log E_Q[e^{t L}] is convex, kappa(1) = 0 and D_t = kappa(t) / (t - 1). What is at most rho t (t - 1) at every
order (normal noise, on the integers too, sampled too) is taken off first; of the rest kappa is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeGuard

from flint import arb

from neyman_check.claims.orders import told_at
from neyman_check.deltas.twofold import DealtGaussian
from neyman_check.errors import NotProved
from neyman_check.laws.base import FiniteLaw, Gaussian, Law, largest_loss, turning
from neyman_check.laws.integers import DiscreteGaussian, SampledDiscreteGaussian, exact
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.laws.told import Told

__all__ = ["at_least", "at_most", "exchanged_rho"]

_LISTED = 50  # units of work of an outcome, before any order is looked at
_MOST = 4000  # orders that are looked at
_LEAST = arb(2) ** -60  # relative length of a cell that is still halved


def _rho(law: Law) -> arb | None:
    """Of one kind that is Gaussian in its concentration, all steps together."""
    if isinstance(law, Gaussian):
        return law.square / 2
    if isinstance(law, (SampledGaussian, DealtGaussian)):
        return law.times / (2 * law.s * law.s)
    if isinstance(law, ExchangedGaussian):
        return law.times * exchanged_rho(law.q, 1 / (2 * law.s * law.s))
    if isinstance(law, DiscreteGaussian):
        return law.times * exact(law.shift**2 / (2 * law.square))
    if isinstance(law, SampledDiscreteGaussian) and law.whole is not None:
        one = exact(law.whole.shift**2 / (2 * law.whole.square))
        return law.times * (exchanged_rho(law.rate, one / 4) if law.symmetric else one)
    return None


def exchanged_rho(q: arb, one: arb) -> arb:
    """Of a sampled step in which a record is exchanged, ``one`` that of one record's distance (Lemma R1)."""
    if q < arb("0.5"):
        sure = ((1 - q) / (1 - 2 * q)).log()
        grown = (sure * (1 + sure / one)).exp()
        if sure * sure <= -(1 - q).log() * one or q * (1 + grown) * (1 + grown * grown) <= 1:
            return one
    return 4 * one


def _kappa(laws: Sequence[Law], t: arb, remove: bool, spend: Callable[[int], None]) -> arb:
    """log of what all of them have at an order."""
    total, w = arb(0), t if remove else 1 - t
    for law in laws:
        told = told_at(law, w)
        spend(_cost(law, told))
        one = law.falling(w) if _falls(law, remove) else law.real(w, told)
        if not one > 0:
            raise NotProved("a Renyi divergence that is not sharp")
        total += one.log()
    return total


def _cost(law: Law, told: Told) -> int:
    """Units of work; what is listed counts even where that is not all of it."""
    return turning(len(law.outcomes), 1) if isinstance(law, FiniteLaw) else law.cost(1, told)


def _falls(law: Law, remove: bool) -> TypeGuard[SampledDiscreteGaussian]:
    """Whether what is not listed hardly counts: of a record added."""
    return isinstance(law, SampledDiscreteGaussian) and not (remove or law.symmetric)


def _parted(laws: Sequence[Law], remove: bool, closer: bool) -> tuple[arb, list[Law]]:
    """rho of those that have one, and the others; ``closer``: sampled steps in which a record is added have none."""
    others = [
        law for law in laws
        if _rho(law) is None or (closer and (isinstance(law, SampledGaussian) or _falls(law, remove)))
    ]  # fmt: skip
    for law in others:
        if isinstance(law, FiniteLaw) and law.lost != 0 and not _falls(law, remove):
            raise NotProved("rho of laws that are not listed whole")
        if not all(law.kept(way) == 1 for way in (True, False)):
            raise NotProved("rho where something is revealed for certain")
    taken = [law for law in laws if not any(law is other for other in others)]
    return sum((one for law in taken if (one := _rho(law)) is not None), arb(0)), others


def at_most(laws: Sequence[Law], remove: bool, value: arb, spend: Callable[[int], None]) -> bool:
    """Whether value t (t - 1) >= kappa(t) at every t > 1."""
    if remove:
        return _shown(laws, remove, value, spend, False)
    with suppress(NotProved):
        if _shown(laws, remove, value, spend, False):
            return True
    return _shown(laws, remove, value, spend, True)


def _shown(laws: Sequence[Law], remove: bool, value: arb, spend: Callable[[int], None], closer: bool) -> bool:
    spend(_LISTED * sum(len(law.outcomes) for law in laws if isinstance(law, FiniteLaw)))
    known, others = _parted(laws, remove, closer)
    v = value - known
    if not others:
        return bool(v >= 0)
    if not v > 0:
        return False
    last = (largest_loss(others, remove) / v).max(arb(2)).upper()  # beyond, kappa <= (t - 1) times the largest loss
    cells = [(arb(1), arb(0), last, _kappa(others, last, remove, spend))]
    for _ in range(_MOST):
        if not cells:
            return True
        a, low, b, high = cells.pop()
        if _below(v, a, low, b, high):
            continue
        middle = ((a * b).sqrt() if a > 1 else 1 + (b - 1) / 2).mid()
        if not b - a > _LEAST * a:
            return False
        inner = _kappa(others, middle, remove, spend)
        cells += [(a, low, middle, inner), (middle, inner, b, high)]
    return False


def _below(v: arb, a: arb, low: arb, b: arb, high: arb) -> bool:
    """Whether the chord of kappa from a to b lies nowhere above v t (t - 1)."""
    if a <= 1:
        return bool(v * (b - 1) >= high)  # kappa(1) = 0: (t - 1) (v t - D_b)
    slope = (high - low) / (b - a)

    def room(t: arb) -> arb:
        return v * t * (t - 1) - low - slope * (t - a)

    lowest = (1 + slope / v) / 2
    if lowest <= a:
        return bool(room(a) >= 0)
    return bool(room(b) >= 0) if lowest >= b else bool(room(lowest) >= 0)


def at_least(laws: Sequence[Law], remove: bool, value: arb, order: arb, spend: Callable[[int], None]) -> bool:
    """Whether D_t / t is at least that at this order, or as orders grow without end."""
    known = sum((one for law in laws if (one := _limit(law, remove)) is not None), arb(0))
    if known >= value:
        return True
    if not order > 1:
        raise NotProved("an order that is not above 1")
    vague = SampledGaussian, ExchangedGaussian, DealtGaussian
    sharp = [law for law in laws if not isinstance(law, vague)]
    total = _kappa(sharp, order, remove, spend)  # what is not listed adds to it
    with suppress(NotProved):  # each has 0 or more
        if not remove:
            total += _kappa([law for law in laws if isinstance(law, SampledGaussian)], order, remove, spend)
    for law in laws:
        if isinstance(law, SampledGaussian) and remove:  # G >= q r
            grown = order * (order - 1) / (2 * law.s * law.s) + order * law.q.log()
            total += law.times * grown.max(arb(0))
    return bool(total / (order * (order - 1)) >= value)


def _limit(law: Law, remove: bool) -> arb | None:
    """What D_t / t goes to as orders grow without end, where that is known."""
    if isinstance(law, ExchangedGaussian):  # G(-x) is bounded where G(x) grows
        return law.times / (2 * law.s * law.s)
    if isinstance(law, SampledDiscreteGaussian) and law.symmetric and law.whole is not None:
        return law.times * exact(law.whole.shift**2 / (8 * law.whole.square))
    one_sided = isinstance(law, (SampledGaussian, DealtGaussian, SampledDiscreteGaussian))  # P >= q N(1, s^2), or half
    return None if one_sided and not remove else _rho(law)
