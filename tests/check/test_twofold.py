"""Lemmas T1 and T2: two sampled Laplace steps, and one of two batches."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman_check.check import check
from neyman_check.deltas.exact import Outcomes
from neyman_check.deltas.twofold import Dealt, DealtGaussian, TwiceSampled
from neyman_check.errors import NotProved
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.effort import crossed, examples
from tests.hunt.allocation import Allocated


@pytest.fixture(autouse=True)
def bits():
    with ctx.workprec(128), mp.workdps(28):
        yield


def told(mechanism, remove, epsilon):
    ball = Outcomes(laws_of(mechanism.to_dict(), "add_or_remove"), remove, Work(128)).delta(arb(epsilon))
    assert ball.upper - ball.lower <= 1e-25 * max(1.0, math.exp(epsilon))
    return ball


def holds(ball, truth, room=1e-18):
    return bool(ball.lower <= truth * (1 + arb(room)) + 1e-30) and bool(ball.upper >= truth * (1 - arb(room)) - 1e-30)


def two_laplace(d, q, remove, epsilon):
    """Both draws of noise as they are: |x| and |x - 1| in units of the scale, one integral by mpmath."""
    d, q, e = mp.mpf(d), mp.mpf(q), mp.exp(mp.mpf(epsilon))

    def ratio(x):
        return 1 - q + q * mp.exp((abs(x) - abs(x - 1)) * d)

    def density(x):
        return d / 2 * mp.exp(-abs(x) * d)

    def tail(loss_at_least):
        """Mass without, and with, of one draw whose ratio is at least that."""
        low, high = ratio(mp.mpf(0)), ratio(mp.mpf(1))
        if loss_at_least <= low:
            return mp.mpf(1), mp.mpf(1)
        if loss_at_least > high:
            return mp.mpf(0), mp.mpf(0)
        t = mp.log((loss_at_least - 1 + q) / q)
        x = (t / d + 1) / 2
        alone = mp.exp(-x * d) / 2
        moved = 1 - mp.exp(-(1 - x) * d) / 2
        return alone, (1 - q) * alone + q * moved

    def inner(x):
        r = ratio(x)
        if remove:
            without, present = tail(e / r)
            return density(x) * (r * present - e * without)
        without, present = tail(1 / (e * r))
        return density(x) * ((1 - without) - e * r * (1 - present))

    whole = mp.quad(inner, pieces(d, q, ratio, e))
    outside = [(mp.mpf(1) / 2, mp.mpf(0)), (mp.exp(-d) / 2, mp.mpf(1))]
    for mass, x in outside:
        whole += mass * inner(x) / density(x)
    return whole


def pieces(d, q, ratio, e):
    """From 0 to 1, with the borders of the second draw's piece between."""
    low, high = ratio(mp.mpf(0)), ratio(mp.mpf(1))
    parts = 30 if d > 20 else 6
    ends = [mp.mpf(k) / parts for k in range(parts + 1)]
    for border in (e / low, e / high, 1 / (e * low), 1 / (e * high)):
        taken = (border - 1 + q) / q
        if taken > 0:
            ends.append((mp.log(taken) / d + 1) / 2)
    return sorted(x for x in ends if 0 <= x <= 1)


@crossed(
    ("remove", [True, False]),
    (("d", "q"), [(0.5, 0.3), (4.0, 0.05), (12.0, 0.9), (25.0, 1e-4), (1e-3, 1e-5), (3.0, 1 - 2**-20)]),
)
def test_two_sampled_laplace_steps(d, q, remove):
    mechanism = ny.Laplace(1.0 / d).poisson(q) ** 2
    law = laws_of(mechanism.to_dict(), "add_or_remove")[0]
    assert isinstance(law, SampledLaplace)
    d = float(law.d.mid())
    top = 2 * math.log1p(q * math.expm1(d)) if remove else -2 * math.log1p(q * math.expm1(-d))
    for share in (0.0, 0.3, 0.51):
        e = share * top
        truth = arb(str(two_laplace(mp.mpf(str(fmpq(law.ratio).p)) / mp.mpf(str(fmpq(law.ratio).q)), q, remove, e)))
        assert holds(told(mechanism, remove, e), truth), (share, truth)


