"""Transforms of many laws along a line, with a bound on the error of each value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.many.block import LONG, Block, chunks, nodes_of, parted
from neyman.losses.gaussian.many.looks import steps_of
from neyman.losses.gaussian.transform import AIMED, FEW_LINES, FINE, SPAN
from neyman.losses.readings.tilted import VALLEY, excess
from neyman.losses.readings.transform import LOGGED, WEIGHED, ComplexArray, Transform, logged
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.fourier_sum import sum_units, turned_sums

__all__ = ["on_line_of", "sum_on_line", "terms_of", "weigh"]

_NODES = 1 << 10  # of a line, from which a law is asked alone
_TABLE = 1 << 18  # values that are held at once
_TOGETHER = 1 << 10  # laws that are weighed at once
_ROWS = 8  # of a table, about: near and far turns


def on_line_of(
    laws: Sequence[Transform], w: float, omega: FloatArray, cuts: FloatArray, margin: float
) -> tuple[ComplexArray, FloatArray]:
    """``on_line`` of each law, cut at ``cuts``: values and errors, one row for each law.

    Laws that turn so much that their axis may have to be moved are asked one by one.
    """
    log_a: ComplexArray = np.empty((len(laws), len(omega)), complex)
    error = np.empty((len(laws), len(omega)))
    plain, alone = parted(laws)
    if len(plain) and len(omega) < _NODES:
        block, reach = Block.of(laws, plain), float(omega[-1])
        step = steps_of(block, w, reach, margin, cuts[plain]) if reach > 0.0 else block.step(w, 0.0, margin, FEW_LINES)
        low, top = block.ends(abs(w), w, cuts[plain])
        count = np.ceil((top - low) / step)
        straight = (step > FINE * block.sigma) & (count < LONG)
        for some, most in chunks(np.flatnonzero(straight), count, _ROWS):
            here = plain[some]
            log_a[here], error[here] = _on_axis(block[some], w, omega, margin, (low[some], top[some], most))
        alone = np.concatenate([alone, plain[~straight]])
    elif len(plain):
        alone = np.arange(len(laws))
    for i in alone.tolist():
        log_a[i], error[i] = laws[i].on_line(w, omega, float(cuts[i]), margin)
    return log_a, error


def sum_on_line(
    laws: Sequence[Transform], times: FloatArray, w: float, omega: FloatArray, cuts: FloatArray, margin: float
) -> tuple[ComplexArray, FloatArray]:
    """Sum of ``times`` log A(w + i omega) over all laws, with a bound on the error of each value.

    Added one after the other, and to one more, n terms err by n units of the sum of their moduli, besides a product and
    a logarithm each.
    """
    units = (1.0 + LOGGED + len(laws)) * UNIT
    if len(laws) == 1:
        log_a, off = laws[0].on_line(w, omega, float(cuts[0]), margin)
        return times[0] * log_a, times[0] * (np.log1p(off) + units * np.abs(log_a))
    value: ComplexArray = np.zeros(len(omega), complex)
    error = np.zeros(len(omega))
    together = max(1, _TABLE // len(omega))
    for i in range(0, len(laws), together):
        some = slice(i, i + together)
        log_a, off = on_line_of(laws[some], w, omega, cuts[some], margin)
        value = value + np.sum(times[some, None] * log_a, axis=0)
        error = error + np.sum(times[some, None] * (np.log1p(off) + units * np.abs(log_a)), axis=0)
    return value, error


def terms_of(laws: Sequence[Transform], w: float, omega: float) -> float:
    """``terms`` of all laws together: where nobody has to look, from one table."""
    plain, alone = parted(laws)
    total = 0.0
    if len(plain):
        block = Block.of(laws, plain)
        step = steps_of(block, w, omega, AIMED)
        straight = step > FINE * block.sigma
        total = float(np.sum(SPAN * block.sigma[straight] / step[straight]))
        alone = np.concatenate([alone, plain[~straight]])
    return total + sum(laws[i].terms(w, omega) for i in alone.tolist())


def weigh(laws: Sequence[Transform]) -> None:
    """``weighed`` of each law: raise NotCertified unless A(0) = A(1) = 1 within the errors that are stated."""
    plain, alone = parted(laws)
    some = [laws[i] for i in plain.tolist()]
    for i in range(0, len(some), _TOGETHER):
        few = some[i : i + _TOGETHER]
        for w in (0.0, 1.0):
            log_a, error = on_line_of(few, w, np.zeros(1), np.full(len(few), math.inf), WEIGHED)
            for law, one, off in zip(few, log_a[:, 0].real.tolist(), error[:, 0].tolist(), strict=True):
                law.weigh(w, one, off)
    for i in alone.tolist():
        laws[i].weighed()


def _on_axis(
    block: Block, w: float, omega: FloatArray, margin: float, grid: tuple[FloatArray, FloatArray, int]
) -> tuple[ComplexArray, FloatArray]:
    """``SamplingTransform._on_axis`` along the real axis."""
    x, step = nodes_of(*grid)
    loss, log_p = block.log_ratio(x), block.log_density(x) + np.log(step)[:, None]
    a = w * loss
    scale = np.maximum((log_p + a).max(axis=1), 0.0)
    log_a: ComplexArray = np.empty((len(x), len(omega)), complex)
    error = np.empty(log_a.shape)
    for large in (False, True):
        rows = np.flatnonzero((scale > 1.0) == large)
        if len(rows):
            lifted = scale[rows] if large else np.zeros(len(rows))
            log_a[rows], error[rows] = _scaled(w, omega, margin, loss[rows], log_p[rows], a[rows], lifted, large)
    return log_a, error


def _scaled(
    w: float, omega: FloatArray, margin: float, loss: FloatArray, log_p: FloatArray, a: FloatArray, scale: FloatArray,
    large: bool,
) -> tuple[ComplexArray, FloatArray]:  # fmt: skip
    """The same of laws all of which are scaled (``large``) by e^-``scale``, or none."""
    size = np.exp(log_p + a - scale[:, None])
    value = turned_sums(omega, loss, size, one=large)
    spread, whole = (size * np.abs(loss)).sum(axis=1), np.maximum(size.sum(axis=1), 1.0)
    if large:
        rest = whole
    else:
        value = value + excess(log_p, a).sum(axis=1)[:, None]
        rest = (np.exp(log_p) * np.abs(a)).sum(axis=1)
    # alias of the grid, and the end of the law in a valley
    quadrature = (3.0 * math.exp(-margin) + 2.0 * math.exp(-VALLEY)) * whole
    units = sum_units(loss.shape[1]) * UNIT
    rounding = units * ((omega + abs(w)) * spread[:, None] + rest[:, None])
    return logged(np.asarray(value, complex), rounding + quadrature[:, None], scale[:, None], not large)
