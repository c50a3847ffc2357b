"""Limits for many steps: a type of their own, which is no guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import overload

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray, not_negative, unit_interval
from neyman.conversions.arguments import Numbers, shaped
from neyman.guarantees import GDP
from neyman.numerics.rounding import UNIT

__all__ = ["Asymptotic"]

_ROOM = 1e-14  # of mu, which was computed in a few operations


@dataclass(frozen=True, repr=False)
class Asymptotic:
    """The mu that a composition tends to as its steps grow many: asymptotic; may under-report.

    It is NOT a Guarantee, has none of its verbs and converts to none: at finitely many steps the truth may be worse.
    For a promise ask ``neyman.account``.

    Parameters
    ----------
    mu : float
        The limit, >= 0; may be inf.
    source : str
        The theorem.
    error : float or None
        Where it is known, g with G_mu(alpha + g) - g <= f(alpha) <= G_mu(alpha - g) + g for every alpha, f being the
        trade-off curve of the composition; at g >= 1/2 it says nothing. None where no such bound is known.

    Raises
    ------
    InvalidParameter
        If ``mu`` or ``error`` is negative or not a number.

    Examples
    --------
    >>> Asymptotic(1.25, "a theorem", 0.01)
    <Asymptotic mu = 1.25, error 0.01: asymptotic; may under-report (a theorem)>
    """

    mu: float
    source: str
    error: float | None = None

    def __post_init__(self) -> None:
        mu = self.mu if self.mu == math.inf else not_negative("mu", self.mu, "Or inf.")
        object.__setattr__(self, "mu", float(mu))
        if self.error is not None:
            object.__setattr__(self, "error", not_negative("error", self.error))

    @overload
    def enclosure(self, alpha: float) -> tuple[float, float]: ...
    @overload
    def enclosure(self, alpha: Numbers) -> tuple[FloatArray, FloatArray]: ...
    def enclosure(self, alpha: float | Numbers) -> tuple[float | FloatArray, float | FloatArray]:
        """Return the two sides between which f(alpha) lies, if the error is known and the moments were right.

        max(0, G_mu(alpha + g) - g) and min(1 - alpha, G_mu(alpha - g) + g), rounded outward.

        Parameters
        ----------
        alpha : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``alpha`` lies outside [0, 1].
        NotCertified
            If no error is known, or mu is inf.

        Examples
        --------
        >>> low, high = Asymptotic(1.0, "a theorem", 0.01).enclosure(0.1)
        >>> round(low, 4), round(high, 4)
        (0.5796, 0.6434)
        """
        at = unit_interval("alpha", alpha)
        if self.error is None or math.isinf(self.mu):
            raise NotCertified("f(alpha)", 0.0, 1.0, "this limit has no known error", topic="known-limits")
        x, g = at.ravel(), self.error
        right, left = (x + g) * (1.0 + 4.0 * UNIT), np.maximum((x - g) * (1.0 - 2.0 * UNIT), 0.0)
        below = GDP(self.mu * (1.0 + _ROOM)).beta(np.minimum(right, 1.0))
        above = GDP(self.mu * (1.0 - _ROOM)).optimistic.beta(left)
        low = np.maximum(below - g - 2.0 * UNIT, 0.0)
        high = np.minimum(above + g + 2.0 * UNIT * (1.0 + g), 1.0 - x + UNIT)
        return shaped(low, at), shaped(np.clip(high, 0.0, 1.0), at)

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.6g}"
        return f"<Asymptotic mu = {self.mu:.9g}{error}: asymptotic; may under-report ({self.source})>"

    __str__ = __repr__
