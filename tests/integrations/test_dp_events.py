"""Events of dp_accounting become the mechanisms they describe, or are refused by name, with the path."""

import math
import sys
from fractions import Fraction

import attr
import dp_accounting
import pytest
from dp_accounting import dp_event as dp
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter, from_dp_event

GAUSSIAN = dp.GaussianDpEvent(2.0)
STEP = dp.PoissonSampledDpEvent(0.25, GAUSSIAN)
SUPPORTED = (
    "one of NoOpDpEvent, GaussianDpEvent, LaplaceDpEvent, DiscreteLaplaceDpEvent, RandomizedResponseDpEvent, "
    "EpsilonDeltaDpEvent, ZCDpEvent, ComposedDpEvent, SelfComposedDpEvent, PoissonSampledDpEvent"
)


def message(event):
    with pytest.raises(InvalidParameter) as caught:
        from_dp_event(event)
    return str(caught.value)


MEANINGS = [
    (dp.NoOpDpEvent(), ny.compose([])),
    (GAUSSIAN, ny.Gaussian(2.0)),
    (dp.LaplaceDpEvent(2), ny.Laplace(2.0)),
    (dp.DiscreteLaplaceDpEvent(0.5, 3), ny.DiscreteLaplace(2.0, 3)),
    (dp.RandomizedResponseDpEvent(1.0, 4), ny.RandomizedResponse(0.0, 4)),
    (STEP, ny.Gaussian(2.0).poisson(0.25)),
    (dp.PoissonSampledDpEvent(0.5, dp.LaplaceDpEvent(2.0)), ny.Laplace(2.0).poisson(0.5)),
    (dp.PoissonSampledDpEvent(0.5, STEP), ny.Gaussian(2.0).poisson(0.125)),
    (dp.PoissonSampledDpEvent(0.0, dp.SelfComposedDpEvent(GAUSSIAN, 5)), ny.compose([])),
    (dp.PoissonSampledDpEvent(1, dp.SelfComposedDpEvent(GAUSSIAN, 5)), ny.Gaussian(2.0) ** 5),
    (dp.PoissonSampledDpEvent(0.25, dp.ComposedDpEvent([dp.NoOpDpEvent(), GAUSSIAN])), ny.Gaussian(2.0).poisson(0.25)),
    (dp.SelfComposedDpEvent(STEP, 1000), ny.DPSGD(2.0, 0.25, 1000)),
    (dp.SelfComposedDpEvent(STEP, 0), ny.compose([])),
    (dp.ZCDpEvent(0.5), ny.Opaque(ny.ZCDP(0.5))),
    (
        dp.ComposedDpEvent([dp.ZCDpEvent(0.5, 0.0), STEP, dp.ZCDpEvent(0.5)]),
        ny.Opaque(ny.ZCDP(0.5)) ** 2 * ny.DPSGD(2.0, 0.25, 1),
    ),
    (dp.PoissonSampledDpEvent(0.25, dp.ZCDpEvent(0.5)), ny.Opaque(ny.ZCDP(0.5)).poisson(0.25)),
    (dp.ComposedDpEvent([]), ny.compose([])),
    (
        dp.ComposedDpEvent((dp.SelfComposedDpEvent(STEP, 10), dp.LaplaceDpEvent(1.0), STEP)),
        ny.DPSGD(2.0, 0.25, 11) * ny.Laplace(1.0),
    ),
]


@pytest.mark.parametrize(("event", "mechanism"), MEANINGS, ids=str)
def test_what_events_mean(event, mechanism):
    assert from_dp_event(event) == mechanism


def test_what_the_builder_of_dp_accounting_makes():
    builder = dp_accounting.DpEventBuilder()
    for _ in range(30):
        builder.compose(STEP)
    builder.compose(GAUSSIAN, 2)
    assert from_dp_event(builder.build()) == ny.DPSGD(2.0, 0.25, 30) * ny.Gaussian(2.0) ** 2


def test_the_event_of_a_named_tuple():
    event = dp.DpEvent.from_named_tuple(dp.SelfComposedDpEvent(STEP, 3).to_named_tuple())
    assert from_dp_event(event) == ny.DPSGD(2.0, 0.25, 3)


@given(st.floats(1e-6, 1.0, exclude_max=True), st.integers(2, 1000))
def test_randomized_response_has_the_ratio_of_its_probabilities(p, k):
    m = from_dp_event(dp.RandomizedResponseDpEvent(p, k))
    true, other = 1 - Fraction(p) + Fraction(p) / k, Fraction(p) / k
    assert m.k == k
    exact = math.log1p(float(true / other - 1))
    assert exact <= m.epsilon <= exact * (1.0 + 1e-14) + 1e-300


