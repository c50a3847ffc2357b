"""The contour engine encloses the truth: closed forms, the lattice, ball arithmetic, and itself on other contours."""

from __future__ import annotations

import math
import warnings
from typing import Any

import flint
import mpmath as mp
import numpy as np
import pytest
from flint import acb, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.choose import profiles
from neyman.engines.closed_form.pairs import GaussianProfile, SubsampledGaussianProfile
from neyman.engines.contour.hyperbola.rotated import between_anchors
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile, Estimates
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.gaussian.paths.rotated import RotatedLaw
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.gaussian.transform import LIMIT, SamplingTransform
from neyman.profiles.profile import Bracket, Profile
from tests.effort import crossed, examples, rest_slow
from tests.reference import arb
from tests.reference.integrals import integral

DIRECTIONS = ("remove", "add")
BOTH = pytest.mark.parametrize("direction", DIRECTIONS)
Steps = list[tuple[float, float, int]]


def contour(steps: Steps, direction: str, mu: float = 0.0) -> ContourProfile:
    return ContourProfile(Parts(tuple((SamplingTransform(s, q), t) for s, q, t in steps), mu, direction))


def overlap(a: Bracket, b: Bracket, slack: float = 0.0) -> bool:
    """Two brackets of one truth cannot be disjoint, in delta or in 1 - delta."""
    return bool(
        np.all(a.lower <= b.upper * (1.0 + slack))
        and np.all(b.lower <= a.upper * (1.0 + slack))
        and np.all(a.log_gap_lower <= b.log_gap_upper)
        and np.all(b.log_gap_lower <= a.log_gap_upper)
    )


def relative_width(b: Bracket) -> np.ndarray:
    return (b.upper - b.lower) / np.maximum(b.upper, 5e-324)


# ---------------------------------------------------------------------------------------------------- closed forms


@BOTH
@pytest.mark.parametrize("mu", [0.2, 1.0, 4.0])
def test_a_gaussian_and_a_step_that_hardly_ever_happens(mu: float, direction: str) -> None:
    """Composition only adds: at least the Gaussian's delta, at most that plus the distance of the step from nothing."""
    rate, sigma = 1e-9, 2.0
    epsilon = np.linspace(0.0, 10.0 * mu, 21)
    found = contour([(sigma, rate, 1)], direction, mu).bracket(epsilon)
    gaussian = GaussianProfile(mu).bracket(epsilon)
    distance = rate * math.erf(1.0 / (2.0 * sigma * math.sqrt(2.0)))
    assert np.all(found.upper >= gaussian.lower)
    assert np.all(found.lower <= gaussian.upper + distance)
    told = gaussian.lower > 1e-30
    assert np.all(relative_width(found)[told] < 1e-11)
    assert np.count_nonzero(told) > 10


@BOTH
def test_a_gaussian_alone_is_matched_to_the_last_digits(direction: str) -> None:
    epsilon = np.linspace(0.0, 11.0, 23)
    found = contour([(2.0, 1e-16, 1)], direction, 1.0).bracket(epsilon)
    exact = GaussianProfile(1.0).bracket(epsilon)
    np.testing.assert_allclose(found.upper, exact.upper, rtol=1e-11)
    np.testing.assert_allclose(found.lower, exact.lower, rtol=1e-11)


ONE_STEP = [(1.0, 0.01), (2.0, 0.5), (0.5, 0.1), (9.4, 0.32768), (0.4, 0.9), (20.0, 0.2), (0.7, 0.3)]


def one_step_grid(sigma: float, rate: float, direction: str) -> np.ndarray:
    if direction == "remove":
        return np.linspace(0.0, 1.5 / sigma, 12)
    return np.linspace(0.0, 0.8 * min(-math.log1p(-rate), 5.0 * rate / sigma), 12)


@BOTH
@pytest.mark.parametrize(("sigma", "rate"), ONE_STEP)
def test_one_step_agrees_with_its_closed_form(sigma: float, rate: float, direction: str) -> None:
    epsilon = one_step_grid(sigma, rate, direction)
    found = contour([(sigma, rate, 1)], direction).bracket(epsilon)
    exact = SubsampledGaussianProfile(sigma, rate, direction).bracket(epsilon)
    assert overlap(found, exact)
    for least, agreement in ((1e-5, 1e-9), (1e-7, 1e-6)):
        told = exact.lower >= least
        assert told[0]
        np.testing.assert_allclose(found.upper[told], exact.upper[told], rtol=agreement)
        np.testing.assert_allclose(found.lower[told], exact.lower[told], rtol=agreement)


