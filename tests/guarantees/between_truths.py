"""Trade-off curves between two laws of one real number, from their definitions, in 50 digits.

Each function answers with the false negative rate of the best test of size alpha, P under H0 and Q under H1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
from scipy import special, stats

mp.mp.dps = 50
Truth = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    name: str
    p: Any
    q: Any
    truth: Truth


def root(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where a monotone f is 0 between two places."""
    sign = mp.sign(f(low))
    for _ in range(24):
        middle = (low + high) / 2
        if mp.sign(f(middle)) == sign:
            low = middle
        else:
            high = middle
    return mp.findroot(f, (low, high), solver="anderson", tol=mp.mpf(10) ** -49, maxsteps=60, verify=False)


def upper_normal(alpha: Any) -> Any:
    """The place that a normal law exceeds with probability alpha."""
    start = mp.mpf(float(-special.ndtri(float(alpha))))
    for _ in range(6):
        start += (mp.ncdf(-start) - alpha) / mp.npdf(start)
    return start


def ends(truth: Truth, first: Any = 1) -> Truth:
    """At alpha = 0 nobody is told from anybody unless ``first`` says so, at 1 everybody."""

    def whole(alpha: float) -> Any:
        a = mp.mpf(alpha)
        return mp.mpf(first) if a == 0 else mp.mpf(0) if a == 1 else truth(a)

    return whole


def shifted_normal(mu: float) -> Case:
    m = mp.mpf(mu)
    return Case(
        f"normal({mu})", stats.norm(0.0, 1.0), stats.norm(mu, 1.0), ends(lambda a: mp.ncdf(upper_normal(a) - m))
    )


def binormal(mu: float, sigma: float) -> Case:
    """q/p rises with |x - c|, or falls where Q is the narrower one: its log is a parabola about c."""
    m, s = mp.mpf(mu), mp.mpf(sigma)
    c = m / (1 - s * s)

    def inside(mean: Any, scale: Any, r: Any) -> Any:
        if abs((c - mean) / scale) > r / scale + 5:  # far from its middle: from the side where nothing cancels
            x = -abs(c - mean)
            return mp.ncdf((x + r) / scale) - mp.ncdf((x - r) / scale)
        return 1 - outside(mean, scale, r)

    def outside(mean: Any, scale: Any, r: Any) -> Any:
        return mp.ncdf((c - r - mean) / scale) + mp.ncdf(-(c + r - mean) / scale)

    def wide(a: Any) -> Any:
        r = root(lambda r: mp.log(outside(0, 1, r)) - mp.log(a), mp.mpf(0), mp.mpf(60) + abs(c))
        return inside(m, s, r)

    def narrow(a: Any) -> Any:
        r = root(lambda r: inside(0, 1, r) - a, mp.mpf(0), mp.mpf(60) + abs(c))
        return outside(m, s, r)

    return Case(
        f"binormal({mu}, {sigma})", stats.norm(0.0, 1.0), stats.norm(mu, sigma), ends(wide if s > 1 else narrow)
    )


def laplace(mu: float) -> Case:
    e = mp.exp(-mp.mpf(mu))

    def truth(a: Any) -> Any:
        return 1 - a / e if a < e / 2 else e / 4 / a if a <= mp.mpf(1) / 2 else e * (1 - a)

    return Case(f"laplace({mu})", stats.laplace(0.0), stats.laplace(mu), ends(truth))


def exponential(scale: float) -> Case:
    s = mp.mpf(scale)
    truth = (lambda a: 1 - a ** (1 / s)) if s > 1 else (lambda a: (1 - a) ** (1 / s))
    return Case(f"exponential({scale})", stats.expon(), stats.expon(scale=scale), ends(truth))


def logistic(mu: float) -> Case:
    e = mp.exp(mp.mpf(mu))
    return Case(f"logistic({mu})", stats.logistic(0.0), stats.logistic(mu), ends(lambda a: (1 - a) / (1 - a + a * e)))


def uniform(shift: float) -> Case:
    rest = 1 - mp.mpf(shift)
    truth = ends(lambda a: max(rest - a, mp.mpf(0)), rest)
    return Case(f"uniform({shift})", stats.uniform(0.0, 1.0), stats.uniform(shift, 1.0), truth)


def student(mu: float, freedom: float | None) -> Case:
    """The likelihood ratio of two shifted t laws (Cauchy: one degree) is at least t where a parabola is not above 0."""
    m = mp.mpf(mu)
    v = mp.mpf(1 if freedom is None else freedom)

    def below(x: Any) -> Any:
        if freedom is None:
            return mp.atan2(1, -x) / mp.pi
        part = mp.betainc(v / 2, mp.mpf(1) / 2, 0, v / (v + x * x), regularized=True) / 2
        return part if x < 0 else 1 - part

    def roots(t: Any) -> tuple[Any, Any]:
        # (v + x^2) >= t (v + (x - m)^2)
        middle, product = t * m / (t - 1), (t * (v + m * m) - v) / (t - 1)
        spread = mp.sqrt(max(middle * middle - product, mp.mpf(0)))
        one = middle + spread if middle > 0 else middle - spread
        other = product / one if one != 0 else -one
        return min(one, other), max(one, other)

    def mass(t: Any, shift: Any, beyond: bool) -> Any:
        """Of the places at which the ratio is at least t (or not)."""
        low, high = roots(t)
        low, high = low - shift, high - shift
        if (t > 1) == beyond:  # between the two
            return below(high) - below(low) if low < 0 else below(-low) - below(-high)
        return below(low) + below(-high)

    top = 1 + (m * m + m * mp.sqrt(m * m + 4 * v)) / (2 * v)  # the largest ratio

    def truth(a: Any) -> Any:
        def at(u: Any) -> Any:  # t = top^u, u from -1 to 1, but 1 itself, where the places are all beyond m / 2
            return top**u

        half = below(-m / 2)
        if a == half:
            return half
        if a < half:
            u = root(lambda u: mass(at(u), 0, True) - a, mp.mpf("1e-40"), mp.mpf(1))
        else:
            u = root(lambda u: mass(at(u), 0, True) - a, mp.mpf(-1), mp.mpf("-1e-40"))
        return mass(at(u), m, False)

    law = stats.cauchy(0.0) if freedom is None else stats.t(freedom)
    other = stats.cauchy(mu) if freedom is None else stats.t(freedom, loc=mu)
    return Case(f"student({mu}, {freedom})", law, other, ends(truth))


