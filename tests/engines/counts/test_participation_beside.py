"""Sampled Gaussians of hardly any noise beside other steps: bounds that hold for any noise, against quadrature."""

import itertools
import math
import time

import mpmath
import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.choose import profiles
from neyman.engines.counts import beside
from neyman.engines.counts.beside import RemovedBeside
from neyman.engines.counts.combinations import counts
from neyman.engines.counts.exchanged import ExchangedParticipation
from neyman.engines.counts.participation import AddedParticipation
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.profiles.profile import Profile
from tests.effort import crossed
from tests.engines.quadrature import one_step, two_steps

_EPSILON = np.array([0.0, 0.3, 0.8, 2.0, 6.0, 15.0])
_LOSS = 0.7


def _reversed(epsilon: FloatArray, sigma: float, q: float, times: int, remove: bool) -> FloatArray:
    """delta of the sampled steps at any real eps."""
    if times == 1:
        return one_step(epsilon, sigma, q, remove)
    there = np.array([two_steps(abs(float(e)), sigma, q, remove == (e >= 0.0)) for e in epsilon])
    return np.where(epsilon < 0.0, -np.expm1(-np.abs(epsilon)) + np.exp(-np.abs(epsilon)) * there, there)


def _truth(sigma: float, q: float, times: int, remove: bool) -> FloatArray:
    """Beside one answer of randomised response: either answer moves eps."""
    p = 1.0 / (1.0 + math.exp(-_LOSS))
    parts = [
        mass * _reversed(_EPSILON - loss, sigma, q, times, remove) for loss, mass in ((_LOSS, p), (-_LOSS, 1.0 - p))
    ]
    return parts[0] + parts[1]


def _both(sigma: float, q: float, times: int, tolerance: float) -> tuple[Profile, Profile]:
    steps = [(SubsampledGaussianStep(sigma, q), times)]
    other = (RandomizedResponseStep(_LOSS), 1)
    beside = profiles((other,), 1e-10)
    listed = counts(steps, 0.0)
    assert listed is not None

    def made(mu: float) -> Profile:
        return profiles(((GaussianStep(mu), 1), other), 1e-10)[0]

    return (
        RemovedBeside(steps, beside[0], 9.0, listed, made, tolerance),
        AddedParticipation(steps, (beside[1], beside[0]), 9.0),
    )


@crossed(
    ("tolerance", [1e-8, 1e9]),
    (("sigma", "q"), list(itertools.product((0.08, 0.2, 0.6), (0.4, 0.03)))),
)
def test_both_sides_hold_whatever_the_noise(sigma: float, q: float, tolerance: float) -> None:
    """With engines asked for what participations leave, and without."""
    for times in (1, 2):
        for remove, profile in zip((True, False), _both(sigma, q, times, tolerance), strict=True):
            b, truth = profile.bracket(_EPSILON), _truth(sigma, q, times, remove)
            room = 1e-9 * np.abs(truth) + 1e-13
            assert np.all(b.lower <= truth + room), (times, remove)
            assert np.all(truth - room <= b.upper), (times, remove)
            assert np.all(np.exp(b.log_gap_lower) <= 1.0 - truth + room)
            assert np.all(1.0 - truth - room <= np.exp(b.log_gap_upper))


def test_the_room_for_what_overlaps_is_needed() -> None:
    """The truth lies above the sum over participations, by a fair share of the room that is left for it."""
    b = _both(0.2, 0.2, 2, 1e-8)[0].bracket(_EPSILON[:2])
    truth = _truth(0.2, 0.2, 2, True)[:2]
    assert np.all((truth - b.lower) / (b.upper - b.lower) > 0.02)


def _gaussian(e: mpmath.mpf, mu: mpmath.mpf) -> mpmath.mpf:
    """delta of a Gaussian at any real eps; of no Gaussian."""
    if mu == 0:
        return max(mpmath.mpf(0), -mpmath.expm1(e))
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


