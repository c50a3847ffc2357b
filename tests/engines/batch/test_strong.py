"""Strong settings: lines between the poles, and curves that lie below the floor altogether."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import neyman as ny
from neyman.engines.batch.answering import strong as room
from neyman.engines.batch.answering.answer import answer
from neyman.engines.batch.answering.between import between
from neyman.engines.batch.answering.compared import compared
from neyman.engines.batch.answering.contrast import Contrast
from neyman.engines.batch.answering.floor import foot
from neyman.engines.batch.answering.strong import strong
from neyman.engines.batch.laying.lines import lines
from neyman.engines.batch.laying.settings import Settings

LOG_FLOOR = float(np.log(1e-10))
BELOW = [(1.0, 0.4, 1000), (2.0, 0.9, 2000), (1.0, 0.9, 400), (3.0, 0.95, 2000)]
BETWEEN = [(2.0, 0.4055, 2000), (1.0, 0.2933, 1000), (3.0, 0.62, 2000)]


def settings(some: list[tuple[float, float, int]]) -> Settings:
    return Settings(*(np.array(column, dtype=np.float64) for column in zip(*some, strict=True)))


def test_fixed_points_below_the_floor() -> None:
    found = strong(settings(BELOW), 1e-10)
    for i, setting in enumerate(BELOW):
        g = ny.account(ny.DPSGD(*setting))
        assert found.lower[i] <= g.gdp(1e-10).mu
        assert g.optimistic.gdp(1e-10).mu <= found.upper[i] <= found.lower[i] * (1.0 + 1e-8)
        assert g.optimistic.gdp(1e-10).regret <= found.regret[i] < 2e-9


@pytest.mark.parametrize(
    ("setting", "truth"),
    [
        # of mpmath, 40 digits: 1 - delta(0) along Re z = -1/2, whose logarithm is -740.2; and -804.4
        ((1.5383148835569957, 0.010140844747945636, 109927700), 76.7512394354186302),
        ((1.5383148835569957, 0.010140844747945636, 119400000), None),
    ],
)
def test_what_no_float_tells_from_nothing_is_told_by_its_logarithm(
    setting: tuple[float, float, int], truth: float | None
) -> None:
    """It was read as a float, of which one digit was left: mu was 8e-6 of itself too small."""
    found = strong(settings([setting]), 1e-10)
    g = ny.account(ny.DPSGD(*setting))
    least, most = (g.optimistic.mu(1e-10), g.mu(1e-10)) if truth is None else (truth, truth)
    assert found.lower[0] <= most
    assert least <= found.upper[0]
    assert found.upper[0] <= found.lower[0] * (1.0 + 1e-8)
    assert 0.0 < found.regret[0] < 1e-300


def test_floors_of_which_lines_tell_nothing_are_left_to_the_regular_engine() -> None:
    one = np.array([1.5383148835569957]), np.array([0.010140844747945636]), np.array([109927700.0])
    assert answer(*one, 1e-17).certain[0]
    assert not answer(*one, 1e-19).certain[0]
    assert not answer(*one, 0.03).certain[0]


def test_a_fixed_point_above_the_floor_is_not_taken_for_one_below() -> None:
    at_floor = strong(settings([(1.0, 0.3, 1000), (1.0, 0.4, 1000)]), 1e-10)
    assert np.isnan(at_floor.upper).tolist() == [True, False]
    assert np.isnan(strong(settings(BELOW[:1]), 1e-12).upper[0])


@pytest.mark.parametrize("name", ["_CUT", "_COPIES"])
@pytest.mark.parametrize("digits", [0.5, 1.0, 2.0, 4.0])
def test_copies_and_cuts_between_the_poles_are_counted(
    name: str, digits: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 - delta(0) from lines that are laid far too coarse."""
    monkeypatch.setattr(room, name, digits)
    monkeypatch.setattr(room, "_PEAK", 0.0)
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def kept(
        lower: np.ndarray, upper: np.ndarray, scale: np.ndarray, height: np.ndarray, floor: float
    ) -> room.Strong:  # fmt: skip
        seen.append((lower * np.exp(scale), upper * np.exp(scale)))
        return room.Strong(lower, upper, height)

    monkeypatch.setattr(room, "_judged", kept)
    strong(settings(BELOW), 1e-10)
    (lower, upper), widest = seen[0], 0.0
    for i, setting in enumerate(BELOW):
        profile = ny.account(ny.DPSGD(*setting))
        # twice the error of the fixed point, alpha = beta: far below what delta(0), a float near 1, could tell
        low, high = 2.0 * profile.fixed_point, 2.0 * profile.optimistic.fixed_point
        assert lower[i] <= high * (1.0 + 1e-9)
        assert upper[i] >= low * (1.0 - 1e-9)
        widest = max(widest, (upper[i] - lower[i]) / low)
    assert widest > 1e-3


