"""What an error means, and a word of the field, in the words of the documentation, which come with the package: no
network is asked.

``errors.md`` and ``glossary.md`` beside this file are those of ``docs/``, byte for byte (a test holds them together):
each of their headings that has an anchor is a topic.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["ROOT", "Topic", "address", "shown", "topic_named", "topics", "words"]

ROOT = "errors"  # the topic of the whole page
_PAGES = Path(__file__).parent
_HEADING = re.compile(r"^(#+) (.*?) *\{: #([a-z-]+) \}$")
_ASIDE = re.compile(r"(?:;|(?<=\.))\s\[[^]`]*\]\([^)]*\)(?=\.)\.?")  # a link that is a sentence's end, or one by itself
_LINK = re.compile(r"\[((?:`[^`]*`|[^]`])*)\]\(([^)]*)\)")
_WIDEST = 100  # columns of text that people still read with ease
_ALSO = {  # what people ask for, by the heading that answers
    "approximate-dp": ("epsilon", "eps", "dp"),
    "privacy-profile": ("delta",),
    "gaussian-dp": ("mu", "gdp"),
    "renyi-dp": ("rdp", "renyi"),
    "zcdp": ("rho",),
    "sensitivity-index": ("psi",),
    "false-positive-rate": ("alpha", "beta", "fpr", "fnr", "type-i-error", "type-ii-error"),
    "roc-curve": ("roc", "tpr", "power"),
    "sampling-rate": ("q", "sample-rate", "rate", "poisson", "subsampling"),
    "noise-multiplier": ("sigma", "noise"),
    "trade-off-function": ("f", "tradeoff", "trade-off", "trade-off-curve"),
    "delta-divergence": ("divergence",),
    "accountant": ("budget", "filter", "odometer"),
    "certified-bracket": ("bracket", "certified"),
    "short-form": ("laplace", "gaussian", "dpsgd-short-form", "mechanism"),
}
_BY_OTHER_NAMES = {other: name for name, others in _ALSO.items() for other in others}


@dataclass(frozen=True, slots=True)
class Topic:
    """One heading: its anchor, what it says, the text under it as Markdown, the finer topics it holds, and its page."""

    name: str
    title: str
    text: str
    finer: tuple[str, ...]
    page: str


def topics() -> dict[str, Topic]:
    """Return all topics of errors by name, in the order of the page."""
    return _read("errors")


def words() -> dict[str, Topic]:
    """Return the words of the field by name, in the order of the glossary."""
    return _read("glossary")


@cache
def _read(page: str) -> dict[str, Topic]:
    parts: list[tuple[int, str, str, list[str]]] = []
    fenced = ended = False
    for line in (_PAGES / f"{page}.md").read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        found = None if fenced else _HEADING.match(line)
        ended = not found and (ended or (not fenced and line.startswith("#")))  # by a heading without an anchor
        if found:
            parts.append((len(found[1]), found[3], found[2], []))
        elif parts and not ended:
            parts[-1][3].append(line)
    return {
        name: Topic(name, title, "\n".join(lines).strip(), _below(parts, at), page)
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
    """Return the topic of that name, or of the error of that name (``InvalidParameter``), or what the glossary says of
    a word; None where nothing is said.

    Examples
    --------
    >>> topic_named("NotCertified").name, topic_named("batch_size").name, topic_named("weather")
    ('not-certified', 'batch-size', None)
    >>> topic_named("mu").title
    'Gaussian DP, μ-GDP'
    """
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", asked.strip().lstrip("#")).lower().replace("_", "-").replace(" ", "-")
    known = {**words(), **topics()}
    return known.get({"neyman-error": ROOT, "error": ROOT}.get(word, word)) or known.get(_BY_OTHER_NAMES.get(word, ""))


def shown(topic: Topic) -> str:
    """Return the page of a topic as plain text, no wider than the terminal."""
    wide = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    blocks = [topic.title, *_blocks(topic.text, wide)]
    if topic.finer:
        widest = max(map(len, topic.finer))
        rows = [f"  neyman help {name:<{widest}}  {topics()[name].title}" for name in topic.finer]
        blocks.append("\n".join(rows))
    if topic.name == ROOT:
        blocks.append(_filled("And words of the field: " + ", ".join(words()) + ".", wide))
    site = address(topic)
    return "\n\n".join([*blocks, *([f"On the web: {site}"] if site else [])])


def _blocks(text: str, wide: int) -> list[str]:
    """Paragraphs filled, code set in, tables left out: what they list, the headings below list too."""
    found: list[str] = []
    for block in re.split(r"\n\n(?=(?:[^`]|`(?!``)|```[^`]*(?:`(?!``)[^`]*)*```)*\Z)", text):
        if block.startswith("```"):
            found.append(textwrap.indent("\n".join(block.splitlines()[1:-1]), "    "))
        elif not block.startswith("|"):
            found.append(_filled(_LINK.sub(r"\1", _without_asides(block)), wide))
    return found


def _without_asides(text: str) -> str:
    """The text without links that only lead to another page, and say nothing here."""
    return _ASIDE.sub(lambda found: "." if found[0].startswith(";") else "", text)


def _filled(text: str, wide: int) -> str:
    return textwrap.fill(text, wide, break_long_words=False, break_on_hyphens=False)


def address(topic: Topic) -> str:
    """Return where the page stands on the web; "" while the package names no place for its documentation.

    The place is said once, as ``Documentation`` under ``[project.urls]`` of pyproject.toml.
    """
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("neyman").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    found = [url.partition(",")[2].strip() for url in urls if url.lower().startswith("documentation,")]
    return f"{found[0].rstrip('/')}/{topic.page}.html#{topic.name}" if found else ""
