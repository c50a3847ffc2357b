"""Sums by few turns are within the rounding that is claimed, against ball arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.numerics.sums.paired_turns import _ROUNDED, PairedTurns

UNIT = 2.0**-53


def exact(spacing: float, weights: np.ndarray, epsilon: float) -> arb:
    turn = (acb(0, -1) * arb(float(epsilon)) * arb(spacing)).exp()
    total, power = acb(0), acb(1)
    for weight in weights.tolist():
        total += acb(weight.real, weight.imag) * power
        power *= turn
    return total.real


def missed(rng: np.random.Generator, count: int, many: int, odd: bool) -> float:
    """The largest error, in units of the sum of moduli, beyond what moving ``odd`` eps by two units of it may do: the
    others are such that no product is rounded.
    """
    spacing = float(10 ** rng.uniform(-4, 1)) if odd else 0.125
    size = np.exp(-rng.uniform(0.0, 5.0) * np.arange(count) / count - rng.uniform(0.0, 3.0, count))
    weights = size * np.exp(2j * np.pi * rng.uniform(size=(2, count)))
    epsilon = rng.uniform(0.0, 2.0 * np.pi / spacing, many) if odd else rng.integers(0, 50 << 20, many) / 2.0**20
    if rng.random() < 0.5:  # all terms add up at one of them, where rounding is largest
        weights = np.abs(weights) * np.exp(1j * epsilon[0] * spacing * np.arange(count))
    paired, worst = PairedTurns(spacing, weights), 0.0
    found = paired.at(epsilon)
    assert found.shape == (2, many)
    assert paired.places == count
    assert np.allclose(paired.error, _ROUNDED * UNIT * np.abs(weights).sum(axis=1), rtol=1e-14)
    for row, some in enumerate(weights):
        whole = float(np.abs(some).sum())
        moved = 2.0 * UNIT * spacing * float(np.abs(some) @ np.arange(count)) * odd
        for i in {0, many - 1}:
            off = float(abs(arb(float(found[row, i])) - exact(spacing, some, epsilon[i])).mid())
            worst = max(worst, (off - float(epsilon[i]) * moved) / (UNIT * whole))
    return worst


@pytest.mark.parametrize(("count", "many"), [(1, 1), (15, 3), (16, 8), (17, 9), (4096, 2), (4097, 17)])
def test_no_sum_errs_by_more_than_is_stated(count: int, many: int) -> None:
    ctx.prec = 140
    rng = np.random.default_rng(count)
    worst = max(missed(rng, count, many, odd) for odd in (True, False) for _ in range(6))
    assert worst <= 0.5 * _ROUNDED


def test_what_is_stated_is_no_two_hundred_times_what_is_seen() -> None:
    ctx.prec = 140
    rng = np.random.default_rng(1)
    assert max(missed(rng, 64, 4, False) for _ in range(100)) >= 0.005 * _ROUNDED


@pytest.mark.parametrize("fall", [0.02, 0.5, 50.0])
def test_what_is_left_out_is_counted(fall: float) -> None:
    ctx.prec = 140
    weights = np.exp(-fall * np.arange(3000)) * np.array([[1.0], [1e-3]]) + 0j
    paired = PairedTurns(0.3, weights)
    assert paired.places < 3000
    left, whole = weights.real[:, paired.places :].sum(axis=1), weights.real.sum(axis=1)
    assert np.all(left <= paired.error - _ROUNDED * UNIT * whole * (1.0 - 1e-9))
    assert np.all(left <= 2.0**-46 * whole)
    for row, error in zip(weights, paired.error.tolist(), strict=True):
        found = float(PairedTurns(0.3, row[None]).at(np.zeros(1))[0, 0])
        assert abs(arb(found) - exact(0.3, row, 0.0)) < error


def test_no_product_is_so_large_that_blas_would_start_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that wait for each other take a thousand times as long (65,536 products begin it)."""
    sizes: list[int] = []
    matmul = np.matmul

    def noted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        sizes.append(a.shape[-2] * a.shape[-1] * b.shape[-1])
        return matmul(a, b)

    paired = PairedTurns(0.1, np.ones((2, 50_000), complex))
    monkeypatch.setattr(np, "matmul", noted)
    paired.at(np.linspace(0.0, 1.0, 30))
    assert sizes
    assert max(sizes) <= 1 << 15
