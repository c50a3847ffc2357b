"""Is mu the whole story? The reporting procedure, and the fallbacks where it is not.

Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine learning, Algorithm 1 and Section 4.
Everything here is read from claims, so that whoever holds the claims can write it again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neyman.guarantees import RDP, ZCDP, Opaque
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import exactly
from neyman.quantities.points import POINTS
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Recommended, Reference, Verdict

__all__ = ["ENOUGH", "references", "verdict"]

ENOUGH = 0.01  # regret below which mu is practically the whole story
_ALIKE = 1e-6  # of Bayes error: a difference that nobody can act on
_BY = f" by more than {_ALIKE:g}"


def verdict(mechanism: Mechanism, claims: Sequence[Claim]) -> Verdict:
    """Return which guarantee to report."""
    found = {"pure" if claim.given == (("delta", 0.0),) else claim.quantity: claim for claim in claims}
    mu, regret = found["mu"], found.get("regret")
    floor = exactly(float(dict(mu.given)["floor"]))
    if isinstance(mechanism, Opaque) and isinstance(mechanism.guarantee, (RDP, ZCDP)) and regret is not None:
        return Verdict(
            False, "stated", f"Report the guarantee as it was stated: {_named(mechanism)}.",
            "Its numbers add up over releases, which a mu at a floor does not. As one number about attacks, "
            f"mu = {mu.text} at error rates of {floor} and above has a regret of at most {regret.text}.",
        )  # fmt: skip
    if regret is not None and regret.value < ENOUGH:
        return Verdict(
            True, "mu", f"Report mu = {mu.text}, valid at error rates of {floor} and above.",
            f"Its regret is at most {regret.text}, below {ENOUGH:g}: mu is practically the whole story, and overstates "
            "the advantage of an attacker by less than two percentage points.",
        )  # fmt: skip
    if math.isinf(mu.value):
        why = f"No finite mu is promised: with a chance above {floor} (the floor) the output may reveal the record."
    elif regret is None:  # only where somebody left it out
        why = f"What mu = {mu.text} gives away is not stated."
    else:
        why = f"The regret of mu = {mu.text} is {regret.text}, not below {ENOUGH:g}: mu alone overstates the attacks."
    if isinstance(mechanism, Opaque):
        return Verdict(False, "stated", f"Report the guarantee as it was stated: {_named(mechanism)}.", why)
    kind, headline, reason = _fallback(found)
    return Verdict(False, kind, headline, f"{why} {reason}")


def references(claims: Sequence[Claim]) -> tuple[Reference, ...]:
    """Return the comparison with every reference point that there are claims about."""
    forth = {str(dict(claim.given)["reference"]): claim for claim in claims if claim.quantity == "divergence"}
    back = {str(dict(claim.given)["reference"]): claim for claim in claims if claim.quantity == "reverse"}
    return tuple(
        Reference(key, point.name, point.stated, point.source, *_compared(point.name, forth[key], back[key]))
        for key, point in POINTS.items()
        if key in forth and key in back
    )


def _fallback(found: dict[str, Claim]) -> tuple[Recommended, str, str]:
    """The single number that gives away least, of those that are known; the profile says everything."""
    everything = "The epsilon at each delta below, or the whole trade-off curve, says everything."
    known = [
        (found[regret].value, kind, regret)
        for kind, number, regret in (("epsilon", "pure", "epsilon_regret"), ("zcdp", "zcdp", "zcdp_regret"))
        if number in found and regret in found
    ]  # fmt: skip
    least = min(known, default=None)
    regret = found["regret"].value if "regret" in found else math.inf
    if least is None or not least[0] < regret:
        also = "" if regret == math.inf else " As one number, mu still gives away least."
        return "profile", "Report epsilon at several delta, or the trade-off curve.", everything + also
    claim = found[least[2]]
    if least[1] == "zcdp":
        return (
            "zcdp", f"Report rho = {found['zcdp'].text} (zCDP), with epsilon at several delta.",
            f"As one number, rho gives away least: at most {claim.text}. {everything}",
        )  # fmt: skip
    return (
        "epsilon", f"Report epsilon = {found['pure'].text} (delta = 0), with epsilon at several delta.",
        f"As one number, that epsilon gives away least: at most {claim.text}. {everything}",
    )  # fmt: skip


def _compared(name: str, forth: Claim, back: Claim) -> tuple[str, str]:
    """The order, decided by certified brackets, and the sentence about it."""
    if forth.upper <= _ALIKE and back.value <= _ALIKE:
        return "alike", f"As private as {name}: an attacker's Bayes error differs by {_ALIKE:g} at most."
    higher = f"an attacker's Bayes error is higher by {forth.text} or more"
    if back.value <= _ALIKE and forth.value > _ALIKE:
        return "more private", f"More private than {name}: {higher} at some prior, and nowhere lower{_BY}."
    lower = f"lower by at most {back.text}"
    if forth.upper <= _ALIKE and back.lower > _ALIKE:
        rest = f"an attacker's Bayes error is {lower}, and nowhere higher{_BY}."
        return "less private", f"Less private than {name}: {rest}"
    if forth.value > _ALIKE and back.lower > _ALIKE:
        return "neither", f"Neither more nor less private than {name}: {higher} at some prior, at others {lower}."
    return "undecided", f"Not told apart from {name} in every respect: an attacker's Bayes error is {lower}."


def _named(box: Opaque) -> str:
    shown = repr(box.guarantee)
    return shown if len(shown) <= 200 else f"{type(box.guarantee).__name__} with its many numbers"
