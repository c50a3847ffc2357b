"""Rooms for rounding hold what they are said to, and numbers with a derivation are no smaller than it says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import dawsn, gammaln, ndtri_exp

from neyman.engines.closed_form import nearly_gaussian, straight
from neyman.engines.combine.beside import few_places
from neyman.engines.contour.truncation import cells
from neyman.engines.counts import beside, combinations, participation, parting
from neyman.engines.lattice import law
from neyman.engines.region import one_order, tangents
from neyman.engines.renyi import quadrature
from neyman.losses.discrete import tail_mu, theta_transform
from neyman.losses.gaussian import transform
from neyman.losses.gaussian.parts import bulk
from neyman.losses.laplace import step as laplace_step
from neyman.losses.laplace import transform as laplace_transform
from neyman.losses.readings import outcomes, smooth_part
from neyman.numerics import rounding
from neyman.numerics.rounding import ELEMENTARY, GAMMALN, SMALLEST, UNIT, largest_sum_error

HALF_UNIT_BELOW_1024 = 2.0**-44  # what rounding an exponent may change e^x by, relatively


def test_rooms_hold_what_they_are_said_to() -> None:
    assert 2.0 * ELEMENTARY * UNIT <= rounding.SCANT
    assert (20.0 * ELEMENTARY + 4.0) * UNIT <= rounding.SLIGHT
    assert (largest_sum_error(1 << 20) + 12.0 * ELEMENTARY) * UNIT <= rounding.SLIGHT
    assert 10.0 * HALF_UNIT_BELOW_1024 + 100.0 * UNIT <= rounding.ROOM
    assert 1000.0 * (1.0 + ELEMENTARY) * UNIT <= rounding.ROOM
    assert 10_000.0 * HALF_UNIT_BELOW_1024 <= rounding.AMPLE
    assert 1e6 * (1.0 + ELEMENTARY) * UNIT <= rounding.AMPLE
    assert (100.0 * (ELEMENTARY + 1.0) + 400.0) * UNIT <= rounding.POWER
    assert 1e20 * SMALLEST <= rounding.UNDERFLOW
    assert math.exp(rounding.LARGEST_EXPONENT) * 17_000.0 < math.inf


@pytest.mark.parametrize("x", np.append(np.geomspace(1e-15, 0.0197, 40), 0.0))
def test_second_order_terms_are_a_hundredth(x: float) -> None:
    assert math.expm1(x) <= rounding.SECOND_ORDER * x
    assert -math.log1p(-x) <= rounding.SECOND_ORDER * x


def test_exponentials_of_rounded_exponents_are_within_their_room() -> None:
    rng = np.random.default_rng(0)
    with ctx.workprec(200):
        for _ in range(200):
            parts = rng.uniform(-70.0, 60.0, 10)
            total = float(np.cumsum(parts)[-1])
            truth = sum((arb(one) for one in parts.tolist()), arb(0)).exp()
            assert abs(arb(math.exp(total)) / truth - 1) <= rounding.ROOM


# what is named, and what it must be no smaller than
AT_LEAST: dict[str, tuple[Any, Any]] = {
    "the complement of a probability near 1": (beside._BLURRED, 5.0 * UNIT / beside._SURE),
    "deltas one e-fold before": (participation._TILTED, 1.0 / (1.0 - math.exp(-1.0))),
    "a series beyond the first term": (parting._BEYOND, -math.log1p(-0.01)),
    "log of less than a half, turned": (-combinations._HALVED, math.log(2.0)),
    "gammaln three times, of binomials": (
        few_places._LESS_MASS,
        3.0 * GAMMALN * (1.0 + gammaln(few_places._COUNTED + 1.0)) * UNIT,
    ),
    "a root of what underflows": (nearly_gaussian._UNDERFLOWN, math.sqrt(math.e / 2.0) * 1.5e-154),
    "logs of floats, turned": (-straight._LEAST_LOG, -math.log(SMALLEST)),
    "cells that underflow": (cells._UNDERFLOWN, (1 << 21) * 2.0**-1022),
    "Dawson's integral": (bulk.DAWSON, float(dawsn(np.linspace(0.9, 0.95, 10_001)).max())),
    "a slope out to the ellipses": (laplace_transform._GROWN, math.exp(1.125 * laplace_transform._WIDEST)),
    "exponents of dual terms": (theta_transform._TURNED, 4.0 * math.pi**2),
    "the other dual terms, of the least sigma": (theta_transform._OTHERS, 4.0 * math.exp(-2.0 * math.pi**2)),
    "the powers that a series leaves out": (UNIT, 7.0 / 6.0 / (14.0 * math.factorial(14)) * tangents._SUMMED**14),
    "how far a tilted density has fallen": (0.5 * transform.DEVIATIONS**2, 72.0),
}


@pytest.mark.parametrize("name", AT_LEAST)
def test_numbers_are_no_smaller_than_their_derivation(name: str) -> None:
    value, least = AT_LEAST[name]
    assert least <= value < math.inf


@pytest.mark.parametrize("variance", np.append(0.0, np.geomspace(1e-6, 1e18, 60)))
def test_binomials_beyond_what_is_listed_are_dropped_for_less_than_is_said(variance: float) -> None:
    """Bernstein's inequality, on both sides."""
    far = combinations._DEVIATIONS * math.sqrt(variance) + combinations._AND
    assert math.log(2.0) - far * far / (2.0 * variance + 2.0 * far / 3.0) <= combinations._DROPPED