@examples(12, 200)
@given(
    sigma=st.floats(0.3, 30.0), log_rate=st.floats(-6.0, -0.001), direction=st.sampled_from(DIRECTIONS),
    share=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=5),
)  # fmt: skip
def test_one_step_is_enclosed_whatever_it_is(sigma: float, log_rate: float, direction: str, share: list[float]) -> None:
    """One rare step is what the contour is worst at: the bracket may be wide, never wrong."""
    rate = 10.0**log_rate
    epsilon = np.array(sorted(share)) / sigma
    found = contour([(sigma, rate, 1)], direction).bracket(epsilon)
    assert np.all((found.lower >= 0.0) & (found.lower <= found.upper) & (found.upper <= 1.0))
    assert overlap(found, SubsampledGaussianProfile(sigma, rate, direction).bracket(epsilon))


@BOTH
def test_the_support_of_add_ends(direction: str) -> None:
    """Losses of "add" end at -T log(1 - q): beyond, delta is exactly 0; "remove" has no end."""
    end = -3.0 * math.log1p(-0.3)
    bracket = contour([(1.0, 0.3, 3)], direction).bracket(np.array([0.9, 1.0 + 1e-9, 1.5]) * end)
    assert np.all(bracket.upper[1:] == 0.0) == (direction == "add")
    assert bracket.lower[0] > 0.0


@BOTH
def test_slope_is_minus_the_derivative(direction: str) -> None:
    profile = contour([(1.0, 0.01, 1000)], direction)
    epsilon, h = np.array([0.1, 0.5, 1.5, 3.0]), 1e-4
    below, above = profile.bracket(epsilon - h), profile.bracket(epsilon + h)
    np.testing.assert_allclose(profile.slope(epsilon), (below.upper - above.upper) / (2.0 * h), rtol=1e-5)


@BOTH
def test_tail_mu_adds_in_squares_and_is_rounded_up(direction: str) -> None:
    sampled = ((SubsampledGaussianStep(2.0, 0.1), 8), (SubsampledGaussianStep(0.5, 1e-3), 3))
    remove, add = profiles(((GaussianStep(1.5), 1), *sampled), 1e-6)
    found = (remove if direction == "remove" else add).tail_mu
    exact = mp.sqrt(mp.mpf(8) / 4 + mp.mpf(3) / mp.mpf("0.25") + mp.mpf("2.25"))
    assert exact <= found <= exact * (1 + mp.mpf("1e-13"))


# ------------------------------------------------------------------------------------------- other engines, balls


@examples(3, 40)
@given(
    sigma=st.floats(0.6, 8.0), log_rate=st.floats(-2.5, -0.05), steps=st.integers(1, 12),
    direction=st.sampled_from(DIRECTIONS), other=st.booleans(),
)  # fmt: skip
def test_the_lattice_overlaps(sigma: float, log_rate: float, steps: int, direction: str, other: bool) -> None:
    rate = 10.0**log_rate
    mix = [(sigma, rate, steps)] + ([(3.0, 0.2, 2)] if other else [])
    lattice = LatticeProfile(
        [(SubsampledGaussianStep(s, q), t) for s, q, t in mix], direction, tolerance=1e-3, max_points=1 << 16
    )
    epsilon = np.array([0.0, 0.3, 1.0]) * math.sqrt(steps) / sigma
    a, b = contour(mix, direction).bracket(epsilon), lattice.bracket(epsilon)
    assert np.all(a.lower <= b.upper)
    assert np.all(b.lower <= a.upper)
    assert relative_width(a)[0] < 1e-6  # delta(0), above all else


