"""What people are shown of a guarantee: the sentence to copy, the table, the card of a notebook, the citation.

The command line, reports and ``print`` show the same, from here.
"""

from __future__ import annotations

from neyman.showing.conversion import Conversion, convert
from neyman.showing.summary import Summary

__all__ = ["Conversion", "Summary", "convert"]
