"""mu(floor) of laws with few outcomes, from the vertices of their trade-off curve, on either side.

Between two vertices the curve is straight and the local mu quasi-convex: the largest is at a vertex, or where the curve
meets the floor. A vertex is known within the error of its masses; one that rounding has put out of order lies on an
edge of the others but for twice the slack of their losses, which that error holds. At the floor the certified tangents
through the knots bound the power from above, chords between vertices bound it from below.
"""

from __future__ import annotations

import numpy as np

from neyman.numerics.functions.normal import PROBIT_ERROR, probit
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.pair import MaximumProfile, Pair
from neyman.profiles.profile import Profile
from neyman.profiles.vertices import Vertices, local_mu

__all__ = ["vertex_fit"]

_LEAST = 1e-100  # floors far above all that a list may leave out


def vertex_fit(sides: Pair, floor: float) -> tuple[float, float] | None:
    """Return bounds on mu(floor) from below and above; None where the vertices are not listed, or none of the curve
    surely lies above the floor.
    """
    forward, backward = _listed(sides.forward), _listed(sides.backward)
    if forward is None or backward is None or floor < _LEAST or any(len(one.log_alpha) == 0 for one in forward):
        return None
    lists = [*forward, *(one.mirrored for one in backward)]
    log_floor = float(np.log(floor))
    lower = upper = -1.0
    for one in lists:
        one = one.above(log_floor - one.error)
        least, most = one.local_mus
        small = np.minimum(one.log_alpha, one.log_beta)
        upper = max(upper, float(np.max(most, initial=-1.0)))
        lower = max(lower, float(np.max(least, where=small - one.error >= log_floor, initial=-1.0)))
    joint = _joint(lists)
    for one in (joint, joint.mirrored):
        lower = max(lower, _chord(one, floor))
    for view in (sides, sides.reversed):
        upper = max(upper, _tangent(view, floor))
    if upper < 0.0 and not sides.symmetric:
        return _fixed_point(sides, forward[0])
    return None if lower < 0.0 or upper < 0.0 else (lower, max(upper, lower))


def _fixed_point(sides: Pair, one: Vertices) -> tuple[float, float]:
    """-2 Phi^-1 of where f(c) = c, all of which lies below the floor: between the tangents at the knots and the edge
    from a test with alpha > beta to the next.
    """
    epsilon = np.concatenate([sides.forward.knots, [0.0], -sides.backward.knots])
    epsilon = epsilon[np.abs(epsilon) < 690.0]
    tangents = sides.bracket(epsilon).log_gap_lower - np.logaddexp(0.0, epsilon)
    low = float(np.max(tangents - 16.0 * UNIT * (2.0 + np.abs(epsilon) + np.abs(tangents))))
    alpha = np.concatenate([[1.0], np.exp(one.log_alpha), [0.0]])
    beta = np.concatenate([[0.0], np.exp(one.log_beta), [1.0]])
    k = int(np.argmax(beta >= alpha))
    ahead, behind = beta[k] - alpha[k], alpha[k - 1] - beta[k - 1]
    share = ahead / (ahead + behind)
    # vertices e^error times as far out lie above the curve, and meet the diagonal e^error times as far out
    meets = alpha[k] + share * (alpha[k - 1] - alpha[k]) + 4.0 * SMALLEST  # each may have underflown
    high = float(np.log(meets)) + 2.0 * one.error + 16.0 * UNIT
    least, most = -2.0 * probit(np.array([max(high, low), min(high, low)]))
    return float(least) * (1.0 - PROBIT_ERROR), float(most) * (1.0 + PROBIT_ERROR)


