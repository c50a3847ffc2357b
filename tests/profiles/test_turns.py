"""Threads that ask the same guarantee, or different ones, are answered one at a time, each what it asked."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.lattice.profile import LatticeProfile
from neyman.profiles.profile import Bracket


def test_no_two_questions_are_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a profile keeps from one question to the next was handed to another thread's: 0.11 where delta is 0.298."""
    g = ny.account(ny.Laplace(3.0).poisson(0.5) ** 10)
    bracket, inside, most = LatticeProfile.bracket, [0], [0]

    def slowly(self: LatticeProfile, epsilon: FloatArray) -> Bracket:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        found = bracket(self, epsilon)
        inside[0] -= 1
        return found

    monkeypatch.setattr(LatticeProfile, "bracket", slowly)
    places = [0.3, 1.1, 2.0, 2.5] * 3
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(g.delta, places))
    assert most[0] == 1
    assert found == pytest.approx([g.delta(e) for e in places], rel=1e-6)


def test_every_thread_gets_its_own_answer() -> None:
    run = ny.Laplace(3.0) ** 10
    first = ny.account(run)
    truth = {e: (first.optimistic.delta(e), first.delta(e)) for e in (0.3, 1.1, 2.0)}
    g, wrong = ny.account(run), []

    def ask(seed: int) -> None:
        source, until = random.Random(seed), time.monotonic() + 1.0
        while time.monotonic() < until:
            e = source.choice([*truth])
            low, high = g.optimistic.delta(e), g.delta(e)
            if not (low <= truth[e][1] and high >= truth[e][0]):
                wrong.append((e, low, high))

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_a_refusal_gives_its_turn_away() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    with pytest.raises(ny.InvalidParameter):
        g.delta(float("nan"))
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(g.delta, 1.0).result(timeout=60.0) > 0.0
