"""Tradeoff(alphas, betas): a trade-off curve given by its corners."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, unit_interval
from neyman.engines.corners import CornerProfile
from neyman.guarantees.given import Given, columns, listed

__all__ = ["Tradeoff"]

_ROUND = 1e-12  # relative concavity that rounding of the corners explains
_CLOSE, _TINY = 1e-15, 1e-290  # below it products of floats do not tell


class Tradeoff(Given):
    """The guarantee whose trade-off curve is straight between given corners.

    The curve is taken as stated; where the promise covers neighbours in either order, ``symmetrized()`` is the curve
    that follows, nowhere below this one. ``delta(epsilon)`` is the largest 1 - beta - e^epsilon alpha over the corners.

    Parameters
    ----------
    alphas : array
        1-d, in [0, 1], strictly rising, the first 0.
    betas : array
        As many, in [0, 1], falling, the last 0 (beyond it the curve is 0), convex, beta <= 1 - alpha.

    Raises
    ------
    InvalidParameter
        If the numbers lie outside their domains, do not begin at alpha = 0 and end at beta = 0, or are no trade-off
        curve.

    Notes
    -----
    Corners may be rounded: a corner that lies above the chord of its neighbours by a relative 1e-12 at most is kept on
    it. f is a trade-off function if and only if it is convex, continuous, falling and at most 1 - alpha (Dong, Roth and
    Su 2022, Proposition 2.2).

    Examples
    --------
    >>> g = Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])
    >>> round(g.beta(0.5), 12), round(g.epsilon(0.0), 12), round(g.advantage, 12)
    (0.166666666667, 1.098612288668, 0.5)
    """

    def __init__(self, alphas: object, betas: object) -> None:
        alpha, beta = columns(alphas=alphas, betas=betas)
        _checked(alpha, beta)
        corners = _lower_hull(alpha, beta)
        forward = CornerProfile(*corners)
        same = np.array_equal(corners[0], corners[1][::-1])
        backward = forward if same else CornerProfile(*_reversed(*corners))
        super().__init__(forward, backward, alphas=listed(alpha), betas=listed(beta))


def _checked(alpha: FloatArray, beta: FloatArray) -> None:
    for name, values in (("alphas", alpha), ("betas", beta)):
        unit_interval(name, values)
    if alpha[0] != 0.0:
        raise InvalidParameter("alphas", float(alpha[0]), "0 for the first", "State the beta at alpha = 0.")
    if beta[-1] != 0.0:
        raise InvalidParameter("betas", float(beta[-1]), "0 for the last", "State the alpha from which beta is 0.")
    if not bool(np.all(np.diff(alpha) > 0.0)):
        raise InvalidParameter("alphas", listed(alpha), "strictly rising numbers")
    if not bool(np.all(np.diff(beta) <= 0.0)):
        raise InvalidParameter("betas", listed(beta), "falling numbers")
    if not bool(np.all(beta <= 1.0 - alpha)):
        at = int(np.argmax(beta - (1.0 - alpha)))
        raise InvalidParameter("betas", float(beta[at]), f"at most 1 - alpha, {1.0 - float(alpha[at])!r}")
    _convex(alpha, beta)


def _convex(alpha: FloatArray, beta: FloatArray) -> None:
    if len(alpha) < 3:
        return
    chord = beta[:-2] + (beta[2:] - beta[:-2]) * (np.diff(alpha)[:-1] / (alpha[2:] - alpha[:-2]))
    over = beta[1:-1] - chord * (1.0 + _ROUND)
    if not bool(np.all(over <= 0.0)):
        at = int(np.argmax(over)) + 1
        raise InvalidParameter(
            "betas", float(beta[at]), f"convex: at most {float(chord[at - 1])!r} at alpha = {float(alpha[at])!r}",
            "Their lower convex hull would be safe.",
        )  # fmt: skip


def _lower_hull(alpha: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Without the corners that rounding has left on or above the chord of their neighbours."""
    kept: list[int] = []
    for k in range(len(alpha)):
        while len(kept) > 1 and not _bends(alpha, beta, kept[-2], kept[-1], k):
            kept.pop()
        kept.append(k)
    return alpha[kept], beta[kept]


def _bends(alpha: FloatArray, beta: FloatArray, i: int, j: int, k: int) -> bool:
    """Whether the corner j lies below the chord from i to k: exactly, for one lost there is a promise too much."""
    whole = float(beta[i] - beta[k]) * float(alpha[j] - alpha[i])
    part = float(beta[i] - beta[j]) * float(alpha[k] - alpha[i])
    if abs(part - whole) > _CLOSE * (part + whole) + _TINY:
        return part > whole
    a, b = ([Fraction(float(x[at])) for at in (i, j, k)] for x in (alpha, beta))
    return (b[0] - b[1]) * (a[2] - a[0]) > (b[0] - b[2]) * (a[1] - a[0])


def _reversed(alpha: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The corners with the roles exchanged; where alpha is 0 already, the least beta counts."""
    a, b = beta[::-1], alpha[::-1]
    keep = np.append(np.diff(a) > 0.0, True)
    return a[keep], b[keep]