def test_log_expm1_is_straight_where_its_slack_hides_the_rest() -> None:
    at = one_order._STRAIGHT
    assert math.exp(-at) <= one_order._SLACK * 2.0 * at


def test_integrals_beyond_the_reach_are_below_what_is_counted() -> None:
    """Of e^{-x^2 / 2 + tilt (slope x + slope^2 / 2)} from the least x on: it falls by more than 50 a deviation."""
    for slope in np.append(0.0, np.geomspace(1e-6, 1e6, 25)):
        for tilt in np.append(0.0, np.geomspace(0.1, 1e6, 25)):
            x = 2.0 * tilt * slope + smooth_part._FAR + 4.0 * slope
            log = -0.5 * x * x + tilt * (slope * x + 0.5 * slope * slope)
            assert log <= quadrature._BEYOND


def test_probits_of_laplace_noise_are_never_short() -> None:
    """Of log p from -log 2 down: the quantile, farther out by the room, leaves less than p."""
    rng = np.random.default_rng(1)
    logs = -np.concatenate([np.exp(rng.uniform(np.log(0.694), np.log(1e9), 300)), [254450.66, 97550.08, 19912.6]])
    with ctx.workprec(300):
        for log_p in logs.tolist():
            z = -float(ndtri_exp(log_p)) * (1.0 + laplace_step._PROBIT)
            left = ((arb(z) / arb(2).sqrt()).erfc() / 2).log()
            assert left <= arb(log_p)


def test_a_lattice_so_coarse_has_no_exponent_beyond_floats() -> None:
    assert math.exp(2.0 * law._COARSEST) < math.inf
    assert math.exp(law._LOWEST) > 0.0


def test_the_left_end_of_a_discrete_gaussian_hides_what_is_left_out() -> None:
    beyond = math.exp(-0.5 * tail_mu._LEFT**2) / math.exp(-0.5 * tail_mu._MIDDLE**2)
    assert beyond <= tail_mu._ROUNDED
    assert 1e9 * math.exp(-0.5 * tail_mu._ALL**2) <= tail_mu._ROUNDED  # of all, on both sides


def test_what_discrete_gaussians_leave_out_is_nothing_beside_a_unit() -> None:
    assert 4.0 * math.exp(theta_transform._NOTHING) <= 1e-4 * UNIT
    assert 1e12 * math.exp(theta_transform._RIPPLE) <= UNIT  # of moments, whose factors are as large as no law's
    for sigma in (0.05, 0.3, 1.0, 7.0, 300.0):  # of a whole mass, on both sides
        last = math.ceil(outcomes._WHOLE * sigma) + 1
        beyond = np.arange(last + 1, last + 40 * math.ceil(sigma) + 40) / sigma
        with np.errstate(under="ignore"):
            assert 2.0 * math.fsum(np.exp(-0.5 * beyond**2)) <= 1e-3 * UNIT
