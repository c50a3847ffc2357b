"""What is made from guarantees: the rooms that do it build on guarantees, and say here who they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from neyman.guarantees.questions.answer import Satisfaction

if TYPE_CHECKING:
    from neyman.guarantees.guarantee import Guarantee

__all__ = ["ALGEBRA", "Algebra"]


class Algebra:
    """The verbs of a guarantee that make others, or decide between two."""

    satisfaction: Callable[[Guarantee, Guarantee], Satisfaction]
    fdp: Callable[[Guarantee, Guarantee | Callable[..., object]], Satisfaction]
    product: Callable[[Guarantee, Guarantee], Guarantee]
    power: Callable[[Guarantee, int], Guarantee]
    group: Callable[[Guarantee, int], Guarantee]
    inverse: Callable[[Guarantee], Guarantee]
    symmetrized: Callable[[Guarantee], Guarantee]


ALGEBRA = Algebra()
