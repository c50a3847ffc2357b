"""Sampled Gaussian steps of hardly any noise: bounds that hold for any noise, against quadrature."""

import itertools
import math
import time

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.counts.combinations import counts, log_overlap, orderly
from neyman.engines.counts.participation import AddedParticipation, RemovedParticipation
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import rest_slow
from tests.engines.quadrature import one_step, two_steps

_EPSILON = np.array([0.0, 1e-3, 0.1, 0.3, 1.0, 3.0, 8.0, 20.0, 40.0])


@pytest.mark.parametrize(("sigma", "q"), list(itertools.product((0.12, 0.2, 0.35, 0.6), (0.4, 0.03))))
def test_both_sides_hold_whatever_the_noise(sigma: float, q: float) -> None:
    none = GaussianProfile(0.0)
    for times in (1, 2):
        steps = [(SubsampledGaussianStep(sigma, q), times)]
        listed = counts(steps, 0.0)
        assert listed is not None
        for remove in (True, False):
            profile = (
                RemovedParticipation(steps, 9.0, listed) if remove else AddedParticipation(steps, (none, none), 9.0)
            )
            b = profile.bracket(_EPSILON)
            truth = (
                one_step(_EPSILON, sigma, q, remove)
                if times == 1
                else np.array([two_steps(float(e), sigma, q, remove) for e in _EPSILON])
            )
            room = 1e-9 * np.abs(truth) + 1e-13
            assert np.all(b.lower <= truth + room), (times, remove)
            assert np.all(truth - room <= b.upper), (times, remove)
            assert np.all(np.exp(b.log_gap_lower) <= 1.0 - truth + room)
            assert np.all(1.0 - truth - room <= np.exp(b.log_gap_upper))


def test_the_bound_from_above_is_no_wider_than_what_overlaps() -> None:
    """What the truth lies above S is a fair share of the room that is left for it: the room is needed."""
    sigma, q = 0.3, 0.2
    steps = [(SubsampledGaussianStep(sigma, q), 2)]
    listed = counts(steps, 0.0)
    assert listed is not None
    b = RemovedParticipation(steps, 9.0, listed).bracket(np.array([0.1]))
    truth = two_steps(0.1, sigma, q, True)
    assert 0.05 < (truth - b.lower[0]) / (b.upper[0] - b.lower[0]) < 1.0


def _sum(epsilon: float, sigma: float, q: float, times: int) -> mpmath.mpf:
    """The sum over participations, in 60 digits."""
    total = mpmath.mpf(0)
    for k in range(1, min(times, 40) + 1):
        mu = mpmath.sqrt(k) / mpmath.mpf(sigma)
        e = epsilon - (times - k) * mpmath.log1p(-mpmath.mpf(q)) - k * mpmath.log(mpmath.mpf(q))
        delta = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        total += mpmath.binomial(times, k) * mpmath.mpf(q) ** k * (1 - mpmath.mpf(q)) ** (times - k) * delta
    return total


@pytest.mark.parametrize(
    ("sigma", "q", "times", "epsilon"),
    [(0.01, 1e-3, 50, 6000.0), (0.01, 1e-3, 50, 1.0), (0.005, 1e-9, 10**6, 19000.0), (0.02, 0.3, 40, 20000.0)],
)
def test_hardly_any_noise_is_answered_to_the_last_digits(sigma: float, q: float, times: int, epsilon: float) -> None:
    g = ny.account(ny.DPSGD(sigma, q, times), adjacency="remove")
    with mpmath.workdps(60):
        truth = _sum(epsilon, sigma, q, times)
        assert g.optimistic.delta(epsilon) <= truth <= g.delta(epsilon)
    assert g.delta(epsilon) - g.optimistic.delta(epsilon) <= 1e-8 * g.delta(epsilon)


