"""Composition of guarantees: f of everything that several promise together."""

from __future__ import annotations

import math
from collections.abc import Iterable

from neyman._errors import InvalidParameter
from neyman._remade import remembered
from neyman._validate import alike, inside, positive
from neyman.engines.combine.enclosed import unbundled
from neyman.guarantees.algebra.composition import composition
from neyman.guarantees.computed import ComposedGuarantee
from neyman.guarantees.dominating_pair import worst_loss
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.losses.enclosed.step import BundleStep
from neyman.profiles.effort import EFFORT, Effort

__all__ = ["compose_tradeoffs", "repeated"]

_TOLERANCE = 1e-6  # relative width of a bracket of delta that is aimed for, where none is asked


@remembered
def compose_tradeoffs(
    *guarantees: Guarantee | Iterable[Guarantee], tolerance: float | None = None, effort: float | None = None
) -> ComposedGuarantee:
    """Return what several guarantees promise together: the tensor product f_1 x f_2 x ... of their trade-off curves.

    It holds for mechanisms that run on the same records, later ones free to look at earlier outputs. ``g1 * g2`` and
    ``g ** n`` do the same.

    Parameters
    ----------
    *guarantees : Guarantee, or one iterable of Guarantee
        At least one, one by one or in one list, given or computed, all for the same neighbours. A trade-off curve that
        is not symmetric is the one for a removed record, its inverse that for an added one; the result covers both.
    tolerance : float, optional
        Relative width aimed for, and held to, of the certified bracket of delta(epsilon), wherever delta >= 1e-30; in
        [1e-12, 1). If none is given, 1e-6 is aimed for, or the largest that a computed guarantee has; where a curve is
        only enclosed, whose own bracket may be wider, values are handed out up to 1e-2. Where Renyi divergences are
        stated, nothing is held to it: values are certified upper bounds, ``.optimistic`` says how wide they are.
    effort : float, optional
        How much work the answer to one question may take, in nominal seconds, as of ``account``; finite, > 0. If none
        is given, 10, or the largest that a computed guarantee has.

    Returns
    -------
    ComposedGuarantee
        Values on the safe side; ``.optimistic`` holds the certified bounds of f_1 x f_2 x ... from the other side.

    Raises
    ------
    InvalidParameter
        If something is no guarantee (or one of lower bounds), there is none, their adjacencies differ, or a number lies
        outside its domain.

    Notes
    -----
    Computed guarantees compose by their own losses, each direction for itself: that one satisfies another as a curve
    does not order their powers, nor those of zCDP and RDP; a curve alone does (``Tradeoff``, ``Profile``, ``join``).

    Of zCDP and RDP two things hold at once, and so does the largest trade-off curve of both: their curves compose, and
    their divergences add, to those of the other parts too. n times rho-zCDP is (n rho)-zCDP or
    better while n rho is at most 1e12. More than 16 of
    them, or more than 6 different ones, compose as up to 16 blocks of them, each of which keeps the sum of its parts.

    The product is that of laws whose curves are the f_i (Dong, Roth and Su 2022, Definition 3.1, Theorem 3.2): exact
    laws of mu-GDP, epsilon-DP, (epsilon, delta)-DP, of piecewise straight curves and of computed guarantees; two finite
    laws that enclose the curve for any other. For a few of those, that adds to the width of their own brackets a
    relative 1e-6 where the curve has a formula, else (zCDP, RDP) about 1e-4 at delta = 1e-12, and less above.

    Examples
    --------
    >>> from neyman import GDP, compose_tradeoffs
    >>> g = compose_tradeoffs(GDP(3.0), GDP(4.0))
    >>> round(g.mu(), 12), round((GDP(3.0) * GDP(4.0)).mu(), 12), round((GDP(0.5) ** 100).mu(), 12)
    (5.0, 5.0, 5.0)
    """
    passed = alike("guarantees", guarantees, Guarantee, "given one by one, or in one list")
    if not passed:
        raise InvalidParameter("guarantees", passed, "at least one", "Nothing at all is PERFECT.")
    checked = [_checked(f"guarantees[{i}]", g) for i, g in enumerate(passed)]
    first = checked[0].adjacency
    for i, g in enumerate(checked):
        if g.adjacency != first:
            raise InvalidParameter(
                f"guarantees[{i}].adjacency", g.adjacency, f'"{first}", that of the first',
                "Promises for other neighbours do not compose; an Opaque says what a given guarantee is for.",
            )  # fmt: skip
    return _composed([(g, 1) for g in checked], tolerance, None if effort is None else positive("effort", effort))


@remembered
def repeated(guarantee: Guarantee, times: int) -> ComposedGuarantee:
    """Return what ``times`` mechanisms with this guarantee promise together; none at all is perfect privacy."""
    return _composed([(_checked("guarantee", guarantee), times)], None, None)


def _composed(
    parts: list[tuple[PessimisticGuarantee, int]], tolerance: float | None, effort: float | None
) -> ComposedGuarantee:
    known = (g.tolerance for g, _ in parts if isinstance(g, ComposedGuarantee))
    aim = max([_TOLERANCE, *known]) if tolerance is None else inside("tolerance", tolerance, 0.99e-12, 1.0)
    if effort is None:
        own = [g.effort.seconds for g, _ in parts if isinstance(g, ComposedGuarantee)]
        effort = max([EFFORT, *(seconds for seconds in own if math.isfinite(seconds))])
    steps: dict[PessimisticGuarantee, int] = {}
    for g, times in parts:  # equal ones have one law
        steps[g] = steps.get(g, 0) + times
    losses = unbundled(((BundleStep(tuple((worst_loss(g), n) for g, n in steps.items() if n)), 1),))
    return composition(losses, parts[0][0].adjacency, aim, Effort(effort), loose=tolerance is None)


def _checked(name: str, guarantee: object) -> PessimisticGuarantee:
    if not isinstance(guarantee, PessimisticGuarantee):
        raise InvalidParameter(name, guarantee, "a Guarantee", "Lower bounds (optimistic) promise nothing.")
    return guarantee
