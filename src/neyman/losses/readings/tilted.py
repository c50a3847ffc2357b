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
    if not np.any(large):
        return np.exp(log_p) * np.expm1(a)
    with np.errstate(under="ignore"):
        grown = np.exp(np.where(large, log_p + a, -math.inf))
        return np.exp(log_p) * np.where(large, -1.0, np.expm1(np.where(large, 0.0, a))) + grown


def tilted_moments(
    w: FloatArray, x: FloatArray, step: Any, loss: FloatArray, density: FloatArray, ends: tuple[Any, float]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """log A(w), mean and variance of the loss under the law tilted by each w, on a grid; and where the law may be cut:
    inf where it need not, NaN where the grid does not hold it. ``ends`` are the tilt beyond which the law may rise
    again after the end of the grid, so that it is cut there, and the mass that A lacks.

    Of many laws, each on a grid of its own, ``x``, ``loss`` and ``density`` have shape (laws, 1, places), ``step`` and
    the first of ``ends`` (laws, 1); what is returned has (laws, w).
    """
    end, missing = ends
    a = w[:, None] * loss
    log_weight = density + a
    log_top, begin = log_weight.max(axis=-1), log_weight[..., 0].copy()
    # dead where the grid ends: nothing is cut
    whole = (log_weight[..., -1] < log_top - VALLEY) & (x[..., -1] > 0.0)
    peak, inside = log_top.copy(), whole.copy()
    cut = np.where(w <= end, np.inf, x[..., -1]) + np.zeros(whole.shape)  # of other laws the grid is all there is
    rest = np.flatnonzero(~whole)
    last = x.shape[-1] - 1
    if len(rest):
        rows = np.unravel_index(rest, whole.shape)
        some, places = log_weight[rows], np.broadcast_to(x, log_weight.shape)[rows]
        crest = np.maximum.accumulate(some, axis=-1)
        # the last place that lies in a valley deep enough to cut in
        deep = (some < crest - VALLEY) & (places > 0.0)
        ends_at = last - np.argmax(deep[:, ::-1], axis=-1)
        beyond = np.arange(last + 1) > ends_at[:, None]
        peak[rows] = np.take_along_axis(crest, ends_at[:, None], axis=-1)[:, 0]
        inside[rows] = np.any(deep, axis=-1)
        cut[rows] = np.where(ends_at < last, np.take_along_axis(places, ends_at[:, None], axis=-1)[:, 0], cut[rows])
        log_weight[rows] = np.where(beyond, -math.inf, np.minimum(some, peak[rows][:, None]))
        a[rows] = np.where(beyond, 0.0, a[rows])
    log_weight -= peak[..., None]
    weight = np.exp(log_weight, out=log_weight)
    total = weight.sum(axis=-1)
    mean = _against(weight, loss) / total
    off = loss - mean[..., None]
    weight *= np.multiply(off, off, out=off)
    variance = weight.sum(axis=-1) / total
    log_a = peak + np.log(total * step)
    near = np.abs(log_a) < 0.5
    if np.any(near):
        log_a[near] = _near_one(a[near], np.broadcast_to(density, a.shape)[near], (near * step)[near], missing)
    # with no valley on the way, the tilted law falls for good beyond w: nothing was cut, unless the grid ended before;
    # a law that has left the grid at its lower end is out of reach, too
    inside &= begin < log_top - VALLEY
    return log_a, mean, variance, np.where(inside, cut, np.nan)


def _near_one(a: FloatArray, density: FloatArray, step: FloatArray, missing: float) -> FloatArray:
    """log A from A - 1, one row for each."""
    sums = np.empty(len(a))
    large = a.max(axis=-1) > 1.0
    for rows in (large, ~large):
        if np.any(rows):
            density_there = density[rows]
            sums[rows] = excess(density_there, np.minimum(a[rows], _LARGEST - density_there)).sum(axis=-1)
    return np.log1p(sums * step - missing)


def _against(weight: FloatArray, loss: FloatArray) -> FloatArray:
    """Sums of weight times loss: by a product of a matrix and a vector where there is one law."""
    return weight @ loss if loss.ndim == 1 else np.einsum("...i,...i->...", weight, loss)
