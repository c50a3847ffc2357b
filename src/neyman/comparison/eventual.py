"""Which of two mechanisms comes to dominate the other as both are repeated, by the moments of the loss of one step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from neyman._errors import InvalidParameter
from neyman._validate import whole
from neyman.comparison.moments import DominanceBound, Moments, dominance_bound, moments
from neyman.mechanisms import Mechanism

__all__ = ["EmergentDominance", "emergent_dominance"]

_TOLD = 1e-8  # relative: strengths that are nearer are not told apart, as moments are good to about 1e-11


@dataclass(frozen=True, slots=True)
class EmergentDominance:
    """The answer of ``emergent_dominance``: which side gives away more in the end.

    Attributes
    ----------
    outcome : str
        "a": a^(k n) comes near the less private Gaussian mechanism, and to dominate b^(m n) approximately: Delta(a^(k
        n) || b^(m n)) -> 0 as n grows; "b": the reverse; "undecided": what they tend to is too near to be told apart.
        It does not exclude that the reverse divergence tends to 0 as well, see the notes of ``emergent_dominance``.
    strength_a, strength_b : float
        2 eta sqrt(k) and 2 eta sqrt(m): n times as many copies come near Gaussian mechanisms with sqrt(n) times that
        mu.
    ratio : tuple of two int
        (k, m).
    """

    outcome: Literal["a", "b", "undecided"]
    strength_a: float
    strength_b: float
    ratio: tuple[int, int]
    moments_a: Moments
    moments_b: Moments

    def bound(self, n: int) -> DominanceBound:
        """What the moments say of the divergence at ``n`` times as many copies (Kaissis et al. 2024, Theorem 3).

        Parameters
        ----------
        n : int
            From 1 to 10^9.

        Raises
        ------
        InvalidParameter
            If ``n`` lies outside its domain, or nothing is decided.
        """
        times = whole("n", n, 1, 10**9)
        if self.outcome == "undecided":
            raise InvalidParameter("n", n, "a verdict that is decided", "Neither is told to dominate.")
        sides = [(self.moments_a, self.ratio[0] * times), (self.moments_b, self.ratio[1] * times)]
        first, second = sides if self.outcome == "a" else sides[::-1]
        return dominance_bound(*first, *second)

    def __str__(self) -> str:
        """The sentence for a person."""
        k, m = self.ratio
        if self.outcome == "undecided":
            return f"Repeated {k} to {m}, a and b tend to the same Gaussian mechanism: neither is told to dominate."
        winner, other = ("a", "b") if self.outcome == "a" else ("b", "a")
        return (
            f"Repeated {k} to {m}, {winner} comes to dominate {other} approximately: what {other} gives away beyond "
            f"{winner} tends to 0. They come near Gaussian mechanisms with mu = {self.strength_a:.6g} sqrt(n) and "
            f"{self.strength_b:.6g} sqrt(n); at last, where both give away all, what {winner} gives away beyond "
            f"{other} tends to 0 too."
        )


def emergent_dominance(
    a: Mechanism, b: Mechanism, ratio: tuple[int, int] = (1, 1), direction: str = "remove"
) -> EmergentDominance:
    """Tell which of two mechanisms comes to dominate the other, approximately, as both are repeated.

    k n copies of a come near a Gaussian mechanism with mu = 2 eta_a sqrt(k n), m n copies of b near one with mu = 2
    eta_b sqrt(m n); the one with the larger mu dominates in the end, up to a divergence that tends to 0.

    Parameters
    ----------
    a, b : Mechanism
        Single steps, such as ``Gaussian(2.0).poisson(9e-4)``, as for ``moments``.
    ratio : tuple of two int
        (k, m), from 1 to 10^9.
    direction : str
        Whose moments, as for ``moments``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or a mechanism has no moments.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Lemma 6 and Theorem 3; they suppose symmetric trade-off
    functions. Lemma 6 says more, Blackwell dominance from some N on. What its proof shows, convergence to Gaussian
    mechanisms that are strictly ordered, gives approximate dominance at any delta > 0, and no more follows: a pure
    mechanism of which n copies have delta(eps) = 0 beyond n epsilon never dominates a Gaussian one, whose delta is
    above 0 everywhere, however often both are repeated. No certificate: moments are good to about 1e-11.

    Mechanisms that stay as they are while n grows come to give away all, both of them: every Bayes error tends to 0,
    and with them both divergences. ``outcome`` tells which is the less private one on the way there, where mu sqrt(n)
    is moderate. ``dominates_after`` looks at numbers, not at limits: it may find one for either order of the two, such
    as 22 for Gaussian(1.2) against Laplace(1) at 0.005, and 3 for the reverse.

    ``dominates_after`` certifies a number of copies.

    Examples
    --------
    >>> from neyman import Gaussian, Laplace
    >>> found = emergent_dominance(Laplace(1.0), Gaussian(1.2))
    >>> print(found)
    Repeated 1 to 1, a comes to dominate b approximately: what b gives away beyond a tends to 0. They come near \
Gaussian mechanisms with mu = 0.907454 sqrt(n) and 0.833333 sqrt(n); at last, where both give away all, what a gives \
away beyond b tends to 0 too.
    >>> emergent_dominance(Laplace(1.0), Gaussian(1.2), ratio=(4, 5)).outcome  # 1.82 against 1.86
    'b'
    """
    if not isinstance(ratio, (tuple, list)) or len(ratio) != 2:
        raise InvalidParameter("ratio", ratio, "two whole numbers, copies of a and copies of b")
    k, m = (whole(f"ratio[{i}]", part, 1, 10**9) for i, part in enumerate(ratio))
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Mechanism):
            raise InvalidParameter(name, value, "a Mechanism")
    first, second = moments(a, direction), moments(b, direction)
    one, two = 2.0 * first.eta * math.sqrt(k), 2.0 * second.eta * math.sqrt(m)
    near = abs(one - two) <= _TOLD * max(one, two)
    outcome: Literal["a", "b", "undecided"] = "undecided" if near else "a" if one > two else "b"
    return EmergentDominance(outcome, one, two, (k, m), first, second)
