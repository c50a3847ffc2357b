"""A pair read at any real epsilon, and wherever within a little room of it."""

from __future__ import annotations

import numpy as np
import pytest

from neyman.engines.closed_form.pairs import GaussianProfile, SubsampledGaussianProfile
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import around, bracket_at, widened

PAIRS = [
    (GaussianProfile(1e-3), GaussianProfile(1e-3)),  # just below 0 delta falls as fast as it may
    (GaussianProfile(2.0), GaussianProfile(2.0)),
    (GaussianProfile(60.0), GaussianProfile(60.0)),  # 1 - delta is nearly all there is to know
    (SubsampledGaussianProfile(0.4, 1e-3, "remove"), SubsampledGaussianProfile(0.4, 1e-3, "add")),
]
EPSILON = np.array([-300.0, -20.0, -0.01, -1e-9, 0.0, 1e-9, 0.3, 5.0, 40.0])


def holds(wide: Bracket, true: Bracket) -> None:
    """The truth lies within both."""
    assert np.all(wide.lower <= true.upper)
    assert np.all(wide.upper >= true.lower)
    assert np.all(wide.log_gap_lower <= true.log_gap_upper)
    assert np.all(wide.log_gap_upper >= true.log_gap_lower)


@pytest.mark.parametrize("room", [0.0, 1e-15, 1e-9, 1e-3, 0.5, 30.0])
@pytest.mark.parametrize("pair", PAIRS)
def test_bounds_hold_wherever_within_the_room(pair: tuple[Profile, Profile], room: float) -> None:
    rooms = np.full(len(EPSILON), room)
    for wide in (widened(bracket_at(*pair, EPSILON), rooms), around(*pair, EPSILON, rooms)):
        for share in np.linspace(-1.0, 1.0, 21):
            holds(wide, bracket_at(*pair, EPSILON + share * room))


def test_no_less_room_would_do() -> None:
    """Far below 0 the log of 1 - delta rises as epsilon does; just below 0 delta falls as it."""
    at, room = np.array([-0.01]), np.array([1e-3])
    for place in (at, at - 20.0):
        there, wide = bracket_at(*PAIRS[0], place - room), widened(bracket_at(*PAIRS[0], place), room)
        assert there.log_gap_lower[0] - wide.log_gap_lower[0] <= 1e-3 * room[0]
    there, wide = bracket_at(*PAIRS[0], at - room), widened(bracket_at(*PAIRS[0], at), room)
    assert wide.upper[0] - there.upper[0] < 0.02 * room[0]
