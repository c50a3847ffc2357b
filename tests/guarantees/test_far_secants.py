"""Where brackets are wide, slopes are told by points further apart: bounds of a regret hold, and refining ends."""

from dataclasses import replace

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees.questions import regret
from neyman.guarantees.questions.regret import Points, evaluate, interval_bounds


def noisy(many, width, seed):
    """Points of two Gaussian profiles of which the first is known to a ``width``, now from here, now from there."""
    rng = np.random.default_rng(seed)
    p = evaluate(GaussianProfile(1.0), GaussianProfile(1.05), np.linspace(0.0, 6.0, many))
    below = rng.random(many) * width
    return replace(p, self_lower=np.maximum(p.self_lower - below, 0.0), self_upper=p.self_upper + width - below)


def largest(p: Points):
    """The quotient itself within each interval."""
    fine = np.linspace(p.epsilon[:-1], p.epsilon[1:], 9).ravel()
    one, two = (GaussianProfile(mu).bracket(fine).upper for mu in (1.0, 1.05))
    return np.max(((two - one) / (1.0 + np.exp(fine))).reshape(9, -1), axis=0)


@pytest.mark.parametrize("width", [1e-5, 1e-3])
@pytest.mark.parametrize("many", [40, 400, 4000])
def test_bounds_on_intervals_hold_and_are_no_wider_than_the_points(width, many):
    p = noisy(many, width, many)
    bound, _ = interval_bounds(p, 0.5)
    assert np.all(bound >= largest(p) - 1e-15)
    known = np.max((p.other_upper - p.self_lower) / (2.0 + p.y))
    assert many * width < 4.0 or np.max(bound) <= known + 1e-3 * width  # else it is the spacing that is felt


def test_slopes_are_no_vaguer_than_those_of_neighbours(monkeypatch):
    p = noisy(500, 1e-4, 7)
    best, _ = interval_bounds(p, 0.5)
    monkeypatch.setattr(regret, "_FURTHER", (1,))
    near = interval_bounds(p, 0.5)[0]
    assert np.all(best <= near + 1e-16)
    assert np.min(best / near) < 0.99


def test_a_regret_of_vague_curves_takes_few_points(monkeypatch):
    asked = []
    look = regret.evaluate
    monkeypatch.setattr(regret, "evaluate", lambda *of: asked.append(len(of[2])) or look(*of))
    (ny.ZCDP(0.5) * ny.GDP(1.0)).gdp()
    assert sum(asked) < 2500  # 4,100 where slopes are told by neighbours alone
