"""What a user may type into a report, and how it is shown wherever it ends up."""

from __future__ import annotations

import re

from neyman._errors import InvalidParameter

__all__ = ["MOST", "checked_text", "visible"]

MOST = {"title": 200, "unit": 60, "context": 10_000, "date": 10}
# control characters, lone surrogates, and marks that turn the direction of what follows
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff\ufeff]"
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def checked_text(name: str, value: object) -> str:
    """Return what a user typed.

    Raises
    ------
    InvalidParameter
        If it is no string, too long, has several lines (all but the context), or characters that hide or reorder text.
    """
    several = name == "context"
    allowed = f"text of at most {MOST[name]:,} characters" + ("" if several else " in one line")
    if not isinstance(value, str) or not len(value) <= MOST[name]:
        raise InvalidParameter(name, value, allowed)
    if _HIDDEN.search(value) or (not several and re.search(r"[\t\n]", value)):
        advice = "Control characters and marks that turn the direction of writing are not taken."
        raise InvalidParameter(name, value, allowed, advice)
    if name == "unit" and not value.strip():
        raise InvalidParameter(name, value, "the name of whom one record stands for, such as 'person'")
    if name == "date" and value and not _DATE.fullmatch(value):
        raise InvalidParameter(name, value, "a date such as 2025-01-31, or empty")
    return value


def visible(text: str) -> str:
    """Return ``text`` with hidden characters made visible: no renderer shows what would reorder or hide its neighbours.

    Examples
    --------
    >>> visible("a\u202eb")
    'a\ufffdb'
    """
    return _HIDDEN.sub("\ufffd", text)
