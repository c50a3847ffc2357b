"""Settings at the ends of the domain, hardly any information and hardly any noise: answered, or refused, at once."""

from __future__ import annotations

import math
import time

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.gaussian.bins import Shape
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from tests.effort import rest_slow


def _two_steps(sigma: float, rate: float, epsilon: float) -> mp.mpf:
    """delta of two sampled Gaussian steps, "remove": the second in closed form, the first by the trapezoid rule."""
    with mp.workdps(50 + 2 * math.ceil(-math.log10(rate / sigma))):
        s, q, factor = mp.mpf(sigma), mp.mpf(rate), mp.exp(mp.mpf(epsilon))

        def given(u: mp.mpf) -> mp.mpf:
            first = 1 - q + q * mp.exp(u / s - 1 / (2 * s * s))
            threshold = 1 + (factor / first - 1) / q  # of e^t in the second step
            if threshold <= 0:
                return (first - factor) * mp.npdf(u)
            v = s * mp.log(threshold) + 1 / (2 * s)
            second = (1 - q) * mp.ncdf(-v) + q * mp.ncdf(1 / s - v)
            return (first * second - factor * mp.ncdf(-v)) * mp.npdf(u)

        # of a Gaussian times a smooth function the rule of spacing 1/4 errs by about e^(-2 (4 pi)^2)
        return mp.fsum(given(mp.mpf(i) / 4) for i in range(-56, 57)) / 4


@pytest.mark.parametrize(
    ("sigma", "rate"), rest_slow([(500.0, 1e-7), (68.59, 1.484e-08), (1e4, 1e-6), (1e9, 0.01), (1e12, 1e-12)], 1)
)
def test_hardly_any_information_is_answered(sigma: float, rate: float) -> None:
    """Where losses are tiny their transform falls at huge frequencies only: it falls all the same."""
    began = time.process_time()
    guarantee = ny.account(ny.DPSGD(sigma, rate, 2), adjacency="remove")
    scale = rate * math.sqrt(2.0) / sigma
    for epsilon in (0.0, 0.7 * scale, 4.0 * scale):
        truth = _two_steps(sigma, rate, epsilon)
        upper, lower = guarantee.delta(epsilon), guarantee.optimistic.delta(epsilon)
        assert mp.mpf(lower) <= truth <= mp.mpf(upper)
        assert upper - lower <= 1e-6 * upper
    mu = guarantee.mu()
    assert guarantee.optimistic.mu() <= mu < 2.0 * scale + 1e-9
    assert time.process_time() - began < 5.0  # most of it for the truth


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(4.282, 1.609e-10, 24_730_000), (1.3e6, 8.587e-7, 627_000)])
def test_many_steps_of_hardly_any_information_are_answered(sigma: float, rate: float, steps: int) -> None:
    """Tilts are huge and taking part is rare: what bounds the transform must know both. Nearly the central limit."""
    guarantee = ny.account(ny.DPSGD(sigma, rate, steps))
    limit = rate * math.sqrt(steps * math.expm1(1.0 / sigma**2))
    assert guarantee.optimistic.mu() <= guarantee.mu() == pytest.approx(limit, rel=1e-3)
    assert guarantee.advantage == pytest.approx(limit / math.sqrt(2.0 * math.pi), rel=1e-3)


def test_bins_end_where_nothing_is_left() -> None:
    """Bins in the far tails cost the more the emptier they are; what they would hold is counted as mass outside."""
    for shape, h in ((Shape(500.0, 1e-7), 3e-12), (Shape(0.5, 0.1), 0.01), (Shape(0.01, 1.0), 0.5)):
        first, last = shape.cut((-math.inf, 1e12), h)
        assert last - first < 1 << 20
        edges = shape.base + np.array([first + 1.0, last - 1.0]) * h
        inside = shape.loss(np.array([-41.0, 41.0 + 1.0 / shape.sigma]))
        assert inside[0] - 2.0 * h <= edges[0] < edges[1] <= inside[1] + 2.0 * h
        bins = shape.bins(h, first, last, remove=True)
        held = np.exp(bins.log_scale) * (bins.lower + bins.upper)
        outside = math.exp(bins.below[0]) + math.exp(bins.above[0])
        assert abs(math.fsum(held) + outside - 1.0) < 1e-10


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(0.01111, 9.891e-08, 9257), (0.02804, 0.991, 28)])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_law_that_is_one_atom_to_the_last_bit(sigma: float, rate: float, steps: int, direction: str) -> None:
    """Under a tilt towards it nothing varies any more: there are neighbouring tilts all the same."""
    profile = LatticeProfile([(SubsampledGaussianStep(sigma, rate), steps)], direction, 1e-6, 1 << 14)
    bracket = profile.bracket(np.array([0.0, 100.0]))
    # whether the record takes part at all is nearly all that is ever seen
    took_part = -math.expm1(steps * math.log1p(-rate))
    assert bracket.lower[0] <= took_part * (1.0 + 1e-9)
    assert 0.9 * took_part <= bracket.upper[0] <= 1.0


def test_losses_in_the_thousands_are_not_refused_for_what_floats_cannot_hold_side_by_side() -> None:
    """All but a few of 2393 outcomes are the largest one: x >= 2, of probability 1 / (1 + e^(-1/b)) each."""
    scale, steps = 0.1561, 2393
    guarantee = ny.account(ny.DiscreteLaplace(scale, 2) ** steps)
    end = steps * 2.0 / scale
    missed = steps * math.exp(-1.0 / scale)  # how many are expected not to be
    assert guarantee.delta(end * (1.0 + 1e-9)) == 0.0
    # Markov: with probability 0.9 no more than ten times as many are less than the largest, by 4 / b at most
    assert guarantee.delta(end - 40.0 * missed / scale - 40.0) >= 0.9
    assert end - 40.0 * missed / scale <= guarantee.epsilon(1e-5) <= end * (1.0 + 1e-9)
