"""The transform of a Laplace step: two atoms, and between them a smooth piece whose transform dies like 1/omega.

Not sampled it has a closed form, even in v = w - 1/2, with d = 1/b:

    A(w) = e^{-d/2} (cosh(v d) + sinh(v d) / (2 v)).

A smooth piece with f(t) e^{i omega L(t)} is at most 2 (F(a) + F(b)) / omega, F = f e^{wL} / |L'|: log F falls and then
rises along the piece, so its total variation is at most the sum of its ends. Before that says anything, ways around
the real axis do (``bound``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.laplace.bins import LaplaceLaw, Piece
from neyman.losses.laplace.bound import labour, log_shifted
from neyman.losses.readings.transform import ComplexArray, Moments, Transform, logged
from neyman.losses.sampling import mixed, slope
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import ROOM, UNIT
from neyman.numerics.sums.fourier_sum import turned_sum

__all__ = ["LaplaceTransform"]

_SEARCHED = 10.0  # looks, about, until it is known where a line may be cut
_PANELS = 4096  # of a quadrature over a real tilt, at most
_TURN = 6.0  # |w| + 1 times the steepest slope of m times the half-width of a panel, at most
_NODES, _WEIGHTS = gauss(24)  # of one panel
_WIDEST = 0.7  # half-width of a panel, at most
_QUADRATURE = 1e-19  # relative to the piece: what 24 nodes miss of a panel (``LaplaceTransform._nodes``)
_GROWN = 2.2  # certifies: more than e^0.7875, what a slope may grow by as far out as ellipses reach
_UNITS = 32.0  # certifies: of a weight, its turn and a sum in pairs; what grows with the panels and their logs is added
_STILL = 1e-8  # certifies: a turn so small that its square is no digit
_NARROW, _LARGEST, _LEAST = 1e-2, 300.0, 1e-30  # s that is nearly 0, or large; least variance, over d^2: moments steer


@dataclass(frozen=True)
class LaplaceTransform(Transform):
    """A(w) of ``law``."""

    law: LaplaceLaw

    @cached_property
    def steepest(self) -> float:
        """No less than m' on any ellipse of ``_nodes``, which reach to 1.125 _WIDEST = 0.7875 beyond d at most: there
        m'(x) <= e^{x - d} m'(d).
        """
        return min(1.0, _GROWN * float(slope(self.law.d, self.law.rate)))

    @property
    def searched(self) -> float:
        if self.law.rate == 1.0:
            return 0.0
        return _SEARCHED * sum(labour(piece.d) for piece in self.law.pieces)

    def largest(self, remove: bool) -> float:
        return self.law.end(remove)

    def moments(self, w: FloatArray) -> Moments:
        out = self._closed_moments(w) if self.law.rate == 1.0 else self._summed_moments(w)
        return Moments(*out, np.where(np.isfinite(out[0]), math.inf, math.nan))

    def _closed_moments(self, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        d = self.law.d
        v = np.abs(w - 0.5)
        s = v * d
        far, near = np.exp(-2.0 * s), s < _NARROW
        safe = np.where(near, 1.0, s)
        spread = np.where(s > 0.0, -np.expm1(-2.0 * s), 1.0) / np.where(s > 0.0, 2.0 * s, 1.0)
        total = 1.0 + far + d * spread
        # of the tilted uniform law between the atoms
        with np.errstate(over="ignore"):
            middle = np.where(near, s / 3.0, 1.0 / np.tanh(safe) - 1.0 / safe)
            width = np.where(near, 1.0 / 3.0, 1.0 / safe**2 - 1.0 / np.sinh(np.minimum(safe, _LARGEST)) ** 2)
        mean = d * (1.0 - far + d * spread * middle) / total
        square = d * d * (1.0 + far + d * spread * (width + middle**2)) / total
        log_a = s - 0.5 * d - math.log(2.0) + np.log(total)
        return log_a, np.sign(w - 0.5) * mean, np.maximum(square - mean * mean, _LEAST * d * d)

    def _summed_moments(self, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        out = [np.full(len(w), math.nan) for _ in range(3)]
        octave = np.frexp(1.0 + np.abs(w))[1]
        for level in np.unique(octave):
            at = octave == level
            if self.law.d * 2.0 ** float(level) * self.steepest > _TURN * _PANELS:
                continue  # out of reach
            loss, log_q = self._nodes(2.0 ** float(level))
            log_weight = np.multiply.outer(w[at], loss) + log_q
            peak = log_weight.max(axis=1)
            weight = np.exp(log_weight - peak[:, None])
            total = weight.sum(axis=1)
            mean = weight @ loss / total
            out[0][at], out[1][at] = peak + np.log(total), mean
            out[2][at] = (weight * (loss - mean[:, None]) ** 2).sum(axis=1) / total
        return out[0], out[1], out[2]

    def _nodes(self, reach: float) -> tuple[FloatArray, FloatArray]:
        """Atoms and nodes of the smooth part, fine enough for |w| up to ``reach``.

        A piece is f = e^{-t/2 + a m(t)}, |a| <= |w| + 1, and |m'(t)| <= m'(Re t) / cos(Im t / 2). On a panel of
        half-width H the ellipse of radius 4 (semi-axes 2.125 and 1.875 H) comes no further than 1.875 H from the panel,
        and Im t stays below 1.875 _WIDEST = 1.3125. With (|w| + 1) ``steepest`` H <= _TURN log|f| is there at most
        1.875 (_TURN / cos 0.65625 + _WIDEST / 2) = 14.9 above its largest value on the panel, which with a slope of at
        most s = _TURN + _WIDEST / 2 a half-width is at most 2 s / (1 - e^-2s) = 12.7 times its mean. Gauss's rule of
        n + 1 nodes misses at most 64/15 M 4^-2n / (1 - 1/16) of the integral over [-1, 1] (Trefethen, Approximation
        Theory and Approximation Practice, 19.3): 2e-20 of that of |f|, M being the largest modulus on the ellipse and
        n = 23.
        """
        panels = self._panels(reach)
        half = self.law.d / panels
        t = (half * (2.0 * np.arange(panels) + 1.0) - self.law.d)[:, None] + half * _NODES
        log_half = np.log(half * _WEIGHTS)
        loss = [self.law.atoms[0], *(piece.loss(t).ravel() for piece in self.law.pieces)]
        log_q = [self.law.atoms[1], *((piece.log_q(t) + log_half).ravel() for piece in self.law.pieces)]
        return np.concatenate(loss), np.concatenate(log_q)

    def _panels(self, reach: float) -> int:
        return math.ceil(self.law.d * max((reach + 1.0) * self.steepest / _TURN, 1.0 / _WIDEST))

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        if self.law.rate == 1.0:
            return self._closed_line(w, omega)
        loss, log_q = self._nodes(abs(w) + float(omega[-1]))
        log_weight = log_q + w * loss
        peak = float(log_weight.max())
        weight = np.exp(log_weight - peak)
        value = turned_sum(omega, loss, weight, one=True)
        total, spread = float(weight.sum()), float(weight @ np.abs(loss))
        units = UNIT * (_UNITS + len(weight) / 8.0 + abs(peak) + abs(w) * self.law.ends[1])
        # a rounded t moves its loss by a share ``steepest`` of that; mirrored losses are measured from the lower end
        moved = spread + (self.steepest + abs(self.law.ends[0])) * total
        error = units * (total + (omega + abs(w)) * moved) + _QUADRATURE * total
        return logged(value, error, peak)

    def _closed_line(self, w: float, omega: FloatArray) -> tuple[ComplexArray, FloatArray]:
        d = self.law.d
        z = w - 0.5 + 1j * omega
        v = np.where(z.real < 0.0, -z, z)
        turn = 2.0 * v * d
        tiny = np.abs(turn) < _STILL
        share = -np.expm1(-turn) / np.where(tiny, 1.0, 2.0 * v)
        share = np.where(tiny, d * (1.0 - 0.5 * turn), share)
        inner = 1.0 + np.exp(-turn) + share
        size = 1.0 + np.exp(-turn.real) + np.abs(share)
        return logged(
            np.asarray(inner, complex), 16.0 * UNIT * (2.0 + np.abs(turn) + d) * size, v * d - 0.5 * d - math.log(2.0)
        )

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        known = self._known.get(w.tobytes())
        if known is None:
            loss, log_q = self.law.atoms
            atoms = np.logaddexp.reduce(np.multiply.outer(w, loss) + log_q, axis=1)
            smooth = np.logaddexp.reduce([_ends(piece, w) for piece in self.law.pieces], axis=0) + math.log(2.0)
            self._known.clear()
            known = self._known[w.tobytes()] = atoms, self.moments(w).log_a + ROOM, smooth
        atoms, whole, smooth = known
        with np.errstate(divide="ignore"):
            smooth = smooth - np.log(omega)
        if self.law.rate < 1.0:
            smooth = np.minimum(smooth, [self._log_shifted(*one) for one in zip(w, omega, strict=True)])
        return np.minimum(whole, np.logaddexp(atoms, smooth) + ROOM)

    @cached_property
    def _known(self) -> dict[bytes, tuple[FloatArray, FloatArray, FloatArray]]:
        """What bounds at the last w have in common, whatever the omega."""
        return {}

    def _log_shifted(self, w: float, omega: float) -> float:
        """All smooth pieces, by ways around the real axis."""
        each = [
            piece.log_weight
            - piece.sign * w * piece.level
            + log_shifted(piece.d, piece.rate, w if piece.sign > 0.0 else 1.0 - w, omega)
            for piece in self.law.pieces
        ]
        return float(np.logaddexp.reduce(each)) + 8.0 * UNIT * (1.0 + 2.0 * abs(w * self.law.ends[0]))

    def terms(self, w: float, omega: float) -> float:
        if self.law.rate == 1.0:
            return 4.0
        return len(_NODES) * max(1.0, self.law.d * (abs(w) + omega + 1.0) * self.steepest / _TURN, self.law.d / _WIDEST)


def _ends(piece: Piece, w: FloatArray) -> FloatArray:
    """log of F(a) + F(b), F = f e^{wL} / |L'|."""
    t = np.array([-piece.d, piece.d])
    steepness = math.log(piece.rate) + t - mixed(t, piece.rate)
    return np.logaddexp.reduce(np.multiply.outer(w, piece.loss(t)) + (piece.log_q(t) - steepness), axis=1)
