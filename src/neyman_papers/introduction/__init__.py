"""A passage that introduces f-DP: its statements, and figures that teach them."""

from __future__ import annotations

from neyman_papers.drawn import Drawing
from neyman_papers.introduction import figures, numbers
from neyman_papers.paper import Paper
from neyman_papers.published import published

__all__ = ["PAPER"]

PAPER = Paper(
    key="introduction",
    title="A passage that introduces f-DP",
    source="The introduction of a paper on f-DP whose title is not in the text at hand; it prints no figure and no "
           "number.",
    choices="Statements are asked of examples, which can refute them and never prove them. The figures are ours.",
    published=published("introduction"),
    groups={"passage": numbers.passage},
    tables=(),
    drawings=(
        Drawing("figure-1", "The attacker's dilemma", "A threshold between the two laws is a point of the trade-off "
                                                      "curve.",
                figures.figure_1),
        Drawing("figure-2", "Composition of Gaussian mechanisms", "The squares of mu add.", figures.figure_2),
        Drawing("figure-3", "The limit", "More and more Laplace mechanisms, each with more noise: their curve "
                                         "approaches that "
                "of a Gaussian mechanism.", figures.figure_3, 2.0),
    ),
)  # fmt: skip
