"""The part of E (S - K)_+ along the cut of phi, from 0 to -r_0: what single large Y add (left.py).

    (1 / pi) int_0^{r_0} e^{-rK} |phi|^t sin(tA) / r^2 dr,     A = -arg phi(-r + i0),  tan A = q / Re phi,

in u = log r, by Gauss's rule on panels of u. On the ellipse of radius 3 of each the integrand is e^{-pK} (phi_+^t -
phi_-^t) / (2ip), at most t m^{t - 1} e^{-K Re p} |q| / |p| in modulus, m = A + 2 |q| of excess.py: n nodes err by 64 / 15
times half the length of the panel times the largest such bound times 3^{-2n} / (1 - 1/9) at most (Trefethen 2008, Theorem
4.5). log E e^{rho Y} over z <= x_0 is convex in rho, so that the ends of a cell bound e^{-rho K} A^t within.

**The left end**, r < r_1: with W = r y_0 kept, x_0 = x_1 + sigma d at u = u_1 - d, so that q is at most q_1 e^{-sigma x_1
d - sigma^2 d^2 / 2}, and int q / r du at most q_1 / (r_1 (sigma x_1 - 1)); m^t e^{-rK} with x_0 = x_1 kept is at most
what it is at r_1, or 1, and e^{2 t q / N(x_1)} times that for what is beyond x_1, at most e^{W} q-wise at its largest.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.allocated.excess import Above, above, excess
from neyman.losses.allocated.jump import foot, jump, log_jump_above
from neyman.losses.allocated.rule import ACROSS, ALONG, GAUSS, gauss_error
from neyman.numerics.rounding import UNIT

__all__ = ["AT_ONCE", "Cut", "block", "edge", "joined", "largest", "panel"]

AT_ONCE = 4  # panels that are made together
_PANEL, _STEEP = 0.8, 1.2  # their length in u, and the sigma up to which it is that
_ARCS = 12  # of half an ellipse


class Cut(NamedTuple):
    """Panels, a row each: nodes r, their weights in u, log |phi|, A, and bounds on the errors of Re phi and of q."""

    r: FloatArray
    weight: FloatArray
    log: FloatArray
    angle: FloatArray
    off: FloatArray
    relative: FloatArray
    rho: FloatArray
    bound: Above
    inner: FloatArray
    length: float

    def shown(self, k: float, t: int) -> tuple[FloatArray, FloatArray, float]:
        """What each panel adds at K and a bound on its error; -K times the derivative of all, about."""
        power = -self.r * k + t * self.log
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            size = np.exp(power) / self.r * self.weight
            turn = t * self.angle
            sine = np.sin(turn)
            moved = 8.0 + 2.0 * np.abs(np.log(self.r))  # units by which a node may be off
            loose = np.expm1(t * self.off + UNIT * (32.0 + (24.0 + 2.0 * moved) * self.r * k + 16.0 * t * np.abs(self.log)))
            wrong = size * (loose * np.abs(sine) + (1.0 + loose) * turn * (self.relative + 2.0 * self.off + 32.0 * UNIT))
            value = np.sum(size * sine, axis=1)
            fall = k * float(np.sum(size * sine * self.r)) / math.pi
            rounded = 256.0 * UNIT * np.sum(size * np.abs(sine), axis=1)
            m = largest(self.rho, k, t, self.bound)
            m = np.exp(np.max(m + math.log(t) + self.bound.jump - self.bound.least - np.log(self.inner), axis=1))
        error = np.sum(wrong, axis=1) + rounded + gauss_error(0.5 * self.length, m)
        return value / math.pi, np.where(np.isnan(error), np.inf, error) * ((1.0 + 1e-9) / math.pi), fall


def largest(rho: FloatArray, k: float, t: int, bound: Above) -> FloatArray:
    """log of e^{-rho K} m^t, of both ends the larger; log(A + D) <= log A + log(1 + D / A)."""
    more = t * np.logaddexp(0.0, math.log(2.0) + bound.jump - bound.least)
    power = -rho * k + t * bound.grown
    return np.max(power + 1e-12 * (rho * k + t * bound.grown), axis=0) + more * (1.0 + 1e-9) + 1e-9


def panel(sigma: float) -> float:
    """The length of a panel in u: q grows as a power sigma x_0 of r."""
    return _PANEL * 2.0 ** -max(math.ceil(math.log2(sigma / _STEEP)), 0)


def edge(sigma: float, i: int) -> float:
    """The r at which panel i begins."""
    return math.exp(panel(sigma) * i)


@lru_cache(maxsize=512)
def block(sigma: float, j: int) -> Cut:
    """The panels 4j to 4j + 3."""
    length = panel(sigma)
    i = np.arange(AT_ONCE * j, AT_ONCE * (j + 1))
    centre = length * (i + 0.5)[:, None]
    r = np.exp(centre + 0.5 * length * GAUSS[0])
    flat = r.ravel()
    found = excess(sigma, flat + 0j, float(flat[0]))
    x = foot(sigma, flat)
    log_q, relative = jump(sigma, flat)
    most = log_jump_above(sigma, x, flat, flat, np.zeros_like(flat))
    relative = relative + UNIT * (8.0 + 2.0 * np.abs(np.log(flat))) * (4.0 + sigma * x + x * x)
    lost = ~(relative < 1.0)
    log_q, relative = np.where(lost, most - math.log(2.0), log_q), np.where(lost, 1.0, relative)
    with np.errstate(under="ignore", over="ignore"):
        q = np.exp(log_q)
        real = 1.0 + found.value.real
        log = np.log1p(np.maximum(found.value.real, -0.5)) + 0.5 * np.log1p((q / real) ** 2)
        off = (found.error + q * relative) / (real - found.error) * (1.0 + 1e-9)
    off = np.where(real > 2.0 * found.error, off, np.inf)
    phase = np.linspace(0.0, math.pi, _ARCS + 1)
    along, across = 0.5 * length * ALONG * np.cos(phase) * (1.0 + 1e-14), 0.5 * length * ACROSS * np.sin(phase)
    theta = np.maximum(across[:-1], across[1:])
    theta = theta * (1.0 + 1e-12)
    lesser = np.minimum(across[:-1], across[1:]) * (1.0 - 1e-12)
    inner, outer = np.exp(centre + along[1:]), np.exp(centre + along[:-1])
    shape = inner.shape
    theta = np.broadcast_to(theta, shape)
    rho = np.stack([inner * np.cos(theta), outer * np.cos(lesser)])
    bound = above(
        sigma, (rho[0].ravel(), rho[1].ravel()), (inner.ravel(), outer.ravel()), np.ascontiguousarray(theta).ravel()
    )
    bound = Above(bound.grown.reshape(2, *shape), bound.least.reshape(shape), bound.jump.reshape(shape))
    weight = np.broadcast_to(0.5 * length * GAUSS[1], r.shape)
    rows = (part.reshape(r.shape) for part in (log, np.arctan(q / real), off, relative))
    return Cut(r, weight, *rows, rho, bound, inner, length)


def joined(blocks: list[Cut], start: int, end: int) -> Cut:
    """The panels from ``start`` on, before ``end``, of these blocks together."""
    some = slice(start, end)

    def rows(name: str, axis: int = 0) -> FloatArray:
        whole = np.concatenate([getattr(one, name) for one in blocks], axis=axis)
        return whole[:, some] if axis else whole[some]

    bounds = [one.bound for one in blocks]
    bound = Above(
        np.concatenate([one.grown for one in bounds], axis=1)[:, some],
        *(np.concatenate(parts)[some] for parts in ([one.least for one in bounds], [one.jump for one in bounds])),
    )
    names = ("r", "weight", "log", "angle", "off", "relative")
    return Cut(*(rows(name) for name in names), rows("rho", 1), bound, rows("inner"), blocks[0].length)
