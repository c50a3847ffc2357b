"""Every number and statement of result that Kaissis et al., on the sensitivity index, print."""

from __future__ import annotations

from neyman.reproduction.published import Above, Holds, Published, Rounds, Rule, Undetermined

__all__ = ["PUBLISHED"]

_TAIL = (
    "The probability that the loss exceeds epsilon is never below the profile delta(epsilon), and is above it wherever "
    "epsilon is finite: small enough, it is sufficient for (epsilon, delta)-DP, not necessary. Corollary 14 has the "
    "exact "
    "condition."
)
_ALMOST = "'Almost perfectly' has no number in the text: in the picture the curves touch within the width of a line."


def _entry(key: str, where: str, quantity: str, printed: str, rule: Rule, reason: str = "") -> Published:
    return Published("sensitivity", key, where, quantity, printed, rule, reason)


def _holds(key: str, where: str, quantity: str, reason: str = "") -> Published:
    return _entry(key, where, quantity, "stated", Holds(), reason)


PUBLISHED: tuple[Published, ...] = (
    _holds("classical", "Section 3, eq. 3.5", "psi sqrt(2 log(1.25 / delta)) is an epsilon that holds, if it is in "
                                              "(0, 1)"),
    _holds("pure", "Section 3", "a Gaussian mechanism is never (epsilon, 0)-DP"),
    _holds("laplace", "Section 3", "a Laplace mechanism has epsilon = S / b"),
    _holds("loss", "Section 4.1, eq. 4.3", "the privacy loss is normal with mean psi^2 / 2 and standard deviation psi"),
    _holds("lemma-1", "Lemma 1, eq. 4.4", "Phi(psi/2 - epsilon/psi) <= delta(epsilon) for every epsilon", _TAIL),
    _holds("lemma-2", "Lemma 2, eq. 4.7", "the ROC curve is Phi(psi + Phi^-1(x))"),
    _holds("binormal", "Corollaries 2 and 3", "area under the binormal ROC curve: Phi(a / sqrt(1 + b^2))"),
    _holds("lemma-3", "Lemma 3, eq. 4.9", "its area is Phi(psi / sqrt 2)"),
    _entry("4.10", "Eq. 4.10", "the area as psi grows without end", "1", Rounds("1")),
    _entry("4.11", "Eq. 4.11", "the area as psi tends to 0", "0.5", Rounds("0.5")),
    _holds("corollary-4", "Corollary 4, eq. 4.12", "TPR <= e^epsilon FPR + delta"),
    _holds("lemma-4", "Lemma 4, Fig. 4", "the tangent of slope e^epsilon to the ROC curve has intercept at most delta"),
    _holds("lemma-4/proof", "Lemma 4, proof", "the height at which it touches, Phi(psi/2 - epsilon/psi), is at most "
                                              "delta",
           _TAIL),
    _holds("mirror", "Section 4.3", "with their mirror images the tangents draw the boundary of the ROC curve"),
    _holds("failed", "Section 4.3, Fig. 5", "a mechanism that failed has TPR kappa at FPR 0"),
    _holds("lemma-5", "Lemma 5, eq. 5.3", "R = 1 - G_mu"),
    _holds("corollary-6", "Corollary 6", "G_mu falls strictly as mu grows"),
    _holds("group", "Corollary 7", "groups of k: k psi"),
    _holds("compose", "Corollary 8", "composition: sqrt(psi_1^2 + ... + psi_n^2)"),
    _holds("under", "Corollary 9", "the asymptotic psi of DP-SGD may under-estimate the privacy cost"),
    _holds("lemma-7", "Lemma 7", "Renyi DP of order alpha: alpha psi^2 / 2"),
    _holds("corollary-10", "Corollary 10", "Renyi divergence of Gaussians of unequal variance, in one dimension"),
    _holds("corollary-10/n", "Corollary 10", "the same in several dimensions, as printed",
           "The two terms without the means need the number of dimensions as a factor; with equal variances they "
           "vanish, so "
           "that Lemma 7 stands."),
    _holds("lossless", "Corollary 14, eq. 6.7", "from psi to epsilon and back by the profile, without loss"),
    _holds("6/best", "Section 6, Fig. 6", "the profile gives the tightest epsilon, for every psi and order"),
    _holds("6/improved", "Section 6", "both improved conversions are tighter than the standard one"),
    _holds("6/par", "Section 6", "the two improved conversions are almost on par at higher orders"),
    _holds("6/low", "Section 6", "for low psi improved (A) is tighter than improved (B)"),
    _holds("6/zero", "Fig. 6, caption", "as psi tends to 0 the error of standard and (B) grows, (A) remedies it in "
                                        "part"),
    _entry("6/two", "Fig. 6 (A)", "psi at which order 2 is the best", "> 3", Above("3")),
    _entry("6/six", "Fig. 6 (B)", "psi at which order 6 is the best", "around 1", Rounds("1")),
    _entry("6/match", "Fig. 6 (B)", "least excess of epsilon by order 6 over the profile, in percent", "almost "
        "perfect match",
           Undetermined(), _ALMOST),
    _holds("6/lossy", "Section 6", "the loss of the conversions grows with psi"),
    _holds("equivalent", "Section 7", "profile, GDP, RDP, ROC curve and area are those of one and the same psi"),
)  # fmt: skip
