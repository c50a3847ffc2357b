"""Where delta has corners: at losses that are as likely as anything. It steers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from neyman_check.deltas.exact import Outcomes
from neyman_check.laws.base import Gaussian, Law
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian

__all__ = ["corners", "lone"]

_MOST = 400  # more corners than these are as good as none
_TINY = 1e-30  # mass of a loss that does not matter
_FAINT = 1e-15  # share of all corners at one of which delta hardly turns


def corners(known: Outcomes, laws: Sequence[Law]) -> list[float]:
    """At eps >= 0, of one direction; none where all is smooth, or there are too many."""
    if any(isinstance(law, (Gaussian, SampledGaussian, ExchangedGaussian)) for law in laws):
        return []
    ends = [_ends(law, known.remove) for law in laws if isinstance(law, (Laplace, SampledLaplace, ExchangedLaplace))]
    losses = [float(one.loss.mid()) for one in known.outcomes if one.mass > _TINY]
    if not len(losses) * math.prod(map(len, ends)) <= 4 * _MOST:
        return []
    found = {round(sum(one), 12) for one in product(losses, *ends)}
    kept = sorted(x for x in found if x >= 0.0)
    return kept if len(kept) <= _MOST else []


def lone(laws: Sequence[Law], remove: bool) -> list[float]:
    """The same of sampled Laplace steps of one kind, where outcomes are not listed."""
    if not (len(laws) == 1 and isinstance(law := laws[0], SampledLaplace)) or law.times > 10 * _MOST:
        return []
    d, times = float(law.d.mid()), law.times
    whole = math.lgamma(times + 1.0) - times * math.log(2.0)
    logs = [whole - math.lgamma(j + 1.0) - math.lgamma(times - j + 1.0) - (times - j) * d for j in range(times + 1)]
    kept = sorted(x for x, log in zip(_ends(law, remove), logs, strict=True) if x >= 0.0 and log > math.log(_FAINT))
    return kept if len(kept) <= _MOST else []


def _ends(law: Laplace | SampledLaplace | ExchangedLaplace, remove: bool) -> list[float]:
    """The lone losses of all its steps."""
    d = float((law.end if isinstance(law, ExchangedLaplace) else law.d).mid())
    if isinstance(law, (Laplace, ExchangedLaplace)):
        return [(2 * j - law.times) * d for j in range(law.times + 1)]
    q = float(law.q.mid())
    low, high = (math.log1p(q * math.expm1(x)) for x in (-d, d))
    if not remove:
        low, high = -low, -high
    return [low * j + high * (law.times - j) for j in range(law.times + 1)]
