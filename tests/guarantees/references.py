"""Naive high-precision twins: definitions only, no tricks."""

from __future__ import annotations

import json
import pathlib

import mpmath as mp
from flint import arb, ctx

DATA = pathlib.Path(__file__).parents[1] / "reference" / "data"


def load(name):
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def gaussian_delta(mu, epsilon):
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), with as many digits as it takes, in balls."""
    digits = 1200 if mu > 30 else 400
    with ctx.workdps(digits), mp.workdps(digits):
        m, e, root = arb(mu), arb(epsilon), arb(2).sqrt()
        found = ((e / m - m / 2) / root).erfc() / 2 - e.exp() * ((e / m + m / 2) / root).erfc() / 2
        if not found.rad() <= abs(found) * arb(10) ** -80:
            raise ArithmeticError(f"too few digits for mu = {mu}, epsilon = {epsilon}")
        mantissa, exponent = found.mid().man_exp()
        return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))


def subsampled_delta(sigma, rate, direction, epsilon):
    """One step, by the threshold in x, any real eps."""
    with mp.workdps(250):
        s, q, grow = mp.mpf(sigma), mp.mpf(rate), mp.exp(mp.mpf(epsilon))
        if direction == "remove":  # L(x) = log(1 - q + q e^{(2x-1)/(2 s^2)}) increases in x
            if grow <= 1 - q:
                return 1 - grow
            x = s * s * mp.log((grow - 1 + q) / q) + mp.mpf(1) / 2
            return (1 - q) * tail(x / s) + q * tail((x - 1) / s) - grow * tail(x / s)
        if grow * (1 - q) >= 1:
            return mp.mpf(0)
        x = s * s * mp.log((1 / grow - 1 + q) / q) + mp.mpf(1) / 2  # the loss is -L(x)
        lower, shifted = tail(-x / s), tail(-(x - 1) / s)
        return lower - grow * ((1 - q) * lower + q * shifted)


def subsampled_point(sigma, rate, alpha):
    """(alpha, f(alpha)) of the "remove" direction: reject for large x."""
    s, q = mp.mpf(sigma), mp.mpf(rate)
    x = s * mp.findroot(lambda t: mp.log(tail(t)) - mp.log(mp.mpf(alpha)), mp.sqrt(-2 * mp.log(mp.mpf(alpha))) - 0.3)
    return 1 - (1 - q) * tail(x / s) - q * tail((x - 1) / s)


def quantile(p):
    """Phi^-1(p) for p <= 1/2."""
    p = mp.mpf(p)
    start = -mp.sqrt(-2 * mp.log(p)) + mp.mpf("0.4")
    return -mp.findroot(lambda t: mp.log(tail(t)) - mp.log(p), -start)
