"""Renyi divergences of a guarantee: from the losses it was composed from, or from its certified profiles alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.renyi.composition import CompositionDivergence
from neyman.engines.renyi.from_profile import profile_divergence
from neyman.engines.renyi.slope import Above, largest_slope
from neyman.engines.renyi.step import Statement
from neyman.losses.base import Step
from neyman.profiles.pair import Adjacency, LargestProfile, MaximumProfile, Pair
from neyman.profiles.profile import Profile

__all__ = [
    "BlatantDivergence",
    "Divergences",
    "KnownDivergence",
    "ProfileDivergence",
    "StatedDivergence",
    "decay",
    "divergences",
    "largest",
    "least",
]

_FINE, _COARSE = 1 << 13, 1 << 11  # cells of a profile
_WIDTH = 1e-6  # to which rho is searched for there
_TINY = 1e-300  # more than the smallest floats may be off
_LOOKED = 1.0 + np.geomspace(1e-6, 1e3, 28)  # orders at which a lower bound is looked for
_DECAYS = 2.0 ** np.arange(-3, 41)  # orders beyond 1 at which a divergence may bound a tail
_DIRECTIONS: dict[Adjacency, tuple[bool, ...]] = {"remove": (True,), "add": (False,)}


class Divergences(Protocol):
    """D_t and rho, bounded from either side."""

    @property
    def statement(self) -> Statement | None:
        """What is stated of them beyond what the trade-off curve tells, if anything is."""
        ...

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """Bounds on D_t at each ``order`` (1-d, finite, > 0), from above or from below."""
        ...

    def concentration(self, upper: bool) -> float:
        """A bound on rho, from above or from below."""
        ...


def divergences(sides: Pair, adjacency: Adjacency, losses: tuple[tuple[Step, int], ...] | None) -> Divergences:
    """Return the divergences of the promise ``sides`` for ``adjacency``."""
    if losses is not None:
        return CompositionDivergence(losses, _DIRECTIONS.get(adjacency, (True, False)))
    return ProfileDivergence(sides)


def decay(known: Divergences) -> list[tuple[float, float]]:
    """s and s D_{1+s} at some orders 1 + s, from above: how fast a tail of the losses dies. Of what is stated any order
    costs nothing, and beyond it the curve has no more.
    """
    bounds = known.statement.bound(1.0 + _DECAYS) if known.statement else known.divergence(1.0 + _DECAYS, True)
    return [(float(s), float(s * d)) for s, d in zip(_DECAYS, bounds, strict=True) if d < math.inf]


class ProfileDivergence:
    """The divergences of the pair, or of the two, of which ``sides`` holds the profiles.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import LaplaceProfile
    >>> p = LaplaceProfile(1.0, 1.03)
    >>> float(ProfileDivergence(Pair(p, p)).divergence(np.array([1.0]), True)[0].round(6))
    0.367879
    """

    def __init__(self, sides: Pair) -> None:
        forward, backward = sides.forward, sides.backward
        one_pair = isinstance(forward, LargestProfile)
        if forward is backward and isinstance(forward, MaximumProfile) and not one_pair:  # the larger of two directions
            one, two = forward.first, forward.second
            self._pairs: tuple[tuple[Profile, Profile], ...] = ((one, two), (two, one))
        else:
            self._pairs = ((forward, backward),)

    @property
    def statement(self) -> Statement | None:
        """None: the curve is all."""
        return None

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """Bounds on D_t at each ``order`` (1-d, finite, > 0), from above or from below."""
        return self._by(order, upper, _FINE)

    def concentration(self, upper: bool) -> float:
        """A bound on rho, from above or from below: about 1e-5 wide where losses are bounded."""
        mu, end = (max(getattr(pair[0], name) for pair in self._pairs) for name in ("tail_mu", "end"))
        line = 0.5 * mu * mu * (1.0 + 1e-15) + (_TINY if mu > 0.0 else 0.0)
        if math.isfinite(mu) and math.isfinite(end):
            found = largest_slope(
                lambda t, above: self._by(t, above, _COARSE), Above(0.0, end, 1.0, 0.0), upper, _WIDTH
            )
            return min(found, line)
        if upper:
            return line
        return float(np.max(self._by(_LOOKED, False, _COARSE) / _LOOKED)) * (1.0 - 1e-15)

    def _by(self, order: FloatArray, upper: bool, cells: int) -> FloatArray:
        return np.maximum.reduce([profile_divergence(*pair, order, upper, cells) for pair in self._pairs])


class StatedDivergence:
    """Bounds as they were stated, in both orders of the pair: D_t <= epsilon_j at t_j, or D_t <= rho t for t > 1.

    What follows at other orders: D_t does not decrease with t, (t - 1) D_t is convex, and D_t(P || Q) is t / (1 - t)
    times D_{1 - t}(Q || P). Beyond the largest stated order nothing does.

    Examples
    --------
    >>> StatedDivergence(np.array([2.0]), np.array([0.5])).divergence(np.array([0.2, 1.5, 3.0]), True)
    array([0.125, 0.5  ,   inf])
    """

    def __init__(self, orders: FloatArray, epsilons: FloatArray, rho: float = math.inf) -> None:
        self._orders, self._epsilons, self._rho = orders, epsilons, rho

    @property
    def statement(self) -> Statement:
        """Itself."""
        return self

    @property
    def orders(self) -> FloatArray:
        """Those at which something is stated."""
        return self._orders[np.isfinite(self._epsilons)]

    @property
    def rho(self) -> float:
        """What is stated of all orders above 1; inf where nothing is."""
        return self._rho

    def bound(self, order: FloatArray) -> FloatArray:
        """What is stated, rounded up."""
        return self.divergence(order, True)

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """What is stated, rounded to that side."""
        swapped = np.maximum(1.0 - order, 0.0)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            turned = np.where(swapped > 0.0, order / swapped * self._stated(swapped), math.inf)
        found = np.minimum(self._stated(order), np.where(np.isnan(turned), math.inf, turned))
        some = self._rho > 0.0 and not np.any(self._epsilons == 0.0)
        return found * (1.0 + (1e-15 if upper else -1e-15)) + (_TINY if upper and some else 0.0)

    def concentration(self, upper: bool) -> float:
        """rho where it is stated."""
        return self._rho

    def _stated(self, order: FloatArray) -> FloatArray:
        if math.isfinite(self._rho):
            with np.errstate(over="ignore"):
                return self._rho * np.maximum(order, 1.0)
        # the least epsilon at or beyond each order
        least = np.append(np.minimum.accumulate(self._epsilons[::-1])[::-1], math.inf)
        after = np.searchsorted(self._orders, order, side="left")
        return np.minimum(least[after], self._chord(order))

    def _chord(self, order: FloatArray) -> FloatArray:
        """(t - 1) D_t lies below its chord between two stated orders, where the first is at least 1."""
        t = np.append(1.0, self._orders[self._orders > 1.0])
        if len(t) < 2:
            return np.full_like(order, math.inf)
        k = np.append(0.0, (t[1:] - 1.0) * self._epsilons[self._orders > 1.0])
        inside = (order > 1.0) & (order <= t[-1])
        off = np.where(inside, order - 1.0, 1.0)
        return np.where(inside, np.interp(order, t, k) / off * (1.0 + 1e-15), math.inf)


class KnownDivergence:
    """The divergences of a curve of which more is stated than the curve tells."""

    def __init__(self, stated: Statement, sides: Pair) -> None:
        self._statement, self._curve = stated, ProfileDivergence(sides)

    @property
    def statement(self) -> Statement:
        """What is stated."""
        return self._statement

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """The least of what is stated and of what the curve tells."""
        return np.minimum(self._curve.divergence(order, upper), self._statement.bound(order))

    def concentration(self, upper: bool) -> float:
        """The same of rho; from above the curve is searched only where no rho is stated, for it takes long."""
        if upper and math.isfinite(self._statement.rho):
            return self._statement.rho
        return min(self._curve.concentration(upper), self._statement.rho)


class _Chosen:
    """Several statements, the least or the largest of which holds at each order."""

    def __init__(self, parts: list[Statement], largest: bool) -> None:
        self._parts, self._largest = parts, largest

    @property
    def orders(self) -> FloatArray:
        """Those of any."""
        return np.unique(np.concatenate([one.orders for one in self._parts]))

    @property
    def rho(self) -> float:
        """The least or the largest."""
        return (max if self._largest else min)(one.rho for one in self._parts)

    def bound(self, order: FloatArray) -> FloatArray:
        """The least or the largest."""
        return (np.maximum if self._largest else np.minimum).reduce([one.bound(order) for one in self._parts])


class _Plain:
    """The divergences of a curve, where they stand beside statements."""

    def __init__(self, of: Divergences) -> None:
        self._of = of

    @property
    def orders(self) -> FloatArray:
        return np.zeros(0)

    @property
    def rho(self) -> float:
        return self._rho

    @cached_property
    def _rho(self) -> float:
        return self._of.concentration(True)

    def bound(self, order: FloatArray) -> FloatArray:
        return self._of.divergence(order, True)


def least(several: Sequence[Divergences]) -> Statement | None:
    """What is stated of a pair for which all ``several`` hold; None where none of them states anything."""
    found = [one.statement for one in several]
    known = [one for one in found if one is not None]
    return _Chosen(known, largest=False) if known else None


def largest(several: Sequence[Divergences]) -> Statement | None:
    """What can be stated where any of ``several`` may be the truth; None where none of them states anything."""
    if all(one.statement is None for one in several):
        return None
    parts: list[Statement] = [one.statement or _Plain(one) for one in several]
    return _Chosen(parts, largest=True)


class BlatantDivergence:
    """Two laws that have nothing in common: every divergence is infinite."""

    @property
    def statement(self) -> Statement | None:
        """None: nothing is left to be stated."""
        return None

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """inf."""
        return np.full_like(order, math.inf)

    def concentration(self, upper: bool) -> float:
        """inf."""
        return math.inf
