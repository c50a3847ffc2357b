"""A law A beside one, B, that tells hardly anything: A itself, read a little earlier.

For every e > 0, with tau = P_B(L > e), and since q_B >= e^{-e} p_B where L_B <= e,

    1 - delta(eps) = int min(p_A p_B, e^eps q_A q_B) >= (1 - tau) (1 - delta_A(eps - e)),

while delta(eps) >= delta_A(eps), for no composition is more private than its part. And tau is at most
delta_B(e / 2) / (1 - e^{-e / 2}).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.atoms import Atoms
from neyman.engines.atoms_profile import AtomsProfile
from neyman.engines.grid_laws import grid_law
from neyman.engines.lattice_cumulant import Cumulant
from neyman.engines.profile import Bracket, Profile
from neyman.engines.real_line import bracket_at
from neyman.losses.base import Step

__all__ = ["NarrowProfile", "beside", "margins"]

_UNIT = 2.0**-53
_TRIED = np.geomspace(1e-14, 10.0, 256)
_GOALS = (1e-12, 1e-24, 1e-40)  # of tau
_POINTS = 1 << 20  # of the longest lattice


def margins(faint: Profile) -> list[tuple[float, float]]:
    """A few e with bounds on their tau, the least first; none where even tau <= 1e-12 takes a large e.

    Examples
    --------
    >>> from neyman.engines.closed_form import GaussianProfile
    >>> [f"{e:.0e}" for e, _ in margins(GaussianProfile(1e-6))]
    ['1e-05', '2e-05', '3e-05']
    """
    half = 0.5 * _TRIED
    tau = faint.bracket(half).upper / -np.expm1(-half) * (1.0 + 8.0 * _UNIT)
    first = [int(np.argmax(tau <= goal)) for goal in _GOALS if bool(np.any(tau <= goal))]
    return [(float(_TRIED[i]), float(tau[i])) for i in sorted(set(first))]


class NarrowProfile(Profile):
    """``law``, whose reversal is ``backward``, beside ``faint``, of which ``known`` are the ``margins``."""

    def __init__(
        self, law: Profile, backward: Profile, faint: Profile, known: list[tuple[float, float]], tail_mu: float
    ) -> None:
        self._law, self._backward, self._known, self._tail_mu = law, backward, known, tail_mu
        self._end = (law.end + faint.end) * (1.0 + 4.0 * _UNIT)

    @property
    def method(self) -> str:
        return self._law.method

    @property
    def end(self) -> float:
        return self._end

    @property
    def knots(self) -> FloatArray:
        return self._law.knots

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._law.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        own = self._law.bracket(epsilon)
        upper, low = np.ones(len(epsilon)), np.full(len(epsilon), -np.inf)
        for e, tau in self._known:
            early = bracket_at(self._law, self._backward, epsilon - e - 8.0 * _UNIT * (epsilon + e))
            upper = np.minimum(upper, (early.upper + tau) * (1.0 + 4.0 * _UNIT))
            low = np.maximum(low, (early.log_gap_lower + np.log1p(-tau)) * (1.0 + 4.0 * _UNIT) - _UNIT * tau)
        ended = epsilon >= self._end
        upper, low = np.where(ended, 0.0, upper), np.where(ended, 0.0, low)
        lower, high = np.where(ended, 0.0, own.lower), np.where(ended, 0.0, own.log_gap_upper)
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)


def beside(
    atoms: Atoms,
    rest: Sequence[tuple[Step, int]],
    profiles: Callable[[], tuple[Profile, Profile]],
    directions: tuple[str, ...],
    tail_mu: float,
) -> tuple[Profile, Profile] | None:
    """Both directions of a list of outcomes beside the ``rest``, whose ``profiles`` are made only if its losses would
    all lie between two points of any lattice for both; None where they would not.
    """
    apart = float(atoms.loss[-1] - atoms.loss[0]) / _POINTS
    if not Cumulant(tuple((grid_law(step), times) for step, times in rest), "remove").at(0.0).deviation < apart:
        return None
    faint = profiles()
    known = [margins(one) for one in faint]
    if not all(found and found[-1][0] < apart for found in known):
        return None
    laws = [AtomsProfile(atoms, remove, tail_mu) for remove in (True, False)]
    both = [NarrowProfile(laws[i], laws[1 - i], faint[i], known[i], tail_mu) for i in range(len(directions))]
    return both[0], both[-1]