def _answers(loss: float, n: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Losses of n answers of randomised response, and their probabilities."""
    p = 1 / (1 + mpmath.exp(-mpmath.mpf(loss)))
    return [((2 * j - n) * mpmath.mpf(loss), mpmath.binomial(n, j) * p**j * (1 - p) ** (n - j)) for j in range(n + 1)]


def _sum(epsilon: float, loud: tuple[float, float, int], answers: tuple[float, int], ks: range) -> mpmath.mpf:
    """The sum over participations, in 60 digits."""
    (sigma, q, times), total = loud, mpmath.mpf(0)
    for k in ks:
        mu = mpmath.sqrt(k) / mpmath.mpf(sigma)
        log_w = (times - k) * mpmath.log1p(-mpmath.mpf(q)) + k * mpmath.log(mpmath.mpf(q))
        parts = [mass * _gaussian(epsilon - log_w - loss, mu) for loss, mass in _answers(*answers)]
        total += mpmath.binomial(times, k) * mpmath.exp(log_w) * sum(parts)
    return total


@pytest.mark.parametrize(
    ("loud", "answers", "epsilon"),
    [
        ((0.01, 1e-3, 50), (0.5, 6), 1.0), ((0.01, 1e-3, 50), (0.5, 6), 6000.0), ((0.02, 0.3, 40), (3.0, 2), 20000.0),
        ((0.005, 1e-9, 10**6), (2.0, 3), 19960.0), ((0.03, 1e-14, 10), (0.1, 4), 0.35),
        ((0.04, 0.2, 3), (1.0, 1), 290.0),
    ],
)  # fmt: skip
def test_hardly_any_noise_is_answered_to_the_last_digits(
    loud: tuple[float, float, int], answers: tuple[float, int], epsilon: float
) -> None:
    g = ny.account(ny.DPSGD(*loud) * ny.RandomizedResponse(answers[0], 2) ** answers[1], adjacency="remove")
    with mpmath.workdps(60):
        truth = _sum(epsilon, loud, answers, range(min(loud[2], 40) + 1))
        assert g.optimistic.delta(epsilon) <= truth <= g.delta(epsilon)
    assert g.delta(epsilon) - g.optimistic.delta(epsilon) <= 1e-8 * g.delta(epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0])
def test_added_it_is_the_others_read_a_little_later(epsilon: float) -> None:
    """No output of a loud step tells that the record stayed away, but log(1 - q) of it."""
    loud, answers = (0.01, 1e-3, 50), (0.5, 6)
    g = ny.account(ny.DPSGD(*loud) * ny.RandomizedResponse(answers[0], 2) ** answers[1], adjacency="add")
    with mpmath.workdps(60):
        later = epsilon + loud[2] * mpmath.log1p(-mpmath.mpf(loud[1]))
        truth = sum(mass * max(0, -mpmath.expm1(later - loss)) for loss, mass in _answers(*answers))
        assert g.optimistic.delta(epsilon) <= truth <= g.delta(epsilon)
    assert g.delta(epsilon) - g.optimistic.delta(epsilon) <= 1e-10 * g.delta(epsilon)


@pytest.mark.parametrize("epsilon", [13_000.0, 15_000.0, 20_000.0])
def test_of_many_participations_not_all_are_asked(epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that no engine is asked for are bounded by their Gaussian, read earlier."""
    monkeypatch.setattr(beside, "_MOST", 3)
    loud, answers = (0.02, 0.3, 40), (1.0, 2)
    mechanism = ny.DPSGD(*loud) * ny.RandomizedResponse(answers[0], 2) ** answers[1]
    g = ny.account(mechanism, adjacency="remove", tolerance=0.5)
    with mpmath.workdps(60):
        truth = _sum(epsilon, loud, answers, range(41))
        assert g.optimistic.delta(epsilon) <= truth <= g.delta(epsilon)
    assert 1e-8 < g.delta(epsilon) / g.optimistic.delta(epsilon) - 1.0 < 0.05


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(
            "Gaussian(.01473).poisson(1.3e-6) ** 5959 * Gaussian(300).poisson(.1) ** 500", marks=pytest.mark.slow
        ),
        pytest.param("Gaussian(.01473).poisson(1.3e-6) ** 5959 * DiscreteGaussian(20) ** 10", marks=pytest.mark.slow),
        "Gaussian(.02793).poisson(.0005941) ** 3 * RandomizedResponse(.03938, 3).poisson(.03897) ** 2",
    ],
)
def test_beside_anything_it_takes_no_time(setting: str) -> None:
    begun = time.process_time()
    g = ny.account(eval(setting, {name: getattr(ny, name) for name in ny.__all__}))
    assert g.optimistic.epsilon(1e-5) <= g.epsilon(1e-5) <= g.optimistic.epsilon(1e-5) * (1.0 + 1e-6)
    assert g.delta(1.0) >= g.optimistic.delta(1.0) >= (1.0 - 1e-6) * g.delta(1.0)
    assert g.optimistic.mu() <= g.mu() <= g.optimistic.mu() * (1.0 + 1e-4)
    assert time.process_time() - begun < 8.0


def test_a_vacuous_bound_on_delta_tells_nothing_of_its_complement():
    """Steps so many that T eta is beyond 1: 1 - delta was at least 0.1, of a sum that was capped at 0.9."""
    steps = [(SubsampledGaussianStep(0.1999, 0.99), 62_626_262)]
    b = ExchangedParticipation(steps, 1e6, counts(steps, 0.0, exchanged=True)).bracket(np.array([1e9, 1e10]))
    assert np.all(b.upper == 1.0)
    assert np.all(b.log_gap_lower == -np.inf)
