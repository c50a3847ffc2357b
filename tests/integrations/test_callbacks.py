"""A run stops with the last step that its budget allows, whoever counts the steps."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter
from neyman.integrations.callbacks import StopOnBudget
from neyman.integrations.histories import runs, share
from tests.effort import examples, rest_slow

DELTA = 1e-5
TARGET = ny.targets.Epsilon(2.0, DELTA)


def train(budget, accountant, noise, rate, most=10**6):
    for _ in budget.guard(range(most)):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    return len(accountant)


@examples(4, 100)
@given(st.floats(0.7, 5.0), st.floats(0.01, 1.0), st.floats(0.5, 4.0))
def test_the_last_step_is_the_last_that_is_allowed(noise, rate, epsilon):
    accountant, target = ny.Accountant(), ny.targets.Epsilon(epsilon, DELTA)
    budget = StopOnBudget(accountant, target, noise_multiplier=noise, sample_rate=rate)
    allowed = budget.steps_left
    assert train(budget, accountant, noise, rate) == allowed
    assert target.met_by(accountant.guarantee())
    assert not target.met_by(ny.account(ny.DPSGD(noise, rate, allowed + 1)))


def test_it_is_the_number_that_is_known_beforehand():
    budget = StopOnBudget(ny.Accountant(), TARGET, noise_multiplier=1.0, sample_rate=0.01)
    assert budget.steps_left == ny.steps_for_dpsgd(TARGET, 1.0, 0.01).parameter
    assert budget.target is TARGET


def test_what_was_run_before_counts():
    accountant = ny.Accountant()
    accountant.add(ny.Gaussian(5.0), 2)
    accountant.add(ny.DPSGD(1.0, 0.01, 1), 100)
    budget = StopOnBudget(accountant, TARGET, noise_multiplier=1.0, sample_rate=0.01)
    left = budget.steps_left
    assert 0 < left < 1102
    train(budget, accountant, 1.0, 0.01)
    assert len(accountant) == 102 + left
    assert accountant.get_epsilon(DELTA) <= 2.0
    assert not TARGET.met_by(ny.account(ny.Gaussian(5.0) ** 2 * ny.DPSGD(1.0, 0.01, 101 + left)))


def test_steps_of_another_kind_are_seen():
    accountant = ny.Accountant()
    budget = StopOnBudget(accountant, TARGET, noise_multiplier=1.0, sample_rate=0.01)
    before = budget.steps_left
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    assert budget.steps_left == before - 1
    accountant.step(noise_multiplier=0.9, sample_rate=0.05)  # not what was announced
    assert budget.steps_left < before - 2
    accountant.add(ny.Gaussian(0.5))
    assert budget.steps_left == 0
    assert not budget.may_step()


def test_nothing_left_from_the_start():
    accountant = ny.Accountant()
    accountant.add(ny.Gaussian(0.1))
    assert not StopOnBudget(accountant, TARGET, noise_multiplier=1.0, sample_rate=0.01).may_step()


def test_the_optimizer_is_asked_for_its_noise():
    optimizer, accountant = SimpleNamespace(noise_multiplier=1.0), ny.Accountant()
    budget = StopOnBudget(accountant, TARGET, optimizer=optimizer, sample_rate=0.01)
    first = budget.steps_left
    optimizer.noise_multiplier = 2.0
    assert budget.steps_left > first


def test_an_accountant_with_a_history_of_numbers():
    accountant = SimpleNamespace(history=[(1.0, 0.01, 1000), (1, 0.5, 0)])
    budget = StopOnBudget(accountant, TARGET, noise_multiplier=1.0, sample_rate=0.01)
    assert budget.steps_left == 202
    accountant.history = [(1.0, 0.01, 1202)]
    assert not budget.may_step()
    accountant.history = [(1.0, 0.01, 9999)]
    assert budget.steps_left == 0


def test_neighbours_are_those_of_the_accountant():
    def left(adjacency):
        accountant = ny.Accountant(adjacency=adjacency)
        return StopOnBudget(accountant, TARGET, noise_multiplier=2.0, sample_rate=0.01).steps_left

    assert left("replace") < left("add_or_remove")


OPTIONS = {"noise_multiplier": 1.0, "sample_rate": 0.01}


@pytest.mark.parametrize(
    ("accountant", "target", "options", "message"),
    [
        (
            ny.Accountant(),
            2.0,
            OPTIONS,
            "target must be a target, got 2.0. Such as ny.targets.Epsilon(8.0, delta=1e-5).",
        ),
        (
            ny.Accountant(),
            TARGET,
            {"sample_rate": 0.01},
            "noise_multiplier must be the only source of the noise, or optimizer",
        ),
        (ny.Accountant(), TARGET, OPTIONS | {"optimizer": 1}, "noise_multiplier must be the only source of the noise"),
        (ny.Accountant(), TARGET, OPTIONS | {"sample_rate": 0.0}, "sample_rate must be a number in (0, 1], got 0.0."),
        (ny.Accountant(), TARGET, OPTIONS | {"sample_rate": 2.0}, "sample_rate must be a number in [0, 1], got 2.0."),
        (ny.Accountant(), TARGET, OPTIONS | {"noise_multiplier": 0.0}, "noise_multiplier must be a finite number > 0"),
        (object(), TARGET, OPTIONS, "accountant must be an accountant with a history"),
        (SimpleNamespace(history=[1]), TARGET, OPTIONS, "accountant.history must be made of (mechanism, count)"),
        (SimpleNamespace(history=[(1.0, 2.0, 3)]), TARGET, OPTIONS, "sample_rate must be a number in [0, 1], got 2.0."),
    ],
)
def test_refusals(accountant, target, options, message):
    with pytest.raises(InvalidParameter) as caught:
        StopOnBudget(accountant, target, **options)
    assert str(caught.value).startswith(message)


def test_histories_of_either_form():
    accountant = ny.Accountant()
    accountant.add(ny.DPSGD(1.0, 0.5, 1), 3)
    assert runs(accountant) == runs(SimpleNamespace(history=[(1.0, 0.5, 3)])) == ((ny.DPSGD(1.0, 0.5, 1), 3),)


@pytest.mark.parametrize("batches", rest_slow([2, 3, 8], 1))
def test_accumulated_batches_are_paid_for_together(batches):
    noise, rate = 5.0, 0.05
    accountant = SimpleNamespace(history=[(4.0, 0.1, 10)])
    budget = StopOnBudget(accountant, TARGET, noise_multiplier=noise, sample_rate=rate, accumulation=batches)
    each, taken = share(noise, batches), 0
    while budget.may_step():
        taken += 1
        accountant.history = [(4.0, 0.1, 10), (each, rate, taken * batches)]
    assert taken > 0
    before, step = ny.DPSGD(4.0, 0.1, 10), ny.DPSGD(each, rate, batches)
    assert TARGET.met_by(ny.account(before * step**taken))
    assert not TARGET.met_by(ny.account(before * step ** (taken + 1)))


@pytest.mark.parametrize("times", [-5, 1.5, math.nan, True, "2", None])
def test_histories_with_impossible_counts_are_refused(times):
    with pytest.raises(InvalidParameter, match="steps must be a whole number from 0"):
        runs(SimpleNamespace(history=[(1.0, 0.1, times)]))


@pytest.mark.parametrize("batches", [0, -1, 1.5, math.nan, True])
def test_impossible_accumulation_is_refused(batches):
    with pytest.raises(InvalidParameter, match="accumulation must be a whole number from 1"):
        StopOnBudget(ny.Accountant(), TARGET, noise_multiplier=1.0, sample_rate=0.01, accumulation=batches)
