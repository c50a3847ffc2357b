"""When the larger of two profiles is asked for more at once: where a place is told alike in any company."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.profiles.pair import LargestProfile, MaximumProfile
from neyman.profiles.profile import SHARPEST, Bracket, Profile

SOME = np.array([0.3, 1.0, 2.0])


class Mended(GaussianProfile):
    """One whose brackets are so wide, relatively, and known by more hands than one where there is a source."""

    def __init__(self, mu: float, width: float, source: Profile | None) -> None:
        super().__init__(mu)
        self.width, self.source = width, source

    def bracket(self, epsilon: NDArray[np.float64]) -> Bracket:
        b = super().bracket(epsilon)
        return Bracket(b.lower * (1.0 - self.width), b.upper, b.log_gap_lower, b.log_gap_upper)


class Vague(GaussianProfile):
    """A source that is never sharp."""

    def bracket(self, epsilon: NDArray[np.float64]) -> Bracket:
        return Bracket.of_delta(np.zeros_like(epsilon), np.ones_like(epsilon))


def pair(first: float, second: float, source: Profile | None, kind: type[MaximumProfile] = MaximumProfile) -> Profile:
    """The larger of one of mu = 1 and of one of mu = 0.5, whose brackets are so wide."""
    return kind(Mended(1.0, first, source), Mended(0.5, second, source))


def test_nobody_is_steady_by_itself() -> None:
    assert not GaussianProfile(1.0).steady


@pytest.mark.parametrize("kind", [MaximumProfile, LargestProfile])
def test_so_it_is_where_each_answers_alone(kind: type[MaximumProfile]) -> None:
    """However wide that is: no other hand mends it."""
    found = pair(1e-3, 1e-3, None, kind)
    assert found.steady
    found.bracket(SOME)
    assert found.steady


@pytest.mark.parametrize(
    ("first", "second", "steady"),
    [
        (0.0, 0.0, True),
        (1.5 * SHARPEST, 0.0, True),
        (0.0, 1e-3, True),  # of what is less nobody cares
        (3.0 * SHARPEST, 0.0, False),
        (1e-3, 1e-3, False),
    ],
)
def test_else_while_all_that_was_asked_was_nearly_sharp(first: float, second: float, steady: bool) -> None:
    found = pair(first, second, Vague(1.0))
    assert found.steady  # nothing was asked yet
    found.bracket(np.zeros(1))
    assert found.steady  # eps = 0 is known by itself, however well
    found.bracket(SOME)
    assert found.steady == steady
    found.bracket(np.zeros(1))
    assert found.steady == steady


def test_once_is_for_good() -> None:
    found = MaximumProfile(mended := Mended(1.0, 1e-3, Vague(1.0)), Mended(0.5, 0.0, Vague(0.5)))
    found.bracket(SOME)
    mended.width = 0.0
    found.bracket(SOME + 0.1)
    assert not found.steady


@pytest.mark.parametrize("width", [0.0, 1e-3])
def test_what_is_told_does_not_depend_on_it(width: float) -> None:
    """It steers those who ask: brackets and slopes are those of a profile that was asked nothing before."""
    asked = pair(width, 0.0, Vague(1.0))
    asked.bracket(SOME)
    asked.bracket(np.zeros(1))
    for epsilon in (np.zeros(1), SOME, SOME[:1]):
        fresh = pair(width, 0.0, Vague(1.0))
        assert np.array_equal(asked.slope(epsilon), fresh.slope(epsilon))
        for side in ("lower", "upper", "log_gap_lower", "log_gap_upper"):
            assert np.array_equal(getattr(asked.bracket(epsilon), side), getattr(fresh.bracket(epsilon), side))
