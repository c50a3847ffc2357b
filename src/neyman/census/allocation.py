"""Allocation: how a privacy-loss budget, rho of zero-concentrated DP, is spread over geographic levels and queries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman._validate import whole
from neyman.mechanisms import DiscreteGaussian, Mechanism, compose
from neyman.mechanisms.additive.rounding import at_least, root_at_most

__all__ = ["TOTAL", "Allocation", "Share", "check_denominators"]

MOST_ROWS = 10_000  # rows of levels and queries at most
_LARGEST_DENOMINATOR = 8_000  # bits
TOTAL = "total"
"""The row of all levels together, which no level may be named."""


@dataclass(frozen=True, slots=True)
class Share:
    """A row: ``rho`` of one geographic level, spread evenly over so many ``queries``.

    Attributes
    ----------
    level : str
        The geographic level.
    rho : Fraction
        What the row may spend, > 0, exactly.
    query : str
        What is asked, where that is told.
    queries : int
        How many tabulations share it.
    """

    level: str
    rho: Fraction
    query: str = ""
    queries: int = 1

    def __post_init__(self) -> None:
        whole("queries", self.queries, 1, 10**6)
        if not isinstance(self.rho, Fraction) or not 0 < self.rho < 10**12:
            raise InvalidParameter(f"rho of {self.level}", self.rho, "a Fraction > 0, below 1e12")


@dataclass(frozen=True, slots=True)
class Allocation:
    """A budget by geographic level; ``mechanism()`` is the noise that it buys.

    Parameters
    ----------
    name, source : str
        What it is, and where it was published.
    shares : tuple of Share
        At least one; levels in the order of the file.
    changed : int
        How many cells of a tabulation one neighbouring record changes by one: 1, where a record is added or removed (as
        Su et al. and Gomez et al. account for TopDown), or 2, where its answers are replaced by others (as the Census
        Bureau defines neighbours). rho is the same: cells that are two get more noise each.

    Raises
    ------
    InvalidParameter
        If there is no row, or too many, or a level is named "total", or ``changed`` is another number.

    Notes
    -----
    Every cell of every query gets discrete Gaussian noise; a tabulation of sensitivity 1 with noise sigma spends rho =
    1 / (2 sigma^2), so that n cells that may change share a row's rho with sigma = sqrt(n / (2 rho)), rounded down.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from neyman.census import Allocation, Share
    >>> shares = Share("US", Fraction(1, 2)), Share("State", Fraction(2), queries=4)
    >>> made = Allocation("two levels", "an example", shares)
    >>> made.levels, made.rho(), made.mechanism("State")
    (('US', 'State'), 2.5, DiscreteGaussian(sigma=1.0, sensitivity=1) ** 4)
    """

    name: str
    source: str
    shares: tuple[Share, ...]
    changed: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.changed, bool) or self.changed not in (1, 2):
            advice = "1: a record is added or removed; 2: its answers are replaced."
            raise InvalidParameter("changed", self.changed, "1 or 2", advice)
        if any(share.level == TOTAL for share in self.shares):
            raise InvalidParameter("level", TOTAL, "another name", "That is the row of all levels together.")
        if not 0 < len(self.shares) <= MOST_ROWS:
            raise InvalidParameter("shares", len(self.shares), f"from 1 to {MOST_ROWS:,} rows")
        check_denominators("rho", [share.rho for share in self.shares])

    @property
    def levels(self) -> tuple[str, ...]:
        """The geographic levels, in the order of the file."""
        return tuple(dict.fromkeys(share.level for share in self.shares))

    def of(self, level: str | None) -> tuple[Share, ...]:
        """Return the rows of a level, all of them for None.

        Raises
        ------
        InvalidParameter
            If there is no such level.
        """
        if level is not None and level not in self.levels:
            raise InvalidParameter("level", level, f"one of {', '.join(self.levels)}")
        return tuple(share for share in self.shares if level in (None, share.level))

    def exactly(self, level: str | None = None) -> Fraction:
        """Return the rho of a level, or in total."""
        return sum((share.rho for share in self.of(level)), Fraction(0))

    def rho(self, level: str | None = None) -> float:
        """Return the rho of a level, or in total, rounded up to a float."""
        return at_least(self.exactly(level))

    def sigmas(self, level: str | None = None) -> tuple[float, ...]:
        """Return the noise of each row of a level, or of all."""
        return tuple(_sigma(share, self.changed) for share in self.of(level))

    def mechanism(self, level: str | None = None) -> Mechanism:
        """Return the composition of a level's discrete Gaussians, or of all.

        Raises
        ------
        InvalidParameter
            If there is no such level, or a row's noise is beyond what ``DiscreteGaussian`` takes.
        """
        return compose(_noise(share, self.changed) for share in self.of(level))


def check_denominators(name: str, numbers: Iterable[Fraction]) -> None:
    """Refuse fractions whose exact sum would take a denominator of thousands of digits, and hours.

    Raises
    ------
    InvalidParameter
        If they have no common denominator of moderate size.
    """
    common = 1
    for number in numbers:
        common = math.lcm(common, number.denominator)
        if common.bit_length() > _LARGEST_DENOMINATOR:
            allowed = "made of fractions with a common denominator of at most 2,400 digits"
            raise InvalidParameter(name, f"with one of {common.bit_length()} bits", allowed, "Round them to decimals.")


def _sigma(share: Share, changed: int) -> float:
    """The largest float64 whose square is at most n / (2 rho): never less is spent than was allotted."""
    return root_at_most(Fraction(share.queries * changed) / (2 * share.rho))


def _noise(share: Share, changed: int) -> Mechanism:
    try:
        return DiscreteGaussian(_sigma(share, changed)) ** (share.queries * changed)
    except InvalidParameter as error:
        row = f"{share.level} {share.query}".strip()
        advice = f"That is sqrt({share.queries * changed} / (2 rho)) with this row's rho, {float(share.rho):g}: "
        advice += f"{error.name} must be {error.allowed}."
        allowed = f"such that its noise can be accounted for: {error.name} = {error.value!r} cannot"
        raise InvalidParameter(f"rho of {row}", float(share.rho), allowed, advice) from None
