"""What the blog post on functional and Gaussian differential privacy states."""

from __future__ import annotations

from neyman.reproduction.published import Holds, Published, Rule, Undetermined

__all__ = ["PUBLISHED"]


def _entry(key: str, where: str, quantity: str, printed: str, rule: Rule, reason: str = "") -> Published:
    return Published("blog", key, where, quantity, printed, rule, reason)


def _holds(key: str, where: str, quantity: str) -> Published:
    return _entry(key, where, quantity, "stated", Holds())


PUBLISHED: tuple[Published, ...] = (
    _entry("example", "Trade-off functions", "type II error of an example at type I error 0.05", "0.1", Undetermined(),
           "An example of the notation: the two laws are not named. Beside it the mu of which it would be true."),
    _holds("shape", "Trade-off functions", "they are convex, continuous, non-increasing, and at most 1 - alpha"),
    _holds("figure-1", "Figure 1", "a curve that crosses f is not f-DP, one that stays above is"),
    _holds("tight", "Analyzing composition", "composition of f-DP is exact, that of (epsilon, delta)-DP is not"),
    _holds("limit", "Gaussian differential privacy", "it is the limit of repeated f-DP mechanisms"),
    _holds("formula", "Figure 4", "beta(alpha) = Phi(Phi^-1(1 - alpha) - mu)"),
    _holds("less", "Figure 4", "a lower mu means more privacy"),
    _entry("half", "Figure 5", "mu = 0.5 gives reasonable privacy", "stated", Undetermined(),
           "'Reasonable' is a judgement. Beside it the largest advantage of an attacker, in percent."),
    _holds("six", "Figure 5", "at mu = 6 the curve almost coincides with the axes"),
    _holds("convert", "Connections", "(epsilon, delta) and f-DP convert into each other"),
)  # fmt: skip
