"""What a user may type into a report, and how it is shown wherever it ends up."""

from __future__ import annotations

import re
from datetime import date

from neyman._errors import InvalidParameter

__all__ = ["MOST", "checked_text", "visible"]

MOST = {"title": 200, "unit": 60, "context": 10_000, "date": 10}
# control characters, lone surrogates, marks that turn the direction of what follows, and all that draws nothing: what
# Unicode's DerivedCoreProperties.txt calls Default_Ignorable_Code_Point (zero widths, fillers, variation selectors,
# tags), annotation marks, Egyptian format controls and the empty Braille cell
_NOTHING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_NOTHING}]")
# and spaces that are not the space: two titles that look alike are to be one
_UNTYPED = re.compile(f"[{_NOTHING}\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


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
    found = _UNTYPED.search(value) or (None if several else re.search(r"[\t\n]", value))
    if found:
        advice = (
            f"It holds U+{ord(found.group()):04X}: characters that draw nothing, turn the direction of writing or only "
            "look like a space are not taken."
        )
        raise InvalidParameter(name, value, allowed, advice)
    if name == "unit" and not value.strip():
        raise InvalidParameter(name, value, "the name of whom one record stands for, such as 'person'")
    if name == "date" and value and not _is_date(value):
        raise InvalidParameter(name, value, "a date such as 2025-01-31, or empty")
    return value


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:  # no calendar has it
        return False


def visible(text: str) -> str:
    """Return ``text`` with hidden characters made visible: no renderer shows what would reorder or hide its neighbours.

    Examples
    --------
    >>> visible("a\u202eb"), visible("a\u200bb")
    ('a\ufffdb', 'a\ufffdb')
    """
    return _HIDDEN.sub("\ufffd", text)
