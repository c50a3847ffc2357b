"""What must hold of every guarantee of every DP-SGD run, whatever its numbers: laws, not values.

Where the engines cannot certify an answer to the tolerance they say so; then only the bracket they carry is judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, reject
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples

TOLERANCE = 1e-6
few = examples(2, 200, suppress_health_check=[HealthCheck.filter_too_much])
ALPHAS = np.concatenate([[0.0], np.geomspace(1e-9, 0.3, 8), [0.4, 0.5, 0.6], 1.0 - np.geomspace(0.2, 1e-6, 4), [1.0]])


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


SIGMA = log_uniform(0.5, 50.0)
RATE = st.one_of(log_uniform(1e-4, 1.0), st.just(1.0))
STEPS = log_uniform(1.0, 1e6).map(round)
SETTING = st.tuples(SIGMA, RATE, STEPS)


@lru_cache(maxsize=64)
def account(sigma: float, rate: float, steps: int, adjacency: str = "add_or_remove") -> ny.Guarantee:
    return ny.account(ny.DPSGD(sigma, rate, steps), adjacency=adjacency, tolerance=TOLERANCE)


def told(ask: Callable[[], Any]) -> Any:
    """The answer; a refusal must carry an ordered bracket, and ends the example."""
    try:
        return ask()
    except ny.NotCertified as refusal:
        bracket = refusal.lower, refusal.upper
    assert 0.0 <= bracket[0] <= bracket[1]  # NaN fails
    return reject()


def places(g: ny.Guarantee, count: int = 9) -> np.ndarray:
    """eps from 0 to where delta is about 1e-9, in even steps."""
    last = told(lambda: g.epsilon(1e-9))
    return np.linspace(0.0, last if 0.0 < last < 500.0 else 1.0, count)


@few
@given(SETTING)
def test_delta_is_a_privacy_profile(setting: tuple[float, float, int]) -> None:
    g = account(*setting)
    half = places(g)
    e = np.concatenate([-half[:0:-1], half])
    upper, lower = told(lambda: g.delta(e)), g.optimistic.delta(e)
    assert np.all((lower >= 0.0) & (lower <= upper) & (upper <= 1.0))
    assert np.all(upper - lower <= TOLERANCE * upper * (1.0 + 1e-9))
    assert np.all(lower[1:] <= upper[:-1])  # non-increasing
    # convex in e^eps: at no point does even the lower bound lie above the chord of the upper ones
    x = np.exp(e - e.max())
    weight = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    assert np.all(lower[1:-1] <= ((1.0 - weight) * upper[:-2] + weight * upper[2:]) * (1.0 + 1e-12))
    # no test can do worse than not looking
    assert np.all(np.expm1(np.minimum(e, 0.0)) + upper >= 0.0)


@few
@given(SETTING)
def test_beta_is_a_trade_off_curve(setting: tuple[float, float, int]) -> None:
    g = account(*setting)
    low, high = told(lambda: g.beta(ALPHAS)), g.optimistic.beta(ALPHAS)
    assert np.all((low >= 0.0) & (low <= high))
    assert np.all(low <= 1.0 - ALPHAS)
    assert np.all(low[1:] <= high[:-1])  # non-increasing
    weight = (ALPHAS[1:-1] - ALPHAS[:-2]) / (ALPHAS[2:] - ALPHAS[:-2])
    assert np.all(low[1:-1] <= (1.0 - weight) * high[:-2] + weight * high[2:] + 1e-15)  # convex
    # the curve of the larger of both directions is its own inverse
    assert np.all(g.beta(np.minimum(high, 1.0)) <= ALPHAS + 1e-9)
    power, least = g.roc(ALPHAS), g.optimistic.roc(ALPHAS)
    assert np.all((least >= ALPHAS) & (least <= power) & (power <= 1.0))
    np.testing.assert_allclose(power, 1.0 - low, atol=1e-12)
    assert g.advantage >= np.max(least - ALPHAS) - 1e-15


@few
@given(SETTING, log_uniform(1e-12, 0.5))
def test_epsilon_inverts_delta(setting: tuple[float, float, int], target: float) -> None:
    g = account(*setting)
    e = told(lambda: g.epsilon(target))
    assert g.optimistic.epsilon(target) <= e
    if e == 0.0:
        assert told(lambda: g.delta(0.0)) <= target
        return
    at = told(lambda: g.delta(e))
    assert at <= target * (1.0 + 1e-13)  # what epsilon promises, delta keeps, but for the rounding of another line
    assert g.optimistic.delta(g.optimistic.epsilon(target)) >= target * (1.0 - 1e-12)
    back = told(lambda: g.epsilon(at))
    assert back <= e * (1.0 + 1e-9) + 1e-12
    assert g.optimistic.epsilon(at) <= e


@few
@given(SETTING, st.floats(0.01, 3.0))
def test_reversal(setting: tuple[float, float, int], share: float) -> None:
    """Swapping the pair: delta_remove(-eps) = 1 - e^-eps + e^-eps delta_add(eps), and the other way round."""
    remove, add = (account(*setting, adjacency) for adjacency in ("remove", "add"))
    e = share * setting[1] * math.sqrt(setting[2]) / setting[0]
    for one, other in ((remove, add), (add, remove)):
        mirrored = told(lambda one=one: one.delta(-e))
        expected = -math.expm1(-e) + math.exp(-e) * told(lambda other=other: other.delta(e))
        assert abs(mirrored - expected) <= 1e-12 * expected
    both = account(*setting)
    larger = max(remove.delta(e), add.delta(e))
    assert abs(told(lambda: both.delta(e)) - larger) <= TOLERANCE * larger


@few
@given(SETTING, log_uniform(1.01, 3.0), st.sampled_from(["steps", "rate", "noise"]))
def test_more_steps_more_sampling_or_less_noise_is_less_private(
    setting: tuple[float, float, int], factor: float, what: str
) -> None:
    sigma, rate, steps = setting
    worse = {
        "steps": (sigma, rate, math.ceil(steps * factor)),
        "rate": (sigma, min(1.0, rate * factor), steps),
        "noise": (sigma / factor, rate, steps),
    }[what]
    good, bad = account(*setting), account(*worse)
    e = places(good, 5)
    assert np.all(good.optimistic.delta(e) <= told(lambda: bad.delta(e)))
    assert np.all(good.optimistic.beta(ALPHAS) >= bad.beta(ALPHAS))
    assert good.optimistic.advantage <= told(lambda: bad.advantage)
    assert good.optimistic.epsilon(1e-5) <= told(lambda: bad.epsilon(1e-5))
    assert good.optimistic.mu() <= told(lambda: bad.mu())
    assert good.tail_mu <= bad.tail_mu or what == "rate"
    # not for want of sharpness: where the law moves by a lot, the answers do too
    if factor > 1.5 and what == "noise" and 1e-3 < good.advantage < 0.9:
        assert bad.optimistic.advantage > good.advantage


@few
@given(SIGMA, RATE, st.integers(0, 2000), st.integers(0, 2000))
def test_composition_adds_exponents(sigma: float, rate: float, a: int, b: int) -> None:
    m = ny.Gaussian(sigma).poisson(rate)
    parts, whole = m**a * m**b, m ** (a + b)
    assert parts == whole
    assert hash(parts) == hash(whole)
    mine, other = ny.account(parts), ny.account(whole)
    e = [0.0, 0.3, 1.0]
    assert np.array_equal(told(lambda: mine.delta(e)), told(lambda: other.delta(e)))
    assert told(lambda: mine.epsilon(1e-5)) == told(lambda: other.epsilon(1e-5))


@few
@given(SETTING)
def test_everything_from_below_is_below(setting: tuple[float, float, int]) -> None:
    g = account(*setting)
    o = g.optimistic
    assert o.optimistic is o
    deltas, priors = [1e-12, 1e-5, 1e-2, 0.5], [1e-6, 0.1, 0.5, 0.9]
    assert np.all(o.epsilon(deltas) <= told(lambda: g.epsilon(deltas)))
    assert np.all(told(lambda: g.bayes_error(priors)) <= o.bayes_error(priors))
    assert np.all(o.bayes_error(priors) <= np.minimum(priors, 1.0 - np.array(priors)))
    assert o.advantage <= told(lambda: g.advantage)
    assert 0.5 <= o.auc <= told(lambda: g.auc) <= 1.0
    assert g.fixed_point <= o.fixed_point
    for floor in (1e-3, 1e-10):
        mu = told(lambda floor=floor: g.mu(floor))
        assert 0.0 <= o.mu(floor) <= mu <= g.tail_mu
    report, least = g.gdp(), o.gdp()
    assert 0.0 <= least.regret <= report.regret <= 0.5
    assert 0.0 <= report.shortfall <= 0.5
    for other in (ny.GDP(1.0), ny.PERFECT, ny.BLATANT):
        assert 0.0 <= o.regret(other) <= g.regret(other) <= 0.5
    # nothing is given away by stating it as it is, and privacy plus its loss is 1/2
    assert g.regret(g) <= TOLERANCE
    assert abs(ny.PERFECT.regret(g) - 0.5 * g.advantage) <= 1e-6


@few
@given(SETTING)
def test_mu_is_a_bound_above_its_floor_and_grows_below(setting: tuple[float, float, int]) -> None:
    g = account(*setting)
    mus = [told(lambda floor=floor: g.mu(floor)) for floor in (1e-2, 1e-6, 1e-10)]
    lows = [g.optimistic.mu(floor) for floor in (1e-2, 1e-6, 1e-10)]
    assert all(low <= mu for low, mu in zip(lows, mus[1:] + mus[-1:], strict=True))
    alpha = np.geomspace(1e-6, 0.5, 12)
    promised, true = ny.GDP(mus[1]).beta(alpha), g.optimistic.beta(alpha)
    above = true >= 1e-6
    assert np.all(promised[above] <= true[above])
    # and no smaller mu would do
    if lows[1] > 1e-3:
        smaller = ny.GDP(lows[1] * (1.0 - 1e-3)).optimistic.beta(alpha)
        crossing = smaller - g.beta(alpha)
        assert crossing.max() > 0.0 or g.fixed_point < 1e-6


@few
@given(SETTING, st.integers(2, 40))
def test_points_of_the_curve_lie_on_it(setting: tuple[float, float, int], n: int) -> None:
    g = account(*setting)
    c = told(lambda: g.curve(n))
    assert c.epsilon.shape == c.alpha.shape == c.beta.shape == (n,)
    assert np.all((c.alpha >= 0.0) & (c.alpha <= 1.0) & (c.beta >= 0.0))
    assert np.all(np.diff(c.alpha) < 0.0)
    assert np.all(np.diff(c.epsilon) >= 0.0)
    assert np.all(c.beta <= g.optimistic.beta(c.alpha))  # certified
    np.testing.assert_allclose(c.beta, g.beta(c.alpha), rtol=1e-4, atol=1e-12)  # and sharp


@few
@given(st.lists(st.tuples(SIGMA, log_uniform(1e-3, 0.9), st.integers(1, 300)), min_size=2, max_size=3))
def test_a_mix_is_less_private_than_its_parts_and_does_not_mind_their_order(
    laws: list[tuple[float, float, int]],
) -> None:
    runs = [ny.DPSGD(*law) for law in laws]
    mix, reverse = ny.account(ny.compose(runs)), ny.account(ny.compose(runs[::-1]))
    advantage = told(lambda: mix.advantage)
    assert abs(told(lambda: reverse.advantage) - advantage) <= 1e-9 * advantage
    for law in laws:
        part = account(*law)
        assert part.optimistic.advantage <= advantage
        assert part.optimistic.epsilon(1e-5) <= told(lambda: mix.epsilon(1e-5))
    # nor worse than parts whose losses add up: epsilon by epsilon, delta by delta
    each = [told(lambda law=law: account(*law).epsilon(1e-6)) for law in laws]
    assert mix.optimistic.delta(sum(each)) <= 1e-6 * len(laws)
