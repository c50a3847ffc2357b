"""Answers of an accountant that are more than one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from neyman._validate import FloatArray
from neyman.numerics.decimals import to_place

__all__ = ["FPR_TABLE", "ErrorRates", "MuAndRegret"]

FPR_TABLE = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)  # false positive rates of the default table


class MuAndRegret(NamedTuple):
    """The summary as Gaussian differential privacy: mu down to a floor, and what it gives away at most."""

    mu: float
    regret: float


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """The trade-off curve at some false positive rates; ``str()`` is the table.

    Attributes
    ----------
    alpha : ndarray
        False positive rates.
    beta : ndarray
        Every test with that false positive rate misses at least this often (rounded down).
    """

    alpha: FloatArray
    beta: FloatArray

    def __str__(self) -> str:
        rows = [
            f"{float(a):<10g} {to_place(float(b), -6, up=False)}" for a, b in zip(self.alpha, self.beta, strict=True)
        ]
        return "\n".join(["alpha      beta at least", *rows])
