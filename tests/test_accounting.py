"""``account``: adjacencies, edges of the domain, refusals word for word, the tolerance gate, mixes of many steps."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neyman as ny
from tests.reference import arb, closed

VERBS = {
    "delta": lambda g: g.delta(np.linspace(-1.0, 3.0, 9)),
    "epsilon": lambda g: g.epsilon([1e-9, 1e-5, 0.5]),
    "beta": lambda g: g.beta([1e-6, 0.1, 0.5]),
    "roc": lambda g: g.roc([1e-6, 0.1, 0.5]),
    "bayes_error": lambda g: g.bayes_error([0.1, 0.5, 0.9]),
    "advantage": lambda g: g.advantage,
    "auc": lambda g: g.auc,
    "mu": lambda g: g.mu(),
    "fixed_point": lambda g: g.fixed_point,
}


def message(call: Callable[[], object]) -> str:
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ny.NeymanError)
    return str(caught.value)


# ------------------------------------------------------------------------------------------------------ adjacency


def test_each_direction_and_the_larger_of_both() -> None:
    m = ny.DPSGD(1.0, 0.05, 50)
    add, remove, both = (ny.account(m, adjacency=a) for a in ("add", "remove", "add_or_remove"))
    e = np.linspace(0.01, 2.0, 12)
    assert np.all(add.delta(e) < remove.delta(e))
    assert both.delta(e) == pytest.approx(np.maximum(add.delta(e), remove.delta(e)), rel=1e-12)
    assert add.delta(0.0) == pytest.approx(remove.delta(0.0), rel=1e-9)
    assert both.delta(-e) == pytest.approx(np.maximum(add.delta(-e), remove.delta(-e)), rel=1e-9)
    assert (add.adjacency, remove.adjacency, both.adjacency) == ("add", "remove", "add_or_remove")
    assert ny.account(m).adjacency == "add_or_remove"
    for e_i in (0.3, 1.0):
        for g, direction in ((add, "add"), (remove, "remove")):
            exact = float(arb.delta([(1.0, 0.05, 50)], e_i, direction, digits=12.0))
            assert g.optimistic.delta(e_i) * (1 - 1e-12) <= exact <= g.delta(e_i) * (1 + 1e-12)


def test_replace_moves_a_gaussian_twice_as_far() -> None:
    replace = ny.account(ny.Gaussian(2.0) ** 3, adjacency="replace")
    twice = ny.GDP(math.sqrt(3.0))
    assert replace.mu() == pytest.approx(math.sqrt(3.0), rel=1e-12)
    assert replace.mu() >= math.sqrt(3.0)
    e = np.linspace(-2.0, 5.0, 9)
    np.testing.assert_allclose(replace.delta(e), twice.delta(e), rtol=1e-11)
    assert replace.adjacency == "replace"
    assert ny.account(ny.Gaussian(2.0) ** 3).mu() == pytest.approx(math.sqrt(3.0) / 2.0, rel=1e-12)
    # full sampling is no sampling
    assert ny.account(ny.DPSGD(2.0, 1.0, 3), adjacency="replace").mu() == replace.mu()


def test_replace_exchanges_a_record_of_sampled_gaussians() -> None:
    """Its pair is (1 - q) N(0) + q N(+1) against (1 - q) N(0) + q N(-1), which is its own mirror image."""
    sigma, q = 2.0, 0.25
    g = ny.account(ny.Gaussian(sigma).poisson(q), adjacency="replace", tolerance=1e-3)
    x = np.linspace(-30.0, 30.0, 600_001)
    centre, right, left = (np.exp(-0.5 * ((x - m) / sigma) ** 2) for m in (0.0, 1.0, -1.0))
    p, other = (1.0 - q) * centre + q * right, (1.0 - q) * centre + q * left
    height = (x[1] - x[0]) / (sigma * math.sqrt(2.0 * math.pi))
    for e in (-0.2, 0.0, 0.05, 0.2, 0.4):
        exact = float(np.maximum(p - math.exp(e) * other, 0.0).sum() * height)
        assert g.optimistic.delta(e) * (1.0 - 1e-6) <= exact <= g.delta(e) * (1.0 + 1e-6)
    assert g.adjacency == "replace"
    for m in (ny.DPSGD(1.0, 0.01, 10), ny.Gaussian(3.0) * ny.DPSGD(1.0, 0.5, 2)):
        replace, either = (ny.account(m, adjacency=a, tolerance=1e-3) for a in ("replace", "add_or_remove"))
        assert either.optimistic.delta(0.1) <= replace.delta(0.1)
        assert either.advantage < replace.optimistic.advantage <= 2.0 * either.advantage


def test_replace_is_refused_for_sampled_black_boxes() -> None:
    why = "No proof is known of which pair is worst when a record is exchanged inside a sampled black box."
    for box in (
        ny.PureMechanism(1.0),
        ny.ApproximateMechanism(1.0, 1e-6),
        ny.RandomizedResponse(1.0, 3),
        ny.Tabulated((0.5, 0.5), (0.25, 0.75)),
    ):
        allowed = f'one of "add_or_remove", "add", "remove" for a sampled {type(box).__name__}'
        for m in (box.poisson(0.5), box.poisson(0.5) ** 3 * ny.DPSGD(1.0, 0.01, 10)):
            said = message(lambda m=m: ny.account(m, adjacency="replace"))
            assert said == f"adjacency must be {allowed}, got 'replace'. {why}"
        assert ny.account(box, adjacency="replace").delta(0.5) == ny.account(box).delta(0.5)


@pytest.mark.parametrize("value", ["both", "", "ADD", 1, ["add"], b"add"])
def test_unknown_adjacency(value: Any) -> None:
    options = "'add_or_remove', 'add', 'remove', 'replace'"
    said = message(lambda: ny.account(ny.Gaussian(1.0), adjacency=value))
    assert said.startswith(f"adjacency must be one of {options}, got {value!r}.")


@pytest.mark.parametrize("value", [1.0, {"kind": "gaussian"}, ny.Gaussian, b"mu:1", ny.GDP(1.0).optimistic])
def test_only_mechanisms_and_promises_are_accounted_for(value: Any) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(value)
    assert (caught.value.name, caught.value.value) == ("mechanism", value)


@pytest.mark.parametrize("value", [None, "DPSGD", "-", "mu:x"])
def test_what_stands_for_none(value: Any) -> None:
    assert message(lambda: ny.account(value)).startswith("mechanism must be ")


# -------------------------------------------------------------------------------------------------- edges of the domain


NOTHING = {
    "no steps": ny.DPSGD(1.0, 0.01, 0),
    "rate 0": ny.DPSGD(1.0, 0.0, 1000),
    "power 0": ny.Gaussian(1.0) ** 0,
    "nothing composed": ny.compose([]),
}


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("adjacency", ["add_or_remove", "add", "remove", "replace"])
def test_nothing_done_is_perfect_privacy(name: str, adjacency: str) -> None:
    g = ny.account(NOTHING[name], adjacency=adjacency)
    for verb, ask in VERBS.items():
        for mine, perfect in ((g, ny.PERFECT), (g.optimistic, ny.PERFECT.optimistic)):
            assert np.array_equal(ask(mine), ask(perfect)), verb
    assert g.epsilon(0.0) == 0.0
    assert g.delta(0.0) == 0.0
    assert g.delta(-1.0) == pytest.approx(-math.expm1(-1.0), rel=1e-15)
    assert g.mu(1e-50) == g.tail_mu == 0.0
    assert g.gdp() == ny.PERFECT.gdp()
    assert g.gdp().shortfall == g.gdp().regret == 0.0
    np.testing.assert_allclose(g.beta([0.0, 0.3, 1.0]), [1.0, 0.7, 0.0], atol=1e-14)
    assert np.all(g.beta([0.0, 0.3, 1.0]) <= [1.0, 0.7, 0.0])


def test_full_sampling_is_the_gaussian() -> None:
    g = ny.account(ny.DPSGD(3.0, 1.0, 36))
    assert g.method == "closed form"
    for e in (-1.0, 0.0, 0.7, 5.0, 20.0):
        exact = float(closed.gaussian_delta(2, e).mid())
        assert g.optimistic.delta(e) <= exact * (1 + 1e-15)
        assert exact * (1 - 1e-15) <= g.delta(e) <= exact * (1 + 1e-12)
    assert 2.0 <= g.mu() <= 2.0 * (1 + 1e-14)
    assert 2.0 <= g.tail_mu <= 2.0 * (1 + 1e-14)
    assert g.gdp().regret <= 1e-6  # the truth is 0


def test_one_step_is_a_closed_form() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.01, 1))
    assert g.method == "closed form"
    exact = float(closed.one_step_delta(1.0, 0.01, 0.5, "remove").mid())
    assert exact * (1 - 1e-15) <= g.delta(0.5) <= exact * (1 + 1e-11)


def test_almost_full_and_almost_no_sampling() -> None:
    e = np.array([0.0, 0.5, 2.0])
    almost, full = ny.account(ny.DPSGD(2.0, 1.0 - 1e-9, 4)), ny.account(ny.DPSGD(2.0, 1.0, 4))
    np.testing.assert_allclose(almost.delta(e), full.delta(e), rtol=1e-5)
    assert np.all(almost.optimistic.delta(e) <= full.delta(e))
    rare = ny.account(ny.DPSGD(1.0, 1e-6, 100))
    # many small losses: nearly normal, of variance q^2 T (e - 1); and at most the sum of the steps' distances
    nearly = math.erf(1e-6 * math.sqrt(100 * math.expm1(1.0)) / math.sqrt(8.0))
    assert rare.optimistic.advantage <= rare.advantage <= 1e-4 * math.erf(0.5 / math.sqrt(2.0))
    assert rare.advantage == pytest.approx(nearly, rel=0.03)


def test_trained_to_death_is_blatant_but_finite() -> None:
    g = ny.account(ny.DPSGD(0.5, 0.9, 10**6))
    assert g.advantage == 1.0
    assert g.optimistic.advantage > 1.0 - 1e-12
    assert g.beta(0.1) >= 0.0
    assert 1e3 < g.mu() <= g.tail_mu


# ------------------------------------------------------------------------------------------------------- refusals


UNIT = "a number in [0, 1]"
ARRAY = "a number, or a non-empty array of numbers, in [0, 1]"
REALS = "a number, or a non-empty array of numbers, all finite"
COUNT = "a whole number from 0 to 1e+18"
BATCH = "It is the expected batch size over the data set size."


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, -math.inf, True, "1"])
def test_bad_noise(value: Any) -> None:
    said = message(lambda: ny.account(ny.DPSGD(value, 0.1, 1)))
    assert said.startswith(f"noise_multiplier must be a finite number > 0, got {value!r}.")


@pytest.mark.parametrize("value", [-0.1, 1.0000001, math.nan, math.inf, True, "0.1"])
def test_bad_rate(value: Any) -> None:
    said = message(lambda: ny.account(ny.DPSGD(1.0, value, 1)))
    assert said == f"sample_rate must be {UNIT}, got {value!r}. {BATCH}"


@pytest.mark.parametrize("value", [-1, 2.5, 1e30, 10**30, math.nan, math.inf, True, "10"])
def test_bad_steps(value: Any) -> None:
    assert message(lambda: ny.account(ny.DPSGD(1.0, 0.1, value))) == f"steps must be {COUNT}, got {value!r}."


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "mechanism must be a dict, got None."),
        ({}, "schema must be present, got None. The present schema is 1."),
        (
            {"schema": 1, "kind": "gaussian", "sigma": -1.0, "sensitivity": 1.0},
            "sigma must be a finite number > 0, got -1.0.",
        ),
        (
            {"schema": 1, "kind": "laplace", "scale": 1.0},
            "sensitivity must be present in kind 'laplace', got None.",
        ),
    ],
)
def test_wrong_dict(data: Any, said: str) -> None:
    assert message(lambda: ny.account(ny.mechanism_from_dict(data))) == said


@pytest.fixture(scope="module")
def g() -> ny.Guarantee:
    return ny.account(ny.DPSGD(1.0, 0.01, 1000))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda g: g.epsilon(1.5), f"delta must be {UNIT}, got 1.5."),
        (lambda g: g.epsilon(-1e-9), f"delta must be {UNIT}, got -1e-09."),
        (lambda g: g.epsilon(math.nan), f"delta must be {UNIT}, got nan."),
        (lambda g: g.epsilon([1e-5, 2.0]), f"delta must be {UNIT}, got 2.0."),
        (lambda g: g.epsilon([]), f"delta must be {ARRAY}, got []."),
        (lambda g: g.epsilon("1e-5"), f"delta must be {ARRAY}, got '1e-5'."),
        (lambda g: g.epsilon(True), f"delta must be {ARRAY}, got True."),
        (lambda g: g.delta(math.nan), "epsilon must be a finite number, got nan."),
        (lambda g: g.delta(math.inf), "epsilon must be a finite number, got inf."),
        (lambda g: g.delta([]), f"epsilon must be {REALS}, got []."),
        (lambda g: g.delta(np.zeros((0, 3))), f"epsilon must be {REALS}, got array([], shape=(0, 3), dtype=float64)."),
        (lambda g: g.delta(1j), f"epsilon must be {REALS}, got 1j."),
        (lambda g: g.beta(-0.1), f"alpha must be {UNIT}, got -0.1."),
        (lambda g: g.beta(1.1), f"alpha must be {UNIT}, got 1.1."),
        (lambda g: g.beta(math.nan), f"alpha must be {UNIT}, got nan."),
        (lambda g: g.beta([]), f"alpha must be {ARRAY}, got []."),
        (lambda g: g.roc(2), f"fpr must be {UNIT}, got 2.0."),
        (lambda g: g.bayes_error([0.1, -0.5]), f"prior must be {UNIT}, got -0.5."),
        (
            lambda g: g.mu(math.nan),
            "floor must be a number in (0, 0.5), got nan. The promise of mu holds at error rates of floor and above.",
        ),
        (lambda g: g.curve(True), "n must be a whole number from 2 to 1e+07, got True."),
        (lambda g: g.regret(None), "other must be a Guarantee, got None."),
    ],
)
def test_bad_questions(g: ny.Guarantee, ask: Callable[[ny.Guarantee], object], said: str) -> None:
    assert message(lambda: ask(g)) == said
    assert message(lambda: ask(g.optimistic)) == said


# ------------------------------------------------------------------------------------------------------- tolerance


@pytest.mark.parametrize("value", [0.0, -1e-6, 1.0, 2.0, 1e-15, math.nan, math.inf, None, "1e-6", True])
def test_tolerance_outside_its_domain(value: Any) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(ny.Gaussian(1.0), tolerance=value)
    assert caught.value.name == "tolerance"
    assert str(caught.value) == f"tolerance must be {caught.value.allowed}, got {value!r}."
    assert caught.value.allowed.endswith(", 1)")


@pytest.mark.parametrize("value", [1e-12, 0.999, np.float32(1e-3)])
def test_tolerance_inside_its_domain(value: Any) -> None:
    assert ny.account(ny.Gaussian(1.0), tolerance=value).mu() == 1.0


HARD = (1.0, 1e-4, 10**4)


def test_the_gate_of_the_tolerance() -> None:
    """Less than an epoch: float64 gives about ten digits of delta(0.3), not twelve."""
    loose, tight = (ny.account(ny.DPSGD(*HARD), tolerance=t) for t in (1e-2, 1e-12))
    e = 0.02
    bracket = loose.optimistic.delta(e), loose.delta(e)
    with pytest.raises(ny.NotCertified) as caught:
        tight.delta(e)
    error = caught.value
    assert isinstance(error, ny.NeymanError)
    assert (error.quantity, error.reason) == (
        "delta(0.02)",
        "wider than the tolerance 1e-12 asks; pass a larger tolerance to account() to accept it",
    )
    assert str(error) == (
        f"delta(0.02) is certified only to lie in [{error.lower!r}, {error.upper!r}]: {error.reason}."
    )
    exact = float(arb.delta([HARD], e, "remove", digits=11.0))
    for lower, upper in (bracket, (error.lower, error.upper)):
        assert lower * (1 - 1e-10) <= exact <= upper * (1 + 1e-10)
        assert 1e-12 * upper < upper - lower < 1e-2 * upper
    assert pickle.loads(pickle.dumps(error)).upper == error.upper
    with pytest.raises(ny.NotCertified):
        tight.epsilon(exact)
    # bounds that promise no width are given all the same
    assert tight.optimistic.delta(e) <= exact * (1 + 1e-10)
    assert tight.beta(0.1) <= tight.optimistic.beta(0.1)


def test_one_wide_place_refuses_the_array() -> None:
    with pytest.raises(ny.NotCertified) as caught:
        ny.account(ny.DPSGD(*HARD), tolerance=1e-12).delta(np.array([-0.01, 0.0, 0.02]))
    assert 0.0 <= caught.value.lower <= caught.value.upper <= 1.0


# ---------------------------------------------------------------------------------------------- arrays and mixes


def test_float32_and_integers_are_taken_at_their_value(g: ny.Guarantee) -> None:
    e = np.array([0.5, 1.0, 1.7], np.float32)
    assert g.delta(e).dtype == np.float64
    np.testing.assert_array_equal(g.delta(e), g.delta(e.astype(np.float64)))
    d = np.float32(1e-5)
    assert g.epsilon(d) == g.epsilon(float(d))
    assert g.delta(np.array([0, 1])) == pytest.approx(g.delta([0.0, 1.0]), rel=1e-9)
    assert g.delta(1) == pytest.approx(g.delta(1.0), rel=1e-9)
    low = ny.account(ny.DPSGD(np.float32(1.0), np.float32(0.01), np.int64(1000)))
    same = ny.account(ny.DPSGD(1.0, float(np.float32(0.01)), 1000))
    assert low.epsilon(1e-5) == same.epsilon(1e-5)


@pytest.mark.parametrize("verb", ["delta", "epsilon", "beta", "roc", "bayes_error"])
def test_shapes(g: ny.Guarantee, verb: str) -> None:
    for side in (g, g.optimistic):
        ask = getattr(side, verb)
        values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
        assert type(ask(0.2)) is float
        assert type(ask(np.float64(0.2))) is float
        assert ask(values).shape == (2, 3)
        assert ask([[[0.2]]]).shape == (1, 1, 1)
        np.testing.assert_allclose(ask(values.T), ask(values).T, rtol=1e-9)
        assert ask(values)[0, 1] == pytest.approx(ask(0.2), rel=1e-9)
        before = values.copy()
        ask(values)
        assert np.array_equal(values, before)


def test_the_order_of_a_mix_does_not_matter() -> None:
    a, b, c = ny.DPSGD(1.0, 0.01, 50), ny.DPSGD(2.0, 0.1, 30), ny.Gaussian(5.0)
    first = ny.account(a * b * c)
    for other in (
        c * b * a,
        ny.compose([b, c, a]),
        ny.compose([c, ny.DPSGD(1.0, 0.01, 20), b, ny.DPSGD(1.0, 0.01, 30)]),
    ):
        again = ny.account(other)
        assert other == a * b * c
        assert again.epsilon(1e-5) == pytest.approx(first.epsilon(1e-5), rel=1e-12)
        assert again.mu() == pytest.approx(first.mu(), rel=1e-9)
    exact = float(arb.epsilon([(1.0, 0.01, 50), (2.0, 0.1, 30), (5.0, 1, 1)], "1e-5", digits=11.0))
    assert first.optimistic.epsilon(1e-5) <= exact * (1 + 1e-11)
    assert exact * (1 - 1e-11) <= first.epsilon(1e-5) <= exact * (1 + 1e-6)


@pytest.mark.parametrize("count", [10, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_many_different_steps(count: int) -> None:
    rng = np.random.default_rng(11)
    laws = [(float(rng.uniform(0.7, 3.0)), float(10 ** rng.uniform(-3.0, -1.0)), 10) for _ in range(count)]
    mix = ny.account(ny.compose([ny.DPSGD(*law) for law in laws]))
    assert mix.optimistic.mu() <= mix.mu() <= mix.tail_mu
    assert mix.tail_mu == pytest.approx(math.sqrt(sum(t / s**2 for s, _, t in laws)), rel=1e-12)
    alone = [ny.account(ny.DPSGD(*law)).advantage for law in laws[:3]]
    assert max(alone) < mix.advantage < 1.0
    exact = arb.delta(laws, 0.5, "remove", digits=9.0)
    assert mix.optimistic.delta(0.5) * (1 - 1e-8) <= float(exact) <= mix.delta(0.5) * (1 + 1e-8)
    assert mix.delta(0.5) - mix.optimistic.delta(0.5) <= 1e-6 * mix.delta(0.5)


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    m = ny.DPSGD(0.8, 1e-3, 10**4)
    busy, fresh = ny.account(m), ny.account(m)
    busy.curve()
    busy.mu(1e-6)
    busy.epsilon([1e-3, 1e-12])
    for d in (1e-5, 1e-9):
        assert busy.optimistic.epsilon(d) <= fresh.epsilon(d)
        assert fresh.optimistic.epsilon(d) <= busy.epsilon(d)
        assert busy.epsilon(d) == pytest.approx(fresh.epsilon(d), rel=1e-9)


def test_repr_and_method() -> None:
    g = ny.account(ny.DPSGD(9.4, 0.32768, 2000))
    assert g.method.startswith("transform")
    assert repr(g) == f"<ComposedGuarantee: add_or_remove, {g.method}, advantage 0.564604>"
