"""The exact test of two independent counts: never too often wrong by exact enumeration, and worth its name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

import neyman as ny
from neyman.audit.both_counts.boundaries import Boundary, at_advantage, at_epsilon, at_mu, at_tpr, of_claim
from neyman.audit.both_counts.two_counts import Cells, both_small
from neyman.audit.both_counts.two_sample import ELSEWHERE, TwoSampleTest, window
from neyman.audit.rates.binomials import upper_limit
from neyman.risk.attacked import membership
from tests.effort import rest_slow

Curve = Callable[[Any], Any]
POLYGON = [0.0, 0.1, 0.4, 0.8, 1.0]
CLAIMS: dict[str, tuple[ny.Guarantee, Curve]] = {
    "gaussian": (ny.GDP(1.0), lambda a: norm.cdf(-norm.ppf(a) - 1.0)),
    "pure": (ny.PureDP(1.0), lambda a: np.maximum(1.0 - math.e * a, (1.0 - a) / math.e)),
    "perfect": (ny.PERFECT, lambda a: 1.0 - a),
    "corners": (ny.Tradeoff(POLYGON, POLYGON[::-1]), lambda a: np.interp(a, POLYGON, POLYGON[::-1])),
}
RATES = np.unique(np.concatenate([np.linspace(0.0, 1.0, 201), np.geomspace(1e-5, 0.1, 30)]))


def counted(x: int, n: int, y: int, m: int, confidence: float = 0.95) -> ny.audit.Audit:
    """From false positives of n and false negatives of m."""
    return ny.audit.from_counts(m - y, m, x, n, confidence, independent=True)


def law(n: int, rates: Any) -> Any:
    """All counts (columns) at all rates (rows)."""
    return stats.binom.pmf(np.arange(n + 1)[None], n, np.asarray(rates)[:, None])


def chances(marked: Any, alpha: Any, beta: Any) -> Any:
    """How likely a marked outcome is, at each pair of rates."""
    n, m = marked.shape[0] - 1, marked.shape[1] - 1
    return np.einsum("ax,xy,ay->a", law(n, alpha), marked.astype(float), law(m, beta))


def check_all_outcomes(name: str, n: int, m: int) -> float:
    """At no rates on the edge of the claim is a p-value too small too often; return how nearly it is so."""
    claim, curve = CLAIMS[name]
    p = np.array([[counted(x, n, y, m).p_value(claim) for y in range(m + 1)] for x in range(n + 1)])
    assert np.all(np.diff(p, axis=0) >= -1e-3 * p[1:])  # more errors never speak more clearly, but for rounding up
    nearest = 0.0
    for level in np.unique(p[p < 1.0]):
        found = float(np.max(chances(p <= level, RATES, curve(RATES)))) / level
        assert found <= 1.0 + 1e-9, (name, level)
        nearest = max(nearest, found)
    return nearest


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize(("n", "m"), [(2, 1)])
def test_p_values_of_all_outcomes(name: str, n: int, m: int) -> None:
    assert check_all_outcomes(name, n, m) > 0.9  # and none is much larger than it must be


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (5, 5), (3, 9), (10, 10), (20, 6)])
def test_p_values_of_more_outcomes(name: str, n: int, m: int) -> None:
    assert check_all_outcomes(name, n, m) > 0.85


QUESTIONS: dict[str, tuple[Callable[[ny.audit.Audit], Any], Callable[[float], Curve], tuple[float, ...]]] = {
    "mu": (lambda audit: audit.mu, lambda mu: lambda a: norm.cdf(-norm.ppf(a) - mu), (0.0, 0.5, 2.0)),
    "advantage": (lambda audit: audit.advantage, lambda d: lambda a: np.maximum(1.0 - a - d, 0.0), (0.0, 0.4)),
    "epsilon": (
        lambda audit: audit.epsilon(0.05),
        lambda e: lambda a: np.maximum(np.maximum(0.95 - math.exp(e) * a, (0.95 - a) * math.exp(-e)), 0.0),
        (0.0, 1.0),
    ),
    "tpr": (
        lambda audit: audit.tpr(0.25),
        lambda t: lambda a: np.clip(np.where(a < 0.25, (1.0 - t) * (1.0 - a) / 0.75, 1.0 - t * a / 0.25), 0.0, 1.0),
        (0.25, 0.6),
    ),
}  # fmt: skip


def check_all_bounds(name: str, n: int, m: int, confidence: float) -> None:
    ask, hypothesis, truths = QUESTIONS[name]
    bound = np.array([[ask(counted(x, n, y, m, confidence)) for y in range(m + 1)] for x in range(n + 1)])
    assert np.ptp(bound) > 0.1
    for truth in (*truths, *(bound[bound > truths[0]] * (1.0 - 1e-9)).tolist()):
        wrong = chances(bound > truth, RATES, hypothesis(truth)(RATES))
        assert np.max(wrong) <= (1.0 - confidence) * (1.0 + 1e-9), (name, truth)


@pytest.mark.parametrize("name", QUESTIONS)
def test_bounds_of_all_outcomes(name: str) -> None:
    check_all_bounds(name, 2, 2, 0.7)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(("n", "m", "confidence"), [(8, 8, 0.95), (4, 12, 0.9), (6, 6, 0.3)])
def test_bounds_of_more_outcomes(name: str, n: int, m: int, confidence: float) -> None:
    check_all_bounds(name, n, m, confidence)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_window_misses_the_rates_as_seldom_as_is_paid_for(n: int) -> None:
    level = 0.3
    limits = [window((x, x), (n, n), math.log(level)).alpha for x in range(n + 1)]
    for rate in np.linspace(0.0, 1.0, 401):
        outside = [not low <= rate <= high for low, high in limits]
        assert float(law(n, [rate])[0] @ np.array(outside)) <= 0.5 * level * ELSEWHERE
    assert limits[0][0] == 0.0
    assert limits[n][1] == 1.0


def test_the_least_favourable_rates_are_sought_in_the_whole_window() -> None:
    """What is called the worst is no less than at any rates of the window that the claim allows, and hardly more."""
    for x, n, y, m, mu in ((3, 30, 12, 40, 1.0), (0, 25, 9, 12, 1.5), (310, 1000, 310, 1000, 0.85)):
        test = TwoSampleTest.at((x, y), (n, m), math.log(0.05))
        boundary = at_mu(mu)
        steps = test.staircase(boundary, test.distance(boundary))
        found = test.worst(boundary, steps)
        alpha = np.linspace(*test.window.alpha, 301)
        beta = norm.cdf(-norm.ppf(alpha) - mu)
        kept = (beta >= test.window.beta[0]) & (beta <= test.window.beta[1])
        seen = float(np.max(both_small(*test.cells, steps, (alpha[kept], beta[kept]))))
        assert seen <= found <= 1.05 * seen


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 3), (7, 2)])
def test_staircases_by_fractions(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    cells = Cells.around(n, 0.0, 1.0, 1.0), Cells.around(m, 0.0, 1.0, 1.0)
    for _ in range(20):
        steps = np.sort(rng.integers(0, m + 2, n + 1))[::-1]
        a, b = (Fraction(float(one)) for one in rng.random(2))
        truth = Fraction(0)
        for x, y in itertools.product(range(n + 1), range(m + 1)):
            if y < steps[x]:
                truth += math.comb(n, x) * a**x * (1 - a) ** (n - x) * math.comb(m, y) * b**y * (1 - b) ** (m - y)
        rates = np.array([float(a), 0.0, 1.0]), np.array([float(b), 0.0, 1.0])
        found = both_small(*cells, steps, rates)
        assert truth <= Fraction(float(found[0])) <= truth * (1 + Fraction(1, 10**9)) + Fraction(1, 10**180)
        assert (steps[0] > 0) <= found[1] <= (steps[0] > 0) + 1e-180
        assert found[2] >= (steps[-1] > m)


@pytest.mark.parametrize("n", [40_000, 10**7, 10**12])
def test_cells_that_hold_many_counts(n: int) -> None:
    """Against the incomplete Beta function: no less than the truth, and by a small part more."""
    for rate in (1e-5, 0.02, 0.5, 1.0 - 1e-4):
        if n * rate * (1.0 - rate) < 100.0:
            continue
        cells = Cells.around(n, rate, rate, 9.0)
        sd = math.sqrt(n * rate * (1.0 - rate))
        rates = np.array([rate, rate - 2.0 * sd / n])
        inside, less, more = cells.weights(rates)
        for row, one in enumerate(rates):
            for deviations in (-2.0, 0.0, 1.5):
                at = int(np.searchsorted(cells.edges, n * one + deviations * sd))
                truth = stats.binom.cdf(cells.edges[at] - 1, n, one)
                assert truth * (1.0 - 1e-9) <= less[row] + np.sum(inside[row, :at]) <= truth * 1.001
            assert less[row] + more[row] < 1e-8


def test_beyond_the_cells() -> None:
    """Narrow cells: what is left out on both sides is bounded by geometric series."""
    cells = Cells(1000, np.arange(480.0, 521.0))
    for rate in (0.47, 0.5, 0.53):
        _, less, more = cells.weights(np.array([rate]))
        assert 1.0 <= less[0] / stats.binom.cdf(479, 1000, rate) < 40.0 or less[0] == 1.0
        assert 1.0 <= more[0] / stats.binom.sf(520, 1000, rate) < 40.0 or more[0] == 1.0
    assert cells.weights(np.array([0.6]))[1][0] < 1e-12 < cells.weights(np.array([0.6]))[2][0] == 1.0


def check_boundary(boundary: Boundary, truth: Callable[[Any], Any], alpha: Any) -> None:
    low, high = boundary.beta(alpha), boundary.above(alpha)
    for one, least, most in zip(alpha, low, high, strict=True):
        with mpmath.workdps(40):
            exact = min(max(truth(mpmath.mpf(float(one))), 0), 1)
            assert mpmath.mpf(float(least)) <= exact <= mpmath.mpf(float(most)), float(one)
            assert most - least <= 1e-11 * float(exact) + 2e-14


def test_boundaries() -> None:
    """Against forty digits, from below and from above."""
    alpha = np.concatenate([np.geomspace(1e-12, 0.4, 15), np.linspace(0.41, 1.0 - 1e-9, 8)])

    def gaussian(mu: float) -> Callable[[Any], Any]:
        return lambda a: mpmath.ncdf(-mpmath.sqrt(2) * mpmath.erfinv(2 * a - 1) - mu)

    def pair(grown: Any, delta: Any) -> Callable[[Any], Any]:
        return lambda a: max(1 - delta - grown * a, (1 - delta - a) / grown)

    with mpmath.workdps(40):
        for mu in (0.0, 0.3, 4.0):
            check_boundary(at_mu(mu), gaussian(mu), alpha)
        for epsilon, delta in ((0.0, 0.0), (1.0, 1e-5), (3.0, 0.2)):
            check_boundary(at_epsilon(epsilon, delta), pair(mpmath.exp(epsilon), mpmath.mpf(delta)), alpha)
        check_boundary(at_advantage(0.3), lambda a: 1 - a - mpmath.mpf(0.3), alpha)
        t, f = mpmath.mpf(0.4), mpmath.mpf(0.1)
        check_boundary(at_tpr(0.4, 0.1), lambda a: (1 - t) * (1 - a) / (1 - f) if a < f else 1 - t * a / f, alpha)
    for boundary in (at_mu(1.0), at_epsilon(1.0, 0.0), at_advantage(0.2), at_tpr(0.4, 0.1)):
        assert boundary.beta(np.array([0.0, 1.0]))[1] == 0.0
        assert boundary.above(np.array([0.0]))[0] > 0.66
        inside = np.linspace(0.05, 0.2, 9)
        assert np.allclose(boundary.alpha(boundary.beta(inside)), inside, atol=1e-6)


@pytest.mark.parametrize(
    "claim",
    [ny.GDP(1.0), ny.PureDP(1.0), ny.account(ny.DPSGD(0.6, 0.1, 1), adjacency="remove")],
    ids=["gaussian", "pure", "sampled"],
)
def test_claims_between_the_rates_that_were_asked(claim: ny.Guarantee) -> None:
    asked = np.array([0.0, 0.003, 0.05, 0.2, 0.24, 0.6, 0.9])
    boundary = of_claim(claim, asked)
    rates = np.unique(np.concatenate([asked, np.linspace(0.0, 1.0, 41)]))
    exact = np.asarray(membership(claim).optimistic.beta(rates))
    assert np.all(boundary.beta(rates) <= exact + 1e-15)
    inside = rates <= 0.9
    assert np.all(boundary.above(rates)[inside] >= np.asarray(membership(claim).beta(rates))[inside] - 1e-15)
    near = (rates >= 0.2) & (rates <= 0.24)
    assert np.max(exact[near] - boundary.beta(rates)[near]) < 0.02


@pytest.mark.slow
def test_simulated_p_values() -> None:
    """A thousand scores a side, on the claim's curve: at most p with a probability of at most p, and nearly that."""
    rng = np.random.default_rng(8)
    for alpha, claim in ((0.31, ny.GDP(1.0)), (0.02, ny.GDP(2.0))):
        beta = float(claim.beta(alpha))
        outcomes = [(int(rng.binomial(1000, alpha)), int(rng.binomial(1000, beta))) for _ in range(2000)]
        bounds: dict[tuple[int, int], bool] = {}
        edge = at_mu(2.0 if alpha < 0.1 else 1.0)
        test = TwoSampleTest.at((round(1000 * alpha), round(1000 * beta)), (1000, 1000), math.log(0.05))
        for x, y in set(outcomes):
            far = TwoSampleTest((x, y), test.sizes, test.window, test.cells).distance(edge)
            bounds[x, y] = far > 1.25 and counted(x, 1000, y, 1000).p_value(claim) <= 0.05
        found = sum(bounds[one] for one in outcomes)
        assert 0.7 * 100 < found <= stats.binom.isf(1e-6, 2000, 0.05)


