"""Of many tilts, laid for questions far apart, those are asked that were made for eps near the one at hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.lattice import tilts as module
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.laplace.step import LaplaceStep


def test_those_nearest_are_asked() -> None:
    tilts: list[Any] = [SimpleNamespace(final=(float(i), i + 1.0)) for i in range(200)]
    tilts.append(SimpleNamespace(final=(np.inf, -np.inf)))  # made for nothing yet
    asked = [*module.Tilts(cast("list[module.Tilt]", tilts))._nearest(np.array([10.5, 150.2]))]
    assert len(asked) <= 2 * module._LAID
    assert {one.final[0] for one in asked} >= {*range(1, 21), *range(141, 161)}


def test_those_that_are_asked_tell_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """One tilt at each eps where many were laid: brackets that meet those of a guarantee that asks all, as sharp."""
    mechanism = ny.Laplace(2.0).poisson(0.3) ** 40 * ny.DiscreteGaussian(4.0) ** 9
    whole, few = ny.account(mechanism), ny.account(mechanism)
    places = np.linspace(0.1, 12.0, 9).tolist()
    fresh = [(whole.optimistic.delta(e), whole.delta(e)) for e in places]
    left: list[int] = []
    nearest = module.Tilts._nearest

    def counted(tilts: module.Tilts, epsilon: FloatArray) -> module.Tilts:
        asked = nearest(tilts, epsilon)
        left.append(len(tilts) - len(asked))
        return asked

    monkeypatch.setattr(module, "_LAID", 1)
    monkeypatch.setattr(module.Tilts, "_nearest", counted)
    for _ in range(2):
        found = [(few.optimistic.delta(e), few.delta(e)) for e in places]
    assert max(left) > 0  # some were not asked
    for (low, high), (least, most) in zip(found, fresh, strict=True):
        assert low <= most
        assert least <= high
        assert high - low <= 1e-6 * high


def test_of_many_eps_no_table_of_all_tilts_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve of ten million points would take gigabytes for each tilt that is kept; piece by piece it is the same."""
    profile = LatticeProfile([(LaplaceStep(4.0), 10)], "remove")
    profile.bracket(np.array([0.3, 1.1, 2.0]))
    epsilon = np.linspace(0.1, 2.4, 1000)
    whole = profile._tilts.slope(epsilon)
    widths: list[int] = []
    deltas = module.Tilts.deltas

    def seen(tilts: module.Tilts, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        widths.append(len(at))
        return deltas(tilts, at)

    monkeypatch.setattr(module, "_TOGETHER", 64)
    monkeypatch.setattr(module.Tilts, "deltas", seen)
    assert np.array_equal(profile._tilts.slope(epsilon), whole)
    assert max(widths) <= 64
