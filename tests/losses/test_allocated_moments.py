"""Renyi divergences of random allocation: whole orders against products in 80 digits, others against quadrature."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from flint import arb, arb_series, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.losses.allocated.moments import LARGEST_ORDER, divergences
from tests.effort import examples


def bounds(sigma, steps, order):
    return [float(divergences(sigma, steps, np.array([float(order)]), upper)[0]) for upper in (False, True)]


def truth(sigma, steps, order):
    """n! times the coefficient of x^n in (sum_k E Y^k x^k / k!)^t, over t^n, in balls."""
    before = ctx.cap
    with ctx.workprec(600 + 12 * order):
        ctx.cap = order + 1
        try:
            s = 1 / arb(sigma) ** 2
            terms = [(arb(k * (k - 1)) / 2 * s).exp() / arb(k).gamma() / max(k, 1) for k in range(1, order + 1)]
            power = arb_series([arb(1), *terms]) ** arb_series([steps])
            log = (power[order] * arb(order + 1).gamma() / arb(steps) ** order).log() / (order - 1)
        finally:
            ctx.cap = before
        return mp.mpf(log.mid().str(80, radius=False))


@examples(30, 600)
@given(
    sigma=st.floats(math.log(0.01), math.log(1e12)).map(math.exp), steps=st.floats(0.7, 20.7).map(math.exp).map(int),
    order=st.integers(2, 24),
)  # fmt: skip
def test_whole_orders_are_known_to_nine_digits(sigma, steps, order):
    """However small the noise, or what is told."""
    low, high = bounds(sigma, steps, order)
    known = truth(sigma, steps, order)
    assert low <= known <= high
    assert high - low <= 1e-9 * order * high


@pytest.mark.parametrize(("sigma", "steps", "order"), [(1.0, 100, 256), (0.5, 3, 256), (30.0, 10**6, 256)])
def test_high_orders(sigma, steps, order):
    low, high = bounds(sigma, steps, order)
    assert low <= truth(sigma, steps, order) <= high <= low * (1.0 + 1e-6)


def test_bounds_would_be_false_without_their_room():
    """What the last digits are is not known: without room many of these would be wrong."""
    wrong = 0
    for i in range(40):
        sigma = 0.05 * 1.2**i
        middle = math.fsum(bounds(sigma, 1000, 12)) / 2.0
        wrong += abs(middle - truth(sigma, 1000, 12)) > 2.0**-52 * middle
    assert wrong > 10


@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("order", [1.001, 1.5, 2.25, 3.5, 7.9])
def test_between_whole_orders(sigma, order):
    """Two batches: E (S / 2)^t by Gauss and Hermite."""
    x, w = np.polynomial.hermite_e.hermegauss(180)
    y = np.exp(x / sigma - 0.5 / sigma**2)
    log_mean = np.log(0.5 * (y[:, None] + y[None, :]))
    top = float(np.max(order * log_mean + np.log(w[:, None] * w[None, :] + 1e-320)))
    weighed = np.exp(order * log_mean - top) * (w[:, None] * w[None, :])
    known = (top + math.log(weighed.sum() / (2.0 * math.pi))) / (order - 1.0)
    low, high = bounds(sigma, 2, order)
    assert low * (1.0 - 1e-9) <= known <= high * (1.0 + 1e-9)
    assert order < 1.5 or high < 1.6 * known


def test_where_nothing_is_known_nothing_is_said():
    for order in (0.3, 1.0, LARGEST_ORDER + 1.0, 1e9):
        assert bounds(1.0, 10, order) == [0.0, math.inf]
    for sigma in (1e-300, 1e-5, 1e150, 1e300):
        assert bounds(sigma, 10, 2.0) == [0.0, math.inf]


def test_what_people_ask():
    """Of order 16 no more was known than of one Gaussian step: 8."""
    g = ny.account(ny.Gaussian(1.0).allocated(100), "remove")
    assert g.renyi(2.0) == pytest.approx(math.log1p(math.expm1(1.0) / 100.0), rel=1e-9)
    assert (
        g.optimistic.renyi(16.0) <= float(truth(1.0, 100, 16)) <= g.renyi(16.0) <= g.optimistic.renyi(16.0) * 1.000001
    )
    twice = ny.account(ny.Gaussian(1.0).allocated(100) ** 2, "remove")
    assert twice.renyi(16.0) == pytest.approx(2.0 * g.renyi(16.0), rel=1e-12)
