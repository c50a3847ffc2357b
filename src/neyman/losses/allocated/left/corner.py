"""phi - 1 near its cut at large noise, in float64: up the real line, down, and on to the right.

A line that is shifted as a whole has weights up to e^{b^2 / 2}, which rounding sees. Shifted only beyond x_1, where the
normal density is below that, nothing grows:

    phi(-p) - 1 = int n(z) (e^{pY(z)} - 1) dz        from -inf to x_1, to x_1 - ib and to +inf - ib

as long as pi / 2 <= b / sigma - arg p <= 3 pi / 2. Each piece is cut into panels of Gauss's rule; their ellipses of
radius 4 reach A beyond their middles and B across. On one of the first piece the modulus is at most n(x) e^{B^2 / 2}
expm1(|p| Y(c + A)), x what is nearest to 0 of it; of the second n(x_1 - B) e^{(c + A)^2 / 2} (1 + e^{w}), w = |p|
Y(x_1 + B) times the largest cosine there, or 0; of the third 2 n(x) e^{(b + B)^2 / 2}, if the angle has B / sigma to
spare.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.left.jump import foot
from neyman.losses.allocated.left.rule import ACROSS, ALONG, GAUSS, gauss_error
from neyman.numerics.rounding import AMPLE, ROOM, UNIT

__all__ = ["STEEPEST", "round_the_corner"]

Points = NDArray[np.complex128]

STEEPEST = 0.8  # -arg p at most
_LEFT, _RIGHT = 10.0, 9.0  # deviations to the left, and beyond x_1
_LEAST, _MOST = 5.0, 9.0  # x_1
_SPARE = 0.3  # of an angle, on the third piece
_WIDE = 1.7  # A at most
_GROWTH = 3.0  # nats by which e^{pY} may grow from a middle to A
_AT_ONCE = 1 << 18  # points times nodes that are held at a time
_DENSITY = 0.4 * (1.0 + ROOM)  # certifies: more than 1 / sqrt(2 pi)
_TERM, _PLACE = 64.0, 24.0  # certify, units: of a term, and of pY in its exponent


class _Path(NamedTuple):
    """Nodes, weights, and at least what the rule errs by in all."""

    z: Points
    weight: Points
    error: float


def round_the_corner(sigma: float, p: Points) -> tuple[Points, FloatArray]:
    """phi(-p) - 1 where 0 >= arg p >= -STEEPEST, and a bound on its absolute error."""
    size = float(np.max(np.abs(p)))
    x = float(np.clip(foot(sigma, np.array([size]))[0], _LEAST, _MOST))
    b = sigma * (0.5 * math.pi + _SPARE)
    pieces = (_first(sigma, size, x), _second(sigma, size, x, b), _third(sigma, x, b))
    z, weight = (np.concatenate([getattr(one, name) for one in pieces]) for name in ("z", "weight"))
    left = math.expm1(size * math.exp(-_LEFT / sigma - 0.5 / sigma**2)) * ndtr(-_LEFT)
    off = sum(one.error for one in pieces) + left + 2.0 * math.exp(0.5 * b * b) * ndtr(-(x + _RIGHT))
    value, error = np.zeros(len(p), dtype=np.complex128), np.zeros(len(p))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        y = np.exp(z / sigma - 0.5 / sigma**2)
        density = weight * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        units = _TERM + len(z) + 4.0 * np.abs(z) ** 2
        moved = _PLACE + 8.0 * (np.abs(z) / sigma + sigma**-2)
        many = max(_AT_ONCE // len(z), 1)
        for start in range(0, len(p), many):
            some = slice(start, start + many)
            w = p[some, None] * y
            minus = np.expm1(w)
            value[some] = np.sum(density * minus, axis=1)
            terms = np.abs(minus) * units + np.abs(w) * np.exp(w.real) * moved
            error[some] = UNIT * np.sum(np.abs(density) * terms, axis=1)
    return value, (error + off) * (1.0 + AMPLE)


def _panels(centres: FloatArray, halves: FloatArray, most: FloatArray, way: complex, start: complex) -> _Path:
    place = (centres[:, None] + halves[:, None] * GAUSS[0]).ravel()
    weight = (halves[:, None] * GAUSS[1]).ravel()
    z = np.asarray(start + way * place, dtype=np.complex128)
    return _Path(z, np.asarray(way * weight, dtype=np.complex128), float(np.sum(gauss_error(halves, most))))


def _first(sigma: float, size: float, x: float) -> _Path:
    """From -_LEFT to x_1: panels are shorter where e^{pY} grows."""
    ends, end = [x], x
    while end > -_LEFT:
        w = size * math.exp(end / sigma - 0.5 / sigma**2)
        reach = min(_WIDE, sigma * math.log1p(_GROWTH / w))
        end = max(end - 2.0 * reach / ALONG, -_LEFT)
        ends.append(end)
    places = np.array(ends)
    centres, halves = 0.5 * (places[:-1] + places[1:]), 0.5 * (places[:-1] - places[1:])
    along, across = halves * ALONG * (1.0 + ROOM), halves * ACROSS * (1.0 + ROOM)
    near = np.maximum(np.abs(centres) - along, 0.0)
    with np.errstate(over="ignore"):
        grown = np.expm1(size * np.exp((centres + along) / sigma - 0.5 / sigma**2) * (1.0 + ROOM))
        most = np.exp(0.5 * (across**2 - near**2)) * grown * _DENSITY
    return _panels(centres, halves, most, 1.0, 0.0)


def _second(sigma: float, size: float, x: float, b: float) -> _Path:
    """From x_1 down."""
    w = size * math.exp(x / sigma - 0.5 / sigma**2)
    reach = min(_WIDE, sigma * math.log1p(_GROWTH / w))
    many = math.ceil(0.5 * b * ALONG / reach)
    halves = np.full(many, 0.5 * b / many)
    centres = halves * (2.0 * np.arange(many) + 1.0)
    along, across = halves * ALONG * (1.0 + ROOM), halves * ACROSS * (1.0 + ROOM)
    turned = np.maximum(centres - along, 0.0) / sigma  # arg p turns the same way
    largest = np.maximum(np.cos(np.minimum(turned, math.pi)), 0.0)
    with np.errstate(over="ignore"):
        grown = 1.0 + np.exp(w * np.exp(across / sigma) * largest * (1.0 + ROOM))
        most = np.exp(0.5 * ((centres + along) ** 2 - np.maximum(x - across, 0.0) ** 2)) * grown * _DENSITY
    return _panels(centres, halves, most, -1j, x)


def _third(sigma: float, x: float, b: float) -> _Path:
    """And to the right."""
    reach = min(_WIDE, _SPARE * sigma * (1.0 - AMPLE) * ALONG / ACROSS)
    many = math.ceil(0.5 * _RIGHT * ALONG / reach)
    halves = np.full(many, 0.5 * _RIGHT / many)
    centres = x + halves * (2.0 * np.arange(many) + 1.0)
    along, across = halves * ALONG * (1.0 + ROOM), halves * ACROSS * (1.0 + ROOM)
    near = np.maximum(centres - along, 0.0)
    most = 2.0 * np.exp(0.5 * ((b + across) ** 2 - near**2)) * _DENSITY
    return _panels(centres, halves, most, 1.0, -1j * b)
