"""Ours beside theirs: reproduced, differs, or not determined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Literal

from neyman_papers.published import Above, Below, Holds, Published, Rounds

__all__ = ["NEAR", "WORDS", "Number", "Ours", "Statement", "Verdict", "judge", "outward"]

Outcome = Literal["reproduced", "differs", "undetermined"]

WORDS: dict[Outcome, str] = {
    "reproduced": "reproduced", "differs": "differs", "undetermined": "not determined by the text",
}  # fmt: skip
"""The outcomes as a reader is told them."""

_DIGITS = 7  # of a number of ours that is shown
NEAR = 1e-9  # numbers of ours that are as near as that agree
_WIDE = "Our bracket is too wide to tell."


@dataclass(frozen=True, slots=True)
class Number:
    """A number of ours: the truth lies between; ``certified`` is False where a formula or a grid stands in for a proof.

    ``note`` says how it was found, or what else was tried; ``timed`` is a time, which no two runs share.
    """

    lower: float
    upper: float
    certified: bool = True
    note: str = ""
    timed: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", float(self.lower))  # NumPy's own kinds are none that JSON knows
        object.__setattr__(self, "upper", float(self.upper))

    @classmethod
    def computed(cls, value: float, note: str = "") -> Number:
        """A number by a formula or on a grid, which nothing certifies."""
        return cls(value, value, False, note)

    @classmethod
    def seconds(cls, value: float, note: str) -> Number:
        """A time on this machine, under whatever load."""
        return cls(value, value, False, note, timed=True)


@dataclass(frozen=True, slots=True)
class Statement:
    """Whether a sentence holds: None if the brackets do not tell; ``evidence`` holds the numbers behind it."""

    holds: bool | None
    evidence: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", None if self.holds is None else bool(self.holds))


Ours = Number | Statement


@dataclass(frozen=True, slots=True)
class Verdict:
    """One published number with ours and the outcome; ``why`` explains every outcome but "reproduced"."""

    published: Published
    ours: Ours | None
    outcome: Outcome
    why: str

    @property
    def shown(self) -> str:
        """Ours as text, rounded outward."""
        return self.shown_to(_DIGITS)

    def shown_to(self, digits: int) -> str:
        """Ours as text, with about so many significant digits."""
        if self.ours is None:
            return ""
        if isinstance(self.ours, Statement):
            return _truth(self.ours, of_ours=self.outcome == "undetermined")
        return _bracket(self.ours, digits)

    @property
    def note(self) -> str:
        """How ours was found."""
        if self.ours is None:
            return ""
        return self.ours.evidence if isinstance(self.ours, Statement) else self.ours.note

    @property
    def uncertified(self) -> bool:
        """Whether ours is a number that nothing certifies."""
        return isinstance(self.ours, Number) and not self.ours.certified

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        p = self.published
        ours: dict[str, object] | None = None
        if isinstance(self.ours, Number):
            ours = {"lower": _finite(self.ours.lower), "upper": _finite(self.ours.upper),
                    "certified": self.ours.certified}  # fmt: skip
        elif self.ours is not None:
            ours = {"holds": self.ours.holds}
        return {
            "key": p.key, "part": p.part, "where": p.where, "quantity": p.quantity, "printed": p.printed, "ours": ours,
            "shown": self.shown, "note": self.note, "outcome": self.outcome, "why": self.why,
        }  # fmt: skip


def judge(published: Published, ours: Ours | None) -> Verdict:
    """Set one published number beside ours.

    Parameters
    ----------
    published : Published
        What is printed, and when ours agrees.
    ours : Number, Statement or None
        None where there is nothing of ours to set beside it.

    Returns
    -------
    Verdict
        "reproduced" only if the whole bracket agrees, "differs" only if none of it does; else, and where the text
        leaves it open, "undetermined".

    Examples
    --------
    >>> from neyman_papers.published import Rounds
    >>> printed = Published("a paper", "mu", "Table 3", "mu", "1.67", Rounds("1.67"))
    >>> judge(printed, Number(1.66603, 1.66604)).outcome, judge(printed, Number(1.68, 1.69)).outcome
    ('reproduced', 'differs')
    """
    outcome = _outcome(published, ours)
    why = "" if outcome == "reproduced" else published.reason
    if outcome == "undetermined" and not why:
        why = _WIDE
    return Verdict(published, ours, outcome, why)


def _outcome(published: Published, ours: Ours | None) -> Outcome:
    rule = published.rule
    if ours is None:
        return "undetermined"
    if isinstance(rule, Holds) and isinstance(ours, Statement):
        return "undetermined" if ours.holds is None else "reproduced" if ours.holds else "differs"
    if isinstance(rule, (Rounds, Below, Above)) and isinstance(ours, Number):
        if math.isnan(ours.lower) or math.isnan(ours.upper):
            return "undetermined"
        return _compared(rule, Decimal(ours.lower), Decimal(ours.upper))
    return "undetermined"


def _compared(rule: Rounds | Below | Above, lower: Decimal, upper: Decimal) -> Outcome:
    if isinstance(rule, Rounds):
        low, high = rule.interval
        agrees, fails = low <= lower and upper <= high, upper < low or high < lower
    else:
        bound = Decimal(rule.text)
        below, above = upper < bound, lower > bound
        agrees, fails = (below, lower >= bound) if isinstance(rule, Below) else (above, upper <= bound)
    return "reproduced" if agrees else "differs" if fails else "undetermined"


def outward(value: float, digits: int, *, up: bool) -> str:
    """So many significant digits, rounded up or down: what is printed is still a bound.

    Examples
    --------
    >>> outward(1.5669476, 4, up=True), outward(1.5669476, 4, up=False), outward(0.5, 4, up=True)
    ('1.567', '1.566', '0.5')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return f"{float(context.plus(Decimal(value))):.{digits}g}"


def _bracket(number: Number, least: int) -> str:
    if number.lower == number.upper:
        return f"{number.upper:.{least}g}"
    for digits in range(least, 14):
        low, high = outward(number.lower, digits, up=False), outward(number.upper, digits, up=True)
        if low != high:
            return f"[{low}, {high}]"
    return f"{number.upper:.{least}g}"


def _truth(statement: Statement, of_ours: bool) -> str:
    """In words; a sentence that the text leaves open holds, if at all, of the examples that we chose."""
    if statement.holds is None:
        return "cannot be told"
    return ("holds" if statement.holds else "does not hold") + (" of ours" if of_ours else "")


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
