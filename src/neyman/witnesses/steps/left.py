"""How far right a polyline of x may begin, where a series tells what is left of it. Floats only choose."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from neyman_check.laws.left import TERMS

__all__ = ["beginning"]

_PLACES = 200  # that are tried


def beginning(
    s: float, q: float, times: int, w: NDArray[np.complexfloating[Any]], nats: float, between: tuple[float, float]
) -> float:
    """The last of places ``between`` two from which the best number of terms errs by less than e^-``nats`` at each w;
    of all ``times`` steps the modulus left of it is then hardly more than what it bounds. The first, where none is.
    """
    low, high = between
    if not high > low:
        return low
    x, k = np.linspace(low, high, _PLACES)[:, None], np.arange(TERMS + 1.0)
    odds = math.log(q) - math.log1p(-q)
    masses = k * odds + k * (k - 1.0) / (2.0 * s * s) + log_ndtr((x - k) / s)
    seen = np.log1p(np.exp(np.minimum(odds + (2.0 * x - 1.0) / (2.0 * s * s), 700.0)))
    short = np.full(len(x), -np.inf)
    with np.errstate(divide="ignore"):
        for z in w:
            chosen = np.concatenate([[0.0], np.cumsum(np.log(np.abs(z - k[:-1])) - np.log1p(k[:-1]))])
            off = masses + chosen + np.maximum((z.real - k) * seen, 0.0) + min(z.real * math.log1p(-q), 0.0)
            short = np.maximum(short, off.min(axis=1) + nats)
    good = (short <= 0.0) & (masses[:, 1] + math.log(float(np.abs(w).max()) * times) <= 0.0)
    return float(x[good, 0].max()) if good.any() else low
