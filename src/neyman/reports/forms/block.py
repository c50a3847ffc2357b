"""The data inside a page, found by the one tag that our template writes, letter for letter: nothing is parsed."""

from __future__ import annotations

from neyman._errors import InvalidParameter

__all__ = ["OPENING", "block_of"]

OPENING = '<script type="application/json" id="neyman-report">'
_CLOSING = "</script>"


def block_of(text: str) -> str:
    """Return the JSON text inside a page.

    Where a browser would see it does not matter: a page that is not, byte for byte, what is written again from this
    text is not believed.

    Raises
    ------
    InvalidParameter
        If there is none, or more than one.
    """
    number = text.count(OPENING)
    block, closed, _ = text.partition(OPENING)[2].partition(_CLOSING)
    if number != 1 or not closed:
        advice = "It ends in the middle of it." if number == 1 else f"{number} were found."
        raise InvalidParameter("report", "this page", "a page with one data block, #neyman-report", advice)
    if "<" in block:
        raise InvalidParameter("report", "this page", "a page whose data block holds no markup")
    return block
