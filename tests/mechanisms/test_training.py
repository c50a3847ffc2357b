"""Batches, data sets and epochs: rates rounded up, steps rounded up, from exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.mechanisms.sampled.training import epoch_steps


def test_three_epochs_at_one_in_75_are_225_steps() -> None:
    """Where floats are divided and cut off, they are 224."""
    assert int(3 / (1 / 75)) == 224
    assert ny.training(batch_size=1, dataset_size=75, epochs=3) == (1 / 75, 225)
    assert ny.training(batch_size=800, dataset_size=60_000, epochs=3.0).steps == 225
    assert epoch_steps(3, 1 / 75) == 225
    assert epoch_steps(1, 0.07) == 15
    assert epoch_steps(0.07, 0.01) == 7


@given(size=st.integers(1, 10**12), share=st.floats(0.0, 1.0), epochs=st.integers(1, 1000))
def test_nothing_is_rounded_down(size: int, share: float, epochs: int) -> None:
    batch = max(int(size * share), 1)
    rate, steps = ny.training(batch_size=batch, dataset_size=size, epochs=epochs)
    exact = Fraction(batch, size)
    assert exact <= Fraction(rate) <= exact * (1 + Fraction(1, 2**51))
    assert rate <= 1.0
    assert steps == math.ceil(epochs / exact)


def test_it_is_what_dpsgd_takes() -> None:
    run = ny.training(batch_size=256, dataset_size=60_000, epochs=10)
    assert ny.DPSGD(1.1, *run) == ny.DPSGD(1.1, run.sample_rate, run.steps) == ny.DPSGD(1.1, 256 / 60_000, 2344)
    target = ny.targets.Advantage(0.2)
    assert ny.noise_for_dpsgd(target, *run).bracket == ny.noise_for_dpsgd(target, 256 / 60_000, 2344).bracket


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"batch_size": 0, "dataset_size": 10, "epochs": 1}, "batch_size"),
        ({"batch_size": 11, "dataset_size": 10, "epochs": 1}, "batch_size"),
        ({"batch_size": 1.5, "dataset_size": 10, "epochs": 1}, "batch_size"),
        ({"batch_size": 1, "dataset_size": 0, "epochs": 1}, "batch_size"),
        ({"batch_size": 1, "dataset_size": 10.5, "epochs": 1}, "dataset_size"),
        ({"batch_size": 1, "dataset_size": 10, "epochs": 0}, "epochs"),
        ({"batch_size": 1, "dataset_size": 10, "epochs": math.nan}, "epochs"),
        ({"batch_size": 1, "dataset_size": 10, "epochs": math.inf}, "epochs"),
        ({"batch_size": 1, "dataset_size": 10, "epochs": 1e30}, "steps"),
    ],
)
def test_refusals(asked: Any, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.training(**asked)
    assert caught.value.name == name
