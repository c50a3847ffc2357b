"""``neyman dpsgd``: everything a DP-SGD run promises."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman._validate import count, positive, probability
from neyman.cli.respond import Adjacency, AsJson, Deltas, Floor, Tolerance, respond

__all__ = ["dpsgd"]


def dpsgd(
    noise_multiplier: Annotated[float, typer.Option(help="Noise standard deviation over the clipping norm, > 0.")],
    sample_rate: Annotated[float | None, typer.Option(help="Poisson sampling rate, in [0, 1].")] = None,
    steps: Annotated[int | None, typer.Option(help="Number of steps.")] = None,
    dataset_size: Annotated[
        int | None, typer.Option(help="In place of --sample-rate: records in the data set.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option(help="In place of --sample-rate: expected batch size.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="In place of --steps: passes, rounded up to whole steps.")
    ] = None,
    delta: Deltas = None,
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    as_json: AsJson = False,
) -> None:
    """Certified guarantee of DP-SGD: mu-GDP with floor and regret, epsilon, advantage, attack power.

    Example: neyman dpsgd --noise-multiplier 9.4 --sample-rate 0.32768 --steps 2000 --delta 1e-5
    """
    from neyman.mechanisms import DPSGD  # not needed for --help

    rate, times = _schedule(sample_rate, steps, dataset_size, batch_size, epochs)
    mechanism = DPSGD(noise_multiplier=noise_multiplier, sample_rate=rate, steps=times)
    respond(mechanism, delta, adjacency, floor, tolerance, as_json)


def _schedule(
    sample_rate: float | None, steps: int | None, dataset_size: int | None, batch_size: int | None, epochs: float | None
) -> tuple[float, int]:
    """Rate and steps, from either way of saying them; derived ones are rounded up, never down."""
    by_size = dataset_size is not None or batch_size is not None
    if (sample_rate is None) == (not by_size):
        way = "--sample-rate, or both --dataset-size and --batch-size"
        raise InvalidParameter("sample_rate", sample_rate, f"given in exactly one way: {way}")
    if (steps is None) == (epochs is None):
        raise InvalidParameter("steps", steps, "given in exactly one way: --steps or --epochs")
    if by_size:
        size, batch = count("dataset_size", dataset_size), count("batch_size", batch_size)
        if not 1 <= batch <= size:
            raise InvalidParameter("batch_size", batch, f"a whole number from 1 to the dataset size {size}")
        exact = Fraction(batch, size)
        rate = float(exact)
        rate = rate if Fraction(rate) >= exact else math.nextafter(rate, 1.0)
    else:
        rate = probability("sample_rate", sample_rate)
        exact = Fraction(repr(rate))
    if epochs is None:
        return rate, count("steps", steps)
    if exact == 0:
        raise InvalidParameter("sample_rate", sample_rate, "> 0 where steps are counted in epochs")
    # the decimal that was typed, not its binary neighbour: 3 epochs at rate 1/75 are 225 steps
    return rate, count("steps", math.ceil(Fraction(repr(positive("epochs", epochs))) / exact))
