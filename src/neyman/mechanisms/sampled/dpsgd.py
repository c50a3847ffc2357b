"""DP-SGD, in its users' words."""

from __future__ import annotations

from fractions import Fraction
from typing import Never

from neyman._answering import refuse_missing, refuse_more, refuse_unknown
from neyman.mechanisms.additive.gaussian import Gaussian, gaussian_noise
from neyman.mechanisms.base import Mechanism
from neyman.mechanisms.composition import remembering
from neyman.mechanisms.sampled.schedule import Schedule

__all__ = ["DPSGD", "scheduled"]


def DPSGD(  # noqa: N802 (it names a mechanism)
    noise_multiplier: float | None = None,
    sample_rate: float | Fraction | None = None,
    steps: int | None = None,
    *more: Never,
    epochs: float | None = None,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    **unknown: Never,
) -> Mechanism:
    """Return DP-SGD with Poisson-sampled batches: ``Gaussian(noise_multiplier).poisson(sample_rate) ** steps``.

    Say the rate in one way (``sample_rate``, or ``batch_size`` and ``dataset_size``) and the length in one
    (``steps`` or ``epochs``).

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise on the summed gradients over the clipping norm; from 1e-100 to 1e+100.
    sample_rate : float or Fraction
        Probability with which each record enters a batch, in [0, 1]: expected batch size over data set size. A
        fraction is rounded up to a float64.
    steps : int
        Number of noisy updates, a whole number from 0 to 1e18.
    epochs : float
        In place of ``steps``: passes over the data, > 0, whole or not, rounded up to whole steps.
    batch_size, dataset_size : int
        In place of ``sample_rate``: the expected batch size, from 1 to ``dataset_size``, and the number of records.
        The rate is their quotient, rounded up to a float64; the steps of the epochs are counted from the exact one.
        ``dataset_size`` is remembered, beside a ``sample_rate`` too: ``account(...).epsilon()`` is then at
        delta = 1/dataset_size. It decides no other number.

    Returns
    -------
    Mechanism
        Perfect privacy when ``sample_rate`` or ``steps`` is 0.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain, or rate or length are said in no way, or in two. The message ends with the
        line that would work.
    UnknownArgument
        If there is no such argument, or no noise multiplier.

    Examples
    --------
    >>> from neyman import DPSGD
    >>> DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768) ** 2000
    >>> DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)
    Gaussian(sigma=1.1, sensitivity=1.0).poisson(0.008533333333333334) ** 1172
    """
    words = {
        "sample_rate": sample_rate, "steps": steps, "epochs": epochs,
        "batch_size": batch_size, "dataset_size": dataset_size,
    }  # fmt: skip
    given = {"noise_multiplier": noise_multiplier, **words}
    if more:
        refuse_more("ny.DPSGD", 3, more, given)
    refuse_unknown("ny.DPSGD", unknown, **given)
    if noise_multiplier is None:
        refuse_missing("ny.DPSGD", given)
    return scheduled(noise_multiplier, Schedule.of("ny.DPSGD", {"noise_multiplier": noise_multiplier}, **words))


def scheduled(noise_multiplier: object, schedule: Schedule) -> Mechanism:
    """Return the DP-SGD of a schedule, which remembers its data set.

    Raises
    ------
    InvalidParameter
        As ``DPSGD``.
    """
    sigma = gaussian_noise("noise_multiplier", noise_multiplier)
    made = Gaussian(sigma).poisson(schedule.rate.value) ** schedule.steps
    return remembering(made, schedule.dataset_size)
