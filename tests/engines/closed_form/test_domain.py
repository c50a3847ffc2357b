"""Closed forms over their whole domain, both sides, against ball arithmetic: noise 1e-100 to 1e100, rates to 5e-324."""

import math
import random
import warnings

import numpy as np
import pytest
from flint import arb, ctx

from neyman.engines.closed_form.pairs import GaussianProfile, LaplaceProfile, SampledProfile, SubsampledGaussianProfile
from tests.reference.closed import normal_cdf

BITS = 6000  # of the truth: e^eps - 1 + q, and what is left of delta beside it, down to 1e-640
SMALLEST = 5e-324


def gaussian(noise, epsilon):
    mu = 1 / arb(noise)
    return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)


def laplace(noise, epsilon):
    away = 1 / arb(noise) - epsilon
    return -(-away / 2).expm1() if away > 0 else arb(0)


def sampled(inner, noise, rate, epsilon, direction):
    q = arb(rate)
    if direction == "remove":
        return q * inner(noise, (1 + epsilon.expm1() / q).log())
    weight = q - epsilon.expm1() * (1 - q)
    return weight * inner(noise, epsilon + (q / weight).log()) if weight > 0 else arb(0)


def profile(kind, noise, rate, direction):
    if kind == "gaussian":
        quotient = 1.0 / noise
        ends = (float(np.nextafter(quotient, 0.0)), float(np.nextafter(quotient, math.inf)))
        return GaussianProfile(ends[1], ends[0])
    if kind == "sampled gaussian":
        return SubsampledGaussianProfile(noise, rate, direction)
    whole = LaplaceProfile(noise, 1.0)
    return whole if kind == "laplace" else SampledProfile((whole, whole), rate, direction)


def place(rng, kind, noise, rate, direction):
    """An eps: anywhere, 0, or where the step itself shows something."""
    mu = 1.0 / noise
    score = rng.uniform(-5, 38)
    own = mu * rng.random() if "laplace" in kind else max(mu * (score + mu / 2), 0.0)
    own, end = min(own, 1e6), -math.log1p(-rate)
    if "sampled" in kind and direction == "remove":
        own = math.log1p(rate * math.expm1(own)) if own < 700.0 else max(own + math.log(rate), 0.0)
    elif "sampled" in kind:
        own = rng.choice([end * (1.0 - 10 ** -rng.uniform(0, 16)), -math.log1p(rate * math.expm1(-own))])
    return min(rng.choice([10 ** rng.uniform(-300, 6), 0.0, own, own]), 1e6)


def drawn(rng):
    kind = rng.choice(["gaussian", "sampled gaussian", "laplace", "sampled laplace"])
    noise = 10 ** rng.choice([rng.uniform(-3, 12), rng.uniform(-3, 12), rng.uniform(-99.9, 99.9)])
    rate = rng.choice([
        10 ** -rng.uniform(0, 300), 10 ** -rng.uniform(300, 323), 10 ** -rng.uniform(0, 3),
        1.0 - 10 ** -rng.uniform(0, 15.9),
    ])  # fmt: skip
    noise = max(noise, 1.0 / 700.0) if "laplace" in kind else noise
    rate, direction = min(max(rate, SMALLEST), 1.0 - 2.0**-53), rng.choice(["remove", "add"])
    return kind, noise, rate, direction, place(rng, kind, noise, rate, direction)


def check(kind, noise, rate, direction, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bracket = profile(kind, noise, rate, direction).bracket(np.array([epsilon]))
    lower, upper, low, high = (
        float(x[0]) for x in (bracket.lower, bracket.upper, bracket.log_gap_lower, bracket.log_gap_upper)
    )
    with ctx.workprec(BITS):
        inner = gaussian if "gaussian" in kind else laplace
        e = arb(epsilon)
        truth = sampled(inner, noise, rate, e, direction) if "sampled" in kind else inner(noise, e)
        if not (truth.rad() <= abs(truth.mid()) * arb(1e-30) or truth.upper() < SMALLEST / 4):
            return  # beyond these digits
        assert not arb(lower) > truth
        assert not arb(upper) < truth
        log_gap = (1 - truth).log() if truth < 1 else None  # None: no digits of it
        if log_gap is not None:
            assert low == -math.inf or not arb(low) > log_gap
            assert high > -math.inf
            assert not arb(high) < log_gap
        if truth > 1e-30:
            assert upper - lower <= 1e-6 * upper


@pytest.mark.parametrize("points", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_brackets_hold_over_the_whole_domain(points):
    rng = random.Random(points)
    for _ in range(points):
        check(*drawn(rng))


@pytest.mark.parametrize(
    "case",
    [
        ("sampled gaussian", 1.0, 1e-61, "add", 0.0),  # 60 digits of log(1 - q) are none of q
        ("sampled gaussian", 1.0, 1e-300, "add", 0.0),
        ("sampled gaussian", 1.0, SMALLEST, "remove", 0.9),  # (e^eps - 1) / q is no float
        ("sampled laplace", 1.0, 1e-61, "add", 1e-62),
        ("gaussian", 1e-100, 1.0, "remove", 1e6),
        ("gaussian", 1e100, 1.0, "remove", 1e6),
        ("gaussian", 1e-12, 1.0, "remove", 5e23),  # eps / mu - mu / 2 has hardly a digit
        ("gaussian", 1e-40, 1.0, "remove", 5e79),
    ],
)
def test_places_where_something_was_lost(case):
    check(*case)
