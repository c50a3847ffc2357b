"""m(t) = log(1 - q + q e^t), its slope and its inverse against 60 digits, over all rates and losses."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from neyman.losses.sampling import MIXED_ERROR, above, above_end, above_error, mixed, mixed_lines, slope

UNIT = 2.0**-53
SMALLEST = 1e-307  # below, floats have fewer digits


def rates(rng: np.random.Generator, count: int) -> list[float]:
    """Log-uniform towards 0 and towards 1, and across 1/2, where the form changes."""
    kinds = [
        10.0 ** rng.uniform(-300.0, 0.0, count), 1.0 - 10.0 ** rng.uniform(-15.9, -0.3, count),
        rng.uniform(0.0, 1.0, count), 0.5 + 1e-3 * rng.uniform(-1.0, 1.0, count),
    ]  # fmt: skip
    ends = [1e-300, 2.0**-1074, 1.0 - UNIT, math.nextafter(0.5, 1.0), 0.5]
    return [float(q) for q in np.concatenate([*kinds, ends]) if 0.0 < q < 1.0]


def losses(rng: np.random.Generator, rate: float, count: int) -> np.ndarray:
    """Log-uniform on both sides of 0, and about the place where q e^t = 1 - q."""
    size = 10.0 ** rng.uniform(-18.0, 4.0, (2, count))
    crossing = math.log1p(-rate) - math.log(rate) + rng.normal(size=count) * 10.0 ** rng.uniform(-6.0, 1.0, count)
    return np.concatenate([size[0], -size[1], crossing])


def exact(t: object, rate: float) -> object:
    """The same to 60 digits, however small."""
    with mp.workdps(400 if rate < 1e-30 or abs(complex(t)) < 1e-30 else 90):
        return mp.log1p(mpf(rate) * mp.expm1(t))


@pytest.mark.parametrize("count", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_every_sampled_loss_is_accurate_to_its_last_digits(count: int) -> None:
    rng = np.random.default_rng(count)
    for rate in rates(rng, count):
        t = losses(rng, rate, 8)
        for at, got in zip(t, mixed(t, rate), strict=True):
            truth = exact(mpf(at), rate)
            assert abs(mpf(float(got)) - truth) <= MIXED_ERROR * abs(truth) + 5e-324, (rate, at)


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_off_the_real_axis_too_as_far_as_the_law_is_analytic(count: int) -> None:
    rng = np.random.default_rng(10 + count)
    for rate in rates(rng, count):
        t = losses(rng, rate, 6)
        turn = np.where(np.arange(len(t)) % 3, rng.uniform(0.0, 0.95 * math.pi, len(t)), 10.0 ** rng.uniform(-9, 0))
        for at, got in zip(t + 1j * turn, mixed(t + 1j * turn, rate), strict=True):
            truth = exact(mp.mpc(at), rate)
            allowed = 2.0 * MIXED_ERROR / math.cos(0.5 * at.imag)
            assert abs(mp.mpc(got) - truth) <= allowed * abs(truth) + SMALLEST, (rate, at)


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_the_slope_and_the_inverse_lose_nothing_however_flat_the_law(count: int) -> None:
    rng = np.random.default_rng(20 + count)
    for rate in rates(rng, count):
        t = np.clip(losses(rng, rate, 4), -700.0, 700.0)
        for at, got in zip(t, slope(t, rate), strict=True):
            with mp.workdps(60):
                truth = mpf(rate) * mp.exp(mpf(at)) / (1 + mpf(rate) * mp.expm1(mpf(at)))
            assert abs(mpf(float(got)) - truth) <= 6.0 * UNIT * truth + SMALLEST, (rate, at)
        for start in (-700.0, -33.0, -1.0, -1e-9):
            gaps = np.sort(10.0 ** rng.uniform(-18.0, 3.0, 6))
            rises = above(start, gaps, rate)
            for gap, rise in zip(gaps, rises, strict=True):
                with mp.workdps(400):
                    moved = [
                        mp.log1p(mpf(rate) * mp.expm1(at)) - mp.log1p(mpf(rate) * mp.expm1(mpf(start)))
                        for at in (mpf(start) + mpf(float(rise)), mpf(float(start + rise)))
                    ]
                allowed = above_error(start, np.array([gap]), rate)
                assert all(abs(one - mpf(float(gap))) <= allowed for one in moved), (rate, start, gap)


def test_the_inverse_from_the_end_of_the_law_and_the_unsampled_ends() -> None:
    gaps = np.array([1e-200, 1e-9, 0.3, 40.0, 900.0])
    for rate in (1e-300, 0.2, 1.0 - 1e-12):
        with mp.workdps(400):
            truth = [mp.log(mp.expm1(mpf(g)) * (1 - mpf(rate)) / mpf(rate)) for g in gaps]
        for got, t in zip(above_end(gaps, rate), truth, strict=True):
            assert abs(mpf(float(got)) - t) <= 16.0 * UNIT * (1.0 + abs(t) + 700.0)
    assert np.array_equal(mixed(gaps, 1.0), gaps)
    assert np.array_equal(above(-3.0, gaps, 1.0), gaps)
    assert above_error(-3.0, np.zeros(1), 0.1) < 1e-14


@pytest.mark.parametrize("count", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_lines_by_real_arithmetic_are_as_near_as_they_say(count: int) -> None:
    """Above all where r nearly vanishes, at a turn of nearly pi."""
    rng = np.random.default_rng(20 + count)
    for rate in rates(rng, count):
        t = np.minimum(losses(rng, rate, 4), 299.0)
        turn = np.concatenate(
            [rng.uniform(0.0, math.pi - 0.06, 2), 10.0 ** rng.uniform(-9.0, 0.0, 1), [math.pi - 0.06]]
        )
        for each in turn:
            size, phase, off = mixed_lines(t, np.array([each]), rate)
            for i, at in enumerate(t):
                truth = exact(mp.mpc(at, each), rate)
                assert max(abs(mpf(float(size[0, i])) - truth.real), abs(mpf(float(phase[0, i])) - truth.imag)) <= off


@pytest.mark.parametrize("rate", [0.5, 0.01, 1e-9, 1e-100, 1e-120, 1e-300])
def test_lines_that_go_far_are_as_near_as_they_say(rate: float) -> None:
    """Also where losses are all there is, and where the rate is so small that they are not."""
    far = -math.log(rate)
    t = np.unique(
        np.concatenate([np.linspace(-5.0, 900.0, 40), [299.9, 300.1, 305.0], far + np.linspace(-3.0, 60.0, 9)])
    )
    turn = np.array([0.0, 1e-3, 1.0, 2.7])
    size, phase, off = mixed_lines(t, turn, rate)
    for row, each in enumerate(turn):
        for i, at in enumerate(t):
            truth = exact(mp.mpc(at, each), rate)
            assert max(abs(mpf(float(size[row, i])) - truth.real), abs(mpf(float(phase[row, i])) - truth.imag)) <= off
    assert off < 1e-9


def test_what_lines_say_of_their_error_is_not_idle() -> None:
    """Where r nearly vanishes real arithmetic is off by some of it."""
    rate, turn = 0.499, np.array([math.pi - 0.06])
    t = np.linspace(-0.01, 0.01, 400)
    size, _, off = mixed_lines(t, turn, rate)
    worst = max(abs(mpf(float(x)) - exact(mp.mpc(at, turn[0]), rate).real) for x, at in zip(size[0], t, strict=True))
    assert off / 200.0 <= worst <= off
