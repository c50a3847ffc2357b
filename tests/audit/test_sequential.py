"""Bets on scores as they arrive: never unfair under the claim, quick where it is broken, the same however one looks."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace, norm

import neyman as ny
from neyman.audit import Sequential
from neyman.audit.tangents import Tangents
from neyman.audit.watched.betting import Bets, Family, Pairs
from tests.effort import examples, rest_slow

Draw = Callable[[np.random.Generator, int], np.ndarray]


def respond(rng: np.random.Generator, n: int, chance: float) -> np.ndarray:
    return (rng.random(n) < chance).astype(float)


def leaky(rng: np.random.Generator, n: int, member: bool) -> np.ndarray:
    """Randomised response at epsilon = 1 that reveals the truth with probability 0.05: (1, 0.05)-private, exactly."""
    honest = respond(rng, n, np.e / (1 + np.e) if member else 1 / (1 + np.e))
    return np.where(rng.random(n) < 0.05, 3.0 if member else -2.0, honest)


NULLS: dict[str, tuple[ny.Guarantee, Draw, Draw]] = {
    "gaussian": (ny.GDP(1.0), lambda g, n: g.normal(1.0, 1.0, n), lambda g, n: g.normal(0.0, 1.0, n)),
    "rounded": (ny.GDP(1.0), lambda g, n: np.rint(g.normal(1.0, 1.0, n)), lambda g, n: np.rint(g.normal(0.0, 1.0, n))),
    "response": (
        ny.PureDP(1.0),
        lambda g, n: respond(g, n, np.e / (1 + np.e)),
        lambda g, n: respond(g, n, 1 / (1 + np.e)),
    ),
    "leaky": (ny.ApproximateDP(1.0, 0.05), lambda g, n: leaky(g, n, True), lambda g, n: leaky(g, n, False)),
    "laplace": (ny.account(ny.Laplace(1.0)), lambda g, n: g.laplace(1.0, 1.0, n), lambda g, n: g.laplace(0.0, 1.0, n)),
    "perfect": (ny.PERFECT, lambda g, n: g.normal(size=n), lambda g, n: g.normal(size=n)),
    "ties": (ny.PERFECT, lambda g, n: np.zeros(n), lambda g, n: np.zeros(n)),
}


@pytest.mark.parametrize("name", rest_slow(NULLS, "gaussian", "leaky", "ties"))
@pytest.mark.parametrize("runs", rest_slow([40, 100], 0))
def test_a_true_claim_is_rarely_rejected_at_any_time(name: str, runs: int) -> None:
    claim, inside, outside = NULLS[name]
    rng = np.random.default_rng(11)
    highest = []
    for _ in range(runs):
        test = Sequential(claim)
        test.update(inside(rng, 200), outside(rng, 200))
        highest.append(test.highest_e_value)
    for level in (0.05, 0.2, 0.5):  # Ville, at the most unfavourable moment of each run
        assert np.mean(np.array(highest) >= 1.0 / level) <= level + 3.0 * np.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("name", rest_slow(["response", "gaussian", "leaky", "perfect"], "response", "perfect"))
@pytest.mark.parametrize("runs", rest_slow([50, 150], 0))
def test_wealth_is_not_expected_to_grow_under_the_claim(name: str, runs: int) -> None:
    claim, inside, outside = NULLS[name]
    rng = np.random.default_rng(12)
    wealth = []
    for _ in range(runs):
        test = Sequential(claim)
        test.update(inside(rng, 60), outside(rng, 60))
        wealth.append(test.e_value)
    assert np.mean(wealth) <= 1.0 + 4.0 * np.std(wealth) / np.sqrt(len(wealth))


LAWS = {
    "gaussian": (ny.GDP(1.0), norm(1.0), norm(0.0)),
    "laplace": (ny.account(ny.Laplace(1.0)), laplace(1.0), laplace(0.0)),
    "stronger": (ny.GDP(1.2), norm(1.2), norm(0.0)),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("seed", range(5))
def test_every_single_bet_is_fair_to_the_claim(name: str, seed: int) -> None:
    claim, inside, outside = LAWS[name]
    rng = np.random.default_rng(seed)
    pairs = Pairs()
    tangents = Tangents.of(claim, coarse=True)
    bets = Bets(Family(tangents.epsilon[None], tangents.delta[None]), pairs, True)
    pairs.extend(0, rng.normal(2.5, size=300))  # plans made where a lot seems to be gained
    pairs.extend(1, rng.normal(size=300))
    plan = bets.plan
    assert plan is not None
    half = len(plan.threshold) // 2
    above, below = plan.threshold[:half], plan.threshold[half:]
    win = np.concatenate([inside.sf(above), outside.cdf(below)])
    lose = np.concatenate([outside.sf(above), inside.cdf(below)])
    assert np.any(plan.stake > 0.0)
    assert np.all(plan.stake * (win - plan.slope * lose - plan.delta) <= 1e-9)  # expected gain, whatever the stake
    assert np.all(1.0 - plan.stake * (plan.slope + plan.delta) >= 0.149)  # never ruined
    assert np.all(plan.share >= 0.0)
    assert np.all(plan.share.sum(axis=1) <= 1.0)


@pytest.mark.parametrize("runs", rest_slow([15, 40], 0))
def test_half_the_noise_is_caught_within_a_hundred_pairs(runs: int) -> None:
    rng = np.random.default_rng(13)
    needed = []
    for _ in range(runs):
        test = Sequential(1.0)
        while not test.rejected:
            test.update(rng.normal(2.0), rng.normal())
            assert test.canaries < 1000
        needed.append(test.canaries // 2)
    assert np.median(needed) <= 44  # a player who knows the best bet in advance: 25
    assert max(needed) <= 200


@pytest.mark.parametrize("runs", rest_slow([5, 100], 0))
def test_the_lower_bound_covers(runs: int) -> None:
    rng = np.random.default_rng(14)
    above = 0
    for _ in range(runs):
        test = Sequential(1.0)
        test.update(rng.normal(0.5, size=150), rng.normal(size=150))
        above += test.lower_bound >= 0.5
    assert above <= 0.05 * runs + 3.0 * np.sqrt(runs * 0.05 * 0.95)


def test_the_lower_bound_comes_close() -> None:
    rng = np.random.default_rng(14)
    long = Sequential(1.0)
    long.update(rng.normal(1.0, size=30_000), rng.normal(size=30_000))
    assert 0.92 < long.lower_bound < 1.0
    assert not long.rejected
    assert 0.9 * ny.GDP(1.0).advantage < long.advantage < ny.GDP(1.0).advantage
    assert 0.3 * ny.GDP(1.0).epsilon(1e-3) < long.epsilon(1e-3) < ny.GDP(1.0).epsilon(1e-3)


def test_the_bound_and_the_decision_are_never_taken_back() -> None:
    rng = np.random.default_rng(15)
    test = Sequential(0.5)
    seen, p = [], []
    for k in range(9):
        shift = 2.0 if k < 4 else -2.0  # from here on the scores speak for the claim
        test.update(rng.normal(shift, size=50), rng.normal(size=50))
        seen.append(test.lower_bound)
        p.append(test.p_value())
    assert test.rejected
    assert test.e_value < test.highest_e_value
    assert seen[3] > 0.5
    assert p == sorted(p, reverse=True)
    assert seen == sorted(seen)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
@examples(2, 80)
def test_values_do_not_depend_on_chunks(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside, outside = rng.normal(1.5, size=sum(sizes)), rng.normal(size=sum(sizes))
    whole, pieces = Sequential(1.0), Sequential(1.0)
    whole.update(inside, outside)
    at = 0
    for size in sizes:
        pieces.update(inside[at : at + size], [])
        assert pieces.e_value > 0.0
        pieces.update([], outside[at : at + size])
        at += size
    assert pieces.canaries == whole.canaries == 2 * sum(sizes)
    assert pieces.e_value == pytest.approx(whole.e_value, rel=1e-9)
    assert pieces.highest_e_value == pytest.approx(whole.highest_e_value, rel=1e-9)
    assert pieces.lower_bound == whole.lower_bound


def test_scores_without_a_partner_wait() -> None:
    test = Sequential(1.0)
    test.update(np.full(30, 5.0), [])
    assert (test.canaries, test.e_value, test.p_value(), test.lower_bound) == (0, 1.0, 1.0, 0.0)
    test.update([], np.zeros(20))
    assert test.canaries == 40
    assert test.e_value > 1.0


@pytest.mark.parametrize("split", rest_slow([0, 5, 33, 60], 0, 2))
def test_state_survives(split: int) -> None:
    rng = np.random.default_rng(16)
    inside, outside = rng.normal(2.0, size=60), rng.normal(size=60)
    claim = ny.account(ny.Gaussian(1.0))
    whole, test = Sequential(claim, 0.9), Sequential(claim, 0.9)
    whole.update(inside, outside)
    test.update(inside[:split], outside[: split // 2])
    kept = json.loads(json.dumps(test.state_dict()))
    for copy in (pickle.loads(pickle.dumps(test)), Sequential.from_state(claim, kept)):
        copy.update(inside[split:], outside[split // 2 :])
        assert copy.confidence == 0.9
        assert copy.e_value == pytest.approx(whole.e_value, rel=1e-9)
        assert copy.highest_e_value == pytest.approx(whole.highest_e_value, rel=1e-9)
        assert copy.lower_bound == whole.lower_bound


def test_refusals_of_states() -> None:
    state = Sequential(1.0).state_dict()
    with pytest.raises(ny.InvalidParameter, match="claim must be the claim of the saved test"):
        Sequential.from_state(1.5, state)
    with pytest.raises(ny.InvalidParameter, match=r"state\['version'\] must be a whole number from 1 to 2"):
        Sequential.from_state(1.0, {**state, "version": 3})
    for kinds in ("float32", None, 1):
        with pytest.raises(ny.InvalidParameter, match=r"state\['kinds'\] must be a list"):
            Sequential.from_state(1.0, {**state, "kinds": kinds})
    with pytest.raises(ny.InvalidParameter, match="kinds must be one of"):
        Sequential.from_state(1.0, {**state, "kinds": ["float8"]})
    old = {**state, "version": 1}
    del old["kinds"]
    assert Sequential.from_state(1.0, old).canaries == 0
    for broken in ({}, {"version": 1}, None, [1]):
        with pytest.raises(ny.InvalidParameter, match=r"state must be what state_dict\(\) returned"):
            Sequential.from_state(1.0, broken)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="scores_in must be finite numbers only"):
        Sequential.from_state(1.0, {**state, "scores_in": [float("nan")]})


@pytest.mark.parametrize("coarse", [np.float32, np.float16])
def test_the_coarser_kind_decides_over_all_updates(coarse: type) -> None:
    """The same scores on both sides prove nothing, in whatever kind and order they arrive."""
    scores = np.random.default_rng(3).normal(size=600)
    for first, second in ((scores, scores.astype(coarse)), (scores.astype(coarse), scores)):
        apart, together = Sequential(0.1), Sequential(0.1)
        apart.update(first, [])  # waits
        apart.update([], second[:300])
        again = Sequential.from_state(0.1, json.loads(json.dumps(apart.state_dict())))
        together.update(first, second)
        for test in (apart, again):
            test.update([], second[300:])
            pairs = test.state_dict()
            assert pairs["scores_in"] == pairs["scores_out"]
        assert together.state_dict() == apart.state_dict() == again.state_dict()
        assert together.highest_e_value <= 1.0


def test_pairs_before_a_coarser_kind_keep_their_digits() -> None:
    test = Sequential(1.0)
    test.update([0.1, 0.2, 0.3], [0.1, 0.2])
    test.update(np.array([], np.float32), np.array([0.3], np.float32))
    third = float(np.float32(0.3))
    assert test.state_dict()["scores_in"] == [0.1, 0.2, third]
    assert test.state_dict()["scores_out"] == [0.1, 0.2, third]


def test_other_claims_are_tested_on_the_same_scores() -> None:
    rng = np.random.default_rng(17)
    test = Sequential(3.0)
    test.update(rng.normal(2.0, size=400), rng.normal(size=400))
    assert test.p_value() == test.p_value(test.claim) == 1.0
    assert test.p_value(ny.GDP(1.0)) < 1e-6
    again = Sequential(1.0)
    again.update(test.state_dict()["scores_in"], test.state_dict()["scores_out"])
    assert again.p_value() == pytest.approx(test.p_value(ny.GDP(1.0)), rel=1e-9)
    verdict = ny.audit.check(ny.GDP(1.0), test)
    assert verdict.outcome == "violated"
    assert "a player who bets against the claim has at some time had" in str(verdict)
    assert ny.audit.check(ny.GDP(3.0), test).outcome == "consistent"
    assert str(again).startswith("400 pairs of scores: claim rejected (e = ")
    assert repr(again) == f"<Sequential: {again}>"


def test_few_scores_are_not_bet_on() -> None:
    test = Sequential(1.0)
    test.update([9.0] * 3, [0.0] * 3)
    assert test.e_value == 1.0
    assert test.operating_point(test.claim).description == "3 pairs of scores are too few to bet on"
    assert ny.audit.check(ny.GDP(1.0), test).outcome == "not informative"


def test_claims_of_all_kinds() -> None:
    remove = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="remove")
    for claim in (remove, remove.inverse(), ny.DPSGD(1.0, 0.1, 10), ny.ZCDP(0.1), 0.4, 1, ny.BLATANT):
        test = Sequential(claim)
        test.update(np.arange(100) + 100.0, np.arange(100) * 1.0)
        assert test.rejected == (claim is not ny.BLATANT)
    assert Sequential(remove).claim.adjacency == "remove"


def test_slopes_whose_squares_overflow() -> None:
    """A claim with tangents beyond e^350 is tested like any other, and those do not keep the rest from being bet on."""
    rng = np.random.default_rng(18)
    steep = Sequential(ny.PureDP(690.0))
    steep.update(rng.normal(2.0, size=100), rng.normal(size=100))
    assert 0.99 < steep.e_value <= 1.0
    mixed = Sequential(ny.account(ny.Laplace(1.0 / 500.0)).symmetrized())
    mixed.update(rng.normal(2.0, size=100), rng.normal(size=100))
    assert not mixed.rejected


@pytest.mark.parametrize("claim", [0.0, -1.0, float("nan"), float("inf"), True, "mu", None, ny.GDP(1.0).optimistic])
def test_refusals_of_claims(claim: object) -> None:
    with pytest.raises(ny.InvalidParameter, match="claim must be"):
        Sequential(claim)  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0.0, 1.0, float("nan"), "high"])
def test_refusals_of_confidence(confidence: object) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"confidence must be a number in \(0, 1\)"):
        Sequential(1.0, confidence)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[np.nan], np.inf, [[1.0]], ["a"], None, [[1.0], [1.0, 2.0]], [True]])
def test_refusals_of_scores_take_nothing_in(wrong: object) -> None:
    test = Sequential(1.0)
    for arguments, name in (((wrong, [1.0]), "scores_in"), (([1.0], wrong), "scores_out")):
        with pytest.raises(ny.InvalidParameter, match=f"{name} must be (finite numbers only|a number or an? )"):
            test.update(*arguments)
    assert test.state_dict()["scores_in"] == test.state_dict()["scores_out"] == []
