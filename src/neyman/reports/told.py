"""What a report is about, in words that follow from its mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from neyman.mechanisms import Mechanism
from neyman.reports.document import StepWords
from neyman.reports.page import run_in_words
from neyman.reports.prose import adjacency_meaning, summary

if TYPE_CHECKING:
    from neyman.profiles.pair import Adjacency
    from neyman.reports.model import DocumentModel

__all__ = ["Told", "retold", "stated"]

_ONLY_STATED = "the file says, and nothing was computed: "


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


def retold(mechanism: Mechanism, adjacency: Adjacency, unit: str, headline: str) -> Told:
    """Return what follows from the mechanism, whatever the file says of it; the headline is what it claims."""
    return Told(run_in_words(summary(mechanism, unit)), _protected(unit, adjacency_meaning(adjacency, unit)), headline)


def stated(model: DocumentModel) -> Told:
    """Return what the file says, where nothing could be computed."""
    steps = tuple(StepWords(**step.model_dump()) for step in model.summary)
    return Told(
        _ONLY_STATED + run_in_words(steps), _protected(model.unit, model.adjacency_meaning), model.verdict.headline
    )


def _protected(unit: str, meaning: str) -> str:
    return f"one {unit}. {meaning}"