def _listed(profile: Profile) -> list[Vertices] | None:
    parts = (profile.first, profile.second) if isinstance(profile, MaximumProfile) else (profile,)
    found = [part.vertices for part in parts]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def _joint(lists: list[Vertices]) -> Vertices:
    """The vertices that are those of all together: any chord between tests of a curve lies above it."""
    columns = ("log_alpha", "log_beta", "log_excess", "log_unsure")
    every = [np.concatenate([getattr(one, name) for one in lists]) for name in columns]
    alpha, beta = np.exp(every[0]), np.exp(every[1])
    kept: list[int] = []
    for i in np.lexsort((beta, -alpha)).tolist():
        while kept and beta[i] <= beta[kept[-1]]:
            kept.pop()
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            if (alpha[j] - alpha[k]) * (beta[i] - beta[k]) > (alpha[k] - alpha[i]) * (beta[k] - beta[j]):
                break
            kept.pop()
        kept.append(i)
    log_alpha, log_beta, log_excess, log_unsure = (column[kept] for column in every)
    return Vertices(log_alpha, log_beta, log_excess, log_unsure, max(one.error for one in lists))


def _chord(one: Vertices, floor: float) -> float:
    """A lower bound on the local mu at alpha = floor, on the edge that crosses it; -1 where beta is not surely above
    the floor.
    """
    alpha = np.concatenate([[1.0], np.exp(one.log_alpha), [0.0]])
    beta = np.concatenate([[0.0], np.exp(one.log_beta), [1.0]])
    excess = np.concatenate([[0.0], np.exp(one.log_excess), [0.0]])
    unsure = np.concatenate([[0.0], np.exp(one.log_unsure), [0.0]])
    k = int(np.searchsorted(-alpha, -floor))  # the first that is not above it: alphas fall
    width = alpha[k - 1] - alpha[k]
    share = min(max((floor - alpha[k]) / width, 0.0), 1.0) if width > 0.0 else 0.0
    # on its chord the excess moves with its ends, and by its slope times the floor where both alphas are off: no more
    # than the excess again, which is concave and positive at 0 and at 1
    moved = 2.0 * one.error * floor / max(width, floor * 1e-12)
    room = one.error + moved
    gained = (excess[k] + share * (excess[k - 1] - excess[k])) * (1.0 - 2.0 * one.error)
    gained -= moved * abs(excess[k - 1] - excess[k]) + max(unsure[k - 1], unsure[k])
    least = beta[k] + share * (beta[k - 1] - beta[k])
    if not (gained > 0.0 and least * (1.0 - one.error) - room * abs(beta[k - 1] - beta[k]) >= floor):
        return -1.0
    logs = np.log(np.array([[floor], [gained * (1.0 - 2.0 * one.error)], [least * (1.0 + one.error)]]))
    return float(local_mu(logs[0], logs[1], logs[2], one.error, -1.0)[0])


def _tangent(view: Pair, floor: float) -> float:
    """An upper bound on the local mu at alpha = floor, by the best of the tangents at all knots; -1 where beta is
    surely below the floor.
    """
    right = np.unique(np.append(view.forward.knots, [0.0, view.forward.end]))
    left = view.backward.knots
    right, left = right[right < 690.0], left[left < 690.0]
    b, back = view.forward.bracket(right), view.backward.bracket(left)
    with np.errstate(under="ignore"):
        near = b.upper + np.expm1(right) * floor
        far = np.exp(-left) * (back.upper + np.expm1(left) * (1.0 - floor))
        room = 16.0 * UNIT * (2.0 + np.append(right, left))
        excess = float(np.min(np.append(near, far) * (1.0 + room)))
        beta = float(np.max(np.exp(b.log_gap_lower) - np.exp(right) * floor * (1.0 + 16.0 * UNIT * (2.0 + right))))
    beta = max(beta, 1.0 - floor - excess - 2.0 * UNIT)
    if not beta + 8.0 * UNIT >= floor:
        return -1.0
    log_floor, log_excess, log_beta = (np.log(np.array([x])) for x in (floor, max(excess, 5e-324), max(beta, 5e-324)))
    return float(local_mu(log_floor, log_excess, log_beta, 16.0 * UNIT, 1.0)[0])
