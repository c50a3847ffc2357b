"""Steps in which the record hardly ever takes part: what they add to delta, where floats cannot hold their variances.

Basic composition, and data processing: of steps whose own profiles are d_1, ..., d_n and of others with profile d_0,

    max d_i(eps) <= delta(eps) <= d_0(eps) + sum of d_i(0),        delta(eps) <= sum of d_i(eps / n) without others,
    1 - delta(eps) >= (1 - d_0(eps)) (1 - sum of d_i(0)).

For sampled Gaussians alone delta is nearly linear in the rates. With P / Q of each step 1 + q x, E_Q|x| <= 2 and
tau <= 1/2 the sum of the rates, E_Q|prod(1 + q x) - 1 - sum of q x| <= e^{2 tau} - 1 - 2 tau <= 4 tau^2, so that

    |delta(eps) - E_Q(sum of q x - eps)_+| <= 2 (4 tau^2 + eps^2)        for eps <= 1,

and the same with -q x in the direction "add". The expectation is homogeneous: of rates s times as large, read at s eps,
it is s times as large. Hence delta is that of rates s times as large, over s, within 4 (4 (s tau)^2 + (s eps)^2) / s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import ListedStep
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["FaintProfile", "Sampled", "is_faint", "magnified"]

Sampled = SubsampledGaussianStep | LaplaceStep | ReplacedGaussianStep | DiscreteStep

_FAINT = 2.0**-400  # rate below which variances, of about its square, may be no floats
_MAGNIFIED = -200  # the binary exponent to which the largest rate is brought
_ROUNDED = 32.0 * UNIT  # certifies: of a square, two products and a sum, with room


def is_faint(step: Step) -> bool:
    """Whether the record takes part so rarely that no engine's floats hold the variance of the loss."""
    if not isinstance(step, Sampled) or isinstance(step, ListedStep) or step.rate > _FAINT:  # a list has no rate
        return False
    return not isinstance(step, DiscreteStep) or max(step.table().infinite) == 0.0


def magnified(losses: tuple[tuple[Step, int], ...]) -> tuple[tuple[tuple[Step, int], ...], int] | None:
    """The same steps at rates 2^k times as large, exactly, and k; None unless all are sampled Gaussians."""
    steps = [(step, times) for step, times in losses if isinstance(step, SubsampledGaussianStep)]
    if len(steps) < len(losses):
        return None
    power = _MAGNIFIED - math.frexp(max(step.rate for step, _ in steps))[1]
    return tuple((replace(step, rate=math.ldexp(step.rate, power)), times) for step, times in steps), power


class FaintProfile(Profile):
    """One direction of steps of which each entry of ``singles`` is the profile of one (None: not known, but for its
    ``rate``), its rate and how often it is taken; beside ``others``, if any.

    ``large()`` is the profile of rates 2^``power`` times as large.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import SubsampledGaussianProfile
    >>> one = SubsampledGaussianProfile(10.0, 1e-200, "remove")
    >>> b = FaintProfile([(one, 1e-200, 2)], None, 0.1).bracket(np.zeros(1))
    >>> print(f"{b.lower[0]:.2e} {b.upper[0]:.2e}")  # the mean of |x| / 2 of two: 5.6e-202
    3.99e-202 7.98e-202
    """

    def __init__(
        self, singles: Sequence[tuple[Profile | None, float, int]], others: Profile | None, tail_mu: float,
        large: Callable[[], Profile] | None = None, power: int = 0,
    ) -> None:  # fmt: skip
        self._singles = singles
        self._others = others
        self._tail_mu = tail_mu
        self._make_large = large
        self._power = power

    @property
    def method(self) -> str:
        """That of the others, where there are any, or of larger rates."""
        beside = self._others if self._others is not None else self._large
        return "basic composition" if beside is None else f"basic composition, {beside.method}"

    @property
    def end(self) -> float:
        own = math.fsum(math.inf if one is None else times * one.end for one, _, times in self._singles)
        return (own + (0.0 if self._others is None else self._others.end)) * (1.0 + 8.0 * UNIT)

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        lower = np.zeros(len(epsilon))
        for one, _, _ in self._singles:
            if one is not None:
                lower = np.maximum(lower, one.bracket(epsilon).lower)
        if self._others is None:
            upper = np.minimum(self._sum(epsilon), self._most)
            if self._large is not None:
                lower, upper = self._by_larger(epsilon, self._large, lower, upper)
            low = np.log1p(-upper) * (1.0 + 4.0 * UNIT) - SMALLEST
            lower = np.minimum(lower, upper)
            return Bracket(lower, upper, low, np.log1p(-lower) * (1.0 - 4.0 * UNIT))
        known = self._others.bracket(epsilon)
        upper = np.where(known.upper < 1.0, np.minimum((known.upper + self._most) * (1.0 + 4.0 * UNIT), 1.0), 1.0)
        low = (known.log_gap_lower + math.log1p(-self._most)) * (1.0 + 4.0 * UNIT) - SMALLEST
        high = np.minimum(known.log_gap_upper, np.log1p(-lower) * (1.0 - 4.0 * UNIT))
        return Bracket(np.maximum(known.lower, lower), upper, low, high)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        if self._others is not None:
            return self._others.slope(epsilon)
        out = np.zeros(len(epsilon))
        for one, _, times in self._singles:
            if one is not None:
                out += times / self._count * one.slope(epsilon / self._count)
        return out

    @cached_property
    def _large(self) -> Profile | None:
        return None if self._make_large is None else self._make_large()

    @cached_property
    def _count(self) -> int:
        return sum(times for _, _, times in self._singles)

    @cached_property
    def _most(self) -> float:
        """A bound on the sum of the d_i(0), < 1."""
        zero = np.zeros(1)
        each = [
            times * (rate if one is None else min(rate, float(one.bracket(zero).upper[0])))
            for one, rate, times in self._singles
        ]
        return math.fsum(each) * (1.0 + 8.0 * UNIT) + len(each) * SMALLEST

    def _sum(self, epsilon: FloatArray) -> FloatArray:
        """The sum of the d_i(eps / n), from above."""
        share = epsilon / self._count * (1.0 - 4.0 * UNIT)
        total = np.zeros(len(epsilon))
        for one, rate, times in self._singles:
            total = total + float(times) * (rate if one is None else one.bracket(share).upper)
        return total * (1.0 + (8.0 + len(self._singles)) * UNIT) + len(self._singles) * SMALLEST

    def _by_larger(
        self, epsilon: FloatArray, large: Profile, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """What larger rates say besides."""
        tau = math.ldexp(math.fsum(times * rate for _, rate, times in self._singles), self._power)
        with np.errstate(over="ignore"):
            at = np.ldexp(epsilon, self._power)
        near = np.flatnonzero(at <= 0.5)
        if not len(near) or not tau <= 0.25:
            return lower, upper
        seen = large.bracket(at[near])
        error = 4.0 * (4.0 * tau * tau + at[near] ** 2) * (1.0 + _ROUNDED)
        with np.errstate(under="ignore"):
            above = np.ldexp((seen.upper + error) * (1.0 + 4.0 * UNIT), -self._power) + SMALLEST
            below = np.ldexp((seen.lower - error) * (1.0 - 4.0 * UNIT), -self._power) - SMALLEST
        lower, upper = lower.copy(), upper.copy()
        lower[near], upper[near] = np.maximum(lower[near], below), np.minimum(upper[near], above)
        return lower, upper
