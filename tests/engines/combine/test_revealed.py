"""What reveals the record, beside what does not."""

from __future__ import annotations

import math

import mpmath
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


def revealed_or_not(epsilon: mpmath.mpf, delta: mpmath.mpf, n: int, at: mpmath.mpf) -> mpmath.mpf:
    """delta of n binary responses, each of which reveals all with probability ``delta``."""
    p = 1 / (1 + mpmath.exp(-epsilon))
    whole = 1 - (1 - delta) ** n
    for k in range(n + 1):
        mass = (1 - delta) ** n * mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k)
        whole += mass * max(0, 1 - mpmath.exp(at - (2 * k - n) * epsilon))
    return whole


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("delta", [0.49, 0.5878213795513699, 0.93, 1.0 - 1e-6, 1.0 - 3e-12, 1e-9])
def test_what_is_revealed_of_enclosing_laws_is_what_they_state(delta, n):
    """Their masses are moved to the safe side, and do not sum to what is left: 1e-13 of it was handed out as less."""
    for epsilon in (0.064, 1.3, 9.0):
        promise = ny.Opaque(ny.Profile([epsilon], [delta]))
        mechanisms = ny.account(promise**n), ny.account(ny.ApproximateMechanism(epsilon, delta) ** n)
        with mpmath.workdps(40):
            for at in (-0.3, 0.0, 0.7 * epsilon, 1.6 * epsilon):
                truth = revealed_or_not(mpmath.mpf(epsilon), mpmath.mpf(delta), n, mpmath.mpf(at))
                for g in mechanisms:
                    assert g.optimistic.delta(at) <= truth
                    assert g.delta(at) >= truth
                    assert g.delta(at) <= truth * (1 + mpmath.mpf(10) ** -9)


def test_what_is_left_of_strong_promises_is_not_read_off_masses_that_were_moved():
    """1 - delta counts what enclosing laws have at loss 0, where there may be none: delta was 7e-14 too small."""
    g = ny.account(
        ny.Opaque(ny.Profile([0.24, 15.374, 15.801], [1.0, 0.00017984003025047854, 0.00012018209355147784]))
        * ny.Gaussian(2.0)
    )
    for at, truth in ((0.0, 0.99999957916831555150), (-1.0944959805432037, 0.99999971915623603629)):  # of balls
        assert g.optimistic.delta(at) <= truth + 2e-16
        assert g.delta(at) >= truth
        assert g.delta(at) <= truth + 1e-11
