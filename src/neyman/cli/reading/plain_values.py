"""What is plainly a number or a word is read here; newer versions of Typer import pydantic for that, which takes longer
than most answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, get_args, get_origin

__all__ = ["read_plainly"]

_FLOAT = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?")
_INT = re.compile(r"-?[0-9]{1,18}")


def read_plainly(parameters: Iterable[Any]) -> None:
    """Let these parameters of a command be read so, where their version of Typer would ask pydantic."""
    for one in parameters:
        if hasattr(one, "get_runtime_param") and hasattr(one, "_runtime_param"):
            one._runtime_param = _Plainly()


class _Plainly:
    """In place of Typer's own reading of one parameter, to which everything is left that is not plain."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return _read(value, param)
        except _NotPlain:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


class _NotPlain(Exception):
    pass


def _read(value: Any, param: Any) -> Any:
    info, kind = param.type_descriptor.parameter_info, param.type_descriptor.annotation
    several = param.multiple or param.nargs == -1
    if value is None:
        return () if several else None
    if any(getattr(info, name, None) is not None for name in ("click_type", "min", "max")):
        raise _NotPlain
    if not several:
        return _one(value, kind, info.parser)
    if get_origin(kind) is not list or not isinstance(value, (list, tuple)):
        raise _NotPlain
    return [_one(part, get_args(kind)[0], info.parser) for part in value]


def _one(value: Any, kind: Any, parser: Callable[[Any], Any] | None) -> Any:
    if parser is not None:
        try:
            return parser(value)
        except ValueError:
            raise _NotPlain from None
    if type(value) is kind and kind in (str, int, float, bool):
        return value
    forms: dict[Any, tuple[re.Pattern[str], Callable[[str], Any]]] = {float: (_FLOAT, float), int: (_INT, int)}
    if not isinstance(value, str) or kind not in forms or not forms[kind][0].fullmatch(value):
        raise _NotPlain
    return forms[kind][1](value)
