"""A claim held against evidence."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman.audit.claims import claimed
from neyman.audit.evidence import Evidence
from neyman.audit.planning import claimed_mu
from neyman.audit.verdict import Outcome, Verdict
from neyman.guarantees import Guarantee
from neyman.mechanisms import Mechanism

__all__ = ["check"]

_SHARE = 0.9  # of the claimed mu: an audit that gets there says about all that one can


def check(claim: Guarantee | Mechanism, evidence: Evidence) -> Verdict:
    """Return whether the evidence refutes the claim, is consistent with it, or says nothing.

    - "violated": the claim is refuted at the evidence's confidence. If it were true, evidence like this would have had
      a probability of at most 1 - confidence.
    - "not informative": not refuted, and the lower bound on mu is 0, so that the mechanism might as well be perfectly
      private.
    - "consistent": not refuted, though something is proved. No proof of the claim: a better attack may refute it.

    Parameters
    ----------
    claim : Guarantee or Mechanism
        What was promised; a mechanism is accounted for, both adding and removing one record. A promise for "remove" is
        held to tests whose null hypothesis is that the record is absent, one for "add" to the reverse.
    evidence : Evidence
        Of any kind, from ``from_scores`` and its likes.

    Returns
    -------
    Verdict
        ``str()`` is the sentence.

    Raises
    ------
    InvalidParameter
        If ``claim`` or ``evidence`` is something else.

    Examples
    --------
    >>> import neyman as ny
    >>> evidence = ny.audit.from_counts(690, 1000, 310, 1000)
    >>> ny.audit.check(ny.GDP(1.0), evidence).outcome, ny.audit.check(ny.GDP(0.5), evidence).outcome
    ('consistent', 'violated')
    >>> print(ny.audit.check(ny.GDP(0.5), evidence))
    Violated at 95 % confidence (p <= 2.8e-09): a false positive rate of 0.31 (at most 0.3397) and a false negative rate
    of 0.31 (at most 0.3397) were seen, and the claim allows no false negative rate below 0.4654 there. Claimed: mu =
    0.5; audited: mu at least 0.8265.
    """
    guarantee = claimed(claim)
    if not isinstance(evidence, Evidence):
        raise InvalidParameter("evidence", evidence, "Evidence of an audit", "from_scores makes it from two arrays.")
    p = evidence.p_value(guarantee)
    outcome: Outcome = "violated"
    if not p <= 1.0 - evidence.confidence:
        outcome = "consistent" if evidence.mu > 0.0 else "not informative"
    needed = None if outcome == "violated" else evidence.needed(guarantee, _SHARE)
    point = evidence.operating_point(guarantee)
    return Verdict(
        outcome, evidence.confidence, p, point, claimed_mu(guarantee), evidence.mu, needed, guarantee, evidence
    )
