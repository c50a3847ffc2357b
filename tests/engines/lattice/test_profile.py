"""The lattice engine encloses the truth, on references, closed forms and a direct two-dimensional quadrature."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import ndtr

import neyman as ny
from neyman._errors import InvalidParameter
from neyman.engines.lattice import law as lattice_law
from neyman.engines.lattice.cumulant import Cumulant
from neyman.engines.lattice.law import tilted_laws
from neyman.engines.lattice.profile import LatticeProfile
from neyman.engines.lattice.tilt import Plan, Tilt, plan_tilt
from neyman.losses.discrete.steps import DiscreteGaussianStep, RandomizedResponseStep
from neyman.losses.gaussian.bins import Shape, split_bins
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.readings import smooth_bins
from neyman.numerics.sums.tilted_fft import convolve_cyclic, discounted_suffix
from tests.effort import examples

DIRECTIONS = ("remove", "add")

# delta at eps, from an independent evaluation in ball arithmetic: (sigma, rate, steps), direction, {eps: delta}
REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())


def one_step(sigma: float, rate: float, direction: str, epsilon: float) -> float:
    """Closed form of one subsampled step, to about 1e-13 where delta is not tiny."""
    if direction == "add":
        if epsilon >= -math.log1p(-rate):
            return 0.0
        return -math.expm1(epsilon) + math.exp(epsilon) * one_step(sigma, rate, "remove", -epsilon)
    gap = math.expm1(epsilon) + rate
    if gap <= 0.0:
        return -math.expm1(epsilon)
    u = sigma * math.log(gap / rate) + 0.5 / sigma
    return rate * float(ndtr(1.0 / sigma - u)) - gap * float(ndtr(-u))


def gaussian(mu: float, epsilon: np.ndarray) -> np.ndarray:
    return ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("case", REFERENCE, ids=lambda c: f"{c['sigma']}-{c['rate']}-{c['steps']}-{c['direction']}")
def test_bracket_encloses_the_reference(case):
    profile = LatticeProfile([(SubsampledGaussianStep(case["sigma"], case["rate"]), case["steps"])], case["direction"])
    epsilon = np.array([point[0] for point in case["points"]])
    truth = np.array([float(point[1]) for point in case["points"]])
    bracket = profile.bracket(epsilon)
    assert np.all(bracket.lower <= truth * (1 + 1e-12))
    assert np.all(truth * (1 - 1e-12) <= bracket.upper)
    assert np.all(bracket.upper - bracket.lower <= 3e-6 * truth)


def test_the_slope_has_no_steps_where_the_law_has_none():
    """Searches for an eps at which some mass is left need a few looks at a slope, and thirty at a staircase."""
    profile = LatticeProfile([(SubsampledGaussianStep(2.0, 0.1), 10)], "remove")
    profile.bracket(np.array([0.3]))
    *_, tilt = profile._tilts
    epsilon = 0.3 + tilt.plan.h * np.linspace(0.0, 5.0, 501)
    slope = profile.slope(epsilon)
    assert np.all(np.diff(slope) < 0.0)
    assert np.max(-np.diff(slope)) < 0.02 * (slope[0] - slope[-1])
    coins = LatticeProfile([(RandomizedResponseStep(1.0), 20)], "remove")  # that law has steps
    assert_allclose(np.diff(np.log(coins.slope(np.array([2.1, 2.5, 3.9])))), [0.4, 1.4], rtol=1e-9)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_gaussian_closed_form(direction):
    epsilon = np.linspace(0.0, 6.0, 9)
    bracket = LatticeProfile([(GaussianStep(0.5), 4)], direction).bracket(epsilon)
    truth = gaussian(1.0, epsilon)
    assert np.all(bracket.lower <= truth * (1 + 1e-11))
    assert np.all(truth * (1 - 1e-11) <= bracket.upper)
    assert_allclose(bracket.upper, bracket.lower, rtol=1e-6)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_mix_against_direct_quadrature(direction):
    """Gaussian step and subsampled step: delta = E over the Gaussian step's loss of delta_1(eps - loss)."""
    mu, sigma, rate = 0.7, 1.3, 0.2
    profile = LatticeProfile([(GaussianStep(mu), 1), (SubsampledGaussianStep(sigma, rate), 1)], direction)

    def truth(epsilon: float) -> float:
        def integrand(z: float) -> float:
            loss = mu * z + mu * mu / 2
            return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * one_step(sigma, rate, direction, epsilon - loss)

        kinks = [(epsilon + s * math.log1p(-rate) - mu * mu / 2) / mu for s in (1.0, -1.0)]
        edges = sorted([-12.0, 12.0, *kinks])
        return sum(quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(edges))

    epsilon = np.array([0.0, 0.5, 1.5])
    bracket = profile.bracket(epsilon)
    exact = np.array([truth(float(e)) for e in epsilon])
    assert np.all(bracket.lower <= exact * (1 + 1e-9))
    assert np.all(exact * (1 - 1e-9) <= bracket.upper)
    assert_allclose(bracket.upper, bracket.lower, rtol=1e-6)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.001), (2.0, 0.1), (0.4, 0.7), (10.0, 0.5)])
