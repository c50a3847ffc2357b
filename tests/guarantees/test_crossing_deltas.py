"""Where two deltas that fall by orders of magnitude are equal, and which chord is the lowest there."""

import numpy as np
import pytest

import neyman as ny
from neyman.guarantees.envelope.common_tangents import _equal, _lowest, bridges


@pytest.mark.parametrize("at", [0.5, 3.0, 9.0])
@pytest.mark.parametrize("steep", [0.3, 5.0, 60.0])
def test_deltas_that_fall_steeply_are_equal_where_they_are(at, steep):
    place = np.array([0.0, 10.0])
    log_deltas = np.array([-steep * place, -steep * place - (at - place)])  # the second is less before ``at``
    found = _equal(place, np.exp(log_deltas[::-1]))
    assert found == pytest.approx(at, abs=1e-9)


def test_what_is_not_told_is_halved():
    assert _equal(np.array([1.0, 2.0]), np.array([[0.1, 0.1], [0.2, 0.0]])) == 1.5
    assert _equal(np.array([1.0, 2.0]), np.array([[0.1, 0.1], [0.1, 0.1]])) == 1.5


def test_the_lowest_chord_of_deltas_that_fall_and_then_stay():
    """Of deltas that fall like e^-2eps and then stay, seen at an eps that is hardly before the end of the chords."""
    at = 30.0
    low = np.linspace(1.0, 29.0, 29)
    high = np.linspace(30.0 + 1e-9, 60.0, 5)
    before, after = np.exp(-2.0 * low), np.full(5, 1e-40)
    i, _ = _lowest(at, (low, before), (high, after))
    assert i == 28  # chords from further away are above it


def test_no_bridge_is_longer_than_it_helps():
    g = ny.ZCDP(1.6001337586569813) * ny.RDP(
        [1.087, 1.089, 1.107, 28.1, 28.947], [0.07397249002586, 0.0722, 0.0783, 2.9, 3.1]
    )
    parts = g.sides.forward.parts
    for bridge in bridges(parts, rough=True):
        middle = 0.5 * (np.array([bridge.low]) + bridge.high)
        least = np.min([sides.bracket(middle).upper for sides in parts], axis=0)
        assert bridge.lowered(middle, least, np.full(1, -np.inf))[0][0] <= least[0]
        ends = np.array([bridge.low, bridge.high])
        assert np.all(np.isfinite([sides.bracket(ends).upper for sides in parts]))
    assert 0.0 < g.mu() < 2.6
