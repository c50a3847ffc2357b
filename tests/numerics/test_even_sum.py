"""Sums over places evenly apart against ball arithmetic, and each bound of their error against what it stands for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import flint
import numpy as np
import pytest

from neyman.numerics.rounding import UNIT
from neyman.numerics.sums import even_sum
from neyman.numerics.sums.even_sum import EvenSum, table_size

SPREAD, BESIDE = even_sum._SPREAD, even_sum._BESIDE


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with flint.ctx.workprec(160):
        yield


def drawn(seed: int, last: int, few: bool) -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    places = np.append(0, np.sort(source.choice(last, 20, replace=False) + 1)) if few else np.arange(last + 1)
    weights = source.normal(size=len(places)) + 1j * source.normal(size=len(places))
    return places, weights * np.exp(-places / last * source.uniform(0.0, 30.0))


def exactly(spacing: float, places: np.ndarray, weights: np.ndarray, epsilon: float) -> tuple[flint.arb, flint.arb]:
    """The sum, and what it moves by for a relative change of eps."""
    value = lean = flint.arb(0)
    for k, weight in zip(places.tolist(), weights.tolist(), strict=True):
        turn = flint.arb(spacing) * k * flint.arb(epsilon)
        value += flint.arb(weight.real) * turn.cos() + flint.arb(weight.imag) * turn.sin()
        lean += abs(turn) * abs(weight)
    return value, lean


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_off_by_no_more_than_they_say(seed: int) -> None:
    last = (3, 40, 300, 5000)[seed % 4]
    places, weights = drawn(seed, last, few=seed % 2 == 1 and last > 20)
    spacing = float(np.random.default_rng(seed).uniform(1e-3, 3.0))
    epsilon = np.random.default_rng(seed + 100).uniform(0.0, 2.5 * math.pi / spacing, 12) ** 1.2
    sums = EvenSum(spacing, places, weights)
    for at, found in zip(epsilon.tolist(), sums.at(epsilon)[0].tolist(), strict=True):
        value, lean = exactly(spacing, places, weights, at)
        assert abs(value - flint.arb(found)) <= flint.arb(sums.error) + 4.0 * UNIT * lean


@pytest.mark.parametrize("seed", range(4))
def test_no_eps_is_too_large_for_it(seed: int) -> None:
    """Searches go up to 1e150 and beyond: 2^63 steps were taken to wrap such places into the table, one by one."""
    places, weights = drawn(seed, (3, 300)[seed % 2], few=False)
    sums, size = EvenSum(0.7, places, weights), table_size(int(places[-1]))
    epsilon = 10.0 ** np.array([9.0, 15.0, 18.9, 19.1, 40.0, 150.0, 300.0])
    found, _ = sums.at(epsilon)
    for at, value in zip(epsilon.tolist(), found.tolist(), strict=True):
        rounded = int(float(sums._scale * at)) % size if at > 1e15 else None  # whole: the place that is meant
        if rounded is None:
            truth, lean = exactly(0.7, places, weights, at)
            assert abs(truth - flint.arb(value)) <= flint.arb(sums.error) + 4.0 * UNIT * lean
            continue
        turns = [flint.arb(2 * rounded * k) / size for k in places.tolist()]
        truth = sum(
            (w.real * t.cos_pi() + w.imag * t.sin_pi() for w, t in zip(weights, turns, strict=True)), flint.arb(0)
        )
        assert abs(truth - flint.arb(value)) <= flint.arb(sums.error)
    assert np.isnan(EvenSum(100.0, places, weights).at(np.array([1.7e308]))[0]).all()


def test_the_error_is_not_far_above_what_happens() -> None:
    """At eps = 0, where nothing turns, all that is left is the rounding that is bounded."""
    worst = 0.0
    for seed in range(40):
        places, weights = drawn(seed, 1000, few=False)
        sums = EvenSum(1.0, places, np.abs(weights))
        worst = max(worst, abs(float(sums.at(np.zeros(1))[0][0]) - math.fsum(np.abs(weights))) / sums.error)
    assert 1e-3 < worst < 1.0


def test_aliases_and_points_that_are_not_read_are_less_than_they_are_taken_for() -> None:
    spread, edge = flint.arb(SPREAD), flint.arb(1) / 4
    alias = sum(
        ((-2 * (flint.arb.pi() * spread) ** 2 * (r * r + 2 * r * edge)).exp() for r in (-3, -2, -1, 1, 2, 3)),
        flint.arb(0),
    )
    assert alias < 4.0 * UNIT

    def phi(x: int) -> flint.arb:
        return (-(flint.arb(x) ** 2) / (2 * spread**2)).exp() / (spread * (2 * flint.arb.pi()).sqrt())

    assert 2 * sum((phi(x) for x in range(BESIDE, 200)), flint.arb(0)) < 2.0 * UNIT
    # a share of either would be seen: both are what 64 units leave room for beside roundings
    assert even_sum._READ >= 4 + 2 + 12 + 6 + 33


@pytest.mark.parametrize("last", [0, 1, 7, 8, 1000, (1 << 21) - 1])
def test_no_place_is_beyond_a_quarter_of_the_table(last: int) -> None:
    size = table_size(last)
    assert 4 * last < size <= 8 * (last + 1)
    assert size & (size - 1) == 0


def test_a_turn_is_within_a_unit() -> None:
    assert abs(flint.arb(even_sum._TURNS) * 2 * flint.arb.pi() - 1) < UNIT


def test_the_derivative_steers() -> None:
    places, weights = drawn(3, 200, few=False)
    at = np.linspace(0.0, 3.0, 50)
    rise = EvenSum(0.1, places, weights).at(at)[1]
    exact = ((-1j * 0.1 * places * weights)[None, :] * np.exp(-0.1j * np.multiply.outer(at, places))).sum(axis=1).real
    assert np.max(np.abs(rise - exact)) < 1e-12 * np.max(np.abs(exact))


def test_far_out_it_is_read_as_fast() -> None:
    """Beyond all whole numbers of 64 bits: by its period, not turn by turn."""
    table = EvenSum(0.5, np.array([0, 2]), np.array([1.0, 1.0 + 1.0j]))
    for epsilon in (1e19, 1e150, 1e300):
        found, _ = table.at(np.array([epsilon]))
        assert abs(found[0]) <= 1.0 + np.sqrt(2.0) + 1e-9
