"""Profile(epsilons, deltas): finitely many pairs that hold at once."""

from __future__ import annotations

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import unit_interval
from neyman.engines.polygon import PolygonProfile
from neyman.guarantees.given import Given, columns, listed
from neyman.guarantees.pure import LARGEST_EPSILON

__all__ = ["Profile"]


class Profile(Given):
    """The best guarantee that follows from (epsilon_i, delta_i)-DP for all i at once.

    f is the largest of the curves of the pairs; delta(eps) the lower convex hull, in e^eps, of the points and of their
    mirror images (delta at eps promises 1 - e^-eps (1 - delta) at -eps): the tightest that follows (Dong, Roth and Su
    2022, Proposition 2.12). Below the least epsilon it is what the hull says, above the largest it stays at its delta.

    Parameters
    ----------
    epsilons : array
        1-d, not empty, in [0, 700], strictly rising.
    deltas : array
        As many, in [0, 1].

    Raises
    ------
    InvalidParameter
        If the numbers lie outside their domains or the lengths differ.

    Examples
    --------
    >>> g = Profile([0.0, 1.0, 4.0], [0.4, 0.1, 1e-6])
    >>> g.delta([0.0, 1.0, 4.0]).tolist(), g.epsilon(1e-7)
    ([0.4, 0.1, 1e-06], inf)
    """

    def __init__(self, epsilons: object, deltas: object) -> None:
        epsilon, delta = columns(epsilons=epsilons, deltas=deltas)
        unit_interval("deltas", delta)
        if not bool(np.all((epsilon >= 0.0) & (epsilon <= LARGEST_EPSILON))):
            raise InvalidParameter("epsilons", listed(epsilon), "numbers in [0, 700]", "Leave larger ones out.")
        if not bool(np.all(np.diff(epsilon) > 0.0)):
            raise InvalidParameter("epsilons", listed(epsilon), "strictly rising numbers", "Sort the pairs.")
        profile = PolygonProfile(epsilon, delta)
        super().__init__(profile, profile, epsilons=listed(epsilon), deltas=listed(delta))
