"""mu and its regret are told by few looks at the profile: what is asked next is foreseen from what is known."""

from __future__ import annotations

import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.guarantees.questions import regret
from neyman.guarantees.questions.mu import at_floor, knots
from neyman.profiles.profile import Profile

RUNS = [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (1.0, 1e-4, 10**6), (2.0, 0.05, 500)]


@pytest.mark.parametrize("run", RUNS)
def test_two_looks_tell_mu(run: tuple[float, float, int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    touching = at_floor.touching

    def noted(branch: Profile, epsilon: FloatArray) -> knots.Knots:
        asked.append(len(epsilon))
        return touching(branch, epsilon)

    monkeypatch.setattr(at_floor, "touching", noted)
    g = ny.account(ny.DPSGD(*run))
    mu, below = g.mu(), g.optimistic.mu()
    assert len(asked) <= 3
    assert sum(asked) <= 200
    assert 0.0 <= mu - below <= 2e-8 * mu


@pytest.mark.parametrize("run", RUNS)
def test_one_look_tells_the_regret(run: tuple[float, float, int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    evaluate = regret.evaluate

    def noted(mine: Profile, other: Profile, epsilon: FloatArray) -> regret.Points:
        asked.append(len(epsilon))
        return evaluate(mine, other, epsilon)

    monkeypatch.setattr(regret, "evaluate", noted)
    g = ny.account(ny.DPSGD(*run))
    report, below = g.gdp(), g.optimistic.gdp()
    assert asked[0] <= 120
    assert len(asked) <= 4  # for both bounds
    assert -1e-15 <= report.regret - below.regret <= 2e-8


@pytest.mark.parametrize("rise", [0.0, 1.0, -1.0])
def test_an_interval_is_parted_as_often_as_a_slope_and_what_is_lost_want(rise: float) -> None:
    """Of n parts of what rises by d, and loses l, l / n^2 - d / 2n is to be no more than what is free."""
    start = np.array([0.0, 1.0])
    some = knots.Knots(start, np.array([0.5, 0.2]), np.log1p(-np.array([0.5, 0.2])), -start)
    attained, lost = np.array([1.0, 1.0 + rise]), 8.0
    bound = np.array([1.0 + 0.5 * rise + lost])
    best = float(attained.max())
    parts = 1 + len(knots.between(some, np.array([0]), (bound, attained), best + 0.05))
    middle = lost / parts**2 - 0.5 * abs(rise) / parts
    assert middle <= 0.05
    fewer = parts // 2
    assert lost / fewer**2 - 0.5 * abs(rise) / fewer > 0.05  # and no more than twice as many
