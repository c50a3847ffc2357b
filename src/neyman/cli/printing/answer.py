"""What a run promises, between guarantee and output: the summary of its guarantee, and its JSON form."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neyman import __version__
from neyman.accounting import account
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.quantities.places import FPR_TABLE
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

__all__ = ["Answer", "Interval"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything ``neyman dpsgd`` and ``neyman account`` say about a mechanism."""

    mechanism: Mechanism
    tolerance: float
    summary: Summary

    @classmethod
    def to(
        cls,
        mechanism: Mechanism,
        deltas: tuple[float, ...],
        adjacency: str,
        floor: float,
        limits: tuple[float, float] = (1e-6, EFFORT),
    ) -> Answer:
        """Ask the engines, within these ``limits``: the tolerance, and the effort that each answer may take."""
        tolerance, effort = limits
        found = account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)
        return cls(mechanism, tolerance, Summary.of(found, deltas, floor))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning.

        A bracket wider than the tolerance says why under "refused"; what is not known where mu is refused is null.
        """
        s = self.summary
        known = {"tail_mu": None, "shortfall": None}
        if s.report is not None:
            known = {"tail_mu": _finite(s.report.tail_mu), "shortfall": s.report.shortfall}
        return {
            "schema": SCHEMA,
            "version": __version__,
            "headline": str(s.headline),
            "mechanism": self.mechanism.to_dict(),
            "adjacency": s.guarantee.adjacency,
            "tolerance": self.tolerance,
            "method": s.guarantee.method,
            "gdp": {
                "floor": s.floor,
                "mu": s.mu.to_json(),
                "regret": None if s.regret is None else s.regret.to_json(),
                **known,
            },
            "epsilon": [{"delta": d, **e.to_json()} for d, e in zip(s.deltas, s.epsilons, strict=True)],
            "advantage": s.advantage.to_json(),
            "fixed_point": s.fixed_point,
            "tpr": [{"fpr": a, **p.to_json()} for a, p in zip(FPR_TABLE, s.powers, strict=True)],
        }


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