@pytest.mark.parametrize(
    "setting",
    [
        (0.001, 0.001, 50), (0.05, 0.001, 50), (0.003295, 8.182e-10, 15_020_000), (0.03415, 6.444e-09, 2),
        pytest.param((0.004491, 0.0002758, 705_800_000), marks=pytest.mark.slow), (0.05, 0.1, 10_000),
        (1e-100, 0.1, 100),
    ],
)  # fmt: skip
def test_hardly_any_noise_takes_no_time(setting: tuple[float, float, int]) -> None:
    begun = time.process_time()
    g = ny.account(ny.DPSGD(*setting))
    assert g.optimistic.epsilon(1e-5) <= g.epsilon(1e-5)
    assert g.delta(1.0) >= g.optimistic.delta(1.0) >= (1.0 - 1e-6) * g.delta(1.0)
    assert g.optimistic.mu() <= g.mu() <= g.optimistic.mu() * (1.0 + 1e-4) + 1e-7
    assert g.gdp().mu == g.mu()
    assert time.process_time() - begun < 3.0


def test_one_minus_delta_keeps_its_logarithm() -> None:
    """Most of what is left of 1 - delta(0) is that few steps took part: a sum in 60 digits."""
    sigma, q, times = 0.02, 0.2, 3000
    steps = [(SubsampledGaussianStep(sigma, q), times)]
    listed = counts(steps, 0.0)
    assert listed is not None
    b = RemovedParticipation(steps, math.sqrt(times) / sigma, listed).bracket(np.zeros(1))
    with mpmath.workdps(60):
        gap = mpmath.mpf(0)
        for k in range(12):
            e = -(times - k) * mpmath.log1p(-mpmath.mpf(q)) - k * mpmath.log(mpmath.mpf(q))
            mu = mpmath.sqrt(k) / mpmath.mpf(sigma)
            rest = mpmath.mpf(1)
            if k:
                rest = mpmath.ncdf(e / mu - mu / 2) + mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
            gap += mpmath.binomial(times, k) * mpmath.mpf(q) ** k * (1 - mpmath.mpf(q)) ** (times - k) * rest
        truth = mpmath.log(gap)
        assert b.log_gap_lower[0] <= truth <= b.log_gap_upper[0]
    assert b.log_gap_upper[0] - b.log_gap_lower[0] < 1e-9 * abs(b.log_gap_lower[0])
    assert b.log_gap_upper[0] < -500.0


def test_steps_of_two_kinds_and_a_gaussian() -> None:
    both = ny.account(ny.DPSGD(0.01, 0.1, 30) * ny.DPSGD(0.003, 0.01, 100), adjacency="remove")
    one = ny.account(ny.DPSGD(0.01, 0.1, 30), adjacency="remove")
    assert both.optimistic.delta(100.0) >= one.delta(100.0)
    # no participation at all is what is left: (1 - q)^T of each
    kept = 0.9**30 * 0.99**100
    assert math.isclose(both.delta(1.0), 1.0 - kept, rel_tol=1e-9)
    beside = ny.account(ny.DPSGD(0.01, 0.1, 30) * ny.Gaussian(0.5), adjacency="remove")
    assert beside.delta(1.0) >= one.optimistic.delta(1.0)
    gaussian = ny.account(ny.Gaussian(0.5))
    shift = 30 * math.log1p(-0.1)
    expected = 1.0 - 0.9**30 * (1.0 - gaussian.delta(1.0 - shift))
    assert math.isclose(beside.delta(1.0), expected, rel_tol=1e-9)


def _balls(epsilon: float, sigma: float, q: float, times: int, ks: range) -> tuple[arb, arb]:
    """Sums over these k, in balls: of p_k delta_k, and of p_k (1 - delta_k)."""
    with ctx.workdps(40):
        rate, m, log_rest = arb(q), 1 / arb(sigma), arb(q).neg().log1p()
        odds, low = (rate.log() - log_rest), ks[0]
        log_p = (arb(times) + 1).lgamma() - (arb(low) + 1).lgamma() - (arb(times - low) + 1).lgamma()
        p = (log_p + low * rate.log() + (times - low) * log_rest).exp()
        delta, rest = arb(0), arb(0)
        for k in ks:
            if k > low:
                p = p * (times - k + 1) / k * odds.exp()
            mu, e = m * arb(k).sqrt(), arb(epsilon) - times * log_rest - k * odds
            if k == 0:
                one, left = arb(0), arb(1)
            else:
                root = arb(2).sqrt()
                one = ((e / mu - mu / 2) / root).erfc() / 2 - e.exp() * ((e / mu + mu / 2) / root).erfc() / 2
                left = ((mu / 2 - e / mu) / root).erfc() / 2 + e.exp() * ((e / mu + mu / 2) / root).erfc() / 2
            delta, rest = delta + p * one, rest + p * left
        return delta, rest


