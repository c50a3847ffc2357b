"""Drawing: log-uniform over whole domains, half of the numbers as a person would write them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.hunt.truth import Truth

__all__ = ["Setting", "between", "number", "whole"]


@dataclass(frozen=True)
class Setting:
    """A guarantee, as it is typed, and what is true of it; ``probe`` names what it is asked.

    ``extra`` is what that probe needs to know beside it.
    """

    family: str
    words: str
    truth: Callable[[], Truth]
    probe: str = "curve"
    extra: object = None


def between(rng: random.Random, low: float, high: float) -> float:
    """Log-uniform, both ends possible."""
    return min(max(math.exp(rng.uniform(math.log(low), math.log(high))), low), high)


def number(rng: random.Random, low: float, high: float) -> float:
    """The same; half of them with three digits."""
    value = between(rng, low, high)
    short = float(f"{value:.3g}")
    return short if rng.random() < 0.5 and low <= short <= high else value


def whole(rng: random.Random, low: int, high: int) -> int:
    """Log-uniform whole numbers."""
    return min(max(round(between(rng, low - 0.5, high + 0.5)), low), high)
