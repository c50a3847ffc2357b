"""Moments of the privacy loss of one step, and what they say about many: which of two mechanisms comes to dominate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, choice, whole
from neyman.losses.base import Step
from neyman.losses.discrete import DiscreteStep
from neyman.losses.gaussian import GaussianStep
from neyman.losses.power_law import PowerLaw, power_laws
from neyman.losses.smooth_part import SmoothPart
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep
from neyman.mechanisms import Mechanism

__all__ = ["DominanceBound", "Moments", "dominance_bound", "moments"]

_PANELS, _ORDER = 6000, 8
_SEEN = 13.5  # standard deviations on either side
_BERRY_ESSEEN = 0.56  # Shevtsova 2010, independent summands; Dong, Roth and Su 2022, Theorem 5

Direction = Literal["remove", "add"]
_DIRECTIONS: tuple[Direction, ...] = ("remove", "add")


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of the loss of one step under H0, for the trade-off function f of one direction.

    ``v1`` = -int log|f'| = KL(Q || P), ``v2`` = int log^2|f'|, ``v3`` = int |log|f'| + v1|^3, ``v4`` = int |log|f'||^3.
    By quadrature in double precision, about 1e-11 relative; not certified.
    """

    v1: float
    v2: float
    v3: float
    v4: float
    direction: Direction

    @property
    def eta(self) -> float:
        """v1 / sqrt(v2 - v1^2): N copies come near mu = 2 eta sqrt(N)."""
        return self.v1 / math.sqrt(self.v2 - self.v1**2)

    @property
    def error(self) -> float:
        """eta^3 v3 / v1^3, which divided by sqrt(N) and times 0.56 bounds how far N copies are from a Gaussian."""
        return self.eta**3 * self.v3 / self.v1**3


@dataclass(frozen=True, slots=True)
class DominanceBound:
    """What the moments say of Delta(a^N_a || b^N_b): at most ``value`` if ``applies``, nothing otherwise.

    ``applies``: whether ``ratio`` = N_a / N_b is at least ``needed`` = eta_b^2 / eta_a^2.
    """

    value: float
    applies: bool
    ratio: float
    needed: float


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
        exists), or one that is known only by a guarantee or by distribution functions.

    Notes
    -----
    Dong, Roth and Su (2022), Gaussian differential privacy, Theorem 5; Kaissis et al. (2024), Theorem 3.

    Examples
    --------
    >>> from neyman import Laplace
    >>> m = moments(Laplace(1.0))
    >>> round(m.v1, 9), round(m.eta, 6)  # KL divergence e^-1
    (0.367879441, 0.453727)
    """
    side: Direction = choice("direction", direction, _DIRECTIONS)
    if not isinstance(mechanism, Mechanism) or len(mechanism.parts) != 1 or mechanism.parts[0][1] != 1:
        raise InvalidParameter("mechanism", mechanism, "one step", "Moments add; state the step that is repeated.")
    ((step, _),) = mechanism.losses()
    loss, mass = _law(step)
    if side == "add":
        loss, mass = -loss, mass * np.exp(loss)
    v1 = -float(mass @ loss)
    if not v1 > 0.0:
        raise InvalidParameter("mechanism", mechanism, "a step that shows something of the record")
    return Moments(
        v1, float(mass @ loss**2), float(mass @ np.abs(loss + v1) ** 3), float(mass @ np.abs(loss) ** 3), side
    )


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


def _law(step: Step) -> tuple[FloatArray, FloatArray]:
    """Losses and masses under Q, those of a quadrature among them."""
    if isinstance(step, DiscreteStep) and max(step.table().infinite) > 0.0:
        raise InvalidParameter("mechanism", step, "a step without mass at infinity", "No moment of its loss exists.")
    known = SubsampledGaussianStep(1.0 / step.mu, 1.0) if isinstance(step, GaussianStep) and step.mu > 0.0 else step
    laws = None if isinstance(known, GaussianStep) else power_laws(known)
    if laws is None:
        raise InvalidParameter("mechanism", step, "a step whose law is known, not only a guarantee of it")
    law = laws[1]
    pieces = [_nodes(part, law) for part in law.parts] + [(law.loss, np.exp(law.log_q))]
    loss, mass = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return loss, mass / float(np.sum(mass))


def _nodes(part: SmoothPart, law: PowerLaw) -> tuple[FloatArray, FloatArray]:
    """A composite Gauss-Legendre rule, or every whole number."""
    low, high = part.low, part.high
    if not (math.isfinite(low) and math.isfinite(high)):
        spread = 1.0 / math.sqrt(part.bend)
        far = _SEEN * spread + 2.0 * part.rise / part.bend
        low, high = max(low, -far), min(high, far)
    if law.integers:
        z = np.arange(math.ceil(low), math.floor(high) + 1.0)
        weight = np.ones(len(z))
    else:
        node, share = np.polynomial.legendre.leggauss(_ORDER)
        edge = np.linspace(low, high, _PANELS + 1)
        half = 0.5 * np.diff(edge)
        z = (0.5 * (edge[1:] + edge[:-1])[:, None] + half[:, None] * node).ravel()
        weight = (half[:, None] * share).ravel()
    log_density, loss, _, _ = part.at(z)
    return loss, weight * np.exp(log_density)
