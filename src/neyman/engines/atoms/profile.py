"""The certified profile of a law that is a list of outcomes: sums, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.atoms.atoms import Atoms
from neyman.numerics.rounding import LARGEST_EXPONENT, SECOND_ORDER, SMALLEST, UNIT
from neyman.profiles.certificate import Certificate
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.vertices import Vertices

__all__ = ["AtomsProfile"]

_FLUSHED = 1e-290  # what products too small for a float may leave out
_FEW = 1 << 12  # outcomes whose vertices are listed
_BLOCK, _BESIDE = 32, 600.0  # terms that are summed at a time, and e-folds that they may lie apart


class AtomsProfile(Profile):
    """delta of a list of outcomes, in one direction; ``infinite`` bounds the mass of P beside it.

    With A_J = e^{l_J} Q(L >= l_J) at the first loss l_J above eps, delta(eps) = (1 - e^{eps - l_J}) A_J + sum over
    k >= J of (1 - e^{l_k - l_{k+1}}) A_{k+1}: only positive terms, so that delta is known within some units of its
    logarithm down to the last outcome.
    """

    def __init__(
        self,
        atoms: Atoms,
        remove: bool,
        tail_mu: float,
        infinite: tuple[float, float] = (0.0, 0.0),
        method: str = "exact sum",
    ) -> None:
        known = np.isfinite(atoms.log_w)
        loss, log_w = atoms.loss[known], atoms.log_w[known]
        if not remove:
            loss, log_w = -loss[::-1], log_w[::-1]
        self._loss, self._tail_mu = loss, tail_mu
        self._slack, self._stretch = atoms.slack, atoms.stretch + 2.0 * UNIT
        log_p, log_q = log_w + 0.5 * loss, log_w - 0.5 * loss
        self._log_q = log_q
        none = np.array([-math.inf])
        above = _suffix(log_q)
        self._log_above = np.append(above, none)  # Q(L >= l_j)
        self._log_below = np.append(none, _suffix(log_p[::-1])[::-1])  # P(L < l_j)
        start = above + loss  # A_j
        with np.errstate(divide="ignore"):
            gaps, far = np.log(-np.expm1(-np.diff(loss))), np.log(np.abs(np.expm1(-np.abs(loss))))
        steps = gaps + start[1:]
        self._log_start = np.append(start, none)
        self._log_growth = np.concatenate([_suffix(steps), none, none])
        self._dropped, self._infinite, self._method = atoms.dropped, infinite, method
        self._log_dropped = math.log(atoms.dropped) if atoms.dropped > 0.0 else -math.inf
        self._left_out, self._log_overlap = atoms.overlap, atoms.log_overlap
        # logarithms are rounded in proportion to what they are, and those of small losses and gaps are large
        size = 1.0 + sum(_largest(x) for x in (log_w, loss, gaps, far))
        # 1 - e^{-x (1 + stretch)} <= (1 + stretch) (1 - e^{-x}): far losses may be off in proportion
        self._relative = SECOND_ORDER * (
            self._stretch + atoms.relative + 4.0 * UNIT * (4.0 + math.log2(len(loss) + 1.0)) * size
        )
        last = float(loss[-1])
        self._end = math.inf if atoms.dropped > 0.0 else last + 2.0 * (self._slack + self._stretch * abs(last))
        if atoms.end is not None:
            end = float(atoms.end)
            self._end = end if end >= atoms.end else math.nextafter(end, math.inf)

    def certificate(self, epsilon: float) -> Certificate:
        own = super().certificate(epsilon)
        lost = min(self._dropped + self._infinite[1] - self._infinite[0], own.width)
        rest = own.width * (1.0 + 4.0 * UNIT) - lost
        nodes = len(self._loss)
        return replace(own, nodes=nodes, terms={"lost mass": lost, "rounding": rest}) if own.width > 0.0 else own

    @property
    def method(self) -> str:
        return self._method

    @property
    def end(self) -> float:
        return self._end

    @property
    def log_overlap(self) -> float:
        return self._log_overlap

    @property
    def knots(self) -> FloatArray:
        return self._loss[self._loss >= 0.0]

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def vertices(self) -> Vertices | None:
        """The tests L >= l_j, where all that can happen is listed."""
        if self._dropped > _FLUSHED or self._infinite[1] > 0.0 or len(self._loss) > _FEW:
            return None
        return self._vertices

    @cached_property
    def _vertices(self) -> Vertices:
        loss = self._loss
        log_q, log_p = self._log_q, self._log_q + loss
        off = self._slack + self._stretch * np.abs(loss)
        with np.errstate(divide="ignore"):
            gain = log_q + np.log(np.abs(np.expm1(np.minimum(loss, LARGEST_EXPONENT))))
            gain = np.where(loss > LARGEST_EXPONENT, log_p, gain)
            unsure = np.log(6.0 * off) + np.maximum(log_p, log_q)
        # 1 - alpha - beta = sum of q (e^l - 1) above l_j > 0 = sum of q (1 - e^l) below l_j <= 0: all positive
        up = np.append(loss > 0.0, True)
        sums = [
            np.where(up, np.append(_suffix(x), -math.inf), np.append(-math.inf, _suffix(x[::-1])[::-1]))
            for x in (gain, unsure)
        ]
        error = 2.0 * (self._relative + float(np.max(off)))
        inner = slice(1, -1)  # the ends say nothing
        return Vertices(
            self._log_above[inner], self._log_below[inner], sums[0][inner],
            np.logaddexp(sums[1][inner], math.log(4.0 * _FLUSHED)), error,
        )  # fmt: skip

    def bracket(self, epsilon: FloatArray) -> Bracket:
        shift = SECOND_ORDER * (self._slack + self._stretch * np.abs(epsilon))
        log_upper, log_gap_lower = self._sums(epsilon - shift, epsilon, 1.0)
        log_lower, log_gap_upper = self._sums(epsilon + shift, epsilon, -1.0)
        with np.errstate(under="ignore", divide="ignore"):
            most = self._infinite[1] * (1.0 + 4.0 * UNIT)
            upper = np.exp(np.minimum(log_upper, 1.0)) + most + self._dropped + SMALLEST
            lower = np.exp(np.minimum(log_lower, 1.0)) + self._infinite[0] * (1.0 - 4.0 * UNIT)
            # what may be infinite and may not counts on neither side
            log_gap_upper = np.logaddexp(log_gap_upper, np.log(self._infinite[1] - self._infinite[0]))
            # of what is left out min(p, e^eps q) <= e^{eps / 2} sqrt(p q); it cannot make 1 - delta smaller
            left_out = np.minimum(self._log_dropped, self._left_out + 0.5 * epsilon)
            log_gap_upper = np.logaddexp(log_gap_upper, left_out * (1.0 - 4.0 * UNIT))
        ended = epsilon >= self._end
        upper = np.where(ended, self._infinite[1], np.minimum(upper, 1.0))
        lower = np.where(ended, self._infinite[0], np.minimum(np.maximum(lower - SMALLEST, 0.0), upper))
        sure = [math.log1p(-min(mass, 1.0 - UNIT)) for mass in self._infinite]
        log_gap_lower = np.where(ended, sure[1] * (1.0 + 4.0 * UNIT), log_gap_lower)
        return Bracket(
            lower, upper, np.minimum(log_gap_lower, 0.0), np.where(ended, sure[0], np.minimum(log_gap_upper, 0.0))
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        j = np.searchsorted(self._loss, epsilon, side="right")
        with np.errstate(under="ignore", over="ignore"):
            return np.minimum(np.exp(np.minimum(self._log_above[j] + epsilon, 1.0)), 1.0)

    def _sums(self, at: FloatArray, epsilon: FloatArray, sign: float) -> tuple[FloatArray, FloatArray]:
        """log delta and log(1 - delta) as if the losses were exact, read at ``at``; delta moved by ``sign``."""
        j = np.searchsorted(self._loss, at, side="right")
        first = self._loss[np.minimum(j, len(self._loss) - 1)]
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = np.log(-np.expm1(np.minimum(at - first, 0.0)))
            log_delta = np.logaddexp(beyond + self._log_start[j], self._log_growth[j])
            finite = (np.where(np.isfinite(x), np.abs(x), 0.0) for x in (beyond, log_delta))
            log_delta = log_delta + sign * (self._relative + 4.0 * UNIT * sum(finite))
            log_gap = np.logaddexp(self._log_below[j], at + self._log_above[j])
        room = self._relative + self._slack + (self._stretch + 8.0 * UNIT) * (1.0 + np.abs(epsilon) + np.abs(log_gap))
        return np.where(j < len(self._loss), log_delta, -math.inf), log_gap - sign * room


def _largest(log_x: FloatArray) -> float:
    """The largest modulus, of those that are finite."""
    return float(np.max(np.abs(log_x), where=np.isfinite(log_x), initial=0.0))


def _suffix(log_x: FloatArray) -> FloatArray:
    """log of sum over i >= j of e^{log_x_i}: in blocks, blocks of blocks, and so on. Each of these levels, less than
    1 + log2(n) / 5, rounds 32 sums, and four numbers no larger than the logarithms, or the differences of two.
    """
    if len(log_x) <= _BLOCK:
        return _doubled(log_x)
    rows = -(-len(log_x) // _BLOCK)
    block = np.full((rows, _BLOCK), -math.inf)
    block.ravel()[: len(log_x)] = log_x
    top = block.max(axis=1)
    with np.errstate(divide="ignore", under="ignore", invalid="ignore"):
        out = np.log(np.cumsum(np.exp(block - top[:, None])[:, ::-1], axis=1)[:, ::-1]) + top[:, None]
    # beside the largest of their block some underflow, and where all is nothing none is the largest
    least = block.min(axis=1, where=np.isfinite(block), initial=math.inf)
    apart = np.flatnonzero(~((top > -math.inf) & (least > top - _BESIDE)))
    if len(apart):
        out[apart] = _doubled(block[apart])
    out[:-1] = np.logaddexp(out[:-1], _suffix(out[:, 0])[1:, None])
    return out.ravel()[: len(log_x)]


def _doubled(log_x: FloatArray) -> FloatArray:
    """The same along the last axis, by doubling: each is rounded log2(n) times only."""
    out, shift = log_x.copy(), 1
    while shift < out.shape[-1]:
        out[..., :-shift] = np.logaddexp(out[..., :-shift], out[..., shift:])
        shift *= 2
    return out
