"""Strong compositions: 1 - delta is known in its logarithm, however small, from lines of few nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.losses.gaussian.transform import SamplingTransform
from tests.effort import rest_slow
from tests.hunt.balls import SampledGaussianFactor
from tests.hunt.survey import ask


def log_rest(s: float, q: float, times: int, epsilon: float, add: bool, c: float, period: float, n: int) -> arb:
    """log(1 - delta) in balls, by a line -1 < c < 0: all terms of the sum over the aliases are positive, those on the
    right are at most e^-|c|R each, those on the left e^{eps - (c + 1) R}.
    """
    factor = SampledGaussianFactor(s, q, times)
    w = arb(-c if add else c + 1.0)
    h = 2 * arb.pi() / arb(period)
    total = arb(0)
    for k, value in enumerate(factor.nodes(w, h, n)):
        z = acb(arb(c), h * k)
        term = (acb(value.real, -value.imag) if add else value) / (z * (z + 1)) * (-z * epsilon).exp()
        total -= term.real / 2 if k == 0 else term.real
    total *= h / arb.pi()
    tail = factor.tail(w, h * n) * (arb(-c * epsilon)).exp() / (arb.pi() * h * (n - 1))
    aliases = 1 / ((arb(-c) * period).exp() - 1) + arb(epsilon).exp() / ((arb(c + 1.0) * period).exp() - 1)
    return (total - tail - aliases).log().union((total + tail).log())


SETTINGS = [(0.3, 0.1, 3000, -0.45, 320.0, 500), (0.4, 0.3, 700, -0.45, 320.0, 700)]


@pytest.mark.parametrize("direction", rest_slow(["remove", "add"], "remove"))
@pytest.mark.parametrize(("s", "q", "times", "c", "period", "n"), SETTINGS)
def test_the_logarithm_of_what_is_left(
    s: float, q: float, times: int, c: float, period: float, n: int, direction: str
) -> None:
    add = direction == "add"
    profile = ContourProfile(Parts(((SamplingTransform(s, q), times),), 0.0, direction))
    epsilon = np.array([0.0, 2.0])
    found = profile.bracket(epsilon)
    with ctx.workprec(192):
        for i, e in enumerate(epsilon.tolist()):
            truth = log_rest(s, q, times, e, add, -1.0 - c if add else c, period, n)
            assert float(truth.rad()) < 1e-6
            low, high = float(found.log_gap_lower[i]), float(found.log_gap_upper[i])
            assert low <= float(truth.upper())
            assert float(truth.lower()) <= high
            assert high - low < 1e-5
            assert high < -55.0


@pytest.mark.parametrize(
    ("setting", "log_gap"),
    [
        # by a trapezoid of its own in floats: c = -0.0888, R = 16,000, 12,733 nodes; in the other direction the same
        ((0.1091, 0.1158, 10980), -1180.035049275),
        # what the exponent at the least of the cumulant comes to, less half the log of 2 pi times its curvature
        ((0.1436, 0.4935, 57070000), -30531650.0539),
    ],
)
def test_mu_of_a_strong_composition(setting: tuple[float, float, int], log_gap: float) -> None:
    """It is the probit of the fixed point, which 1 - delta(0) is half of."""
    mu = ny.account(ny.DPSGD(*setting)).mu()
    # Phi(-mu / 2) = e^log_gap / 2, by the first terms of Mills' ratio
    u = 0.5 * mu
    log_tail = -0.5 * u * u - math.log(u * math.sqrt(2.0 * math.pi)) + math.log1p(-(u**-2) + 3.0 * u**-4)
    assert log_tail == pytest.approx(log_gap - math.log(2.0), rel=2e-6)


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param("DPSGD(.2758, .1488, 342900)", marks=pytest.mark.slow),
        # bands of eps that nothing lies in made lines of 30,000 nodes
        "DPSGD(0.2817, 5.757e-08, 720300000)",  # 41 records in 7e8 steps: cut where those that are told have turned
        pytest.param("DPSGD(.2119, 1.231e-6, 2104000)", marks=pytest.mark.slow),
    ],
)
def test_the_usual_questions_are_answered(setting: str) -> None:
    found = ask(setting)
    assert [event for event in found["events"] if event[0] != "time"] == []  # type: ignore[attr-defined]


def test_delta_of_a_few_loud_participations() -> None:
    """A trapezoid of its own in floats, c = 0.2 and 0.38, R = 320 and 500: log delta = -0.7710411928657."""
    guarantee = ny.account(ny.DPSGD(0.2119, 1.231e-6, 2104000))
    assert guarantee.delta(0.1) == pytest.approx(math.exp(-0.7710411928657), rel=1e-6)
    assert guarantee.delta(0.1) >= math.exp(-0.7710411928657) * (1.0 - 1e-10)
    assert guarantee.optimistic.delta(0.1) <= math.exp(-0.7710411928657) * (1.0 + 1e-10)


@pytest.mark.parametrize(
    ("setting", "epsilon", "low", "high"),
    [
        # balls, by tests.hunt.balls with more nodes than it allows itself
        ((1.233, 0.0001888, 256000), 1.0, 4.0211070641976e-26, 4.0211070766916e-26),
        # parted at four places each, all within their brackets of one another: the sharpest
        ((1.149, 8.746e-06, 1006000), 0.1, 3.00064e-25, 3.00066e-25),
        pytest.param((0.9945, 1.139e-06, 23140), 0.1, 1.810921e-30, 1.810922e-30, marks=pytest.mark.slow),
    ],
)
def test_a_deep_delta_of_a_bulk_and_jumps_that_both_count(
    setting: tuple[float, float, int], epsilon: float, low: float, high: float
) -> None:
    """Parted where the jumps are hardly larger than the answer, with a line through the bulk."""
    guarantee = ny.account(ny.DPSGD(*setting))
    assert low <= guarantee.delta(epsilon) <= guarantee.optimistic.delta(epsilon) * (1.0 + 1e-6)
    assert guarantee.optimistic.delta(epsilon) <= high


def test_beside_a_delta_near_1_the_slope_is_that_of_what_is_left() -> None:
    """A contour that knew 1 - delta to its own size only steered mu away: [9.3, 70.9]."""
    mechanism = ny.Laplace(0.08764).poisson(0.08554) ** 146
    epsilon = np.array([0.2, 0.7, 1.0, 5.0])
    sharp, loose = (ny.account(mechanism, "remove", tolerance).sides.forward for tolerance in (1e-6, 1e-5))
    np.testing.assert_allclose(sharp.slope(epsilon), loose.slope(epsilon), rtol=1e-3)
    assert np.all(sharp.slope(epsilon) < 1.0 - sharp.bracket(epsilon).lower)


@pytest.mark.slow
def test_mu_of_a_strong_sampled_laplace_mechanism_is_told() -> None:
    found = ny.account(ny.Laplace(0.08764).poisson(0.08554) ** 146)
    assert 9.354715 < found.optimistic.mu() <= found.mu() < 9.354717
