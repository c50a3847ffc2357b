"""Answers that are kept: told apart by all that they depend on, few, and safe where threads ask."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

from neyman.losses.gaussian import kept as rooms
from neyman.losses.gaussian.kept import kept
from neyman.losses.gaussian.transform import SamplingTransform


class Asked:
    def __init__(self) -> None:
        self.times = 0

    @kept
    def of(
        self, x: float, cut: float = 1.0, lines: np.ndarray | None = None, enough: float = 2.0
    ) -> tuple[object, ...]:
        self.times += 1
        return x, cut, None if lines is None else len(lines), enough


def test_what_is_asked_again_is_kept() -> None:
    asked = Asked()
    assert asked.of(3.0) == asked.of(3.0)
    assert asked.times == 1
    assert Asked().of(3.0) == asked.of(3.0)


def test_arguments_are_told_apart_by_their_names() -> None:
    asked = Asked()
    assert asked.of(3.0, 5.0) == (3.0, 5.0, None, 2.0)
    assert asked.of(3.0, enough=5.0) == (3.0, 1.0, None, 5.0)
    assert asked.of(3.0, cut=5.0) == (3.0, 5.0, None, 2.0)
    assert asked.of(3.0, 1.0, np.zeros(4)) == (3.0, 1.0, 4, 2.0)
    assert asked.of(3.0, 1.0, np.zeros(12)) == (3.0, 1.0, 12, 2.0)


def test_no_more_are_kept_than_are_soon_asked_again() -> None:
    asked = Asked()
    for x in range(10 * rooms._MOST):
        assert asked.of(float(x))[0] == x
    assert len(vars(asked)["_kept_of"]) <= rooms._MOST


def test_threads_get_what_they_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MOST", 2)
    asked, wrong = Asked(), []

    def ask(first: int) -> None:
        for i in range(3000):
            x = float((first + i) % 7)
            if asked.of(x)[0] != x:
                wrong.append(x)

    threads = [Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_kept_makes_no_transform_another() -> None:
    one = SamplingTransform(1.0, 0.01)
    first = one._step(2.0, 50.0, 40.0, 0.0)
    assert one._step(2.0, 50.0, 40.0, 0.0) == first == SamplingTransform(1.0, 0.01)._step(2.0, 50.0, 40.0, 0.0)
    assert one == SamplingTransform(1.0, 0.01)
    assert hash(one) == hash(SamplingTransform(1.0, 0.01))
