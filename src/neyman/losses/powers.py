"""A step as a Renyi divergence needs it: lone outcomes, and smooth parts on the line or on the integers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.base import Step
from neyman.losses.custom.bins import CustomGrid
from neyman.losses.custom.step import CustomStep
from neyman.losses.discrete.steps import DiscreteGaussianStep, DiscreteStep
from neyman.losses.discrete.theta_renyi import log_theta
from neyman.losses.gaussian.replaced import ReplacedGaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.bins import LaplaceLaw
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.losses.whole import demand_whole, total
from neyman.numerics.gauss import gauss
from neyman.numerics.rounding import UNIT

__all__ = ["PowerLaw", "power_laws"]

_BINS = 1 << 16  # of a loss known by its distribution functions
_ROUNDED = 1e-9  # masses that distribution functions may lose to rounding
_WEIGHED = 1e-9  # error of the plain sum of a smooth part: far below any loss of mass that matters
_NONE = np.zeros(0)
_NODES, _WEIGHTS = gauss(8)


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """The two laws given that nothing is revealed: ``log_whole`` are the logs of P(L < inf) and Q(L > -inf).

    Outcomes have their ``loss`` within ``loss_error`` and their mass under Q within a relative ``relative``. With
    ``integers`` the density of a smooth part is a mass on each integer.
    """

    parts: tuple[SmoothPart, ...] = ()
    loss: FloatArray = field(default_factory=lambda: _NONE)
    log_q: FloatArray = field(default_factory=lambda: _NONE)
    loss_error: FloatArray = field(default_factory=lambda: _NONE)
    relative: float = 0.0
    integers: bool = False
    log_whole: tuple[float, float] = (0.0, 0.0)
    vague: float = 0.0  # relative error of each of ``log_whole``
    cut: bool = False  # whether outcomes were left out


@lru_cache(maxsize=16)
def power_laws(step: Step) -> tuple[PowerLaw, PowerLaw] | None:
    """Return a law whose divergences are never above those of ``step``, and one whose are never below; None where a
    step is known otherwise.

    They differ where a parameter was rounded on the way from a mechanism, or where the law is only enclosed.

    Raises
    ------
    NotCertified
        If one of them does not weigh 1.
    """
    laws = _laws(step)
    if laws is not None and not isinstance(step, CustomStep):  # whose bins have been weighed
        for law in laws:
            _weigh(law, step)
    return laws


def _laws(step: Step) -> tuple[PowerLaw, PowerLaw] | None:
    if isinstance(step, SubsampledGaussianStep):
        return _gaussian(step.widest, step.rate, 0), _gaussian(step.sigma, step.rate, 0)
    if isinstance(step, ReplacedGaussianStep):
        return _gaussian(step.widest, step.rate, 1), _gaussian(step.sigma, step.rate, 1)
    if isinstance(step, LaplaceStep):
        return _laplace(step.ends[0]), _laplace(step)
    if isinstance(step, DiscreteGaussianStep):
        law = _on_integers(step)
        return law, law
    if isinstance(step, DiscreteStep):
        law = _listed(step)
        return law, law
    return _enclosed(step) if isinstance(step, CustomStep) else None


def _gaussian(sigma: float, rate: float, down: int) -> PowerLaw:
    """On z = x / sigma; ``down`` where Q, too, is a mixture."""
    rise = 1.0 / sigma
    constant = -0.5 * math.log(2.0 * math.pi)
    part = SmoothPart(
        -math.inf, math.inf, constant, 0.0, 1.0, rise, 0.5 * rise * rise, rate, (0.0, float(down)), (1.0, -float(down))
    )
    return PowerLaw((part,))


def _on_integers(step: DiscreteGaussianStep) -> PowerLaw:
    bend = 1.0 / step.sigma**2
    rise, down = step.shift * bend, float(step.two_sided)
    part = SmoothPart(
        -math.inf, math.inf, -log_theta(step.sigma), 0.0, bend, rise, 0.5 * step.shift * rise, step.rate, (0.0, down),
        (1.0, -down),
    )  # fmt: skip
    return PowerLaw((part,), integers=True)


def _laplace(step: LaplaceStep) -> PowerLaw:
    law = LaplaceLaw(step)
    loss, log_q = law.atoms
    parts = tuple(
        SmoothPart(
            -piece.d, piece.d, piece.log_weight - 0.5 * piece.d, -0.5, 0.0, 1.0, 0.0, piece.rate,
            (1.0 if piece.sign < 0.0 else 0.0, 0.0), (piece.sign, 0.0), piece.sign * piece.level,
        )
        for piece in law.pieces
    )  # fmt: skip
    error = 8.0 * UNIT * (np.abs(loss) + step.rate * math.expm1(min(law.d, 1.0)))
    return PowerLaw(parts, loss, log_q, error, 16.0 * UNIT * (1.0 + law.d + float(np.max(np.abs(loss)))))


def _listed(step: DiscreteStep) -> PowerLaw:
    table, log_whole, off = step.table().whole()
    error = table.slack + (table.stretch + 2.0 * UNIT) * np.abs(table.loss)
    shares = (room / -log for log, room in zip(log_whole, off, strict=True) if -math.inf < log < 0.0)
    vague = 4.0 * UNIT + max(shares, default=0.0)
    relative = table.relative + 2.0 * UNIT * float(np.max(np.abs(table.log_q), initial=0.0))
    return PowerLaw((), table.loss, table.log_q, error, relative, False, log_whole, vague, table.dropped > 0.0)


def _enclosed(step: CustomStep) -> tuple[PowerLaw, PowerLaw]:
    """What a bin holds, at one loss (below: Jensen) or at its two ends (above): r^t is convex in r."""
    grid = CustomGrid(step)
    width = grid.span((0.0, 0.0))
    h = width / _BINS
    split = grid.given(h, _BINS).weighed(step)
    edge = split.base + h * np.arange(_BINS + 1)
    rounding = 4.0 * UNIT * np.exp(-np.maximum(edge[:-1], 0.0))  # of the distribution functions, bin by bin
    index, log_node = split.nodes
    whole = split.lower + split.upper
    with np.errstate(divide="ignore", invalid="ignore"):
        risen = math.expm1(h) * split.upper / np.where(whole > 0.0, whole, 1.0)
        lower = np.log(np.maximum(whole - rounding, 0.0)), edge[:-1] + np.log1p(risen)
        masses = np.append(split.lower + rounding, 0.0) + np.append(0.0, split.upper + rounding)
        upper = np.log(masses), edge
    slack = split.slack + 4.0 * UNIT * float(np.max(np.abs(edge)))
    # what has no place counts as revealed, and the rest is scaled to be a law; below, only what is more than rounding
    lost_p = math.exp(max(split.above)) if math.isinf(grid.end(True)) else 0.0
    lost_q = math.exp(max(split.below)) if math.isinf(grid.end(False)) else 0.0
    laws: list[PowerLaw] = []
    for (log_q, loss), least in ((lower, _ROUNDED), (upper, 0.0)):
        log_a, log_b = (math.log1p(-mass) if mass > least else 0.0 for mass in (lost_p, lost_q))
        some = np.isfinite(log_q)
        losses = np.append(loss[some], edge[index]) + (log_b - log_a)
        logs = np.append(log_q[some], log_node) - log_b
        error = np.full(len(losses), slack)
        laws.append(PowerLaw((), losses, logs, error, split.relative, False, (log_a, log_b), 1e-9))
    return laws[0], laws[1]


def _weigh(law: PowerLaw, step: Step) -> None:
    """Whether lone outcomes and smooth parts together weigh 1: the latter by a plain sum, to ``_WEIGHED``."""
    if isinstance(step, DiscreteStep) and max(step.table().infinite) >= 1.0:  # no finite loss: nothing to weigh
        return
    for side, under in ((1, "P"), (0, "Q")):
        mass, rounding = total(law.log_q + side * law.loss)
        off = rounding + mass * (law.relative + 2.0 * side * float(np.max(law.loss_error, initial=0.0)))
        for part in law.parts:
            z, log_width = _nodes_of(part, law.integers)
            log_density, loss, *_ = part.at(z)
            mass += total(log_density + side * loss + log_width)[0]
        demand_whole(step, under, mass, off + (_WEIGHED if law.parts else 0.0))


def _nodes_of(part: SmoothPart, integers: bool) -> tuple[FloatArray, FloatArray | float]:
    """Where a part is looked at, and the log of what each look stands for."""
    if part.bend == 0.0:
        panels = math.ceil((part.high - part.low) / 0.7)
        half = 0.5 * (part.high - part.low) / panels
        middle = part.low + half * (2.0 * np.arange(panels) + 1.0)
        return (middle[:, None] + half * _NODES).ravel(), np.tile(np.log(half * _WEIGHTS), panels)
    # normal laws about 0 and, where a record takes part, rise / bend on either side of it: far apart, each by itself
    spread = 1.0 / math.sqrt(part.bend)
    gap = max(1.0, math.floor(0.25 * spread)) if integers else 0.25 * spread
    reach, shift = math.ceil(13.0 * spread / gap), round(part.rise / part.bend / gap)
    near = np.arange(-reach, reach + 1.0)
    place = np.unique(np.concatenate([near, near + shift, near - shift]))
    return gap * place, math.log(gap)
