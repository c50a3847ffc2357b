"""What of a report's claims is put to the checker: both ends of each bracket, at the digits of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from neyman_check.claims.divergences import MORE
from neyman_check.claims.statements import QUANTITIES

__all__ = ["proved_claims", "stated"]

_DIGITS, _DIGITS_OF_RHO = 9, 7  # of a mu, an epsilon or a rho of which more is stated, and of that rho from below
_LEAST_DIGITS, _BEYOND, _MOST_DIGITS = 6, 5, 12  # of a mu: more, the smaller its regret; that many beyond its size
_CLOSER = 2  # more of them from above, where regrets are claimed
_NONE = 1e-11  # a divergence that is none to the digits of a report


def stated(claim: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Both sides of a claim, the one that it does not state rounded outward to as many digits."""
    quantity, given = claim["quantity"], dict(claim["given"])
    if quantity not in QUANTITIES or "inf" in (claim["value"], claim["lower"], claim["upper"]):
        return []
    at_most = claim["side"] == "at most"
    digits = max(len(claim["text"].split("e")[0].replace(".", "").lstrip("0")), 1)
    other = _outward(claim["lower" if at_most else "upper"], digits, not at_most)
    most, least = (claim["value"], other) if at_most else (other, claim["value"])
    upper, lower = dict(given), dict(given)
    also: list[dict[str, Any]] = []
    if quantity in ("regret", "shortfall"):
        (mu,) = (one for one in claims if one["quantity"] == "mu" and one["given"] == given)
        # the numbers below are of these mu, of which it is proved that it lies between; a shortfall falls as mu grows
        most_mu = _outward(mu["upper"], _digits_beside(mu["upper"], most) + _CLOSER, True)
        upper["mu"] = most_mu if quantity == "regret" else min(_outward(mu["upper"], _DIGITS, True), mu["value"])
        lower["mu"] = _outward(mu["lower"], _digits_beside(mu["lower"], least), False)
        also = [
            {"id": f"{claim['id']}, its mu", "quantity": "mu", "given": given, "at_most": upper["mu"]},
            {"id": f"{claim['id']}, its mu, at least", "quantity": "mu", "given": dict(given), "at_least": lower["mu"]},
        ]
    if quantity == "epsilon_regret":
        (pure_,) = (one for one in claims if one["quantity"] == "epsilon" and one["given"] == {"delta": 0.0})
        upper["epsilon"], lower["epsilon"] = pure_["upper"], _outward(pure_["lower"], _DIGITS, False)
        also = [
            {"id": f"{claim['id']}, its epsilon{also}", "quantity": "epsilon", "given": {"delta": 0.0}, side: value}
            for also, side, value in (("", "at_most", upper["epsilon"]), (", at least", "at_least", lower["epsilon"]))
        ]
    if quantity == "zcdp_regret":
        (rho,) = (one for one in claims if one["quantity"] == "zcdp")
        upper["rho"] = _outward(rho["upper"], _DIGITS, True)
        lower["rho"] = _outward(rho["lower"], _DIGITS_OF_RHO, False)
        also = [
            {"id": f"{claim['id']}, its rho{also}", "quantity": "zcdp", "given": {}, side: value}
            for also, side, value in (("", "at_most", upper["rho"]), (", at least", "at_least", lower["rho"]))
        ]
    name = claim["id"]
    if quantity in ("shortfall", "reverse", *MORE):
        most, least = max(most, _NONE), least if least > _NONE else 0.0
    found = [
        {"id": name, "quantity": quantity, "given": upper, "at_most": most},
        {"id": f"{name}, at least", "quantity": quantity, "given": lower, "at_least": least},
    ]
    return [*found, *also] if at_most else [{**found[1], "id": name}, {**found[0], "id": f"{name}, at most"}]


def _digits_beside(mu: float, regret: float) -> int:
    """Of a mu, from below, that hardly change its regret; nothing is to be shown of one that is 0."""
    if not 0.0 < regret < mu:
        return _LEAST_DIGITS
    return min(max(math.ceil(math.log10(mu / regret)) + _BEYOND, _LEAST_DIGITS), _MOST_DIGITS)


def _outward(value: float, digits: int, up: bool) -> float:
    """Rounded to so many digits, and to a float beyond."""
    exact = Decimal(value)
    if exact == 0:
        return 0.0
    rounded = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR).plus(exact)
    found = float(rounded)
    if (Decimal(found) < exact) if up else (Decimal(found) > exact):
        found = math.nextafter(found, math.inf if up else -math.inf)
    return found


def proved_claims(claims: Sequence[Mapping[str, Any]], verdicts: Mapping[str, str]) -> int:
    """How many claims are proved, both ends of each, by the verdicts on statements; those of infinity are not."""
    count = 0
    for claim in claims:
        asked = [one["id"] for one in stated(claim, claims)]
        count += bool(asked) and all(verdicts.get(name) == "proved" for name in asked)
    return count
