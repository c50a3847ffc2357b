"""Roads between the languages: lossless ones there and back, lossy ones on the safe side, and beside the peers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples, rest_slow

EPS = np.array([-3.0, -0.8, 0.0, 0.1, 0.6, 1.3, 2.5, 5.0])
ALPHA = np.array([0.0, 1e-7, 1e-3, 0.05, 0.3, 0.6, 0.97, 1.0])
PRIOR = np.array([0.02, 0.3, 0.5, 0.6, 0.9, 0.99])

pairs = st.lists(
    st.tuples(st.floats(0.05, 1.5), st.floats(0.0, 1.0)), min_size=1, max_size=5
)  # steps in epsilon and shares of what delta may still be


def profile_of(steps: list[tuple[float, float]]) -> ny.Profile:
    epsilon = np.cumsum([step for step, _ in steps]) - steps[0][0]
    return ny.Profile(epsilon, np.cumprod([share for _, share in steps]) * 0.9)


def corners(g: ny.Profile) -> tuple[np.ndarray, np.ndarray]:
    """Where neighbouring lines of a piecewise straight curve meet, by hand: from its profile at the stated points."""
    epsilon = np.array(g.stated["epsilons"])
    line = np.unique(np.concatenate([-epsilon, epsilon]))
    gap, x = 1.0 - np.asarray(g.delta(line)), np.exp(line)
    alpha = np.append((gap[1:] - gap[:-1]) / (x[1:] - x[:-1]), 0.0)
    beta = gap - x * alpha
    first = gap[0] / x[0]  # where the flattest line meets beta = 0
    points = {(round(float(a), 15), max(float(b), 0.0)) for a, b in zip(alpha, beta, strict=True)} | {
        (float(first), 0.0)
    }
    kept = sorted(points)
    a = np.array([p for p, _ in kept])
    b = np.array([p for _, p in kept])
    fine = np.append(np.diff(a) > 1e-12, True)
    return a[fine], b[fine]


@examples(20, 300)
@given(pairs)
def test_profile_to_curve_and_back(steps: list[tuple[float, float]]) -> None:
    g = profile_of(steps)
    alpha, beta = corners(g)
    if alpha[0] > 0.0 or beta[-1] > 0.0:
        return
    try:
        h = ny.Tradeoff(alpha, np.minimum(beta, 1.0 - alpha))
    except ny.InvalidParameter:  # corners too close together for floats
        return
    np.testing.assert_allclose(h.delta(EPS), g.delta(EPS), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(h.beta(ALPHA), g.beta(ALPHA), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(h.bayes_error(PRIOR), g.bayes_error(PRIOR), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(pairs)
def test_profile_to_bayes_error_and_back(steps: list[tuple[float, float]]) -> None:
    g = profile_of(steps)
    epsilon = np.array(g.stated["epsilons"])
    prior = 1.0 / (1.0 + np.exp(-epsilon))
    back = ny.Profile.from_bayes_errors(prior, np.minimum(g.bayes_error(prior), 1.0 - prior))
    np.testing.assert_allclose(back.delta(EPS), g.delta(EPS), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(back.beta(ALPHA), g.beta(ALPHA), rtol=1e-9, atol=1e-9)
    assert np.all(np.asarray(back.delta(EPS)) >= np.asarray(g.optimistic.delta(EPS)) * (1.0 - 1e-12))


@pytest.mark.parametrize("g", rest_slow([ny.GDP(1.0), ny.ZCDP(0.3), ny.account(ny.DPSGD(1.0, 0.05, 100))], 0, 2))
def test_many_bayes_errors_are_the_curve(g: ny.Guarantee) -> None:
    prior = np.concatenate([np.linspace(0.5, 0.98, 120), 1.0 - np.geomspace(1e-6, 0.019, 120)[::-1]])
    back = ny.Profile.from_bayes_errors(prior, g.bayes_error(prior))
    at = np.log(prior / (1.0 - prior))
    np.testing.assert_allclose(back.delta(at), g.delta(at), rtol=1e-9, atol=1e-9)
    assert np.all(np.asarray(back.beta(ALPHA)) <= np.asarray(g.optimistic.beta(ALPHA)) + 1e-15)


@pytest.mark.parametrize(
    ("m", "delta"),
    [
        pytest.param(ny.Gaussian(1.3), 1e-3, marks=pytest.mark.slow),
        (ny.RandomizedResponse(1.1), 1e-8),
        pytest.param(ny.Laplace(0.7), 1e-3, marks=pytest.mark.slow),
        pytest.param(ny.Laplace(1.0).poisson(0.2) ** 3, 1e-8, marks=pytest.mark.slow), (ny.DPSGD(1.0, 0.05, 60), 1e-8),
        pytest.param(ny.DPSGD(0.8, 1e-3, 500), 1e-3, marks=pytest.mark.slow),
        pytest.param(ny.DiscreteGaussian(2.0) ** 4, 1e-3, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_lossy_roads_are_never_above(m: ny.Mechanism, delta: float) -> None:
    """What a summary implies about delta is never below what the mechanism has; about beta, never above."""
    g = ny.account(m)
    orders = np.array([1.1, 1.5, 2.0, 4.0, 16.0, 64.0])
    summaries: list[ny.Guarantee] = [
        ny.GDP(g.tail_mu), ny.ZCDP(g.zcdp()), ny.RDP(orders, g.renyi(orders)),
        ny.ApproximateDP(g.epsilon(delta), delta), ny.Profile([0.0, 0.5, 2.0], g.delta([0.0, 0.5, 2.0])),
    ]  # fmt: skip
    best = g.optimistic
    deltas, betas, errors = (np.asarray(of) for of in (best.delta(EPS), best.beta(ALPHA), best.bayes_error(PRIOR)))
    for summary in summaries:
        assert np.all(np.asarray(summary.delta(EPS)) >= deltas - 1e-300), summary
        assert np.all(np.asarray(summary.beta(ALPHA)) <= betas), summary
        assert summary.advantage >= best.advantage
        assert np.all(np.asarray(summary.bayes_error(PRIOR)) <= errors)


WHOLE, FINE = np.arange(2.0, 65.0), np.concatenate([np.arange(1.1, 11.0, 0.1), np.arange(12.0, 64.0)])


@pytest.mark.parametrize(
    ("orders", "rho"),
    [
        (WHOLE, 1e-3), (FINE, 4.0),
        *(pytest.param(WHOLE, rho, marks=pytest.mark.slow) for rho in (0.05, 0.5, 4.0)),
        *(pytest.param(FINE, rho, marks=pytest.mark.slow) for rho in (1e-3, 0.05, 0.5)),
    ],
)  # fmt: skip
def test_renyi_to_epsilon_beats_the_peer_and_never_the_mechanism(orders: np.ndarray, rho: float) -> None:
    g, gaussian = ny.RDP(orders, rho * orders), ny.GDP(math.sqrt(2.0 * rho))
    for delta in (1e-2, 1e-5, 1e-9):
        theirs, _ = rdp_privacy_accountant.compute_epsilon(orders, rho * orders, delta)
        assert g.epsilon(delta) <= theirs * (1.0 + 1e-12)
        assert g.epsilon(delta) <= ny.conversions.rdp_best(orders, rho * orders, delta) * (1.0 + 1e-12)
        assert g.epsilon(delta) >= gaussian.optimistic.epsilon(delta)
    assert np.all(np.asarray(g.beta(ALPHA)) <= np.asarray(gaussian.optimistic.beta(ALPHA)))


@pytest.mark.parametrize(
    ("priors", "errors", "name"),
    [
        ([0.5], [0.6], "errors"), ([0.5], [-0.1], "errors"), ([0.0], [0.0], "priors"), ([1.0], [0.0], "priors"),
        ([0.5, 0.6], [0.1], "errors"), ([math.nan], [0.1], "priors"), ([0.5], [math.nan], "errors"), ([], [], "priors"),
    ],
)  # fmt: skip
def test_bayes_errors_that_are_none(priors: list[float], errors: list[float], name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.Profile.from_bayes_errors(priors, errors)
    assert caught.value.name == name
