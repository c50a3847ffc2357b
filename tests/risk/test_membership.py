"""TPR at FPR, advantage, posterior, Bayes error and accuracy: closed forms, laws, both sides, both priors."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples, rest_slow
from tests.guarantees import pool

share = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 5e-324, 1e-300, 1e-16, 0.5, 1.0 - 2.0**-53, 1.0]))
middling = st.floats(1e-6, 1.0 - 1e-6)


def gaussian_power(mu: float, fpr: float) -> mp.mpf:
    """Phi(mu + Phi^-1(fpr)) to 40 digits."""
    with mp.workdps(40):
        x = mp.findroot(lambda t: mp.ncdf(t) - mp.mpf(fpr), mp.sqrt(2) * mp.erfinv(2 * mp.mpf(fpr) - 1))
        return mp.ncdf(mu + x)


@pytest.mark.parametrize("mu", [0.01, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("fpr", rest_slow([1e-6, 0.01, 0.1, 0.5, 0.9], 0, 2, 4))
def test_gaussian_closed_forms(mu: float, fpr: float) -> None:
    """Within 1e-9 of the truth, on the safe side, and the twin on the other."""
    g = ny.GDP(mu)
    power = gaussian_power(mu, fpr)
    with mp.workdps(40):
        for prior in (0.001, 0.5, 0.9):
            p = mp.mpf(prior)
            believed = p * power / (p * power + (1 - p) * mp.mpf(fpr))
            e = mp.log(p / (1 - p))
            delta = mp.ncdf(mp.mpf(mu) / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mp.mpf(mu) / 2 - e / mu)
            error = (1 - p) * (1 - delta)
            for upper, lower, truth in (
                (ny.risk.tpr(g, fpr), ny.risk.tpr(g.optimistic, fpr), power),
                (ny.risk.reconstruction(g, fpr), ny.risk.reconstruction(g.optimistic, fpr), power),
                (ny.risk.relative_risk(g, fpr), ny.risk.relative_risk(g.optimistic, fpr), power / mp.mpf(fpr)),
                (ny.risk.posterior(g, prior, fpr), ny.risk.posterior(g.optimistic, prior, fpr), believed),
                (ny.risk.bayes_error(g.optimistic, prior), ny.risk.bayes_error(g, prior), error),
                (ny.risk.accuracy(g, prior), ny.risk.accuracy(g.optimistic, prior), 1 - error),
                (ny.risk.advantage(g), ny.risk.advantage(g.optimistic), 2 * mp.ncdf(mp.mpf(mu) / 2) - 1),
            ):
                assert lower.value <= truth <= upper.value
                assert float(upper) - float(lower) <= 1e-9 * float(upper)


@examples(15, 500)
@given(g=pool.any_guarantee, fpr=share, prior=share)
def test_between_the_baseline_and_one(g: ny.Guarantee, fpr: float, prior: float) -> None:
    for side in (g, g.optimistic):
        for risk in (
            ny.risk.tpr(side, fpr),
            ny.risk.posterior(side, prior, fpr),
            ny.risk.accuracy(side, prior),
            ny.risk.advantage(side),
        ):
            assert risk.baseline <= risk.value <= 1.0
        error = ny.risk.bayes_error(side, prior)
        assert 0.0 <= error.value <= error.baseline


@examples(8, 400)
@given(g=pool.any_guarantee, fpr=share, prior=share)
def test_the_other_side_lies_beyond(g: ny.Guarantee, fpr: float, prior: float) -> None:
    assert ny.risk.tpr(g.optimistic, fpr).value <= ny.risk.tpr(g, fpr).value
    assert ny.risk.posterior(g.optimistic, prior, fpr).value <= ny.risk.posterior(g, prior, fpr).value
    assert ny.risk.accuracy(g.optimistic, prior).value <= ny.risk.accuracy(g, prior).value
    assert ny.risk.bayes_error(g.optimistic, prior).value >= ny.risk.bayes_error(g, prior).value


FAMILIES = [ny.GDP, ny.PureDP, lambda x: ny.ApproximateDP(x, 1e-3), lambda x: ny.ApproximateDP(1.0, x / 8.0)]


@examples(5, 300)
@given(family=st.sampled_from(FAMILIES), x=st.floats(0.0, 4.0), more=st.floats(0.0, 3.0), fpr=middling)
def test_more_private_is_no_riskier(family, x: float, more: float, fpr: float) -> None:  # type: ignore[no-untyped-def]
    nested(family(x), family(x + more), fpr)


@pytest.mark.parametrize("fpr", rest_slow([1e-6, 0.5], 1))
def test_more_private_is_no_riskier_where_it_is_computed(fpr: float) -> None:
    nested(pool.computed("dpsgd"), pool.computed("dpsgd more"), fpr)
    nested(pool.computed("dpsgd rarer"), pool.computed("dpsgd"), fpr)
    nested(pool.computed("laplace wide"), pool.computed("laplace"), fpr)


def test_more_private_is_no_riskier_where_it_is_combined() -> None:
    a, b = ny.PureDP(1.0), ny.GDP(0.9)
    nested(ny.meet(a, b), a, 0.03)
    nested(b, ny.join(a, b), 0.03)
    nested(a, a * b, 0.03)


def nested(a: ny.Guarantee, b: ny.Guarantee, x: float) -> None:
    """Every risk of ``a`` is at most that of ``b``, which ``a`` satisfies, but for the width of a bound."""
    r = ny.risk
    for risk in (
        lambda g: r.tpr(g, x),
        r.advantage,
        lambda g: r.posterior(g, 0.1, x),
        lambda g: r.accuracy(g, x),
        lambda g: r.reconstruction(g, x),
        lambda g: r.attribute_inference(g, x),
        lambda g: r.singling_out(g, x, 7),
        lambda g: r.relative_risk(g, x),
    ):
        assert float(risk(a)) <= float(risk(b)) * (1.0 + 1e-6)
        assert float(risk(a.optimistic)) <= float(risk(b))
    assert float(r.bayes_error(b, x)) <= float(r.bayes_error(a, x)) * (1.0 + 1e-6)


@examples(12, 400)
@given(g=pool.any_guarantee, x=middling)
def test_the_definitions_agree(g: ny.Guarantee, x: float) -> None:
    r = ny.risk
    assert abs(float(r.accuracy(g, x)) - (1.0 - float(r.bayes_error(g, x)))) <= 2.0**-52
    assert float(r.accuracy(g, 0.5)) == pytest.approx(0.5 * (1.0 + float(r.advantage(g))), abs=1e-9)
    assert float(r.tpr(g, x)) - x <= float(r.advantage(g)) + 1e-9
    assert float(r.reconstruction(g, x)) == float(r.attribute_inference(g, x)) == float(r.tpr(g, x))
    assert float(r.relative_risk(g, x)) == pytest.approx(float(r.tpr(g, x)) / x, rel=1e-14)
    # the accuracy is that of the best of all attacks
    assert x * (1.0 - 0.3) + (1.0 - x) * float(r.tpr(g.optimistic, 0.3)) <= float(r.accuracy(g, x)) + 1e-12


@examples(10, 400)
@given(g=pool.any_guarantee, prior=middling, a=share, b=share)
def test_the_posterior_falls_with_the_false_positive_rate(g: ny.Guarantee, prior: float, a: float, b: float) -> None:
    """So what holds at an FPR holds at every larger one."""
    low, high = sorted((a, b))
    assert float(ny.risk.posterior(g.optimistic, prior, high)) <= float(ny.risk.posterior(g, prior, low))


@examples(12, 600)
@given(prior=share, fpr=share, epsilon=st.floats(0.0, 30.0))
def test_the_posterior_is_rounded_outward(prior: float, fpr: float, epsilon: float) -> None:
    """Against rational arithmetic on the very rates that the guarantee states."""
    assume(fpr > 0.0)
    g = ny.PureDP(epsilon)
    p, a = Fraction(prior), Fraction(fpr)
    for side, sign in ((g, 1), (g.optimistic, -1)):
        t = max(Fraction(side.roc(fpr)), a)
        truth = p * t / (p * t + (1 - p) * a) if p else Fraction(0)
        found = Fraction(float(ny.risk.posterior(side, prior, fpr)))
        assert sign * found >= sign * truth
        assert abs(found - truth) <= Fraction(1, 2**49) * truth + Fraction(1, 2**1070) / a


def test_no_rounding_of_the_posterior_is_forgotten() -> None:
    """Thousands of priors small enough that each operation leaves its trace in the last place."""
    rng = np.random.default_rng(5)
    prior, fpr = 10.0 ** rng.uniform(-9.0, -0.1, (2, 4000))
    for side, sign in ((ny.GDP(0.4), 1), (ny.GDP(0.4).optimistic, -1)):
        power = np.maximum(side.roc(fpr), fpr)
        found = ny.risk.posterior(side, prior, fpr).value
        for p, a, t, v in zip(prior, fpr, power, found, strict=True):
            gain, loss = Fraction(p) * Fraction(t), (1 - Fraction(p)) * Fraction(a)
            assert sign * Fraction(v) * (gain + loss) >= sign * gain


def test_the_posterior_at_no_false_positives_is_that_of_the_largest_loss() -> None:
    for epsilon, prior in ((1.0, 0.5), (0.1, 0.001), (5.0, 0.2)):
        truth = prior * math.exp(epsilon) / (prior * math.exp(epsilon) + 1.0 - prior)
        found = ny.risk.posterior(ny.PureDP(epsilon), prior, [0.0, 1e-9])
        assert found.value == pytest.approx([truth, truth], rel=1e-12)
        assert np.all(found.value >= truth * (1.0 - 1e-15))
    assert ny.risk.posterior(ny.GDP(0.1), 0.5, 0.0).value == 1.0  # its loss has no largest value
    assert ny.risk.posterior(ny.ApproximateDP(1.0, 1e-9), 1e-6, 0.0).value == 1.0  # a record may be revealed
    assert ny.risk.posterior(ny.ApproximateDP(1.0, 1e-3).optimistic, 1e-6, 0.0).value == 1.0
    assert ny.risk.posterior(ny.PERFECT, 0.25, 0.0).value == pytest.approx(0.25, rel=1e-14)


@pytest.mark.parametrize("fpr", [0.0, 1e-300, 0.3, 1.0])
def test_what_is_sure_beforehand_stays_so(fpr: float) -> None:
    for g in (ny.PERFECT, ny.GDP(2.0), ny.BLATANT, ny.BLATANT.optimistic, ny.PureDP(1.0).optimistic):
        assert ny.risk.posterior(g, [0.0, 1.0], fpr).value.tolist() == [0.0, 1.0]
        assert ny.risk.bayes_error(g, [0.0, 1.0]).value.tolist() == [0.0, 0.0]
        assert ny.risk.accuracy(g, [0.0, 1.0]).value.tolist() == [1.0, 1.0]


def test_the_two_ends_of_the_scale() -> None:
    x = np.array([0.0, 1e-9, 0.1, 0.5, 1.0])
    r = ny.risk
    np.testing.assert_allclose(r.tpr(ny.PERFECT, x).value, x, rtol=1e-13)
    np.testing.assert_allclose(r.posterior(ny.PERFECT, x, 0.2).value, x, rtol=1e-13)
    np.testing.assert_allclose(r.accuracy(ny.PERFECT, x).value, np.maximum(x, 1.0 - x), rtol=1e-14)
    assert r.advantage(ny.PERFECT).value == 0.0
    assert np.all(r.tpr(ny.BLATANT, x).value == 1.0)
    assert np.all(r.accuracy(ny.BLATANT, x).value == 1.0)
    assert np.all(r.bayes_error(ny.BLATANT, x).value == 0.0)
    assert r.advantage(ny.BLATANT).value == 1.0


def test_one_order_alone_is_always_read_with_the_record_absent_under_the_null() -> None:
    """One step of sampled Gaussian noise: with the record it is a mixture, so the two orders differ."""
    sigma, rate, threshold = 0.8, 0.3, 2.5
    m = ny.Gaussian(sigma).poisson(rate)
    alone = [ny.account(m, adjacency=order) for order in ("add", "remove")]
    with mp.workdps(30):  # reject above a threshold: the likelihood ratio rises
        absent = mp.ncdf(-threshold)
        power = (1 - rate) * absent + rate * mp.ncdf(-threshold + 1 / mp.mpf(sigma))
    for g in alone:
        assert ny.risk.tpr(g, float(absent)).value == pytest.approx(float(power), rel=1e-9)
        assert g.adjacency == ny.risk.tpr(g, 0.1).adjacency
    both = ny.account(m)
    for x in (1e-4, 0.1, 0.6):
        for risk in (ny.risk.tpr, ny.risk.accuracy, lambda g, y: ny.risk.posterior(g, 0.3, y)):
            add, remove, either = (float(risk(g, x)) for g in (*alone, both))
            assert add == pytest.approx(remove, rel=1e-9)
            assert remove <= either * (1.0 + 1e-9)


@pytest.mark.slow
def test_a_promise_of_both_orders_is_symmetrised() -> None:
    """f and its inverse both hold: at most the smaller of the two risks remains."""
    f = ny.Tradeoff([0.0, 0.1, 0.5, 1.0], [1.0, 0.6, 0.3, 0.0])
    for x in (0.01, 0.1, 0.45, 0.8):
        least = min(f.roc(x), f.inverse().roc(x))
        assert ny.risk.tpr(f, x).value <= least * (1.0 + 1e-9)
        assert ny.risk.tpr(f.inverse(), x).value == pytest.approx(ny.risk.tpr(f, x).value, rel=1e-9)
        assert ny.risk.bayes_error(f, x).value >= max(f.bayes_error(x), f.inverse().bayes_error(x)) - 1e-9


def test_agreement_with_a_peer() -> None:
    """What riskcal 1.5.1 says of Gaussian privacy and of a pair, where it is right."""
    beta = [0.9952044407908578, 0.7827609195726948, 0.9817015315943434, 0.610856308354639, 0.5359486937899742]
    for (mu, fpr), miss in zip([(0.5, 1e-3), (0.5, 0.1), (1.0, 1e-3), (1.0, 0.1), (3.0, 1e-3)], beta, strict=True):
        assert ny.risk.tpr(ny.GDP(mu), fpr).value == pytest.approx(1.0 - miss, rel=1e-11)
    for mu, advantage in ((0.5, 0.1974126513658474), (1.0, 0.38292492254802624), (3.0, 0.8663855974622838)):
        assert ny.risk.advantage(ny.GDP(mu)).value == pytest.approx(advantage, rel=1e-12)
    error = [0.09866369390053122, 0.3085375387259869, 0.09866369390053115]
    assert ny.risk.bayes_error(ny.GDP(1.0), [0.1, 0.5, 0.9]).value == pytest.approx(error, rel=1e-11)
    pair = ny.ApproximateDP(1.0, 1e-5)
    miss = np.array([0.997271718171541, 0.7281618171540956, 0.18393604179130946])
    assert ny.risk.tpr(pair, [1e-3, 0.1, 0.5]).value == pytest.approx(1.0 - miss, rel=1e-11)
    assert ny.risk.advantage(pair).value == pytest.approx(0.4621225360884372, rel=1e-12)


NAN, G = math.nan, ny.GDP(1.0)


@pytest.mark.parametrize("bad", [NAN, -1e-9, 1.0 + 1e-9, math.inf, "0.1", True, [0.1, NAN], [], None])
def test_refusals(bad: object) -> None:
    calls = {
        "fpr": (lambda: ny.risk.tpr(G, bad), lambda: ny.risk.posterior(G, 0.5, bad)),
        "membership_prior": (lambda: ny.risk.posterior(G, bad, 0.1),),
        "prior": (lambda: ny.risk.bayes_error(G, bad), lambda: ny.risk.accuracy(G, bad)),
    }
    for name, ways in calls.items():
        for way in ways:
            with pytest.raises(ny.InvalidParameter, match="must be a number") as caught:
                way()
            assert caught.value.name == name


def test_what_is_no_guarantee_is_refused() -> None:
    m = ny.Laplace(1.0)
    for way in (
        lambda: ny.risk.tpr(m, 0.1),  # type: ignore[arg-type]
        lambda: ny.risk.advantage(m),  # type: ignore[arg-type]
        lambda: ny.risk.posterior(m, 0.5, 0.1),  # type: ignore[arg-type]
        lambda: ny.risk.bayes_error(m, 0.5),  # type: ignore[arg-type]
        lambda: ny.risk.accuracy(m, 0.5),  # type: ignore[arg-type]
    ):
        with pytest.raises(ny.InvalidParameter, match=r"guarantee must be a Guarantee, got .*account\(mechanism\)"):
            way()
    with pytest.raises(ny.InvalidParameter, match=r"fpr must be an array that broadcasts with membership_prior"):
        ny.risk.posterior(G, [0.1, 0.2], [0.1, 0.2, 0.3])
