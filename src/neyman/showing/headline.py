"""The sentence to copy: which number to report, and why that one.

The procedure is Algorithm 1 of Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine
learning: mu, at its floor, where its regret is small; otherwise the profile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from neyman.guarantees import GDPReport
from neyman.guarantees.verbs import delta_of_records
from neyman.numerics.exact.decimals import exactly, outward
from neyman.showing.interval import Interval

__all__ = ["ENOUGH", "Headline", "brief", "headline"]

ENOUGH = 0.01  # regret below which mu is practically the whole story
_DIGITS = 4  # of the number to copy
_SHORT = 12  # letters of a number that nobody would rather write as a fraction
_PROFILE = "report the profile (epsilon at several deltas)"

Kind = Literal["mu", "epsilon", "profile", "stated"]


@dataclass(frozen=True, slots=True)
class Headline:
    """The number to report; ``str()`` says why that one.

    Attributes
    ----------
    number : str
        As it may be copied: "1.567-GDP at error rates of 1e-10 and above". Rounded to the safe side.
    why : str
        Why this one is to be reported.
    report : str
        "mu", "epsilon" (at delta 0), "profile" or "stated".
    """

    number: str
    why: str
    report: Kind

    def __str__(self) -> str:
        return f"{self.number}; {self.why}."


def headline(
    report: GDPReport | None,
    deltas: Sequence[float],
    epsilons: Sequence[Interval],
    pure: tuple[float, float] | None = None,
    records: int | None = None,
    stated: str | None = None,
) -> Headline:
    """Return which number to report.

    Parameters
    ----------
    report : GDPReport, optional
        mu with its regret and floor; left out where mu is not certified.
    deltas, epsilons : sequence
        Where epsilon is known, and its brackets there.
    pure : (epsilon, regret), optional
        The least epsilon at delta 0, and what stating it alone gives away.
    records : int, optional
        How many there are: epsilon at a delta below 1 over it comes first, for whoever publishes one record whole keeps
        a promise at that delta.
    stated : str, optional
        A promise that is given, in words: it is reported as it was stated, unless mu says as much.

    Examples
    --------
    >>> import neyman as ny
    >>> print(headline(ny.GDP(1.5).gdp(), (), ()))
    1.5-GDP; its regret, 0, is below 0.01, so mu is the whole story.
    """
    if report is not None and report.mu == 0.0 and report.tail_mu == 0.0:
        return Headline("0-GDP", "nothing is learnt of any record", "mu")
    if report is not None and math.isfinite(report.mu) and report.regret < ENOUGH:
        where = "" if report.shortfall == 0.0 else f" at error rates of {brief(report.floor)} and above"
        lost = outward(report.regret, 3)
        why = f"its regret, {lost}, is below {ENOUGH:g}, so mu is the whole story"
        return Headline(f"{outward(report.mu, _DIGITS)}-GDP{where}", why, "mu")
    if stated is not None:
        return Headline(stated, "report the guarantee as it was stated", "stated")
    if pure is not None and report is not None and pure[1] < report.regret:
        than = f"its regret, {outward(pure[1], 3)}, is less than that of mu, {outward(report.regret, 3)}"
        why = "no finite mu holds" if math.isinf(report.mu) else than
        number = f"(epsilon <= {outward(pure[0], _DIGITS)}, delta = 0)-DP"
        return Headline(number, f"{why}, so report this epsilon, and with it the profile", "epsilon")
    return Headline(_number(deltas, epsilons, records), _why(report), "profile")


def brief(value: float) -> str:
    """Return a number that is exact, as people write it; one that is 1/n, but for its last digits, as that.

    Examples
    --------
    >>> from neyman.guarantees.verbs import delta_of_records
    >>> brief(1e-5), brief(0.25), brief(delta_of_records(60_000))
    ('1e-5', '0.25', '1/60000')
    """
    written = exactly(value).replace("e-0", "e-")
    if len(written) <= _SHORT or not 0.0 < value < 1.0:
        return written
    n = round(1.0 / value)
    return f"1/{n}" if delta_of_records(n) == value else written


def _why(report: GDPReport | None) -> str:
    if report is None:
        return f"mu is not certified to the tolerance, so {_PROFILE}"
    if math.isinf(report.mu):
        return f"no finite mu holds, so {_PROFILE}"
    above = "above" if report.regret > ENOUGH else "not below"
    return f"the regret of mu, {outward(report.regret, 3)}, is {above} {ENOUGH:g}, so {_PROFILE}"


def _number(deltas: Sequence[float], epsilons: Sequence[Interval], records: int | None) -> str:
    """The largest delta below 1/records that is certified, or the first; else the first that is known at all: its upper
    end holds all the same.
    """
    known = [(d, e) for d, e in zip(deltas, epsilons, strict=True) if math.isfinite(e.upper)]
    own = delta_of_records(records)
    small = [] if own is None else sorted((one for one in known if one[0] < own), key=lambda one: -one[0])
    certain = (one for one in (*small, *known) if not one[1].refused)
    delta, epsilon = next(certain, next(iter(known), (None, None)))
    if delta is not None and epsilon is not None:
        return f"(epsilon <= {outward(epsilon.upper, _DIGITS)}, delta = {brief(delta)})-DP"
    where = f" at delta = {', '.join(map(brief, deltas))}" if deltas else ""
    return f"No finite epsilon is certified{where}"
