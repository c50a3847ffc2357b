"""Cuts, looks and rungs that are not tried: only where trying finds nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neyman.engines.contour import laws
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.laws import stubborn
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.rungs import RATIO, evenly_apart
from neyman.engines.contour.straight import plan as lines
from neyman.engines.contour.straight.lines import StraightLines
from neyman.engines.contour.truncation import monotone
from neyman.losses.gaussian.many.bounds import log_unturned
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import Effort

RUNS = [
    (0.1, 0.01, 3), (0.3, 0.01, 10), (0.5, 0.01, 2), (1.0, 0.01, 10), (0.43, 5.5e-6, 97315), (0.22, 0.004, 9943),
    (0.245, 0.0236, 412), (0.19, 0.0034, 30606), (1.0, 0.01, 1000), (0.07, 0.3, 40), (0.6, 1e-5, 200),
]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
def test_no_cut_is_given_up_that_would_be_found(run: tuple[float, float, int], monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bool] = []
    hopeless, found = monotone._hopeless, monotone._cut_off

    def cut_off(parts: Parts, cuts: np.ndarray, c: float, sd: float, top: float, target: float, furthest: float):
        given_up = hopeless(parts, c, target, furthest)
        cut = found(parts, cuts, c, sd, top, target, furthest)
        said.append(given_up)
        assert not given_up or math.isinf(cut[0])
        return cut

    monkeypatch.setattr(monotone, "_hopeless", lambda *_: False)
    monkeypatch.setattr(monotone, "_cut_off", cut_off)
    sigma, rate, steps = run
    for direction in ("remove", "add"):
        parts = Parts(((SamplingTransform(sigma, rate), steps),), 0.0, direction)
        straight = StraightLines(parts, Walk.along(parts), lambda _: None, Effort())
        for index in straight._chosen:
            straight._plan(int(index))
    assert said
    assert any(said) or run != RUNS[0]  # where noise hides little, some are given up


def test_what_hardly_turns_is_about_what_is_left() -> None:
    for sigma, rate, omega in ((0.1, 0.01, 1e3), (0.3, 0.05, 1e4), (0.5, 0.01, 1e5)):
        law = SamplingTransform(sigma, rate)
        log_a, _ = law.on_line(1.0, np.array([0.0, omega]), math.inf, 30.0)
        assert log_unturned(law, 1.0, omega) == pytest.approx(float(log_a[1].real), abs=1.0 + 0.5 * abs(log_a[1].real))


def test_rungs_are_no_farther_apart_than_a_normal_law_allows() -> None:
    rungs = evenly_apart(0.04, 45.0, 15.0)
    assert np.all(np.diff(rungs) > 0.0)
    assert (rungs[0], rungs[-1]) == pytest.approx((0.04, 45.0))
    assert np.all((rungs[1:] <= rungs[:-1] * RATIO * (1.0 + 1e-9)) | (rungs[:-1] >= 15.0))
    assert np.all(np.diff(rungs[rungs < 2.75 * 15.0]) < 2.5)
    assert len(evenly_apart(1.0, 2.0, 15.0)) == 1 + math.ceil(math.log(2.0) / math.log(RATIO))


@pytest.mark.parametrize(("sigma", "looked"), [(0.3, True), (lines._LOUD, False)])
def test_what_turns_is_looked_at_where_noise_is_little(
    sigma: float, looked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    plainly = lines.cut_by_parts
    monkeypatch.setattr(lines, "cut_by_parts", lambda *args: asked.append(args[2]) or plainly(*args))
    parts = Parts(((SamplingTransform(sigma, 6e-3), 850),), 0.0, "remove")
    straight = StraightLines(parts, Walk.along(parts), lambda _: None, Effort())
    for index in straight._chosen:
        straight._plan(int(index))
    assert bool(asked) == looked


def test_what_dies_for_sure_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    settings = [
        (math.exp(rng.uniform(-3.5, 2.0)), math.exp(rng.uniform(-25.0, -1e-2)), int(math.exp(rng.uniform(0.0, 12.0))))
        for _ in range(150)
    ]
    steps = [((SamplingTransform(sigma, rate), times),) for sigma, rate, times in settings]
    shortly = [stubborn(some) for some in steps]
    monkeypatch.setattr(laws, "_EASILY", math.inf)
    assert shortly == [stubborn(some) for some in steps]
    assert 0 < sum(shortly) < len(shortly)
