"""What two lines prove of any composition, however long: bounds from Renyi divergences, which add over its steps.

With L the loss of the whole, D_t the divergence of P from Q and c = t - 1 > 0 in the first, s in (0, 1] in the second,

    delta(eps) = E_P[(1 - e^{eps - L})_+] <= max over u > 0 of (1 - e^{-u}) e^{-c u}  *  E_P e^{c (L - eps)}
               = c^c / (1 + c)^{1 + c} e^{c (D_t - eps)},
    1 - delta(eps) = E_P[min(1, e^{eps - L})] <= E_P e^{s (eps - L)} = e^{s (eps - D_{1-s})}.

By Cauchy and Schwarz, and by Bretagnolle and Huber (1979), 1 - delta(0) = int min(dP, dQ) >= e^{-D} / 2 with D any of
D_{1/2}, D_1(P || Q) and D_1(Q || P), and delta(0)^2 <= 1 - e^{-D}; by Pinsker delta(0)^2 <= D_1 / 2. delta(eps) <=
delta(0), and delta(eps) <= 1 - e^{eps - end} with end the largest loss. What ``tail_mu`` says of a Gaussian holds
besides.

All of it costs a few quadratures per kind of step, none of it depends on how many there are of each: the divergence of
one step is known relatively, however small, and so is its multiple.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.renyi.step import step_divergence
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["ElementaryProfile"]

_ABOVE = 2.0 ** np.arange(-44.0, 40.0)  # c at first: of 1e18 steps of loss 1 the best c are about 1e-9
_BELOW = 2.0 ** np.arange(-44.0, 0.0)  # s
_BETWEEN = 2.0 ** np.array([-0.75, -0.5, -0.25, 0.25, 0.5, 0.75])  # then beside the best of them
_ROUNDED = 16.0 * UNIT  # a difference, three products and a sum, each relative; logarithms and exponentials at 2 UNIT
_TINY = 1e-300  # more than products too small for a float are off


class ElementaryProfile(Profile):
    """Bounds on delta of one direction of the composition ``losses``; those of enclosed steps only from above.

    Examples
    --------
    >>> from neyman.losses.gaussian.plain import GaussianStep
    >>> p = ElementaryProfile(((GaussianStep(1e-9, 1e-9), 10**20),), True, math.inf)
    >>> b = p.bracket(np.array([60.0]))  # mu = 10: 0.163
    >>> f"{b.lower[0]:.3f} {b.upper[0]:.3f}"
    '0.000 0.423'
    """

    def __init__(self, losses: tuple[tuple[Step, int], ...], remove: bool, tail_mu: float) -> None:
        self._losses = losses
        self._remove = remove
        self._tail_mu = tail_mu
        self._enclosed = any(isinstance(step, EnclosedStep) for step, _ in losses)
        self._gaussian = GaussianProfile(tail_mu) if 0.0 < tail_mu < math.inf else None
        self._end = math.inf
        if not self._enclosed:  # a promise would take its time, and may hold mass at infinity
            ends = [times * step.largest_loss(remove) for step, times in losses]
            self._end = math.fsum(ends) * (1.0 + 8.0 * UNIT)

    @property
    def method(self) -> str:
        return "divergences"

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        log_upper, upper_gap = self._log_upper(epsilon)[0], self._log_one_less(epsilon)[0]
        with np.errstate(under="ignore", divide="ignore"):
            upper = np.minimum(np.exp(np.minimum(log_upper, 0.0)) * (1.0 + 4.0 * UNIT) + _TINY, self._at_zero[0])
            beyond = epsilon >= self._end
            left = np.where(beyond, 0.0, epsilon - self._end) * (1.0 + 4.0 * UNIT)
            upper = np.where(beyond, 0.0, np.minimum(upper, -np.expm1(left) * (1.0 + 4.0 * UNIT) + _TINY))
            lower = np.maximum(-np.expm1(upper_gap) * (1.0 - 4.0 * UNIT), 0.0)
            lower_gap = np.maximum(np.log1p(-upper) * (1.0 + 4.0 * UNIT), self._at_zero[1])
            lower_gap = np.where(beyond, 0.0, np.maximum(lower_gap, left))
        found = Bracket(lower, upper, lower_gap, upper_gap)
        if self._gaussian is not None:
            above = self._gaussian.bracket(epsilon)
            upper = np.minimum(upper, above.upper)
            found = Bracket(lower, upper, np.maximum(lower_gap, above.log_gap_lower), upper_gap)
        # rounding alone may have crossed them
        return Bracket(
            np.minimum(found.lower, found.upper), found.upper, np.minimum(found.log_gap_lower, upper_gap), upper_gap
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        log_upper, c = self._log_upper(epsilon)
        log_gap, s = self._log_one_less(epsilon)
        with np.errstate(under="ignore", over="ignore"):
            return np.minimum(c * np.exp(np.minimum(log_upper, 0.0)), s * np.exp(np.minimum(log_gap, 0.0)))

    @cached_property
    def _at_zero(self) -> tuple[float, float]:
        """A bound on delta(0) from above, and on log(1 - delta(0)) from below."""
        half = float(self._divergence(np.array([0.5]), self._remove, True)[0])
        one = min(float(self._divergence(np.ones(1), remove, True)[0]) for remove in (True, False))
        least = min(half, one)
        squares = -math.expm1(-least), 0.5 * one
        delta = min(1.0, math.sqrt(min(squares)) * (1.0 + _ROUNDED) + _TINY)
        return delta, -(least + math.log(2.0)) * (1.0 + _ROUNDED)

    def _log_upper(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log delta from above, and the c that says so."""
        return self._best(epsilon, 1.0, _ABOVE, self._above)

    def _log_one_less(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log(1 - delta) from above, and the s that says so."""
        if self._enclosed:
            return np.zeros(len(epsilon)), np.ones(len(epsilon))
        return self._best(epsilon, -1.0, _BELOW, self._below)

    @cached_property
    def _above(self) -> dict[float, float]:
        return self._known(_ABOVE, 1.0)

    @cached_property
    def _below(self) -> dict[float, float]:
        return self._known(_BELOW, -1.0)

    def _known(self, c: FloatArray, sign: float) -> dict[float, float]:
        """D by c = |t - 1|, from above for t > 1 and from below for t < 1, with c as it is when t is a float."""
        order = 1.0 + sign * c
        order = order[(order != 1.0) & (order > 0.0)]
        found = self._divergence(order, self._remove, sign > 0.0)
        return dict(zip(np.abs(order - 1.0).tolist(), found.tolist(), strict=True))

    def _divergence(self, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
        total = np.zeros_like(order)
        with np.errstate(over="ignore"):
            for step, times in self._losses:
                try:
                    one = step_divergence(step, order, remove, upper)
                except NotCertified:  # its law does not weigh 1: nothing is known of it
                    one = np.full_like(order, math.inf if upper else 0.0)
                total = total + float(times) * one
        room = (4.0 + 2.0 * len(self._losses)) * UNIT
        return total * (1.0 + room) if upper else np.minimum(total * (1.0 - room), np.finfo(np.float64).max)

    def _best(
        self, epsilon: FloatArray, sign: float, coarse: FloatArray, known: dict[float, float]
    ) -> tuple[FloatArray, FloatArray]:
        """The least of what each c or s says, and which it is, looked at more finely beside the best."""
        _, at = _least(epsilon, sign, known)
        near = np.unique(coarse[np.argmin(np.abs(np.subtract.outer(np.log(at), np.log(coarse))), axis=1)])
        new = [c for c in np.multiply.outer(near, _BETWEEN).ravel() if abs((1.0 + sign * c) - 1.0) not in known]
        new = [c for c in new if sign > 0.0 or c < 1.0]
        if new:
            known |= self._known(np.array(new), sign)
        return _least(epsilon, sign, known)


def _least(epsilon: FloatArray, sign: float, known: dict[float, float]) -> tuple[FloatArray, FloatArray]:
    c, divergence = np.array(list(known)), np.array(list(known.values()))
    with np.errstate(over="ignore", invalid="ignore"):
        exponent = c * (sign * np.subtract.outer(-epsilon, -divergence))
        height = c * np.log(c) - (1.0 + c) * np.log1p(c) if sign > 0.0 else np.zeros_like(c)
        exponent = exponent + height
        exponent = exponent + _ROUNDED * (np.abs(exponent) + (1.0 + c) * (1.0 + np.abs(np.log(c))))
    exponent = np.where(np.isnan(exponent), math.inf, exponent)
    best = np.argmin(exponent, axis=1)
    return np.minimum(exponent[np.arange(len(epsilon)), best], 0.0), c[best]
