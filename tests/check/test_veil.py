"""Lemmas V1 and V2: what is behind a veil lies between two lines, whatever is left out of them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from operator import mul

import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.witnesses.plans.veil import veil
from neyman.witnesses.steps.kinds import step_of
from neyman_check.check import Checker
from neyman_check.deltas import veil as veils
from neyman_check.deltas.exact import gaussian_delta
from neyman_check.deltas.line import Plan
from neyman_check.deltas.veil import Veil, VeilPlan
from neyman_check.errors import NotProved, Unreadable
from neyman_check.form import Proof, Wanted, plan_of
from neyman_check.laws.base import FiniteLaw, Gaussian
from neyman_check.laws.integers import DiscreteGaussian
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import lattices
from tests.effort import crossed, examples

OF = ((4.0, 8), (3.3, 8))
TWO = ny.DiscreteGaussian(4.0) ** 8 * ny.DiscreteGaussian(3.3) ** 8


@pytest.fixture(autouse=True)
def bits():
    with ctx.workprec(128):
        yield


def laws(mechanism=TWO):
    return laws_of(mechanism.to_dict(), "add_or_remove")


def planned(mechanism=TWO, remove=True, epsilon=1.0, thin=1e-2):
    steps = [step_of(law) for law in laws(mechanism)]
    return plan_of(veil(steps, remove, epsilon, 1.5, 30.0, thin=thin), 0)


def holds(ball, truth):
    return bool(ball.lower <= truth) and bool(truth <= ball.upper)


@crossed(
    ("remove", [True, False]),
    ("thin", [1e-3, 0.03, 0.2]),
    ("of", [((4.0, 8), (3.3, 8)), ((2.0, 9), (2.5, 4)), ((2.0, 9),)]),
)
def test_what_is_behind_a_veil(of, thin, remove):
    mechanism = reduce(mul, [ny.DiscreteGaussian(sigma) ** times for sigma, times in of])
    made = Veil(laws(mechanism), planned(mechanism, remove, thin=thin), Work(128))
    for e in (0.0, 0.3, 1.0, 2.5, 4.0):
        ball = made.delta(arb(e))
        assert holds(ball, lattices(of, e)), e
        assert ball.upper - ball.lower <= 10.0 * thin, e


def test_beside_what_is_revealed_for_certain():
    """Outcomes of other kinds, with a mass at infinity."""
    box = ny.ApproximateMechanism(0.5, 0.01)
    made = Veil(laws(TWO * box), planned(TWO * box), Work(128))
    kept, odds = arb("0.99"), arb("0.5").exp()
    for e in (0.0, 0.7, 3.0):
        parts = [(odds / (1 + odds), e - 0.5), (1 / (1 + odds), e + 0.5)]
        truth = 1 - kept + kept * sum((p * lattices(OF, x) for p, x in parts), arb(0))
        assert holds(made.delta(arb(e)), truth), e


def test_an_atom_pays_all_of_it():
    """Where eps is a loss a veil adds as much as three times its square does beyond it: 0.9 of that is too little."""
    law = FiniteLaw(((arb("0.75"), arb("0.25")), (arb("0.25"), arb("0.75"))), 1)
    loss, truth = arb(3).log(), arb(0)
    plan = VeilPlan(Plan(True, arb(1), arb(40), arb(12), 6000, ()), arb("1e-4"), ((0, 5999),), arb(40))
    made = Veil([law], plan, Work(128))
    near, far = (made._near.delta(loss), made._far.delta(loss))
    assert (near.lower - (far.upper - near.lower) * made._room) <= truth
    assert near.lower - (far.upper - near.lower) * arb("0.9") > truth
    inside = gaussian_delta(arb("0.01"), arb(0)) * arb("0.75")  # of the loss itself
    assert abs(near.upper - inside) < 1e-10


@given(
    st.floats(0.2, 6.0),
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(0, 4000),
    st.integers(0, 300),
    st.floats(-3, 3),
)
@examples(200, 5000)
def test_a_return_is_bounded(sigma, shift, times, first, run, w):
    """Lemma V2, at nodes of a stretch."""
    (law,) = laws_of((ny.DiscreteGaussian(sigma, shift) ** times).to_dict(), "add_or_remove")
    assert isinstance(law, DiscreteGaussian)
    h = arb("0.01")
    share = veils._Return(law, h / (2 * arb.pi())).log_share(first, first + run)
    whole = law.real(arb(w), None)
    points = [acb(arb(w), h * k) for k in range(first, first + run + 1, max(run // 20, 1))]
    for value in law.values(points):
        assert not abs(value) > whole * share.exp() * (1 + arb(2) ** -60)


@pytest.mark.parametrize("wrong", [1.1, 1.02])
def test_a_return_that_falls_faster_would_be_wrong(wrong):
    """Of much noise the bound is nearly all there is."""
    law = DiscreteGaussian(square(4.0), 1, 3)
    made = veils._Return(law, arb("0.01"))
    made._curve *= wrong
    k = round(0.2 * 16.0 / 0.01)  # a fifth of a turn from a return
    (value,) = law.values([acb(arb("0.5"), 2 * arb.pi() * arb("0.01") * k)])
    assert abs(value) > law.real(arb("0.5"), None) * made.log_share(k, k).exp()


def square(sigma):

    return Fraction(sigma) ** 2


def test_what_is_left_out_is_counted(monkeypatch):
    """Without the runs of later returns the ball is wide, and still true; with nothing for them it is not."""
    mechanism = ny.DiscreteGaussian(2.0) ** 9
    plan = planned(mechanism, thin=1e-3)
    assert len(plan.runs) > 2
    short, places = plan._replace(runs=plan.runs[:1]), (0.0, 0.125, 0.4, 1.0, 1.7)
    truths = [lattices(((2.0, 9),), e) for e in places]
    made = Veil(laws(mechanism), short, Work(128))
    assert all(holds(made.delta(arb(e)), truth) for e, truth in zip(places, truths, strict=True))
    monkeypatch.setattr(veils._Stretches, "left_out", lambda self: arb(0))
    made = Veil(laws(mechanism), short, Work(128))
    assert not all(holds(made.delta(arb(e)), truth) for e, truth in zip(places, truths, strict=True))


def test_both_directions_of_what_is_the_same_exchanged():
    """One line serves both; of a sampled step it does not."""
    plan = planned()
    proof = Proof(TWO.to_dict(), "add_or_remove", 128, (plan,), (), ())
    checker = Checker(proof, Work(128))
    assert checker.symmetric
    assert checker.delta(Wanted(False, 1.0, 0)) == checker.delta(Wanted(True, 1.0, 0))
    other = ny.RandomizedResponse(1.0).poisson(0.5)
    assert not Checker(proof._replace(mechanism=(TWO * other).to_dict()), Work(128)).symmetric
    table = ny.Tabulated((0.5, 0.5), (0.25, 0.75))
    assert not Checker(proof._replace(mechanism=(TWO * table).to_dict()), Work(128)).symmetric
    with pytest.raises(NotProved, match="other direction"):
        Checker(proof._replace(mechanism=(TWO * other).to_dict()), Work(128)).delta(Wanted(False, 1.0, 0))


@pytest.mark.parametrize(
    "runs", [(), ((1, 5),), ((0, 5), (5, 9)), ((0, 5), (9, 7)), ((0, 10**8),), ((0, 5), (10**9, 10**9))]
)
def test_runs_that_are_none(runs):
    with pytest.raises(NotProved, match="runs of nodes"):
        Veil(laws(), planned()._replace(runs=runs), Work(128))


def test_more_stretches_than_may_be_looked_at():
    plan = planned()
    with pytest.raises(NotProved, match="more work"):
        Veil(
            laws(),
            plan._replace(runs=((0, 0),), depth=arb(1e300), line=plan.line._replace(nodes=10**9)),
            Work(128, 3_000_000),
        )


@pytest.mark.parametrize("period", [5e-324, 1e-300, 1e300])
def test_periods_at_their_ends(period):
    """Turns that no float tells apart bound nothing."""
    plan = planned()
    ball = Veil(laws(), plan._replace(line=plan.line._replace(period=arb(period)), runs=((0, 3),)), Work(128, 10**6))
    truth = lattices(OF, 1.0)
    found = ball.delta(arb(1))
    assert not found.lower > truth
    assert not found.upper < truth


def test_steps_without_a_closed_form():
    mechanism = TWO * ny.DPSGD(1.0, 0.01, 10)
    with pytest.raises(NotProved):
        Veil(laws(mechanism), planned(), Work(128))
    assert isinstance(laws(ny.Gaussian(1.0) * TWO)[0], Gaussian)


@pytest.mark.parametrize(
    ("field", "value"),
    [("veil", 0.0), ("veil", 1.0), ("veil", math.nan), ("depth", -1.0), ("runs", [[0]]), ("runs", [[0, 1.5]]),
     ("runs", [[True, 2]]), ("runs", [[0, -1]]), ("nodes", 1), ("nodes", 10**10), ("runs", [[0, 1]] * 6000),
     ("steps", [])],
)  # fmt: skip
def test_a_veil_that_cannot_be_read(field, value):
    whole = veil([step_of(law) for law in laws()], True, 1.0, 1.5, 30.0, thin=1e-2)
    plan_of(whole, 0)
    with pytest.raises(Unreadable):
        plan_of({**whole, field: value}, 0)
