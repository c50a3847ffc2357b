"""The summary of a reproduction for people."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from neyman.cli.printing.output import print_table
from neyman.cli.printing.table import table
from neyman_papers import Summary

__all__ = ["show"]


def show(summary: Summary, console: Console) -> None:
    """Print ``summary``: counts by paper, what differs and why, and where the page is."""
    rows = table("paper", "published", "reproduced", "differ", "not determined", "failed")
    for result in summary.results:
        count = result.count
        parts = (count.published, count.reproduced, count.differs, count.undetermined, count.failed)
        rows.add_row(result.paper.key, *map(str, parts))
    print_table(console, rows)
    for result in summary.results:
        for verdict in result.verdicts:
            if verdict.outcome == "differs":
                p = verdict.published
                told = f"{result.paper.key}, {p.where}: {p.quantity}: {p.printed}; ours: {verdict.shown}"
                console.print(escape(told), highlight=False, soft_wrap=True)
    console.print(f"\n{summary}", highlight=False, soft_wrap=True)
    page = summary.directory / "index.html"
    took = f"{summary.wall_seconds:.0f} s, {summary.cpu_seconds:.0f} s of processor time"
    console.print(f"{escape(str(page))} ({took})", highlight=False, soft_wrap=True)
