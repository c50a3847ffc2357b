"""What the library says to those who call it, as the command line says it: an argument is an option there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

__all__ = ["in_command", "in_options"]

# where the words of the library end in a call, those of the command line end in an option
_AS_OPTIONS = (
    ("pass a larger tolerance to account() to accept it", "a larger --tolerance accepts it"),
    ("pass a larger tolerance to compose_tradeoffs() to accept it", "a larger --tolerance accepts it"),
    ("a larger effort", "a larger --effort"),
)


_QUOTED = re.compile(r"Write: '([^']+)'$")


def in_command(text: str, value: object, arguments: Sequence[str]) -> str:
    """Return a message whose last words are a short form to write, with the whole command to write in its place.

    Parameters
    ----------
    text : str
        The message.
    value : object
        What was refused: where it is one of the ``arguments``, that one is replaced; else the one of the same word.
    arguments : sequence of str
        As they were typed.

    Examples
    --------
    >>> in_command("SPEC must be ..., got 'gauss:1'. Write: 'gaussian:1'", "gauss:1", ["account", "gauss:1"])
    "SPEC must be ..., got 'gauss:1'. Write: neyman account gaussian:1"
    """
    found = _QUOTED.search(text)
    if found is None:
        return text
    word = found[1].partition(":")[0]
    meant = [one for one in arguments if one == value] or [
        one for one in arguments if one.lower().startswith(f"{word}:")
    ]
    if not word or len(set(meant)) != 1:
        return text
    line = shlex.join(["neyman", *(found[1] if one == meant[0] else one for one in arguments)])
    return f"{text[: found.start()]}Write: {line}"


def in_options(text: str) -> str:
    """Return a message with the options to give in place of arguments to pass.

    Examples
    --------
    >>> in_options("wider than the tolerance 1e-12 asks; pass a larger tolerance to account() to accept it.")
    'wider than the tolerance 1e-12 asks; a larger --tolerance accepts it.'
    """
    for words, option in _AS_OPTIONS:
        text = text.replace(words, option)
    return text
