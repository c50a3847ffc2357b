"""The page: published numbers beside ours, with every figure; plain HTML, no network, a script that filters rows."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from neyman import __version__
from neyman_papers.anchors import anchor, parts, slug
from neyman_papers.verdict import WORDS

if TYPE_CHECKING:
    from neyman_papers.summary import Summary

__all__ = ["page"]


def page(summary: Summary) -> str:
    """Return the page of a run; every word on it is escaped, and nothing but its own style and script may act."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style, script = _text("page.css"), _text("page.js")
    rendered = environment.from_string(_text("page.html")).render(
        summary=summary, version=__version__, words=WORDS, anchor=anchor, parts=parts, slug=slug, style=style,
        script=script, style_hash=_digest(style), script_hash=_digest(script),
    )  # fmt: skip
    return rendered + "\n"


def _text(name: str) -> str:
    return files("neyman_papers").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    """SHA-256 as a content security policy wants it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
