"""Bounds on error rates: exact against enumeration, whole numbers and fractions throughout."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from neyman.audit.rates.binomials import upper_limit
from neyman.audit.rates.crossing import ROUNDING, crossing_probability
from neyman.audit.rates.sides import Dkw, Everywhere, OneThreshold, Side, spread_counts
from tests.effort import examples, rest_slow

KINDS = (Everywhere, OneThreshold, Dkw)


def enumerated(n: int, counts: list[int], bounds: list[float]) -> Fraction:
    """P(N(bounds[j]) <= counts[j] for some j), over all ways in which n variables fall between the bounds."""
    ends = [Fraction(0), *map(Fraction, bounds), Fraction(1)]
    widths = [b - a for a, b in itertools.pairwise(ends)]
    inside = Fraction(0)
    for bars in itertools.combinations(range(n + len(bounds)), len(bounds)):
        edges = (-1, *bars, n + len(bounds))
        cells = [b - a - 1 for a, b in itertools.pairwise(edges)]
        if all(total > count for total, count in zip(itertools.accumulate(cells), counts, strict=False)):
            ways = Fraction(math.factorial(n))
            for cell, width in zip(cells, widths, strict=True):
                ways *= width**cell / Fraction(math.factorial(cell))
            inside += ways
    return 1 - inside


@examples(16, 400)
@given(st.integers(1, 6), st.data())
def test_crossing_is_exact(n: int, data: st.DataObject) -> None:
    counts = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    bounds = sorted(data.draw(st.lists(st.floats(1e-3, 0.999), min_size=len(counts), max_size=len(counts))))
    truth = enumerated(n, counts, bounds)
    found = crossing_probability(n, np.array(counts), np.array(bounds))
    assert truth <= Fraction(found) <= truth + Fraction(2 * ROUNDING)


@pytest.mark.parametrize("n", [1000, 100_000])
def test_crossing_of_one_count_is_a_binomial_tail(n: int) -> None:
    """Nothing enumerates these sizes; a single count has a closed form."""
    for count, bound in ((0, 5.0 / n), (n // 10, 0.11), (n // 2, 0.52), (n - 2, 1.0 - 1e-3 / n)):
        truth = stats.binom.cdf(count, n, bound)
        found = crossing_probability(n, np.array([count]), np.array([bound]))
        assert truth * (1.0 - 1e-11) <= found <= truth + 2 * ROUNDING


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("share", [0.3, 0.025, 1e-4])
def test_small_bands_fail_as_often_as_they_may(n: int, share: float) -> None:
    """Exactly at most ``share``, and the step to the next factor would be too far."""
    side = Everywhere(n, share)
    counts = list(range(n))
    failing = enumerated(n, counts, side.upper(np.arange(n)).tolist())
    assert share * 0.99 - 1e-7 < failing <= share
    turned = enumerated(n, counts, side.upper(np.arange(n), 2).tolist())
    assert share < turned <= Fraction(side.error(2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 6])
def test_bands_hold_for_scores_with_ties(kind: type[Side], n: int) -> None:
    """Every sample of a law on three values, weighed exactly: at a fixed threshold, or at both thresholds at once."""
    share = 0.2
    side = kind(n, share)
    bounds = side.upper(np.arange(n + 1))
    for law in ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 20), Fraction(1, 10), Fraction(17, 20))):
        above = (law[1] + law[2], law[2])
        tried = ((0,), (1,)) if kind is OneThreshold else ((0, 1),)
        for thresholds in tried:
            failing = Fraction(0)
            for sample in itertools.product(range(3), repeat=n):
                seen = [sum(value > t for value in sample) for t in (0, 1)]
                if any(above[t] > Fraction(float(bounds[seen[t]])) for t in thresholds):
                    failing += math.prod((law[value] for value in sample), start=Fraction(1))
            assert failing <= share


@pytest.mark.parametrize("n", [1, 2, 7, 40, 1000])
@pytest.mark.parametrize("share", [0.4, 0.025, 1e-3])
def test_the_constant_band_by_its_own_crossing_probability(n: int, share: float) -> None:
    bounds = Dkw(n, share).upper(np.arange(n))
    below = bounds < 1.0
    if np.any(below):
        found = crossing_probability(n, np.arange(n)[below], bounds[below])
        assert 0.5 * share * (n >= 40) < found <= share + 2 * ROUNDING


@pytest.mark.parametrize("n", rest_slow([50, 1000, 30_000], 0, 1))
def test_simulated_crossings(n: int) -> None:
    """Uniform scores leave the band as often as its error says, at the stated share and with the dial turned."""
    rng = np.random.default_rng(n)
    runs = 4000 if n <= 1000 else 400
    side = Everywhere(n, 0.1)
    counts = side.steps
    crossed = np.zeros(2)
    bounds = [side.upper(counts, dial) for dial in (0, 800)]
    for _ in range(runs):
        uniform = np.sort(rng.random(n))[counts]
        crossed += [bool(np.any(uniform > bound)) for bound in bounds]
    for seen, rate in zip(crossed, (side.error(0), side.error(800)), strict=True):
        assert abs(seen - runs * rate) < 5.0 * math.sqrt(runs * rate)


def test_large_bands_by_union() -> None:
    """Above 10^5 scores: as wide as stated in the tail, and nearly the constant band in the middle."""
    side, constant = Everywhere(4_000_000, 0.025), Dkw(4_000_000, 0.025)
    assert not side.exact
    assert side.error(0) <= 0.025
    middle, tail = np.array([2_000_000]), np.array([400])
    assert side.upper(middle)[0] - 0.5 < 1.4 * (constant.upper(middle)[0] - 0.5)
    assert 1e-4 < side.upper(tail)[0] < 1.4e-4 < constant.upper(tail)[0] - 3e-4
    assert np.all(np.diff(side.upper(side.steps)) >= 0.0)


@examples(50, 1000)
@given(st.integers(1, 10**7), st.floats(0.0, 1.0), st.floats(-690.0, -0.01))
def test_binomial_limits_are_confirmed_by_the_tail(trials: int, at: float, log_level: float) -> None:
    """By 40 digits: the tail at the limit is the level at most, and a bound a little smaller would exceed it."""
    count = min(int(at * trials), trials - 1)
    found = float(upper_limit(np.array([count]), trials, log_level)[0])
    if trials > 5000:
        hoeffding = count / trials + math.sqrt(-log_level / (2 * trials))
        assert found <= hoeffding + 1e-9
        assert found > count / trials or log_level > -0.7  # the median is above it
        return
    with mpmath.workdps(50):
        level = mpmath.exp(mpmath.mpf(log_level))

        def tail(bound: float) -> mpmath.mpf:
            return mpmath.fsum(
                mpmath.binomial(trials, k) * mpmath.mpf(bound) ** k * (1 - mpmath.mpf(bound)) ** (trials - k)
                for k in range(count + 1)
            )

        if count < 40:
            assert tail(found) <= level
            assert found > 1.0 - 1e-9 or tail(found * (1.0 - 1e-9)) > level * (1 - mpmath.mpf(1e-5))


@pytest.mark.parametrize("kind", KINDS)
def test_dials(kind: type[Side]) -> None:
    """Turned down, bounds are wider and fail less often; the bound of every count is that of the next step."""
    side = kind(300, 0.025)
    counts = np.arange(301)
    bounds = [side.upper(counts, dial) for dial in (-400_000, -5000, 0, 1000, 10**6)]
    errors = [side.error(dial) for dial in (-400_000, -5000, 0, 1000, 10**6)]
    for wide, narrow in itertools.pairwise(bounds):
        assert np.all(wide >= narrow)
    assert errors == sorted(errors)
    assert errors[0] < 1e-100
    assert errors[2] <= 0.025
    assert errors[-1] > 0.99
    for bound in bounds:
        assert np.all(np.diff(bound) >= 0.0)
        assert bound[-1] == 1.0
    assert np.all(side.lower(counts) <= counts / 300)


def test_counts_apart() -> None:
    assert spread_counts(10, 5).tolist() == sorted(set(spread_counts(10, 5).tolist()))
    assert 200 <= spread_counts(10**6).size <= 400
    assert spread_counts(1).tolist() == [0]
