"""The pair of laws on the unit interval that every guarantee is the guarantee of, and how far two of them are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, numbers, seeded, unit_interval, whole
from neyman.comparison.compare import Comparison
from neyman.guarantees import Bounds, Guarantee, OptimisticGuarantee
from neyman.numerics.rounding import UNIT

__all__ = ["CanonicalPair", "canonical_pair", "levy_distance"]

_MOST_DRAWS = 10**7  # draws at most


def levy_distance(a: Guarantee, b: Guarantee) -> Bounds:
    """Return certified bounds on Levy's distance of two guarantees: the symmetrised Delta-divergence.

    The least k >= 0 with F_a(x - k) - k <= F_b(x) <= F_a(x + k) + k at every x, of the distribution functions F(x) =
    f(1 - x) of their canonical pairs. It is a metric, 0 for equal guarantees alone, and at most 1/2.

    Parameters
    ----------
    a, b : Guarantee
        For the same neighbours, as for ``compare``.

    Returns
    -------
    Bounds
        About 1e-10 apart where the profiles are as sharp; ``compare(a, b).distance`` is the upper end.

    Raises
    ------
    InvalidParameter
        If one is no guarantee or an optimistic one, or the adjacencies differ.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Section 3.3 and Appendix B.2. With x = 1 - alpha the inequality
    on the left is f_a(alpha + k) - k <= f_b(alpha), which is Delta(a || b) <= k; the one on the right is the same with
    a and b exchanged. f need not be symmetric.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.comparison.levy_distance(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> round(found.lower, 8), round(found.upper, 8)
    (0.03413855, 0.03413855)
    """
    forth, back = Comparison(a, b).bounds
    return Bounds(max(forth.lower, back.lower), max(forth.upper, back.upper))


@dataclass(frozen=True, slots=True)
class CanonicalPair:
    """The pair (U, W) of a guarantee: U uniform on [0, 1], W with the distribution function f(1 - w) there.

    Large values speak for the record. At w = 1 there is all that reveals it, 1 - f(0). Answers are certified brackets.
    """

    guarantee: Guarantee

    def cdf(self, w: Any) -> Bounds:
        """Bounds on the chance that W <= w: f(1 - w) for w in [0, 1), 1 from there on.

        Parameters
        ----------
        w : float or array
            Real.

        Raises
        ------
        InvalidParameter
            If ``w`` is no real number.
        """
        values = numbers("w", w, "a number, or a non-empty array of numbers")
        if bool(np.any(np.isnan(values))):
            raise InvalidParameter("w", float("nan"), "a number, or a non-empty array of numbers")
        flat = values.ravel()
        inner = (flat >= 0.0) & (flat < 1.0)
        low, high = (np.where(flat >= 1.0, 1.0, 0.0) for _ in range(2))
        if inner.any():
            alpha = 1.0 - flat[inner]  # rounded by half a unit: f is read on either side
            low[inner] = self.guarantee.beta(np.minimum(alpha + UNIT, 1.0))
            high[inner] = self.guarantee.optimistic.beta(np.maximum(alpha - UNIT, 0.0))
        if values.ndim == 0:
            return Bounds(float(low[0]), float(high[0]))
        return Bounds(low.reshape(values.shape), high.reshape(values.shape))

    def quantile(self, p: Any) -> Bounds:
        """Bounds on the least w >= 0 with f(1 - w) >= p: 1 - f^-1(p), and 1 where p is above f(0).

        Parameters
        ----------
        p : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``p`` is not in [0, 1].
        """
        values = unit_interval("p", p)
        turned = self.guarantee.inverse()
        flat = values.ravel()
        some = flat > 0.0  # F is at least 0 everywhere
        low = np.where(some, np.maximum(1.0 - np.asarray(turned.optimistic.beta(flat)) - UNIT, 0.0), 0.0)
        high = np.where(some, np.minimum(1.0 - np.asarray(turned.beta(flat)) + UNIT, 1.0), 0.0)
        if values.ndim == 0:
            return Bounds(float(low[0]), float(high[0]))
        return Bounds(low.reshape(values.shape), high.reshape(values.shape))

    def draw(self, n: int, seed: int | np.random.Generator | None = None) -> FloatArray:
        """Return ``n`` draws of W: the middles of the brackets of ``quantile`` at uniform numbers.

        Each is within half of its bracket of an exact draw.

        Parameters
        ----------
        n : int
            From 1 to 10^7.
        seed : int or numpy.random.Generator, optional
            Of ``numpy.random.default_rng``.

        Raises
        ------
        InvalidParameter
            If ``n`` is no whole number in this range, or there can be no generator of this seed.
        """
        count, generator = whole("n", n, 1, _MOST_DRAWS), seeded(seed)
        return self.quantile(generator.random(count)).middle


def canonical_pair(guarantee: Guarantee) -> CanonicalPair:
    """Return the pair (U, W) on the unit interval whose trade-off curve is the guarantee's: it dominates tightly.

    Parameters
    ----------
    guarantee : Guarantee
        Computed or given. Its f is that of U under H0 and W under H1.

    Raises
    ------
    InvalidParameter
        If it is no guarantee, or an optimistic one.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Lemma B.1; Dong, Roth and Su (2022), Proposition 2.2. The test
    that rejects U above 1 - alpha has a false positive rate of alpha and misses W with chance f(alpha); W's density
    |f'(1 - w)| rises with w, so that no test does better. The privacy loss of the pair is log |f'(1 - w)|, of the same
    law as that of every pair with this f: see ``g.loss``.

    Examples
    --------
    >>> import neyman as ny
    >>> pair = ny.comparison.canonical_pair(ny.GDP(1.0))
    >>> round(pair.cdf(0.95).upper, 6) == round(ny.GDP(1.0).beta(0.05), 6), round(pair.quantile(0.740489).lower, 5)
    (True, 0.95)
    """
    if not isinstance(guarantee, Guarantee) or isinstance(guarantee, OptimisticGuarantee):
        advice = "Account for a mechanism first: ny.account(mechanism)."
        raise InvalidParameter("guarantee", guarantee, "a Guarantee", advice)
    return CanonicalPair(guarantee)
