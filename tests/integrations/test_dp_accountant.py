"""Tools of dp_accounting take our accountant, and its answers are those of account."""

import math

import dp_accounting
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting import dp_event as dp

import neyman as ny
from neyman import InvalidParameter
from neyman.integrations.dp_accountant import EventAccountant
from tests.effort import rest_slow

ADD_OR_REMOVE, REPLACE, SPECIAL = NeighboringRelation
GAUSSIAN = dp.GaussianDpEvent(2.0)
STEP = dp.PoissonSampledDpEvent(0.25, GAUSSIAN)
DELTA = 1e-6

TREES = [
    dp.NoOpDpEvent(),
    GAUSSIAN,
    dp.SelfComposedDpEvent(STEP, 100),
    dp.ComposedDpEvent([STEP, dp.SelfComposedDpEvent(dp.ComposedDpEvent([GAUSSIAN, dp.LaplaceDpEvent(9.0)]), 3)]),
]


@pytest.mark.parametrize("event", TREES, ids=lambda event: type(event).__name__)
def test_answers_are_those_of_account(event):
    expected = ny.account(ny.from_dp_event(event) ** 2)
    accountant = EventAccountant()
    assert accountant.supports(event)
    assert accountant.compose(event, 2).get_epsilon(DELTA) == expected.epsilon(DELTA)
    assert accountant.get_delta(0.5) == expected.delta(0.5)
    assert accountant.guarantee().mu() == expected.mu()
    assert EventAccountant().compose(accountant.ledger).get_epsilon(DELTA) == expected.epsilon(DELTA)


def test_asking_whether_counts_nothing():
    accountant = EventAccountant()
    assert accountant.supports(STEP)
    assert accountant.supports(dp.NonPrivateDpEvent())
    assert accountant.get_epsilon(DELTA) == 0.0
    assert isinstance(accountant.ledger, dp.NoOpDpEvent)


@pytest.mark.parametrize("event", [STEP, dp.SelfComposedDpEvent(GAUSSIAN, 7)], ids=["sampled", "unsampled"])
@pytest.mark.parametrize("relation", rest_slow(NeighboringRelation, 0, 1), ids=lambda relation: relation.name)
def test_neighbours(event, relation):
    accountant = EventAccountant(relation).compose(event)
    assert accountant.neighboring_relation is relation
    adjacency = "replace" if relation is REPLACE else "add_or_remove"
    assert accountant.get_epsilon(DELTA) == ny.account(ny.from_dp_event(event), adjacency).epsilon(DELTA)
    theirs = dp_accounting.pld.PLDAccountant(relation).compose(event).get_epsilon(DELTA)
    assert accountant.get_epsilon(DELTA) <= theirs + 1e-6


BARE = [
    dp.NonPrivateDpEvent(),
    dp.GaussianDpEvent(0.0),
    dp.LaplaceDpEvent(0),
    dp.DiscreteLaplaceDpEvent(0.0, 1),
    dp.RandomizedResponseDpEvent(0.0, 2),
    dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(0)),
    dp.ComposedDpEvent([STEP, dp.SelfComposedDpEvent(dp.GaussianDpEvent(0.0), 5)]),
]


@pytest.mark.parametrize("event", BARE, ids=str)
def test_without_noise_epsilon_is_infinite(event):
    accountant = EventAccountant().compose(event)
    assert accountant.get_epsilon(DELTA) == math.inf
    assert accountant.get_delta(1.0) == 1.0
    with pytest.raises(InvalidParameter, match="A bare event has no guarantee"):
        accountant.guarantee()


def test_randomised_responses():
    event = dp.RandomizedResponseDpEvent(0.5, 3)
    expected = ny.account(ny.from_dp_event(event), "replace")
    assert EventAccountant(REPLACE).compose(event).get_epsilon(DELTA) == expected.epsilon(DELTA)
    theirs = dp_accounting.pld.PLDAccountant(REPLACE).compose(event).get_epsilon(DELTA)
    assert theirs == pytest.approx(expected.epsilon(DELTA), abs=2e-4)


def test_a_count_that_overflows_is_an_error_and_not_forgotten():
    accountant = EventAccountant().compose(STEP, 10**18)
    with pytest.raises(InvalidParameter, match="count must be at most 0"):
        accountant.compose(GAUSSIAN)


def test_nobody_sampled_is_nothing_lost():
    event = dp.PoissonSampledDpEvent(0.0, dp.GaussianDpEvent(1.0))
    assert EventAccountant().compose(event).get_epsilon(DELTA) == 0.0


