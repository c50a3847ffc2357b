"""An Answer as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from neyman.cli.printing.answer import Answer, Interval
from neyman.cli.printing.output import COPY, print_table
from neyman.guarantees.verbs import delta_of_records
from neyman.mechanisms import PoissonSampled
from neyman.numerics.decimals import exactly, outward
from neyman.quantities import QUANTITIES
from neyman.quantities.places import FPR_TABLE

if TYPE_CHECKING:
    from neyman.cli.printing.roads import Conversion

__all__ = ["bracket_text", "rounded_up", "show", "show_conversion", "table"]

_DIGITS = 7
_SAFE = ("report", "at most")  # columns of numbers to copy


def show(answer: Answer, console: Console) -> None:
    """Print ``answer``."""
    report = answer.report
    console.print(f"[bold]{escape(repr(answer.mechanism))}[/bold]", highlight=False, soft_wrap=True)
    sampled = any(isinstance(step, PoissonSampled) for step, _ in answer.mechanism.parts)
    sampling = "Poisson sampling, " if sampled else ""
    size = answer.mechanism.dataset_size
    one = "one record" if size is None else f"one record of {size}"
    console.print(f"adjacency {answer.adjacency}, {sampling}{one}; method: {answer.method}\n", highlight=False)
    main = table("promise", "certified bracket", "report")
    main.add_row(f"mu-GDP, floor {exactly(report.floor)}", bracket_text(answer.mu), rounded_up(answer.mu.upper))
    main.add_row("  regret of mu", bracket_text(answer.regret), rounded_up(answer.regret.upper, 3))
    main.add_row("  mu with no floor", "", rounded_up(report.tail_mu, 6))
    for delta, epsilon in zip(answer.deltas, answer.epsilons, strict=True):
        own = delta_of_records(size) == delta
        at = f"epsilon at delta 1/{size}" if own else QUANTITIES["epsilon"].title((delta,))
        main.add_row(at, bracket_text(epsilon), rounded_up(epsilon.upper))
    main.add_row("advantage (TPR - FPR)", bracket_text(answer.advantage), rounded_up(answer.advantage.upper))
    print_table(console, main)
    attack = table("attacker's FPR", "best TPR, certified bracket", "at most")
    for fpr, power in zip(FPR_TABLE, answer.powers, strict=True):
        attack.add_row(f"{fpr:g}", bracket_text(power), rounded_up(power.upper, 5))
    fixed = answer.fixed_point
    attack.add_row(f"{outward(fixed, 5, up=False)} = FNR", "", rounded_up(1.0 - fixed, 5))
    print_table(console, attack)
    console.print(str(report), highlight=False, soft_wrap=True)


def show_conversion(answer: Conversion, console: Console) -> None:
    """Print ``answer``."""
    console.print(f"[bold]{escape(answer.source)}[/bold] -> {answer.to}\n", highlight=False, soft_wrap=True)
    rows = table(*([answer.place] if answer.place else []), "certified bracket", "report")
    from_below = QUANTITIES[answer.to.replace("-", "_")].from_below
    for row in answer.rows:
        place = [] if row.at is None else [exactly(row.at)]
        safe = outward(row.value.lower, _DIGITS, up=False) if from_below else rounded_up(row.value.upper)
        rows.add_row(*place, bracket_text(row.value), safe)
    print_table(console, rows)
    console.print(answer.note, highlight=False, soft_wrap=True)


def table(*columns: str) -> Table:
    """An empty table for ``print_table``; its first column is text, the others are numbers, those to copy in colour."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        style = COPY if name in _SAFE else None
        made.add_column(name, justify="left" if name == columns[0] else "right", no_wrap=True, style=style)
    return made


def bracket_text(interval: Interval) -> str:
    """Both ends, rounded outward; a number known exactly in all the digits it takes to be read back."""
    if interval.lower == interval.upper:
        return exactly(interval.upper)
    low, high = outward(interval.lower, _DIGITS, up=False), outward(interval.upper, _DIGITS)
    return f"[{low}, {high}]".replace("[", r"\[")


def rounded_up(value: float, digits: int = _DIGITS) -> str:
    """A number that is still an upper bound as printed."""
    return outward(value, digits)
