"""What a sweep asks of every setting: words such as "mu", "epsilon(1e-5)" and "optimistic.regret".

    quantity = ["optimistic."] word ["(" number ")"]

The words are those of the table of quantities that have a ``meaning`` there, and the divergences from the sweep's own
baseline. Without "optimistic." a quantity is on the
safe side; with it, it is the certified bound from the other side, so that the two enclose the truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter
from neyman.comparison import Comparison
from neyman.guarantees import Guarantee
from neyman.quantities import QUANTITIES
from neyman.quantities import Quantity as Word
from neyman.quantities.places import DOMAINS

__all__ = ["BESIDE", "WORDS", "Quantity", "quantities"]

_FORM = re.compile(r"(?P<side>optimistic\.)?(?P<word>[a-z_]+)(?:\((?P<at>[^()]*)\))?\Z")
_ABOVE, _BELOW = "upper bound: the truth is at most this", "lower bound: the truth is at least this"

BESIDE = {
    word.name: word
    for word in (
        Word(name="divergence", meaning="Delta(baseline || setting): what the setting costs beyond the baseline"),
        Word(name="reverse", meaning="Delta(setting || baseline): what the baseline costs beyond the setting"),
        Word(name="distance", meaning="the larger of both divergences between setting and baseline"),
    )
}  # in Bayes error
WORDS = {name: word for name, word in QUANTITIES.items() if word.meaning} | BESIDE


@dataclass(frozen=True, slots=True)
class Quantity:
    """One question: as it was written, its word, its number (None where there is none), and its side."""

    key: str
    word: str
    at: float | None
    optimistic: bool

    @classmethod
    def read(cls, text: object, floor: float) -> Quantity:
        """Read one quantity.

        Parameters
        ----------
        text : str
            In the form above.
        floor : float
            The number of "mu", "regret" and "shortfall" where none is written.

        Raises
        ------
        InvalidParameter
            If it has another form, its word is unknown, or its number is missing, too much or outside its domain.

        Examples
        --------
        >>> Quantity.read("optimistic.epsilon(1e-5)", 1e-10)
        Quantity(key='optimistic.epsilon(1e-5)', word='epsilon', at=1e-05, optimistic=True)
        """
        key = "".join(text.split()) if isinstance(text, str) else ""
        form = _FORM.match(key)
        if form is None or form["word"] not in WORDS:
            forms = ", ".join(word.name if word.place == "floor" else word.form for word in WORDS.values())
            raise InvalidParameter("quantity", text, f"one of {forms}", _meant(key), topic="sweep-arguments")
        word = WORDS[form["word"]]
        return cls(key, form["word"], _number(key, word, form["at"], floor), form["side"] is not None)

    @property
    def same(self) -> tuple[object, ...]:
        """What it asks, however it was written."""
        return self.word, self.at, self.optimistic

    @property
    def labels(self) -> dict[str, Any]:
        """Attributes of its variable: what it is, on which side, and where."""
        word = WORDS[self.word]
        side = _BELOW if word.from_below != self.optimistic else _ABOVE
        place = {} if word.place is None or self.at is None else {word.place: self.at}
        return {"long_name": word.meaning, "units": "1", "side": side, **place}

    def ask(self, guarantee: Guarantee, beside: Comparison | None = None) -> float:
        """Ask it of the guarantee on the safe side, or of the comparison of the baseline with it."""
        if beside is not None and self.word in BESIDE:
            forth, back = ((one.lower if self.optimistic else one.upper) for one in beside.bounds)
            return {"divergence": forth, "reverse": back, "distance": max(forth, back)}[self.word]
        side = guarantee.optimistic if self.optimistic else guarantee
        return WORDS[self.word].number(side, () if self.at is None else (self.at,))


PLACED = {"delta": "1e-5", "epsilon": "1.0", "alpha": "0.01", "fpr": "0.01", "prior": "0.5", "order": "2.0"}
"""An example of each place that has to be said."""


def _meant(key: str) -> str:
    """What to write in place of what is no quantity."""
    from neyman._guesses import quantity_meant  # read where something went wrong

    side, dot, rest = key.rpartition(".") if key.startswith("optimistic.") else ("", "", key)
    word, _, at = rest.rstrip(")").partition("(")
    meant = quantity_meant(word)
    if meant is None or meant not in WORDS:
        return 'Before any of them, "optimistic." asks for the bound from the other side.'
    place = WORDS[meant].place
    number = at or PLACED.get(place or "", "")
    line = f"{side}{dot}{meant}" + (f"({number})" if place and number else "")
    return f"Write: {line!r}"


def _number(key: str, word: Word, written: str | None, floor: float) -> float | None:
    if word.place is None:
        if written is not None:
            raise InvalidParameter(f"quantity {key}", written, "without a number")
        return None
    if written is None and word.place == "floor":
        return floor  # of the sweep
    if written is None and word.place in PLACED:
        form = f"{key}({PLACED[word.place]})"
        raise InvalidParameter(f"quantity {key}", None, f"at some {word.place}", f"Write: {form!r}")
    try:
        number: object = float(written or "")
    except ValueError:
        number = written
    return float(DOMAINS[word.place](f"{word.place} of the quantity {key}", number))


def quantities(texts: object, floor: float) -> tuple[Quantity, ...]:
    """Read all quantities of a sweep: a string, or several in a sequence, no two of which ask the same.

    Raises
    ------
    InvalidParameter
        If there is none, one of them cannot be read, or two ask the same.
    """
    several: list[object] = [texts] if isinstance(texts, str) else list(texts) if isinstance(texts, Iterable) else []
    if not several:
        raise InvalidParameter("quantities", texts, 'a non-empty list of strings such as "mu" and "epsilon(1e-5)"')
    found = tuple(Quantity.read(text, floor) for text in several)
    for i, quantity in enumerate(found):
        if any(quantity.same == other.same for other in found[:i]):
            raise InvalidParameter("quantities", quantity.key, "asked once each")
    return found
