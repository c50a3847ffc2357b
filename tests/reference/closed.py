"""High-precision closed forms: the Gaussian, and one Poisson-subsampled step. A float means its exact value."""

from __future__ import annotations

from flint import arb, ctx

__all__ = ["gaussian_delta", "normal_cdf", "normal_quantile", "one_step_delta"]

Number = float | int | str | arb
BITS = 400


def normal_cdf(x: arb) -> arb:
    """Phi(x), from the tail that is small."""
    return (-x / arb(2).sqrt()).erfc() / 2


def normal_quantile(p: arb) -> arb:
    """The x with Phi(x) = p, by Newton on log Phi (concave, so it cannot cycle)."""
    if p > arb(1) / 2:
        return -normal_quantile(1 - p)
    target, x = p.log(), arb(0)
    for _ in range(200):
        density = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
        step = ((normal_cdf(x).log() - target) * normal_cdf(x) / density).mid()
        x = (x - step).mid()
        if abs(step) < arb(2) ** (-ctx.prec // 2):
            return x
    raise ArithmeticError("the normal quantile did not converge")


def gaussian_delta(mu: Number, epsilon: Number) -> arb:
    """delta(epsilon) of mu-GDP, any real epsilon."""
    with ctx.workprec(BITS):
        m, e = arb(mu), arb(epsilon)
        return normal_cdf(m / 2 - e / m) - e.exp() * normal_cdf(-m / 2 - e / m)


def one_step_delta(sigma: Number, q: Number, epsilon: Number, direction: str) -> arb:
    """delta(epsilon) of one Poisson-subsampled Gaussian step: the loss is monotone in x, so tests are thresholds."""
    with ctx.workprec(BITS):
        s, rate, e = arb(sigma), arb(q), arb(epsilon)
        if direction == "add":
            return 1 - e.exp() + e.exp() * one_step_delta(sigma, q, -e, "remove")
        inside = (e.exp() - 1 + rate) / rate
        if not inside > 0:
            return 1 - e.exp()
        x = s * s * inside.log() + arb(1) / 2
        with_record = (1 - rate) * normal_cdf(-x / s) + rate * normal_cdf((1 - x) / s)
        return with_record - e.exp() * normal_cdf(-x / s)
