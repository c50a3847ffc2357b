"""The two ends of the scale: perfect privacy, f(alpha) = 1 - alpha, and none at all, f = 0."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

from neyman._remade import Recipe
from neyman.engines.closed_form.pairs import BlatantProfile, PerfectProfile
from neyman.engines.renyi.composition import CompositionDivergence
from neyman.guarantees.questions.mu.at_floor import Fit
from neyman.guarantees.renyi import BlatantDivergence, Divergences
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["BLATANT", "PERFECT"]


class _Extreme(PessimisticGuarantee):
    """A guarantee with nothing to compute; ``mu`` is 0 or inf."""

    def __init__(self, profile: Profile, name: str, mu: float) -> None:
        super().__init__(Pair(profile, profile), "add_or_remove")
        self._name = name
        self._value = mu

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences: all 0, or all infinite."""
        return BlatantDivergence() if math.isinf(self._value) else CompositionDivergence((), (True,))

    def fit(self, floor: float) -> Fit:
        """The Gaussian fit: itself."""
        return Fit(self._value, 0.0, -math.log(2.0) if self._value == 0.0 else -math.inf, 0.0)

    def remember(self, recipe: Recipe) -> Self:
        """There is one of each."""
        return self

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return self._name


PERFECT = _Extreme(PerfectProfile(), "PERFECT", 0.0)
BLATANT = _Extreme(BlatantProfile(), "BLATANT", math.inf)
