"""Moments of the privacy loss of one step, and what they say about many: which of two mechanisms comes to dominate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from neyman._errors import InvalidParameter, NotCertified
from neyman._validate import FloatArray, choice, whole
from neyman.engines.combine.enclosed import unbundled
from neyman.engines.renyi.laws import power_laws
from neyman.losses.base import Step
from neyman.losses.custom.step import CustomStep
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.readings.powers import PowerLaw
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.mechanisms import Mechanism
from neyman.numerics.functions.gauss import gauss

__all__ = ["DominanceBound", "Moments", "dominance_bound", "moments"]

_PANELS, _ORDER = 3000, 8  # of each stretch, and Gauss nodes of a panel: nothing is certified
_SEEN = 13.5  # standard deviations on either side of each centre
_BEND = 40.0  # units of the loss on either side of where a sampled loss turns
_SMALL = 0.1  # |loss| below which e^l - 1 - l is a series
_STILL = 1e-9  # of v1: a standard deviation below has no digits left
_LEAST, _LARGEST = 1e-290, 1e290  # of a third moment
_IN_RANGE = "a step whose loss has moments, and varies, within the range of floats"
_BERRY_ESSEEN = 0.56  # Shevtsova 2010, independent summands; Dong, Roth and Su 2022, Theorem 5

Direction = Literal["remove", "add"]
_DIRECTIONS: tuple[Direction, ...] = ("remove", "add")


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of the loss of one step under H0, for the trade-off function f of one direction.

    ``v1`` = -int log|f'| = KL(Q || P), ``v2`` = int log^2|f'|, ``v3`` = int |log|f'| + v1|^3, ``v4`` = int |log|f'||^3;
    ``variance`` = v2 - v1^2, with digits of its own.
    By quadrature in double precision, about 1e-11 relative; not certified. ``g.loss`` has certified brackets of mean,
    variance and moments, of compositions too.
    """

    v1: float
    v2: float
    v3: float
    v4: float
    variance: float
    direction: Direction

    @property
    def eta(self) -> float:
        """v1 / sqrt(v2 - v1^2): N copies come near mu = 2 eta sqrt(N)."""
        return self.v1 / math.sqrt(self.variance)

    @property
    def error(self) -> float:
        """eta^3 v3 / v1^3, which divided by sqrt(N) and times 0.56 bounds how far N copies are from a Gaussian."""
        deviation = math.sqrt(self.variance)
        return self.v3 / deviation / deviation / deviation


@dataclass(frozen=True, slots=True)
class DominanceBound:
    """What the moments say of Delta(a^N_a || b^N_b): at most ``value`` if ``applies``, nothing otherwise.

    ``applies``: whether ``ratio`` = N_a / N_b is at least ``needed`` = eta_b^2 / eta_a^2.
    """

    value: float
    applies: bool
    ratio: float
    needed: float

    def __str__(self) -> str:
        """The sentence for a person."""
        compared = f"N_a / N_b = {self.ratio:.6g}, and {self.needed:.6g} is needed"
        if not self.applies:
            return f"The moments do not bound the divergence of b from a: {compared}."
        return f"By the moments, b gives away at most {self.value:.4g} of the Bayes error beyond a: {compared}."


def moments(mechanism: Mechanism, direction: str = "remove") -> Moments:
    """Return the moments of the privacy loss of one step.

    Parameters
    ----------
    mechanism : Mechanism
        A single step, such as ``Gaussian(2.0).poisson(9e-4)``.
    direction : str
        "remove" (H0 without the record) or "add": whose f is meant. For symmetric laws they agree.

    Raises
    ------
    InvalidParameter
        For several steps, a step that reveals nothing, one that may reveal the record (an atom at infinity: no moment
        exists), or one that is known only by a guarantee or by distribution functions, or where floats cannot hold the
        moments.

    Notes
    -----
    An ``Opaque`` counts as the worst mechanism that keeps its promise, where the law of that is known.

    Dong, Roth and Su (2022), Gaussian differential privacy, Theorem 5; Kaissis et al. (2024), Theorem 3.

    Examples
    --------
    >>> from neyman import Laplace
    >>> m = moments(Laplace(1.0))
    >>> round(m.v1, 9), round(m.eta, 6)  # KL divergence e^-1
    (0.367879441, 0.453727)
    """
    side: Direction = choice("direction", direction, _DIRECTIONS)
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "one step", "A Mechanism, such as Gaussian(2.0).poisson(0.01).")
    steps = unbundled(mechanism.losses())
    if len(mechanism.parts) != 1 or mechanism.parts[0][1] != 1 or len(steps) > 1 or any(n > 1 for _, n in steps):
        raise InvalidParameter("mechanism", mechanism, "one step", "Moments add; state the step that is repeated.")
    loss, log_mass = _law(mechanism, steps[0][0]) if steps else (np.zeros(1), np.zeros(1))
    if side == "add":
        loss, log_mass = -loss, log_mass + loss
    return _summed(mechanism, loss, log_mass, side)


