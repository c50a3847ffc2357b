"""Targets: what they accept, when they are met and missed, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import neyman as ny
from neyman.calibration.gaussian_reading import mu_of_advantage, mu_of_bayes_error, mu_of_delta, mu_of_power
from neyman.calibration.target import Target
from tests.effort import examples, rest_slow
from tests.guarantees import pool

t = ny.targets


@st.composite
def limits(draw: st.DrawFn) -> tuple[Target, Any]:
    """A target, and the number of a guarantee that it limits, as ``ny.risk`` and the guarantee say it."""
    small = st.floats(1e-6, 0.9)
    kind = draw(st.integers(0, 6))
    if kind == 0:
        epsilon, delta = draw(st.floats(0.01, 10.0)), draw(st.floats(1e-12, 0.5))
        return t.Epsilon(epsilon, delta), lambda g: g.delta(epsilon) - delta
    if kind == 1:
        value = draw(small)
        return t.Advantage(value), lambda g: float(ny.risk.advantage(g)) - value
    rate = draw(st.floats(1e-6, 0.5))
    value = draw(st.floats(0.001, 0.999))
    power = rate + value * (1.0 - rate)
    if kind == 2:
        return t.TPR(power, rate), lambda g: float(ny.risk.tpr(g, rate)) - power
    if kind == 3:
        return t.Reconstruction(power, rate), lambda g: float(ny.risk.reconstruction(g, rate)) - power
    prior = draw(st.floats(0.01, 0.99))
    if kind == 4:
        error = value * min(prior, 1.0 - prior)
        return t.BayesError(error, prior), lambda g: error - float(ny.risk.bayes_error(g, prior))
    if kind == 5:
        most = prior / (prior + (1.0 - prior) * rate)
        posterior = prior + value * (most - prior)
        return t.Posterior(posterior, prior, rate), lambda g: float(ny.risk.posterior(g, prior, rate)) - posterior
    return t.Mu(2.0 * value), lambda g: g.mu() - 2.0 * value


@examples(10, 500)
@given(limit=limits(), g=pool.any_guarantee)
def test_met_and_missed_are_what_the_bounds_say(limit: tuple[Target, Any], g: ny.Guarantee) -> None:
    target, over = limit
    assert target.met_by(g) == (over(g) <= 0.0)
    assert target.missed_by(g) == (over(g.optimistic) > 0.0)
    assert not (target.met_by(g) and target.missed_by(g))
    assert (target.excess(g) <= 0.0) == target.met_by(g)
    assert target.excess(g) >= target.excess(g.optimistic) - 1e-9 * (1.0 + abs(target.excess(g)))


@given(limit=limits(), low=st.floats(0.01, 6.0), factor=st.floats(1.001, 5.0))
def test_more_mu_is_never_nearer_to_the_target(limit: tuple[Target, Any], low: float, factor: float) -> None:
    target, _ = limit
    near, far = target.excess(ny.GDP(low)), target.excess(ny.GDP(low * factor))
    assert near <= far + 1e-9 * (1.0 + abs(far))


@given(limit=limits(), share=st.floats(0.05, 0.95))
def test_the_scale_is_that_of_the_gaussian_mechanism(limit: tuple[Target, Any], share: float) -> None:
    target, _ = limit
    mu = target.gaussian_mu
    if 0.01 < mu < 8.0:
        assert target.excess(ny.GDP(mu * share)) <= 0.0 < target.excess(ny.GDP(mu / share))
        if mu > 0.1 and share > 0.5 and not isinstance(target, (t.BayesError, t.Posterior)):
            assert target.excess(ny.GDP(mu / share)) == pytest.approx(-math.log(share), abs=1e-5)


@examples(4, 500)
@given(pair=st.tuples(limits(), limits()), g=pool.any_guarantee)
def test_of_several_targets_the_strictest_decides(pair: tuple[Any, Any], g: ny.Guarantee) -> None:
    (a, _), (b, _) = pair
    both = a & b
    assert both == t.All(a, b) == t.All(t.All(a), b)
    assert hash(both) == hash(t.All(a, b))
    assert both.parts == (a, b)
    assert both.met_by(g) == (a.met_by(g) and b.met_by(g))
    assert both.missed_by(g) == (a.missed_by(g) or b.missed_by(g))
    assert both.excess(g) == max(a.excess(g), b.excess(g))
    assert both.gaussian_mu == min(a.gaussian_mu, b.gaussian_mu)


def test_readings_against_the_normal_law() -> None:
    for mu in (1e-5, 0.01, 0.5, 2.0, 6.0):
        half = stats.norm.cdf(mu / 2.0)
        assert mu_of_advantage(2.0 * half - 1.0) == pytest.approx(mu, rel=1e-6)
        for rate in (1e-8, 0.01, 0.3):
            assert mu_of_power(stats.norm.sf(stats.norm.isf(rate) - mu), rate) == pytest.approx(mu, rel=1e-6)
        for epsilon in (0.1, 1.0, 8.0):
            delta = ny.GDP(mu).delta(epsilon)
            if delta > 1e-250:
                assert mu_of_delta(math.log(delta), epsilon) == pytest.approx(mu, rel=1e-6)
        for prior in (0.2, 0.5, 0.9):
            error = ny.GDP(mu).bayes_error(prior)
            if min(prior, 1.0 - prior) - error > 1e-6:
                assert mu_of_bayes_error(error, prior) == pytest.approx(mu, rel=1e-6)
    assert mu_of_power(1.0, 0.1) > 1e5
    assert mu_of_advantage(1.0) > 70.0
    assert mu_of_delta(0.0, 1.0) > 1e5
    assert mu_of_bayes_error(0.5, 0.5) == 0.0


def test_pure_privacy() -> None:
    g = ny.account(ny.Laplace(2.0))
    assert t.Epsilon(0.5, delta=0.0).met_by(g)
    assert t.Epsilon(0.499999, delta=0.0).missed_by(g)
    assert t.Epsilon(20.0, 0.0).missed_by(ny.GDP(1.0))
    share = math.exp(0.5) / (1.0 + math.exp(0.5))
    assert t.Posterior(share * (1.0 + 1e-9), 0.5, fpr=0.0).met_by(g)
    assert t.Posterior(share * (1.0 - 1e-9), 0.5, fpr=0.0).missed_by(g)


@examples(8, 400)
@given(limit=limits(), adjacency=st.sampled_from(["add", "remove"]))
def test_one_order_alone_is_read_as_by_risk(limit: tuple[Target, Any], adjacency: str) -> None:
    target, over = limit
    g = pool.computed("dpsgd", adjacency)
    assert target.met_by(g) == (over(g) <= 0.0)
    assert target.missed_by(g) == (over(g.optimistic) > 0.0)


@pytest.mark.parametrize("base", rest_slow([ny.GDP(1.0), ny.PureDP(1.0), pool.computed("dpsgd")], 0, 1))
def test_divergence_is_that_of_compare(base: ny.Guarantee) -> None:
    for g in (ny.GDP(1.1), ny.GDP(0.7), pool.computed("laplace"), pool.computed("one step"), base):
        found = ny.compare(base, g).divergence
        assert t.Divergence(max(found, 1e-6) * (1.0 + 1e-6) + 1e-9, base).met_by(g)
        if found > 1e-6:
            assert t.Divergence(found * (1.0 - 1e-6) - 1e-9, base).missed_by(g)
    target = t.Divergence(0.01, base)
    curve = [target.excess(ny.GDP(mu)) for mu in np.geomspace(0.05, 6.0, 25)]
    assert curve == sorted(curve)


def test_divergence_is_of_the_same_neighbours() -> None:
    target = t.Divergence(0.01, pool.computed("dpsgd", "remove"))
    with pytest.raises(ny.InvalidParameter, match="a guarantee for 'add_or_remove', got 'remove'"):
        target.met_by(ny.GDP(1.0))


def test_values() -> None:
    for target in (t.Epsilon(8.0, 1e-5), t.Mu(1.0), t.TPR(0.5, 0.01) & t.Advantage(0.2), t.Posterior(0.9, 0.5, 0.01)):
        assert pickle.loads(pickle.dumps(target)) == copy.deepcopy(target) == target
        assert eval(repr(target), vars(t)) == target
    assert t.Epsilon(8, 0) == t.Epsilon(8.0, 0.0)
    assert t.Mu(1.0) != t.Mu(1.0, 1e-9)
    assert t.All(t.Mu(1.0)) != t.Mu(1.0)
    with pytest.raises(TypeError):
        _ = t.Mu(1.0) & 1.0  # type: ignore[operator]


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *[(lambda v=v: t.Epsilon(v, 1e-5), "value") for v in (0.0, -1.0, NAN, INF, 701.0, "8", True)],
        *[(lambda d=d: t.Epsilon(1.0, d), "delta") for d in (1.0, -1e-9, NAN, "0")],
        *[(lambda v=v: t.Mu(v), "value") for v in (0.0, -1.0, NAN, INF)],
        *[(lambda f=f: t.Mu(1.0, f), "floor") for f in (0.0, 0.5, NAN)],
        *[(lambda v=v: t.Advantage(v), "value") for v in (0.0, 1.0, NAN, -0.1)],
        *[(lambda v=v: t.TPR(v, 0.1), "value") for v in (0.0, 0.1, 0.05, 1.0, NAN)],
        *[(lambda f=f: t.TPR(0.5, f), "fpr") for f in (0.0, 1.0, NAN)],
        *[(lambda v=v: t.Reconstruction(v, 0.1), "success") for v in (0.1, 1.0, NAN)],
        *[(lambda b=b: t.Reconstruction(0.5, b), "baseline") for b in (0.0, 1.0, NAN)],
        *[(lambda v=v: t.BayesError(v, 0.3), "value") for v in (0.0, 0.3, 0.5, NAN)],
        *[(lambda p=p: t.BayesError(0.1, p), "prior") for p in (0.0, 1.0, NAN)],
        (lambda: t.BayesError(0.3, 0.7), "value"),  # 1 - 0.7 is a little more than 0.3
        *[(lambda v=v: t.Posterior(v, 0.5, 0.1), "value") for v in (0.5, 0.3, 1.0 / 1.1, 0.95, NAN)],
        *[(lambda p=p: t.Posterior(0.9, p, 0.1), "membership_prior") for p in (0.0, 1.0, NAN)],
        *[(lambda f=f: t.Posterior(0.9, 0.5, f), "fpr") for f in (1.0, -0.1, NAN)],
        *[(lambda v=v: t.Divergence(v, ny.GDP(1.0)), "value") for v in (0.0, 0.5, NAN)],
        *[(lambda g=g: t.Divergence(0.1, g), "baseline") for g in (1.0, None, ny.GDP(1.0).optimistic)],
        (lambda: t.Divergence(0.1, baseline_guarantee=1.0), "baseline"),  # type: ignore[arg-type]
        (lambda: t.Divergence(0.1, ny.GDP(1.0), baseline_guarantee=ny.GDP(1.0)), "baseline_guarantee"),
        *[(lambda v=v: t.Regret(v), "value") for v in (0.0, 0.5, -0.1, NAN, INF, "0.01", True)],
        *[(lambda f=f: t.Regret(0.01, f), "floor") for f in (0.0, 0.5, NAN)],
        (lambda: t.All(), "targets"),
        (lambda: t.All(1.0), "targets"),  # type: ignore[arg-type]
        (lambda: t.Mu(1.0).met_by(1.0), "guarantee"),  # type: ignore[arg-type]
        (lambda: t.Mu(1.0).met_by(ny.GDP(1.0).optimistic), "guarantee"),
        (lambda: (t.Mu(1.0) & t.Mu(2.0)).missed_by(ny.GDP(1.0).optimistic), "guarantee"),
    ],
)
def test_refusals(make: Any, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        make()
    assert caught.value.name == name


def test_numbers_that_are_not_sharp_are_still_bounds() -> None:
    """Where the accounting refuses a number as too wide, its bracket decides."""
    g = ny.account(ny.DPSGD(1.0, 0.01, 100), tolerance=1e-12)
    with pytest.raises(ny.NotCertified) as wide:
        _ = g.advantage
    assert t.Advantage(wide.value.upper).met_by(g)
    assert not t.Advantage(wide.value.upper * (1.0 - 1e-9)).met_by(g)
    assert not t.Advantage(wide.value.lower).met_by(g)  # nearer by far: it is the upper bound that decides
    assert t.Advantage(wide.value.lower * (1.0 - 1e-6)).missed_by(g)


def test_the_baseline_has_two_names() -> None:
    """The documented one, and the one it had."""
    base = ny.GDP(1.0)
    new, old = t.Divergence(0.01, baseline=base), t.Divergence(0.01, baseline_guarantee=base)
    assert new == old == t.Divergence(0.01, base)
    assert hash(new) == hash(old)
    assert new.baseline is old.baseline is old.baseline_guarantee is base
    assert repr(new) == "Divergence(value=0.01, baseline=GDP(mu=1.0))"
    assert new.met_by(ny.GDP(1.02))
    assert new.missed_by(ny.GDP(1.1))


def gaussian_regret(scale: float, floor: float) -> tuple[float, float]:
    """mu and regret of Laplace noise by search over its closed curve, in double precision."""
    b = 1.0 / scale

    def f(alpha: Any) -> Any:  # Dong, Roth and Su (2022), of Laplace noise
        low = 0.5 * math.exp(-b)
        middle = math.exp(-b) / (4.0 * np.maximum(alpha, 1e-300))
        return np.where(
            alpha < low, 1.0 - math.exp(b) * alpha, np.where(alpha <= 0.5, middle, math.exp(-b) * (1 - alpha))
        )

    kinks = [0.5 * math.exp(-b), 0.5]
    alpha = np.concatenate([np.geomspace(floor, 0.5, 200_001), 1.0 - np.geomspace(0.5, floor, 200_001), kinks])
    beta = f(alpha)
    inside = beta >= floor
    mu = float(np.max(stats.norm.isf(alpha[inside]) - stats.norm.ppf(beta[inside])))
    epsilon = np.concatenate([np.linspace(-2.0 * b - 1.0, 2.0 * b + 1.0, 20_001), [-b, b]])
    gauss = stats.norm.cdf(-epsilon / mu + mu / 2.0) - np.exp(epsilon) * stats.norm.cdf(-epsilon / mu - mu / 2.0)
    pure = np.maximum(-np.expm1(0.5 * (epsilon - b)), 0.0)  # delta of Laplace noise, for epsilon >= -b
    pure = np.where(epsilon < -b, -np.expm1(epsilon), np.where(epsilon < b, pure, 0.0))
    return mu, float(np.max((gauss - pure) / (1.0 + np.exp(epsilon))))


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0, 8.0])
def test_regret_against_closed_curves(scale: float) -> None:
    g = ny.account(ny.Laplace(scale))
    _, regret = gaussian_regret(scale, 1e-10)
    assert t.Regret(regret * (1.0 + 1e-6)).met_by(g)
    assert t.Regret(regret * (1.0 - 1e-6)).missed_by(g)


@examples(6, 300)
@given(g=pool.any_guarantee, value=st.floats(1e-6, 0.49), floor=st.sampled_from([1e-10, 1e-4]))
def test_a_regret_is_met_or_missed_by_its_bracket(g: ny.Guarantee, value: float, floor: float) -> None:
    target = t.Regret(value, floor)
    above = g.gdp(floor).regret
    below = g.optimistic.gdp(floor).regret
    assert target.met_by(g) == (above <= value)
    assert target.missed_by(g) == (below > value)


def test_what_is_ordered() -> None:
    """Of every other target a more private guarantee meets it all the more; of regret it need not."""
    assert t.Mu(1.0).ordered
    assert (t.Mu(1.0) & t.Advantage(0.1)).ordered
    assert not t.Regret(0.01).ordered
    assert not (t.Mu(1.0) & t.Regret(0.01)).ordered
    loud, middle, quiet = (ny.account(ny.Laplace(scale)) for scale in (0.2, 1.0, 10.0))
    assert [t.Regret(0.02).met_by(g) for g in (loud, middle, quiet)] == [True, False, True]
