"""What is asked of every setting of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from neyman._errors import InvalidParameter, NeymanError
from neyman.mechanisms import Mechanism
from neyman.sweeps.quantities import Quantity

__all__ = ["Job", "Setting", "Values"]

Values = tuple[tuple[float | int, ...], ...]
"""Of a block: its values along every axis."""

Setting = tuple[float | int, ...]
"""One value along every axis."""


@dataclass(frozen=True, slots=True)
class Job:
    """The mechanism at a setting, and the questions; whether batches may answer them."""

    make: Callable[..., Mechanism]
    names: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    adjacency: str
    tolerance: float
    floor: float
    effort: float
    batches: bool

    def mechanisms(self, values: Values) -> Iterator[Mechanism | NeymanError]:
        """The mechanisms of a block, in the order of its settings; where there is none, why."""
        for setting in product(*values):
            yield self.mechanism(setting)

    def mechanism(self, setting: Setting) -> Mechanism | NeymanError:
        """The mechanism of one setting; where there is none, why.

        Raises
        ------
        InvalidParameter
            If ``make`` returns something else.
        """
        try:
            mechanism = self.make(**dict(zip(self.names, setting, strict=True)))
        except NeymanError as error:
            return error
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter("make(...)", mechanism, "a Mechanism")
        return mechanism
