"""What is made from guarantees: the rooms that do it build on guarantees, and say here who they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neyman.guarantees.questions.answer import Satisfaction

__all__ = ["ALGEBRA", "Algebra"]

_Guarantee = Any  # which asks this file, and is not known to it


class Algebra:
    """The verbs of a guarantee that make others, or decide between two."""

    satisfaction: Callable[[_Guarantee, _Guarantee], Satisfaction]
    fdp: Callable[[_Guarantee, _Guarantee | Callable[..., object]], Satisfaction]
    product: Callable[[_Guarantee, _Guarantee], _Guarantee]
    power: Callable[[_Guarantee, int], _Guarantee]
    group: Callable[[_Guarantee, int], _Guarantee]
    inverse: Callable[[_Guarantee], _Guarantee]
    symmetrized: Callable[[_Guarantee], _Guarantee]


ALGEBRA = Algebra()
