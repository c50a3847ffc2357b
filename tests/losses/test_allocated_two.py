"""Random allocation of two steps, and of one output alone: closed forms and their integral, against balls."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import erf

from neyman.losses.allocated import two
from neyman.losses.allocated.elementary import one_alone
from neyman.losses.allocated.profile import AllocatedProfile
from neyman.losses.allocated.two import gaussian_delta, slope_of_two, two_steps
from neyman.numerics.functions.normal import mills
from neyman.numerics.rounding import ELEMENTARY, LOG_NDTR, UNIT
from tests.effort import crossed, rest_slow
from tests.hunt.allocation import Allocated

SETTINGS = [  # sigma, eps over the noise of the loss
    (0.05, 0.9), (0.126, 0.7), (0.3, 1.4), (1.0, 0.0), (1.0, 3.0), (3.0, 7.0), (12.0, 0.5), (73.2, 5.0), (1e4, 2.0),
]  # fmt: skip


def place(sigma: float, share: float) -> float:
    return share * (0.5 / sigma**2 if sigma < 0.5 else 1.0 / (sigma * math.sqrt(2.0)))


@crossed(
    (("sigma", "share"), rest_slow(SETTINGS, 0, 1, 3, 7)),
    ("remove", [True, False]),
)
def test_two_steps_by_balls(sigma, share, remove):
    epsilon = place(sigma, share)
    with ctx.workprec(320):
        low, high = Allocated(sigma, 2).delta(arb(epsilon), not remove)
        found = two_steps(sigma, np.array([epsilon]), remove)
        assert not (arb(float(found.lower[0])) > high)
        assert not (arb(float(found.upper[0])) < low)
        assert not (arb(float(found.log_gap_lower[0])).exp() > 1 - low)
        assert not (arb(float(found.log_gap_upper[0])).exp() < 1 - high)
    assert found.upper[0] - found.lower[0] <= 1e-11 * found.upper[0]
    assert found.log_gap_upper[0] - found.log_gap_lower[0] <= 1e-11


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("gap", [True, False])
def test_a_coarse_rule_states_what_it_misses(remove, gap, monkeypatch):
    """With wider spacings sums miss more than rounding, and no more than they say."""
    epsilon, seen = np.array([0.4]), 0.0
    sharp = two._integral(1.0, epsilon, remove, gap)
    for goal in (3.0, 5.0, 8.0):
        monkeypatch.setattr(two, "_GOAL", goal)
        low, high = two._integral(1.0, epsilon, remove, gap)
        assert low[0] <= sharp[1][0]
        assert high[0] >= sharp[0][0]
        seen = max(seen, float(high[0] - low[0]))
    assert seen > 1e-6


def test_what_is_beyond_the_end_counts(monkeypatch):
    """A sum that is cut at two deviations misses some percent."""
    monkeypatch.setattr(two, "_FARTHEST", 2.0)
    for remove in (True, False):
        with ctx.workprec(320):
            low, high = Allocated(1.0, 2).delta(arb(1.0), not remove)
            found = two_steps(1.0, np.array([1.0]), remove)
            assert not (arb(float(found.lower[0])) > high)
            assert not (arb(float(found.upper[0])) < low)
            assert float(found.upper[0] - found.lower[0]) > 1e-4 * float(found.upper[0])


def test_the_profile_of_one_gaussian_is_within_its_error():
    """At every real eps, and with nu off by 4 units; the worst is a fair share of what is stated."""
    rng, shares = np.random.default_rng(5), []
    with mpmath.workdps(40):
        for nu in (1e-6, 0.01, 0.3, 1.5, 4.0, 14.0):
            c = rng.uniform(-4.0, 25.0, 12)
            x = nu * (c + 0.5 * nu) * rng.choice([-1.0, 1.0], 12)
            for formula, of in ((gaussian_delta, False), (two._gap, True)):
                found = formula(x, UNIT * np.abs(x), nu)
                for i, one in enumerate(x.tolist()):
                    at, m = mpmath.mpf(one) * (1 + mpmath.mpf(UNIT)), mpmath.mpf(nu) * (1 + 4 * mpmath.mpf(UNIT))
                    grown = mpmath.exp(at) * mpmath.ncdf(-at / m - m / 2)
                    truth = mpmath.ncdf(at / m - m / 2) + grown if of else mpmath.ncdf(m / 2 - at / m) - grown
                    mine = mpmath.exp(mpmath.mpf(float(found.log[i]))) * mpmath.mpf(float(found.size[i]))
                    off = abs(mine / truth - 1)
                    assert off <= found.off[i]
                    shares.append(float(off / found.off[i]))
    assert max(shares) > 0.05


def test_slopes_of_its_logarithm_are_bounded():
    """By which what c errs by is multiplied."""
    b = np.linspace(0.0, 60.0, 400)
    m = mills(b)
    with mpmath.workdps(40):
        fall = np.array([float(1 - x * mpmath.ncdf(-x) / mpmath.npdf(x)) for x in map(mpmath.mpf, b.tolist())])
    assert np.all(m / fall < b + 1.5)
    nu = np.geomspace(1e-8, 50.0, 400)
    assert np.all(nu / erf(nu / math.sqrt(8.0)) <= 3.0 + 2.0 * nu)


def test_numbers_are_no_smaller_than_their_derivation():
    assert two._NODE >= two.MILLS_ERROR + 16.0 * ELEMENTARY * UNIT
    assert two._COSH >= 4.0 * ELEMENTARY + 4.0 - 8.0 + 2.0 * 6.0
    assert two._ABSOLUTE >= (LOG_NDTR + 4.0) * UNIT * (1.0 + (two._FARTHEST + 14.2) ** 2)
    assert two._SUMMED >= 32.0 + 2.0 * ELEMENTARY + 8.0


def test_the_slope_is_that_of_the_profile():
    for remove in (True, False):
        for sigma in (0.2, 1.0, 30.0):
            epsilon, step = np.array([place(sigma, 0.7)]), 1e-4 * place(sigma, 0.7)
            fall = two_steps(sigma, epsilon - step, remove).upper - two_steps(sigma, epsilon + step, remove).upper
            assert slope_of_two(sigma, epsilon, remove) == pytest.approx(fall / (2.0 * step), rel=1e-5)


@pytest.mark.parametrize("sigma", [0.05, 0.1, 0.2, 0.4])
def test_one_output_alone_encloses_two_steps(sigma):
    epsilon = np.linspace(0.05, 1.7, 30) * 0.5 / sigma**2
    found, sharp = one_alone(sigma, 2, epsilon), two_steps(sigma, epsilon, True)
    assert np.all(found.lower <= sharp.upper)
    assert np.all(found.upper >= sharp.lower)
    assert sigma > 0.1 or np.all(found.upper - found.lower <= 3e-7 * found.upper)
    # without what the others may add it would be false
    assert sigma < 0.2 or np.any(found.lower * (1.0 + 1e-6) < sharp.lower)


@pytest.mark.parametrize("t", [3, 100, 10**4])
def test_one_output_alone_encloses_lines(t):
    for sigma in (0.15, 0.3):
        epsilon = np.linspace(0.5, 1.5, 4) * 0.5 / sigma**2
        found, sharp = one_alone(sigma, t, epsilon), AllocatedProfile(sigma, sigma, t, True)._plainly(epsilon)
        assert np.all(found.lower <= sharp.upper)
        assert np.all(found.upper >= sharp.lower)


def test_a_gap_where_lines_and_pairs_of_floats_say_nothing_is_closed():
    """eps beyond 40 and below 1 / (2 sigma^2): epsilon(1e-8) lay in [53.0, 58.9]."""
    for sigma, t in ((0.15, 3), (0.1, 5), (0.05, 1000)):
        epsilon = np.linspace(0.9, 1.3, 5) * 0.5 / sigma**2
        found = AllocatedProfile(sigma, sigma, t, True).bracket(epsilon)
        assert np.all(found.upper - found.lower <= 1e-6 * found.upper)


def test_whoever_is_told_two_steps_learns_no_less():
    for sigma, t in ((0.3, 3), (0.4, 20)):
        epsilon = np.array([0.1, 1.0, 3.0])
        above = AllocatedProfile(sigma, sigma, t, False)._of_two(epsilon)
        sharp = AllocatedProfile(sigma, sigma, t, False)._plainly(epsilon)
        assert np.all(above.upper >= sharp.lower)
        assert np.all(above.log_gap_lower <= sharp.log_gap_upper)
        assert np.all(above.lower == 0.0)
