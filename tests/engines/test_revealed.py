"""What reveals the record, beside what does not."""

from __future__ import annotations

import math

import numpy as np

from neyman.engines.closed_form import GaussianProfile
from neyman.engines.profile import Bracket
from neyman.engines.revealed import RevealedProfile


class Vague(GaussianProfile):
    """Of which 1 - delta is not known at all."""

    def bracket(self, epsilon):
        b = super().bracket(epsilon)
        nothing = np.full_like(b.upper, -math.inf)
        return Bracket(b.lower, np.ones_like(b.upper), nothing, nothing)


def test_complements_that_are_not_known_stay_unknown():
    half = math.log(0.5)
    inner = Vague(30.0)
    found = RevealedProfile(inner, inner, (half, half), (0.5, 0.5)).bracket(np.array([0.0, 1.0]))
    for values in (found.lower, found.upper, found.log_gap_lower, found.log_gap_upper):
        assert not np.any(np.isnan(values))
    assert np.all(found.log_gap_lower == -math.inf)
    assert np.all(found.upper == 1.0)
