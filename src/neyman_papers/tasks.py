"""The work in pieces that any process can do, by name: a picture, a table, or a group of numbers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from neyman._errors import NeymanError, NotCertified
from neyman_papers.drawn import Drawing, Picture, Rows, Table, csv_of, csv_of_rows
from neyman_papers.paper import Paper
from neyman_papers.papers import paper_named
from neyman_papers.verdict import Ours

__all__ = ["Done", "Failure", "Task", "files_of", "tasks_of", "work"]

Kind = Literal["numbers", "table", "figure"]
_SUFFIXES: dict[Kind, tuple[str, ...]] = {"numbers": (), "table": ("csv",), "figure": ("svg", "png", "csv")}


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work, small enough to send to another process."""

    paper: str
    kind: Kind
    key: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a piece is missing; ``certified`` is False where a number could not be certified, and nothing else failed."""

    message: str
    certified: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """What a piece of work leaves: files under the output directory, numbers, or the failure."""

    task: Task
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    numbers: Mapping[str, Ours] = field(default_factory=dict[str, "Ours"])
    rows: Rows | None = None
    size: tuple[int, int] = (0, 0)
    failure: Failure | None = None
    seconds: float = 0.0


def tasks_of(papers: tuple[Paper, ...]) -> list[Task]:
    """All pieces, the longest first."""
    found: list[Task] = []
    for paper in papers:
        found += [Task(paper.key, "numbers", key) for key in paper.groups]
        found += [Task(paper.key, "table", table.key, table.weight) for table in paper.tables]
        found += [Task(paper.key, "figure", drawing.key, drawing.weight) for drawing in paper.drawings]
    return sorted(found, key=lambda task: -task.weight)


def files_of(task: Task) -> tuple[str, ...]:
    """The files that a piece writes, below the output directory."""
    return tuple(f"{task.paper}/{task.key}.{suffix}" for suffix in _SUFFIXES[task.kind])


def work(task: Task) -> Done:
    """Do one piece. Whatever fails is reported with its message: one figure does not take the others with it."""
    start = time.process_time()
    try:
        done = _worked(task, paper_named(task.paper))
    except NotCertified as error:
        done = Done(task, failure=Failure(str(error), certified=False))
    except NeymanError as error:
        done = Done(task, failure=Failure(str(error)))
    except Exception as error:  # noqa: BLE001 (reported as failed in the summary, and by the exit code)
        done = Done(task, failure=Failure(f"{type(error).__name__}: {error}"))
    return replace(done, seconds=time.process_time() - start)


def _worked(task: Task, paper: Paper) -> Done:
    if task.kind == "numbers":
        return Done(task, numbers=dict(paper.groups[task.key]()))
    if task.kind == "table":
        table = next(table for table in paper.tables if table.key == task.key)
        return _tabulated(task, table)
    drawing = next(drawing for drawing in paper.drawings if drawing.key == task.key)
    return _drawn(task, drawing)


def _tabulated(task: Task, table: Table) -> Done:
    rows = table.fill()
    return Done(task, files=dict(zip(files_of(task), [csv_of_rows(rows)], strict=True)), rows=rows)


def _drawn(task: Task, drawing: Drawing) -> Done:
    from neyman.plot.drawing.style import paper
    from neyman_papers.render import pixels, png, svg

    with paper():
        picture: Picture = drawing.draw()
    contents = [svg(picture.figure), png(picture.figure), csv_of(picture.curves)]
    files = dict(zip(files_of(task), contents, strict=True))
    return Done(task, files, picture.numbers, size=pixels(picture.figure))
