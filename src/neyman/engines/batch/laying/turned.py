"""Sums over the nodes of lines, each weight turned by e^{-i omega eps}: of many settings, and of many eps at once.

With k = b B + j, sum over k of w_k t^k is Horner's rule in t^B, whose coefficients are matrix products of the weights
with 1, t, ..., t^{B-1}.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray

__all__ = ["SUM_UNITS", "turned"]

# certifies, units for each of n nodes and two more. In w t^k each turn errs by 12 and 2 of its angle (which callers
# count), and there are no more than k products of 3; the matrix product errs by 3 _BLOCK, in whatever order it adds, a
# step of Horner's rule by 1; kernels in the weights by 20: in all 15 n + 3 min(_BLOCK, n) + n / _BLOCK + 21
SUM_UNITS = 20.0
_BLOCK = 16  # powers of a turn: a compromise of few products and short ones


def turned(
    weight: ComplexArray, z: ComplexArray, spacing: FloatArray, epsilon: FloatArray, sloped: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Re sum weight e^{-i omega eps}, and the same with weight z, on the axes of ``epsilon``: setting, direction, eps.

    Each is off by at most ``SUM_UNITS`` (2 + nodes) units of 2^-53, and 4 of omega eps, of the sum of the moduli.
    """
    turn = np.exp(-1j * spacing[..., None] * epsilon)
    *pairs, count = weight.shape
    block = min(_BLOCK, count)
    blocks = -(-count // block)
    rows = np.zeros((*pairs, 1 + sloped, blocks * block), dtype=np.complex128)
    rows[:, :, 0, :count] = weight
    if sloped:
        np.multiply(weight, z, out=rows[:, :, 1, :count])
    powers = _powers(turn, block)
    # [setting, direction, value or slope, block, eps]; each product has so few terms that BLAS starts no threads
    parts = np.matmul(rows.reshape(*pairs, (1 + sloped) * blocks, block), powers).reshape(
        *pairs, 1 + sloped, blocks, turn.shape[2]
    )
    found = parts[..., -1, :]
    if blocks > 1:
        whole = (powers[:, :, -1] * turn)[:, :, None]
        for k in range(blocks - 2, -1, -1):
            found = found * whole
            found += parts[..., k, :]
    value = found[:, :, 0].real
    return value, found[:, :, 1].real if sloped else np.zeros((1, 1, 1))


def _powers(turn: ComplexArray, count: int) -> ComplexArray:
    """1, t, ..., t^{count - 1} on a third axis; each is the product of two before it, or the turn itself."""
    found = np.empty((*turn.shape[:2], count, turn.shape[2]), dtype=np.complex128)
    found[:, :, 0] = 1.0
    found[:, :, 1:2] = turn[:, :, None]
    have = 2
    while have < count:
        more = min(have - 1, count - have)
        np.multiply(found[:, :, 1 : 1 + more], found[:, :, have - 1 : have], out=found[:, :, have : have + more])
        have += more
    return found
