"""What an error means, in the words of the documentation, which come with the package: no network is asked.

``errors.md`` beside this file is ``docs/errors.md``, byte for byte (a test holds them together): each of its headings
that has an anchor is a topic.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["ROOT", "Topic", "address", "shown", "topic_named", "topics"]

ROOT = "errors"  # the topic of the whole page
_PAGE = Path(__file__).with_name("errors.md")
_HEADING = re.compile(r"^(#+) (.*?) *\{: #([a-z-]+) \}$")
_LINK = re.compile(r"\[((?:`[^`]*`|[^]`])*)\]\(([^)]*)\)")
_WIDEST = 100  # columns of text that people still read with ease


@dataclass(frozen=True, slots=True)
class Topic:
    """One heading: its anchor, what it says, the text under it as Markdown, and the finer topics it holds."""

    name: str
    title: str
    text: str
    finer: tuple[str, ...]


@cache
def topics() -> dict[str, Topic]:
    """Return all topics by name, in the order of the page."""
    parts: list[tuple[int, str, str, list[str]]] = []
    fenced = False
    for line in _PAGE.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        found = None if fenced else _HEADING.match(line)
        if found:
            parts.append((len(found[1]), found[3], found[2], []))
        elif parts:
            parts[-1][3].append(line)
    return {
        name: Topic(name, title, "\n".join(lines).strip(), _below(parts, at))
        for at, (_, name, title, lines) in enumerate(parts)
    }


def _below(parts: list[tuple[int, str, str, list[str]]], at: int) -> tuple[str, ...]:
    """The headings one level down, as far as the next of the same level."""
    level, found = parts[at][0], list[str]()
    for depth, name, _, _ in parts[at + 1 :]:
        if depth <= level:
            break
        found += [name] if depth == level + 1 else []
    return tuple(found)


def topic_named(asked: str) -> Topic | None:
    """Return the topic of that name, or of the error of that name (``InvalidParameter``); None where there is none.

    Examples
    --------
    >>> topic_named("NotCertified").name, topic_named("batch_size").name, topic_named("weather")
    ('not-certified', 'batch-size', None)
    """
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", asked.strip().lstrip("#")).lower().replace("_", "-").replace(" ", "-")
    return topics().get({"neyman-error": ROOT, "error": ROOT}.get(word, word))


def shown(topic: Topic) -> str:
    """Return the page of a topic as plain text, no wider than the terminal."""
    wide = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    blocks = [topic.title, *_blocks(topic.text, wide)]
    if topic.finer:
        widest = max(map(len, topic.finer))
        rows = [f"  neyman help {name:<{widest}}  {topics()[name].title}" for name in topic.finer]
        blocks.append("\n".join(rows))
    site = address(topic.name)
    return "\n\n".join([*blocks, *([f"On the web: {site}"] if site else [])])


def _blocks(text: str, wide: int) -> list[str]:
    """Paragraphs filled, code set in, tables left out: what they list, the headings below list too."""
    found: list[str] = []
    for block in re.split(r"\n\n(?=(?:[^`]|`(?!``)|```[^`]*(?:`(?!``)[^`]*)*```)*\Z)", text):
        if block.startswith("```"):
            found.append(textwrap.indent("\n".join(block.splitlines()[1:-1]), "    "))
        elif not block.startswith("|"):
            found.append(textwrap.fill(_LINK.sub(r"\1", block), wide, break_long_words=False, break_on_hyphens=False))
    return found


def address(topic: str) -> str:
    """Return where the page stands on the web; "" while the package names no place for its documentation.

    The place is said once, as ``Documentation`` under ``[project.urls]`` of pyproject.toml.
    """
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("neyman").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    found = [url.partition(",")[2].strip() for url in urls if url.lower().startswith("documentation,")]
    return f"{found[0].rstrip('/')}/errors.html#{topic}" if found else ""