MIX: Steps = [(1.0, 0.01, 50), (2.0, 0.1, 30), (0.7, 0.003, 500)]
# steps, the mu of an unsampled Gaussian, [(direction, eps)] at which balls can afford delta
HARD: dict[str, tuple[Steps, float, list[tuple[str, float]]]] = {
    "less than an epoch": ([(1.0, 1e-4, 10**4)], 0.0, [("remove", 0.5)]),
    "ten steps": ([(1.0, 0.01, 10)], 0.0, [("remove", 0.5)]),
    "two steps": ([(2.0, 0.1, 2)], 0.0, [("remove", 0.5), ("add", 0.1)]),
    "very many steps": ([(100.0, 0.5, 10**8)], 0.0, [("remove", 1400.0)]),
    "a mix": (MIX, 0.0, [("remove", 0.5), ("add", 0.1)]),
    "a mix with a Gaussian": (MIX, 0.3, [("remove", 0.5), ("add", 0.1)]),
}


@pytest.mark.parametrize("name", rest_slow(HARD, "two steps"))
def test_ball_arithmetic(name: str) -> None:
    """delta(0), one or two deltas, and epsilon(1e-5), each within the bracket and the bracket narrow."""
    steps, mu, places = HARD[name]
    balls: list[Any] = [*steps, *([(1 / arb.arb(mu), 1, 1)] if mu else [])]
    for direction, epsilon in places:
        exact = arb.delta(balls, epsilon, direction, digits=11.0)
        assert exact.error < 1e-8
        found = contour(steps, direction, mu).bracket(np.array([epsilon]))
        slack = 1e-12 + 2.0 * exact.error
        assert found.lower[0] * (1.0 - slack) <= float(exact) <= found.upper[0] * (1.0 + slack)
        assert relative_width(found)[0] < (1e-6 if float(exact) > 1e-6 else 0.5)  # the rest is for the lattice
    exact = arb.advantage(balls, digits=11.0)
    at = arb.epsilon(balls, "1e-5", digits=11.0)
    assert at.error < 1e-9
    for direction in DIRECTIONS:
        found = contour(steps, direction, mu).bracket(np.zeros(1))
        assert found.lower[0] * (1.0 - 1e-12) <= float(exact) <= found.upper[0] * (1.0 + 1e-12)
        assert relative_width(found)[0] < 1e-8
    found = contour(steps, "remove", mu).bracket(float(at) * np.array([1.0 - 1e-9, 1.0 + 1e-9]))
    assert found.upper[0] >= 1e-5 >= found.lower[1]
    assert relative_width(found).max() < 1e-6


# From tests/reference/arb.py at 12 digits, twenty seconds in all: steps, direction, eps, delta
DEAR = [
    ([(0.8, 1e-5, 1000)], "remove", 0.0, 0.00024227609660354248),
    ([(0.8, 1e-5, 1000)], "remove", 0.001245164882141107, 1e-5),
]


@pytest.mark.parametrize(("steps", "direction", "epsilon", "delta"), DEAR)
def test_values_that_balls_took_long_for(steps: Steps, direction: str, epsilon: float, delta: float) -> None:
    found = contour(steps, direction).bracket(np.array([epsilon]))
    assert found.lower[0] * (1.0 - 1e-11) <= delta <= found.upper[0] * (1.0 + 1e-11)
    assert relative_width(found)[0] < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "direction", "epsilon", "delta"), DEAR)
def test_values_that_balls_took_long_for_once_more(steps: Steps, direction: str, epsilon: float, delta: float) -> None:
    assert float(arb.delta(steps, epsilon, direction, digits=12.0)) == pytest.approx(delta, rel=1e-11)


@pytest.mark.parametrize("steps", [[(0.5, 0.01, 3)], [(0.3, 1e-6, 1000)]], ids=str)
@pytest.mark.slow
def test_where_balls_cannot_go_lines_and_arcs_must_agree_with_the_lattice(steps: Steps) -> None:
    for direction in DIRECTIONS:
        lattice = LatticeProfile(
            [(SubsampledGaussianStep(s, q), t) for s, q, t in steps], direction, tolerance=1e-3, max_points=1 << 16
        )
        epsilon = np.array([0.0, 0.5])
        a, b = contour(steps, direction).bracket(epsilon), lattice.bracket(epsilon)
        assert np.all(a.lower <= b.upper)
        assert np.all(b.lower <= a.upper)
        assert a.lower[0] > 0.0
        assert relative_width(a)[0] < 1e-6


# ------------------------------------------------------------------------------------------- one truth, two contours


