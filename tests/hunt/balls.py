"""delta of a composition by one line of the contour, in balls: neither side rests on a measured constant.

With K(z) = log E_P[e^{z L}] of the composition, c > 0, z_k = c + i k h, h = 2 pi / R, Poisson summation says

    S = (h / 2 pi) sum over k of Re(e^{K(z_k) - z_k eps} / (z_k (z_k + 1))) = sum over m of e^{c m R} delta(eps + m R)

over all whole k and m, and every term on the right is >= 0. For m < 0, 1 - e^(eps + m R) <= delta <= 1 leaves two
geometric series; for m > 0 Chernoff at another real point c' > c leaves one. Terms beyond the last node are bounded by
what no later |e^K| exceeds. The choices (c, R, nodes, grids) come from floats and are not believed: a bad one only
widens the bracket.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import acb, acb_mat, arb

from tests.hunt.pairs import Balls, Pair, clipped
from tests.reference import exact

__all__ = ["Contour", "FiniteFactor", "GaussianFactor", "SampledGaussianFactor", "TooDear"]

DIGITS = 20.0
WORK = 3e6
"""Most products (nodes of the line times nodes of the step; an exponential counts for 30) on one line."""


class TooDear(RuntimeError):
    """The line would need more nodes than allowed."""


class Factor(ABC):
    """A(w) = E_Q[e^{w L}] of one step, to the power of its count: ``log`` everywhere is that of the power."""

    @abstractmethod
    def real(self, w: np.ndarray) -> np.ndarray:
        """log A(w) at real w, in floats; inf where it is out of reach."""

    @abstractmethod
    def modulus(self, w: float, omega: float) -> float:
        """log of a bound of |A(w + i omega)| that falls in omega, in floats."""

    @abstractmethod
    def nodes(self, w: arb, spacing: arb, n: int) -> list[acb]:
        """A(w + i k spacing), k < n."""

    @abstractmethod
    def tail(self, w: arb, omega: arb) -> arb:
        """A bound of |A(w + i omega')| for all omega' >= omega."""


@dataclass(frozen=True)
class GaussianFactor(Factor):
    """Unsampled Gaussians: A(w) = e^{mu^2 (w^2 - w) / 2}."""

    square: arb

    def real(self, w: np.ndarray) -> np.ndarray:
        return 0.5 * float(self.square.mid()) * (w * w - w)

    def modulus(self, w: float, omega: float) -> float:
        return 0.5 * float(self.square.mid()) * (w * w - w - omega * omega)

    def nodes(self, w: arb, spacing: arb, n: int) -> list[acb]:
        points = (acb(w, spacing * k) for k in range(n))
        return [((z * z - z) * self.square / 2).exp() for z in points]

    def tail(self, w: arb, omega: arb) -> arb:
        return ((w * w - w - omega * omega) * self.square / 2).exp()


@dataclass(frozen=True)
class FiniteFactor(Factor):
    """A finite law, all of whose outcomes are possible under both: A(w) = sum p^w q^(1-w)."""

    law: exact.Law
    times: int

    def real(self, w: np.ndarray) -> np.ndarray:
        loss = np.array([float((p / q).log().mid()) for p, q in self.law])
        weight = np.array([float(q.log().mid()) for _, q in self.law])
        return self.times * _logsum(weight + np.multiply.outer(np.atleast_1d(w), loss))

    def modulus(self, w: float, omega: float) -> float:
        return float(self.real(np.array([w]))[0])

    def nodes(self, w: arb, spacing: arb, n: int) -> list[acb]:
        logs = [(p / q).log() for p, q in self.law]
        start = [q * (w * loss).exp() for (_, q), loss in zip(self.law, logs, strict=True)]
        return [value**self.times for value in _rotated(start, logs, spacing, n)]

    def tail(self, w: arb, omega: arb) -> arb:
        return sum((q * (w * (p / q).log()).exp() for p, q in self.law), arb(0)) ** self.times


@dataclass(frozen=True)
class SampledGaussianFactor(Factor):
    """A(w) = E over x ~ N(0, s^2) of G(x)^w, G(x) = 1 - q + q e^((2 x - 1) / (2 s^2)): trapezoids in x.

    On Im x = y, theta = y / s^2 < pi, G is not 0, |arg G| <= theta and |G| lies between cos(theta / 2) and 1 times its
    real value: the integrand is at most e^{y^2 / (2 s^2) + |Im w| theta} cos(theta / 2)^{-(Re w)_-} times the real
    one, and a trapezoid with spacing h errs by 2 M / (e^{2 pi y / h} - 1) at most, M bounding the integral there.
    """

    s: float
    q: float
    times: int

    def real(self, w: np.ndarray) -> np.ndarray:
        w = np.atleast_1d(w)
        found = np.full(w.shape, np.inf)
        for i, one in enumerate(w.tolist()):
            found[i] = self.times * self._planned(one)
        return found

    def modulus(self, w: float, omega: float) -> float:
        return self.times * min(self._damped(w, omega, theta) for theta in self._angles(omega))

    def nodes(self, w: arb, spacing: arb, n: int) -> list[acb]:
        re, last = float(w.mid()), float(spacing.mid()) * n
        theta, h = self._mesh(re, last)
        x, ends = self._grid(re, h, w)
        if len(x) * (n + 60.0 * math.sqrt(n)) > WORK:
            raise TooDear(f"{n} nodes times {len(x)}")
        values = _rotated(*self._weighed(x, h, w), spacing, n)
        moment = self._moment(w) * (arb(theta) ** 2 * arb(self.s) ** 2 / 2).exp() * self._cosine(w, arb(theta))
        fall = (2 * arb.pi() * arb(theta) * arb(self.s) ** 2 / arb(h)).exp() - 1
        found = []
        for k, value in enumerate(values):
            error = (2 * moment * (spacing * k * arb(theta)).exp() / fall + ends).upper()
            found.append((value + acb(arb(0, error), arb(0, error))) ** self.times)
        return found

    def tail(self, w: arb, omega: arb) -> arb:
        """Shifted to Im x = y: |A| <= e^{y^2 / 2 s^2} E[|G(x + i y)|^Re w e^{-omega arg G(x + i y)}], falling in omega.

        With |G(x + i y)|^2 = G(x + i y) G(x - i y) and arg G likewise, that integrand is analytic in x. On Im x = +-v
        its angles are theta + phi and theta - phi, phi = v / s^2: as long as theta + phi <= pi / 2 the real part of the
        argument is >= 0 (arg G grows with the angle there), and the integrand at most e^{v^2 / 2 s^2} cos^-(Re w)_-
        times the real one.
        """
        re, om = float(w.mid()), float(omega.mid())
        theta = min(self._angles(om), key=lambda t: self._damped(re, om, t))
        s2 = arb(self.s) ** 2
        nats = 40.0 + math.log(self.times) + max(-self._damped(re, om, theta), 0.0) + self._log_moment(re)
        v = min(self.s * math.sqrt(2.0 * nats), (1.57 - theta) * self.s**2)
        phi = v / self.s**2
        h = 2.0 * math.pi * v / (nats + 0.5 * phi * v + self._room(re, theta + phi))
        x, ends = self._grid(re, h, w)
        total = arb(0)
        y, q = arb(theta) * s2, arb(self.q)
        for node in x:
            g = 1 - q + q * (acb(2 * node - 1, 2 * y) / (2 * s2)).exp()
            total += (w * abs(g).log() - omega * g.arg() - node * node / (2 * s2)).exp()
        total *= arb(h) / (arb(self.s) * (2 * arb.pi()).sqrt())
        moment = self._moment(w) * (arb(v) ** 2 / (2 * s2)).exp() * self._cosine(w, arb(theta) + arb(v) / s2)
        strip = 2 * moment / ((2 * arb.pi() * arb(v) / arb(h)).exp() - 1)
        found = (y * y / (2 * s2)).exp() * (total + strip + ends * self._cosine(w, arb(theta)))
        return found.upper() ** self.times

    # ---------------------------------------------------------------------------------------------------- small print

    def _weighed(self, x: list[arb], h: float, w: arb) -> tuple[list[arb], list[arb]]:
        s2, q = arb(self.s) ** 2, arb(self.q)
        logs = [(1 - q + q * ((2 * node - 1) / (2 * s2)).exp()).log() for node in x]
        scale = arb(h) / (arb(self.s) * (2 * arb.pi()).sqrt())
        start = [(w * g - node * node / (2 * s2)).exp() * scale for node, g in zip(x, logs, strict=True)]
        return start, logs

    def _moment(self, w: arb) -> arb:
        """E_Q[G^w] at most: Jensen inside [0, 1], convexity above, G >= 1 - q below."""
        if w > 1:
            s2 = arb(self.s) ** 2
            return 1 + arb(self.q) * (((w * w - w) / (2 * s2)).exp() - 1).max(arb(0))
        return arb(1) if w >= 0 else ((1 - arb(self.q)) ** w).max(arb(1))

    def _log_moment(self, w: float) -> float:
        if w > 1.0:
            return max(0.0, math.log(self.q) + (w * w - w) / (2.0 * self.s**2)) + 1.0
        return 0.0 if w >= 0.0 else w * math.log1p(-self.q)

    def _cosine(self, w: arb, theta: arb) -> arb:
        return arb(1) if w >= 0 else (theta / 2).cos() ** w

    def _room(self, w: float, theta: float) -> float:
        return 0.0 if w >= 0.0 else w * math.log(math.cos(0.5 * theta))

    def _mesh(self, re: float, omega: float) -> tuple[float, float]:
        nats = (DIGITS + 3.0) * math.log(10.0) + math.log(self.times) + self._log_moment(re)

        def spacing(theta: float) -> float:
            y = theta * self.s**2
            return 2.0 * math.pi * y / (nats + 0.5 * theta * y + omega * theta + self._room(re, theta))

        natural = math.sqrt(2.0 * nats) / self.s
        tried = (0.3 * natural, natural, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 2.5, 2.9)
        theta = max((t for t in tried if t <= 2.9), key=spacing)
        return theta, spacing(theta)

    def _grid(self, re: float, h: float, w: arb) -> tuple[list[arb], arb]:
        """Nodes, and a bound of all terms beyond either end, where the integrand falls outwards."""
        nats = (DIGITS + 6.0) * math.log(10.0) + math.log(self.times)
        reach = self.s * math.sqrt(2.0 * (nats + abs(self._log_moment(re)) * (re < 0.0)))
        low, high = -reach, max(re, 0.0) + self.s * math.sqrt(2.0 * (nats + self._log_moment(re))) + 1.0
        if not (high - low) / h < 15000:
            raise TooDear(f"{(high - low) / h:.2g} nodes of the step")
        x = [arb(low) + arb(h) * k for k in range(int((high - low) / h) + 2)]
        s, q = arb(self.s), arb(self.q)
        left = _mills(-x[0] / s) * (arb(1) if w >= 0 else (1 - q) ** w)
        k = w.max(arb(0))
        tilted = q**k * ((k * k - k) / (2 * s * s)).exp() * _mills((x[-1] - k) / s)
        return x, left + arb(2) ** k * (_mills(x[-1] / s) + tilted)

    def _planned(self, w: float) -> float:
        s, q = self.s, self.q
        far = s * math.sqrt(80.0 + 2.0 * max(0.0, w * math.log1p(-q) if w < 0.0 else 0.0))
        low, high, h = -far, 9.0 * s + max(w, 0.0) + 1.0, 0.15 * min(s, s * s)
        if not (high - low) / h < 20000:
            return math.inf
        x = np.arange(low, high, h)
        logs = _base(q, (2.0 * x - 1.0) / (2.0 * s * s))
        weight = -0.5 * (x / s) ** 2
        weight -= _logsum(weight[None, :])[0]
        power = w * logs
        if np.abs(power).max() < 1.0:
            return math.log1p(float(np.exp(weight) @ np.expm1(power)))
        return float(_logsum((power + weight)[None, :])[0])

    def _angles(self, omega: float) -> list[float]:
        near = omega * self.q / self.s**2  # best where hardly anything is learnt in one step
        tried = [*np.geomspace(1e-3, 1.45, 10).tolist(), *(near * f for f in (0.25, 0.5, 0.75, 1.0, 1.3))]
        return [theta for theta in tried if theta <= 1.45]

    def _damped(self, w: float, omega: float, theta: float) -> float:
        s, q = self.s, self.q
        x = np.linspace(-9.0 * s, 9.0 * s + max(w, 0.0) + 1.0, 1201)
        t = (2.0 * x - 1.0) / (2.0 * s * s)
        shift = np.maximum(t, 0.0)
        g = (1.0 - q) * np.exp(-shift) + q * np.exp(t - shift + 1j * theta)
        weight = -0.5 * (x / s) ** 2
        weight -= _logsum(weight[None, :])[0]
        size = weight + w * (shift + np.log(np.abs(g))) - omega * np.angle(g)
        return 0.5 * theta**2 * s * s + float(_logsum(size[None, :])[0])


class Contour(Pair):
    """A composition of factors; lines are kept, and serve whatever epsilon they serve sharply."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self.factors = list(factors)
        self._lines: list[_Line] = []

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The sharpest of the lines so far, or of a new one."""
        if epsilon < 0:  # delta(e) = 1 - e^e + e^e delta'(-e), the other direction's
            low, high = self.delta(-epsilon, not add)
            return clipped(1 - epsilon.exp() + epsilon.exp() * low, 1 - epsilon.exp() + epsilon.exp() * high, epsilon)
        best: Balls = (arb(0), arb(1))
        for line in self._lines:
            if line.add == add:
                low, high = line.bracket(epsilon)
                best = best[0].max(low), best[1].min(high)
                if best[1] - best[0] < best[0] * 1e-16:
                    return clipped(*best, epsilon)
        line = self._planned(float(epsilon.mid()), add)
        self._lines.append(line)
        low, high = line.bracket(epsilon)
        return clipped(best[0].max(low), best[1].min(high), epsilon)

    def cumulant(self, c: np.ndarray, add: bool) -> np.ndarray:
        """K(c) in floats."""
        w = -c if add else c + 1.0
        return sum((f.real(w) for f in self.factors), np.zeros(len(c)))

    def _planned(self, e: float, add: bool) -> _Line:
        """Saddle, alias distance and cut, in floats."""
        grid = np.geomspace(1e-3, 1e14, 100)
        for _ in range(3):
            heights = self.cumulant(grid, add) - grid * e - np.log(grid) - np.log1p(grid)
            at = int(np.nanargmin(heights))
            grid = np.geomspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], 16)
        c, lowest = float(grid[len(grid) // 2]), float(heights[at])
        second = np.array([c * 0.999, c, c * 1.001])
        k = self.cumulant(second, add)
        if not np.all(np.isfinite(k)):
            raise TooDear("no saddle in reach")
        sd = math.sqrt(max(float(k[0] - 2.0 * k[1] + k[2]) / (1e-3 * c) ** 2, 1e-12))
        depth = DIGITS * math.log(10.0)
        log_delta = lowest - math.log(max(sd * 2.6, 1.0)) - 2.0
        others = c * (1.0 + np.geomspace(0.02, 60.0, 40))
        ks = self.cumulant(others, add)
        right = (ks - others * e - log_delta + depth) / (others - c)
        if np.all(np.isnan(right)):
            raise TooDear("no saddle in reach")
        c2 = float(others[int(np.nanargmin(right))])
        period = max(float(np.nanmin(right)), (e - log_delta + depth) / (c + 1.0), 2.0 * sd, e * 1.001)
        if not all(map(math.isfinite, (c, lowest, sd, c2, period))):
            raise TooDear("no saddle in reach")
        w = -c if add else c + 1.0
        goal = log_delta - depth + c * e
        cut = _crossing(lambda om: sum(f.modulus(w, om) for f in self.factors) - math.log(om) - goal, 3.0 / sd)
        n = int(cut * period / (2.0 * math.pi)) + 2
        if n > 4000:
            raise TooDear(f"{n} nodes of the line")
        return _Line(self.factors, add, arb(c), arb(c2), arb(period), n)


class _Line:
    def __init__(self, factors: Sequence[Factor], add: bool, c: arb, c2: arb, period: arb, n: int) -> None:
        self.add, self.c, self.c2, self.period = add, c, c2, period
        self.h = 2 * arb.pi() / period
        w, w2, sign = (-c, -c2, -1) if add else (c + 1, c2 + 1, 1)
        values = [acb(1)] * n
        self.top, self.beyond = arb(1), arb(1)
        for factor in factors:
            values = [u * v for u, v in zip(values, factor.nodes(w, self.h, n), strict=True)]
            self.top *= factor.nodes(w2, self.h, 1)[0].real
            self.beyond *= factor.tail(w, self.h * n)
        # symmetric: the nodes of "add" lie at conjugate places
        z = [acb(c, self.h * k) for k in range(n)]
        plain = values if sign > 0 else [acb(v.real, -v.imag) for v in values]
        self.values = [v / (zk * (zk + 1)) for v, zk in zip(plain, z, strict=True)]
        self.n = n

    def bracket(self, epsilon: arb) -> Balls:
        turn = acb(0, -self.h * epsilon).exp()
        total, rotation = -self.values[0].real / 2, acb(1)
        for value in self.values:
            total += (value * rotation).real
            rotation *= turn
        falling = (-self.c * epsilon).exp()
        total *= self.h / arb.pi() * falling
        # nodes from n on: h times the sum of 1/|z|^2 is at most the integral from (n - 1) h
        tail = self.beyond * falling / (arb.pi() * self.h * (self.n - 1))
        gap = self.c2 - self.c
        right = self.top * (-self.c2 * epsilon - gap * self.period).exp() / (1 - (-gap * self.period).exp())
        known = 1 / ((self.c * self.period).exp() - 1)
        spare = epsilon.exp() / (((self.c + 1) * self.period).exp() - 1)
        return total - tail - known - right, total + tail - known + spare


def _rotated(start: Sequence[arb], logs: Sequence[arb], spacing: arb, n: int) -> list[acb]:
    """sum_j start_j e^{i k spacing logs_j}, k = a m + b < n: one matrix over (a, j) times one over (j, b)."""
    m = math.isqrt(n - 1) + 1
    rate = [acb(0, spacing * g) for g in logs]
    rows = acb_mat(
        [[u * (r * (a * m)).exp() for u, r in zip(start, rate, strict=True)] for a in range((n - 1) // m + 1)]
    )
    columns = acb_mat([[(r * b).exp() for b in range(m)] for r in rate])
    return (rows * columns).entries()[:n]


def _mills(u: arb) -> arb:
    """P(Z > u) at most, and at least any sum of equal steps of a falling integrand beyond u; 1 where u <= 0."""
    return (-(u * u) / 2).exp() / (u * (2 * arb.pi()).sqrt()) if u > 0 else arb(1)


def _base(q: float, t: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", divide="ignore"):
        near = np.log1p(q * np.expm1(np.minimum(t, 1.0)))
        return np.where(t < 1.0, near, np.logaddexp(np.log1p(-q), math.log(q) + t))


def _logsum(v: np.ndarray) -> np.ndarray:
    top = v.max(axis=-1)
    return top + np.log(np.exp(v - top[..., None]).sum(axis=-1))


def _crossing(f, start: float) -> float:
    low = high = start
    while f(high) > 0.0:
        low, high = high, high * 1.7
        if high > 1e7:
            raise TooDear("the transform does not fall")
    for _ in range(12):
        if high < 1.03 * low:
            break
        middle = math.sqrt(low * high)
        low, high = (middle, high) if f(middle) > 0.0 else (low, middle)
    return high
