"""Four points about a tangent: how far apart they are tried, and what they say of the infimum."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.guarantees.questions.curve import four_points, tradeoff
from tests.effort import examples

LEAST = 1.0  # of the objectives below


def four(spacing: float, bend: float, off: float, vague: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, and brackets of that width of ``LEAST`` + bend (x - off)^2 there."""
    x = spacing * np.array([[-1.5], [-0.5], [0.5], [1.5]])
    value = LEAST + bend * (x - off) ** 2
    return x, value - 0.5 * vague, value + 0.5 * vague


def told(x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[float, bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bound, ok = four_points.convex_infimum(x, lower, upper, np.full(1, 1e9))
    return float(bound[0]), bool(ok[0])


@examples(60, 2000)
@given(
    first=st.floats(0.02, 0.9), bend=st.floats(0.1, 10.0), off=st.floats(-0.2, 0.2),
    vague=st.floats(-11.0, -6.0).map(lambda x: 10.0**x),
)  # fmt: skip
def test_four_points_of_a_parabola_are_drawn_apart_as_far_as_they_are_told(
    first: float, bend: float, off: float, vague: float
) -> None:
    """From however near: then they are told from each other, and would not be at half of that."""
    just = (vague / (2.0 * bend)) ** 0.5  # where the outer two rise by as much as brackets leave open
    x, lower, upper = four(first * just, bend, off * first * just, vague)
    assert not told(x, lower, upper)[1]
    times = float(four_points._apart(lower, upper)[0])
    x, lower, upper = four(times * first * just, bend, off * first * just, vague)
    bound, ok = told(x, lower, upper)
    assert ok
    assert bound <= LEAST
    assert np.min(upper) - bound <= tradeoff._OPEN * vague
    x, lower, upper = four(0.5 * times * first * just, bend, off * first * just, vague)
    assert not told(x, lower, upper)[1]


@pytest.mark.parametrize("open_", [2.6, 3.4, 3.6, 5.0, 20.0])
def test_points_half_as_wide_are_told_apart_from_where_that_is_believed(open_: float) -> None:
    """A bound loses 1.5 times what brackets leave open, and half of what the outer points rise: with half the spacing
    they rise by a quarter, which brackets hide up to ``_OPEN``.
    """
    rise = 2.0 * (open_ - 1.5)  # in widths
    spacing = (rise * 1e-9 / 2.0) ** 0.5
    x, lower, upper = four(spacing, 1.0, 0.0, 1e-9)
    bound, ok = told(x, lower, upper)
    assert ok
    assert (np.min(upper) - bound) / 1e-9 == pytest.approx(open_, rel=1e-3)
    assert told(*four(0.5 * spacing, 1.0, 0.0, 1e-9))[1] == (open_ > tradeoff._OPEN)


@pytest.mark.parametrize("values", [(0.0, 1.0, 2.0, 3.0), (3.0, 2.0, 1.0, 0.0), (0.0, 1.0, 1.0, 0.0), (1.0,) * 4])
def test_points_that_surround_nothing_say_nothing_of_that(values: tuple[float, ...]) -> None:
    """A slope, or noise: whatever its bend is, it is none about an infimum."""
    value = np.array(values)[:, None]
    assert np.isnan(four_points._apart(value - 2.0, value + 2.0)).all()


def test_a_change_of_spacing_is_bounded() -> None:
    """Noise that looks like a parabola takes nobody far away."""
    for bend in (1e-14, 1e-6, 1.0, 1e6, 1e12):
        _, lower, upper = four(1.0, bend, 0.0, 1.0)
        times = four_points._apart(lower - LEAST, upper - LEAST)
        assert 1.0 / four_points._LEAP <= times[0] <= four_points._LEAP


@pytest.mark.parametrize(
    ("steps", "most"),
    [((1.0, 1e-4, 10**6), 2), ((1.2817146261415162, 0.006029832156971329, 595), 2), ((9.4, 0.32768, 2000), 1)],
)
def test_mu_from_below_reads_little_where_brackets_are_wide(
    steps: tuple[float, float, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    g, read = ny.account(ny.DPSGD(*steps)), []
    objective = tradeoff._objective
    monkeypatch.setattr(tradeoff, "_objective", lambda *asked: read.append(1) or objective(*asked))
    mu = g.mu()
    assert 0.0 <= mu - g.optimistic.mu() <= 2e-9 * mu
    assert len(read) <= most
