"""Compositions of up to 1e18 steps: an answer, a bound that holds, or NotCertified with its bracket; nothing else."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import neyman as ny
from neyman import Mechanism, NotCertified
from neyman.engines.choose import profiles
from neyman.engines.renyi.elementary import ElementaryProfile
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import rest_slow

MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "randomized response": lambda: ny.RandomizedResponse(1.0),
    "discrete Laplace": lambda: ny.DiscreteLaplace(5.0),
    "pure": lambda: ny.PureMechanism(1e-9),
    "approximate": lambda: ny.ApproximateMechanism(1e-9, 1e-20),
    "tabulated": lambda: ny.Tabulated([0.5, 0.5], [0.4, 0.6]),
    "three outcomes": lambda: ny.Tabulated([0.5, 0.3, 0.2], [0.3, 0.3, 0.4]),
    "DP-SGD": lambda: ny.DPSGD(1.0, 1e-9, 1),
    "faint DP-SGD": lambda: ny.Gaussian(332000000000.0).poisson(0.000329),
    "Laplace": lambda: ny.Laplace(1e8),
    "sampled Laplace": lambda: ny.Laplace(10.0).poisson(1e-9),
    "discrete Gaussian": lambda: ny.DiscreteGaussian(10.0),
    "sampled discrete Gaussian": lambda: ny.DiscreteGaussian(10.0).poisson(1e-6),
    "promised pure": lambda: ny.Opaque(ny.PureDP(1e-9)),
    "promised approximate": lambda: ny.Opaque(ny.ApproximateDP(1e-9, 1e-20)),
    "promised zCDP": lambda: ny.Opaque(ny.ZCDP(1e-12)),
    "promised curve": lambda: ny.Opaque(ny.Tradeoff([0, 0.1, 1], [1, 0.85, 0])),
}
QUICK = ("approximate", "Laplace", "sampled Laplace", "discrete Gaussian")
SECONDS = 10.0


def survives(name: str, exponent: int) -> None:
    start = time.process_time()
    guarantee = ny.account(MECHANISMS[name]() ** 10**exponent)
    questions: list[tuple[Callable[[], float], Callable[[], float], bool]] = [
        (lambda: guarantee.epsilon(1e-5), lambda: guarantee.optimistic.epsilon(1e-5), True),
        (lambda: guarantee.delta(0.5), lambda: guarantee.optimistic.delta(0.5), True),
        (lambda: guarantee.advantage, lambda: guarantee.optimistic.advantage, True),
        (lambda: guarantee.beta(0.1), lambda: guarantee.optimistic.beta(0.1), False),
    ]
    for safe, other, above in questions:
        try:
            upper, lower = safe(), other()
        except NotCertified as error:
            lower, upper = (error.lower, error.upper) if above else (error.upper, error.lower)
        assert lower <= upper if above else upper <= lower
    assert time.process_time() - start < SECONDS * (1 + len(questions))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS]
)
def test_the_longest_composition_is_answered_or_bracketed(name: str) -> None:
    survives(name, 18)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [9, 12, 15])
@pytest.mark.parametrize("name", MECHANISMS)
def test_long_compositions_are_answered_or_bracketed(name: str, exponent: int) -> None:
    survives(name, exponent)


@pytest.mark.parametrize(
    ("name", "mu"),
    [
        ("pure", 1.0),
        ("Laplace", 10.0),
        # T q^2 times the variance of the likelihood ratio
        pytest.param("DP-SGD", math.sqrt(math.e - 1.0), marks=pytest.mark.slow),
        ("sampled Laplace", math.sqrt(2.0 / 3.0 * math.exp(0.1) + math.exp(-0.2) / 3.0 - 1.0)),
    ],
)
def test_brackets_of_1e18_steps_hold_the_central_limit(name: str, mu: float) -> None:
    guarantee, limit = ny.account(MECHANISMS[name]() ** 10**18), ny.GDP(mu)
    for epsilon in (0.0, 0.5 * mu, 2.0 * mu):
        with pytest.raises(NotCertified) as refused:
            guarantee.delta(epsilon)
        truth = limit.delta(epsilon)  # which 1e18 steps are within 1e-6 of
        assert refused.value.lower <= truth * (1.0 + 1e-6)
        assert truth * (1.0 - 1e-6) <= refused.value.upper


def test_elementary_bounds_hold_of_gaussians() -> None:
    epsilon = np.array([0.0, 0.1, 1.0, 5.0, 30.0, 200.0])
    for mu in (1e-6, 0.1, 1.0, 8.0, 20.0):
        count = 10**6
        step = GaussianStep(mu / 1000.0, mu / 1000.0)
        found = ElementaryProfile(((step, count),), True, math.inf).bracket(epsilon)
        limit = ny.GDP(mu)
        truth = np.array([limit.delta(float(e)) for e in epsilon])
        assert np.all(found.lower <= truth * (1.0 + 1e-9))
        assert np.all(truth * (1.0 - 1e-9) <= found.upper)
        assert np.all(found.log_gap_lower <= found.log_gap_upper)


def test_a_loss_that_ends_is_known_to_end() -> None:
    guarantee = ny.account(ny.PureMechanism(1e-9) ** 10**9)
    assert guarantee.delta(1.0 + 1e-9) == 0.0


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"), [(0.05, 0.999, 10**17), (0.12359412026852837, 0.9841807278829485, 466453032441614)]
)
def test_what_is_told_nearly_whole_is_left_to_the_divergences(sigma: float, rate: float, steps: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ny.account(ny.DPSGD(sigma, rate, steps))
        assert found.method == "divergences"
        assert found.advantage == 1.0
        remove, _ = profiles(((SubsampledGaussianStep(sigma, rate), steps),), 1e-6)
        gap = remove.bracket(np.zeros(1))
    # int sqrt(dP dQ)^2 / 2 <= 1 - delta(0) <= int sqrt(dP dQ), which is E_Q sqrt(r): summed over x
    x = sigma * np.linspace(-12.0, 12.0, 40001)
    root = np.sqrt(1.0 - rate + rate * np.exp((2.0 * x - 1.0) / (2.0 * sigma**2)))
    half = np.log(np.sum(root * np.exp(-0.5 * (x / sigma) ** 2)) * (24.0 / 40000) / math.sqrt(2.0 * math.pi))
    assert gap.log_gap_lower[0] >= 2.0 * steps * half * (1.0 + 1e-9)
    assert 2.0 * steps * half * (1.0 + 1e-9) <= gap.log_gap_upper[0] <= steps * half * (1.0 - 1e-9)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    rest_slow([(19700000.0, 0.0008007, 1050000), (3393000.0, 0.0001194, 1879000), (121500000.0, 0.3655, 55790000)], 2),
)
def test_what_is_a_little_wide_keeps_its_slopes(sigma: float, rate: float, steps: int) -> None:
    """mu of noise so large that each step is nearly a Gaussian: to first order in 1 / sigma that of the Gaussians."""
    found = ny.account(ny.DPSGD(sigma, rate, steps))
    limit = math.sqrt(steps) * rate / sigma
    assert limit * (1.0 - 1e3 / sigma) <= found.mu() <= limit * (1.0 + 1e3 / sigma)
