"""What the package says against what is true: false only where that is proved, never by a tolerance.

``low`` is the optimistic answer, ``up`` the pessimistic one (of error rates and fixed points: the reverse). Each judge
returns what is wrong, or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb

from tests.hunt.truth import Truth
from tests.reference import closed

__all__ = ["Corner", "corner_at", "judged_above", "judged_area", "judged_bayes", "judged_divergence", "judged_epsilon",
           "judged_fixed_point", "judged_mu", "judged_power", "judged_value"]  # fmt: skip

_NEAR = (-3, -1, 1, 3)
_APART = 1e-6
"""Distance in epsilon of the four points that enclose a corner of the curve."""


@dataclass(frozen=True)
class Corner:
    """A false positive rate, and the least false negative rate there: between ``low`` and ``high``."""

    alpha: float
    low: arb
    high: arb


def judged_value(low: float, up: float, truth: tuple[arb, arb]) -> str:
    """A number that the two answers should enclose."""
    found = []
    if not low <= up:
        found.append(f"the lower bound {low!r} is above the upper bound {up!r}")
    if math.isfinite(up) and arb(up) < truth[0]:
        found.append(f"upper bound {up!r} for a truth of at least {_shown(truth[0], up)}")
    if math.isinf(low) or arb(low) > truth[1]:
        found.append(f"lower bound {low!r} for a truth of at most {_shown(truth[1], low)}")
    return "; ".join(found)


def judged_epsilon(truth: Truth, delta: float, low: float, up: float) -> str:
    """epsilon(delta): delta(up) <= delta, and delta(e) > delta for every e below ``low``."""
    found = [] if low <= up else [f"the lower bound {low!r} is above the upper bound {up!r}"]
    if math.isfinite(up):
        least = truth.delta(up)[0]
        if least > arb(delta):
            found.append(f"epsilon {up!r}, where delta is at least {_shown(least, delta)}")
    if low > 0.0:
        below = math.nextafter(low, 0.0) if math.isfinite(low) else 1e9
        most = truth.delta(below)[1]
        if most <= arb(delta):
            found.append(f"epsilon at least {low!r}, but delta({below!r}) is at most {_shown(most, delta)}")
    return "; ".join(found)


def corner_at(truth: Truth, epsilon: float) -> Corner | None:
    """The point of f whose tangent has slope -e^epsilon, enclosed by four values of delta; None where they are vague.

    D(x) = delta(log x) is convex. v(x) = 1 - D(x) - x alpha is concave, its maximum f(alpha): alpha is the slope of a
    chord of D, so that the maximum lies between the outer points, below the extensions of their chords.
    """
    apart = _APART * max(abs(epsilon), 1e-3)
    x = [(arb(epsilon) + arb(apart) * k).exp() for k in _NEAR]
    d = [low.union(high) for low, high in (truth.delta(arb(epsilon) + arb(apart) * k) for k in _NEAR)]
    slope = (d[1] - d[2]) / (x[2] - x[1])
    if not (slope > 0 and slope < 1 and slope.rad() < slope.mid() * 1e-6):
        return None
    alpha = float(slope.mid())
    v = [1 - di - xi * alpha for di, xi in zip(d, x, strict=True)]
    if not (v[0] < v[1] and v[3] < v[2]):
        return _on_a_straight_piece(x, d)
    left, right = (v[1] - v[0]) / (x[1] - x[0]), (v[3] - v[2]) / (x[3] - x[2])
    inner = (v[2] - v[1]) / (x[2] - x[1])
    meeting = (v[2] - v[1] + left * x[1] - right * x[2]) / (left - right)
    highest = (v[1] + left * (meeting - x[1])).max(v[1]).max(v[2])
    highest = highest.max(v[1] - inner * (x[1] - x[0])).max(v[2] + inner * (x[3] - x[2]))
    lowest = v[1].max(v[2]).max(arb(0))
    if meeting > x[1] and meeting < x[2]:  # very nearly the place of the maximum, and exactly so at a kink
        lowest = lowest.max(1 - truth.delta(meeting.log())[1] - meeting * alpha)
    return Corner(alpha, lowest.lower(), highest.upper())


def _on_a_straight_piece(x: list[arb], d: list[arb]) -> Corner | None:
    """D is straight there: its slope is an alpha, a vertex of f. The float above it has an f no larger.

    The vertex belongs to some a* between the chords beside x_1, and f(a*) = 1 - D(x_1) - x_1 a*.
    """
    outer, inner = (d[0] - d[1]) / (x[1] - x[0]), (d[1] - d[2]) / (x[2] - x[1])
    alpha = math.nextafter(float(outer.upper().mid()), math.inf)
    if not (alpha < 1.0 and arb(alpha) >= outer):
        return None
    low, high = (1 - d[1] - x[1] * alpha).max(arb(0)), 1 - d[1] - x[1] * inner
    return Corner(alpha, low.lower(), high.upper()) if high - low < high * 1e-12 else None


def judged_power(corner: Corner, low: float, up: float) -> str:
    """roc(alpha) = 1 - beta."""
    return judged_value(low, up, (1 - corner.high, 1 - corner.low))


def judged_mu(corner: Corner, up: float) -> str:
    """mu(floor = alpha) is at least that of the corner, if beta is no less than the floor."""
    if math.isinf(up) or not corner.low >= corner.alpha:
        return ""
    least = -closed.normal_quantile(arb(corner.alpha)) - closed.normal_quantile(corner.high)
    least -= abs(least) * arb(2) ** -60
    return f"mu {up!r} at floor {corner.alpha!r}, truth at least {_shown(least, up)}" if arb(up) < least else ""


def judged_bayes(truth: Truth, prior: float, low: float, up: float) -> str:
    """bayes_error(prior) = (1 - prior) (1 - delta(log(prior / (1 - prior))))."""
    p = arb(prior)
    d = truth.delta((p / (1 - p)).log())
    return judged_value(low, up, ((1 - p) * (1 - d[1]), (1 - p) * (1 - d[0])))


def judged_fixed_point(truth: Truth, low: float, up: float) -> str:
    """f(alpha) = alpha, of a symmetric f: (1 - delta(0)) / 2."""
    d = truth.delta(0.0)
    return judged_value(low, up, ((1 - d[1]) / 2, (1 - d[0]) / 2))


def judged_area(truth: Truth, low: float, up: float) -> str:
    """The area under the ROC curve: at least that of the triangle of the best corner, (1 + delta(0)) / 2, and at most
    that below the tangent there, 1 - (1 - delta(0))^2 / 2.
    """
    d = truth.delta(0.0)
    return judged_value(low, up, ((1 + d[0]) / 2, 1 - (1 - d[1]) ** 2 / 2))


def judged_divergence(mine: Truth, other: Truth, places: Sequence[float], up: float) -> str:
    """Delta(mine || other) = max over eps of (delta_other - delta_mine) / (1 + e^eps): no less than at any place."""
    least = arb(0)
    for e in places:
        value = (other.delta(e)[0] - mine.delta(e)[1]) / (1 + arb(e).exp())
        least = least.max(value)
    return f"at most {up!r}, but {_shown(least, up)} is given away" if arb(up) < least else ""


def judged_above(name: str, up: float, least: arb) -> str:
    """A number that may not lie below another."""
    return f"{name} {up!r}, truth at least {_shown(least, up)}" if math.isfinite(up) and arb(up) < least else ""


def _shown(value: arb, beside: float) -> str:
    apart = float((abs(value - arb(beside)) / (abs(value) + arb("1e-400"))).mid()) if math.isfinite(beside) else 1.0
    return f"{value.str(20, radius=False)} (relative {apart:.1e})"
