"""A tilted law on a grid: what it weighs, where it lies, and the valley behind it in which it may be cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neyman._validate import FloatArray

__all__ = ["VALLEY", "excess", "last_valley", "tilted_moments"]

VALLEY = 46.0  # e^-46: how small the tilted law must be where it is cut
_LARGEST = 650.0  # of exponents whose sums are floats


def last_valley(log_weight: FloatArray, x: FloatArray) -> Any:
    """Index of the last place, along the last axis, that lies in a valley deep enough to cut in."""
    deep = (log_weight < np.maximum.accumulate(log_weight, axis=-1) - VALLEY) & (x > 0.0)
    return deep.shape[-1] - 1 - np.argmax(deep[..., ::-1], axis=-1)


def excess(log_p: Any, a: Any) -> Any:
    """e^log_p (e^a - 1), also where e^a alone overflows."""
    large = np.real(a) > 1.0
    with np.errstate(under="ignore"):
        grown = np.exp(np.where(large, log_p + a, -math.inf)) if np.any(large) else 0.0
        return np.exp(log_p) * np.where(large, -1.0, np.expm1(np.where(large, 0.0, a))) + grown


def tilted_moments(
    w: FloatArray, x: FloatArray, step: float, loss: FloatArray, density: FloatArray, ends: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """log A(w), mean and variance of the loss under the law tilted by each w, on a grid; and where the law may be cut:
    inf where it need not, NaN where the grid does not hold it. ``ends`` are the tilt beyond which the law may not fall
    at the end of the grid, and the mass that A lacks.
    """
    end, missing = ends
    a = w[:, None] * loss
    log_weight = density + a
    crest = np.maximum.accumulate(log_weight, axis=1)
    # the last place that lies in a valley deep enough to cut in
    deep = (log_weight < crest - VALLEY) & (x > 0.0)
    last = deep.shape[1] - 1 - np.argmax(deep[:, ::-1], axis=1)
    keep = np.arange(len(x)) <= last[:, None]
    top = np.take_along_axis(crest, last[:, None], axis=1)
    weight = np.where(keep, np.exp(np.minimum(log_weight - top, 0.0)), 0.0)
    total = weight.sum(axis=1)
    mean = weight @ loss / total
    variance = (weight * (loss - mean[:, None]) ** 2).sum(axis=1) / total
    by_logs = top[:, 0] + np.log(total * step)
    near = np.abs(by_logs) < 0.5
    log_a = by_logs
    if np.any(near):
        part = np.where(keep[near], np.minimum(a[near], _LARGEST - density), 0.0)
        log_a[near] = np.log1p(np.sum(excess(density, part), axis=1) * step - missing)
    # with no valley on the way, the tilted law falls for good beyond w: nothing was cut, unless the grid ended before
    cut = np.where(last < len(x) - 1, x[last], np.where(w <= end, np.inf, end))
    # a law that has left the grid at its lower end is out of reach, too
    inside = np.any(deep, axis=1) & (log_weight[:, 0] < crest[:, -1] - VALLEY)
    return log_a, mean, variance, np.where(inside, cut, np.nan)
