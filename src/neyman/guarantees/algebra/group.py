"""From the guarantee for one record to that for a group of k: ``Guarantee.group``."""

from __future__ import annotations

import math

from neyman._errors import InvalidParameter
from neyman._remade import remembered
from neyman.engines.closed_form.pairs import BlatantProfile, GaussianProfile, PerfectProfile
from neyman.guarantees.algebra.reversal import like
from neyman.guarantees.given.extremes import BLATANT
from neyman.guarantees.given.gdp import GDP
from neyman.guarantees.given.rdp import LARGEST_RHO, ZCDP
from neyman.guarantees.groups.profile import GroupedProfile, multiple
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["group_of"]

_MOST_STEPS = 1000  # records of a group at most, unless f is Gaussian or a rho is stated
_SAME = 1e-6, 200.0  # k^2 rho beyond which the curve of one record, k times, says nothing more that floats show


@remembered
def group_of(g: Guarantee, times: int) -> Guarantee:
    """``g`` for ``times`` records at once: in closed form where f is Gaussian or an extreme."""
    sides = g.sides
    if times == 1 or (sides.symmetric and isinstance(sides.forward, (BlatantProfile, PerfectProfile))):
        return g
    if isinstance(g, GDP):
        mu, least = multiple(g.tail_mu, times), multiple(g.least, times, up=False)
        return GDP.between(least, mu) if math.isfinite(mu) else BLATANT
    if sides.symmetric and isinstance(sides.forward, GaussianProfile):
        mu, least = multiple(sides.forward.mu, times), multiple(sides.forward.least, times, up=False)
        gaussian = GaussianProfile(mu, least) if math.isfinite(mu) else BlatantProfile()
        return like(g, PessimisticGuarantee(Pair(gaussian, gaussian), g.adjacency, g.effort))
    stated = g.pessimistic.divergences.statement
    rho = math.inf if stated is None else multiple(stated.rho, times * times)
    if isinstance(sides.forward, GroupedProfile) and isinstance(sides.backward, GroupedProfile):
        sides, times = sides.forward.of, times * sides.forward.times  # a group of groups is a larger group
    # k^2 rho-zCDP where rho-zCDP is stated: Bun and Steinke 2016, proposition 1.9
    concentrated = ZCDP(rho) if 0.0 < rho <= LARGEST_RHO else None
    if concentrated is not None and (not _SAME[0] <= rho <= _SAME[1] or times > _MOST_STEPS):
        return like(g, concentrated)
    if times > _MOST_STEPS:
        raise InvalidParameter(
            "k", times, f"at most {_MOST_STEPS} in all unless f is Gaussian",
            "State what the guarantee implies, GDP(g.tail_mu) say, and take the group of that.",
        )  # fmt: skip
    forward = _grouped(sides, times, concentrated)
    backward = forward if sides.symmetric else _grouped(sides.reversed, times, concentrated)
    words = None if concentrated is None else concentrated.divergences.statement
    with g.effort:  # as much as one more question may cost
        _ = forward.start, backward.start
    return like(g, PessimisticGuarantee(Pair(forward, backward), g.adjacency, g.effort, words))


def _grouped(sides: Pair, times: int, concentrated: ZCDP | None) -> GroupedProfile:
    """Beside what is stated, or else the Gaussian that holds at every alpha."""
    mu = multiple(sides.tail_mu, times)
    if concentrated is not None:
        known: Profile | None = concentrated.sides.forward
    else:
        known = GaussianProfile(mu) if 0.0 < mu < math.inf else None
    return GroupedProfile(sides, times, known)
