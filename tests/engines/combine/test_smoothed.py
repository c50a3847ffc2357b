"""Discrete laws without a lattice, behind veils: against sums over all they can do."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.special import gammaln, ndtr

import neyman as ny
from neyman.engines.combine.listed import lists, outcome_by_outcome
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.discrete.transform import DiscreteTransform
from neyman.losses.readings.outcomes import Outcomes
from tests.effort import rest_slow


def outcomes(epsilon: float, k: int, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Randomised response among ``k``, sampled: losses and masses of its three kinds of outcome, as it is defined."""
    p = np.array([math.exp(epsilon), 1.0, k - 2.0])
    p /= p.sum()
    q = p[[1, 0, 2]]
    mixed = (1.0 - rate) * q + rate * p
    return np.log1p(rate * (p / q - 1.0)), np.log(mixed), np.log(q)


def counted(times: int, log_mass: np.ndarray, loss: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every way to share ``times`` among three."""
    i, j = np.meshgrid(np.arange(times + 1.0), np.arange(times + 1.0), indexing="ij")
    kept = i + j <= times
    n = np.stack([i[kept], j[kept], times - i[kept] - j[kept]])
    log_p = gammaln(times + 1.0) - gammaln(n + 1.0).sum(axis=0) + log_mass @ n
    return loss @ n, np.exp(log_p)


@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_three_outcomes_by_all_counts(adjacency: str) -> None:
    """Beside a step that takes part, twice over: 1,500 and 40 steps, of which no list is made."""
    loss, log_p, log_q = outcomes(0.6, 4, 0.02)
    other, log_r, log_s = outcomes(0.9, 3, 0.1)
    if adjacency == "add":
        loss, log_p, log_q, other, log_r, log_s = -loss, log_q, log_p, -other, log_s, log_r
    mechanism = ny.RandomizedResponse(0.6, 4).poisson(0.02) ** 1500 * ny.RandomizedResponse(0.9, 3).poisson(0.1) ** 40
    guarantee = ny.account(mechanism, adjacency=adjacency)
    assert "transform" in guarantee.method
    first, mass = counted(1500, log_p, loss)
    kept = mass > 1e-25
    first, mass = first[kept], mass[kept]
    second, weight = counted(40, log_r, other)
    order = np.argsort(first)
    first, mass = first[order], mass[order]
    # sums of p and of p e^-l above each loss, so that delta(eps - l) of all the first is two look-ups
    above, tilted = (np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in (mass, mass * np.exp(-first)))
    for epsilon in (0.0, 0.1, 0.5, 1.2):
        at = np.searchsorted(first, epsilon - second, side="right")
        truth = float(np.sum(weight * (above[at] - np.exp(epsilon - second) * tilted[at])))
        low, high = guarantee.optimistic.delta(epsilon), guarantee.delta(epsilon)
        assert low <= truth * (1.0 + 1e-9) + 1e-22
        assert truth * (1.0 - 1e-9) - 1e-22 <= high
        assert high - low <= 1e-6 * high
    largest = 1500.0 * float(loss.max()) + 40.0 * float(other.max())  # the veil goes on, and is no loss
    assert guarantee.delta(largest * (1.0 + 1e-9)) == 0.0


def test_a_rare_outcome_that_no_tilt_reaches() -> None:
    """A list that ends in a rise is cut, and what lies beyond is counted: 300 steps of five outcomes, by all counts,
    beside a Gaussian."""
    mu = 0.02
    # P has e^loss times the masses of Q; both sum to 1
    loss, q = np.array([-2.2e-3, -2e-3, 1.9e-3, 0.25, 8.0]), np.array([1e-22, 0.48, 0.52 - 1e-7, 1e-7, 1e-24])
    mass = np.exp(loss) * q
    log_mass, log_q = np.log(mass / mass.sum()), np.log(q)
    loss = log_mass - log_q
    table = Outcomes(loss, log_q, slack=1e-15, relative=1e-15, dropped=1e-300)
    parts = Parts(((DiscreteTransform(table), 300),), mu, "remove")
    contour = ContourProfile(parts, Walk.along(parts))
    at = np.array([0.0, 0.01, 0.1, 0.2, 0.3, 0.6])
    found = contour.bracket(at)
    first, many, some, last = np.meshgrid(*(np.arange(n) for n in (2.0, 301.0, 12.0, 3.0)), indexing="ij")
    kept = first + many + some + last <= 300
    few = np.stack([x[kept] for x in (first, many, some, last)])
    n = np.vstack([few[0], 300.0 - few.sum(axis=0), few[1:]])
    log_p = gammaln(301.0) - gammaln(n + 1.0).sum(axis=0) + log_mass @ n
    total = loss @ n
    for epsilon, low, high in zip(at, found.lower, found.upper, strict=True):
        away = (epsilon - total) / mu
        truth = float(np.exp(log_p) @ (ndtr(0.5 * mu - away) - np.exp(epsilon - total) * ndtr(-0.5 * mu - away)))
        assert low <= truth * (1.0 + 1e-9) + 1e-30
        assert truth * (1.0 - 1e-9) <= high
        assert high - low <= 1e-4 * high or truth < 1e-10


def truth_on_a_grid(sigma: float, rate: float, times: int, spacing: float, at: np.ndarray) -> np.ndarray:
    """delta of sampled discrete Gaussians with each loss divided between two points ``spacing`` apart."""
    x = np.arange(-40 - int(12 * sigma), 41 + int(12 * sigma), dtype=float)
    q = np.exp(-0.5 * (x / sigma) ** 2)
    q /= q.sum()
    p = q * (1.0 - rate + rate * np.exp((2.0 * x - 1.0) / (2.0 * sigma**2)))
    loss = np.log(p / q)
    kept = p > 1e-25
    q, loss = q[kept], loss[kept]
    size = 1 << 19
    place = np.floor(loss / spacing)
    share = np.expm1(loss - place * spacing) / math.expm1(spacing)
    law = np.zeros(size)
    for part, node in ((1.0 - share, place), (share, place + 1.0)):
        np.add.at(law, node.astype(int) % size, q * part * np.exp(node * spacing))
    law = np.fft.irfft(np.fft.rfft(law) ** times, size)
    node = np.arange(size)
    node = np.where(node < 0.7 * size, node, node - size) * spacing
    return np.array([np.sum(law * np.maximum(-np.expm1(np.minimum(e - node, 0.0)), 0.0)) for e in at])


@pytest.mark.parametrize(("sigma", "rate", "times"), rest_slow([(6.469, 0.02215, 400), (1.518, 1e-3, 900)], 0))
def test_sampled_discrete_gaussians_by_the_hundred(sigma: float, rate: float, times: int) -> None:
    """Against two grids, of which the error goes with the square of the spacing."""
    guarantee = ny.account(ny.DiscreteGaussian(sigma).poisson(rate) ** times, adjacency="remove")
    assert guarantee.method == "transform"
    deviation = rate * math.sqrt(times * math.expm1(sigma**-2))
    at = deviation * np.array([0.0, 0.5, 1.5, 3.0])
    spacing = 2.0 * (24.0 * deviation + 0.5) / (1 << 19)
    coarse, fine = (truth_on_a_grid(sigma, rate, times, h, at) for h in (spacing, 0.5 * spacing))
    truth, room = fine - (coarse - fine) / 3.0, 0.1 * np.abs(coarse - fine) + 1e-13
    low, high = np.array([guarantee.optimistic.delta(e) for e in at]), np.array([guarantee.delta(e) for e in at])
    assert np.all(low <= truth + room)
    assert np.all(truth - room <= high)
    assert np.all(room <= 3e-6 * truth)


@pytest.mark.slow
def test_thousands_of_rare_and_uneven_steps_are_answered() -> None:
    """These took minutes on a lattice, or were refused; the answers overlap with those of a coarse lattice."""
    began = time.process_time()
    few = (
        ny.RandomizedResponse(0.5982, 3).poisson(0.007343) ** 3123 * ny.DiscreteLaplace(3.095, 1).poisson(0.1215) ** 39
    )
    sampled = ny.DiscreteGaussian(6.469).poisson(0.02215) ** 1522, ny.DiscreteGaussian(1.518).poisson(1.098e-05) ** 6889
    beside = ny.DiscreteGaussian(35.21) * ny.DiscreteLaplace(6.251, 3).poisson(0.00532) ** 3613
    for mechanism in (few, ny.DiscreteLaplace(3.155, 2).poisson(1.146e-6) ** 7894, *sampled, beside):
        guarantee = ny.account(mechanism)
        epsilon, mu = guarantee.epsilon(1e-5), guarantee.mu()
        assert 0.0 < guarantee.optimistic.epsilon(1e-5) <= epsilon
        assert 0.0 < guarantee.optimistic.mu() <= mu <= guarantee.tail_mu
    assert time.process_time() - began < 12.0  # a second or two where nothing else runs


def test_two_long_lists_go_by_lines_where_these_are_short() -> None:
    # 14 s: each eps was read at thousands of outcomes, and mu and regret ask thousands of eps
    mechanism = ny.RandomizedResponse(0.09832, 4).poisson(0.02535) ** 309 * ny.RandomizedResponse(0.02687, 4) ** 6979
    g = ny.account(mechanism)
    assert g.method == "transform"
    parts = lists([(step.table(), times) for step, times in mechanism.losses() if isinstance(step, DiscreteStep)])
    at = np.array([0.0, 0.5, 3.0, 8.0])
    both = [profile.bracket(at) for profile in outcome_by_outcome(parts, ("remove", "add"), math.inf)]
    lower, upper = (np.maximum(*(getattr(one, side) for one in both)) for side in ("lower", "upper"))
    most = np.array([g.delta(e) for e in at])
    least = np.array([g.optimistic.delta(e) for e in at])
    assert np.all(lower <= most)
    assert np.all(least <= upper)
    assert np.all(most <= lower * (1.0 + 1e-6))
