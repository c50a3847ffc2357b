"""Steps in which the record hardly ever takes part, against integrals over what is linear in the rates."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.special import ndtr

import neyman as ny
from neyman.engines.choose import profiles
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import rest_slow


def _linear(sigma: float, c: float) -> float:
    """E(x_1 + x_2 - c)_+ of two steps, x = e^{(2 y - 1) / (2 sigma^2)} - 1: exact in one, summed in the other."""
    z = np.linspace(-12.0, 14.0, 20001)
    strike = 2.0 + c - np.exp(z / sigma - 0.5 / sigma**2)
    some = np.where(strike > 0.0, strike, 1.0)
    far = (np.log(some) + 0.5 / sigma**2) * sigma
    inner = np.where(strike > 0.0, ndtr(1.0 / sigma - far) - strike * ndtr(-far), 1.0 - strike)
    return float(np.sum(inner * np.exp(-0.5 * z * z)) * (z[1] - z[0]) / math.sqrt(2.0 * math.pi))


@pytest.mark.parametrize(
    ("sigma", "rate"), rest_slow([(10.0, 1e-200), (10.0, 1e-157), (1.5, 4e-288), (10.0, 2.0**-401)], 0, 3)
)
def test_two_steps_of_hardly_any_rate_are_linear_in_it(sigma: float, rate: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = profiles(((SubsampledGaussianStep(sigma, rate), 2),), 1e-6)
        for sign, profile in zip((1.0, -1.0), both, strict=True):
            for c in (0.0, 0.125):
                found = profile.bracket(np.array([c * rate]))
                truth = _linear(sigma, c) if sign > 0.0 else _linear(sigma, -c) - c  # (-x - c)_+ = (x + c)_+ - x - c
                assert found.lower[0] / rate <= truth * (1.0 + 1e-8)
                assert found.upper[0] / rate >= truth * (1.0 - 1e-8)
                assert found.upper[0] <= 3.0 * found.lower[0]
        zero = both[0].bracket(np.zeros(1))
        assert zero.upper[0] - zero.lower[0] <= 1e-6 * zero.upper[0]  # the tolerance


@pytest.mark.parametrize("rate", [1e-200, 1e-160, 5e-324])
def test_what_is_known_of_one_step_bounds_many(rate: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many = ny.account(ny.Laplace(5.0).poisson(rate) ** 10)
        one = rate * -math.expm1(-0.1)  # 1 - e^{-1 / (2 b)}
        assert many.optimistic.advantage <= 10.0 * one
        assert one * (1.0 - 1e-9) <= many.advantage <= 10.0 * one * (1.0 + 1e-9) + 1e-322


def test_others_are_what_they_are_beside_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = ny.account(ny.Gaussian(2.0) * (ny.Laplace(5.0).poisson(1e-200) ** 10) * ny.DPSGD(1.0, 1e-155, 10))
    alone = ny.account(ny.Gaussian(2.0))
    assert both.advantage == pytest.approx(alone.advantage, rel=1e-14)
    assert both.advantage >= alone.optimistic.advantage
    assert both.epsilon(1e-5) == pytest.approx(alone.epsilon(1e-5), rel=1e-9)


def test_a_lattice_so_steep_that_no_tilt_is_beside_it_knows_nothing() -> None:
    with pytest.raises(ny.NotCertified):
        _ = ny.account(ny.Laplace(5.0).poisson(2.0**-200) ** 10).advantage


@pytest.mark.parametrize("beside", [False, True])
def test_discrete_gaussians_of_hardly_any_rate(beside: bool) -> None:
    rate, k = 1e-200, np.arange(-200.0, 201.0)
    mass = np.exp(-(k**2) / 18.0)
    mass /= mass.sum()
    one = rate * float(np.sum(np.maximum(np.roll(mass, 1) - mass, 0.0)))
    mechanism = ny.DiscreteGaussian(3.0).poisson(rate) ** 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ny.account(mechanism * ny.Laplace(5.0).poisson(1e-300) if beside else mechanism)
        assert one * (1.0 - 1e-9) <= found.advantage <= 10.0 * one * (1.0 + 1e-6)
        assert 0.9 * one <= found.optimistic.advantage <= 10.0 * one


def test_concentration_at_hardly_any_rate_is_of_the_square_of_it() -> None:
    for adjacency in ("remove", "add"):
        rho = ny.account(ny.Laplace(3.6).poisson(1e-100), adjacency=adjacency).zcdp()
        a = 1.0 / 3.6
        chi = 2.0 / 3.0 * math.exp(a) + math.exp(-2.0 * a) / 3.0 - 1.0  # E_Q x^2: rho is at least half of it
        assert 0.5 * chi * 1e-200 <= rho <= (2.0 * math.sinh(a)) ** 2 / 8.0 * 1e-200 * (1.0 + 1e-9)
