"""An audit from scores: what they certify that the mechanism leaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray, unit_interval
from neyman.audit.evidence import Evidence, Needed, OperatingPoint, one_by_one
from neyman.audit.planning import planned
from neyman.audit.rates.bounds import advantage_bounds, best_tpr, epsilon_bounds, margins, mu_bounds, tpr_bounds
from neyman.audit.rates.cuts import Cuts
from neyman.audit.rates.sides import TURN, Side
from neyman.audit.words import at_least, at_most, percent, plural
from neyman.guarantees import Guarantee
from neyman.risk.attacked import membership

__all__ = ["Audit", "Pilot", "RocBand"]

_NEAREST = 16  # thresholds at which a p-value is sought, beside
_SPREAD = 24  # some from everywhere
_ASKED = 128  # points of a claim's curve, between which chords say where to look
_LOOKED_AT = 96  # thresholds
_LEAST_LOG = -600.0  # of a p-value
_DRAWN = 1_000  # points of an empirical ROC curve

_Formula = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class RocBand:
    """The empirical ROC curve with its band: four arrays of equal length, false positive rates increasing.

    Attributes
    ----------
    fpr, tpr : array
        Observed at each threshold.
    lower : array
        Certified: the mechanism allows at least this true positive rate at ``fpr``.
    upper : array
        At the same confidence this attack has at most this true positive rate at ``fpr``; better attacks may exist.
    thresholds : array
        Of the scores; NaN where counts alone were given.
    """

    fpr: FloatArray
    tpr: FloatArray
    lower: FloatArray
    upper: FloatArray
    thresholds: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """The scores that choose thresholds and are then left out: their own bounds at each cut, and their share."""

    alpha: FloatArray
    beta: FloatArray
    share: float


class Audit(Evidence):
    """Certified lower bounds from the scores of an attack; made by ``from_scores``, ``from_counts`` and ``from_file``.

    ``str()`` is the sentence, its numbers rounded down.
    """

    def __init__(
        self, cuts: Cuts, sides: tuple[Side, Side], confidence: float, method: str, pilot: Pilot | None = None
    ) -> None:
        self._cuts = cuts
        self._out, self._in = sides
        self._confidence = confidence
        self._method = method
        self._pilot = pilot
        self._faced: tuple[Guarantee, FloatArray] | None = None

    @property
    def confidence(self) -> float:
        """The probability with which the bounds hold: all at once, except those of a split sample, each on its own."""
        return self._confidence

    @property
    def method(self) -> str:
        """How the threshold was chosen and the bounds are certified."""
        return self._method

    @property
    def n_in(self) -> int:
        """How many scores of records that were in the bounds rest on (after the pilot share, if any)."""
        return self._in.n

    @property
    def n_out(self) -> int:
        """How many scores of records that were out the bounds rest on (after the pilot share, if any)."""
        return self._out.n

    @property
    def canaries(self) -> int:
        """Both together."""
        return self.n_in + self.n_out

    @property
    def mu(self) -> float:
        """The largest mu that some threshold refutes everything below: max of Phi^-1(1 - alpha) - Phi^-1(beta)."""
        return self._mu

    @property
    def advantage(self) -> float:
        """A lower bound on the best membership advantage, TPR - FPR."""
        return self._best(advantage_bounds)

    def _epsilon(self, delta: float) -> float:
        return self._best(lambda alpha, beta: epsilon_bounds(alpha, beta, delta))

    @overload
    def tpr(self, fpr: float) -> float: ...
    @overload
    def tpr(self, fpr: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def tpr(self, fpr: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return a lower bound on the best true positive rate at false positive rate ``fpr``; at least ``fpr``.

        Parameters
        ----------
        fpr : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``fpr`` lies outside [0, 1].
        """
        return self._tprs(unit_interval("fpr", fpr))

    def _tprs(self, fpr: FloatArray) -> float | FloatArray:
        if self._pilot is not None:
            return one_by_one(fpr, lambda one: self._best(lambda alpha, beta: tpr_bounds(alpha, beta, one)))
        found = best_tpr(*self._certified, fpr.ravel())
        return float(found[0]) if fpr.ndim == 0 else found.reshape(fpr.shape)

    def roc(self) -> RocBand:
        """Return the empirical ROC curve and its band, at thresholds where the band changes (a thousand at most).

        The lower band is what ``tpr`` says, the upper one is its mirror image; each holds at the stated confidence, of
        a split sample at each point by itself.
        """
        cuts, size = self._cuts, self._cuts.thresholds.size
        kept = np.unique(np.linspace(0, size - 1, min(size, _DRAWN)).astype(np.int64))[::-1]
        fpr, tpr = cuts.fpr[kept], 1.0 - cuts.fnr[kept]
        least = self._out.lower(cuts.false_positives[kept])
        most = 1.0 - self._in.lower(cuts.false_negatives[kept])
        upper = np.append(most, 1.0)[np.searchsorted(np.maximum.accumulate(least), fpr)]
        return RocBand(fpr, tpr, np.asarray(self.tpr(fpr)), np.maximum(upper, tpr), cuts.thresholds[kept])

    @cached_property
    def reversed(self) -> bool:
        """Whether the scores look reversed: larger where the record is out.

        Nothing better than guessing is proved, the area under the ROC curve is below 1/2, and somewhere the curve lies
        below the diagonal, certified at the stated confidence (of a split sample at some threshold by itself).
        """
        cuts = self._cuts
        backwards = self._out.lower(cuts.false_positives) + self._in.lower(cuts.false_negatives)
        return self.mu == 0.0 and cuts.auc < 0.5 and bool(np.max(backwards) > 1.0)

    def p_value(self, claim: Guarantee) -> float:
        """Return the least error probability at which the bounds refute ``claim``, rounded up: a valid p-value.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        """
        found, facing = self._margins(claim), membership(claim)
        here = np.array([np.argmax(found)])
        if self._pilot is None:  # any thresholds would do; these are the best at the stated confidence, and some others
            spread = np.linspace(0, found.size - 1, min(found.size, _SPREAD)).astype(np.int64)
            here = np.union1d(np.argsort(found)[-_NEAREST:], spread)

        def refuted(dial: int) -> bool:
            alpha, beta = self._limits(dial, here)
            return bool(np.any(beta < facing.beta(alpha)))

        level = math.log(1.0 - self.confidence)
        low, high = int((_LEAST_LOG - level) / TURN), int(-level / TURN) + 1
        if not refuted(high):
            return 1.0
        middle = 0  # first the stated confidence itself
        while high - low > 1:
            low, high = (low, middle) if refuted(middle) else (middle, high)
            middle = (low + high) // 2
        return min(1.0, self._out.error(high) + self._in.error(high))

    def operating_point(self, claim: Guarantee) -> OperatingPoint:
        """Return the threshold at which ``claim`` is refuted most clearly, or comes nearest to it.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        """
        at = int(np.argmax(self._margins(claim)))
        cuts = self._cuts
        alpha, beta = (float(bound[0]) for bound in self._limits(0, np.array([at])))
        threshold = float(cuts.thresholds[at])
        allowed = float(membership(claim).beta(alpha))
        where = "" if math.isnan(threshold) else f"calling in what scores above {threshold:.6g}, "
        description = (
            f"{where}a false positive rate of {cuts.fpr[at]:.4g} (at most {at_most(alpha)}) "
            f"and a false negative rate of {cuts.fnr[at]:.4g} (at most {at_most(beta)}) were seen, "
            f"and the claim allows no false negative rate below {at_least(allowed)} there"
        )
        seen = None if math.isnan(threshold) else threshold
        return OperatingPoint(description, seen, float(cuts.fpr[at]), float(cuts.fnr[at]), alpha, beta, allowed)

    def needed(self, claim: Guarantee, share: float = 0.9) -> Needed:
        """Return about how many canaries a side this method needs to reach ``share`` of the claimed mu.

        Computed from the bounds at expected counts, with the best threshold. Where something is proved, the attack as
        observed has the rates that were seen; where nothing is, a Gaussian curve of the area that was seen, since the
        best of many thresholds would show mere luck; never fewer than for the strongest attack. A pilot share counts.

        Parameters
        ----------
        claim : Guarantee
            Of any adjacency.
        share : float
            In (0, 1).
        """
        kept = 1.0 if self._pilot is None else 1.0 - self._pilot.share
        return planned(claim, share, self._cuts, (self._out, self._in), self.mu > 0.0, kept)

    def __str__(self) -> str:
        if self.mu == 0.0:
            extra = " The scores look reversed: larger where the record is out." if self.reversed else ""
            return f"Nothing better than guessing is proved at {self._basis}.{extra}"
        return (
            f"mu is at least {at_least(self.mu)}, epsilon at delta 1e-05 at least {at_least(self.epsilon(1e-5))}, "
            f"the membership advantage at least {at_least(self.advantage)}, at {self._basis}."
        )

    def __repr__(self) -> str:
        return f"<Audit: mu >= {at_least(self.mu)} at {self._basis}>"

    @property
    def _basis(self) -> str:
        sizes = f"{plural(self.n_in, 'score')} in, {self.n_out:,} out"
        return f"{percent(self.confidence)} confidence ({sizes}; {self.method})"

    def _limits(self, dial: int, at: NDArray[np.int64] | slice = slice(None)) -> tuple[FloatArray, FloatArray]:
        """Upper bounds on both error rates at these cuts."""
        cuts = self._cuts
        return self._out.upper(cuts.false_positives[at], dial), self._in.upper(cuts.false_negatives[at], dial)

    @cached_property
    def _mu(self) -> float:
        return self._best(mu_bounds)

    @cached_property
    def _certified(self) -> tuple[FloatArray, FloatArray]:
        return self._limits(0)

    def _best(self, formula: _Formula) -> float:
        """The best bound at any cut; with a pilot, the bound at the cut that is best for the pilot."""
        if self._pilot is None:
            return float(np.max(formula(*self._certified)))
        chosen = np.argmax(formula(self._pilot.alpha, self._pilot.beta), keepdims=True)
        return float(formula(*self._limits(0, chosen))[0])

    def _margins(self, claim: Guarantee) -> FloatArray:
        """How clearly each cut refutes ``claim``, in the eyes of the pilot if there is one.

        Some curves are dear, so that of many cuts only the most promising are looked at: those that refute most clearly
        the chords of the convex curve, which are nowhere below it. The others get -inf.
        """
        if self._faced is not None and self._faced[0] is claim:  # a verdict asks twice
            return self._faced[1]
        alpha, beta = self._certified if self._pilot is None else (self._pilot.alpha, self._pilot.beta)
        curve = membership(claim).beta
        found = np.full(alpha.size, -np.inf)
        here = np.arange(alpha.size)
        if alpha.size > _ASKED + _LOOKED_AT:
            points = np.unique(np.sort(alpha)[np.linspace(0, alpha.size - 1, _ASKED).astype(np.int64)])
            here = np.argsort(margins(alpha, beta, np.interp(alpha, points, curve(points))))[-_LOOKED_AT:]
        found[here] = margins(alpha[here], beta[here], curve(alpha[here]))
        self._faced = claim, found
        return found