def by_arc(profile: ContourProfile, epsilon: float) -> tuple[float, float]:
    arc = profile._bends._lay(epsilon)
    assert arc is not None
    return ends(arc.integrate(np.array([epsilon])))


def by_line(profile: ContourProfile, epsilon: float) -> tuple[float, float]:
    ((index, _),) = profile._lines._served(np.array([epsilon]))
    line = Line.run(profile._parts, profile._walk, profile._lines._plan(index))
    assert line.c > 0.0
    assert line.lost == 0.0
    return ends(line.integrate(np.array([epsilon])))


def by_rotated_line(profile: ContourProfile, epsilon: float) -> tuple[float, float]:
    ((index, _),) = profile._lines._served(np.array([epsilon]))
    line = Line.run(profile._parts, profile._walk, profile._lines._plan(index), profile._bends.rotations)
    return ends(line.integrate(np.array([epsilon])))


def ends(found: tuple[np.ndarray, ...]) -> tuple[float, float]:
    value, _, error, log_scale = (float(v[0]) for v in found)
    return (value - error) * math.exp(log_scale), (value + error) * math.exp(log_scale)


@BOTH
@pytest.mark.parametrize(
    ("steps", "mu", "epsilon"),
    [
        ([(1.0, 0.01, 1000)], 0.0, 1.0),
        ([(2.0, 0.1, 10)], 0.0, 0.2),
        ([(2.0, 0.5, 20)], 0.0, 1.5),
        (MIX, 0.0, 0.4),
        (MIX, 0.3, 0.4),
    ],
)
def test_bent_and_straight_contours_overlap(steps: Steps, mu: float, epsilon: float, direction: str) -> None:
    profile = contour(steps, direction, mu)
    brackets = [way(profile, epsilon) for way in (by_arc, by_line, by_rotated_line)]
    low, high = max(b[0] for b in brackets), min(b[1] for b in brackets)
    assert low <= high * (1.0 + 1e-14)
    for bracket in brackets:
        assert bracket[1] - bracket[0] <= 1e-7 * bracket[1], brackets


@BOTH
def test_neighbouring_lines_overlap(direction: str) -> None:
    """Every line of the walk that float64 can run answers for the same eps."""
    profile = contour([(1.0, 0.01, 1000)], direction)
    epsilon = np.array([0.7])
    wide = profile.bracket(epsilon)
    useful = np.flatnonzero(profile._walk.useful())
    tried = 0
    for index in useful[::4]:
        plan = Plan.make(profile._parts, profile._walk, int(index), (0.7, 0.7))
        if plan.nodes > 1500:
            continue
        value, _, error, log_scale = Line.run(profile._parts, profile._walk, plan).integrate(epsilon)
        scale = math.exp(min(float(log_scale[0]), 600.0))
        assert (value[0] - error[0]) * scale <= wide.upper[0]
        assert (value[0] + error[0]) * scale >= wide.lower[0]
        tried += 1
    assert tried >= 3


def test_the_order_and_company_of_eps_do_not_matter() -> None:
    epsilon = np.linspace(0.0, 4.0, 9)
    whole = contour([(1.0, 1e-3, 300)], "remove").bracket(epsilon)
    shuffled = contour([(1.0, 1e-3, 300)], "remove").bracket(epsilon[::-1])
    names = ("lower", "upper", "log_gap_lower", "log_gap_upper")
    back = Bracket(*(getattr(shuffled, name)[::-1] for name in names))
    for i, e in enumerate(epsilon):
        alone = contour([(1.0, 1e-3, 300)], "remove").bracket(np.array([e]))
        for other in (back, whole):
            assert alone.lower[0] <= other.upper[i]
            assert other.lower[i] <= alone.upper[0]


def test_what_is_known_of_nothing_is_everything() -> None:
    nothing = Estimates.empty(3)
    assert np.all(np.isinf(nothing.error))
    assert np.all(nothing.blunt(np.arange(3)))


# ------------------------------------------------------------------------------------------------------ transforms


