"""A deliberately naive, high-precision evaluator of compositions of Poisson-subsampled Gaussians.

delta, alpha and beta of one direction come from a contour integral, all in ball arithmetic of 192 bits:

    G(z) = exp(sum_i T_i log A_i(w) - z epsilon),    w = z + 1 (remove) or -z (add),    Re z = c > 0
    A(w) = E over x ~ N(0, sigma^2) of (1 - q + q e^((2 x - 1) / (2 sigma^2)))^w
    delta(epsilon) = I[G / (z (z + 1))],    e^epsilon alpha = I[G / (z + 1)],    1 - beta = I[G / z]

Both integrals are plain trapezoids. The x-line is moved to Im x = y, where the integrand does not oscillate more as
Im w grows; with an equispaced omega its exponentials factor, so that all A are one matrix product. Steps, cuts and the
abscissa are planned in floats, and the plan is never trusted: an Estimate is computed twice, on two lines that share no
parameter, and its error is their difference. Nothing here comes from the package under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from flint import acb, acb_mat, arb, ctx

from tests.reference import closed

__all__ = ["Estimate", "Point", "TooExpensive", "advantage", "delta", "epsilon", "mu", "point", "tradeoff"]

Number = float | int | str
Step = tuple[Number, Number, int]
BITS = 192
BUDGET = 1e8
"""Most products (omega-nodes times x-nodes, an exponential counts for 30) on one line: about four seconds."""


class TooExpensive(RuntimeError):
    """The value needs more nodes than the budget allows."""


@dataclass(frozen=True)
class Estimate:
    """A value and its estimated relative error."""

    value: arb
    error: float

    def __float__(self) -> float:
        return float(self.value.mid())


@dataclass(frozen=True)
class Point:
    """A point of the trade-off curve of one direction, the tail 1 - beta included for its digits."""

    epsilon: arb
    delta: arb
    alpha: arb
    tail: arb


@dataclass(frozen=True)
class _Plan:
    c: float
    period: float
    cut: float
    digits: float
    height: float


def delta(steps: Iterable[Step], epsilon: Number, direction: str = "remove", *, digits: float = 16.0) -> Estimate:
    """delta(epsilon) = E_P[(1 - e^(epsilon - L))_+] of one direction, at a real epsilon."""
    steps = list(steps)
    if _beyond_support(steps, float(epsilon), direction):
        return Estimate(arb(0), 0.0)
    return _twice(steps, epsilon, direction, digits, lambda p: p.delta)


def point(
    steps: Iterable[Step], epsilon: Number | arb, direction: str = "remove", *, digits: float = 16.0, variant: int = 0
) -> Point:
    """alpha, 1 - beta and delta at epsilon, from one line."""
    steps = list(steps)
    with ctx.workprec(BITS):
        return _integrate(steps, arb(epsilon), direction, _plan(steps, float(epsilon), direction, digits, variant))


def epsilon(steps: Iterable[Step], target: Number, direction: str = "remove", *, digits: float = 16.0) -> Estimate:
    """The epsilon >= 0 with delta(epsilon) = target (0 if target >= delta(0)): both sides bracketed."""
    steps = list(steps)
    with ctx.workprec(BITS):
        goal = arb(target)
        if not delta(steps, 0, direction, digits=digits).value > goal:
            return Estimate(arb(0), 0.0)
        start = _chernoff_epsilon(steps, float(goal), direction)
        e = _root(lambda e: point(steps, e, direction, digits=digits).delta / goal, start, digits)
        p = point(steps, e, direction, digits=digits)
        final = _twice(steps, e, direction, digits, lambda p: p.delta)
        residual = abs(float((final.value / goal - 1).mid())) + final.error
        return Estimate(e, residual * float((p.delta / (e.exp() * p.alpha) / e).mid()))


def advantage(steps: Iterable[Step], *, digits: float = 16.0) -> Estimate:
    """delta(0), the same in both directions."""
    return delta(steps, 0, "remove", digits=digits)


def tradeoff(steps: Iterable[Step], alpha: Number, direction: str = "remove", *, digits: float = 16.0) -> Point:
    """The point of the curve with Q(L > epsilon) = alpha; it must lie at epsilon > 0."""
    steps = list(steps)
    with ctx.workprec(BITS):
        goal = arb(alpha)
        start = _chernoff_epsilon(steps, float(goal), direction)
        e = _root(lambda e: point(steps, e, direction, digits=digits).alpha / goal, start, digits)
        return point(steps, e, direction, digits=digits)


def mu(steps: Iterable[Step], floor: Number = "1e-10", *, digits: float = 16.0) -> Estimate:
    """Phi^-1(1 - floor) - Phi^-1(beta) where alpha = floor on the "remove" curve.

    This is mu(floor) wherever the curve's own mu grows as alpha falls (seen for every subsampled Gaussian) and
    beta >= floor.
    """
    steps = list(steps)
    p = tradeoff(steps, floor, "remove", digits=digits)
    check = point(steps, p.epsilon, "remove", digits=digits, variant=1)
    with ctx.workprec(BITS):
        value, other = (closed.normal_quantile(v.tail) - closed.normal_quantile(v.alpha) for v in (p, check))
        return Estimate(value.mid(), abs(float((other / value - 1).mid())))


def _twice(steps: list[Step], e: Number | arb, direction: str, digits: float, read: Callable[[Point], arb]) -> Estimate:
    second, first = (read(point(steps, e, direction, digits=digits, variant=v)) for v in (1, 0))
    with ctx.workprec(BITS):
        gap = abs((first - second) / second).upper()
        return Estimate(first.mid(), float(gap))


def _root(ratio: Callable[[arb], arb], start: float, digits: float) -> arb:
    """Where a falling ratio is 1, in (0, start]: halve down to a bracket, then secant steps on its logarithm inside it.

    Far to the right the ratio is below its own error and may be negative: only a number above 1 counts as above.
    """
    high = arb(start)
    low = (high / 2).mid()
    while not (value := ratio(low)) > 1:
        high, low = low, (low / 2).mid()
        if low < 1e-30:
            raise ArithmeticError("no root at a positive epsilon")
    x0, f0, x1 = low, value.log(), ((low + high) / 2).mid()
    for _ in range(100):
        value = ratio(x1)
        low, high = (x1, high) if value > 1 else (low, x1)
        if not value > 0:
            x1 = ((low + high) / 2).mid()
            continue
        f1 = value.log()
        if abs(f1) < arb(10) ** (-0.9 * digits):
            return x1
        x2 = (x1 - f1 * (x1 - x0) / (f1 - f0)).mid()
        x0, f0, x1 = x1, f1, x2 if low < x2 and x2 < high else ((low + high) / 2).mid()
    raise ArithmeticError("the root was not reached")


def _beyond_support(steps: list[Step], e: float, direction: str) -> bool:
    """L <= -log(1 - q) in every "add" step, so delta is exactly 0 from the sum on."""
    if direction != "add" or any(float(q) >= 1.0 for _, q, _ in steps):
        return False
    return e >= -sum(t * math.log1p(-float(q)) for _, q, t in steps)


# ------------------------------------------------------------------------------------------------ planning, in floats


def _plan(steps: list[Step], e: float, direction: str, digits: float, variant: int) -> _Plan:
    """Abscissa at the saddle of |G / (z (z + 1))|, period from Chernoff bounds, cut from the monotone bound on |A|."""
    nats = digits * math.log(10.0) + 3.0 + 4.0 * variant

    def psi(z: float) -> float:
        w = _w(z, direction)
        return sum(t * _log_a(float(s), float(q), w) for s, q, t in steps) - z * e

    def height(z: float) -> float:
        return psi(z) - math.log(z) - math.log1p(z)

    c = _argmin(height, 1.0, 1.05)
    lowest = height(c)
    if variant:
        c *= next(f for f in (1.3, 1.1, 1.03, 1.01, 1.003, 1.001) if height(c * f) < lowest + 4.0 or f == 1.001)

    def aliases(c: float, goal: float) -> float:
        right = _min(lambda d: max((psi(c + d) - goal) / d, 0.0), 1.0, 1.2)
        left = _min(lambda d: max((psi(-1.0 - d) - goal) / (c + 1.0 + d), 0.0), 1.0, 1.2)
        return max(right, left) * (1.02 + 0.1 * variant)

    def line(c: float) -> _Plan:
        period, goal = 1.0, lowest - nats
        for _ in range(3):
            period = aliases(c, goal)
            goal = lowest - nats - max(math.log(period), 0.0)
        cut = _cut(steps, _w(c, direction), goal + c * e) * (1.0 + 0.1 * variant)
        spare = (height(c) - lowest) / math.log(10.0)
        return _Plan(c, period, cut, digits + spare + 2.0 * variant, 1.0 - 0.3 * variant)

    plans = [line(c)]
    if plans[0].period * plans[0].cut > 2e4:  # off the saddle a line costs digits, of which there are plenty, not nodes
        plans += [line(c * f) for f in (0.85, 0.65, 0.4) if height(c * f) < lowest + 50.0]
    return min(plans, key=lambda plan: plan.period * plan.cut)


def _w(z: float, direction: str) -> float:
    return z + 1.0 if direction == "remove" else -z


def _base(q: float, t: np.ndarray | float) -> np.ndarray:
    """log(1 - q + q e^t) for real t."""
    return np.logaddexp(np.log1p(-q) if q < 1.0 else -np.inf, math.log(q) + t)


def _log_a(s: float, q: float, w: float) -> float:
    """log A at a real w, good to about 1e-13: enough to plan with."""
    if q >= 1.0:
        return (w * w - w) / (2.0 * s * s)
    h = min(0.4 * s, 0.25 * s * s)
    x = _floats(min(0.0, w) - 9.0 * s, max(0.0, w) + 9.0 * s, h)
    power = w * _base(q, (2.0 * x - 1.0) / (2.0 * s * s))
    weight = math.log(h / (s * math.sqrt(2.0 * math.pi)))
    if power.max() < 1.0 and power.min() > -1.0:
        return math.log1p(float(np.exp(-0.5 * (x / s) ** 2 + weight) @ np.expm1(power)))
    return _logsum(power - 0.5 * (x / s) ** 2) + weight


def _logsum(v: np.ndarray) -> float:
    top = float(v.max())
    return top + math.log(float(np.exp(v - top).sum()))


def _floats(low: float, high: float, h: float) -> np.ndarray:
    n = (high - low) / h
    if not n < 4e5:
        raise TooExpensive(f"{n:.2g} x-nodes even to plan")
    return low + h * np.arange(int(n) + 2)


def _argmin(f: Callable[[float], float], start: float, ratio: float) -> float:
    """The minimiser over start * ratio^k of a function that falls, then rises; places too far to plan count as high."""

    def value(x: float) -> float:
        try:
            return f(x)
        except TooExpensive:
            return math.inf

    x, best = start, value(start)
    for factor in (ratio**16, ratio**4, ratio, 1.0 + (ratio - 1.0) / 8.0):
        for move in (factor, 1.0 / factor):
            for _ in range(400):
                y = value(x * move)
                if not y < best:
                    break
                x, best = x * move, y
    return x


def _min(f: Callable[[float], float], start: float, ratio: float) -> float:
    return f(_argmin(f, start, ratio))


def _cut(steps: list[Step], w: float, goal: float) -> float:
    """The least omega where the product of the bounds B_y(omega)^T / omega has fallen to e^goal.

    B_y(omega), the integral of the modulus on Im x = y, falls as omega grows: nothing beyond the cut matters.
    """
    lines = [
        [_modulus(float(s), float(q), w, f) for f in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93)]
        for s, q, _ in steps
    ]

    def above(omega: float) -> bool:
        total = -math.log(omega)
        for (s, q, t), options in zip(steps, lines, strict=True):
            if float(q) >= 1.0:
                total += t * (w * w - w - omega * omega) / (2.0 * float(s) ** 2)
            else:
                total += t * min(_logsum(size - omega * angle) for size, angle in options)
        return total > goal

    low, high = 1e-12, 1e-12
    while above(high):
        low, high = high, high * 4.0
        if high > 1e9:
            raise TooExpensive("the characteristic function does not decay")
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


def _modulus(s: float, q: float, w: float, fraction: float) -> tuple[np.ndarray, np.ndarray]:
    """log modulus at omega = 0, and the rate at which it falls with omega, on the line at a fraction of the strip."""
    if q >= 1.0:
        return np.zeros(1), np.zeros(1)
    y = fraction * min(math.pi * s * s, 8.0 * s)
    h = min(0.25 * s, 0.2 * s * s)
    x = _floats(min(0.0, w) - 9.0 * s, max(0.0, w) + 9.0 * s, h)
    t = (2.0 * x - 1.0) / (2.0 * s * s)
    shift = np.maximum(t, 0.0)
    r = (1.0 - q) * np.exp(-shift) + q * np.exp(t - shift + 1j * y / (s * s))
    size = (
        (y * y - x * x) / (2.0 * s * s) + math.log(h / (s * math.sqrt(2.0 * math.pi))) + w * (shift + np.log(np.abs(r)))
    )
    return size, np.angle(r)


# ------------------------------------------------------------------------------------------------ evaluation, in balls


def _integrate(steps: list[Step], e: arb, direction: str, plan: _Plan) -> Point:
    """The three trapezoid sums of one line, each with the geometric series of its pole removed."""
    period, c = arb(plan.period), arb(plan.c)
    spacing = 2 * arb.pi() / period
    n = int(plan.cut * plan.period / (2.0 * math.pi)) + 2
    re_w, sign = (c + 1, 1) if direction == "remove" else (-c, -1)
    exponent = _log_characteristic(steps, re_w, spacing, n, plan)
    sums = [arb(0), arb(0), arb(0)]
    for k, value in enumerate(exponent):
        if value is None:
            continue
        z = acb(c, sign * spacing * k)
        g = (value - z * e).exp() * (spacing / (2 * arb.pi()) * (1 if k == 0 else 2))
        for i, kernel in enumerate((z * (z + 1), z + 1, z)):
            sums[i] += (g / kernel).real
    at_zero, at_one = 1 / (c * period).expm1(), e.exp() / ((c + 1) * period).expm1()
    return Point(e, sums[0] - at_zero + at_one, (sums[1] - at_one) / e.exp(), sums[2] - at_zero)


def _log_characteristic(steps: list[Step], re_w: arb, spacing: arb, n: int, plan: _Plan) -> list[acb | None]:
    """sum_i T_i log A_i(re_w + i k spacing) for k < n; None where some A is zero to working precision."""
    total: list[acb | None] = [acb(0)] * n
    count = sum(t for _, _, t in steps)
    for s, q, t in steps:
        if float(q) >= 1.0:
            values = [(w * w - w) / (2 * arb(s) ** 2) for w in (acb(re_w, spacing * k) for k in range(n))]
        else:
            values = [
                None if a.contains(0) else a.log()
                for a in _characteristic(arb(s), arb(q), re_w, spacing, n, plan, count)
            ]
        total = [None if v is None or u is None else u + t * v for u, v in zip(total, values, strict=True)]
    return total


def _characteristic(s: arb, q: arb, re_w: arb, spacing: arb, n: int, plan: _Plan, count: int) -> list[acb]:
    """A(re_w + i k spacing), k = 0 .. n - 1, with k = a m + b: a matrix over (a, x) times a matrix over (x, b)."""
    nodes, h = _abscissae(float(s), float(q), float(re_w), plan, count)
    if len(nodes) * (n + 60.0 * math.sqrt(n)) > BUDGET:
        raise TooExpensive(f"{n} omega-nodes times {len(nodes)} x-nodes")
    m = math.isqrt(n - 1) + 1
    logs = [(1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()).log() for x in nodes]
    scale = h / (s * (2 * arb.pi()).sqrt())
    start = [(-x * x / (2 * s * s) + re_w * v).exp() * scale for x, v in zip(nodes, logs, strict=True)]
    rate = [v * acb(0, spacing) for v in logs]
    rows = acb_mat(
        [[u * (r * (a * m)).exp() for u, r in zip(start, rate, strict=True)] for a in range((n - 1) // m + 1)]
    )
    columns = acb_mat([[(r * b).exp() for b in range(m)] for r in rate])
    return (rows * columns).entries()[:n]


def _abscissae(s: float, q: float, w: float, plan: _Plan, count: int) -> tuple[list[acb], arb]:
    """Nodes on Im x = y, y mid-way between the real line and another line inside the strip |Im x| < pi s^2."""
    nats = plan.digits * math.log(10.0) + math.log(count) + 8.0
    y = min(2.0 * s, 0.46 * math.pi * s * s) * plan.height
    cosine = math.cos(min(y / (s * s), 0.5 * math.pi * 0.98)) if w < 0.0 else 1.0
    nats += 2.0 * (y / s) ** 2 - abs(w) * math.log(cosine)
    h = 2.0 * math.pi * y / nats
    reach = s * math.sqrt(2.0 * (nats + 0.7 * abs(w)))
    mesh = _floats(min(0.0, w) - reach, max(0.0, w) + reach, 0.1 * min(s, s * s))
    size = w * _base(q, (2.0 * mesh - 1.0) / (2.0 * s * s)) - 0.5 * (mesh / s) ** 2
    kept = mesh[size > size.max() - nats - 10.0]
    low, high = float(kept[0]) - h, float(kept[-1]) + h
    if not (high - low) / h < 1e5:
        raise TooExpensive(f"{(high - low) / h:.2g} x-nodes")
    step = arb(h)
    return [acb(arb(low) + k * step, arb(y)) for k in range(int((high - low) / h) + 2)], step


def _chernoff_epsilon(steps: list[Step], target: float, direction: str) -> float:
    """An epsilon where delta is certainly below the target: min over c of (K(c) - log target) / c."""
    return _min(
        lambda c: (sum(t * _log_a(float(s), float(q), _w(c, direction)) for s, q, t in steps) - math.log(target)) / c,
        1.0,
        1.1,
    )
