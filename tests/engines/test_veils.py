"""Discrete laws without a lattice, behind veils: against sums over all they can do."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.special import gammaln

import neyman as ny


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


def test_thousands_of_rare_and_uneven_steps_are_answered() -> None:
    """These took minutes on a lattice, or were refused; the answers overlap with those of a coarse lattice."""
    began = time.process_time()
    few = (
        ny.RandomizedResponse(0.5982, 3).poisson(0.007343) ** 3123 * ny.DiscreteLaplace(3.095, 1).poisson(0.1215) ** 39
    )
    for mechanism in (few, ny.DiscreteLaplace(3.155, 2).poisson(1.146e-6) ** 7894):
        guarantee = ny.account(mechanism)
        epsilon, mu = guarantee.epsilon(1e-5), guarantee.mu()
        assert 0.0 < guarantee.optimistic.epsilon(1e-5) <= epsilon
        assert 0.0 < guarantee.optimistic.mu() <= mu <= guarantee.tail_mu
    assert time.process_time() - began < 12.0  # a second or two where nothing else runs
