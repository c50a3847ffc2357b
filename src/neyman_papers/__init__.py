"""The papers this package rests on, reproduced: every table and figure, and each printed number beside ours.

``reproduce("all", "out")`` writes ``out/index.html``. Published numbers are data (``published.toml`` of each paper);
ours are always computed.
"""

from __future__ import annotations

from neyman_papers.published import Above, Below, Holds, Published, Rounds, Undetermined
from neyman_papers.run import reproduce
from neyman_papers.summary import Count, PaperResult, Summary
from neyman_papers.verdict import Number, Statement, Verdict, judge

__all__ = [
    "Above",
    "Below",
    "Count",
    "Holds",
    "Number",
    "PaperResult",
    "Published",
    "Rounds",
    "Statement",
    "Summary",
    "Undetermined",
    "Verdict",
    "judge",
    "reproduce",
]
