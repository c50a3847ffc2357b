"""log A on the nodes of all lines of a batch, and how much each may err.

A - 1 is summed, never A: sum p (e^{wL} - 1) on the axis, and from there e^{i omega L} - 1 by products of few turns,
omega = (a + m b) d:    F_{a + mb} = F_a + F_mb + F_a F_mb,    F_k = e^{i k d L} - 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.rows import rows_of
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import ELEMENTARY, SECOND_ORDER, TINY, TURN, UNIT

__all__ = ["Nodes", "nodes"]

_PRODUCT = 1 << 15  # multiplications of a matrix product: BLAS starts no threads for so few
_CHUNK = 1 << 15  # entries of a table of turns: half of a cache of a megabyte
# certifies, units of 2^-53: the first turn e^{i d L} - 1 = -2 sin^2(dL/2) + i sin(dL) errs by 5 TURN; of what follows
# each F_{k+1} = F_k F_1 + (F_k + F_1) adds 8 of |F_1|, besides 2 of |F_k|
_TURNED = 5.0 * TURN
_PRODUCTS = 20.0  # certifies, units relative to omega |L|: of both tables, and of the products between them
_MOST = 0.999  # of A: what errs by more is not known
_LOG = 8.0  # certifies, units: log |A| = log1p(a (2 + a) + b^2) / 2 with A - 1 = a + bi, and arg A by arctan2


@dataclass(frozen=True)
class Nodes:
    """log A(w + i omega) at omega = 0, d, 2d, ..: axes are setting, line, node. ``error`` bounds how far it is off, inf
    where nothing is known.
    """

    log_a: ComplexArray
    error: FloatArray


def nodes(axis: Axis, w: FloatArray, spacing: FloatArray, counts: IntArray) -> Nodes:
    """The transform of every setting on its lines: each has as many nodes as the longest, but knows only its own."""
    count = int(counts.max())
    log_a = np.empty((*w.shape, count), dtype=np.complex128)
    error = np.empty((*w.shape, count))
    fine = math.isqrt(count - 1) + 1
    rows = max(1, _CHUNK // (w.shape[1] * axis.x.shape[1] * (fine // 2 + 1)))
    for first in range(0, len(w), rows):
        part = np.arange(first, min(first + rows, len(w)))
        log_a[part], error[part] = _some(rows_of(axis, part), w[part], spacing[part], counts[part], (count, fine))
    return Nodes(log_a, error)


def _some(
    axis: Axis, w: FloatArray, spacing: FloatArray, own: IntArray, sizes: tuple[int, int]
) -> tuple[ComplexArray, FloatArray]:
    """The same of few settings, whose tables stay in the cache."""
    loss, weight = axis.loss[:, None, :], np.exp(axis.log_weight)[:, None, :]
    tilted, less = axis.terms(w)
    base = less.sum(axis=2)
    count, fine = sizes
    coarse = -(-count // fine)
    turn = spacing[..., None] * loss
    half = np.sin(0.5 * turn)
    one = np.empty(turn.shape, dtype=np.complex128)
    one.real, one.imag = -2.0 * half * half, np.sin(turn)
    near = _powers(one, fine + 1)
    far = _powers(near[:, :, fine], coarse)
    near = near[:, :, :fine].swapaxes(2, 3)
    value = _summed(tilted, near, far).reshape(*w.shape, -1)[..., :count] + base[..., None]
    return _logged(value, _doubt(axis, w, tilted, weight, spacing * (own - 1), spacing, (count, fine, coarse)))


def _powers(one: ComplexArray, count: int) -> ComplexArray:
    """F_0 = 0, F_1, .., F_{count - 1}: a new axis before the last."""
    found = np.empty((*one.shape[:2], count, one.shape[2]), dtype=np.complex128)
    found[:, :, 0], both = 0.0, np.empty_like(one)
    for k in range(1, count):
        before, here = found[:, :, k - 1], found[:, :, k]
        np.multiply(before, one, out=here)
        here += np.add(before, one, out=both)
    return found


def _summed(tilted: FloatArray, near: ComplexArray, far: ComplexArray) -> ComplexArray:
    """Sum of tilted (F_far + (1 + F_far) F_near), rows far, columns near."""
    left = tilted[:, :, None, :] * far
    alone = left.sum(axis=3)
    left += tilted[:, :, None, :]
    count = left.shape[2]
    # no row alone: BLAS would start threads for a product with a vector that is a third as long
    rows = min(max(2, _PRODUCT // (near.shape[2] * near.shape[3])), count)
    found = np.empty((*left.shape[:3], near.shape[3]), dtype=np.complex128)
    for i in range(0, count, rows):
        some = slice(min(i, count - rows), min(i, count - rows) + rows)
        found[:, :, some] = np.matmul(left[:, :, some], near)
    return found + alone[..., None]


def _doubt(
    axis: Axis, w: FloatArray, tilted: FloatArray, weight: FloatArray, last: FloatArray, spacing: FloatArray,
    sizes: tuple[int, int, int],
) -> FloatArray:  # fmt: skip
    """Bound on what the sums A(w + i omega) - 1 err by, for omega up to the ``last`` of each line.

    A sum of n complex products errs by 3 n units of their moduli, a table of k powers by k of omega |L|, and each turn
    by ``_TURNED`` units for each time it was taken.
    """
    count, fine, coarse = sizes
    omega = spacing[..., None] * np.arange(count)
    whole = tilted.sum(axis=2)
    terms = UNIT * (3.0 * axis.x.shape[1] + 2.0 * (fine + coarse) + _PRODUCTS)
    units = (axis.units + terms) * np.abs(axis.loss)
    spread = np.matmul(tilted, units[:, :, None])[:, :, 0]
    flat = (weight[:, 0] * units).sum(axis=1)[:, None] * np.abs(w)
    nothing = np.zeros((len(w), 1))
    # that of sum p, which is taken to be 1, belongs to the sum of p (e^{wL} - 1)
    missing = axis.ends(w) + axis.ends(nothing) + axis.aliased(nothing, nothing)
    aliased = SECOND_ORDER * axis.aliased(w, last) * whole
    turns = 2.0 * UNIT * _TURNED * np.arange(count) * whole[..., None]
    # e^{wL} errs by |wL| times as much as L, and is turned by at most 2
    rounded = (omega + 3.0 * np.abs(w)[..., None]) * spread[..., None] + flat[..., None]
    return turns + rounded + (SECOND_ORDER * missing + aliased)[..., None] + TINY


def _logged(value: ComplexArray, doubt: FloatArray) -> tuple[ComplexArray, FloatArray]:
    """log(1 + value), and how far off it may be."""
    a, b = value.real, value.imag
    less = a * (2.0 + a) + b * b
    modulus = np.hypot(1.0 + a, b)
    size = np.abs(value)
    log_a = np.empty(value.shape, dtype=np.complex128)
    near = np.abs(less) < 0.5
    log_a.real = np.where(near, 0.5 * np.log1p(np.where(near, less, 0.0)), np.log(np.maximum(modulus, TINY)))
    log_a.imag = np.arctan2(b, 1.0 + a)
    share = doubt / np.maximum(modulus, TINY)
    moved = np.where(share < _MOST, -np.log1p(-np.minimum(share, _MOST)), np.inf)
    rounded = (
        _LOG * UNIT * (size * (2.0 + size) / np.maximum(modulus, TINY) ** 2 + np.abs(log_a.real) + np.abs(log_a.imag))
    )
    return log_a, moved + rounded + ELEMENTARY * UNIT * np.abs(log_a.real)
