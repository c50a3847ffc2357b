"""The fixed set of cases every contestant is measured on, and the independently computed answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CASES", "FLOOR", "Case", "Truth", "truths"]

FLOOR = "1e-10"
Step = tuple[float, float, int]


@dataclass(frozen=True)
class Case:
    """A name and the (noise multiplier, sample rate, steps) that are composed."""

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Truth:
    """The true mu at floor 1e-10 and epsilon at delta 1e-5."""

    mu: float
    epsilon: float


def _mix(n: int = 1000) -> tuple[Step, ...]:
    """n distinct (noise multiplier, sample rate), 10 steps each, evenly spaced from (0.8, 1e-3) to (2, 1e-2)."""
    return tuple((0.8 + 1.2 * i / (n - 1), 1e-3 + 9e-3 * i / (n - 1), 10) for i in range(n))


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        Case("paper", ((9.4, 0.32768, 2000),)),
        Case("small-rate", ((1.0, 0.01, 1000),)),
        Case("low-noise", ((0.6, 1e-3, 10**5),)),
        Case("long", ((1.0, 1e-4, 10**6),)),
        Case("one-epoch", ((1.0, 1e-4, 10**4),)),
        Case("part-epoch", ((0.8, 1e-5, 10**3),)),
        *(Case(f"steps-{t}", ((1.0, 0.01, t),)) for t in (1, 2, 5, 10, 30)),
        Case("mix-1000", _mix()),
    )
}


def truths() -> dict[str, Truth]:
    """What reference.py computed; a case that is missing has no reference."""
    path = Path(__file__).with_name("reference.json")
    return (
        {name: Truth(float(v["mu"]), float(v["epsilon"])) for name, v in json.loads(path.read_text()).items()}
        if path.exists()
        else {}
    )