@given(st.floats(1e-6, 600.0))
def test_the_scale_of_discrete_laplace_is_rounded_down(a):
    scale = Fraction(from_dp_event(dp.DiscreteLaplaceDpEvent(a, 1)).scale)
    assert scale <= 1 / Fraction(a) < Fraction(math.nextafter(float(scale), math.inf))


def test_epsilon_delta_events_of_later_versions(monkeypatch):
    @attr.s(frozen=True, slots=True, auto_attribs=True)
    class EpsilonDeltaDpEvent(dp.DpEvent):
        epsilon: float
        delta: float

    event = EpsilonDeltaDpEvent(1.0, 1e-9)
    assert message(event).startswith(f"event must be {SUPPORTED}, got EpsilonDeltaDpEvent.")
    monkeypatch.setattr(dp, "EpsilonDeltaDpEvent", EpsilonDeltaDpEvent, raising=False)
    assert from_dp_event(event) == ny.ApproximateMechanism(1.0, 1e-9)
    said = "event.delta must be a number in [0, 1), got 1.0. At 1 everything may be revealed."
    assert message(EpsilonDeltaDpEvent(1.0, 1.0)) == said


FIXED = "Batches of fixed size are another mechanism than Poisson samples, with another worst pair."
UNSUPPORTED = [
    (dp.NonPrivateDpEvent(), "It reveals everything: a blatant mechanism has no guarantee."),
    (dp.UnsupportedDpEvent(), "It says nothing of what was run."),
    (dp.SampledWithReplacementDpEvent(10, 2, GAUSSIAN), FIXED),
    (dp.SampledWithoutReplacementDpEvent(10, 2, GAUSSIAN), FIXED),
    (
        dp.TruncatedSubsampledGaussianDpEvent(10, 0.5, 2, 1.0),
        "Truncated batches are another mechanism than Poisson samples.",
    ),
    (
        dp.SingleEpochTreeAggregationDpEvent(1.0, 3),
        "Its noise is shared by the nodes of a tree; state the steps of one record.",
    ),
    (dp.RepeatAndSelectDpEvent(GAUSSIAN, 1.0, 1.0), "Selecting the best of several runs has no known worst pair."),
    (dp.MixtureOfGaussiansDpEvent(1.0, [1.0], [1.0]), "Mixtures of several sensitivities have no law here yet."),
    (dp.DpEvent(), ""),
    (None, ""),
    (1.0, ""),
]


@pytest.mark.parametrize(("event", "reason"), UNSUPPORTED, ids=lambda v: type(v).__name__)
def test_other_events_are_refused_by_name_and_path(event, reason):
    said = f"must be {SUPPORTED}, got {type(event).__name__}." + (f" {reason}" if reason else "")
    assert message(event) == f"event {said}"
    assert message(dp.ComposedDpEvent([STEP, GAUSSIAN, event])) == f"event.events[2] {said}"
    nested = dp.ComposedDpEvent([dp.PoissonSampledDpEvent(0.5, dp.SelfComposedDpEvent(event, 2))])
    assert message(nested) == f"event.events[0].event.event {said}"


def test_other_classes_of_a_known_name_are_refused():
    class GaussianDpEvent:
        noise_multiplier = 1.0

    class Louder(dp.GaussianDpEvent):
        pass

    assert message(GaussianDpEvent()) == f"event must be {SUPPORTED}, got GaussianDpEvent."
    assert message(Louder(1.0)) == f"event must be {SUPPORTED}, got Louder."


