"""Statements and laws at the ends of what a proof may say."""

from __future__ import annotations

import time
from typing import Any

import pytest

from neyman_check import Unreadable, check
from neyman_check.work import MOST
from tests.effort import rest_slow

PURE = {"schema": 1, "kind": "pure_mechanism", "epsilon": 0.1}
TOLD = {"schema": 1, "kind": "tabulated", "p": [1, 0], "q": [0, 1]}
LINE = {"direction": "remove", "c": 1.0, "far": 2.0, "period": 20.0, "nodes": 5, "steps": [None]}


def proof(mechanism: dict[str, Any], places: list[tuple[str, float, int | None]], statement: dict[str, Any],
          adjacency: str = "add_or_remove") -> dict[str, Any]:  # fmt: skip
    return {
        "format": "neyman-proof", "version": 1, "bits": 128, "mechanism": mechanism, "adjacency": adjacency,
        "lines": [LINE], "places": [{"direction": d, "epsilon": e, "line": n} for d, e, n in places],
        "statements": [{"id": "a", **statement}],
    }  # fmt: skip


OUTCOMES = [(way, e, None) for way in ("remove", "add") for e in (0.0, 0.05, 0.2)]


def test_a_law_that_tells_all_has_a_line_of_zeros() -> None:
    """Nothing is possible under both: delta is 1, and the sums are empty."""
    stated = {"quantity": "delta", "given": {"epsilon": 1.0}}
    (found,) = check(proof(TOLD, [("remove", 1.0, 0)], {**stated, "at_most": 0.5}, "remove"))
    assert found.verdict == "refuted"
    (found,) = check(proof(TOLD, [("remove", 1.0, 0)], {**stated, "at_least": 1.0}, "remove"))
    assert found.verdict in ("proved", "not proved")


@pytest.mark.parametrize(
    ("quantity", "given"),
    [
        ("beta", {"alpha": 2.0}), ("tpr", {"fpr": -0.5}), ("epsilon", {"delta": -1.0}), ("epsilon", {"delta": 2.0}),
        ("posterior", {"membership_prior": 0.5, "fpr": 2.0}), ("posterior", {"membership_prior": 1.5, "fpr": 0.1}),
        ("relative_risk", {"baseline": 2.0}),
    ],
)  # fmt: skip
def test_rates_are_rates(quantity: str, given: dict[str, float]) -> None:
    with pytest.raises(Unreadable, match="was expected"):
        check(proof(PURE, OUTCOMES, {"quantity": quantity, "given": given, "at_most": 1.0}))


@pytest.mark.parametrize(
    "statement",
    [
        {"quantity": "epsilon", "given": {"delta": 0.9}, "at_most": -1.5},
        {"quantity": "tail_mu", "given": {}, "at_most": -5.0},
        {"quantity": "delta", "given": {"epsilon": 0.0}, "at_most": -1e-9},
    ],
)
def test_nothing_negative_is_proved(statement: dict[str, Any]) -> None:
    (found,) = check(proof(PURE, OUTCOMES, statement))
    assert found.verdict != "proved"


def file_of(mechanism, statements=(), places=(), adjacency="add_or_remove", bits=64, lines=()):
    return {
        "format": "neyman-proof", "version": 1, "bits": bits, "mechanism": {"schema": 1, **mechanism},
        "adjacency": adjacency, "lines": list(lines), "places": list(places), "statements": list(statements),
    }  # fmt: skip


