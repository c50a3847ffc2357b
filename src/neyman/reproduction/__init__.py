"""The papers this package rests on, reproduced: every table and figure, and each printed number beside ours.

``reproduce("all", "out")`` writes ``out/index.html``. Published numbers are data (``published.py`` of each paper); ours
are always computed.
"""

from __future__ import annotations

from neyman.reproduction.published import Above, Below, Holds, Published, Rounds, Undetermined
from neyman.reproduction.run import reproduce
from neyman.reproduction.summary import Count, PaperResult, Summary
from neyman.reproduction.verdict import Number, Statement, Verdict, judge

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
