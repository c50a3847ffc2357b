"""Tables on the command line: those of every answer, in the forms that ``print`` shows too."""

from __future__ import annotations

from neyman.showing.table import bracket_text, rounded_up, show, show_conversion, table

__all__ = ["bracket_text", "rounded_up", "show", "show_conversion", "table"]
