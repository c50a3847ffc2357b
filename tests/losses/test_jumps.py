"""The bounds behind the quadrature of rare jumps: on the modulus, on how it bends, on its sums, on what is left out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import log_ndtr

from neyman.losses.gaussian.parts.jumps import _ACROSS, _HIGHEST, _TILTS, Jumps
from neyman.losses.gaussian.transform import SamplingTransform, log_ratio
from neyman.losses.sampling import wavering
from tests.effort import rest_slow

CASES = [(sigma, rate, place, width) for sigma, rate in [(0.6, 1e-3), (1.0, 1e-4), (2.0, 0.05), (4.0, 1e-7)]
         for place, width in [(1.5, 0.15), (4.0, 0.05), (7.0, 0.3)]]  # fmt: skip
"""sigma, rate, and in units of sigma: where the law is parted, and the width of the parting."""


def jumps(sigma: float, rate: float, place: float, width: float) -> Jumps:
    return Jumps(SamplingTransform(sigma, rate), place * sigma, width * sigma, (place + 3.0) * sigma)


def log_modulus(law: Jumps, z: np.ndarray) -> np.ndarray:
    share = log_ndtr(math.sqrt(2.0) * (z - law.end) / law.width)
    return np.real(share + SamplingTransform.log_density(law.law, z))


@pytest.mark.parametrize("case", CASES)
def test_the_modulus_is_bounded_and_bends_no_more_than_is_said(case: tuple[float, ...]) -> None:
    law = jumps(*case)
    scale = 1.0 / (law.law.rate * math.exp((law.end - 0.5) / law.law.sigma**2))
    for path in law._paths:
        assert np.all(np.diff(path.log_modulus, 2, axis=1) >= -path.bend * path.gap**2 - 1e-9)
        for row, shift in enumerate(np.concatenate([[0.0], -path.tau, path.tau])):
            fine = np.linspace(path.s[0], path.s[-1], 16 * (len(path.s) - 1) + 1)
            z = law.end + (fine + 1j * shift) * path.turn
            loss = log_ratio(z, law.law.sigma, law.law.rate)
            assert np.abs(z.imag).max() <= _HIGHEST * law.law.sigma**2
            beyond = log_modulus(law, z)[::16] - path.log_modulus[row]
            assert beyond.max() < 1e-9
            for w, omega in ((0.0, scale), (3.0, 30.0 * scale), (20.0, 0.0)):
                moving = np.real((w + 1j * omega) * loss)
                bends = np.diff(moving, 2) / (fine[1] - fine[0]) ** 2
                most = math.hypot(w, omega) * np.repeat(path.turning[row][:-1], 16)[: len(bends)]
                noise = 64.0 * 2.0**-53 * np.abs(moving).max() / (fine[1] - fine[0]) ** 2
                assert np.all(-bends <= most * (1.0 + 1e-6) + noise)


@pytest.mark.parametrize("case", rest_slow(CASES[::2], 0, 2, 4, whole=True))
def test_sums_over_the_grid_bound_integrals_over_it(case: tuple[float, ...]) -> None:
    law = jumps(*case)
    scale = 1.0 / (law.law.rate * math.exp((law.end - 0.5) / law.law.sigma**2))
    for path in law._paths:
        fine = np.linspace(path.s[0], path.s[-1], 32 * (len(path.s) - 1) + 1)
        for w, omega in ((0.0, 0.0), (2.0, 3.0 * scale), (15.0, 100.0 * scale)):
            height, curve = path.heights(w, (omega, omega)), path.curvature(w, omega)
            sums = np.logaddexp.reduce(height + 0.125 * path.gap**2 * curve, axis=1) + math.log(path.gap)
            for index, tau in enumerate(path.tau):
                for shift in (0.0, -tau, tau):
                    z = law.end + (fine + 1j * shift) * path.turn
                    size = log_modulus(law, z) + np.real((w + 1j * omega) * log_ratio(z, law.law.sigma, law.law.rate))
                    integral = np.logaddexp.reduce(size) + math.log(fine[1] - fine[0])
                    assert integral <= sums[index] + 1e-6
                    # crossing to the parallel, and from where the path begins downwards
                    down = law.end + (path.s[0] - np.linspace(0.0, law.width, 9) + 1j * shift) * path.turn
                    left = log_modulus(law, down) + np.real(
                        (w + 1j * omega) * log_ratio(down, law.law.sigma, law.law.rate)
                    )
                    said = law._log_before(path, index, w, omega, float(height[index, 0]))
                    assert np.all(left <= said - np.linspace(0.0, 1.0, 9) + 1e-6)


def test_lines_that_begin_too_far_below_the_axis_are_left_out() -> None:
    law = SamplingTransform(0.3, 1e-3)
    wide, narrow = (list(Jumps(law, 0.6, width, 1.5)._paths) for width in (0.3, 0.003))
    assert [path.turn.imag for path in wide] == [0.0]
    assert len(narrow) == len(_TILTS)


@pytest.mark.parametrize("case", rest_slow(CASES, *range(0, len(CASES), 3), whole=True))
def test_across_a_strip_the_modulus_bends_no_more_than_is_said(case: tuple[float, ...]) -> None:
    law = jumps(*case)
    scale = 1.0 / (law.law.rate * math.exp((law.end - 0.5) / law.law.sigma**2))
    share = np.linspace(0.0, 1.0, 33)
    for path in law._paths:
        for w, omega in ((0.0, scale), (5.0, 100.0 * scale)):
            height, curve = path.heights(w, (omega, omega)), path.curvature(w, omega)
            for index, tau in enumerate(path.tau):
                bends = path.bend + _ACROSS * (curve[index] - path.bend)
                for sign in (-1.0, 1.0):
                    z = law.end + (path.s + 1j * sign * tau * share[:, None]) * path.turn
                    size = log_modulus(law, z) + np.real((w + 1j * omega) * log_ratio(z, law.law.sigma, law.law.rate))
                    most = height[index] + 0.5 * tau**2 * bends * (share * (1.0 - share))[:, None]
                    assert np.all(size <= most + 1e-6)
                    t = (2.0 * z - 1.0) / (2.0 * law.law.sigma**2)
                    turning = np.abs(wavering(t.real, law.law.rate) / np.cos(0.5 * t.imag) ** 2) / law.law.sigma**4
                    assert np.all(turning <= _ACROSS * path._highest(path.turning)[index] * (1.0 + 1e-9))


@pytest.mark.parametrize("case", CASES[::3])
def test_no_value_is_larger_than_at_the_real_point(case: tuple[float, ...]) -> None:
    law = jumps(*case)
    for w in (0.5, 4.0, 25.0):
        value, error = law.on_line(w, np.concatenate([[0.0], np.geomspace(1e-6, 1e7, 24)]), 36.0)
        size = law._log_size(w)
        assert abs(value[0]) <= math.exp(size) + error[0]
        assert np.all(error <= math.exp(size) * (1.0 + 1e-12))
        assert np.all(np.abs(value) <= math.exp(size) * (1.0 + 1e-9) + error)
