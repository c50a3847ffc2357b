"""Hafner (2025), Empirically evaluating privacy in machine learning III."""

from __future__ import annotations

from neyman_papers.blog import figures, numbers
from neyman_papers.drawn import Drawing
from neyman_papers.paper import Paper
from neyman_papers.published import published

__all__ = ["PAPER"]

PAPER = Paper(
    key="blog",
    title="Empirically evaluating privacy in machine learning III: functional and Gaussian differential privacy",
    source="Flavio Hafner, blog post, 10 June 2025.",
    choices="Figures 1 to 4 name no mu: ours are 1 and 2. Statements are asked of examples, which can refute them "
            "and never "
    "prove them.",
    published=published("blog"),
    groups={"statements": numbers.statements},
    tables=(),
    drawings=(
        Drawing("figure-1", "Figure 1", "Of the broken lines only the one that never goes below f is "
                                        "f-DP.", figures.figure_1),
        Drawing("figure-2", "Figure 2", "Two normal laws: without the record, and with it.", figures.figure_2),
        Drawing("figure-3", "Figure 3", "The likelihood-ratio test rejects H0 above a threshold.", figures.figure_3),
        Drawing("figure-4", "Figure 4", "From a false positive rate to the threshold, and from there to the false "
                                        "negative "
                "rate.", figures.figure_4),
        Drawing("figure-5", "Figure 5", "Trade-off functions of GDP for mu = 0.5, 1, 3 and 6.", figures.figure_5),
    ),
)  # fmt: skip
