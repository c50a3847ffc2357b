"""A paper: what it prints, how ours is computed, and its figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from neyman_papers.drawn import Drawing, Table
from neyman_papers.published import Published
from neyman_papers.verdict import Ours

__all__ = ["Group", "Paper"]

Group = Callable[[], Mapping[str, Ours]]
"""Computes ours for some of the published numbers, by their keys."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper to reproduce.

    Parameters
    ----------
    key : str
        Its short name, which is also its directory.
    title, source : str
        What it is called, and who wrote it.
    choices : str
        What had to be chosen throughout, in a few sentences.
    published : tuple of Published
        Every number and statement.
    groups : mapping of str to callable
        Ours, in parts that are computed together.
    tables, drawings : tuple
        In the order of the paper.
    """

    key: str
    title: str
    source: str
    choices: str
    published: tuple[Published, ...]
    groups: Mapping[str, Group]
    tables: tuple[Table, ...]
    drawings: tuple[Drawing, ...]
