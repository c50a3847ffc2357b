"""Names of sections and rows that links can point to, the same on the written page and in the documentation."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from neyman_papers.verdict import Verdict

if TYPE_CHECKING:
    from neyman_papers.summary import PaperResult

__all__ = ["anchor", "parts", "slug"]


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens.

    Examples
    --------
    >>> slug("Abstract and Section 1"), slug("5/mu/literal")
    ('abstract-and-section-1', '5-mu-literal')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def anchor(verdict: Verdict) -> str:
    """The name of a row."""
    return f"{verdict.published.paper}-row-{slug(verdict.published.key)}"


def parts(result: PaperResult) -> list[tuple[str, list[Verdict]]]:
    """The rows of a paper by its sections, in order."""
    return [(part, list(rows)) for part, rows in groupby(result.verdicts, key=lambda v: v.published.part)]
