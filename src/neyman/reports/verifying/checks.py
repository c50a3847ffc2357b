"""One claim at a time against what this installation finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Literal

from neyman._version import __version__
from neyman.numerics.exact.decimals import exactly
from neyman.profiles.pair import Adjacency
from neyman.quantities.asked import Bracket
from neyman.reports.said.build import cite, how_to_verify
from neyman.reports.said.claims import Claim, claim_id, printed
from neyman.reports.said.document import Document
from neyman.reports.said.prose import adjacency_meaning, assumptions, summary
from neyman.reports.said.quantities import QUANTITIES, reprinted, restated
from neyman.reports.said.verdict import references, verdict

__all__ = ["Check", "Outcome", "Recomputed", "claim_checks", "labelled", "labelled_as", "word_checks"]

Outcome = Literal["holds", "does not hold", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one claim, or about the words around them.

    Attributes
    ----------
    id : str
        That of the claim, or what else was looked at, as in "verdict".
    outcome : str
        "holds", "does not hold" or "cannot tell".
    stated : str
        What the file says.
    lower, upper : float
        The certified bracket of this installation; NaN where it has none.
    excess : float
        By how much, at least, the claim is beyond what can be true; 0 unless it does not hold.
    reason : str
        Why it does not hold, or cannot be told; empty where it holds.
    label : str
        What is claimed, in the words of the report; empty of what is no claim.
    """

    id: str
    outcome: Outcome
    stated: str
    lower: float = math.nan
    upper: float = math.nan
    excess: float = 0.0
    reason: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What this installation finds: the bracket of each claim (None where there is none), and the method."""

    brackets: tuple[Bracket | None, ...]
    method: str


def claim_checks(document: Document, found: Recomputed) -> tuple[Check, ...]:
    """Return the check of every claim, in the order of the file."""
    same = document.certificate.neyman == __version__
    pairs = zip(document.claims, found.brackets, strict=True)
    return tuple(labelled(_checked(claim, bracket, document.adjacency, same), claim) for claim, bracket in pairs)


def labelled(check: Check, claim: Claim) -> Check:
    """Return the check of a claim with the label that such a claim has, whatever the file calls it."""
    return replace(check, label=labelled_as(claim))


def labelled_as(claim: Claim) -> str:
    """Return what such a claim is about, in the words of a report."""
    kind = QUANTITIES[claim.quantity]
    return kind.filled(kind.label, tuple(value for _, value in claim.given))


def word_checks(document: Document, found: Recomputed) -> tuple[Check, ...]:
    """Return the checks of everything that is said in words: written again, from the file and from what was found."""
    same = document.certificate.neyman == __version__
    likely = _likely(document, found)
    return (
        _words("what was run", document.summary, _run(document), same),
        _words("adjacency", document.adjacency_meaning, [adjacency_meaning(document.adjacency, document.unit)], same),
        _words("assumptions", document.assumptions, [assumptions(document.mechanism, document.unit)], same),
        _words("verdict", document.verdict, [verdict(document.mechanism, claims) for claims in likely], same),
        _words("references", document.references, [references(claims) for claims in likely], same),
        _words("how to cite", document.cite, [cite(document.certificate.neyman)], same),
        _words("how to verify", document.verify, [how_to_verify(document.certificate.neyman)], same),
        _words("deltas", set(document.deltas) <= _deltas(document), [True], True),
        _words("method", document.certificate.method, [found.method], same),
    )


def _run(document: Document) -> list[object]:
    """What was run, in the words of this version and of those before it."""
    return [summary(document.mechanism, document.unit, formerly=formerly) for formerly in (False, True)]


def _checked(claim: Claim, bracket: Bracket | None, adjacency: Adjacency, same: bool) -> Check:
    stated = f"{claim.side} {claim.text}"
    altered = _altered(claim)
    if altered:
        return Check(claim.id, "does not hold", stated, *(bracket or ()), reason=altered)
    if bracket is None or any(math.isnan(end) for end in bracket):
        why = "it is not certified to the tolerance; --tolerance allows a wider one, --effort more work"
        return Check(claim.id, "cannot tell", stated, reason=why)
    lower, upper = bracket
    beyond = _beyond(claim, bracket)
    if beyond is not None:
        return Check(claim.id, "does not hold", stated, lower, upper, beyond[0], beyond[1])
    if math.isinf(claim.value) and math.isfinite(upper):  # in words: that nothing finite holds
        why = f"it says that no finite number holds, and {upper!r} does"
        return Check(claim.id, "does not hold", stated, lower, upper, reason=why)
    safe = claim.value >= upper if claim.side == "at most" else claim.value <= lower
    if not safe:
        why = f"it lies inside the certified bracket [{lower!r}, {upper!r}]"
        return Check(claim.id, "cannot tell", stated, lower, upper, reason=why)
    if not _inside(bracket, claim):
        why = f"the certified bracket that is given is narrower than the one found here, [{lower!r}, {upper!r}]"
        return Check(claim.id, "cannot tell", stated, lower, upper, reason=why)
    words = _claim_words(claim, bracket, adjacency)
    if (claim.label, claim.sentence) in words:
        return Check(claim.id, "holds", stated, lower, upper)
    if same:
        return Check(
            claim.id, "does not hold", stated, lower, upper, reason="altered text: its words say something else"
        )
    return Check(claim.id, "cannot tell", stated, lower, upper, reason=_OTHER)


_OTHER = "the number holds; its words are those of another version of neyman, which alone can compare them"


def _altered(claim: Claim) -> str:
    """What is wrong with a claim whatever the truth is."""
    if claim.id != claim_id(claim.quantity, claim.given):
        return "altered text: its name is that of another claim"
    if claim.side != QUANTITIES[claim.quantity].side:
        return "altered text: the bound is turned around"
    if not claim.lower <= claim.upper:
        return "altered text: the ends of its certified bracket have changed places"
    try:
        exact = math.isinf(claim.value) if claim.text == "inf" else Decimal(claim.text) == Decimal(repr(claim.value))
    except InvalidOperation:
        exact = False
    return "" if exact else f"altered text: it is printed as {claim.text}, and its value is {claim.value!r}"


def _inside(bracket: Bracket, claim: Claim) -> bool:
    """Whether the bracket that is given holds the one found here, but for what platforms change."""
    slack = _SLACK * abs(bracket[1]) if math.isfinite(bracket[1]) else 0.0
    return claim.lower <= bracket[0] + slack and bracket[1] - slack <= claim.upper


_SLACK = 1e-6  # as a share: what a tolerance of 1e-6 leaves open


def _beyond(claim: Claim, bracket: Bracket) -> tuple[float, str] | None:
    """By how much a claim, or the bracket it gives, misses what is certified here."""
    lower, upper = bracket
    if claim.side == "at most" and claim.value < lower:
        excess = lower - claim.value
        return (
            excess,
            f"it is at least {lower!r}: the claim is too low by {printed(excess, excess, 'at least', 3)} or more",
        )
    if claim.side == "at least" and claim.value > upper:
        excess = claim.value - upper
        return (
            excess,
            f"it is at most {upper!r}: the claim is too high by {printed(excess, excess, 'at least', 3)} or more",
        )
    if claim.lower > upper or claim.upper < lower:
        return max(claim.lower - upper, lower - claim.upper), "the truth is not in the certified bracket that is given"
    return None


def _claim_words(claim: Claim, bracket: Bracket, adjacency: Adjacency) -> set[tuple[str, str]]:
    """What may be said of a claim: about the number it prints, or about one that is true as well."""
    texts = {claim.text, reprinted(claim.quantity, bracket), reprinted(claim.quantity, (claim.lower, claim.upper))}
    made = [restated(claim.quantity, claim.given, text, bracket, adjacency) for text in texts]
    at = tuple(value for _, value in claim.given)
    kind = QUANTITIES[claim.quantity]
    return {
        (label, sentence)
        for one in made
        if _true(one, bracket)
        for label, sentence in (
            (one.label, one.sentence), (one.label, kind.formerly(one.text, at, adjacency)),
            (kind.filled(kind.label, at, _formerly), kind.told(one.text, at, adjacency, _formerly)),
        )
        if sentence
    }  # fmt: skip


def _formerly(_: str, value: float) -> str:
    """A place as earlier versions wrote it."""
    return exactly(value)


def _true(claim: Claim, bracket: Bracket) -> bool:
    return claim.value >= bracket[1] if claim.side == "at most" else claim.value <= bracket[0]


def _likely(document: Document, found: Recomputed) -> list[tuple[Claim, ...]]:
    """The claims as the file has them; as it had them before a number was weakened; as they are found here."""
    adjacency = document.adjacency

    def again(bracket_of: Callable[[Claim, Bracket], Bracket]) -> tuple[Claim, ...]:
        return tuple(
            claim if pair is None else _again(claim, bracket_of(claim, pair), pair, adjacency)
            for claim, pair in zip(document.claims, found.brackets, strict=True)
        )

    return [document.claims, again(lambda claim, _: (claim.lower, claim.upper)), again(lambda _, pair: pair)]


def _again(claim: Claim, bracket: Bracket, pair: Bracket, adjacency: Adjacency) -> Claim:
    made = restated(claim.quantity, claim.given, reprinted(claim.quantity, bracket), bracket, adjacency)
    if _true(made, pair):
        return made
    return restated(claim.quantity, claim.given, reprinted(claim.quantity, pair), pair, adjacency)


def _deltas(document: Document) -> set[float]:
    return {float(dict(claim.given)["delta"]) for claim in document.of("epsilon")}


def _words(name: str, stated: object, right: Sequence[object], same: bool) -> Check:
    if stated in right:
        return Check(name, "holds", "as written")
    if same:
        return Check(
            name, "does not hold", "other words", reason="altered text: this does not follow from the rest of the file"
        )
    return Check(
        name, "cannot tell", "other words", reason="written by another version of neyman, which alone can compare it"
    )
