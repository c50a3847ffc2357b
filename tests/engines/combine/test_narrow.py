"""A law beside one that tells hardly anything, against sums over all its outcomes."""

import math
import time

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import neyman as ny
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.beside.narrow import BesideLittle, NarrowProfile, beside, margins, tails
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.losses.discrete.transform import DiscreteTransform
from neyman.losses.gaussian.plain import GaussianStep
from tests.effort import crossed, examples


@pytest.mark.parametrize("mu", [1e-8, 1e-5, 1e-2])
def test_margins_leave_out_no_more_than_they_state(mu: float) -> None:
    walk = Walk.along(Parts((), mu, "remove"))
    for known in (margins(GaussianProfile(mu)), tails(walk)):
        assert len(known) == 3
        for e, tau in known:
            beyond = mp.ncdf(-(mp.mpf(e) / mu - mp.mpf(mu) / 2))
            assert beyond <= tau <= 1e-12


@pytest.mark.parametrize("remove", [True, False])
def test_tails_of_rare_steps_leave_out_no_more_than_they_state(remove: bool) -> None:
    """Randomised response at a rate of 1e-4, 5000 times: a binomial sum."""
    table = RandomizedResponseStep(1.0, 2, rate=1e-4).table()
    law = DiscreteTransform(table)
    known = tails(Walk.along(Parts(((law, 5000),), 0.0, "remove" if remove else "add")))
    sign, logs = (1.0, table.log_p) if remove else (-1.0, table.log_q)
    chance = float(np.exp(logs[1] if remove else logs[0]))
    up, down = (sign * float(table.loss[i]) for i in ((1, 0) if remove else (0, 1)))
    assert len(known) == 3
    for e, tau in known:
        least = math.floor((e - 5000 * down) / (up - down)) + 1  # ups that lose more than e
        beyond = binom.sf(least - 1, 5000, chance)
        assert beyond <= tau <= 1e-12
        assert beyond > 1e-9 * tau  # and not far more


@crossed(
    ("remove", [True, False]),
    ("mu", [1e-7, 1e-3, 0.05]),
)
def test_both_bounds_enclose_the_sum_over_outcomes(mu: float, remove: bool) -> None:
    atoms = enumerated([(RandomizedResponseStep(0.3, 2).table(), 60)])
    assert atoms is not None
    law = [AtomsProfile(atoms, way, 5.0) for way in (remove, not remove)]
    faint = GaussianProfile(mu)
    profile = NarrowProfile(law[0], law[1], faint.end, margins(faint), 5.0)
    k = np.arange(61)
    mass, loss = binom.pmf(k, 60, math.exp(0.3) / (1.0 + math.exp(0.3))), 0.3 * (2.0 * k - 60.0)
    epsilon = np.array([0.0, 0.2, 0.3001, 0.6 - 1e-6, 2.0, 9.0])
    found = profile.bracket(epsilon)
    for i, eps in enumerate(epsilon):
        truth = mp.mpf(0)
        for p, each in zip(mass, loss, strict=True):
            e = mp.mpf(float(eps - each))
            truth += p * (mp.ncdf(mp.mpf(mu) / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mp.mpf(mu) / 2 - e / mu))
        assert found.lower[i] * (1.0 - 1e-9) <= truth <= found.upper[i] * (1.0 + 1e-9)
        gap = mp.log(1 - truth)
        assert found.log_gap_lower[i] - 1e-9 <= gap <= found.log_gap_upper[i] + 1e-9
        assert found.upper[i] - found.lower[i] <= 40.0 * mu


def test_what_a_lattice_may_tell_apart_is_not_faint() -> None:
    atoms = enumerated([(RandomizedResponseStep(0.3, 2).table(), 60)])
    assert atoms is not None
    faint, loud = ((GaussianStep(mu), GaussianProfile(mu)) for mu in (1e-7, 1e-4))
    assert beside(atoms, [(faint[0], 1)], lambda: (faint[1], faint[1]), ("remove",), None, 5.0) is not None
    assert beside(atoms, [(faint[0], 1)], lambda: (faint[1], faint[1]), ("remove", "add"), None, 5.0) is not None
    assert beside(atoms, [(loud[0], 1)], lambda: (loud[1], loud[1]), ("remove",), None, 5.0) is None