@pytest.mark.parametrize("setting", BETWEEN)
def test_lines_between_the_poles(setting: tuple[float, float, int]) -> None:
    one = settings([setting])
    ladder, plan = between(one, LOG_FLOOR)
    both = lines(one, ladder, plan)
    at = foot(both[1], plan.last, 1e-10)
    report, below = (g.gdp(1e-10) for g in (ny.account(ny.DPSGD(*setting)), ny.account(ny.DPSGD(*setting)).optimistic))
    assert at.lower[0] <= report.mu
    assert below.mu <= at.upper[0] <= at.lower[0] * (1.0 + 1e-8)
    epsilon = at.epsilon[0] * np.array([[0.0, 0.3, 0.6, 1.0]])
    for direction, side in enumerate(("remove", "add")):
        g = ny.account(ny.DPSGD(*setting), adjacency=side)
        for line in both:
            assert (line.c < 0.0).all()
            read = line.read(epsilon)
            assert (read.lower[0, direction] <= g.delta(epsilon[0])).all()
            assert (read.upper[0, direction] >= g.optimistic.delta(epsilon[0])).all()
    for share, expected in ((1.0 + 1e-8, True), (0.999, False)):
        mu = at.upper * share
        pair = (Contrast.of(both[0], mu, at.epsilon), Contrast.of(both[1], mu, at.epsilon))
        certain, best, _, most = compared(pair, at.epsilon, 2e-9)
        assert bool(certain[0]) is expected
        if expected:
            assert best[0] - 1e-8 <= report.regret
            assert most[0] >= below.regret
            assert most[0] - best[0] <= 2e-9


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
def test_copies_between_the_poles_lie_on_one_side(share: float) -> None:
    one = settings(BETWEEN[:1])
    ladder, plan = between(one, LOG_FLOOR)
    epsilon = np.array([[0.0, 0.3, 0.9]]) * plan.last
    g = ny.account(ny.DPSGD(*BETWEEN[0]), adjacency="remove")
    low, high = g.optimistic.delta(epsilon[0]), g.delta(epsilon[0])
    most = near = 0.0
    for line in lines(one, ladder, replace(plan, spread=plan.spread * share)):
        read = line.read(epsilon)
        assert (read.lower[0, 0] <= high).all()
        assert (read.upper[0, 0] >= low).all()
        width = (read.upper - read.lower)[0, 0]
        most = max(most, float(np.max((high - read.lower[0, 0]) / width)))
        gap = 2.0 * ny.account(ny.DPSGD(*BETWEEN[0])).fixed_point
        assert read.gap_lower[0, 0, 0] <= gap * (1.0 + 1e-9)
        assert read.gap_upper[0, 0, 0] >= gap * (1.0 - 1e-9)
        near = max(near, float((read.gap_upper[0, 0, 0] - gap) / (read.gap_upper - read.gap_lower)[0, 0, 0]))
    assert near > 0.01  # and above it by as much, of what delta lacks to 1
    assert most > 0.01  # below the truth by the copies: a hundredth of their bound would be false


def test_gaussians_are_told_by_their_mu() -> None:
    some = [(2.0, 1.0, 1), (3.0, 1.0, 1000), (1.0, 1.0, 2000), (1e9, 1.0, 3), (1e-3, 1.0, 1)]
    found = answer(*(np.array(column, dtype=np.float64) for column in zip(*some, strict=True)), 1e-10)
    assert found.certain.tolist() == [True, True, True, False, False]
    for i, (sigma, _, steps) in enumerate(some[:3]):
        assert Fraction(found.mu_lower[i]) ** 2 <= Fraction(steps) / Fraction(sigma) ** 2 <= Fraction(found.mu[i]) ** 2
        assert found.mu[i] <= found.mu_lower[i] * (1.0 + 1e-14)
        report = ny.account(ny.DPSGD(*some[i])).optimistic.gdp(1e-10)
        assert report.mu <= found.mu[i]
        assert report.regret <= found.regret[i] + 1e-15


def test_they_are_tried_from_the_strongest_down() -> None:
    some = [*BELOW, *BETWEEN, (2.0, 0.2, 1000)]
    found = answer(*(np.array(column, dtype=np.float64) for column in zip(*some, strict=True)), 1e-10)
    assert found.certain.all()
    assert found.mu == pytest.approx([ny.account(ny.DPSGD(*each)).mu() for each in some], rel=1e-8)


@pytest.mark.parametrize("fall", [1.0, 3.0, 6.0])
def test_what_delta_lacks_is_known_up_to_what_is_cut(fall: float) -> None:
    one = settings(BETWEEN[:1])
    ladder, plan = between(one, LOG_FLOOR)
    gap, widest = 2.0 * ny.account(ny.DPSGD(*BETWEEN[0])).fixed_point, 0.0
    for line in lines(one, ladder, replace(plan, fall=np.full_like(plan.fall, fall))):
        read = line.read(np.zeros((1, 1)))
        assert (read.gap_lower[0, :, 0] <= gap * (1.0 + 1e-9)).all()
        assert (read.gap_upper[0, :, 0] >= gap * (1.0 - 1e-9)).all()
        widest = max(widest, float((read.gap_upper - read.gap_lower)[0, :, 0].max() / gap))
    assert widest > 1e-6
