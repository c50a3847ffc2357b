"""One step in which a sampled record is exchanged: closed forms, against 200 digits over the whole domain."""

from __future__ import annotations

import math
import random

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.closed_form.pairs import LaplaceProfile, SampledProfile
from neyman.engines.closed_form.replaced import ReplacedGaussianProfile, ReplacedLaplaceProfile
from neyman.engines.contour.laws import transform
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.profile import Profile


def erfc(x: mp.mpf) -> mp.mpf:
    """To as many digits, in balls: that of mpmath takes most of a second."""
    with ctx.workprec(mp.mp.prec + 256):
        found = arb(x).erfc()
        assert found.rel_accuracy_bits() > mp.mp.prec
        whole, power = found.mid().man_exp()
    return mp.ldexp(mp.mpf(int(whole)), int(power))


def gaussian(sigma: float, rate: float, epsilon: float) -> mp.mpf:
    """The best threshold test."""
    s, q, e = mp.mpf(sigma), mp.mpf(rate), mp.mpf(epsilon)
    alpha, beta = (1 - q) * mp.expm1(e) / q, mp.exp(e)
    x = s * s * (e / 2 + mp.asinh(alpha * mp.exp(1 / (2 * s * s)) / (2 * mp.sqrt(beta))))
    above = [erfc((x - centre) / (s * mp.sqrt(2))) / 2 for centre in (1, 0, -1)]
    return q * (above[0] - alpha * above[1] - beta * above[2])


def laplace(scale: float, rate: float, epsilon: float) -> mp.mpf:
    """The best threshold test."""
    b, q, e = mp.mpf(scale), mp.mpf(rate), mp.mpf(epsilon)
    x = b * mp.log((1 - q) / q * mp.expm1(e) * mp.exp(1 / b) + mp.exp(e)) / 2
    if x >= 1:
        return mp.mpf(0)
    above = [1 - mp.exp((x - 1) / b) / 2, mp.exp(-x / b) / 2, mp.exp(-(x + 1) / b) / 2]
    p, against = (1 - q) * above[1] + q * above[0], (1 - q) * above[1] + q * above[2]
    return p - mp.exp(e) * against


def drawn(seed: int, count: int) -> list[tuple[Profile, mp.mpf, float]]:
    """Profiles of both kinds, an eps where something is left of delta, and the truth."""
    source, found = random.Random(seed), []
    for i in range(count):
        scale = 10.0 ** (source.uniform(-3, 12) if i % 3 else source.uniform(-1, 2))
        rate = source.choice([
            10.0 ** source.uniform(-300, 0), 10.0 ** source.uniform(-12, 0), 1.0 - 10.0 ** source.uniform(-15, -0.1)
        ])  # fmt: skip
        mp.mp.dps = 300 + int(-math.log10(rate) + 2 * max(math.log10(scale), 0.0))
        small = 10.0 ** source.uniform(-300, 3)
        if i % 2:
            x = mp.mpf(scale) * source.uniform(0, 36)
            ratios = [mp.expm1((sign * 2 * x - 1) / (2 * mp.mpf(scale) ** 2)) * rate for sign in (1, -1)]
            epsilon = source.choice([0.0, small, *3 * [float(mp.log1p(ratios[0]) - mp.log1p(ratios[1]))]])
            found.append((ReplacedGaussianProfile(scale, rate, 1.0), gaussian(scale, rate, epsilon), epsilon))
        else:
            one = ReplacedLaplaceProfile(scale, rate, 1.0)
            epsilon = source.choice([
                0.0, small, one.end * source.random(), one.end * (1.0 - 10.0 ** source.uniform(-16, 0))
            ])  # fmt: skip
            mp.mp.dps += int(min(2.0 / scale, 3000.0))
            found.append((one, laplace(scale, rate, epsilon), epsilon))
    return found


