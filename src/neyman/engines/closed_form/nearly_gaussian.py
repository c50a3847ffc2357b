"""Sampled Gaussian steps with so much noise that each is nearly a Gaussian: closed forms, with what that costs.

Step i is (1 - q) N(0, 1) + q N(m, 1) against N(0, 1), m = 1 / sigma. Beside it stands N(q m, 1) against N(0, 1), and
beside the composition the Gaussian mechanism G with mu^2 = sum T q^2 m^2 (and those of whole Gaussians). Let Y be the
likelihood ratio of the mixtures to the N(q m, 1), under which y = x - q m are standard normal. Per step, with U = m
(B - q), B a coin of probability q, it is E_U e^{U y - U^2 / 2} = 1 + sum over n >= 2 of E[U^n] He_n(y) / n!. By
Nelson's hypercontractivity (Nelson 1973; Janson 1997, Theorem 5.10: ||F||_p <= ||(p - 1)^{N / 2} F||_2 for p >= 2,
where N multiplies He_n by n), by orthogonality, and since |E U^n| <= q (1 - q) m^n,

    ||Y - 1||_p <= kappa_p,    kappa_p^2 = prod (1 + V_p)^T - 1,    V_p = (q (1 - q))^2 (e^x - 1 - x),  x = (p - 1) m^2.

Hence, by Hoelder, for every set A of probability s under the N(q m, 1): |mixture(A) - s| <= kappa_p s^{1 - 1/p}, and
as s^{1 - 1/p} is concave in s, that is at most c s + d with c = kappa_p (1 - 1/p) s_0^{-1/p} and d = kappa_p s_0^{1 -
1/p} / p, whatever s_0 > 0. delta(eps) is the largest P(A) - e^eps Q(A). So

    remove (P is the mixture):   delta(eps) <= (1 + c) delta_G(eps - log(1 + c)) + d
    add    (Q is the mixture):   delta(eps) <= delta_G(eps + log(1 - c)) + e^eps d                       for c < 1,

and the best test A of G itself, of power s (of level s), gives

    remove:   delta(eps) >= delta_G(eps) - kappa_p s^{1 - 1/p}
    add:      delta(eps) >= delta_G(eps) - e^eps kappa_p s^{1 - 1/p}.

Near eps = 0 both sides are about m delta apart, relatively 300 m where s is 1e-10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT
from neyman.profiles.pair import Direction
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import bracket_at

__all__ = ["NearlyGaussianProfile"]

_ORDERS = np.array(
    [2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0]
)  # of moments that are tried: the best is taken
_MU_ROUNDED = 16.0 * UNIT  # a quotient, a square, a sum of positive terms and a root, sigma known to one unit
_LARGEST = 100.0  # mu up to which _OFF is enough: below delta = 1e-300 a relative error d of mu moves s by 40 mu d
_LEAST = 1e-300  # stands for an s that underflows: any number would do
_OFF = 1e-9  # relative: more than the best test of G may miss by where mu is rounded, and than powers of s may lose
# certifies: more than sqrt(e / 2) times any share whose square is no float, which is below 1.5e-154
_UNDERFLOWN = 1e-150


class NearlyGaussianProfile(Profile):
    """Bounds of delta for ``steps``, sampled Gaussians with their counts, beside a Gaussian of parameter ``mu``.

    Sound for any noise multiplier; sharp where all are large.

    Parameters
    ----------
    steps : sequence of (SubsampledGaussianStep, int)
        Not empty.
    mu : float
        Of the unsampled Gaussians together, >= 0.
    direction : str
        "remove" or "add".
    tail_mu : float
        What it is with no floor.

    Examples
    --------
    >>> p = NearlyGaussianProfile([(SubsampledGaussianStep(1e9, 0.5), 100)], 0.0, "remove", 1e-8)
    >>> b = p.bracket(np.zeros(1))
    >>> bool((b.upper - b.lower < 1e-8 * b.upper)[0]), f"{b.upper[0]:.6e}"
    (True, '1.994711e-09')
    """

    def __init__(
        self, steps: Sequence[tuple[SubsampledGaussianStep, int]], mu: float, direction: Direction, tail_mu: float
    ) -> None:
        self._remove = direction == "remove"
        self._tail_mu = tail_mu
        shifts = [math.sqrt(times) * (step.rate / step.sigma) for step, times in steps]
        whole = math.hypot(mu, *shifts)
        self._below = GaussianProfile(whole * (1.0 - _MU_ROUNDED))
        self._above = GaussianProfile(min(whole * (1.0 + _MU_ROUNDED), tail_mu))
        self._end = math.inf
        if not self._remove and mu == 0.0:
            self._end = -math.fsum(times * math.log1p(-step.rate) for step, times in steps) * (1.0 + 4.0 * UNIT)
        exponent, known = np.zeros(len(_ORDERS)), np.full(len(_ORDERS), whole <= _LARGEST)
        with np.errstate(over="ignore", under="ignore"):
            for step, times in steps:
                x = (_ORDERS - 1.0) * (1.0 / step.sigma) * (1.0 / step.sigma)
                known &= x <= 1.0
                share = step.rate * (1.0 - step.rate) * x
                exponent = exponent + times * np.log1p(0.5 * share * share * np.exp(np.minimum(x, 1.0)))
            # V_p <= (q (1 - q) x)^2 e^x / 2; where the square underflows, its root is below 1e-150
            kappa = np.sqrt(np.expm1(exponent)) * (1.0 + _OFF) + _UNDERFLOWN * sum(times for _, times in steps)
        self._log_kappa = np.log(np.where(known, kappa, math.inf))

    @property
    def method(self) -> str:
        return "closed form"

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._above.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        below, above = self._below.bracket(epsilon), self._above.bracket(epsilon)
        slope = self._above.slope(epsilon)
        with np.errstate(under="ignore", over="ignore"):
            unit = np.ones(len(epsilon)) if self._remove else np.exp(epsilon)
            # the power, or the level, of the best test of G
            share = (above.upper + slope if self._remove else slope / unit) * (1.0 + _OFF) + _LEAST
        share = np.where(share > 0.0, share, _LEAST)
        # of the orders the one that costs least at this share
        cost = self._log_kappa[:, None] - np.multiply.outer(1.0 / _ORDERS, np.log(share))
        best = np.argmin(cost, axis=0)
        order, least_cost = _ORDERS[best], cost[best, np.arange(len(epsilon))]
        with np.errstate(over="ignore", under="ignore"):
            ratio = np.exp(np.minimum(least_cost, LARGEST_EXPONENT)) * (1.0 + _OFF)  # kappa s^{-1/p}
            rest = unit * (ratio * share) * (1.0 + _OFF)
            found = self._read(epsilon, ratio * (1.0 - 1.0 / order)) + rest / order
        upper, lower = np.minimum(found, 1.0), np.maximum(below.lower - rest, 0.0)
        upper = np.where(least_cost < LARGEST_EXPONENT, upper, 1.0)
        lower = np.where(least_cost < LARGEST_EXPONENT, lower, 0.0)
        # sampling only takes away: nothing is above the Gaussian that is not sampled
        upper = np.minimum(upper, GaussianProfile(self._tail_mu).bracket(epsilon).upper)
        upper = np.where(epsilon >= self._end, 0.0, upper)
        lower = np.minimum(lower * (1.0 - 8.0 * UNIT), upper)
        with np.errstate(divide="ignore"):
            low, high = np.log1p(-upper), np.log1p(-lower)
        return Bracket(
            lower, upper, low * (1.0 + 4.0 * UNIT), np.minimum(high * (1.0 - 4.0 * UNIT), 0.0)
        )  # fmt: skip

    def _read(self, epsilon: FloatArray, tangent: FloatArray) -> FloatArray:
        """delta_G where the tangent moves it, from above; 1 where the tangent says nothing."""
        usable = tangent < 0.5
        t = np.where(usable, tangent, 0.0)
        shift = np.log1p(t) if self._remove else -np.log1p(-t)
        at = epsilon - shift * (1.0 + 4.0 * UNIT)
        at = at - 4.0 * UNIT * np.abs(at)
        value = bracket_at(self._above, self._above, at).upper * ((1.0 + t) if self._remove else 1.0)
        return np.where(usable, value * (1.0 + 8.0 * UNIT), 1.0)
