"""Proved deltas against the reference tables, rational enumeration, and the hunter's oracle."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx, fmpq

import neyman as ny
from neyman.witnesses.plans.line import TooDear
from neyman_check.deltas.exact import Outcomes
from neyman_check.form import Wanted
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import BITS, DATA, inside, supplied
from tests.effort import rest_slow
from tests.hunt.balls import Contour, FiniteFactor, SampledGaussianFactor
from tests.reference import closed

ROUNDED = 1e-12  # what binary64 parameters in place of the decimals may move a value by
SHARP = 1e-12


def cases(name):
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


@pytest.mark.parametrize("number", rest_slow(range(3), 2))
def test_lines_against_the_tables(number):
    case = cases("subsampled_gaussian_composed")[number]
    supply = supplied(ny.DPSGD(float(case["sigma"]), float(case["q"]), case["T"]))
    found = 0
    for p in case["points"]:
        epsilon, truth = float(p["eps"]), arb(p["delta"])
        if not (epsilon >= 0 and truth > 1e-30):
            continue
        try:
            ball = supply.ball(p["direction"] == "remove", epsilon)
        except TooDear:
            continue
        if ball is None:
            continue
        assert inside(ball.lower, ball.upper, truth, ROUNDED), p
        if ball.upper - ball.lower <= ball.upper * SHARP:
            found += 1
    assert found >= 8


def test_a_line_of_exact_parameters_against_another_program():
    """Sigma and rate are floats as they are: nothing is rounded."""
    mechanism = ny.DPSGD(2.0, 0.25, 300)
    supply = supplied(mechanism)
    oracle = Contour([SampledGaussianFactor(2.0, 0.25, 300)])
    for add in (False, True):
        for epsilon in (0.0, 1.5, 6.0):
            ball = supply.ball(not add, epsilon)
            low, high = oracle.delta(arb(epsilon), add)
            assert ball.lower <= high
            assert low <= ball.upper
            assert ball.upper - ball.lower <= ball.upper * SHARP


def test_mixes_by_a_line_against_another_program():
    ctx.prec = BITS
    mechanism = ny.DPSGD(3.0, 0.25, 400) * ny.RandomizedResponse(0.5, 2) ** 3
    supply = supplied(mechanism)
    keep, lie = arb(0.5).exp() / (1 + arb(0.5).exp()), 1 / (1 + arb(0.5).exp())
    oracle = Contour([SampledGaussianFactor(3.0, 0.25, 400), FiniteFactor(((keep, lie), (lie, keep)), 3)])
    for add in (False, True):
        for epsilon in (0.5, 3.0):
            ball = supply.ball(not add, epsilon)
            low, high = oracle.delta(arb(epsilon), add)
            assert ball.lower <= high
            assert low <= ball.upper
            assert ball.upper - ball.lower <= ball.upper * SHARP


def outcomes(mechanism, adjacency="add_or_remove", remove=True):
    ctx.prec = BITS
    return Outcomes(laws_of(mechanism.to_dict(), adjacency), remove, Work(BITS))


@pytest.mark.parametrize("case", cases("gaussian"), ids=lambda c: c["mu"])
def test_a_gaussian_alone(case):
    """Mu is the float nearest to the decimal, so that the truth is computed for it, at more bits."""
    sigma = 1.0 / float(case["mu"])
    known = outcomes(ny.Gaussian(sigma))
    for p in case["points"]:
        epsilon = float(p["eps"])
        ball = known.delta(arb(epsilon))
        ctx.prec = 400
        truth = closed.gaussian_delta(1 / arb(sigma), arb(epsilon))
        ctx.prec = BITS
        assert inside(ball.lower, ball.upper, truth)


@pytest.mark.parametrize("remove", [True, False])
def test_outcomes_against_rational_enumeration(remove):
    """T steps of a table with something revealed for certain, sequence by sequence."""
    p, q, times = (0.5, 0.25, 0.25, 0.0), (0.25, 0.25, 0.375, 0.125), 4
    ball = outcomes(ny.Tabulated(p, q) ** times, remove=remove)
    laws = [(Fraction(a), Fraction(b)) if remove else (Fraction(b), Fraction(a)) for a, b in zip(p, q, strict=True)]
    for t in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4), Fraction(20)):
        truth = sum(
            (max(math.prod(a for a, _ in run) - t * math.prod(b for _, b in run), Fraction(0))
             for run in product(laws, repeat=times)), Fraction(0)
        )  # fmt: skip
        exact = arb(fmpq(truth.numerator, truth.denominator))
        found = ball.delta(arb(fmpq(t.numerator, t.denominator)).log())
        assert found.lower.lower() <= exact
        assert exact <= found.upper.upper()
        assert found.upper.upper() - found.lower.lower() < arb(2) ** -100


def test_outcomes_beside_a_gaussian_against_an_integral():
    """Delta = E over the Gaussian's loss of what the rest leaves: another order of integration."""
    ctx.prec = BITS
    keep, lie, mu = arb(1).exp() / (1 + arb(1).exp()), 1 / (1 + arb(1).exp()), arb(0.5)
    found = outcomes(ny.Gaussian(2.0) * ny.RandomizedResponse(1.0, 2)).delta(arb(0.75))

    def alone(x):
        return (keep - x.exp() * lie).nonnegative_part() + (lie - x.exp() * keep).nonnegative_part()

    whole, h = arb(0), arb(1) / 256  # sums of a continuous integrand, by halves: to the digits that are asked
    for k in range(-12 * 256, 12 * 256):
        z = h * k
        whole += (-z * z / 2).exp() * alone(arb(0.75) - (mu * z + mu * mu / 2)) * h
    assert abs(whole / (2 * arb.pi()).sqrt() - found.lower) < 1e-5


def test_many_outcomes_of_one_step_are_listed_without_recursion():
    n = 4000
    law = (1.0 / 4096,) * 4096
    turned = tuple(x * (1.5 if i % 2 else 0.5) for i, x in enumerate(law))
    assert n < 4096
    found = outcomes(ny.Tabulated(law, turned)).delta(arb(0))
    assert abs(found.upper - arb("0.25")) < 1e-20


@pytest.mark.parametrize("adjacency", ["add_or_remove", "replace"])
def test_whichever_record_is_exchanged_for_the_other(adjacency):
    """Of an asymmetric table the reversed pair counts too."""
    supply = supplied(ny.Tabulated((0.7, 0.2, 0.1, 0.0), (0.2, 0.2, 0.5, 0.1)), adjacency)
    assert {row["direction"] for row in supply.places([1.5])} == {"remove", "add"}
    assert max(float(supply.ball(way, 1.5).lower) for way in (True, False)) > 0.15


def test_a_wanted_line_of_the_other_direction():
    """It serves at -eps."""
    supply = supplied(ny.DPSGD(9.4, 0.32768, 2000))
    own, one = supply.ball(False, 0.25), supply.ball(True, 0.25)
    assert len(supply.lines) == 2
    for number, way, known in ((0, True, one), (1, False, own)):
        ball = supply._checker.delta(Wanted(way, 0.25, number))
        assert ball.lower <= known.upper
        assert known.lower <= ball.upper
        assert ball.upper - ball.lower < arb("1e-6")
