"""Directed rounding of exact rationals to float64: which way is safe is in the name."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["at_least", "at_most", "root_at_least", "root_at_most", "total"]


def at_least(exact: Fraction) -> float:
    """Return the least float64 that is not below ``exact`` (> 0, within the range of float64).

    Examples
    --------
    >>> at_least(Fraction(1, 10))
    0.1
    >>> at_least(Fraction(1, 3)), 1 / 3
    (0.33333333333333337, 0.3333333333333333)
    """
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def at_most(exact: Fraction) -> float:
    """Return the greatest float64 that is not above ``exact`` (> 0, within the range of float64).

    Examples
    --------
    >>> at_most(Fraction(2, 3)), 2 / 3
    (0.6666666666666666, 0.6666666666666666)
    """
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, 0.0)


def root_at_least(exact: Fraction) -> float:
    """Return the least float64 that is not below the square root of ``exact`` (> 0, a normal float64).

    Examples
    --------
    >>> root_at_least(Fraction(9, 4))
    1.5
    """
    root = math.sqrt(float(exact))
    # Rounding the argument moves the root by at most 0.36 of its last place: the result may be one place too low, but
    # never a whole place too high.
    return root if Fraction(root) ** 2 >= exact else math.nextafter(root, math.inf)


def root_at_most(exact: Fraction) -> float:
    """Return the greatest float64 that is not above the square root of ``exact`` (> 0, a normal float64).

    Examples
    --------
    >>> root_at_most(Fraction(9, 4)), root_at_most(Fraction(2)) < root_at_least(Fraction(2))
    (1.5, True)
    """
    root = math.sqrt(float(exact))
    return root if Fraction(root) ** 2 <= exact else math.nextafter(root, 0.0)


def total(terms: list[Fraction]) -> Fraction:
    """Return the exact sum, by halves: denominators grow with every term, so a running sum would be quadratic.

    Examples
    --------
    >>> total([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 1)
    """
    if len(terms) <= 1:
        return terms[0] if terms else Fraction(0)
    middle = len(terms) // 2
    return total(terms[:middle]) + total(terms[middle:])
