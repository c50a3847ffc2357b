"""Every number and statement of result that Kaissis et al., Beyond the calibration point, print."""

from __future__ import annotations

from neyman.reproduction.published import Below, Holds, Published, Rounds, Rule, Undetermined

__all__ = ["PUBLISHED"]

_OPEN = Undetermined()
_SGMS = "Noise, rate and steps of the two mechanisms are not in the text; beside it are two that we chose."
_ROWS = (
    "Rates and steps are those of Figure 6 of De et al. (2022), not in this text; ours: rate 0.1, the most steps that "
    "(8, 1e-5) allows each noise."
)
_TRAINED = "An accuracy of trained networks, quoted from De et al. (2022); no privacy computation gives it."
_HAYES = (
    "The number of steps and the attacker's baseline success are those of Hayes et al. (2023), not in this text; "
    "ours are "
    "named beside it."
)
_BOUND = (
    "The stated noises, rate and numbers of steps give more, by the paper's own formula; one of its two terms alone is "
    "above the printed bound."
)
_EXAMPLE = (
    "N / N~ is smaller than eta~^2 / eta^2 for the stated parameters: Theorem 3 bounds the divergence in the other "
    "direction, which is 0."
)
_SMALLER = "The certified divergence of the stated mechanisms is smaller, in this direction, and 0 in the other."
_LOWEST = (
    "0.55 belongs to the rate 0.01 of the baseline with 534 steps, as the note shows, not to the least rate of the "
    "stated "
    "range, 0.04."
)
_LARGEST = "Around 0.12, says the text; from the stated parameters it is somewhat more, whichever base (see the note)."


def _entry(key: str, where: str, quantity: str, printed: str, rule: Rule, reason: str = "") -> Published:
    return Published("divergence", key, where, quantity, printed, rule, reason)


def _holds(key: str, where: str, quantity: str, reason: str = "", rule: Rule | None = None) -> Published:
    return _entry(key, where, quantity, "stated", rule or Holds(), reason)


