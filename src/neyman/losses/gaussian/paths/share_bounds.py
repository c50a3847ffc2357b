"""What a soft share of losses is at most along a path (``exchanged_part.shares``), by functions that bend but little.

With u = (S / l)^2, |arg u| <= psi < pi/2 and m = 16, D = int_0^u s^{m-1} e^{-s} ds / (m - 1)! along the ray to u, and
1 - D = e^{-u} sum_{k < m} u^k / k!. Hence

    |D| <= A = P(m, |u| cos psi) / cos^m psi,        |1 - D| <= B = e^{-Re u} sum_{k < m} |u|^k / k! <= cos^{1-m} psi,

|D| <= 1 + B and |1 - D| <= 1 + A: a share D(S / low) - D(S / high) is at most one of six sums of these.

Along a path with |S'|, |S''| <= |S|, as those of ``RotatedLaw``, |(log|S|)'| <= 1 and |(log|S|)''| <= 2. With x = |u|
cos psi and r = x P'/P <= m, -(log A)'' in log x is r (r + x - m) <= 9.3: along the path -(log A)'' <= 4 9.3 + 4 m. The
log of the sum in B is convex in log|u|, its slope at most m - 1, and |u''| <= 4 |u|: -(log B)'' <= 4 |u| + 4 (m - 1). A
sum of terms bends by at most their mean, weighed by them; a term is at most its share of any other, times e^d to the
slopes of both on a cell: 2 m of A, 2 |u| + 2 (m - 1) of B.

On each cell of a grid one of the six sums is taken, and each node given the larger of both its cells': the integral of
what is below it is at most the sum over the nodes, raised by M d^2 / 8 for that bend (as in ``RotatedLaw``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.exchanged_part import ORDER
from neyman.losses.readings.transform import ComplexArray

__all__ = ["log_kept", "log_share", "log_share_before"]

_TURNING = 9.3  # of r (r + x - m)
_TINY = 1e-10  # x below which P is x^m / m!
_ROUNDED = 1e-9  # more than rounding of any of it


class _Term(NamedTuple):
    """The log of one term at each node, and in the cells beside it how much that rises and bends at most."""

    log_size: FloatArray
    slope: FloatArray
    bend: FloatArray


def log_share(s: ComplexArray, low: float, high: float, gap: float) -> FloatArray:
    """log of a bound on |D(s / low) - D(s / high)| at each node of a grid of that spacing, raised for its cells."""
    if low == 0.0 and high == math.inf:
        return np.zeros(len(s))
    each = np.stack([_raised(terms, gap) for terms in _choices(s, low, high, gap)])
    best = np.argmin(each, axis=0)
    before = np.append(best[:1], best[:-1])
    node = np.arange(len(s))
    return np.maximum(each[best, node], each[before, node]) + _ROUNDED


def _raised(terms: tuple[_Term, ...], gap: float) -> FloatArray:
    bend = np.zeros(len(terms[0].log_size))
    for one in terms:
        others = [k for k in terms if k is not one]
        with np.errstate(under="ignore", invalid="ignore"):  # of what is nothing, no share counts
            apart = [one.log_size - k.log_size + gap * (one.slope + k.slope) for k in others]
            share = np.exp(np.minimum(np.min(apart, axis=0), 0.0)) if apart else 1.0
            bend += np.where(one.log_size > -math.inf, share * one.bend, 0.0)
    return np.logaddexp.reduce([one.log_size for one in terms]) + 0.125 * gap**2 * bend


def _choices(s: ComplexArray, low: float, high: float, gap: float) -> list[tuple[_Term, ...]]:
    one = _Term(*np.zeros((3, len(s))))
    a_high, b_high = _bounds(s, high, gap) if high < math.inf else (None, None)
    a_low, b_low = _bounds(s, low, gap) if low > 0.0 else (None, None)
    if a_high is None or b_high is None:
        return [(a_low,), (one, b_low)] if a_low is not None and b_low is not None else [(one,)]
    if a_low is None or b_low is None:
        return [(one, a_high), (b_high,)]
    two = one._replace(log_size=one.log_size + math.log(2.0))
    beyond = [(a_low, a_high), (one, b_low, a_high), (two, b_low, b_high)]
    return [*beyond, (b_high, b_low), (one, a_high, b_low), (two, a_high, a_low)]


def _bounds(s: ComplexArray, length: float, gap: float) -> tuple[_Term, _Term]:
    """A, for the widest angle of the cells beside each node, and B."""
    psi = 2.0 * np.abs(np.angle(s))
    wide = np.maximum(psi, np.maximum(np.append(psi[1:], psi[-1]), np.append(psi[0], psi[:-1])))
    u = (s / length) ** 2
    size, same = np.abs(u) * math.exp(2.0 * gap), np.ones(len(s))
    early = _Term(_log_early(np.abs(u), wide), 2.0 * ORDER * same, 4.0 * (_TURNING + ORDER) * same)
    slope, bend = 2.0 * size + 2.0 * (ORDER - 1.0), 4.0 * size + 4.0 * (ORDER - 1.0)
    return early, _Term(_log_late(np.abs(u), u.real), slope, bend)


def _log_early(size: FloatArray, psi: FloatArray) -> FloatArray:
    """log A."""
    cosine = np.cos(psi)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        x = size * cosine
        log_p = np.where(x < _TINY, ORDER * np.log(x) - math.lgamma(ORDER + 1.0), np.log(special.gammainc(ORDER, x)))
        return np.where(cosine > 0.0, log_p - ORDER * np.log(cosine), math.inf)


def _log_late(size: FloatArray, real: FloatArray) -> FloatArray:
    """log B."""
    with np.errstate(divide="ignore"):
        terms = [k * np.log(size) - math.lgamma(k + 1.0) for k in range(1, ORDER)]
    return np.logaddexp.reduce([np.zeros(len(size)), *terms]) - real


def log_share_before(size: float, psi: float, low: float, high: float) -> float:
    """log of a bound on a share wherever |s| <= ``size``, in a sector of half the angle ``psi``."""
    ends = [length for length in (low, high) if 0.0 < length < math.inf]
    each = [float(_log_early(np.array([(size / length) ** 2]), np.array([psi]))[0]) for length in ends]
    return float(np.logaddexp.reduce([*each, -math.inf if low > 0.0 else 0.0])) + _ROUNDED


def log_kept(size: float, psi: float, low: float, high: float) -> float:
    """log of a bound on a share at ``size`` by what it has not given up, with |u| cos psi for Re u."""
    ends = [length for length in (low, high) if length > 0.0]
    each = [
        _log_late(np.array([(size / length) ** 2]), np.array([(size / length) ** 2 * math.cos(psi)])) for length in ends
    ]
    return float(np.logaddexp.reduce(np.concatenate(each))) + _ROUNDED
