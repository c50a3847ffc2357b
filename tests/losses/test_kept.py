"""Answers are kept for whoever asks the same again: of one object, and not for ever."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman.losses.gaussian import kept as room
from neyman.losses.gaussian.kept import kept
from neyman.losses.gaussian.transform import SamplingTransform

PAIR = np.zeros(2)


@dataclass(frozen=True)
class Counted:
    """A number of its own, and what it was asked."""

    own: float
    asked: list[tuple[float, int]]

    @kept
    def sum(self, x: float, more: np.ndarray = PAIR) -> float:
        self.asked.append((x, len(more)))
        return self.own + x + len(more)


def test_the_same_is_asked_once() -> None:
    one, other = Counted(1.0, []), Counted(2.0, [])
    assert [one.sum(3.0), one.sum(3.0), other.sum(3.0), one.sum(3.0, np.zeros(5))] == [6.0, 6.0, 7.0, 9.0]
    assert one.asked == [(3.0, 2), (3.0, 5)]
    assert other.asked == [(3.0, 2)]


def test_no_more_are_kept_than_a_few() -> None:
    one = Counted(0.0, [])
    for x in range(1000):
        one.sum(float(x))
        assert len(vars(one)["_kept_sum"]) <= room._MOST
    assert len(one.asked) == 1000


def test_what_is_kept_makes_no_transform_another() -> None:
    one = SamplingTransform(1.0, 0.01)
    first = one._step(2.0, 50.0, 40.0, 0.0)
    assert one._step(2.0, 50.0, 40.0, 0.0) == first == SamplingTransform(1.0, 0.01)._step(2.0, 50.0, 40.0, 0.0)
    assert one == SamplingTransform(1.0, 0.01)
    assert hash(one) == hash(SamplingTransform(1.0, 0.01))