@pytest.mark.parametrize(
    ("alpha", "beta", "times"), rest_slow([(0.31, 0.31, 2.7), (0.02, 0.45, 2.4), (0.001, 0.3, 1.5)], 0, 1)
)
def test_worth_nearly_three_times_the_canaries(alpha: float, beta: float, times: float) -> None:
    """That many times the counts, tested side by side, do not prove what these do together: most if both are alike."""
    n = 1000
    found = counted(round(alpha * n), n, round(beta * n), n)
    more = round(times * n)
    apart = ny.audit.from_counts(more - round(beta * more), more, round(alpha * more), more)
    assert found.mu > apart.mu
    claim = ny.GDP(float(norm.isf(alpha) - norm.ppf(beta)))
    plain = ny.audit.from_counts(n - round(beta * n), n, round(alpha * n), n)
    together, alone = found.needed(claim).strongest, plain.needed(claim).strongest
    assert together is not None
    assert alone is not None
    assert 2.0 < alone / together < 3.0


@pytest.mark.parametrize("counts", [(0, 1, 0, 1), (10**12, 10**12, 0, 5), (3, 10**12, 1, 2)])
def test_extreme_counts(counts: tuple[int, int, int, int]) -> None:
    x, n, y, m = counts
    found, apart = counted(x, n, y, m), ny.audit.from_counts(m - y, m, x, n)
    assert apart.mu <= found.mu <= 60.0
    assert 0.0 < found.p_value(ny.PureDP(1.0)) <= 1.0
    assert found.tpr([0.0, 1.0]).tolist() == [0.0, 1.0]
    assert found.epsilon(1.0) == 0.0


