"""The odds of an attack in people: of so many left out, so many accused; of as many in, at most so many."""

from __future__ import annotations

import math
from fractions import Fraction

from neyman._errors import NotCertified
from neyman.guarantees import Guarantee
from neyman.risk import tpr

__all__ = ["odds_of"]

_FEWEST = 1000


def odds_of(guarantee: Guarantee, fpr: float) -> dict[str, object] | None:
    """Return natural frequencies at about this false positive rate; None where they are not certified.

    People are counted whole: the accused among those left out are rounded up, and the power is asked at the rate that
    this makes; the accused among the others are rounded up, too.

    Examples
    --------
    >>> import neyman as ny
    >>> odds_of(ny.GDP(1.5), 0.01)["sentence"]
    'Of 1,000 people whose record was left out, an attack accuses 10; of 1,000 whose record was used, at most 205.'
    """
    people = _FEWEST
    while people * Fraction(fpr) < 1:
        people *= 10
    out = min(math.ceil(people * Fraction(repr(fpr))), people)
    rate = float(Fraction(out, people))
    if Fraction(rate) < Fraction(out, people):  # an attack that accuses that many has a rate not below it
        rate = math.nextafter(rate, 1.0)
    try:
        power = float(tpr(guarantee, rate).value)
    except NotCertified:
        return None
    inside = math.ceil(people * Fraction(power))
    gone = "replaced" if guarantee.adjacency == "replace" else "left out"
    many = f"{people:,}"
    sentence = (
        f"Of {many} people whose record was {gone}, an attack accuses {out:,}; of {many} whose record was used, at "
        f"most {inside:,}."
    )
    return {"of": people, "fpr": rate, "out": out, "in": inside, "sentence": sentence}