def power(k: float) -> Case:
    e = mp.mpf(k)
    truth = (lambda a: (1 - a) ** e) if e > 1 else (lambda a: 1 - a**e)
    return Case(f"power({k})", stats.beta(1.0, 1.0), stats.beta(k, 1.0), ends(truth))


def weibull(shape: float, scale: float) -> Case:
    e = mp.mpf(scale) ** -mp.mpf(shape)
    truth = (lambda a: 1 - a**e) if e < 1 else (lambda a: (1 - a) ** e)
    return Case(
        f"weibull({shape}, {scale})", stats.weibull_min(shape), stats.weibull_min(shape, scale=scale), ends(truth)
    )


def laplace_scales(scale: float) -> Case:
    s = mp.mpf(scale)
    truth = (lambda a: 1 - a ** (1 / s)) if s > 1 else (lambda a: (1 - a) ** (1 / s))
    return Case(f"laplace_scales({scale})", stats.laplace(), stats.laplace(scale=scale), ends(truth))


def truncated(mu: float, low: float, high: float) -> Case:
    m, a0, b0 = mp.mpf(mu), mp.mpf(low), mp.mpf(high)

    def between(x: Any, y: Any) -> Any:
        return mp.ncdf(y) - mp.ncdf(x) if x < 0 else mp.ncdf(-x) - mp.ncdf(-y)

    def truth(a: Any) -> Any:
        t = root(lambda t: between(t, b0) / between(a0, b0) - a, a0, b0)
        return between(a0 - m, t - m) / between(a0 - m, b0 - m)

    q = stats.truncnorm(low - mu, high - mu, loc=mu)
    return Case(f"truncated({mu}, {low}, {high})", stats.truncnorm(low, high), q, ends(truth))


def sampled(mu: float, rate: float) -> Case:
    """The sampled Gaussian mechanism: a mixture, of the new kind of distribution."""
    m, r = mp.mpf(mu), mp.mpf(rate)
    kept = mp.mpf(1.0 - rate) / (mp.mpf(1.0 - rate) + r)  # as SciPy holds it

    def truth(a: Any) -> Any:
        return kept * (1 - a) + (1 - kept) * mp.ncdf(upper_normal(a) - m)

    parts = [stats.Normal(mu=0.0, sigma=1.0), stats.Normal(mu=mu, sigma=1.0)]
    q = stats.Mixture(parts, weights=[1.0 - rate, rate])
    return Case(f"sampled({mu}, {rate})", parts[0], q, ends(truth))


def listed(name: str, p: Any, q: Any, masses: list[tuple[Any, Any]]) -> Case:
    """Two discrete laws: outcomes by falling ratio, and the polygon they make."""
    order = sorted(masses, key=lambda pair: -pair[1] / pair[0] if pair[0] else mp.mpf("-inf"))

    def truth(alpha: float) -> Any:
        left, miss = mp.mpf(alpha), sum(b for _, b in order)
        for a, b in order:
            if a >= left and a > 0:
                return miss - b * left / a
            left, miss = left - a, miss - b
        return mp.mpf(0)

    return Case(name, p, q, truth)


def poisson(first: float, second: float) -> Case:
    def mass(k: int, rate: float) -> Any:
        return mp.exp(-mp.mpf(rate)) * mp.mpf(rate) ** k / mp.factorial(k)

    masses = [(mass(k, first), mass(k, second)) for k in range(int(10 * (first + second)) + 90)]
    return listed(f"poisson({first}, {second})", stats.poisson(first), stats.poisson(second), masses)


def binomial(n: int, first: float, second: float) -> Case:
    def mass(k: int, rate: float) -> Any:
        return mp.binomial(n, k) * mp.mpf(rate) ** k * (1 - mp.mpf(rate)) ** (n - k)

    masses = [(mass(k, first), mass(k, second)) for k in range(n + 1)]
    return listed(f"binomial({n}, {first}, {second})", stats.binom(n, first), stats.binom(n, second), masses)


def geometric(first: float, second: float) -> Case:
    def mass(k: int, rate: float) -> Any:
        return mp.mpf(rate) * (1 - mp.mpf(rate)) ** (k - 1)

    count = int(120 / min(first, second))
    masses = [(mass(k, first), mass(k, second)) for k in range(1, count)]
    return listed(f"geometric({first}, {second})", stats.geom(first), stats.geom(second), masses)
