"""A report in a few lines, for a terminal."""

from __future__ import annotations

from neyman.reports.said.document import Document
from neyman.reports.said.text import visible

__all__ = ["short_text"]


def short_text(document: Document) -> str:
    """Return the lines of most weight."""
    told = document.summary[:3]
    more = [f"  ... and {len(document.summary) - 3} more kinds of step"] if len(document.summary) > 3 else []
    lines = [
        f"{document.title} (one {document.unit}; {document.adjacency})",
        *(f"  {step.sentence}" for step in told),
        *more,
        document.verdict.headline,
        f"  {document.verdict.reason}",
        *(f"  {claim.sentence}" for claim in document.of("epsilon", "advantage")),
        *([] if document.proof is None else [f"{document.proof.words} (SHA-256 {document.proof.sha256})."]),
    ]
    return "\n".join(visible(line) for line in lines)
