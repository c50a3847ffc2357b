"""The table of all verdicts as Markdown, for the page of the documentation that holds it between two marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from neyman_papers.anchors import anchor, parts, slug
from neyman_papers.verdict import WORDS, Number, Verdict

if TYPE_CHECKING:
    from neyman_papers.summary import Count, Summary

__all__ = ["FIRST", "LAST", "between", "markdown", "replaced"]

FIRST = "<!-- table: written by docs/hooks/reproduced.py -->"
LAST = "<!-- /table -->"

_SPECIAL = re.compile(r"([\\`*_{}\[\]|#])")
_DIGITS = 4  # of our numbers, beside printed ones that have three
_HEAD = "| Where | What | Printed | Ours | Verdict |\n|---|---|---|---|---|\n"
_COUNTS = "| Paper | rows | reproduced | differ | not determined |\n|---|---|---|---|---|\n"


def markdown(summary: Summary) -> str:
    """Return a table of counts, and for each paper one of its rows by sections; the same for the same numbers.

    Times, which no two runs share, are left out; numbers have four significant digits, brackets are rounded outward.
    """
    counts = [(f"[{_text(r.paper.title)}](#{r.paper.key}-paper)", r.count) for r in summary.results]
    counts.append(("all", summary.count))
    lines = [_COUNTS + "".join(_counted(name, count) for name, count in counts)]
    for result in summary.results:
        paper = result.paper
        lines.append(
            f"### {_text(paper.title)} {{ #{paper.key}-paper }}\n\n{_text(paper.source)} {_text(paper.choices)}\n"
        )
        for part, verdicts in parts(result):
            lines.append(
                f"#### {_text(part)} {{ #{paper.key}-{slug(part)} }}\n\n{_HEAD}" + "".join(map(_row, verdicts))
            )
    return "\n".join(lines)


def between(page: str) -> str:
    """Return what a page has between the marks.

    Raises
    ------
    ValueError
        If it has not one of each.
    """
    if page.count(FIRST) != 1 or page.count(LAST) != 1:
        raise ValueError(f"a page must have {FIRST} and {LAST} once each")
    return page.partition(FIRST)[2].partition(LAST)[0]


def replaced(page: str, summary: Summary) -> str:
    """Return the page with the table of a run between its marks."""
    return page.replace(f"{FIRST}{between(page)}{LAST}", f"{FIRST}\n\n{markdown(summary)}\n{LAST}")


def _counted(name: str, count: Count) -> str:
    return f"| {name} | {count.published} | {count.reproduced} | {count.differs} | {count.undetermined} |\n"


def _row(verdict: Verdict) -> str:
    p = verdict.published
    timed = isinstance(verdict.ours, Number) and verdict.ours.timed
    ours = "timed at each run" if timed else verdict.shown_to(_DIGITS) or "–"  # noqa: RUF001 (nothing is there)
    if verdict.uncertified and not timed:
        ours += " (computed)"
    what = p.quantity + (f" — {verdict.note}" if verdict.note else "")
    said = WORDS[verdict.outcome] if verdict.outcome != "undetermined" else "not determined"
    why = f": {_text(verdict.why)}" if verdict.why else ""
    cells = (
        f'<a id="{anchor(verdict)}"></a>{_text(p.where)}',
        _text(what),
        _text(p.printed),
        _text(ours),
        f"**{said}**{why}",
    )
    return f"| {' | '.join(cells)} |\n"


def _text(text: str) -> str:
    """A text as Markdown that shows it."""
    escaped = _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return " ".join(escaped.split())
