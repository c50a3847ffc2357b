"""Thresholds and what they get wrong: all that an audit ever uses of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.audit.rates.binomials import Counts

__all__ = ["Cuts", "cut_at", "cut_between"]

Sorted = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Tests "the record is in where score > threshold", thresholds increasing.

    Attributes
    ----------
    thresholds : array
        Values of the scores, or -inf; NaN where counts alone were given.
    false_positives, false_negatives : array
        How many of the ``n_out`` scores are above the threshold, and how many of the ``n_in`` are not.
    """

    thresholds: FloatArray
    false_positives: Counts
    false_negatives: Counts
    n_in: int
    n_out: int

    @property
    def fpr(self) -> FloatArray:
        """Observed false positive rates."""
        return self.false_positives / self.n_out

    @property
    def fnr(self) -> FloatArray:
        """Observed false negative rates."""
        return self.false_negatives / self.n_in

    @property
    def auc(self) -> float:
        """The area under the observed ROC curve through these points."""
        fpr = np.concatenate([[1.0], self.fpr, [0.0]])
        tpr = np.concatenate([[1.0], 1.0 - self.fnr, [0.0]])
        return float(np.sum((fpr[:-1] - fpr[1:]) * (tpr[:-1] + tpr[1:])) / 2.0)


def cut_at(thresholds: FloatArray, inside: Sorted, outside: Sorted) -> Cuts:
    """Count at given thresholds; the scores are sorted."""
    above = outside.size - np.searchsorted(outside, thresholds, side="right")
    below = np.searchsorted(inside, thresholds, side="right")
    return Cuts(np.asarray(thresholds, dtype=np.float64), above, below, inside.size, outside.size)


def cut_between(inside: Sorted, outside: Sorted, in_steps: Counts, out_steps: Counts) -> Cuts:
    """Return the thresholds that can matter where bounds change at these counts alone; the scores are sorted.

    For every step of the false positives the least threshold with no more of them, for every step of the false
    negatives the largest: any other threshold has the bounds of one of these, or worse. A threshold never parts equal
    scores.
    """
    from_out = outside[outside.size - 1 - out_steps]  # score > v
    at = inside[in_steps]  # score >= v: which is score > the next value below
    lower_in = np.searchsorted(inside, at, side="left")
    lower_out = np.searchsorted(outside, at, side="left")
    below = np.maximum(_value(inside, lower_in - 1), _value(outside, lower_out - 1))
    found = cut_at(np.unique(np.concatenate([from_out.astype(np.float64), below])), inside, outside)
    # of thresholds that count alike the first is enough
    new = np.ones(found.thresholds.size, dtype=bool)
    new[1:] = (np.diff(found.false_positives) != 0) | (np.diff(found.false_negatives) != 0)
    return Cuts(
        found.thresholds[new], found.false_positives[new], found.false_negatives[new], inside.size, outside.size
    )


def _value(scores: Sorted, index: Counts) -> FloatArray:
    return np.where(index >= 0, scores[np.maximum(index, 0)].astype(np.float64), -np.inf)
