"""What a coarse sum of a modulus may miss: against fine sums, and the bounds it rests on against 40 digits."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

from neyman.losses.replaced_transform import ReplacedTransform
from neyman.losses.sampling_transform import SamplingTransform
from neyman.losses.soft_bulk import SoftBulk
from neyman.numerics.modulus_sum import log_missed, log_missed_share, log_sums


@pytest.mark.parametrize("gap", [1.0, 1.7, 2.4])
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_of_a_normal_density_hardly_more_than_is_missed(gap: float, shift: float) -> None:
    """theta functions: the sum errs by 2 e^{-2 pi^2 / gap^2} cos(2 pi shift) + ..., and the bound says little more."""
    x = gap * (np.arange(-30, 31) + shift)
    missed = log_missed(-0.5 * x[None, :] ** 2, np.ones((1, len(x))), gap, np.array([9.0]), 0.0)[0]
    truth = abs(gap * math.fsum(np.exp(-0.5 * x**2)) - math.sqrt(2.0 * math.pi))
    assert truth <= math.exp(missed)
    assert math.exp(missed) <= 4.0 * truth
    share = log_missed_share(1.0, gap, 9.0, 0.0) + math.log(gap * math.fsum(np.exp(-0.5 * x**2)))
    assert share == pytest.approx(missed, abs=1e-12)


LAWS: list[SamplingTransform] = [
    SamplingTransform(1.0, 0.01),
    SamplingTransform(0.4, 1e-3),
    SamplingTransform(5.0, 0.9),
    ReplacedTransform(0.7, 0.2),
    SoftBulk(0.8, 1e-2, 1.5, 0.3),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize(("w", "omega"), [(0.5, 30.0), (3.0, 400.0), (-2.0, 3.0)])
def test_a_bound_holds_what_a_fine_sum_finds(law: SamplingTransform, w: float, omega: float) -> None:
    """However coarse the grid: of these fifteen settings nine fall short of the truth where nothing is added."""
    low, high = law._range(abs(w), w, law.limit, 1.0)[[0, -1]]
    fine = np.linspace(low, min(high, law.limit), 20001)
    for coarse in (200, 60, 25):
        x = np.linspace(low, fine[-1], coarse)
        y = np.array([0.05, 0.2, 0.5]) * math.pi * law.sigma**2
        exact, _ = integrals(law, w, omega, fine, y)
        rough, terms = integrals(law, w, omega, x, y)
        gap = float(x[1] - x[0])
        missed = law._log_missed(terms, x, y, np.full(3, math.hypot(w, omega)), gap)
        assert np.all(exact <= np.logaddexp(rough, missed) + 1e-9)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize(("w", "omega"), [(0.5, 30.0), (3.0, 400.0), (-2.0, 3.0)])
@pytest.mark.parametrize("ends", [math.inf, 0.37])
def test_a_grid_may_begin_and_end_too_late(law: SamplingTransform, w: float, omega: float, ends: float) -> None:
    """The whole path, down to the real axis where the law ends, in terms of a grid of three standard deviations."""
    gap = 0.25 * min(law.sigma, law.sigma**2)
    x = -1.6 * law.sigma - max(-w, 0.0) + gap * np.arange(math.ceil((3.2 * law.sigma + 2.0 * abs(w) + 1.0) / gap))
    cut = float(x[-2] + ends * gap)
    y = np.array([0.05, 0.2, 0.5]) * math.pi * law.sigma**2
    end = min(cut, law.limit if math.isinf(law.tame) else math.inf, 60.0 * law.sigma)
    exact, _ = integrals(law, w, omega, np.linspace(-60.0 * law.sigma, end, 12001), y)
    rough, terms = integrals(law, w, omega, x, y)
    missed = law._log_missed(terms, x, y, np.full(3, math.hypot(w, omega)), gap)
    density = law.log_modulus(x, y)[:, [0, -2, -1]]
    for i, height in enumerate(y.tolist()):
        way = np.linspace(0.0, height, 201)[1:]
        loss = law.log_ratio(end + 1j * way)
        back = law.log_modulus(np.array([end]), way)[:, 0] + w * loss.real - omega * loss.imag
        wall = float(log_sums(back)) + math.log(height / 200) if math.isfinite(cut) or end == law.limit else -math.inf
        told = law._log_ends(w, x, height, density[i], gap, cut)
        assert np.logaddexp(exact[i], wall) <= np.logaddexp(np.logaddexp(rough[i], missed[i]), told) + 1e-9


def integrals(
    law: SamplingTransform, w: float, omega: float, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Logs of the sums over ``x`` of the modulus on the lines ``y``, and of their terms."""
    loss = law.log_ratio(x + 1j * y[:, None])
    terms = law.log_modulus(x, y) + w * loss.real - omega * loss.imag
    return log_sums(terms) + math.log(float(x[1] - x[0])), terms


def test_how_fast_a_loss_turns() -> None:
    """|d^2 log r / dz^2| <= p (1 - p) / cos^2(Im t / 2) / sigma^4, p taken at the real part."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        sigma, rate = float(rng.uniform(0.3, 5.0)), float(10.0 ** rng.uniform(-6.0, -0.01))
        law = SamplingTransform(sigma, rate)
        x, turn = float(rng.normal(0.0, 4.0 * sigma)), float(rng.uniform(0.0, 0.98))
        y = turn * math.pi * sigma**2
        with mp.workdps(40):
            q, s2 = mp.mpf(rate), mp.mpf(sigma) ** 2
            p = q * mp.exp((2 * mp.mpc(x, y) - 1) / (2 * s2))
            p = p / (1 - q + p)
            exact = abs(p * (1 - p)) / s2**2
        bound = float(law._wavering(np.array([x]))[0]) / (sigma**2 * math.cos(0.5 * turn * math.pi)) ** 2
        assert exact <= bound * (1.0 + 1e-12)


def test_the_modulus_of_a_soft_share() -> None:
    """|erfc(v + iy)| / 2 is below what the bulk is bounded by; far out by a factor of no more than 4 v."""
    law = SoftBulk(1.0, 0.01, 2.0, 0.5)
    for v in (-6.0, -2.0, -0.5, -1e-3, 0.0, 1e-3, 0.7, 2.0, 6.0):
        for y in (0.0, 0.1, 1.0, 2.5, 4.0):
            at = np.array([law.end + law.width * v])
            told = law.log_modulus(at, np.array([law.width * y]))[0, 0] - (
                SamplingTransform.log_density(law, at)[0] + 0.5 * (law.width * y / law.sigma) ** 2
            )
            exact = mp.log(abs(mp.erfc(mp.mpc(v, y))) / 2)
            assert exact <= told + 1e-12
