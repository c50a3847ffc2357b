"""What is left of a polyline of x, and what the pair exchanged tells: bounds hold, and are none the larger for it."""

from __future__ import annotations

import mpmath as mp
import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman.witnesses.plans.path import path
from neyman.witnesses.steps.kinds import step_of
from neyman_check.check import Checker
from neyman_check.deltas.exact import gaussian_delta, sampled_once
from neyman_check.deltas.line import Line
from neyman_check.errors import NotProved
from neyman_check.form import Proof, Wanted, plan_of
from neyman_check.laws.base import FiniteLaw
from neyman_check.laws.left import TERMS, Left
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.laws.shifted import Shifted
from neyman_check.laws.told import Polyline
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import inside, supplied
from tests.effort import rest_slow
from tests.reference.recorded import recorded


def before(s, q, first, w):
    """The integral of phi G^w from minus infinity."""
    return acb(*map(arb, before_digits(s, q, first, complex(w).real, complex(w).imag).split()))


@recorded(1e-25)
def before_digits(s: float, q: float, first: float, re: float, im: float) -> str:
    """By tanh-sinh: both parts."""
    with mp.workdps(40):
        s, q, first, w = mp.mpf(s), mp.mpf(q), mp.mpf(first), mp.mpc(re, im)

        def value(x):
            return mp.npdf(x, 0, s) * (1 - q + q * mp.exp((2 * x - 1) / (2 * s * s))) ** w

        ends = (-14 * s, -9 * s, -5 * s, -2 * s, mp.mpf(0), 2 * s, *(mp.mpf(k) / 4 for k in range(4, 20)))
        cuts = sorted(x for x in ends if x < first)
        found = mp.quad(value, [*cuts, first], maxdegree=7)
        return f"{mp.nstr(found.real, 30)} {mp.nstr(found.imag, 30)}"


@pytest.mark.parametrize(
    ("s", "q", "first", "w"),
    [(0.2, 1e-3, 0.6, 1.25 + 3j), (0.5, 1e-2, 0.9, 6 + 40j), (1.0, 0.3, 0.4, -3 + 2j), (0.3, 1e-6, -0.5, 200 + 900j),
     (2.0, 1e-4, 8.0, 2.5 + 0.5j)],
)  # fmt: skip
def test_terms_of_the_series_and_what_they_err_by(s, q, first, w):
    ctx.prec = 128
    left, truth = Left(arb(s), arb(q), arb(first)), before(s, q, first, w)
    for terms in range(TERMS + 1):
        error = abs(left.value(acb(w), terms) - truth)
        assert error.lower() <= left.off([acb(w)], terms) + arb("1e-25")
    best = left.terms([acb(w)])
    assert all(not left.off([acb(w)], terms) < left.off([acb(w)], best) for terms in range(TERMS + 1))


@pytest.mark.parametrize(
    ("s", "q", "first", "w", "terms", "factor"),
    [(0.2, 1e-3, 0.3, 0.5, 0, "0.99"), (0.2, 1e-3, 0.3, 0.5, 1, "0.99"), (0.2, 1e-3, 0.3, -1.5, 2, "0.99"),
     (0.2, 1e-3, 0.3, 1.5 + 2j, 3, "0.99"), (0.5, 0.3, 0.9, 2.5, 1, "0.3"), (0.5, 0.3, 0.9, 2.5, 0, "0.1")],
)  # fmt: skip
def test_that_bound_is_no_smaller(s, q, first, w, terms, factor):
    """Next to nothing is seen there, or (the last two) so much that (1 + v)^(w - K) counts."""
    ctx.prec = 128
    left, truth = Left(arb(s), arb(q), arb(first)), before(s, q, first, w)
    error = abs(left.value(acb(w), terms) - truth)
    assert error <= left.off([acb(w)], terms)
    assert not error <= left.off([acb(w)], terms) * arb(factor)


def test_the_ends_of_a_segment_bound_what_is_between():
    ctx.prec = 128
    left, ends = Left(arb("0.4"), arb("0.01"), arb("0.8")), (acb(1.5), acb(5, 30))
    for terms in range(TERMS + 1):
        both = left.off(ends, terms)
        for k in range(11):
            w = ends[0] + (ends[1] - ends[0]) * k / 10
            assert left.off([w], terms) <= both * (1 + arb("1e-30"))


def polyline(*points):
    return Polyline(tuple(acb(p) for p in points), (30,) * (len(points) - 1), (arb(2),) * (len(points) - 1))