def nested(depth):
    event = GAUSSIAN
    for _ in range(depth - 1):
        event = dp.SelfComposedDpEvent(event, 1)
    return event


REFUSED = [
    (ADD_OR_REMOVE, dp.SelfComposedDpEvent(STEP, -1), "count must be a whole number from 0 to 1e+18, got -1"),
    (ADD_OR_REMOVE, dp.SelfComposedDpEvent(STEP, 2.5), "count must be a whole number from 0 to 1e+18, got 2.5"),
    (
        ADD_OR_REMOVE,
        dp.SelfComposedDpEvent(dp.SelfComposedDpEvent(STEP, 10**10), 10**10),
        "count must be a whole number",
    ),
    (ADD_OR_REMOVE, dp.RandomizedResponseDpEvent(0.5, 2), "known for REPLACE_ONE alone"),
    (ADD_OR_REMOVE, dp.PoissonSampledDpEvent("0.5", GAUSSIAN), "sampling_probability must be a number in [0, 1]"),
    (ADD_OR_REMOVE, dp.UnsupportedDpEvent(), "It says nothing of what was run."),
    (ADD_OR_REMOVE, dp.SampledWithoutReplacementDpEvent(100, 10, GAUSSIAN), "Batches of fixed size"),
    (ADD_OR_REMOVE, dp.ComposedDpEvent([STEP, dp.UnsupportedDpEvent()]), "caused by subevent UnsupportedDpEvent()"),
    (ADD_OR_REMOVE, dp.GaussianDpEvent(-1.0), "noise_multiplier must be a finite number > 0"),
    (ADD_OR_REMOVE, nested(65), "nested more than 64 deep"),
    (REPLACE, dp.ZCDpEvent(0.1), "promises nothing else"),
    (REPLACE, dp.PoissonSampledDpEvent(0.5, dp.RandomizedResponseDpEvent(0.5, 2)), "sampl"),
    (SPECIAL, dp.RandomizedResponseDpEvent(0.5, 2), "Of REPLACE_SPECIAL only additive noise"),
    (SPECIAL, dp.ZCDpEvent(0.1), "Of REPLACE_SPECIAL only additive noise"),
]


@pytest.mark.parametrize(("relation", "event", "message"), REFUSED, ids=range(len(REFUSED)))
def test_events_that_are_not_supported(relation, event, message):
    accountant = EventAccountant(relation)
    assert not accountant.supports(event) or isinstance(event.event, dp.SelfComposedDpEvent)  # asked of none of them
    with pytest.raises(dp_accounting.UnsupportedEventError) as caught:
        accountant.compose(event)
    assert message in str(caught.value)
    assert accountant.get_epsilon(DELTA) == 0.0


def test_as_deep_as_is_allowed():
    assert EventAccountant().supports(nested(64))


def test_relations_that_are_not_known():
    with pytest.raises(
        InvalidParameter, match=r"neighboring_relation must be one of NeighboringRelation\.ADD_OR_REMOVE_ONE"
    ):
        EventAccountant("add")


@pytest.mark.parametrize("relation", rest_slow(NeighboringRelation, 0), ids=lambda relation: relation.name)
def test_calibration_by_dp_accounting(relation):
    noise = dp_accounting.calibrate_dp_mechanism(
        lambda: EventAccountant(relation),
        lambda sigma: dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(sigma)), 100),
        target_epsilon=2.0,
        target_delta=DELTA,
    )
    adjacency = "replace" if relation is REPLACE else "add_or_remove"
    assert 1.999 < ny.account(ny.DPSGD(noise, 0.1, 100), adjacency).epsilon(DELTA) <= 2.0


def test_numbers_that_cannot_be_certified_are_the_upper_end(monkeypatch):
    accountant = EventAccountant().compose(STEP)

    def refuse(*_):
        raise ny.NotCertified("epsilon", 1.0, 3.0, "a test")

    monkeypatch.setattr(type(accountant.guarantee()), "epsilon", refuse)
    monkeypatch.setattr(type(accountant.guarantee()), "delta", refuse)
    assert accountant.get_epsilon(DELTA) == 3.0
    assert accountant.get_delta(1.0) == 3.0


def test_a_composition_that_overflows_half_way_leaves_no_guarantee():
    accountant = EventAccountant()
    most = dp.SelfComposedDpEvent(dp.GaussianDpEvent(9.0), 10**18)
    with pytest.raises(InvalidParameter, match="what is left"):
        accountant.compose(dp.ComposedDpEvent([most, dp.GaussianDpEvent(1.0)]))
    assert accountant.get_epsilon(0.5) == math.inf
