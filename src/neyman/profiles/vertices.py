"""The vertices of a trade-off curve that is straight between finitely many, each with its error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.normal import PROBIT_ERROR, probit_gap

__all__ = ["Vertices", "local_mu"]


@dataclass(frozen=True)
class Vertices:
    """Tests by falling alpha: logs of alpha, of beta (-inf where they are 0) and of the excess power 1 - alpha - beta.

    Each is within the relative ``error``, the excess also within e^``log_unsure``.
    """

    log_alpha: FloatArray
    log_beta: FloatArray
    log_excess: FloatArray
    log_unsure: FloatArray
    error: float

    @property
    def mirrored(self) -> Vertices:
        """Those of the inverse curve."""
        return Vertices(
            self.log_beta[::-1], self.log_alpha[::-1], self.log_excess[::-1], self.log_unsure[::-1], self.error
        )

    def above(self, log_floor: float) -> Vertices:
        """Those whose alpha and beta are no smaller."""
        at = np.minimum(self.log_alpha, self.log_beta) >= log_floor
        return Vertices(self.log_alpha[at], self.log_beta[at], self.log_excess[at], self.log_unsure[at], self.error)

    @property
    def local_mus(self) -> tuple[FloatArray, FloatArray]:
        """Bounds on Phi^-1(1 - alpha) - Phi^-1(beta) from below and above."""
        most = np.logaddexp(self.log_excess, self.log_unsure)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.exp(self.log_unsure - self.log_excess)
            least = np.where(share < 1.0, self.log_excess + np.log1p(-np.minimum(share, 1.0)), -np.inf)
        least = np.where(np.isfinite(self.log_excess), least, -np.inf)
        return (
            local_mu(self.log_alpha, least, self.log_beta, self.error, -1.0),
            local_mu(self.log_alpha, most, self.log_beta, self.error, 1.0),
        )


def local_mu(
    log_alpha: FloatArray, log_excess: FloatArray, log_beta: FloatArray, error: float, sign: float
) -> FloatArray:
    """Return Phi^-1(1 - alpha) - Phi^-1(beta) rounded up (``sign`` 1) or down (-1), each term within the relative
    ``error``.

    From the smaller, a, of alpha and beta. Where the excess is less than a, mu is the integral of 1 / phi over it, and
    moves by no more than the relative error of a: p |z| / phi(z) <= 1 for p = Phi(-|z|). Elsewhere it falls with alpha
    and with beta and rises with the excess.
    """
    small, large = np.minimum(log_alpha, log_beta), np.maximum(log_alpha, log_beta)
    away = sign * error
    value = probit_gap(small - away, np.minimum(log_excess + away, 0.0), np.minimum(large - away, 0.0))
    return np.maximum(value * (1.0 + sign * (PROBIT_ERROR + 4.0 * error)), 0.0)
