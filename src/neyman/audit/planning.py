"""How many canaries an audit needs: its own bounds, at the counts to be expected."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from neyman._validate import FloatArray, inside
from neyman.audit.evidence import Needed
from neyman.audit.rates.bounds import mu_bounds
from neyman.audit.rates.cuts import Cuts
from neyman.audit.rates.sides import Side
from neyman.guarantees import Guarantee
from neyman.risk.attacked import membership

__all__ = ["FLOOR", "claimed_mu", "planned"]

FLOOR = 1e-10  # of the claimed mu, as everywhere
_MOST = 1e12  # scores a side: where more are needed, no number is told
_FROM = 1e-9  # least false positive rate at which an attack is imagined
_MANY = 1e6  # scores, where most of a bound is the curve itself
_FINER = 25  # alphas between the neighbours of the best one
_TRIED = 100  # thresholds, the best and as many from everywhere


def claimed_mu(claim: Guarantee) -> float:
    """Return the least mu that the claim implies at error rates of 1e-10 and above."""
    return membership(claim).mu(FLOOR)


def planned(
    claim: Guarantee,
    share: float,
    cuts: Cuts,
    sides: tuple[Side, Side],
    proved: bool,
    kept: float = 1.0,
    size: Callable[[float, FloatArray, FloatArray], float] | None = None,
) -> Needed:
    """Return how many scores a side would reach ``share`` of the claimed mu, to about two digits.

    Of them the part ``kept`` is judged; the rest chooses thresholds. Bounds are those of the sides, unless ``size``
    says at how many scores the best of some rates reach a mu.

    For the strongest attack the error rates are those on the claim's own curve, for the observed one those seen if
    anything is ``proved``, else those of a Gaussian curve with the area that was seen.
    """
    share = inside("share", share, 0.0, 1.0)
    goal = share * claimed_mu(claim)
    tail = np.geomspace(_FROM, 0.5, 60)
    alpha = np.concatenate([tail, 1.0 - tail[-2::-1]])
    strongest = _size(goal, *_strongest(claim, alpha, sides), sides, size)
    if strongest is None:
        return Needed(share, None, None)
    seen = _seen(cuts, sides) if proved else _gaussian(cuts.auc, alpha)
    observed = _size(goal, *seen, sides, size)
    # rates that were seen at the best of many thresholds are lucky ones: no attack needs fewer than the strongest
    both = strongest, observed if observed is None else max(strongest, observed)
    return Needed(share, *(one if one is None else math.ceil(one / kept) for one in both))


def _strongest(claim: Guarantee, alpha: FloatArray, sides: tuple[Side, Side]) -> tuple[FloatArray, FloatArray]:
    """The claim's own curve at ``alpha``, and finer about the best of them: a curve may have a corner there."""
    curve = membership(claim).optimistic.beta
    beta = np.asarray(curve(alpha))
    n = float(min(side.n for side in sides))
    for size in (n, _MANY):
        best = int(np.argmax(mu_bounds(sides[0].planned(alpha, size), sides[1].planned(beta, size))))
        ends = alpha[max(best - 1, 0)], alpha[min(best + 1, alpha.size - 1)]
        finer = np.linspace(*ends, _FINER)
        alpha, beta = np.append(alpha, finer), np.append(beta, curve(finer))
        order = np.argsort(alpha, kind="stable")
        alpha, beta = alpha[order], beta[order]
    return alpha, beta


def _seen(cuts: Cuts, sides: tuple[Side, Side]) -> tuple[FloatArray, FloatArray]:
    """The rates at the best thresholds and at some from everywhere.

    Half a count is added to each: a threshold that erred never yet will not stay so.
    """
    fpr = (cuts.false_positives + 0.5) / (cuts.n_out + 1.0)
    fnr = (cuts.false_negatives + 0.5) / (cuts.n_in + 1.0)
    at = np.linspace(0, fpr.size - 1, min(fpr.size, _TRIED)).astype(np.int64)
    bounds = mu_bounds(sides[0].upper(cuts.false_positives), sides[1].upper(cuts.false_negatives))
    at = np.union1d(at, np.argsort(bounds)[-_TRIED:])
    return fpr[at], fnr[at]


def _gaussian(auc: float, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    mu = max(math.sqrt(2.0) * float(special.ndtri(min(auc, 1.0 - 1e-9))), 0.0)
    return alpha, special.ndtr(-special.ndtri(alpha) - mu)


def _size(
    goal: float,
    alpha: FloatArray,
    beta: FloatArray,
    sides: tuple[Side, Side],
    size: Callable[[float, FloatArray, FloatArray], float] | None,
) -> int | None:
    if not math.isfinite(goal):
        return None
    if size is not None:
        found = size(goal, alpha, beta)
        return math.ceil(found) if found <= _MOST else None
    outside, within = sides

    def reached(log_n: float) -> bool:
        n = math.exp(log_n)
        return bool(np.max(mu_bounds(outside.planned(alpha, n), within.planned(beta, n))) >= goal)

    return _least(reached)


def _least(reached: Callable[[float], bool]) -> int | None:
    low, high = 0.0, math.log(_MOST)
    if not reached(high):
        return None
    while high - low > 5e-3:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return math.ceil(math.exp(high))
