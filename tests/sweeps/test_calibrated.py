"""Sweeps with a calibrated argument, and with divergences from a baseline: the same as asking for each by hand."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster
from scipy.stats import norm

import neyman as ny
from neyman.sweeps.answers import answers
from neyman.sweeps.plan import plan

T = ny.targets
BASE = ny.DPSGD(0.5415, 0.01, 500)
BESIDE = ["divergence", "reverse", "distance", "optimistic.divergence", "optimistic.reverse", "optimistic.distance"]
USUAL = ("add_or_remove", 1e-6, 1e-10, 10.0)


def laplace_of(scale: float, sensitivity: float) -> ny.Mechanism:
    return ny.Laplace(scale, sensitivity)


def by_hand(found: ny.Calibration, base: ny.Guarantee) -> list[float]:
    g = ny.account(found.mechanism)
    forth, back = ny.compare(base, g).bounds
    return [
        forth.upper,
        back.upper,
        max(forth.upper, back.upper),
        forth.lower,
        back.lower,
        max(forth.lower, back.lower),
    ]


@pytest.mark.parametrize(
    ("rates", "steps"), [([0.3], [534]), pytest.param([0.01, 0.3, 0.9], [534, 1500], marks=pytest.mark.slow)]
)
def test_the_same_as_by_hand_to_the_last_bit(rates: list[float], steps: list[int]) -> None:
    target = T.Epsilon(8.0, delta=1e-5)
    swept = ny.sweep(
        noise_multiplier=target, sample_rate=rates, steps=steps, quantities=[*BESIDE, "epsilon(1e-5)"],
        baseline=BASE, workers=1,
    )  # fmt: skip
    assert swept.attrs["failed"] == 0
    assert swept.attrs["calibrated"] == "noise_multiplier to Epsilon(value=8.0, delta=1e-05)"
    assert swept.attrs["baseline"] == repr(BASE)
    assert "noise_multiplier" not in swept.dims
    assert swept.noise_multiplier.attrs["target"] == "Epsilon(value=8.0, delta=1e-05)"
    for rate in rates:
        for times in steps:
            cell = swept.sel(sample_rate=rate, steps=times)
            found = ny.noise_for_dpsgd(target, rate, times)
            assert (float(cell.noise_multiplier), float(cell.noise_multiplier_missed)) == found.bracket
            told = by_hand(found, ny.account(BASE))
            assert [float(cell[key]) for key in BESIDE] == told
            assert told[3] <= told[0] <= told[3] + 1e-9
            assert float(cell["epsilon(1e-5)"]) <= 8.0
            assert ny.account(ny.DPSGD(float(cell.noise_multiplier_missed), rate, times)).optimistic.epsilon(1e-5) > 8.0


@pytest.mark.parametrize("name", ["steps", "sample_rate"])
def test_the_other_two_of_dpsgd(name: str) -> None:
    target = T.Mu(0.5)
    given: dict[str, Any] = {"noise_multiplier": [1.0, 2.0], "sample_rate": 0.01, "steps": 400, name: target}
    swept = ny.sweep(**given, quantities="mu", workers=1, batches=False)
    for noise in (1.0, 2.0):
        cell = swept.sel(noise_multiplier=noise).squeeze()
        found = (
            ny.steps_for_dpsgd(target, noise, 0.01) if name == "steps" else ny.rate_for_dpsgd(target, noise, 400)
        )  # fmt: skip
        assert (float(cell[name]), float(cell[f"{name}_missed"])) == found.bracket
        assert float(cell.mu) == found.guarantee.mu() <= 0.5


def test_batches_answer_what_is_asked_of_what_was_calibrated() -> None:
    given: dict[str, Any] = {
        "noise_multiplier": T.Epsilon(8.0, delta=1e-5), "sample_rate": [0.1, 1e-9], "steps": [534, 600],
        "quantities": ["mu", "optimistic.mu", "regret", "epsilon(1e-5)", "advantage"], "workers": 1,
    }  # fmt: skip
    fast, slow = ny.sweep(**given), ny.sweep(**given, batches=False)
    np.testing.assert_array_equal(fast.noise_multiplier.values, slow.noise_multiplier.values)
    assert fast.in_batch.sel(sample_rate=0.1).values.tolist() == [1, 1]
    assert int(slow.in_batch.sum()) == 0
    assert fast.attrs["failed"] == slow.attrs["failed"] == 2  # so rare that no noise is needed
    for key in given["quantities"]:
        near = fast[key].sel(sample_rate=0.1).values
        assert near == pytest.approx(slow[key].sel(sample_rate=0.1).values, rel=1e-8, abs=4e-9)
        assert np.isnan(fast[key].sel(sample_rate=1e-9).values).all()
    assert (fast["optimistic.mu"] <= fast.mu).sel(sample_rate=0.1).all()
    assert (fast["epsilon(1e-5)"].sel(sample_rate=0.1) <= 8.0 * (1.0 + 1e-8)).all()


def test_any_mechanism() -> None:
    given: dict[str, Any] = {"scale": T.Epsilon(0.5, delta=0.0), "sensitivity": [1.0, 3.0]}
    swept = ny.sweep(laplace_of, axes=given, quantities="advantage", workers=1)
    assert swept.scale.values == pytest.approx([2.0, 6.0], rel=2e-6)
    assert bool((swept.scale_missed < swept.scale).all())
    assert swept.advantage.values == pytest.approx(-np.expm1(-0.25), rel=2e-6)


def test_divergences_against_closed_forms() -> None:
    """From perfect privacy it is half the advantage; of two Gaussians it is a difference of normal laws at a prior."""
    sigma = np.array([0.5, 1.0, 2.0])
    swept = ny.sweep(ny.Gaussian, axes={"sigma": sigma}, quantities=BESIDE, baseline=ny.GDP(0.7), workers=1)
    mu = 1.0 / sigma
    epsilon = np.linspace(-60.0, 60.0, 400_001)[:, None]

    def error(m: Any) -> Any:
        prior = 1.0 / (1.0 + np.exp(-epsilon))
        return prior * norm.cdf(-epsilon / m - m / 2.0) + (1.0 - prior) * norm.cdf(epsilon / m - m / 2.0)

    gap = error(np.array(0.7)) - error(mu)
    assert swept.divergence.values == pytest.approx(np.maximum(gap.max(0), 0.0), abs=1e-8)
    assert swept.reverse.values == pytest.approx(np.maximum((-gap).max(0), 0.0), abs=1e-8)
    assert swept.distance.values == pytest.approx(np.abs(gap).max(0), abs=1e-8)
    still = ny.sweep(ny.Gaussian, axes={"sigma": sigma}, quantities=["divergence", "advantage"],
                     baseline=ny.DPSGD(1.0, 0.0, 1), workers=1)  # fmt: skip
    assert still.divergence.values == pytest.approx(0.5 * still.advantage.values, rel=1e-9)


def test_a_target_that_cannot_be_met_is_a_setting_that_failed() -> None:
    swept = ny.sweep(noise_multiplier=T.Advantage(0.3), sample_rate=[1e-4, 0.5], steps=100, quantities="mu", workers=1)
    assert swept.attrs["failed"] == 1
    lost = swept.sel(sample_rate=1e-4).squeeze()
    assert all(math.isnan(float(lost[name])) for name in ("noise_multiplier", "noise_multiplier_missed", "mu"))
    assert "missed where no noise is added" in str(swept.reason.values[int(lost.status)])
    assert float(swept.sel(sample_rate=0.5).mu.squeeze()) > 0.0


def test_jobs_travel_with_computed_guarantees() -> None:
    """Baselines and targets with computed guarantees inside."""
    base = ny.account(BASE)
    assert pickle.loads(pickle.dumps(base)) == base
    axes = {"noise_multiplier": T.Divergence(0.05, base) & T.Mu(2.0), "sample_rate": [1.0], "steps": [100]}
    asked = plan(None, axes, ["divergence", "mu"], USUAL, baseline=base)
    here = answers(asked.job, asked.values(0))
    there = answers(pickle.loads(cloudpickle.dumps(asked.job)), asked.values(0))
    assert [a.tolist() for a in here.values] == [a.tolist() for a in there.values]
    assert there.reasons == ("",)
    assert here.values[2] <= 0.05
    assert here.values[3] <= 2.0


@pytest.mark.slow
def test_in_processes_and_on_a_cluster(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "noise_multiplier": T.Epsilon(8.0, delta=1e-5), "sample_rate": [0.1, 0.3], "steps": [500],
        "quantities": ["divergence", "mu"], "baseline": ny.account(BASE),
    }  # fmt: skip
    one = ny.sweep(**given, workers=1)
    xr.testing.assert_identical(ny.sweep(**given, workers=2, block=1), one)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0",
                     local_directory=str(tmp_path)) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        xr.testing.assert_identical(ny.sweep(**given, client=client, block=1), one)


def test_stores_know_target_and_baseline(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "noise_multiplier": T.Epsilon(8.0, delta=1e-5), "sample_rate": 1.0, "steps": [50, 60],
        "quantities": ["divergence"], "baseline": BASE, "workers": 1, "store": tmp_path / "s", "block": 1,
    }  # fmt: skip
    one = ny.sweep(**given)
    xr.testing.assert_identical(ny.sweep(**{**given, "store": None}), one)
    (victim, _) = sorted((tmp_path / "s").glob("block-*"))
    victim.unlink()
    xr.testing.assert_identical(ny.sweep(**given), one)
    for change in ({"baseline": ny.DPSGD(0.54, 0.01, 500)}, {"noise_multiplier": T.Epsilon(8.0, delta=2e-5)}):
        with pytest.raises(ny.InvalidParameter, match=r"Not the same there: (baseline|calibrated)"):
            ny.sweep(**{**given, **change})
    with pytest.raises(ny.InvalidParameter, match="Not the same there: quantities, baseline"):
        ny.sweep(**{**given, "baseline": None, "quantities": "mu", "batches": False})
    kept = ny.sweep(ny.Gaussian, axes={"sigma": 1.0}, quantities="distance", baseline=ny.GDP(1.0), workers=1,
                    store=tmp_path / "given")  # fmt: skip
    assert kept.distance.values == pytest.approx(0.0, abs=1e-9)


def test_a_baseline_without_words_has_no_store(tmp_path: Path) -> None:
    given: dict[str, Any] = {"axes": {"sigma": 1.0}, "quantities": "distance", "workers": 1, "baseline": ny.PERFECT}
    assert float(ny.sweep(ny.Gaussian, **given).distance.squeeze()) == pytest.approx(0.19146246127401312, rel=1e-9)
    with pytest.raises(ny.InvalidParameter, match="baseline must be a baseline with a dict form"):
        ny.sweep(ny.Gaussian, **given, store=tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_a_baseline_that_cannot_be_sent_stays_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is of two records is compared with in this process, and refused elsewhere, before it starts one."""
    both = ny.account(ny.DPSGD(2.0, 0.1, 100)).group(2)
    given: dict[str, Any] = {"axes": {"sigma": [1.0, 2.0]}, "quantities": "divergence", "baseline": both, "block": 1}
    found = ny.sweep(ny.Gaussian, **given, workers=1)
    expected = [ny.compare(both, ny.account(ny.Gaussian(sigma))).divergence for sigma in (1.0, 2.0)]
    assert found.divergence.values == pytest.approx(expected, abs=1e-9)

    def refuse(self: object, protocol: int) -> str:
        raise TypeError("cannot pickle it")

    monkeypatch.setattr(type(both), "__reduce_ex__", refuse)
    with pytest.raises(ny.InvalidParameter, match="baseline must be one that can be sent to another process"):
        ny.sweep(ny.Gaussian, **given, workers=2)