def exact_a(sigma: float, rate: float, w: complex, power: int = 0) -> Any:
    """E[r^w (log r)^power] by definition."""
    with ctx.workdps(45), mp.workdps(30):
        s, q, z = flint.arb(sigma), flint.arb(rate), acb(w.real, w.imag)
        unit = s * (2 * flint.arb.pi()).sqrt()

        def integrand(x: acb, analytic: bool) -> acb:
            loss = (1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()).log(analytic=analytic)
            return (z * loss - (x / s) ** 2 / 2).exp() * loss**power / unit

        low, high = -14 * sigma + min(0.0, w.real), 14 * sigma + max(0.0, w.real)
        found = integral(integrand, np.linspace(low, high, 16).tolist(), digits=45).mid()
        return mp.mpc(*(mp.ldexp(int(part.man_exp()[0]), int(part.man_exp()[1])) for part in (found.real, found.imag)))


@crossed(
    (("sigma", "rate"), [(1.0, 0.01), (2.0, 0.5), (0.6, 1e-3), (9.4, 0.32768), (0.5, 0.9)]),
    ("w", [-3.0, 0.5, 1.0, 4.0]),
)
def test_moments_by_definition(sigma: float, rate: float, w: float) -> None:
    moments = SamplingTransform(sigma, rate).moments(np.array([w]))
    a = [exact_a(sigma, rate, complex(w), power).real for power in range(3)]
    log_a = float(mp.log1p(a[0] - 1)) if w != 1.0 else 0.0
    mean = a[1] / a[0]
    assert moments.cut[0] > 0.0
    assert moments.log_a[0] == pytest.approx(log_a, rel=1e-10, abs=1e-15)
    assert moments.mean[0] == pytest.approx(float(mean), rel=1e-9, abs=1e-15)
    assert moments.variance[0] == pytest.approx(float(a[2] / a[0] - mean**2), rel=1e-9)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (2.0, 0.5), (0.7, 0.05), (9.4, 0.32768)])
@pytest.mark.parametrize("w", [-2.0, 3.0])
def test_the_bound_of_a_line_covers_the_difference_to_the_truth(sigma: float, rate: float, w: float) -> None:
    """Small omega run along the axis, large ones along a shifted one; both bounds must hold against mpmath."""
    omega = np.concatenate([[0.0, 0.1, 1.0, 5.0], np.linspace(6.0, 40.0, 12)])
    log_a, bound = SamplingTransform(sigma, rate).on_line(w, omega, LIMIT * sigma + 1.0, 40.0)
    for i in (0, 2, 6, 15):
        exact = exact_a(sigma, rate, complex(w, omega[i]))
        with mp.workdps(30):
            difference = abs(mp.exp(mp.mpc(log_a[i])) / exact - 1)
        assert difference <= math.expm1(bound[i]) + 4e-16 * (1.0 + abs(log_a[i])), omega[i]
        assert bound[i] < 3e-9


@pytest.mark.parametrize("margin", [8.0, 14.0, 22.0])
def test_a_coarse_line_knows_how_coarse_it_is(margin: float) -> None:
    omega = np.linspace(0.0, 30.0, 61)
    for sigma, rate, w in ((1.0, 0.01, 2.0), (2.0, 0.5, -1.5), (0.7, 0.05, 0.4), (9.4, 0.3, 5.0)):
        law = SamplingTransform(sigma, rate)
        coarse, bound = law.on_line(w, omega, LIMIT * sigma + 1.0, margin)
        fine, rest = law.on_line(w, omega, LIMIT * sigma + 1.0, 42.0)
        difference = np.abs(np.expm1(coarse - fine))
        assert np.all(difference <= np.expm1(np.minimum(bound + rest, 700.0)) + 1e-15)
        assert bound.max() > 10.0 * rest.max()  # the coarse line does not claim to be fine


@examples(12, 300)
@given(
    sigma=st.floats(0.4, 20.0), log_rate=st.floats(-5.0, -0.01), w=st.floats(-4.0, 6.0),
    omega=st.floats(0.1, 60.0), slope=st.floats(0.01, 3.0),
)  # fmt: skip
def test_the_tail_bound_holds_for_every_larger_omega(
    sigma: float, log_rate: float, w: float, omega: float, slope: float
) -> None:
    law, end = SamplingTransform(sigma, 10.0**log_rate), LIMIT * sigma + 1.0
    bound = law.log_bound(np.array([w]), np.array([omega]), np.array([slope]), end)[0]
    beyond = omega * np.concatenate([[1.0], np.geomspace(1.0001, 8.0, 25)])
    log_a, error = law.on_line(w, beyond, end, 40.0)
    log_size = log_a.real
    told = error < 0.1
    assert told[0] or bound > -30.0
    assert np.all(log_size[told] <= bound + error[told] + 1e-11)


