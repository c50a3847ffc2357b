"""``neyman dpsgd``: everything a DP-SGD run promises."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.verbs.respond import Adjacency, AsJson, Cite, Deltas, Effort, Floor, Tolerance, respond
from neyman.cli.verbs.schedule import (
    RATE_WAYS,
    STEPS_WAYS,
    BatchSize,
    DatasetSize,
    Epochs,
    SampleRate,
    Steps,
    rate_given,
    steps_given,
)

__all__ = ["dpsgd"]


def dpsgd(
    noise_multiplier: Annotated[float, typer.Option(help="Noise standard deviation over the clipping norm, > 0.")],
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
    steps, or the sizes of data set and batch and the epochs (rounded up to whole steps).
    """
    from neyman.mechanisms import DPSGD  # not needed for --help

    rate = rate_given(sample_rate, dataset_size, batch_size)
    if rate is None:
        raise InvalidParameter("sample_rate", None, RATE_WAYS)
    times = steps_given(steps, epochs, rate)
    if times is None:
        raise InvalidParameter("steps", None, STEPS_WAYS)
    mechanism = DPSGD(noise_multiplier=noise_multiplier, sample_rate=rate[0], steps=times)
    respond(mechanism, delta, adjacency, floor, tolerance, effort, as_json, cite)
