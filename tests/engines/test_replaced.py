"""One step in which a sampled record is exchanged: total variation in closed form, and delta by quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form import GaussianProfile
from neyman.engines.replaced import ReplacedProfile


@pytest.mark.parametrize(("sigma", "rate"), [(0.75, 0.002), (1.0, 0.5), (3.0, 1e-12), (0.3, 0.999)])
def test_the_advantage_of_one_gaussian_step_is_linear_in_the_rate(sigma: float, rate: float) -> None:
    found = ReplacedProfile(GaussianProfile(2.0 / sigma), rate).bracket(np.zeros(1))
    truth = rate * math.erf(1.0 / (sigma * math.sqrt(2.0)))  # total variation of N(1, s^2) and N(-1, s^2)
    assert truth * (1.0 - 1e-14) <= found.upper[0] <= truth * (1.0 + 1e-12)
    assert truth * (1.0 - 1e-12) <= found.lower[0] <= truth * (1.0 + 1e-14)
    if rate < 1e-9:  # where taking part is that rare engines know less
        return
    computed = ny.account(ny.Gaussian(sigma).poisson(rate), adjacency="replace", tolerance=1e-4)
    assert computed.optimistic.advantage <= truth * (1.0 + 1e-14)
    assert truth * (1.0 - 1e-14) <= computed.advantage <= truth * (1.0 + 1e-4)


def test_the_advantage_of_one_laplace_step_is_linear_in_the_rate() -> None:
    found = ny.account(ny.Laplace(0.5).poisson(1e-200), adjacency="replace")
    truth = 1e-200 * -math.expm1(-2.0)
    assert truth * (1.0 - 1e-14) <= found.advantage <= truth * (1.0 + 1e-12)
    assert truth * (1.0 - 1e-12) <= found.optimistic.advantage <= truth * (1.0 + 1e-14)


def test_mu_of_one_exchanged_step_is_known() -> None:
    for mechanism in (ny.Gaussian(5.0).poisson(0.01), ny.Laplace(2.0).poisson(0.01)):
        found = ny.account(mechanism, adjacency="replace")
        assert found.mu() == pytest.approx(found.optimistic.mu(), rel=1e-4)


def test_beyond_zero_what_the_whole_step_says_is_a_bound() -> None:
    sigma, rate = 0.9, 0.2
    x = np.linspace(-14.0, 14.0, 400001)
    shapes = [np.exp(-0.5 * ((x - m) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi)) for m in (0.0, 1.0, -1.0)]
    p, q = ((1.0 - rate) * shapes[0] + rate * shapes[i] for i in (1, 2))
    found = ny.account(ny.Gaussian(sigma).poisson(rate), adjacency="replace")
    for epsilon in (1e-9, 0.1, 0.7, 2.0):
        truth = float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) * (x[1] - x[0]))
        assert found.delta(epsilon) == pytest.approx(truth, rel=1e-6)
