"""Numbers that were given, in the shortest text that is still those numbers: 512/60000, not 0.008533333333333334.

A text that reads back as the very float64 is that number, as in ``decimals``; here a quotient is such a text, too.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from neyman.numerics.exact.decimals import exactly, outward

__all__ = ["in_short", "one_in", "setting", "short_exact"]

_LONG = 9  # digits of a decimal that nobody would rather write as a fraction
_LARGEST = 10**6  # denominator that is looked for where no data set is known
_DECIMAL = re.compile(r"(?<![\w.])[0-9]+\.[0-9]{9,}(?:e[-+]?[0-9]+)?(?![\w.])")
_FEW = 6  # digits of what has no short form


def short_exact(value: float, of: int | None = None, *, below: bool = False, above: bool = False) -> str:
    """Return a number that was given: in few digits, as a share of ``of`` records, as a fraction, or in all its digits.

    ``below``, ``above``: what lies within two units of the last place below a fraction, or above it, is written as
    that, too. Just above a delta, and just below a rate, the promise that goes with it holds as well.

    Examples
    --------
    >>> short_exact(0.01), short_exact(512 / 60000, 60000), short_exact(512 / 60000), short_exact(1 / 60000)
    ('0.01', '512/60000', '16/1875', '1/60000')
    >>> short_exact(0.1234567890123), short_exact(1.6666666666666664e-05, below=True)
    ('0.1234567890123', '1/60000')
    """
    written = exactly(value)
    if _digits(value) <= _LONG or not 0.0 < value < 1.0:
        return written
    room = 2.0 * math.ulp(value)
    found = Fraction(value).limit_denominator(_LARGEST)
    tried = [(round(value * of), of)] if of is not None else []
    tried += [(1, round(1.0 / value))] if value > 1e-15 else []
    for k, n in (*tried, (found.numerator, found.denominator)):
        if 0 < k < n and -room * above <= k / n - value <= room * below:
            return f"{k}/{n}"
    return written


def setting(value: float, *, up: bool, of: int | None = None) -> str:
    """Return a setting of a mechanism for people: as ``short_exact``, else in six digits, rounded to where the promise
    that goes with it still holds: up where more is more private, as of noise.

    Examples
    --------
    >>> setting(9.4, up=True), setting(1.0923546789, up=True), setting(0.01234567890123, up=False)
    ('9.4', '1.09236 (rounded up)', '0.0123456 (rounded down)')
    """
    written = short_exact(value, of, below=up, above=not up)
    if "/" in written:
        return written
    written = repr(value)  # 1.0, as code and the words of earlier versions have it
    return written if _digits(value) <= _LONG else f"{outward(value, _FEW, up=up)} (rounded {'up' if up else 'down'})"


def _digits(value: float) -> int:
    return len(Decimal(repr(float(value))).as_tuple().digits)


def one_in(rate: float) -> str:
    """Return how often a rate is, as "about 1 in 117"; empty where nobody would say it so.

    Examples
    --------
    >>> one_in(512 / 60000), one_in(0.32768), one_in(1e-3)
    ('about 1 in 117', '', '1 in 1,000')
    """
    if not 0.0 < rate < 0.1:
        return ""
    n = 1.0 / rate
    if n >= 1e15:
        return ""
    whole = abs(n - round(n)) <= 1e-9 * n
    if whole:
        return f"1 in {round(n):,}"
    few = f"{n:.3g}"
    return f"about 1 in {few if n < 100.0 else f'{float(few):,.0f}'}"


def in_short(code: str, of: int | None = None) -> str:
    """Return code in which every long decimal that is a fraction is written as one: it says the same.

    Examples
    --------
    >>> in_short("Gaussian(sigma=1.1, sensitivity=1.0).poisson(0.008533333333333334) ** 1172", 60000)
    'Gaussian(sigma=1.1, sensitivity=1.0).poisson(512/60000) ** 1172'
    """
    return _DECIMAL.sub(lambda found: _same(found[0], of), code)


def _same(written: str, of: int | None) -> str:
    value = float(written)
    short = short_exact(value, of)
    above, _, below = short.partition("/")
    return short if below and int(above) / int(below) == value else written
