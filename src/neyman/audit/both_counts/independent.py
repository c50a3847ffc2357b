"""An audit at one threshold whose two sides are independent: one exact test of both counts together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.audit.audit import Audit
from neyman.audit.both_counts.boundaries import Boundary, at_advantage, at_epsilon, at_mu, at_tpr, of_claim
from neyman.audit.both_counts.two_sample import ELSEWHERE, TwoSampleTest, last_kept, window
from neyman.audit.evidence import Needed, OperatingPoint, one_by_one
from neyman.audit.planning import planned
from neyman.audit.rates.bounds import advantage_bounds, epsilon_bounds, mu_bounds, tpr_bounds
from neyman.audit.rates.cuts import Cuts
from neyman.audit.rates.sides import OneThreshold
from neyman.audit.words import at_least
from neyman.guarantees import Guarantee
from neyman.numerics.rounding import UNIT
from neyman.risk.attacked import membership

__all__ = ["Independent"]

_LEAST_LOG = -640.0  # of a p-value
_LARGEST_MU, _LARGEST_EPSILON = 60.0, 700.0  # which no counts reach
_LEAST_SCORE = 0.05  # standard deviations from the curve, where the level is 1/2 or more
_FIRST_LOOK = math.log(1e-6)  # of a p-value
_WORDS = "threshold fixed in advance, two independent samples, exact test by the nearest rates, each bound on its own"

_Hypotheses = Callable[[float], Boundary]


class Independent(Audit):
    """Certified lower bounds from two independent counts; made by ``from_counts`` and its likes, ``independent=True``.

    Notes
    -----
    X false positives of n and Y false negatives of m are independent binomial counts with rates alpha and beta, and a
    claim allows what lies above its curve. Outcomes are ordered by their deviance from the nearest rates that are
    allowed, an order which does not depend on what was seen, so that

        p = sup P_(a, b)(an outcome at least as far as (X, Y))    over the rates (a, b) that are allowed

    is a p-value. The outcomes at least as far lie below a staircase, whose probability falls as a or b grows: it is
    largest on the curve, and between two of its points at most what it is at the lesser rate of each. The rates are
    sought in a box that contains the true ones but for 1/100 of the level, which is paid for (Berger and Boos 1994, P
    values maximized over a confidence set for the nuisance parameter). A bound on mu, epsilon, advantage or TPR is the
    largest number whose hypothesis is rejected by one order for all of them, that of the numbers which outcomes refute
    at a fixed distance (Buehler 1957, Confidence intervals for the product of two binomial parameters).
    """

    def __init__(self, cuts: Cuts, confidence: float) -> None:
        share = 0.5 * (1.0 - confidence)
        super().__init__(cuts, (OneThreshold(cuts.n_out, share), OneThreshold(cuts.n_in, share)), confidence, _WORDS)
        self._counts = int(cuts.false_positives[0]), int(cuts.false_negatives[0])
        self._sizes = cuts.n_out, cuts.n_in
        self._p: tuple[Guarantee, float] | None = None

    @property
    def advantage(self) -> float:
        """A lower bound on the best membership advantage, TPR - FPR."""
        return self._advantage

    @cached_property
    def _advantage(self) -> float:
        return self._largest(at_advantage, 0.0, self._about(advantage_bounds), 1.0)

    @cached_property
    def _mu(self) -> float:
        return self._largest(at_mu, 0.0, self._about(mu_bounds), _LARGEST_MU)

    def _epsilon(self, delta: float) -> float:
        if delta >= 1.0:
            return 0.0
        about = self._about(lambda alpha, beta: epsilon_bounds(alpha, beta, delta))
        return self._largest(lambda epsilon: at_epsilon(epsilon, delta), 0.0, about, _LARGEST_EPSILON)

    def _tprs(self, fpr: FloatArray) -> float | FloatArray:
        return one_by_one(fpr, self._tpr)

    def _tpr(self, fpr: float) -> float:
        if not 0.0 < fpr < 1.0:
            return fpr
        about = self._about(lambda alpha, beta: tpr_bounds(alpha, beta, fpr))
        return self._largest(lambda tpr: at_tpr(tpr, fpr), fpr, about, 1.0 - UNIT)

    def p_value(self, claim: Guarantee) -> float:
        """Return the p-value of the exact test of ``claim``, rounded up.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        """
        if self._p is None or self._p[0] is not claim:  # a verdict asks more than once
            self._p = claim, self._tested(claim)
        return self._p[1]

    def _tested(self, claim: Guarantee) -> float:
        test, boundary, far = self._looked(claim, _FIRST_LOOK)
        if _level_at(far) < _FIRST_LOOK:  # how far the counts are from the claim says how far to look
            test, boundary, far = self._looked(claim, _level_at(far))
        if far <= 0.0:
            return 1.0
        guess = _level_at(far)
        test = replace(test, window=window(self._counts, self._sizes, guess))
        worst = test.worst(boundary, test.staircase(boundary, far)) / (1.0 - ELSEWHERE)
        return min(1.0, max(math.exp(guess), worst) * (1.0 + 1e-12))

    def _looked(self, claim: Guarantee, log_level: float) -> tuple[TwoSampleTest, Boundary, float]:
        test = TwoSampleTest.at(self._counts, self._sizes, log_level)
        boundary = of_claim(claim, test.asked(membership(claim)))
        return test, boundary, test.distance(boundary)

    def operating_point(self, claim: Guarantee) -> OperatingPoint:
        """Return the rates that were seen, and what the claim allows at the same false positive rate.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        """
        cuts = self._cuts
        fpr, fnr, threshold = float(cuts.fpr[0]), float(cuts.fnr[0]), float(cuts.thresholds[0])
        where = "" if math.isnan(threshold) else f"calling in what scores above {threshold:.6g}, "
        allowed = at_least(float(membership(claim).beta(fpr)))
        description = (
            f"{where}a false positive rate of {fpr:.4g} and a false negative rate of {fnr:.4g} were seen, and the "
            f"claim allows no false negative rate below {allowed} at this false positive rate"
        )
        return OperatingPoint(description, None if math.isnan(threshold) else threshold, fpr, fnr)

    def needed(self, claim: Guarantee, share: float = 0.9) -> Needed:
        """Return about how many canaries a side this method needs to reach ``share`` of the claimed mu.

        By the normal law of large samples, at the best rates.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        share : float
            In (0, 1).
        """
        return planned(claim, share, self._cuts, (self._out, self._in), self.mu > 0.0, size=self._size)

    def _size(self, goal: float, alpha: FloatArray, beta: FloatArray) -> float:
        scores = special.ndtri(alpha), special.ndtri(beta)
        gap = -scores[0] - scores[1] - goal
        spread = sum(
            rate * (1.0 - rate) * 2.0 * math.pi * np.exp(score * score)
            for rate, score in zip((alpha, beta), scores, strict=True)
        )
        found = 2.0 * self._goal * spread / np.maximum(gap, 1e-150) ** 2
        return float(np.min(found[gap > 0.0], initial=math.inf))

    @property
    def _goal(self) -> float:
        """The distance at which bounds are sought: half the square of the normal quantile of the confidence."""
        score = -float(special.ndtri((1.0 - self.confidence) * (1.0 - ELSEWHERE)))
        return 0.5 * max(score, _LEAST_SCORE) ** 2

    def _about(self, formula: Callable[[FloatArray, FloatArray], FloatArray]) -> float:
        """What the counts would prove if their rates, moved by half a count, were true."""
        (x, y), (n, m) = self._counts, self._sizes
        return float(formula(np.array([(x + 0.5) / (n + 1.0)]), np.array([(y + 0.5) / (m + 1.0)]))[0])

    def _largest(self, family: _Hypotheses, least: float, about: float, most: float) -> float:
        """The largest member of a family of growing hypotheses that is rejected; ``least``, if none is."""
        level = 1.0 - self.confidence
        test = TwoSampleTest.at(self._counts, self._sizes, math.log(level))
        goal = self._goal

        def beyond(at: float) -> float:
            return math.sqrt(2.0 * test.distance(family(at))) - math.sqrt(2.0 * goal)

        low, high = (least, beyond(least)), (min(about, most), -math.sqrt(2.0 * goal))
        if not low[1] >= 0.0:
            return least
        while high[0] < most and (value := beyond(high[0])) >= 0.0:
            low, high = (high[0], value), (min(2.0 * high[0] + 0.1, most), high[1])
        start = last_kept(beyond, low, high)
        steps = test.staircase(family(start), goal)
        wanted = float(special.ndtri(level * (1.0 - ELSEWHERE) * (1.0 - 1e-12)))

        def rejected(at: float) -> float:
            return wanted - float(special.ndtri(max(test.worst(family(at), steps), 1e-300)))

        begin = start, rejected(start)
        ends = (begin, high) if begin[1] >= 0.0 else ((least, low[1]), begin)
        return last_kept(rejected, *ends)


def _level_at(far: float) -> float:
    """The log of half the probability that a normal variable is as far: what is paid for elsewhere is of this level."""
    return max(float(special.log_ndtr(-math.sqrt(2.0 * far))) - math.log(2.0), _LEAST_LOG)
