"""mu at a floor where tangents are rough: the answer rests on sharp ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees.questions.mu import fit_lower, fit_upper
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket
from tests.effort import examples


class Roughly(GaussianProfile):
    """A Gaussian's, of which what steers is off by as much as one likes."""

    def __init__(self, mu: float, off: float) -> None:
        super().__init__(mu)
        self.off, self.asked = off, 0

    def rough(self, epsilon: FloatArray) -> Bracket:
        found = super().bracket(epsilon)
        return Bracket.of_delta(found.lower / (1.0 + self.off), np.minimum(found.upper * (1.0 + self.off), 1.0))

    def bracket(self, epsilon: FloatArray) -> Bracket:
        self.asked += len(epsilon)
        return super().bracket(epsilon)


@examples(10, 200)
@given(mu=st.floats(0.05, 4.0), floor=st.floats(1e-12, 1e-2), off=st.floats(1e-9, 0.5))
def test_rough_tangents_decide_nothing(mu: float, floor: float, off: float) -> None:
    profile = Roughly(mu, off)
    fit = fit_upper(Pair(profile, profile), floor, mu)
    assert mu <= fit.mu <= mu * (1.0 + 1e-6)
    assert fit.at_floor >= mu
    assert fit_lower(Pair(profile, profile), floor, mu, fit) <= mu


@pytest.mark.parametrize("scale", [2.0, 3.0368, 6.0])
def test_where_the_floor_can_say_no_more_it_is_not_looked_at(scale: float) -> None:
    """The local mu of Laplace noise is largest far from there, where its losses end."""
    g = ny.account(ny.Laplace(scale) ** 10, tolerance=1e-7)
    fit = g.fit(1e-10)
    assert fit.at_floor < 0.99 * fit.mu
    assert 0.0 <= g.mu(1e-10) - g.least_mu(1e-10) <= 1e-6 * fit.mu
    power = g.optimistic.roc(1e-10)
    assert power <= float(ny.GDP(fit.at_floor).roc(1e-10)) * (1.0 + 1e-9)