def test_a_middle_piece_that_is_less(monkeypatch):
    whole = TwiceSampled._root
    monkeypatch.setattr(TwiceSampled, "_root", lambda *a: arb("0.999") * whole(*a))
    mechanism = ny.Laplace(0.25).poisson(0.3) ** 2
    truth = arb(str(two_laplace(4.0, 0.3, True, 0.5)))
    assert not holds(told(mechanism, True, 0.5), truth)


@given(st.floats(-1.5, 5.0), st.floats(0.0, 6.0), st.booleans())
@examples(6, 500)
def test_batches_of_any_noise(log_s, x, remove):
    """Against an integral over one of both outputs."""
    s = math.exp(log_s)
    epsilon = arb(min(x / s + x / (s * s), 20.0))
    low, high = Allocated(s, 2).delta(epsilon, add=not remove)
    ball = Dealt(DealtGaussian(arb(s)), remove, Work(128)).delta(epsilon)
    assert ball.upper() >= low.lower()
    assert ball.lower() <= high.upper()
    assert ball.rad() < 1e-24 * (1 + epsilon.exp())


def test_a_rule_that_is_too_coarse():
    """What it errs by is within its bound, and not within 0.15 of it."""
    law = DealtGaussian(arb(1))
    fine = Dealt(law, True, Work(128))._below(arb(0))
    worst = 0.0
    for strip, step in itertools.product((0.4, 0.8, 1.2, 1.4), (0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)):
        coarse = Dealt(law, True, Work(128))
        coarse._strip, coarse._step = strip, arb(step)
        top = arb(2).log()
        error = coarse._error(top, (abs(top) + coarse._reach).mid()).rad()
        for ball, truth in zip(coarse._below(arb(0)), fine, strict=True):
            assert ball.overlaps(truth), (strip, step)
            worst = max(worst, float((abs(ball.mid() - truth) / error).lower()))
    assert worst > 0.15


@pytest.mark.parametrize("sigma", [5e-324, 1e-300, 1e-7, 1e13, 1e300])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 1e6])
def test_noise_out_of_reach(sigma, epsilon):
    data = {
        "format": "neyman-proof", "version": 1, "bits": 64, "mechanism": ny.Gaussian(1.0).allocated(2).to_dict(),
        "adjacency": "add_or_remove", "lines": [],
        "places": [{"direction": way, "epsilon": epsilon, "line": None} for way in ("remove", "add")],
        "statements": [{"id": "x", "quantity": "delta", "given": {"epsilon": epsilon}, "at_most": 0.5}],
    }  # fmt: skip
    data["mechanism"]["sigma"] = sigma
    (answer,) = check(data, 10_000_000)
    assert (answer.verdict, answer.reason) == ("not proved", "a batch of noise out of reach")


def test_what_is_dealt_otherwise():
    for mechanism, words in (
        (ny.Gaussian(1.0).allocated(3), "two batches"),
        (ny.Gaussian(1.0).allocated(2) ** 2, "two batches"),
        (ny.Gaussian(1.0).allocated(2) * ny.Gaussian(1.0), "neither outcomes"),
    ):
        with pytest.raises(NotProved, match=words):
            Outcomes(laws_of(mechanism.to_dict(), "add_or_remove"), True, Work(128))
    assert laws_of(ny.Gaussian(2.0).allocated(1).to_dict(), "add_or_remove")[0].square == arb("0.25")


def test_a_border_too_long_for_the_work():
    data = {
        "format": "neyman-proof", "version": 1, "bits": 128, "mechanism": ny.Gaussian(1e-3).allocated(2).to_dict(),
        "adjacency": "add_or_remove", "lines": [],
        "places": [{"direction": way, "epsilon": 1e6, "line": None} for way in ("remove", "add")],
        "statements": [{"id": "x", "quantity": "delta", "given": {"epsilon": 1e6}, "at_most": 0.5}],
    }  # fmt: skip
    (answer,) = check(data, 10_000_000)
    assert (answer.verdict, answer.reason) == ("not proved", "the proof takes more work than is allowed")
