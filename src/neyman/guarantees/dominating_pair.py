"""The dominating pair of a guarantee: the loss of the worst mechanism that keeps it, exact or enclosed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from neyman.engines.closed_form.enclosed_corners import EnclosedCorners
from neyman.engines.closed_form.pairs import BlatantProfile, ClosedForm, GaussianProfile, PerfectProfile, SampledProfile
from neyman.engines.line.profile import LineProfile
from neyman.engines.region.profile import RegionProfile
from neyman.guarantees.computed import ComposedGuarantee
from neyman.guarantees.given.approximate import ApproximateDP
from neyman.guarantees.given.base import Given
from neyman.guarantees.given.profile import Profile
from neyman.guarantees.given.pure import PureDP
from neyman.guarantees.given.tradeoff import Tradeoff
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.losses.base import Step
from neyman.losses.discrete.steps import ApproximateStep, TabulatedStep
from neyman.losses.enclosed.step import BundleStep, EnclosedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.mechanisms.stated.randomized_response import pure_loss

__all__ = ["worst_loss"]

_MOST_READ = 1 << 15  # places at which a profile is read that takes microseconds each
_MOST_CORNERS = 1 << 12  # of a curve, each an outcome
_GAUSSIAN = (1e-100, 1e100)  # mu whose square, and inverse, are floats


@dataclass(frozen=True)
class _Turned:
    """Names the promise of a curve for "add"."""

    guarantee: PessimisticGuarantee

    @property
    def tail_mu(self) -> float:
        return self.guarantee.tail_mu


def worst_loss(guarantee: PessimisticGuarantee, rate: float = 1.0, turned: bool = False) -> Step:
    """Return a step whose pair (P, Q) has the guarantee's trade-off curve, P for "remove".

    With ``rate`` < 1 the pair is ((1 - rate) Q + rate P, Q). ``turned`` where a given curve, which says nothing of
    neighbours by itself, was stated for a record that is added.

    Examples
    --------
    >>> worst_loss(PureDP(1.0))
    RandomizedResponseStep(epsilon=1.0, k=2, rate=1.0)
    """
    if rate == 1.0 and isinstance(guarantee, ComposedGuarantee) and guarantee.losses is not None:
        return BundleStep(guarantee.losses)
    turned = turned and not guarantee.sides.symmetric and guarantee.adjacency != "add"
    found = _named(guarantee, rate, turned)
    return _enclosed(guarantee, rate, turned) if found is None else found


def _named(guarantee: PessimisticGuarantee, rate: float, turned: bool) -> Step | None:
    """The step that is this one exactly, if there is one."""
    profile = guarantee.sides.forward if guarantee.sides.symmetric else None
    if isinstance(profile, GaussianProfile) and _GAUSSIAN[0] <= profile.mu <= _GAUSSIAN[1]:
        mu, least = profile.mu, profile.least
        if rate == 1.0:
            return GaussianStep(mu, least)
        return SubsampledGaussianStep(at_most(1 / Fraction(mu)), rate, at_least(1 / Fraction(least)))
    if isinstance(profile, PerfectProfile) or (isinstance(profile, GaussianProfile) and profile.mu == 0.0):
        return BundleStep(())
    if isinstance(profile, BlatantProfile):
        return TabulatedStep((1.0, 0.0), (0.0, 1.0), rate)
    if not isinstance(guarantee, Given):
        return None
    words = guarantee.stated
    if isinstance(guarantee, PureDP):
        return pure_loss(_number(words["epsilon"]), rate)
    if isinstance(guarantee, ApproximateDP) and _number(words["delta"]) < 1.0:
        epsilon, delta = _number(words["epsilon"]), _number(words["delta"])
        return ApproximateStep(epsilon, delta, rate) if delta else pure_loss(epsilon, rate)
    return _edges(guarantee, rate, turned) if isinstance(guarantee, Tradeoff) else None


def _edges(curve: Tradeoff, rate: float, turned: bool) -> Step | None:
    """An outcome for each edge of the curve; None where rounding has left corners that are none."""
    alpha, beta = (np.asarray(curve.stated[name], dtype=np.float64) for name in ("alphas", "betas"))
    p = np.concatenate([[1.0 - beta[0]], -np.diff(beta), [0.0]])
    q = np.concatenate([[0.0], np.diff(alpha), [1.0 - alpha[-1]]])
    edges = p[1:-1] > 0.0  # all else is level, at 0
    with np.errstate(divide="ignore"):
        falls = np.diff(np.log(p[1:-1][edges]) - np.log(q[1:-1][edges])) < -1e-11
    if not bool(falls.all()):
        return None
    if turned:
        p, q = q, p
    kept = (p > 0.0) | (q > 0.0)
    return TabulatedStep(tuple(p[kept].tolist()), tuple(q[kept].tolist()), rate)


def _enclosed(guarantee: PessimisticGuarantee, rate: float, turned: bool) -> EnclosedStep:
    sides = guarantee.sides
    remove, add = sides.forward, sides.backward
    if turned or guarantee.adjacency == "add":
        remove, add = add, remove
    promise = _Turned(guarantee) if turned else guarantee
    quick = all(isinstance(side, ClosedForm) and not isinstance(side, RegionProfile) for side in (remove, add))
    if rate < 1.0:
        sampled = SampledProfile((remove, remove), rate, "remove"), SampledProfile((add, add), rate, "add")
        return EnclosedStep(promise, rate, *sampled, quick=quick)
    corners: tuple[float, ...] = ()
    if isinstance(guarantee, Profile):
        epsilons = guarantee.stated["epsilons"]
        corners = tuple(e for e in epsilons if e > 0.0) if isinstance(epsilons, tuple) else ()
    elif isinstance(remove, EnclosedCorners) and isinstance(add, EnclosedCorners):
        knots = np.union1d(remove.knots, add.knots)
        corners = tuple(knots[knots > 0.0].tolist()) if len(knots) <= _MOST_CORNERS else ()
    if isinstance(remove, LineProfile):
        return EnclosedStep(promise, rate, remove, add, corners, quick, _MOST_READ)
    return EnclosedStep(promise, rate, remove, add, corners, quick)


def _number(value: float | tuple[float, ...]) -> float:
    return float(value) if not isinstance(value, tuple) else value[0]