@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.999])
def test_all_confidences(confidence: float) -> None:
    found = counted(9, 30, 5, 20, confidence)
    truth = float(norm.isf(0.3) - norm.ppf(0.25))
    assert 0.0 <= found.mu < truth + 1.0
    if confidence >= 0.5 and found.mu > 0.0:  # below it, bounds may lie above what was seen
        assert found.p_value(ny.GDP(0.97 * found.mu)) <= 1.0 - confidence


def test_mirror_and_words() -> None:
    """Exchanging the two kinds of errors changes nothing of a symmetric claim; what is said is of this test."""
    found, mirrored = counted(12, 80, 30, 70), counted(30, 70, 12, 80)
    for claim in (ny.GDP(0.5), ny.PureDP(0.4)):
        assert mirrored.p_value(claim) == pytest.approx(found.p_value(claim), rel=0.03)
    assert mirrored.mu == pytest.approx(found.mu, rel=5e-3)
    assert "two independent samples, exact test" in str(found)
    verdict = ny.audit.check(ny.GDP(0.5), found)
    assert verdict.outcome == "violated"
    assert "rate of 0.15 and a false negative rate of 0.4286 were seen, and the claim allows no" in str(verdict)
    assert verdict.operating_point.alpha_upper is None
    again = ny.audit.from_scores([0.0] * 30 + [1.0] * 40, [0.0] * 68 + [1.0] * 12, threshold=0.5, independent=True)
    assert (again.mu, again.n_in, again.n_out) == (found.mu, 70, 80)
    assert ny.audit.check(ny.GDP(1.5), again).operating_point.threshold == 0.5
    seen = again.roc()
    assert np.all(seen.lower <= seen.tpr)


def test_nothing_is_proved_of_guesses() -> None:
    for x in (50, 80):
        found = counted(x, 100, 100 - x, 100)
        assert (found.mu, found.advantage, found.epsilon(1e-5), found.tpr(0.1)) == (0.0, 0.0, 0.0, 0.1)
        assert found.p_value(ny.PERFECT) == 1.0
        assert ny.audit.check(ny.GDP(1.0), found).outcome == "not informative"


def test_refusals() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^independent must be True or False, got 'yes'"):
        ny.audit.from_counts(1, 2, 1, 2, independent="yes")  # type: ignore[arg-type]
    for method in ("simultaneous", "split", "dkw", None):
        with pytest.raises(ny.InvalidParameter, match="independent must be left out with method="):
            ny.audit.from_scores([1.0, 2.0], [0.0, 1.0], method=method, independent=True)
    with pytest.raises(ny.InvalidParameter, match="delta must be a number"):
        counted(1, 2, 1, 2).epsilon(1.5)
    assert upper_limit(np.array([2]), 2, -1.0)[0] == 1.0