def test_the_truth_lies_inside_over_the_whole_domain() -> None:
    sharp = 0
    for profile, delta, epsilon in drawn(20, 150):
        found = profile.bracket(np.array([epsilon]))
        assert found.lower[0] <= delta <= found.upper[0], (profile, epsilon)
        log_gap = mp.log1p(-delta)
        assert found.log_gap_lower[0] <= log_gap <= found.log_gap_upper[0], (profile, epsilon)
        sharp += bool(found.upper[0] <= found.lower[0] * (1.0 + 1e-8) + 1e-300)
    assert sharp > 140  # the others lie next to the end of Laplace noise


@pytest.mark.parametrize("rate", [1e-300, 1e-12, 0.002, 0.5, 0.999])
@pytest.mark.parametrize("sigma", [0.3, 0.75, 3.0, 1e7])
def test_the_advantage_of_one_gaussian_step_is_linear_in_the_rate(sigma: float, rate: float) -> None:
    truth = rate * math.erf(1.0 / (sigma * math.sqrt(2.0)))  # total variation of N(1, s^2) and N(-1, s^2)
    found = ny.account(ny.Gaussian(sigma).poisson(rate), adjacency="replace")
    assert truth * (1.0 - 1e-14) <= found.advantage <= truth * (1.0 + 1e-12)
    assert truth * (1.0 - 1e-12) <= found.optimistic.advantage <= truth * (1.0 + 1e-14)


def test_the_advantage_of_one_laplace_step_is_linear_in_the_rate() -> None:
    found = ny.account(ny.Laplace(0.5).poisson(1e-200), adjacency="replace")
    truth = 1e-200 * -math.expm1(-2.0)
    assert truth * (1.0 - 1e-14) <= found.advantage <= truth * (1.0 + 1e-12)
    assert truth * (1.0 - 1e-12) <= found.optimistic.advantage <= truth * (1.0 + 1e-14)


@pytest.mark.parametrize("rate", [1e-250, 1e-12, 1e-4, 0.01, 0.9])
@pytest.mark.parametrize("mechanism", [ny.Gaussian(5.0), ny.Laplace(2.0)])
def test_mu_of_one_exchanged_step_is_known(mechanism: ny.Gaussian | ny.Laplace, rate: float) -> None:
    found = ny.account(mechanism.poisson(rate), adjacency="replace")
    assert found.optimistic.mu() <= found.mu() <= found.optimistic.mu() * (1.0 + 1e-6)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 0.7, 2.0])
def test_a_gaussian_step_by_quadrature(epsilon: float) -> None:
    sigma, rate = 0.9, 0.2
    x = np.linspace(-14.0, 14.0, 400001)
    shapes = [np.exp(-0.5 * ((x - m) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi)) for m in (0.0, 1.0, -1.0)]
    p, q = ((1.0 - rate) * shapes[0] + rate * shapes[i] for i in (1, 2))
    found = ny.account(ny.Gaussian(sigma).poisson(rate), adjacency="replace")
    truth = float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) * (x[1] - x[0]))
    assert found.delta(epsilon) == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize("profile", [ReplacedGaussianProfile(0.7, 0.3, 3.0), ReplacedLaplaceProfile(0.7, 0.3, 3.0)])
def test_the_slope_is_that_of_delta(profile: Profile) -> None:
    epsilon = np.array([0.05, 0.4, 1.1])
    h = 1e-5
    differences = (profile.bracket(epsilon - h).upper - profile.bracket(epsilon + h).upper) / (2.0 * h)
    np.testing.assert_allclose(profile.slope(epsilon), differences, rtol=1e-6)


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 0.3, 0.7, 1.0 - 1e-6, 1.0 - 5.3e-12, 1.0 - 2.0**-53])
@pytest.mark.parametrize("scale", [1e-3, 0.0295, 0.0777, 1.0, 30.0, 1e9])
def test_the_end_of_laplace_noise_is_never_short(scale: float, rate: float) -> None:
    with mp.workdps(900):
        q, loss = mp.mpf(rate), 1 / mp.mpf(scale)
        truth = mp.log((1 - q + q * mp.exp(loss)) / (1 - q + q * mp.exp(-loss)))
        end = ReplacedLaplaceProfile(scale, rate, 1.0).end
        step = LaplaceStep(scale, rate, two_sided=True)
        for reading in (transform(step).largest(True), step.bins().end(True)):
            assert truth <= reading
        assert truth <= end <= truth * (1 + mp.mpf(10) ** -10) + 1e-300


