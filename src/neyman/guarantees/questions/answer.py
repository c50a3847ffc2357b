"""The answer to whether one guarantee implies another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Satisfaction"]


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """The answer of ``g.satisfies(other)`` and ``g.is_fdp(f)``. True for "yes" alone; ``print`` shows a sentence.

    Attributes
    ----------
    outcome : str
        "yes" and "no" are proved; "undecided" where the certified brackets allow both.
    alpha : float or None
        For "no": a false positive rate at which f_g < f_other (the point of f_g whose tangent has slope -e^epsilon).
    epsilon : float or None
        For "no": a real epsilon at which delta_g > delta_other.
    excess : float
        For "no": a certified lower bound > 0 on delta_g - delta_other there. For "undecided": a certified upper bound
        on delta_g - delta_other at any epsilon whatever (tiny where only the far tail could not be compared).
        0 for "yes".

    Examples
    --------
    >>> import neyman as ny
    >>> answer = ny.GDP(1.2).satisfies(ny.GDP(1.0))
    >>> answer.outcome, bool(answer), answer.excess > 0.0, ny.GDP(1.0).satisfies(ny.GDP(1.2)).outcome
    ('no', False, True, 'yes')
    """

    outcome: Literal["yes", "no", "undecided"]
    alpha: float | None = None
    epsilon: float | None = None
    excess: float = 0.0

    def __bool__(self) -> bool:
        return self.outcome == "yes"

    def __str__(self) -> str:
        if self.outcome == "yes":
            return "yes"
        if self.outcome == "no":
            where = f"at alpha = {self.alpha:.6g} it is lower, and at epsilon = {self.epsilon:.6g}"
            return f"no: {where} its delta is larger by at least {self.excess:.3g}"
        return f"undecided: its delta is nowhere larger by more than {self.excess:.3g}"
