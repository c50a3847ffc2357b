"""Places: the arguments that quantities are asked at, by name, and what each may be."""

from __future__ import annotations

from collections.abc import Callable

from neyman._validate import choice, inside, not_negative, positive, probability
from neyman.quantities.points import POINTS

__all__ = ["DOMAINS", "FPR_TABLE", "At"]

FPR_TABLE = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)  # false positive rates of the default table

At = tuple[float | str, ...]
"""Where a quantity is asked: a value for each of its places."""

DOMAINS: dict[str, Callable[[str, object], float | str]] = {
    "floor": lambda name, value: inside(name, value, 0.0, 0.5),
    "delta": probability,
    "epsilon": not_negative,
    "alpha": probability,
    "fpr": probability,
    "prior": probability,
    "membership_prior": probability,
    "baseline": lambda name, value: inside(name, value, 0.0, 1.0),
    "order": positive,
    "reference": lambda name, value: choice(name, value, tuple(POINTS)),
}
"""Of each place the validator, which is told how to call it: ``DOMAINS["fpr"]("fpr of tpr", 0.1)``."""
