"""Where the boundaries of two Renyi orders meet: corners of the region that both leave. They steer.

Left of a corner, seen from small eps, the one order rules, beyond it the other; every tangent between the slopes of the
two boundaries there touches the corner. It is where E = kappa for both, and found by Newton in log d1 and log(-d2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.region.tangents import Orders, steered

__all__ = ["Meetings", "meetings"]

_STEPS, _LONGEST = 12, 0.5  # of Newton: how many, and how far each may go in either logarithm
_SETTLED = 1e-9  # a step at which it stops: the next is about its square
_BESIDE = 1e-6  # of a logarithm, where derivatives are read
_MET = 1e-9  # by how much of kappa E may be off at a corner that was found


class Meetings(NamedTuple):
    """Corners by rising eps: between which eps tangents touch them, and their logarithmic ratios."""

    low: FloatArray
    high: FloatArray
    d1: FloatArray
    d2: FloatArray

    def place(self, epsilon: FloatArray) -> NDArray[np.intp]:
        """The number of the corner that tangents of each slope touch; -1 where there is none."""
        if not len(self.low):
            return np.full(epsilon.shape, -1, dtype=np.intp)
        at = np.searchsorted(self.low, epsilon, side="right") - 1
        return np.where((at >= 0) & (epsilon <= self.high[at]), at, -1)


class _Sides(NamedTuple):
    """Orders, and whether each is of D_t(Q || P): then the two laws are exchanged, and the two outcomes."""

    t: FloatArray
    rho: FloatArray
    turned: FloatArray

    def missed(self, u: FloatArray, v: FloatArray) -> FloatArray:
        """log(E / kappa) at d1 = e^u and d2 = -e^v, about."""
        d1, d2 = np.exp(u), -np.exp(v)
        ways = np.where(self.turned > 0.0, -d2, d1), np.where(self.turned > 0.0, -d1, d2)
        return np.log(Orders(self.t, self.rho, False).held(*ways))

    def slopes(self, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same, and how it changes with each."""
        rows = u + _BESIDE * np.array([[0.0], [1.0], [0.0]]), v + _BESIDE * np.array([[0.0], [0.0], [1.0]])
        here, right, up = self.missed(*rows)
        return here, (right - here) / _BESIDE, (up - here) / _BESIDE

    def slope(self, u: FloatArray, v: FloatArray) -> FloatArray:
        """The eps of the tangent there."""
        d1, d2 = np.exp(u), -np.exp(v)
        lean = steered(self.t * (d1 - d2)) - steered((self.t - 1.0) * (d1 - d2))
        return np.where(self.turned > 0.0, d1 - lean, d2 + lean)


def meetings(
    first: tuple[FloatArray, FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray, FloatArray],
    near: tuple[FloatArray, FloatArray],
    between: FloatArray,
) -> Meetings:
    """Return the corners of the orders ``first`` (t, rho, whether turned) and ``second``, which rules beyond the eps
    ``between``; ``near`` are d1 and d2 beside each. Those that are not found are left out.
    """
    one, two = _Sides(*first), _Sides(*second)
    with np.errstate(all="ignore"):
        u, v = np.log(near[0]), np.log(-near[1])
        for _ in range(_STEPS):
            here, a, b = one.slopes(u, v)
            there, c, d = two.slopes(u, v)
            bent = a * d - b * c
            moves = [(b * there - d * here) / bent, (c * here - a * there) / bent]
            u, v = (x + np.clip(move, -_LONGEST, _LONGEST) for x, move in zip((u, v), moves, strict=True))
            if not np.any(np.maximum(*np.abs(moves)) > _SETTLED):
                break
        low, high = one.slope(u, v), two.slope(u, v)
        off = np.maximum(np.abs(one.missed(u, v)), np.abs(two.missed(u, v)))
    found = np.flatnonzero((off <= _MET) & (low < between) & (between < high) & (low > 0.0))
    found = found[np.argsort(low[found])]
    return Meetings(low[found], high[found], np.exp(u[found]), -np.exp(v[found]))
