"""What a report is about, in words that follow from its mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neyman.reports.forms.page import run_in_words
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import StepWords
from neyman.reports.said.prose import adjacency_meaning, summary
from neyman.reports.said.quantities import restated

if TYPE_CHECKING:
    from neyman.profiles.pair import Adjacency
    from neyman.reports.said.document import Document
    from neyman.reports.verifying.model import DocumentModel

__all__ = ["ONLY_STATED", "Told", "retold", "stated"]

ONLY_STATED = "the file says, and nothing was computed: "


@dataclass(frozen=True, slots=True)
class Told:
    """What a report is about, in words.

    Attributes
    ----------
    run : str
        What was run.
    protected : str
        Who is protected, and what that means.
    headline : str
        What the report recommends to report.
    """

    run: str
    protected: str
    headline: str


def retold(document: Document) -> Told:
    """Return what follows from the mechanism, whatever the file says of it; the headline is what it claims."""
    unit, adjacency = document.unit, document.adjacency
    return Told(
        run_in_words(summary(document.mechanism, unit)),
        _protected(unit, adjacency_meaning(adjacency, unit)),
        _headline(document.verdict.recommended, document.verdict.headline, document.claims, adjacency),
    )


def stated(model: DocumentModel, claims: Sequence[Claim]) -> Told:
    """Return what the file says, where nothing could be computed."""
    steps = tuple(StepWords(**step.model_dump()) for step in model.summary)
    return Told(
        ONLY_STATED + run_in_words(steps), _protected(model.unit, model.adjacency_meaning),
        _headline(model.verdict.recommended, model.verdict.headline, claims, model.adjacency),
    )  # fmt: skip


def _protected(unit: str, meaning: str) -> str:
    return f"one {unit}. {meaning}"


def _headline(recommended: str, headline: str, claims: Sequence[Claim], adjacency: Adjacency) -> str:
    """What is claimed, never without a number: where the headline has none of its own, a promise that it stands for."""
    if recommended in _NUMBERED:
        return headline
    finite = [claim for claim in claims if claim.quantity == "epsilon" and not claim.says_nothing]
    beside = finite[:1] or [claim for claim in claims if claim.quantity == "advantage"]
    # in our words: those of the file may be anybody's
    told = [restated(one.quantity, one.given, one.text, (one.lower, one.upper), adjacency).sentence for one in beside]
    return " ".join([headline, *told])


_NUMBERED = ("mu", "epsilon", "zcdp")  # headlines that begin with the number
