"""The part of E (S - K)_+ along the cut of phi, from 0 to -r_0: what single large Y add (left.py).

    (1 / pi) int_0^{r_0} e^{-rK} |phi|^t sin(tA) / r^2 dr,     A = -arg phi(-r + i0),  tan A = q / Re phi,

in u = log r, panel by panel. On the ellipse of a panel (rule.py) the integrand is e^{-pK} (phi_-^t - phi_+^t) /
(2ip), phi_- and phi_+ from either side of the cut, at most t m^{t - 1} e^{-K Re p} |q| / |p| in modulus with m = A +
2 |q| (excess.py, jump.py). log E e^{rho Y} over z <= x_0 is convex in rho, so that both ends of an arc bound e^{-rho
K} A^t on it.

**Errors of a node.** arctan is concave, so that A is relatively no further off than its argument.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.allocated.left.excess import Above, above, excess
from neyman.losses.allocated.left.jump import foot, jump, log_jump_above
from neyman.losses.allocated.left.rule import ACROSS, ALONG, GAUSS, gauss_error
from neyman.numerics.rounding import AMPLE, ROOM, SLIGHT, UNIT

__all__ = ["Cut", "edge", "gathered", "largest", "panel"]

_AT_ONCE = 4  # panels that are made together
_PANEL, _STEEP = 0.8, 1.2  # their length in u, and the sigma up to which it is that
_ARCS = 12  # of half an ellipse
_TERM, _NODE = 32.0, 24.0  # certify, units: of a term, and of rK in its exponent beside what moves its node
_SUMMED = 256.0  # certifies, units: of a sum, weights of the rule included


@dataclass(frozen=True)
class Cut:
    """Panels, a row each: nodes r, log |phi|, A, relative errors of |phi| and of q; arcs of ellipses, with bounds."""

    r: FloatArray
    log: FloatArray
    angle: FloatArray
    off: FloatArray
    relative: FloatArray
    least: FloatArray
    """The r at which an arc begins"""
    jump: FloatArray
    """log |q| at most"""
    inside: FloatArray
    """log A at least"""
    near: FloatArray
    far: FloatArray
    """Re p of both ends"""
    near_grown: FloatArray
    far_grown: FloatArray
    """log A there at most"""

    def shown(self, k: float, t: int, length: float) -> tuple[FloatArray, FloatArray, float]:
        """What each panel adds at K and a bound on its error; -K times the derivative of all, about."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            size = np.exp(-self.r * k + t * self.log) / self.r * (0.5 * length * GAUSS[1])
            turn = t * self.angle
            sine = np.sin(turn)
            moved = 8.0 + 2.0 * np.abs(np.log(self.r))  # units by which a node may be off
            units = _TERM + (_NODE + 2.0 * moved) * self.r * k + 16.0 * t * np.abs(self.log)
            loose = np.expm1(t * self.off + UNIT * units)
            turned = turn * (self.relative + 4.0 * self.off + _TERM * UNIT)
            wrong = size * (loose * np.abs(sine) + (1.0 + loose) * turned)
            value = np.sum(size * sine, axis=1)
            fall = k * float(np.sum(size * sine * self.r)) / math.pi
            rounded = _SUMMED * UNIT * np.sum(size * np.abs(sine), axis=1)  # the weights of the rule, too
            log = largest((self.near, self.far), k, t, self._above) + math.log(t) + self.jump - self.inside
            most = np.exp(np.max(log - np.log(self.least), axis=1))
        error = np.sum(wrong, axis=1) + rounded + gauss_error(0.5 * length, most)
        return value / math.pi, np.where(np.isnan(error), np.inf, error) * ((1.0 + AMPLE) / math.pi), fall

    @property
    def _above(self) -> Above:
        return Above((self.near_grown, self.far_grown), self.inside, self.jump)