@pytest.mark.parametrize("seed", rest_slow(range(3), 0))
def test_of_very_many_participations_few_are_looked_at(seed: int) -> None:
    """More are listed than are looked at; delta in the bulk and in the tails, against balls."""
    rng = np.random.default_rng(seed)
    for _ in range(2):
        sigma, q = float(np.exp(rng.uniform(math.log(0.003), math.log(0.03)))), 10.0 ** rng.uniform(-4.0, -0.7)
        mean = 10.0 ** rng.uniform(4.2, 5.5)
        times, width = round(mean / q), math.sqrt(mean)
        steps = [(SubsampledGaussianStep(sigma, q), times)]
        listed = counts(steps, 0.0)
        assert listed is not None
        assert len(listed.ks) > 8192
        profile = RemovedParticipation(steps, math.sqrt(times) / sigma, listed)
        for deviations in (-5.0, 0.5, 5.0):
            k = mean + deviations * width
            epsilon = k * (0.5 / sigma**2 + math.log(q) - math.log1p(-q)) + times * math.log1p(-q)
            b = profile.bracket(np.array([epsilon]))
            # what lies beyond: e^-72 of all k, and what overlaps, which nothing is beside
            truth = float(_balls(epsilon, sigma, q, times, range(int(mean - 12 * width), int(mean + 12 * width)))[0])
            assert b.lower[0] <= truth * (1.0 + 1e-12) + 1e-30
            assert truth * (1.0 - 1e-12) <= b.upper[0]
            # where delta is nearly 1 it is known from the rest
            assert b.upper[0] - b.lower[0] <= (1e-12 if deviations < -2.0 else 1e-6) * b.upper[0]


@pytest.mark.parametrize(
    ("sigma", "q", "times", "epsilon", "ks"),
    [
        (0.01787, 0.0005089, 761_000_000, 0.0, range(700)), (0.03798, 0.2937, 78010, 0.0, range(700)),
        (0.03798, 0.2937, 78010, 5000.0, range(700)), (0.06823, 0.02245, 112_600_000, 0.0, range(26_000, 28_500)),
    ],
)  # fmt: skip
def test_nothing_left_of_1_minus_delta_is_overlooked_where_many_take_part(
    sigma: float, q: float, times: int, epsilon: float, ks: range
) -> None:
    """387,000 take part, or 23,000; what is left at eps = 0 hangs on k around 250, or 80. Of 2,500,000 on 27,200, where
    each alone is 39 deviations away.
    """
    steps = [(SubsampledGaussianStep(sigma, q), times)]
    listed = counts(steps, 0.0)
    assert listed is not None
    b = RemovedParticipation(steps, math.sqrt(times) / sigma, listed).bracket(np.array([epsilon]))
    rest = _balls(epsilon, sigma, q, times, ks)[1]
    with ctx.workdps(40):
        truth = float(rest.log())
    assert truth - 2e-3 <= b.log_gap_lower[0] <= truth <= b.log_gap_upper[0]
    assert times > 500_000_000 or b.log_gap_upper[0] <= truth + 2e-3


def test_what_overlaps_is_weighed_where_both_laws_meet() -> None:
    """Of 34 steps that took part each output lies at nine tenths of its mean, where 1 - delta hangs on it."""
    sigma, q, times = 0.1091, 0.1158, 10980
    steps = [(SubsampledGaussianStep(sigma, q), times)]
    listed = counts(steps, 0.0)
    assert listed is not None
    b = RemovedParticipation(steps, math.sqrt(times) / sigma, listed).bracket(np.zeros(1))
    assert b.log_gap_lower[0] <= b.log_gap_upper[0] <= b.log_gap_lower[0] + 0.4


