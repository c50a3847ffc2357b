"""JAX Privacy describes its training as events, and takes any accountant of dp_accounting: also ours."""

import dp_accounting
import numpy as np
import pytest
from jax_privacy import batch_selection
from jax_privacy.experimental import accounting, execution_plan

import neyman as ny
from neyman.integrations.dp_accountant import EventAccountant

DELTA = 1e-6


@pytest.mark.parametrize(("noise", "iterations", "rate"), [(3.0, 512, 0.1), (1.0, 1000, 0.01), (0.8, 1, 1.0)])
def test_dpsgd_events(noise, iterations, rate):
    event = accounting.dpsgd_event(noise, iterations, sampling_prob=rate)
    mechanism = ny.DPSGD(noise, rate, iterations)
    assert ny.from_dp_event(event) == mechanism
    expected = ny.account(mechanism)
    ours = EventAccountant().compose(event)
    assert ours.get_epsilon(DELTA) == expected.epsilon(DELTA)
    assert ours.get_delta(1.0) == expected.delta(1.0)
    theirs = dp_accounting.pld.PLDAccountant().compose(event)  # rounds up on a grid of 1e-4
    assert expected.optimistic.epsilon(DELTA) - 1e-6 <= theirs.get_epsilon(DELTA) <= expected.epsilon(DELTA) + 0.06


def test_calibration_with_its_events():
    noise = dp_accounting.calibrate_dp_mechanism(
        EventAccountant,
        lambda sigma: accounting.dpsgd_event(sigma, 512, sampling_prob=0.1),
        target_epsilon=1.0,
        target_delta=DELTA,
    )
    assert noise == pytest.approx(9.66, abs=0.01)  # its own documentation's
    assert ny.account(ny.DPSGD(noise, 0.1, 512)).epsilon(DELTA) <= 1.0
    assert noise == pytest.approx(ny.noise_for_dpsgd(ny.targets.Epsilon(1.0, DELTA), 0.1, 512).parameter, rel=1e-5)


def test_sampling_that_is_not_known_here_is_named():
    event = accounting.fixed_dpsgd_event(1.0, 10, dataset_size=1000, batch_size=10, replace=False)
    accountant = EventAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE)
    assert not accountant.supports(event)
    with pytest.raises(dp_accounting.UnsupportedEventError, match="fixed size are another mechanism than Poisson"):
        accountant.compose(event)


@pytest.mark.parametrize(
    ("relation", "partition"), [("REPLACE_SPECIAL", "EQUAL_SPLIT"), ("ADD_OR_REMOVE_ONE", "INDEPENDENT")]
)
def test_a_plan_of_execution_takes_our_accountant(relation, partition):
    config = execution_plan.BandMFExecutionPlanConfig(
        iterations=100,
        strategy=np.ones(1),
        epsilon=2.0,
        delta=DELTA,
        sampling_prob=0.1,
        accountant=EventAccountant(dp_accounting.NeighboringRelation[relation]),
        partition_type=batch_selection.PartitionType[partition],
        noise_seed=0,
    )
    mechanism = ny.from_dp_event(config.plan.dp_event)
    assert 1.999 < ny.account(mechanism).epsilon(DELTA) <= 2.0
