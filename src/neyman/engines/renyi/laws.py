"""The laws of steps as their Renyi divergences need them, weighed."""

from __future__ import annotations

from functools import lru_cache

from neyman.losses.base import Step
from neyman.losses.readings.powers import PowerLaw

__all__ = ["power_laws"]


@lru_cache(maxsize=16)
def power_laws(step: Step) -> tuple[PowerLaw, PowerLaw] | None:
    """Return ``step.powers()``: a law whose divergences are never above those of ``step``, and one whose are never
    below; None where it is known otherwise.

    Raises
    ------
    NotCertified
        If one of them does not weigh 1.
    """
    laws = step.powers()
    return None if laws is None else (laws[0].weighed(step), laws[1].weighed(step))
