"""Rooms for rounding, beside exact arithmetic: with less of each something would be on the wrong side."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from neyman.explorer.answering import curves, promise
from neyman.explorer.answering.curves import rounded_down, rounded_up
from neyman.explorer.answering.promise import posterior_of

RNG = np.random.default_rng(20261127)
MANY = 3_000


def below(lines: np.ndarray, epsilon: np.ndarray, delta: np.ndarray, alpha: np.ndarray) -> int:
    """How many of the lines, as rounded, lie below delta + e^epsilon alpha."""
    with mpmath.workdps(60):
        return sum(
            mpmath.mpf(line) < mpmath.mpf(d) + mpmath.exp(mpmath.mpf(e)) * mpmath.mpf(a)
            for line, e, d, a in zip(lines.tolist(), epsilon.tolist(), delta.tolist(), alpha.tolist(), strict=True)
            if line < 1.0
        )


def test_lines_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    epsilon = RNG.uniform(0.0, 30.0, MANY)
    delta = RNG.uniform(0.0, 0.3, MANY) * 10.0 ** -RNG.integers(0, 12, MANY)
    alpha = RNG.uniform(0.0, 0.7, MANY) * np.exp(-epsilon)
    x = np.exp(epsilon)
    assert below(curves._line(delta, x, alpha), epsilon, delta, alpha) == 0
    monkeypatch.setattr(curves, "_LINE", 0.0)
    assert below(curves._line(delta, x, alpha), epsilon, delta, alpha) > 0


def test_corners_are_rounded_outward(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.append(RNG.uniform(0.0, 1.0, MANY) * 10.0 ** -RNG.integers(0, 15, MANY), [0.0, 1.0, 0.5, 1e-300])
    assert all(float(Fraction(a)) <= b for a, b in zip(rounded_down(values), values.tolist(), strict=True))
    assert np.allclose(rounded_down(values), values, rtol=2e-8, atol=0.0)
    assert all(float(Fraction(a)) >= b for a, b in zip(rounded_up(values), values.tolist(), strict=True))
    assert np.allclose(rounded_up(values), values, rtol=2e-8, atol=0.0)
    monkeypatch.setattr(curves, "_MOVED", 0.0)
    assert any(a > b for a, b in zip(rounded_down(values), values.tolist(), strict=True))
    assert any(a < b for a, b in zip(rounded_up(values), values.tolist(), strict=True))


def test_posteriors_are_rounded_to_their_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    fpr = RNG.uniform(0.0, 1.0, MANY) * 10.0 ** -RNG.integers(0, 9, MANY)
    power = np.minimum(fpr * RNG.uniform(1.0, 50.0, MANY), 1.0)

    def wrong() -> int:
        count = 0
        for t, a in zip(power.tolist(), fpr.tolist(), strict=True):
            exact = Fraction(t) / (Fraction(t) + Fraction(a))
            count += not Fraction(posterior_of(t, a, up=False)) <= exact <= Fraction(posterior_of(t, a, up=True))
        return count

    assert wrong() == 0
    monkeypatch.setattr(promise, "_QUOTIENT", 0.0)
    assert wrong() > 0
