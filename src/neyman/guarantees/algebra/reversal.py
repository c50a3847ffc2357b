"""The two roles exchanged: the inverse of a guarantee, and the symmetric guarantee that follows from one.

With (P, Q) exchanged, alpha and beta change places: the trade-off function becomes its inverse f^-1, and
delta_inverse(eps) = 1 - e^eps + e^eps delta(-eps).
"""

from __future__ import annotations

from neyman._remade import remembered
from neyman.guarantees.envelope.profile import EnvelopeProfile
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.profiles.pair import Adjacency, MaximumProfile, Pair

__all__ = ["inverse_of", "like", "symmetrized_of"]

_OTHER: dict[Adjacency, Adjacency] = {"add": "remove", "remove": "add"}


class _Inverse(PessimisticGuarantee):
    """A guarantee with the roles exchanged, which knows whose inverse it is."""

    def __init__(self, original: Guarantee) -> None:
        stated = original.pessimistic.divergences.statement  # of both orders of the pair
        adjacency = _OTHER.get(original.adjacency, original.adjacency)
        super().__init__(original.sides.reversed, adjacency, original.effort, stated)
        self.original = original


def like(model: Guarantee, made: PessimisticGuarantee) -> Guarantee:
    """Hand out ``made`` on the side of the truth that ``model`` is on."""
    return made.optimistic if isinstance(model, OptimisticGuarantee) else made


@remembered
def inverse_of(g: Guarantee) -> Guarantee:
    """``g`` itself where it is symmetric, else the guarantee whose trade-off function is f^-1."""
    if g.sides.symmetric:
        return g
    return g.original if isinstance(g, _Inverse) else like(g, _Inverse(g))


@remembered
def symmetrized_of(g: Guarantee) -> Guarantee:
    """The best symmetric guarantee that follows from ``g``: see ``Guarantee.symmetrized``."""
    sides = g.sides
    if sides.symmetric:
        return g
    stated = g.pessimistic.divergences.statement  # of both orders of the pair
    if g.adjacency in _OTHER:  # only one order is promised: the other one has f^-1, and either may be the case
        one = sides if g.adjacency == "remove" else sides.reversed
        worst = MaximumProfile(one.forward, one.backward)  # "remove" first
        return like(g, PessimisticGuarantee(Pair(worst, worst), "add_or_remove", g.effort, stated))
    best = EnvelopeProfile((sides, sides.reversed))  # both orders are promised f, so both have f^-1 as well
    return like(g, PessimisticGuarantee(Pair(best, best), g.adjacency, g.effort, stated))
