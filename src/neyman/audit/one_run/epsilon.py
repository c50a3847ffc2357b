"""The counting bound of one training run: how many correct guesses (epsilon, delta) allows.

Of m canaries each is included by its own fair coin (or is one of k records, all alike likely); the attack guesses at
most r of them and C guesses are right. Let p_i = P(C = i). For a canary j and a set B of counts, "j is guessed as s,
and i of the other guesses are right, for an i in B" is an event of the output once the other coins are fixed. Its
probability under S_j = s is at most e^eps times that under S_j = s' != s, plus delta. Summed over the canaries and
averaged over all coins, with o = e^eps / (k - 1):

    sum over i in A of (i p_i - o (r - i + 1) p_(i-1)) <= m delta     for every set A of counts 1..r.         (1)

With delta = 0 this says that p_i / p_(i-1) is at most what it is for W ~ Binomial(r, o / (1 + o)), so that C is
stochastically below W (Steinke, Nasr and Jagielski 2023, Privacy auditing with one (1) training run, Theorem 5.2). For
delta > 0 write p_i = P(W = i) x_i: by (1), x_i <= x_(i-1) + m e_i / (i P(W = i)) with e_i >= 0 and sum e_i <= delta. A
unit of rise at i adds P(W >= max(i, c)) - P(W >= i) P(W >= c) to P(C >= c) once the x are scaled to sum to one; per
unit of delta that is largest at i = c, since P(W < i) / (i P(W = i)) increases with i. Hence

    P(C >= c) <= P(W >= c) + m delta P(W >= c) P(W < c) / (c P(W = c)),

the best bound that follows from (1). For r = m and k = 2 it is attained: randomised response, with all outputs that
have at least c right scaled up and all others down, is (epsilon, delta)-differentially private and reaches it. The
paper's term is 2 m delta max over i of P(c > W >= c - i) / i: larger wherever a p-value is of use (below a half), and
near P = 1 too small, as that mechanism shows.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from neyman._validate import FloatArray
from neyman.audit.one_run.counts import Count
from neyman.audit.tangents import Tangents

__all__ = ["counting_bound"]

_SLACK = 1e-8  # relative: SciPy's binomials are good to about 1e-12, of more than a million guesses to less
_TINY = 1e-200  # below it SciPy's tails may be 0 where the truth is not (seen at 4e-259)


def counting_bound(tangents: Tangents, count: Count) -> float:
    """Return an upper bound of P(C >= correct), over the best of the claim's tangents.

    Each tangent is an (epsilon, delta) that the claim implies, so that the least of the bounds is one.

    Examples
    --------
    >>> round(counting_bound(Tangents.single(1.0, 0.0), Count(correct=90, guesses=100, canaries=100)), 6)
    2.7e-05
    >>> round(counting_bound(Tangents.single(1.0, 1e-5), Count(correct=90, guesses=100, canaries=100)), 6)
    4.3e-05
    """
    if count.correct == 0:
        return 1.0
    return float(min(1.0, np.min(_bounds(tangents, count))))


def _bounds(tangents: Tangents, count: Count) -> FloatArray:
    chance = expit(tangents.epsilon - np.log(count.choices - 1.0))
    tail = np.asarray(binom.sf(count.correct - 1, count.guesses, chance))
    below = np.asarray(binom.cdf(count.correct - 1, count.guesses, chance))
    here = np.asarray(binom.pmf(count.correct, count.guesses, chance))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        # P(W >= c) / P(W = c), where both are too small for float64 by the geometric series above it
        fall = chance / (1.0 - chance) * (count.guesses - count.correct) / (count.correct + 1.0)
        known = (here > _TINY) & (tail > _TINY)
        rise = np.where(known, tail / here, np.where(fall < 1.0, 1.0 / (1.0 - fall), np.inf))
        extra = count.canaries * tangents.delta * rise * below / count.correct
    extra = np.where(tangents.delta == 0.0, 0.0, extra)
    up = 1.0 + _SLACK * max(1.0, count.guesses / 1e6)
    return np.where(np.isfinite(extra), (tail + extra) * up + _TINY, 1.0)
