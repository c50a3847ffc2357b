"""What is asked of every setting of a sweep."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from neyman._errors import InvalidParameter, NeymanError
from neyman.mechanisms import Mechanism
from neyman.sweeps.baseline import Baseline
from neyman.sweeps.calibrated import Calibrated, Column
from neyman.sweeps.quantities import Quantity

__all__ = ["Job", "Setting", "Values"]

Values = tuple[tuple[float | int, ...], ...]
"""Of a block: its values along every axis."""

Setting = tuple[float | int, ...]
"""One value along every axis."""


@dataclass(frozen=True, slots=True)
class Job:
    """The mechanism at a setting, and the questions; whether batches may answer them.

    ``sought``: the argument that is calibrated, in place of being an axis. ``baseline``: what divergences are from.
    """

    make: Callable[..., Mechanism]
    names: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    adjacency: str
    tolerance: float
    floor: float
    effort: float
    batches: bool
    sought: Calibrated | None = None
    baseline: Baseline | None = None

    @property
    def limits(self) -> tuple[str, float, float]:
        """Adjacency, tolerance and effort."""
        return self.adjacency, self.tolerance, self.effort

    @property
    def columns(self) -> tuple[Column | Quantity, ...]:
        """The variables of the answers, in their order."""
        return (*(self.sought.columns if self.sought else ()), *self.quantities)

    def mechanisms(self, values: Values) -> Iterator[Mechanism | NeymanError]:
        """The mechanisms of a block, in the order of its settings; where there is none, why."""
        for setting in product(*values):
            yield self.mechanism(setting)

    def calibrated(self, setting: Setting) -> tuple[tuple[float, ...], Mechanism | NeymanError]:
        """The values of the first columns, which are not quantities, and the mechanism with them; or why not."""
        if self.sought is None:
            return (), self.mechanism(setting)
        try:
            found = self.sought.found(self.make, dict(zip(self.names, setting, strict=True)), self.limits)
        except NeymanError as error:
            return (math.nan, math.nan), error
        return (float(found.bracket[0]), float(found.bracket[1])), found.mechanism

    def mechanism(self, setting: Setting) -> Mechanism | NeymanError:
        """The mechanism of one setting; where there is none, why. What is calibrated is 1 in it.

        Raises
        ------
        InvalidParameter
            If ``make`` returns something else.
        """
        try:
            mechanism = self.make(
                **dict(zip(self.names, setting, strict=True)), **({self.sought.name: 1} if self.sought else {})
            )
        except NeymanError as error:
            return error
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter("make(...)", mechanism, "a Mechanism")
        return mechanism
