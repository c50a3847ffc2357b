"""Laws of audits from scores, for drawn scores with and without ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.audit import Audit
from tests.effort import examples

JOINT = ("simultaneous", "dkw")
DELTAS = [0.0, 1e-5, 0.1, 0.7, 1.0]
SYMMETRIC = ny.Tradeoff([0.0, 0.1, 0.4, 0.8, 1.0], [1.0, 0.8, 0.4, 0.1, 0.0])
FPRS = [0.0, 1e-6, 0.01, 0.3, 0.9, 1.0]

values = st.one_of(st.integers(-4, 8).map(float), st.floats(-50.0, 50.0, width=32))
sides = st.tuples(st.lists(values, min_size=1, max_size=60), st.lists(values, min_size=1, max_size=60))
methods = st.sampled_from(JOINT)
levels = st.sampled_from([0.05, 0.5, 0.9, 0.95, 0.999])


@st.composite
def separated(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    """Scores of an attack that works, so that bounds are seldom 0."""
    within, outside = draw(sides)
    shift = draw(st.floats(0.0, 30.0, width=32))
    return [x + shift for x in within] * 5, outside * 5


def numbers(found: Audit) -> Any:
    return np.array([found.mu, found.advantage, *found.epsilon(DELTAS), *found.tpr(FPRS)])


@examples(20, 300)
@given(separated(), methods, levels)
def test_bounds_are_bounds(both: Any, method: Any, confidence: float) -> None:
    found = ny.audit.from_scores(*both, confidence, method=method)
    assert found.mu >= 0.0
    assert 0.0 <= found.advantage <= 1.0
    assert np.all(np.diff(found.epsilon(DELTAS)) <= 0.0)
    tpr = found.tpr(FPRS)
    assert np.all(tpr >= FPRS)
    assert np.all(np.diff(tpr) >= 0.0)
    # what is better than guessing by one measure is so by all
    assert (found.mu > 1e-9) <= (found.advantage > 0.0) <= (found.epsilon(0.0) > 0.0)
    # the bounds on one curve agree with one another
    assert found.advantage <= ny.GDP(max(found.mu, 1e-12)).advantage + 1e-9 or found.mu > 0.0
    assert np.max(tpr - np.array(FPRS)) <= found.advantage + 1e-9


@examples(20, 300)
@given(separated(), methods, levels, levels)
def test_bounds_are_monotone_in_confidence(both: Any, method: Any, first: float, second: float) -> None:
    low, high = sorted((first, second))
    bold = ny.audit.from_scores(*both, low, method=method)
    careful = ny.audit.from_scores(*both, high, method=method)
    assert np.all(numbers(careful) <= numbers(bold))


@examples(3, 100)
@given(separated(), methods)
def test_only_the_order_of_scores_counts(both: Any, method: Any) -> None:
    within, outside = (np.array(scores) for scores in both)
    found = ny.audit.from_scores(within, outside, method=method)
    ranks = np.unique(np.concatenate([within, outside]), return_inverse=True)[1]
    for changed in (ranks.astype(np.float32), np.expm1(ranks / 100.0), ranks * 7 - 3):
        other = ny.audit.from_scores(changed[: within.size], changed[within.size :], method=method)
        assert np.array_equal(numbers(other), numbers(found))
        assert other.p_value(ny.GDP(0.3)) == found.p_value(ny.GDP(0.3))


@examples(2, 40)
@given(separated(), methods)
def test_mirror(both: Any, method: Any) -> None:
    """Swapping the sides and the sign of the scores exchanges the two kinds of error and nothing else."""
    within, outside = (np.array(scores) for scores in both)
    found = ny.audit.from_scores(within, outside, method=method)
    mirrored = ny.audit.from_scores(-outside, -within, method=method)
    assert mirrored.mu == pytest.approx(found.mu, rel=1e-14)
    assert mirrored.advantage == pytest.approx(found.advantage, rel=1e-12)
    assert np.allclose(mirrored.epsilon(DELTAS), found.epsilon(DELTAS), rtol=1e-13, atol=0.0)
    for claim in (ny.GDP(0.2), ny.PureDP(0.1), SYMMETRIC):
        assert mirrored.p_value(claim) == pytest.approx(found.p_value(claim), rel=5e-3)


@examples(20, 300)
@given(st.integers(1, 400), st.integers(1, 400), st.floats(0.0, 1.0), st.floats(0.0, 1.0), levels)
def test_counts_are_binary_scores(n_in: int, n_out: int, hit: float, alarm: float, confidence: float) -> None:
    hits, alarms = round(hit * n_in), round(alarm * n_out)
    counted = ny.audit.from_counts(hits, n_in, alarms, n_out, confidence)
    within = np.arange(n_in) < hits
    outside = np.arange(n_out) < alarms
    scored = ny.audit.from_scores(within.astype(float), outside.astype(int), confidence, threshold=0.5)
    assert np.array_equal(numbers(counted), numbers(scored))
    assert counted.method == scored.method
    assert counted.p_value(ny.PureDP(0.2)) == scored.p_value(ny.PureDP(0.2))


@examples(8, 400)
@given(separated(), st.sampled_from(("simultaneous", "dkw", "fixed", "split")), st.floats(0.01, 2.0))
def test_p_values_and_bounds_agree(both: Any, method: Any, mu: float) -> None:
    """A Gaussian claim is refuted at the stated confidence exactly where it is below the bound."""
    if method == "split":  # both parts need scores, and a claim may be judged at another threshold than mu
        both = tuple(scores * 2 for scores in both)
    threshold = 5.0 if method == "fixed" else None
    found = ny.audit.from_scores(*both, 0.9, method=method, threshold=threshold)
    p = found.p_value(ny.GDP(mu))
    assert 0.0 < p <= 1.0
    if method == "split":
        return
    if mu < found.mu * (1.0 - 1e-6):
        assert p <= 1.0 - 0.9
    if mu > found.mu * (1.0 + 1e-6):
        assert p > 1.0 - 0.9


@examples(3, 150)
@given(separated())
def test_more_than_one_claim_is_ordered(both: Any) -> None:
    found = ny.audit.from_scores(*both)
    p = [found.p_value(ny.GDP(mu)) for mu in (0.05, 0.5, 2.0)]
    assert p == sorted(p)


@examples(8, 400)
@given(separated(), methods)
def test_roc_band(both: Any, method: Any) -> None:
    found = ny.audit.from_scores(*both, method=method)
    seen = found.roc()
    assert np.all(np.diff(seen.fpr) >= 0.0)
    assert np.all(np.diff(seen.tpr) >= 0.0)
    assert np.all(np.diff(seen.thresholds) < 0.0)
    assert np.all(seen.upper >= seen.tpr)
    assert np.all(seen.upper <= 1.0)
    assert np.array_equal(seen.lower, found.tpr(seen.fpr))
    within, outside = (np.array(scores) for scores in both)
    for fpr, tpr, threshold in zip(seen.fpr, seen.tpr, seen.thresholds, strict=True):
        assert fpr == np.mean(outside > threshold)
        assert tpr == pytest.approx(np.mean(within > threshold), abs=1e-15)


@examples(8, 200)
@given(separated())
def test_scores_are_not_changed(both: Any) -> None:
    within, outside = (np.array(scores) for scores in both)
    kept = within.copy(), outside.copy()
    for method in ("simultaneous", "split"):
        ny.audit.from_scores(within, outside, method=method)
    assert np.array_equal(within, kept[0])
    assert np.array_equal(outside, kept[1])


def test_the_split_is_its_seed() -> None:
    rng = np.random.default_rng(0)
    within, outside = rng.normal(1.0, 1.0, 500), rng.normal(0.0, 1.0, 500)
    first, again, other = (ny.audit.from_scores(within, outside, method="split", seed=s) for s in (1, 1, 2))
    assert first.mu == again.mu != other.mu
    assert (first.n_in, first.n_out, first.canaries) == (400, 400, 800)
    half = ny.audit.from_scores(within, outside, method="split", pilot=0.5)
    assert half.n_in == 250


def test_the_formulas_at_a_fixed_threshold() -> None:
    """Against the definitions, written out with the Beta law of another module."""
    from scipy import stats

    found = ny.audit.from_counts(700, 1000, 90, 800, 0.9)
    alpha, beta = stats.beta.isf(0.05, 91, 710), stats.beta.isf(0.05, 301, 700)
    mu = stats.norm.isf(alpha) - stats.norm.ppf(beta)
    assert mu * (1.0 - 1e-9) < found.mu <= mu
    assert found.advantage == pytest.approx(1.0 - alpha - beta, rel=1e-9)
    for delta in (0.0, 1e-3, 0.2):
        ratios = (1.0 - delta - beta) / alpha, (1.0 - delta - alpha) / beta
        assert found.epsilon(delta) == pytest.approx(np.log(max(ratios)), rel=1e-9)
    assert found.epsilon(0.9) == 0.0
    assert found.tpr(alpha / 2.0) == pytest.approx((1.0 - beta) / 2.0, rel=1e-9)
    assert found.tpr(0.5 * (1.0 + alpha)) == pytest.approx(1.0 - 0.5 * beta, rel=1e-9)
