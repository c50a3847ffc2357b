"""Sampled Gaussian steps with so little noise that the output tells which steps an exchanged record took part in.

A step is (1 - q) N(0, 1) + q N(m, 1) against (1 - q) N(0, 1) + q N(-m, 1), m = 1 / sigma. In the words of
``participation``, with e_k = eps + k log((1 - q) / q) and delta_k the profile of the Gaussian mechanism of mu_k^2 = k
m^2 (and whatever Gaussian is composed besides),

    S(eps) = sum over k of p_k delta_k(e_k),        p_k = Binomial(T, q)(k).

From above: the law without the one record is at least (1 - q)^T n_0, so that delta is at most that of "remove" at eps +
T log(1 - q), which is read at e_k; of k = 0 that is delta_0(eps).

From below, by a test. With a threshold t on every step let A hold the outputs that, for some set K, lie above t in the
steps of K, in [-t, t] in all others, and are likelier by e^{e'_k} under n_K than under n_0 in those of K. In the others
both laws have the same mass, at least (1 - q) (1 - 2 P_0(x > t)) each, since they are mirror images; above t the law
without the record is at most n_0 (1 - q + q e^{-m t - m^2/2}). So with e'_k = eps + k log((1 - q + q e^{-m t -
m^2/2}) / q),

    delta(eps) >= (1 - 2 T P_0(x > t)) (sum over k of p_k delta_k(e'_k) - T q P_1(x <= t)).

All of it holds for any noise; it is sharp where the overlap is nothing beside q.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.counts.combinations import LARGEST_MU, Counts, Steps, log_tails, threshold
from neyman.engines.counts.participation import RemovedParticipation
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["ExchangedParticipation"]


class ExchangedParticipation(RemovedParticipation):
    """``steps`` of which a record is exchanged, and an unsampled Gaussian besides; the same in both directions.

    ``listed`` is what ``counts`` made of the same steps, ``exchanged``.
    """

    def __init__(self, steps: Steps, tail_mu: float, listed: Counts) -> None:
        super().__init__(steps, tail_mu, listed)
        lost, astray, self._ahead = 0.0, 0.0, 0.0
        for step, times in steps:
            mu, q = min(1.0 / step.sigma, LARGEST_MU) * (1.0 - 2.0 * UNIT), step.rate
            took, not_ = log_tails(step)
            t = threshold(mu, q)
            with np.errstate(under="ignore"):
                lost += 2.0 * times * float(np.exp(not_))
                astray += times * q * float(np.exp(took))
                self._ahead += times * math.log1p(q / (1.0 - q) * float(np.exp(-mu * (t + 0.5 * mu) * (1.0 - ROOM))))
        self._lost, self._astray = (min(each * (1.0 + ROOM) + SMALLEST, 1.0) for each in (lost, astray))
        self._ahead = self._ahead * (1.0 + ROOM) + SMALLEST

    def bracket(self, epsilon: FloatArray) -> Bracket:
        above, gap_below, _ = self._sums(epsilon, 1.0)
        below, gap_above, _ = self._sums((epsilon + self._ahead) * (1.0 + 2.0 * UNIT), -1.0)
        upper = np.minimum(above + self._error, 1.0)
        lower = (1.0 - self._lost) * np.maximum(below - self._astray, 0.0) * (1.0 - 8.0 * UNIT)
        with np.errstate(divide="ignore"):
            low = np.maximum(gap_below, np.log1p(-upper) * (1.0 + 4.0 * UNIT) - UNIT)
            high = np.logaddexp(gap_above, math.log(self._lost + self._astray)) + 4.0 * UNIT
            high = np.where(lower < 0.5, np.minimum(high, np.log1p(-lower) * (1.0 - 4.0 * UNIT)), high)
        high = np.minimum(high, 0.0)
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)
