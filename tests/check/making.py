"""Proofs small enough to be taken apart, with truths that do not come from the package."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

from flint import arb, ctx

import neyman as ny
from neyman.witnesses.supply import Supply
from neyman_check.form import FORMAT, VERSION
from tests.check.twofold import twofold
from tests.hunt.truth import laplace_power
from tests.reference import exact

__all__ = ["DATA", "gaussian_proof", "gaussian_truth", "inside", "laplace_proof", "listed_proof", "named",
           "path_proof", "sampled_proof", "supplied"]  # fmt: skip

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


def both(name: str, quantity: str, given: dict[str, Any], truth: float, near: float = NEAR) -> list[dict[str, Any]]:
    """True on either side, then false on either side."""
    return [
        stated(f"true {name} <=", quantity, given, truth * (1 + near), True),
        stated(f"true {name} >=", quantity, given, truth * (1 - near), False),
        stated(f"false {name} <=", quantity, given, truth * (1 - FALSE), True),
        stated(f"false {name} >=", quantity, given, truth * (1 + FALSE), False),
    ]


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


@cache
def _gaussian() -> str:
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
    return json.dumps({
        "format": FORMAT, "version": VERSION, "bits": BITS, "mechanism": ny.Gaussian(1.0).to_dict(),
        "adjacency": "add_or_remove", "lines": [],
        "places": [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in asked],
        "statements": statements,
    })  # fmt: skip


def gaussian_proof() -> dict[str, Any]:
    """By outcomes: one Gaussian, whose every number is known."""
    return json.loads(_gaussian())


@cache
def _sampled() -> dict[str, Any]:
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


def sampled_proof() -> dict[str, Any]:
    return copy.deepcopy(_sampled())


@cache
def _laplace() -> dict[str, Any]:
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


def laplace_proof() -> dict[str, Any]:
    return copy.deepcopy(_laplace())


@cache
def _path() -> dict[str, Any]:
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


def path_proof() -> dict[str, Any]:
    return copy.deepcopy(_path())


@cache
def _listed() -> dict[str, Any]:
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


def listed_proof() -> dict[str, Any]:
    return copy.deepcopy(_listed())


def inside(lower: arb, upper: arb, truth: arb, rounded: float = 0.0) -> bool:
    """Whether a truth, known sharply, may lie between both."""
    return not (truth < lower.lower() * (1 - arb(rounded)) or truth > upper.upper() * (1 + arb(rounded)))