def test_a_faint_step_beside_thousands_that_are_not_is_answered() -> None:
    alone = ny.account(ny.DiscreteLaplace(0.9958, 1) ** 7966)
    both = ny.account(ny.Gaussian(36.97).poisson(2.819e-05) ** 6 * ny.DiscreteLaplace(0.9958, 1) ** 7966)
    epsilon = both.epsilon(1e-5)
    assert alone.optimistic.epsilon(1e-5) <= epsilon <= alone.epsilon(1e-5) + 1e-3
    assert 1.0 - 1e-12 <= both.delta(8.0) <= 1.0
    assert both.advantage == 1.0


def test_rare_smooth_steps_by_the_thousand_beside_a_long_list_do_not_hang() -> None:
    """256 deltas of the faint steps were asked for, by lines of millions of nodes: over 30 s."""
    began = time.process_time()
    strong = ny.ApproximateMechanism(0.2204, 2.076e-12) ** 1571
    both = ny.account(ny.Laplace(156.7).poisson(7.556e-05) ** 5048 * strong)
    alone = ny.account(strong)
    for epsilon in (0.1, 8.0):
        assert alone.optimistic.delta(epsilon) <= both.delta(epsilon) <= alone.delta(epsilon) + 1e-6
    assert time.process_time() - began < 5.0


@pytest.mark.slow
def test_a_list_that_tells_hardly_anything_beside_hardly_any_noise() -> None:
    """Everything was in [0, 1] after 26 s; what the list may add is between nothing and basic composition."""
    loud, quiet = ny.Gaussian(0.01185).poisson(0.0004066) ** 4662, ny.DiscreteGaussian(176.2).poisson(5.051e-6) ** 2
    began = time.process_time()
    both, alone = ny.account(loud * quiet), ny.account(loud)
    for epsilon in (0.1, 8.0):
        assert alone.optimistic.delta(epsilon) <= both.delta(epsilon) <= alone.delta(epsilon) + 1.1e-5
        assert both.delta(epsilon) - both.optimistic.delta(epsilon) <= 1e-6 * both.delta(epsilon)
    assert alone.optimistic.epsilon(1e-5) <= both.epsilon(1e-5) <= alone.epsilon(1e-5) + 1e-5
    assert both.mu() < math.inf
    assert time.process_time() - began < 8.0


@pytest.mark.parametrize("rate", [1e-13, 1e-10])
def test_what_is_hidden_moves_nothing(rate: float) -> None:
    """Two Gaussians and fifty answers that hardly tell anything, against the Gaussians read at every sum of answers."""
    both = ny.account(ny.Gaussian(3.0) ** 2 * ny.RandomizedResponse(1.0).poisson(rate) ** 50, adjacency="remove")
    mu = mp.sqrt(2) / 3
    table = RandomizedResponseStep(1.0, 2, rate=rate).table()
    for epsilon in (0.0, 0.5, 3.0):
        truth = mp.mpf(0)
        for ups in range(51):
            e = mp.mpf(epsilon) - ups * mp.mpf(float(table.loss[1])) - (50 - ups) * mp.mpf(float(table.loss[0]))
            p = mp.binomial(50, ups) * mp.exp(mp.mpf(float(table.log_p[1]))) ** ups
            p *= mp.exp(mp.mpf(float(table.log_p[0]))) ** (50 - ups)
            truth += p * (mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu))
        assert both.optimistic.delta(epsilon) * (1.0 - 1e-12) <= truth <= both.delta(epsilon) * (1.0 + 1e-12)


