"""What the verbs for DP-SGD share: rate and steps, from either way of saying them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman._validate import count, probability

__all__ = [
    "RATE_WAYS",
    "STEPS_WAYS",
    "BatchSize",
    "DatasetSize",
    "Epochs",
    "Rate",
    "SampleRate",
    "Steps",
    "rate_given",
    "steps_given",
]

SampleRate = Annotated[float | None, typer.Option(help="Poisson sampling rate, in [0, 1].")]
Steps = Annotated[int | None, typer.Option(help="Number of steps.")]
DatasetSize = Annotated[int | None, typer.Option(help="In place of --sample-rate: records in the data set.")]
BatchSize = Annotated[int | None, typer.Option(help="In place of --sample-rate: expected batch size.")]
Epochs = Annotated[float | None, typer.Option(help="In place of --steps: passes, rounded up to whole steps.")]

RATE_WAYS = "given in exactly one way: --sample-rate, or both --dataset-size and --batch-size"
STEPS_WAYS = "given in exactly one way: --steps or --epochs"

Rate = tuple[float, Fraction | float]


def rate_given(sample_rate: float | None, dataset_size: int | None, batch_size: int | None) -> Rate | None:
    """Return the rate as a float64 and as it was meant, or None where none was given."""
    by_size = dataset_size is not None or batch_size is not None
    if sample_rate is not None:
        if by_size:
            raise InvalidParameter("sample_rate", sample_rate, RATE_WAYS)
        rate = probability("sample_rate", sample_rate)
        return rate, rate
    if not by_size:
        return None
    if dataset_size is None or batch_size is None:
        raise InvalidParameter("sample_rate", None, RATE_WAYS, f"--{_missing(dataset_size)} is missing.")
    from neyman.mechanisms.training import batch_rate

    return batch_rate(batch_size, dataset_size)


def _missing(dataset_size: int | None) -> str:
    return "dataset-size" if dataset_size is None else "batch-size"


def steps_given(steps: int | None, epochs: float | None, rate: Rate | None) -> int | None:
    """Return the steps, or None where none were given; epochs are rounded up, never down."""
    if steps is not None and epochs is not None:
        raise InvalidParameter("steps", steps, STEPS_WAYS)
    if epochs is None:
        return None if steps is None else count("steps", steps)
    if rate is None:
        advice = "How many steps an epoch has, the rate decides: give --steps where the rate is to be found."
        raise InvalidParameter("epochs", epochs, "given beside a sample rate", advice)
    from neyman.mechanisms.training import epoch_steps

    return epoch_steps(epochs, rate[1])
