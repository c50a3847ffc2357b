"""Batches, data sets and epochs: the sample rate and the steps of DP-SGD, in the words of those who train."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from neyman._errors import InvalidParameter
from neyman._validate import count, positive, probability

__all__ = ["Training", "batch_rate", "epoch_steps", "training"]


class Training(NamedTuple):
    """How long DP-SGD runs, in the order in which ``DPSGD`` takes it after the noise."""

    sample_rate: float
    steps: int


def training(*, batch_size: int, dataset_size: int, epochs: float) -> Training:
    """Return the sample rate and the number of steps of so many epochs.

    Parameters
    ----------
    batch_size : int
        The expected batch size, from 1 to ``dataset_size``.
    dataset_size : int
        Records in the data set.
    epochs : float
        Passes over the data, > 0, whole or not.

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
    rate, exact = batch_rate(batch_size, dataset_size)
    return Training(rate, epoch_steps(epochs, exact))


def batch_rate(batch_size: object, dataset_size: object) -> tuple[float, Fraction]:
    """Return the sample rate, rounded up to a float64, and exactly."""
    size, batch = count("dataset_size", dataset_size), count("batch_size", batch_size)
    if not 1 <= batch <= size:
        raise InvalidParameter("batch_size", batch_size, f"a whole number from 1 to the dataset size {size}")
    exact = Fraction(batch, size)
    rate = float(exact)
    return (rate if Fraction(rate) >= exact else math.nextafter(rate, 1.0)), exact


def epoch_steps(epochs: object, rate: Fraction | float) -> int:
    """Return epochs over rate, rounded up; floats count as the decimals they are typed as."""
    exact = rate if isinstance(rate, Fraction) else Fraction(repr(probability("sample_rate", rate)))
    if exact == 0:
        raise InvalidParameter("sample_rate", 0.0, "> 0 where steps are counted in epochs")
    # the decimal that was typed, not its binary neighbour: 3 epochs at rate 1/75 are 225 steps
    return count("steps", math.ceil(Fraction(repr(positive("epochs", epochs))) / exact))