class TestTakesNoLongerThanItIsWorth:
    """Files that once took minutes."""

    def test_many_integers(self):
        law = {"kind": "discrete_laplace", "scale": 2.0, "sensitivity": 9999}
        place = {"direction": "remove", "epsilon": 1.0, "line": None}
        stated = {"id": "s", "quantity": "delta", "given": {"epsilon": 1.0}, "at_most": 1.0}
        start = time.process_time()
        check(file_of(law, [stated], [place]))
        assert time.process_time() - start < 20.0

    def test_powers_of_masses_far_apart(self):
        law = {"kind": "discrete_gaussian", "sigma": 0.40647037773580247, "sensitivity": 10}
        place = {"direction": "remove", "epsilon": 1.0, "line": None}
        stated = {"id": "s", "quantity": "delta", "given": {"epsilon": 1.0}, "at_most": 0.5}
        start = time.process_time()
        (answer,) = check(file_of({"kind": "repeat", "times": 3000, "of": law}, [stated], [place], bits=128))
        assert answer.verdict == "not proved"
        assert time.process_time() - start < 20.0

    @pytest.mark.parametrize("most", rest_slow([10**8, MOST], 0))
    def test_mu_of_many_integers(self, most):
        laws = [{"kind": "discrete_laplace", "scale": 1e4, "sensitivity": 19000 - i} for i in range(60)]
        stated = {"id": "s", "quantity": "tail_mu", "given": {}, "at_most": 1e6}
        start = time.process_time()
        (answer,) = check(file_of({"kind": "compose", "of": laws}, [stated]), most)
        assert answer.verdict == "not proved"
        assert "more work" in answer.reason
        assert time.process_time() - start < 60.0

    @pytest.mark.parametrize("rate", [1e-24, 1e-43, 1e-100])
    def test_moments_of_ever_so_rare_laplace_steps(self, rate):
        law = {"kind": "poisson", "rate": rate, "of": {"kind": "laplace", "scale": 1.0, "sensitivity": 1.0}}
        line = {"direction": "add", "path": {"points": [[2.87, 0], [2.87, 1], [2.87, 2]], "counts": [2, 2],
                "ellipses": [1.5, 1.5]}, "steps": [None]}  # fmt: skip
        place = {"direction": "add", "epsilon": 0.1, "line": 0}
        stated = {"id": "s", "quantity": "delta", "given": {"epsilon": 0.1}, "at_most": 0.5}
        start = time.process_time()
        check(file_of(law, [stated], [place], "add", 128, [line]))
        assert time.process_time() - start < 10.0


def test_extremes_of_one_order_are_not_proved_and_do_not_fail():
    """Floats that choose a grid, or a series that does not surely begin, are out of reach."""
    extremes = (1e-200, 1e-5, 1), (1e-170, 1e-5, 1), (1e-155, 0.5, 1), (5.76e-103, 0.9999999999999961, 10**18)
    for sigma, rate, times in extremes:
        noise = {"kind": "gaussian", "sigma": sigma, "sensitivity": 1.0}
        step = {"schema": 1, "kind": "poisson", "rate": rate, "of": noise}
        whole = {"schema": 1, "kind": "repeat", "times": times, "of": {k: v for k, v in step.items() if k != "schema"}}
        for side in ("at_most", "at_least"):
            answers = check({
                "format": "neyman-proof", "version": 1, "bits": 64, "mechanism": whole if times > 1 else step,
                "adjacency": "add", "lines": [], "places": [],
                "statements": [{"id": "rho", "quantity": "zcdp", "given": {"order": 2.9}, side: 2.1}],
            })  # fmt: skip
            assert answers[0].verdict in ("proved", "refuted", "not proved")
    far = {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {"kind": "laplace", "scale": 1.0, "sensitivity": 1e40}}
    path = {"points": [[1.0, 0.0], [1.0, 5.0], [1.0, 30.0]], "counts": [20, 20], "ellipses": [1.5, 1.5]}
    line = {"direction": "remove", "steps": [None], "path": path}
    answers = check({
        "format": "neyman-proof", "version": 1, "bits": 64, "mechanism": far, "adjacency": "replace", "lines": [line],
        "places": [{"direction": "remove", "epsilon": 1.0, "line": 0}],
        "statements": [{"id": "delta", "quantity": "delta", "given": {"epsilon": 1.0}, "at_most": 0.5}],
    })  # fmt: skip
    assert answers[0].verdict == "not proved"


def test_many_statements_about_many_outcomes_are_counted():
    noise = {"kind": "gaussian", "sigma": 1.0, "sensitivity": 1.0}
    laws = [{"kind": "discrete_laplace", "scale": 1000.0 + i, "sensitivity": 9999} for i in range(8)]
    start = time.process_time()
    answers = check({
        "format": "neyman-proof", "version": 1, "bits": 64, "adjacency": "add_or_remove", "lines": [], "places": [],
        "mechanism": {"schema": 1, "kind": "compose", "of": [noise, *laws]},
        "statements": [
            {"id": str(i), "quantity": "zcdp", "given": {"order": 2.0}, "at_most": 0.6} for i in range(200)
        ],
    }, 60_000_000)  # fmt: skip
    assert "more work" in answers[-1].reason
    assert time.process_time() - start < 8.0  # 21 seconds where outcomes are not counted
