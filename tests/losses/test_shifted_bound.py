"""Bounds along shifted axes: against fine sums, and what they rest on against 40 digits."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.losses.gaussian import shifted_bound
from neyman.losses.gaussian.exchange.transform import ReplacedTransform
from neyman.losses.gaussian.parts.bulk import SoftBulk
from neyman.losses.gaussian.parts.soft_jumps import SoftJumps
from neyman.losses.gaussian.shifted_bound import log_lines, log_shifted_bound, log_size
from neyman.losses.gaussian.transform import SamplingTransform
from tests.effort import rest_slow
from tests.reference.integrals import integral

LAWS: list[SamplingTransform] = [
    SamplingTransform(1.0, 0.01),
    SamplingTransform(0.4, 1e-3),
    SamplingTransform(5.0, 0.9),
    SamplingTransform(3.0, 1e-6),
    ReplacedTransform(0.7, 0.2),
    ReplacedTransform(2.0, 1e-5),
    SoftBulk(0.8, 1e-2, 1.5, 0.3),
    SoftJumps(0.8, 1e-2, 1.5, 0.3),
    SoftJumps(1.2, 1e-5, 10.0, 0.18),
]
PLACES = [(0.5, 30.0), (3.0, 400.0), (-2.0, 3.0), (-12.0, 9.0)]


def log_integral(law: SamplingTransform, w: float, omega: float, y: float, top: float) -> float:
    """log of int |F(x + iy)| dx, by 20,000 nodes to 25 standard deviations (of a soft share, what it is bounded by)."""
    low = -25.0 * law.sigma - 2.0 * abs(w)
    x = np.linspace(low, top, 20001)
    loss = law.log_ratio(x + 1j * y)
    term = law.log_smooth(x, np.array([y]))[0] + w * loss.real - omega * loss.imag
    return float(np.logaddexp.reduce(term)) + math.log(x[1] - x[0])


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize(("w", "omega"), PLACES)
def test_a_line_is_bounded_cell_by_cell(law: SamplingTransform, w: float, omega: float) -> None:
    top = law.ends(abs(w), w, law.limit)[1]
    y = np.array([0.05, 0.2, 0.5]) * math.pi * law.sigma**2
    for turned in (0.0, 0.01 * omega):
        most, least, end = log_lines(law, w, turned, y, top)
        assert end == top
        real = log_integral(law, w, 0.0, 0.0, top)
        assert least <= real + 1e-12
        assert real <= log_size(law, w, top) + 1e-9 <= least + 1.5
        for height, bound in zip(y.tolist(), most.tolist(), strict=True):
            assert log_integral(law, w, -turned, height, top) <= bound + 1e-12


@pytest.mark.parametrize("sigma", [0.4, 1.0, 6.0])
@pytest.mark.parametrize("rate", [1e-9, 1e-3, 0.3])
@pytest.mark.parametrize(("w", "omega"), [(0.5, 3.0), (2.0, 300.0), (-1.0, 3e4)])
def test_the_growth_of_exchanged_records_is_that_of_the_line(sigma: float, rate: float, w: float, omega: float) -> None:
    law, cut = ReplacedTransform(sigma, rate), 4.0 if rate == 1e-3 else math.inf
    y = np.array([0.02, 0.2, 0.5]) * math.pi * sigma**2
    growth, end, least = law._growth(w, omega, y, cut * sigma)
    assert np.all(np.isfinite(growth))
    assert least <= log_integral(law, w, 0.0, 0.0, end) + 1e-12
    # where far behind it turns at full speed the grid reaches as far as that counts
    x = np.linspace(-90.0 * sigma - 2.0 * math.sqrt(omega) * sigma, end, 15001)
    for height, grown in zip(y.tolist(), growth.tolist(), strict=True):
        loss = law.log_ratio(x + 1j * height)
        term = law.log_smooth(x, np.array([height]))[0] + w * loss.real + omega * loss.imag
        assert float(np.logaddexp.reduce(term)) + math.log(x[1] - x[0]) <= least + grown + 1e-9


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize(("w", "omega"), PLACES)
@pytest.mark.parametrize("ends", rest_slow([math.inf, 1.5], 1))
def test_however_coarse_the_sum_its_bound_holds(
    law: SamplingTransform, w: float, omega: float, ends: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of few nodes, of a law that ends where it is large, are bounded with all that they miss."""
    cut = min(ends * law.sigma + max(w, 0.0), law.limit)
    low, top = law.ends(abs(w), w, cut)
    turns = omega * np.array([1.0, 1.17, 2.0])
    size = log_size(law, w, cut)
    # the real axis, with five nodes to a radian
    x = np.linspace(low, top, 2000 + math.ceil(5.0 * (top - low) * turns[-1] / law.sigma**2))
    loss = law.log_ratio(x)
    real = np.exp(law.log_density(x) + w * loss - size)
    exact = max(abs(np.trapezoid(real * np.exp(1j * turn * loss), x)) for turn in turns.tolist())
    for deep in (0.3, 2.0, 32.0):
        monkeypatch.setattr(shifted_bound, "DEEP", deep)
        monkeypatch.setattr(shifted_bound, "WIDEST", 0.3 if deep > 9.0 else 3.0)
        for share in (0.003, 0.03, 0.2, 0.8):
            y = share * math.pi * law.sigma**2
            for near in (size - 0.1, size - 6.0):
                for known in (math.inf, size, size + 0.5):  # of what A(w) is no more than
                    bound = log_shifted_bound(law, w, omega, y, cut, near, known)
                    assert exact <= math.exp(bound - size) + 1e-5


