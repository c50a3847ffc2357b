"""Closed-form profiles: the bracket holds and is narrow, against definitions in high precision."""

import mpmath as mp
import numpy as np
import pytest

from neyman import InvalidParameter
from neyman.engines.closed_form.pairs import BlatantProfile, GaussianProfile, PerfectProfile, SubsampledGaussianProfile
from tests.effort import crossed
from tests.guarantees.references import gaussian_delta, load, subsampled_delta

MUS = [1e-12, 1e-9, 1e-5, 1e-3, 0.05, 0.3, 1.0, 2.0, 3.0, 10.0, 37.0, 100.0, 1e3, 1e5]


def between(low, value, high):
    return mp.mpf(float(low)) <= value <= mp.mpf(float(high))


@pytest.mark.parametrize("mu", MUS)
def test_gaussian_over_all_magnitudes(mu):
    z = np.concatenate([[-mu / 2], np.linspace(-min(mu / 2, 36), 36.5, 9)])
    epsilon = np.maximum(mu * (z + mu / 2), 0.0)
    b = GaussianProfile(mu).bracket(epsilon)
    for i, e in enumerate(epsilon):
        exact = gaussian_delta(mu, float(e))
        assert between(b.lower[i], exact, b.upper[i])
        with mp.workdps(1200 if mu > 30 else 100):
            gap = mp.log1p(-exact)
        if gap > -2500:  # beyond, the twin itself has no digits left
            assert between(b.log_gap_lower[i], gap, b.log_gap_upper[i])
        if exact > 1e-300:
            assert b.upper[i] - b.lower[i] <= 2e-13 * float(exact)


@pytest.mark.parametrize("case", load("gaussian"), ids=lambda c: c["mu"])
def test_gaussian_reference(case):
    for point in case["points"]:
        epsilon, exact = float(point["eps"]), mp.mpf(point["delta"])
        if epsilon >= 0:
            b = GaussianProfile(float(case["mu"])).bracket(np.array([epsilon]))
            assert float(b.lower[0]) * (1 - 1e-12) <= exact <= float(b.upper[0]) * (1 + 1e-12)


@pytest.mark.parametrize("case", load("subsampled_gaussian_T1"), ids=lambda c: f"{c['sigma']}-{c['q']}")
def test_one_step_reference(case):
    sigma, rate = float(case["sigma"]), float(case["q"])
    for point in case["points"]:
        epsilon = float(point["eps"])
        if epsilon < 0:
            continue
        b = SubsampledGaussianProfile(sigma, rate, point["direction"]).bracket(np.array([epsilon]))
        with mp.workdps(60):
            exact = mp.mpf(point["delta"])
            assert (b.upper[0] == 0.0) == (exact == 0)
            room = 5e-12  # sigma and rate are decimals there and binary64 here
            assert float(b.lower[0]) * (1 - room) <= exact <= float(b.upper[0]) * (1 + room)


@crossed(
    ("direction", ["remove", "add"]),
    (("sigma", "rate"), [(1.0, 0.01), (0.3, 1e-6), (0.3, 0.5), (9.4, 0.32768), (2.0, 0.999999), (50.0, 1e-4)]),
)
def test_one_step_definition(sigma, rate, direction):
    profile = SubsampledGaussianProfile(sigma, rate, direction)
    end = -np.log1p(-rate)
    near_end = end * (1.0 + np.array([-0.5, -0.1, -1e-3, -1e-6, 1e-6]))
    epsilon = np.concatenate([[0.0, 1e-9], np.geomspace(1e-6, 12.0, 8), np.maximum(near_end, 0.0)])
    b = profile.bracket(epsilon)
    for i, e in enumerate(epsilon):
        exact = subsampled_delta(sigma, rate, direction, float(e))
        assert between(b.lower[i], exact, b.upper[i])
        if exact > 1e-290:
            assert b.upper[i] - b.lower[i] <= (2e-12 if exact > 1e-30 else 2e-11) * float(exact)
            with mp.workdps(400):
                assert between(b.log_gap_lower[i], mp.log1p(-exact), b.log_gap_upper[i])


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_slope_is_the_derivative(direction):
    profile = SubsampledGaussianProfile(1.0, 0.3, direction)
    e, h = np.array([0.05, 0.1, 0.3]), 1e-6
    numeric = (profile.bracket(e - h).upper - profile.bracket(e + h).upper) / (2 * h)
    np.testing.assert_allclose(profile.slope(e), numeric, rtol=1e-6)


def test_extremes_and_extreme_parameters():
    e = np.array([0.0, 1.0, 1e300])
    assert np.all(PerfectProfile().bracket(e).upper == 0.0)
    assert np.all(BlatantProfile().bracket(e).lower == 1.0)
    assert np.all(GaussianProfile(0.0).bracket(e).upper == 0.0)
    tiny = GaussianProfile(1e-300).bracket(e)
    assert np.all((tiny.lower == 0.0) & (tiny.upper < 1e-289))
    huge = GaussianProfile(1e200).bracket(e)
    assert np.all((huge.upper == 1.0) & (huge.log_gap_lower == -np.inf))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GaussianProfile(-1.0), "mu must be a finite number >= 0, got -1.0."),
        (lambda: GaussianProfile(float("nan")), "mu must be a finite number >= 0, got nan."),
        (lambda: SubsampledGaussianProfile(0.0, 0.1, "add"), "sigma must be a finite number > 0, got 0.0."),
        (lambda: SubsampledGaussianProfile(1.0, 1.0, "add"), "rate must be a number in (0, 1), got 1.0."),
        (lambda: SubsampledGaussianProfile(1.0, 0.1, "up"), "direction must be one of 'remove', 'add', got 'up'."),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InvalidParameter) as caught:
        make()
    assert str(caught.value) == message
