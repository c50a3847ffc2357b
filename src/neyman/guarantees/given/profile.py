"""Profile(epsilons, deltas): finitely many pairs that hold at once."""

from __future__ import annotations

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import unit_interval
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.guarantees.given.base import Given, columns, listed
from neyman.guarantees.given.pure import LARGEST_EPSILON
from neyman.numerics.rounding import UNIT

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

    @classmethod
    def from_bayes_errors(cls, priors: object, errors: object) -> Profile:
        """Return the best guarantee that follows from errors of the best guess: the curve behind them.

        R(prior) >= error, the record ABSENT with probability ``prior``, is f(alpha) >= (error - prior alpha) /
        (1 - prior) for every alpha: the pair epsilon = log(prior / (1 - prior)), delta = 1 - error / (1 - prior). A
        promise for neighbours in either order says the same of 1 - prior, and the better of the two is kept.

        Parameters
        ----------
        priors : array
            1-d, not empty, in (0, 1).
        errors : array
            As many, each in [0, min(prior, 1 - prior)]: what the best guess must err, at least.

        Raises
        ------
        InvalidParameter
            If the numbers lie outside their domains or the lengths differ.

        Notes
        -----
        Error bound: delta is rounded up by a few units in the last place of 1 - delta. The inverse of ``bayes_error``
        (Kaissis et al. 2024, Beyond the calibration point, Section 3: f and R_min are conjugate).

        Examples
        --------
        >>> g = Profile.from_bayes_errors([0.5, 0.8], [0.3, 0.15])
        >>> np.round(g.bayes_error([0.5, 0.8, 0.2]), 12).tolist()
        [0.3, 0.15, 0.15]
        """
        prior, error = columns(priors=priors, errors=errors)
        if not bool(np.all((prior > 0.0) & (prior < 1.0))):
            raise InvalidParameter("priors", listed(prior), "numbers in (0, 1)")
        least = np.minimum(prior, 1.0 - prior)
        if not bool(np.all((error >= 0.0) & (error <= least))):
            raise InvalidParameter("errors", listed(error), "numbers in [0, min(prior, 1 - prior)]")
        epsilon = np.log1p(-least) - np.log(least)
        # the gap rises with eps: both are rounded to the side on which less is promised
        epsilon = np.where(epsilon > 0.0, epsilon * (1.0 + 8.0 * UNIT) + 8.0 * UNIT, 0.0)
        delta = np.clip(np.nextafter(1.0 - error / least * (1.0 - 8.0 * UNIT), 2.0), 0.0, 1.0)
        at, place = np.unique(epsilon, return_inverse=True)
        best = np.ones(len(at))
        np.minimum.at(best, place, delta)
        return cls(at, best)
