"""Laws by their readings: one row a law, and whatever can be read of it is compared with whatever else can.

Two functionals are common to all readings: log A(w) = log E_Q[e^{wL}] and delta(eps) = E_Q[(e^L - e^eps)_+], in the
orientation "remove". A reading answers with an interval that it holds to contain the truth, or with None.
A new law is a row of ``LAWS``: its readings are found by what the engines are handed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neyman.engines.closed_form.single import single
from neyman.engines.contour.laws import transform
from neyman.engines.lattice.complement import LatticeGap, spacing
from neyman.engines.lattice.cumulant import Cumulant
from neyman.engines.lattice.tilt import plan_tilt
from neyman.engines.renyi.step import step_divergence
from neyman.losses.base import Step
from neyman.losses.custom.step import CustomStep
from neyman.losses.discrete.steps import (
    ApproximateStep,
    DiscreteGaussianStep,
    DiscreteLaplaceStep,
    DiscreteStep,
    RandomizedResponseStep,
    TabulatedStep,
)
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.readings.bins import BinSplit
from neyman.losses.readings.transform import Transform
from neyman.numerics.rounding import UNIT

ORDERS = (0.0, 0.25, 0.5, 0.9, 1.0, 1.5, 3.0, -1.0)
BINS = 2000
PLANNED = 1e-8  # of what only steers plans, and of K in Chernoff's bounds, which leave 1e-6

Interval = tuple[float, float]


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(min(max(math.exp(rng.uniform(math.log(low), math.log(high))), low), high))


def rate(rng: np.random.Generator, whole: bool = True) -> float:
    """In (0, 1), log-uniform towards either end and to it; sometimes 1 where that is allowed."""
    kind = rng.integers(6 if whole else 5)
    if kind == 0:
        return float(rng.choice([1e-300, 1.0 - UNIT, 0.5]))
    if kind == 1:
        return log_uniform(rng, 1e-300, 1.0 - UNIT)
    if kind == 2:
        return log_uniform(rng, 1e-6, 0.9)
    if kind == 3:
        return 1.0 - log_uniform(rng, UNIT, 0.5)
    return float(rng.uniform(1e-3, 0.999)) if kind == 4 else 1.0


def table(rng: np.random.Generator) -> TabulatedStep:
    k = int(rng.integers(2, 6))
    p, q = rng.dirichlet(np.full(k, 0.5), 2)
    if rng.integers(2):
        p[0] = 0.0
    return TabulatedStep(tuple(p / math.fsum(p)), tuple(q / math.fsum(q)), rate(rng))


def laplace_by_its_distributions(rng: np.random.Generator) -> CustomStep:
    d = log_uniform(rng, 0.05, 20.0)

    def q_cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < -d, 0.0, np.where(x >= d, 1.0, 1.0 - 0.5 * np.exp(-0.5 * (np.clip(x, -d, d) + d))))

    def p_cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < -d, 0.0, np.where(x >= d, 1.0, 0.5 * np.exp(0.5 * (np.clip(x, -d, d) - d))))

    return CustomStep(p_cdf, q_cdf, -d, d, log_uniform(rng, 1e-3, 1.0))


LAWS: dict[str, Callable[[np.random.Generator], Step]] = {
    "Gaussian": lambda rng: GaussianStep(log_uniform(rng, 1e-12, 60.0)),
    "sampled Gaussian": lambda rng: SubsampledGaussianStep(log_uniform(rng, 2e-2, 1e12), rate(rng, whole=False)),
    "exchanged Gaussian": lambda rng: ReplacedGaussianStep(log_uniform(rng, 0.05, 1e12), rate(rng, whole=False)),
    "Laplace": lambda rng: LaplaceStep(log_uniform(rng, 1.0 / 700.0, 1e15), rate(rng)),
    "sampled Laplace of small scale": lambda rng: LaplaceStep(1.0 / rng.uniform(8.0, 45.0), rate(rng, whole=False)),
    "exchanged Laplace": lambda rng: LaplaceStep(log_uniform(rng, 1.0 / 350.0, 1e15), rate(rng, whole=False), True),
    "discrete Gaussian": lambda rng: DiscreteGaussianStep(
        log_uniform(rng, 0.05, 300.0), int(rng.integers(1, 4)), rate(rng)
    ),
    "exchanged discrete Gaussian": lambda rng: DiscreteGaussianStep(
        log_uniform(rng, 0.05, 300.0), int(rng.integers(1, 4)), rate(rng, whole=False), True
    ),
    "discrete Laplace": lambda rng: DiscreteLaplaceStep(
        log_uniform(rng, 0.05, 1e9), int(rng.integers(1, 30)), rate(rng)
    ),
    "exchanged discrete Laplace": lambda rng: DiscreteLaplaceStep(
        log_uniform(rng, 0.1, 1e9), int(rng.integers(1, 30)), rate(rng, whole=False), True
    ),
    "randomized response": lambda rng: RandomizedResponseStep(
        log_uniform(rng, 1e-12, 700.0), int(rng.integers(2, 9)), rate(rng)
    ),
    "approximate": lambda rng: ApproximateStep(log_uniform(rng, 1e-9, 300.0), log_uniform(rng, 1e-30, 0.9), rate(rng)),
    "table": table,
    "distribution functions": laplace_by_its_distributions,
}


@dataclass(frozen=True)
class Reading:
    """What is read of one step: an interval for log A(w), and one for delta(eps), each where it can."""

    name: str
    log_a: Callable[[float], Interval | None]
    delta: Callable[[float], Interval | None]


def nothing(_: float) -> None:
    return None


def readings(step: Step) -> list[Reading]:
    """All that the engines may be handed, given that the step reveals nothing."""
    found = [_bins(step), _powers(step), _between(step)]
    law = transform(step)
    if law is not None:
        found += [
            Reading("transform", lambda w: _on_line(law, w), nothing),
            Reading("moments", lambda w: _moments(law, w), nothing),
        ]
    if isinstance(step, DiscreteStep):
        found.append(_outcomes(step))
    closed = single(((step, 1),))
    if closed is not None:
        found.append(Reading("closed form", nothing, lambda eps: _closed(closed, eps)))
    return found


def _on_line(law: Transform, w: float) -> Interval | None:
    cut = float(law.moments(np.array([w])).cut[0])
    if math.isnan(cut):  # no line is laid there
        return None
    log_a, error = law.on_line(w, np.zeros(1), cut, 36.0)
    value, room = float(log_a[0].real), 1.01 * float(error[0]) + 4.0 * UNIT * abs(float(log_a[0].real))
    room += PLANNED if math.isfinite(cut) else 0.0
    return (value - room, value + room) if room < 1.0 else None


def _moments(law: Transform, w: float) -> Interval | None:
    moments = law.moments(np.array([w]))
    value = float(moments.log_a[0])
    if math.isnan(float(moments.cut[0])) or not math.isfinite(value):
        return None
    # a law cut in a valley is of less
    room = PLANNED * (1.0 if math.isinf(float(moments.cut[0])) else 100.0) + 32.0 * UNIT * abs(value)
    return value - room, value + room


def _powers(step: Step) -> Reading:
    def log_a(w: float) -> Interval | None:
        if w in (0.0, 1.0) or step_known(step) is None:
            return None
        # log A(w) = (w - 1) D_w(P || Q), and of the other direction w -> 1 - w
        order, remove = (w, True) if w > 0.0 else (1.0 - w, False)
        low, high = (float(step_divergence(step, np.array([order]), remove, side)[0]) for side in (False, True))
        ends = sorted(((order - 1.0) * low, (order - 1.0) * high))
        return ends[0], ends[1]

    return Reading("powers", log_a, nothing)


def step_known(step: Step) -> Step | None:
    """Divergences count what is revealed, the other readings do not."""
    return None if isinstance(step, DiscreteStep) and max(step.table().infinite) > 0.0 else step


def _outcomes(step: DiscreteStep) -> Reading:
    whole = step.table().whole()[0]
    far = float(np.max(np.abs(whole.loss)))
    off = whole.slack + whole.stretch * far
    fixed = whole.relative + 8.0 * UNIT * (1.0 + far + float(np.max(np.abs(whole.log_q))))

    def log_a(w: float) -> Interval | None:
        logs = whole.log_q + w * whole.loss
        if whole.dropped > 0.0 and max(logs[0], logs[-1]) > logs.max() - 60.0:
            return None
        value = float(np.logaddexp.reduce(logs))
        room = fixed + abs(w) * (off + 4.0 * UNIT * far) + len(logs) * UNIT
        return value - room, value + room

    def delta(eps: float) -> Interval | None:
        height = np.array([eps - whole.loss + side * (off + 4.0 * UNIT * far) for side in (1.0, -1.0)])
        with np.errstate(over="ignore"):
            parts = np.maximum(-np.expm1(np.minimum(height, 0.0)), 0.0) @ np.exp(whole.log_q + whole.loss)
        room = 2.0 * fixed + off + len(whole.loss) * UNIT
        return float(parts[0]) * (1.0 - room) - 1e-300, float(parts[1]) * (1.0 + room) + 1e-290

    return Reading("outcomes", log_a, delta)


def _bins(step: Step) -> Reading:
    law = step.bins()
    look = law.tilted(0.5, 0.5, 1, True)
    reach = law.extended((look.reach[0], look.reach[1]), 44.0, True)
    if not math.isinf(law.end(False)) or isinstance(step, (DiscreteStep, CustomStep, LaplaceStep)):
        reach = (min(reach[0], law.tilted(0.5, 0.5, 1, False).reach[0]), reach[1])
    if isinstance(step, DiscreteStep):
        reach = (0.0, float(np.ptp(step.table().whole()[0].loss)))
    h = law.span(reach) / BINS
    if not h > 0.0:  # one outcome, which says nothing
        return Reading("bins", nothing, nothing)
    if law.unit is not None and law.unit / h < 100.0 * BINS:
        h = law.unit / math.ceil(law.unit / h)
    split = law.bins(h, *law.cut(reach, h), True).weighed(law)
    pieces = masses(split)

    def log_a(w: float) -> Interval | None:
        # concave between 0 and 1: a chord is below, the mean of a bin above; what is outside, by Hoelder
        if not 0.0 < w < 1.0:
            return None
        p, q, low, high = pieces
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(q > 0.0, q ** (1.0 - w) * p**w, 0.0)
        lost = sum(math.exp((1.0 - w) * tail[0] + w * tail[1]) for tail in (split.below, split.above))
        room = _room(split)
        chord = math.fsum([*(low * np.exp(w * edges(split)[:-1])), *(high * np.exp(w * edges(split)[1:]))])
        nodes = math.fsum(np.exp(split.nodes[1] + w * edges(split)[split.nodes[0]]))
        return math.log(chord + nodes) - room, math.log(math.fsum(mean) + nodes + lost) + room

    def delta(eps: float) -> Interval | None:
        p, q, low, high = pieces
        lower, upper = 0.0, math.exp(split.above[1]) + math.exp(split.below[1])
        edge = edges(split)
        for side in (1.0, -1.0):
            at = math.exp(eps + side * 2.0 * split.slack)
            gain = np.maximum(np.exp(edge) - at, 0.0)
            nodes = math.fsum(np.exp(split.nodes[1]) * gain[split.nodes[0]])
            if side > 0.0:
                lower += math.fsum(np.maximum(p - at * q, 0.0)) + nodes
            else:
                upper += math.fsum([*(low * gain[:-1]), *(high * gain[1:])]) + nodes
        room = split.relative + 64.0 * UNIT * (1.0 + float(np.max(np.abs(edge))))
        return lower * (1.0 - room) - room, upper * (1.0 + room) + room

    fits = float(np.max(np.abs(edges(split)))) < 600.0
    return Reading("bins", log_a if fits else nothing, delta if fits else nothing)


def _between(step: Step) -> Reading:
    """1 - delta under a tilt between the two laws, of a law that has all of itself in its bins."""
    steps = ((step.bins(), 1),)
    cumulant = Cumulant(steps, "remove")
    at = cumulant.saddle(0.0, -0.999, -0.001)
    if steps[0][0].enclosed or not 1e-6 < at.deviation < 1e6:  # nobody asks for 1 - delta of laws that tell nothing
        return Reading("between", nothing, nothing)
    unit = steps[0][0].unit
    h = spacing(1.0, 1e-3) if unit is None else unit / math.ceil(unit / spacing(1.0, 1e-3))
    plan = plan_tilt(steps, cumulant, True, at, 0.0, h, 1 << 14)
    if plan is None:
        return Reading("between", nothing, nothing)
    gap = LatticeGap(steps, True, plan)

    def delta(eps: float) -> Interval | None:
        low, high = (float(side[0]) for side in gap.log_bounds(np.array([eps])))
        return -math.expm1(high) - 4.0 * UNIT, -math.expm1(low) + 4.0 * UNIT

    return Reading("between", nothing, delta)


def edges(split: BinSplit) -> np.ndarray:
    return split.base + split.h * (split.first + np.arange(len(split.lower) + 1.0))


def masses(split: BinSplit) -> tuple[np.ndarray, ...]:
    """P and Q of each bin, and what of Q goes to either end."""
    scale = np.exp(split.log_scale)
    low, high = split.lower * scale, split.upper * scale
    edge = edges(split)
    with np.errstate(over="ignore", invalid="ignore"):
        p = np.where(low > 0.0, low * np.exp(edge[:-1]), 0.0) + np.where(high > 0.0, high * np.exp(edge[1:]), 0.0)
    return p, low + high, low, high


def _room(split: BinSplit) -> float:
    far = float(np.max(np.abs(edges(split)[[0, -1]])))
    return split.relative + 4.0 * split.slack + 16.0 * UNIT * (16.0 + far + float(np.max(np.abs(split.log_scale))))


def _closed(pair: tuple[object, object], eps: float) -> Interval | None:
    if eps < 0.0:
        return None
    bracket = pair[0].bracket(np.array([eps]))
    return float(bracket.lower[0]), float(bracket.upper[0])