@pytest.mark.parametrize("h", [3e-4, 3e-2])
def test_one_step_laws_enclose_the_closed_form_however_coarse(sigma, rate, direction, h):
    shape = Shape(sigma, rate)
    bins = split_bins(shape, h, 0, max(shape.index_below(12.0 + 1 / sigma, h), 3))
    laws = tilted_laws(bins, direction, 1.0)
    place = laws.base + h * (laws.first + np.arange(len(laws.upper.masses)))
    for epsilon in np.linspace(0.0, 0.9 * -math.log1p(-rate), 5):
        weight = np.where(place > epsilon, -np.expm1(epsilon - place), 0.0) * np.exp(-place)
        low = float(laws.lower.masses @ weight) * math.exp(laws.lower.log_norm)
        high = float(laws.upper.masses @ weight) * math.exp(laws.upper.log_norm) + laws.infinite
        truth = one_step(sigma, rate, direction, float(epsilon))
        assert low <= truth * (1 + 1e-10) + 1e-15
        assert truth * (1 - 1e-10) - 1e-15 <= high
    assert np.all(laws.lower.masses >= 0.0)
    assert np.all(laws.upper.masses >= 0.0)


def tilt_of(h: float, c: float = 2.0, steps: int = 5, **changes: tuple[float, float]) -> Tilt:
    shapes = ((Shape(1.5, 0.2), steps),)
    cumulant = Cumulant(shapes, "remove")
    plan = plan_tilt(shapes, cumulant, True, cumulant.at(c), -60.0, h, 1 << 20)
    assert plan is not None
    window = changes.get("window", plan.window)
    return Tilt(shapes, True, Plan(plan.c, plan.h, window, plan.neighbours, plan.cuts))


def test_gap_shrinks_like_h_squared():
    epsilon = np.array([0.5, 1.0, 1.5])
    gaps = []
    for h in (2e-3, 1e-3, 5e-4):
        lower, upper = tilt_of(h).delta(epsilon)
        gaps.append((upper - lower) / upper)
    assert_allclose(gaps[0] / gaps[1], 4.0, rtol=0.15)
    assert_allclose(gaps[1] / gaps[2], 4.0, rtol=0.15)


def test_different_tilts_agree():
    epsilon = np.array([0.6, 0.9, 1.2])
    brackets = [tilt_of(2e-4, c).delta(epsilon) for c in (0.0, 1.0, 3.0, 6.0)]
    best_lower = np.max([lower for lower, _ in brackets], axis=0)
    best_upper = np.min([upper for _, upper in brackets], axis=0)
    assert np.all(best_lower <= best_upper)
    assert np.all(best_upper - best_lower < 1e-5 * best_upper)


