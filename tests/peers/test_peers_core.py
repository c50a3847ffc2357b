"""Core mechanisms beside dp_accounting: agreement where it is sound, and each place where it is not."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

import neyman as ny
from tests.effort import rest_slow

GRID = {"value_discretization_interval": 1e-4}
ROOM = 1e-9  # what its Fourier transform and its tails may be off by
# a mechanism, the same of the peer, how far its rounding to a grid of 1e-4 may lift its delta
DEAR = {("sampled discrete Gaussian", 3), ("randomised response", 100), ("discrete Laplace", 100)}
PAIRS: dict[str, tuple[Any, ny.Mechanism, float]] = {
    "Gaussian": (lambda: pld.from_gaussian_mechanism(3.0, **GRID), ny.Gaussian(3.0), 1e-6),
    "Laplace": (lambda: pld.from_laplace_mechanism(1.0, **GRID), ny.Laplace(1.0), 1e-6),
    "Laplace, sensitivity 2": (lambda: pld.from_laplace_mechanism(3.0, 2.0, **GRID), ny.Laplace(3.0, 2.0), 4e-5),
    "discrete Gaussian": (lambda: pld.from_discrete_gaussian_mechanism(2.0, **GRID), ny.DiscreteGaussian(2.0), 1e-6),
    "discrete Laplace": (
        lambda: pld.from_discrete_laplace_mechanism(0.7, 2, **GRID), ny.DiscreteLaplace(1 / 0.7, 2), 1e-5,
    ),
    "randomised response": (
        lambda: pld.from_randomized_response(0.4, 5, **GRID), ny.RandomizedResponse(math.log(8.5), 5), 4e-5,
    ),
    "two answers": (
        lambda: pld.from_randomized_response(2.0 / (1.0 + E_TENTH), 2, **GRID), ny.RandomizedResponse(0.1), 2e-4,
    ),
    "sampled discrete Gaussian": (
        lambda: pld.from_discrete_gaussian_mechanism(2.0, sampling_prob=0.2, **GRID),
        ny.DiscreteGaussian(2.0).poisson(0.2), 6e-5,
    ),
}  # fmt: skip
E_TENTH = math.exp(0.1)


@cache
def peer(name: str, times: int) -> pld.PrivacyLossDistribution:
    one = PAIRS[name][0]()
    return one if times == 1 else one.self_compose(times)


@cache
def ours(name: str, times: int) -> ny.Guarantee:
    return ny.account(PAIRS[name][1] ** times, tolerance=0.5)


@pytest.mark.parametrize(
    ("name", "times"),
    [
        pytest.param(name, times, marks=[pytest.mark.slow] if (name, times) in DEAR else [])
        for name in PAIRS
        for times in ((1, 3) if name.startswith("sampled") else (1, 3, 100))
    ],
)
def test_delta_agrees_within_the_error_of_the_peer(name: str, times: int) -> None:
    g, lift = ours(name, times), PAIRS[name][2]
    e = np.array([0.0, 0.05, 0.3, 0.99, 2.0, 5.0, 20.0])
    theirs = np.array([peer(name, times).get_delta_for_epsilon(x) for x in e])
    bracket = g.sides.bracket(e)
    assert np.all(bracket.lower <= theirs * (1.0 + 1e-6) + ROOM)
    assert np.all(theirs <= bracket.upper + lift * max(1.0, math.sqrt(times)) + ROOM)


@pytest.mark.parametrize("name", ["Gaussian", "discrete Gaussian", "randomised response", "two answers"])
@pytest.mark.parametrize("delta", rest_slow([1e-2, 1e-5, 1e-8], 1))
def test_epsilon_agrees_within_the_error_of_the_peer(name: str, delta: float) -> None:
    g, theirs = ours(name, 100), peer(name, 100).get_epsilon_for_delta(delta)
    assert g.optimistic.epsilon(delta) <= theirs + 1e-5
    assert theirs <= g.epsilon(delta) + 100 * 1e-4  # a whole cell for each step


def exact_gaussian(mu: float, e: float) -> float:
    """Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu), in balls."""
    from tests.reference import closed

    return float(closed.gaussian_delta(mu, e).mid())


@pytest.mark.parametrize(("delta", "below"), [(1e-11, 1e-4), (1e-13, 1e-2)])
def test_where_its_pessimistic_delta_is_too_small(delta: float, below: float) -> None:
    """Round-off of the Fourier transform, about 1e-15, is bounded nowhere: 100 Gaussians of sigma 3."""
    g, theirs, mu = ours("Gaussian", 100), peer("Gaussian", 100), 10.0 / 3.0
    e = g.epsilon(delta)
    exact = exact_gaussian(mu, e)
    assert theirs.get_delta_for_epsilon(e) < exact * (1.0 - below)
    assert g.optimistic.delta(e) <= exact * (1.0 + 1e-9)
    assert exact <= g.delta(e) * (1.0 + 1e-9)
    assert theirs.get_epsilon_for_delta(delta) < g.optimistic.epsilon(delta) - 1e-4
    assert g.epsilon(delta) - g.optimistic.epsilon(delta) <= 1e-9 * e


def test_where_its_pessimistic_epsilon_is_too_small_for_discrete_laws() -> None:
    """The same of 100 discrete Laplace steps, whose law is a finite sum of exact outcomes."""
    g, theirs = ours("discrete Laplace", 100), peer("discrete Laplace", 100)
    assert g.method == "exact sum"
    short = [g.optimistic.epsilon(d) - theirs.get_epsilon_for_delta(d) for d in (1e-11, 1e-13)]
    assert max(short) > 5e-5
    for d in (1e-11, 1e-13):
        assert 0.0 <= g.epsilon(d) - g.optimistic.epsilon(d) <= 1e-8


@pytest.mark.parametrize("name", ["Gaussian", "discrete Gaussian"])
def test_where_it_has_no_answer(name: str) -> None:
    """Each composition adds 1e-15 of infinite mass: below, its epsilon is infinite; ours goes on."""
    theirs, g = peer(name, 100), ours(name, 100)
    for delta in (1e-16, 1e-25):
        assert math.isinf(theirs.get_epsilon_for_delta(delta))
        assert g.epsilon(delta) - g.optimistic.epsilon(delta) <= 1e-6 * g.epsilon(delta)


def test_where_its_rounding_costs_a_cell_in_each_step() -> None:
    """Losses of 0.1 lie one unit in the last place above 1000 cells and are lifted by a whole one, 100 times."""
    theirs, g = peer("two answers", 100), ours("two answers", 100)
    assert theirs.get_epsilon_for_delta(1e-6) > g.epsilon(1e-6) + 5e-3
    assert g.epsilon(1e-6) == pytest.approx(4.7746, abs=1e-4)
    assert g.epsilon(1e-6) - g.optimistic.epsilon(1e-6) <= 1e-9


def test_where_its_add_law_is_no_distribution() -> None:
    """Round-off at very negative losses: 100 000 steps of sampled noise sum to more than 1."""
    narrow = pld.from_gaussian_mechanism(0.6, sampling_prob=1e-3, **GRID)
    add = narrow.self_compose(100_000)._pmf_add.to_dense_pmf()
    assert add._probs.sum() + add._infinity_mass > 1.001
    g = ny.account(ny.DPSGD(0.6, 1e-3, 100_000), tolerance=1e-3)
    alpha = np.array([1e-4, 1e-3, 1e-2])
    power = 1.0 - g.optimistic.beta(alpha)
    assert np.all(power > np.array([7.0e-3, 0.0323, 0.1342]))  # what it hides from whoever builds a curve on that law
    assert np.all(g.beta(alpha) <= 1.0 - alpha)
