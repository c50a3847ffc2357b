"""The independent evaluators against the given values, and against each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flint import arb as ball
from flint import ctx

from tests.effort import rest_slow
from tests.reference import arb, brute, closed

DATA = Path(__file__).parent / "data"


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / name).read_text())["cases"]


def relative(value: Any, reference: str) -> float:
    """|value / reference - 1|."""
    with ctx.workprec(200):
        return abs(float(((value if isinstance(value, ball) else ball(str(value))).mid() / ball(reference) - 1).mid()))


def points(name: str, every: int, steps: Any = None) -> list[Any]:
    """A few (case, point) pairs of a file, spread over each case."""
    return [
        pytest.param(
            case, p, id="-".join(str(v) for v in (*case.values(), p["eps"], p["direction"]) if not isinstance(v, list))
        )
        for case in cases(name)
        if steps is None or steps(case["T"])
        for p in case["points"][1::every]
    ]


@pytest.mark.parametrize(("case", "p"), points("subsampled_gaussian_composed.json", 7, lambda t: t > 2))
def test_contour_reproduces_composed_steps(case: dict[str, Any], p: dict[str, str]) -> None:
    found = arb.delta([(case["sigma"], case["q"], case["T"])], p["eps"], p["direction"])
    assert found.error < 1e-13
    assert relative(found.value, p["delta"]) < 1e-13


@pytest.mark.parametrize(("case", "p"), points("subsampled_gaussian_T1.json", 9))
def test_closed_form_of_one_step(case: dict[str, Any], p: dict[str, str]) -> None:
    found = closed.one_step_delta(case["sigma"], case["q"], p["eps"], p["direction"])
    if p["delta"] == "0":
        assert abs(float(found)) < 1e-60
    else:
        assert relative(found, p["delta"]) < 1e-25


@pytest.mark.parametrize(("case", "p"), points("gaussian.json", 9))
def test_closed_form_of_the_gaussian(case: dict[str, Any], p: dict[str, str]) -> None:
    assert relative(closed.gaussian_delta(case["mu"], p["eps"]), p["delta"]) < 1e-25


def test_full_sampling_is_the_gaussian() -> None:
    found = arb.delta([(2.0, 1, 4)], 0.5)
    assert relative(found.value, str(closed.gaussian_delta(1, 0.5).str(40, radius=False))) < 1e-14


@pytest.mark.parametrize("direction", rest_slow(["remove", "add"], "add"))
def test_contour_agrees_with_direct_quadrature(direction: str) -> None:
    direct = brute.two_step_delta(2.0, 0.5, 0.25, direction)
    found = arb.delta([(2.0, 0.5, 2)], 0.25, direction, digits=11.0)
    assert relative(found.value, str(direct)) < 1e-11


def test_heterogeneous_steps_equal_the_same_steps_merged() -> None:
    split = arb.delta([(1.0, 0.01, 400), (1.0, 0.01, 600)], 1.0)
    assert relative(split.value, arb.delta([(1.0, 0.01, 1000)], 1.0).value.str(30, radius=False)) < 1e-14


def test_epsilon_inverts_delta() -> None:
    steps = [("9.4", "0.32768", 2000)]
    found = arb.epsilon(steps, "1e-5")
    assert found.error < 1e-12
    assert relative(arb.delta(steps, float(found)).value, "1e-5") < 1e-13
    assert float(arb.epsilon(steps, 0.9)) == 0.0


def test_beyond_the_support_delta_is_zero() -> None:
    assert float(arb.delta([(1.0, 0.01, 5)], 1.0, "add")) == 0.0


SUBSAMPLED = [c for c in cases("derived.json") if c["case"]["mechanism"] == "subsampled_gaussian"]


@pytest.mark.parametrize("case", SUBSAMPLED)
def test_mu_and_curve(case: dict[str, Any]) -> None:
    steps = [(case["case"]["sigma"], case["case"]["q"], case["case"]["T"])]
    assert relative(arb.advantage(steps).value, case["advantage_delta0"]) < 1e-14
    for given in case["mu"][:3]:
        assert relative(arb.mu(steps, given["alpha_min"]).value, given["mu"]) < 1e-13
    corner = next(p for p in case["tradeoff"] if p["alpha"] == "1e-4")
    assert relative(arb.tradeoff(steps, "1e-4").tail, corner["one_minus_beta"]) < 1e-13


def test_mu_where_a_published_tool_reports_less() -> None:
    assert float(arb.mu([(1, "0.01", 1000)])) == pytest.approx(0.52220147, abs=5e-9)


@pytest.mark.slow
def test_an_unaffordable_value_is_refused() -> None:
    with pytest.raises(arb.TooExpensive):
        arb.delta([(2.0, 1e-6, 3)], 1e-7)
