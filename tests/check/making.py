"""Proofs small enough to be taken apart, with truths that do not come from the package."""

from __future__ import annotations

import json
import math
import pickle
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from flint import arb, arb_poly, ctx

import neyman as ny
from neyman.witnesses.plans import fork as forks
from neyman.witnesses.plans.line import line
from neyman.witnesses.plans.path import path
from neyman.witnesses.plans.veil import veil
from neyman.witnesses.search import proved, start
from neyman.witnesses.steps.kinds import step_of
from neyman.witnesses.supply import Supply
from neyman_check.deltas.exact import gaussian_delta, normal
from neyman_check.form import FORMAT, VERSION
from neyman_check.mechanism import laws_of
from tests.check.twofold import laplace_steps, twofold
from tests.hunt.truth import laplace_power
from tests.reference import exact

__all__ = ["DATA", "forked_proof", "gaussian_proof", "gaussian_truth", "inside", "laplace_proof", "lattices",
           "lined_proof", "listed_proof", "mixed_proof", "mixed_truth", "named", "path_proof", "sampled_proof",
           "supplied", "veiled_proof"]  # fmt: skip

DATA = Path(__file__).parents[1] / "reference" / "data"
BITS, NATS = 128, 40.0
NEAR, FALSE = 1e-6, 1e-9  # by how much a statement is true, or false
_N = NormalDist()
_MU = 1.0


def supplied(mechanism: ny.Mechanism, adjacency: str = "add_or_remove", nats: float = NATS) -> Supply:
    ctx.prec = BITS
    return Supply(mechanism.to_dict(), adjacency, BITS, nats)


def stated(name: str, quantity: str, given: dict[str, Any], value: float, most: bool) -> dict[str, Any]:
    return {"id": name, "quantity": quantity, "given": given, "at_most" if most else "at_least": value}


def both(
    name: str, quantity: str, given: dict[str, Any], truth: float, near: float = NEAR, false: float = FALSE
) -> list[dict[str, Any]]:
    """True on either side, then false on either side."""
    return [
        stated(f"true {name} <=", quantity, given, truth * (1 + near), True),
        stated(f"true {name} >=", quantity, given, truth * (1 - near), False),
        stated(f"false {name} <=", quantity, given, truth * (1 - false), True),
        stated(f"false {name} >=", quantity, given, truth * (1 + false), False),
    ]