@pytest.mark.parametrize(("sigma", "q"), [(0.03, 0.01), (0.15, 1.0 - 1e-7), (0.19, 1.0 - 1e-7)])
def test_where_taking_part_is_all_but_certain_nothing_is_taken_for_granted(sigma: float, q: float) -> None:
    """1 - delta_k <= e^{-x^2 / 2} for every k with x_k <= 0, where they are said to be orderly; else not for all."""
    with ctx.workdps(60):
        m, odds, holds = 1 / arb(sigma), arb(q).log() - arb(q).neg().log1p(), True
        for k in (10**3, 10**5, 10**7):
            mu, e = m * arb(k).sqrt(), 1 - k * odds
            x = e / mu - mu / 2
            root = arb(2).sqrt()
            left = (-x / root).erfc() / 2 + e.exp() * ((e / mu + mu / 2) / root).erfc() / 2
            holds &= not x < 0 or left.log() < -x * x / 2
        assert holds == orderly(SubsampledGaussianStep(sigma, q))


@pytest.mark.parametrize("setting", [(0.008594, 0.1051, 175400000), (0.01787, 0.0005089, 761000000)])
def test_very_many_participations_have_a_mu(setting: tuple[float, float, int]) -> None:
    begun = time.process_time()
    g = ny.account(ny.DPSGD(*setting))
    assert g.epsilon(1e-5) <= g.optimistic.epsilon(1e-5) * (1.0 + 1e-6)
    assert g.mu() <= g.optimistic.mu() * (1.0 + 1e-4)
    assert time.process_time() - begun < 3.0


@pytest.mark.parametrize(("sigma", "q"), list(itertools.product((0.08, 0.12, 0.2, 0.3), (0.4, 1e-3))))
def test_far_out_what_overlaps_is_hardly_anything(sigma: float, q: float) -> None:
    """Deltas of one step down to 1e-280, of two as far as quadrature sees; what is bounded is powers of overlaps."""
    two = [(2, 1e-9, 1e-6)] if sigma > 0.15 else []  # its panels are too wide for steeper losses
    for times, seen, room in [(1, 1e-280, 1e-9), *two]:
        steps = [(SubsampledGaussianStep(sigma, q), times)]
        listed = counts(steps, 0.0)
        assert listed is not None
        epsilon = np.linspace(0.4, 6.0, 15) * (0.5 / sigma**2 + 2.0)
        b = RemovedParticipation(steps, 9.0, listed).bracket(epsilon)
        one = one_step(epsilon, sigma, q, True)
        truth = one if times == 1 else np.array([two_steps(float(e), sigma, q, True) for e in epsilon])
        at = truth > seen
        assert np.count_nonzero(at) > 1
        assert np.all(b.lower[at] <= truth[at] * (1.0 + room))
        assert np.all(truth[at] * (1.0 - room) <= b.upper[at])
        overlap = times * math.exp(log_overlap(steps[0][0]))
        assert b.upper[-1] < 2.0 * overlap**1.3


def test_no_number_of_participations_counts_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far beyond |x| = 39 they are listed, what is listed is not among those of which only the mass counts."""
    step = SubsampledGaussianStep(0.05, 0.02)
    listed = counts([(step, 2_000_000)], 0.0)
    assert listed is not None
    profile = RemovedParticipation([(step, 2_000_000)], 1e4, listed)
    for more in (0, 200):
        monkeypatch.setattr(RemovedParticipation, "_further", lambda self, height, fall, high, more=more: high + more)
        for epsilon in (7.6e6, 7.7e6, 7.8e6):  # round 40,000 expected ones
            near, outside = profile._near(epsilon, step, 2_000_000, 1.0)
            masses = np.exp([np.logaddexp.reduce(near.log_p), outside.log_below, outside.log_above])
            assert masses[0] > 1e-6
            assert masses[2] > 1e-7
            assert abs(masses.sum() - 1.0) < 1e-8
