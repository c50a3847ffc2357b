"""Given guarantees: what finitely many numbers promise, no less and no more."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.region.tangents import Orders, log_expm1_ratio
from tests.effort import examples, rest_slow

EPS = np.array([0.0, 0.05, 0.4, 1.0, 1.7, 3.0, 8.0])
ALPHA = np.array([0.0, 1e-9, 1e-4, 0.02, 0.2, 0.45, 0.8, 0.999, 1.0])


def pair_curve(epsilon: float, delta: float, alpha: np.ndarray) -> np.ndarray:
    return np.maximum.reduce([
        np.zeros_like(alpha), 1.0 - delta - np.exp(epsilon) * alpha, np.exp(-epsilon) * (1.0 - delta - alpha)
    ])  # fmt: skip


@examples(25, 500)
@given(st.lists(st.tuples(st.floats(0.0, 12.0), st.floats(0.0, 1.0)), min_size=1, max_size=6, unique_by=lambda p: p[0]))
def test_several_pairs_are_the_largest_of_their_curves(pairs: list[tuple[float, float]]) -> None:
    pairs.sort()
    epsilons, deltas = zip(*pairs, strict=True)
    if min(np.diff(epsilons), default=1.0) < 1e-6:
        return
    g = ny.Profile(epsilons, deltas)
    truth = np.max([pair_curve(e, d, ALPHA) for e, d in pairs], axis=0)
    assert np.all(g.beta(ALPHA) <= truth + 1e-15)
    np.testing.assert_allclose(g.beta(ALPHA), truth, rtol=1e-9, atol=1e-11)
    # delta is the conjugate of that curve: at most what was stated, and attained by a test
    assert np.all(g.delta(epsilons) <= np.array(deltas) * (1.0 + 1e-15))
    fine = np.concatenate([np.linspace(0.0, 1.0, 4001), np.geomspace(1e-13, 1e-3, 2000)])
    best = np.max([pair_curve(e, d, fine) for e, d in pairs], axis=0)
    for e in EPS:
        attained = float(np.max(1.0 - best - np.exp(e) * fine))
        assert attained <= g.delta(e) + 1e-12


def test_pure_dp_is_randomised_response() -> None:
    for epsilon in (1e-6, 0.3, 1.0, 4.0, 30.0):
        g, h = ny.PureDP(epsilon), ny.account(ny.RandomizedResponse(epsilon))
        np.testing.assert_allclose(g.delta(EPS), h.delta(EPS), rtol=1e-11, atol=1e-300)
        assert g.epsilon(0.0) == epsilon
        mp.mp.dps = 40
        mu = 2 * mp.sqrt(2) * mp.erfinv(1 - 2 / (mp.e ** mp.mpf(epsilon) + 1))
        assert mu <= g.mu() <= float(mu) * (1.0 + 1e-9)
        assert mu <= g.tail_mu <= float(mu) * (1.0 + 1e-9)


def test_one_pair_implies_no_finite_mu() -> None:
    g = ny.ApproximateDP(1.0, 1e-5)
    assert g.mu() == g.tail_mu == math.inf
    assert g.epsilon(1e-5) == 1.0
    assert g.epsilon(np.nextafter(1e-5, 0.0)) == math.inf
    assert g.mu(1e-4) < math.inf
    assert ny.ApproximateDP(0.0, 1.0).advantage == 1.0
    assert ny.ApproximateDP(0.0, 0.0).advantage == 0.0


@examples(25, 500)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6), st.lists(st.floats(0.01, 1.0), min_size=6, max_size=6))
def test_a_polyline_is_itself(steps: list[float], drops: list[float]) -> None:
    """Corners from steps and steep drops that grow flatter; delta is the largest over the corners, both ways."""
    width = np.array(steps)
    slope = np.sort(np.cumsum(drops[: len(steps)]))[::-1]
    alpha = np.append(0.0, np.cumsum(width))
    beta = np.append(np.cumsum((slope * width)[::-1])[::-1], 0.0)
    scale = 0.999 * min(1.0 / alpha[-1], 1.0 / beta[0], 1.0 / float(np.max(alpha / 1.0 + beta)))
    alpha, beta = alpha * scale, beta * scale
    g = ny.Tradeoff(alpha, beta)
    np.testing.assert_allclose(g.beta(alpha), beta, rtol=1e-9, atol=1e-12)
    assert np.all(g.beta(alpha) <= beta + 1e-15)
    for e in (-2.0, -0.3, 0.0, 0.7, 2.5):
        assert g.delta(e) == pytest.approx(max(0.0, np.max(1.0 - beta - math.exp(e) * alpha)), rel=1e-12, abs=1e-14)
    assert g.tail_mu == math.inf  # a test without false positives is possible


def test_a_polyline_with_a_finite_mu() -> None:
    """Corners on the curve of a Gaussian, with the two ends: its mu is that of the corners, no more."""
    alpha = np.array([1e-6, 1e-3, 0.05, 0.2])
    beta = np.asarray(ny.GDP(1.5).optimistic.beta(alpha))
    g = ny.Tradeoff(
        np.concatenate([[0.0], alpha, beta[::-1], [1.0]]), np.concatenate([[1.0], beta, alpha[::-1], [0.0]])
    )
    assert g.tail_mu == pytest.approx(1.5, rel=1e-9)
    assert g.mu() == pytest.approx(1.5, rel=1e-9)
    assert g.sides.symmetric


def bernoulli(t: mp.mpf, p: mp.mpf, a: mp.mpf) -> mp.mpf:
    if t == 1:
        return p * mp.log(p / a) + (1 - p) * mp.log((1 - p) / (1 - a))
    return mp.log(p**t * a ** (1 - t) + (1 - p) ** t * (1 - a) ** (1 - t)) / (t - 1)


def best_power(bounds: list[tuple[float, float]], a: float) -> float:
    """The largest power that all bounds leave, in both orders, by bisection at 30 digits."""
    mp.mp.dps = 30
    low, high, alpha = mp.mpf(a), mp.mpf(1), mp.mpf(a)
    for _ in range(48):
        p = (low + high) / 2
        kept = all(
            bernoulli(mp.mpf(t), p, alpha) <= mp.mpf(r) and bernoulli(mp.mpf(t), alpha, p) <= mp.mpf(r)
            for t, r in bounds
        )
        low, high = (p, high) if kept else (low, p)
    return float(low)


@pytest.mark.parametrize(
    "bounds",
    [
        [(2.0, 0.5)], [(1.0, 0.3)], pytest.param([(0.5, 0.2)], marks=pytest.mark.slow),
        pytest.param([(0.7, 0.1)], marks=pytest.mark.slow), pytest.param([(1.5, 1e-6)], marks=pytest.mark.slow),
        pytest.param([(200.0, 2.0)], marks=pytest.mark.slow), pytest.param([(64.0, 40.0)], marks=pytest.mark.slow),
        [(1.5, 0.75), (2.0, 1.0), (4.0, 2.0), (16.0, 8.0)], [(0.5, 0.3), (1.0, 0.4), (30.0, 1.0)],
        [(t, 0.1 * t) for t in (1.5, 2.0, 3.0, 4.0, 5.0, 6.5, 8.0, 10.0, 11.0, 12.0, 13.0, 21.0, 34.0)],
    ],
)  # fmt: skip
def test_rdp_leaves_exactly_the_region_of_all_orders(bounds: list[tuple[float, float]]) -> None:
    orders, epsilons = zip(*bounds, strict=True)
    g = ny.RDP(orders, epsilons)
    for alpha in (1e-6, 0.3)[: 1 + (len(bounds) < 3)]:
        power = best_power(bounds, alpha)
        assert g.roc(alpha) >= power * (1.0 - 1e-14) - 2e-14
        assert g.roc(alpha) <= power * (1.0 + 2e-4)
        assert g.optimistic.roc(alpha) <= power * (1.0 + 1e-12) + 2e-14


@pytest.mark.parametrize(("t", "rho"), [(2.0, 0.5), (1.0, 0.3), (0.6, 0.2), (20.0, 3.0), (3.0, 1e-8)])
def test_one_order_has_a_sharp_profile(t: float, rho: float) -> None:
    b = ny.RDP(t, rho).sides.bracket(np.linspace(0.0, 3.0, 31))
    assert np.all(b.lower <= b.upper)
    assert np.all(b.upper - b.lower <= (1e-9 if rho > 1e-3 else 1e-3) * b.upper)


def test_several_orders_have_a_narrow_profile_where_two_share_the_rule() -> None:
    for orders in ([2.0, 4.0, 8.0, 16.0], [1.0, 3.0, 30.0], list(np.arange(1.25, 20.0, 0.25))):
        b = ny.RDP(orders, 0.05 * np.array(orders)).sides.bracket(np.linspace(0.0, 3.0, 61))
        seen = b.upper > 1e-20
        assert np.all((b.lower <= b.upper) & (b.upper - b.lower <= 0.03 * b.upper) | ~seen)


def test_the_paper_says_zcdp_half() -> None:
    g = ny.ZCDP(0.5)
    assert f"{g.beta(0.1):.5f}" == "0.51627"
    assert f"{g.advantage:.4f}" == "0.4791"


@pytest.mark.parametrize("rho", [1e-8, 1e-4, 0.03, 0.5, 3.0, 12.0])
def test_zcdp_is_never_better_than_the_gaussian_that_attains_it(rho: float) -> None:
    g, gaussian = ny.ZCDP(rho), ny.GDP(math.sqrt(2.0 * rho))
    epsilon = np.linspace(0.0, rho + 10.0 * math.sqrt(2.0 * rho), 40)
    b = g.sides.bracket(epsilon)
    assert np.all(b.upper >= gaussian.optimistic.delta(epsilon))
    assert np.all(b.lower <= b.upper)
    near = b.upper > 1e-15
    assert np.all(((b.upper - b.lower) <= 0.03 * b.upper)[near & (epsilon > 0.01 * rho)])
    assert gaussian.mu() <= g.mu() <= g.tail_mu


@pytest.mark.parametrize("rho", rest_slow([0.03, 0.5, 3.0], 1))
def test_zcdp_is_below_every_finite_set_of_its_orders(rho: float) -> None:
    orders = np.concatenate([1.0 + np.geomspace(1e-4, 1.0, 30), np.geomspace(2.1, 300.0, 60)])
    some, every = ny.RDP(orders, rho * orders), ny.ZCDP(rho)
    delta = np.array([0.3, 1e-2, 1e-5, 1e-9])
    assert np.all(every.optimistic.epsilon(delta) <= some.epsilon(delta) * (1.0 + 1e-12))
    assert np.all(
        np.asarray(some.epsilon(delta)) - every.epsilon(delta) <= 5e-3 * np.asarray(some.epsilon(delta)) + 1e-6
    )


def test_zcdp_tail_mu_holds_where_it_was_not_looked_for() -> None:
    for rho in (1e-4, 0.1, 0.5, 4.0):
        g = ny.ZCDP(rho)
        assert g.tail_mu >= g.mu(1e-200) * (1.0 - 1e-12)
        assert g.tail_mu < math.inf


@examples(8, 200)
@given(
    st.floats(0.5, 1e4), st.floats(-12.0, 3.0), st.floats(0.0, 30.0), st.booleans(),
)  # fmt: skip
def test_a_tangent_is_above_every_point_of_the_region(t: float, log_rho: float, epsilon: float, turned: bool) -> None:
    rho = 10.0**log_rho
    tangent = Orders(np.array([t]), np.array([rho]), turned).tangent(np.array([epsilon]))
    mp.mp.dps = 50
    order, most = mp.mpf(t), mp.mpf(rho)
    for log_a in (-40.0, -6.0, -0.7):
        a = mp.e ** mp.mpf(log_a)
        low, high = a, mp.mpf(1) - mp.mpf(10) ** -45
        for _ in range(60):
            p = (low + high) / 2
            held = bernoulli(order, a, p) if turned else bernoulli(order, p, a)
            low, high = (p, high) if held <= most else (low, p)
        value = low - mp.e ** mp.mpf(epsilon) * a
        assert value <= mp.mpf(float(tangent.delta[0]))
        if value < 1:
            assert mp.log(1 - value) >= mp.mpf(float(tangent.log_gap[0]))


def test_the_logarithm_that_everything_rests_on() -> None:
    mp.mp.dps = 40
    some = np.concatenate([np.geomspace(1e-12, 1e3, 300), [0.4999, 0.5, 39.999, 40.001, 1e5, 1e9]])
    z = np.concatenate([-some[some < 700.0], some])
    for value, found in zip(z, log_expm1_ratio(z), strict=True):
        truth = mp.log(mp.expm1(mp.mpf(float(value))) / mp.mpf(float(value)))
        assert float(found) == pytest.approx(float(truth), rel=4e-15)


def test_given_guarantees_are_values() -> None:
    made = [
        ny.PureDP(1.0), ny.ApproximateDP(1.0, 1e-5), ny.ZCDP(0.5), ny.RDP([2.0, 4.0], [1.0, 2.0]), ny.GDP(1.0),
        ny.Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0]), ny.Profile([0.0, 1.0], [0.4, 0.1]),
    ]  # fmt: skip
    for g in made:
        again = eval(f"ny.{g!r}")
        assert again == g
        assert hash(again) == hash(g)
        assert sum(h == g for h in made) == 1
        assert g.adjacency == "add_or_remove"
    assert ny.RDP(2.0, 1.0) == ny.RDP([2.0], [1.0])
    assert ny.ZCDP(0.0).advantage == ny.RDP([2.0, 3.0], [0.0, 1.0]).advantage == 0.0


def test_one_order_without_divergence_is_no_divergence_at_all() -> None:
    g = ny.RDP([2.0, 3.0], [0.0, 1.0])
    assert g.renyi(50.0) == g.zcdp() == g.advantage == 0.0


def test_orders_of_which_nothing_is_known_say_nothing() -> None:
    some = ny.RDP([2.0, 3.0, 4.0], [1.0, math.inf, 1e13])
    np.testing.assert_array_equal(some.delta(EPS), ny.RDP(2.0, 1.0).delta(EPS))
    assert some.stated["epsilons"] == (1.0, math.inf, 1e13)
    assert ny.RDP(2.0, math.inf).advantage == 1.0
    assert eval(f"ny.{some!r}") == some
    node = ny.Opaque(some).to_dict()["guarantee"]
    assert node == {"kind": "rdp", "orders": [2.0, 4.0], "epsilons": [1.0, 1e13]}


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: ny.PureDP(-1.0), "epsilon"), (lambda: ny.PureDP(math.nan), "epsilon"),
        (lambda: ny.PureDP(701.0), "epsilon"),
        (lambda: ny.PureDP(True), "epsilon"), (lambda: ny.ApproximateDP(1.0, 1.5), "delta"),
        (lambda: ny.ApproximateDP(math.inf, 0.1), "epsilon"), (lambda: ny.ApproximateDP(1.0, math.nan), "delta"),
        (lambda: ny.ZCDP(-0.1), "rho"), (lambda: ny.ZCDP(math.nan), "rho"), (lambda: ny.ZCDP(math.inf), "rho"),
        (lambda: ny.RDP([0.4], [1.0]), "orders"), (lambda: ny.RDP([3.0, 2.0], [1.0, 1.0]), "orders"),
        (lambda: ny.RDP([2.0, 2.0], [1.0, 1.0]), "orders"), (lambda: ny.RDP([2.0], [1.0, 2.0]), "epsilons"),
        (lambda: ny.RDP([2.0], [-1.0]), "epsilons"), (lambda: ny.RDP([2.0, 3.0], [1.0, math.nan]), "epsilons"),
        (lambda: ny.RDP([2.0, math.inf], [1.0, 1.0]), "orders"),
        (lambda: ny.RDP([], []), "orders"), (lambda: ny.RDP([[2.0]], [[1.0]]), "orders"),
        (lambda: ny.RDP("2", 1.0), "orders"),
        (lambda: ny.Profile([1.0, 0.5], [0.1, 0.2]), "epsilons"), (lambda: ny.Profile([-1.0], [0.1]), "epsilons"),
        (lambda: ny.Profile([1.0], [1.1]), "deltas"), (lambda: ny.Profile([1.0], [math.nan]), "deltas"),
        (lambda: ny.Profile([1.0, 2.0], [0.1]), "deltas"),
        (lambda: ny.Tradeoff([0.1, 1.0], [0.5, 0.0]), "alphas"), (lambda: ny.Tradeoff([0.0, 1.0], [0.9, 0.1]), "betas"),
        (lambda: ny.Tradeoff([0.0, 0.5, 0.5], [1.0, 0.5, 0.0]), "alphas"),
        (lambda: ny.Tradeoff([0.0, 0.2, 0.4], [0.5, 0.6, 0.0]), "betas"),
        (lambda: ny.Tradeoff([0.0, 0.5, 1.0], [0.9, 0.6, 0.0]), "betas"),  # above 1 - alpha
        (lambda: ny.Tradeoff([0.0, 0.5, 0.6], [0.5, 0.45, 0.0]), "betas"),  # not convex
        (lambda: ny.Tradeoff([0.0, 1.0], [math.nan, 0.0]), "betas"),
    ],
)  # fmt: skip
def test_refusals_name_the_argument(make, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        make()
    assert caught.value.name == name


def test_a_corner_off_by_rounding_is_kept() -> None:
    alpha = np.linspace(0.0, 1.0, 11)
    beta = (1.0 - alpha) * (1.0 + 1e-16 * np.arange(11))
    assert ny.Tradeoff(alpha, np.minimum(beta, 1.0 - alpha)).advantage <= 2e-15


@pytest.mark.parametrize("epsilon", rest_slow([30.0, 37.0, 600.0, 700.0], 1, 3))
def test_tail_mu_of_large_pure_dp(epsilon: float) -> None:
    with mp.workdps(400):
        x = mp.exp(epsilon)
        miss = 1 / (1 + x)  # the curve's corner: alpha = beta
        z = mp.findroot(lambda v: mp.log(mp.ncdf(-v) / miss), math.sqrt(2.0 * epsilon))
        mu = float(2 * z)
    assert mu <= ny.PureDP(epsilon).tail_mu <= mu * (1.0 + 1e-9)


@examples(50, 2000)
@given(st.floats(-300.0, -0.3), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(-4, 4))
def test_a_polyline_is_never_below_itself_where_its_tangent_turns(
    log_alpha: float, middle: float, first: float, step: int
) -> None:
    alpha = 10.0**log_alpha
    beta = [max(first, 0.01), middle * max(first, 0.01) * (1.0 - alpha) * 0.98, 0.0]
    if beta[1] <= 0.0:
        return
    try:
        g = ny.Tradeoff([0.0, alpha, 1.0], beta)
    except ny.InvalidParameter:  # not convex
        return
    epsilon = (math.log(beta[0] - beta[1]) - math.log(alpha)) * (1.0 + step * 2.0**-53)
    if epsilon < 0.0:
        return
    mp.mp.dps = 50
    truth = max(1 - mp.mpf(beta[0]), 1 - mp.mpf(beta[1]) - mp.exp(epsilon) * mp.mpf(alpha))
    assert g.optimistic.delta(epsilon) <= truth <= g.delta(epsilon)
    assert g.optimistic.delta(701.0) <= 1 - mp.mpf(beta[0]) <= g.delta(701.0)


def test_no_corner_is_lost_to_rounding() -> None:
    alphas = [0.0, 1.626548041146454e-13, 3.854789115999451e-13, 2.0999515078894577e-10, 1.0]
    betas = [1.0, 0.9999999999985608, 0.9999999999965893, 0.9999999981419877, 0.0]
    g = ny.Tradeoff(alphas, betas)
    mp.mp.dps = 50
    for epsilon in (0.5, 2.1801781295525395):
        lines = [1 - mp.mpf(b) - mp.exp(epsilon) * mp.mpf(a) for a, b in zip(alphas, betas, strict=True)]
        assert max(lines) <= g.delta(epsilon)
    # a corner one bit below the diagonal: mu = Phi^-1(1 - 1e-16) - Phi^-1(1 - 2^-53), by 50 digits
    assert ny.Tradeoff([0.0, 1e-16, 1.0], [1.0, 1.0 - 2.0**-53, 0.0]).tail_mu >= 0.012546064


@given(st.floats(-300.0, -0.4), st.floats(0.0, 1.0))
def test_bayes_errors_at_small_priors_promise_no_more_than_they_say(log_prior: float, share: float) -> None:
    prior = 10.0**log_prior
    error = prior * share
    g = ny.Profile.from_bayes_errors([prior], [error])
    stated = g.stated
    (epsilon,), (delta,) = np.atleast_1d(stated["epsilons"]), np.atleast_1d(stated["deltas"])
    mp.mp.dps = 60
    slope, gap = (1 - mp.mpf(prior)) / mp.mpf(prior), mp.mpf(error) / mp.mpf(prior)
    assert mp.exp(mp.mpf(epsilon)) >= slope
    assert 1 - mp.mpf(delta) <= gap
    assert epsilon <= float(mp.log(slope)) * (1.0 + 1e-14) + 1e-15


def test_tiny_divergences_are_not_lost_to_underflow() -> None:
    t, rho = np.array([[0.5], [1.0], [1.5]]), np.array([[5e-324, 1e-310, 1e-200]])
    for turned in (False, True):
        tangent = Orders(t, rho, turned).tangent(np.zeros((1, 3)))
        # for small rho a test has p - a = sqrt(2 rho a (1-a) / t), at a = 1/2 here
        assert np.all(tangent.delta >= np.sqrt(0.5 / t) * np.sqrt(rho) * (1.0 - 1e-15))
    g = ny.ZCDP(5e-324)
    assert g.epsilon(1e-5) == 0.0
    assert g.optimistic.advantage <= math.sqrt(5e-324) <= g.advantage


def test_large_divergences_leave_a_bracket_beyond_the_range_of_floats() -> None:
    epsilon = np.array([900.0, 1000.0, 1015.8, 1063.2, 1158.1, 1632.5, 1e4, 1e9, 1e300])
    g = ny.ZCDP(1000.0)
    upper, lower = g.delta(epsilon), g.optimistic.delta(epsilon)
    assert np.all(np.diff(upper[upper > 1e-280]) < 0.0)
    assert np.all(lower <= upper)
    # a Gaussian mechanism keeps the promise; one order alone already says this much
    assert np.all(upper >= ny.GDP(math.sqrt(2000.0)).optimistic.delta(epsilon))
    assert np.all(lower[2:5] <= ny.RDP([1.0 + 0.5 * (1063.2 / 1000.0 - 1.0)], [1031.6]).delta(epsilon[2:5]))
    np.testing.assert_allclose(lower[3:6], upper[3:6], rtol=1e-3)


def test_a_vanishing_delta_has_no_lower_bound() -> None:
    g = ny.RDP([1.5, 2.0, 30.0], [0.1, 0.2, 3.0])
    assert g.optimistic.delta(30.0) <= 1e-340  # e^{29 (3 - 30)}
    assert g.delta(1e9) <= 1e-280
