"""Sampled Gaussian steps of so much noise that they are nearly Gaussians: bounds that hold for any noise."""

import itertools
import math
import time

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.nearly_gaussian import NearlyGaussianProfile
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import rest_slow
from tests.engines.quadrature import one_step, two_steps


@pytest.mark.parametrize(("sigma", "q"), list(itertools.product((2.0, 4.0, 12.0, 60.0), (0.5, 0.1, 0.97))))
def test_both_sides_hold_whatever_the_noise(sigma: float, q: float) -> None:
    used = []
    for times, remove in itertools.product((1, 2), (True, False)):
        mu = math.sqrt(times) * q / sigma
        epsilon = mu * np.array([0.0, 0.1, 0.5, 1.0, 2.0, 3.0])
        b = NearlyGaussianProfile(
            [(SubsampledGaussianStep(sigma, q), times)], 0.0, "remove" if remove else "add", math.sqrt(times) / sigma
        ).bracket(epsilon)
        truth = (
            one_step(epsilon, sigma, q, remove)
            if times == 1
            else np.array([two_steps(float(e), sigma, q, remove) for e in epsilon])
        )
        room = 1e-9 * np.abs(truth) + 1e-13
        assert np.all(b.lower <= truth + room), (times, remove)
        assert np.all(truth - room <= b.upper), (times, remove)
        assert np.all(np.exp(b.log_gap_lower) <= 1.0 - truth + room)
        assert np.all(1.0 - truth - room <= np.exp(b.log_gap_upper))
        gaussian = GaussianProfile(mu).bracket(epsilon)
        used.append(np.max(np.abs(truth - gaussian.upper) / (b.upper - b.lower + 1e-300)))
    if q == 0.5:  # the room is needed: the truth is a fair share of it away from the Gaussian
        assert max(used) > 0.04


def test_what_is_near_a_gaussian_is_certified_to_the_tolerance() -> None:
    for sigma, q, times in ((1e12, 1e-6, 5), (5e6, 0.9, 3)):
        g = ny.account(ny.DPSGD(sigma, q, times))
        mu = math.sqrt(times) * q / sigma
        assert math.isclose(g.advantage, mu / math.sqrt(2.0 * math.pi), rel_tol=1e-6)
        assert g.optimistic.advantage <= g.advantage
        assert g.optimistic.mu() <= g.mu()
        assert math.isclose(g.mu(), mu, rel_tol=1e-4)


@pytest.mark.parametrize(("sigma", "rate", "times"), rest_slow([
    (192_200_000_000.0, 0.1312, 5567), (5_285_000.0, 3.419e-09, 2_107_000), (1e100, 0.1, 100), (1e9, 0.999, 10**9),
], 1, 2))  # fmt: skip
def test_hardly_any_information_takes_no_time(sigma: float, rate: float, times: int) -> None:
    begun = time.process_time()
    g = ny.account(ny.DPSGD(sigma, rate, times))
    assert g.optimistic.epsilon(1e-5) <= g.epsilon(1e-5)
    assert g.delta(1.0) <= 1e-30 or g.optimistic.delta(1.0) >= (1.0 - 1e-6) * g.delta(1.0)
    assert 0.0 < g.optimistic.advantage <= g.advantage <= g.optimistic.advantage * (1.0 + 3e-6)
    assert g.gdp().mu == g.mu() >= g.optimistic.mu()
    assert time.process_time() - begun < 3.0


def test_beside_gaussians_and_of_several_kinds() -> None:
    steps = ny.DPSGD(1e8, 0.3, 1000) * ny.DPSGD(3e8, 0.7, 50) * ny.Gaussian(1e7)
    mu = math.sqrt(1000 * (0.3 / 1e8) ** 2 + 50 * (0.7 / 3e8) ** 2 + 1e-14)
    g = ny.account(steps)
    gaussian = ny.account(ny.Gaussian(1.0 / mu))
    assert math.isclose(g.advantage, gaussian.advantage, rel_tol=1e-7)
    assert math.isclose(g.mu(), mu, rel_tol=1e-5)
