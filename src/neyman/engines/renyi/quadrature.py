"""Certified quadrature of E_Q[g] over the smooth parts of a privacy loss, for many orders at once.

g is L^2 exp[0, L, w L] = (r^w - 1 - w (r - 1)) / (w (w - 1)), or r^w = e^{wL}. The range of z is halved, for each
order, until a bound on the integrand shows that a cell is negligible, or that Gauss-Legendre is exact to rounding: with
M the modulus on the ellipse of Bernstein with sum of semi-axes rho, n nodes err by at most

    (64 / 15) half M rho^(-2n) / (1 - rho^-2)                                         (Trefethen 2013, Theorem 19.3).

What was left out and what the rule may err by are added up, so the answer is certified whatever the search did. Parts
on the integers are summed, not integrated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import TINY, UNIT
from neyman.numerics.sums.second_difference import DIFFERENCE_ERROR, second_difference

__all__ = ["Kernel", "Logs", "integral", "kernel"]

_TINY = 1e-320  # more than products below the smallest normal floats are off
_NODES, _WEIGHTS = gauss(24)  # of one panel
_RHO = 8.0  # of the Bernstein ellipse: the sum of its half-axes, in half-widths of a panel
_RADIUS = 0.5 * (_RHO + 1.0 / _RHO)  # of a disc that holds the ellipse, in half-widths
# what they miss of a panel, over the maximum on the ellipse: 2 (2 + 2 / 15) rho^-k over even k >= 48 (Trefethen 2008)
_LOG_RULE = math.log(64.0 / 15.0 / (1.0 - _RHO**-2)) - 2 * len(_NODES) * math.log(_RHO)
_RULE_ERROR = 4e-16  # of the nodes (that moves the integrand by a relative 1e-15 times its slope) and the weights
_DEPTH = 42.0  # e-folds below the integral at which a cell, or the error on it, no longer counts
_LEVELS = 100  # of halving
_CELLS = 1 << 19  # looked at in one round, at most
_BLOCK = 32  # integers of a cell that are summed
_CHUNK = 1 << 17  # nodes at a time
_BEYOND = -4000.0  # certifies: log of what lies outside of ``SmoothPart.reach``


class Logs(NamedTuple):
    """Bounds on the logarithm of a positive number, order by order."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def sum(cls, parts: list[Logs]) -> Logs:
        """Bounds on the sum of several."""
        lower = np.logaddexp.reduce([part.lower for part in parts], axis=0)
        upper = np.logaddexp.reduce([part.upper for part in parts], axis=0)
        some = len(parts) > 1
        return cls(lower - 4.0 * UNIT * some * _size(lower), upper + 4.0 * UNIT * some * _size(upper))


class _Cells(NamedTuple):
    """Cells kept: the order each belongs to, its centre and half-width (of integers: first and count)."""

    row: NDArray[np.int64]
    centre: FloatArray
    half: FloatArray


