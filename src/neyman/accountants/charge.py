"""What a mechanism costs under fully adaptive composition: exact squares of its floor-free mu, or its rho."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from neyman._errors import InvalidParameter
from neyman.accounting import account
from neyman.mechanisms import Mechanism, PoissonSampled, compose
from neyman.mechanisms.additive.rounding import root_at_least
from neyman.mechanisms.base import SingleStep

__all__ = ["ADVICE", "UNITS", "concentration", "root_down", "root_up", "squared_mu"]

ADVICE = (
    "Adaptive composition charges sampled steps without amplification; a schedule fixed in advance is accounted for "
    "tightly by Accountant."
)
UNITS = ("mu", "rho")


def squared_mu(mechanism: Mechanism, replace: bool) -> Fraction | None:
    """Return the square of a mu with which the mechanism is mu-GDP with no floor; None where there is none.

    Of Gaussian noise it is exact, (sensitivity / sigma)^2, sampled or not: towards alpha = 0 sampling protects nothing.
    Elsewhere that of ``Step.tail_mu``, rounded up there. Squares add (Dong, Roth and Su 2022, Corollary 3.3).

    Examples
    --------
    >>> from neyman import Gaussian
    >>> squared_mu(Gaussian(2.0).poisson(0.01) ** 3, replace=False)
    Fraction(3, 4)
    """
    _admit(mechanism, replace)
    total = Fraction(0)
    for step, times in mechanism.parts:
        square = _gaussian_square(step, replace)
        if not square:
            tail = step.loss(replace).tail_mu
            if not math.isfinite(tail):
                return None
            square = Fraction(tail) ** 2
        total += times * square
    return total


def concentration(mechanism: Mechanism, replace: bool) -> Fraction | None:
    """Return a rho with which the mechanism is rho-zCDP, its least up to rounding; None where there is none.

    Of Gaussian noise it is exact, mu^2 / 2, sampled or not. Elsewhere ``zcdp()`` of the guarantee, which is rounded up;
    of several steps the sum, or that of their composition where it is less.

    Examples
    --------
    >>> from neyman import DPSGD
    >>> concentration(DPSGD(2.0, 0.01, 1000), replace=False)
    Fraction(125, 1)
    """
    _admit(mechanism, replace)
    total, rest = Fraction(0), Fraction(0)
    others: list[tuple[SingleStep, int]] = []
    for step, times in mechanism.parts:
        square = _gaussian_square(step, replace)
        if step.mu_squared:
            total += times * square / 2
            continue
        others.append((step, times))
        rho = square / 2 if square else _rho(step, replace)
        if rho is None:
            return None
        rest += times * rho
    if len(others) > 1:
        together = _rho(compose(step**times for step, times in others), replace)
        rest = rest if together is None else min(rest, together)
    return total + rest


def root_up(exact: Fraction) -> float:
    """Return the square root of ``exact`` (0, or a normal float64), rounded up."""
    return root_at_least(exact) if exact else 0.0


def root_down(exact: Fraction) -> float:
    """Return the square root of ``exact`` (>= 0), rounded down."""
    root = math.sqrt(float(exact))
    while Fraction(root) ** 2 > exact:
        root = math.nextafter(root, 0.0)
    return root


def _gaussian_square(step: SingleStep, replace: bool) -> Fraction:
    """The squared mu of Gaussian noise, sampled or not, exactly; 0 for any other step."""
    plain = step.of if isinstance(step, PoissonSampled) else step
    return plain.mu_squared * (4 if replace else 1)


@lru_cache(maxsize=256)
def _rho(mechanism: Mechanism, replace: bool) -> Fraction | None:
    rho = account(mechanism, "replace" if replace else "add_or_remove").zcdp()
    return Fraction(rho) if math.isfinite(rho) else None


def _admit(mechanism: object, replace: bool) -> None:
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "a Mechanism", "Build one with Gaussian(...).")
    mechanism.check_adjacency("replace" if replace else "add_or_remove")
