"""Of many tilts, laid for questions far apart, those are asked that were made for eps near the one at hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

import neyman as ny
from neyman.engines.lattice import tilt as module


def test_those_nearest_are_asked() -> None:
    tilts: list[Any] = [SimpleNamespace(final=(float(i), i + 1.0)) for i in range(200)]
    tilts.append(SimpleNamespace(final=(np.inf, -np.inf)))  # made for nothing yet
    asked = module._nearest(cast("list[module.Tilt]", tilts), np.array([10.5, 150.2]))
    assert len(asked) <= 2 * module._LAID
    assert {one.final[0] for one in asked} >= {*range(1, 21), *range(141, 161)}


def test_what_was_asked_before_leaves_answers_inside_one_another() -> None:
    """Deep questions lay tilts far out; shallow answers afterwards are no less true, and as sharp to the tolerance."""
    mechanism = ny.DiscreteGaussian(3.0) ** 40 * ny.Laplace(30.0).poisson(0.01) ** 20
    fresh, asked = ny.account(mechanism), ny.account(mechanism)
    for epsilon in np.linspace(20.0, 300.0, 40):
        asked.delta(float(epsilon))
    for epsilon in (0.0, 1.0, 5.0):
        assert asked.delta(epsilon) >= fresh.optimistic.delta(epsilon)
        assert fresh.delta(epsilon) >= asked.optimistic.delta(epsilon)
        assert abs(asked.delta(epsilon) - fresh.delta(epsilon)) <= 1e-6 * fresh.delta(epsilon)
