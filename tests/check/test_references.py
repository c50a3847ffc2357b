"""Every reference value of independent computations: delta to 1e-12 of itself on both sides, at 128 bits or more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flint import arb, ctx

import neyman as ny
from neyman.witnesses.supply import Supply
from tests.effort import rest_slow

DATA = Path(__file__).parents[1] / "reference" / "data"
BITS, NATS = 192, 45.0
SHARP, ROUNDED = 1e-12, 1e-12  # parameters of the files are decimals, which floats round


def mechanism(name: str, case: dict[str, Any]) -> ny.Mechanism:
    steps = int(case.get("T", 1))
    if name == "gaussian":
        return ny.Gaussian(1.0, sensitivity=float(case["mu"]))
    if name == "randomized_response":
        return ny.RandomizedResponse(float(case["eps0"])) ** steps
    if name == "laplace":
        return ny.Laplace(float(case["b"])) ** steps
    if name == "discrete_gaussian":
        return ny.DiscreteGaussian(float(case["sigma"]), int(case.get("sensitivity", 1))) ** steps
    return ny.Gaussian(float(case["sigma"])).poisson(float(case["q"])) ** steps


def cases() -> list[tuple[str, dict[str, Any]]]:
    names = ("gaussian", "laplace", "discrete_gaussian", "subsampled_gaussian_T1", "subsampled_gaussian_composed")
    found = [(name, one) for name in names for one in json.loads((DATA / f"{name}.json").read_text())["cases"]]
    plain = json.loads((DATA / "randomized_response.json").read_text())["cases"]
    return found + [("randomized_response", one) for one in plain if float(one["delta0"]) == 0.0]


@pytest.mark.parametrize(("name", "case"), rest_slow(cases(), 0, 5, 7, 10, 14, 17, 20))
def test_references(name: str, case: dict[str, Any]) -> None:
    with ctx.workprec(BITS):
        asked, looked = mechanism(name, case).to_dict(), 0
        for point in case["points"]:
            epsilon, delta = float(point["eps"]), arb(point["delta"])
            if epsilon < 0.0:
                continue
            supply = Supply(asked, "add_or_remove", BITS, NATS)  # a line of its own
            ball = supply.ball(point["direction"] != "add", epsilon)
            assert ball is not None
            if not ball.upper.rel_accuracy_bits() or not delta > 0:
                assert delta == 0
                continue
            looked += 1
            assert ball.upper - ball.lower <= delta * SHARP, (epsilon, point)
            rounded = arb(ROUNDED) * (100 if point["direction"] == "add" else 1)  # next to the largest loss
            assert ball.lower <= delta * (1 + rounded), (epsilon, point)
            assert delta * (1 - rounded) <= ball.upper, (epsilon, point)
        assert looked >= 3
