"""A composition read at each outcome of a short list beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import gammaln

import neyman as ny
from neyman.engines.atoms import enumeration
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.choose import profiles
from neyman.engines.combine.before import BoundedProfile
from neyman.engines.lattice.profile import LatticeProfile
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
    ahead = (counts[0] - counts[1]).astype(np.int64)  # of which there are few, and none is below 7000
    first, mass = epsilon * np.arange(7000.0, ahead.max() + 1.0), np.bincount(ahead - 7000, np.exp(log_p))
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


def agreed(profile: object, epsilon: list[float]) -> None:
    """What a lattice says first, within the tolerance, and what is read at each outcome behind it."""
    assert isinstance(profile, BoundedProfile)
    assert isinstance(profile._quick, LatticeProfile)
    assert profile._engine is not None
    at = np.array(epsilon)
    first, then = profile.bracket(at), profile._engine.bracket(at)
    assert not profile._asked
    assert np.all(first.upper - first.lower <= 1e-6 * first.upper)
    assert np.all(first.lower <= then.upper)
    assert np.all(then.lower <= first.upper)


def test_outcomes_over_long_lines_come_after_a_lattice() -> None:
    """165 outcomes over lines of 60,000 nodes: mu took half a minute, and was refused."""
    steps = ny.DiscreteGaussian(0.6579).poisson(0.04442) ** 95 * ny.DiscreteGaussian(2.52) ** 9
    remove, _ = profiles(steps.losses(), 1e-6)
    agreed(remove, [0.1, 8.0])


def test_outcomes_over_short_lines_come_before_one() -> None:
    steps = ny.RandomizedResponse(0.35, 6).poisson(0.017) ** 4000 * ny.PureMechanism(1.3) ** 5
    remove, _ = profiles(steps.losses(), 1e-6)
    assert isinstance(remove, BoundedProfile)
    assert remove._quick.method == "exact sum over transform"


def test_outcomes_over_a_lattice_come_after_one_of_all() -> None:
    """The losses of 23 rare Laplace steps end where their lattice met them at each of 60 outcomes: 9 seconds for mu."""
    steps = ny.Laplace(0.103).poisson(2.626e-4) ** 23 * ny.DiscreteGaussian(0.8907) ** 5
    remove, add = profiles(steps.losses(), 1e-6)
    agreed(remove, [0.0, 4.0])
    agreed(add, [4.0])


def test_outcomes_over_sums_of_rare_ones() -> None:
    """No lattice holds the losses of 2,409 rare steps beside those of two others: it was refused, 1e-5 wide."""
    steps = ny.DiscreteGaussian(4.974) ** 2 * ny.DiscreteGaussian(0.8046).poisson(3.973e-4) ** 2409
    remove, _ = profiles(steps.losses(), 1e-6)
    assert isinstance(remove, BoundedProfile)
    assert remove.method == "exact sum over exact sum over lattice"
    assert isinstance(remove._engine, LatticeProfile)


@pytest.mark.slow
def test_outcomes_over_sums_of_rare_ones_agree_with_a_lattice() -> None:
    steps = ny.DiscreteGaussian(4.974) ** 2 * ny.DiscreteGaussian(0.8046).poisson(3.973e-4) ** 2409
    remove, _ = profiles(steps.losses(), 1e-6)
    assert isinstance(remove, BoundedProfile)
    found = remove.bracket(np.array([1.0]))
    assert found.upper[0] - found.lower[0] <= 1e-6 * found.upper[0]
    assert not remove._asked
    behind = remove._engine
    assert isinstance(behind, LatticeProfile)
    second = behind.bracket(np.array([1.0]))
    assert second.lower[0] <= found.upper[0]
    assert found.lower[0] <= second.upper[0]
