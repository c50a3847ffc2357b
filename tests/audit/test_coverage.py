"""How often bounds exceed the truth, over simulated audits; and how close to it they come."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import neyman as ny
from tests.audit.simulated import METHODS, QUESTIONS, Draw, audit, binary, gaussian, simulate, tied
from tests.effort import crossed, rest_slow

MUS = (0.0, 0.1, 0.5, 1.0, 3.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "replications"), rest_slow([(50, 80), (1000, 50), (10_000, 6)], 0, 2))
@pytest.mark.parametrize("mu", rest_slow(MUS, 0, 2))
def test_bounds_seldom_exceed_the_truth(method: str, mu: float, n: int, replications: int) -> None:
    found = simulate(method, mu, n, replications)
    for question in QUESTIONS[:-1] if method == "split" else QUESTIONS:
        assert found.allowed(question), (question, found.share(question))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("draw", [tied, binary])
@pytest.mark.parametrize("mu", rest_slow([0.0, 1.0], 1))
def test_equal_scores_do_not_help(method: str, draw: Draw, mu: float) -> None:
    found = simulate(method, mu, 200, 120, draw)
    for question in QUESTIONS[:-1]:
        assert found.allowed(question), (question, found.share(question))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [50, 1000, 10_000, 100_000])
@pytest.mark.parametrize("mu", MUS)
def test_bounds_seldom_exceed_the_truth_in_full(method: str, mu: float, n: int) -> None:
    found = simulate(method, mu, n, 2000)
    for question in QUESTIONS[:-1] if method == "split" else QUESTIONS:
        assert found.allowed(question), (question, found.share(question))


@pytest.mark.parametrize("method", ["simultaneous", "dkw"])
@pytest.mark.parametrize("confidence", rest_slow([0.1, 0.5], 1))
def test_null_scores_rank_by_rank(method: str, confidence: float) -> None:
    """All 924 orders of six scores a side are equally likely if the record leaves no trace: none is left out."""
    positive = 0
    for chosen in itertools.combinations(range(12), 6):
        within = np.array(chosen)
        outside = np.setdiff1d(np.arange(12), within)
        positive += audit(method, within, outside, 0.0, 0, confidence).mu > 0.0
    assert positive <= (1.0 - confidence) * 924
    assert positive > 0  # six scores a side can say something at such a confidence


def test_these_tests_can_fail() -> None:
    """The best of all thresholds, each with its own Clopper-Pearson bound, claims too much of null scores."""
    rng = np.random.default_rng(3)
    positive = 0
    for _ in range(200):
        within, outside = (np.sort(scores) for scores in gaussian(rng, 1000, 0.0))
        false_negatives = np.arange(1000)
        false_positives = 1000 - np.searchsorted(outside, within)
        level = 0.2  # a side
        alpha = special.betainccinv(np.minimum(false_positives, 999) + 1, np.maximum(1000 - false_positives, 1), level)
        beta = special.betainccinv(false_negatives + 1, 1000 - false_negatives, level)
        positive += bool(np.any(alpha + beta < 1.0))
    assert positive > stats.binom.isf(1e-6, 200, 2 * level)


def clopper_pearson_at_the_best_threshold(mu: float, n: int) -> float:
    """The bound on mu at counts as expected at threshold mu / 2, which no audit can know."""
    count = n * special.ndtr(-0.5 * mu)
    return float(-2.0 * special.ndtri(special.betainccinv(count + 1.0, n - count, 0.025)))


@pytest.mark.parametrize(
    ("method", "mu", "n", "share"),
    rest_slow([
        ("simultaneous", 0.5, 10_000, 0.96),
        ("simultaneous", 1.0, 10_000, 0.97),
        ("simultaneous", 3.0, 10_000, 0.96),
        ("split", 0.5, 10_000, 0.92),
        ("split", 3.0, 10_000, 0.97),
        ("dkw", 0.5, 10_000, 0.96),
        ("fixed", 0.5, 10_000, 0.99),
    ], 0, 3, 5, 6),
)  # fmt: skip
def test_power(method: str, mu: float, n: int, share: float) -> None:
    """Within 10 % of Clopper-Pearson at the best threshold; what is asked here is what was measured."""
    found = simulate(method, mu, n, 30)
    assert np.median(found.mus) > share * clopper_pearson_at_the_best_threshold(mu, n)


@pytest.mark.parametrize("method", METHODS)
def test_power_of_many_scores(method: str) -> None:
    """mu = 1 from 10^5 scores: above 0.95 in the median."""
    assert np.median(simulate(method, 1.0, 50_000, 9).mus) > 0.95


@pytest.mark.parametrize("n", [10_000, 50_000])  # whose band is that of the power above: calibrated once
def test_the_default_sees_the_tails(n: int) -> None:
    """An attack that is sure of one record in fifty and blind for the others: a constant band hardly sees it."""
    rng = np.random.default_rng(5)
    outside: Any = rng.normal(size=n)
    within: Any = np.where(rng.random(n) < 0.02, 8.0, rng.normal(size=n))
    found = ny.audit.from_scores(within, outside)
    constant = ny.audit.from_scores(within, outside, method="dkw")
    assert found.epsilon(1e-5) > 1.8
    assert found.epsilon(1e-5) > 3.0 * constant.epsilon(1e-5)
    assert found.tpr(1e-2) > 1.2e-2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("mu", "runs"), rest_slow([(0.3, 20), (0.3, 150), (2.0, 150)], 0))
def test_p_values_are_valid(method: str, mu: float, runs: int) -> None:
    """Of a claim that is true and attained: at most p with a probability of at most p."""
    rng = np.random.default_rng([METHODS.index(method), int(10 * mu)])
    p = [audit(method, *gaussian(rng, 100, mu), mu, one, 0.6).p_value(ny.GDP(mu)) for one in range(runs)]
    for level in (0.01, 0.1, 0.3, 0.6):
        assert np.sum(np.array(p) <= level) <= stats.binom.isf(1e-6, runs, level)
    assert min(p) < 1.0


# least favourable pairs: laws of scores that attain a claim's curve, so that nothing is left between bound and truth

_YES = math.e / (1.0 + math.e)
_LOST = 0.05


def drawn(*weights: float) -> Any:
    """Scores 0, 1, ... with these probabilities."""
    return lambda rng, n: rng.choice(len(weights), n, p=weights).astype(float)


def sampled(rng: np.random.Generator, n: int) -> Any:
    """One step of DP-SGD with the record sampled at 0.1: an atom-free mixture."""
    return rng.normal(0.0, 0.6, n) + (rng.random(n) < 0.1)


def unsampled(rng: np.random.Generator, n: int) -> Any:
    return rng.normal(0.0, 0.6, n)


_STEP = ny.DPSGD(0.6, 0.1, 1)
ATTAINED: dict[str, tuple[ny.Guarantee, Any, Any, tuple[float, ...]]] = {
    "response": (ny.PureDP(1.0), drawn(1.0 - _YES, _YES), drawn(_YES, 1.0 - _YES), (0.5,)),
    "four points": (
        ny.ApproximateDP(1.0, _LOST),
        drawn(0.0, (1.0 - _LOST) * (1.0 - _YES), (1.0 - _LOST) * _YES, _LOST),
        drawn(_LOST, (1.0 - _LOST) * _YES, (1.0 - _LOST) * (1.0 - _YES), 0.0),
        (0.5, 1.5, 2.5),
    ),
    "polygon": (
        ny.Tradeoff([0.0, 0.1, 0.4, 0.8, 1.0], [1.0, 0.8, 0.4, 0.1, 0.0]),
        drawn(0.1, 0.3, 0.4, 0.2), drawn(0.2, 0.4, 0.3, 0.1), (0.5, 1.5, 2.5),
    ),
    "remove": (ny.account(_STEP, adjacency="remove"), sampled, unsampled, (1.0,)),
    "mirrored": (ny.account(_STEP), lambda g, n: -unsampled(g, n), lambda g, n: -sampled(g, n), (-1.0,)),
}  # fmt: skip


_SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("polygon", "remove", "mirrored")]


@crossed(
    ("name", ["response", "four points", *_SLOW]),
    ("method", METHODS),
    (("n_in", "n_out"), rest_slow([(1, 1), (2, 3), (50, 50), (40, 3000)], 1, 3)),
)
def test_claims_that_are_attained_are_seldom_refuted(name: str, method: Any, n_in: int, n_out: int) -> None:
    if method == "split" and n_in < 2:
        return  # refused: each part needs a score
    claim, inside, outside, thresholds = ATTAINED[name]
    rng = np.random.default_rng([n_in, n_out, METHODS.index(method)])
    runs = 15
    for threshold in thresholds if method == "fixed" else (None,):
        p = [
            ny.audit.from_scores(
                inside(rng, n_in), outside(rng, n_out), 0.5, method=method, threshold=threshold, seed=seed
            ).p_value(claim)
            for seed in range(runs)
        ]
        for level in (0.02, 0.1, 0.5):
            assert np.sum(np.array(p) <= level) <= stats.binom.isf(1e-6, runs, level)
