"""Parameters that are rounded on the way: either side of a bracket comes from the end that is safe for it."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.losses.gaussian.plain import GaussianStep
from neyman.mechanisms.additive.rounding import root_at_least, root_at_most
from tests.reference.closed import normal_cdf, one_step_delta

STATED = ny.GDP(1.0 / 0.0582)


def exactly(square):
    """The mu of a rational mu^2, as a ball."""
    with ctx.workprec(700):
        return (arb(square.numerator) / arb(square.denominator)).sqrt()


def gaussian(square, epsilon):
    with ctx.workprec(700):
        mu, e = exactly(square), arb(epsilon)
        return normal_cdf(mu / 2 - e / mu) - e.exp() * normal_cdf(-mu / 2 - e / mu)


def held(g, epsilon, truth):
    return arb(g.optimistic.delta(epsilon)) <= truth <= arb(g.delta(epsilon))


def cases(sigma, sensitivity, k):
    """Every way to a Gaussian whose mu is rounded, with its exact square."""
    m = ny.Gaussian(sigma, sensitivity)
    one, stated = (Fraction(sensitivity) / Fraction(sigma)) ** 2, Fraction(1.0 / sigma) ** 2
    yield ny.account(m**k), k * one
    yield ny.account(m).group(k), k * k * one
    yield ny.account(m**k, "replace"), 4 * k * one
    yield ny.account(m**k).group(3).group(2), 36 * k * one
    yield ny.GDP(1.0 / sigma) ** (k + 1), (k + 1) * stated
    yield ny.GDP(1.0 / sigma).group(k) ** 2, 2 * k * k * stated
    yield ny.account(ny.Opaque(ny.account(m)) ** k * m), (k + 1) * one
    yield ny.account(ny.Opaque(ny.GDP(1.0 / sigma).group(k))), k * k * stated


def test_the_case_that_was_false():
    g = ny.account(ny.Gaussian(0.0582))
    assert held(g, 299.7565575884508, gaussian(1 / Fraction(0.0582) ** 2, 299.7565575884508))


@pytest.mark.parametrize("points", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_gaussians_of_any_mu_from_both_sides(points):
    rng = random.Random(points)
    for _ in range(points):
        for g, square in cases(10 ** rng.uniform(-6, 1), rng.choice([1.0, 3.0, 0.7]), rng.randint(1, 5)):
            mu = float(exactly(square))
            for score in (rng.uniform(-8, 8), rng.uniform(8, 37)):
                epsilon = max(mu * (score + mu / 2), 0.0)
                assert held(g, epsilon, gaussian(square, epsilon))


def test_renyi_divergences_and_mu_of_a_rounded_mu():
    for g, square in cases(0.0582, 3.0, 3):
        mu = exactly(square)
        for order in (0.5, 1.0, 7.0):
            exact = square * Fraction(order) / 2
            assert Fraction(g.optimistic.renyi(order)) <= exact <= Fraction(g.renyi(order))
        assert Fraction(g.optimistic.zcdp()) <= square / 2 <= Fraction(g.zcdp())
        assert arb(g.optimistic.mu()) <= mu <= arb(g.mu())


@pytest.mark.parametrize("sigma", [0.0582, 0.005])
def test_a_rounded_gaussian_beside_a_sampled_one(sigma):
    """Through a contour: delta = E[delta_mu(eps - L)], by a trapezoid whose error is far below."""
    step, rate = Fraction(1, 10), arb(0.5)
    g = ny.account(ny.Gaussian(sigma) ** 3 * ny.Gaussian(2.0).poisson(0.5), "remove")
    square = 3 / Fraction(sigma) ** 2
    epsilon = float(exactly(square)) * (4.0 + float(exactly(square)) / 2)
    with ctx.workprec(700):
        mu, truth = exactly(square), arb(0)
        for i in range(-120, 126):
            u = arb(i) * step.numerator / step.denominator
            ratio = 1 - rate + rate * (u / 2 - arb(1) / 8).exp()
            e = arb(epsilon) - ratio.log()
            delta = normal_cdf(mu / 2 - e / mu) - e.exp() * normal_cdf(-mu / 2 - e / mu)
            truth += (-u * u / 2).exp() * ratio * delta / (2 * arb.pi()).sqrt() / 10
    assert held(g, epsilon, truth)


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("sigma", [0.05, 0.7])
def test_a_sampled_step_whose_noise_is_rounded(direction, sigma):
    """The exact noise multiplier is no float: each side has the neighbour that is safe."""
    g = ny.account(ny.Gaussian(sigma, 3.0).poisson(0.25), direction)
    with ctx.workprec(400):
        exact = arb(Fraction(sigma).numerator) / Fraction(sigma).denominator / 3
        for epsilon in (0.01, 0.2, *((1.5, 0.4 / sigma**2) if direction == "remove" else ())):
            assert held(g, epsilon, one_step_delta(exact, 0.25, epsilon, direction))


def test_laplace_noise_whose_scale_is_rounded():
    for sensitivity in (3.0, 7.0, 0.7):
        g, ratio = ny.account(ny.Laplace(0.01, sensitivity)), Fraction(sensitivity) / Fraction(0.01)
        with ctx.workprec(400):
            for part in (0.5, 0.9, 1.0 - 1e-6):
                epsilon = float(ratio) * part
                away = arb(ratio.numerator) / ratio.denominator - arb(epsilon)
                assert held(g, epsilon, 1 - (-away / 2).exp())


def test_the_two_ends_are_neighbours_and_equal_where_nothing_is_rounded():
    for square in (Fraction(2), Fraction(9, 4), Fraction(1, 3), 10**18 + Fraction(1, 7)):
        low, high = root_at_most(square), root_at_least(square)
        assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
        assert high in (low, float(np.nextafter(low, np.inf)))
    assert (ny.Gaussian(2.0) ** 4).losses() == ((GaussianStep(1.0, 1.0), 1),)
    assert ny.GDP(0.1).group(3) != ny.GDP(0.30000000000000004)  # the first is known to be less
    assert ny.GDP(0.5).group(3) == ny.GDP(1.5)
    assert STATED.group(10**17 + 1).tail_mu >= Fraction(STATED.tail_mu) * (10**17 + 1)
