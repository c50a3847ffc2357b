"""Where two deltas that fall by orders of magnitude are equal."""

import numpy as np
import pytest

from neyman.guarantees.envelope.common_tangents import _equal


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
