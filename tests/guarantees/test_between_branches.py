"""What lies between the two branches of the curve is covered by the ends of the tangent of slope -1."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees.questions.mu.at_floor import fit_upper
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile
from tests.effort import crossed, rest_slow


@pytest.mark.parametrize(
    ("epsilon", "k"), rest_slow([(0.5, 5), (0.5, 7), (0.25, 9), (0.3, 11), (0.1, 15), (0.5, 3)], 0)
)
def test_mu_of_a_pure_group_is_that_of_its_corner(epsilon: float, k: int) -> None:
    """Odd numbers have it on the diagonal: f(x) = x = e^{-(k - 1) eps / 2} / (1 + e^eps). mu was 5e-12 too small."""
    with mpmath.workdps(50):
        e = mpmath.mpf(epsilon)
        x = mpmath.exp(-(k - 1) * e / 2) / (1 + mpmath.exp(e))
        mu = -2 * mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1)
    for g in (ny.PureDP(epsilon).group(k), ny.account(ny.PureMechanism(epsilon)).group(k)):
        assert mu <= g.mu(1e-10) <= mu * (1 + 1e-8)
        assert g.gdp(1e-10).mu >= mu
        assert g.optimistic.mu(1e-10) <= mu


class Misled(Profile):
    """A Gaussian whose slope, which only steers, is off by a factor."""

    def __init__(self, mu: float, factor: float) -> None:
        self._of, self._factor = GaussianProfile(mu), factor

    @property
    def method(self) -> str:
        return "misled"

    @property
    def tail_mu(self) -> float:
        return np.inf

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._of.bracket(epsilon)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._factor * self._of.slope(epsilon)


@crossed(
    ("factor", [1e-3, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 10.0]),
    ("mu", [0.1, 1.0, 4.0]),
)
def test_a_slope_that_is_wrong_makes_no_mu_too_small(mu: float, factor: float) -> None:
    one, other = Misled(mu, factor), Misled(mu, 1.0 / factor)
    for sides in (Pair(one, one), Pair(one, other), Pair(other, one)):
        assert fit_upper(sides, 1e-10, 1.0).mu >= mu
