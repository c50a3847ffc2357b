"""Whoever sees every step may look at one: no lower bound is below what a single step tells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.told_alone import ToldAlone


@pytest.mark.parametrize("adjacency", ["remove", "add"])
@pytest.mark.parametrize(
    ("setting", "epsilon"),
    [((0.5885, 3.875e-5, 30680), 50.0), ((2.618, 0.001969, 1130), 1.0), ((1.839, 3.052e-5, 387), 0.1)],
)
def test_far_out_a_step_alone_is_told(setting: tuple[float, float, int], epsilon: float, adjacency: str) -> None:
    """The lower bound was 0 there."""
    sigma, rate, _ = setting
    found = ny.account(ny.DPSGD(*setting), adjacency)
    lower, upper = found.optimistic.delta(epsilon), found.sides.bracket(np.array([epsilon])).upper[0]
    if adjacency == "add":  # the loss of an added record is at most -log(1 - rate) a step
        assert 0.0 <= lower <= upper
        return
    with ctx.workprec(300):  # (1 - q) Q + q P against Q beyond where the ratio is e^eps
        x = (((arb(epsilon).exp() - 1) / arb(rate) + 1).log() * arb(sigma) ** 2 + arb(0.5)) / arb(sigma)
        p, q = ((x - 1 / arb(sigma)) / arb(2).sqrt()).erfc() / 2, (x / arb(2).sqrt()).erfc() / 2
        truth = (1 - arb(rate)) * q + arb(rate) * p - arb(epsilon).exp() * q
    assert float(truth) * (1.0 - 1e-9) <= lower <= upper


def test_what_is_known_better_is_left_alone() -> None:
    whole, part = GaussianProfile(2.0), GaussianProfile(1.0)
    epsilon = np.array([0.0, 1.0, 8.0])
    found, known = ToldAlone(whole, [lambda: part]).bracket(epsilon), whole.bracket(epsilon)
    np.testing.assert_array_equal(found.lower, known.lower)
    np.testing.assert_array_equal(found.upper, known.upper)
    assert ny.account(ny.Gaussian(1.0) ** 4).mu() == 2.0


@pytest.mark.slow
def test_a_long_composition_of_lists_tells_what_one_of_them_tells() -> None:
    """Its lattice is too coarse for so little, and said 0."""
    step = ny.DiscreteGaussian(0.613).poisson(7.159e-06)
    long, one = ny.account(step**8186, "remove"), ny.account(step, "remove")
    for epsilon in (0.1, 1.0):
        assert 0.0 < one.optimistic.delta(epsilon) <= long.sides.bracket(np.array([epsilon])).lower[0]


def test_a_gaussian_alone_tells_what_no_contour_sees_beside_1() -> None:
    """1 - delta of e^-1023 is beside contours e^-687, and mu was known to lie in [73.9, 90.3]."""
    guarantee = ny.account(ny.Gaussian(0.07004) ** 40 * ny.DiscreteGaussian(149.7).poisson(1.339e-05) ** 37)
    alone = math.sqrt(40.0) / 0.07004
    assert alone <= guarantee.mu() <= alone * (1.0 + 1e-6)
    assert guarantee.optimistic.mu() >= alone * (1.0 - 1e-6)