@given(
    st.floats(-3.0, 1.3), st.floats(-8.0, -0.7), st.floats(-6.0, 9.0),
)  # fmt: skip
@examples(25, 3000)
def test_little_beside_a_gaussian_is_held_to_second_order(log_mu, log_share, place):
    """A Gaussian beside a Gaussian is one: both sides, delta and 1 - delta."""
    mu, share = 10.0**log_mu, 10.0**log_share
    law, little, both = (GaussianProfile(m) for m in (mu, mu * share, mu * math.hypot(1.0, share)))
    epsilon = np.array([max(0.5 * mu * mu + place * mu, 0.0)])
    found = BesideLittle(law, law, (little, little), 2.0 * mu).bracket(epsilon)
    low, high = (GaussianProfile(both.mu * (1.0 + off)).bracket(epsilon) for off in (-1e-15, 1e-15))
    assert found.lower[0] <= high.upper[0]
    assert found.upper[0] >= low.lower[0]
    assert found.log_gap_lower[0] <= low.log_gap_upper[0]
    assert found.log_gap_upper[0] >= high.log_gap_lower[0]
    if found.upper[0] > 1e-10 and share < 1e-2:
        steep = 1.0 + max(place, 0.0) ** 2 + mu**2
        assert found.upper[0] - found.lower[0] <= (100.0 * steep * share**2 + 1e-12 * steep) * found.upper[0]


@pytest.mark.parametrize("sigma", [1e4, 1e6, 1e9])
def test_a_list_beside_next_to_nothing(sigma):
    """Randomised response, three times, beside a Gaussian: outcome by outcome in 50 digits."""
    g = ny.account(ny.RandomizedResponse(1.0, 2) ** 3 * ny.Gaussian(sigma))
    eps = np.array([0.0, 0.3, 0.999, 1.0, 1.001, 2.5, 2.99999])
    with mp.workdps(50):
        mu, right = 1 / mp.mpf(sigma), mp.e / (1 + mp.e)

        def gaussian(e):
            return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)

        truth = [
            sum(
                math.comb(3, k) * (1 - right) ** k * right ** (3 - k) * gaussian(mp.mpf(e) - (3 - 2 * k))
                for k in range(4)
            )
            for e in eps
        ]  # fmt: skip
        lower, upper = g.optimistic.delta(eps), g.delta(eps)
        assert all(low <= t <= high for low, t, high in zip(lower, truth, upper, strict=True))


def test_discrete_steps_that_tell_next_to_nothing_bend_the_curve_of_the_others() -> None:
    # mu took seconds: the others were read at each outcome, some thousand times
    g = ny.account(ny.RandomizedResponse(0.03471, 6).poisson(0.002289) ** 2 * ny.DiscreteGaussian(14.34) ** 184)
    x = np.arange(-250, 251)
    one = np.exp(-(x**2) / (2.0 * 14.34**2))
    one /= one.sum()
    whole, square, left = np.ones(1), one, 184
    while left:
        whole = np.convolve(whole, square) if left & 1 else whole
        square, left = np.convolve(square, square), left >> 1
        whole, square = (law[law > 1e-200] for law in (whole, square))  # what lies beyond, on both sides, is nothing
    k = np.arange(len(whole)) - len(whole) // 2
    loss = (2.0 * k - 184.0) / (2.0 * 14.34**2)  # of k under the law without the record
    e, rate = math.exp(0.03471), 0.002289
    p, q = np.array([e, 1.0, 4.0]) / (e + 5.0), np.array([1.0, e, 4.0]) / (e + 5.0)
    mixed = (1.0 - rate) * q + rate * p
    for epsilon in (0.0, 1.0, 4.0):
        add, remove = 0.0, 0.0
        for a, x_ in zip(mixed, q, strict=True):
            for b, y_ in zip(mixed, q, strict=True):
                ratio = (a * b) / (x_ * y_)
                # discrete Gaussians are their own reversal
                remove += x_ * y_ * float(whole @ np.maximum(ratio * np.exp(loss) - math.exp(epsilon), 0.0))
                add += a * b * float(whole @ np.maximum(np.exp(loss) / ratio - math.exp(epsilon), 0.0))
        exact = max(remove, add)
        assert g.optimistic.delta(epsilon) <= exact * (1.0 + 1e-11)
        assert exact * (1.0 - 1e-11) <= g.delta(epsilon)
        assert g.delta(epsilon) <= exact * (1.0 + 1e-6)
    assert "exact sum" not in g.method
