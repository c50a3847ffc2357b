"""Places: the arguments that quantities are asked at, by name, and what each may be."""

from __future__ import annotations

from collections.abc import Callable

from neyman._validate import choice, inside, not_negative, positive, probability
from neyman.numerics.exact.short_exact import short_exact
from neyman.quantities.points import POINTS

__all__ = ["DELTAS", "DOMAINS", "FPR_TABLE", "At", "in_place", "usual_deltas"]

DELTAS = (1e-5, 1e-6, 1e-9)  # where epsilon is told, unless others are asked for

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


def in_place(name: str, value: float) -> str:
    """Return the value of a place in short; a delta just below a fraction as that, and a sample rate just above one:
    the promise holds there, too.

    Examples
    --------
    >>> in_place("delta", 1.6666666666666664e-05), in_place("fpr", 1 / 3)
    ('1/60000', '1/3')
    """
    return short_exact(value, below=name == "delta", above=name == "sample_rate")


def usual_deltas(dataset_size: int | None) -> tuple[float, ...]:
    """Return the deltas at which epsilon is told unless others are asked for; first 1/dataset_size, where it is known.

    Examples
    --------
    >>> usual_deltas(None), len(usual_deltas(100_000)), len(usual_deltas(60_000))
    ((1e-05, 1e-06, 1e-09), 3, 4)
    """
    from neyman.guarantees.verbs import delta_of_records  # the names of quantities are listed without the engines

    own = delta_of_records(dataset_size)
    others = tuple(delta for delta in DELTAS if own is None or abs(delta - own) > 1e-9 * own)
    return others if own is None else (own, *others)
