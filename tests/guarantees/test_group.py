"""Groups: f^(k) against dense composition of ROC curves, laws, and refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.closed_form.several_laplace import SeveralLaplaceProfile
from neyman.profiles.effort import Effort, allowance
from tests.effort import examples, rest_slow
from tests.guarantees.pool import (
    EPSILONS,
    NAMES,
    any_guarantee,
    approximate,
    between,
    computed,
    delta_of,
    gaussian,
    laplace,
    veiled,
)

CURVES = {
    "gaussian": (lambda: veiled(0.7), gaussian(0.7)),
    "pure": (lambda: ny.PureDP(0.8), approximate(0.8, 0.0)),
    "approximate": (lambda: ny.ApproximateDP(0.5, 1e-3), approximate(0.5, 1e-3)),
    "laplace": (lambda: computed("laplace"), laplace(1.0)),
    "polyline": (lambda: ny.Tradeoff([0.0, 0.1, 0.3, 0.9], [0.95, 0.55, 0.3, 0.0]), None),
}


def repeated(f, k):
    def g(a):
        for _ in range(k):
            a = 1.0 - f(np.clip(a, 0.0, 1.0))
        return 1.0 - a

    return g


@pytest.mark.parametrize("k", rest_slow([1, 2, 3, 8], 0, 2))
@pytest.mark.parametrize("name", CURVES)
def test_delta_of_a_group_is_that_of_the_curve_applied_k_times(name, k):
    make, f = CURVES[name]
    if f is None:
        f = lambda a: np.interp(a, [0.0, 0.1, 0.3, 0.9, 1.0], [0.95, 0.55, 0.3, 0.0, 0.0])  # noqa: E731
    between(make().group(k), delta_of(repeated(f, k), EPSILONS), EPSILONS)


@given(mu=st.floats(1e-6, 3.0), k=st.integers(2, 12))
@examples(4, 100)
def test_group_of_a_gaussian_nobody_recognises(mu, k):
    veiled_group, known = veiled(mu).group(k), GaussianProfile(mu * k)
    epsilon = np.concatenate([[0.0], mu * k * np.linspace(0.01, 12.0, 25)])
    found, truth = veiled_group.sides.bracket(epsilon), known.bracket(epsilon)
    assert np.all(found.upper >= truth.lower)
    assert np.all(found.lower <= truth.upper)
    assert np.all(found.log_gap_lower <= truth.log_gap_upper)
    assert np.all(found.log_gap_upper >= truth.log_gap_lower)
    assert np.all(found.upper <= truth.upper * (1.0 + 1e-9) + 1e-300)
    seen = (truth.upper > 1e-280) & (epsilon < 400.0)  # beyond, e^eps is left alone
    assert np.all((found.lower >= truth.lower * (1.0 - 1e-6))[seen])
    assert veiled_group.tail_mu == pytest.approx(mu * k, rel=1e-15)
    assert veiled_group.tail_mu >= mu * k


@pytest.mark.parametrize(("mu", "k"), [(2.0, 16), pytest.param(0.5, 64, marks=pytest.mark.slow)])
def test_blatant_groups_keep_the_small_end_of_the_curve(mu, k):
    g, known = veiled(mu).group(k), ny.GDP(32.0)
    assert g.fixed_point == pytest.approx(known.fixed_point, rel=1e-10)
    assert g.fixed_point <= ny.GDP(32.0).optimistic.fixed_point
    assert g.mu() <= 32.0


@given(mu=st.floats(0.0, 1e6), k=st.integers(1, 10_000))
@examples(10, 2000)
def test_known_forms(mu, k):
    g = ny.GDP(mu).group(k)
    assert isinstance(g, ny.GDP)
    assert g.mu() >= mu * k * (1.0 - 1e-16)
    assert g.mu() == pytest.approx(mu * k, rel=3e-16)
    assert ny.account(ny.Gaussian(2.0)).group(3).mu() == pytest.approx(1.5, rel=1e-12)
    assert ny.PERFECT.group(k) is ny.PERFECT
    assert ny.BLATANT.group(k) is ny.BLATANT


def test_beyond_all_numbers_is_blatant():
    assert ny.GDP(1e308).group(10) is ny.BLATANT


@given(epsilon=st.floats(0.01, 3.0), k=st.integers(2, 6))
@examples(3, 100)
def test_pure_groups_are_better_than_k_epsilon_and_end_there(epsilon, k):
    g = ny.PureDP(epsilon).group(k)
    assert g.epsilon(0.0) == pytest.approx(k * epsilon, rel=1e-15)
    assert g.satisfies(ny.PureDP(float(np.nextafter(k * epsilon, np.inf))))
    assert g.optimistic.epsilon(0.0) <= k * epsilon * (1.0 + 1e-15)
    assert g.advantage < ny.PureDP(k * epsilon).advantage


@pytest.mark.slow
@given(g=any_guarantee, k=st.integers(1, 3))
@examples(3, 50)
def test_larger_groups_are_worse_protected(g, k):
    smaller, larger = g.group(k), g.group(k + 1)
    assert smaller.satisfies(larger)
    assert not larger.satisfies(smaller)
    assert np.all(smaller.optimistic.delta(EPSILONS) <= larger.delta(EPSILONS))


@pytest.mark.parametrize("name", rest_slow(NAMES, "laplace"))
def test_a_group_of_groups_is_a_group(name):
    g = computed(name)
    assert g.group(1) is g
    twice, four = g.group(2).group(2), g.group(4)
    assert np.all(twice.optimistic.delta(EPSILONS) <= four.delta(EPSILONS) * (1 + 1e-15))
    assert np.all(four.optimistic.delta(EPSILONS) <= twice.delta(EPSILONS) * (1 + 1e-15))
    assert np.all(g.group(2).delta(EPSILONS) >= g.optimistic.delta(EPSILONS))


@pytest.mark.parametrize("direction", rest_slow(["add", "remove"], "remove"))
def test_each_direction_for_itself(direction):
    g = computed("dpsgd", direction)
    pair = g.group(2)
    assert pair.adjacency == direction
    np.testing.assert_allclose(pair.inverse().delta(EPSILONS), g.inverse().group(2).delta(EPSILONS), rtol=1e-9)
    # any division of eps is a bound from above, any test one from below
    e = np.linspace(-1.0, 3.0, 9)
    split = np.linspace(-2.0, 4.0, 121)[:, None]
    above = np.min(g.delta(split * np.ones(9)) + np.exp(split) * g.delta(e - split), axis=0)
    assert np.all(pair.delta(e) <= above * (1.0 + 1e-12))
    alpha = np.linspace(0.0, 1.0, 201)[:, None]
    power = g.optimistic.roc(g.optimistic.roc(alpha))
    assert np.all(pair.delta(e) >= np.max(power - np.exp(e) * alpha, axis=0) - 1e-12)


@pytest.mark.slow
def test_a_group_that_has_no_privacy_left_is_known_to_have_none():
    g = computed("dpsgd").group(60)
    assert 0.9 < g.optimistic.delta(5.0) <= g.delta(5.0) <= 1.0


def test_what_is_revealed_is_revealed_to_a_group_however_large_epsilon():
    g = ny.ApproximateDP(1.0, 1e-5).group(3)
    revealed = 1e-5 * (1.0 + np.e + np.e**2)
    np.testing.assert_allclose(g.delta([3.0, 50.0, 1000.0]), revealed, rtol=1e-8)
    assert g.epsilon(revealed * (1.0 - 1e-8)) == np.inf
    assert np.isinf(g.mu())


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_a_little_more_than_what_is_revealed_is_reached_at_the_end(k):
    g = ny.ApproximateDP(1.0, 1e-5).group(k)
    revealed = 1e-5 * sum(np.e**i for i in range(k))
    assert g.epsilon(revealed * (1.0 + 1e-8)) <= k


@pytest.mark.parametrize(("rho", "k"), rest_slow([(1e-9, 3), (0.05, 2), (1e3, 2), (1e9, 5), (1e-6, 5000)], 0, 1, 4))
def test_groups_of_zcdp_are_zcdp(rho, k):
    """Bun and Steinke 2016, proposition 1.9; the curve of one record may say more, but never less."""
    g, stated = ny.ZCDP(rho).group(k), ny.ZCDP(k * k * rho * (1.0 + 1e-15))
    assert k * k * rho <= g.zcdp() * (1.0 + 1e-15) <= k * k * rho * (1.0 + 4e-15)
    mu = math.sqrt(2.0) * k * math.sqrt(rho)  # a Gaussian mechanism with this mu is in the promise
    eps = 0.5 * mu * mu + mu * np.array([-0.5, 0.0, 3.0])
    eps = eps[eps >= 0.0]
    assert np.all(g.delta(eps) <= stated.delta(eps) * (1.0 + 1e-15))
    assert np.all(g.delta(eps) >= ny.GDP(mu * (1.0 - 1e-14)).optimistic.delta(eps))


@pytest.mark.slow
def test_groups_of_what_is_zcdp_in_all_keep_to_it():
    g = (ny.ZCDP(1.0) ** 60).group(2)
    assert np.all(g.delta([100.0, 500.0]) <= ny.ZCDP(240.0).delta([100.0, 500.0]) * (1.0 + 1e-15))
    assert g.group(2).zcdp() == pytest.approx(960.0, rel=1e-14)


def test_optimistic_stays_optimistic():
    g = computed("laplace")
    assert g.optimistic.group(2).delta(0.5) == g.group(2).optimistic.delta(0.5) < g.group(2).delta(0.5)


@pytest.mark.parametrize("k", [0, -1, 10**19, 1.5, True, "2", None, np.nan])
def test_refused(k):
    with pytest.raises(InvalidParameter, match=re.escape(f"k must be a whole number from 1 to 1e+18, got {k!r}.")):
        ny.PureDP(1.0).group(k)


def test_refused_where_every_record_takes_a_step():
    message = re.escape(
        "k must be at most 1000 in all unless f is Gaussian, got 2000. State what the guarantee implies"
    )
    with pytest.raises(InvalidParameter, match=message):
        ny.PureDP(1.0).group(20).group(100)
    assert ny.GDP(1e-9).group(10**9).mu() == pytest.approx(1.0)


@pytest.mark.parametrize("k", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_many_records(k):
    g = ny.PureDP(1.0 / k).group(k)
    limit = computed("laplace")  # to which pure privacy converges (Dong, Roth and Su 2022, Proposition 2.15)
    np.testing.assert_allclose(g.delta([0.0, 0.3, 0.9]), limit.delta([0.0, 0.3, 0.9]), rtol=1e-2)
    assert g.epsilon(0.0) == pytest.approx(1.0, rel=1e-12)


def dear(effort: float) -> ny.Guarantee:
    """One whose every reading is a sum of thousands of terms at hundreds of places."""
    run = ny.DiscreteGaussian(7.989) * ny.Laplace(26.66) ** 61 * ny.DiscreteGaussian(22.37).poisson(7.27e-4) ** 2
    return ny.account(run, "remove", effort=effort)


def test_making_a_group_takes_no_more_than_a_question_may(monkeypatch):
    """It read a closed form at 870,801 places, for half a minute, whatever the effort."""
    one, read, whole = dear(0.006), list[int](), SeveralLaplaceProfile.bracket
    monkeypatch.setattr(
        SeveralLaplaceProfile, "bracket", lambda self, epsilon: (read.append(len(epsilon)), whole(self, epsilon))[1]
    )
    assert one.group(5).tail_mu == pytest.approx(5.0 * one.tail_mu)
    assert sum(read) < 10_000


def test_a_step_towards_the_end_that_is_no_float_warns_of_nothing():
    p = (0.9116363525390625, 0.08777523040771484, 0.0005884170532226562)
    q = (0.02311229705810547, 0.8828973770141602, 0.09399032592773438)
    group = ny.account(ny.Tabulated(p=p, q=q) ** 2, "add", effort=0.1).group(3)
    assert 0.5 <= group.optimistic.auc <= group.auc <= 1.0


def test_a_group_is_no_less_private_than_the_gaussian_that_holds_at_every_alpha():
    """Whatever the effort suffices for: of five records delta was .9999, and no epsilon was known."""
    group = dear(0.006).group(5)
    gaussian = ny.GDP(group.tail_mu)
    epsilon = np.array([0.0, 1.0, 3.0, 8.0])
    assert np.all(group.delta(epsilon) <= gaussian.delta(epsilon) * (1.0 + 1e-12))
    assert group.epsilon(1e-5) <= gaussian.epsilon(1e-5) * (1.0 + 1e-6)
    assert group.advantage <= gaussian.advantage * (1.0 + 1e-12)
    assert group.auc <= gaussian.auc + 1e-4
    assert np.all(group.optimistic.delta(epsilon) <= group.delta(epsilon))


def test_where_a_group_begins_is_looked_for_again_if_that_was_cut_short():
    with Effort(1e-9):
        allowance().take(1e9)
        group = computed("laplace").group(2)
        forward = group.sides.forward
        assert forward.start > 0.0
        assert forward._natural is None
    start = forward.start
    assert forward._natural == start


def test_a_curve_is_known_far_below_where_its_directions_differ():
    """beta of four records removed was 0 there, and at most .0018 from the other side."""
    group = ny.account(ny.DPSGD(9.4, 0.32768, 2000), "remove").group(4)
    low, high = group.beta(0.01), group.optimistic.beta(0.01)
    assert 4.6e-5 < low <= high < low * (1.0 + 1e-6)
