"""The odds of an attack in people: of so many left out, so many accused; of as many in, at most so many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from neyman.mechanisms.additive.rounding import at_least
from neyman.profiles.pair import Adjacency

__all__ = ["Odds"]

_FEWEST = 1000  # people of either kind; ten times as many until one is accused


@dataclass(frozen=True, slots=True)
class Odds:
    """Natural frequencies: people are counted whole, and those accused are rounded up on both sides.

    Attributes
    ----------
    of, out : int
        So many are left out, of whom so many are accused: at a false positive rate of that or more.

    Examples
    --------
    >>> odds = Odds.at(0.01)
    >>> odds.of, odds.out, odds.rate
    (1000, 10, 0.01)
    >>> odds.told(0.2045, "add_or_remove")["sentence"]
    'Of 1,000 people whose record was left out, an attack accuses 10; of 1,000 whose record was used, at most 205.'
    """

    of: int
    out: int

    @classmethod
    def at(cls, fpr: float) -> Odds:
        """Those of a false positive rate in (0, 1), or of the next larger that whole people make."""
        share, people = Fraction(repr(fpr)), _FEWEST
        while people * share < 1:
            people *= 10
        return cls(people, math.ceil(people * share))

    @property
    def rate(self) -> float:
        """The false positive rate that they make, rounded up: an attack that accuses so many has no smaller one."""
        return at_least(Fraction(self.out, self.of))

    def told(self, power: float, adjacency: Adjacency) -> dict[str, object]:
        """Return them, with the true positive rate that an attack of this rate has at most."""
        inside = math.ceil(self.of * Fraction(power))
        gone = "replaced" if adjacency == "replace" else "left out"
        sentence = (
            f"Of {self.of:,} people whose record was {gone}, an attack accuses {self.out:,}; of {self.of:,} whose "
            f"record was used, at most {inside:,}."
        )
        return {"of": self.of, "fpr": self.out / self.of, "out": self.out, "in": inside, "sentence": sentence}
