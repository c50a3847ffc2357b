"""What people are shown of a guarantee: the sentence to copy, the table, the card of a notebook, the citation.

The command line, reports and ``print`` show the same, from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
    from neyman.showing.conversion import Conversion, convert
    from neyman.showing.summary import Summary

__all__ = ["Conversion", "Summary", "convert"]

__getattr__, __dir__ = on_first_use(
    __name__, {"neyman.showing.conversion": ("Conversion", "convert"), "neyman.showing.summary": ("Summary",)}
)
