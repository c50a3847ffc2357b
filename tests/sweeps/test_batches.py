"""Sweeps that are answered in batches: who answered is said, and it is the regular engine wherever a batch cannot."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import neyman as ny
from neyman.engines.batch.answering.answer import REGRET_WIDTH, RELATIVE_WIDTH
from neyman.engines.batch.answering.asked import WIDTH
from neyman.sweeps.answers import answers
from neyman.sweeps.plan import Plan, plan

GRID: dict[str, Any] = {"noise_multiplier": [4.0, 2.0], "sample_rate": [0.02, 0.3, 1.0], "steps": [1000, 400, 1]}
BOTH = ["mu", "optimistic.mu", "regret", "optimistic.regret"]
USUAL = ("add_or_remove", 1e-6, 1e-10, 10.0)


@pytest.fixture(scope="module")
def found() -> xr.Dataset:
    return ny.sweep(**GRID, quantities=BOTH, workers=1)


@pytest.fixture(scope="module")
def alone() -> xr.Dataset:
    return ny.sweep(**GRID, quantities=BOTH, workers=1, batches=False)


def test_it_is_said_who_answered(found: xr.Dataset, alone: xr.Dataset) -> None:
    assert found.in_batch.dims == found.mu.dims
    assert found.in_batch.sel(steps=[1000, 400], sample_rate=[0.02, 0.3]).all()
    assert not found.in_batch.sel(steps=1, sample_rate=[0.02, 0.3]).any()
    assert found.in_batch.sel(sample_rate=1.0).all()  # Gaussians
    assert not alone.in_batch.any()
    assert (found.attrs["failed"], alone.attrs["failed"]) == (0, 0)
    assert found.in_batch.attrs["long_name"].startswith("1 where a batch")


def test_batches_and_the_regular_engine_do_not_contradict(found: xr.Dataset, alone: xr.Dataset) -> None:
    assert bool((found["optimistic.mu"] <= alone.mu).all())
    assert bool((alone["optimistic.mu"] <= found.mu).all())
    assert bool((found["optimistic.regret"] <= alone.regret).all())
    assert bool((alone["optimistic.regret"] <= found.regret + REGRET_WIDTH).all())
    some = found.in_batch == 1
    assert bool((found.mu / found["optimistic.mu"] - 1.0).where(some, 0.0).max() <= 2.0 * RELATIVE_WIDTH)
    assert bool((found.regret - found["optimistic.regret"]).where(some, 0.0).max() <= REGRET_WIDTH)
    assert not found.mu.where(some).identical(alone.mu.where(some))


def test_what_is_not_in_a_batch_is_the_regular_answer_to_the_last_bit(found: xr.Dataset, alone: xr.Dataset) -> None:
    rest = found.in_batch == 0
    for key in BOTH:
        assert found[key].where(rest).equals(alone[key].where(rest))
    g = ny.account(ny.DPSGD(4.0, 0.02, 400))
    here = alone.sel(noise_multiplier=4.0, sample_rate=0.02, steps=400)
    assert [float(here[key]) for key in BOTH] == [
        g.gdp().mu, g.optimistic.gdp().mu, g.gdp().regret, g.optimistic.gdp().regret
    ]  # fmt: skip


def test_epsilon_delta_and_advantage_beside_mu() -> None:
    keys = ["epsilon(1e-5)", "advantage", "delta(0.5)", "mu", "regret"]
    asked = [*keys, *(f"optimistic.{key}" for key in keys), "epsilon(1e-7)", "delta(0)"]
    found = ny.sweep(**GRID, quantities=asked, workers=1)
    alone = ny.sweep(**GRID, quantities=asked, workers=1, batches=False)
    assert found.in_batch.sel(steps=[1000, 400]).all()
    assert not found.in_batch.sel(steps=1, sample_rate=[0.02, 0.3]).any()
    some = found.in_batch == 1
    for key in keys[:3]:
        assert bool((found[f"optimistic.{key}"] <= alone[key]).all()), key
        assert bool((alone[f"optimistic.{key}"] <= found[key]).all()), key
        wide = (found[key] - found[f"optimistic.{key}"]) / found[key]
        assert bool((wide.where(some, 0.0) <= WIDTH).all()), key
    assert np.array_equal(found["delta(0)"], found.advantage)
    for key in asked:
        assert found[key].where(~some).equals(alone[key].where(~some)), key
    # beside others mu is the same
    assert found.mu.equals(ny.sweep(**GRID, quantities=BOTH, workers=1).mu)
    here = alone.sel(noise_multiplier=2.0, sample_rate=0.3, steps=400)
    g = ny.account(ny.DPSGD(2.0, 0.3, 400))
    assert [float(here[key]) for key in keys[:3]] == [g.epsilon(1e-5), g.advantage, g.delta(0.5)]


def test_whatever_one_question_leaves_open_is_asked_of_the_regular_engine() -> None:
    """All of a setting, or nothing."""
    found = ny.sweep(noise_multiplier=2.0, sample_rate=0.01, steps=400, quantities=["mu", "delta(90)"], workers=1)
    g = ny.account(ny.DPSGD(2.0, 0.01, 400))
    assert (found.in_batch.item(), found.mu.item(), found["delta(90)"].item()) == (0, g.mu(), g.delta(90.0))


def test_floors_of_their_own() -> None:
    found = ny.sweep(noise_multiplier=2.0, sample_rate=0.1, steps=400, quantities=["mu", "mu(1e-4)"], workers=1)
    g = ny.account(ny.DPSGD(2.0, 0.1, 400))
    assert found.in_batch.item() == 1
    assert (found.mu.item(), found["mu(1e-4)"].item()) == pytest.approx((g.mu(), g.mu(1e-4)), rel=1e-8)


def planned(**changes: Any) -> Plan:
    said = {"make": None, "axes": GRID, "questions": ["mu"], "settings": USUAL, **changes}
    return plan(said["make"], said["axes"], said["questions"], said["settings"], batches=said.get("batches", True))


def other(noise_multiplier: float, sample_rate: float, steps: float) -> ny.Mechanism:
    return ny.DPSGD(noise_multiplier, sample_rate, int(steps))


@pytest.mark.parametrize(
    "changes",
    [
        {"make": other}, {"questions": ["mu", "epsilon(1e-20)"]}, {"questions": ["mu", "delta(400)"]},
        {"questions": ["mu", "epsilon(0)"]}, {"questions": ["shortfall"]}, {"questions": ["mu", "tpr(0.1)"]},
        {"batches": False},
        {"settings": ("add", 1e-6, 1e-10, 10.0)}, {"settings": ("replace", 1e-6, 1e-10, 10.0)},
        {"settings": ("add_or_remove", 9e-12, 1e-10, 10.0)}, {"settings": ("add_or_remove", 1e-6, 1e-10, 1e-6)},
        {"settings": ("add_or_remove", 1e-9, 1e-10, 10.0), "questions": ["mu", "epsilon(1e-5)"]},
    ],
)  # fmt: skip
def test_which_sweeps_batches_serve(changes: dict[str, Any]) -> None:
    assert planned().job.batches
    assert not planned(**changes).job.batches


def test_stores_of_before_are_refused_where_answers_differ() -> None:
    with_batches, without = planned(), planned(batches=False)
    assert with_batches.fingerprint != without.fingerprint
    # that of a store that knows no batches
    old = {key: value for key, value in without.description.items() if key not in ("effort", "batches")}
    assert "batches" not in old
    assert without.fingerprint == planned(batches=False).fingerprint

    assert without.fingerprint == hashlib.sha256(json.dumps(old).encode()).hexdigest()


def test_a_store_keeps_who_answered(tmp_path: Path, found: xr.Dataset) -> None:
    for _ in range(2):
        kept = ny.sweep(**GRID, quantities=BOTH, workers=1, store=tmp_path / "store")
        xr.testing.assert_identical(kept, found)


def test_processes_say_the_same(found: xr.Dataset) -> None:
    xr.testing.assert_identical(ny.sweep(**GRID, quantities=BOTH, workers=2), found)


def test_blocks_of_every_size() -> None:
    """What differs are the last digits."""
    asked = planned(questions=BOTH)
    whole = answers(asked.job, asked.values(0))
    assert whole.batched.sum() == 14
    one = answers(asked.job, ((4.0,), (0.02,), (400,)))
    assert [float(a[0, 0, 0]) for a in one.values] == pytest.approx([float(a[0, 0, 1]) for a in whole.values], abs=1e-9)


def test_no_other_value() -> None:
    value: Any = 1
    with pytest.raises(ny.InvalidParameter, match=r"batches must be True or False, got 1\."):
        ny.sweep(**GRID, batches=value)


def test_order_of_axes() -> None:
    axes = dict(reversed(GRID.items()))
    assert ny.sweep(axes=axes, workers=1).mu.equals(ny.sweep(**GRID, workers=1).mu)
    assert np.isfinite(ny.sweep(axes=axes, workers=1).mu).all()
