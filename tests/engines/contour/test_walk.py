"""The walk along the real axis: one ladder for both directions, and where lines on it may stand."""

from __future__ import annotations

import math
import time

import mpmath as mp
import numpy as np
import pytest
from flint import acb, arb

from neyman.engines.contour.cumulant import WALKED, Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.straight.aliases import _needs
from neyman.engines.contour.straight.coverage import alias_distances
from neyman.engines.contour.straight.plan import Plan
from neyman.losses.gaussian.transform import SamplingTransform
from tests.reference.integrals import integral


def parts(sigma: float, rate: float, times: int, direction: str = "remove", mu: float = 0.0) -> Parts:
    return Parts(((SamplingTransform(sigma, rate), times),), mu, direction)


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "mu"), [(9.4, 0.3, 2000, 0.0), (1.0, 1e-3, 500, 0.7), (2.0, 1.0 - 1e-9, 3, 0.0)]
)
def test_one_ladder_serves_both_directions(sigma: float, rate: float, times: int, mu: float) -> None:
    remove = parts(sigma, rate, times, mu=mu)
    for walk, side in zip(Walk.pair(remove), (remove, remove.reversed), strict=True):
        assert np.all(np.diff(walk.c) > 0.0)
        own = Walk.at(side, walk.c)
        assert np.array_equal(own.c, walk.c)
        np.testing.assert_allclose(own.k, walk.k, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(own.mean, walk.mean, rtol=1e-9, atol=1e-9 * np.abs(walk.mean).max())
        np.testing.assert_allclose(own.variance, walk.variance, rtol=1e-9)


def test_the_cumulant_is_that_of_the_law() -> None:
    """K(c) = T log E_Q[r^{c+1}] by an independent quadrature."""
    sigma, rate, times = 1.3, 0.2, 7
    s, q = arb(sigma), arb(rate)
    walk = Walk.along(parts(sigma, rate, times))
    for index in np.flatnonzero((walk.c > -4.0) & (walk.c < 6.0))[::6]:
        c = float(walk.c[index])

        def integrand(x: acb, analytic: bool, c: float = c) -> acb:
            loss = (1 - q + q * ((x - arb(1) / 2) / (s * s)).exp()).log(analytic=analytic)
            return ((arb(c) + 1) * loss - x * x / (2 * s * s)).exp() / (s * (2 * arb.pi()).sqrt())

        exact = times * integral(integrand, np.linspace(-20.0, 40.0, 25).tolist()).real.log()
        assert walk.k[index] == pytest.approx(float(exact), rel=1e-11, abs=1e-12)


def test_cumulants_of_many_steps_are_as_exact_as_is_allowed() -> None:
    """Of 10^8 - 1 steps, at whole powers, where A(n) is a sum over how often the record is drawn."""
    times, worst = 10**8 - 1, 0.0
    for sigma, rate in ((1.0, 1e-4), (0.7, 1e-6), (3.0, 0.3), (30.0, 0.02), (8.0, 0.95), (400.0, 0.5)):
        walk = Walk.at(parts(sigma, rate, times), np.array([-1.0, 0.0, 1.0, 2.0, 3.0]))
        with mp.workdps(60):
            q, s2 = mp.mpf(rate), mp.mpf(sigma) ** 2
            for c, k in zip(walk.c.tolist(), walk.k.tolist(), strict=True):
                n = int(c) + 1
                drawn = (
                    mp.binomial(n, j) * (1 - q) ** (n - j) * q**j * mp.exp(j * (j - 1) / (2 * s2)) for j in range(n + 1)
                )
                exact = times * mp.log(mp.fsum(drawn))
                worst = max(worst, float(abs(k - exact)) - 16.0 * 2.0**-53 * abs(k))
    assert 1e-3 * WALKED < worst < 0.5 * WALKED


def test_distances_of_several_lines_are_those_of_each() -> None:
    walk = Walk.along(parts(1.0, 0.05, 300))
    lines = np.flatnonzero(walk.useful())[::7]
    epsilon = np.array([0.0, 0.5, 2.0])
    target = walk.k[lines, None] - np.multiply.outer(walk.c[lines], epsilon) - 30.0
    together = alias_distances(walk, lines, epsilon, target)
    for row, index in enumerate(lines):
        for column, eps in enumerate(epsilon):
            need = walk.k - walk.c * eps - target[row, column]
            worst = 0.0
            for side in (walk.c > walk.c[index], walk.c < walk.c[index]):
                side &= walk.whole(int(index))
                worst = max(worst, float(np.min(need[side] / np.abs(walk.c[side] - walk.c[index]))))
            assert together[row, column] == pytest.approx(worst, rel=1e-12)


def test_a_plan_stops_at_the_nodes_it_may_have() -> None:
    """The same plan where it is affordable, none where it is not."""
    law = parts(0.5, 0.01, 20)
    walk = Walk.along(law)
    index = int(np.flatnonzero(walk.useful())[20])
    free = Plan.make(law, walk, index, (0.1, 1.0))
    assert math.isfinite(free.nodes)
    assert Plan.make(law, walk, index, (0.1, 1.0), most=1.2 * free.nodes).nodes <= 1.2 * free.nodes
    assert Plan.make(law, walk, index, (0.1, 1.0), most=0.5 * free.nodes).nodes == math.inf


def test_a_tilt_that_no_grid_holds_is_out_of_reach() -> None:
    """Two steps of hardly any rate: the end of the losses of "add" was approached on grids of 35 million points, which
    took 15 seconds and 2 GB, and no answer was any narrower for it.
    """
    transform = SamplingTransform(7.356413623620585, 1.6058322611910692e-06)
    found = transform.moments(np.array([-5e10, -1e3, -1.0, 0.0, 3.0]))
    assert np.isnan(found.cut).tolist() == np.isnan(found.log_a).tolist() == [True, False, False, False, False]
    assert np.all(np.isnan(transform.moments(np.array([-5e10, -6e10])).variance))
    for direction in ("remove", "add"):
        before = time.process_time()
        profile = ContourProfile(parts(transform.sigma, transform.rate, 2, direction))
        bracket = profile.bracket(np.array([0.0, 0.2, 1.0]) * transform.rate)
        assert time.process_time() - before < 5.0
        assert np.all(bracket.lower > 0.0)
        assert np.all(bracket.upper - bracket.lower <= 1e-9 * bracket.upper)


def test_the_same_c_met_twice_asks_for_no_distance_or_for_any() -> None:
    parts = Parts(((SamplingTransform(1.0, 0.01), 100),), 0.0, "remove")
    walk = Walk.along(parts)
    index = int(np.argmin(np.abs(walk.c - 1.0)))
    walk, again = walk._merged(walk._only(np.arange(len(walk.c)) == index)), index + 1
    assert walk.c[again] == walk.c[index]
    need = walk.k[index] - 0.5 * walk.c[index]
    found = _needs(walk, index, np.array([0.5]), np.array([need - 1.0]))
    assert math.isinf(found[again])
    assert 0.0 < found[again + 1] < math.inf
    assert _needs(walk, index, np.array([0.5]), np.array([need + 1.0]))[again] == 0.0
    assert _needs(walk, index, np.array([0.5]), np.array([need]))[again] == 0.0
