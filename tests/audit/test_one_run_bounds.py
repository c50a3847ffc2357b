"""What a claim allows in one run: against the exact optimum over all mechanisms, and against published figures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom, norm

import neyman as ny
from neyman.audit.one_run.counts import Count
from neyman.audit.one_run.curve import LEAST, curve_bound, impossible
from neyman.audit.one_run.epsilon import counting_bound
from neyman.audit.tangents import Tangents
from tests.audit.one_run_truth import (
    gaussian_delta,
    most,
    published_epsilon,
    published_p_value,
    recursion_rejects,
)
from tests.effort import examples, rest_slow

CLAIMS = {
    "pure": ny.PureDP(1.0),
    "approximate": ny.ApproximateDP(0.7, 1e-3),
    "gaussian": ny.GDP(0.8),
    "laplace": ny.account(ny.Laplace(1.0)),
    "dpsgd": ny.account(ny.DPSGD(1.0, 0.2, 10)),
    "remove": ny.account(ny.DPSGD(1.0, 0.2, 10), adjacency="remove"),
    "add": ny.account(ny.DPSGD(1.0, 0.2, 10), adjacency="add"),
    "perfect": ny.PERFECT,
    "blatant": ny.BLATANT,
}


def bound(claim: ny.Guarantee, count: Count) -> float:
    tangents = Tangents.of(claim)
    return min(counting_bound(tangents, count), curve_bound(tangents, count))


@pytest.mark.parametrize("tangent", [(0.5, 0.05), (1.0, 0.0), (0.0, 0.1), (2.0, 1e-3)])
@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)])
def test_the_counting_bound_is_the_best_attack_on_any_mechanism(m: int, r: int, tangent: tuple[float, float]) -> None:
    for c in range(1, r + 1):
        found = counting_bound(Tangents.single(*tangent), Count(c, r, m))
        assert found == pytest.approx(most(m, r, c, [tangent]), abs=2e-7)


@pytest.mark.parametrize(
    ("m", "r", "choices"), rest_slow([(1, 1, 3), (1, 1, 5), (2, 1, 3), (2, 2, 3), (2, 2, 4)], 0, 1, 2, 3)
)
def test_no_attack_on_any_mechanism_guesses_more_of_many_records(m: int, r: int, choices: int) -> None:
    """Each canary is one of several records: the counting bound with all its delta, and the recursion."""
    for tangent in ((0.7, 0.05), (1.5, 0.0), (0.0, 0.2)):
        for c in range(1, r + 1):
            truth, count = most(m, r, c, [tangent], choices), Count(c, r, m, choices)
            assert truth - 1e-6 <= counting_bound(Tangents.single(*tangent), count) <= min(1.0, 1.3 * truth)
            assert curve_bound(Tangents.single(*tangent), count) >= truth - 1e-6


@given(st.integers(1, 10**7), st.floats(0.0, 1.0), st.floats(0.5, 1.0), st.sampled_from([0.0, 1e-9, 1e-4, 0.1]))
@example(1381267, 1.0, 0.99999, 1e-9)  # SciPy's tail is 0 at some epsilon where the probability of the count is not
@example(9017, 1.0, 8979 / 9017, 1e-4)
@examples(4, 250)
def test_the_counting_bound_grows_with_epsilon(m: int, guessed: float, right: float, delta: float) -> None:
    """So that halving an interval finds the least epsilon that is not refuted."""
    r = max(1, round(guessed * m))
    count = Count(max(1, round(right * r)), r, m)
    found = [counting_bound(Tangents.single(float(eps), delta), count) for eps in np.linspace(0.0, 15.0, 300)]
    assert np.all(np.diff(found) >= -1e-12 * np.array(found[:-1]))


@pytest.mark.parametrize(("m", "r"), rest_slow([(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)], 0, 1, 2, 3))
def test_no_mechanism_that_keeps_a_curve_passes_the_bounds(m: int, r: int) -> None:
    nodes = [(eps, gaussian_delta(1.0, eps)) for eps in (0.0, 0.5, 1.0, 2.0, 3.0)]
    tangents = Tangents(*np.array(nodes).T)
    for c in range(1, r + 1):
        truth, count = most(m, r, c, nodes), Count(c, r, m)
        assert counting_bound(tangents, count) >= truth - 1e-7
        assert curve_bound(tangents, count) >= truth - 1e-7
        if c == r:  # there the recursion is the truth
            assert curve_bound(tangents, count) == pytest.approx(truth, rel=2e-4)


def test_randomised_response_with_all_good_outcomes_scaled_up_attains_the_bound() -> None:
    m, c, eps, delta = 3, 1, 0.8167, 0.0053
    q = 1.0 / (1.0 + np.exp(-eps))
    jump = m * delta / (c * binom.pmf(c, m, q))
    tail = binom.sf(c - 1, m, q)
    weight = [(1.0 + jump * (1.0 - tail)) if k >= c else (1.0 - jump * tail) for k in range(m + 1)]
    coins = list(product((0, 1), repeat=m))

    def law(s: tuple[int, ...]) -> np.ndarray:
        right = np.array([sum(a == b for a, b in zip(s, t, strict=True)) for t in coins])
        return np.array([weight[k] * q**k * (1 - q) ** (m - k) for k in right])

    for a in coins:
        assert law(a).sum() == pytest.approx(1.0)
        for b in coins:
            if sum(x != y for x, y in zip(a, b, strict=True)) == 1:
                assert np.sum(np.maximum(law(a) - np.exp(eps) * law(b), 0.0)) <= delta * (1 + 1e-9)
    reached = float(sum(weight[k] * binom.pmf(k, m, q) for k in range(c, m + 1)))
    assert counting_bound(Tangents.single(eps, delta), Count(c, m, m)) == pytest.approx(reached, rel=1e-7)
    assert published_p_value(m, m, c, eps, delta) < reached  # the published term is too small so near to 1


@given(st.integers(1, 3000), st.data())
@examples(50, 1000)
def test_the_counting_bound_is_at_most_the_published_one_where_p_is_of_use(m: int, data: st.DataObject) -> None:
    r = data.draw(st.integers(1, m))
    c = data.draw(st.integers(0, r))
    eps, delta = data.draw(st.floats(0.0, 5.0)), data.draw(st.sampled_from([0.0, 1e-9, 1e-6, 1e-4, 1e-2]))
    published = published_p_value(m, r, c, eps, delta)
    found = counting_bound(Tangents.single(eps, delta), Count(c, r, m))
    if published <= 0.5:
        assert found <= published * (1 + 2e-8) + 1e-280
    if delta == 0.0:
        assert found == pytest.approx(float(binom.sf(c - 1, r, 1 / (1 + np.exp(-eps)))), rel=1e-7, abs=1e-280)


@pytest.mark.parametrize(
    ("m", "r", "v", "delta", "printed"),
    [
        (100, 100, 75, 0.0, 0.702),  # Steinke, Nasr and Jagielski (2023), Appendix D
        (100, 100, 75, 1e-4, 0.699),
        (1000, 100, 75, 1e-4, 0.673),
        (100_000, 1510, 1439, 1e-5, 2.675),  # Section 7, Figure 11
        pytest.param(
            10_000, 10_000, 9820, 1e-5, 3.87, marks=pytest.mark.slow
        ),  # Section 7, Figure 10, which does not print m
    ],
)
def test_published_epsilons_of_the_counting_bound(m: int, r: int, v: int, delta: float, printed: float) -> None:
    digit = 10.0 ** -len(str(printed).split(".")[1])
    assert published_epsilon(m, r, v, delta) == pytest.approx(printed, abs=digit)
    ours = ny.audit.one_run(v, r, m).epsilon(delta)
    assert ours >= published_epsilon(m, r, v, delta) - 1e-6
    assert ours <= published_epsilon(m, r, v, 0.0) + 1e-6  # what delta = 0 would give
    if delta == 0.0:
        assert ours == pytest.approx(printed, abs=digit)


def test_the_published_p_value() -> None:
    assert bound(ny.PureDP(float(np.log(3.0))), Count(75, 100, 100)) == pytest.approx(0.553, abs=1e-3)


@pytest.mark.parametrize(
    ("shift", "epsilon", "guesses"), [(1.0, 2.164749, 406), (2.0, 4.7218075, 938), (4.0, 9.133752, 5436)]
)
def test_figures_of_another_implementation_of_the_recursion(shift: float, epsilon: float, guesses: int) -> None:
    # jax_privacy's tests: 10,000 normal quantiles a side, the highest guessed as in, a union bound over the corners of
    # the ROC curve; the best corner is at so many guesses
    n, delta = 10_000, 1e-6
    outside = norm.ppf((np.arange(n) + 0.5) / n)
    inside = outside + shift
    ranked = np.argsort(np.concatenate([inside, outside]), kind="stable")[::-1]
    correct = int(np.sum(ranked[:guesses] < n))
    level = 0.05 / corners(inside, outside)
    low, high = 0.0, 5.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        refuted = impossible(Tangents.gaussian(middle).lines, Count(correct, guesses, 2 * n), level)
        low, high = (middle, high) if refuted else (low, middle)
    assert ny.GDP(low).epsilon(delta) == pytest.approx(epsilon, rel=1e-4)


def corners(inside: np.ndarray, outside: np.ndarray) -> int:
    """How many corners the convex hull of the ROC curve has."""
    cuts = np.append(np.union1d(inside, outside), np.inf)
    points = np.stack([np.searchsorted(inside, cuts), np.searchsorted(outside, cuts)], axis=1).astype(float)
    while True:
        step = np.diff(points, axis=0)
        kept = np.r_[True, step[:-1, 1] * step[1:, 0] > step[1:, 1] * step[:-1, 0], True]
        if np.all(kept):
            return len(points)
        points = points[kept]


@given(st.floats(0.05, 4.0), st.integers(1, 400), st.data())
@examples(15, 300)
def test_the_recursion_agrees_with_its_published_form(mu: float, m: int, data: st.DataObject) -> None:
    r = data.draw(st.integers(1, m))
    c = data.draw(st.integers(r // 2, r))
    p = curve_bound(Tangents.of(ny.GDP(mu)), Count(c, r, m))
    if LEAST < p < 1.0:
        assert not recursion_rejects(mu, m, r, c, p * 0.998)
        assert recursion_rejects(mu, m, r, c, min(1.0, p * 1.002)) or p > 0.998


@pytest.mark.parametrize("name", CLAIMS)
def test_one_canary_is_guessed_as_well_as_the_advantage_allows(name: str) -> None:
    claim = CLAIMS[name]
    assert bound(claim, Count(1, 1, 1)) == pytest.approx((1.0 + claim.advantage) / 2.0, rel=1e-6)


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("m", rest_slow([1, 4, 30, 500], 1, 2))
def test_independent_attacks_at_every_point_of_the_curve_stay_below(name: str, m: int) -> None:
    claim = CLAIMS[name].symmetrized()
    alpha = np.array([0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.45])
    accuracy = np.max(1.0 - 0.5 * (alpha + np.asarray(claim.optimistic.beta(alpha))))  # of guessing all canaries
    for c in sorted({1, m // 2, (3 * m) // 4, (9 * m) // 10, m}):
        if c > 0:
            assert bound(claim, Count(c, m, m)) >= float(binom.sf(c - 1, m, accuracy)) * (1 - 1e-7)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "dpsgd", "approximate"])
def test_attacks_that_abstain_stay_below(name: str) -> None:
    # each canary shows "in", "out" or nothing: the most telling outcomes of the worst pair, independently
    claim = CLAIMS[name].symmetrized()
    rng = np.random.default_rng(3)
    m, r = 60, 12
    alpha = 0.02
    power = float(claim.optimistic.roc(alpha))
    chance = np.array([power, alpha])  # of showing the truth, of showing the opposite
    draws = rng.random((20_000, m))
    shown = np.where(draws < chance[0], 1, np.where(draws < chance.sum(), -1, 0))
    right, wrong = np.sum(shown == 1, axis=1), np.sum(shown == -1, axis=1)
    silent = np.maximum(r - right - wrong, 0)
    guessed = np.minimum(right + wrong, r)
    kept = rng.hypergeometric(right, np.maximum(wrong, 0) + (right + wrong == 0), guessed)
    correct = kept + rng.binomial(silent, 0.5)
    for c in range(r // 2, r + 1):
        seen = float(np.mean(correct >= c))
        assert bound(claim, Count(c, r, m)) >= seen - 4.0 * np.sqrt(seen * (1 - seen) / len(draws))


@pytest.mark.parametrize("k", [2, 3, 10])
def test_choices_among_many_records_are_randomised_response(k: int) -> None:
    q = np.e / (np.e + k - 1.0)
    for c in (10, 25, 40):
        found = counting_bound(Tangents.single(1.0, 0.0), Count(c, 40, 40, k))
        assert found == pytest.approx(float(binom.sf(c - 1, 40, q)), rel=1e-7)
        assert curve_bound(Tangents.of(ny.PureDP(1.0)), Count(c, 40, 40, k)) >= found * (1 - 1e-7)


def test_one_choice_among_many_records() -> None:  # the best guess of one record of k, each pair (1, 0)-private
    assert curve_bound(Tangents.of(ny.PureDP(1.0)), Count(1, 1, 1, 5)) == pytest.approx(np.e / (np.e + 4.0), rel=2e-4)


@pytest.mark.parametrize("name", ["pure", "gaussian", "laplace", "dpsgd", "remove"])
def test_tangents_lie_below_the_curve_and_close_to_it(name: str) -> None:
    claim = CLAIMS[name].symmetrized()
    lines = Tangents.of(claim).lines
    assert lines.slope == sorted(lines.slope)
    assert lines.start == sorted(lines.start)
    y = np.concatenate([np.geomspace(1e-8, 0.5, 60), 1.0 - np.geomspace(0.4, 1e-6, 30)])
    slope, offset = np.array(lines.slope), np.array(lines.offset)
    piece = np.searchsorted(lines.start, y, "right") - 1
    value = slope[piece] * y - offset[piece]
    best = np.max(slope[:, None] * y - offset[:, None], axis=0)
    assert value == pytest.approx(best, rel=1e-9, abs=1e-15)
    truth = np.asarray(claim.optimistic.beta(1.0 - y))
    assert np.all(value <= truth * (1 + 1e-9) + 1e-12)
    assert np.all(value >= np.asarray(claim.beta(1.0 - y)) * (1 - 1e-3) - 1e-12)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 5.0, 40.0])
def test_gaussian_tangents_are_those_of_the_claim(mu: float) -> None:
    count = Count(90, 100, 300)
    whole, quick = Tangents.of(ny.GDP(mu)), Tangents.gaussian(mu)
    assert counting_bound(quick, count) == pytest.approx(counting_bound(whole, count), rel=5e-3)
    assert curve_bound(quick, count) == pytest.approx(curve_bound(whole, count), rel=5e-3)