@pytest.mark.parametrize("window", [(0.4, 1.6), (-0.5, 1.1), (0.9, 3.0)])
def test_wrap_around_is_paid_for(window):
    """A window far too small must widen the bracket, never break it."""
    epsilon = np.array([0.0, 0.5, 1.0, 1.5, 2.5])
    good_lower, good_upper = tilt_of(2e-4).delta(epsilon)
    lower, upper = tilt_of(1e-3, window=window).delta(epsilon)
    assert np.all(lower <= good_upper)
    assert np.all(good_lower <= upper)


@examples(8, 200)
@given(
    sigma=st.floats(0.4, 20.0),
    rate=st.floats(1e-3, 0.999),
    steps=st.integers(1, 30),
    direction=st.sampled_from(DIRECTIONS),
)
def test_bracket_is_ordered_within_unit_interval_and_falling(sigma, rate, steps, direction):
    profile = LatticeProfile([(SubsampledGaussianStep(sigma, rate), steps)], direction, 1e-2, 1 << 14)
    epsilon = np.linspace(0.0, 4.0, 12)
    bracket = profile.bracket(epsilon)
    assert np.all((bracket.lower >= 0.0) & (bracket.lower <= bracket.upper) & (bracket.upper <= 1.0))
    assert np.all(bracket.log_gap_lower <= bracket.log_gap_upper)
    assert np.all(bracket.lower[1:] <= bracket.upper[:-1])
    assert np.all(np.isfinite(profile.slope(epsilon)))


def test_slope_is_minus_the_derivative():
    profile = LatticeProfile([(SubsampledGaussianStep(1.5, 0.2), 3)], "remove")
    epsilon, step = np.array([0.3, 0.8]), 1e-2
    difference = profile.bracket(epsilon - step).upper - profile.bracket(epsilon + step).upper
    assert_allclose(profile.slope(epsilon), difference / (2 * step), rtol=1e-2)


def test_add_ends_where_the_support_ends():
    end = -3 * math.log1p(-0.5)
    bracket = LatticeProfile([(SubsampledGaussianStep(0.3, 0.5), 3)], "add").bracket(np.array([1.01 * end]))
    assert bracket.upper[0] == 0.0


def test_tail_mu_adds_in_squares():
    profile = LatticeProfile([(GaussianStep(0.5), 4), (SubsampledGaussianStep(2.0, 0.1), 8)], "remove")
    assert profile.tail_mu >= math.sqrt(3.0)
    assert_allclose(profile.tail_mu, math.sqrt(3.0), rtol=1e-13)


def test_points_foretell_the_cost():
    cheap = LatticeProfile([(SubsampledGaussianStep(2.0, 0.1), 1)], "remove")
    dear = LatticeProfile([(SubsampledGaussianStep(2.0, 0.1), 16)], "remove")
    assert cheap.points < dear.points <= 1 << 20


def test_refusals_are_worded():
    with pytest.raises(InvalidParameter, match=r"^direction must be one of 'remove', 'add', got 'both'\.\n"):
        LatticeProfile([(GaussianStep(1.0), 1)], "both")
    with pytest.raises(InvalidParameter, match=r"^count must be a whole number from 1 to 1e\+18, got 0\.\n"):
        LatticeProfile([(GaussianStep(1.0), 0)], "add")
    with pytest.raises(InvalidParameter, match=r"^steps must be a non-empty sequence of \(step, count\), got \[\]\.\n"):
        LatticeProfile([], "add")


def test_convolution_is_cyclic_and_bounded():
    rng = np.random.default_rng(1)
    first, second = rng.random(5), rng.random(3)
    first /= first.sum()
    second /= second.sum()
    exact = np.convolve(np.convolve(first, first), second)
    wrapped = np.zeros(8)
    np.add.at(wrapped, (np.arange(len(exact)) + 2 * 3 - 7) % 8, exact)
    result = convolve_cyclic([first, second], [3, -7], [2, 1], 0, 8)
    assert np.linalg.norm(result.values - wrapped) <= result.error + 1e-16


@pytest.mark.parametrize("rate", [0.0, 1e-4, 0.3, 50.0])
def test_discounted_suffix_by_recursion(rate):
    values = np.random.default_rng(2).random(9000)
    exact, tail = np.empty(9000), 0.0
    for j in range(8999, -1, -1):
        tail = values[j] + math.exp(-rate) * tail
        exact[j] = tail
    assert_allclose(discounted_suffix(values, rate), exact, rtol=1e-11)


