"""mu with no floor, from above: mu^2 of what is composed adds up (docs/proofs/claims.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from flint import arb

from neyman_check.claims.vertices import discrete_gaussian_mu
from neyman_check.curves.curve import largest
from neyman_check.deltas.twofold import DealtGaussian
from neyman_check.errors import NotProved
from neyman_check.laws.base import FiniteLaw, Gaussian, Law
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.integers import DiscreteGaussian, SampledDiscreteGaussian
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian

__all__ = ["tail_mu_squared"]

_EACH = 200  # units of work of a vertex


def tail_mu_squared(laws: Sequence[Law], spend: Callable[[int], None]) -> arb:
    """Of all steps together; a sampled step tells no more than the whole one."""
    return sum((_squared(law, spend) * law.times for law in laws), arb(0))


def _squared(law: Law, spend: Callable[[int], None]) -> arb:
    if isinstance(law, Gaussian):
        return law.square
    if isinstance(law, (SampledGaussian, DealtGaussian)):  # it tells less than which batch, and what is in it
        return 1 / (law.s * law.s)
    if isinstance(law, ExchangedGaussian):
        return 4 / (law.s * law.s)
    if isinstance(law, (Laplace, SampledLaplace)):
        return 8 * (-law.d / 2).exp().erfcinv() ** 2  # where alpha = beta = e^{-d/2} / 2
    if isinstance(law, ExchangedLaplace):  # both are 2 d apart
        return 8 * (-law.d).exp().erfcinv() ** 2
    if isinstance(law, SampledDiscreteGaussian) and law.whole is not None:
        law = law.whole
    if isinstance(law, DiscreteGaussian):
        return discrete_gaussian_mu(law, spend) ** 2
    if isinstance(law, FiniteLaw) and law.lost == 0:
        spend(_EACH * len(law.outcomes))
        return _at_vertices(law)
    raise NotProved("mu with no floor of laws that are not listed")


def _at_vertices(law: FiniteLaw) -> arb:
    """The largest mu at a vertex of the trade-off curve."""
    if any(p == 0 or q == 0 for p, q in law.outcomes):
        raise NotProved("mu with no floor where something is revealed for certain")
    ratios = [p / q for p, q in law.outcomes]
    order = sorted(range(len(ratios)), key=lambda i: law.at[i] if law.at else float(ratios[i].mid()))
    if not all(law.at or ratios[i] <= ratios[j] for i, j in pairwise(order)):
        raise NotProved("outcomes that tell nearly the same")
    betas = [*accumulate(law.outcomes[i][0] for i in order)][:-1]
    alphas = [*accumulate(law.outcomes[i][1] for i in reversed(order))][:-1]
    each = [(2 * a).erfcinv() + (2 * b).erfcinv() for a, b in zip(reversed(alphas), betas, strict=True)]
    return 2 * largest([arb(0), *each]) ** 2
