"""A dear engine is asked where its answer counts: not for a delta that another exceeds, nor beyond what is searched."""

from __future__ import annotations

import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.before import BoundedProfile
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.profiles.profile import Bracket, Profile


class Vague(Profile):
    """A Gaussian of which little is known at first."""

    method, end, tail_mu = "vague", float("inf"), 1.0

    def __init__(self) -> None:
        self.known, self.asked = GaussianProfile(1.0), 0

    def bracket(self, epsilon: FloatArray) -> Bracket:
        self.asked += len(epsilon)
        return self.known.bracket(epsilon)

    def rough(self, epsilon: FloatArray) -> Bracket:
        found = self.known.bracket(epsilon)
        return Bracket(0.9 * found.lower, 1.1 * found.upper, 1.2 * found.log_gap_lower, 0.8 * found.log_gap_upper)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self.known.slope(epsilon)


def test_sharp_where_it_counts() -> None:
    profile, epsilon = Vague(), np.array([0.5, 2.0, 4.0])  # deltas of .24, .02 and 2e-4
    found = profile.sharp_within(epsilon, np.array([0.5, 0.01, 0.01]))
    assert profile.asked == 1
    exact = GaussianProfile(1.0).bracket(epsilon)
    assert abs(found.upper[1] / exact.upper[1] - 1.0) < 1e-12
    assert np.all(found.lower <= exact.lower * (1.0 + 1e-12))
    assert np.all(found.upper >= exact.upper * (1.0 - 1e-12))
    assert profile.sharp_within(epsilon, 1e-3, 0.1).upper[0] > exact.upper[0]  # a search for less than that
    assert profile.asked == 2
    near_one = np.array([0.0])
    profile.known = GaussianProfile(3.0)  # 1 - delta counts, too
    profile.sharp_within(near_one, np.array([0.999]))
    assert profile.asked == 3


def test_nothing_is_asked_behind_for_less_than_another_has() -> None:
    made: list[str] = []

    def engine() -> Profile:
        made.append("engine")
        return GaussianProfile(1.0)

    class Wide(Vague):
        def bracket(self, epsilon: FloatArray) -> Bracket:
            return self.rough(epsilon)

    profile, epsilon = BoundedProfile(Wide(), engine, 1e-6), np.array([2.0])
    truth = GaussianProfile(1.0).bracket(epsilon)
    assert profile.above(epsilon, lambda: np.array([0.1])).upper[0] < 0.1
    assert profile.decide(epsilon, (0.1, 0.2)).upper[0] < 0.1
    assert not made
    assert profile.above(epsilon, lambda: np.array([0.02])).upper[0] == truth.upper[0]
    assert made


def test_the_smaller_direction_needs_no_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the epsilon of delta = 1e-5 "add" has hardly any, which no veil knows to six digits, and eight lattices of up
    to a million points were laid for it."""
    asked: list[float] = []
    whole = LatticeProfile.bracket

    def bracket(self: LatticeProfile, epsilon: FloatArray) -> Bracket:
        asked.extend(epsilon.tolist())
        return whole(self, epsilon)

    monkeypatch.setattr(LatticeProfile, "bracket", bracket)
    guarantee = ny.account(ny.DiscreteLaplace(1.424, 3).poisson(0.007884) ** 294)
    assert guarantee.epsilon(1e-5) - guarantee.optimistic.epsilon(1e-5) < 2e-6
    assert guarantee.mu() - guarantee.optimistic.mu() < 1e-6
    assert not asked
    assert FallbackProfile.above is not Profile.above
