"""Points of a trade-off curve for drawing and tables: each on a certified tangent, so each beta is safe."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import crossing
from neyman.guarantees.questions.curve.tradeoff import line, tangent
from neyman.guarantees.questions.report import TradeoffPoints
from neyman.numerics.functions.few import every
from neyman.numerics.functions.grids import evenly
from neyman.numerics.functions.normal import probit
from neyman.profiles.pair import Pair, alpha_score
from neyman.profiles.profile import Profile

__all__ = ["SMALLEST_ALPHA", "tradeoff_points"]

SMALLEST_ALPHA = 1e-10  # of the points that are told: steers


def tradeoff_points(sides: Pair, n: int, start: float, reach: float | None = None) -> TradeoffPoints:
    """Return ``n`` points; by tangents where alpha falls strictly along them, else by alpha.

    ``reach`` is the eps of the smallest alpha, where it is known already. On the mirrored half the roles change:
    (alpha', beta') of the reversed pair is the point (beta', alpha'), and f lies above it because f' does.
    """
    half = n // 2
    right = _branch(sides.forward, half, start, reach)
    left = right if sides.symmetric else _branch(sides.backward, half, start, None)
    if right is not None and left is not None:
        e, a, b = (np.concatenate(pair) for pair in zip(_mirrored(left), _middle(sides, n), right, strict=True))
        falling = every(a[1:] < a[:-1]) and every(b[1:] >= b[:-1])
        if falling and b[0] >= 0.0 and a[0] <= 1.0:
            return TradeoffPoints(e, a, b)
    tails = np.geomspace(SMALLEST_ALPHA, 0.5, half)
    alpha = np.concatenate([1.0 - tails, np.full(n - 2 * half, 0.5) * (1 - 1e-9), tails[::-1] * (1.0 - 1e-8)])
    epsilon = np.maximum.accumulate(tangent(sides, alpha, start))
    return TradeoffPoints(epsilon, alpha, np.maximum(line(sides.bracket(epsilon).log_gap_lower, epsilon, alpha), 0.0))


_Triple = tuple[FloatArray, FloatArray, FloatArray]


def _branch(profile: Profile, count: int, start: float, reach: float | None) -> _Triple | None:
    goal = -probit(np.log(np.array([SMALLEST_ALPHA])))
    last = reach or float(crossing(lambda e: alpha_score(profile, e), goal, start, 1e-6)[0])
    if not 0.0 < last < 600.0:
        return None
    epsilon = evenly(0.0, last, count + 1)[1:]
    alpha = profile.slope(epsilon) * np.exp(-epsilon)
    return epsilon, alpha, line(profile.bracket(epsilon).log_gap_lower, epsilon, alpha)


def _mirrored(branch: _Triple) -> _Triple:
    epsilon, alpha, beta = branch
    return -epsilon[::-1], beta[::-1], alpha[::-1]


def _middle(sides: Pair, n: int) -> _Triple:
    """The point on the tangent of slope -1, when ``n`` is odd."""
    epsilon = np.zeros(n % 2)
    if n % 2 == 0:
        return epsilon, epsilon, epsilon
    log_gap = sides.bracket(epsilon).log_gap_lower
    alpha = 0.5 * np.exp(log_gap)
    return epsilon, alpha, line(log_gap, epsilon, alpha)
