"""What a paper prints: one number or one statement, where it stands, and when ours agrees with it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Above", "Below", "Holds", "Published", "Rounds", "Rule", "Undetermined", "published", "tables_of"]


@dataclass(frozen=True, slots=True)
class Rounds:
    """Ours agrees if it rounds to the printed digits.

    Parameters
    ----------
    text : str
        The number as printed, such as "0.034" or "21.7": its last digit says how far it was rounded.
    """

    text: str

    @property
    def interval(self) -> tuple[Decimal, Decimal]:
        """All numbers that round to the printed one, both ends included.

        Examples
        --------
        >>> Rounds("1.30").interval
        (Decimal('1.295'), Decimal('1.305'))
        """
        value = Decimal(self.text)
        exponent = value.as_tuple().exponent
        half = Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)
        return value - half, value + half


@dataclass(frozen=True, slots=True)
class Below:
    """Ours agrees if it is smaller than the printed bound; equal is not smaller."""

    text: str


@dataclass(frozen=True, slots=True)
class Above:
    """Ours agrees if it is larger than the printed bound; equal is not larger."""

    text: str


@dataclass(frozen=True, slots=True)
class Holds:
    """The paper states a sentence: ours agrees if it holds."""


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The text does not say enough for anyone to compute it; what we show beside it rests on choices of our own."""


Rule = Rounds | Below | Above | Holds | Undetermined


@dataclass(frozen=True, slots=True)
class Published:
    """One published number or statement.

    Parameters
    ----------
    paper : str
        Key of the paper.
    key : str
        Its name among those of the paper.
    where : str
        Where it is printed: "Table 3", "Fig. 1 (c)", "Section 5".
    quantity : str
        What it is the value of.
    printed : str
        As printed.
    rule : Rule
        When ours agrees.
    reason : str
        Why ours does not, or what the text leaves open; may be empty where ours agrees.
    part : str
        The section or appendix that it belongs to; the rows of one follow each other.
    """

    paper: str
    key: str
    where: str
    quantity: str
    printed: str
    rule: Rule
    reason: str = ""
    part: str = ""


def published(paper: str) -> tuple[Published, ...]:
    """Return every number and statement that a paper prints, as its ``published.toml`` holds them.

    An entry has a ``key``, the ``part`` of the paper and ``where`` in it that it is printed, the ``quantity``, what is
    ``printed`` ("stated" where it is a sentence), one rule (``rounds``, ``below``, ``above``: with the digits;
    ``holds``, ``undetermined``: true) and perhaps a ``reason``.

    Examples
    --------
    >>> published("blog")[-1].quantity
    'composition is easier in f-DP, subsampling in (epsilon, delta)'
    """
    return tuple(_entry(paper, dict(entry)) for entry in tables_of(paper)["published"])


@cache
def tables_of(paper: str) -> dict[str, Any]:
    """Return all that is in the data file of a paper."""
    return tomllib.loads(files("neyman_papers").joinpath(paper, "published.toml").read_text("utf-8"))


def _entry(paper: str, entry: dict[str, Any]) -> Published:
    rules: list[Rule] = [kind(entry.pop(name)) for name, kind in _OF_DIGITS.items() if name in entry]
    rules += [kind() for name, kind in _OF_WORDS.items() if entry.pop(name, False)]
    if len(rules) != 1:
        raise ValueError(f"{paper}: {entry['key']} has {len(rules)} rules, where one is due")
    return Published(paper, rule=rules[0], **{"printed": "stated", **entry})


_OF_DIGITS: dict[str, Callable[[str], Rounds | Below | Above]] = {"rounds": Rounds, "below": Below, "above": Above}
_OF_WORDS: dict[str, Callable[[], Holds | Undetermined]] = {"holds": Holds, "undetermined": Undetermined}
