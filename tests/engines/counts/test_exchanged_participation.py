"""Exchanged records with hardly any noise: sums over participations against one closed form, integrated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import log_ndtr

import neyman as ny
from neyman.engines.closed_form.replaced import ReplacedGaussianProfile
from neyman.engines.counts.combinations import counts
from neyman.engines.counts.exchanged import ExchangedParticipation
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import crossed, rest_slow

EPSILON = np.array([0.0, 1e-6, 0.3, 2.0, 9.0, 40.0, 150.0])


def summed(sigma: float, rate: float, times: int) -> ExchangedParticipation:
    steps = [(SubsampledGaussianStep(sigma, rate), times)]
    listed = counts(steps, 0.0, exchanged=True)
    assert listed is not None
    return ExchangedParticipation(steps, 2.0 * math.sqrt(times) / sigma, listed)


def of_one(sigma: float, rate: float, epsilon: np.ndarray) -> np.ndarray:
    """delta of one step at any real eps: of the best threshold test, whose terms do not cancel at these settings."""
    e = np.abs(epsilon)
    alpha = (1.0 - rate) * np.expm1(e) / rate
    x = sigma**2 * (0.5 * e + np.arcsinh(alpha * np.exp(0.5 / sigma**2 - 0.5 * e) / 2.0))
    above = [np.exp(scale + log_ndtr((centre - x) / sigma)) for centre, scale in ((1.0, 0.0), (-1.0, e))]
    found = rate * (above[0] - alpha * np.exp(log_ndtr(-x / sigma)) - above[1])
    small = np.exp(np.minimum(epsilon, 0.0))
    return np.where(epsilon < 0.0, 1.0 - small + small * found, found)


def of_two(sigma: float, rate: float, epsilon: float) -> float:
    """delta of two: of one, at what the other leaves of eps."""
    z = np.arange(-9.0, 9.0, 1.0 / 4096.0)
    total = 0.0
    for centre, weight in ((0.0, 1.0 - rate), (1.0, rate)):
        x = centre + sigma * z
        ahead, behind = (
            np.logaddexp(math.log1p(-rate), math.log(rate) + (sign * 2.0 * x - 1.0) / (2.0 * sigma**2))
            for sign in (1.0, -1.0)
        )
        density = weight * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        total += float(np.sum(density * of_one(sigma, rate, epsilon - (ahead - behind)))) / 4096.0
    return total


@pytest.mark.parametrize("rate", [1e-9, 1e-3, 0.2, 0.6])
@pytest.mark.parametrize("sigma", [0.01, 0.06, 0.1, 0.18])
def test_one_step_is_the_closed_form(sigma: float, rate: float) -> None:
    truth = ReplacedGaussianProfile(sigma, rate, 2.0 / sigma).bracket(EPSILON)
    found = summed(sigma, rate, 1).bracket(EPSILON)
    assert np.all(found.lower <= truth.upper)
    assert np.all(found.upper >= truth.lower)
    assert np.all(found.log_gap_lower <= truth.log_gap_upper)
    assert np.all(found.log_gap_upper >= truth.log_gap_lower)
    if sigma <= 0.06:  # sharp where the overlap is nothing
        np.testing.assert_allclose(found.lower, found.upper, rtol=1e-9, atol=1e-300)


@crossed(
    ("rate", [1e-4, 0.2, 0.6]),
    ("sigma", rest_slow([0.06, 0.1, 0.18], 0, 2)),
)
def test_two_steps_are_one_integrated_over_the_other(sigma: float, rate: float) -> None:
    found = summed(sigma, rate, 2).bracket(EPSILON)
    truth = np.array([of_two(sigma, rate, epsilon) for epsilon in EPSILON.tolist()])
    assert np.all(found.lower <= truth * (1.0 + 1e-7) + 1e-15)
    assert np.all(found.upper >= truth * (1.0 - 1e-7) - 1e-15)
    if sigma <= 0.06:
        np.testing.assert_allclose(found.upper, truth, rtol=1e-7, atol=1e-14)


def test_where_nothing_overlaps_who_took_part_is_seen() -> None:
    """delta is 1 - (1 - q)^T up to where a step that took part tells no more."""
    for sigma, rate, times in ((1e-50, 0.3, 3), (0.007, 0.5, 2), (0.015, 1e-4, 5000), (0.02, 1e-12, 10**6)):
        g = ny.account(ny.DPSGD(sigma, rate, times), adjacency="replace")
        truth = -math.expm1(times * math.log1p(-rate))
        for delta in (g.advantage, g.delta(0.1), g.delta(100.0), g.optimistic.delta(100.0)):
            assert delta == pytest.approx(truth, rel=1e-9)
        assert g.optimistic.mu() <= g.mu() <= g.optimistic.mu() * (1.0 + 1e-4)


def test_beside_a_gaussian_and_of_several_kinds() -> None:
    mixed = ny.DPSGD(0.05, 1e-3, 20) * ny.DPSGD(0.03, 0.01, 5) * ny.Gaussian(4.0)
    g = ny.account(mixed, adjacency="replace")
    nobody = 0.999**20 * 0.99**5  # then the Gaussian alone tells, at twice its mu
    for epsilon in (0.0, 0.5, 1.0):
        truth = 1.0 - nobody * (1.0 - ny.account(ny.Gaussian(4.0), adjacency="replace").delta(epsilon))
        assert g.delta(epsilon) == pytest.approx(truth, rel=1e-9)
        assert g.optimistic.delta(epsilon) == pytest.approx(truth, rel=1e-9)