PUBLISHED: tuple[Published, ...] = (
    _entry("1/pair", "Fig. 1", "delta(4.00) of both mechanisms", "0.08", _OPEN, _SGMS),
    _holds("1/differ", "Fig. 1", "they offer otherwise different protection", _SGMS, _OPEN),
    _holds("2/crosses", "Fig. 2", "trade-off functions of a Gaussian and a Laplace mechanism cross"),
    _holds("2/restores", "Fig. 2", "shifted by Delta, left and down, one lies below the other everywhere"),
    _holds("corollary-1", "Theorem 2, Corollary 1", "Delta by trade-off functions, profiles and Bayes errors is the "
                                                    "same"),
    _holds("s2/half", "Section 2", "the Bayes error is largest at prior 1/2"),
    _holds("s2/lossless", "Section 2, eq. 4", "f comes back from its Bayes error function"),
    _holds("renyi", "Section 3.1", "dominance implies larger Renyi divergences; the converse fails"),
    _holds("metric", "Corollary 2", "the symmetrised divergence is a metric (triangle inequality)"),
    _holds("lemma-2", "Lemma 2", "every mechanism lies between perfect privacy and blatant non-privacy"),
    _holds("lemma-3", "Lemma 3", "the divergence from perfect privacy is half the advantage"),
    _holds("lemma-4", "Lemma 4", "the divergence to blatant non-privacy is R*, the fixed point of f"),
    _entry("lemma-5", "Lemma 5", "their sum", "0.5", Rounds("0.5")),
    _holds("ranked", "Section 4", "Gaussian mechanisms are always Blackwell ranked"),
    _holds("composed", "Section 4", "dominance outlives composition"),
    _holds("emerges", "Theorem 3", "where eta is the larger, the divergence vanishes like 1 / sqrt(N) or faster"),
    _entry("3/prior", "Section 5, Fig. 3", "prior at which the Bayes errors of Gauss and Laplace cross", "about 0.4",
           Rounds("0.4")),
    _entry("3/forth", "Section 5, Fig. 3", "Delta(Gauss || Laplace)", "0.005", Rounds("0.005")),
    _entry("3/back", "Section 5, Fig. 3", "Delta(Laplace || Gauss)", "0.034", Rounds("0.034")),
    _holds("3/smaller", "Section 5", "choosing Laplace costs less, in the worst case, than choosing Gauss"),
    _holds("3/narrow", "Section 5", "Gauss protects better only for priors around 1/2, and by little"),
    _entry("t3/predicted", "Section 5", "bound of Theorem 3: (2, 9e-4, 1.4e6) against (3, 9e-4, 3.4e6)", "< 1e-3",
           Below("1e-3"), _BOUND),
    _entry("t3/computed", "Section 5", "their divergence, computed", "8e-4", Rounds("8e-4"), _SMALLER),
    _holds("t3/applies", "Section 5", "Theorem 3 applies to that example", _EXAMPLE),
    _entry("t3/jft", "Section 5", "(epsilon, delta) of the runs whose parameters the example "
                                  "mirrors", "(8, 5e-7)", _OPEN,
           "'Mirror' does not say that these mechanisms meet it: they are more private."),
    _entry("4/none/forth", "Fig. 4 (a)", "Delta(M || M~), no hyper-prior", "0.01", _OPEN, _SGMS),
    _entry("4/none/back", "Fig. 4 (a)", "Delta(M~ || M), no hyper-prior", "0.02", _OPEN, _SGMS),
    _entry("4/beta/forth", "Fig. 4 (b)", "Delta(M || M~), Beta(0.5, 0.5)", "0.007", _OPEN, _SGMS),
    _entry("4/beta/back", "Fig. 4 (b)", "Delta(M~ || M), Beta(0.5, 0.5)", "0.015", _OPEN, _SGMS),
    _entry("4/quadratic/forth", "Fig. 4 (c)", "Delta(M || M~), UQuadratic[0, 1]", "0.014", _OPEN, _SGMS),
    _entry("4/quadratic/back", "Fig. 4 (c)", "Delta(M~ || M), UQuadratic[0, 1]", "0", _OPEN, _SGMS),
    _holds("4/kept", "Section 5", "Jeffreys' hyper-prior keeps the ranking", _SGMS, _OPEN),
    _holds("4/turned", "Section 5", "the UQuadratic hyper-prior turns it", _SGMS, _OPEN),
    _entry("5/accuracy", "Section 5", "validation accuracy at noise 2.0, in percent", "72.6", _OPEN, _TRAINED),
    _entry("5/best", "Section 5", "noise with the best accuracy", "3.0", _OPEN, _TRAINED),
    _holds("5/unequal", "Section 5, Fig. 5", "runs calibrated to (8, 1e-5) are not equally private", _ROWS, _OPEN),
    _holds("5/grows", "Section 5, Fig. 5", "the divergence from noise 2.0 grows with the noise", _ROWS, _OPEN),
    _entry("6/base", "Section 5, Fig. 6", "noise of the baseline: rate 0.01, 500 steps, (8, 1e-5)", "0.54",
           Rounds("0.54")),
    _entry("6/least", "Section 5, Fig. 6", "least noise: rate from 0.04, steps from "
                                           "534", "0.55", Rounds("0.55"), _LOWEST),
    _entry("6/most", "Section 5, Fig. 6", "largest noise: rate to 0.9, steps to 1500", "21", Rounds("21")),
    _entry("6/error", "Section 5, Fig. 6", "calibration error of epsilon, at most", "0.00042", Below("0.00042")),
    _holds("6/monotone", "Section 5, Fig. 6", "the divergence grows monotonically with the noise",
           "On our grid it grows with the noise at each number of steps, but mechanisms of different rates and "
           "steps that "
           "have about the same noise differ."),
    _holds("6/each", "Section 5, Fig. 6", "it grows with the rate and with the steps"),
    _entry("6/largest", "Section 5, Fig. 6", "largest divergence, around", "0.12", Rounds("0.12"), _LARGEST),
    _holds("6/rate", "Section 5, Fig. 6", "it is more sensitive to the rate than to the steps"),
    _entry("7/divergence", "Section 5, Fig. 7", "largest divergence of the series", "0.12", _OPEN, _HAYES),
    _entry("7/increase", "Section 5, Fig. 7", "rise of the reconstruction bound up to there, in points", "15", _OPEN,
           _HAYES),
    _holds("7/linear", "Section 5, Fig. 7", "the bound rises almost linearly with the divergence", _HAYES, _OPEN),
    _holds("8/star", "Fig. 8", "R* and the fixed point of f are the same number"),
)  # fmt: skip
