"""Options that are numbers, read as people write them: 512/60000, 1e3, 1%."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args, get_type_hints

from typer.models import ParameterInfo

from neyman._errors import InvalidParameter, NeymanError

__all__ = ["reading_numbers"]

_EXACT = ("sample_rate", "epochs")  # rounded where they are used, each to its safe side
_DOWN = ("noise_multiplier", "delta", "floor")
_UP = ("epsilon", "mu", "rho")


def reading_numbers(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Let all numbers among the options of a verb be read so; fractions are rounded to the safe side."""
    hints = get_type_hints(verb, include_extras=True)
    verb.__annotations__ = hints  # evaluated once: Typer is to find the very options that are changed here
    for name, hint in hints.items():
        found = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, ParameterInfo)]
        kind = _kind(hint)
        if found and kind is not None:
            found[0].parser = _reader(name, kind, verb.__name__)
    return verb


def _kind(hint: Any) -> type[float] | type[int] | None:
    """What an annotation says: float or int, alone, optional or in a list."""
    if hint in (float, int):
        return hint
    return next((kind for kind in map(_kind, get_args(hint)) if kind is not None), None)


def _reader(name: str, kind: type[float] | type[int], verb: str) -> Callable[[Any], Any]:
    option = f"--{name.replace('_', '-')}"
    up = name in _UP or (verb == "convert" and name == "delta")  # there it is part of a promise

    def read(text: Any) -> Any:
        if not isinstance(text, str):  # a default
            return text
        from neyman.understanding.number_text import number, rounded, whole_number  # not needed for --help

        try:
            if kind is int:
                return whole_number(text)
            value = number(text)
        except ValueError:
            allowed = "a whole number, such as 1000 or 1e3" if kind is int else "a number, such as 0.01, 1/100 or 1%"
            raise NeymanError(
                str(InvalidParameter(option, text, allowed))
            ) from None  # no ValueError: Typer takes those
        if isinstance(value, Fraction) and name in _EXACT:
            return value
        return rounded(value, "up" if up else "down" if name in _DOWN else "nearest")

    read.__name__ = "integer" if kind is int else "float"  # as help names it
    return read