def made_once(make: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Made once for each argument; whoever asks has a copy to alter. Bytes are copied ten times faster than objects."""

    @cache
    def kept(*given: str) -> bytes:
        return pickle.dumps(make(*given))

    @wraps(make)
    def copied(*given: str) -> dict[str, Any]:
        return pickle.loads(kept(*given))

    return copied


def named(answers: Iterable[Any], start: str) -> list[Any]:
    return [one for one in answers if one.id.startswith(start)]


def _g(alpha: float, mu: float) -> float:
    return _N.cdf(-_N.inv_cdf(alpha) - mu)


def gaussian_truth(quantity: str, given: dict[str, Any], mu: float) -> float | None:
    """What is true of a Gaussian mechanism, in floats: good to 1e-12 where alpha is not tiny."""
    table: dict[str, Callable[[], float]] = {
        "advantage": lambda: 2 * _N.cdf(mu / 2) - 1,
        "beta": lambda: _g(given["alpha"], mu),
        "tpr": lambda: 1 - _g(given["fpr"], mu),
        "attribute_inference": lambda: 1 - _g(given["baseline"], mu),
        "relative_risk": lambda: (1 - _g(given["baseline"], mu)) / given["baseline"],
        "fixed_point": lambda: _N.cdf(-mu / 2),
        "auc": lambda: _N.cdf(mu / 2**0.5),
        "mu": lambda: mu,
        "tail_mu": lambda: mu,
        "bayes_error": lambda: _N.cdf(-mu / 2) if given["prior"] == 0.5 else None,
        "accuracy": lambda: _N.cdf(mu / 2) if given["prior"] == 0.5 else None,
    }
    return table[quantity]() if quantity in table else None


@made_once
def gaussian_proof() -> dict[str, Any]:
    """By outcomes: one Gaussian, whose every number is known."""
    grid = [0.05 * i for i in range(60)]
    tangents = [-_N.inv_cdf(alpha) * _MU - _MU**2 / 2 for alpha in (0.3, 0.1, 0.05, 0.01, 1e-3)]
    near = [x + d for x in (0.0, *tangents) for d in (-2e-4, -1e-4, 0.0, 1e-4, 2e-4)]
    asked = sorted({*grid, *(x for x in near if x >= 0.0)})
    given: list[tuple[str, dict[str, Any]]] = [
        ("advantage", {}), ("beta", {"alpha": 0.3}), ("tpr", {"fpr": 0.01}), ("attribute_inference", {"baseline": 0.1}),
        ("relative_risk", {"baseline": 0.05}), ("fixed_point", {}), ("auc", {}), ("mu", {"floor": 1e-3}),
        ("tail_mu", {"at": 1e-3}), ("bayes_error", {"prior": 0.5}), ("accuracy", {"prior": 0.5}),
    ]  # fmt: skip
    statements = [
        s
        for quantity, one in given
        for s in both(quantity, quantity, one, gaussian_truth(quantity, one, _MU), 1e-3 if quantity == "auc" else NEAR)
    ]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": ny.Gaussian(1.0).to_dict(),
        "adjacency": "add_or_remove", "lines": [],
        "places": [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in asked],
        "statements": json.loads(json.dumps(statements)),  # none shares with another what is given
    }  # fmt: skip


@made_once
def sampled_proof() -> dict[str, Any]:
    """By lines, of a case whose deltas are in the reference tables."""
    (case,) = [
        c for c in json.loads((DATA / "subsampled_gaussian_composed.json").read_text())["cases"] if c["q"] == "0.32768"
    ]
    mechanism = ny.DPSGD(float(case["sigma"]), float(case["q"]), case["T"])
    deltas: dict[float, float] = {}
    for p in case["points"]:
        e = float(p["eps"])
        if 0 <= e <= 6 and p["direction"] == "remove":  # never less than "add"
            deltas[e] = float(p["delta"])
    supply = supplied(mechanism)
    asked = sorted(deltas)[:6]
    beside = {e * (1 + x) for e in asked for x in (-FALSE, 0.0, FALSE, 0.5 * NEAR, -0.5 * NEAR)}
    places = supply.places(sorted(beside))
    statements = [s for e in asked for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e])]
    statements += [s for e in asked[1:] for s in both(f"epsilon@{e}", "epsilon", {"delta": deltas[e]}, e)]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(),
        "adjacency": "add_or_remove", "lines": supply.lines, "places": places, "statements": statements,
    }  # fmt: skip


@made_once
def laplace_proof() -> dict[str, Any]:
    """By lines of sampled Laplace steps; the truth by others, at more bits and of more nodes."""
    mechanism = ny.Laplace(2.0).poisson(0.25) ** 800
    with ctx.workprec(192):
        finer = Supply(mechanism.to_dict(), "add_or_remove", 192, 60.0)
        deltas: dict[float, float] = {}
        for e in (0.0, 2.0, 5.0):
            ball = finer.ball(True, e)  # never less than "add"
            deltas[e] = float(ball.upper.mid()) if ball else math.nan
    supply = supplied(mechanism)
    beside = {e * (1 + x) for e in deltas for x in (-FALSE, 0.0, FALSE, 0.5 * NEAR, -0.5 * NEAR)}
    places = supply.places(sorted(beside))
    statements = [s for e in deltas for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e])]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(),
        "adjacency": "add_or_remove", "lines": supply.lines, "places": places, "statements": statements,
    }  # fmt: skip


def lattices(laws: Sequence[tuple[float, int]], epsilon: float) -> arb:
    """delta of ``times`` discrete Gaussians of each sigma, integer by integer; what is left out is below 1e-38."""
    first, *others = [_sums(sigma, times) for sigma, times in laws]
    if not others:
        return sum((p * (1 - (epsilon - loss).exp()).nonnegative_part() for loss, p in first), arb(0))
    (second,) = others
    losses = [float(loss.mid()) for loss, _ in second]
    above = [*accumulate((p for _, p in reversed(second)), initial=arb(0))][::-1]
    beside = [*accumulate((p * (-loss).exp() for loss, p in reversed(second)), initial=arb(0))][::-1]
    total = arb(0)
    for loss, p in first:
        i = bisect_right(losses, epsilon - float(loss.mid()))
        total += p * (above[i] - (arb(epsilon) - loss).exp() * beside[i])
    return total


@cache
def _sums(sigma: float, times: int) -> list[tuple[arb, arb]]:
    """Losses and masses with the record, ascending."""
    square, reach = arb(sigma) ** 2, math.ceil(14.0 * sigma)
    row = [(-((x - 1) ** 2) / (2 * square)).exp() for x in range(-reach, reach + 1)]
    power = arb_poly([x / sum(row, arb(0)) for x in row]) ** times
    return [((2 * (k - reach * times) - times) / (2 * square), p) for k, p in enumerate(power)]


@made_once
def veiled_proof() -> dict[str, Any]:
    """By lines behind a thick veil, of discrete Gaussians without a common lattice; the truth by their outcomes."""
    mechanism = ny.DiscreteGaussian(4.0) ** 10 * ny.DiscreteGaussian(3.3) ** 10
    laws = laws_of(mechanism.to_dict(), "add_or_remove")
    with ctx.workprec(BITS):
        deltas = {e: float(lattices(((4.0, 10), (3.3, 10)), e).mid()) for e in (0.0, 2.03, 5.1)}
    steps = [step_of(law) for law in laws]
    lines = [veil(steps, way, 2.0, 1.5, NATS, thin=1e-3) for way in (True, False)]
    beside = sorted({e * (1 + x) for e in deltas for x in (-1e-5, 0.0, 1e-5)})
    places = [{"direction": way, "epsilon": e, "line": i} for i, way in enumerate(("remove", "add")) for e in beside]
    statements = [s for e in deltas for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e], 1e-4, 1e-4)]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(),
        "adjacency": "add_or_remove", "lines": lines, "places": places, "statements": statements,
    }  # fmt: skip


@made_once
def path_proof() -> dict[str, Any]:
    """By a path, of two steps with little noise; the truth by an integral of what one leaves of the other."""
    mechanism = ny.Gaussian(0.5).poisson(0.01) ** 2
    deltas = {e: float(twofold(0.5, 0.01, e)) for e in (0.75, 0.875, 1.0)}
    supply = supplied(mechanism, "remove", 30.0)
    beside = {e * (1 + x) for e in deltas for x in (-FALSE, 0.0, FALSE, 0.5 * NEAR, -0.5 * NEAR)}
    places = [row for row in supply.places(sorted(beside)) if row["direction"] == "remove"]
    statements = [s for e in deltas for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e])]
    statements += [s for e in deltas for s in both(f"epsilon@{e}", "epsilon", {"delta": deltas[e]}, e)]
    lines = [one for one in supply.lines if one["direction"] == "remove"]
    for row in places:
        row["line"] = lines.index(supply.lines[row["line"]])
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(),
        "adjacency": "remove", "lines": lines, "places": places, "statements": statements,
    }  # fmt: skip


@made_once
def forked_proof() -> dict[str, Any]:
    """By a path that forks, of two sampled Laplace steps; the truth by an integral over one of them."""
    mechanism, asked = ny.Laplace(1.0).poisson(0.1) ** 2, (0.08, 0.12)
    deltas = {e: float(laplace_steps(1.0, 0.1, 2, True, e)) for e in asked}
    with ctx.workprec(BITS), pytest.MonkeyPatch.context() as patch:
        patch.setattr(forks, "_GAP", 0.05)  # no eps near the loss of an outcome
        steps = [step_of(law) for law in laws_of(mechanism.to_dict(), "remove")]
        lines = [forks.fork(steps, True, 0.1, 0.5, 22.0)]
    beside = sorted({e * (1 + x) for e in deltas for x in (-FALSE, 0.0, FALSE, 0.5 * NEAR, -0.5 * NEAR)})
    statements = [s for e in deltas for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e], false=1e-7)]
    statements += [s for e in deltas for s in both(f"epsilon@{e}", "epsilon", {"delta": deltas[e]}, e, false=1e-7)]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(), "adjacency": "remove",
        "lines": lines, "places": [{"direction": "remove", "epsilon": e, "line": 0} for e in beside],
        "statements": statements,
    }  # fmt: skip


@made_once
def listed_proof() -> dict[str, Any]:
    """By outcomes of Laplace noise beside discrete laws, with truths by another program."""
    mechanism = ny.Laplace(2.0) ** 2 * ny.DiscreteLaplace(1.0, 2) * ny.DiscreteGaussian(0.75)
    law = exact.compose((exact.discrete_laplace(1.0, 2), 1), (exact.discrete_gaussian(0.75), 1))
    asked = (0.0, 0.5, 2.5)
    deltas = {e: float(exact.mixed_delta(law, lambda x: laplace_power(arb(2), 2, x), e).mid()) for e in asked}
    statements = [s for e in asked for s in both(f"delta@{e}", "delta", {"epsilon": e}, deltas[e])]
    return {
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": mechanism.to_dict(),
        "adjacency": "add_or_remove", "lines": [], "statements": statements,
        "places": [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in asked],
    }  # fmt: skip


def _best(of: Callable[[arb], arb], first: float, last: float) -> float:
    """The largest value of a function with one summit there."""
    low, high = arb(first), arb(last)
    for _ in range(120):
        x, y = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (x.mid(), high) if of(x) < of(y) else (low, y.mid())
    return float(of((low + high) / 2).mid())


@cache
def mixed_truth() -> dict[str, tuple[dict[str, Any], float]]:
    """Of randomised response of loss 1/2 beside a Gaussian of mu 5/4, by the errors of each likelihood ratio test."""
    with ctx.workprec(256):
        keep, lie, own = arb("0.5").exp() / (1 + arb("0.5").exp()), 1 / (1 + arb("0.5").exp()), arb("1.25")

        def delta(e: arb) -> arb:
            return keep * gaussian_delta(own, e - arb("0.5")) + lie * gaussian_delta(own, e + arb("0.5"))

        def alpha(e: arb) -> arb:
            return lie * normal(-own / 2 - (e - arb("0.5")) / own) + keep * normal(-own / 2 - (e + arb("0.5")) / own)

        def beta(e: arb) -> arb:
            return 1 - delta(e) - e.exp() * alpha(e)

        def mu(e: arb) -> arb:
            return arb(2).sqrt() * ((2 * alpha(e)).erfcinv() + (2 * beta(e)).erfcinv())

        def gap(m: float, sign: int) -> Callable[[arb], arb]:
            return lambda e: sign * (gaussian_delta(arb(m), e) - delta(e)) / (1 + e.exp())

        floor, last = 1e-3, arb(5)
        low, high = arb(0), last
        for _ in range(200):  # where alpha is the floor
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if alpha(middle) > floor else (low, middle)
        ends = [float(low), *(float(low) * k / 40 for k in range(40))]
        at = max(ends, key=lambda e: float(mu(arb(e)).mid()))
        best = _best(mu, max(at - float(low) / 40, 0.0), min(at + float(low) / 40, float(low)))
        whole = [arb(k) / 8 for k in range(64)]

        def summit(of: Callable[[arb], arb]) -> float:
            top = float(max(whole, key=lambda e: float(of(e).mid())).mid())
            return _best(of, max(top - 0.125, 0.0), top + 0.125)

        return {
            "mu": ({"floor": floor}, best), "fixed_point": ({}, float(beta(arb(0)).mid())),
            "regret": ({"floor": floor, "mu": 1.5}, summit(gap(1.5, 1))),
            "shortfall": ({"floor": floor, "mu": 1.3}, summit(gap(1.3, -1))),
            "divergence": ({"reference": "eight"}, summit(gap(1.67, 1))),
            "reverse": ({"reference": "gaussian"}, summit(gap(1.0, -1))),
        }  # fmt: skip


@made_once
def mixed_proof(by: str = "outcomes") -> dict[str, Any]:
    """By outcomes beside a Gaussian, by lines or by paths, with cells."""
    mechanism = (ny.RandomizedResponse(0.5, 2) * ny.Gaussian(0.8)).to_dict()
    rows = [s for name, (given, truth) in mixed_truth().items() for s in both(name, name, given, truth)]
    true = [one for one in rows if one["id"].startswith("true")]
    ctx.prec = BITS
    places = start(mechanism, "add_or_remove")
    if by != "outcomes":
        places.supply.listed = False
        places.supply._steps = [step_of(law) for law in places.supply._checker.laws]
        places.supply._planners = (path,) if by == "paths" else (line, path)
    data, _ = proved(mechanism, "add_or_remove", true, places)
    told = {one["id"]: one for one in data["statements"]}
    return data | {"statements": [told.get(one["id"], one) for one in rows]}


def lined_proof() -> dict[str, Any]:
    return mixed_proof("lines")


def pathed_proof() -> dict[str, Any]:
    return mixed_proof("paths")


def inside(lower: arb, upper: arb, truth: arb, rounded: float = 0.0) -> bool:
    """Whether a truth, known sharply, may lie between both."""
    return not (truth < lower.lower() * (1 - arb(rounded)) or truth > upper.upper() * (1 + arb(rounded)))
