"""Where L passes eps on a piece: places before and after, between which what is not known of delta is next to nothing.

Everything before ``near`` has L <= eps and everything beyond ``far`` has L >= eps, whatever the errors of L. Between
them L may do as it likes within the bounds that are told: it costs the mass there times the distance of the losses, to
second order where L is smooth. Where L leaps they end as neighbouring floats. Where L stays at eps for a while, up to
its error, near and far are places on that stretch, and the two promises above hold up to ``room``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.line.pieces import Piece

__all__ = ["Crossing", "crossed"]

Loss = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_ROUNDS = 64  # a stretch halved as often has no float inside
_CLOSE = 3e-8  # of eps: two losses that near each other are not drawn nearer
_PARTS = (0.05, 0.003, 3e-4)  # of what is between: how far from the secant's guess its neighbours are, by round
_ROOM = 2.0  # errors of L by which near and far are surely so


@dataclass(frozen=True, slots=True)
class Crossing:
    """Of each eps: two places, and the least and the largest that L is between them (infinite where it is not known).

    ``room`` is by how much L may pass eps on the wrong side, between ``start`` and near, and beyond far: 0 where there
    is no such stretch.
    """

    near: FloatArray
    far: FloatArray
    least: FloatArray
    most: FloatArray
    start: FloatArray
    room: FloatArray


def crossed(piece: Piece, loss: Loss, error: FloatArray, epsilon: FloatArray) -> Crossing:
    """Return where L passes each ``epsilon``; ``error`` is that of L at the places of the piece.

    Examples
    --------
    >>> x = np.array([-2.0, 0.0, 2.0])
    >>> line = Piece(x, x, True, (0.0, 0.0), (0.0, 0.0))
    >>> found = crossed(line, lambda x: (x, 0.0 * x), np.zeros(3), np.array([0.5]))
    >>> bool(found.near[0] <= 0.5 <= found.far[0] < found.near[0] + 1e-6)
    True
    """
    sign = 1.0 if piece.rising else -1.0
    state = _State(sign * piece.place, piece.loss, error, epsilon)
    rows = np.flatnonzero(state.open())
    for turn in range(_ROUNDS):
        if not len(rows):
            break
        tries = state.tries(rows, turn)
        value = loss(sign * tries.ravel())[0].reshape(tries.shape)
        state.learn(rows, tries, value)
        rows = rows[state.open()[rows]]
    level, room = state.level, state.room
    return Crossing(
        sign * np.where(level, state.first, state.near),
        sign * np.where(level, state.last, state.far),
        np.where(level, epsilon - 2.0 * room, state.near_loss - room),
        np.where(level, epsilon + 2.0 * room, state.far_loss + room),
        sign * state.near,
        np.where(level, 2.0 * room, 0.0),
    )


class _State:
    """What is known of each crossing, on an axis z along which L rises; ``level`` where L is eps from ``first`` to
    ``last``.
    """

    def __init__(self, z: FloatArray, known: FloatArray, error: FloatArray, epsilon: FloatArray) -> None:
        self.epsilon = epsilon
        end = len(known) - 1
        error = np.where(np.isfinite(error) & np.isfinite(known), error, 0.0)
        k = np.clip(np.searchsorted(known, epsilon), 1, end)
        self.room = _ROOM * np.maximum(error[k - 1], error[k])
        start = np.searchsorted(known, epsilon - self.room, side="right")
        stop = np.searchsorted(known, epsilon + self.room, side="left") - 1
        self.level = start <= stop
        low, high = np.maximum(start - 1, 0), np.minimum(stop + 1, end)
        self.near, self.far, self.near_loss, self.far_loss = z[low], z[high], known[low], known[high]
        self.first, self.last = z[np.minimum(start, end)], z[np.maximum(stop, 0)]
        # what lies in the last tail, where L is not known at the end: as good as nothing
        self._deep = ((low == 0) & (known[0] == -np.inf)) | ((high == end) & (known[end] == np.inf)) | (low == high)

    def open(self) -> BoolArray:
        """Which are worth another look."""
        with np.errstate(invalid="ignore", over="ignore"):
            middle = 0.5 * self.near + 0.5 * self.far
            narrow = ~((self.near < middle) & (middle < self.far))
            close = self.far_loss - self.near_loss <= _CLOSE
        return ~(self._deep | self.level | narrow | close)

    def tries(self, rows: IntArray, turn: int) -> FloatArray:
        """Three places for each: around where the chord of L has eps, and half-way."""
        near, far, start, stop = (one[rows] for one in (self.near, self.far, self.near_loss, self.far_loss))
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            share = (self.epsilon[rows] - start) / (stop - start)
            share = np.where(np.isfinite(share), share, 0.5)
            part = _PARTS[min(turn, len(_PARTS) - 1)]
            guess = [near + np.clip(share + way * part, 0.0, 1.0) * (far - near) for way in (-1.0, 1.0)]
            found = np.stack([*guess, 0.5 * near + 0.5 * far])
        return np.clip(np.where(np.isfinite(found), found, near), near, far)

    def learn(self, rows: IntArray, tries: FloatArray, value: FloatArray) -> None:
        """Take in what L is at the places tried."""
        room, epsilon = self.room[rows], self.epsilon[rows]
        told = np.zeros(len(rows), dtype=np.bool_)
        for z, found in zip(tries, value, strict=True):
            with np.errstate(invalid="ignore"):
                between = (z > self.near[rows]) & (z < self.far[rows]) & ~self.level[rows]
                below, above = between & (found <= epsilon - room), between & (found >= epsilon + room)
                even = between & (np.abs(found - epsilon) < room)
            told |= below | above | even
            at = rows[below]
            self.near[at], self.near_loss[at] = z[below], found[below]
            at = rows[above]
            self.far[at], self.far_loss[at] = z[above], found[above]
            at = rows[even]
            self.level[at], self.first[at], self.last[at] = True, z[even], z[even]
        with np.errstate(invalid="ignore"):  # where densities are too small to tell, next to no mass is left
            self._deep[rows] |= ~told & ~np.isfinite(self.far_loss[rows] - self.near_loss[rows])
