"""What became of a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from neyman._upward import Carded
from neyman.audit.evidence import Evidence, Needed, OperatingPoint
from neyman.audit.planning import FLOOR
from neyman.audit.words import at_least, at_most, percent
from neyman.guarantees import Guarantee

__all__ = ["Outcome", "Verdict"]

Outcome = Literal["consistent", "violated", "not informative"]


@dataclass(frozen=True, slots=True, eq=False)
class Verdict(Carded):
    """The outcome of ``check``; ``str()`` is the sentence.

    Attributes
    ----------
    outcome : str
        "violated", "consistent" (which is no proof) or "not informative".
    confidence : float
        At which the claim is refuted, or was not.
    p_value : float
        Of the claim, rounded up.
    operating_point : OperatingPoint
        Where the claim is refuted most clearly, or comes nearest to it.
    claimed_mu : float
        The mu that the claim implies at error rates of 1e-10 and above; inf where no finite one does.
    audited_mu : float
        The certified lower bound.
    needed : Needed or None
        Unless the claim is violated: about how many canaries a side would reach most of the claimed mu.
    claim : Guarantee
        What was claimed.
    evidence : Evidence
        What it was held against.
    """

    outcome: Outcome
    confidence: float
    p_value: float
    operating_point: OperatingPoint
    claimed_mu: float
    audited_mu: float
    needed: Needed | None
    claim: Guarantee = field(repr=False)
    evidence: Evidence = field(repr=False)

    def __str__(self) -> str:
        at = percent(self.confidence)
        if self.outcome == "violated":
            point = self.operating_point.description
            return f"Violated at {at} confidence (p <= {at_most(self.p_value, 2)}): {point}. {self._both}"
        if self.outcome == "consistent":
            proof = "which is no proof: a better attack may refute it"
            return f"Consistent with the claim at {at} confidence, {proof}. {self._both}{self._more}"
        return f"Not informative: nothing better than guessing is proved at {at} confidence. {self._hint}{self._more}"

    @property
    def _both(self) -> str:
        claimed = f"mu = {at_most(self.claimed_mu, 6)}"
        if math.isinf(self.claimed_mu):
            claimed = f"a curve that no finite mu describes down to error rates of {FLOOR:g}"
        found = f"Claimed: {claimed}; audited: mu at least {at_least(self.audited_mu)}."
        if self.outcome == "violated" and math.isfinite(self.claimed_mu) and self.audited_mu < self.claimed_mu:
            return f"{found} At these error rates the claim is stricter than its mu."
        return found

    @property
    def _hint(self) -> str:
        if getattr(self.evidence, "reversed", False):
            return "The scores look reversed, larger where the record is out: give the two sides the other way round."
        return "The claim was not put to a test."

    @property
    def _more(self) -> str:
        if self.needed is None or self.claimed_mu in (0.0, math.inf):
            return ""
        if self.audited_mu >= self.needed.share * self.claimed_mu:
            return ""  # it got there
        goal = f"{percent(self.needed.share)} of the claimed mu"
        strong = _canaries(self.needed.strongest, "is out of reach even for an attack as strong as the claim allows")
        if self.needed.strongest is None:
            return f" To certify {goal} {strong}."
        observed = (
            "this one is too weak ever to do so"
            if self.needed.observed is None
            else _canaries(self.needed.observed, "") + " with this one"
        )
        return f" To certify {goal} takes {strong} with an attack as strong as the claim allows; {observed}."


def _canaries(count: int | None, otherwise: str) -> str:
    if count is None:
        return otherwise
    digits = max(0, len(str(count)) - 2)
    rounded = -(-count // 10**digits) * 10**digits
    return f"about {rounded:,} canaries a side"