@pytest.mark.parametrize("first", rest_slow([-0.2, 0.1, 0.35], 0, 2))
def test_polylines_may_begin_where_hardly_anything_is_seen(first):
    """A(2) and a value off the real axis, whatever is left to the series; at real w the bound is A itself."""
    ctx.prec = 128
    law = SampledGaussian(arb("0.3"), arb("1e-4"), 1)
    rest = [x for x in (0.0, 0.2, 0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 5.0) if x > first]
    near = Shifted(law, polyline(first, *rest), False)
    for w in (2.0, 1.5 + 4j):
        truth = before(0.3, 1e-4, first, w)
        (found,) = near.at([acb(w)], (acb(w), acb(w)))
        beside = before(0.3, 1e-4, first + 1e-3, w)  # and not what would be with a slightly different end
        assert not abs(truth - beside) < arb("1e-9")
        more = before(0.3, 1e-4, 5.0, w) - truth
        assert abs(found - truth - more) < arb("1e-12")
        assert abs(truth + more).lower() <= near.most(acb(w), arb(0)) * (1 + arb("1e-12"))


def test_an_end_is_asked_to_be_left_where_there_is_no_series():
    laws = SampledGaussian(arb(1), arb(1), 1), ExchangedGaussian(arb(1), arb("0.5"), 1)
    for law in laws:
        near = Shifted(law, polyline(0.3, 5.0, 12.0), False)
        with pytest.raises(NotProved, match="begins right of"):
            near.at([acb(2)], (acb(2), acb(2)))


@pytest.mark.parametrize("s", [1e-300, 1e-9, 1e300])
@pytest.mark.parametrize("w", [1.5 + 1e300j, -1e200 + 1j, 2.0 + 0j])
def test_nothing_fails_far_out(s, w):
    ctx.prec = 128
    left = Left(arb(s), arb("1e-300"), arb("0.5"))
    terms = left.terms([acb(w)])
    assert isinstance(left.value(acb(w), terms), acb)
    assert isinstance(left.off([acb(w), acb(2)], terms), arb)


# ------------------------------------------------------------------------------------------------ the pair exchanged


def checker(mechanism, plans):
    return Checker(Proof(mechanism.to_dict(), "add_or_remove", 128, tuple(plans), (), ()), Work(128))


@pytest.mark.parametrize("share", rest_slow([0.0, 0.3], 1))
def test_a_path_tells_what_the_pair_exchanged_does(share):
    """One step, of which both directions are known; e^eps for t, or half of eps, would be found out."""
    ctx.prec = 128
    mechanism, q = ny.Gaussian(0.12).poisson(0.3), arb(0.3)
    laws = laws_of(mechanism.to_dict(), "add_or_remove")
    end = -float((1 - q).log())
    plan = path([step_of(law) for law in laws], True, -share * end, 1.5, 12.0)
    made = checker(mechanism, [plan_of(plan, 0)])
    ball = made.delta(Wanted(False, share * end, 0))
    truth = sampled_once(lambda x: gaussian_delta(1 / arb(0.12), x), q, arb(share * end), False)
    assert inside(ball.lower, ball.upper, truth)
    assert float(ball.upper - ball.lower) < 1e-6 * float(truth)


def test_a_line_tells_what_the_pair_exchanged_does():
    """A table without symmetry."""
    ctx.prec = 128
    mechanism = ny.Tabulated((0.7, 0.2, 0.1), (0.2, 0.3, 0.5)) * ny.Gaussian(1.0)
    supply = supplied(mechanism)
    truth = supply.ball(False, 0.25)
    law, *_ = laws_of(mechanism.to_dict(), "add_or_remove")
    assert not isinstance(law, FiniteLaw) or not law.symmetric
    plan = {"direction": "remove", "c": 0.5, "far": 2.5, "period": 60.0, "nodes": 400, "steps": [None, None]}
    made = checker(mechanism, [plan_of(plan, 0)])
    assert isinstance(made.made(Wanted(False, 0.25, 0)), Line)
    ball = made.delta(Wanted(False, 0.25, 0))
    assert inside(ball.lower, ball.upper, (truth.lower + truth.upper) / 2)
    assert ball.upper - ball.lower < arb("1e-6")


@pytest.mark.slow
@pytest.mark.parametrize("run", [(0.0571, 4.9e-7, 2), (0.16, 4.9e-9, 3), (0.757, 9.2e-12, 5)])
def test_every_claim_of_rare_steps(run):
    s, q, times = run
    proof = ny.prove(ny.report(ny.account(ny.Gaussian(s).poisson(q) ** times)))
    missing = [one for one in proof.answers if one.verdict != "proved" and one.reason != "no lemma for it"]
    assert len(missing) <= 12