def test_how_fast_a_loss_turns() -> None:
    """|d^2 log r / dz^2| <= p (1 - p) / cos^2(Im t / 2) / sigma^4, p taken at the real part; and |r| and arg r."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        sigma, rate = float(rng.uniform(0.3, 5.0)), float(10.0 ** rng.uniform(-6.0, -0.01))
        law = SamplingTransform(sigma, rate)
        x, turn = float(rng.normal(0.0, 4.0 * sigma)), float(rng.uniform(0.0, 0.98))
        y = turn * math.pi * sigma**2
        with mp.workdps(40):
            q, s2 = mp.mpf(rate), mp.mpf(sigma) ** 2
            p = q * mp.exp((2 * mp.mpc(x, y) - 1) / (2 * s2))
            loss = mp.log(1 - q + p)
            p = p / (1 - q + p)
            exact = abs(p * (1 - p)) / s2**2
            real = mp.log(1 - q + q * mp.exp((2 * mp.mpf(x) - 1) / (2 * s2)))
        waver = float(law.turning_at(np.array([x]), 1.0)[0])
        assert exact <= waver / (sigma**2 * math.cos(0.5 * turn * math.pi)) ** 2 * (1.0 + 1e-12)
        # and of all before some place: the strip may be wide where taking part is rare
        behind = ReplacedTransform(sigma, rate)
        for far in (0.0, 0.3 * sigma, 6.0 * sigma):
            low, top = x - far, x + far
            assert waver <= law.turning(1.0, low, top) * (1.0 + 1e-12)
            assert behind.turning_at(np.array([x]), 2.0)[0] <= behind.turning(2.0, low, top) * (1.0 + 1e-12)
        assert law.mixed_at(x, y) == pytest.approx((float(loss.real), float(loss.imag)), rel=1e-9, abs=1e-14)
        assert law.climb(x, y) * y <= loss.imag
        assert law.climb(x, y) * 0.3 * y <= law.mixed_at(x, 0.3 * y)[1] * (1.0 + 1e-9)
        # of a negative power, what the modulus gains by leaving the real axis
        gained = float(real - loss.real)
        for place in (x, x + 0.3 * sigma, x + 6.0 * sigma):
            assert gained <= law.grown(-1.0, place, np.array([y]))[0] + 1e-12


def test_the_modulus_of_a_soft_share() -> None:
    """|erfc(v + iy)| / 2 is below both bounds, and both are within a factor of 4 v of it far out."""
    law = SoftBulk(1.0, 0.01, 2.0, 0.5)
    for v in (-6.0, -2.0, -0.5, -1e-3, 0.0, 1e-3, 0.7, 2.0, 6.0):
        for y in (0.0, 1e-3, 0.1, 0.6, 1.0, 2.5, 4.0):
            at, height = np.array([law.end + law.width * v]), np.array([law.width * y])
            plain = SamplingTransform.log_density(law, at)[0] + 0.5 * (law.width * y / law.sigma) ** 2
            exact = float(mp.log(abs(mp.erfc(mp.mpc(v, y))) / 2))
            for bound in (law.log_modulus, law.log_smooth):
                assert exact <= bound(at, height)[0, 0] - plain + 1e-12
                assert v < 6.0 or bound(at, height)[0, 0] - plain < exact + math.log(4.0 * v)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("w", [0.5, 14.0, -3.0, -12.0])
def test_grids_begin_and_end_where_the_tilted_law_is_nothing(law: SamplingTransform, w: float) -> None:
    """sigma F(x) <= e^-46 A(w) at either end, and the rates at which F falls beyond hold."""
    low, top = law.ends(abs(w), w, law.limit)
    size = log_size(law, w, law.limit)

    def height(x: float) -> float:
        return float(law.log_envelope(x) + w * law.log_loss(x))

    rise, fall = law.rates(w, low, top)
    assert height(low) + math.log(law.sigma) <= size - 46.0
    assert top == law.limit or height(top) + math.log(law.sigma) <= size - 46.0
    for away in (0.01, 0.3, 2.0):
        assert height(low - away) <= height(low) - rise * away + 1e-9
        assert height(top + away) <= height(top) - fall * away + 1e-9


def test_high_negative_powers_of_a_rare_step_are_known_along_a_line() -> None:
    """w = -1.6e6: the way back from a shifted axis would cost e^280 at the end of the law."""
    law, w, omega = SamplingTransform(1.057, 1.354e-9), -1583560.38906862, np.linspace(0.0, 5e6, 6)
    log_a, error = law.on_line(w, omega, math.inf, 50.0)
    assert np.all(error < 1e-15)  # two million steps take the power of it
    s, q = arb(law.sigma), arb(law.rate)
    for found, bound, turn in zip(log_a, error, omega.tolist(), strict=True):
        power = acb(w, turn)

        def term(x: acb, analytic: bool, power: acb = power) -> acb:
            ratio = 1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()
            return (-x * x / (2 * s * s)).exp() * ((power * ratio.log(analytic=analytic)).exp() - 1)

        whole = integral(term, np.linspace(-14.0, 15.0, 30).tolist()) / (s * (2 * arb.pi()).sqrt())
        with ctx.workdps(40):
            assert float(abs(acb(complex(found)) - (1 + whole).log())) <= bound + 4e-22
