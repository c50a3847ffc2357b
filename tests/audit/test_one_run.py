"""The evidence of one run: bounds that fit together, scores, and every refusal."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.audit import OneRun, one_run, one_run_from_scores
from tests.effort import examples, rest_slow


@st.composite
def audits(draw: st.DrawFn) -> tuple[int, int, int]:
    canaries = draw(st.integers(1, 2000))
    guesses = draw(st.integers(1, canaries))
    return draw(st.integers(0, guesses)), guesses, canaries


@given(audits(), st.sampled_from([0.8, 0.95, 0.999]))
@examples(8, 400)
def test_bounds_are_inverted_p_values_on_the_safe_side(audit: tuple[int, int, int], confidence: float) -> None:
    found, level = one_run(*audit, confidence=confidence), 1.0 - confidence
    assert found.mu >= 0.0
    if found.mu > 0.0:
        assert found.p_value(ny.GDP(found.mu)) <= level * (1 + 2e-4)
    assert found.p_value(ny.GDP(found.mu + 1e-3)) > level * 0.999
    eps = found.epsilon(1e-5)
    if eps > 0.0:
        assert found.p_value(ny.ApproximateDP(eps, 1e-5)) <= level * (1 + 2e-4)
    assert found.p_value(ny.ApproximateDP(eps + 1e-3, 1e-5)) > level * 0.999
    assert 0.0 <= found.advantage < 1.0
    assert found.p_value(ny.ApproximateDP(0.0, min(1.0, found.advantage + 1e-3))) > level * 0.999


@given(audits(), st.floats(0.05, 3.0), st.floats(1.0, 2.0))
@examples(15, 300)
def test_p_values_grow_with_the_claim_and_fall_with_what_is_right(
    audit: tuple[int, int, int], mu: float, factor: float
) -> None:
    c, r, m = audit
    found = one_run(*audit)
    p = found.p_value(ny.GDP(mu))
    assert 0.0 < p <= 1.0
    assert p <= found.p_value(ny.GDP(mu * factor)) * (1 + 1e-3)
    if c > 0:
        assert p <= one_run(c - 1, r, m).p_value(ny.GDP(mu)) * (1 + 1e-3)
    if r < m:  # the same right guesses among more
        assert p <= one_run(c, r + 1, m).p_value(ny.GDP(mu)) * (1 + 1e-3)


def test_nothing_right_and_claims_that_allow_everything_prove_nothing() -> None:
    assert one_run(0, 10, 100).p_value(ny.PERFECT) == 1.0
    assert one_run(10, 10, 100).p_value(ny.BLATANT) == 1.0
    none = one_run(50, 100, 100)
    assert (none.mu, none.epsilon(0.0), none.epsilon(1e-5), none.advantage) == (0.0, 0.0, 0.0, 0.0)
    assert ny.audit.check(ny.GDP(1.0), none).outcome == "not informative"


def test_coverage_of_guessing_coins_that_tell_nothing() -> None:
    rng = np.random.default_rng(5)
    drawn = rng.binomial(40, 0.5, size=2000)
    refuted = {int(c): one_run(int(c), 40, 100).mu > 0.0 for c in np.unique(drawn)}
    rejected = [refuted[int(c)] for c in drawn]
    assert np.mean(rejected) <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 2000)
    assert np.mean(rejected) > 0.01  # and it is a test


@pytest.mark.parametrize("mu", rest_slow([0.5, 1.0, 3.0], 1, 2))
def test_independent_gaussian_canaries_never_pass_the_truth_more_often_than_stated(mu: float) -> None:
    rng = np.random.default_rng(6)
    found: dict[tuple[int, ...], bool] = {}
    above = 0
    for _ in range(300):
        members = rng.random(300) < 0.5
        audit = one_run_from_scores(rng.normal(size=300) + mu * members, members, guesses=[20, 60])
        if audit.correct not in found:
            found[audit.correct] = audit.p_value(ny.GDP(mu)) <= 0.05
        above += found[audit.correct]
    assert above <= 15 + 3.0 * np.sqrt(300 * 0.05 * 0.95)


def test_a_union_bound_pays_for_the_choice_of_the_number_of_guesses() -> None:
    alone, both = one_run(95, 100, 1000), one_run([95, 150], [100, 200], 1000)
    claim = ny.GDP(0.6)
    assert both.p_value(claim) == pytest.approx(2.0 * alone.p_value(claim), rel=1e-9)
    assert 0.0 < both.mu < alone.mu
    assert "union bound over 2" in both.method
    assert (both.correct, both.guesses, both.canaries) == ((95, 150), (100, 200), 1000)
    assert one_run([95], [100], 1000).mu == alone.mu
    assert one_run(np.array([95]), np.array([100]), 1000).mu == alone.mu


def test_epsilon_of_arrays() -> None:
    found = one_run(95, 100, 1000)
    deltas = np.array([[0.0, 1e-5], [1e-3, 1.0]])
    eps = found.epsilon(deltas)
    assert isinstance(eps, np.ndarray)
    assert eps.shape == (2, 2)
    assert eps[0, 1] == found.epsilon(1e-5)
    assert np.all(np.diff(eps.ravel()) <= 0.0)
    assert eps[1, 1] == 0.0


def test_a_million_canaries_in_seconds() -> None:
    begun = time.process_time()
    found = one_run([9_801, 700_000], [10_000, 1_000_000], 1_000_000)
    assert found.mu > 0.9
    assert found.epsilon(1e-6) > 3.0
    assert found.p_value(ny.account(ny.DPSGD(1.0, 0.01, 1000))) < 0.05
    assert time.process_time() - begun < 10.0


def test_the_verdict_reads_it() -> None:
    found = one_run(98, 100, 1000)
    verdict = ny.audit.check(ny.GDP(0.5), found)
    assert verdict.outcome == "violated"
    assert "98 of 100 guesses about 1000 canaries were right" in str(verdict)
    assert ny.audit.check(ny.account(ny.Gaussian(0.5)), found).outcome == "consistent"
    assert str(found).startswith("98 of 100 guesses right, 1000 canaries in one run: mu >= 0.")
    assert isinstance(found, OneRun)
    assert repr(found) == f"<OneRun: {found}>"


def test_asymmetric_claims_are_read_through_the_symmetric_one() -> None:
    found = one_run(90, 100, 400)
    remove = ny.account(ny.DPSGD(1.0, 0.2, 10), adjacency="remove")
    assert found.p_value(remove) == found.p_value(remove.symmetrized())
    assert found.p_value(remove) == found.p_value(ny.account(ny.DPSGD(1.0, 0.2, 10), adjacency="add"))
    assert found.p_value(ny.DPSGD(1.0, 0.2, 10)) == found.p_value(ny.account(ny.DPSGD(1.0, 0.2, 10)))


def test_scores_are_guessed_from_the_extremes() -> None:
    members = np.array([True, False] * 10)
    scores = np.where(members, 1.0, 0.0) * np.arange(1, 21)
    for guess in ("both", "in", "out"):
        assert one_run_from_scores(scores, members, guesses=10, guess=guess).correct == (10,)
    assert one_run_from_scores(-scores, members, guesses=20).correct == (0,)
    assert one_run_from_scores(scores, members.astype(float), guesses=[1, 3]).guesses == (1, 3)
    assert one_run_from_scores([3.0, 1.0, 2.0], [1, 0, 0], guesses=3).correct == (2,)  # two guessed as in, one as out


def test_equal_scores_tell_nothing_in_whatever_order_they_come() -> None:
    members = np.arange(1000) < 500
    correct = [one_run_from_scores(np.zeros(1000), members, guesses=400, seed=s).correct[0] for s in range(100)]
    assert 190 < np.mean(correct) < 210
    assert min(correct) < 200 < max(correct)
    assert one_run_from_scores(np.zeros(1000), members, guesses=400).mu == 0.0
    again = one_run_from_scores(np.zeros(1000), members, guesses=400, seed=7)
    assert again.correct == (correct[7],)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correct": -1}, "correct must be a whole number from 0 to 10"),
        ({"correct": 11}, "10 guesses were made: at most as many are right."),
        ({"guesses": 0}, "guesses must be a whole number from 1"),
        ({"guesses": 101}, "There are 100 canaries: at most as many guesses."),
        ({"canaries": 0}, "canaries must be a whole number from 1"),
        ({"canaries": 100.5}, "canaries must be a whole number from 1"),
        ({"correct": float("nan")}, "correct must be a whole number"),
        ({"correct": [5, 6]}, "correct must be as many numbers as guesses has, 1"),
        ({"correct": [], "guesses": []}, "correct must be a whole number or a non-empty list of them"),
        ({"confidence": 1.0}, r"confidence must be a number in \(0, 1\)"),
        ({"confidence": float("nan")}, r"confidence must be a number in \(0, 1\)"),
        ({"choices": 1}, "choices must be a whole number from 2"),
    ],
)
def test_refusals_of_counts(arguments: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"correct": 5, "guesses": 10, "canaries": 100, **arguments}
    correct, guesses, canaries = given.pop("correct"), given.pop("guesses"), given.pop("canaries")
    with pytest.raises(ny.InvalidParameter, match=message):
        one_run(correct, guesses, canaries, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "members", "options", "message"),
    [
        ([1.0, np.nan], [1, 0], {}, "scores must be a finite number, got nan"),
        ([], [], {}, "scores must be a number, or a non-empty array"),
        ([[1.0, 2.0]], [1, 0], {}, "scores must be a 1-d array of numbers"),
        ([1.0, 2.0], [1, 0, 1], {}, "members must be as long as scores is, 2, got 3"),
        ([1.0, 2.0], [1, 2], {}, "members must be a 1-d array of bools, or of 0 and 1"),
        ([1.0, 2.0], [[1, 0]], {}, "members must be a 1-d array of bools, or of 0 and 1"),
        ([1.0, 2.0], ["in", "out"], {}, "members must be a 1-d array of bools, or of 0 and 1"),
        ([1.0, 2.0], [[1], [0, 1]], {}, "members must be a 1-d array of bools, or of 0 and 1"),
        (range(100), [1] * 100, {}, "100 of 100 are members: each canary is to be in or out by its own fair coin"),
        ([1.0, 2.0], [1, 0], {"guesses": 3}, "There are 2 canaries: at most as many guesses."),
        ([1.0, 2.0], [1, 0], {"guess": "best"}, "guess must be one of 'both', 'in', 'out'"),
        ([1.0, 2.0], [1, 0], {"seed": -1}, "seed must be a whole number from 0"),
        ([1.0, 2.0], [1, 0], {"confidence": 0.0}, "confidence must be a number in"),
    ],
)
def test_refusals_of_scores(scores: object, members: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=message):
        one_run_from_scores(
            np.array(scores) if not isinstance(scores, list) else scores, members, **{"guesses": 1, **options}
        )  # type: ignore[arg-type]


@pytest.mark.parametrize("claim", [1.0, "mu", None, ny.GDP(1.0).optimistic])
def test_refusals_of_claims(claim: object) -> None:
    with pytest.raises(ny.InvalidParameter, match="claim must be"):
        one_run(5, 10, 100).p_value(claim)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="claim must be"):
        one_run(5, 10, 100).operating_point(claim)  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [-1e-9, 1.1, float("nan")])
def test_refusals_of_delta(delta: float) -> None:
    with pytest.raises(ny.InvalidParameter, match="delta must be"):
        one_run(5, 10, 100).epsilon(delta)