def _summed(mechanism: Mechanism, loss: FloatArray, log_mass: FloatArray, side: Direction) -> Moments:
    """v1 is the mean of e^l - 1 - l, whose terms are all positive: e^l has mean 1."""
    if not np.any(loss):
        raise InvalidParameter("mechanism", mechanism, "a step that shows something of the record")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        mass, turned = np.exp(log_mass), np.exp(log_mass + loss)
        small = np.abs(loss) < _SMALL
        near = np.where(small, loss, 0.0)
        series = np.ones_like(near)
        for k in range(10, 2, -1):
            series = 1.0 + near / k * series
        v1 = float(np.sum(np.where(small, 0.5 * mass * near**2 * series, turned - mass - mass * loss)))
        centred = loss + v1
        v2, variance = float(mass @ loss**2), float(mass @ centred**2)
        v3, v4 = float(mass @ np.abs(centred) ** 3), float(mass @ np.abs(loss) ** 3)
    told = _LEAST < v3 <= v4 * 8.0 < _LARGEST
    if not (told and math.sqrt(variance) > _STILL * v1 > 0.0):
        raise InvalidParameter("mechanism", mechanism, _IN_RANGE)
    return Moments(v1, v2, v3, v4, variance, side)


def dominance_bound(a: Moments, copies_a: int, b: Moments, copies_b: int) -> DominanceBound:
    """Return the bound on Delta(a^N_a || b^N_b) that follows from the moments, and whether it applies.

    0.56 (eta_a^3 v3_a / (sqrt(N_a) v1_a^3) + eta_b^3 v3_b / (sqrt(N_b) v1_b^3)), if N_a / N_b >= eta_b^2 / eta_a^2.

    Parameters
    ----------
    a, b : Moments
        Of one step each, from ``moments``.
    copies_a, copies_b : int
        How often each is applied, >= 1.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Kaissis et al. (2024), Theorem 3; it supposes symmetric trade-off functions. For an asymmetric direction it speaks
    of that direction's f alone. As good as the moments are: no certificate.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> a, b = (moments(Gaussian(s).poisson(9e-4)) for s in (2.0, 3.0))
    >>> bound = dominance_bound(a, 1_400_000, b, 3_400_000)
    >>> f"{bound.value:.3g}", bound.applies, round(bound.ratio, 5), round(bound.needed, 5)
    ('0.00168', False, 0.41176, 0.41383)
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Moments):
            raise InvalidParameter(name, value, "Moments", "See moments(mechanism).")
    n, m = whole("copies_a", copies_a, 1, 10**18), whole("copies_b", copies_b, 1, 10**18)
    value = _BERRY_ESSEEN * (a.error / math.sqrt(n) + b.error / math.sqrt(m))
    ratio, needed = n / m, (b.eta / a.eta) ** 2
    return DominanceBound(value, ratio >= needed, ratio, needed)


def _law(mechanism: Mechanism, step: Step) -> tuple[FloatArray, FloatArray]:
    """Losses and log masses under Q, those of a quadrature among them."""
    if isinstance(step, DiscreteStep) and max(step.table().infinite) > 0.0:
        advice = "No moment of its loss exists."
        raise InvalidParameter("mechanism", mechanism, "a step without mass at infinity", advice)
    known = SubsampledGaussianStep(1.0 / step.mu, 1.0) if isinstance(step, GaussianStep) and step.mu > 0.0 else step
    try:
        laws = None if isinstance(known, (GaussianStep, CustomStep)) else power_laws(known)
    except NotCertified:  # a law that floats cannot weigh
        raise InvalidParameter("mechanism", mechanism, _IN_RANGE) from None
    if laws is None:
        raise InvalidParameter("mechanism", mechanism, "a step whose law is known, not only a guarantee of it")
    law = laws[1]
    pieces = [_nodes(part, law) for part in law.parts] + [(law.loss, law.log_q)]
    loss, log_mass = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return loss, log_mass - math.log(float(np.sum(np.exp(log_mass))))


def _nodes(part: SmoothPart, law: PowerLaw) -> tuple[FloatArray, FloatArray]:
    """A composite Gauss-Legendre rule, or every whole number."""
    if law.integers:
        far = _SEEN / math.sqrt(part.bend) + 2.0 * part.rise / part.bend
        z = np.arange(math.ceil(max(part.low, -far)), math.floor(min(part.high, far)) + 1.0)
        log_weight = np.zeros(len(z))
    else:
        node, share = gauss(_ORDER)
        edge = _edges(part)
        half = 0.5 * np.diff(edge)
        z = (0.5 * (edge[1:] + edge[:-1])[:, None] + half[:, None] * node).ravel()
        log_weight = np.log((half[:, None] * share).ravel())
    log_density, loss, _, _ = part.at(z)
    return loss, log_density + log_weight


def _edges(part: SmoothPart) -> FloatArray:
    """Panels over the bulk of each law, and over where the loss of a sampled one turns, however far apart they are."""
    grids = [np.array([part.low, part.high])]
    if part.bend > 0.0:
        spread, shift = 1.0 / math.sqrt(part.bend), part.rise / part.bend
        around = np.linspace(-_SEEN * spread, _SEEN * spread, _PANELS + 1)
        grids = [around, shift + around, around - shift]
        low, high = -_SEEN * spread - shift, _SEEN * spread + shift
    else:
        low, high = part.low, part.high
        grids.append(np.linspace(low, high, _PANELS + 1))
    if part.rate < 1.0:
        turn = (part.offset - part.logit) / part.rise
        bend = np.linspace(-_BEND / part.rise, _BEND / part.rise, _PANELS + 1)
        grids += [turn + bend, bend - turn]
    edges = np.unique(np.clip(np.concatenate(grids), low, high))
    return edges[np.append(True, np.diff(edges) > 0.0)]