def test_a_slope_is_a_probability_however_little_is_left_of_it() -> None:
    mix = ny.Laplace(4.668) ** 2 * ny.DiscreteLaplace(0.2061, 2) ** 51
    slope = ny.account(mix, adjacency="remove").sides.forward.slope(np.linspace(0.0, 495.0, 50))
    assert np.all((slope >= 0.0) & (slope <= 1.0))


def test_a_negative_mass_that_nobody_takes_leaves_nothing() -> None:
    masses = np.zeros(1 << 20)
    masses[[0, 1000, 1001]] = 1.0, -2.0, 1e-300
    found = lattice_law._hull(masses, 1e-6, 1.0)
    assert not np.any(found)
    # one that its neighbours do take is spread over them
    masses = np.array([1.0, -0.5, 1.0, 0.0])
    assert np.all(lattice_law._hull(masses.copy(), 1e-6, 0.0) >= 0.0)
    assert lattice_law._hull(masses.copy(), 1e-6, 0.0).sum() == pytest.approx(1.5, rel=1e-5)


def test_bins_in_pieces_are_summed_whatever_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    place = np.array([0.0, 0.1, 5.0, 5.2])
    start = np.array([0.0, 0.5, 1.0])

    def seen(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -40.0 * (x - 4.0) ** 2, np.interp(x, place, [0.0, 0.5, 1.0, 1.5])

    whole = smooth_bins.smooth_bins(place, start, 0.5, 0.01, seen)
    monkeypatch.setattr(smooth_bins, "_AT_ONCE", 7)
    parts = smooth_bins.smooth_bins(place, start, 0.5, 0.01, seen)
    for a, b in ((0, 2), (1, 2)):
        np.testing.assert_allclose(parts[a] * np.exp(parts[b]), whole[a] * np.exp(whole[b]), rtol=1e-13, atol=1e-300)
    np.testing.assert_array_equal(parts[2], whole[2])


def test_the_work_of_exchanged_records_is_counted_before_it_is_done() -> None:
    """Of little noise the pieces of one bin are millions."""
    law, narrow = (ReplacedGaussianStep(sigma, 0.1).bins() for sigma in (3.0, 0.002))
    assert law.labour((-10.0, 10.0), 1e-3) < 1e6
    assert narrow.labour((-1.0, 1.0), 1e-3) > 3e9


@pytest.mark.parametrize(
    ("profile", "sigma", "delta"),
    [
        (ny.Profile([0.072, 0.412, 0.46, 1.025], [0.118357, 0.026885, 0.017277, 0.000262]), 0.585, 4.15e-6),
        (ny.Profile([0.035], [0.0391545714]), 0.602, 1.12e-7),
        (ny.Profile([0.015], [0.0205279871]), 3.06, 0.0073),
    ],
)
@pytest.mark.slow
def test_below_what_is_revealed_no_epsilon_is_sought_beyond_the_floats(
    profile: ny.Profile, sigma: float, delta: float
) -> None:
    """A claim of delta at its last eps allows that much at every eps: saddles end where no float comes near."""
    g = ny.account(ny.Opaque(profile) * ny.Gaussian(sigma))
    for side in (g, g.optimistic):
        assert side.epsilon(delta) == math.inf


def test_what_only_steers_makes_no_longer_lattices() -> None:
    profile = LatticeProfile([(DiscreteGaussianStep(1.343, 1, 0.2277), 20)], "remove")
    at = np.array([1.0])
    steered = profile.slope(at)
    short = max(tilt.points for tilt in profile._tilts)
    beside = profile.bracket(np.array([1.0 - 1e-3, 1.0 + 1e-3]))
    assert max(tilt.points for tilt in profile._tilts) > 4 * short
    assert np.isclose(steered[0], (beside.upper[0] - beside.upper[1]) / 2e-3, rtol=1e-2)