def test_sweeps_without_either_are_the_same_sweeps() -> None:
    """Their fingerprints are those of stores that know neither word."""
    asked = plan(None, {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 10}, "mu", USUAL, batches=False)
    old = {k: v for k, v in asked.description.items() if k not in ("effort", "batches")}
    assert asked.fingerprint == hashlib.sha256(json.dumps(old).encode()).hexdigest()
    assert asked.beside == {}
    assert not {"baseline", "calibrated"} & set(asked.description)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"quantities": "divergence"}, "baseline must be given: divergence is from it, got None."),
        ({"baseline": BASE}, "baseline must be left out where none of divergence, reverse, distance is asked for"),
        ({"quantities": "divergence(1)", "baseline": BASE}, "quantity divergence(1) must be without a number"),
        ({"quantities": "reverse", "baseline": 3}, "baseline must be a Mechanism, the guarantee of one"),
        ({"quantities": "reverse", "baseline": ny.GDP(1.0).optimistic}, "baseline must be a Mechanism"),
        ({"quantities": "reverse", "baseline": ny.account(BASE, adjacency="add")},
         "baseline must be a guarantee for 'add_or_remove', as the settings, got 'add'."),
        ({"quantities": "reverse", "baseline": ny.account(BASE) * ny.GDP(1.0)}, "baseline must be a Mechanism"),
        ({"noise_multiplier": T.Mu(1.0), "steps": T.Mu(2.0)},
         "steps must be made of numbers, got Mu(value=2.0, floor=1e-10). noise_multiplier is calibrated"),
        ({"noise_multiplier": [T.Mu(1.0)]}, "noise_multiplier must be a number, or a non-empty list of numbers"),
        ({"noise_multiplier": T.Divergence(0.1, ny.account(BASE, adjacency="add"))},
         "baseline must be a guarantee for 'add_or_remove'"),
    ],
)  # fmt: skip
def test_words(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.sweep(**{"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 10, **changes})
    assert str(refusal.value).startswith(words)


def test_names_that_are_taken() -> None:
    with pytest.raises(ny.InvalidParameter, match="at least one axis of numbers"):
        ny.sweep(ny.Gaussian, axes={"sigma": T.Mu(1.0)})
    with pytest.raises(ny.InvalidParameter, match="name of an axis must be"):
        ny.sweep(laplace_of, axes={"scale": T.Mu(1.0), "scale_missed": 1.0})
