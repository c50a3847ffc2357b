"""What steers a calibration saves work, and decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.calibration import guide, trial
from neyman.calibration.aside import certain_excess
from neyman.engines.batch.answering.guide import deltas, local_mus
from tests.calibration.just import just
from tests.effort import crossed, examples

t = ny.targets
TARGETS = (
    t.Mu(1.0), t.Mu(0.7, floor=1e-4), t.Epsilon(2.0, 1e-5), t.Advantage(0.2), t.TPR(0.2, fpr=0.01),
    t.BayesError(0.4, prior=0.5), t.BayesError(0.15, prior=0.2), t.Reconstruction(0.05, baseline=0.001),
    t.Posterior(0.8, 0.5, 0.01), t.Mu(1.0) & t.Advantage(0.3),
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_two_evaluations_are_enough(target: ny.targets.Target) -> None:
    rate, steps, noise = 0.011, 2000, 1.1
    for found, make in (
        (ny.noise_for_dpsgd(target, rate, steps), lambda x: ny.DPSGD(x, rate, steps)),
        (ny.steps_for_dpsgd(target, noise, rate), lambda x: ny.DPSGD(noise, rate, x)),
        (ny.rate_for_dpsgd(target, noise, steps), lambda x: ny.DPSGD(noise, x, steps)),
        (ny.calibrate(lambda x: ny.DPSGD(x, rate, steps), target), lambda x: ny.DPSGD(x, rate, steps)),
    ):
        just(found, make)
        assert found.evaluations == 2
    between = ny.calibrate(lambda x: ny.DPSGD(x, rate, steps), target, (0.5, 8.0))
    just(between, lambda x: ny.DPSGD(x, rate, steps))
    assert between.evaluations == 4  # both ends are evaluated


@crossed(
    ("wrong", [lambda x: 1.2 * x, lambda x: x[::-1], lambda x: 0.0 * x + 0.5, np.sqrt]),
    ("target", [t.Mu(1.0), t.Epsilon(2.0, 1e-5)]),
    ids=lambda value: repr(value) if isinstance(value, ny.targets.Target) else None,
)
def test_batches_that_mislead_cost_evaluations_and_nothing_else(
    target: ny.targets.Target, wrong: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {kind: lambda *args, told=told: wrong(told(*args)) for kind, told in guide._ASKED.items()}
    monkeypatch.setattr(guide, "_ASKED", asked)
    just(ny.noise_for_dpsgd(target, 0.011, 2000), lambda x: ny.DPSGD(x, 0.011, 2000))
    just(ny.steps_for_dpsgd(target, 1.1, 0.011), lambda x: ny.DPSGD(1.1, 0.011, x))


@examples(4, 100)
@given(noise=st.floats(0.6, 5.0), rate=st.floats(1e-3, 0.3), steps=st.integers(100, 5000))
def test_what_batches_foresee_is_near(noise: float, rate: float, steps: int) -> None:
    g = ny.account(ny.DPSGD(noise, rate, steps))
    columns = (np.array([noise]), np.array([rate]), np.array([float(steps)]))
    for epsilon in (0.0, 0.5):
        told = float(deltas(*columns, epsilon)[0])
        if not np.isnan(told) and told > 1e-4:
            assert told == pytest.approx(g.delta(epsilon), rel=1e-2)
    told = float(local_mus(*columns, 1e-6)[0])
    if not np.isnan(told):
        assert told <= g.mu(1e-6) * (1.0 + 1e-2)


@examples(3, 60)
@given(scale=st.floats(0.5, 8.0), other=st.floats(0.5, 8.0), times=st.integers(1, 12))
def test_mu_beside_another_is_from_below(scale: float, other: float, times: int) -> None:
    """Whatever the other curve is like."""
    g, h = (ny.account(ny.Laplace(b) ** times) for b in (scale, other))
    assert g.least_mu_beside(1e-8, h) <= g.mu(1e-8)
    assert g.least_mu_beside(1e-8, g) == pytest.approx(g.mu(1e-8), rel=1e-5)


def test_a_spread_is_where_many_small_steps_are_begun_with() -> None:
    found = ny.calibrate(lambda b: ny.Laplace(b) ** 30, t.Mu(0.3))
    assert found.evaluations <= 6
    assert found.target.missed_by(ny.account(ny.Laplace(found.bracket[1]) ** 30, tolerance=1e-7))
    assert 0.0 < found.bracket[0] - found.bracket[1] <= 1e-6 * found.bracket[0]


@pytest.mark.parametrize("target", [t.Mu(1.0), t.Epsilon(8.0, 1e-5), t.Advantage(0.2)], ids=repr)
def test_what_a_batch_certainly_misses_is_not_accounted_for(
    target: ny.targets.Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def counted(mechanism: Any, **more: Any) -> Any:
        asked.append(mechanism)
        return ny.account(mechanism, **more)

    monkeypatch.setattr(trial, "account", counted)
    found = ny.noise_for_dpsgd(target, 0.011, 10_000)
    assert asked == [found.mechanism]
    just(found, lambda x: ny.DPSGD(x, 0.011, 10_000))


def test_an_excess_by_batches_is_no_more_than_that_of_the_account() -> None:
    for target in TARGETS:
        for noise in (0.8, 1.0, 1.5, 3.0):
            run = ny.DPSGD(noise, 0.011, 2000)
            excess = certain_excess(target, run, "add_or_remove")
            assert excess == 0.0 or 0.0 < excess <= target.excess(ny.account(run)) + 1e-9
    assert certain_excess(t.Mu(0.01), ny.DPSGD(1.0, 0.011, 2000), "remove") == 0.0
    assert certain_excess(t.Mu(0.01), ny.Laplace(1.0), "add_or_remove") == 0.0
    assert certain_excess(t.Regret(1e-6), ny.DPSGD(1.0, 0.011, 2000), "add_or_remove") == 0.0
