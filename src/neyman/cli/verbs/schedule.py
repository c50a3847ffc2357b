"""What the verbs for DP-SGD share: rate and steps, from either way of saying them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from neyman.mechanisms.sampled.schedule import Schedule

__all__ = ["RATE_WAYS", "STEPS_WAYS", "BatchSize", "DatasetSize", "Epochs", "SampleRate", "Steps", "schedule_given"]

SampleRate = Annotated[float | None, typer.Option(help="Poisson sampling rate, in [0, 1]: 0.01, 1% or 512/60000.")]
Steps = Annotated[int | None, typer.Option(help="Number of steps.")]
DatasetSize = Annotated[
    int | None,
    typer.Option(help="Records in the data set: with --batch-size in place of --sample-rate; 1 over it is a delta."),
]
BatchSize = Annotated[int | None, typer.Option(help="In place of --sample-rate: expected batch size.")]
Epochs = Annotated[float | None, typer.Option(help="In place of --steps: passes, rounded up to whole steps.")]

_RATES, _TIMES = "--sample-rate, or both --dataset-size and --batch-size", "--steps or --epochs"
RATE_WAYS = f"given in exactly one way: {_RATES}"
STEPS_WAYS = f"given in exactly one way: {_TIMES}"


def schedule_given(verb: str, beside: dict[str, object], **words: object) -> Schedule:
    """Return what was said of the schedule; the line that would work is one of ``verb``."""
    from neyman.cli.reading.guessed import dpsgd_line
    from neyman.mechanisms.sampled.schedule import Schedule, Spelling  # not needed for --help

    return Schedule(words, Spelling(_RATES, _TIMES, lambda told: dpsgd_line(told, verb)), beside)
