"""RDP(orders, epsilons): bounds on Renyi divergences, given rather than computed."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, between
from neyman.engines.closed_form.pairs import BlatantProfile, PerfectProfile
from neyman.engines.region.profile import RenyiProfile, ZcdpProfile
from neyman.guarantees.given.base import Given, columns, listed
from neyman.guarantees.renyi import Divergences, StatedDivergence
from neyman.numerics.functions.normal import PROBIT_ERROR, probit
from neyman.profiles.profile import Profile

__all__ = ["RDP", "ZCDP"]

LARGEST_RHO = 1e12  # of zCDP, or a divergence: what is more leaves no attack out that a float would show
LARGEST_ORDER = 1e6  # of a divergence that may be stated
_DEEPEST = 1e-290  # floor down to which the curve itself is asked
_LEAST_ORDER = 0.5  # the same from below
_TRIES = 400  # of mu, each a thousandth above the last; if none is proved, inf


class RDP(Given):
    """The guarantee of (t, epsilon_t)-RDP at one or more orders t, in both orders of the pair.

    The curve is the best that follows by way of tests: every test keeps every bound, hence its error rates lie in the
    intersection of the regions of all orders (Balle et al. 2020, Theorem 22, and Gomez et al., appendix A.6, where
    "minimum" must read "largest lower bound"); ``epsilon(delta)`` is at most that of any conversion of single orders,
    but for rounding.
    Every attack bound holds down to the last digit; no finite mu holds with no floor.

    Parameters
    ----------
    orders : float or array
        Strictly rising, in [1/2, 1e6]. Orders below 1/2 say nothing that orders above it do not.
    epsilons : float or array
        As many, >= 0; inf where none is known. Those above 1e12 are kept, but say nothing of attacks.

    Raises
    ------
    InvalidParameter
        If the numbers lie outside their domains or the lengths differ.

    Notes
    -----
    Error bound: each order's tangent is certified to 1e-12; where two orders meet delta is mostly 1e-9 above the best,
    and up to 1e-4 where the corner is not found (it is sound all the same).

    Examples
    --------
    >>> g = RDP([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0])  # a Gaussian mechanism with mu = 1
    >>> round(g.epsilon(1e-5), 3), round(g.advantage, 4)  # the mechanism itself: 4.377, 0.3829
    (5.087, 0.5482)
    """

    def __init__(self, orders: object, epsilons: object) -> None:
        order, epsilon = columns("epsilons", orders=orders, epsilons=epsilons)
        if not bool(np.all((order >= _LEAST_ORDER) & (order <= LARGEST_ORDER) & np.append(True, np.diff(order) > 0.0))):
            raise InvalidParameter("orders", listed(order), "strictly rising numbers in [1/2, 1e6]", "Sort the orders.")
        if not bool(np.all(epsilon >= 0.0)):
            raise InvalidParameter("epsilons", listed(epsilon), "numbers >= 0 or inf")
        profile = _profile(order, epsilon)
        super().__init__(profile, profile, orders=listed(order), epsilons=listed(epsilon))
        self._bounds = order, epsilon

    @cached_property
    def divergences(self) -> Divergences:
        """What was stated; one divergence that is 0 makes all of them 0."""
        if bool(np.any(self._bounds[1] == 0.0)):
            return StatedDivergence(np.zeros(0), np.zeros(0), 0.0)
        return StatedDivergence(*self._bounds)


def _profile(order: FloatArray, epsilon: FloatArray) -> Profile:
    if bool(np.any(epsilon == 0.0)):  # one divergence that is 0 makes the pair equal
        return PerfectProfile()
    telling = epsilon <= LARGEST_RHO  # beyond it a bound leaves no attack out that a float would show
    return RenyiProfile(order[telling], epsilon[telling]) if bool(np.any(telling)) else BlatantProfile()


class ZCDP(Given):
    """The guarantee of rho-zCDP: D_t <= rho t at every order t > 1, in both orders of the pair (Bun and Steinke 2016).

    The curve is the best that follows by way of tests (see ``RDP``), over all orders t > 1 and none below.

    Parameters
    ----------
    rho : float
        In [0, 1e12].

    Raises
    ------
    InvalidParameter
        If ``rho`` lies outside its domain.

    Notes
    -----
    Error bound: the tangent of the order used is certified; that order is off the best by about 1e-3, which costs delta
    a relative 1e-6 or less down to 1e-15, and 1e-4 down to 1e-30.

    Examples
    --------
    >>> g = ZCDP(0.5)
    >>> round(g.beta(0.1), 5), round(g.advantage, 4)
    (0.51627, 0.4791)
    """

    def __init__(self, rho: float) -> None:
        value = between("rho", rho, 0.0, LARGEST_RHO) + 0.0
        profile: Profile = ZcdpProfile(value) if value > 0.0 else PerfectProfile()
        super().__init__(profile, profile, rho=value)
        self._rho = value

    @cached_property
    def divergences(self) -> Divergences:
        """What was stated."""
        return StatedDivergence(np.zeros(0), np.zeros(0), self._rho)

    @property
    def tail_mu(self) -> float:
        """A mu that is valid with no floor at all."""
        return self._tail_mu

    @cached_property
    def _tail_mu(self) -> float:
        """From the curve itself down to alpha = 1e-290, from a Chernoff bound below.

        With m = sqrt(2 rho), a = Phi(-z) and L = log 1/a, the best order leaves p <= a exp(m sqrt(2 L) - m^2 / 2), and
        a Gaussian has p >= a exp(mu z - mu^2 / 2). Since sqrt(2 L) <= z + l / z with l = log(sqrt(2 pi) (z + 1/z)),
        it suffices that (mu - m) (z - (mu + m) / 2) >= m l / z, for all larger z if for one.
        """
        if self._rho == 0.0:
            return 0.0
        z = -float(probit(np.log(np.array([_DEEPEST])))[0]) * (1.0 - PROBIT_ERROR)
        m = math.sqrt(2.0 * self._rho) * (1.0 + 1e-15)
        need = m * math.log(math.sqrt(2.0 * math.pi) * (z + 1.0 / z)) / z
        mu = self.fit(_DEEPEST).mu
        for _ in range(_TRIES):
            if mu > m and (mu - m) * (z - 0.5 * (mu + m)) >= need * (1.0 + 1e-9):
                return mu
            mu *= 1.001
        return math.inf
