"""Several promises at once, and one turned around: against envelopes found by brute force, laws, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter
from neyman.guarantees.envelope import profile as envelope
from neyman.guarantees.questions.curve.excess import excess_at
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

FEW = examples(5, 100)
CURVES = {
    "gaussian": (lambda: veiled(1.0), gaussian(1.0)),
    "known gaussian": (lambda: ny.GDP(0.9), gaussian(0.9)),
    "pure": (lambda: ny.PureDP(1.0), approximate(1.0, 0.0)),
    "approximate": (lambda: ny.ApproximateDP(0.5, 0.05), approximate(0.5, 0.05)),
    "laplace": (lambda: computed("laplace"), laplace(1.0)),
}


def polyline(alphas, betas):
    return lambda a: np.interp(a, [*alphas, 1.0], [*betas, 0.0])


@pytest.mark.parametrize("names", rest_slow([
    ["gaussian", "pure"], ["gaussian", "approximate"], ["gaussian", "laplace"], ["pure", "approximate"],
    ["known gaussian", "laplace", "approximate"], ["gaussian", "known gaussian"], ["pure"],
], 2, 6))  # fmt: skip
def test_join_and_meet_are_the_least_and_the_largest_curve(names):
    made, curves = zip(*(CURVES[name] for name in names), strict=True)
    guarantees = [make() for make in made]
    either, all_ = ny.join(*guarantees), ny.meet(*guarantees)
    largest = lambda a: np.max([f(a) for f in curves], axis=0)  # noqa: E731
    between(all_, delta_of(largest, EPSILONS), EPSILONS)
    between(either, np.max([delta_of(f, EPSILONS) for f in curves], axis=0), EPSILONS)
    alphas = np.linspace(0.0, 1.0, 41)
    assert np.all(all_.beta(alphas) <= largest(alphas) + 1e-10)
    np.testing.assert_allclose(all_.beta(alphas), largest(alphas), atol=1e-6)
    assert np.all(all_.optimistic.beta(alphas) >= largest(alphas) - 1e-10)


def test_the_common_tangent_of_a_gaussian_and_a_response():
    """The bridge lies below both deltas, by far more than rounding, and is reached from both sides."""
    a, b = ny.GDP(1.0), ny.PureDP(1.0)
    g = ny.meet(a, b)
    e = np.array([0.4, 0.6, 0.8, 0.95])
    assert np.all(g.delta(e) < np.minimum(a.delta(e), b.delta(e)) - 1e-4)
    np.testing.assert_allclose(g.optimistic.delta(e), g.delta(e), rtol=1e-9)
    assert g.epsilon(0.0) == 1.0
    assert g.mu() == pytest.approx(1.0, rel=1e-9)
    assert g.tail_mu == 1.0


@given(guarantees=st.lists(any_guarantee, min_size=1, max_size=3))
@FEW
def test_each_implies_the_join_and_the_meet_implies_each(guarantees):
    either, all_ = ny.join(*guarantees), ny.meet(*guarantees)
    for g in guarantees:
        assert g.satisfies(either).outcome == "yes"
        assert all_.satisfies(g).outcome == "yes"
        assert np.all(g.delta(EPSILONS) <= either.delta(EPSILONS) * (1.0 + 1e-9))
        assert np.all(all_.delta(EPSILONS) <= g.delta(EPSILONS) * (1.0 + 1e-9))
    assert all_.satisfies(either)
    bracket = all_.sides.bracket(EPSILONS)
    assert np.all((bracket.lower <= bracket.upper) & (bracket.log_gap_lower <= bracket.log_gap_upper))
    assert np.all(bracket.lower <= np.max([g.delta(EPSILONS) for g in guarantees], axis=0))


@given(a=any_guarantee, b=any_guarantee)
@FEW
def test_order_of_naming_does_not_matter(a, b):
    e = EPSILONS
    for one, other in ((ny.join(a, b), ny.join(b, a)), (ny.meet(a, b), ny.meet(b, a))):
        assert np.all(one.optimistic.delta(e) <= other.delta(e))
        assert np.all(other.optimistic.delta(e) <= one.delta(e))
    np.testing.assert_array_equal(ny.join(a, a).delta(e), a.delta(e))
    assert ny.meet(a, a) is a


def test_what_is_superfluous_is_left_out():
    g = computed("laplace")
    assert ny.meet(g, ny.GDP(2.0), ny.BLATANT) is g
    assert ny.join(g, ny.PERFECT) is g
    assert ny.meet(g, ny.join(g, ny.GDP(0.9))) is g
    assert ny.join(g, ny.meet(g, ny.GDP(0.9))) is g
    assert ny.meet(g, ny.PERFECT) is ny.PERFECT
    assert ny.join(g, ny.BLATANT) is ny.BLATANT


def test_what_implies_a_computed_guarantee_may_be_worse_where_its_losses_tell_the_directions_apart():
    whole = ny.account(ny.Gaussian(1.0).poisson(0.3))
    e = np.linspace(0.0, 6.0, 61)
    likewise = ny.Profile(e, np.append(whole.optimistic.delta(e)[1:], 0.0))
    assert likewise.satisfies(whole)
    either = ny.join(whole, likewise)
    np.testing.assert_array_equal(either.delta(e), whole.delta(e))
    for n in (1, 2):
        assert np.all((either**n).delta(e) >= (likewise**n).optimistic.delta(e))
    assert np.all(either.renyi([0.5, 1.0, 2.0]) >= likewise.optimistic.renyi([0.5, 1.0, 2.0]))


@pytest.mark.parametrize("other", rest_slow([lambda: computed("response"), lambda: ny.PureDP(0.9)], 1))
@pytest.mark.slow
def test_divergences_of_a_join_are_no_less_than_those_of_its_parts(other):
    orders, parts = [0.5, 1.0, 2.0, 4.0], (ny.GDP(0.8), other())
    g = ny.join(*parts)
    for part in parts:
        assert np.all(g.renyi(orders) >= part.optimistic.renyi(orders))
        assert g.zcdp() >= part.optimistic.zcdp()
    assert np.all(g.optimistic.renyi(orders) <= g.renyi(orders))


@pytest.mark.slow
def test_a_third_part_that_matters_in_the_middle_alone():
    parts = [ny.ApproximateDP(0.0, 0.3), ny.GDP(1.0), ny.ApproximateDP(0.2, 0.25), ny.PureDP(1.2)]
    curves = [approximate(0.0, 0.3), gaussian(1.0), approximate(0.2, 0.25), approximate(1.2, 0.0)]
    g = ny.meet(*parts)
    between(g, delta_of(lambda a: np.max([f(a) for f in curves], axis=0), EPSILONS), EPSILONS)
    assert g.auc <= min(part.auc for part in parts) + 1e-9
    assert g.optimistic.auc <= g.auc


def test_meet_of_curves_that_are_not_symmetric():
    one = ([0.0, 0.1, 0.9], [0.95, 0.5, 0.0])
    two = ([0.0, 0.3, 0.8], [0.9, 0.35, 0.0])
    g = ny.meet(ny.Tradeoff(*one), ny.Tradeoff(*two))
    largest = lambda a: np.maximum(polyline(*one)(a), polyline(*two)(a))  # noqa: E731
    between(g, delta_of(largest, EPSILONS), EPSILONS)
    between(g.inverse(), 1.0 - np.exp(EPSILONS) + np.exp(EPSILONS) * delta_of(largest, -EPSILONS), EPSILONS)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_inverse_exchanges_alpha_and_beta(direction):
    g = computed("dpsgd", direction)
    turned = g.inverse()
    assert turned.adjacency == ("remove" if direction == "add" else "add")
    assert turned.inverse() is g
    e = EPSILONS
    np.testing.assert_allclose(turned.delta(e), 1.0 - np.exp(e) + np.exp(e) * g.delta(-e), rtol=1e-9, atol=1e-9)
    alphas = np.linspace(0.01, 0.95, 20)
    np.testing.assert_allclose(turned.beta(g.beta(alphas)), alphas, atol=1e-9)
    other = computed("dpsgd", turned.adjacency)
    np.testing.assert_allclose(turned.delta(e), other.delta(e), rtol=1e-6)
    assert turned.optimistic.delta(0.1) == g.optimistic.inverse().delta(0.1)
    assert g.optimistic.inverse().inverse().delta(0.1) == g.optimistic.delta(0.1)


@pytest.mark.parametrize("name", NAMES)
def test_symmetric_guarantees_are_their_own_inverses(name):
    g = computed(name)
    assert g.inverse() is g
    assert g.symmetrized() is g


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_symmetrized_of_one_direction_is_safe_for_both(direction):
    g = computed("dpsgd", direction)
    both = g.symmetrized()
    assert both.adjacency == "add_or_remove"
    np.testing.assert_allclose(both.delta(EPSILONS), computed("dpsgd").delta(EPSILONS), rtol=1e-9)
    assert g.satisfies(both)
    assert g.inverse().satisfies(both)
    assert both.symmetrized() is both


def test_symmetrized_of_a_promise_for_both_orders_is_the_larger_of_f_and_its_inverse():
    alphas, betas = [0.0, 0.1, 0.9], [0.95, 0.5, 0.0]
    g = ny.Tradeoff(alphas, betas)
    both = g.symmetrized()
    f, turned = polyline(alphas, betas), polyline(betas[::-1], alphas[::-1])
    a = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(both.beta(a), np.maximum(f(a), turned(a)), atol=1e-6)
    np.testing.assert_allclose(both.inverse().delta(EPSILONS), both.delta(EPSILONS))
    assert both.satisfies(g)
    assert both.satisfies(g.inverse())
    assert both.adjacency == "add_or_remove"


def test_optimistic_ones_stay_optimistic():
    a, b = computed("laplace"), ny.GDP(1.0)
    for combine in (ny.join, ny.meet):
        low, high = combine(a.optimistic, b.optimistic), combine(a, b)
        np.testing.assert_array_equal(low.delta(EPSILONS), high.optimistic.delta(EPSILONS))


@pytest.mark.parametrize("combine", [ny.join, ny.meet])
def test_refused(combine):
    allowed = "guarantees must be one or more guarantees, got "
    with pytest.raises(InvalidParameter, match=re.escape(allowed + "().")):
        combine()
    with pytest.raises(InvalidParameter, match=re.escape(allowed + "2.0. Account for a mechanism with account()")):
        combine(ny.GDP(1.0), 2.0)
    with pytest.raises(InvalidParameter, match=re.escape(allowed + "Laplace(")):
        combine(ny.Laplace(1.0))
    mix = "guarantees must be guarantees of one adjacency, got 'add, remove'. They speak of different neighbouring"
    with pytest.raises(InvalidParameter, match=re.escape(mix)):
        combine(computed("dpsgd", "add"), computed("dpsgd", "remove"))
    with pytest.raises(
        InvalidParameter, match=re.escape("guarantees must be all pessimistic or all optimistic, got (")
    ):
        combine(ny.GDP(1.0), ny.GDP(2.0).optimistic)


def test_parts_that_say_less_at_an_alpha_are_not_sharpened_there(monkeypatch):
    asked = []

    def counting(sides, alpha, near, start):
        asked.append(len(alpha))
        return excess_at(sides, alpha, near, start)

    monkeypatch.setattr(envelope, "excess_at", counting)
    epsilon = np.linspace(0.5, 6.0, 30)
    bracket = ny.meet(ny.GDP(1.0), ny.account(ny.PureMechanism(1.5))).sides.forward.bracket(epsilon)
    assert np.all(bracket.upper - bracket.lower <= 1e-9 * bracket.upper)
    assert sum(asked) < 45  # each part at each alpha: 60 and more
