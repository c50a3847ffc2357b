"""Laplace noise of one scale, several times: Poisson probabilities, against quadrature, digits and a lattice."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.closed_form.several_laplace import SeveralLaplaceProfile, several_laplace
from neyman.engines.closed_form.single import single
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.profile import NEARLY_ONE


def one_step(scale: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    """delta of one step at any real eps, from the definition."""
    d = 1 / scale
    if epsilon >= d:
        return mp.mpf(0)
    if epsilon < -d:
        return -mp.expm1(epsilon)
    return -mp.expm1((epsilon - d) / 2)


def by_quadrature(scale: float, times: int, epsilon: float) -> mp.mpf:
    """The mean of the delta of all steps but one, at eps less the loss of that one."""
    b = mp.mpf(scale)
    d = 1 / b

    def delta(n: int, eps: mp.mpf) -> mp.mpf:
        if n == 1:
            return one_step(b, eps)
        # where an atom of the rest, or its end, is met
        corners = {d, -d, *(eps - (n - 1 - 2 * k) * d for k in range(n))}
        cuts = sorted(x for x in corners if -d <= x <= d)
        between = mp.quad(lambda loss: mp.exp((loss - d) / 2) / 4 * delta(n - 1, eps - loss), cuts)
        return delta(n - 1, eps - d) / 2 + mp.exp(-d) / 2 * delta(n - 1, eps + d) + between

    return delta(times, mp.mpf(epsilon))


def by_digits(scale: float, times: int, epsilon: float) -> mp.mpf:
    """Gamma laws beyond each count of steps at their least loss, by incomplete gamma functions, term by term."""
    d, n, total = 1 / mp.mpf(scale), times, mp.mpf(0)
    for k in range(n + 1):
        r = (n - 2 * k) * d - mp.mpf(epsilon)
        if r <= 0:
            continue
        rho = r / 2
        signs = [
            sum(math.comb(n - k, j - i) * (-1) ** i * math.comb(k, i) for i in range(min(j, k) + 1))
            for j in range(n + 1)
        ]
        part = signs[0] * -mp.expm1(-r)
        # integrals of u^(j-1) e^-u, and of u^(j-1) e^u, up to rho, by parts from the last on: each from that after it
        falling, rising = (mp.hyp1f1(n + 1, n + 2, sign * rho) for sign in (-1, 1))
        for j in range(n, 0, -1):
            falling, rising = mp.exp(-rho) + rho * falling / (j + 1), mp.exp(rho) - rho * rising / (j + 1)
            part += signs[j] * (falling - mp.exp(-r) * rising) * rho**j / mp.factorial(j)
        total += math.comb(n, k) * mp.exp(-k * d) * part
    return total / mp.mpf(2) ** n


@pytest.mark.parametrize(("scale", "times"), [(1.0, 2), (0.3, 2), (7.0, 2), (0.9, 3)])
def test_the_mean_over_one_step_of_what_the_others_leave(scale: float, times: int) -> None:
    profile = SeveralLaplaceProfile(scale, times, 1.0)
    with mp.workdps(20):
        for share in (0.0, 0.21, 0.6, 0.97) if times < 3 else (0.4,):
            epsilon = share * profile.end
            truth = by_quadrature(scale, times, epsilon)
            found = profile.bracket(np.array([epsilon]))
            assert found.lower[0] * (1.0 - 1e-11) <= truth <= found.upper[0] * (1.0 + 1e-11)
            assert found.upper[0] - found.lower[0] <= 1e-12 * found.upper[0]


def test_the_truth_lies_inside() -> None:
    """To the last digits, near the end of the law and where sums of both signs cancel."""
    source = random.Random(20)
    for _ in range(60):
        times = source.choice([2, 3, 5, 10, 20, 40])
        scale = times / 64.0 * 10.0 ** source.uniform(0.0, source.choice([1.0, 6.0]))
        profile = SeveralLaplaceProfile(scale, times, 1.0)
        left = source.choice([1.0, source.random(), 10.0 ** source.uniform(-15, 0)])
        epsilon = profile.end * (1.0 - left)
        found = profile.bracket(np.array([epsilon]))
        with mp.workdps(120):
            truth, whole = by_digits(scale, times, epsilon), mp.mpf(times) / mp.mpf(scale)
            assert mp.mpf(found.lower[0]) <= truth <= mp.mpf(found.upper[0]), (scale, times, epsilon)
            assert mp.mpf(found.log_gap_lower[0]) <= mp.log1p(-truth) <= mp.mpf(found.log_gap_upper[0])
            if whole - epsilon <= 2 / mp.mpf(scale):  # no sign but one: digits, however little is left
                assert found.upper[0] - found.lower[0] <= 1e-12 * found.upper[0]


def test_slopes_are_derivatives() -> None:
    for scale, times in ((1.0, 10), (0.6, 4), (30.0, 25)):
        profile = SeveralLaplaceProfile(scale, times, 1.0)
        epsilon = profile.end * np.array([0.03, 0.31, 0.77, 0.995])
        with mp.workdps(60):
            slope = [-mp.diff(lambda e, b=scale, n=times: by_digits(b, n, e), e, h=mp.mpf(10) ** -20) for e in epsilon]
        np.testing.assert_allclose(profile.slope(epsilon), np.array(slope, dtype=float), rtol=1e-9)


@pytest.mark.parametrize(("scale", "times"), [(1.0, 10), (3.7, 10), (2.0, 30), (40.0, 128), (0.5, 2)])
def test_a_lattice_says_the_same(scale: float, times: int) -> None:
    """Another engine, that knows of no formula."""
    step = LaplaceStep(scale)
    profile = several_laplace(step, times, 1.0)
    assert profile is not None
    epsilon = profile.end * np.array([0.0, 0.1, 0.5, 0.9, 0.999])
    ours, lattice = profile.bracket(epsilon), LatticeProfile([(step, times)], "remove").bracket(epsilon)
    assert np.all((ours.lower <= lattice.upper) & (lattice.lower <= ours.upper))
    assert np.all(ours.upper - ours.lower <= 1e-9 * ours.upper)


@given(st.integers(2, 128), st.floats(0.0, 4.0))
def test_the_curve_falls_to_nothing_at_its_end(times: int, size: float) -> None:
    scale = times / 64.0 * 10.0**size
    profile = SeveralLaplaceProfile(scale, times, 1.0)
    assert Fraction(profile.end) >= times / Fraction(scale) >= Fraction(math.nextafter(profile.end, 0.0))
    epsilon = np.sort(np.append(profile.end * np.linspace(0.0, 1.0, 41), math.nextafter(profile.end, 0.0)))
    found = profile.bracket(np.append(epsilon, 2.0 * profile.end))
    assert np.all(found.lower[1:] <= found.upper[:-1])
    assert found.upper[-1] == 0.0 == found.upper[-2]
    assert found.log_gap_lower[-1] > -1e-299
    assert np.all(found.upper[:-3] > 0.0)


def test_what_is_left_to_others() -> None:
    for step, times in (
        (LaplaceStep(1.0), 1), (LaplaceStep(1.0, 0.5), 5), (LaplaceStep(1.0, 0.5, two_sided=True), 5),
        (LaplaceStep(10.0), 129), (LaplaceStep(0.01), 5), (LaplaceStep(1e7), 5),
    ):  # fmt: skip
        assert several_laplace(step, times, 1.0) is None
    strong = SeveralLaplaceProfile(1.0, 64, 1.0).bracket(np.zeros(1))
    assert strong.upper[0] > NEARLY_ONE
    assert several_laplace(LaplaceStep(1.0), 64, 1.0) is None
    assert single(((LaplaceStep(1.0), 10), (LaplaceStep(2.0), 10))) is None


def test_a_guarantee_of_several_laplace_steps() -> None:
    g = ny.account(ny.Laplace(1.0) ** 10)
    assert g.certificate(1.0).directions["both"].supply == "closed form"
    assert float(g.mu()) - float(g.optimistic.mu()) <= 1e-7 * float(g.mu())
    assert float(g.epsilon(0.0)) == 10.0
    # a scale that is no float is one that is narrower, and one that is wider
    third = ny.account(ny.Laplace(1.0, sensitivity=0.3) ** 10)
    assert float(third.optimistic.epsilon(1e-5)) <= float(third.epsilon(1e-5)) <= 3.0000001
