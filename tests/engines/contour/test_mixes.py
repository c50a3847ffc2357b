"""Schedules of many distinct settings: what blocks of laws answer is what each law alone does."""

from __future__ import annotations

import time

import numpy as np
import pytest

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.losses.gaussian.many import block
from neyman.losses.gaussian.transform import SamplingTransform
from tests.effort import crossed


def schedule(n: int) -> list[tuple[float, float]]:
    return [(0.8 + 1.2 * i / (n - 1), 1e-3 + 9e-3 * i / (n - 1)) for i in range(n)]


def parts(n: int, direction: str, mu: float = 0.0) -> Parts:
    steps = tuple((SamplingTransform(sigma, rate), 10) for sigma, rate in schedule(n))
    return Parts(steps, mu, "remove" if direction == "remove" else "add")


EPSILON = np.array([0.0, 0.05, 0.2, 0.5, 1.0, 2.0])


@crossed(
    ("direction", ["remove", "add"]),
    (("n", "mu"), [(60, 0.0), (12, 0.3)]),
)
def test_brackets_are_those_of_single_laws(direction: str, n: int, mu: float, monkeypatch: pytest.MonkeyPatch) -> None:
    together = ContourProfile(parts(n, direction, mu)).bracket(EPSILON)
    monkeypatch.setattr(block, "_FEW", 10**9)
    alone = ContourProfile(parts(n, direction, mu)).bracket(EPSILON)
    assert np.all(together.lower <= alone.upper)
    assert np.all(alone.lower <= together.upper)
    # where 1e-9 of delta is less than floats tell, both are wider
    for one, other in ((together, alone), (alone, together)):
        width = one.upper - one.lower
        assert np.all((width <= 1e-9 * one.upper) | (width <= 2.0 * (other.upper - other.lower)))


def test_an_account_of_sixty_settings_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for few in (block._FEW, 10**9):
        monkeypatch.setattr(block, "_FEW", few)
        mix = ny.account(ny.compose([ny.DPSGD(sigma, rate, 10) for sigma, rate in schedule(60)]))
        low = mix.optimistic
        found.append([(low.delta(0.3), mix.delta(0.3)), (low.epsilon(1e-5), mix.epsilon(1e-5)), (low.mu(), mix.mu())])
    for (low, high), (other_low, other_high) in zip(*found, strict=True):
        assert low <= other_high
        assert other_low <= high
        assert high - low <= 1.01 * (other_high - other_low) + 1e-12 * high
        assert high - low <= 5e-9 * high  # mu; all else to 1e-10


def test_a_walk_in_blocks_is_that_of_single_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    mix = parts(40, "remove", 0.1)
    together = Walk.along(mix)
    monkeypatch.setattr(block, "_FEW", 10**9)
    alone = Walk.at(mix, together.c)
    assert np.array_equal(alone.c, together.c)
    np.testing.assert_allclose(alone.k, together.k, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(alone.mean, together.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(alone.variance, together.variance, rtol=1e-9)


def test_many_settings_cost_little() -> None:
    """A thousand distinct settings took 3.3 s, one by one."""
    before = time.process_time()
    ny.account(ny.compose([ny.DPSGD(sigma, rate, 10) for sigma, rate in schedule(400)])).mu()
    assert time.process_time() - before < 4.0