def rotated(sigma: float, rate: float, chi: float, reach: float = 6.0) -> RotatedLaw:
    return RotatedLaw(SamplingTransform(sigma, rate), chi, reach, 0.0, 0.05, 0.2)


def log_a_of(law: RotatedLaw, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log A(w) with the bound on its rounding, the linear term put back."""
    rest, rounding = law.log_rest(w)
    return rest + w * (law.mean + law.edge), rounding + np.abs(w) * (law.mean_error + 1e-16 * abs(law.edge))


LAWS = [(1.0, 0.01, 0.3), (2.0, 0.1, 0.2), (0.5, 0.05, 0.4), (0.8, 1e-5, 0.3), (5.0, 0.5, 0.1), (1.0, 0.01, 0.0)]


@pytest.mark.parametrize(("sigma", "rate", "chi"), LAWS)
def test_the_rotated_law_is_the_same_transform(sigma: float, rate: float, chi: float) -> None:
    law = RotatedLaw(SamplingTransform(sigma, rate), chi, 6.0, 0.0, 0.02, 0.2)
    w = np.array([0.5, 1.0 + 0.5j, 2.0 + 1.0j, 1.5 + 3.0j, -0.5 + 5.0j, 2.0 + 12.0j])
    w = w[np.argsort(np.abs(w))]
    log_a, rounding = log_a_of(law, w)
    alias = np.exp(law.log_alias(w))
    bound = law.log_bound(w)
    for i, at in enumerate(w):
        exact = exact_a(sigma, rate, complex(at))
        with mp.workdps(30):
            difference = float(abs(mp.exp(mp.mpc(log_a[i])) - exact))
            size = float(mp.log(abs(exact)))
        assert difference <= alias[i] + 1.01 * rounding[i] * abs(exact) + 1e-15
        assert difference < 1e-9
        assert size <= bound[i] + 1e-12


@pytest.mark.parametrize(
    ("sigma", "rate", "chi", "tilt", "step"),
    [
        (4.915, 0.98707, 0.1253, 0.5353, 0.2656), (1.974, 0.97875, 0.2817, 0.436, 0.8),
        (5.745, 0.5948, 0.2977, 0.1417, 0.366), (1.0, 0.01, 0.3, 0.2, 0.4), (0.6, 1e-4, 0.0, 0.3, 1.0),
    ],
)  # fmt: skip
def test_however_coarse_its_grid_a_rotated_transform_is_within_its_error(
    sigma: float, rate: float, chi: float, tilt: float, step: float
) -> None:
    """Where the mean of the law, which is real, is not so on the grid, that is an error of its own."""
    law = RotatedLaw(SamplingTransform(sigma, rate), chi, 2.4, 3.0, step, tilt)
    w = np.array([0.4 + 0.3j, -1.519 + 0.265j, 1.2 + 2.0j, -2.521 + 1.695j, -3.478 + 2.818j, 2.0 + 15.3j])
    w = w[np.argsort(np.abs(w))]
    with np.errstate(all="ignore"):
        log_a, rounding = log_a_of(law, w)
        alias = np.exp(law.log_alias(w))
    for i, at in enumerate(w):
        exact = exact_a(sigma, rate, complex(at))
        with mp.workdps(30):
            found = mp.exp(mp.mpc(log_a[i]))
            assert not abs(found - exact) > alias[i] + 1.01 * rounding[i] * float(max(abs(found), abs(exact))) + 1e-14


@examples(20, 400)
@given(
    law=st.sampled_from(LAWS), start=st.tuples(st.floats(-40.0, 5.0), st.floats(0.0, 60.0)),
    stop=st.tuples(st.floats(-40.0, 5.0), st.floats(0.0, 60.0)), share=st.floats(0.0, 1.0),
)  # fmt: skip
def test_the_rotated_bound_is_convex_and_above(
    law: tuple[float, float, float], start: tuple[float, float], stop: tuple[float, float], share: float
) -> None:
    bounds = rotated(*law)
    a, b = complex(*start), complex(*stop)
    at = np.array([a, b, (1.0 - share) * a + share * b])
    low, high, between = bounds.log_bound(at)
    chord = (1.0 - share) * low + share * high if math.isfinite(low) and math.isfinite(high) else math.inf
    assert between <= chord + 1e-9 * (1.0 + abs(chord))
    plain = rotated(law[0], law[1], 0.0)
    w = np.array(sorted([w for w in at if abs(w) > 0.0], key=abs))
    if len(w):
        log_a, rounding = log_a_of(plain, w)
        sharp = rounding + np.exp(np.minimum(plain.log_alias(w) - log_a.real, 700.0)) < 0.01
        assert np.all(log_a.real[sharp] <= bounds.log_bound(w)[sharp] + 0.02)


@pytest.mark.parametrize(("sigma", "rate", "reach", "scale"), [(2.0, 0.1, 20.0, 0.5), (1.0, 0.9999, 10.0, 300.0)])
@pytest.mark.parametrize("opening", [0.18, -0.18])
def test_errors_between_the_anchors_of_a_path_are_bounded(
    sigma: float, rate: float, reach: float, scale: float, opening: float
) -> None:
    """Along hyperbolas that open to the right, as arcs do, and to the left, where the arc lies on the worse side."""
    law = RotatedLaw(SamplingTransform(sigma, rate), 0.5, reach, 1.0, 0.03, 0.2)
    u = np.linspace(0.0, 12.0, 1000)
    w = 2.0 + scale * (math.sin(opening) * (np.cosh(u) - 1.0) + 1j * math.cos(opening) * np.sinh(u))
    exact, bound = law.log_alias(w), between_anchors(law, w)
    assert np.all(bound >= exact)
    assert np.median(bound - exact) <= 0.1


def test_a_law_bent_beyond_its_grid_is_bounded_by_infinity() -> None:
    law = rotated(1.0, 0.01, 0.3, reach=2.0)
    assert law.log_bound(np.array([50.0 + 0j]))[0] == math.inf
    _, rounding = log_a_of(law, np.array([50.0 + 0j]))
    assert rounding[0] == math.inf
    assert law.log_size >= 0.0


def test_profiles_share_the_contract() -> None:
    profile: Profile = contour([(1.0, 0.01, 100)], "remove")
    assert profile.method == "transform"
    b = profile.bracket(np.array([0.0, 1.0, 700.0, 1e5]))
    assert np.all((b.lower >= 0.0) & (b.lower <= b.upper) & (b.upper <= 1.0))
    assert np.all(b.log_gap_lower <= b.log_gap_upper)
    assert np.all(b.log_gap_upper <= 0.0)
    assert b.upper[-1] < 1e-300


def test_what_is_nearly_nothing_says_so() -> None:
    """Far out, next to full sampling, A is below all that float64 holds: its stand-in must not count as known."""
    law = RotatedLaw(SamplingTransform(0.3230862688276754, 0.9992498972704158), 0.6, 1.6, 13.0, 0.02, 0.4)
    _, bound = law.log_rest(np.array([5.7 + 91.5j, 244.4 + 1374.1j]))
    assert bound[0] < 1e-6
    assert bound[1] >= math.log(2.0)


def test_rotated_laws_that_floats_cannot_weigh_are_not_used() -> None:
    with pytest.raises(ArithmeticError):
        RotatedLaw(SamplingTransform(10.0, 1.0 - 1e-14), 0.4, 2.0, 0.0, 0.02, 0.3)


@pytest.mark.parametrize(("sigma", "less", "steps"), rest_slow([(10.0, 1e-14, 10**10), (8.7, 2.0**-50, 10**14)], 1))
def test_nearly_whole_participation_of_very_many_steps(sigma: float, less: float, steps: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ny.account(ny.DPSGD(sigma, 1.0 - less, steps))
        mu = math.sqrt(steps) / sigma  # of the steps unsampled: all of it is nearly certain
        assert found.advantage >= math.erf(mu / math.sqrt(8.0)) * (1.0 - 1e-12)


def test_arcs_on_which_the_transform_is_no_float_are_not_used() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ny.account(ny.DPSGD(10.0, 1.0 - 1e-6, 10**10)).delta(0.5) == 1.0
