"""Lines of a batch against delta as the regular engine brackets it, to 1e-14: with copies too near, cut too early."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.engines.batch.answering.compared import compared
from neyman.engines.batch.answering.contrast import Contrast
from neyman.engines.batch.answering.floor import _infimum, foot
from neyman.engines.batch.laying import axis
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.lines import Lines, lines
from neyman.engines.batch.laying.plan import Plan
from neyman.engines.batch.laying.settings import Settings
from neyman.engines.closed_form.pairs import GaussianProfile

SETTINGS = [(1.0, 0.05, 1000), (2.0, 0.3, 400), (5.0, 0.02, 2000)]
LOG_FLOOR = float(np.log(1e-10))


def settings(sigma: float, rate: float, steps: int) -> Settings:
    return Settings(np.array([sigma]), np.array([rate]), np.array([float(steps)]))


@cache
def made(setting: tuple[float, float, int]) -> tuple[Settings, Ladder, Plan, tuple[Lines, Lines]]:
    one = settings(*setting)
    ladder = Ladder.of(one, LOG_FLOOR)
    plan = Plan.made(ladder, LOG_FLOOR)
    return one, ladder, plan, lines(one, ladder, plan)


@cache
def truth(setting: tuple[float, float, int], epsilon: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on delta: directions are rows."""
    sides = [ny.account(ny.DPSGD(*setting), adjacency=name) for name in ("remove", "add")]
    low, high = (
        np.array([g.delta(np.array(epsilon)) for g in some]) for some in ([g.optimistic for g in sides], sides)
    )
    return low, high


def places(plan: Plan) -> tuple[float, ...]:
    return tuple((float(plan.last[0]) * np.array([0.0, 0.05, 0.2, 0.45, 0.7, 0.95])).tolist())


@pytest.mark.parametrize("setting", SETTINGS)
def test_delta_of_both_directions(setting: tuple[float, float, int]) -> None:
    _, _, plan, both = made(setting)
    at = places(plan)
    low, high = truth(setting, at)
    for line, part in zip(both, (slice(0, 4), slice(3, 6)), strict=True):
        read = line.read(np.array([at]))
        assert (read.lower[0] <= high * (1.0 + 1e-14)).all()
        assert (read.upper[0] >= low * (1.0 - 1e-14)).all()
        assert ((read.upper - read.lower)[0, 0, part] <= 1e-8 * high[0, part]).all()


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("share", [0.35, 0.45, 0.55])
def test_copies_that_are_near_are_counted(setting: tuple[float, float, int], share: float) -> None:
    one, ladder, plan, _ = made(setting)
    at = places(plan)
    low, high = truth(setting, at)
    seen = 0
    for line in lines(one, ladder, replace(plan, spread=plan.spread * share)):
        read = line.read(np.array([at]))
        assert (read.lower[0] <= high * (1.0 + 1e-14)).all()
        assert (read.upper[0] >= low * (1.0 - 1e-14)).all()
        # what the rule returns is above delta by the copies: their bound is not a hundred times too large
        mostly = (read.upper[0] - high) / np.maximum(read.upper[0] - read.lower[0], 1e-300)
        seen += int((mostly > 0.01).sum())
    assert seen > 0


