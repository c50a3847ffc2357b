"""What is made from guarantees, or decided between two: by files that build on them, imported when first asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neyman._first_use import on_first_use
from neyman.guarantees.questions.answer import Satisfaction

_Guarantee = Any  # which asks this file, and is not known to it

satisfaction: Callable[[_Guarantee, _Guarantee], Satisfaction]
fdp: Callable[[_Guarantee, _Guarantee | Callable[..., object]], Satisfaction]
compose_tradeoffs: Callable[[_Guarantee, _Guarantee], _Guarantee]
repeated: Callable[[_Guarantee, int], _Guarantee]
group_of: Callable[[_Guarantee, int], _Guarantee]
inverse_of: Callable[[_Guarantee], _Guarantee]
symmetrized_of: Callable[[_Guarantee], _Guarantee]

_FILES = {
    "neyman.guarantees.implication.satisfaction": ("satisfaction",),
    "neyman.guarantees.implication.fdp": ("fdp",),
    "neyman.guarantees.algebra.product": ("compose_tradeoffs", "repeated"),
    "neyman.guarantees.algebra.group": ("group_of",),
    "neyman.guarantees.algebra.reversal": ("inverse_of", "symmetrized_of"),
}

__getattr__, __dir__ = on_first_use(__name__, _FILES)
