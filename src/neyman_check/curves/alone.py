"""A composition that is one Gaussian law alone: f = G_mu, of which everything is known (docs/proofs/claims.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import arb

from neyman_check.curves.curve import Curve, Place
from neyman_check.deltas.exact import gaussian_delta, normal
from neyman_check.errors import NotProved
from neyman_check.laws.base import Gaussian, Law

__all__ = ["GaussianCurve", "alone", "apart_from", "beta_of"]


def alone(laws: Sequence[Law]) -> arb | None:
    """Its mu > 0; None if there is anything else."""
    squares = [law.square for law in laws if isinstance(law, Gaussian)]
    if not squares or len(squares) < len(laws):
        return None
    mu = sum(squares, arb(0)).sqrt()
    return mu if mu > 0 and mu.is_finite() else None


def beta_of(mu: arb, alpha: arb) -> arb:
    """G_mu at alpha in (0, 1)."""
    return normal(arb(2).sqrt() * (2 * alpha).erfcinv() - mu)


def apart_from(mu: arb, other: arb) -> arb:
    """The largest (delta_other - delta_mu) / (1 + e^eps), which is at eps = 0: 0 unless the other is larger."""
    return (normal(other / 2) - normal(mu / 2)).nonnegative_part()


class GaussianCurve(Curve):
    """G_mu; places are wanted for divergences from what is no Gaussian alone."""

    def __init__(self, mu: arb, places: Sequence[Place]) -> None:
        super().__init__(places or [Place(arb(0), arb(1), arb(0), arb(1))])
        self.mu = mu

    def delta_at_most(self, epsilon: arb) -> arb:
        """In closed form."""
        return gaussian_delta(self.mu, epsilon)

    def delta_at_least(self, epsilon: arb) -> arb:
        """In closed form."""
        return gaussian_delta(self.mu, epsilon)

    def at_least(self, alpha: arb) -> arb:
        """In closed form."""
        return self._beta(alpha)

    def at_most(self, alpha: arb) -> arb:
        """In closed form."""
        return self._beta(alpha)

    def rises(self, alpha: arb, enough: arb | None = None) -> Iterator[tuple[tuple[arb, arb], arb]]:
        """In closed form."""
        yield (arb.neg_inf(), arb.pos_inf()), self._beta(alpha)

    def area(self) -> tuple[arb, arb]:
        """In closed form."""
        whole = normal(-self.mu / arb(2).sqrt())
        return whole, whole

    def _beta(self, alpha: arb) -> arb:
        if alpha == 0 or alpha == 1:
            return 1 - alpha
        if not (alpha > 0 and alpha < 1):
            raise NotProved("an alpha outside [0, 1]")
        return beta_of(self.mu, alpha)
