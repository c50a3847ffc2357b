"""What ``neyman calibrate`` found, between the search and the output."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from neyman import __version__
from neyman.calibration import Calibration
from neyman.cli.printing.answer import Interval
from neyman.cli.printing.output import print_table
from neyman.cli.printing.table import bracket_text, table
from neyman.numerics.exact.decimals import exactly
from neyman.showing.table import COPY

__all__ = ["Calibrated", "show"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibration, the name of its parameter, and the certified bracket of every number that was limited."""

    name: str
    found: Calibration
    adjacency: str
    numbers: tuple[tuple[str, float, Interval], ...]

    @classmethod
    def of(cls, name: str, found: Calibration, adjacency: str) -> Calibrated:
        """Ask the guarantee for what was limited, from both sides."""
        g = found.guarantee
        rows: list[tuple[str, float, Interval]] = []
        for part in found.target.parts:
            low, high = sorted((part.number(g), part.number(g.optimistic)))
            rows.append((part.label, part.limit, Interval(low, high)))
        return cls(name, found, adjacency, tuple(rows))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        meets, misses = self.found.bracket
        return {
            "schema": SCHEMA,
            "version": __version__,
            "parameter": self.name,
            "value": self.found.parameter,
            "bracket": {"meets": meets, "misses": misses},
            "evaluations": self.found.evaluations,
            "adjacency": self.adjacency,
            "mechanism": self.found.mechanism.to_dict(),
            "targets": [
                {"number": label, "limit": limit, "certified": interval.to_json()}
                for label, limit, interval in self.numbers
            ],
        }


def show(answer: Calibrated, console: Console) -> None:
    """Print ``answer``: the parameter in full, since its last digits are what was asked for."""
    meets, misses = answer.found.bracket
    console.print(f"[bold]{answer.name}[/bold] [{COPY}]{meets!r}[/]", highlight=False)
    console.print(f"{escape(repr(answer.found.mechanism))}, {answer.adjacency}\n", highlight=False, soft_wrap=True)
    rows = table("target", "limit", "certified bracket")
    for label, limit, interval in answer.numbers:
        rows.add_row(escape(label), _limit(limit), bracket_text(interval))
    print_table(console, rows)
    trials = answer.found.evaluations
    console.print(f"At {misses!r} the target is certainly missed; {trials} evaluations.", highlight=False)


def _limit(value: float) -> str:
    """A limit as it was typed: 5 % is no float, and lies a rounding on the safe side of one."""
    short = f"{value:g}"
    return short if abs(float(short) - value) <= 2.0 * math.ulp(value) else exactly(value)
