"""The Laplace analogue of the sensitivity index."""

from __future__ import annotations

from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman._validate import positive
from neyman.mechanisms.additive.rounding import at_least

__all__ = ["laplace_epsilon"]


def laplace_epsilon(scale: float, sensitivity: float = 1.0) -> float:
    """Return sensitivity / scale, the epsilon (delta = 0) of the Laplace mechanism, as psi is the mu of the Gaussian.

    Parameters
    ----------
    scale : float
        Scale of the noise, finite, > 0.
    sensitivity : float
        The largest change, in the L1 norm, when one record is added or removed; finite, > 0.

    Returns
    -------
    float
        The least float64 that is not below the quotient.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the quotient is not finite.

    References
    ----------
    Kaissis et al., A unified interpretation of the Gaussian mechanism, 2024, section 3.

    Examples
    --------
    >>> laplace_epsilon(4.0, 2.0)
    0.5
    """
    b, change = positive("scale", scale), positive("sensitivity", sensitivity)
    try:
        return at_least(Fraction(change) / Fraction(b))
    except OverflowError:
        raise InvalidParameter("scale", scale, f"large enough for a finite epsilon at sensitivity {change!r}") from None
