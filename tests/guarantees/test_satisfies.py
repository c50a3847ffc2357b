"""Whether one guarantee implies another: known orders, proofs against brute force, laws, what is stated, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import neyman as ny
from neyman import InvalidParameter, Satisfaction
from tests.effort import examples, rest_slow
from tests.guarantees.pool import EPSILONS, NAMES, any_guarantee, computed, veiled

PAIRS = examples(10, 250)


def consistent(g, h, answer):
    """What the answer says is what the certified bounds show."""
    e, alphas = EPSILONS, np.concatenate([np.geomspace(1e-12, 0.4, 20), np.linspace(0.45, 0.999, 8)])
    if answer.outcome == "yes":
        assert answer == Satisfaction("yes")
        assert bool(answer)
        assert np.all(g.optimistic.delta(e) <= h.delta(e))
        assert np.all(g.optimistic.beta(alphas) >= h.beta(alphas))
    else:
        assert not answer
    if answer.outcome == "no":
        assert answer.excess > 0.0
        assert g.delta(answer.epsilon) - h.optimistic.delta(answer.epsilon) >= answer.excess
        assert g.beta(answer.alpha) < h.optimistic.beta(answer.alpha)
    if answer.outcome == "undecided":
        assert answer.excess > 0.0
        assert np.all(g.optimistic.delta(e) <= h.delta(e) + answer.excess)


@given(a=st.floats(0.0, 50.0), b=st.floats(0.0, 50.0))
def test_gaussians_are_ordered_by_mu(a, b):
    answer = ny.GDP(a).satisfies(ny.GDP(b))
    if a <= b:
        assert answer.outcome == "yes"
    elif a > b * (1.0 + 1e-9) + 1e-12:
        assert answer.outcome == "no"
        consistent(ny.GDP(a), ny.GDP(b), answer)


@pytest.mark.parametrize(("g", "h", "outcome"), [
    (lambda: ny.account(ny.Laplace(1.0)), lambda: ny.GDP(1.0301), "yes"),
    (lambda: ny.account(ny.Laplace(1.0)), lambda: ny.GDP(1.03), "no"),  # tail_mu is 1.03006
    (lambda: ny.account(ny.Laplace(1.0)), lambda: ny.PureDP(1.0), "yes"),
    (lambda: ny.account(ny.Laplace(1.0)), lambda: ny.PureDP(0.999999), "no"),
    (lambda: ny.account(ny.RandomizedResponse(1.0, k=4)), lambda: ny.PureDP(1.0), "yes"),
    (lambda: ny.PureDP(1.0), lambda: ny.GDP(1.23204), "yes"),
    (lambda: ny.PureDP(1.0), lambda: ny.GDP(1.23203), "no"),
    (lambda: ny.GDP(1.0), lambda: ny.PureDP(30.0), "no"),
    (lambda: ny.GDP(1.0), lambda: ny.ApproximateDP(1.0, 0.1269367376), "yes"),
    (lambda: ny.GDP(1.0), lambda: ny.ApproximateDP(1.0, 0.1269367374), "no"),
    (lambda: ny.ApproximateDP(0.1, 1e-12), lambda: ny.GDP(5.0), "no"),
])  # fmt: skip
def test_known_orders(g, h, outcome):
    answer = g().satisfies(h())
    assert answer.outcome == outcome
    consistent(g(), h(), answer)


@given(g=any_guarantee)
def test_extremes(g):
    assert g.satisfies(ny.BLATANT)
    assert ny.PERFECT.satisfies(g)
    assert ny.BLATANT.satisfies(g).outcome == "no"
    assert g.satisfies(ny.PERFECT).outcome == ("no" if g.optimistic.advantage > 0.0 else "yes")


@given(g=any_guarantee)
@PAIRS
def test_reflexive(g):
    assert g.satisfies(g)
    assert g.satisfies(g.group(1))
    assert ny.GDP(1.0).satisfies(ny.GDP(1.0))
    assert ny.PureDP(0.3).satisfies(ny.PureDP(0.3))


@given(g=any_guarantee, h=any_guarantee)
@PAIRS
def test_answers_are_what_the_bounds_show_and_never_both_strict(g, h):
    there, back = g.satisfies(h), h.satisfies(g)
    consistent(g, h, there)
    consistent(h, g, back)
    if there and back:
        assert np.all(g.optimistic.delta(EPSILONS) <= h.delta(EPSILONS))
        assert np.all(h.optimistic.delta(EPSILONS) <= g.delta(EPSILONS))


@given(a=any_guarantee, b=any_guarantee, c=any_guarantee)
@examples(6, 150)
def test_transitive(a, b, c):
    if a.satisfies(b) and b.satisfies(c):
        assert a.satisfies(c).outcome != "no"


@given(mu=st.floats(0.2, 4.0), factor=st.floats(1.001, 2.0))
@PAIRS
def test_proved_on_numbers_alone_as_far_as_they_go(mu, factor):
    """Two veiled Gaussians: the tail beyond all numbers stays open, by less than anything that can be computed."""
    answer = veiled(mu).satisfies(veiled(mu * factor))
    assert answer.outcome != "no"
    assert answer.excess <= 1e-280
    assert veiled(mu * factor).satisfies(veiled(mu)).outcome == "no"
    assert veiled(mu).satisfies(ny.ApproximateDP(0.0, 0.999)).outcome in ("yes", "no")


def test_nearly_touching_curves_are_told_apart():
    """The least mu of Laplace noise, approached from both sides, against a target that is only numbers."""
    g = computed("laplace")
    crossing = optimize.brentq(lambda mu: 1.0 if g.satisfies(veiled(mu)) else -1.0, 1.0, 1.1, xtol=1e-7)
    assert crossing == pytest.approx(1.0300639976, abs=1e-6)
    assert g.satisfies(veiled(1.0300639976 - 1e-6)).outcome == "no"


def test_more_steps_are_worse_and_rarer_sampling_is_better():
    base, more, rarer = computed("dpsgd"), computed("dpsgd more"), computed("dpsgd rarer")
    for better, worse in ((base, more), (rarer, base), (rarer, more)):
        answer = better.satisfies(worse)
        assert answer.outcome != "no"
        assert answer.excess <= 1e-30
        assert worse.satisfies(better).outcome == "no"
    laplace = computed("laplace")
    assert laplace.satisfies(ny.account(ny.Laplace(1.0) * ny.RandomizedResponse(0.1))).outcome != "no"
    assert ny.account(ny.Laplace(1.0) ** 2).satisfies(laplace).outcome == "no"
    assert ny.account(ny.Laplace(1.0).poisson(0.5)).satisfies(laplace)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_decide_exactly(name):
    g = computed(name)
    epsilons = np.array([0.1, 0.4, 0.9])
    deltas = g.delta(epsilons)
    assert g.satisfies(ny.Profile(epsilons, deltas))
    assert g.satisfies(ny.ApproximateDP(0.4, deltas[1]))
    less = deltas * np.array([1.0, 0.999, 1.0])
    answer = g.satisfies(ny.Profile(epsilons, less))
    assert answer.outcome == ("no" if deltas[1] > 0.0 else "yes")
    consistent(g, ny.Profile(epsilons, less), answer)


@pytest.mark.parametrize("direction", rest_slow(["add", "remove"], "remove"))
def test_one_direction_must_hold_both_ways_for_symmetric_promises(direction):
    g = computed("one step", direction)
    wrong = g.delta(0.5) * (1.0 + 1e-9)
    other = g.inverse().delta(0.5)
    assert g.satisfies(ny.ApproximateDP(0.5, wrong)).outcome == ("no" if other > wrong else "yes")
    assert g.satisfies(ny.ApproximateDP(0.5, max(wrong, other)))
    both = g.symmetrized()
    assert g.satisfies(both)
    assert g.inverse().satisfies(both)
    assert g.satisfies(computed("one step")).outcome != "no"
    answer = both.satisfies(g)
    assert answer.outcome == "no"
    consistent(both, g, answer)
    failing = g.satisfies(g.inverse())
    assert failing.outcome == "no"
    consistent(g, g.inverse(), failing)


def test_polylines_are_decided_by_their_edges():
    g = computed("laplace")
    x = np.exp([1.0, 0.4, 0.0, -0.4, -1.0])
    gap = 1.0 - np.array([g.delta(float(np.log(v))) for v in x])
    corners = (gap[:-1] - gap[1:]) / (x[:-1] - x[1:])
    alphas = np.concatenate([[0.0], corners, [gap[-1] / x[-1]]])
    betas = np.append(gap - x * np.append(alphas[:1], corners), 0.0)
    below = ny.Tradeoff(alphas * (1 - 1e-12), betas * (1 - 1e-12))
    assert g.satisfies(below)
    above = ny.Tradeoff([0.0, *alphas[1:-1], 1.0], [1.0, *(betas[1:-1] * 1.001), 0.0])
    answer = g.satisfies(above)
    assert answer.outcome == "no"
    consistent(g, above, answer)


def test_an_edge_steeper_than_any_float():
    steep = ny.Tradeoff([0.0, 5e-324, 1.0], [1.0, 0.5, 0.0])
    assert ny.GDP(1.0).satisfies(steep).outcome == "no"
    assert ny.PureDP(0.1).satisfies(ny.Tradeoff([0.0, 5e-324, 1.0], [1.0, 0.25, 0.0]))


def test_divergences_are_enough_where_curves_do_not_reach():
    assert ny.GDP(1.0).satisfies(ny.ZCDP(0.5001))
    assert computed("laplace").satisfies(ny.ZCDP(0.5))
    assert computed("dpsgd", "remove").satisfies(ny.RDP([2.0, 8.0], [0.22, 30.1]))
    far = computed("dpsgd", "remove").satisfies(ny.RDP([2.0, 8.0], [1.0, 5.0]))  # seen where delta is 1e-33
    consistent(computed("dpsgd", "remove"), ny.RDP([2.0, 8.0], [1.0, 5.0]), far)
    assert far.outcome == "no"
    answer = ny.GDP(1.3).satisfies(ny.ZCDP(0.5))
    assert answer.outcome == "no"
    consistent(ny.GDP(1.3), ny.ZCDP(0.5), answer)
    assert ny.ZCDP(0.5).satisfies(ny.ZCDP(0.6))
    assert ny.ZCDP(0.5).satisfies(ny.ApproximateDP(5.0, 1e-3))


def test_the_answer_as_a_truth_value():
    assert bool(Satisfaction("yes"))
    assert not Satisfaction("no", 0.1, 0.2, 0.3)
    assert not Satisfaction("undecided", excess=1e-300)


def test_optimistic_guarantees_answer_alike():
    g, h = computed("laplace"), ny.GDP(1.05)
    assert g.optimistic.satisfies(h) == g.satisfies(h)


@pytest.mark.parametrize("other", [None, 1.0, "GDP", ny.Laplace(1.0)])
def test_refused(other):
    with pytest.raises(InvalidParameter, match=re.escape("other must be a Guarantee, got ")):
        ny.GDP(1.0).satisfies(other)
