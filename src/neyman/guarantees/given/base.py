"""Guarantees that are given, not computed: values, equal when what they state is equal."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from neyman._errors import InvalidParameter
from neyman._remade import Recipe
from neyman._validate import FloatArray, numbers, reals
from neyman.engines.region.profile import RegionProfile
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["Given", "columns", "listed"]

Stated = float | tuple[float, ...]


class Given(PessimisticGuarantee):
    """A promise in somebody's words. ``stated`` holds them, named as the constructor names its arguments."""

    def __init__(self, forward: Profile, backward: Profile, **stated: Stated) -> None:
        super().__init__(Pair(forward, backward), "add_or_remove")
        self._stated = stated

    @property
    def stated(self) -> dict[str, Stated]:
        """What was stated, by name."""
        return dict(self._stated)

    def least_mu(self, floor: float) -> float:
        """mu at ``floor`` from below; of bounds on divergences no less than that of a Gaussian that keeps them."""
        found, curve = super().least_mu(floor), self._sides.forward
        return max(found, curve.attained_mu) if isinstance(curve, RegionProfile) else found

    def remember(self, recipe: Recipe) -> Self:
        """It is known by its own words, whoever made it."""
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Given) and other._stated == self._stated

    def __hash__(self) -> int:
        return hash((type(self), tuple(self._stated.items())))

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={_shown(value)}" for name, value in self._stated.items())
        return f"{type(self).__name__}({words})"


def columns(unbounded: str = "", /, **named: object) -> tuple[FloatArray, ...]:
    """The arguments as 1-d arrays, as long as the first, of finite numbers; inf too in the one named ``unbounded``."""
    found: list[FloatArray] = []
    for name, values in named.items():
        given = numbers(name, values, "a number, or a non-empty array of numbers, all finite")
        reals(name, np.where(given == math.inf, 0.0, given) if name == unbounded else given)
        array = np.atleast_1d(given)
        if array.ndim > 1:
            raise InvalidParameter(name, array.tolist(), "a number or a 1-d array")
        if found and len(array) != len(found[0]):
            raise InvalidParameter(name, len(array), f"as many numbers as {next(iter(named))} has, {len(found[0])}")
        found.append(array + 0.0)
    return tuple(found)


def listed(values: FloatArray) -> tuple[float, ...]:
    """The numbers of a 1-d array, to be kept."""
    return tuple(float(value) for value in values)


def _shown(value: Stated) -> str:
    """As it could be typed."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_shown(one) for one in value) + "]"
    return repr(value) if math.isfinite(value) else "float('inf')"
