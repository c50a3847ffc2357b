"""Exact compositions of discrete and Laplace steps: sums over all outcomes and residues, in ball arithmetic.

A discrete law is a list of outcomes (p, q), their masses under P and Q, zeros included, and delta(eps) is its
definition sum (p - e^eps q)_+: no loss is ever computed. A float means its exact value, a string its exact decimal.
Nothing here comes from the package under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

from flint import arb, arb_poly, arb_series, ctx

from tests.reference import closed

__all__ = [
    "Law", "approximate", "compose", "delta", "discrete_gaussian", "discrete_gaussian_power", "discrete_laplace",
    "floated", "k_ary", "laplace_delta", "mixed_delta", "replaced_gaussian_delta", "replaced_laplace_delta",
    "reverse", "sampled", "sampled_laplace_delta", "sampled_one_step", "tabulated",
]  # fmt: skip

Number = float | int | str | arb
Law = list[tuple[arb, arb]]
Profile = Callable[[arb], arb]
BITS = 500
FAR = 160  # a discrete law is cut where its exponent reaches this: e^-160 = 3e-70


def floated(value: arb) -> float:
    """The nearest float, provided that the ball is that small."""
    if value.contains(0) and value.rad() < arb("1e-60"):
        return 0.0
    if not value.rad() <= abs(value.mid()) * arb("1e-25") + arb("1e-60"):
        raise ArithmeticError(f"the reference is too wide: {value}")
    return float(value.mid())


# discrete laws


def k_ary(epsilon: Number, k: int = 2) -> Law:
    """The true one of k answers e^epsilon times as likely as each other one; those that say nothing come as one."""
    with ctx.workprec(BITS):
        e = arb(epsilon).exp()
        high, low = e / (e + k - 1), 1 / (e + k - 1)
        return [(high, low), (low, high), *[(low * (k - 2), low * (k - 2))] * (k > 2)]


def approximate(epsilon: Number, share: Number) -> Law:
    """With probability ``share`` the record is revealed, else two answers."""
    with ctx.workprec(BITS):
        d, e = arb(share), arb(epsilon).exp()
        high, low = (1 - d) * e / (e + 1), (1 - d) / (e + 1)
        return [(d, arb(0)), (high, low), (low, high), (arb(0), d)]


def tabulated(p: Sequence[float], q: Sequence[float]) -> Law:
    """Two listed laws."""
    return list(zip(map(arb, p), map(arb, q), strict=True))


def discrete_gaussian(sigma: Number, shift: int = 1, rate: Number = 1, two_sided: bool = False) -> Law:
    """Integers, mass e^{-(x - shift)^2 / (2 sigma^2)} against e^{-x^2 / (2 sigma^2)}, each normalised.

    Sampled at ``rate``; when a record is exchanged (``two_sided``), against the mixture with -shift.
    """
    with ctx.workprec(BITS):
        far = _reach(sigma)
        norm = sum((_bell(x, sigma) for x in range(-far, far + 1)), arb(0))
        places = range(-far - shift, far + shift + 1)
        return _mixed(lambda centre, x: _bell(x - centre, sigma) / norm, places, shift, rate, two_sided)


def discrete_laplace(scale: Number, shift: int = 1, rate: Number = 1, two_sided: bool = False) -> Law:
    """Integers, mass e^{-|x - shift| / scale} against e^{-|x| / scale}; sampled and exchanged as above.

    Beyond -shift and shift the loss stays what it is there, and both tails are geometric series.
    """
    with ctx.workprec(BITS):
        ratio = (-1 / arb(scale)).exp()

        def mass(centre: int, x: int) -> arb:
            return ratio ** abs(x - centre) * (1 - ratio) / (1 + ratio) / (1 - ratio if abs(x) == shift else 1)

        return _mixed(mass, range(-shift, shift + 1), shift, rate, two_sided)


def discrete_gaussian_power(sigma: Number, times: int) -> Law:
    """``times`` discrete Gaussians of sensitivity 1: the loss is linear in the sum of the outputs."""
    with ctx.workprec(2 * BITS):
        far = _reach(sigma)
        weight = [_bell(x, sigma) for x in range(-far, far + 1)]
        whole, norm = arb_poly(weight) ** times, sum(weight, arb(0)) ** times
        sums = [whole[i] / norm for i in range(2 * far * times + 1)]
        least = arb("1e-80")
        return [(p, q) for p, q in zip([arb(0)] * times + sums, sums, strict=False) if p > least or q > least]


def sampled(law: Law, rate: Number) -> Law:
    """(1 - rate) Q + rate P against Q."""
    with ctx.workprec(BITS):
        r = arb(rate)
        return [((1 - r) * q + r * p, q) for p, q in law]


def reverse(law: Law) -> Law:
    """Q against P."""
    return [(q, p) for p, q in law]


def compose(*parts: tuple[Law, int]) -> Law:
    """All outcomes of all steps; of one law several times, by how often each of its outcomes came."""
    with ctx.workprec(BITS):
        whole: Law = [(arb(1), arb(1))]
        for law, times in parts:
            whole = [(p * r, q * s) for p, q in whole for r, s in _power(law, times)]
        return whole


def _power(law: Law, times: int) -> Law:
    if times == 1:
        return law
    counted: dict[tuple[int, ...], tuple[arb, arb]] = {(0,) * len(law): (arb(1), arb(1))}
    for _ in range(times):
        grown: dict[tuple[int, ...], tuple[arb, arb]] = {}
        for counts, (p, q) in counted.items():
            for i, (r, s) in enumerate(law):
                key = (*counts[:i], counts[i] + 1, *counts[i + 1 :])
                a, b = grown.get(key, (arb(0), arb(0)))
                grown[key] = (a + p * r, b + q * s)
        counted = grown
    return list(counted.values())


def delta(law: Law, epsilon: Number) -> arb:
    """sum (p - e^eps q)_+."""
    with ctx.workprec(BITS):
        order = arb(epsilon).exp()
        return sum((arb(0).max(p - order * q) for p, q in law), arb(0))


# Laplace steps of sensitivity 1, whose losses reach d = 1 / scale


def laplace_delta(scales: Sequence[Number], epsilon: Number) -> arb:
    """One unsampled Laplace step of each scale.

    With v = z + 1/2, E_Q e^{(z+1) L} = e^{-d/2} (cosh(v d) + sinh(v d) / (2 v)), so the product is a sum over signs s
    of e^{v s.d} prod (1 + s_i / (2 v)), and delta(eps) the integral of that times e^{eps/2 - v eps} / (v^2 - 1/4).
    A term with y = s.d - eps <= 0 vanishes (close to the right); else take the residues at v = 1/2, -1/2 and 0.
    """
    with ctx.workprec(2 * BITS):
        d, e = [1 / arb(scale) for scale in scales], arb(epsilon)
        n = len(d)
        value = arb(0)
        for signs in product((1, -1), repeat=n):
            y = sum((s * loss for s, loss in zip(signs, d, strict=True)), arb(0)) - e
            if not y <= 0:
                value += _residues(y, signs.count(1), signs.count(-1))
        return value * ((e - sum(d, arb(0))) / 2).exp() / arb(2) ** n


def _residues(y: arb, plus: int, minus: int) -> arb:
    found = arb(0)
    if minus == 0:
        found += (y / 2).exp() * 2**plus
    if plus == 0:
        found -= (-y / 2).exp() * 2**minus
    n = plus + minus
    # prod (1 +- u / 2) with u = 1 / v, against the power series of e^{v y} / (v^2 - 1/4)
    poles = arb_poly([1, arb(1) / 2]) ** plus * arb_poly([1, -arb(1) / 2]) ** minus
    with ctx.workprec(ctx.prec):
        cap, ctx.cap = ctx.cap, n + 1
        try:
            regular = arb_series([0, y]).exp() / arb_series([-arb(1) / 4, 0, 1])
            return found + sum((poles[k] * regular[k - 1] for k in range(1, n + 1)), arb(0))
        finally:
            ctx.cap = cap


def sampled_laplace_delta(scale: Number, rate: Number, epsilon: Number, direction: str) -> arb:
    """One sampled Laplace step in closed form; unsampled, delta(eps) = 1 - e^{(eps - d)/2} for |eps| <= d."""

    def whole(e: arb) -> arb:
        d = 1 / arb(scale)
        if e >= d:
            return arb(0)
        return 1 - ((e - d) / 2).exp() if e >= -d else 1 - e.exp()

    return sampled_one_step(whole, rate, epsilon, direction)


def sampled_one_step(whole: Profile, rate: Number, epsilon: Number, direction: str) -> arb:
    """Any one sampled step from the profile of the step: (1-q) Q + q P - e^eps Q = q (P - ((e^eps - 1 + q) / q) Q)."""
    with ctx.workprec(BITS):
        e, q = arb(epsilon), arb(rate)
        if direction == "add":
            return 1 - e.exp() + e.exp() * sampled_one_step(whole, rate, -e, "remove")
        order = (e.exp() - 1 + q) / q
        return q * whole(order.log()) if order > 0 else 1 - e.exp()


def mixed_delta(law: Law, rest: Profile, epsilon: Number) -> arb:
    """A discrete law composed with anything: delta(eps) = E_P delta_rest(eps - L)."""
    with ctx.workprec(BITS):
        e = arb(epsilon)
        return sum((p if q == 0 else p * rest(e - (p / q).log()) for p, q in law if p != 0), arb(0))


# one sampled step when a record is exchanged: (1 - q) F_0 + q F_s against (1 - q) F_0 + q F_{-s}


def replaced_laplace_delta(scale: Number, rate: Number, epsilon: Number) -> arb:
    """Of Laplace noise, sensitivity 1."""

    def tail(x: arb) -> arb:
        half = (-abs(x) / arb(scale)).exp() / 2
        return half if x > 0 else 1 - half

    def density(x: arb) -> arb:
        return (-abs(x) / arb(scale)).exp()

    return _replaced(tail, density, 60 * float(arb(scale).mid()) + 1, rate, epsilon)


def replaced_gaussian_delta(sigma: Number, rate: Number, epsilon: Number) -> arb:
    """Of Gaussian noise, sensitivity 1."""

    def density(x: arb) -> arb:
        return (-(x**2) / (2 * arb(sigma) ** 2)).exp()

    return _replaced(lambda x: closed.normal_cdf(-x / arb(sigma)), density, 40 * float(arb(sigma).mid()) + 1, rate,
                     epsilon)  # fmt: skip


def _replaced(tail: Profile, density: Profile, far: float, rate: Number, epsilon: Number) -> arb:
    """The loss never falls, so the best test is a half-line x > t; t by bisection (an error in it counts squared)."""
    with ctx.workprec(BITS):
        q, order = arb(rate), arb(epsilon).exp()

        def excess(f: Profile, x: arb) -> arb:
            moved = q * f(x - 1) - order * q * f(x + 1)
            return (1 - order) * (1 - q) * f(x) + moved

        low, high = arb(-far), arb(far)
        if not excess(density, high) > 0:
            return arb(0)
        if excess(density, low) > 0:
            return 1 - order
        for _ in range(BITS // 2):
            middle = ((low + high) / 2).mid()
            low, high = (low, middle) if excess(density, middle) > 0 else (middle, high)
        return excess(tail, high)


# small print


def _mixed(mass: Callable[[int, int], arb], places: range, shift: int, rate: Number, two_sided: bool) -> Law:
    q = arb(rate)

    def law(centre: int) -> list[arb]:
        return [(1 - q) * mass(0, x) + q * mass(centre, x) for x in places]

    return list(zip(law(shift), law(-shift if two_sided else 0), strict=True))


def _bell(x: int, sigma: Number) -> arb:
    return (-(arb(x) ** 2) / (2 * arb(sigma) ** 2)).exp()


def _reach(sigma: Number) -> int:
    return math.ceil(float(arb(sigma).mid()) * math.sqrt(2.0 * FAR)) + 2
