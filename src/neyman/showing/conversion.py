"""From one language of privacy to another: what is asked of a guarantee, and whether the road loses anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Never

import numpy as np

from neyman._answering import refuse_unknown
from neyman._errors import InvalidParameter
from neyman._upward import Carded, opened
from neyman._validate import choice, reals
from neyman._version import __version__
from neyman.accounting import account
from neyman.guarantees import GDP, RDP, ZCDP, ApproximateDP, Guarantee, PureDP
from neyman.mechanisms import Mechanism
from neyman.quantities import QUANTITIES, Quantity
from neyman.quantities.places import At
from neyman.showing.interval import Interval

__all__ = ["Conversion", "convert", "convert_to", "language"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
PSI_WIDTH = 1e-11  # relative width of the bracket of psi: psi_from is that near the largest
_PAIR = "A pair alone implies no finite mu: this is the mu of a Gaussian mechanism with exactly this epsilon and delta."
_LOSSY = "Stating it alone loses something: the whole curve may be better."
_BEST = "The best curve that the promise leaves; the mechanism behind it may be better."
_EXACT = "Nothing is lost on this road."


@dataclass(frozen=True, slots=True)
class Row:
    """One number asked for: where (None where there is no place), and its certified bracket."""

    at: float | None
    value: Interval


@dataclass(frozen=True, slots=True)
class Conversion(Carded):
    """A promise said in another language; ``print`` shows the table, ``float`` is its number where it is one alone.

    Attributes
    ----------
    source : str
        What was promised, in code.
    to : str
        What was asked for.
    place : str or None
        The name of where it was asked, if it has a place.
    rows : tuple of Row
        ``at``, and ``value`` with its certified bracket.
    note : str
        Whether the road loses anything.
    """

    source: str
    to: str
    place: str | None
    rows: tuple[Row, ...]
    note: str

    @property
    def from_below(self) -> bool:
        """Whether the safe side of its numbers is below the truth."""
        return QUANTITIES[self.to.replace("-", "_")].from_below

    @property
    def numbers(self) -> tuple[float, ...]:
        """The safe side of every row."""
        return tuple(row.value.lower if self.from_below else row.value.upper for row in self.rows)

    def __float__(self) -> float:
        if len(self.rows) != 1:
            raise InvalidParameter(
                "at", [row.at for row in self.rows], "one place, for a conversion that is one number"
            )
        return self.numbers[0]

    def __str__(self) -> str:
        return opened("showing.table", "converted")(self)

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        rows = [{**({} if self.place is None else {self.place: row.at}), **row.value.to_json()} for row in self.rows]
        return {
            "schema": SCHEMA, "version": __version__, "from": self.source, "to": self.to, "values": rows,
            "note": self.note,
        }  # fmt: skip


def convert(
    source: Guarantee | Mechanism | None = None,
    to: str = "epsilon",
    at: float | Sequence[float] | None = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    rho: float | None = None,
    **unknown: Never,
) -> Conversion:
    """Say a promise in another language of privacy.

    Parameters
    ----------
    source : Guarantee or Mechanism, optional
        What is promised; or in numbers: ``epsilon`` (with or without ``delta``), ``mu`` or ``rho``.
    to : str
        "mu", "epsilon", "delta", "beta", "tpr", "advantage", "auc", "bayes_error", "renyi" or "rho".
    at : float or sequence of float, optional
        Where it is asked for: the deltas of epsilon, the false positive rates of tpr; the usual ones if left out.
    epsilon, delta, mu, rho : float, optional
        A pure or approximate, a Gaussian or a zero-concentrated guarantee, in place of ``source``.

    Returns
    -------
    Conversion
        Certified brackets, and whether the road loses anything.

    Raises
    ------
    InvalidParameter
        If not exactly one promise is given, or another argument lies outside its domain.
    NotCertified
        If a number cannot be certified to the tolerance.

    Examples
    --------
    >>> import neyman as ny
    >>> round(float(ny.convert(mu=1.0, to="epsilon", at=1e-5)), 6)
    4.377178
    >>> ny.convert(epsilon=8.0, delta=1e-5, to="mu").numbers[0] < 1.67
    True
    """
    numbers = {"epsilon": epsilon, "delta": delta, "mu": mu, "rho": rho}
    refuse_unknown("ny.convert", unknown, source=source, to=None if to == "epsilon" else to, at=at, **numbers)
    target = language(to)
    places = None if at is None else np.atleast_1d(reals("at", at)).tolist()
    return convert_to(target, _promised(source, {"epsilon": epsilon, "mu": mu, "rho": rho}, delta), places)


def language(to: object) -> str:
    """Return the name of the language that ``to`` means: those of other libraries are taken, too.

    Raises
    ------
    InvalidParameter
        If it is none.

    Examples
    --------
    >>> language("bayes-error"), language("gdp"), language("eps")
    ('bayes_error', 'mu', 'epsilon')
    """
    from neyman._guesses import quantity_meant

    spoken = tuple(name for name, quantity in QUANTITIES.items() if quantity.spoken)
    word = to.replace("-", "_") if isinstance(to, str) else to
    meant = quantity_meant(word) if isinstance(word, str) and word not in spoken else word
    return choice("to", meant if meant in spoken else to, spoken)


def _promised(source: object, numbers: dict[str, float | None], delta: float | None) -> Guarantee:
    every: dict[str, Any] = {"source": source, **numbers}
    given = {name: value for name, value in every.items() if value is not None}
    if len(given) != 1:
        raise InvalidParameter("source", " and ".join(given) or None, "exactly one of source, epsilon, mu and rho")
    ((name, value),) = given.items()
    if delta is not None and name != "epsilon":
        raise InvalidParameter("delta", delta, "given beside epsilon; where epsilon is asked for at a delta, say at")
    if isinstance(value, Mechanism):
        return account(value)
    if isinstance(value, Guarantee):
        return value
    if name == "source":
        raise InvalidParameter("source", value, "a Guarantee or a Mechanism")
    if name == "epsilon":
        return PureDP(value) if delta is None else ApproximateDP(value, delta)
    return GDP(value) if name == "mu" else ZCDP(value)


def convert_to(to: str, guarantee: Guarantee, at: list[float] | None) -> Conversion:
    """Ask ``guarantee`` for ``to`` at the places ``at`` (where there are any; the usual ones if none is named)."""
    target = QUANTITIES[to.replace("-", "_")]
    if target.place is None and at:
        raise InvalidParameter("at", at[0], f"left out: --to {to} is one number")
    if target.place is not None and not at and not target.usual:
        raise InvalidParameter("at", None, f"given: the {target.place} at which {to} is asked for; repeatable")
    pair = _pair(guarantee)
    if to == "mu" and pair is not None and not at:
        from neyman.conversions import psi_from  # a room of its own, for this answer alone

        psi = psi_from(*pair)
        return Conversion(repr(guarantee), to, None, (Row(None, Interval(psi, psi * (1.0 + PSI_WIDTH))),), _PAIR)
    places = [(float(x),) for x in reals("at", np.array(at, dtype=np.float64))] if at else target.usual or ((),)
    rows = tuple(_row(target, guarantee, place) for place in places)
    return Conversion(repr(guarantee), to, target.place, rows, _note(target, guarantee, rows))


def _pair(guarantee: Guarantee) -> tuple[float, float] | None:
    """epsilon and delta > 0 of a single pair."""
    if not isinstance(guarantee, ApproximateDP):
        return None
    epsilon, delta = guarantee.stated["epsilon"], guarantee.stated["delta"]
    return (epsilon, delta) if isinstance(epsilon, float) and isinstance(delta, float) and delta > 0.0 else None


def _row(target: Quantity, guarantee: Guarantee, place: At) -> Row:
    ends = target.bracket(guarantee, place)
    at = float(place[0]) if place else None
    if any(math.isnan(end) for end in ends):
        raise InvalidParameter("at", at, "a place at which there is an answer")
    return Row(at, Interval(*ends))


def _note(target: Quantity, guarantee: Guarantee, rows: tuple[Row, ...]) -> str:
    floor = rows[-1].at if target.name == "mu" else None
    if floor is not None and not isinstance(guarantee, GDP):
        return str(guarantee.gdp(floor))
    if not target.whole:
        return _LOSSY if floor is None else _EXACT
    return _BEST if isinstance(guarantee, (RDP, ZCDP)) else _EXACT
