"""Laws parted into bulk and jumps: the parts add up, their errors are bounded, and what follows encloses the truth."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr

import neyman as ny
from neyman.engines.closed_form.pairs import SubsampledGaussianProfile
from neyman.engines.contour.bulk_jumps import lines
from neyman.engines.contour.bulk_jumps.lines import Parting
from neyman.engines.contour.bulk_jumps.split import Split
from neyman.engines.contour.bulk_jumps.threshold import Place, Valleys
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.gaussian.parts.bulk import SoftBulk
from neyman.losses.gaussian.parts.jumps import Jumps
from neyman.losses.gaussian.parts.soft_jumps import SoftJumps
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Bracket
from tests.effort import examples, rest_slow
from tests.reference import arb as balls
from tests.reference.integrals import integral

PLACES = [(1.14, 2.15e-5, 7.9, 34.0, 12.0), (0.6, 1e-3, 2.5, 3.0, 8.0), (2.98, 4.94e-6, 20.6, 9e3, 33.0)]
"""sigma, rate, where the law is parted, the real w of the line, where the law is cut."""


def exact(sigma: float, rate: float, end: float, w: complex, high: float, side: int) -> complex:
    """A(w) of the bulk (1) or the jumps (-1) below ``high``."""
    return complex(in_balls(sigma, rate, end, w, high, side).mid())


def in_balls(sigma: float, rate: float, end: float, w: complex, high: float, side: int) -> acb:
    """The same, which no float may hold."""
    width = 0.15 * sigma
    low = end - 12.0 * width if side < 0 else -14.0 * sigma
    with ctx.workdps(40):
        s, q, x0, k, power = arb(sigma), arb(rate), arb(end), arb(width), acb(w.real, w.imag)

        def integrand(x: acb, analytic: bool) -> acb:
            ratio = 1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()
            share = (side * (x - x0) / k).erfc() / 2
            return (power * ratio.log(analytic=analytic) - x * x / (2 * s * s)).exp() * share

        return integral(integrand, np.linspace(low, high, 21).tolist()) / (s * (2 * arb.pi()).sqrt())


@pytest.mark.parametrize(("sigma", "rate", "end", "w", "cut"), PLACES)
def test_the_jumps_are_integrated_within_their_bound(
    sigma: float, rate: float, end: float, w: float, cut: float
) -> None:
    jumps = Jumps(SamplingTransform(sigma, rate), end, 0.15 * sigma, cut)
    scale = 1.0 / (rate * np.exp((end - 0.5) / sigma**2))
    omega = np.concatenate([[0.0], np.array([0.01, 0.5, 3.0, 30.0])]) * scale
    value, error = jumps.on_line(w, omega, 36.0)
    assert np.all(error[:3] < 1e-8 * abs(value[0]))
    for found, bound, at in zip(value, error, omega, strict=True):
        truth = exact(sigma, rate, end, complex(w, float(at)), cut, -1)
        assert abs(found - truth) <= bound
        assert bound < 1e-6 * abs(value[0])


@pytest.mark.parametrize(("sigma", "rate", "end", "w", "cut"), PLACES)
def test_the_bulk_is_integrated_within_its_bound_however_fast_it_turns(
    sigma: float, rate: float, end: float, w: float, cut: float
) -> None:
    bulk = SoftBulk(sigma, rate, end, 0.15 * sigma)
    scale = 1.0 / (rate * np.exp((end - 0.5) / sigma**2))
    omega = np.concatenate([[0.0], np.array([0.5, 5.0, 60.0])]) * scale
    log_a, error = bulk.on_line(10.0 * w, omega, np.inf, 40.0)
    for found, bound, at in zip(np.exp(log_a), error, omega, strict=True):
        truth = exact(sigma, rate, end, complex(10.0 * w, float(at)), bulk.limit, 1)
        assert abs(found - truth) <= (bound + 4e-16) * abs(found) + 1e-300


@pytest.mark.parametrize(("sigma", "rate", "end", "w", "cut"), PLACES)
def test_bulk_and_jumps_make_up_the_whole(sigma: float, rate: float, end: float, w: float, cut: float) -> None:
    law, bulk = SamplingTransform(sigma, rate), SoftBulk(sigma, rate, end, 0.15 * sigma)
    omega = np.linspace(0.0, 40.0, 5)
    whole, error = law.on_line(1.5, omega, np.inf, 40.0)
    part, error_bulk = bulk.on_line(1.5, omega, np.inf, 40.0)
    rest, error_jumps = Jumps(law, end, 0.15 * sigma, law.limit).on_line(1.5, omega, 36.0)
    apart = np.abs(np.exp(whole) - np.exp(part) - rest)
    assert np.all(apart <= error * np.abs(np.exp(whole)) + error_bulk * np.abs(np.exp(part)) + error_jumps + 1e-15)


def test_the_masses_of_the_parts() -> None:
    bulk = SoftBulk(1.0, 0.01, 3.0, 0.15)
    log_a, _ = bulk.on_line(0.0, np.zeros(1), np.inf, 40.0)
    assert np.exp(log_a[0].real) == pytest.approx(1.0 - bulk.missing, rel=1e-13)
    log_a, _ = bulk.on_line(1.0, np.zeros(1), np.inf, 40.0)
    assert np.exp(log_a[0].real) == pytest.approx(1.0 - bulk.missing_with, rel=1e-13)


def test_the_modulus_of_the_bulk_is_bounded_off_the_real_axis() -> None:
    bulk = SoftBulk(1.0, 0.01, 3.0, 0.15)
    x = np.linspace(-3.0, 4.0, 57)
    y = np.array([0.01, 0.1, 0.3, 0.8])
    bound = bulk.log_modulus(x, y)
    size = np.real(bulk.log_density(x + 1j * y[:, None]))
    assert np.all(size <= bound + 1e-9)


@examples(1, 200)
@example(-1.0, -2.0, 4.0, 40.0, 2.0)  # of a size that no float holds
@given(st.floats(-1.1, 1.6), st.floats(-9.0, -1.0), st.floats(4.0, 9.0), st.floats(0.0, 40.0), st.floats(0.3, 2.0))
def test_the_transform_of_the_jumps_is_bounded_from_there_on(
    log_sigma: float, log_rate: float, far: float, w: float, turns: float
) -> None:
    """For every omega beyond one, in balls; and the bound falls nearly as fast as the transform does."""
    sigma, rate = float(np.exp(log_sigma)), 10.0**log_rate
    end, width = far * sigma, 0.15 * sigma
    loss = float(SamplingTransform(sigma, rate).log_ratio(end))
    slope = -np.expm1(-loss + np.log1p(-rate)) / sigma**2
    high = end + 10.0 * sigma
    bounds: list[float] = []
    for share in (turns, 2.0 * turns, 4.0 * turns):
        omega = share / (slope * width)
        bound = SoftJumps(sigma, rate, end, width).log_bound_at(w, omega, high)
        for beyond in (1.0, 1.3) if share < 4.0 * turns else (1.0,):
            truth = in_balls(sigma, rate, end, complex(w, beyond * omega), high, -1)
            assert float(abs(truth).log().mid()) <= bound + 1e-12
        bounds.append(bound)
    assert bounds[0] >= bounds[1] >= bounds[2]


def test_the_bound_on_the_jumps_falls_as_their_transform_does() -> None:
    sigma, rate, end = 1.2, 1e-5, 10.0
    jumps, whole = SoftJumps(sigma, rate, end, 0.15 * sigma), exact(sigma, rate, end, 1.0 + 0j, 22.0, -1)
    for omega in (200.0, 600.0, 1200.0):
        truth = abs(exact(sigma, rate, end, complex(1.0, omega), 22.0, -1) / whole)
        assert jumps.log_bound_at(1.0, omega, 22.0) - np.log(abs(whole)) < 0.6 * np.log(truth) + 2.0


@examples(10, 300)
@given(st.floats(-1.1, 1.6), st.floats(-7.0, -1.0), st.floats(3.0, 7.0), st.floats(0.2, 3.0))
def test_the_bulk_adds_no_more_than_its_ceiling(log_sigma: float, log_rate: float, far: float, depth: float) -> None:
    """Of one step: int g phi (r - e^eps)_+ dx, by a sum that is exact to ten digits."""
    sigma, rate = float(np.exp(log_sigma)), 10.0**log_rate
    law, end = SamplingTransform(sigma, rate), far * sigma
    epsilon = depth * float(law.log_ratio(end))
    if not epsilon > 0.0:
        return
    parts = Parts(((law, 1),), 0.0, "remove")
    parting = Parting.of(
        parts, Walk.along(parts), Valleys.of(parts), Place(1.0, np.array([end])), (epsilon, epsilon), Effort()
    )
    most = parting.ceiling(np.geomspace(1.0, 500.0, 24) / epsilon).log_most(np.array([epsilon]))[0]
    x = np.linspace(end - 12.0 * sigma, end + 3.0 * sigma, 60001)
    gain = np.exp(law.log_ratio(x)) * np.maximum(-np.expm1(epsilon - law.log_ratio(x)), 0.0)
    share = ndtr(-np.sqrt(2.0) * (x - end) / (0.15 * sigma))
    truth = np.sum(np.exp(law.log_density(x)) * gain * share) * (x[1] - x[0])
    assert np.log(max(truth, 1e-300)) <= most + 1e-9


def test_jumps_that_are_far_more_than_all_there_is_are_not_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bound over that of the whole is no float: what a line leaves out is not known, not e^700 times that."""
    law, end = SamplingTransform(1.0, 1e-4), 5.0
    epsilon = float(law.log_ratio(end))
    parts = Parts(((law, 10),), 0.0, "remove")
    walk = Walk.along(parts)
    parting = Parting.of(parts, walk, Valleys.of(parts), Place(1.0, np.array([end])), (epsilon, epsilon), Effort())
    index = int(np.searchsorted(walk.c, 1.0))
    plan = replace(lines.Plan.make(parts, walk, index, (epsilon, epsilon), 0.0, -40.0, 0.0, 1000), cut=200.0)
    for share, known in ((-20.0, True), (690.0, True), (800.0, False), (1e5, False)):
        monkeypatch.setattr(SoftJumps, "log_bound_at", lambda *_, share=share: share)
        found = parting._log_truncation(plan, [12.0], whole=False)
        assert math.isfinite(found) if known else found == math.inf


