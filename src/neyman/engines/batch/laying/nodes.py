"""log A on the nodes of all lines of a batch, and how much each may err.

A - 1 is summed, never A: its level and lean (``centred``), and from there sum W g(omega L), g(u) = e^{iu} - 1 - iu, by
products of few turns: with F = e^{iu} - 1, g(a + b) = g(a) + g(b) + F_a F_b and F_{a + b} = F_a + F_b + F_a F_b, so
that of omega = (a + m b) d the sums of g at all a d and m b d are themselves sums of products, but for the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.centred import Centred
from neyman.engines.batch.laying.rows import rows_of
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.curved import turn_curved
from neyman.numerics.rounding import ELEMENTARY, TINY, UNIT

__all__ = ["Nodes", "nodes"]

_PRODUCT = 1 << 15  # multiplications of a matrix product: BLAS starts no threads for so few
_CHUNK = 1 << 15  # entries of a table of turns: half of a cache of a megabyte
_MOST = 0.999  # of A: what errs by more is not known
_LOG = 8.0  # certifies, units: log |A| = log1p(a (2 + a) + b^2) / 2 with A - 1 = a + bi, and arg A by arctan2
# certifies, units (``_units``): F of d L by two functions and a product; what each further power adds; g of d L and
# additions; those besides, where losses are large
_POWERS, _EACH_POWER, _FIRST, _FAR = 26.0, 2.0, 70.0, 200.0


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
    count, fine = sizes
    coarse = -(-count // fine)
    sums = Centred.of(axis, w, spacing * (own - 1))
    turn = spacing[..., None] * axis.loss[:, None, :]
    one, first = np.empty(turn.shape, dtype=np.complex128), turn_curved(turn)
    one.real, one.imag = first.real, first.imag + turn
    near = _powers(one, fine + 1)
    far = np.concatenate([near[:, :, 1:2], _powers(near[:, :, fine], coarse)], axis=2)
    products = _summed(sums.tilted, near, far)
    start = (sums.tilted * first).sum(axis=2)
    omega = spacing[..., None] * np.arange(count)
    value = _turned(start, products, fine)[..., :count]
    value.real += sums.level[..., None]
    value.imag += omega * sums.lean[..., None]
    return _logged(value, sums.doubt(omega, _units(axis.x.shape[1], fine + coarse)))


def _turned(first: ComplexArray, products: ComplexArray, fine: int) -> ComplexArray:
    """sum W g at (a + m b) d, b = ``fine``, from that at d, and sum W F F of one turn by 0 .. b (the first row) and of
    0, b, 2b, .. by the same (the others).
    """
    near = _steps(first[..., None] + products[:, :, 0, :fine])
    far = _steps(near[..., fine:] + products[:, :, 1:-1, fine])
    found = far[..., None] + near[:, :, None, :fine] + products[:, :, 1:, :fine]
    return found.reshape(*first.shape, -1)


def _steps(each: ComplexArray) -> ComplexArray:
    """0, and the sums of what each step adds."""
    found = np.zeros((*each.shape[:2], each.shape[2] + 1), dtype=np.complex128)
    np.cumsum(each, axis=2, out=found[:, :, 1:])
    return found


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
    """Sum of tilted F_far F_near, rows far, columns near."""
    left, near = tilted[:, :, None, :] * far, near.swapaxes(2, 3)
    count = left.shape[2]
    # no row alone: BLAS would start threads for a product with a vector that is a third as long
    rows = min(max(2, _PRODUCT // (near.shape[2] * near.shape[3])), count)
    found = np.empty((*left.shape[:3], near.shape[3]), dtype=np.complex128)
    for i in range(0, count, rows):
        some = slice(min(i, count - rows), min(i, count - rows) + rows)
        found[:, :, some] = np.matmul(left[:, :, some], near)
    return found


def _units(places: int, powers: int) -> tuple[float, float]:
    """What sum W g errs by besides its terms, u = omega L: units of sum W u^2 where |u| <= 1, of sum W |u| elsewhere.

    F_1 errs by 11 units of |u_1|, and F_{k+1} = F_k + F_1 + F_k F_1, |1 + F| = 1, adds as much, 6 |u_1| of its product
    and 2 |F_k|: F_k errs by t = 26 + 2 ``powers`` units of |u_k|, and so do those of the longer steps. A product of n
    terms errs by 3 n of |F_a F_b| and 2 t |u_a u_b|. k steps add up k (k - 1) / 2 of these, so that g at u_a + u_b errs
    by 2 t + 3 n, some for the first and for additions, of u_a^2 + u_b^2 + |u_a u_b|. Of large u, |F| <= 2: the sum of
    |F_j F_1| is at most 2 |u_k|, and what F_j errs by counts for each step.
    """
    powers_err, product = _POWERS + _EACH_POWER * powers, 3.0 * places + 3.0
    near = 2.0 * powers_err + product + _FIRST + powers
    return near, 2.0 * product + 2.0 * (powers + 2.0) * powers_err + _FAR


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
