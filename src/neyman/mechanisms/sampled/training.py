"""Batches, data sets and epochs: the sample rate and the steps of DP-SGD, in the words of those who train."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, Never

from neyman._answering import refuse_missing, refuse_unknown
from neyman._errors import InvalidParameter
from neyman._validate import count, positive, probability
from neyman.mechanisms.additive.rounding import at_least

__all__ = ["Rate", "Training", "batch_rate", "epoch_steps", "rate_of", "training"]

_RATE_IS = "It is the expected batch size over the data set size."


class Training(NamedTuple):
    """How long DP-SGD runs, in the order in which ``DPSGD`` takes it after the noise."""

    sample_rate: float
    steps: int


def training(
    *,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epochs: float | None = None,
    **unknown: Never,
) -> Training:
    """Return the sample rate and the number of steps of so many epochs.

    Parameters
    ----------
    batch_size : int
        The expected batch size, from 1 to ``dataset_size``.
    dataset_size : int
        Records in the data set.
    epochs : float
        Passes over the data, > 0, whole or not.

    All three are to be given; ``DPSGD`` takes them itself.

    Returns
    -------
    Training
        A pair (sample_rate, steps): batch size over data set size, rounded up to a float64, and epochs over rate,
        rounded up to whole steps, from the exact fractions.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.training(batch_size=800, dataset_size=60_000, epochs=3)
    Training(sample_rate=0.013333333333333334, steps=225)
    >>> ny.DPSGD(1.1, *ny.training(batch_size=250, dataset_size=1000, epochs=2.1))
    Gaussian(sigma=1.1, sensitivity=1.0).poisson(0.25) ** 9
    """
    given = {"batch_size": batch_size, "dataset_size": dataset_size, "epochs": epochs}
    refuse_unknown("ny.training", unknown, **given)
    refuse_missing("ny.training", given)
    rate = batch_rate(batch_size, dataset_size)
    return Training(rate.value, epoch_steps(epochs, rate.exact))


class Rate(NamedTuple):
    """A sample rate as the float64 next to it that is not below it, and as it was meant."""

    value: float
    exact: Fraction


def batch_rate(batch_size: object, dataset_size: object) -> Rate:
    """Return the sample rate, rounded up to a float64, and exactly."""
    size, batch = count("dataset_size", dataset_size), count("batch_size", batch_size)
    if not 1 <= batch <= size:
        raise InvalidParameter("batch_size", batch_size, f"a whole number from 1 to the dataset size {size}")
    return _rounded_up(Fraction(batch, size))


def rate_of(value: object) -> Rate:
    """Return a sample rate that was given: fractions exactly, floats as the decimals they are typed as."""
    if isinstance(value, Fraction):
        if not 0 <= value <= 1:
            raise InvalidParameter("sample_rate", value, "a number in [0, 1]", _RATE_IS, topic="batch-size")
        return _rounded_up(value)
    rate = probability("sample_rate", value, _RATE_IS, "batch-size")
    return Rate(rate, Fraction(repr(rate)))


def epoch_steps(epochs: object, rate: Fraction | float) -> int:
    """Return epochs over rate, rounded up; floats count as the decimals they are typed as."""
    rate = rate_of(rate).exact
    if rate == 0:
        raise InvalidParameter("sample_rate", 0.0, "> 0 where steps are counted in epochs")
    # the decimal that was typed, not its binary neighbour: 3 epochs at rate 1/75 are 225 steps
    exact = epochs if isinstance(epochs, Fraction) and epochs > 0 else Fraction(repr(positive("epochs", epochs)))
    return count("steps", math.ceil(exact / rate))


def _rounded_up(exact: Fraction) -> Rate:
    return Rate(at_least(exact), exact)
