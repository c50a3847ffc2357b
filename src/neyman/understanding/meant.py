"""The short form that somebody meant who wrote another: read where something went wrong.

What was typed stays, as far as it can be read; an example stands for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from neyman._guesses import Typed, completed, right_name

__all__ = ["dpsgd_form", "meant_form"]

_WORDS = {
    "gdp": "mu", "gauss": "gaussian", "normal": "gaussian", "eps": "epsilon", "dp": "epsilon", "zcdp": "rho",
    "dp-sgd": "dpsgd", "dp_sgd": "dpsgd", "sgd": "dpsgd", "rr": "randomized_response", "lap": "laplace",
    "sigma": "gaussian", "noise": "gaussian", "pure": "epsilon", "approxdp": "epsilon", "cdp": "rho", "adp": "epsilon",
    "dgauss": "discrete_gaussian", "geometric": "discrete_laplace",
}  # fmt: skip
_EXAMPLES: dict[str, dict[str, str]] = {
    "gaussian": {"sigma": "1.0"}, "laplace": {"scale": "1.0"}, "discrete_gaussian": {"sigma": "1.0"},
    "discrete_laplace": {"scale": "1.0"}, "randomized_response": {"epsilon": "1.0"}, "mu": {"mu": "1.0"},
    "epsilon": {"epsilon": "1.0"}, "rho": {"rho": "0.5"},
}  # fmt: skip
_ORDER = ("noise_multiplier", "sample_rate", "steps")


def meant_form(text: str, forms: Mapping[str, Any], reads: Callable[[str, str, str], bool]) -> str:
    """Return the short form to write in place of ``text``; "" where nobody could tell.

    Parameters
    ----------
    text : str
        What was typed.
    forms : mapping
        The fields of the short forms, by their words.
    reads : callable
        Whether a word's field takes a text.
    """
    once, star, times = text.partition("*")
    word, _, rest = once.partition(":")
    kind = _kind(word, forms)
    if not kind:
        return ""
    found = _numbers(rest.split(",") if rest else [], list(forms[kind]), lambda field, one: reads(kind, field, one))
    copies = "".join(letter for letter in times if letter.isdigit()) if star else ""
    return f"{kind}:{_written(kind, found, list(forms[kind]))}" + (f"*{copies or 100}" if star else "")


def _kind(word: str, forms: Mapping[str, Any]) -> str:
    low = word.strip().lower()
    if low in forms:
        return low
    return _WORDS.get(low) or next(iter(get_close_matches(low, forms, 1, 0.7)), "")


def _numbers(parts: list[str], fields: list[str], reads: Callable[[str, str], bool]) -> dict[str, str]:
    """The numbers that can be read, by the names they are meant for."""
    found: dict[str, str] = {}
    for place, part in enumerate(parts):
        label, sign, written = part.partition("=")
        order = _ORDER if fields[0] == _ORDER[0] else tuple(fields)
        named = right_name(label.strip(), tuple(fields)) if sign else order[place] if place < len(order) else None
        number = (written if sign else part).strip()
        if named and named not in found and reads(named, number):
            found[named] = number
    return found


def dpsgd_form(told: Mapping[str, str]) -> str:
    """Return DP-SGD in a few letters, completed with examples.

    Examples
    --------
    >>> dpsgd_form({"noise_multiplier": "2", "epochs": "3"})
    'dpsgd:noise_multiplier=2,sample_rate=0.01,epochs=3'
    """
    whole = completed("ny.DPSGD", {name: Typed(number) for name, number in told.items()})
    if tuple(whole) == _ORDER:
        return "dpsgd:" + ",".join(whole.values())
    return "dpsgd:" + ",".join(f"{name}={number}" for name, number in whole.items())


def _written(kind: str, found: dict[str, str], fields: list[str]) -> str:
    if kind == "dpsgd":
        return dpsgd_form(found).removeprefix("dpsgd:")
    whole = {**_EXAMPLES[kind], **found}
    names = [name for name in fields if name in whole]
    if names == fields[: len(names)]:
        return ",".join(whole[name] for name in names)
    return ",".join(f"{name}={whole[name]}" for name in names)
