"""Approximate dominance: whether one guarantee is more private than another against every attacker, up to a delta."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from neyman._validate import between
from neyman.comparison.compare import Comparison
from neyman.guarantees import Guarantee
from neyman.guarantees.questions.regret import Divergence
from neyman.numerics.exact.decimals import outward

__all__ = ["ApproximateDominance", "approximately_dominates"]


@dataclass(frozen=True, slots=True)
class ApproximateDominance:
    """The answer of ``approximately_dominates``. As a truth value it is True for "yes" alone.

    Attributes
    ----------
    outcome : str
        "yes" and "no" are proved; "undecided" where ``delta`` lies within the certified bracket.
    delta : float
        What was asked.
    bounds : Divergence
        Certified bounds on Delta(a || b), the least delta for which it is "yes", with the real eps of the lower one.
    prior : float or None
        For "no": a prior, P(record absent), at which the Bayes error of a attacker is larger against a than against b
        by more than ``delta``.
    epsilon : float or None
        For "no": log(prior / (1 - prior)), where delta_b > delta_a + delta (1 + e^epsilon).
    """

    outcome: Literal["yes", "no", "undecided"]
    delta: float
    bounds: Divergence
    prior: float | None = None
    epsilon: float | None = None

    def __bool__(self) -> bool:
        return self.outcome == "yes"

    def __str__(self) -> str:
        """The sentence for a person."""
        least, most = outward(self.bounds.lower, 4, up=False), outward(self.bounds.upper, 4)
        if self.outcome == "yes":
            return (
                f"a approximately dominates b up to {self.delta:g}: whoever chooses b instead of a gives away at most "
                f"{most} of the attacker's Bayes error, whatever the prior."
            )
        if self.outcome == "no":
            return (
                f"a does not approximately dominate b up to {self.delta:g}: at prior {self.prior:.4g} (P(record "
                f"absent)) b gives away at least {least} of the attacker's Bayes error more than a."
            )
        return (
            f"Whether a approximately dominates b up to {self.delta:g} cannot be told: what b gives away beyond a, in "
            f"the attacker's Bayes error, is between {least} and {most} at most."
        )


def approximately_dominates(a: Guarantee, b: Guarantee, delta: float) -> ApproximateDominance:
    """Decide approximate dominance: whether ``a`` Blackwell-dominates ``b`` up to ``delta``, Delta(a || b) <= delta.

    To dominate is to be less private. "yes" says that ``b`` is nowhere less private than ``a`` by more than ``delta``
    of the attacker's Bayes error. With ``delta`` = 0 it is Blackwell's order itself: ``b.satisfies(a)``.

    Parameters
    ----------
    a, b : Guarantee
        For the same neighbours, as for ``compare``.
    delta : float
        In [0, 1/2]; at 1/2 every guarantee does.

    Returns
    -------
    ApproximateDominance
        ``print`` says what was found.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the adjacencies differ.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Definition 2 and Theorem 2. The three statements are one:
    f_a(alpha + delta) - delta <= f_b(alpha) at every alpha; delta_a(eps) + delta (1 + e^eps) >= delta_b(eps) at every
    real eps; R_a - R_b <= delta at every prior.

    Examples
    --------
    >>> import neyman as ny
    >>> gauss, laplace = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
    >>> print(ny.comparison.approximately_dominates(gauss, laplace, 0.01))
    a approximately dominates b up to 0.01: whoever chooses b instead of a gives away at most 0.005273 of the \
attacker's Bayes error, whatever the prior.
    >>> ny.comparison.approximately_dominates(laplace, gauss, 0.01).outcome
    'no'
    """
    limit = between("delta", delta, 0.0, 0.5)
    found = Comparison(a, b).bounds[0]
    if found.upper <= limit or limit == 0.5:
        return ApproximateDominance("yes", limit, found)
    if found.lower > limit:
        return ApproximateDominance("no", limit, found, 1.0 / (1.0 + math.exp(-found.epsilon)), found.epsilon)
    return ApproximateDominance("undecided", limit, found)
