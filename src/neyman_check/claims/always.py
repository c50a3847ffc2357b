"""What is true of any mechanism, so that no delta is wanted for it; and whether a statement follows."""

from __future__ import annotations

from flint import arb

from neyman_check.claims.statement import Proved, Statement
from neyman_check.claims.statements import QUANTITIES

__all__ = ["always", "holds"]

_SHARES = ("delta", "advantage", "beta", "tpr", "attribute_inference", "reconstruction", "singling_out", "posterior",
           "bayes_error", "accuracy", "fixed_point", "auc")  # fmt: skip
"""What lies between 0 and 1."""


def always(s: Statement) -> bool:
    """Whether it is true of any mechanism: shares, and an attack that is no worse than a guess."""
    if s.at_most:
        return s.quantity in _SHARES and bool(s.value >= 1)
    given = {name: arb(value) for name, value in s.given.items() if isinstance(value, float)}
    least = arb(0)
    if s.quantity == "auc":
        least = arb("0.5")
    elif s.quantity == "relative_risk":
        least = arb(1) if given["baseline"] > 0 else arb(0)
    elif s.quantity == "posterior":
        least = given["membership_prior"] if given["fpr"] > 0 else arb(0)
    elif s.quantity in ("tpr", "attribute_inference", "reconstruction", "singling_out"):
        least = given["fpr" if "fpr" in given else "baseline"]
    return s.quantity in (*_SHARES, "relative_risk") and bool(s.value <= least)


def holds(proved: Proved, s: Statement) -> bool:
    """Whether it follows."""
    return always(s) or QUANTITIES[s.quantity][0](proved, s)
