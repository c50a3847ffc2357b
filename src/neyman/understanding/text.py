"""The text of a file, or of standard input, read without trust."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from neyman._errors import InvalidParameter

__all__ = ["plain", "read_text"]

LARGEST = 10**6  # bytes
_Number = TypeVar("_Number", int, float)


def plain(kind: Callable[[str], _Number], text: str) -> _Number:
    """Return the number that a person reads in ``text``: Python takes 1_0 for 10, and digits of other scripts for ours.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> plain(float, "1e-5"), plain(int, "12")
    (1e-05, 12)
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"not a number in ASCII digits: {text!r}")
    return kind(text)


def read_text(name: str, source: str, advice: str = "") -> str:
    """Return at most 1 MB of UTF-8; ``source`` is a path, or "-" for standard input.

    Raises
    ------
    InvalidParameter
        Named ``name``: if there is no such file, or it is longer (``advice`` is then the way out), or no UTF-8.
    """
    try:
        # never more than what is allowed: a device can be endless
        if source == "-":
            content = sys.stdin.buffer.read(LARGEST + 1)
        else:
            path = Path(source)
            if path.exists() and not (path.is_file() or path.is_dir()):  # which says so itself
                raise InvalidParameter(
                    name, source, "a file", "A pipe or a device may never end; - reads standard input.", topic="file"
                )
            with path.open("rb") as file:
                content = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidParameter(name, source, "a file that can be read", f"{error.strerror}.", topic="file") from None
    if not len(content) <= LARGEST:
        raise InvalidParameter(name, source, "at most 1 MB long", advice, topic="file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidParameter(name, source, "text in UTF-8", f"Byte {error.start} is not.", topic="file") from None
