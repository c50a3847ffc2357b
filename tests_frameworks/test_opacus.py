"""Opacus trains for real, and the accountant it makes by name answers with our numbers."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from opacus import PrivacyEngine
from opacus.accountants import PRVAccountant, RDPAccountant, create_accountant
from opacus.accountants import utils as opacus_utils
from opacus.utils.batch_memory_manager import BatchMemoryManager

import neyman as ny
from neyman import InvalidParameter
from neyman.integrations import opacus as integration
from neyman.integrations.callbacks import StopOnBudget
from neyman.integrations.opacus import OpacusAccountant
from tests_frameworks.digits import BATCHES, accuracy, parts, private, train

DELTA = 1e-5
RATE = 1 / BATCHES


def prv_bracket(history, delta=DELTA):
    accountant = PRVAccountant()
    accountant.history = list(history)
    law = accountant._get_dprv(eps_error=0.01, delta_error=delta / 1000)
    low, _, high = law.compute_epsilon(delta, delta / 1000, 0.01)
    return low, high


def test_a_run_has_the_epsilon_of_account_inside_the_bracket_of_prv():
    engine, model, optimizer, loader = private(noise=1.0)
    taken = train(model, optimizer, loader, epochs=4)
    assert accuracy(model) > 0.5
    assert taken == 4 * len(loader)
    assert engine.accountant.history == [(1.0, RATE, taken)]
    assert len(engine.accountant) == taken
    expected = ny.account(ny.DPSGD(1.0, RATE, taken))
    assert engine.get_epsilon(DELTA) == engine.accountant.get_epsilon(DELTA) == expected.epsilon(DELTA)
    low, high = prv_bracket(engine.accountant.history)
    assert low <= engine.get_epsilon(DELTA) <= high
    assert engine.accountant.guarantee().mu() == expected.mu()
    assert engine.accountant.tally().get_beta(0.1) == expected.beta(0.1)


def test_a_noise_schedule_is_counted_step_by_step():
    engine, model, optimizer, loader = private(noise=1.0)
    train(model, optimizer, loader)
    optimizer.noise_multiplier = 2.0
    train(model, optimizer, loader)
    each = len(loader)
    assert engine.accountant.history == [(1.0, RATE, each), (2.0, RATE, each)]
    expected = ny.account(ny.DPSGD(1.0, RATE, each) * ny.DPSGD(2.0, RATE, each))
    assert engine.get_epsilon(DELTA) == expected.epsilon(DELTA)
    low, high = prv_bracket(engine.accountant.history)
    assert low <= engine.get_epsilon(DELTA) <= high


RESUME = """
import json, sys, warnings
warnings.simplefilter("ignore")
from tests_frameworks.digits import private, train
engine, model, optimizer, loader = private(noise=1.0)
engine.load_checkpoint(path=sys.argv[1], module=model, optimizer=optimizer)
before = engine.get_epsilon(1e-5)
train(model, optimizer, loader)
print(json.dumps([before, engine.accountant.history, engine.get_epsilon(1e-5)]))
"""


def test_a_checkpoint_resumes_in_another_process(tmp_path):
    engine, model, optimizer, loader = private(noise=1.0)
    train(model, optimizer, loader, epochs=2)
    path = tmp_path / "run.pt"
    engine.save_checkpoint(path=path, module=model, optimizer=optimizer)
    root = Path(__file__).parent.parent
    found = subprocess.run(
        [sys.executable, "-c", RESUME, str(path)], cwd=root, capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == 0, found.stderr
    before, history, after = json.loads(found.stdout)
    steps = 2 * len(loader)
    assert before == engine.get_epsilon(DELTA) == ny.account(ny.DPSGD(1.0, RATE, steps)).epsilon(DELTA)
    assert history == [[1.0, RATE, steps + len(loader)]]
    assert after == ny.account(ny.DPSGD(1.0, RATE, steps + len(loader))).epsilon(DELTA)


@pytest.mark.parametrize(("batch", "epochs"), [(64, 3), (24, 3)], ids=["29 batches", "75 batches"])
def test_make_private_with_epsilon_keeps_the_target(batch, epochs):
    engine = PrivacyEngine(accountant="neyman")
    model, optimizer, loader = engine.make_private_with_epsilon(
        target_epsilon=3.0, target_delta=DELTA, epochs=epochs, **parts(batch)
    )
    batches = math.ceil(1797 / batch)
    calibrated = ny.noise_for_dpsgd(ny.targets.Epsilon(3.0, DELTA), 1 / batches, epochs * batches)
    assert optimizer.noise_multiplier == calibrated.parameter
    taken = train(model, optimizer, loader, epochs=epochs)
    assert epochs * (batches - 1) <= taken <= epochs * batches
    assert 2.9 < engine.get_epsilon(DELTA) <= 3.0


def test_opacus_itself_counts_one_step_too_few_at_75_batches():
    ours = integration.noise_multiplier(target_epsilon=3.0, target_delta=DELTA, sample_rate=1 / 75, epochs=3)
    assert ours == ny.noise_for_dpsgd(ny.targets.Epsilon(3.0, DELTA), 1 / 75, 225).parameter
    assert int(3 / (1 / 75)) == 224  # what Opacus makes of it
    assert 3 * int(1 / (1 / 75)) == 225  # what its loader then runs


def test_the_noise_of_other_accountants_is_theirs():
    ask = {"target_epsilon": 3.0, "target_delta": DELTA, "sample_rate": 0.01, "steps": 300}
    routed = opacus_utils.get_noise_multiplier
    assert routed(accountant="rdp", **ask) == routed.__wrapped__(accountant="rdp", **ask)
    theirs = routed.__wrapped__(accountant="neyman", **ask)  # their search over our epsilon
    ours = routed(accountant="neyman", **ask)
    assert ours <= theirs
    assert ny.account(ny.DPSGD(ours, 0.01, 300)).epsilon(DELTA) <= 3.0
    for lengths in ({}, {"steps": 10, "epochs": 1}):
        with pytest.raises(InvalidParameter, match="Give exactly one of the two"):
            routed(target_epsilon=3.0, target_delta=DELTA, sample_rate=0.01, accountant="neyman", **lengths)


def test_registering_again_changes_nothing():
    before = opacus_utils.get_noise_multiplier
    integration.register()
    assert opacus_utils.get_noise_multiplier is before
    assert isinstance(create_accountant("neyman"), OpacusAccountant)
    assert isinstance(create_accountant("rdp"), RDPAccountant)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.0, 0.2, 500), (0.3, 0.5, 1), (0.3, 0.5, 20)])
def test_settings_in_which_prv_has_crashed(noise, rate, steps):
    accountant = OpacusAccountant()
    accountant.history = [(noise, rate, steps)]
    bracket = accountant.guarantee()
    assert bracket.optimistic.epsilon(DELTA) <= accountant.get_epsilon(DELTA)
    assert accountant.get_epsilon(DELTA) == pytest.approx(bracket.optimistic.epsilon(DELTA), rel=1e-6)
    low, high = prv_bracket(accountant.history)  # of late Opacus answers these
    assert low <= accountant.get_epsilon(DELTA) <= high


def test_settings_in_which_prv_still_has_no_answer():
    """PRV of Opacus 1.6 takes a minute to answer inf."""
    accountant = OpacusAccountant()
    accountant.history = [(0.3, 0.5, 500)]
    assert accountant.get_epsilon(DELTA) == pytest.approx(accountant.guarantee().optimistic.epsilon(DELTA), rel=1e-6)
    assert math.isfinite(accountant.get_epsilon(DELTA))


def test_physical_batches_are_no_steps():
    engine, model, optimizer, loader = private(noise=1.0)
    with BatchMemoryManager(data_loader=loader, max_physical_batch_size=16, optimizer=optimizer) as small:
        physical = train(model, optimizer, small)
    assert physical > 2 * len(loader)
    assert engine.accountant.history == [(1.0, RATE, len(loader))]


def test_accumulated_batches_are_steps_with_a_share_of_the_noise():
    engine, model, optimizer, loader = private(noise=2.0, poisson_sampling=False)
    loss_of = torch.nn.CrossEntropyLoss()
    for i, (images, labels) in enumerate(loader):
        loss_of(model(images), labels).backward()
        if i % 2:
            optimizer.step()
            optimizer.zero_grad()
    ((share, rate, steps),) = engine.accountant.history
    assert rate == RATE
    assert steps == 2 * (BATCHES // 2)
    assert share == pytest.approx(2.0 / math.sqrt(2.0), rel=1e-15)
    assert share <= math.sqrt(2.0)


def test_ghost_clipping_is_counted():
    engine, model, optimizer, criterion, loader = private(noise=1.0, grad_sample_mode="ghost")
    for images, labels in loader:
        optimizer.zero_grad()
        criterion(model(images), labels).backward()
        optimizer.step()
    assert engine.accountant.history == [(1.0, RATE, len(loader))]


def test_a_run_stops_before_its_budget_is_overdrawn():
    engine, model, optimizer, loader = private(noise=1.0)
    target = ny.targets.Epsilon(2.0, DELTA)
    budget = StopOnBudget(engine.accountant, target, sample_rate=RATE, optimizer=optimizer)
    allowed = budget.steps_left
    assert 10 < allowed < 100
    assert train(model, optimizer, loader, epochs=10, may_step=budget.may_step) == allowed == len(engine.accountant)
    assert engine.get_epsilon(DELTA) <= 2.0 < ny.account(ny.DPSGD(1.0, RATE, allowed + 1)).optimistic.epsilon(DELTA)


def test_the_state_is_ready_for_json():
    one, two = OpacusAccountant(), OpacusAccountant()
    one.step(noise_multiplier=torch.tensor(1.5), sample_rate=0.25)
    one.step(noise_multiplier=1.5, sample_rate=0.25)
    one.step(noise_multiplier=1, sample_rate=0.5)
    assert one.state_dict() == {"history": [(1.5, 0.25, 2), (1.0, 0.5, 1)], "mechanism": "neyman", "schema": 1}
    two.load_state_dict(json.loads(json.dumps(one.state_dict())))
    assert two.history == one.history
    assert two.get_epsilon(DELTA) == one.get_epsilon(DELTA)
    one.step(noise_multiplier=1, sample_rate=0.5)
    assert len(two) == 3  # a copy
    kept = {"more": 1}
    assert one.state_dict(kept) is kept


def test_nothing_run_costs_nothing():
    assert OpacusAccountant().get_epsilon(DELTA) == 0.0
    assert len(OpacusAccountant()) == 0


GOOD = {"history": [(1.0, 0.5, 1)], "mechanism": "neyman", "schema": 1}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "mechanism must be 'neyman', got None."),
        ({}, "mechanism must be 'neyman', got None."),
        (
            GOOD | {"mechanism": "rdp"},
            "mechanism must be 'neyman', got 'rdp'. The history of another accountant can be taken over",
        ),
        (GOOD | {"schema": 2}, "schema must be the whole number 1, got 2."),
        (GOOD | {"history": None}, "history must be a list of (noise_multiplier, sample_rate, steps), got None."),
        (
            GOOD | {"history": [(1.0, 0.5)]},
            "history must be made of (noise_multiplier, sample_rate, steps), got (1.0, 0.5).",
        ),
        (GOOD | {"history": [(1.0, 1.5, 1)]}, "sample_rate must be a number in [0, 1], got 1.5."),
        (GOOD | {"history": [(1.0, 0.5, -1)]}, "steps must be a whole number from 0 to 1e+18, got -1."),
    ],
)
def test_states_that_are_refused(state, message):
    accountant = OpacusAccountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.5)
    with pytest.raises(InvalidParameter) as caught:
        accountant.load_state_dict(state)
    assert str(caught.value).startswith(message)
    assert accountant.history == [(1.0, 0.5, 1)]


@pytest.mark.parametrize(
    ("noise", "rate"), [(0.0, 0.5), (math.nan, 0.5), (1.0, -0.1), (1.0, math.nan), ("1", 0.5), (True, 0.5)]
)
def test_steps_that_are_refused(noise, rate):
    accountant = OpacusAccountant()
    with pytest.raises(InvalidParameter):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert accountant.history == []


def test_options_of_other_accountants():
    accountant = OpacusAccountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.5)
    assert accountant.get_epsilon(DELTA, eps_error=0.1, poisson=True) == accountant.get_epsilon(DELTA)
    with pytest.raises(InvalidParameter, match="poisson must be True"):
        accountant.get_epsilon(DELTA, poisson=False)
    with pytest.raises(TypeError, match="no option"):
        accountant.get_epsilon(DELTA, orders=[2])


@pytest.mark.parametrize("times", [-5, 5.5, math.nan, True])
def test_histories_edited_to_something_impossible_are_refused(times):
    accountant = OpacusAccountant()
    accountant.history = [(1.0, 0.5, times)]
    for use in (
        accountant.guarantee,
        accountant.__len__,
        lambda: accountant.step(noise_multiplier=1.0, sample_rate=0.5),
    ):
        with pytest.raises(ny.InvalidParameter, match="steps must be a whole number from 0"):
            use()


def test_noise_for_other_sampling_or_a_rate_that_is_none_is_refused():
    asked = {"target_epsilon": 1.0, "target_delta": DELTA}
    with pytest.raises(ny.InvalidParameter, match="poisson must be True"):
        integration.noise_multiplier(**asked, sample_rate=0.1, steps=10, poisson=False)
    with pytest.raises(ny.InvalidParameter, match="sample_rate must be a number in"):
        integration.noise_multiplier(**asked, sample_rate="a", epochs=1)


def _as_account_says(epsilon, mechanism, delta):
    g = ny.account(mechanism)
    assert g.optimistic.epsilon(delta) <= epsilon
    assert g.delta(epsilon) >= delta * (1.0 - 3e-9)


def test_opacus_goes_on_with_one_accountant() -> None:
    accountant = OpacusAccountant()
    for _ in range(60):
        accountant.step(noise_multiplier=1.0, sample_rate=0.02)
        epsilon = accountant.get_epsilon(1e-5)
    _as_account_says(epsilon, ny.DPSGD(1.0, 0.02, 60), 1e-5)
    assert accountant._current()._guarantee is None  # answered from lines that are kept
    accountant.history[-1] = (1.0, 0.02, 7)  # edited by hand
    _as_account_says(accountant.get_epsilon(1e-5), ny.DPSGD(1.0, 0.02, 7), 1e-5)
    accountant.history.append((2.0, 0.02, 9))
    _as_account_says(accountant.get_epsilon(1e-5), ny.DPSGD(1.0, 0.02, 7) * ny.DPSGD(2.0, 0.02, 9), 1e-5)
    accountant.history[0] = (1.0, 0.03, 7)
    _as_account_says(accountant.get_epsilon(1e-5), ny.DPSGD(1.0, 0.03, 7) * ny.DPSGD(2.0, 0.02, 9), 1e-5)
    accountant.history.append(("x", 0.02, 9))
    with pytest.raises(ny.InvalidParameter):
        accountant.get_epsilon(1e-5)
    accountant.history.pop()
    _as_account_says(accountant.get_epsilon(1e-5), ny.DPSGD(1.0, 0.03, 7) * ny.DPSGD(2.0, 0.02, 9), 1e-5)
