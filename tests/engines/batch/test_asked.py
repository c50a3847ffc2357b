"""delta, epsilon and advantage of a batch beside those of the regular engine, and beside laws that are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.batch.answering import asked as room
from neyman.engines.batch.answering.asked import WIDTH, Asked, Questions, answers
from tests.reference.closed import gaussian_delta

Setting = tuple[float, float, int]
USUAL = Questions((0.0, 0.7), (1e-5, 1e-9))


def told(some: list[Setting], asked: Questions = USUAL) -> Asked:
    sigma, rate, steps = (np.array(column, dtype=np.float64) for column in zip(*some, strict=True))
    return answers(sigma, rate, steps, asked)


def sound(found: Asked) -> None:
    """What is certain is as narrow as it says, and what is not is no number."""
    sure = found.certain
    assert ((found.upper - found.lower)[sure] <= WIDTH * found.upper[sure]).all()
    assert (found.lower[sure] >= 0.0).all()
    assert np.isnan(found.lower[~sure]).all()
    assert np.isnan(found.upper[~sure]).all()


def agrees(found: Asked, place: int, setting: Setting, asked: Questions = USUAL) -> int:
    """Each is an upper bound of what the other is a lower bound of; how many were looked at."""
    g, count = ny.account(ny.DPSGD(*setting)), 0
    asks: list[Callable[[Any], float]] = [lambda side, e=e: side.delta(e) for e in asked.epsilons]
    asks += [lambda side, d=d: side.epsilon(d) for d in asked.levels]
    for row in np.flatnonzero(found.certain[:, place]):
        try:
            upper, lower = asks[row](g), asks[row](g.optimistic)
        except ny.NotCertified as wide:
            upper, lower = wide.upper, wide.lower
        assert found.upper[row, place] >= lower, (row, setting)
        assert found.lower[row, place] <= upper, (row, setting)
        count += 1
    return count


def test_settings_of_the_figure() -> None:
    rng = np.random.default_rng(12)
    rates = np.geomspace(1e-2, 1.0, 200)
    some = [
        (float(rng.integers(1, 11)), float(rng.choice(rates)), int(rng.choice([400, 1000, 2000]))) for _ in range(160)
    ]
    asked = Questions((0.0,), (1e-5,))
    found = told(some, asked)
    sound(found)
    assert found.certain.all(axis=0).mean() > 0.95
    assert sum(agrees(found, place, some[place], asked) for place in range(0, len(some), 3)) > 100


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))


ANY = st.tuples(log_uniform(0.3, 1e3), log_uniform(1e-8, 1.0), log_uniform(1.0, 1e9).map(int))
REACHED = st.tuples(log_uniform(0.5, 20.0), log_uniform(1e-3, 0.9), log_uniform(50.0, 1e5).map(int))
PLACES = st.tuples(st.floats(0.0, 30.0), log_uniform(1e-14, 0.5))


@settings(max_examples=30, deadline=None)
@given(st.lists(ANY, min_size=8, max_size=8), PLACES)
def test_anything_is_certain_or_handed_on(some: list[Setting], places: tuple[float, float]) -> None:
    asked = Questions((0.0, places[0]), (places[1],))
    found = told(some, asked)
    sound(found)
    for place in np.flatnonzero(found.certain.any(axis=0))[:1]:
        agrees(found, int(place), some[place], asked)


@settings(max_examples=25, deadline=None)
@given(st.lists(REACHED, min_size=6, max_size=6), PLACES)
def test_where_most_is_certain_nothing_is_false(some: list[Setting], places: tuple[float, float]) -> None:
    asked = Questions((0.0, places[0]), (places[1],))
    found = told(some, asked)
    sound(found)
    for place in range(0, len(some), 3):
        agrees(found, place, some[place], asked)


@settings(max_examples=60, deadline=None)
@given(log_uniform(1e-3, 40.0), st.floats(0.0, 40.0), log_uniform(1e-14, 0.9))
def test_gaussians_are_known_in_closed_form(mu: float, epsilon: float, level: float) -> None:
    """Where every record takes part in every step."""
    steps = 49
    sigma = 7.0 / mu
    found = told([(sigma, 1.0, steps)], Questions((epsilon,), (level,)))
    sound(found)
    with ctx.workprec(200):
        exact = arb(7) / arb(sigma)
    if found.certain[0, 0]:
        delta = gaussian_delta(exact, epsilon)
        assert found.lower[0, 0] <= delta
        assert delta <= found.upper[0, 0]
    if found.certain[1, 0]:
        assert gaussian_delta(exact, float(found.upper[1, 0])) <= level
        assert found.lower[1, 0] == 0.0 or gaussian_delta(exact, float(found.lower[1, 0])) >= level


def exponential(off: float, lean: float) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """delta = e^-eps / 2, of which all that is known is that it lies within ``off`` of where ``lean`` puts it."""

    def read(epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        delta = 0.5 * np.exp(-epsilon)
        return delta * (1.0 - off * (1.0 + lean)), delta * (1.0 + off * (1.0 - lean)), delta

    return read


@pytest.mark.parametrize("room_beside", [0.0, 0.3, 1.5, 40.0])
@pytest.mark.parametrize("lean", [-1.0, 0.0, 1.0])
def test_epsilon_lies_where_delta_is_certain(lean: float, room_beside: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far beside its root the two eps are taken: too near they are certain of nothing."""
    monkeypatch.setattr(room, "_ROOM", room_beside)
    level = np.geomspace(1e-12, 0.4, 30)
    for one in level:
        true = -math.log(2.0 * one)
        lower, upper = room._inverted(exponential(1e-9, lean), np.array([1.3 * true]), float(one), 0.5)
        assert lower[0] <= true * (1.0 + 1e-15)
        assert upper[0] >= true * (1.0 - 1e-15)
        assert np.isfinite(upper[0]) or room_beside < 1.0
        assert not (np.isfinite(upper[0]) and room_beside == 0.0)


