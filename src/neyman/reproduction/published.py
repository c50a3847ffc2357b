"""What a paper prints: one number or one statement, where it stands, and when ours agrees with it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Above", "Below", "Holds", "Published", "Rounds", "Rule", "Undetermined"]


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
    """

    paper: str
    key: str
    where: str
    quantity: str
    printed: str
    rule: Rule
    reason: str = ""
