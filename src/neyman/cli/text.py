"""The text of a file, or of standard input, read without trust."""

from __future__ import annotations

import sys
from pathlib import Path

from neyman._errors import InvalidParameter

__all__ = ["read_text"]

LARGEST = 10**6  # bytes


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
            with Path(source).open("rb") as file:
                content = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidParameter(name, source, "a file that can be read", f"{error.strerror}.") from None
    if not len(content) <= LARGEST:
        raise InvalidParameter(name, source, "at most 1 MB long", advice)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidParameter(name, source, "text in UTF-8", f"Byte {error.start} is not.") from None
