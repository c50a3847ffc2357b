"""What says that it is a report of ours, and is such as no version of ours writes: altered, and so it does not hold."""

from __future__ import annotations

import json
import re

from neyman._errors import InvalidParameter
from neyman._version import __version__
from neyman.reports.verifying.told import ONLY_STATED, Told

__all__ = ["Altered", "altered", "as_written"]

_FORMAT = re.compile(r'"format":\s*"neyman-report"')
_WRITER = re.compile(r'"neyman":\s*"([0-9]+(?:\.[0-9]+)*)')
_STRING = r'\s*("(?:[^"\\]|\\.){0,1000}")'
_MOST = 3  # sentences about what was run
_UNREAD = "the file does not say"


class Altered(InvalidParameter):
    """A file that is a report but for what was done to it; ``told`` is what can still be read of it, unbelieved."""

    told: Told


def altered(refused: InvalidParameter, text: str) -> InvalidParameter:
    """Return why a file was refused: as what was altered, where it says that a version up to this one wrote it.

    What a later version writes may be read by that one alone, and is no fraud.

    Examples
    --------
    >>> why = InvalidParameter("floor", 2.0, "inside (0, 0.5)")
    >>> type(altered(why, '{"format": "neyman-report", "neyman": "0.2.0"}')).__name__
    'Altered'
    >>> altered(why, '{"format": "neyman-report", "neyman": "99.0"}') is why, altered(why, "{}") is why
    (True, True)
    """
    writer = _WRITER.search(text)
    if not _FORMAT.search(text) or writer is None or not _release(writer[1]) <= _release(__version__):
        return refused
    found = Altered(refused.name, refused.value, refused.allowed, refused.advice)
    found.told = _told(text)
    return found


def as_written(refused: InvalidParameter) -> str:
    """Return what is wrong with what was altered, as a reason.

    Examples
    --------
    >>> as_written(InvalidParameter("claims.0.text", "1.20", "written as 1.2"))
    "altered: no neyman writes such a file; claims.0.text must be written as 1.2, got '1.20'"
    """
    return f"altered: no neyman writes such a file; {str(refused).removesuffix('.')}"


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", text)[:3])


def _told(text: str) -> Told:
    """The words of the file, found as text: what cannot be read as data has no places."""
    about = text.partition('"summary"')[2].partition('"assumptions"')[0]
    run = " ".join(_strings("sentence", about)[:_MOST])
    unit, meaning = (next(iter(_strings(name, text)), "") for name in ("unit", "adjacency_meaning"))
    headline = next(iter(_strings("headline", text)), "")
    return Told(f"{ONLY_STATED}{run or _UNREAD}", f"one {unit}. {meaning}" if unit else _UNREAD, headline or _UNREAD)


def _strings(name: str, text: str) -> list[str]:
    found: list[str] = []
    for written in re.findall(f'"{name}":{_STRING}', text):
        try:
            found.append(json.loads(written))
        except ValueError:
            continue
    return found