@pytest.mark.parametrize("alpha", [1e-250, 4.8e-255, 1e-100, 1e-32])
@pytest.mark.parametrize(("scale", "rate"), [(0.029479836072607138, 1.0 - 5.3e-12), (0.0777, 1.0 - 1.5e-11)])
def test_tests_of_laplace_noise_gain_no_more_than_its_largest_loss(scale: float, rate: float, alpha: float) -> None:
    """Towards alpha = 0 the curve is straight: all losses there are the largest."""
    with mp.workdps(60):
        q, loss = mp.mpf(rate), 1 / mp.mpf(scale)
        truth = mp.mpf(alpha) * (1 - q + q * mp.exp(loss)) / (1 - q + q * mp.exp(-loss))
        found = ny.account(ny.Laplace(scale).poisson(rate), adjacency="replace")
        assert truth < 1e-5
        assert found.optimistic.roc(alpha) <= truth <= found.roc(alpha) <= truth * (1.0 + 1e-9)


def test_beyond_the_end_of_laplace_noise_nothing_is_left() -> None:
    profile = ReplacedLaplaceProfile(2.0, 0.1, 1.0)
    truth = math.log((0.9 + 0.1 * math.exp(0.5)) / (0.9 + 0.1 * math.exp(-0.5)))
    assert truth <= profile.end <= truth * (1.0 + 1e-12)
    assert profile.bracket(np.array([truth * (1.0 + 1e-12), 700.0, 1.7e308])).upper.tolist() == [0.0, 0.0, 0.0]
    assert profile.bracket(np.array([truth * (1.0 - 1e-9)])).lower[0] > 0.0


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 0.3, 0.7, 1.0 - 5.3e-12, 1.0 - 2.0**-53])
@pytest.mark.parametrize("scale", [1e-3, 0.0014, 0.0295, 0.0777, 1.0, 30.0, 1e9])
def test_the_end_of_sampled_laplace_noise_is_never_short(scale: float, rate: float) -> None:
    inner = LaplaceProfile(scale, 1.0)
    with mp.workdps(900):
        q, loss = mp.mpf(rate), 1 / mp.mpf(scale)
        for way, truth in (("remove", mp.log(1 - q + q * mp.exp(loss))), ("add", -mp.log(1 - q + q * mp.exp(-loss)))):
            end = SampledProfile((inner, inner), rate, way).end
            assert truth <= end
            # every reading of the law has an end
            step = LaplaceStep(scale, rate)
            for reading in (transform(step).largest(way == "remove"), step.bins().end(way == "remove")):
                assert truth <= reading
            assert way == "add" or end <= truth * (1 + mp.mpf(10) ** -12) + 1e-300


def test_what_rounding_may_cost_of_hardly_any_noise_is_more_than_floats_hold() -> None:
    """Next to the threshold, 45 deviations deep: off e^{2 off step - z^2 / 2} is above 1; e^700 e^{-z^2 / 2} is not."""
    sigma = 1e-9
    profile = ReplacedGaussianProfile(sigma, 0.5, 2.0 / sigma)
    far = 2.0 * (1.0 / sigma + 45.0) / sigma
    near = 0.5 * far - 0.5 / sigma / sigma
    short = profile._short((np.full(1, near),) * 2, (np.full(1, far),) * 2)
    assert short[0] >= 1.0
