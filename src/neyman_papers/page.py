"""The page: published numbers beside ours, with every figure; plain HTML, no network, no script."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from neyman import __version__

if TYPE_CHECKING:
    from neyman_papers.summary import Summary

__all__ = ["page"]

_WORDS = {"reproduced": "reproduced", "differs": "differs", "undetermined": "not determined by the text"}


def page(summary: Summary) -> str:
    """Return the page of a run; every word on it is escaped."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("neyman_papers").joinpath("page.html").read_text("utf-8"))
    return template.render(summary=summary, version=__version__, words=_WORDS) + "\n"