# ------------------------------------------------------------------------------------------------- the two lines


def parted(sigma: float, rate: float, times: int, epsilon: float) -> Split | None:
    parts = Parts(((SamplingTransform(sigma, rate), times),), 0.0, "remove")
    return Split.lay(parts, Walk.along(parts), Valleys.of(parts), epsilon, 9000, Effort())


def read(split: Split, epsilon: np.ndarray) -> Bracket:
    found = Estimates.empty(len(epsilon))
    found.put(np.arange(len(epsilon)), split, epsilon)
    return found.bracket()


RARE = [
    (1.1414865159821845, 2.1539743801014434e-5, 58372, 0.036),
    (1.0, 1e-4, 10**6, 1.0),
    (1.0, 1e-4, 10**4, 0.1),
    pytest.param(1.0, 1e-4, 10**4, 0.3, marks=pytest.mark.slow),
    pytest.param(2.98, 4.94e-6, 4, 4e-5, marks=pytest.mark.slow),  # for the arithmetic that it is held against
    pytest.param(1.38, 3.93e-5, 63, 0.0026, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("sigma", "rate", "times", "epsilon"), RARE)
def test_rare_steps_are_sharp_where_one_contour_is_not(sigma: float, rate: float, times: int, epsilon: float) -> None:
    split = parted(sigma, rate, times, epsilon)
    assert split is not None
    found = read(split, np.array([epsilon]))
    assert found.upper[0] - found.lower[0] < 1e-7 * found.upper[0]
    truth = balls.delta([(sigma, rate, times)], epsilon, "remove", digits=12.0)
    slack = 3.0 * truth.error + 1e-14
    assert found.lower[0] * (1.0 - slack) <= float(truth) <= found.upper[0] * (1.0 + slack)


@examples(10, 250)
@given(st.floats(-1.1, 2.3), st.floats(-6.0, -0.7), st.floats(-0.5, 1.0), st.booleans())
def test_one_step_agrees_with_its_closed_form(log_sigma: float, log_rate: float, depth: float, at_end: bool) -> None:
    """In an even wider range than it serves, and at the ends of the range it claims."""
    sigma, rate = float(np.exp(log_sigma)), 10.0**log_rate
    split = parted(sigma, rate, 1, rate * 10.0**depth)
    if split is None:
        return
    epsilon = np.array(split.range) if at_end else np.geomspace(max(split.range[0], 1e-9), split.range[1], 4)
    found, truth = read(split, epsilon), SubsampledGaussianProfile(sigma, rate, "remove").bracket(epsilon)
    assert np.all(found.lower <= truth.upper)
    assert np.all(truth.lower <= found.upper)


@pytest.mark.parametrize(("sigma", "rate", "times"), rest_slow([(1.0, 0.05, 8), (1.5, 0.01, 30), (0.8, 0.02, 40)], 2))
def test_few_steps_agree_with_the_lattice(sigma: float, rate: float, times: int) -> None:
    lattice = LatticeProfile([(SubsampledGaussianStep(sigma, rate), times)], "remove", 1e-5)
    laid = 0
    for target in (0.05, 0.2, 0.6):
        split = parted(sigma, rate, times, target)
        if split is None:
            continue
        laid += 1
        epsilon = np.linspace(max(split.range[0], 0.01), min(split.range[1], 2.0), 5)
        found, truth = read(split, epsilon), lattice.bracket(epsilon)
        assert np.all(found.lower <= truth.upper)
        assert np.all(truth.lower <= found.upper)
    assert laid > 0


DEEP = [
    (1.0, 1e-4, 10**6, 2.5859375),
    pytest.param(1.0, 1e-4, 10**4, 2.0, marks=pytest.mark.slow),
    pytest.param(1.018, 8.911e-06, 24880, 0.1, marks=pytest.mark.slow),
    (1.963, 0.0001057, 1504, 0.02),
    pytest.param(1.536, 0.001304, 6302, 1.0, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("sigma", "rate", "times", "epsilon"), DEEP)
def test_few_rare_steps_are_sharp_at_deep_delta(sigma: float, rate: float, times: int, epsilon: float) -> None:
    """Where the bulk alone adds nothing, whatever its own line may say; down to 5e-28."""
    found = ny.account(ny.DPSGD(sigma, rate, times), adjacency="remove")
    truth = balls.delta([(sigma, rate, times)], epsilon, "remove", digits=18.0)
    assert truth.error < 1e-9
    assert found.optimistic.delta(epsilon) <= float(truth) * (1.0 + truth.error)
    assert float(truth) * (1.0 - truth.error) <= found.delta(epsilon)
    assert found.delta(epsilon) <= found.optimistic.delta(epsilon) * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon"),
    rest_slow([(1.221, 0.0003302, 0.1), (2.151, 0.00151, 0.1), (1.221, 0.0003302, 1.0)], 2),
)
def test_two_rare_steps_at_deep_delta(sigma: float, rate: float, epsilon: float) -> None:
    """delta = int phi(x) r(x) delta_1(eps - log r(x)) dx, in balls: below an x the second step in its closed form;
    beyond it delta_1 = 1 - e^eps / r.
    """
    with ctx.workdps(60):
        s, q, e = arb(sigma), arb(rate), arb(epsilon).exp()
        root, half = s * arb(2).sqrt(), arb(1) / 2

        def integrand(x: acb, analytic: bool) -> acb:
            ratio = 1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()
            rest = (e / ratio - 1 + q) / q
            place = half + s * s * rest.log(analytic=analytic)
            one = q * (((place - 1) / root).erfc() - rest * (place / root).erfc()) / 2
            return (-x * x / (2 * s * s)).exp() * ratio * one

        end = half + s * s * ((e / (1 - q) - 1 + q) / q).log()
        places = [*np.linspace(-9.0 * sigma, float(end) - 1.0, 12), *(float(end) - 10.0 ** -np.arange(0.5, 13.0))]
        near = integral(integrand, places, digits=60).real / (s * (2 * arb.pi()).sqrt())
        plain, took = (end / root).erfc() / 2, ((end - 1) / root).erfc() / 2
        truth = float((near + (1 - q - e) * plain + q * took).mid())  # but for the last 1e-12 before the end
    found = ny.account(ny.DPSGD(sigma, rate, 2), adjacency="remove")
    assert found.optimistic.delta(epsilon) <= truth * (1.0 + 1e-10)
    assert truth <= found.delta(epsilon)
    assert found.delta(epsilon) <= found.optimistic.delta(epsilon) * (1.0 + 1e-6)


def test_little_noise_is_parted_crisply() -> None:
    """Losses grow fast where noise is small. Of 108 steps one jumps; the others, whose losses have a deviation of 4e-7,
    move eps by no more than that, nor are two ever likely: 108 times the delta of one, but for a millionth.
    """
    sigma, rate, times = 0.355, 7.215e-10, 108
    found = ny.account(ny.DPSGD(sigma, rate, times), adjacency="remove")
    one = SubsampledGaussianProfile(sigma, rate, "remove")
    for epsilon in (0.1, 1.0):
        lower, upper = found.optimistic.delta(epsilon), found.delta(epsilon)
        assert upper <= lower * (1.0 + 1e-6)
        alone = times * one.bracket(np.array([epsilon])).upper[0]
        assert lower * (1.0 - 2e-6) <= alone <= upper * (1.0 + 2e-6)


def test_a_line_that_is_too_long_is_not_laid() -> None:
    parts = Parts(((SamplingTransform(1.0, 1e-4), 10**4),), 0.0, "remove")
    assert Split.lay(parts, Walk.along(parts), Valleys.of(parts), 0.1, 50, Effort()) is None


@pytest.mark.slow
def test_different_steps_and_a_gaussian_are_parted_together() -> None:
    steps = ((SamplingTransform(1.0, 1e-4), 3000), (SamplingTransform(0.9, 2e-5), 9000))
    parts = Parts(steps, 0.002, "remove")
    split = Split.lay(parts, Walk.along(parts), Valleys.of(parts), 0.06, 9000, Effort())
    assert split is not None
    epsilon = np.array([0.04, 0.06, 0.08])
    found, whole = read(split, epsilon), ContourProfile(parts).bracket(epsilon)
    assert np.all(found.upper - found.lower < 1e-6 * found.upper)
    assert np.all(found.lower <= whole.upper)
    assert np.all(whole.lower <= found.upper)
    for at, low, high in zip(epsilon, found.lower, found.upper, strict=True):
        truth = balls.delta([(1.0, 1e-4, 3000), (0.9, 2e-5, 9000)], float(at), "remove", digits=10.0)
        # the Gaussian beside them hardly counts, and only adds
        assert float(truth) * (1.0 - 1e-9) <= high
        assert low <= float(truth) * 1.5


@pytest.mark.parametrize(
    "setting",
    [
        (1.0644109588239834, 2.8549738694779632e-05, 14155),
        pytest.param((1.0691077830860849, 2.8667522625740767e-06, 242438), marks=pytest.mark.slow),
        pytest.param((1.1414865159821845, 2.1539743801014434e-05, 58372), marks=pytest.mark.slow),
        pytest.param((1.1470855807280833, 3.1339313432212955e-06, 6256), marks=pytest.mark.slow),
        pytest.param((1.221, 0.0003302, 2), marks=pytest.mark.slow),
        pytest.param((1.057, 1.354e-09, 2012000), marks=pytest.mark.slow),
    ],
)
def test_mu_of_rare_steps_is_certified_to_six_digits(setting: tuple[float, float, int]) -> None:
    g = ny.account(ny.DPSGD(*setting))
    assert 0.0 < g.mu() - g.optimistic.mu() + 1e-18 < 1e-6 * g.mu()


def test_both_halves_of_a_bracket_follow_chernoff() -> None:
    """Deep in the tail of "add" no line is laid: the bound on delta must carry over to the bound on 1 - delta."""
    parts = Parts(((SamplingTransform(0.483817134980569, 8.00258228614327e-06), 212919),), 0.0, "add")
    found = ContourProfile(parts).bracket(np.array([1.5, 1.6, 1.62]))
    assert np.all(found.upper < 1e-300)
    assert np.all(found.log_gap_lower > -1e-14)


def test_the_slope_of_few_steps_comes_from_whichever_direction_knows_it() -> None:
    """At eps = 0 no contour of this direction knows five steps of this kind; the other direction's does."""
    g = ny.account(ny.DPSGD(0.3, 0.5, 5))
    assert g.mu() == pytest.approx(5.3475885, abs=1e-6)
    assert g.sides.forward.slope(np.zeros(1))[0] == pytest.approx(0.02634, rel=1e-3)
