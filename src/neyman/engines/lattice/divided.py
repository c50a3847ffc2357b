"""What outcomes lose when each is divided between two lattice points: the price of a lower bound.

An outcome with X = e^L divided between the points beside it, both masses kept, becomes X M with E_Q[M | X] = 1. So the
divided composition lies above the true one, C' >= C, and with M now the product over all steps and x = k e^-u

    C'(k) - C(k) = E_Q[g(X)],   g(x) = E[(x M - k)_+] - (x - k)_+ = k w J(|u| / w) at most.

With n steps divided on a lattice of spacing h, log M has the sub-Gaussian scale w = sqrt(n) h / 2 and mean in
[-w^2 / 2, 0] (Hoeffding), and M the variance e^{w^2} - 1; hence, up to a factor 1 + O(w) that ``_raised`` covers,

    J(v) = min((sqrt(1 + v^2) - v) / 2, sqrt(2 pi) Phi(-v))

(Scarf; Hoeffding). J is below the polygon through its values at ``KNOTS``: a sum of hats (a - v)_+. The mean of a hat
around k is a second difference of C, at most C(k e^-wa) + e^-wa C(k e^wa) - (1 + e^-wa) C(k). Upper bounds of C at the
outer two points and C >= C' - E[g] in the middle then bound E[g] itself: O(n h^2), as for a smooth law, though no law
on the lattice below a lone outcome comes closer than O(h).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from neyman._validate import FloatArray
from neyman.numerics.rounding import ROOM

__all__ = ["Spread"]

# the second bound is the smaller one from 1.5709... on: a knot must lie there; beyond the last, e^-722 is left
KNOTS = np.array([0.0, 1.571, 3.0, 5.0, 10.0, 38.0])
# certifies: with v, in units of w, what an O(w) adds to log J at most: hazards are below v + 1/v (where v < 1, Scarf's
# below 1), of shifts by w at most, a deviation of M is w e^{w^2 / 4}, and |x / k - 1| is |u| but for u^2 / 2
_FACTORS = 5.0
_SCARF = 2  # knots at which the first bound counts
_WIDEST = 0.02  # w up to which this is worth its factors


@dataclass(frozen=True, slots=True)
class Spread:
    """Hats of half-width ``reach`` (in loss) and weight ``weight`` whose sum is above what division can add."""

    reach: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, width: float) -> Spread | None:
        """For the sub-Gaussian scale ``width`` of log M; None where that is too wide to say anything."""
        if not 0.0 < width <= _WIDEST:
            return None
        height = np.append(_raised(width), 0.0)
        fall = -np.diff(height) / np.diff(KNOTS)
        weight = np.maximum(fall - np.append(fall[1:], 0.0), 0.0)
        reach = width * KNOTS[1:]
        return cls(reach, weight * np.exp(reach) * (1.0 + ROOM))

    @property
    def share(self) -> float:
        """How much of what is lost comes back in the middle of the hats; below 1 for every width that is allowed."""
        return float(self.weight @ (1.0 + np.exp(-self.reach)))


def _raised(width: float) -> FloatArray:
    """J at all knots but the last, with what O(w) may add between each, v, and the next, v'.

    Scarf: k - x >= x u where u > 0, x - k >= k |u| where u < 0, and e^{w^2} - 1 <= w^2 e^{w^2}: at most e^{2wv + w^2}
    times k w J, for v <= 1.571. Tails: where u > 0 k w sqrt(2 pi) e^{w^2/2 - u} Phi(w - v), and Phi(w - v) <= e^{w (v +
    1)} Phi(-v): at most e^{2w} times; where u < 0, log M having a mean above -w^2 / 2, at most e^{wv} times. All are
    below e^{w (v' + 5)}.
    """
    v = KNOTS[:-1]
    j = np.append(0.5 / (np.sqrt(1.0 + v * v) + v)[:_SCARF], math.sqrt(2.0 * math.pi) * ndtr(-v[_SCARF:]))
    return j * np.exp(width * (KNOTS[1:] + _FACTORS))
