"""All outcomes of few steps as one list, but for the rarest: by how many are rare, and what else there is.

It is as sharp as the sum over the two, and read by one search where that asks one list at each outcome of the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.enumeration import product
from neyman.engines.counts.parting import Parting
from neyman.losses.whole import demand_whole, total
from neyman.numerics.rounding import AMPLE, UNIT

__all__ = ["listed"]

_MOST = 1 << 20  # outcomes of the whole


def listed(
    found: Parting, rare: Callable[[int], Atoms | None], common: Callable[[int], Atoms | None], log_least: float
) -> Atoms | None:
    """The whole law, of the lists of j ``rare`` outcomes and of the ``common`` ones beside them; None where there is
    none, or it is long. What has less mass than e^log_least is left out.
    """
    parts: list[Atoms] = []
    size, dropped = 0, max(found.rest)
    for j, given in enumerate(found.counts):
        beside, some = common(j), rare(j) if j else None
        if beside is None or (j and some is None):
            return None
        size += len(beside.loss) * (1 if some is None else len(some.loss))
        if size > _MOST:
            return None
        whole = beside if some is None else product(some, beside)
        if whole is None:
            return None
        whole = whole.trimmed(log_least - max(given.log_mass))
        masses = [mass + given.vague for mass in given.log_mass]
        dropped += whole.dropped * math.exp(max(masses)) * (1.0 + 8.0 * UNIT)
        loss = whole.loss + given.ratio
        slack = whole.slack + whole.stretch * abs(given.ratio) + given.off
        relative = (
            whole.relative + given.vague + 8.0 * UNIT * (1.0 + float(np.abs(whole.log_w).max()) + sum(map(abs, masses)))
        )
        log_w = whole.log_w + 0.5 * sum(given.log_mass)
        parts.append(Atoms(loss, log_w, slack, whole.stretch + 2.0 * UNIT, relative, 0.0, None, 0.0, None))
    loss, log_w = (np.concatenate([getattr(one, name) for one in parts]) for name in ("loss", "log_w"))
    order = np.argsort(loss, kind="stable")
    slack, stretch, relative = (max(getattr(one, name) for one in parts) for name in ("slack", "stretch", "relative"))
    dropped *= 1.0 + AMPLE
    every = Atoms(loss[order], log_w[order], slack, stretch, relative, dropped, None, 0.0, None, math.log(dropped))
    for under, logs in (("P", every.log_p), ("Q", every.log_q)):
        mass, rounding = total(logs)
        room = relative + slack + stretch * float(np.abs(loss).max()) + dropped
        demand_whole("a list of few steps", under, mass, room + rounding)
    return every
