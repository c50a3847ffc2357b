"""Bits and grids follow what is asked: next to nothing told, next to everything told, very many steps."""

from __future__ import annotations

import pytest

import neyman as ny
from neyman.witnesses.precision import BITS, supplied
from tests.effort import rest_slow

HARDLY = ["advantage", "mu@1e-10", "epsilon@1e-09", "tpr@1e-06"]


def missing(mechanism, claims):
    found = ny.prove(ny.report(ny.account(mechanism)), claims=claims)
    assert found.answers
    return {one.id for one in found.answers if one.verdict != "proved"}


@pytest.mark.parametrize(
    "mechanism",
    rest_slow(
        [
            ny.Gaussian(0.4).poisson(1.4e-16),
            ny.Gaussian(5493.0).poisson(2.1e-10),
            ny.Gaussian(34932.0).poisson(0.00127),
        ],
        0,
        2,
    ),
)
def test_a_step_that_tells_next_to_nothing(mechanism):
    """mu is a matter of 1e-11 to 1e-8; from above its polygon wants cells."""
    assert missing(mechanism, HARDLY) <= {"mu@1e-10"}


@pytest.mark.parametrize(
    "mechanism",
    rest_slow(
        [
            ny.Gaussian(0.02),
            ny.PureMechanism(3.0) ** 185,
            ny.RandomizedResponse(22.9, 12) ** 3 * ny.DPSGD(1.2, 0.26, 1436),
        ],
        2,
    ),
)
def test_errors_far_below_a_float_of_one(mechanism):
    """The rate where both errors meet is 1e-21 to 1e-138."""
    assert not missing(mechanism, ["fixed_point", "mu@1e-10"])
    assert supplied(mechanism.to_dict(), "add_or_remove").bits > BITS


def test_1e18_steps():
    mechanism = ny.DPSGD(224658213003.1495, 4.49e-05, 10**18)
    assert not missing(mechanism, ["advantage", "epsilon@1e-09", "tpr@0.0001"])
    assert supplied(mechanism.to_dict(), "add_or_remove").bits > BITS


def test_what_is_out_of_reach_takes_no_more_bits():
    """1 - delta is 1e-3395 there."""
    assert supplied(ny.Gaussian(0.004).to_dict(), "add_or_remove").bits == BITS
    assert supplied(ny.Gaussian(1.0).to_dict(), "add_or_remove").bits == BITS


@pytest.mark.slow
def test_noise_on_ever_so_many_integers():
    """Where sums over integers are as good as integrals they are not laid out."""
    assert not missing(ny.DiscreteGaussian(1e4) ** 3, ["advantage", "tpr@1e-06"])
