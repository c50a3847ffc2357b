"""A report in Markdown, as GitHub renders it."""

from __future__ import annotations

import json
import re

from neyman.numerics.exact.decimals import exactly, outward
from neyman.profiles.effort import EFFORT
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document
from neyman.reports.said.landmarks import scale_of
from neyman.reports.said.quantities import COMPARED, RISKS
from neyman.reports.said.text import visible

__all__ = ["attacks", "bracket", "escaped", "numbers", "render_markdown"]

_DIGITS = 10  # of an end of a bracket
_ANYWHERE = re.compile(r"([\\`*_\[\]#|~$])")  # what makes markup wherever it stands
_FIRST = re.compile(r"^(?:[-+=:]|\d+(?=[.)]))")  # and what does at the beginning of a line
_NAMES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str) -> str:
    r"""Return text so that Markdown shows it letter for letter, in one line: no markup, no links, no mentions.

    Examples
    --------
    >>> print(escaped("<b>*x*</b> http://a.b www.a.b"))
    &lt;b&gt;\*x\*&lt;/b&gt; http\:\//a.b www\.a.b
    """
    flat = _ANYWHERE.sub(r"\\\1", " ".join(visible(text).split())).translate(_NAMES)
    linked = flat.replace("://", "\\:\\//").replace("www.", "www\\.").replace("@", "@<!-- -->")
    return _FIRST.sub(lambda found: f"{found.group()}\\" if found.group().isdigit() else f"\\{found.group()}", linked)


def render_markdown(document: Document) -> str:
    """Return ``document`` in Markdown."""
    d = document
    parts = [
        f"# {escaped(d.title)}",
        *(escaped(line) for line in d.context.splitlines() if line.strip()),
        f"One {escaped(d.unit)} is protected. {escaped(d.adjacency_meaning)}" + (f" Date: {d.date}." if d.date else ""),
        "## What to report",
        f"**{escaped(d.verdict.headline)}** {escaped(d.verdict.reason)}",
        _table(("promise", "", "report", "certified bracket"), [_row(claim) for claim in numbers(d)]),
        "## What an attacker can do",
        "\n".join(f"- {escaped(claim.sentence)}" for claim in attacks(d)),
        "## What was run",
        "\n".join(f"{i}. {escaped(step.sentence)}" for i, step in enumerate(d.summary, 1)),
        "## What must be true of the run",
        "\n".join(f"- {escaped(line)}" for line in d.assumptions),
        *_compared(d),
        *_landmarks(d),
        "## Certificate",
        "Every number is rounded to its safe side; the truth lies in the bracket beside it.",
        _table(("what", "value"), [(escaped(a), escaped(b)) for a, b in _certificate(d)]),
        "The mechanism:",
        "```json\n" + json.dumps(d.mechanism.to_dict(), ensure_ascii=True) + "\n```",
        f"Verify the JSON or HTML form of this report: `{d.verify}`",
        "## How to cite",
        "\n".join(f"- {escaped(line)}" for line in d.cite),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


_IN_WORDS = {*RISKS, *COMPARED}


def numbers(document: Document) -> tuple[Claim, ...]:
    """Return the claims of the table."""
    return tuple(c for c in document.claims if c.quantity not in _IN_WORDS)


def attacks(document: Document) -> tuple[Claim, ...]:
    """Return the claims that are told in sentences."""
    tpr = tuple(c for c in document.of("tpr") if dict(c.given)["fpr"] in (1e-3, 0.1))
    return tpr + document.of("advantage", *RISKS)


def _row(claim: Claim) -> tuple[str, ...]:
    return escaped(claim.label), claim.side, claim.text, bracket(claim)


def bracket(claim: Claim) -> str:
    """Return the bracket with many digits, both ends rounded outward."""
    if claim.lower == claim.upper:
        return outward(claim.upper, _DIGITS)
    return f"{outward(claim.lower, _DIGITS, up=False)} to {outward(claim.upper, _DIGITS)}"


def _compared(document: Document) -> list[str]:
    if not document.references:
        return []
    rows = [f"- {escaped(r.sentence)} ({escaped(r.stated)}; {escaped(r.source)})" for r in document.references]
    return ["## Beside what is known", "\n".join(rows)]


def _landmarks(document: Document) -> list[str]:
    scale = scale_of(document)
    if scale is None:
        return []
    return ["## Where this lies", "\n".join(f"- {escaped(line)}" for line in scale.lines), escaped(scale.words)]


def _certificate(document: Document) -> list[tuple[str, str]]:
    c = document.certificate
    return [
        ("method", c.method),
        ("tolerance", exactly(c.tolerance)),
        *([("effort", exactly(c.effort))] if c.effort != EFFORT else []),
        ("adjacency", document.adjacency),
        *([] if document.proof is None else [(document.proof.words, f"proof, SHA-256: {document.proof.sha256}")]),
        ("versions", f"neyman {c.neyman}, Python {c.python}, NumPy {c.numpy}, SciPy {c.scipy}"),
    ]


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)
