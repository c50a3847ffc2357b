"""What an accountant has counted, whatever library it is from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, whole
from neyman.mechanisms import DPSGD, Gaussian, Mechanism
from neyman.mechanisms.sampled.poisson import PoissonSampled

__all__ = ["Run", "numbers", "repeats", "rest", "runs", "setting", "share", "single"]

Run = tuple[Mechanism, int]  # equal steps in a row

_FORM = "an accountant with a history: of (mechanism, count), or of (noise_multiplier, sample_rate, count)"


def runs(accountant: object) -> tuple[Run, ...]:
    """Return what was run, in order.

    Parameters
    ----------
    accountant : object
        ``ny.Accountant``, or any accountant whose ``history`` lists (noise multiplier, sample rate, steps), as those of
        Opacus do.

    Raises
    ------
    InvalidParameter
        If it has no such history.

    Examples
    --------
    >>> import neyman as ny
    >>> accountant = ny.Accountant()
    >>> accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> runs(accountant)
    ((Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.01), 1),)
    """
    history: object = getattr(accountant, "history", None)
    if not isinstance(history, (list, tuple)):
        raise InvalidParameter("accountant", accountant, _FORM)
    return tuple(_run(entry) for entry in cast("Sequence[object]", history))


def setting(noise_multiplier: object, sample_rate: object) -> tuple[float, float]:
    """Return the two numbers of a step of DP-SGD, checked, as Python floats; 0-d arrays and tensors are taken too."""
    noise, rate = _plain(noise_multiplier), _plain(sample_rate)
    DPSGD(noise, rate, 1)  # refuses what is outside its domain
    return float(noise), float(rate)


def single(noise_multiplier: object, sample_rate: object) -> Mechanism:
    """Return one step of DP-SGD."""
    return DPSGD(*setting(noise_multiplier, sample_rate), 1)


def repeats(value: object) -> int:
    """Return how often a step was run, checked: neither a fraction nor a debt."""
    return whole("steps", value, 0, MAX_COUNT)


def share(noise: float, batches: int) -> float:
    """Return noise / sqrt(batches), rounded down: that of each of so many batches with one noise on their sum.

    Examples
    --------
    >>> share(2.0, 4)
    1.0
    """
    found = noise / math.sqrt(whole("accumulation", batches, 1, MAX_COUNT))
    while Fraction(found) ** 2 * batches > Fraction(noise) ** 2:
        found = math.nextafter(found, 0.0)
    return found


def numbers(step: Mechanism) -> tuple[float, float] | None:
    """Return the noise multiplier and the sample rate of a step of DP-SGD; None of anything else."""
    rate = 1.0
    if isinstance(step, PoissonSampled):
        step, rate = step.of, step.rate
    return (float(step.ratio), rate) if isinstance(step, Gaussian) else None


def rest(done: tuple[Run, ...], step: Mechanism) -> tuple[tuple[Run, ...], int]:
    """Part what was run into what came before the last run of ``step``, and the length of that run."""
    if done and done[-1][0] == step:
        return done[:-1], done[-1][1]
    return done, 0


def _run(entry: object) -> Run:
    items = cast("Sequence[Any]", entry) if isinstance(entry, (list, tuple)) else ()
    if len(items) == 2 and isinstance(items[0], Mechanism):
        return items[0], repeats(items[1])
    if len(items) == 3:
        return single(items[0], items[1]), repeats(items[2])
    raise InvalidParameter("accountant.history", entry, "made of (mechanism, count) or (noise, rate, count)")


def _plain(value: Any) -> Any:
    return value.item() if callable(getattr(value, "item", None)) else value
