"""Guarantees that are given, combined, grouped, compared, calibrated to; and Renyi divergences."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise

from flint import acb, arb, ctx

from tests.hunt import families
from tests.hunt.draw import Setting, between, number, whole
from tests.hunt.pairs import Balls, Formula, Given, Pair
from tests.hunt.steps import Noise, Step
from tests.hunt.truth import Composition, Truth
from tests.reference import closed, exact

__all__ = ["PROMISES"]

_BITS = 320
Drawn = tuple[str, Step | None, exact.Law | None]
"""Words, and what the worst mechanism is: a step, or a finite law."""


def given(rng: random.Random) -> Setting:
    """One promise, or a product of some."""
    parts = [(_promise(rng), whole(rng, 1, 6)) for _ in range(rng.choice([1, 1, 2]))]
    product = len(parts) > 1 or parts[0][1] > 1
    words = " * ".join(f"{p[0]} ** {n}" if n > 1 else p[0] for p, n in parts)
    return Setting("given", words if not product else f"({words})", lambda: Truth(_composed(parts)))


def opaque(rng: random.Random) -> Setting:
    """The same inside mechanisms, sampled or not, beside noise."""
    promise, n = _promise(rng), whole(rng, 1, 4)
    rate = number(rng, 1e-3, 0.95) if rng.random() < 0.4 and promise[2] is not None else None
    words = f"ny.Opaque({promise[0]})" + ("" if rate is None else f".poisson({rate!r})") + (f" ** {n}" if n > 1 else "")
    parts: list[tuple[Drawn, int]] = [(promise, n)]
    if rate is not None:
        parts = [(("", None, exact.sampled(promise[2], rate)), n)]
    if rng.random() < 0.5:
        noise = Step("Gaussian", (number(rng, 0.5, 20.0),))
        words, parts = f"{words} * {noise}", [*parts, (("", noise, None), 1)]
    return Setting("opaque", f"ny.account({words})", lambda: Truth(_composed(parts)))


def concentrated(rng: random.Random) -> Setting:
    """zCDP and RDP: never better than the Gaussian that keeps them, nor worse than the plainest conversion."""
    n = whole(rng, 1, 12)
    if rng.random() < 0.6:
        rho = number(rng, 1e-4, 20.0)
        words, square = f"ny.ZCDP({rho!r})", 2 * arb(rho)
        bound: Callable[[arb], arb] = lambda t: arb(rho) * t  # noqa: E731
        orders = None
    else:
        orders = sorted({round(1.0 + between(rng, 0.1, 60.0), 2) for _ in range(rng.randint(1, 6))})
        mu2 = number(rng, 1e-3, 20.0)
        values = [mu2 * t / 2 * rng.uniform(1.0, 1.3) for t in orders]
        words = f"ny.RDP({orders!r}, {values!r})"
        square = arb(min(2 * v / t * (1 - 1e-14) for v, t in zip(values, orders, strict=True)))
        table = dict(zip(orders, values, strict=True))
        bound = lambda t: arb(table[float(t.mid())])  # noqa: E731
    mu = (square * n).sqrt()
    tried = [arb(t) for t in (orders or [1.0 + 1.25**k for k in range(-20, 26)])]

    def bounds(e: arb, add: bool) -> Balls:
        least = closed.gaussian_delta(mu, e)
        most = arb(1)
        for t in tried if e > 0 else []:
            most = most.min(((t - 1) * (n * bound(t) - e)).exp() / (t - 1) * (1 - 1 / t) ** t)
        return least, most if n == 1 else arb(1)

    return Setting("zcdp and rdp", f"({words} ** {n})" if n > 1 else words, lambda: Truth(Given(bounds)))


def joined(rng: random.Random) -> Setting:
    """join: the larger delta."""
    first, second = _promise(rng), _promise(rng)

    def truth() -> Truth:
        pairs = [_composed([(p, 1)]) for p in (first, second)]

        def bounds(e: arb, add: bool) -> Balls:
            found = [pair.delta(e, add) for pair in pairs]
            return found[0][0].max(found[1][0]), found[0][1].max(found[1][1])

        return Truth(Given(bounds))

    return Setting("join", f"ny.join({first[0]}, {second[0]})", truth)


def met(rng: random.Random) -> Setting:
    """meet: the larger f, of curves that have a formula."""
    kinds = [_formula(rng) for _ in range(2)]
    words = f"ny.meet({kinds[0][0]}, {kinds[1][0]})"

    def f(a: arb) -> Balls:
        value = kinds[0][1](a).max(kinds[1][1](a)).max(arb(0))
        return value.lower(), value.upper()

    return Setting("meet", words, lambda: Truth(Formula.gaussian(arb(1))), "attack", f)


def grouped(rng: random.Random) -> Setting:
    """group(k): f applied k times, of curves that have a formula."""
    words, f = _formula(rng)
    k = whole(rng, 1, 8)

    def applied(a: arb) -> Balls:
        for _ in range(k):
            a = 1 - f(a).max(arb(0)).min(arb(1))
        return (1 - a).lower(), (1 - a).upper()

    return Setting("group", f"{words}.group({k})", lambda: Truth(Formula.gaussian(arb(1))), "attack", applied)


def comparison(rng: random.Random) -> Setting:
    """Two computed or given curves."""
    first, second = _promise(rng), _promise(rng)
    mechanism = families.laplace(rng) if rng.random() < 0.3 else families.dpsgd(rng)
    if rng.random() < 0.4 and isinstance(mechanism.extra, tuple):
        steps = mechanism.extra
        return Setting("compare", f"ny.compare({first[0]}, ny.account({' * '.join(map(str, steps))}))",
                       lambda: Truth(_composed([(first, 1)])), "compared", Truth(Composition(steps)))  # fmt: skip
    words = f"ny.compare({first[0]}, {second[0]})"
    return Setting(
        "compare", words, lambda: Truth(_composed([(first, 1)])), "compared", Truth(_composed([(second, 1)]))
    )


def calibration(rng: random.Random) -> Setting:
    """Noise for a pair: of Gaussian and Laplace noise, and of DP-SGD."""
    epsilon, delta = number(rng, 0.01, 30.0), number(rng, 1e-14, 0.05)
    kind = rng.choice(["Gaussian", "Laplace", "dpsgd"])
    target = f"ny.targets.Epsilon({epsilon!r}, {delta!r})"
    if kind != "dpsgd":
        made = lambda x: Truth(Composition([Step(kind, (x,))]))  # noqa: E731
        words = f"ny.calibrate(ny.{kind}, {target})"
    else:
        q, steps = number(rng, 1e-3, 0.8), whole(rng, 50, 10**5)
        made = lambda x: Truth(Composition([Step("Gaussian", (x,), q, steps)]))  # noqa: E731
        words = f"ny.noise_for_dpsgd({target}, sample_rate={q!r}, steps={steps})"
    return Setting("calibrate", words, lambda: Truth(Formula.gaussian(arb(1))), "calibrated", (made, epsilon, delta))


def renyi(rng: random.Random) -> Setting:
    """Divergences of sampled Gaussians at whole orders, of Laplace noise, of black boxes."""
    adjacency = rng.choice(["remove", "add"])
    kind = rng.choice(["Gaussian", "Laplace", "box"])
    if kind == "Gaussian":
        step = Step("Gaussian", (number(rng, 0.3, 50.0),), number(rng, 1e-5, 0.95), whole(rng, 1, 10**5))
    elif kind == "Laplace":
        step = Step("Laplace", (1.0 / number(rng, 1e-3, 50.0),), None, whole(rng, 1, 1000))
    else:
        step = families._box(rng, whole(rng, 1, 500))
    add = adjacency == "add"
    return Setting("renyi", f"ny.account({step}, {adjacency!r})", lambda: Truth(Formula.gaussian(arb(1)), adjacency),
                   "divergent", lambda t: _divergence(step, arb(t), add))  # fmt: skip


def _divergence(step: Step, t: arb, add: bool) -> Balls:
    """D_t = log E_Q[(dP/dQ)^t] / (t - 1), times the count; of the reversed pair E_Q[(dP/dQ)^(1 - t)]."""
    law = step.law(False)
    w = 1 - t if add else t
    if law is not None:
        if t > 1 and any(b == 0 and a > 0 for a, b in ((q, p) if add else (p, q) for p, q in law)):
            return arb.pos_inf(), arb.pos_inf()
        moment = sum((p**w * q ** (1 - w) for p, q in law if not (p == 0 or q == 0)), arb(0))
    else:
        moment = _moment(step.noise(False), w)
    value = moment.log() * step.times / (t - 1)
    return value.lower(), value.upper()


def _moment(noise: Noise, w: arb) -> arb:
    """E_Q[G^w]: of Laplace noise in closed form, of sampled Gaussians by a rigorous integral."""
    if noise.kind == "Laplace":
        d, z = 1 / noise.s, w - 1
        middle = ((z + arb(1) / 2) * d).sinh() / (2 * (z + arb(1) / 2)) if not (z + arb(1) / 2).contains(0) else d / 2
        return (z * d).exp() / 2 + (-d - z * d).exp() / 2 + (-d / 2).exp() * middle
    s, q = noise.s, noise.q
    reach = 20.0 * float(s)
    low, high = -reach - abs(float(w)) * 0.0, reach + max(float(w), 0.0)

    def integrand(x: acb, analytic: bool) -> acb:
        g = 1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()
        return (w * g.log(analytic=analytic) - x * x / (2 * s * s)).exp()

    parts = [arb(low) + (arb(high) - arb(low)) * i / 8 for i in range(9)]
    total = arb(0)
    for a, b in pairwise(parts):
        total += acb.integral(integrand, a, b, rel_tol=2.0**-90, abs_tol=2.0**-400).real
    total /= s * (2 * arb.pi()).sqrt()
    return total + arb(0).union(_outside(w, q, s, arb(low), arb(high)))


def _outside(w: arb, q: arb, s: arb, low: arb, high: arb) -> arb:
    """Of the moment, what lies beyond the ends, at most: G^w <= 2^w (1 + (q Y)^w), or (1 - q)^w."""

    def tail(u: arb) -> arb:
        return closed.normal_cdf(-u)

    if w <= 0:
        return (1 - q) ** w * (tail(-low / s) + tail(high / s))
    far = q**w * ((w * w - w) / (2 * s * s)).exp() * tail((high - w) / s)
    return tail(-low / s) + 2**w * (tail(high / s) + far)


# drawing promises


def _promise(rng: random.Random) -> Drawn:
    kind = rng.choice(["GDP", "PureDP", "ApproximateDP", "Tradeoff", "Profile"])
    if kind == "GDP":
        mu = number(rng, 1e-3, 8.0)
        return f"ny.GDP({mu!r})", Step("Gaussian", (_Inverse(mu),)), None
    if kind == "PureDP":
        e = number(rng, 1e-3, 30.0)
        return f"ny.PureDP({e!r})", None, exact.k_ary(e)
    if kind == "ApproximateDP":
        e, d = number(rng, 1e-3, 10.0), number(rng, 1e-12, 0.4)
        if rng.random() < 0.2:
            e, d = between(rng, 1e-15, 1e-3), 1.0 - between(rng, 1e-14, 0.6)
        return f"ny.ApproximateDP({e!r}, {d!r})", None, exact.approximate(e, d)
    return _tradeoff(rng) if kind == "Tradeoff" else _profile(rng)


class _Inverse(float):
    """1/mu as the exact quotient where it is read in balls."""


def _tradeoff(rng: random.Random) -> Drawn:
    """A symmetric curve through a few dyadic corners."""
    at = sorted(rng.sample(range(1, 64), rng.randint(1, 3)))
    first = rng.choice([1.0, 1.0, 0.96875])
    half: list[tuple[float, float]] = [(0.0, first)]
    slope = -rng.choice([4.0, 8.0, 64.0])
    for k in at:
        a, b = half[-1]
        x = k / 1024
        y = b + slope * (x - a)
        if x <= a or y <= x:
            break
        half.append((x, y))
        slope /= 2
        if slope >= -1:
            break
    corners = half + [(b, a) for a, b in reversed(half) if (b, a) != half[-1]]
    alphas, betas = [a for a, _ in corners], [b for _, b in corners]
    law = [(arb(a[1]) - arb(b[1]), arb(b[0]) - arb(a[0])) for a, b in pairwise(corners)]
    law += [(1 - arb(first), arb(0)), (arb(0), 1 - arb(first))] if first < 1.0 else []
    return f"ny.Tradeoff({alphas!r}, {betas!r})", None, law


def _profile(rng: random.Random) -> Drawn:
    """Pairs that hold at once: the lower hull of them and their mirror images is a finite law."""
    epsilons, deltas = rng.choice([_above_gaussian, _above_gaussian, _on_one_line, _beyond_need, _near_nothing])(rng)
    with ctx.workprec(_BITS):  # points on one line but for rounding leave masses of 1e-17
        law = _hull_law(epsilons, deltas)
    if not all(x == 0 or x > 0 for pair in law for x in pair):
        raise ArithmeticError(f"masses of {epsilons}, {deltas} that are not surely positive")
    return f"ny.Profile({epsilons!r}, {deltas!r})", None, law


def _hull_law(epsilons: list[float], deltas: list[float]) -> exact.Law:
    points = [(-math.inf, arb(0), arb(1))]
    for e, d in zip(epsilons, deltas, strict=True):
        x = arb(e).exp()
        points += [(e, x, arb(d)), (-e, 1 / x, 1 - (1 - arb(d)) / x)]
    points.sort(key=lambda p: p[0])
    least = arb(min(deltas))
    hull: list[tuple[arb, arb]] = []
    for _, *p in points:
        if hull and not p[1] < hull[-1][1]:
            continue  # beyond the least of them the hull is level
        while len(hull) > 1 and not _slope(hull[-2], hull[-1]) < _slope(hull[-1], (p[0], p[1])):
            hull.pop()
        hull.append((p[0], p[1]))
    slopes = [_slope(a, b) for a, b in pairwise(hull)] + [arb(0)]
    law = [(x * (after - before), after - before)
           for (x, _), before, after in zip(hull[1:], slopes[:-1], slopes[1:], strict=True)]  # fmt: skip
    told = [(least, arb(0)), (arb(0), least)] if min(deltas) > 0.0 else []
    return [*law, *told]


Pairs = tuple[list[float], list[float]]


def _above_gaussian(rng: random.Random) -> Pairs:
    mu = number(rng, 0.05, 4.0)
    epsilons = sorted({round(between(rng, 0.05, 6.0) * mu, 3) for _ in range(rng.randint(1, 5))})
    return epsilons, [min(1.0, float(closed.gaussian_delta(mu, e).mid()) * rng.uniform(1.0, 1.5)) for e in epsilons]


def _on_one_line(rng: random.Random) -> Pairs:
    """Samples of a pure promise, to a digit or so, and some beyond its end."""
    end = between(rng, 1e-3, 12.0)
    epsilons = sorted({end * rng.random() for _ in range(rng.randint(1, 4))} | {end, end * rng.uniform(1.0, 9.0)})
    exact_ = [max(math.exp(end) - math.exp(e), 0.0) / (1.0 + math.exp(end)) for e in epsilons]
    return epsilons, [d * (1.0 + rng.choice([-1, 0, 0, 1, 2]) * 2.0**-52) for d in exact_]


def _beyond_need(rng: random.Random) -> Pairs:
    """Pairs that follow from those before them."""
    epsilons = sorted({between(rng, 0.01, 60.0) for _ in range(rng.randint(2, 4))})
    first = rng.choice([0.0, 0.0, between(rng, 1e-12, 0.5)])
    return epsilons, [first, *(rng.choice([first, between(rng, 1e-12, 1.0)]) for _ in epsilons[1:])]


def _near_nothing(rng: random.Random) -> Pairs:
    """Hardly any epsilon, deltas near either end."""
    epsilons = sorted({between(rng, 1e-17, 1e-3) for _ in range(rng.randint(1, 3))})
    d = rng.choice([between(rng, 1e-15, 0.5), 1.0 - between(rng, 1e-14, 0.5)])
    return epsilons, [d for _ in epsilons]


def _slope(a: tuple[arb, arb], b: tuple[arb, arb]) -> arb:
    return (b[1] - a[1]) / (b[0] - a[0])


def _formula(rng: random.Random) -> tuple[str, Callable[[arb], arb]]:
    """Words, and f."""
    kind = rng.choice(["GDP", "PureDP", "ApproximateDP"])
    if kind == "GDP":
        mu = number(rng, 1e-2, 6.0)
        return f"ny.GDP({mu!r})", lambda a: _gaussian_curve(arb(mu), a)
    e = number(rng, 1e-2, 8.0)
    d = number(rng, 1e-10, 0.3) if kind == "ApproximateDP" else 0.0
    f = lambda a: (1 - arb(d) - arb(e).exp() * a).max((-arb(e)).exp() * (1 - arb(d) - a)).max(arb(0))  # noqa: E731
    return (f"ny.ApproximateDP({e!r}, {d!r})" if d else f"ny.PureDP({e!r})"), f


def _gaussian_curve(mu: arb, a: arb) -> arb:
    """Phi(Phi^-1(1 - a) - mu), 2^-60 wide for the inverse."""
    if not (a > 0 and a < 1):
        return (1 - a).max(arb(0)).min(arb(1))
    x = -closed.normal_quantile(a.mid())
    value = closed.normal_cdf(x - mu)
    return value + value * arb(0, 2.0**-60)


def _composed(parts: list[tuple[Drawn, int]]) -> Pair:
    steps = [_Stated(law, n) if law is not None else _repeated(step, n) for (_, step, law), n in parts]
    return Composition(steps)


class _Stated(Step):
    """A finite law that no mechanism of the package spells."""

    def __init__(self, law: exact.Law, times: int) -> None:
        super().__init__("stated", (), None, times)
        object.__setattr__(self, "stated", law)

    def law(self, replace: bool) -> exact.Law:
        return [(p, q) for p, q in self.stated if not (p == 0 and q == 0)]  # type: ignore[attr-defined]


class _Plain(Step):
    """mu-GDP."""

    def __init__(self, mu: float, times: int) -> None:
        super().__init__("Gaussian", (mu,), None, times)

    def noise(self, replace: bool) -> Noise:
        return Noise("Gaussian", 1 / arb(float(self.args[0])), arb(1), replace)


def _repeated(step: Step, n: int) -> Step:
    if isinstance(step.args[0], _Inverse):
        return _Plain(float(step.args[0]), n)
    return Step(step.kind, step.args, step.rate, step.times * n)


PROMISES = (given, opaque, concentrated, joined, met, grouped, comparison, calibration, renyi)
