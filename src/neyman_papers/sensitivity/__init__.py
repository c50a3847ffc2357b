"""Kaissis et al. (2024), A unified interpretation of the Gaussian mechanism through the sensitivity index."""

from __future__ import annotations

from neyman_papers.drawn import Drawing
from neyman_papers.paper import Paper
from neyman_papers.published import published
from neyman_papers.sensitivity import figures, normals, numbers, printed, promises, ranges, sentences, slips

__all__ = ["PAPER"]

PAPER = Paper(
    key="sensitivity",
    title="A unified interpretation of the Gaussian mechanism for differential privacy through the sensitivity index",
    source="Kaissis, Knolle, Jungmann, Ziller, Usynin and Rueckert (2024). It has no numbered tables.",
    choices="Figures 1 to 5 teach: their parameters are not in the text, ours are psi = 1.5, epsilon = 1, a cut-off "
            "at 1 and "
    "kappa = 0.25. Statements are asked of examples, which can refute them and never prove them.",
    published=published("sensitivity"),
    groups={"region": numbers.region, "language": numbers.language, "conversions": numbers.conversions,
            "mechanism": printed.mechanism, "classifier": printed.classifier, "optimal": printed.optimal,
            "sentences": sentences.sentences, "promises": promises.promises, "slips": slips.slips,
            "ranges": ranges.ranges, "normals": normals.normals},
    tables=(),
    drawings=(
        Drawing("figure-1", "Figure 1", "Outputs of the Gaussian mechanism on both data sets, and the law of its "
                                        "privacy "
                "loss, which is normal, too.", figures.figure_1),
        Drawing("figure-2", "Figure 2", "What a cut-off makes of the two laws.", figures.figure_2),
        Drawing("figure-3", "Figure 3", "The ROC curve and the area under it.", figures.figure_3),
        Drawing("figure-4", "Figure 4", "The tangent of slope e^epsilon meets the axis at delta.", figures.figure_4),
        Drawing("figure-5", "Figure 5", "The ROC curve of a mechanism that fails with probability "
                                        "kappa.", figures.figure_5),
        Drawing("figure-6", "Figure 6", "Three conversions of Renyi DP beside the exact profile, delta 1e-5.",
                figures.figure_6),
    ),
)  # fmt: skip
