"""Mechanisms as plain dicts, ready for JSON: ``m.to_dict()`` writes, ``mechanism_from_dict`` reads and refuses."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib.resources import files
from numbers import Number
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman._validate import choice, count, probability
from neyman.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from neyman.mechanisms.additive.discrete_laplace import DiscreteLaplace
from neyman.mechanisms.additive.gaussian import Gaussian
from neyman.mechanisms.additive.laplace import Laplace
from neyman.mechanisms.base import SCHEMA, Mechanism
from neyman.mechanisms.composition import Composition, compose, several_steps
from neyman.mechanisms.sampled.allocated import Allocated
from neyman.mechanisms.sampled.dpsgd import scheduled
from neyman.mechanisms.sampled.schedule import SCHEDULE_WORDS, Schedule, Spelling
from neyman.mechanisms.sampled.unsampled import Unsampled
from neyman.mechanisms.stated.approximate import ApproximateMechanism
from neyman.mechanisms.stated.pure import PureMechanism
from neyman.mechanisms.stated.randomized_response import RandomizedResponse
from neyman.mechanisms.stated.tabulated import Tabulated

__all__ = ["admit", "json_schema", "mechanism_from_dict"]

MAX_DEPTH = 64  # levels of mechanisms within mechanisms
LONGEST_NAME = 80  # letters of an unknown field that is named as it stands

Node = Mapping[object, object]
_Reader = tuple[tuple[str, ...], Callable[[Node, int], Mechanism]]  # the fields, and who reads a node that has them


def mechanism_from_dict(data: Mapping[str, object]) -> Mechanism:
    """Read a mechanism from the dict that ``to_dict`` writes.

    Parameters
    ----------
    data : mapping
        ``{"schema": 1, "kind": ..., ...}``, nested at most 64 deep; only the outermost carries the schema number, and
        the ``dataset_size`` that the mechanism remembers, if any. Of kind "dpsgd" the fields are the arguments of
        ``DPSGD``.

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
    >>> mechanism_from_dict({"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "batch_size": 512,
    ...                      "dataset_size": 60000, "epochs": 10})
    Gaussian(sigma=1.1, sensitivity=1.0).poisson(0.008533333333333334) ** 1172
    """
    node = _mapping("mechanism", data)
    if "schema" not in node:
        raise InvalidParameter("schema", None, "present", f"The present schema is {SCHEMA}.")
    schema = node["schema"]
    if type(schema) is not int or schema != SCHEMA:
        raise InvalidParameter("schema", _brief(schema), f"the whole number {SCHEMA}")
    own = node.get("kind") == "dpsgd"  # which reads its data set itself
    size = None if own else node.get("dataset_size")
    kept = {key: value for key, value in node.items() if key != "schema" and (own or key != "dataset_size")}
    found = _read(kept, 1)
    return found if size is None else found.with_dataset_size(cast("int", _brief(size)))


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the dict form.

    It knows the shape, and the domain of every number by itself. What ties two numbers together (sigma to sensitivity,
    the sum of p), and that a composition cannot be sampled, ``mechanism_from_dict`` alone checks.

    Examples
    --------
    >>> json_schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    schema: dict[str, Any] = json.loads(files("neyman.mechanisms").joinpath("schema.json").read_text("utf-8"))
    return schema


def _read(node: Node, depth: int) -> Mechanism:
    """Read one level; names are relative to it, the level above puts its own in front."""
    if "kind" not in node:
        raise InvalidParameter("kind", None, "present", f"The kinds are {', '.join(_KINDS)}.")
    kind = choice("kind", _brief(node["kind"]), tuple(_KINDS))
    names, build = _KINDS[kind]
    others = SCHEDULE_WORDS if kind == "dpsgd" else ()
    for key, value in node.items():
        if key not in ("kind", *names, *others):
            _refuse_other_words(kind, node, (*names, *others))
            known = f"The fields of kind {kind!r} are {', '.join((*names, *others))}."
            plain = isinstance(key, str) and len(key) <= LONGEST_NAME and key.isprintable()
            shown = str(key) if plain else reprlib.repr(key)
            raise InvalidParameter(shown, _brief(value), "absent", known)
    for name in names:
        if name not in node:
            raise InvalidParameter(name, None, f"present in kind {kind!r}")
    return build(node, depth)


def _refuse_other_words(kind: str, node: Node, fields: tuple[str, ...]) -> None:
    """Refuse fields that have their name in another library, with all of them as they are named here."""
    from neyman._guesses import other_words  # read where something went wrong

    free = tuple(name for name in fields if name not in node)
    meant = other_words([key for key in node if isinstance(key, str) and key not in ("kind", *fields)], free)
    if meant and all(isinstance(value, (str, Number)) for value in node.values()):
        told = {"schema": SCHEMA, **{meant.get(str(key), str(key)): value for key, value in node.items()}}
        told |= {"sensitivity": 1} if "sensitivity" in free and "sensitivity" not in told else {}
        first = next(iter(meant))
        line = json.dumps(told, default=float)
        raise InvalidParameter(first, _brief(node[first]), f"named {meant[first]}", f"Write: {line}")


def _poisson(node: Node, depth: int) -> Mechanism:
    rate = probability("rate", _brief(node["rate"]))
    of = _child("of", node["of"], depth)
    if isinstance(of, Composition) and of.several and 0.0 < rate < 1.0:
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


def _dpsgd(node: Node, _: int) -> Mechanism:
    told = {str(name): _brief(value) for name, value in node.items() if name != "kind"}
    empty = next((name for name, value in told.items() if value is None), None)
    if empty is not None:
        raise InvalidParameter(empty, None, "a number, or absent")
    noise = told.pop("noise_multiplier")
    return scheduled(noise, Schedule(told, _IN_FILES, {"noise_multiplier": noise}))


def _in_files(told: Mapping[str, object]) -> str:
    from neyman._guesses import completed  # read where something went wrong

    return json.dumps({"schema": SCHEMA, "kind": "dpsgd"})[:-1] + "".join(
        f', "{name}": {value}' for name, value in completed("ny.DPSGD", told).items()
    ) + "}"  # fmt: skip


_IN_FILES = Spelling("sample_rate, or batch_size and dataset_size", "steps or epochs", _in_files)


def _single(make: type[Unsampled | Allocated]) -> _Reader:
    """How a mechanism of numbers is read: its fields go to its constructor, which refuses what it must."""
    build: Any = make
    names = tuple(field.name for field in fields(build))
    return names, lambda node, _: build(**{name: _numbers(node[name]) for name in names})


_SINGLE = (
    Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, RandomizedResponse, PureMechanism, ApproximateMechanism,
    Tabulated, Allocated,
)  # fmt: skip
_KINDS: dict[str, _Reader] = {
    **{make.kind: _single(make) for make in _SINGLE},
    "poisson": (("rate", "of"), _poisson),
    "repeat": (("times", "of"), _repeat),
    "compose": (("of",), _compose),
    "dpsgd": (("noise_multiplier",), _dpsgd),
}


def admit(kind: str, field: str, read: Callable[[object], Mechanism]) -> None:
    """Learn a kind from a room above this one: it has one field, which ``read`` is given (a dict of numbers and lists
    of them, or what is no dict).
    """

    def build(node: Node, _: int) -> Mechanism:
        value = node[field]
        if not isinstance(value, Mapping):
            return read(_brief(value))
        return read({key: _numbers(item) for key, item in cast(Node, value).items()})

    _KINDS[kind] = (field,), build


def _child(name: str, value: object, depth: int) -> Mechanism:
    if not depth < MAX_DEPTH:
        raise InvalidParameter(name, _brief(value), f"nested at most {MAX_DEPTH} deep")
    node = _mapping(name, value)
    try:
        return _read(node, depth + 1)
    except InvalidParameter as error:
        raise error.called(f"{name}.{error.name}") from None


def _mapping(name: str, value: object) -> Node:
    if not isinstance(value, Mapping):
        raise InvalidParameter(name, _brief(value), "a dict")
    return cast(Node, value)


def _numbers(value: object) -> object:
    """Hand over a number, or a list of them; nothing that is nested deeper."""
    return [_brief(item) for item in cast("list[object]", value)] if isinstance(value, (list, tuple)) else _brief(value)


def _brief(value: object) -> object:
    """Keep numbers and strings; abbreviate whatever could be too deep to show."""
    return value if value is None or isinstance(value, (str, Number)) else _Abbreviated(value)


class _Abbreviated:
    """Stands in an error for a container, which may be nested deeper than ``repr`` can go."""

    def __init__(self, value: object) -> None:
        self.text = reprlib.repr(value)

    def __repr__(self) -> str:
        return self.text