class Kernel(NamedTuple):
    """log g = ``top`` + log(``value``) (+ 2 log |L|), known to a relative ``error``, given L; and by how much it moves,
    at most, when L does.
    """

    top: FloatArray
    value: FloatArray
    error: FloatArray
    slope: FloatArray

    def moved(self, loss: FloatArray, error: FloatArray, plain: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The value (with L^2) bounded below, above where L is off by ``error``, and the exponent's part of that."""
        if plain:
            return self.value, self.value, self.slope * error
        size = np.abs(loss)
        some = _TINY * (size + error > 0.0)  # what squares below the smallest normal floats may be off
        least = np.maximum(self.value * np.maximum(size - error, 0.0) ** 2 - some, 0.0)
        return least, self.value * (size + error) ** 2 + some, self.slope * error


def kernel(w: FloatArray, loss: FloatArray, plain: bool) -> Kernel:
    """g at each loss. The logarithm of exp[0, a, b] moves with b by at most 1, and by at most 1 / (max(0, a) - b)."""
    tilted = w * loss
    if plain:
        return Kernel(tilted, np.ones_like(tilted), 4.0 * UNIT * np.abs(tilted), np.broadcast_to(np.abs(w), loss.shape))
    top, value = second_difference(loss, tilted)
    of_loss = np.minimum(1.0, 2.0 / np.maximum(top - loss, 1.0))
    of_tilted = np.minimum(1.0, 2.0 / np.maximum(top - tilted, 1.0))
    error = DIFFERENCE_ERROR + 4.0 * UNIT * (np.abs(tilted) * of_tilted + np.abs(loss) * of_loss)
    return Kernel(top, value, error, of_loss + np.abs(w) * of_tilted)


def integral(part: SmoothPart, w: FloatArray, plain: bool = False, integers: bool = False) -> Logs:
    """Bounds on log E_Q[g; part] at each order ``w`` (1-d, finite)."""
    kept, lost = _search(part, w, plain, integers)
    lower, upper = _totals(part, w, kept, plain, integers)
    log_tail = np.where(np.isfinite(part.low) & np.isfinite(part.high), -math.inf, _BEYOND)
    upper = np.logaddexp(upper, np.logaddexp(lost, log_tail))
    # a rejected cell of a positive integrand takes nothing away; an erring rule does
    share = np.exp(np.minimum(np.logaddexp(lost, log_tail) - lower, 0.0))
    with np.errstate(divide="ignore"):
        lower = lower + np.log1p(-np.minimum(share, 1.0))
    return Logs(lower - 4.0 * UNIT * _size(lower), upper + 4.0 * UNIT * _size(upper))


def _search(part: SmoothPart, w: FloatArray, plain: bool, integers: bool) -> tuple[_Cells, FloatArray]:
    """The cells that count, and the log of a bound on all that the others hold and the rule on these errs by."""
    row = np.arange(len(w))
    centre, half = _range(part, w, integers)
    best, lost = np.full(len(w), -math.inf), np.full(len(w), -math.inf)
    kept: list[_Cells] = []
    for _ in range(_LEVELS):
        middle = centre + 0.5 * (half - 1.0) if integers else centre
        radius = 0.5 * (half - 1.0) if integers else half
        order = w[row]
        np.maximum.at(best, row, _seen(part, order, middle, radius, plain))
        bound = part.log_bound(order, middle, radius, False, plain) + np.log(half if integers else 2.0 * half)
        out = bound <= best[row] - _DEPTH
        if integers:
            fine = ~out & (half <= _BLOCK)
        else:
            error = _LOG_RULE + np.log(half) + part.log_bound(order, middle, _RADIUS * half, True, plain)
            fine = ~out & (error <= best[row] - _DEPTH)
            np.logaddexp.at(lost, row[fine], error[fine])
        np.logaddexp.at(lost, row[out], bound[out])
        kept.append(_Cells(row[fine], centre[fine], half[fine]))
        rest = ~out & ~fine
        if not np.any(rest):
            break
        if np.count_nonzero(rest) > _CELLS:  # not settled: unknown there
            lost[row[rest]] = math.inf
            break
        row, centre, half = np.repeat(row[rest], 2), np.repeat(centre[rest], 2), np.repeat(0.5 * half[rest], 2)
        if integers:
            centre[1::2] += half[1::2]
        else:
            centre[0::2] -= half[0::2]
            centre[1::2] += half[1::2]
    else:
        lost[row] = math.inf
    return _Cells(*(np.concatenate(column) for column in zip(*kept, strict=True))), lost


def _range(part: SmoothPart, w: FloatArray, integers: bool) -> tuple[FloatArray, FloatArray]:
    if math.isfinite(part.low):
        return np.full(len(w), 0.5 * (part.low + part.high)), np.full(len(w), 0.5 * (part.high - part.low))
    reach = part.reach(w)
    if integers:
        count = 2.0 ** np.ceil(np.log2(2.0 * reach + 2.0))
        return -0.5 * count, count
    return np.zeros(len(w)), reach


def _seen(part: SmoothPart, w: FloatArray, z: FloatArray, radius: FloatArray, plain: bool) -> FloatArray:
    """log of about what the integrand holds around ``z``: it steers."""
    log_density, loss, _, _ = part.at(z)
    g = kernel(w, loss, plain)
    with np.errstate(divide="ignore"):
        size = np.log(g.value) if plain else np.log(g.value) + 2.0 * np.log(np.abs(loss))
    scale = 1.0 + math.sqrt(part.bend) + part.rise * (1.0 + np.abs(w))
    return log_density + g.top + size + np.log(np.minimum(2.0 * radius + TINY, 1.0 / scale))


def _totals(part: SmoothPart, w: FloatArray, kept: _Cells, plain: bool, integers: bool) -> tuple[FloatArray, ...]:
    """log of the lower and the upper sum over the kept cells."""
    lower, upper = np.full(len(w), -math.inf), np.full(len(w), -math.inf)
    order = np.argsort(kept.row, kind="stable")
    row, centre, half = kept.row[order], kept.centre[order], kept.half[order]
    cells = max(1, _CHUNK // (_BLOCK if integers else len(_NODES)))
    for i in range(0, len(row), cells):
        chunk = slice(i, i + cells)
        at, starts = np.unique(row[chunk], return_index=True)
        if integers:
            offset = np.arange(_BLOCK)
            z = centre[chunk, None] + offset
            log_weight, width = np.where(offset < half[chunk, None], 0.0, -math.inf), np.zeros((len(z), 1))
        else:
            z = centre[chunk, None] + half[chunk, None] * _NODES
            log_weight, width = np.log(half[chunk, None] * _WEIGHTS), half[chunk, None]
        low, high = _terms(part, w[row[chunk]][:, None], (z, width, log_weight), plain)
        for target, (peak, terms) in ((lower, low), (upper, high)):
            most = np.maximum.reduceat(peak, starts)
            scaled = terms * np.exp(peak - np.repeat(most, np.diff(np.append(starts, len(peak)))))
            with np.errstate(divide="ignore"):
                total = np.log(np.add.reduceat(scaled, starts)) + most
            target[at] = np.logaddexp(target[at], total)
    room = UNIT * (16.0 + 2.0 * np.bincount(row, minlength=len(w))) + _RULE_ERROR * (not integers)
    return lower - room, upper + room


def _terms(
    part: SmoothPart, w: FloatArray, nodes: tuple[FloatArray, FloatArray, FloatArray], plain: bool
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Per cell, the scale and the scaled sum of all terms from below, and the same from above."""
    z, width, log_weight = nodes
    log_density, loss, error, loss_error = part.at(z, width)
    g = kernel(w, loss, plain)
    least, most, shift = g.moved(loss, loss_error, plain)
    exponent = log_density + g.top + log_weight
    off = error + g.error + shift + 8.0 * UNIT + 4.0 * UNIT * np.abs(g.top)
    sums: list[tuple[FloatArray, FloatArray]] = []
    for factor, sign in ((least, -1.0), (most, 1.0)):
        moved_exponent = exponent + sign * off
        peak = moved_exponent.max(axis=1)
        with np.errstate(under="ignore"):
            sums.append((peak, (factor * np.exp(moved_exponent - peak[:, None])).sum(axis=1)))
    return sums[0], sums[1]


def _size(logs: FloatArray) -> FloatArray:
    return np.where(np.isfinite(logs), np.abs(logs), 0.0)
