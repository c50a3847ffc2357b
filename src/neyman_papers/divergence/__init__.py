"""Kaissis et al. (2024), Beyond the calibration point: mechanism comparison in differential privacy."""

from __future__ import annotations

from neyman_papers.divergence import (
    appendix,
    assumptions,
    designs,
    figures,
    numbers,
    ranks,
    sentences,
    summaries,
    theorems,
)
from neyman_papers.drawn import Drawing
from neyman_papers.paper import Paper
from neyman_papers.published import published

__all__ = ["PAPER"]

PAPER = Paper(
    key="divergence",
    title="Beyond the calibration point: mechanism comparison in differential privacy",
    source="Kaissis, Kolek, Balle, Hayes and Rueckert (2024). It has no numbered tables. Its appendix ends, in the "
           "text at "
    "hand, with Lemma B.1.",
    choices="Neighbours by adding or removing one record, Poisson sampling. Priors are P(record absent); for symmetric "
    "curves the other reading gives the same numbers. Parameters that the text does not state are ours: (a) Fig. 1: "
    "the "
    "rate and steps of the baseline of Fig. 6, and a rate fifty times higher; (b) Fig. 4: few steps at low noise; (c) "
    "Fig. 5: rate 0.1; (d) Fig. 7: the most steps that (4, 1e-5) allows noise 0.6 at rate 0.01, and ten equally likely "
    "candidates to reconstruct from.",
    published=published("divergence"),
    groups={
        "canonical": numbers.canonical,
        "laws": numbers.laws,
        "tightness": numbers.tightness,
        "weighed": numbers.weighed,
        "design": designs.design,
        "bayes": theorems.bayes,
        "dominance": theorems.dominance,
        "emergence": theorems.emergence,
        "appendix": appendix.appendix,
        "sentences": sentences.sentences,
        "assumptions": assumptions.assumptions,
        "summaries": summaries.summaries,
        "ranks": ranks.ranks,
    },
    tables=(),
    drawings=(
        Drawing("figure-1", "Figure 1", "Two DP-SGD runs that share (4.00, 0.08) and nothing else.", figures.figure_1),
        Drawing("figure-2", "Figure 2", "The curve of a Gaussian mechanism crosses that of a Laplace mechanism; "
                                        "shifted by "
                "the ruler, left and down, it lies below everywhere. Sigma is ours, so that the shift can be seen.",
                figures.figure_2),
        Drawing("figure-3", "Figure 3", "Bayes errors of the Gaussian and the Laplace mechanism, with both "
                                        "divergences as "
                "rulers.", figures.figure_3),
        Drawing("figure-4", "Figure 4", "Bayes errors weighed by what one believes of the attacker's prior.",
                figures.figure_4, 2.0),
        Drawing("figure-5", "Figure 5", "Excess vulnerability of runs that all satisfy (8, 1e-5). Of the accuracies "
                                        "only "
                "one is in the text, and which noise is best.", figures.figure_5, 2.0),
        Drawing("figure-6", "Figure 6", "The divergence from the baseline, of mechanisms that all satisfy (8, 1e-5).",
                figures.figure_6, 3.0),
        Drawing("figure-7", "Figure 7", "Bounds on reconstruction against the divergence from the baseline; all "
                                        "satisfy "
                "(4, 1e-5).", figures.figure_7, 2.0),
        Drawing("figure-8", "Figure 8", "The Bayes error function from the trade-off function and back, Gauss with "
                                        "sigma "
                "1.", figures.figure_8),
    ),
)  # fmt: skip
