"""Settings of DP-SGD that batches know: whether one of them certainly misses a target, before it is accounted for."""

from __future__ import annotations

from collections.abc import Callable

from neyman.calibration.target import Target
from neyman.engines.batch.answering.least import least_delta, least_local_mu
from neyman.mechanisms import Gaussian, Mechanism
from neyman.mechanisms.sampled.poisson import PoissonSampled
from neyman.profiles.pair import Adjacency

__all__ = ["certain_excess", "setting_of"]

_LEAST: dict[str, Callable[[float, float, int, float], float]] = {"delta": least_delta, "local mu": least_local_mu}
_SURE = 1e-9  # certifies, of log mu: what readings of either number, and the noise multiplier, may be rounded by


def certain_excess(target: Target, mechanism: Mechanism, adjacency: Adjacency) -> float:
    """Return how far over the target a mechanism certainly is, at least, in log mu; 0 where nothing is certain."""
    setting = setting_of(mechanism) if adjacency == "add_or_remove" else None
    if setting is None:
        return 0.0
    found = 0.0
    for part in target.parts:
        if part.aside is not None:
            kind, place = part.aside
            excess = part.excess_aside(_LEAST[kind](*setting, place))
            found = excess if excess > max(found, _SURE) else found
    return found


def setting_of(mechanism: object) -> tuple[float, float, int] | None:
    """Return noise multiplier, rate and steps; None where it is no DP-SGD."""
    parts = mechanism.parts if isinstance(mechanism, Mechanism) else ()
    if len(parts) != 1:
        return None
    step, times = parts[0]
    if not isinstance(step, PoissonSampled) or not isinstance(step.of, Gaussian):
        return None
    return float(step.of.ratio), step.rate, times
