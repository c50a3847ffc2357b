"""``neyman dpsgd``: everything a DP-SGD run promises."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.reading.guessed import dpsgd_line
from neyman.cli.verbs.respond import Adjacency, AsJson, Cite, Deltas, Effort, Floor, Tolerance, respond
from neyman.cli.verbs.schedule import (
    BatchSize,
    DatasetSize,
    Epochs,
    SampleRate,
    Steps,
    schedule_given,
)

__all__ = ["dpsgd"]


def dpsgd(
    noise_multiplier: Annotated[
        float | None, typer.Option(help="Noise standard deviation over the clipping norm, > 0.  [required]")
    ] = None,
    sample_rate: SampleRate = None,
    steps: Steps = None,
    dataset_size: DatasetSize = None,
    batch_size: BatchSize = None,
    epochs: Epochs = None,
    delta: Deltas = None,
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    cite: Cite = False,
    as_json: AsJson = False,
) -> None:
    """What a DP-SGD run promises: mu, epsilon and attack power.

    Answers mu-GDP with its floor and regret, epsilon at each delta, advantage and the best attack at each false
    positive rate, each with its certified bracket; "report" is the end that is safe to state. Say the rate and the
    steps, or the sizes of data set and batch and the epochs (rounded up to whole steps). Where the size of the data set
    is known, 1 over it is one of the deltas.
    """
    schedule = schedule_given(
        "dpsgd", {"noise_multiplier": noise_multiplier}, sample_rate=sample_rate, steps=steps,
        dataset_size=dataset_size, batch_size=batch_size, epochs=epochs,
    )  # fmt: skip
    if noise_multiplier is None:
        advice = f"Write: {dpsgd_line(schedule.words)}"
        raise InvalidParameter("--noise-multiplier", None, "given", advice)
    from neyman.mechanisms.sampled.dpsgd import scheduled  # not needed for --help

    respond(scheduled(noise_multiplier, schedule), delta, adjacency, floor, tolerance, effort, as_json, cite)
