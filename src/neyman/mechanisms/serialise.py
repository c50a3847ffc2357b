"""Mechanisms as plain dicts, ready for JSON: ``m.to_dict()`` writes, ``mechanism_from_dict`` reads and refuses."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from numbers import Number
from typing import cast

from neyman._errors import InvalidParameter
from neyman._validate import choice, count, probability
from neyman.mechanisms.base import SCHEMA, Mechanism
from neyman.mechanisms.composition import Composition, compose, several_steps
from neyman.mechanisms.gaussian import Gaussian

__all__ = ["mechanism_from_dict"]

MAX_DEPTH = 64

Node = Mapping[object, object]


def mechanism_from_dict(data: Mapping[str, object]) -> Mechanism:
    """Read a mechanism from the dict that ``to_dict`` writes.

    Parameters
    ----------
    data : mapping
        ``{"schema": 1, "kind": ..., ...}``, nested at most 64 deep; only the outermost carries the schema number.

    Returns
    -------
    Mechanism
        In normal form: equal to the one that was written, also when the dict spells it in another way.

    Raises
    ------
    InvalidParameter
        On unknown kinds or fields, missing fields, values outside their domain, another schema. Its ``name`` is the
        path, such as ``of[1].sigma``.

    Examples
    --------
    >>> from neyman import mechanism_from_dict
    >>> gaussian = {"kind": "gaussian", "sigma": 9.4, "sensitivity": 1.0}
    >>> mechanism_from_dict({"schema": 1, "kind": "poisson", "rate": 0.5, "of": gaussian})
    Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.5)
    """
    node = _mapping("mechanism", data)
    if "schema" not in node:
        raise InvalidParameter("schema", None, "present", f"The present schema is {SCHEMA}.")
    schema = node["schema"]
    if type(schema) is not int or schema != SCHEMA:
        raise InvalidParameter("schema", _brief(schema), f"the whole number {SCHEMA}")
    return _read({key: value for key, value in node.items() if key != "schema"}, 1)


def _read(node: Node, depth: int) -> Mechanism:
    """Read one level; names are relative to it, the level above puts its own in front."""
    if "kind" not in node:
        raise InvalidParameter("kind", None, "present", f"The kinds are {', '.join(_KINDS)}.")
    kind = choice("kind", _brief(node["kind"]), tuple(_KINDS))
    fields, build = _KINDS[kind]
    for key, value in node.items():
        if key not in ("kind", *fields):
            known = f"The fields of kind {kind!r} are {', '.join(fields)}."
            raise InvalidParameter(key if isinstance(key, str) else reprlib.repr(key), _brief(value), "absent", known)
    for field in fields:
        if field not in node:
            raise InvalidParameter(field, None, f"present in kind {kind!r}")
    return build(node, depth)


def _gaussian(node: Node, depth: int) -> Mechanism:
    return Gaussian(cast(float, _brief(node["sigma"])), cast(float, _brief(node["sensitivity"])))


def _poisson(node: Node, depth: int) -> Mechanism:
    rate = probability("rate", _brief(node["rate"]))
    of = _child("of", node["of"], depth)
    if isinstance(of, Composition) and of.steps and 0.0 < rate < 1.0:
        raise several_steps("of", of)
    return of.poisson(rate)


def _repeat(node: Node, depth: int) -> Mechanism:
    times = count("times", _brief(node["times"]))
    return _child("of", node["of"], depth) ** times


def _compose(node: Node, depth: int) -> Mechanism:
    items = node["of"]
    if not isinstance(items, (list, tuple)):
        raise InvalidParameter("of", _brief(items), "a list of mechanisms")
    return compose([_child(f"of[{i}]", item, depth) for i, item in enumerate(cast("list[object]", items))])


_KINDS: dict[str, tuple[tuple[str, ...], Callable[[Node, int], Mechanism]]] = {
    "gaussian": (("sigma", "sensitivity"), _gaussian),
    "poisson": (("rate", "of"), _poisson),
    "repeat": (("times", "of"), _repeat),
    "compose": (("of",), _compose),
}


def _child(name: str, value: object, depth: int) -> Mechanism:
    if not depth < MAX_DEPTH:
        raise InvalidParameter(name, _brief(value), f"nested at most {MAX_DEPTH} deep")
    node = _mapping(name, value)
    try:
        return _read(node, depth + 1)
    except InvalidParameter as error:
        raise InvalidParameter(f"{name}.{error.name}", error.value, error.allowed, error.advice) from None


def _mapping(name: str, value: object) -> Node:
    if not isinstance(value, Mapping):
        raise InvalidParameter(name, _brief(value), "a dict")
    return cast(Node, value)


def _brief(value: object) -> object:
    """Keep numbers and strings; abbreviate whatever could be too deep to show."""
    return value if value is None or isinstance(value, (str, Number)) else _Abbreviated(value)


class _Abbreviated:
    """Stands in an error for a container, which may be nested deeper than ``repr`` can go."""

    def __init__(self, value: object) -> None:
        self.text = reprlib.repr(value)

    def __repr__(self) -> str:
        return self.text
