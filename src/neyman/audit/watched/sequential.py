"""A test of a claim that may be watched while scores arrive, and stopped at will."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, inside, positive, whole
from neyman.audit.claims import claimed
from neyman.audit.evidence import Evidence, OperatingPoint
from neyman.audit.precision import Precision, scores_of
from neyman.audit.tangents import Tangents
from neyman.audit.watched.betting import Bets, Family, Pairs
from neyman.audit.words import at_least, at_most, plural
from neyman.guarantees import GDP, Guarantee
from neyman.mechanisms import Mechanism

__all__ = ["Sequential"]

_VERSION = 2  # 1 said nothing of the kinds of the scores: all of them float64
_MUS = np.concatenate([[0.0], np.geomspace(0.01, 20.0, 400)])  # what lower_bound is rounded down to: steps of 2 %
_EPSILONS = np.concatenate([[0.0], np.geomspace(0.01, 20.0, 400)])  # what epsilon is rounded down to
_DELTAS = np.arange(0, 500) / 500.0  # what the advantage is rounded down to
_TANGENTS = 32  # of each Gaussian hypothesis: fewer forbid less
_SIGNS = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0])  # where a saved claim is compared


class Sequential(Evidence):
    """An anytime-valid test of a claim, and a lower bound on mu, from scores as they arrive.

    Scores come from models with the record and from models without, one pair after the other; larger scores speak for
    the record. The e-value is the wealth of a player who bets against the claim with thresholds, slopes and stakes
    chosen from earlier pairs alone. While the claim holds, it ever reaches 1/p with probability at most p, however
    often one looks and however one decides to stop.

    Parameters
    ----------
    claim : Guarantee, Mechanism or float
        What is claimed; a number is the mu of Gaussian differential privacy. Asymmetric claims are read through
        ``claim.symmetrized()``, which is sound.
    confidence : float
        In (0, 1). The claim is rejected once the e-value has reached 1 / (1 - confidence).

    Raises
    ------
    InvalidParameter
        If the claim is neither, or ``confidence`` lies outside (0, 1).

    Notes
    -----
    The proof is in ``audit.watched.betting``: wealth is a non-negative supermartingale under the claim, hence Ville's
    inequality. It asks that, given all earlier pairs, every pair keeps the claim: models trained apart do. The order of
    the scores must not depend on their values. e-values do not depend on how scores are cut into chunks.

    ``lower_bound`` is a confidence sequence: a grid of hypothetical mu is tested by the same bets, from 0 upwards, and
    the bound is the last before the first one that is not rejected. Like ``epsilon`` and ``advantage`` it holds at all
    times at once; each of the three holds at ``confidence``, not all together. mu and epsilon come in steps of 2 %.

    See Shafer (2021), Testing by betting; Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables
    by betting; Gonzalez, Rubio, Ramdas and Ribero (2025), Sequentially auditing differential privacy.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> test = Sequential(1.0)
    >>> test.update(rng.normal(2.0, size=40), rng.normal(size=40))  # half the noise that was claimed
    >>> test.rejected
    False
    >>> for _ in range(200):
    ...     test.update(rng.normal(2.0), rng.normal())
    >>> test.rejected, test.e_value > 1e3, 1.0 < test.lower_bound < 2.0
    (True, True, True)
    """

    def __init__(self, claim: Guarantee | Mechanism | float, confidence: float = 0.95) -> None:
        self._claim = _claim(claim)
        self._confidence = inside("confidence", confidence, 0.0, 1.0)
        self._pairs = Pairs()
        self._precision = Precision()
        self._test = Bets(_family(self._claim), self._pairs, True)
        self._mus: Bets | None = None

    @property
    def claim(self) -> Guarantee:
        """What is tested."""
        return self._claim

    @property
    def confidence(self) -> float:
        """The probability, in (0, 1), with which a true claim is never rejected."""
        return self._confidence

    @property
    def method(self) -> str:
        """How the bounds are certified, in words."""
        return "sequential: betting, valid at every moment at once"

    @property
    def canaries(self) -> int:
        """How many scores are paired, both sides together."""
        return 2 * self._pairs.count

    def update(self, scores_in: object, scores_out: object) -> None:
        """Take in scores, of models with the record and of models without; what has no partner yet waits.

        Parameters
        ----------
        scores_in, scores_out : float or array
            Finite; of any lengths, also empty. The coarsest kind so far decides: once a side has come in float32,
            everything that has no partner yet, and all that follows, is rounded to float32.

        Raises
        ------
        InvalidParameter
            If a score is not a finite number; then nothing is taken in.
        """
        found = scores_of("scores_in", scores_in, least=0), scores_of("scores_out", scores_out, least=0)
        coarser = [self._precision.see(side) for side in found]
        if any(coarser):
            self._pairs.round_waiting(self._precision.rounded)
        for number, side in enumerate(found):
            self._pairs.extend(number, self._precision.rounded(side.values))

    @property
    def e_value(self) -> float:
        """The present wealth of the player, rounded down; it started from 1."""
        return math.exp(min(float(self._test.now()[0]), 709.0))

    @property
    def highest_e_value(self) -> float:
        """The highest wealth so far, rounded down: what the decision and the p-value go by."""
        return math.exp(min(float(self._test.highest()[0]), 709.0))

    @property
    def rejected(self) -> bool:
        """Whether the claim is refuted at ``confidence``: a decision that no later score takes back."""
        return bool(self._test.highest()[0] >= self._threshold)

    @property
    def _threshold(self) -> float:
        """The log of 1 / (1 - confidence), rounded up."""
        return -math.log1p(-self._confidence) * (1.0 + 1e-15)

    @property
    def lower_bound(self) -> float:
        """A lower bound on mu that holds at all times at once, on a grid with steps of 2 %; it never falls."""
        if self._mus is None:
            self._mus = Bets(_gaussians(), self._pairs, False)
        return self._first_kept(self._mus, _MUS)

    @property
    def mu(self) -> float:
        """The same as ``lower_bound``."""
        return self.lower_bound

    @property
    def advantage(self) -> float:
        """A lower bound on the best membership advantage TPR - FPR, in [0, 1], rounded down to multiples of 1/500."""
        return self._first_kept(Bets(Family(np.zeros((500, 1)), _DELTAS[:, None]), self._pairs, False), _DELTAS)

    def _epsilon(self, delta: float) -> float:
        family = Family(_EPSILONS[:, None], np.full((len(_EPSILONS), 1), delta))
        return self._first_kept(Bets(family, self._pairs, False), _EPSILONS)

    def _first_kept(self, bets: Bets, grid: FloatArray) -> float:
        """The last of the hypotheses that are rejected one after the other, from the strictest on."""
        kept = bets.highest() < self._threshold
        count = int(np.argmax(kept)) if np.any(kept) else len(grid)
        return float(grid[count - 1]) if count > 0 else 0.0

    def p_value(self, claim: Guarantee | None = None) -> float:
        """Return an anytime-valid p-value, 1 / (the highest e-value), rounded up; it never grows.

        Parameters
        ----------
        claim : Guarantee, optional
            Another claim than that of the test is tested by bets of its own on the same scores.

        Raises
        ------
        InvalidParameter
            If ``claim`` is not a guarantee.
        """
        bets = self._test if claim is None else self._against(claim)
        return _chance(float(bets.highest()[0]))

    def operating_point(self, claim: Guarantee) -> OperatingPoint:
        """Return the threshold that most is bet on, with the error rates seen so far."""
        bets = self._against(claim)
        plan, pairs = bets.plan, self._pairs.count
        if plan is None:
            return OperatingPoint(f"{plural(pairs, 'pair')} of scores are too few to bet on")
        best = int(np.argmax(plan.share[0]))
        threshold = float(plan.threshold[best])
        scores_in, scores_out = self._pairs.between(0, pairs)
        wealth = math.exp(min(float(bets.highest()[0]), 709.0))
        said = (
            f"after {plural(pairs, 'pair')} of scores, a player who bets against the claim has at some time had "
            f"{at_least(wealth)} times the stake; 1/p times it comes with probability p at most"
        )
        alpha, beta = float(np.mean(scores_out > threshold)), float(np.mean(scores_in <= threshold))
        return OperatingPoint(said, threshold, alpha, beta)

    def _against(self, claim: Guarantee) -> Bets:
        if claim is self._claim:
            return self._test
        return Bets(_family(claim), self._pairs, True)

    def state_dict(self) -> dict[str, object]:
        """Return everything needed to go on later, as plain numbers and lists: ``from_state`` reads it."""
        return {
            "version": _VERSION,
            "confidence": self._confidence,
            "claim": _signs(self._claim),
            "scores_in": self._pairs.scores(0).tolist(),
            "scores_out": self._pairs.scores(1).tolist(),
            "kinds": self._precision.names,
        }

    @classmethod
    def from_state(cls, claim: Guarantee | Mechanism | float, state: Mapping[str, Any]) -> Sequential:
        """Go on where ``state_dict`` left off.

        Parameters
        ----------
        claim : Guarantee, Mechanism or float
            The claim of the saved test: bets on one claim prove nothing about another.
        state : mapping
            What ``state_dict`` returned.

        Raises
        ------
        InvalidParameter
            If the state is of another version, incomplete, or of another claim.

        Examples
        --------
        >>> test = Sequential(1.0)
        >>> test.update([2.0, 3.0], [0.5])
        >>> Sequential.from_state(1.0, test.state_dict()).canaries
        2
        """
        names = ("version", "confidence", "claim", "scores_in", "scores_out")
        if not isinstance(state, Mapping) or any(name not in state for name in names):
            raise InvalidParameter("state", state, "what state_dict() returned")
        version = whole("state['version']", state["version"], 1, _VERSION)
        if version > 1 and not isinstance(state.get("kinds"), list):
            raise InvalidParameter("state['kinds']", state.get("kinds"), "a list of kinds of floats")
        test = cls(claim, state["confidence"])
        if list(state["claim"]) != _signs(test.claim):
            raise InvalidParameter(
                "claim", claim, "the claim of the saved test", "Bets on one prove nothing of another."
            )
        test.update(state["scores_in"], state["scores_out"])
        if version > 1:
            test._precision = Precision(state["kinds"])
        return test

    def __str__(self) -> str:
        outcome = "rejected" if self.rejected else "not rejected"
        return (
            f"{plural(self._pairs.count, 'pair')} of scores: claim {outcome} (e = {at_least(self.e_value)}, "
            f"anytime p <= {at_most(self.p_value())}), mu >= {at_least(self.lower_bound)}, "
            f"with confidence {self._confidence:g}"
        )

    def __repr__(self) -> str:
        return f"<Sequential: {self}>"


def _claim(claim: object) -> Guarantee:
    if isinstance(claim, (int, float)):
        return GDP(positive("claim", claim, "It is a mu; or give a Guarantee or a Mechanism."))
    return claimed(claim)


def _family(claim: Guarantee) -> Family:
    tangents = Tangents.of(claim, coarse=True)
    return Family(tangents.epsilon[None], tangents.delta[None])


@lru_cache(maxsize=1)
def _gaussians() -> Family:
    """Gaussian hypotheses with a few tangents each, where their thresholds lie."""
    score = np.concatenate([[0.0], np.geomspace(0.05, 6.0, _TANGENTS - 1)])
    epsilon = _MUS[:, None] * score[None, :]
    delta = np.zeros_like(epsilon)
    for row in np.flatnonzero(_MUS):
        delta[row] = GDP(float(_MUS[row])).sides.bracket(epsilon[row]).upper
    return Family(epsilon, delta)


def _signs(claim: Guarantee) -> list[float]:
    """A few numbers by which a claim is known again."""
    return claim.symmetrized().sides.bracket(_SIGNS).upper.tolist()


def _chance(log_wealth: float) -> float:
    return min(1.0, math.exp(max(-log_wealth, -700.0)) * (1.0 + 1e-12))
