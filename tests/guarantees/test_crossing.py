"""Where a score reaches a target: few questions where it is smooth, and no wrong answer where it is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import crossing, interpolated
from neyman.numerics.functions.normal import probit


def _smooth(epsilon: FloatArray) -> FloatArray:
    return -1.0 + 3.0 * epsilon - 0.2 * np.sin(2.0 * epsilon) + 0.02 * epsilon**2


def _stairs(epsilon: FloatArray) -> FloatArray:
    """Jumps at every 0.3, and rises a little between: the score of a law with atoms."""
    return -1.0 + np.floor(epsilon / 0.3) + 0.01 * epsilon


def _counted(score: Callable[[FloatArray], FloatArray]) -> tuple[Callable[[FloatArray], FloatArray], list[int]]:
    asked: list[int] = []

    def counted(epsilon: FloatArray) -> FloatArray:
        asked.append(len(epsilon))
        return score(epsilon)

    return counted, asked


def test_a_table_leaves_two_questions() -> None:
    x = np.linspace(0.0, 4.0, 60)
    goal = np.linspace(-0.5, 8.0, 37)
    score, asked = _counted(_smooth)
    found = crossing(score, goal, 0.3, 1e-14, interpolated((x, _smooth(x)), goal))
    assert np.max(np.abs(_smooth(found) - goal)) < 2e-14 * 10.0
    assert asked[:2] == [1, 37]  # at 0, and where the table says
    assert sum(asked[2:]) <= 2 * 37  # once beside it, and once more to see that it is there
    score, more = _counted(_smooth)
    crossing(score, goal, 0.3)
    assert sum(asked) < sum(more)


@given(st.lists(st.floats(-0.9, 9.0), min_size=1, max_size=40, unique=True), st.floats(0.0, 4.0), st.floats(0.1, 10.0))
def test_a_bend_is_found(goals: list[float], bend: float, steeper: float) -> None:
    """The score of a delta that is straight between corners."""

    def bent(epsilon: FloatArray) -> FloatArray:
        return -1.0 + 2.0 * epsilon + (2.0 * steeper - 2.0) * np.maximum(epsilon - bend, 0.0)

    goal = np.array(goals)
    places = np.linspace(0.0, 50.0, 60)
    found = crossing(bent, goal, 0.3, 1e-14, interpolated((places, bent(places)), goal))
    assert np.max(np.abs(bent(found) - goal)) < 1e-12


def test_a_table_of_something_else_does_no_harm() -> None:
    x = np.linspace(0.0, 4.0, 60)
    goal = np.linspace(-0.5, 8.0, 37)
    for wrong in (_smooth(x) + 0.3, 0.5 * _smooth(x), _stairs(x), np.zeros(60), np.full(60, np.inf), -x):
        found = crossing(_smooth, goal, 0.3, 1e-14, interpolated((x, wrong), goal))
        assert np.max(np.abs(_smooth(found) - goal)) < 2e-13


@given(st.lists(st.floats(-0.9, 9.0), min_size=1, max_size=40, unique=True), st.sampled_from([1e-5, 1e-9, 1e-14]))
@example([1.01171875], 1e-5)  # short steps along a chord that leads across the jump
def test_stairs_are_left_at_the_jump(goals: list[float], precision: float) -> None:
    goal = np.array(goals)
    places = np.linspace(0.0, 4.0, 31)
    for known in (None, interpolated((places, _stairs(places)), goal)):
        found = crossing(_stairs, goal, 0.3, precision, known)
        room = np.maximum(64.0 * precision * np.maximum(found, 1.0), 1e-13)
        assert np.all(_stairs(found + room) >= goal - 10.0 * precision)
        assert np.all(_stairs(np.maximum(found - room, 0.0)) <= goal + 10.0 * precision)


@pytest.mark.parametrize("precision", [1e-5, 1e-9, 1e-14])
@given(mu=st.floats(0.01, 20.0), log_goal=st.floats(-60.0, -1.0))
def test_gaussian_scores(precision: float, mu: float, log_goal: float) -> None:
    goal = -probit(np.array([log_goal]))
    score, asked = _counted(lambda epsilon: epsilon / mu - 0.5 * mu)
    found = float(crossing(score, goal, mu, precision)[0])
    truth = max(0.0, mu * (float(goal[0]) + 0.5 * mu))
    assert abs(found - truth) <= 10.0 * precision * max(truth, mu)
    assert len(asked) <= 5  # a straight line is told as one
