"""Risk: a certified number together with what it means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._errors import InvalidParameter
from neyman._upward import Carded
from neyman._validate import FloatArray
from neyman.profiles.pair import Adjacency
from neyman.risk.kinds import KINDS
from neyman.risk.numbers import plain

__all__ = ["Risk"]

_COMMON = (
    "The attacker may know the mechanism, its settings and every other record, and has no limit but the noise; one "
    "record of a person is in question (for several: Guarantee.group)."
)
_PAIRS: dict[Adjacency, str] = {
    "add_or_remove": "Data sets differ by one record added or removed; the promise covers both orders, and so does the "
    "curve.",
    "add": "Data sets differ by one record added; the attack's null hypothesis is that it is absent.",
    "remove": "Data sets differ by one record removed; the attack's null hypothesis is that it is absent.",
    "replace": "Data sets differ by one record exchanged for another; that another is in its place counts as absent.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Risk(Carded):
    """What an attacker can do at most, certified; ``str()`` is the sentence for a person who is no statistician.

    The value, and the number in the sentence, lie on the safe side: the attacker's success never below the truth,
    the error never above it. Of a guarantee's ``optimistic`` twin they are bounds from the other side, and say so.

    Attributes
    ----------
    name : str
        The function that made it.
    value : float or ndarray
        The bound.
    baseline : float or ndarray
        What the attacker reaches with no access to the output.
    given : tuple of (str, float or ndarray)
        What was asked, by the names of the arguments; arrays have the shape of ``value``.
    adjacency : str
        The neighbouring data sets that the guarantee is about.
    promise : bool
        Whether the value is on the safe side (False: it comes from an ``optimistic`` twin).

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.risk.accuracy(ny.GDP(1.0), prior=0.5)
    >>> round(found.value, 6), found.baseline, found.given
    (0.691462, 0.5, (('prior', 0.5),))
    >>> print(found)
    An attacker who guesses whether a record was used, when it was left out with a chance of 50 %, is right with a
    chance of at most 69.2 % (without the output: 50 %).
    """

    name: str
    value: float | FloatArray
    baseline: float | FloatArray
    given: tuple[tuple[str, float | FloatArray], ...]
    adjacency: Adjacency
    promise: bool = True

    @property
    def definition(self) -> str:
        """The formula."""
        return KINDS[self.name].definition

    @property
    def source(self) -> str:
        """Where it is written."""
        return KINDS[self.name].source

    @property
    def assumes(self) -> str:
        """What must hold for it to bound an attack."""
        return " ".join((KINDS[self.name].assumes, _COMMON, _PAIRS[self.adjacency]))

    @property
    def shown(self) -> str:
        """The value alone, as the sentence has it: "at most 61 %".

        Raises
        ------
        InvalidParameter
            If this is the risk of an array.
        """
        kind = KINDS[self.name]
        if isinstance(self.value, np.ndarray):
            raise InvalidParameter("risk", self.value.shape, "of a scalar", "Index it: risk[0].shown.")
        up = self.promise is not kind.error
        return f"at {'most' if up else 'least'} {kind.shown(self.value, up)}"

    def __str__(self) -> str:
        """The sentence; of an array, where its values lie."""
        if isinstance(self.value, np.ndarray):
            low, high = float(np.min(self.value)), float(np.max(self.value))
            return (
                f"{self.name} at {self.value.size} settings, from {low:.6g} to {high:.6g}; "
                "index it for the sentence of one."
            )
        if not self.promise:
            return (
                f"The limit on {self.name}({', '.join(f'{name}={number:g}' for name, number in self.given)}) that "
                f"follows from the guarantee is {self.shown}: the other end of what is certified, not a promise."
            )
        return KINDS[self.name].sentence.format(**self._words())

    @property
    def formerly(self) -> str:
        """The sentence as earlier versions had it, of a promise about one setting; empty if they had none other."""
        return KINDS[self.name].formerly.format(**self._words())

    def _words(self) -> dict[str, str]:
        """What stands in the places of a sentence."""
        words = {name: plain(float(number)) for name, number in self.given if name != "records"}
        records = dict(self.given).get("records", 1.0)
        return words | {
            "bound": self.shown,
            "gone": "replaced" if self.adjacency == "replace" else "left out",
            "chance": words.get("baseline", ""),
            "weight": words.get("baseline", ""),
            "whom": "a given person" if records == 1.0 else f"one of {int(records):,} people",
            "baseline": plain(float(self.baseline)),
        }

    def __repr__(self) -> str:
        asked = ", ".join(f"{name}={number!r}" for name, number in self.given)
        sign = "<=" if self.promise is not KINDS[self.name].error else ">="
        return f"<Risk: {self.name}({asked}) {sign} {self.value!r}>"

    def __float__(self) -> float:
        return float(self.value)

    def __getitem__(self, index: int | slice | tuple[int | slice, ...]) -> Risk:
        """Return the risk at one of the settings of an array, or at some of them."""
        if not isinstance(self.value, np.ndarray):
            raise InvalidParameter("index", index, "used with the risk of an array")
        given = tuple((name, _at(np.asarray(number), index)) for name, number in self.given)
        value, baseline = _at(self.value, index), _at(np.asarray(self.baseline), index)
        return Risk(self.name, value, baseline, given, self.adjacency, self.promise)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Risk):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        numbers = [self.value, self.baseline, *(number for _, number in self.given)]
        plainly = tuple((np.shape(number), np.asarray(number).tobytes()) for number in numbers)
        return self.name, self.adjacency, self.promise, tuple(name for name, _ in self.given), plainly


def _at(numbers: FloatArray, index: int | slice | tuple[int | slice, ...]) -> float | FloatArray:
    found = np.asarray(numbers[index])
    return float(found) if found.ndim == 0 else found
