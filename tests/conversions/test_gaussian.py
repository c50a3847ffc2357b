"""psi and (epsilon, delta): the published table, 50 digits, round trips, the classical and the tail form, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import neyman as ny
from neyman.conversions import (
    classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_tail_epsilon,
    laplace_epsilon,
    psi_from,
    sigma_from_psi,
)
from tests.conversions import formulas

DELTAS = (1e-5, 1e-6, 1e-9)
TABLE = {
    0.1: (0.03, 0.03, 0.02),
    0.5: (0.14, 0.12, 0.09),
    1.0: (0.27, 0.24, 0.18),
    2.0: (0.50, 0.45, 0.35),
    4.0: (0.92, 0.84, 0.67),
    6.0: (1.31, 1.20, 0.97),
    8.0: (1.67, 1.53, 1.26),
    10.0: (2.00, 1.85, 1.54),
}
small = st.one_of(st.floats(-280.0, -0.001).map(lambda x: 10.0**x), st.floats(0.01, 0.9999))
costs = st.one_of(st.just(0.0), st.floats(0.0, 60.0), st.floats(-12.0, 8.0).map(lambda x: 10.0**x))
indices = st.one_of(st.floats(0.01, 12.0), st.floats(-8.0, 3.0).map(lambda x: 10.0**x))


@pytest.mark.parametrize("epsilon", TABLE)
@pytest.mark.parametrize("column", range(3))
def test_the_published_table_to_its_printed_digits(epsilon, column):
    assert round(psi_from(epsilon, DELTAS[column]), 2) == TABLE[epsilon][column]


@given(epsilon=st.one_of(st.just(0.0), st.floats(0.0, 60.0), st.floats(-12.0, 2.5).map(lambda x: 10.0**x)), delta=small)
@example(epsilon=0.0, delta=1e-280)
@example(epsilon=0.0, delta=1.0 - 2.0**-53)
@example(epsilon=300.0, delta=1e-290)
@example(epsilon=5e-324, delta=1e-5)
@pytest.mark.slow
def test_psi_is_the_largest_that_holds(epsilon, delta):
    """At psi the exact delta is within reach of the asked one, and a psi larger by 1e-12 exceeds it."""
    psi = psi_from(epsilon, delta)
    with mp.workdps(450):  # delta is a difference of tails
        assert formulas.gaussian_delta(psi, epsilon) <= delta
        assert formulas.gaussian_delta(mp.mpf(psi) * (1 + mp.mpf("1e-12")), epsilon) > delta


@given(epsilon=costs, delta=small)
def test_psi_keeps_its_promise_by_the_library_itself(epsilon, delta):
    psi = psi_from(epsilon, delta)
    if delta < 0.5:
        assert gaussian_delta(psi, epsilon) <= delta
    assert ny.GDP(psi * (1.0 + 2e-12)).optimistic.delta(epsilon) >= delta * (1.0 - 1e-11)


@given(psi=st.floats(0.01, 12.0), delta=st.floats(-30.0, -2.0).map(lambda x: 10.0**x))
def test_round_trip(psi, delta):
    epsilon = gaussian_epsilon(psi, delta)
    if epsilon > 0.0:
        assert psi_from(epsilon, delta) == pytest.approx(psi, rel=1e-9)


@given(first=costs, second=costs, delta=small, other=small)
def test_psi_grows_with_epsilon_and_delta(first, second, delta, other):
    low, high = sorted((first, second))
    assert psi_from(low, delta) <= psi_from(high, delta) * (1.0 + 1e-12)
    less, more = sorted((delta, other))
    assert psi_from(low, less) <= psi_from(low, more) * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "psi"),
    [(1e300, 0.5, 1e100), (1e30, 1e-5, math.sqrt(2e30)), (1.0, 5e-324, 0.0), (0.0, 1e-300, 0.0)],
)
def test_psi_at_the_ends_of_float64(epsilon, delta, psi):
    found = psi_from(epsilon, delta)
    assert found <= psi * (1.0 + 1e-9)
    if psi:
        assert found >= 0.9 * psi
        assert type(found) is float


@given(psi=indices, delta=small)
def test_profile_never_above_the_tail(psi, delta):
    tail = gaussian_tail_epsilon(psi, delta)
    assert gaussian_epsilon(psi, delta) <= tail * (1.0 + 1e-10) + 1e-12 * psi
    assert type(tail) is float


@given(psi=indices, delta=small)
@example(psi=1.0, delta=0.5)
def test_tail_form_against_50_digits(psi, delta):
    with mp.workdps(formulas.DIGITS):
        truth = formulas.tail_epsilon(psi, delta)
        found = mp.mpf(gaussian_tail_epsilon(psi, delta))
        assert found >= truth
        terms = 0.5 * psi**2 + psi * abs(float(formulas.probit(delta)))
        assert found - truth <= 1e-14 * terms


def test_tail_form_is_sufficient_only():
    """Its epsilon holds, and the exact one is smaller: the two are not the same statement."""
    for psi in (0.1, 1.0, 5.0):
        epsilon = gaussian_tail_epsilon(psi, 1e-5)
        assert gaussian_delta(psi, epsilon) < 0.9e-5
        assert gaussian_epsilon(psi, 1e-5) < epsilon
    assert gaussian_tail_epsilon(0.0, 1e-5) == 0.0


@given(psi=st.floats(0.05, 8.0), epsilon=st.floats(0.0, 20.0))
def test_delta_against_50_digits(psi, epsilon):
    with mp.workdps(80):
        truth = formulas.gaussian_delta(psi, epsilon)
        found = mp.mpf(gaussian_delta(psi, epsilon))
        assert truth <= found <= truth * (1 + mp.mpf("1e-13")) + mp.mpf("1e-322")


def test_arrays_keep_their_shape():
    grid = np.array([[1e-3, 1e-5]])
    assert gaussian_epsilon(1.0, grid).shape == gaussian_tail_epsilon(1.0, grid).shape == (1, 2)
    assert gaussian_delta(1.0, [0.0, 1.0]).shape == (2,)


@given(psi=st.floats(1e-300, 1e100), sensitivity=st.floats(1e-5, 1e5))
def test_noise_from_psi_is_rounded_up(psi, sensitivity):
    try:
        sigma = sigma_from_psi(psi, sensitivity)
    except ny.InvalidParameter:
        assert Fraction(sensitivity) / Fraction(psi) > Fraction(1.797e308)
        return
    assert Fraction(sigma) * Fraction(psi) >= Fraction(sensitivity)
    assert Fraction(math.nextafter(sigma, 0.0)) * Fraction(psi) < Fraction(sensitivity)


@given(sigma=st.floats(1e-3, 1e6), sensitivity=st.floats(1e-3, 1e3))
def test_psi_of_the_mechanism_is_rounded_up(sigma, sensitivity):
    psi = ny.Gaussian(sigma, sensitivity).psi
    assert Fraction(psi) * Fraction(sigma) >= Fraction(sensitivity)
    assert Fraction(math.nextafter(psi, 0.0)) * Fraction(sigma) < Fraction(sensitivity)
    assert psi == ny.account(ny.Gaussian(sigma, sensitivity)).tail_mu


def test_calibration_end_to_end():
    sigma = sigma_from_psi(psi_from(8.0, 1e-5), 3.0)
    assert ny.account(ny.Gaussian(sigma, 3.0)).epsilon(1e-5) == pytest.approx(8.0, rel=1e-11)
    assert ny.account(ny.Gaussian(sigma, 3.0)).delta(8.0) <= 1e-5


@given(epsilon=st.floats(1e-6, 1.0, exclude_max=True), delta=st.floats(-100.0, -1e-6).map(lambda x: 10.0**x))
def test_classical_noise_is_enough_below_epsilon_one_and_never_less_than_the_exact(epsilon, delta):
    sigma = classical_sigma(epsilon, delta)
    assert sigma >= sigma_from_psi(psi_from(epsilon, delta))
    with mp.workdps(formulas.DIGITS):
        truth = mp.sqrt(2 * mp.log(mp.mpf(1.25) / mp.mpf(delta))) / mp.mpf(epsilon)
        assert truth <= mp.mpf(sigma) <= truth * (1 + mp.mpf("1e-14"))
    assert classical_sigma(epsilon, delta, 7.0) == pytest.approx(7.0 * sigma)


def test_classical_formula_is_too_little_noise_far_beyond():
    """Why it is refused: at epsilon = 100 its noise is below what (epsilon, 0.05)-DP needs."""
    epsilon, delta = 100.0, 0.05
    sigma = math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon
    assert sigma < sigma_from_psi(psi_from(epsilon, delta))


def test_laplace_analogue():
    assert laplace_epsilon(4.0) == 0.25
    assert laplace_epsilon(3.0, 1.0) == math.nextafter(1.0 / 3.0, 1.0)
    assert laplace_epsilon(1e308, 1e-308) == 5e-324
    assert ny.account(ny.Laplace(4.0, 2.0)).delta(laplace_epsilon(4.0, 2.0)) == 0.0


NO_NOISE = " At delta = 0 no Gaussian noise is enough, at delta = 1 none is needed."
EXACT = " Beyond, use sigma_from_psi(psi_from(epsilon, delta), sensitivity), which is exact for every epsilon."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: psi_from(-1.0, 0.5), "epsilon must be a finite number >= 0, got -1.0."),
        (lambda: psi_from(math.nan, 0.5), "epsilon must be a finite number >= 0, got nan."),
        (lambda: psi_from(math.inf, 0.5), "epsilon must be a finite number >= 0, got inf."),
        (
            lambda: psi_from(1.0, 0.0),
            "delta must be a number in (0, 1), got 0.0." + NO_NOISE,
        ),
        (
            lambda: psi_from(1.0, 1),
            "delta must be a number in (0, 1), got 1." + NO_NOISE,
        ),
        (lambda: sigma_from_psi(0.0), "psi must be a finite number > 0, got 0.0."),
        (lambda: sigma_from_psi(1.0, 0.0), "sensitivity must be a finite number > 0, got 0.0."),
        (
            lambda: sigma_from_psi(1e-300, 1e300),
            "psi must be large enough for finite noise at sensitivity 1e+300, got 1e-300.",
        ),
        (
            lambda: classical_sigma(1.0, 1e-5),
            "epsilon must be a number in (0, 1), got 1.0." + EXACT,
        ),
        (
            lambda: classical_sigma(0.0, 1e-5),
            "epsilon must be a number in (0, 1), got 0.0." + EXACT,
        ),
        (lambda: classical_sigma(0.5, 0.0), "delta must be a number in (0, 1), got 0.0."),
        (lambda: classical_sigma(0.5, math.nan), "delta must be a number in (0, 1), got nan."),
        (lambda: classical_sigma(0.5, 0.1, -1.0), "sensitivity must be a finite number > 0, got -1.0."),
        (
            lambda: classical_sigma(1e-300, 0.1, 1e300),
            "epsilon must be large enough for finite noise at sensitivity 1e+300, got 1e-300.",
        ),
        (lambda: laplace_epsilon(0.0), "scale must be a finite number > 0, got 0.0."),
        (lambda: laplace_epsilon(1.0, math.inf), "sensitivity must be a finite number > 0, got inf."),
        (
            lambda: laplace_epsilon(1e-300, 1e300),
            "scale must be large enough for a finite epsilon at sensitivity 1e+300, got 1e-300.",
        ),
        (lambda: gaussian_tail_epsilon(-1.0, 0.5), "psi must be a finite number >= 0, got -1.0."),
        (
            lambda: gaussian_tail_epsilon(1.0, 0.0),
            "delta must be a number in (0, 1), got 0.0. No Gaussian noise bounds the loss at delta = 0.",
        ),
        (lambda: gaussian_epsilon(-1.0, 0.5), "psi must be a finite number >= 0, got -1.0."),
        (lambda: gaussian_epsilon(math.nan, 0.5), "psi must be a finite number >= 0, got nan."),
        (lambda: gaussian_epsilon(1.0, 2.0), "delta must be a number in [0, 1], got 2.0."),
        (lambda: gaussian_delta(math.inf, 0.5), "psi must be a finite number >= 0, got inf."),
        (lambda: gaussian_delta(1.0, math.nan), "epsilon must be a finite number, got nan."),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert str(caught.value) == message
