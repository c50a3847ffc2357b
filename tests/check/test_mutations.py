"""Real proofs, altered: what is false is never proved, what is true never refuted, and nothing takes long or fails."""

from __future__ import annotations

import copy
import json
import math
import random
import sys
import time
from itertools import product
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import neyman as ny
from neyman_check import Unreadable, check
from tests.check.making import (
    forked_proof,
    gaussian_proof,
    gaussian_truth,
    laplace_proof,
    lined_proof,
    listed_proof,
    mixed_proof,
    named,
    path_proof,
    pathed_proof,
    sampled_proof,
    veiled_proof,
)
from tests.effort import crossed, examples, rest_slow

WORK = 3_000_000  # units for a mutant: originals take a tenth
WORK_OF_A_PATH = 30_000_000
VERDICTS = ("proved", "refuted", "not proved")


ALL = [gaussian_proof, sampled_proof, laplace_proof, listed_proof, mixed_proof, lined_proof, veiled_proof, path_proof,
       forked_proof, pathed_proof]  # fmt: skip


def allowed(make: Any) -> int:
    return WORK_OF_A_PATH if make in (path_proof, forked_proof, pathed_proof) else WORK


@pytest.mark.parametrize("make", ALL)
def test_originals(make):
    """Every true statement is proved, every false one refuted or at least not proved."""
    answers = check(make(), allowed(make))
    assert {one.verdict for one in named(answers, "true")} == {"proved"}
    assert "proved" not in {one.verdict for one in named(answers, "false")}
    refuted = [one for one in named(answers, "false") if one.verdict == "refuted"]
    assert len(refuted) >= 6


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a list or an object but the root."""
    found: list[tuple[Any, ...]] = []
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((*here, key))
        if isinstance(one, dict | list):
            found += paths(one, (*here, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


NUMBERS = (0, -1, 1, 2, 0.0, -0.0, 1e-300, 5e-324, 1e300, 1.7e308, 10**19, 100_000, math.pi, 0.5, 1e-12)
WORDS = (
    "",
    "x",
    "NaN",
    "inf",
    "-Infinity",
    "remove",
    "add",
    "replace",
    "tabulated",
    "epsilon",
    "mu",
    "repeat",
    "\u2028",
)
THINGS = (None, True, False, [], {}, [[]], {"kind": "gaussian"}, [0.5, 0.5], float("nan"), float("inf"))


def altered(data: Any, rng: random.Random) -> Any:
    """One change somewhere; fields far from the root are as likely as those near it."""
    path = rng.choice(paths(data))
    parent, key = at(data, path[:-1]), path[-1]
    old = parent[key]
    choice = rng.random()
    if choice < 0.1:
        parent.pop(key)
    elif choice < 0.15 and isinstance(parent, dict):
        parent[rng.choice(("extra", "kind", "at", "floor"))] = rng.choice(NUMBERS)
    elif choice < 0.2 and isinstance(old, list) and old:
        parent[key] = old[: rng.randrange(len(old))] if rng.random() < 0.5 else old + old[:1]
    elif choice < 0.7 and type(old) in (int, float):
        parent[key] = number(old, rng)
    elif choice < 0.9:
        parent[key] = rng.choice(NUMBERS + WORDS) if not isinstance(old, str) else rng.choice(WORDS)
    else:
        parent[key] = copy.deepcopy(rng.choice(THINGS))
    return data


def number(old: float, rng: random.Random) -> float:
    kind = rng.randrange(6)
    if kind == 0:
        return -old
    if kind == 1:
        return old * rng.choice((0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 10.0, 0.1))
    if kind == 2:
        return old + rng.choice((1, -1, 3, 10))
    if kind == 3:
        return old * math.exp(rng.gauss(0.0, 2.0))
    if kind == 4:
        return old + rng.gauss(0.0, 1.0)
    return rng.choice(NUMBERS)


def scale_of(mechanism: Any, adjacency: Any) -> float | None:
    """The mu of a mechanism that is still one Gaussian."""
    try:
        kept = ny.mechanism_from_dict(mechanism)
    except ny.NeymanError:
        return None
    if not isinstance(kept, ny.Gaussian) or not 0.05 < kept.sensitivity / kept.sigma < 5.0:
        return None
    return kept.sensitivity / kept.sigma * (2 if adjacency == "replace" else 1)


def judged(data: Any, original: Any, answers: list[Any]) -> None:
    """Against the truth of what is stated now, as far as it is known."""
    same = data["mechanism"] == original["mechanism"] and data["adjacency"] == original["adjacency"]
    known = {one["id"]: one for one in original["statements"]}
    mu = scale_of(data["mechanism"], data["adjacency"])
    for stated, answer in zip(data["statements"], answers, strict=True):
        assert answer.verdict in VERDICTS
        if same and known.get(stated["id"]) == stated:
            assert answer.verdict != ("proved" if stated["id"].startswith("false") else "refuted"), (stated, answer)
        elif mu is not None:
            truth = known_truth(stated, mu)
            if truth is not None:
                side = "at_most" in stated
                value = stated["at_most" if side else "at_least"]
                apart = (value - truth) if side else (truth - value)
                slack = 1e-9 * max(abs(truth), 1e-3)
                assert not (answer.verdict == "proved" and apart < -slack), (stated, truth, mu)
                assert not (answer.verdict == "refuted" and apart > slack), (stated, truth, mu)


def known_truth(stated: Any, mu: float) -> float | None:
    given = stated["given"]
    rates = [given[name] for name in ("alpha", "fpr", "baseline") if name in given]
    if not all(1e-3 < rate < 0.999 for rate in rates) or not 1e-6 < given.get("floor", 0.1) < 0.1:
        return None  # where floats know the truth
    if "at" in given:
        return None
    return gaussian_truth(stated["quantity"], given, mu)


def tried(make: Any, seed: int) -> float:
    """The processor time that one mutant took."""
    rng = random.Random(seed)
    original = make()
    data = make()
    for _ in range(1 + (rng.random() < 0.3)):
        data = altered(data, rng)
    start = time.process_time()
    try:
        answers = check(data, allowed(make))
    except Unreadable:
        return time.process_time() - start
    judged(data, original, answers)
    return time.process_time() - start


@given(st.integers(0, 2**32))
@examples(120, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_outcomes(seed):
    assert tried(gaussian_proof, seed) < 10.0


@given(st.integers(0, 2**32))
@examples(120, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_lines(seed):
    assert tried(sampled_proof, seed) < 10.0


@given(st.integers(0, 2**32))
@examples(60, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_veils(seed):
    assert tried(veiled_proof, seed) < 10.0


@given(st.integers(0, 2**32))
@examples(60, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_noise(seed):
    assert tried(laplace_proof if seed % 2 else listed_proof, seed) < 10.0


@given(st.integers(0, 2**32))
@examples(100, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_cells(seed):
    assert tried((mixed_proof, lined_proof, pathed_proof)[seed % 3], seed) < 10.0


@given(st.integers(0, 2**32))
@examples(60, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_paths(seed):
    assert tried(path_proof, seed) < 10.0


@given(st.integers(0, 2**32))
@examples(40, 2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutants_of_forks(seed):
    assert tried(forked_proof, seed) < 10.0


@pytest.mark.slow
@pytest.mark.parametrize("make", ALL)
def test_ten_thousand_mutants(make):
    """Run alone: pytest -m slow tests/check/test_mutations.py."""
    for seed in range(5_000):
        assert tried(make, 10_000_019 * seed + 7) < 20.0


@pytest.mark.parametrize("field", ["c", "far", "period", "nodes"])
@pytest.mark.parametrize("factor", [0.2, 0.5, 0.8, 0.95, 1.05, 1.3, 2, 5])
def test_lines_moved(field, factor):
    """A worse line proves less, and nothing that is false."""
    data = sampled_proof()
    for line in data["lines"]:
        line[field] = type(line[field])(line[field] * factor)
    judged(data, sampled_proof(), check(data, WORK))


@crossed(
    (("which", "field"), product(["path", "steps"], ["points", "counts", "ellipses"])),
    ("factor", rest_slow([0.3, 0.8, 0.95, 1.05, 1.3, 3], 1, 4)),
)
def test_paths_moved(which, field, factor):
    """Elsewhere, of other nodes, on other ellipses: less is proved, and nothing that is false."""
    data = path_proof()
    for line in data["lines"]:
        for one in [line["path"]] if which == "path" else line["steps"][0]:
            if field == "points":
                one["points"] = [[x * factor if which == "path" else x, y * factor] for x, y in one["points"]]
            elif field == "counts":
                one["counts"] = [max(int(n * factor), 1) for n in one["counts"]]
            else:
                one["ellipses"] = [1.0 + (x - 1.0) * factor for x in one["ellipses"]]
    judged(data, path_proof(), check(data, WORK_OF_A_PATH))


@pytest.mark.parametrize("which", ["trunk", "left", "right"])
@pytest.mark.parametrize("field", ["points", "counts", "ellipses"])
@pytest.mark.parametrize("factor", rest_slow([0.3, 0.95, 1.3], 1))
def test_forks_moved(which, field, factor):
    """The same of a trunk and its arms."""
    data = forked_proof()
    one = data["lines"][0]["fork"][which]
    if field == "points":
        one["points"][1:] = [[x * factor, y * factor] for x, y in one["points"][1:]]
    elif field == "counts":
        one["counts"] = [max(int(n * factor), 1) for n in one["counts"]]
    else:
        one["ellipses"] = [1.0 + (x - 1.0) * factor for x in one["ellipses"]]
    judged(data, forked_proof(), check(data, WORK_OF_A_PATH))


@pytest.mark.parametrize("grid", ["here", "far"])
@pytest.mark.parametrize("field", ["count", "angle"])
@pytest.mark.parametrize("factor", [0.3, 0.7, 0.9, 1.1, 1.5])
def test_rules_moved(grid, field, factor):
    """Fewer nodes, other ellipses."""
    data = laplace_proof()
    for line in data["lines"]:
        for step in line["steps"]:
            step[grid][field] = type(step[grid][field])(step[grid][field] * factor)
    judged(data, laplace_proof(), check(data, WORK))


@pytest.mark.parametrize("grid", ["here", "far", "cut"])
@pytest.mark.parametrize("field", ["low", "step", "count", "angle", "strip"])
@pytest.mark.parametrize("factor", [0.3, 0.7, 0.9, 1.1, 1.5, 4])
def test_grids_moved(grid, field, factor):
    data = sampled_proof()
    for line in data["lines"]:
        for step in line["steps"]:
            if field in step[grid]:
                step[grid][field] = type(step[grid][field])(step[grid][field] * factor)
    try:
        answers = check(data, WORK)
    except Unreadable:
        assert field == "angle"
        return
    judged(data, sampled_proof(), answers)


def one(quantity, given, value, most=True):
    data = gaussian_proof()
    data["statements"] = [{"id": "s", "quantity": quantity, "given": given, "at_most" if most else "at_least": value}]
    (answer,) = check(data, WORK)
    return answer.verdict


def test_what_was_once_proved_falsely():
    assert one("tail_mu", {}, -5.0) != "proved"
    assert one("tail_mu", {}, 5.0) == "proved"
    assert one("epsilon", {"delta": 0.9}, -3.0) != "proved"
    assert one("mu", {"floor": 0.01}, 0.5, most=False) == "proved"  # the alpha is the floor unless it is named
    assert one("tail_mu", {"at": 0.01}, 0.9, most=False) == "proved"
    for alpha in (0, 1, 0.0, 1.0):
        assert one("mu", {"floor": 0.01, "at": alpha}, 1.5, most=False) != "proved"


@pytest.mark.parametrize(
    ("quantity", "given", "words"),
    [
        ("beta", {"alpha": 2.0}, "from 0 to 1"), ("tpr", {"fpr": -0.5}, "from 0 to 1"),
        ("epsilon", {"delta": 1.5}, "from 0 to 1"), ("regret", {"floor": 0.1, "mu": -1.0}, "0 or more"),
        ("delta", {"epsilon": 1e9}, "-1e6 to 1e6"), ("divergence", {"reference": "moon"}, "gaussian"),
    ],
)  # fmt: skip
def test_outside_the_domain(quantity, given, words):
    with pytest.raises(Unreadable, match=words):
        one(quantity, given, 0.5)


@pytest.mark.parametrize("kind", ["pure_mechanism", "randomized_response", "approximate_mechanism"])
@pytest.mark.parametrize("rate", [None, 0.5])
def test_probabilities_out_of_reach_prove_nothing(kind, rate):
    """The ball of e^1e300 is infinite: neither 0 nor surely above it."""
    more = {"randomized_response": {"k": 2}, "approximate_mechanism": {"delta": 0.0}}.get(kind, {})
    node: dict[str, Any] = {"kind": kind, "epsilon": 1e300, **more}
    if rate:
        node = {"kind": "poisson", "rate": rate, "of": node}
    data = gaussian_proof()
    data["mechanism"] = {"schema": 1, **node}
    data["statements"] = [{"id": "s", "quantity": "delta", "given": {"epsilon": 0.5}, "at_least": 0.99}]
    (answer,) = check(data, WORK)
    assert answer.verdict == "not proved"
    assert "probabilities" in answer.reason


def test_an_exchanged_asymmetric_table_has_two_directions():
    data = gaussian_proof()
    law = {"schema": 1, "kind": "tabulated", "p": [0.7, 0.2, 0.1, 0.0], "q": [0.2, 0.2, 0.5, 0.1]}
    data |= {"mechanism": law, "adjacency": "replace"}
    data["statements"] = [{"id": "s", "quantity": "delta", "given": {"epsilon": 1.5}, "at_most": 1e-9}]
    data["places"] = [{"direction": way, "epsilon": 1.5, "line": None} for way in ("remove", "add")]
    assert check(data)[0].verdict == "refuted"
    data["places"].pop()
    assert check(data)[0].verdict == "not proved"


@pytest.mark.parametrize(("adjacency", "fpr", "truth"), [("remove", 0.1, 0.35), ("add", 0.1, 0.35)])
def test_attacks_face_the_record_that_is_there(adjacency, fpr, truth):
    """The null hypothesis is absence, whichever direction is promised."""
    data = gaussian_proof()
    law = {"schema": 1, "kind": "tabulated", "p": [0.7, 0.2, 0.1, 0.0], "q": [0.2, 0.2, 0.5, 0.1]}
    grid = sorted(math.log(t) + d for t in (1.2, 2.0, 3.5, 5.0) for d in (-2e-9, -1e-9, 0.0, 1e-9, 2e-9))
    data |= {"mechanism": law, "adjacency": adjacency}
    data["places"] = [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in grid]
    data["statements"] = [
        {"id": "a", "quantity": "tpr", "given": {"fpr": fpr}, "at_most": truth * (1 + 1e-9)},
        {"id": "b", "quantity": "tpr", "given": {"fpr": fpr}, "at_least": truth * (1 - 1e-9)},
    ]
    assert [answer.verdict for answer in check(data)] == ["proved", "proved"]
    assert float(ny.risk.tpr(ny.account(ny.mechanism_from_dict(law), adjacency), fpr).value) == pytest.approx(truth)


def test_bits_are_given_back():
    from flint import ctx

    before = ctx.prec
    check({**gaussian_proof(), "bits": 300})
    assert ctx.prec == before


# ------------------------------------------------------------------------------------------------ work


def dear_lines():
    data = sampled_proof()
    line = data["lines"][0]
    line["nodes"] = 100_000
    return data


def dear_grids():
    data = sampled_proof()
    for line in data["lines"]:
        line["steps"][0]["cut"]["count"] = 100_000
    data["lines"] *= 100
    data["places"] = [{**p, "line": i} for i in range(len(data["lines"])) for p in data["places"][:1]]
    return data


def dear_places():
    data = gaussian_proof()
    data["mechanism"] = {
        "schema": 1,
        "kind": "repeat",
        "times": 90_000,
        "of": {"kind": "pure_mechanism", "epsilon": 0.01},
    }
    data["places"] = [{"direction": "remove", "epsilon": i / 4000, "line": None} for i in range(4000)]
    return data


def dear_statements():
    data = gaussian_proof()
    data["places"] = [
        {"direction": way, "epsilon": i / 500, "line": None} for way in ("remove", "add") for i in range(2000)
    ]
    data["statements"] = [{**data["statements"][0], "id": str(i)} for i in range(1000)]
    return data


@pytest.mark.parametrize("make", [dear_lines, dear_grids, dear_places, dear_statements])
def test_work_is_counted_before_it_is_done(make):
    data = make()
    start = time.process_time()
    answers = check(data, WORK)
    assert time.process_time() - start < 8.0
    assert any("more work" in one.reason or "too many products" in one.reason for one in answers)


def test_a_line_that_failed_is_not_laid_again(monkeypatch):
    from neyman_check import check as checked
    from neyman_check.errors import NotProved

    laid = []

    def refuse(*arguments):
        laid.append(arguments)
        raise NotProved("no")

    monkeypatch.setattr(sys.modules["neyman_check.check"], "Line", refuse)
    data = sampled_proof()
    data["places"] *= 20
    checked(data)
    assert len(laid) == len(data["lines"])


def test_json_and_values_are_judged_alike():
    data = sampled_proof()
    assert [a.verdict for a in check(data)] == [a.verdict for a in check(json.loads(json.dumps(data)))]


@pytest.mark.parametrize("floor", [1e-3, 0.4])
def test_a_curve_below_the_floor(floor):
    """The fixed point of G_3 is 0.067: it counts whatever the floor is."""
    data = gaussian_proof()
    data["mechanism"] = {"schema": 1, "kind": "gaussian", "sigma": 1.0 / 3.0, "sensitivity": 1.0}
    grid = sorted({0.0, *(0.0005 * k for k in range(1, 40)), *(0.02 * k for k in range(900))})
    data["places"] = [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in grid]
    mu = 1.0 / (1.0 / 3.0)
    data["statements"] = [
        {"id": name, "quantity": "mu", "given": {"floor": floor, "at": max(floor, 1e-2)}, side: mu * x}
        for name, side, x in (
            ("true <=", "at_most", 1 + 1e-3), ("true >=", "at_least", 1 - 1e-3),
            ("false <=", "at_most", 1 - 1e-9), ("false >=", "at_least", 1 + 1e-9),
        )
    ]  # fmt: skip
    answers = check(data)
    assert {one.verdict for one in named(answers, "true")} == {"proved"}
    assert "proved" not in {one.verdict for one in named(answers, "false")}


@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_divergences_of_one_direction(adjacency):
    """Of a table whose directions differ, against the largest difference of two profiles over all real eps."""
    p, q = ((0.7, 0.2, 0.1), (0.3, 0.2, 0.5)) if adjacency == "remove" else ((0.3, 0.2, 0.5), (0.7, 0.2, 0.1))
    mu = 2.0

    def gap(e: float) -> float:
        own = sum(max(a - math.exp(e) * b, 0.0) for a, b in zip(p, q, strict=True))
        n = NormalDist()
        other = n.cdf(mu / 2 - e / mu) - math.exp(e) * n.cdf(-mu / 2 - e / mu)
        return (other - own) / (1.0 + math.exp(e))

    truth = max(gap(k / 2000) for k in range(-12000, 12001))
    data = gaussian_proof()
    data |= {"mechanism": {"schema": 1, "kind": "tabulated", "p": [0.7, 0.2, 0.1], "q": [0.3, 0.2, 0.5]}}
    data["adjacency"] = adjacency
    data["places"] = [{"direction": way, "epsilon": e / 100, "line": None} for way in ("remove", "add")
                      for e in range(600)]  # fmt: skip
    data["statements"] = [
        {"id": name, "quantity": "regret", "given": {"floor": 0.1, "mu": mu}, side: truth * x}
        for name, side, x in (("true <=", "at_most", 1.02), ("true >=", "at_least", 0.98),
                              ("false <=", "at_most", 0.9999), ("false >=", "at_least", 1.0001))
    ]  # fmt: skip
    answers = check(data)
    assert {one.verdict for one in named(answers, "true")} == {"proved"}
    assert "proved" not in {one.verdict for one in named(answers, "false")}


@pytest.mark.parametrize(("floor", "value"), [(0.4999, 151.0), (0.3, 200.0), (1e-3, 476.0), (1e-12, 953.0)])
def test_a_curve_far_below_any_floor_has_no_mu_from_nothing(floor, value):
    """Everything is revealed: no mu holds, and where no alpha <= f(alpha) is found nothing is proved."""
    data = {
        "format": "neyman-proof", "version": 1, "bits": 128, "adjacency": "remove", "lines": [],
        "mechanism": {"schema": 1, "kind": "tabulated", "p": [1.0, 0.0], "q": [0.0, 1.0]},
        "places": [{"direction": way, "epsilon": 5.0, "line": None} for way in ("remove", "add")],
        "statements": [
            {"id": "a", "quantity": "mu", "given": {"floor": floor}, "at_most": value},
            {"id": "b", "quantity": "mu", "given": {"floor": floor}, "at_least": value},
        ],
    }  # fmt: skip
    most, least = check(data)
    assert most.verdict == "not proved"
    assert least.verdict != "refuted"
