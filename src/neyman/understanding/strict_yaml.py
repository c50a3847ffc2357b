"""YAML as plain data: numbers and words as in JSON, no anchors, aliases, tags or repeated keys."""

from __future__ import annotations

import re
import reprlib
from typing import Any

import yaml

__all__ = ["load"]

DEEPEST = 150  # collections; a mechanism of the greatest depth has 130


class _Strict(yaml.SafeLoader):
    """PyYAML reads YAML 1.1, where 1e-9 is a string, 010 is eight and ``no`` is false: here words are as in JSON."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's name and form)
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _refused("anchors and aliases are not allowed", event)
        if getattr(event, "tag", None) is not None:
            raise _refused("tags are not allowed", event)
        self.depth += 1
        if not self.depth <= DEEPEST:
            raise _refused("nested too deep", event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _refused(f"the key {reprlib.repr(key.value)} stands twice in one place", key)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_WORDS = (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", list("tf")),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", list("-+0123456789")),
)
for _tag, _pattern, _first in _WORDS:
    _Strict.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first)


def load(text: str) -> Any:
    """Return what the one document in ``text`` holds.

    Raises
    ------
    ValueError
        With a sentence that says where, if it is not YAML of the plain kind.

    Examples
    --------
    >>> load("{sigma: 1e-9, kind: [no, 010]}")
    {'sigma': 1e-09, 'kind': ['no', '010']}
    """
    try:
        return yaml.load(text, _Strict)  # noqa: S506 (a SafeLoader, made stricter)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{where}{error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise ValueError(f"{error}.") from None


def _refused(problem: str, place: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)