BLATANT = "Without noise everything is revealed: a blatant mechanism has no guarantee."
POSITIVE = "a finite number > 0"
WHOLE = "a whole number from 0 to 1e+18"
REFUSED = [
    (dp.GaussianDpEvent(0.0), f"event.noise_multiplier must be {POSITIVE}, got 0.0. {BLATANT}"),
    (dp.LaplaceDpEvent(math.nan), f"event.noise_multiplier must be {POSITIVE}, got nan. {BLATANT}"),
    (
        dp.GaussianDpEvent(1e200),
        "event.noise_multiplier must be between 1e-100 and 1e+100 times the sensitivity 1.0, got 1e+200.",
    ),
    (
        dp.LaplaceDpEvent(1e-3),
        "event.noise_multiplier must be between 0.00142857 and 1e+15 times the sensitivity 1.0, got 0.001.",
    ),
    (dp.DiscreteLaplaceDpEvent(0.0, 1), f"event.noise_parameter must be {POSITIVE}, got 0.0."),
    (
        dp.DiscreteLaplaceDpEvent(5e-324, 1),
        "event.scale must be between 0.00142857 and 1e+15 times the sensitivity 1, got 9.999999999999999e+299.",
    ),
    (dp.DiscreteLaplaceDpEvent(1.0, 1.5), "event.sensitivity must be a whole number from 1 to 1e+06, got 1.5."),
    (dp.RandomizedResponseDpEvent(0.0, 2), f"event.noise_parameter must be a number in (0, 1], got 0.0. {BLATANT}"),
    (dp.RandomizedResponseDpEvent(1.5, 2), "event.noise_parameter must be a number in [0, 1], got 1.5."),
    (
        dp.RandomizedResponseDpEvent(1e-310, 2),
        "event.noise_parameter must be so large that epsilon <= 700, got 1e-310.",
    ),
    (dp.RandomizedResponseDpEvent(0.5, 1), "event.num_buckets must be a whole number from 2 to 1e+09, got 1."),
    (dp.ZCDpEvent(-0.5), "event.rho must be a number in [0, 1e+12], got -0.5."),
    (
        dp.SelfComposedDpEvent(dp.ZCDpEvent(0.5, 0.1), 2),
        "event.event.xi must be 0, got 0.1. State xi + rho t at some orders t as RDP in an Opaque.",
    ),
    (dp.ZCDpEvent(0.5, math.nan), "event.xi must be a finite number >= 0, got nan."),
    (dp.SelfComposedDpEvent(STEP, -1), f"event.count must be {WHOLE}, got -1."),
    (dp.SelfComposedDpEvent(STEP, 2.5), f"event.count must be {WHOLE}, got 2.5."),
    (dp.PoissonSampledDpEvent(1.5, GAUSSIAN), "event.sampling_probability must be a number in [0, 1], got 1.5."),
    (
        dp.ComposedDpEvent([dp.PoissonSampledDpEvent(0.5, dp.GaussianDpEvent(-1.0))]),
        f"event.events[0].event.noise_multiplier must be {POSITIVE}, got -1.0. {BLATANT}",
    ),
    (dp.ComposedDpEvent(STEP), "event.events must be a list of events, got PoissonSampledDpEvent."),
    (
        dp.PoissonSampledDpEvent(0.5, dp.SelfComposedDpEvent(GAUSSIAN, 2)),
        (
            "event.event must be a single step to be sampled, got Gaussian(sigma=2.0, sensitivity=1.0) ** 2. A sample "
            "shared by several steps is another mechanism than a fresh sample for each."
        ),
    ),
]


@pytest.mark.parametrize(("event", "said"), REFUSED, ids=str)
def test_numbers_are_refused_with_their_path(event, said):
    assert message(event) == said


def test_depth_is_limited_not_crashed_into():
    event = GAUSSIAN
    for _ in range(63):
        event = dp.SelfComposedDpEvent(event, 1)
    assert from_dp_event(event) == ny.Gaussian(2.0)
    for _ in range(5000):
        event = dp.SelfComposedDpEvent(event, 1)
    said = f"event{'.event' * 64} must be nested at most 64 deep, got SelfComposedDpEvent."
    assert message(event) == said


def test_without_dp_accounting_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", None)
    with pytest.raises(ImportError, match=r"^from_dp_event needs dp_accounting: pip install 'neyman\[dp-acc.*\]'\n"):
        from_dp_event(GAUSSIAN)


def shared(levels: int) -> dp.DpEvent:
    """2^levels steps in as many objects as there are levels."""
    event: dp.DpEvent = dp.GaussianDpEvent(1.0)
    for _ in range(levels):
        event = dp.ComposedDpEvent([event, event])
    return event


def test_trees_whose_nodes_are_shared():
    assert ny.from_dp_event(shared(6)) == ny.Gaussian(1.0) ** 64
    for levels, size in ((40, "2.199e+12"), (60, "2.306e+18")):
        with pytest.raises(ny.InvalidParameter) as refused:
            ny.from_dp_event(shared(levels))
        assert str(refused.value) == (
            f"event must be a tree of at most 1e+06 events, got a tree that expands to {size} events. "
            "Repeat events by SelfComposedDpEvent."
        )
    loop = dp.ComposedDpEvent([dp.NoOpDpEvent()])
    object.__setattr__(loop, "events", [loop])
    with pytest.raises(ny.InvalidParameter, match="nested at most 64 deep"):
        ny.from_dp_event(loop)
