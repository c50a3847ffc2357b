"""Answers of an accountant that are more than one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from neyman._validate import FloatArray
from neyman.numerics.exact.decimals import to_place
from neyman.quantities.places import FPR_TABLE

__all__ = ["FPR_TABLE", "ErrorRates", "MuAndRegret"]


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
