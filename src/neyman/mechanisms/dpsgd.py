"""DP-SGD, in its users' words."""

from __future__ import annotations

from neyman._validate import count, probability
from neyman.mechanisms.base import Mechanism
from neyman.mechanisms.gaussian import Gaussian, gaussian_noise

__all__ = ["DPSGD"]


def DPSGD(noise_multiplier: float, sample_rate: float, steps: int) -> Mechanism:  # noqa: N802 (it names a mechanism)
    """Return DP-SGD with Poisson-sampled batches: ``Gaussian(noise_multiplier).poisson(sample_rate) ** steps``.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise on the summed gradients over the clipping norm; from 1e-100 to 1e+100.
    sample_rate : float
        Probability with which each record enters a batch, in [0, 1]: expected batch size over data set size.
    steps : int
        Number of noisy updates, a whole number from 0 to 1e18.

    Returns
    -------
    Mechanism
        Perfect privacy when ``sample_rate`` or ``steps`` is 0.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import DPSGD
    >>> DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768) ** 2000
    """
    sigma = gaussian_noise("noise_multiplier", noise_multiplier)
    rate = probability("sample_rate", sample_rate, "It is the expected batch size over the data set size.")
    return Gaussian(sigma).poisson(rate) ** count("steps", steps)
