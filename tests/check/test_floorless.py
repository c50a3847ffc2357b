"""mu with no floor of discrete Gaussians, from above."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx

import neyman as ny
from neyman_check.claims import vertices
from neyman_check.laws.integers import DiscreteGaussian
from tests.check.making import BITS
from tests.effort import rest_slow

DEEP = 60  # deviations


def scores(sigma, count):
    """z(k) for 1 <= k <= count, each by a sum of its own."""
    ctx.prec = BITS
    far = count + math.ceil(16 * sigma)
    mass = [(-arb(x * x) / (2 * arb(sigma) ** 2)).exp() for x in range(far + 1)]
    whole = mass[0] + 2 * sum(mass[1:], arb(0))
    return [arb(2).sqrt() * (2 * sum(mass[k:], arb(0)) / whole).erfcinv() for k in range(1, count + 1)]


def free(_: int) -> None:
    """No work is counted."""


@pytest.mark.parametrize(("sigma", "shift"), [(0.125, 2), (0.5, 1), (1.0, 3), (3.0, 1)])
def test_no_vertex_is_above(sigma, shift):
    ctx.prec = BITS
    z = scores(sigma, math.ceil(DEEP * sigma) + shift)
    both = [*(-x for x in reversed(z)), *z]  # z(1 - k) = -z(k)
    most = max((b - a for a, b in zip(both, both[shift:], strict=False)), key=lambda x: float(x.mid()))
    found = vertices.discrete_gaussian_mu(DiscreteGaussian(Fraction(sigma) ** 2, shift, 1), free)
    assert most <= found + arb(1e-25)
    assert found < most * arb("1.000001")
    assert not most <= found * arb("0.999999")


@pytest.mark.parametrize(("sigma", "first", "shift", "less"), [(0.5, 6, 1, "0.98"), (2.0, 60, 3, "0.9985")])
def test_a_smaller_bound_on_further_vertices_would_be_wrong(sigma, first, shift, less):
    ctx.prec = BITS
    z = scores(sigma, first + 40 + shift)
    whole = 1 + 2 * sum(((-arb(x * x) / (2 * arb(sigma) ** 2)).exp() for x in range(1, 100)), arb(0))
    bound = vertices.further(DiscreteGaussian(Fraction(sigma) ** 2, shift, 1), first, whole)
    assert all(z[k + shift - 1] - z[k - 1] <= bound for k in range(first, first + 40))
    assert z[first + shift - 1] - z[first - 1] > bound * arb(less)


@pytest.mark.parametrize(("sigma", "shift"), [(2.0, 1), (8.0, 3), (40.0, 1)])
def test_next_to_a_normal_law(sigma, shift):
    """That of the normal law of the same variance would be below what it is."""
    law = DiscreteGaussian(Fraction(sigma) ** 2, shift, 1)
    most = vertices.discrete_gaussian_mu(law, free)
    assert most <= vertices.smooth(law)
    assert most > shift / arb(sigma)
    assert float(vertices.smooth(law)) < shift / sigma * (1.0 + 2.0 / sigma**2)


def test_where_neither_is_told():
    for sigma in (1e-300, 1e-5, 1e300):
        law = DiscreteGaussian(Fraction(sigma) ** 2, 10**6, 1)
        assert not vertices.discrete_gaussian_mu(law, free) < 1e5 / sigma


@pytest.mark.parametrize(
    ("adjacency", "rate"), rest_slow([("add_or_remove", 1.0), ("add", 0.25), ("replace", 0.25)], 2)
)
def test_it_is_proved(adjacency, rate):
    mechanism = ny.DiscreteGaussian(0.75) if rate == 1.0 else ny.DiscreteGaussian(0.75).poisson(rate)
    found = ny.prove(ny.account(mechanism, adjacency), ["tail_mu"])
    assert found, str(found)
