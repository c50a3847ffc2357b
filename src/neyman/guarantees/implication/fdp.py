"""Is it f-DP? Of a curve given as a function: what lies above its chords is, what dips below what is proved is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from neyman._errors import InvalidParameter
from neyman.guarantees.given.sampled_curve import CurveFunction
from neyman.guarantees.given.tradeoff import Tradeoff
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.implication.satisfaction import satisfaction, searched
from neyman.guarantees.questions.answer import Satisfaction

__all__ = ["fdp"]

_EFFORTS = (
    (1e-2, 128),
    (1e-3, 2048),
    (1e-4, 8192),
)  # tolerances, and points at most: the dearer where the cheap is vague


def fdp(g: Guarantee, f: Guarantee | Callable[..., object]) -> Satisfaction:
    """Decide whether ``g`` is f-DP, with what ``f`` is asked at refined until that is decided."""
    if isinstance(f, Guarantee):
        return satisfaction(g, f)
    if not callable(f):
        raise InvalidParameter("f", f, "a Guarantee, or a function of alpha")
    answer = Satisfaction("undecided", excess=1.0)
    for tolerance, points in _EFFORTS:
        asked = Tradeoff.from_function(cast(CurveFunction, f), tolerance=tolerance, points=points)
        if satisfaction(g, asked.chords):
            return Satisfaction("yes")
        answer = searched(g.optimistic.sides, asked.optimistic.sides)
        if answer.outcome != "undecided":
            return answer
    return answer
