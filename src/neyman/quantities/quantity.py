"""Quantity: one thing that may be asked of a guarantee by name, said once for everyone who asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from neyman._errors import InvalidParameter
from neyman.quantities.places import At, in_place
from neyman.quantities.points import POINTS

if TYPE_CHECKING:
    from neyman.guarantees import Guarantee
    from neyman.profiles.pair import Adjacency
    from neyman.quantities.asked import Asked, Bracket
    from neyman.risk import Risk

__all__ = ["Quantity", "Side"]

Side = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """What is asked, where, how it is read off a guarantee, on which side it is promised, and how it is told.

    An entry is offered by everyone for whom it has words. In them ``{fpr}`` stands for the value of that place; of a
    reference point, ``{reference}`` for its name and ``{stated}`` for its statement.

    Attributes
    ----------
    name : str
        How it is asked for.
    places : tuple of str
        What it is asked at: names of ``DOMAINS``.
    ask : callable, optional
        Reads it off one side of a guarantee, as a test between the two data sets: from the guarantee itself on the
        safe side, from its ``optimistic`` twin on the other. At most one number says where.
    risk : bool
        Whether ``neyman.risk`` bounds it under the same name, of an attack whose null hypothesis is that the record is
        absent: targets and reports ask for that.
    both : callable, optional
        Its bracket, where more is known of both sides together than of each.
    from_below : bool
        Whether the safe side is below the truth: it is an error of the attacker, or what is gained.
    usual : tuple
        Where it is asked if nothing is said: a value for each place.
    whole : bool
        Whether it says all of the guarantee, when asked everywhere.
    spoken : bool
        Whether ``neyman convert`` speaks it.
    meaning : str
        What the number is, in the file of a sweep.
    short : str
        The same in tables on the command line, and of a target.
    label, sentence : str
        What is claimed of it in a report; ``{text}`` is the number that is printed. The sentence of a risk is its own.
    instead : mapping
        The sentences of numbers that claim nothing.
    claimed : str
        Its name in reports, where it has another.
    digits, least : int
        How many digits of a claim are printed at most, and in any case: see ``claims.printed``.

    Examples
    --------
    >>> import neyman as ny
    >>> from neyman.quantities import QUANTITIES
    >>> tpr = QUANTITIES["tpr"]
    >>> tpr.form, tpr.title((0.01,)), [round(end, 6) for end in tpr.bracket(ny.GDP(1.0), (0.01,))]
    ('tpr(fpr)', 'TPR at FPR 0.01', [0.092362, 0.092362])
    """

    name: str
    places: tuple[str, ...] = ()
    ask: Callable[[Guarantee, float], float] | None = None
    risk: bool = False
    both: Callable[[Asked, Any], Bracket] | None = None
    from_below: bool = False
    usual: tuple[At, ...] = ()
    whole: bool = False
    spoken: bool = False
    meaning: str = ""
    short: str = ""
    label: str = ""
    sentence: str = ""
    instead: Mapping[str, str] = field(default_factory=dict[str, str])
    claimed: str = ""
    digits: int = 7
    least: int = 1

    @property
    def form(self) -> str:
        """How it is written: its name, and those of its places."""
        return f"{self.name}({', '.join(self.places)})" if self.places else self.name

    @property
    def place(self) -> str | None:
        """The name of its place, where it has one; what sweeps and conversions ask has no more."""
        return self.places[0] if self.places else None

    @property
    def side(self) -> Side:
        """What a bound on the safe side says of the truth."""
        return "at least" if self.from_below else "at most"

    def number(self, side: Guarantee, at: At = ()) -> float:
        """Read it off one side of a guarantee.

        Raises
        ------
        InvalidParameter
            If it is known of both sides together alone.
        """
        if self.ask is not None:
            return float(self.ask(side, float(at[0]) if at else 0.0))
        if not self.risk:
            raise InvalidParameter("quantity", self.name, "one that each side tells by itself")
        return float(_risk(self.name, side, at).value)

    def attacked(self, side: Guarantee, at: At = ()) -> float:
        """Read it off one side as an attacker's number, if it is one."""
        return float(_risk(self.name, side, at).value) if self.risk else self.number(side, at)

    def bracket(self, guarantee: Guarantee, at: At = ()) -> Bracket:
        """Read it off both sides; where there is no such number, NaN is among the ends."""
        return self._ends(self.number, guarantee, at)

    def certified(self, asked: Asked, at: At = ()) -> Bracket:
        """Return the bracket that is claimed of a guarantee."""
        if self.both is None:
            return self._ends(self.attacked, asked.guarantee, at)
        return self.both(asked, at[0] if at else None)

    def _ends(self, read: Callable[[Guarantee, At], float], guarantee: Guarantee, at: At) -> Bracket:
        safe = read(guarantee, at)  # first: the optimistic one builds on it
        other = read(guarantee.optimistic, at)
        return (safe, max(other, safe)) if self.from_below else (min(other, safe), safe)

    def filled(self, words: str, at: At, shown: Callable[[str, float], str] = in_place, **more: str) -> str:
        """Return ``words`` about this place."""
        values = dict(zip(self.places, at, strict=True))
        told = {name: shown(name, float(value)) for name, value in values.items() if not isinstance(value, str)}
        if "reference" in values:
            point = POINTS[str(values["reference"])]
            told |= {"reference": point.name, "stated": point.stated}
        return words.format(**told, **more)

    def title(self, at: At, shown: Callable[[str, float], str] = in_place) -> str:
        """Return what the number is, and where, in the few words of a table."""
        return self.filled(self.short, at, shown)

    def told(self, text: str, at: At, adjacency: Adjacency, shown: Callable[[str, float], str] = in_place) -> str:
        """Return the claim that prints ``text`` as a sentence; of a risk it is that of ``neyman.risk``."""
        if not self.risk:
            return self.filled(self.instead.get(text, self.sentence), at, shown, text=text)
        if text == "inf":  # only where somebody wrote so
            return "Nothing is claimed."
        return str(replace(_blank(self.name, at), value=float(text), adjacency=adjacency))

    def formerly(self, text: str, at: At, adjacency: Adjacency) -> str:
        """Return what earlier versions told in place of ``told``, in other words of the same meaning; mostly empty."""
        if not self.risk or text == "inf":
            return ""
        return replace(_blank(self.name, at), value=float(text), adjacency=adjacency).formerly


def _risk(name: str, side: Guarantee, at: At) -> Risk:
    from neyman import risk  # the engines: not needed to list what there is

    return getattr(risk, name)(side, *at)


@lru_cache(maxsize=1000)
def _blank(name: str, at: At) -> Risk:
    """The risk with the baseline that it has of every guarantee."""
    from neyman.guarantees import PERFECT

    return _risk(name, PERFECT, at)