@pytest.mark.parametrize("setting", SETTINGS)
def test_lines_that_are_cut_early_are_within_what_lies_beyond(setting: tuple[float, float, int]) -> None:
    one, ladder, plan, _ = made(setting)
    at = places(plan)
    low, high = truth(setting, at)
    worst = 0.0
    for fall in (2.0, 4.0, 8.0):
        for line in lines(one, ladder, replace(plan, fall=np.full_like(plan.fall, fall))):
            read = line.read(np.array([at]))
            assert (read.lower[0] <= high * (1.0 + 1e-14)).all()
            assert (read.upper[0] >= low * (1.0 - 1e-14)).all()
            middle, half = 0.5 * (read.upper + read.lower)[0], 0.5 * (read.upper - read.lower)[0]
            open_ = (read.lower[0] > 0.0) & (read.upper[0] < 1.0)
            worst = max(worst, float(np.max(np.where(open_, np.abs(middle - high) / half, 0.0))))
    assert worst > 0.003  # a bound of a three-hundredth would be false


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("digits", [2.0, 4.0, 6.0, 8.0])
def test_lines_on_coarse_axes_are_within_their_faults(
    setting: tuple[float, float, int], digits: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of a millionth would be false: steps err by so much and more of what the strip allows."""
    one, ladder, plan, _ = made(setting)
    low, high = truth(setting, places(plan))
    for name, value in (("_DIGITS", digits), ("_COARSEST", 9.0), ("_BENT", 9.0)):
        monkeypatch.setattr(axis, name, value)
    for line in lines(one, ladder, plan):
        read = line.read(np.array([places(plan)]))
        assert (read.lower[0] <= high * (1.0 + 1e-14)).all()
        assert (read.upper[0] >= low * (1.0 - 1e-14)).all()


def test_moments_are_from_above() -> None:
    """K of one setting in both directions, against a sum of 40 digits."""
    _, rate, steps = SETTINGS[0]  # of noise 1
    ladder = made(SETTINGS[0])[1]
    with mp.workdps(40):
        for direction, rung in ((0, 3), (0, 15), (1, 3), (1, 15)):
            c = mp.mpf(float(ladder.c[0, direction, rung]))
            w = 1 + c if direction == 0 else -c
            total = mp.mpf(0)
            for k in range(-700, 900):
                x = mp.mpf(k) / 40
                total += mp.exp(-(x * x) / 2) * (1 - mp.mpf(rate) + mp.mpf(rate) * mp.exp(x - mp.mpf(1) / 2)) ** w
            k_true = steps * mp.log(total / 40 / mp.sqrt(2 * mp.pi))
            found = float(ladder.k[0, direction, rung])
            assert float(k_true) <= found <= float(k_true) + 1e-9 * max(1.0, float(k_true))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("share", [0.97, 1.05])
def test_differences_from_a_gaussian(setting: tuple[float, float, int], share: float) -> None:
    _, _, plan, both = made(setting)
    mu = share * ny.account(ny.DPSGD(*setting)).gdp(1e-10).mu
    at = places(plan)
    low, high = truth(setting, at)
    gaussian = GaussianProfile(mu).bracket(np.array(at))
    weight = 1.0 + np.exp(np.array(at))
    for line in both:
        knots = Contrast.of(line, np.array([mu]), plan.last).read(np.array([at]), False)
        assert ((knots.value + knots.unknown)[0] * weight >= gaussian.lower - high - 1e-15).all()
        assert ((knots.value - knots.unknown)[0] * weight <= gaussian.upper - low + 1e-15).all()
        assert (knots.tail[0] >= low).all()
        assert (knots.gaussian[0] <= gaussian.upper).all()


@pytest.mark.parametrize("setting", SETTINGS)
def test_chords_bend_no_more_than_the_curvature(setting: tuple[float, float, int]) -> None:
    _, _, plan, both = made(setting)
    mu = np.array([ny.account(ny.DPSGD(*setting)).gdp(1e-10).mu])
    last = float(plan.last[0])
    nearest = 0.0
    for line in both:
        contrast = Contrast.of(line, mu, plan.last)
        for a in np.linspace(0.0, 0.9, 12) * last:
            for width in (0.02 * last, 0.1 * last):
                three = contrast.read(np.array([[a, a + 0.5 * width, a + width]]), False)
                sag = three.value[0, :, 1] - 0.5 * (three.value[0, :, 0] + three.value[0, :, 2])
                bound = three.curvature[0, :, 0] * width**2 / 8.0
                assert (np.abs(sag) <= bound + three.unknown[0].max(axis=1)).all()
                nearest = max(nearest, float(np.max(np.abs(sag) / bound)))
                ends = contrast.read(np.array([[a, a + width]]), False)
                assert ends.bend[0, :, 0] == pytest.approx(bound, rel=1e-12)
                middle = three.value[0, :, 1]
                assert (ends.least()[0, :, 0] <= middle + three.unknown[0, :, 1]).all()
                assert (ends.most()[0, :, 0] >= middle - three.unknown[0, :, 1]).all()
    assert nearest > 0.05  # a twentieth of the curvature would be false


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_gaussian_lies_below_the_curve_from_mu_on(setting: tuple[float, float, int]) -> None:
    _, _, plan, both = made(setting)
    at = foot(both[1], plan.last, 1e-10)
    report = ny.account(ny.DPSGD(*setting)).gdp(1e-10)
    assert at.lower[0] <= report.mu * (1.0 + 1e-9)
    assert at.upper[0] >= report.mu * (1.0 - 1e-9)
    for share, expected in ((1.0 + 1e-7, True), (0.98, False)):
        mu = at.upper * share
        pair = (Contrast.of(both[0], mu, at.epsilon), Contrast.of(both[1], mu, at.epsilon))
        below, best, _, most = compared(pair, at.epsilon, 2e-9)
        assert bool(below[0]) is expected
        assert best[0] <= most[0]
    # at 98 % of mu it is above the curve near the foot: the largest quotient is elsewhere, and stays certain
    assert most[0] - best[0] < 1e-5


def test_infima_of_convex_functions_are_from_below() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        x = np.sort(rng.uniform(0.0, 4.0, 9))
        top = rng.uniform(0.5, 3.5)
        bend = rng.uniform(0.1, 2.0)

        def delta(at: np.ndarray, top: float = top, bend: float = bend) -> np.ndarray:
            return 2.0 + bend * np.where(at > top, 0.3, 1.0) * (at - top) ** 2 - 0.01 * (1.0 + at)

        found = float(_infimum(x[None, :], delta(x)[None, :], delta(x)[None, :], 0.01)[0])
        assert found <= 2.0
        step = float(np.max(np.diff(x)))
        inside = x[1] < top < x[-2]
        assert found == -np.inf or not inside or found >= 2.0 - 2.0 * bend * step**2
    y = np.linspace(0.0, 4.0, 9)[None, :]
    flat = 2.0 + (y - 6.0) ** 2
    assert _infimum(y, flat, flat, 0.01)[0] == -np.inf  # it still falls at the end
