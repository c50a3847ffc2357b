"""Axes of batches, records and epochs: the same answers as of rates and steps."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.cli.reading.sweep_spec import read_sweep

AXES: dict[str, Any] = {
    "noise_multiplier": [1.0, 1.5],
    "batch_size": [100, 250],
    "dataset_size": [1000],
    "epochs": [3, 7.5],
}


@pytest.mark.parametrize("batches", [True, False])
def test_they_are_what_rates_and_steps_are(batches: bool) -> None:
    found = ny.sweep(**AXES, workers=1, batches=batches)
    assert found.mu.dims == ("noise_multiplier", "batch_size", "dataset_size", "epochs")
    for at in ((1.0, 100, 3), (1.5, 250, 7.5)):
        noise, batch, epochs = at
        mu = float(found.mu.sel(noise_multiplier=noise, batch_size=batch, dataset_size=1000, epochs=epochs))
        truth = ny.account(ny.DPSGD(noise, batch / 1000, math.ceil(epochs * 1000 / batch))).mu()
        assert mu == pytest.approx(truth, rel=1e-7)
    assert found.attrs["failed"] == 0


def test_settings_that_are_none_say_why() -> None:
    found = ny.sweep(noise_multiplier=1.0, batch_size=[10, 500], dataset_size=100, steps=5, workers=1)
    assert np.isnan(found.mu.values.ravel()).tolist() == [False, True]
    assert "batch_size must be a whole number from 1 to the dataset size 100, got 500." in found.reason.values


def test_what_is_calibrated_keeps_its_target() -> None:
    found = ny.sweep(
        noise_multiplier=ny.targets.Epsilon(8.0, 1e-5), batch_size=100, dataset_size=1000, epochs=[1, 2], workers=1
    )
    for noise, epochs in zip(found.noise_multiplier.values.ravel(), (1, 2), strict=True):
        run = ny.DPSGD(float(noise), epochs=epochs, batch_size=100, dataset_size=1000)
        assert ny.account(run).epsilon(1e-5) == pytest.approx(8.0, rel=1e-5)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"noise_multiplier": 1.0, "epochs": ny.targets.Mu(1.0), "sample_rate": 0.1}, "What is calibrated is one of"),
        ({"noise_multiplier": 1.0, "epochs": 2, "sample_rate": ny.targets.Mu(1.0)}, "Its steps change with the rate."),
        ({"noise_multiplier": 1.0, "epochs": 2, "steps": 3, "sample_rate": 0.1}, "steps or epochs, for DPSGD"),
        ({"noise_multiplier": 1.0, "epochs": 2, "sample_rate": 0.1, "batch_size": 3}, "steps or epochs, for DPSGD"),
        ({"noise_multiplier": 1.0, "epochs": 0, "sample_rate": 0.1}, "epochs must be a finite number > 0, got 0"),
    ],
)
def test_refusals(axes: dict[str, Any], words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.sweep(axes=axes, workers=1)
    assert words in str(caught.value)


def test_files_have_the_same_words(tmp_path: Path) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text("noise_multiplier: 1\nbatch_size: {linspace: [100, 300, 3]}\ndataset_size: 1000\nepochs: [1, 2]\n")
    plan = read_sweep(str(spec), ("add_or_remove", 1e-6, 1e-10, 10.0))
    assert [axis.name for axis in plan.axes] == ["noise_multiplier", "batch_size", "dataset_size", "epochs"]
    assert plan.axes[1].values == (100, 200, 300)
