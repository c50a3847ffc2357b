"""A mechanism given by the two laws of its output, listed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import probability
from neyman.losses.discrete.steps import TabulatedStep
from neyman.mechanisms.stated.black_box import BlackBox

__all__ = ["Tabulated"]

ROUNDING = 1e-9  # by which a listed law may miss 1


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated(BlackBox):
    """Two laws on the same finite set of outputs: the worst pair, under the adjacency in use.

    The order of the outputs does not matter. Sampled, it has no guarantee under adjacency "replace".

    Parameters
    ----------
    p, q : sequence of float
        Probabilities of the same outputs in the same order, with the record and without it; each in [0, 1], summing
        to 1 within 1e-9. One-dimensional arrays will do; stored as tuples.

    Raises
    ------
    InvalidParameter
        If the lengths differ, a number is outside its domain or a law does not sum to 1.

    Examples
    --------
    >>> from neyman import Tabulated
    >>> Tabulated(p=[0.75, 0.25], q=[0.25, 0.75])
    Tabulated(p=(0.75, 0.25), q=(0.25, 0.75))
    """

    kind: ClassVar[str] = "tabulated"

    p: tuple[float, ...]
    q: tuple[float, ...]

    def __init__(self, p: Sequence[float] | np.ndarray[Any, Any], q: Sequence[float] | np.ndarray[Any, Any]) -> None:
        first, second = _law("p", p), _law("q", q)
        if len(first) != len(second):
            raise InvalidParameter("len(q)", len(second), f"{len(first)}, the length of p")
        object.__setattr__(self, "p", first)
        object.__setattr__(self, "q", second)

    @property
    def law(self) -> Hashable:
        """The kind and the pairs of probabilities, sorted, without the impossible."""
        return self.kind, tuple(sorted(pair for pair in zip(self.p, self.q, strict=True) if pair != (0.0, 0.0)))

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": self.kind, "p": list(self.p), "q": list(self.q)}

    def _pair(self, rate: float) -> TabulatedStep:
        _, pairs = cast("tuple[str, tuple[tuple[float, float], ...]]", self.law)
        return TabulatedStep(tuple(p for p, _ in pairs), tuple(q for _, q in pairs), rate)


def _law(name: str, value: object) -> tuple[float, ...]:
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))
    if not (listed or (isinstance(value, np.ndarray) and value.ndim == 1)) or not len(cast("Sequence[object]", value)):
        raise InvalidParameter(name, value, "a non-empty sequence of probabilities")
    items = enumerate(cast("Sequence[object]", value))
    law = tuple(probability(f"{name}[{i}]", item) + 0.0 for i, item in items)  # no -0.0
    total = math.fsum(law)
    if not abs(total - 1.0) <= ROUNDING:
        raise InvalidParameter(f"sum({name})", total, f"1 within {ROUNDING:g}")
    return law
