"""How often something has to be halved until a step that falls with it is good enough, in few looks."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["halved"]

_LEAST, _MANY = 1e-9, 20  # of what is enough: a step below tells nothing, and so many halves are taken at once
_FASTER = 0.7  # over how fast steps usually grow where reaches are halved: steers


def halved(look: Callable[[float], float], reach: float, step: float, enough: float) -> tuple[float, float]:
    """Return the first half of ``reach``, whose step is ``step`` >= 0, of which ``look`` tells a step that is
    ``enough``, and that step; steps fall where reaches grow.

    Examples
    --------
    >>> halved(lambda reach: 1.0 / reach, 64.0, 1.0 / 64.0, 0.2)
    (4.0, 0.25)
    """
    failed = reach
    while step < enough:
        failed = reach
        reach *= 0.5 ** max(1, math.floor(_FASTER * math.log2(enough / step)) if step > enough * _LEAST else _MANY)
        step = look(reach)
    while 2.0 * reach < failed and (before := look(2.0 * reach)) >= enough:
        reach, step = 2.0 * reach, before
    return reach, step
