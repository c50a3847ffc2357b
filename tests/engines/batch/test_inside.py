"""What a batch says of mu and regret beside the regular engine, asked one by one: inside its brackets, or handed on."""

from __future__ import annotations

import numpy as np
import pytest

import neyman as ny
from neyman.engines.batch.answering.answer import answer

NOISE, RATES, STEPS = np.arange(1.0, 11.0), np.geomspace(0.01, 1.0, 200)[::10], (400, 1000, 2000)
GRID = [(float(noise), float(rate), steps) for noise in NOISE for rate in RATES for steps in STEPS]


def outside(
    settings: list[tuple[float, float, int]], floor: float, digits: tuple[float, float] = (1e-13, 1e-15)
) -> tuple[int, list[str]]:
    """How many settings are certain, and which bounds of these lie outside of those of the regular engine by more than
    the last ``digits`` of mu (relative) and regret, in which processors differ.
    """
    columns = (np.array(column, dtype=np.float64) for column in zip(*settings, strict=True))
    found, wrong = answer(*columns, floor), list[str]()
    for i in np.flatnonzero(found.certain):
        g = ny.account(ny.DPSGD(*settings[i]))
        above, below = g.gdp(floor), g.optimistic.gdp(floor)
        more, room = 1.0 + digits[0], digits[1]
        inside = {
            "mu": found.mu[i] <= above.mu * more, "mu from below": found.mu_lower[i] * more >= below.mu,
            "regret": found.regret[i] <= above.regret + room,
            "regret from below": found.regret_lower[i] + room >= below.regret,
        }  # fmt: skip
        wrong += [f"{name} of {settings[i]}" for name, true in inside.items() if not true]
    return int(found.certain.sum()), wrong


def test_brackets_of_the_figure_lie_inside_those_of_the_regular_engine() -> None:
    some = GRID[::9]
    certain, wrong = outside(some, 1e-10)
    assert not wrong
    assert certain >= 0.95 * len(some)


@pytest.mark.slow
def test_all_brackets_of_the_figure() -> None:
    """To the last bit."""
    certain, wrong = outside(GRID, 1e-10, (0.0, 0.0))
    assert not wrong
    assert certain >= 0.97 * len(GRID)


@pytest.mark.parametrize("setting", [(1.0, 0.43, 1000), (2.0, 0.9, 1000), (1.0, 0.6442363508721374, 400)])
def test_strong_settings_are_told_more_of(setting: tuple[float, float, int]) -> None:
    """Where the fixed point is near the floor, or below, the regret is next to nothing, and certain to be."""
    certain, wrong = outside([setting], 1e-10)
    assert certain == 1
    assert not wrong


@pytest.mark.parametrize("noise", [60.0, 300.0, 1000.0])
def test_much_noise_is_certain(noise: float) -> None:
    certain, wrong = outside([(noise, 0.5, round(64.0 * noise**2)), (noise, 0.1, round(400.0 * noise**2))], 1e-10)
    assert certain == 2
    assert not wrong


@pytest.mark.parametrize("steps", [10**6, 3 * 10**8])
def test_many_steps_are_certain(steps: int) -> None:
    """Of so many, rounding counts: it goes with the second order of each."""
    certain, wrong = outside([(2.0, 20.0 / steps**0.5 * 0.1, steps), (8.0, 1.0 / steps**0.5 * 8.0, steps)], 1e-10)
    assert certain == 2
    assert not wrong