def test_a_delta_that_is_less_at_0_already() -> None:
    lower, upper = room._inverted(exponential(1e-9, 0.0), np.array([1.0, 1.0]), 0.6, 0.5)
    assert (lower == 0.0).all()
    assert (upper == 0.0).all()
    found = told([(50.0, 0.01, 400)], Questions((), (0.3,)))
    assert (found.certain[0, 0], found.lower[0, 0], found.upper[0, 0]) == (True, 0.0, 0.0)


@pytest.mark.parametrize("times", [0.3, 0.9, 1.3, 5.0])
def test_lines_laid_elsewhere_say_less_and_nothing_false(times: float, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [(1.5, 0.02, 1000), (4.0, 0.2, 2000), (2.0, 0.1, 400)]
    expected = room.expected
    monkeypatch.setattr(room, "expected", lambda ladder, log_delta: times * expected(ladder, log_delta))
    found = told(some)
    sound(found)
    for place, setting in enumerate(some):
        agrees(found, place, setting)


def test_deltas_without_digits_are_handed_on() -> None:
    found = told([(3.0, 0.01, 1000), (10.0, 1.0, 100)], Questions((0.0, 250.0), ()))
    assert found.certain[0].all()
    assert not found.certain[1].any()


@pytest.mark.parametrize(
    "asked", [Questions((0.0,), (0.0,)), Questions((0.0,), (1e-17,)), Questions((1e9,), ()), Questions((), (1.0,))]
)
def test_what_no_line_serves_is_not_tried(asked: Questions) -> None:
    assert not asked.able
    assert not told([(2.0, 0.1, 400)], asked).certain.any()


def test_nothing_asked_is_nothing_answered() -> None:
    assert told([(2.0, 0.1, 400)], Questions((), ())).certain.shape == (0, 1)


def test_a_batch_without_any_grid_is_certain_of_nothing() -> None:
    found = ny.sweep(
        noise_multiplier=[0.41367209255073906, 0.42], sample_rate=[3.4950254721856973e-07], steps=[95535],
        quantities=["advantage"], workers=1,
    )  # fmt: skip
    assert int(found.attrs["failed"]) == 0
    assert not np.any(found.in_batch.values)