def largest(rho: tuple[FloatArray, FloatArray], k: float, t: int, bound: Above) -> FloatArray:
    """log of e^{-rho K} m^t, of both ends the larger; log m <= log A + log(1 + 2 |q| / A)."""
    more = t * np.logaddexp(0.0, math.log(2.0) + bound.jump - bound.least)
    powers = (-one * k + t * grown + ROOM * (one * k + t * grown) for one, grown in zip(rho, bound.grown, strict=True))
    return np.maximum(*powers) + more * (1.0 + AMPLE) + AMPLE


def panel(sigma: float) -> float:
    """The length of a panel in u: q grows as a power sigma x_0 of r."""
    return _PANEL * 2.0 ** -max(math.ceil(math.log2(sigma / _STEEP)), 0)


def edge(sigma: float, i: int) -> float:
    """The r at which panel i begins."""
    return math.exp(panel(sigma) * i)


def gathered(sigma: float, first: int, last: int) -> Cut:
    """The panels from ``first`` on, before ``last``."""
    blocks = [_block(sigma, j) for j in range(first // _AT_ONCE, (last - 1) // _AT_ONCE + 1)]
    some = slice(first % _AT_ONCE, first % _AT_ONCE + last - first)
    return Cut(*(np.concatenate([getattr(one, part.name) for one in blocks])[some] for part in fields(Cut)))


@lru_cache(maxsize=512)
def _block(sigma: float, j: int) -> Cut:
    """The panels 4j to 4j + 3."""
    length = panel(sigma)
    centre = length * (np.arange(_AT_ONCE * j, _AT_ONCE * (j + 1)) + 0.5)[:, None]
    r = np.exp(centre + 0.5 * length * GAUSS[0])
    nodes = (part.reshape(r.shape) for part in _nodes(sigma, r.ravel()))
    return Cut(r, *nodes, *_arcs(sigma, centre, length))


def _nodes(sigma: float, r: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """log |phi|, A, and relative errors of |phi| and of q at each r, rising."""
    found, x = excess(sigma, np.asarray(r, dtype=np.complex128), float(r[0])), foot(sigma, r)
    log_q, relative = jump(sigma, r)
    relative = relative + UNIT * (8.0 + 2.0 * np.abs(np.log(r))) * (4.0 + sigma * x + x * x)  # nodes are off
    lost = ~(relative < 1.0)
    most = log_jump_above(sigma, x, r, r, np.zeros_like(r))
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        q = np.exp(np.where(lost, most - math.log(2.0), log_q))  # of what is lost, half of what it is at most
        relative = np.where(lost, 1.0 + AMPLE, relative)
        real = 1.0 + found.value.real
        good = real > 2.0 * found.error
        real = np.where(good, real, 1.0)
        log = np.log1p(np.where(good, found.value.real, 0.0)) + 0.5 * np.log1p((q / real) ** 2)
        off = np.where(good, (found.error + q * relative) / (real - found.error) * (1.0 + AMPLE), np.inf)
    return log, np.arctan(q / real), off, relative


def _arcs(sigma: float, centre: FloatArray, length: float) -> list[FloatArray]:
    """Bounds on the upper half of each ellipse, arc by arc: the lower one is its mirror image."""
    phase = np.linspace(0.0, math.pi, _ARCS + 1)
    along = 0.5 * length * ALONG * (1.0 + SLIGHT) * np.cos(phase)
    across = 0.5 * length * ACROSS * np.sin(phase)
    least, most = np.exp(centre + along[1:]), np.exp(centre + along[:-1])
    high, low = np.maximum(across[:-1], across[1:]) * (1.0 + ROOM), np.minimum(across[:-1], across[1:]) * (1.0 - ROOM)
    rho = (least * np.cos(high)).ravel(), (most * np.cos(low)).ravel()
    theta = np.broadcast_to(high, least.shape).ravel()
    bound = above(sigma, rho, (least.ravel(), most.ravel()), theta)
    parts = (least, bound.jump, bound.least, *rho, *bound.grown)
    return [part.reshape(least.shape) for part in parts]
