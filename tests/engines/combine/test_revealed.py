"""What reveals the record, beside what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.infinite_mass import InfiniteMassProfile
from neyman.profiles.profile import Bracket


class Vague(GaussianProfile):
    """Of which 1 - delta is not known at all."""

    def bracket(self, epsilon):
        b = super().bracket(epsilon)
        nothing = np.full_like(b.upper, -math.inf)
        return Bracket(b.lower, np.ones_like(b.upper), nothing, nothing)


def test_complements_that_are_not_known_stay_unknown():
    half = math.log(0.5)
    inner = Vague(30.0)
    found = InfiniteMassProfile(inner, inner, (half, half), (0.5, 0.5)).bracket(np.array([0.0, 1.0]))
    for values in (found.lower, found.upper, found.log_gap_lower, found.log_gap_upper):
        assert not np.any(np.isnan(values))
    assert np.all(found.log_gap_lower == -math.inf)
    assert np.all(found.upper == 1.0)


@pytest.mark.parametrize("adjacency", ["remove", "add_or_remove"])
def test_below_the_mass_at_infinity_no_epsilon_serves(adjacency: str) -> None:
    """Told at once, beside others that are served; both sides, one number or many."""
    found = ny.account(ny.ApproximateMechanism(0.7, 4.5e-4) ** 20 * ny.Gaussian(3.0), adjacency)
    mass = -math.expm1(20 * math.log1p(-4.5e-4))
    asked = np.array([1e-5, mass * (1.0 - 1e-9), mass * 1.01, 0.3, 1.0])
    for side in (found, found.optimistic):
        epsilon = side.epsilon(asked)
        assert np.array_equal(np.isinf(epsilon), [True, True, False, False, False])
        assert epsilon[4] == 0.0
    assert found.optimistic.epsilon(0.3) <= found.epsilon(0.3) <= found.epsilon(mass * 1.01)
    assert math.isinf(found.epsilon(1e-5))
