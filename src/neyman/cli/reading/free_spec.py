"""Mechanisms in files with one number left open: "?" in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neyman._errors import InvalidParameter
from neyman.cli.reading.mechanism import read_mechanism
from neyman.guarantees import mechanism_from_dict
from neyman.mechanisms import Mechanism
from neyman.understanding.short_form import IN_ORDER, SHORT_FORMS, is_form
from neyman.understanding.spec import read_data

__all__ = ["read_free_spec"]

_OPEN = "?"
_WHOLE = ("times", "k")

Place = tuple[str | int, ...]


def read_free_spec(source: str) -> tuple[str, Callable[[float], Mechanism], bool]:
    """Return the path of the open number, the mechanism as a function of it, and whether it is a whole number.

    Raises
    ------
    InvalidParameter
        If the file cannot be read, or does not leave exactly one number open; the function: if it holds no mechanism.
    """
    if is_form(source):
        return _free_short_form(source)
    data = read_data(source)
    places = _places(data, ())
    if len(places) != 1 or not places[0]:
        advice = 'Such as {"schema": 1, "kind": "gaussian", "sigma": "?", "sensitivity": 1.0}.'
        raise InvalidParameter(f"SPEC {source}", len(places), 'a mechanism in which one number is written "?"', advice)
    place = places[0]

    def make(number: float) -> Mechanism:
        try:
            return mechanism_from_dict(_filled(data, place, number))
        except InvalidParameter as error:
            raise error.called(f"SPEC {source}: {error.name}") from None

    return ".".join(map(str, place)), make, place[-1] in _WHOLE


def _free_short_form(text: str) -> tuple[str, Callable[[float], Mechanism], bool]:
    """The same of a short form, such as ``gaussian:?``."""
    word, _, rest = text.partition(":")
    word = word.strip().lower()
    order = IN_ORDER if word == "dpsgd" else tuple(SHORT_FORMS[word].fields)
    told = zip(rest.split(","), order, strict=False)
    free = [part.rpartition("=")[0].strip() or label for part, label in told if part.endswith(_OPEN)]
    if len(free) != 1 or rest.count(_OPEN) != 1:
        raise InvalidParameter("SPEC", text, 'a short form in which one number is written "?"', f"Write: {word}:?")

    def make(number: float) -> Mechanism:
        return read_mechanism("SPEC", f"{word}:{rest.replace(_OPEN, repr(number))}")

    return free[0], make, SHORT_FORMS[word].fields.get(free[0]) is int


def _places(data: Any, here: Place) -> list[Place]:
    if data == _OPEN:
        return [here]
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in inside for place in _places(value, (*here, key))]


def _filled(data: Any, place: Place, number: float) -> Any:
    if not place:
        return number
    key, *rest = place
    copy = data.copy()
    copy[key] = _filled(data[key], tuple(rest), number)
    return copy
