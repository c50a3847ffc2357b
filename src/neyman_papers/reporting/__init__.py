"""Gomez et al. (2025), Gaussian DP for reporting differential privacy guarantees in machine learning."""

from __future__ import annotations

from neyman_papers.drawn import Drawing, Table
from neyman_papers.paper import Paper
from neyman_papers.published import published
from neyman_papers.reporting import (
    attackers,
    background,
    comparability,
    definitions,
    figures,
    literal,
    numbers,
    orders,
    sentences,
    slips,
    tables,
    tightness,
)

__all__ = ["PAPER"]

PAPER = Paper(
    key="reporting",
    title="Gaussian DP for reporting differential privacy guarantees in machine learning",
    source="Gomez, Kulynych, Kaissis, Calmon, Hayes, Balle and Honkela (2025).",
    choices="Neighbours by adding or removing one record, Poisson sampling, mu promised at error rates of 1e-10 and "
            "above "
    "(the floor) unless another is named. DP-SGD: batches of 16384 out of 50,000 records, as "
    "Section 5 has it; Tables 4 and 5 state no number of records.",
    published=published("reporting"),
    groups={
        "table-2": numbers.table_2,
        "table-3": numbers.table_3,
        "statements": numbers.statements,
        "attacks": numbers.attacks,
        "appendix": numbers.appendix,
        "literal": literal.literal,
        "definitions": definitions.definitions,
        "profiles": definitions.profiles_and_curves,
        "limits": definitions.limits_of_gdp,
        "appendix-a": background.appendix_a,
        "accountants": background.accountants,
        "appendix-c": background.appendix_c,
        "sentences": sentences.sentences,
        "comparability": comparability.comparability,
        "tightness": tightness.tightness,
        "slips": slips.slips,
        "orders": orders.orders,
        "attackers": attackers.attackers,
    },
    tables=(
        Table("figure-1c", "Figure 1 (c). Regret, in percent", "By the road of Appendix C; pairs, GDP and pure DP "
              "certified from both sides.", tables.figure_1c, 3.0),
        Table("table-1", "Table 1. Which summary is concise, ordered and accurate", "The marks of the printed table "
            "are "
              "lost in the text at hand; D1 and D2 are as Section 3 argues, D3 is a regret below 1 percent for DP-SGD.",
              tables.table_1, 3.0),
        Table("algorithm-1", "Algorithm 1 and Figure 3. From the steps to mu and regret", "The listing names no "
            "number of "
              "mini-batches; here 1000. The second row is the case study of Section 5.", tables.algorithm_1),
        Table("table-2", "Table 2. mu in place of epsilon", "Safe to report: rounded up.", tables.table_2),
        Table("table-3", "Table 3. mu of Gaussian mechanisms by (epsilon, delta)", "The largest mu that meets the "
            "pair, "
              "rounded to four places.", tables.table_3),
        Table("table-4", "Table 4. Training from scratch on CIFAR-10", "The printed epsilon is by Renyi accounting, "
            "ours "
              "is exact.", tables.table_4),
        Table("table-5", "Table 5. Fine-tuning on CIFAR-10", "As Table 4.", tables.table_5),
    ),
    drawings=(
        Drawing("figure-1", "Figure 1 (a, b)", "Trade-off curves of Laplace noise and of DP-SGD (noise 9.4, rate "
                                               "0.32768, "
                "2000 steps) beside summaries of each: for DP-SGD, GDP covers the exact curve. Higher is more private.",
                figures.figure_1),
        Drawing("figure-2", "Figure 2", "The regret of a summary: the least shift of f, left and down, that brings it "
                "below the summary.", figures.figure_2),
        Drawing("figure-4", "Figure 4", "Regret of mu over the sampling rate; darker and thicker lines are more "
                                        "steps (400, "
                "1000, 2000). The grey line is the rule of thumb.", figures.figure_4, 30.0),
        Drawing("figure-5", "Figure 5", "TopDown (80 discrete Gaussians) and randomised response with their mu.",
                figures.figure_5),
        Drawing("figure-6", "Figure 6", "Left: the profile of the Gaussian mechanism that meets (8, 1e-5). Right: what "
                "single pairs of it say of attacks, and their envelope, which is exact.", figures.figure_6),
        Drawing("figure-7", "Figure 7", "The mechanisms of Table 4 (epsilon 1, 2, 4, 8), dotted their mu; right: by "
                                        "how "
                "much curve and summary differ.", figures.figure_7),
        Drawing("figure-8", "Figure 8", "The same of Table 5.", figures.figure_8),
    ),
)  # fmt: skip
