"""Laplace noise, and noise on the integers, of a sample in which a record is exchanged for another."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import acb, arb, fmpq

import neyman as ny
from neyman_check import NotProved
from neyman_check.claims import concentrated
from neyman_check.deltas.exact import Outcomes
from neyman_check.laws import integers as room
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.integers import SampledDiscreteGaussian
from neyman_check.laws.told import Rule, Rules
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import BITS, inside, supplied
from tests.check.test_lemmas import weaker
from tests.effort import crossed
from tests.reference import exact


def listed(mechanism):
    return Outcomes(laws_of(mechanism.to_dict(), "replace"), True, Work(BITS))


def free(_: int) -> None:
    """No work is counted."""


# ------------------------------------------------------------------------------------------------ Laplace noise


@pytest.mark.parametrize(("scale", "rate"), [(0.125, 0.25), (1.0, 0.0625), (1.0, 0.9375), (20.0, 0.5)])
def test_one_laplace_step_against_another_program(scale, rate):
    (law,) = laws_of(ny.Laplace(scale).poisson(rate).to_dict(), "replace")
    assert isinstance(law, ExchangedLaplace)
    for share in (0.0, 0.01, 0.3, 0.9, 0.999):
        epsilon = float((law.end * share).mid())
        truth = exact.replaced_laplace_delta(scale, rate, epsilon)
        assert abs(law.once(arb(epsilon)) - truth) < 1e-20
        assert truth < 1e-30 or abs(law.once(arb(epsilon)) * arb("0.999") - truth) > 1e-4 * truth
        back = 1 - (-arb(epsilon)).exp() * (1 - truth)
        assert abs(law.once(-arb(epsilon)) - back) < 1e-20
    assert law.once(law.end * arb("1.0001")) == 0


def test_a_ball_about_nought_holds_both_sides():
    law = ExchangedLaplace(fmpq(1), arb("0.25"), 1)
    both = law.once(arb(0, "0.01"))
    for end in (-0.01, 0.0, 0.01):
        assert both.contains(law.once(arb(end)))


def test_claims_of_one_laplace_step():
    claims = ["tail_mu", "advantage", "zcdp"]
    found = ny.prove(ny.account(ny.Laplace(0.5).poisson(0.125), "replace"), claims)
    assert found, str(found)


def test_laplace_steps_beside_outcomes():
    """One step beside two answers, of which the losses are of either sign."""
    known = listed(ny.Laplace(1.0).poisson(0.25) * ny.RandomizedResponse(0.5, 2))
    keep = arb("0.5").exp() / (1 + arb("0.5").exp())
    for epsilon in (0.0, 0.25, 0.75):
        truth = arb(0)
        for mass, loss in ((keep, 0.5), (1 - keep, -0.5)):
            at = epsilon - loss
            one = exact.replaced_laplace_delta(1.0, 0.25, abs(at))
            truth += mass * (one if at >= 0 else 1 - arb(at).exp() * (1 - one))
        assert abs(known.delta(arb(epsilon)).upper - truth) < 1e-20


def transform(d, q, w):
    """Piece by piece, each with the signs that y - m has there."""
    d, q = arb(d), arb(q)

    def piece(low, high, *signs):
        def value(y, _):
            none, one, other = ((s * (y - m)).exp() / 2 for s, m in zip(signs, (0, d, -d), strict=True))
            p, r = (1 - q) * none + q * one, (1 - q) * none + q * other
            return (w * p.log() + (1 - w) * r.log()).exp()

        return acb.integral(value, acb(low), acb(high))

    far = 90 + d
    return piece(-far, -d, 1, 1, 1) + piece(-d, 0, 1, 1, -1) + piece(0, d, -1, 1, -1) + piece(d, far, -1, -1, -1)


@crossed(
    (("d", "q"), [("1", "0.25"), ("0.125", "0.875"), ("2", "0.015625")]),
    ("w", [-0.75, 7.0]),
)
def test_the_transform_of_a_laplace_step(d, q, w):
    law = ExchangedLaplace(fmpq(*Fraction(d).as_integer_ratio()), arb(q), 1)
    rules = Rules(Rule(90, arb("0.75")), Rule(90, arb("0.75")))
    found = law.along(arb(w), arb("0.75"), 9, rules)
    for k in (0, 8):
        assert abs(found[k] - transform(d, q, acb(w, arb("0.75") * k))) < 1e-12
    assert law.real(arb(w), rules).overlaps(found[0].real)
    bound = law.beyond(arb(w), arb(3), None)
    assert all(abs(value).lower() <= bound for value in found[4:])


def test_half_of_the_turns_would_not_do():
    """The integral of the smooth part of a half by Arb."""
    law, w = ExchangedLaplace(fmpq(1, 2), arb("0.999"), 1), arb("0.5")

    def value(t, _):
        r = 1 - law.q + law.q * t.exp()
        return (-(t + law.d) / 2 + acb(w, 3) * r.log()).exp() / 4

    smooth = abs(acb.integral(value, acb(-0.5), acb(0.5)))
    assert smooth <= law._half.turns(w) / 3
    assert smooth > law._half.turns(w) / 3 * arb("0.49")


def test_many_laplace_steps_lie_in_the_brackets_of_the_engines():
    mechanism = ny.Laplace(2.0).poisson(0.25) ** 200
    supply, g = supplied(mechanism, "replace"), ny.account(mechanism, "replace")
    for epsilon in (0.0, 1.0, 4.0):
        ball = supply.ball(True, epsilon)
        assert ball is not None
        assert ball.lower.lower() <= g.delta(epsilon)
        assert g.optimistic.delta(epsilon) <= ball.upper.upper()
        assert float((ball.upper - ball.lower).upper()) <= 1e-8 * g.delta(epsilon)


# ------------------------------------------------------------------------------------------------ integers


@pytest.mark.parametrize(("sigma", "shift", "rate"), [(0.25, 1, 0.5), (2.0, 3, 0.25), (1.0, 2, 0.875)])
def test_discrete_gaussians_against_another_program(sigma, shift, rate):
    one = exact.discrete_gaussian(sigma, shift, rate, two_sided=True)
    for times in (1, 2):
        law = exact.compose((one, times))
        known = listed(ny.DiscreteGaussian(sigma, shift).poisson(rate) ** times)
        for epsilon in (0.0, 0.3125, 2.0):
            ball = known.delta(arb(epsilon))
            assert inside(ball.lower, ball.upper, exact.delta(law, epsilon))
            assert ball.upper - ball.lower < 1e-30


def test_a_record_exchanged_listed_too_short(monkeypatch):
    """What is left out is in the ball, and the tail bound is needed for that."""
    truth = exact.delta(exact.discrete_gaussian(0.5, 1, 0.5, two_sided=True), 1.0)
    monkeypatch.setattr(room.math, "ceil", lambda _: 1)
    short = listed(ny.DiscreteGaussian(0.5).poisson(0.5)).delta(arb(1))
    assert inside(short.lower, short.upper, truth)
    weaker(monkeypatch, room, "beyond", arb("0.9"))
    (law,) = laws_of(ny.DiscreteGaussian(0.5).poisson(0.5).to_dict(), "replace")
    assert isinstance(law, SampledDiscreteGaussian)
    whole = 1 + 2 * sum(((-arb(x * x) * 2).exp() for x in range(1, 30)), arb(0))
    p, q = law.outcomes[2]  # x = 0
    assert not p.overlaps((1 + arb(-2).exp()) / (2 * whole))
    assert p.overlaps(q)


@pytest.mark.parametrize(("scale", "shift", "rate"), [(0.25, 1, 0.5), (2.0, 3, 0.25), (3.0, 2, 0.9375)])
def test_discrete_laplace_against_another_program(scale, shift, rate):
    law = exact.compose((exact.discrete_laplace(scale, shift, rate, two_sided=True), 2))
    known = listed(ny.DiscreteLaplace(scale, shift).poisson(rate) ** 2)
    for share in (0.0, 0.4, 1.2):
        epsilon = share * shift / scale
        ball = known.delta(arb(epsilon))
        assert inside(ball.lower, ball.upper, exact.delta(law, epsilon))
        assert ball.upper - ball.lower < 1e-30


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
def test_rho_of_a_sampled_discrete_gaussian(adjacency):
    """By all of it that counts at order 3, and as orders grow without end."""
    mechanism = ny.DiscreteGaussian(1.0).poisson(0.25)
    laws = laws_of(mechanism.to_dict(), adjacency)
    pairs = exact.discrete_gaussian(1.0, 1, 0.25, two_sided=adjacency == "replace")
    if adjacency == "add":
        pairs = exact.reverse(pairs)
    at_3 = sum((p**3 / q**2 for p, q in pairs), arb(0)).log() / 6
    way = adjacency != "add"
    assert concentrated.at_least(laws, way, at_3 - arb(1e-9), arb(3), free)
    limit = arb(0) if adjacency == "add" else arb("0.5")
    assert not concentrated.at_least(laws, way, at_3.max(limit) + arb(1e-9), arb(3), free)
    assert concentrated.at_most(laws, way, arb(2.0 if adjacency == "replace" else 0.5), free)


def test_sampled_tables_have_no_lemma():
    with pytest.raises(NotProved, match="exchanged"):
        laws_of(ny.RandomizedResponse(1.0, 2).poisson(0.5).to_dict(), "replace")


def test_extremes_end():
    for kind, scale in (("laplace", "scale"), ("discrete_gaussian", "sigma"), ("discrete_laplace", "scale")):
        for size in (1e-300, 1e-3, 0.5, 1e300):
            for rate in (1e-300, 0.5, 1.0 - 2.0**-53, 0.0):
                noise = {"kind": kind, scale: size, "sensitivity": 1.0 if kind == "laplace" else 1}
                data = {"schema": 1, "kind": "poisson", "rate": rate, "of": noise}
                try:
                    ball = Outcomes(laws_of(data, "replace"), True, Work(BITS)).delta(arb(1))
                except NotProved:
                    continue
                assert not ball.lower > rate
                assert not ball.upper < 0


@pytest.mark.parametrize("adjacency", ["add", "replace"])
def test_what_is_listed_is_counted(adjacency):
    for noise in (ny.DiscreteGaussian(40.0), ny.DiscreteLaplace(400.0, 400)):
        counted = []
        laws_of(noise.poisson(0.5).to_dict(), adjacency, counted.append)
        assert sum(counted) > 10_000

        def refused(units):
            raise NotProved(f"{units}")

        with pytest.raises(NotProved):
            laws_of(noise.poisson(0.5).to_dict(), adjacency, refused)
