"""Agreement with an independent accountant where it is sound, and a record of where it is not."""

from __future__ import annotations

import logging
from functools import cache

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

import neyman as ny
from tests.reference import arb

SETTINGS = [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (2.0, 0.1, 50)]
EVERY = pytest.mark.parametrize("setting", SETTINGS, ids=str)


@cache
def peer(setting: tuple[float, float, int], grid: float = 1e-3) -> pld.PrivacyLossDistribution:
    sigma, rate, steps = setting
    one = pld.from_gaussian_mechanism(sigma, sampling_prob=rate, value_discretization_interval=grid)
    return one.self_compose(steps)


@cache
def ours(setting: tuple[float, float, int]) -> ny.Guarantee:
    return ny.account(ny.DPSGD(*setting))


@EVERY
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-8])
def test_epsilon_agrees_within_the_error_of_the_peer(setting: tuple[float, float, int], delta: float) -> None:
    """Its pessimistic estimate lies above the truth, by about its grid: never below ours."""
    theirs = peer(setting).get_epsilon_for_delta(delta)
    assert ours(setting).optimistic.epsilon(delta) <= theirs <= ours(setting).epsilon(delta) + 1e-3


@EVERY
def test_delta_agrees_within_the_error_of_the_peer(setting: tuple[float, float, int]) -> None:
    for epsilon in (0.0, 0.5, 1.0):
        theirs = peer(setting).get_delta_for_epsilon(epsilon)
        assert ours(setting).optimistic.delta(epsilon) - 1e-12 <= theirs
        assert theirs == pytest.approx(ours(setting).delta(epsilon), rel=5e-3)


def test_the_peer_closes_in_as_its_grid_is_refined() -> None:
    setting = SETTINGS[1]
    truth = ours(setting).epsilon(1e-5)
    errors = [peer(setting, grid).get_epsilon_for_delta(1e-5) - truth for grid in (1e-3, 5e-4, 2.5e-4)]
    assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2] > 0.0


def test_its_other_estimate_lies_below_ours(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        sigma, rate, steps = SETTINGS[2]
        one = pld.from_gaussian_mechanism(
            sigma, sampling_prob=rate, value_discretization_interval=1e-4, pessimistic_estimate=False
        )
        below = one.self_compose(steps).get_epsilon_for_delta(1e-5)
    assert below <= ours(SETTINGS[2]).optimistic.epsilon(1e-5)
    assert below == pytest.approx(ours(SETTINGS[2]).epsilon(1e-5), abs=5e-2)


def test_where_the_peer_is_unsound_ours_holds() -> None:
    """FFT in float64 knows delta to about 1e-14 absolute: below 1e-12 the peer may report less than the truth."""
    unsound = 0
    for setting in SETTINGS:
        g = ours(setting)
        at = np.asarray(g.optimistic.epsilon(1e-13))
        theirs = peer(setting).get_delta_for_epsilon(float(at))
        unsound += theirs < 0.99 * g.optimistic.delta(float(at))
        assert g.delta(float(at)) == pytest.approx(1e-13, rel=1e-6)
    assert unsound >= 1  # which, and by how much, depends on the machine: it is noise of its transform
    setting = SETTINGS[1]
    e = ours(setting).optimistic.epsilon(1e-13)
    exact = float(arb.delta([setting], e, "remove", digits=12.0))
    assert ours(setting).optimistic.delta(e) <= exact * (1.0 + 1e-11)
    assert exact * (1.0 - 1e-11) <= ours(setting).delta(e)
    # the truth is on our side: the peer says less, and gives an epsilon that is too small
    assert peer(setting).get_delta_for_epsilon(e) < 0.9 * exact
    assert peer(setting).get_epsilon_for_delta(1e-13) < e - 0.01


@EVERY
def test_where_the_peer_has_no_answer_ours_has(setting: tuple[float, float, int]) -> None:
    """Below the tail mass it cuts off (1e-15) its epsilon is infinite, and its delta noise, of either sign."""
    assert np.isinf(peer(setting).get_epsilon_for_delta(1e-16))
    g = ours(setting)
    for delta in (1e-16, 1e-20, 1e-30):
        assert np.isfinite(g.epsilon(delta))
        assert g.optimistic.epsilon(delta) <= g.epsilon(delta) <= g.optimistic.epsilon(delta) * (1.0 + 1e-6)
    assert abs(peer(setting).get_delta_for_epsilon(g.epsilon(1e-25))) > 1e9 * g.delta(g.epsilon(1e-25))
