"""The guard at every door from a law to an engine: what is handed over must weigh 1 under P and under Q.

A law of which a part is lost, whatever the reason, would make every answer too small. So whoever makes masses (bins,
outcomes, transforms, moments, the laws of Renyi divergences) has them compared with 1, to the error stated with them;
otherwise nothing is answered. The comparison is a sum over what was computed anyhow.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["demand_whole", "total"]


def demand_whole(law: object, under: str, mass: float, error: float, outside: float = 0.0) -> None:
    """Raise unless ``mass`` is 1 within ``error`` and the mass ``outside`` of what was summed.

    Raises
    ------
    NotCertified
        With the bracket that holds of any law, delta in [0, 1].

    Examples
    --------
    >>> demand_whole("a coin", "P", 1.0 + 1e-16, 1e-15)
    >>> try:
    ...     demand_whole("half a coin", "P", 0.5, 1e-15)
    ... except NotCertified as error:
    ...     print(error)
    delta is certified only to lie in [0, 1]: the masses of half a coin sum to 0.5 under P.
    """
    if not abs(mass - 1.0) <= error + outside:
        name = law if isinstance(law, str) else type(law).__name__
        raise NotCertified(
            "delta", 0.0, 1.0, f"the masses of {name} sum to {mass!r} under {under}", topic="known-limits"
        )


def total(log_mass: FloatArray) -> tuple[float, float]:
    """Return the sum of masses given by their logarithms, and a bound on what rounding does to it.

    Examples
    --------
    >>> total(np.log(np.array([0.5, 0.25])))[0]
    0.75
    """
    with np.errstate(under="ignore", over="ignore"):
        mass = np.exp(log_mass)
        size = np.where(mass > 0.0, np.abs(log_mass), 0.0)
    whole = float(np.sum(mass))
    return whole, UNIT * (8.0 + math.log2(len(log_mass) + 2.0)) * whole + UNIT * inner(mass, size)
