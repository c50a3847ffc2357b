"""JSON read without trust: sizes bounded, every field known, every number finite.

A number is the binary float nearest to its decimal digits, as everywhere in JSON, and exactly that from there on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from neyman_check.errors import Unreadable

__all__ = ["Fields", "parsed"]

LARGEST = 4_000_000  # bytes of a file
_DEEPEST = 200  # brackets, one in another: more make no mechanism
_LONGEST = 20_000  # items of a list


def parsed(text: bytes) -> Any:
    """What the file says."""
    if len(text) > LARGEST:
        raise Unreadable(f"the file has {len(text)} bytes; at most {LARGEST} are read")
    if max((text.count(b"["), text.count(b"{"))) > LARGEST // 4:
        raise Unreadable("the file is nothing but brackets")
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_refused, parse_int=_whole)
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the file is no JSON: {str(error)[:100]}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a field stands twice in one object")
    return found


def _refused(word: str) -> float:
    raise Unreadable(f"{word} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > 20:
        raise Unreadable("a whole number of more than 20 digits")
    return int(digits)


class Fields:
    """An object of which every field must be asked for before ``done``."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Unreadable(f"{where}: an object was expected")
        self.where = where
        self._left: dict[str, Any] = dict(value)
        if where.count(".") + where.count("[") > _DEEPEST:
            raise Unreadable(f"{where[:60]}...: nested too deep")

    def take(self, name: str) -> Any:
        """The value of a field that must be there."""
        if name not in self._left:
            raise Unreadable(f"{self.where}: the field {name!r} is missing")
        return self._left.pop(name)

    def back(self, name: str, value: Any) -> Fields:
        """The same with a field put back, for whoever reads it next."""
        return Fields({name: value, **self._left}, self.where)

    def has(self, name: str) -> bool:
        """Whether a field that may be left out is there."""
        return name in self._left

    def done(self) -> None:
        """Nothing else was said."""
        if self._left:
            raise Unreadable(f"{self.where}: the field {min(self._left)[:40]!r} is not known")

    def within(self, name: str) -> Fields:
        """An object."""
        return Fields(self.take(name), f"{self.where}.{name}")

    def number(self, name: str, allowed: Callable[[float], bool], words: str) -> float:
        """A finite number."""
        return number(self.take(name), f"{self.where}.{name}", allowed, words)

    def count(self, name: str, least: int, most: int) -> int:
        """A whole number."""
        value = self.take(name)
        if type(value) is not int or not least <= value <= most:
            raise Unreadable(f"{self.where}.{name}: a whole number from {least} to {most} was expected")
        return value

    def word(self, name: str, choices: tuple[str, ...]) -> str:
        """One of a few words."""
        value = self.take(name)
        if not (isinstance(value, str) and value in choices):
            raise Unreadable(f"{self.where}.{name}: one of {', '.join(choices)} was expected")
        return value

    def list(self, name: str, most: int = _LONGEST) -> list[Any]:
        """A list of no more than so many items."""
        value = self.take(name)
        if not isinstance(value, list) or len(value) > most:
            raise Unreadable(f"{self.where}.{name}: a list of at most {most} items was expected")
        return value


def number(value: Any, where: str, allowed: Callable[[float], bool], words: str) -> float:
    """A finite number of JSON, as a float."""
    if type(value) not in (int, float):
        raise Unreadable(f"{where}: a number was expected")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not (math.isfinite(found) and allowed(found)):
        raise Unreadable(f"{where}: {words} was expected, not {value!r:.40}")
    return found
