"""What a run promises, collected as plain numbers between guarantee and output: every value as its certified
bracket.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman import __version__
from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.guarantees import GDPReport
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.quantities.places import FPR_TABLE

__all__ = ["Answer", "Interval"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Interval:
    """A certified bracket of one number: the truth lies between, the safe side is ``upper``."""

    lower: float
    upper: float

    def to_json(self) -> dict[str, float | str]:
        """Return the two ends; an infinite end is the string "inf", which JSON can hold."""
        return {"lower": _finite(self.lower), "upper": _finite(self.upper)}


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything ``neyman dpsgd`` and ``neyman account`` say about a mechanism."""

    mechanism: Mechanism
    adjacency: str
    tolerance: float
    method: str
    report: GDPReport
    mu: Interval
    regret: Interval
    advantage: Interval
    fixed_point: float
    deltas: tuple[float, ...]
    epsilons: tuple[Interval, ...]
    powers: tuple[Interval, ...]

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
        safe = account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)
        best = safe.optimistic
        report, lower = safe.gdp(floor), best.gdp(floor)
        grid = np.array(FPR_TABLE)
        return cls(
            mechanism=mechanism,
            adjacency=adjacency,
            tolerance=tolerance,
            method=safe.method,
            report=report,
            mu=Interval(lower.mu, report.mu),
            regret=Interval(lower.regret, report.regret),
            advantage=Interval(best.advantage, safe.advantage),
            fixed_point=safe.fixed_point,
            deltas=deltas,
            epsilons=_intervals(best.epsilon(np.array(deltas)), safe.epsilon(np.array(deltas))),
            powers=_intervals(best.roc(grid), safe.roc(grid)),
        )

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        report = self.report
        return {
            "schema": SCHEMA,
            "version": __version__,
            "mechanism": self.mechanism.to_dict(),
            "adjacency": self.adjacency,
            "tolerance": self.tolerance,
            "method": self.method,
            "gdp": {
                "floor": report.floor,
                "mu": self.mu.to_json(),
                "regret": self.regret.to_json(),
                "tail_mu": _finite(report.tail_mu),
                "shortfall": report.shortfall,
            },
            "epsilon": [{"delta": d, **e.to_json()} for d, e in zip(self.deltas, self.epsilons, strict=True)],
            "advantage": self.advantage.to_json(),
            "fixed_point": self.fixed_point,
            "tpr": [{"fpr": a, **p.to_json()} for a, p in zip(FPR_TABLE, self.powers, strict=True)],
        }


def _intervals(lower: FloatArray, upper: FloatArray) -> tuple[Interval, ...]:
    return tuple(Interval(float(a), float(b)) for a, b in zip(lower, upper, strict=True))


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
