"""The pictures of gallery.md, drawn by the very code that the page shows above each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "drawn"]

PAGE = Path(__file__).parents[1] / "gallery.md"
_BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n!\[(?P<title>[^]]*)\]\(pictures/(?P<name>[\w-]+)\.svg\))?",
    re.DOTALL | re.MULTILINE,
)


def drawn() -> Iterator[tuple[str, str, Any]]:
    """Run the page; yield each picture's name, title and ``ax``, which the block above it has assigned."""
    names: dict[str, Any] = {}
    for found in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        with chdir(PAGE.parents[1]):  # where "examples/..." is
            exec(compile(found["code"], PAGE.name, "exec"), names)  # noqa: S102 - a page of ours
        if found["name"]:
            yield found["name"], found["title"], names.pop("ax")
