"""Mechanisms in files: JSON or YAML in the form of ``to_dict``, read without trust."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neyman._errors import InvalidParameter
from neyman.guarantees import mechanism_from_dict
from neyman.mechanisms import Mechanism
from neyman.understanding.text import read_text

__all__ = ["SUFFIXES", "read_data", "read_spec"]

SUFFIXES = (".json", ".yaml", ".yml")


def read_spec(source: str, name: str = "SPEC") -> Mechanism:
    """Read a mechanism from a file, or from standard input where ``source`` is "-".

    Parameters
    ----------
    source : str
        Path of a file that ends in .json, .yaml or .yml and holds at most 1 MB of UTF-8. Standard input is JSON if it
        begins with a brace, otherwise YAML.
    name : str
        What errors call it.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it does not hold a mechanism: the name is that of the file and the path inside it.
    """
    data = read_data(source, name)
    try:
        return mechanism_from_dict(data)
    except InvalidParameter as error:
        raise error.called(f"{name} {source}: {error.name}") from None


def read_data(source: str, name: str = "SPEC") -> Any:
    """Read whatever JSON or YAML a file holds: see ``read_spec``.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it holds neither.
    """
    text = _text(name, source)
    parse = _parser(source, text)
    try:
        return parse(text)
    except RecursionError:
        raise _refused(name, source, "not nested this deep", "") from None
    except ValueError as error:  # what every parser raises, of one kind or another
        raise _refused(name, source, f"valid {'JSON' if parse is _json else 'YAML'}", str(error)) from None


def _text(name: str, source: str) -> str:
    if source != "-" and Path(source).suffix not in SUFFIXES:
        raise _refused(name, source, "a file that ends in .json, .yaml or .yml, or - for standard input", "")
    return read_text(name, source, "Steps that are alike can be written once, with kind repeat.")


def _parser(source: str, text: str) -> Callable[[str], Any]:
    if source.endswith(".json") or (source == "-" and text.lstrip().startswith("{")):
        return _json
    from neyman.understanding.strict_yaml import load

    return load


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"Line {error.lineno}, column {error.colno}: {error.msg}.") from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"The key {reprlib.repr(key)} stands twice in one place.")
        found[key] = value
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON.")


def _refused(name: str, source: str, allowed: str, advice: str) -> InvalidParameter:
    return InvalidParameter(name, source, allowed, advice, topic="file")
