"""Rungs of a ladder that are foreseen: where jumps take over, and none beyond what anybody asks for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman.engines.contour import cumulant
from neyman.engines.contour.cumulant import DEEPEST, Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.rungs import evenly_apart, foreseeable, foreseen
from neyman.losses.gaussian.transform import SamplingTransform

RUNS = [(1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (1.0, 1e-4, 10**6), (1.0, 0.01, 10), (0.3, 0.01, 10), (0.8, 0.01, 3000)]


def _parts(sigma: float, rate: float, times: int) -> Parts:
    return Parts(((SamplingTransform(sigma, rate), times),), 0.0, "remove")


@pytest.mark.parametrize("run", RUNS)
def test_jumps_are_foreseen_where_they_decide(run: tuple[float, float, int]) -> None:
    parts = _parts(*run)
    walk = Walk.along(parts)
    right = walk.c > 0.0
    found = foreseen(walk.c[right], parts.gaussians, float(walk.variance[right][0]))
    jumping = foreseen(walk.c[right], parts.gaussians, 0.0)[0] > 1.0
    assert np.count_nonzero(jumping) >= 3
    for about, seen in zip(found, (walk.k, walk.mean, walk.variance), strict=True):
        assert np.all(np.abs(np.log(about[jumping] / seen[right][jumping])) < np.log(2.5))


@pytest.mark.parametrize("run", RUNS)
def test_few_holes_are_left_to_be_filled(run: tuple[float, float, int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    evaluate = cumulant._evaluate

    def noted(parts: Parts, c: np.ndarray, plain: bool = False) -> Walk:
        asked.extend(c.tolist() if not plain else [])
        return evaluate(parts, c, plain)

    monkeypatch.setattr(cumulant, "_evaluate", noted)
    foreseen_walk = Walk.along(_parts(*run))
    few, after = len(asked), len(asked) - len(Walk._ladder(_parts(*run)).c)
    assert 0 <= after <= 6
    monkeypatch.setattr(cumulant, "foreseeable", lambda law: False)
    asked.clear()
    plain = Walk.along(_parts(*run))
    assert few < len(asked)
    # and what lines may be wanted is the same, or more
    wanted, known = (walk.c[walk.useful()] for walk in (plain, foreseen_walk))
    assert known[-1] >= wanted[-1]
    assert np.all(np.isin(wanted[wanted < known[0]], known))
    assert foreseen_walk.depth[foreseen_walk.useful()].min() <= max(plain.depth[plain.useful()].min(), -0.8 * DEEPEST)


@given(st.floats(-0.7, 1.3), st.floats(-6.0, -0.1), st.floats(0.0, 7.0))
def test_rungs_that_are_foreseen_ascend_and_end_no_sooner_than_lines(sigma: float, rate: float, times: float) -> None:
    law, count = SamplingTransform(10.0**sigma, 10.0**rate), int(10.0**times)
    rungs = evenly_apart(0.04, 200.0, 15.0)
    some = Walk._foreseen([(law, count)], rungs, 1e-4)
    assert np.all(np.diff(some) > 0.0)
    assert some[0] == rungs[0]
    assert len(some) <= 1.3 * len(rungs)
    k, mean, _ = foreseen(some, [(law, count)], 1e-4)
    depth = k - some * mean
    assert some[-1] == rungs[-1] or np.count_nonzero(depth < -1.5 * DEEPEST) >= 1


def test_what_may_be_cut_off_is_not_foreseen() -> None:
    assert foreseeable(SamplingTransform(1.0, 0.01))
    assert not foreseeable(SamplingTransform(4.8, 1.3e-4))
    walk = Walk.along(_parts(4.8, 1.3e-4, 17449))
    assert walk.depth[walk.useful()].min() < -0.8 * DEEPEST


def test_of_a_mix_no_rung_is_walked_beyond_what_its_jumps_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = tuple((SamplingTransform(0.8 + 0.012 * i, 1e-3 + 9e-5 * i), 10) for i in range(100))
    parts = Parts(steps, 0.0, "remove")
    found = Walk.along(parts)
    monkeypatch.setattr(cumulant, "foreseeable", lambda law: False)
    plain = Walk.along(parts)
    assert len(found.c) < len(plain.c)
    assert found.c[-1] < 0.5 * plain.c[-1]
    wanted, known = (walk.c[walk.useful()] for walk in (plain, found))
    assert known[-1] >= wanted[-1]
    assert found.depth[found.useful()].min() < -0.8 * DEEPEST
