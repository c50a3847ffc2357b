"""A summary as a table for people: on a terminal, in a log, and as ``print(guarantee)`` shows it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from neyman.guarantees.verbs import delta_of_records
from neyman.numerics.exact.decimals import exactly, outward
from neyman.quantities import QUANTITIES
from neyman.quantities.places import FPR_TABLE
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

if TYPE_CHECKING:
    from neyman.showing.conversion import Conversion

__all__ = [
    "COPY",
    "ENDLESS",
    "bracket_text",
    "converted",
    "plainly",
    "print_table",
    "rounded_up",
    "show",
    "show_conversion",
    "table",
    "written",
]

COPY = "bold green"  # the number to copy, where there is colour
ENDLESS = 100_000  # columns of what has no width: a pipe, a file, a string
_DIGITS = 7  # of an end of a bracket
_REFUSED = "not certified"
_SAFE = ("report", "at most")  # columns of numbers to copy

_Shown = TypeVar("_Shown")


def show(answer: Summary, console: Console, said: Callable[[str], str] = str) -> None:
    """Print ``answer``: the sentence to copy first, then every number in its bracket; refusals as they are ``said``."""
    head = answer.headline
    console.print(f"[{COPY}]{escape(head.number)}[/]; {escape(head.why)}.\n", highlight=False, soft_wrap=True)
    console.print(f"[bold]{escape(answer.subject)}[/bold]", highlight=False, soft_wrap=True)
    console.print(f"{escape(answer.setting)}\n", highlight=False, soft_wrap=True)
    print_table(console, _promises(answer))
    print_table(console, _attacks(answer))
    if answer.report is not None:
        console.print(escape(str(answer.report)), highlight=False, soft_wrap=True)
    for wide in answer.refused:
        console.print(f"Not certified: {escape(said(str(wide)))}", highlight=False, soft_wrap=True)


def written(answer: Summary) -> str:
    """Return what ``show`` prints, without colour."""
    return plainly(show, answer)


def converted(answer: Conversion) -> str:
    """Return what ``show_conversion`` prints, without colour."""
    return plainly(show_conversion, answer)


def plainly(shown: Callable[[_Shown, Console], None], answer: _Shown) -> str:
    """Return as text what ``shown`` prints of an answer."""
    to = Console(file=io.StringIO(), color_system=None, width=ENDLESS, emoji=False, force_terminal=False)
    with to.capture() as kept:
        shown(answer, to)
    return "\n".join(line.rstrip() for line in kept.get().strip("\n").split("\n"))


def _promises(answer: Summary) -> Table:
    main = table("promise", "certified bracket", "report")
    _row(main, f"mu-GDP, floor {exactly(answer.floor)}", answer.mu)
    if answer.report is not None and answer.regret is not None:
        _row(main, "  regret of mu", answer.regret, 3)
        main.add_row("  mu with no floor, any attack", "", rounded_up(answer.report.tail_mu, 6))
    for delta, epsilon in zip(answer.deltas, answer.epsilons, strict=True):
        own = delta_of_records(answer.dataset_size) == delta
        at = f"epsilon at delta 1/{answer.dataset_size}" if own else QUANTITIES["epsilon"].title((delta,))
        _row(main, at, epsilon)
    _row(main, "advantage (TPR - FPR)", answer.advantage)
    return main


def _attacks(answer: Summary) -> Table:
    attack = table("attacker's FPR", "best TPR, certified bracket", "at most")
    for fpr, power in zip(FPR_TABLE, answer.powers, strict=True):
        _row(attack, f"{fpr:g}", power, 5)
    fixed = answer.fixed_point
    if fixed is not None:
        attack.add_row(f"{outward(fixed, 5, up=False)} = FNR", "", rounded_up(1.0 - fixed, 5))
    return attack


def _row(made: Table, name: str, found: Interval, digits: int = _DIGITS) -> None:
    made.add_row(name, bracket_text(found), _REFUSED if found.refused else rounded_up(found.upper, digits))


def show_conversion(answer: Conversion, console: Console) -> None:
    """Print ``answer``."""
    console.print(f"[bold]{escape(answer.source)}[/bold] -> {answer.to}\n", highlight=False, soft_wrap=True)
    rows = table(*([answer.place] if answer.place else []), "certified bracket", "report")
    for row in answer.rows:
        place = [] if row.at is None else [exactly(row.at)]
        safe = outward(row.value.lower, _DIGITS, up=False) if answer.from_below else rounded_up(row.value.upper)
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


def print_table(to: Console, made: Table) -> None:
    """Print a table whose numbers are never cut: its first column wraps, then lines grow past a narrow terminal."""
    for number, column in enumerate(made.columns):
        cells = [Text.from_markup(str(cell)).plain for cell in (column.header, *column.cells)]
        column.no_wrap = number > 0
        parts = cells if number else [word for cell in cells for word in cell.split()]
        column.min_width = max(map(cell_len, parts), default=0)
    width = to.width
    to.width = max(width, Measurement.get(to, to.options.update(max_width=ENDLESS), made).minimum)
    to.print(made)
    to.width = width


def bracket_text(interval: Interval) -> str:
    """Both ends, rounded outward; a number known exactly in all the digits it takes to be read back."""
    if interval.lower == interval.upper:
        return exactly(interval.upper)
    low, high = outward(interval.lower, _DIGITS, up=False), outward(interval.upper, _DIGITS)
    return f"[{low}, {high}]".replace("[", r"\[")


def rounded_up(value: float, digits: int = _DIGITS) -> str:
    """A number that is still an upper bound as printed."""
    return outward(value, digits)
