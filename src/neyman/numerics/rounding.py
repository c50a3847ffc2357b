"""The unit roundoff, and what the elementary and special functions of NumPy and SciPy err by.

The arithmetic of float64 and its square root are correctly rounded. Functions come with no such promise: their errors
were measured against ball arithmetic of 220 bits (``tests/numerics/test_rounding.py``), at points log-uniform to the
ends of their domains, of both signs. Stated below is what certificates may count on, in units of 2^-53: at least twice
the largest error seen (in brackets) over 60,000 points each, so that a NumPy or SciPy that is much worse fails.

Sums have a proof instead. NumPy adds along a contiguous axis in pairs, in blocks of 128 with eight partial sums each:
no term passes through more than 16 + 3 + log2(n/128) additions, 32 for n <= 2^20. A product of n terms by BLAS, whose
order is not known, errs by at most n units of the sum of moduli (Higham, Accuracy and Stability, 3.1).

What is known to a few units is rounded to the safe side by one of four rooms. They are certifying, relative (of a log:
absolute), and as wide as a count of roundings, each of at most ``ELEMENTARY`` units:

- ``SCANT``, 9 units: two elementary functions, or one and a few products.
- ``SLIGHT``, 90 units: twenty functions; a sum of any length in pairs, and functions of its terms.
- ``ROOM``, 9,007 units: e^x where |x| <= 745 and x was rounded up to ten times, by 2^-44 each; a sum of a thousand
  terms in any order.
- ``AMPLE``, 9 million units: the same of thousands of roundings of x; a sum of a million terms in any order.

``POWER``, 900 units, is the room of an exponent, relative to the moduli of all that it was added up from: a hundred
functions of 4 units, each in a product, and 400 additions. ``UNDERFLOW`` is absolute: what 1e20 products lose that are
no floats, ``SMALLEST`` each.

``LARGEST_EXPONENT``, ``TINY`` and ``HUGE`` keep values inside float64. They neither steer nor certify by themselves:
where one replaces a value that counts, it stands on the safe side, or the other branch of a choice is taken.
"""

from __future__ import annotations

__all__ = [
    "AMPLE",
    "COMPLEX",
    "COMPLEX_LOG_NDTR",
    "ELEMENTARY",
    "ERFCX",
    "GAMMALN",
    "HUGE",
    "LARGEST_EXPONENT",
    "LESS_ONE",
    "LOG_NDTR",
    "NDTR",
    "NDTRI",
    "NDTRI_EXP",
    "POWER",
    "ROOM",
    "SCANT",
    "SECOND_ORDER",
    "SLIGHT",
    "SMALLEST",
    "TINY",
    "TURN",
    "TURNED",
    "UNDERFLOW",
    "UNIT",
    "largest_sum_error",
]

UNIT = 2.0**-53  # what one operation is rounded by, relatively, at most
SMALLEST = 5e-324  # what rounding loses where numbers are as small as float64 has them, at most
SCANT = 1e-15  # room for 9 units
SLIGHT = 1e-14  # room for 90 units
ROOM = 1e-12  # room for 9,007 units
AMPLE = 1e-9  # room for 9 million units
POWER = 1e-13  # room for 900 units: of exponents, relative to the moduli of what they are sums of
UNDERFLOW = 1e-300  # absolute room for what 1e20 products lose that are no floats
SECOND_ORDER = 1.01  # times x, certifying: more than e^x - 1 and -log(1 - x) are for 0 < x <= 0.0197
LARGEST_EXPONENT = 700.0  # exponents are cut there: e^700 = 1.0e304 is a float, and so is 17,000 times as much
TINY = 1e-300  # in place of 0, where something is divided by it or its log is taken
HUGE = 1e300  # in place of infinity, where that would leave no number
ELEMENTARY = 4.0  # exp, expm1, log, log1p of reals, relative [1.1]
TURN = 2.0  # sin and cos of reals up to 1e18, absolute [0.5]
TURNED = 4.0  # cos and sin by one tangent (``numerics/sums/turns``), absolute [1.93]
LESS_ONE = 7.0  # e^{it} - 1 likewise, relative to its modulus [3.1]
COMPLEX = 12.0  # exp and expm1 (|Re z| up to 700), log; relative to the modulus [4.4]
ERFCX = 20.0  # times 1 + 2 max(-x, 0)^2, relative [10.0]
NDTR = 10.0  # times 1 + min(x, 0)^2, relative, for x > -37 [2.5]
LOG_NDTR = 24.0  # times 1 + max(x, 0)^2, relative, where the truth is above 1e-300 in modulus [5.0]
NDTRI = 24.0  # relative to the quantile; near p = 1/2 beside 1 [7.1]
NDTRI_EXP = 18000.0  # relative to the quantile, for -1e10 < log p < -1e-12 [6000]
GAMMALN = 10.0  # times 1 + the modulus of the result, for x > 0 [3.5]
COMPLEX_LOG_NDTR = 1800.0  # of e^result, relative, where |arg z| < 0.6 or Re z^2 < 140 [630]


def largest_sum_error(count: int) -> float:
    """Return a bound, in units of 2^-53 of the sum of moduli, on the error of ``numpy.sum`` over a contiguous axis.

    Parameters
    ----------
    count : int
        Number of terms, at least 1.

    Examples
    --------
    >>> largest_sum_error(100), largest_sum_error(1 << 20)
    (19.0, 32.0)
    """
    blocks = -(-count // 128)
    return 19.0 + (blocks - 1).bit_length()
