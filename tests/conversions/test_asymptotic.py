"""Limits are no guarantees: the type, the formulas at 50 digits, under-reports on record, the Berry-Esseen error."""

from __future__ import annotations

import dataclasses
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import neyman as ny
from neyman.conversions import (
    Asymptotic,
    asymptotic_dpsgd_poisson,
    asymptotic_dpsgd_uniform,
    gdp_limit,
    gdp_limit_of,
)
from tests.conversions import formulas

sigmas = st.one_of(st.floats(0.05, 30.0), st.floats(-1.3, 9.0).map(lambda x: 10.0**x))
LIMITS = [
    asymptotic_dpsgd_poisson(1.0, 0.01, 1000),
    asymptotic_dpsgd_uniform(1.0, 0.01, 1000),
    gdp_limit(0.005, 0.010025, 0.0016, 100),
    gdp_limit_of([0.005], [0.010025], [0.0016]),
    Asymptotic(math.inf, "a theorem"),
]


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_it_is_no_guarantee_and_passes_for_none(limit):
    assert not isinstance(limit, ny.Guarantee)
    assert "asymptotic; may under-report" in repr(limit)
    assert "asymptotic; may under-report" in str(limit)
    assert f"{limit}" == str(limit)
    for verb in ("delta", "epsilon", "beta", "roc", "advantage", "auc", "gdp", "regret", "sides", "optimistic"):
        assert not hasattr(limit, verb)
    with pytest.raises(ny.InvalidParameter, match=r"^other must be a Guarantee, got "):
        ny.GDP(1.0).regret(limit)
    with pytest.raises(ny.InvalidParameter, match=r"^mu must be "):
        ny.GDP(limit)
    with pytest.raises(TypeError):
        float(limit)
    with pytest.raises(TypeError):
        _ = limit < ny.GDP(1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        limit.mu = 0.0


@given(sigma=sigmas, rate=st.floats(1e-9, 1.0), steps=st.integers(1, 10**12))
@example(sigma=1e9, rate=1.0, steps=1)
@example(sigma=1.0, rate=1.0, steps=1)
def test_formulas_of_dpsgd_against_50_digits(sigma, rate, steps):
    with mp.workdps(80):
        poisson, uniform = formulas.poisson_limit(sigma, rate, steps), formulas.uniform_limit(sigma, rate, steps)
        room = 1e-14 + 4e-16 / sigma**2
        assert asymptotic_dpsgd_poisson(sigma, rate, steps).mu == pytest.approx(float(poisson), rel=room)
        assert asymptotic_dpsgd_uniform(sigma, rate, steps).mu == pytest.approx(float(uniform), rel=room)


def test_dpsgd_at_the_ends():
    for limit in (asymptotic_dpsgd_poisson, asymptotic_dpsgd_uniform):
        assert limit(1.0, 0.0, 100).mu == limit(1.0, 0.5, 0).mu == limit(1e-3, 0.0, 100).mu == 0.0
        assert limit(1e-3, 0.5, 100).mu == math.inf
        assert limit(5e-324, 0.5, 100).mu == math.inf
        assert 0.0 < limit(1e300, 0.5, 100).mu < 1e-290 or limit(1e300, 0.5, 100).mu == 0.0
        assert limit(0.0268, 1e-9, 1).mu < math.inf
        assert limit(1.0, 0.5, 100).error is None


@pytest.mark.parametrize(
    ("setting", "certified"),
    [((0.6, 1e-3, 10**5), 1.393568), ((0.8, 1e-3, 10**4), 0.3615994), ((9.4, 0.32768, 2000), 1.566948)],
)
def test_the_poisson_formula_under_reports(setting, certified):
    """The mu at floor 1e-10 of these three is known to six digits; the limit says less."""
    limit = asymptotic_dpsgd_poisson(*setting).mu
    assert limit < certified
    assert ny.account(ny.DPSGD(*setting)).optimistic.mu() > limit


def gaussian_moments(mu: float) -> tuple[float, float, float]:
    return mu**2 / 2.0, mu**2 + mu**4 / 4.0, 2.0 * math.sqrt(2.0 / math.pi) * mu**3


def laplace_moments(scale: float) -> tuple[float, float, float]:
    """Of the loss under the null: atoms at both ends, an exponential between."""
    with mp.workdps(40):
        d = 1 / mp.mpf(scale)

        def mean(g):
            ends = mp.exp(-d) / 2 * g(d) + g(-d) / 2
            return ends + mp.quad(lambda loss: g(loss) * mp.exp(-(loss + d) / 2) / 4, [-d, 0, d])

        v1 = -mean(lambda loss: loss)
        middle = -v1
        ends = mp.exp(-d) / 2 * abs(d + v1) ** 3 + abs(-d + v1) ** 3 / 2
        v3 = ends + mp.quad(lambda loss: abs(loss + v1) ** 3 * mp.exp(-(loss + d) / 2) / 4, [-d, middle, d])
        return float(v1), float(mean(lambda loss: loss * loss)), float(v3)


@given(mu=st.floats(1e-4, 3.0), steps=st.integers(1, 10**9))
def test_gaussian_steps_are_their_own_limit(mu, steps):
    limit = gdp_limit(*gaussian_moments(mu), steps)
    assert limit.mu == pytest.approx(mu * math.sqrt(steps), rel=1e-12)
    v1, v2, v3 = gaussian_moments(mu)
    eta = v1 / math.sqrt(v2 - v1**2)
    assert limit.mu == pytest.approx(2.0 * eta * math.sqrt(steps), rel=1e-9)
    assert limit.error == pytest.approx(0.56 * eta**3 * v3 / (math.sqrt(steps) * v1**3), rel=1e-9)
    assert limit.error >= 0.56 * 2.0 * math.sqrt(2.0 / math.pi) / math.sqrt(steps) * (1.0 - 1e-12)


def test_triangular_form_of_equal_steps_is_the_other():
    moments = laplace_moments(5.0)
    many = gdp_limit_of(*(np.full(400, v) for v in moments))
    one = gdp_limit(*moments, 400)
    assert many.mu == pytest.approx(one.mu, rel=1e-13)
    assert many.error == pytest.approx(one.error, rel=1e-12)


def test_steps_that_differ():
    """Sums of the moments, 0.56 and the power 3/2, at 50 digits."""
    rows = np.array([gaussian_moments(mu) for mu in (0.01, 0.02, 0.05)] + [laplace_moments(30.0), (0.0, 0.0, 0.0)])
    limit = gdp_limit_of(*rows.T)
    with mp.workdps(formulas.DIGITS):
        v1, v2, v3 = ([mp.mpf(x) for x in column] for column in rows.T)
        spread = mp.fsum(b - a * a for a, b in zip(v1, v2, strict=True))
        assert limit.mu == pytest.approx(float(2 * mp.fsum(v1) / mp.sqrt(spread)), rel=1e-13)
        error = mp.mpf("0.56") * mp.fsum(v3) / spread ** mp.mpf("1.5")
        assert error <= mp.mpf(limit.error) <= error * (1 + mp.mpf("1e-12"))


ALPHAS = np.concatenate([[0.0], np.geomspace(1e-6, 0.5, 40), 1.0 - np.geomspace(1e-6, 0.5, 40), [1.0]])


@pytest.mark.parametrize(
    ("scale", "steps"), [(1.0, 1000), pytest.param(5.0, 100, marks=pytest.mark.slow), (20.0, 3000)]
)
def test_the_error_encloses_the_truth(scale, steps):
    """f of N Laplace mechanisms, certified both ways, lies between the two sides for every alpha."""
    limit = gdp_limit(*laplace_moments(scale), steps)
    assert limit.error < 0.2
    truth = ny.account(ny.Laplace(scale) ** steps)
    low, high = limit.enclosure(ALPHAS)
    assert np.all(low <= truth.optimistic.beta(ALPHAS))
    assert np.all(truth.beta(ALPHAS) <= high)
    assert np.all((low >= 0.0) & (high <= 1.0))
    assert limit.mu == pytest.approx(truth.mu(1e-2), rel=0.05)


@given(mu=st.floats(0.01, 5.0), error=st.floats(0.0, 0.6), alpha=st.floats(0.0, 1.0))
@example(mu=1.0, error=0.0, alpha=0.5)
def test_enclosure_is_the_stated_one(mu, error, alpha):
    low, high = Asymptotic(mu, "a theorem", error).enclosure(alpha)
    curve = ny.GDP(mu)
    assert low <= high
    below = max(0.0, curve.beta(min(1.0, alpha + error)) - error)
    above = min(1.0 - alpha, curve.beta(max(0.0, alpha - error)) + error)
    assert low == pytest.approx(below, abs=1e-10)
    assert high == pytest.approx(above, abs=1e-6 if alpha <= error * (1 + 1e-6) else 1e-9)
    assert low <= curve.beta(alpha) * (1.0 + 1e-12) + 1e-12


@given(error=st.floats(0.5, 5.0), alpha=st.floats(0.0, 1.0))
@pytest.mark.slow
def test_an_error_of_a_half_says_nothing(error, alpha):
    low, high = Asymptotic(1.0, "a theorem", error).enclosure(alpha)
    assert low == 0.0 or alpha + error < 1.0
    assert high >= min(1.0 - alpha, 0.5)


@pytest.mark.parametrize("limit", [Asymptotic(1.0, "a theorem"), Asymptotic(math.inf, "a theorem", 0.1)], ids=str)
def test_no_enclosure_without_an_error(limit):
    with pytest.raises(ny.NotCertified) as caught:
        limit.enclosure(0.1)
    assert (caught.value.lower, caught.value.upper) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Asymptotic(-1.0, "s"), "mu must be a finite number >= 0, got -1.0. Or inf."),
        (lambda: Asymptotic(math.nan, "s"), "mu must be a finite number >= 0, got nan. Or inf."),
        (lambda: Asymptotic(1.0, "s", -0.1), "error must be a finite number >= 0, got -0.1."),
        (lambda: Asymptotic(1.0, "s", math.nan), "error must be a finite number >= 0, got nan."),
        (lambda: Asymptotic(1.0, "s", 0.1).enclosure(1.1), "alpha must be a number in [0, 1], got 1.1."),
        (lambda: gdp_limit(0.5, 1.25, 2.0, 0), "steps must be a whole number >= 1, got 0."),
        (lambda: gdp_limit(0.5, 1.25, 2.0, 1.5), "steps must be a whole number from 0 to 1e+18, got 1.5."),
        (lambda: gdp_limit(-0.5, 1.25, 2.0, 1), "v1 must be a finite number >= 0, got -0.5."),
        (lambda: gdp_limit(0.5, math.nan, 2.0, 1), "v2 must be a finite number >= 0, got nan."),
        (lambda: gdp_limit(0.5, math.inf, 2.0, 1), "v2 must be a finite number >= 0, got inf."),
        (lambda: gdp_limit([0.5], 1.25, 2.0, 1), "v1 must be a finite number >= 0, got [0.5]."),
        (lambda: gdp_limit(0.5, 0.2, 2.0, 1), "v2 must be at least v1^2, got 0.2. It is E L^2."),
        (
            lambda: gdp_limit(0.5, 0.25, 2.0, 1),
            "v2 must be larger than v1^2, got 0.25. A loss without variance has no limit.",
        ),
        (lambda: gdp_limit(0.5, 1.25, 0.9, 1), "v3 must be at least (v2 - v1^2)^(3/2), got 0.9."),
        (lambda: gdp_limit_of([0.5], [1.25], [-1.0]), "v3 must be a finite number >= 0, got -1.0."),
        (
            lambda: gdp_limit_of([0.5, 0.5], [1.25], [2.0]),
            "v2 must be a one-dimensional array of 2 numbers, as v1, got (1,).",
        ),
        (
            lambda: gdp_limit_of([[0.5]], [1.25], [2.0]),
            "v1 must be a one-dimensional array of 1 numbers, as v1, got (1, 1).",
        ),
        (
            lambda: gdp_limit_of([], [], []),
            "v1 must be a number, or a non-empty array of numbers, all finite, got [].",
        ),
        (lambda: asymptotic_dpsgd_poisson(0.0, 0.1, 1), "noise_multiplier must be a finite number > 0, got 0.0."),
        (lambda: asymptotic_dpsgd_poisson(1.0, 1.1, 1), "sample_rate must be a number in [0, 1], got 1.1."),
        (lambda: asymptotic_dpsgd_uniform(1.0, 0.1, -1), "steps must be a whole number from 0 to 1e+18, got -1."),
        (lambda: asymptotic_dpsgd_uniform(math.nan, 0.1, 1), "noise_multiplier must be a finite number > 0, got nan."),
        (lambda: asymptotic_dpsgd_uniform(1.0, 0.1, 1.5), "steps must be a whole number from 0 to 1e+18, got 1.5."),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert str(caught.value) == message
