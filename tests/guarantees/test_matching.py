"""Compositions that are part of others by construction: decided without a number, and never against the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.choose import profiles
from neyman.guarantees.implication.step_by_step import within
from neyman.losses.base import Step
from neyman.losses.discrete.steps import (
    ApproximateStep,
    DiscreteGaussianStep,
    DiscreteLaplaceStep,
    RandomizedResponseStep,
    TabulatedStep,
)
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from tests.effort import crossed, examples, rest_slow

rates = st.one_of(st.just(1.0), st.floats(0.01, 1.0))
sampled = st.floats(0.01, 0.99)
scales = st.floats(0.5, 5.0)
steps = st.one_of(
    st.builds(GaussianStep, st.floats(0.2, 2.0)),
    st.builds(SubsampledGaussianStep, scales, sampled),
    st.builds(ReplacedGaussianStep, scales, sampled),
    st.builds(LaplaceStep, scales, rates),
    st.builds(LaplaceStep, scales, sampled, st.just(True)),
    st.builds(DiscreteLaplaceStep, scales, st.integers(1, 2), rates),
    st.builds(DiscreteGaussianStep, st.sampled_from([1.0, 2.0]), st.integers(1, 2), rates),
    st.builds(RandomizedResponseStep, st.floats(0.1, 3.0), st.integers(2, 4), rates),
    st.builds(ApproximateStep, st.floats(0.0, 3.0), st.floats(1e-6, 0.1), rates),
    st.builds(TabulatedStep, st.just((0.7, 0.3)), st.just((0.2, 0.8)), rates),
)
EPSILON = np.array([0.0, 0.1, 0.5, 1.0, 2.0])


def checked(one: Step, other: Step) -> None:
    """What the step promises holds for delta in both directions."""
    for mine, theirs in zip(profiles(((one, 1),), 1e-6), profiles(((other, 1),), 1e-6), strict=True):
        assert np.all(mine.bracket(EPSILON).lower <= theirs.bracket(EPSILON).upper)


@pytest.mark.slow
@given(st.data(), steps)
@examples(50, 1000)
def test_a_step_is_within_another_only_if_delta_says_so(data, other):
    kind = type(other)
    one = data.draw(steps.filter(lambda step: type(step) is kind or isinstance(other, GaussianStep)))
    assert one.within(one)
    assert other.within(other)
    if one.within(other):
        checked(one, other)
        if one != other:
            assert not other.within(one) or one.tail_mu == pytest.approx(other.tail_mu)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SubsampledGaussianStep(2.0, 0.1), SubsampledGaussianStep(1.0, 0.2)),
        (SubsampledGaussianStep(2.0, 0.1), GaussianStep(0.5 + 1e-9)),
        (ReplacedGaussianStep(2.0, 0.1), ReplacedGaussianStep(1.5, 0.1)),
        (LaplaceStep(2.0, 0.5), LaplaceStep(1.0, 1.0)),
        (DiscreteLaplaceStep(2.0, 1), DiscreteLaplaceStep(1.0, 1)),
        (DiscreteGaussianStep(2.0, 1, 0.3), DiscreteGaussianStep(2.0, 1)),
        (RandomizedResponseStep(1.0, 4), RandomizedResponseStep(1.0, 2)),
        (RandomizedResponseStep(0.5, 3), RandomizedResponseStep(1.0, 3)),
        (ApproximateStep(0.5, 1e-6, 0.2), ApproximateStep(1.0, 1e-5, 0.3)),
        (TabulatedStep((0.7, 0.3), (0.2, 0.8), 0.2), TabulatedStep((0.7, 0.3), (0.2, 0.8))),
    ],
)
def test_one_of_each_kind(one, other):
    assert one.within(other)
    assert not other.within(one)
    checked(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LaplaceStep(2.0), LaplaceStep(1.0, 0.5)),
        (LaplaceStep(2.0, 0.5, True), LaplaceStep(1.0, 0.5)),
        (DiscreteLaplaceStep(2.0, 2), DiscreteLaplaceStep(1.0, 1)),
        (DiscreteGaussianStep(3.0, 1), DiscreteGaussianStep(2.0, 1)),  # of which nothing is known
        (RandomizedResponseStep(1.0, 2), RandomizedResponseStep(1.0, 3)),
        (TabulatedStep((0.7, 0.3), (0.2, 0.8)), TabulatedStep((0.7, 0.3), (0.1, 0.9))),
        (GaussianStep(0.1), LaplaceStep(1.0)),
    ],
)
def test_what_is_not_known_is_not_claimed(one, other):
    assert not one.within(other)


def test_every_step_is_used_once():
    weak, strong = SubsampledGaussianStep(2.0, 0.1), SubsampledGaussianStep(1.0, 0.1)
    assert within(((weak, 5), (strong, 2)), ((strong, 7),))
    assert not within(((weak, 5), (strong, 2)), ((strong, 6),))
    assert not within(((strong, 2),), ((weak, 100),))


def test_gaussians_are_shared_among_what_is_left():
    weak = SubsampledGaussianStep(2.0, 0.1)
    assert within(((weak, 4),), ((GaussianStep(1.0 + 1e-9), 1),))  # 4 / 2^2
    assert not within(((weak, 5),), ((GaussianStep(1.0), 1),))
    assert within(((weak, 5),), ((GaussianStep(1.0 + 1e-9), 1), (weak, 1)))
    assert within(((GaussianStep(1.0), 1),), ((GaussianStep(1.0), 1), (LaplaceStep(1.0), 1)))
    assert not within(((ApproximateStep(1.0, 0.1), 1),), ((GaussianStep(50.0), 1),))


@crossed(
    (
        ("a", "b"),
        [
            (ny.DPSGD(1.0, 0.01, 1000), ny.DPSGD(1.0, 0.01, 1200)),
            (ny.DPSGD(1.1, 0.01, 1000), ny.DPSGD(1.0, 0.01, 1000)),
            (ny.DPSGD(1.0, 0.009, 1000), ny.DPSGD(1.0, 0.01, 1000)),
            (ny.DPSGD(1.1, 0.009, 900) * ny.Laplace(2.0), ny.DPSGD(1.0, 0.01, 1000) * ny.Laplace(1.0)),
        ],
    ),
    ("adjacency", rest_slow(["add_or_remove", "add", "remove", "replace"], "add_or_remove", "remove")),
)
def test_runs_are_ordered_to_the_last_tail(a, b, adjacency):
    private, leaky = ny.account(a, adjacency), ny.account(b, adjacency)
    assert private.satisfies(leaky).outcome == "yes"
    assert ny.compare(private, leaky).order == "more_private"
    assert ny.compare(private, leaky).divergence >= ny.compare(private, leaky).bounds[0].lower > 0.0
    assert ny.compare(leaky, private).divergence == 0.0
