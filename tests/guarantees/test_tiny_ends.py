"""Upper ends of numbers that are positive and smaller than any float64: the smallest float64, never 0."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.numerics.sums.norm import together
from tests.reference.closed import normal_cdf

TINY = 5e-324
PAIR = ny.account(ny.Gaussian(0.02241145133908922), adjacency="remove").group(2)


def gaussians():
    yield PAIR
    for mu in (77.5, 90.0, 400.0, 1e4):
        yield ny.GDP(mu)
        yield ny.account(ny.Gaussian(1.0 / mu))


def test_errors_that_underflow_are_not_none():
    """(1 - prior)(1 - delta) of a Gaussian is about 2 Phi(-mu/2): positive, however large mu is."""
    for g in gaussians():
        best = g.optimistic
        assert best.bayes_error(0.9999999999960515) == TINY
        assert best.bayes_error(0.5) == best.fixed_point == TINY
        assert g.bayes_error(0.5) == g.fixed_point == 0.0
        assert best.beta(0.5) == TINY
        assert best.bayes_error([0.0, 1.0]).tolist() == [0.0, 0.0]
        assert ny.risk.bayes_error(best, 0.5).value == TINY


@pytest.mark.parametrize("mu", [75.0, 76.0, 76.4, 76.8, 77.0, 77.2])
def test_errors_among_the_smallest_floats_are_enclosed(mu):
    with ctx.workprec(300):
        truth = normal_cdf(-arb(mu) / 2)  # R at prior 1/2, the fixed point
    g = ny.GDP(mu)
    for low, high in ((g.bayes_error(0.5), g.optimistic.bayes_error(0.5)), (g.fixed_point, g.optimistic.fixed_point)):
        assert arb(low) <= truth <= arb(high)
        assert high - low <= 4.0 * TINY + 1e-9 * high
    alpha = max(float(truth.mid()), TINY)
    with ctx.workprec(300):
        assert alpha < truth or arb(g.beta(alpha)) <= truth  # f(R) = R and f falls


def test_what_reveals_the_record_leaves_no_error():
    assert ny.BLATANT.optimistic.bayes_error([0.2, 0.5]).tolist() == [0.0, 0.0]
    assert ny.BLATANT.optimistic.fixed_point == 0.0


@pytest.mark.parametrize("epsilon", [0.2, 0.8, 1.0, 1.3])
@pytest.mark.parametrize("fpr", [TINY, 3 * TINY, 17 * TINY])
def test_powers_among_the_smallest_floats_are_rounded_up(epsilon, fpr):
    """1 - f of epsilon-DP is e^epsilon times the false positive rate there."""
    with ctx.workprec(300):
        truth = arb(epsilon).exp() * arb(fpr)
    g = ny.PureDP(epsilon)
    assert truth <= arb(g.roc(fpr)) <= truth + arb(4 * TINY)
    assert arb(g.optimistic.roc(fpr)) <= truth
    assert g.roc(0.0) == 0.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ny.GDP(0.1), ny.PureDP(4.0)),
        (ny.GDP(0.04793322277344905), ny.account(ny.Laplace(0.06667040334262896))),
        (ny.GDP(0.02), ny.account(ny.Laplace(0.05))),
    ],
)
def test_a_cost_that_is_not_proved_to_be_none_is_not_said_to_be(a, b):
    """delta of a Gaussian is positive at every epsilon, that of pure epsilon-DP 0 beyond its own."""
    found = ny.compare(a, b)
    assert a.satisfies(b).outcome == "undecided"
    assert 0.0 < found.reverse < 1e-290
    assert 0.0 < b.regret(a) < 1e-9
    assert found.bounds[1].lower == 0.0
    assert "at most 0. " not in str(found)
    assert "within 0. " not in str(found)
    assert found.width > 0.0


def test_a_cost_that_is_proved_to_be_none_is_none():
    assert ny.compare(ny.GDP(1.0), ny.GDP(2.0)).reverse == 0.0
    assert ny.compare(ny.PERFECT, ny.GDP(1.0)).reverse == 0.0
    assert ny.GDP(1.0).regret(ny.PERFECT) == 0.0


def test_the_mu_of_a_product_neither_overflows_nor_vanishes():
    assert (ny.GDP(1e308) * ny.GDP(1e308)).tail_mu >= math.sqrt(2.0) * 1e308
    assert (ny.GDP(1.7e308) * ny.GDP(1.7e308)).tail_mu == math.inf
    for mu in (1e-170, 1e-200, 3e-324):
        g = ny.GDP(mu) * ny.GDP(mu)
        with ctx.workprec(300):
            assert arb(g.tail_mu) >= arb(mu) * arb(2).sqrt()
            assert arb(g.mu()) >= arb(mu) * arb(2).sqrt()
    assert together([]) == together([(0.0, 3)]) == 0.0
    assert together([(1e308, 10**18)]) == math.inf


@pytest.mark.parametrize("other", [np.array([]), np.array(2.0), np.ones(3), 2.0, None])
def test_a_guarantee_times_something_else_is_refused(other):
    for one in (ny.GDP(1.0), ny.account(ny.Gaussian(1.0)), ny.Gaussian(1.0)):
        with pytest.raises(TypeError):
            one * other
        with pytest.raises(TypeError):
            other * one


def test_nothing_is_minus_zero():
    for g in (ny.account(ny.DPSGD(1.0, 0.1, 10)), ny.GDP(1.0), ny.PureDP(1.0)):
        assert math.copysign(1.0, g.beta(1.0)) == 1.0
        assert not np.any(np.signbit(g.beta([0.5, 0.999, 1.0])))
    assert str(ny.NotCertified("delta", -0.0, 1.6e-12, "no")) == "delta is certified only to lie in [0, 1.6e-12]: no."


def test_a_product_that_is_not_certified_names_what_made_it():
    pair, step = ny.ApproximateDP(1.0, 1e-5), ny.account(ny.Laplace(1.0))
    with pytest.raises(ny.NotCertified, match=r"pass a larger tolerance to compose_tradeoffs\(\) to accept it"):
        ny.compose_tradeoffs(pair, step, tolerance=1e-12).delta(1.9999999995343387)


def test_rates_where_the_curve_meets_the_diagonal_may_underflow() -> None:
    """Both errors of 1589 nearly plain answers are below the floats: mu has a bracket, and nothing is warned of."""
    strong = ny.account(ny.RandomizedResponse(37.35638159978815, 2).poisson(0.796658009904571) ** 1589, "remove")
    with pytest.raises(ny.NotCertified) as refused:
        strong.mu()
    assert 0.0 < refused.value.lower < refused.value.upper < math.inf
