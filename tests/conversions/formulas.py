"""The formulas of the papers at 50 digits, written down once more and naively."""

from __future__ import annotations

import mpmath as mp

DIGITS = 50


def normal_cdf(t: mp.mpf) -> mp.mpf:
    return mp.erfc(-t / mp.sqrt(2)) / 2


def probit(p: float) -> mp.mpf:
    """Newton's method on the exact tail, from a rough start, on whichever side is small."""
    level = mp.mpf(p)
    if level > mp.mpf(1) / 2:
        return -_lower(1 - level)
    return _lower(level)


def _lower(level: mp.mpf) -> mp.mpf:
    if level == mp.mpf(1) / 2:
        return mp.mpf(0)
    z = -mp.sqrt(-2 * mp.log(level)) if level < mp.mpf("0.1") else mp.mpf("-0.5")
    for _ in range(200):
        step = mp.log(normal_cdf(z) / level) * normal_cdf(z) / mp.npdf(z)  # Newton on the logarithm: concave
        z -= step
        if abs(step) < mp.mpf(10) ** -45 * (1 + abs(z)):
            break
    return z


def standard(t: float, rho: float, delta: float) -> mp.mpf:
    a, r, d = mp.mpf(t), mp.mpf(rho), mp.mpf(delta)
    return r + mp.log(1 / d) / (a - 1)


def improved_b(t: float, rho: float, delta: float) -> mp.mpf:
    a, r, d = mp.mpf(t), mp.mpf(rho), mp.mpf(delta)
    return max(mp.mpf(0), r + mp.log((a - 1) / a) - (mp.log(d) + mp.log(a)) / (a - 1))


def improved_a(t: float, rho: float, delta: float) -> mp.mpf:
    a, r, d = mp.mpf(t), mp.mpf(rho), mp.mpf(delta)
    if a * d >= 1:
        return max(mp.mpf(0), r + mp.log(1 - d))
    zeta = (1 - 1 / a) ** (a - 1) / a
    first = ((a - 1) * r - mp.log(d / zeta)) / (a - 1)
    with mp.workdps(400):
        second = mp.log((mp.exp((a - 1) * r) - 1) / (a * d) + 1) / (a - 1)
    return max(mp.mpf(0), min(first, second))


def cks(t: float, rho: float, epsilon: float) -> mp.mpf:
    a, r, e = mp.mpf(t), mp.mpf(rho), mp.mpf(epsilon)
    return min(mp.mpf(1), mp.exp((a - 1) * (r - e)) / (a - 1) * (1 - 1 / a) ** a)


def gaussian_delta(psi: float | mp.mpf, epsilon: float) -> mp.mpf:
    m, e = mp.mpf(psi), mp.mpf(epsilon)
    return normal_cdf(m / 2 - e / m) - mp.exp(e) * normal_cdf(-m / 2 - e / m)


def tail_epsilon(psi: float, delta: float) -> mp.mpf:
    m = mp.mpf(psi)
    return max(mp.mpf(0), m * m / 2 - m * probit(delta))


def binormal(x: float, shift: float, s0: float, s1: float) -> mp.mpf:
    return normal_cdf((mp.mpf(shift) + mp.mpf(s0) * probit(x)) / mp.mpf(s1))


def renyi(order: float, shift: float, s0: float, s1: float, n: int) -> mp.mpf:
    a, d, i, j = mp.mpf(order), mp.mpf(shift), mp.mpf(s0), mp.mpf(s1)
    v = a * j**2 + (1 - a) * i**2
    if v <= 0:
        return mp.inf
    if a == 1:
        return n * mp.log(j / i) + n * (i**2 / j**2 - 1) / 2 + d**2 / (2 * j**2)
    return n * mp.log(j / i) + n * mp.log(j**2 / v) / (2 * (a - 1)) + a * d**2 / (2 * v)


def poisson_limit(sigma: float, rate: float, steps: int) -> mp.mpf:
    return mp.mpf(rate) * mp.sqrt(steps) * mp.sqrt(mp.exp(1 / mp.mpf(sigma) ** 2) - 1)


def uniform_limit(sigma: float, rate: float, steps: int) -> mp.mpf:
    s = mp.mpf(sigma)
    inner = mp.exp(1 / s**2) * normal_cdf(3 / (2 * s)) + 3 * normal_cdf(-1 / (2 * s)) - 2
    return mp.mpf(rate) * mp.sqrt(steps) * mp.sqrt(2) * mp.sqrt(inner)
