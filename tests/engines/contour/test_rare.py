"""Steps in which the record hardly ever takes part, against closed forms under an integral and explicit inversions."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import special

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.rare.profile import RareProfile, rare_laws
from neyman.engines.contour.rare.rarity import seldom
from neyman.engines.contour.rare.steps import Laws, RareSteps
from neyman.engines.contour.rare.thresholds import RareCuts
from neyman.losses.gaussian.paths.rare import RarePart
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import Effort
from tests.effort import rest_slow


def rare(sigma: float, rate: float, times: int, way: str) -> RareProfile:
    step = SubsampledGaussianStep(sigma, rate)
    assert seldom(((step, times),)) is not None
    return RareProfile(lambda: rare_laws(step, times), way, 50.0)


def two_steps(sigma: float, rate: float, epsilon: float, way: str) -> mpmath.mpf:
    """delta of two steps: one in closed form, at the other by quadrature."""
    with mpmath.workdps(30):
        s, q, e = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(epsilon)

        def ratio(x: mpmath.mpf) -> mpmath.mpf:
            return 1 - q + q * mpmath.exp((2 * x - 1) / (2 * s * s))

        def beyond(level: mpmath.mpf, sign: int) -> mpmath.mpf:
            # E_Q[(r - level)_+], or E_Q[(level - r)_+] for the sign -1, x normal of deviation s
            if level <= 1 - q:
                return 1 - level if sign > 0 else mpmath.mpf(0)
            x = s * s * mpmath.log((level - 1 + q) / q) + mpmath.mpf(1) / 2
            tail = [mpmath.erfc(sign * (x - m) / (s * mpmath.sqrt(2))) / 2 for m in (0, 1)]
            return sign * ((1 - q - level) * tail[0] + q * tail[1])

        def inside(x: mpmath.mpf) -> mpmath.mpf:
            r = ratio(x)
            density = mpmath.exp(-x * x / (2 * s * s)) / (s * mpmath.sqrt(2 * mpmath.pi))
            if way == "remove":
                return density * r * beyond(mpmath.exp(e) / r, 1)
            return density * mpmath.exp(e) * r * beyond(mpmath.exp(-e) / r, -1)

        turn = mpmath.exp(e if way == "remove" else -e) / (1 - q) - 1 + q
        bend = s * s * mpmath.log(turn / q) + mpmath.mpf(1) / 2
        edges = sorted([*(m + k * s for m in (0, 1) for k in range(-15, 16, 3)), bend])
        return mpmath.quad(inside, edges)


@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon", "way"),
    [
        (0.13, 9e-5, 3.0, "remove"), (0.2596, 3.223e-8, 8.0, "remove"),
        (1.79, 6.729e-10, 1e-9, "remove"), (0.2038, 9.757e-7, 1e-6, "add"),
        *(
            pytest.param(*setting, marks=pytest.mark.slow)
            for setting in [
                (0.2596, 3.223e-8, 0.1, "remove"), (0.2596, 3.223e-8, 1e-4, "remove"), (0.6, 1e-6, 0.03, "remove"),
                (1.79, 6.729e-10, 5e-9, "remove"), (0.26527, 1.596e-7, 0.0, "add"), (1.79, 6.729e-10, 3e-10, "add"),
            ]
        ),
    ],
)  # fmt: skip
def test_two_steps_against_quadrature(sigma: float, rate: float, epsilon: float, way: str) -> None:
    """Few rare steps: parted, lifted and added contours."""
    true = two_steps(sigma, rate, epsilon, way)
    found = rare(sigma, rate, 2, way).bracket(np.array([epsilon]))
    assert found.lower[0] <= true <= found.upper[0]
    assert found.upper[0] - found.lower[0] <= 1e-6 * found.upper[0]


def on_a_line(sigma: float, rate: float, times: int, epsilon: float, c: float) -> float:
    """delta in the direction "add", by the trapezoid rule along Re z = c: A(-z) by quadrature, all in plain floats."""
    t = np.arange(-0.5 / sigma**2 - 12.0 / sigma, 1.5 / sigma**2 + 12.0 / sigma, 0.02)
    density = np.exp(-0.5 * ((t + 0.5 / sigma**2) * sigma) ** 2) * sigma * 0.02 / math.sqrt(2.0 * math.pi)
    loss = np.log1p(rate / (1.0 - rate) * np.exp(t))
    mean, total, step = float(density @ loss), 0.0, 0.02 * c
    for k in range(3000):
        z = complex(c, k * step)
        x = complex(density @ (np.expm1(-z * loss) + z * loss))  # small against its terms, but not their errors
        u = x - z * mean
        power = times * (x - u**2 / 2 + u**3 / 3) - z * times * (math.log1p(-rate) + mean)
        term = np.exp(power - z * epsilon) / (z * (z + 1.0))
        total += term.real * step / math.pi * (0.5 if k == 0 else 1.0)
        if abs(term) < 1e-12 * abs(total):
            return total
    raise AssertionError("the line is too short")


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "share"),
    [(0.4446, 2.853e-9, 760400000, 0.0), (0.4446, 2.853e-9, 760400000, 1.0), (0.4123, 1.23e-9, 336700000, 0.5)],
)
def test_many_rare_steps_against_a_plain_line(sigma: float, rate: float, times: int, share: float) -> None:
    """Where the bulk is nearly normal a plain line is short enough."""
    spread = math.sqrt(times) * rate * math.exp(0.5 / sigma**2)
    true = on_a_line(sigma, rate, times, share * spread, 0.8 / spread)
    found = rare(sigma, rate, times, "add").bracket(np.array([share * spread]))
    assert found.lower[0] == pytest.approx(true, rel=1e-6)
    assert found.upper[0] - found.lower[0] <= 1e-6 * found.upper[0]


@pytest.mark.parametrize(
    ("rate", "times", "epsilon"),
    [
        pytest.param(1e-7, 10**6, 3.0, marks=pytest.mark.slow),
        pytest.param(2e-6, 4 * 10**6, 700.0, marks=pytest.mark.slow),
        (1e-9, 10**7, 170.0),
    ],
)
def test_hardly_any_noise_against_counts(rate: float, times: int, epsilon: float) -> None:
    """Where the output tells which steps took part, delta is a sum over how many did, but for e^{-1 / (8 sigma^2)}."""
    sigma = 0.052
    k = np.arange(1, 120)
    log_p = special.gammaln(times + 1) - special.gammaln(k + 1) - special.gammaln(times - k + 1)
    log_p = log_p + k * math.log(rate) + (times - k) * math.log1p(-rate)
    at, mu = epsilon - (times - k) * math.log1p(-rate) - k * math.log(rate), np.sqrt(k) / sigma
    first = special.log_ndtr(-at / mu + 0.5 * mu), at + special.log_ndtr(-at / mu - 0.5 * mu)
    true = float(np.sum(np.exp(log_p) * -np.expm1(first[1] - first[0]) * np.exp(first[0])))
    found = rare(sigma, rate, times, "remove").bracket(np.array([epsilon]))
    assert found.lower[0] == pytest.approx(true, rel=1e-6)
    assert found.upper[0] == pytest.approx(true, rel=1e-6)


@pytest.mark.parametrize(
    ("sigma", "rate", "times"),
    [(0.1878, 5.371e-9, 985600), (0.0869, 1.39e-6, 6016000), (0.5378, 1.347e-11, 66130), (1.0, 1e-20, 10)],
)
def test_both_directions_meet_at_zero(sigma: float, rate: float, times: int) -> None:
    """delta(0) is a distance: one number, found by contours that have nothing in common."""
    remove, add = (rare(sigma, rate, times, way).bracket(np.zeros(1)) for way in ("remove", "add"))
    assert max(remove.lower[0], add.lower[0]) <= min(remove.upper[0], add.upper[0])
    assert max(remove.log_gap_lower[0], add.log_gap_lower[0]) <= min(remove.log_gap_upper[0], add.log_gap_upper[0])
    for found in (remove, add):
        assert found.upper[0] - found.lower[0] <= 1e-6 * found.upper[0]


@pytest.mark.parametrize(
    "setting", [(0.4, 1e-7, 10**6), (0.1, 0.01, 1000), *(pytest.param(one, marks=pytest.mark.slow) for one in [
        (0.5, 0.5, 10), (2.0, 0.3, 100), (0.05, 1e-3, 30_000), (1.0, 0.01, 4000),
    ])],
)  # fmt: skip
def test_a_bound_is_no_less_than_the_integrand(setting: tuple[float, float, int]) -> None:
    """On both edges of its strip, where only bounds are looked at: at the nodes of every piece and between them."""
    laws = Laws(*setting)
    for steps in (RareSteps(laws, 1.0, 1e-4, 1.0), RareSteps(laws, 1.0), RareSteps(laws, -1.0, plain=True)):
        for part, low, high in ((steps, 3.0, 3e7),):
            radius = np.geomspace(low, high, 60)
            for angle in (1.33, 1.45, 1.52):
                w = radius * np.exp(1j * angle)
                corners = np.stack([w[:-1], 0.5 * (w[:-1] + w[1:]), w[1:]], axis=1)
                bounds = laws.part(0.0, part.high).on(corners)
                x, _ = laws.part(0.0, part.high).bent.excess(w)
                size = np.log(np.abs(1.0 + x))
                assert np.all(bounds.log_one[:, 0] >= size[:-1] - 1e-15)
                assert np.all(bounds.log_one[:, 2] >= size[1:] - 1e-15)
                assert np.all(bounds.size >= np.abs(x[1:]))


@pytest.mark.parametrize(("low", "high"), [(0.0, math.inf), (0.0, 0.5), (1e-5, 0.5)])
def test_a_part_is_the_same_along_both_paths(low: float, high: float) -> None:
    """A law bent or not is one law: transforms agree within their errors."""
    laws = Laws(0.3, 1e-6, 1000)
    w = np.geomspace(1.0, 8.0, 6) * np.exp(1.35j)
    values = [RarePart(law, low, high).excess(w) for law in (laws.bent, laws.straight)]
    (first, error), (second, other) = values
    assert np.all(np.abs(first - second) <= error + other)
    assert np.all(error + other <= 1e-10 * np.abs(first))


def test_deep_deltas_are_told_to_be_none_to_speak_of() -> None:
    """Nothing dear is asked where nothing is asked for."""
    found = rare(0.5378, 1.347e-11, 66130, "remove").bracket(np.array([1.0, 8.0]))
    assert np.all(found.upper < 1e-30)


@pytest.mark.parametrize(("sigma", "rate", "times"), rest_slow([
    (0.24, 5e-6, 4), (0.2596, 3.223e-8, 2), (0.132, 1.896e-12, 16820000), (0.75, 1e-9, 100_000), (0.236, 2.5e-5, 2),
], 1))  # fmt: skip
def test_the_usual_questions_are_answered(sigma: float, rate: float, times: int) -> None:
    """They were refused: every line was too long, and every lattice too coarse."""
    guarantee = ny.account(ny.DPSGD(sigma, rate, times))
    for epsilon in (1e-6, 0.1, 1.0, 8.0):
        assert 0.0 < guarantee.delta(epsilon) < guarantee.advantage
    assert guarantee.mu() > 0.0


@pytest.mark.parametrize("setting", [(0.05, 1e-6, 10), (0.06, 1e-10, 9)])
@pytest.mark.slow
def test_at_the_end_of_the_losses_nothing_is_looked_for(setting: tuple[float, float, int]) -> None:
    """There was a warning: the direction "add" ends at -T log(1 - q), but for rounding."""
    guarantee = ny.account(ny.DPSGD(*setting), "add")
    end = -setting[2] * math.log1p(-setting[1])
    assert 0.0 < guarantee.epsilon(1e-13) <= end * (1.0 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [(0.8147882375856201, 1.4089356989376475e-10, 112838), (0.85, 1e-10, 10_000)])
@pytest.mark.parametrize("way", ["remove", "add"])
def test_more_noise_against_vertical_lines(setting: tuple[float, float, int], way: str) -> None:
    """Where both know something: contours that have nothing in common."""
    sigma, rate, times = setting
    steps = Parts(((SamplingTransform(sigma, rate), times),), 0.0, "remove")
    parts = steps if way == "remove" else steps.reversed
    spread = math.sqrt(times) * rate * math.exp(0.5 / sigma**2)
    eps = spread * np.array([1e-3, 0.3, 1.0])
    lines = ContourProfile(parts, Walk.along(parts), 1.0).bracket(eps)
    bent = rare(sigma, rate, times, way).bracket(eps)
    assert np.all(np.maximum(lines.lower, bent.lower) <= np.minimum(lines.upper, bent.upper))
    assert np.all(bent.upper - bent.lower <= 1e-6 * bent.upper)


@pytest.mark.parametrize("epsilon", [pytest.param(1e-9, marks=pytest.mark.slow), 1e-7])
def test_small_and_large_losses_apart_against_quadrature(epsilon: float) -> None:
    """Two contours, each through its own saddle, make one delta."""
    cuts = RareCuts(Laws(0.8, 1e-9, 2), 1.0, Effort())
    outlook = cuts.outlook(epsilon)
    arc = cuts.split(epsilon, outlook, *cuts.huge(outlook.guess))
    assert arc is not None
    value, _, error, scale = (part[0] for part in arc.integrate(np.array([epsilon])))
    true = float(two_steps(0.8, 1e-9, epsilon, "remove"))
    assert error <= 1e-7 * value
    assert abs(value * math.exp(scale) - true) <= error * math.exp(scale) + 1e-14 * true


def test_a_closer_bound_is_no_less_than_the_law() -> None:
    """Where many losses count: at the corners and middles of pieces, and nearer than the bound that is quick."""
    laws = Laws(0.5516, 1.022e-10, 89370000)
    part = laws.part(0.0, 1.13e-8)
    w = np.geomspace(1e6, 6e7, 30) * np.exp(1.42j)
    corners = np.stack([w[:-1], np.sqrt(w[:-1] * w[1:]), w[1:]], axis=1)
    assert part.calm(corners).all()
    quick, closer = part.on(corners), part.closer(corners)
    for i in range(3):
        x, error = part.bent.excess(corners[:, i])
        true = np.log(np.abs(1.0 + x))
        assert np.all(closer.log_one[:, i] >= true - error - 1e-15)
        assert np.all(closer.size >= np.abs(x) - error)
    heights = [laws.times * bound.log_one + laws.edge * corners.real for bound in (quick, closer)]
    assert heights[0].max() > 1000.0  # it rises again where the integrand has long died
    assert heights[1].max() < 0.0


def test_a_bulk_and_its_jumps_are_both_told() -> None:
    """It was refused: the bound between real losses and turned ones was e^8000 times the integrand."""
    guarantee = ny.account(ny.DPSGD(0.5516, 1.022e-10, 89370000), "remove")
    other = ny.account(ny.DPSGD(0.5516, 1.022e-10, 89370000), "add")
    assert guarantee.advantage == pytest.approx(other.advantage, rel=1e-6)
    assert 0.0 < guarantee.delta(1e-5) < guarantee.delta(5e-6) < guarantee.advantage


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "rate", "times"),
    [(0.811, 6.11e-10, 2216000), (0.4251, 3.75e-11, 5746000), (0.7206, 6.57e-9, 4727000), (0.9769, 1.1e-12, 56020)],
)
def test_mu_of_a_bulk_and_its_jumps_is_known(sigma: float, rate: float, times: int) -> None:
    """It was refused, or took ten times as long."""
    guarantee = ny.account(ny.DPSGD(sigma, rate, times))
    assert 0.0 < guarantee.optimistic.mu() <= guarantee.mu() <= guarantee.optimistic.mu() * (1.0 + 3e-6)


def test_much_noise_is_left_to_lines() -> None:
    """It was refused for a while: of so much noise the sum of many steps is hardly skewed."""
    guarantee = ny.account(ny.DPSGD(2.155, 9.836e-12, 13660))
    assert 0.0 < guarantee.optimistic.mu() <= guarantee.mu() <= guarantee.optimistic.mu() * (1.0 + 3e-6)


@pytest.mark.parametrize("way", ["remove", "add"])
def test_no_contour_is_laid_where_floats_do_not_tell_it_from_a_pole(way: str) -> None:
    """A search went so far out that 1 + c was 1: log of 0."""
    setting = (0.18237515634483, 3.78056882991e-08, 670930126)
    steps = RareSteps(rare_laws(SubsampledGaussianStep(*setting[:2]), setting[2]), 1.0 if way == "remove" else -1.0)
    for c in (1e-300, 1e-17, 3e-16, 1e-10):
        for at in (c, -c, -1.0 + c, -1.0 - c):
            assert steps.arc(at, c**-2 if c > 1e-100 else 1e300, (1e3, 1e3), Effort()) is None
    found = rare(*setting, way).bracket(np.array([1e12, 1e15, 1e18]))
    assert np.all((found.lower >= 0.0) & (found.upper <= 1.0))
