"""Several guarantees at once: ``join`` where any one of them may be the truth, ``meet`` where all of them hold.

In terms of trade-off functions these are the convex hull of the minimum and the maximum; in terms of delta, over all
real eps, the maximum and the lower convex envelope (in e^eps) of the minimum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce

import numpy as np

from neyman._errors import InvalidParameter
from neyman._remade import remembered
from neyman._validate import alike
from neyman.engines.renyi.step import Statement
from neyman.guarantees.algebra.reversal import like
from neyman.guarantees.computed import ComposedGuarantee
from neyman.guarantees.envelope.profile import EnvelopeProfile
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.renyi import Divergences, largest, least
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.profiles.effort import shared_effort
from neyman.profiles.pair import LargestProfile, MaximumProfile, Pair
from neyman.profiles.profile import Profile

__all__ = ["join", "meet"]


@remembered
def join(*guarantees: Guarantee | Iterable[Guarantee]) -> Guarantee:
    """Return what can be promised when any ONE of ``guarantees`` may be the truth.

    delta(eps) is the largest of theirs at every real eps; f is the convex hull of the smallest of theirs. Each of them
    satisfies it, and no stronger guarantee has that property.

    Parameters
    ----------
    *guarantees : Guarantee, or one iterable of Guarantee
        One or more, one by one or in one list, of the same adjacency; either none or all of them ``.optimistic``.

    Returns
    -------
    Guarantee
        As sharp as the widest of the brackets that went in; itself where there is only one. A computed one that covers
        all the others is returned without its losses, unless both directions are the same.

    Raises
    ------
    InvalidParameter
        If there is none, one is not a guarantee, or they are of different adjacencies or sides of the truth.

    Notes
    -----
    Dong, Roth and Su (2022), Gaussian differential privacy: delta(eps) = sup over alpha of 1 - f(alpha) - e^eps alpha,
    and the supremum over a minimum of trade-off functions is the maximum of the suprema.

    Examples
    --------
    >>> import neyman as ny
    >>> laplace = ny.account(ny.Laplace(1.0))
    >>> g = ny.join(ny.GDP(1.0), laplace)
    >>> g.delta(0.0) == laplace.delta(0.0), g.delta(2.0) == ny.GDP(1.0).delta(2.0)
    (True, True)
    """
    several = _checked(guarantees)
    kept = _without(several, weaker=False)
    if len(kept) == 1 and all(g is kept[0] or g == kept[0] for g in several):
        return kept[0]
    stated = _stated_of_any(several)
    if len(kept) == 1:
        return _curve_of(kept[0], stated)
    forward = [g.sides.forward for g in kept]
    backward = [g.sides.backward for g in kept]
    worst = _largest(forward)
    same = {id(p) for p in forward} == {id(p) for p in backward}
    return _made(several, Pair(worst, worst if same else _largest(backward)), stated)


@remembered
def meet(*guarantees: Guarantee | Iterable[Guarantee]) -> Guarantee:
    """Return what holds when ALL ``guarantees`` hold for the same mechanism: every attack must pass every bound.

    f is the largest of theirs at every alpha; delta, over all real eps, is the largest function below all of theirs
    that is convex in e^eps. It satisfies each of them, and no weaker guarantee has that property.

    Parameters
    ----------
    *guarantees : Guarantee, or one iterable of Guarantee
        One or more, one by one or in one list, of the same adjacency; either none or all of them ``.optimistic``.

    Returns
    -------
    Guarantee
        Certified both ways: delta lies below each of theirs and below every chord (the common tangents where they
        cross), and above every line that lies below them all. Itself where one implies all the others.

    Raises
    ------
    InvalidParameter
        If there is none, one is not a guarantee, or they are of different adjacencies or sides of the truth.

    Notes
    -----
    T(P, Q) >= f and T(P, Q) >= g is T(P, Q) >= max(f, g), a trade-off function again (Dong, Roth and Su 2022).

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.meet(ny.GDP(1.0), ny.account(ny.PureMechanism(1.0)))
    >>> g.beta(0.001) == ny.account(ny.PureMechanism(1.0)).beta(0.001), round(g.beta(0.3), 12) == round(
    ...     ny.GDP(1.0).beta(0.3), 12
    ... )
    (True, True)
    """
    several = _checked(guarantees)
    kept = _without(several, weaker=True)
    stated = least([_divergences(g) for g in several])
    if len(kept) == 1:
        return kept[0] if stated is None or _tells(kept[0], stated) else _made(several, kept[0].sides, stated)
    parts = tuple(g.sides for g in kept)
    best = EnvelopeProfile(parts)
    symmetric = all(sides.symmetric for sides in parts)
    both = Pair(best, best if symmetric else EnvelopeProfile(tuple(one.reversed for one in parts)))
    return _made(several, both, stated)


def _checked(passed: tuple[Guarantee | Iterable[Guarantee], ...]) -> list[Guarantee]:
    allowed, advice = "one or more guarantees", "Account for a mechanism with account() first."
    guarantees: list[Guarantee] = []
    for g in alike("guarantees", passed, Guarantee, allowed, advice):
        if not isinstance(g, Guarantee):
            raise InvalidParameter("guarantees", g, allowed, advice)
        guarantees.append(g)
    if not guarantees:
        raise InvalidParameter("guarantees", (), allowed)
    adjacencies = list(dict.fromkeys(g.adjacency for g in guarantees))
    if len(adjacencies) > 1:
        raise InvalidParameter(
            "guarantees", ", ".join(adjacencies), "guarantees of one adjacency",
            "They speak of different neighbouring data sets.",
        )  # fmt: skip
    if len({isinstance(g, OptimisticGuarantee) for g in guarantees}) > 1:
        advice = "Take .optimistic of the result instead."
        raise InvalidParameter("guarantees", tuple(guarantees), "all pessimistic or all optimistic", advice)
    return guarantees


def _without(guarantees: list[Guarantee], weaker: bool) -> list[Guarantee]:
    """Leave out those that another one certainly makes superfluous: the weaker ones, or the stronger ones."""
    kept: list[Guarantee] = []
    for g in guarantees:
        if any(_follows(other, g, weaker) for other in kept):
            continue
        kept = [other for other in kept if not _follows(g, other, weaker)]
        kept.append(g)
    return kept


def _divergences(g: Guarantee) -> Divergences:
    """Of lower bounds, those of the guarantee that they are lower bounds of."""
    return g.pessimistic.divergences


def _stated_of_any(guarantees: list[Guarantee]) -> Statement | None:
    """What holds whichever is the truth; of a curve that is not symmetric one order of the pair alone is known."""
    known = [_divergences(g) for g in guarantees]
    if any(one.statement is None and not g.sides.symmetric for one, g in zip(known, guarantees, strict=True)):
        return None
    return largest(known)


def _tells(g: Guarantee, stated: Statement) -> bool:
    """Whether ``g`` itself has no larger divergences than those."""
    own = _divergences(g)
    if own.statement is None and not g.sides.symmetric:
        return False
    orders = stated.orders
    if len(orders) and not bool(np.all(own.divergence(orders, True) <= stated.bound(orders))):
        return False
    return math.isinf(stated.rho) or own.concentration(True) <= stated.rho


def _curve_of(g: Guarantee, stated: Statement | None) -> Guarantee:
    """What ``g`` says of f alone, which others imply. Of "add_or_remove" its losses may tell one direction from the
    other, in compositions and Renyi divergences; what merely satisfies ``g`` may have either curve in either direction,
    and of divergences no more than is ``stated`` of all.
    """
    if _divergences(g).statement is not None:
        return _made([g], g.sides, stated)
    worst = g.sides.forward
    if not (isinstance(g, ComposedGuarantee) and g.adjacency == "add_or_remove" and isinstance(worst, MaximumProfile)):
        return g
    curve = LargestProfile(worst.first, worst.second)
    return ComposedGuarantee(curve, curve, g.adjacency, g.tolerance, effort=g.effort, held=g.held)


def _follows(kept: Guarantee, dropped: Guarantee, weaker: bool) -> bool:
    return bool(kept.satisfies(dropped) if weaker else dropped.satisfies(kept))


def _largest(profiles: list[Profile]) -> Profile:
    return reduce(LargestProfile, profiles)


def _made(of: list[Guarantee], sides: Pair, stated: Statement | None) -> Guarantee:
    return like(of[0], PessimisticGuarantee(sides, of[0].adjacency, shared_effort(*of), stated))
