"""The papers, by name; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from neyman._validate import choice
from neyman_papers.paper import Paper

__all__ = ["PAPERS", "asked_for", "paper_named"]

PAPERS = ("reporting", "divergence", "sensitivity", "introduction", "blog")
_TOGETHER = {"all": PAPERS, "introduction": ("introduction", "blog")}


def asked_for(name: object) -> tuple[Paper, ...]:
    """Return the papers that a name stands for: "all", or one; the blog comes with the introduction.

    Raises
    ------
    InvalidParameter
        If there is none of that name.
    """
    known = choice("paper", name, ("reporting", "divergence", "sensitivity", "introduction", "all"))
    return tuple(paper_named(key) for key in _TOGETHER.get(known, (known,)))


def paper_named(key: str) -> Paper:
    """Import one paper."""
    module: Any = import_module(f"neyman_papers.{key}")
    paper: Paper = module.PAPER
    return paper
