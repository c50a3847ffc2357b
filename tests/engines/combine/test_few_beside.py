"""A composition read at each outcome of a short list beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import gammaln

import neyman as ny
from neyman.engines.atoms import enumeration
from neyman.engines.atoms.enumeration import enumerated
from neyman.losses.discrete.steps import DiscreteGaussianStep
from tests.effort import rest_slow


@pytest.mark.parametrize("adjacency", rest_slow(["remove", "add"], "remove"))
def test_few_outcomes_beside_many_steps(adjacency: str) -> None:
    """4,000 sampled steps of three outcomes, summed over all counts, beside five that are not sampled: these were
    divided between the points of one lattice for both."""
    epsilon, k, rate, times = 0.35, 6, 0.017, 4000
    p = np.array([math.exp(epsilon), 1.0, k - 2.0]) / (math.exp(epsilon) + k - 1.0)
    q = p[[1, 0, 2]]
    log_p, log_q = np.log((1.0 - rate) * q + rate * p), np.log(q)
    loss = log_p - log_q
    if adjacency == "add":
        loss, log_p = -loss, log_q
    i, j = np.meshgrid(np.arange(300.0, 1000.0), np.arange(500.0, 1300.0), indexing="ij")  # 13 deviations
    counts = np.stack([i.ravel(), j.ravel(), times - i.ravel() - j.ravel()])
    log_mass = gammaln(times + 1.0) - gammaln(counts + 1.0).sum(axis=0) + log_p @ counts
    kept = log_mass > -70.0
    first, mass = (loss @ counts)[kept], np.exp(log_mass[kept])
    ups = np.arange(6.0)
    second = 1.3 * (2.0 * ups - 5.0)
    weight = np.array([math.comb(5, int(n)) for n in ups]) * np.exp(1.3 * ups) / (1.0 + math.exp(1.3)) ** 5
    guarantee = ny.account(
        ny.RandomizedResponse(epsilon, k).poisson(rate) ** times * ny.PureMechanism(1.3) ** 5, adjacency=adjacency
    )
    assert guarantee.method == "exact sum over transform"
    for e in (0.0, 1.0, 4.0, 8.0):
        gains = [float(mass @ -np.expm1(np.minimum(e - gain - first, 0.0))) for gain in second]
        truth = float(weight @ np.array(gains))
        found = guarantee.delta(e), guarantee.optimistic.delta(e)
        assert found[1] * (1.0 - 1e-10) <= truth <= found[0] * (1.0 + 1e-10)
        assert found[0] - found[1] <= 1e-6 * found[0]


def test_one_copy_of_a_long_list_is_that_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was shared out in all ways, of which there are as many as outcomes, kind by kind: six seconds for 1,350."""
    monkeypatch.setattr(enumeration, "counted", None)
    table = DiscreteGaussianStep(17.41, 1, 9.3e-5).table()
    found = enumerated([(table, 1)])
    assert found is not None
    assert len(found.loss) == len(table.loss)
    assert np.array_equal(found.loss, table.loss)
    assert np.allclose(found.log_q, table.log_q, rtol=1e-14, atol=1e-14)
    assert found.slack == table.slack


def test_few_outcomes_over_an_exact_lattice() -> None:
    """Strong steps of one spacing beside a few of another: it was refused, all divided between points of one lattice.
    Summed over all counts, and over the sum of the discrete Gaussians."""
    epsilon, k, times, sigma = 3.563, 3, 8751, 0.72
    p = np.array([math.exp(epsilon), 1.0, k - 2.0]) / (math.exp(epsilon) + k - 1.0)
    i, j = np.meshgrid(np.arange(8005.0, 8560.0), np.arange(36.0, 434.0), indexing="ij")  # 13 deviations
    inside = i + j <= times
    counts = np.stack([i[inside], j[inside], times - i[inside] - j[inside]])
    log_p = gammaln(times + 1.0) - gammaln(counts + 1.0).sum(axis=0) + np.log(p) @ counts
    first, mass = epsilon * (counts[0] - counts[1]), np.exp(log_p)
    outcome = np.arange(-12.0, 13.0)
    one = np.exp(-((outcome - 1.0) ** 2) / (2.0 * sigma**2))
    four = np.convolve(np.convolve(one, one), np.convolve(one, one))
    second, weight = (np.arange(-48.0, 49.0) - 2.0) / sigma**2, four / four.sum()
    guarantee = ny.account(ny.RandomizedResponse(epsilon, k) ** times * ny.DiscreteGaussian(sigma) ** 4)
    mean = float(mass @ first) + float(weight @ second)
    for e in (mean, mean + 150.0, mean + 900.0):
        gains = [float(mass @ -np.expm1(np.minimum(e - gain - first, 0.0))) for gain in second]
        truth = float(weight @ np.array(gains))
        found = guarantee.delta(e), guarantee.optimistic.delta(e)
        assert found[1] * (1.0 - 1e-9) <= truth <= found[0] * (1.0 + 1e-9)
        assert found[0] - found[1] <= 1e-6 * found[0]
