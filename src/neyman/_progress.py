"""How far long work has come: a bar on terminals, a line in notebooks, lines in logs; unasked, nothing in a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Thread
from typing import Any

__all__ = ["counting", "progress_bar", "progress_elsewhere"]

PATIENCE = 1.0  # seconds before anything is shown unasked
EVERY = 5.0  # seconds between two lines of a log
OFTEN = 0.2  # seconds before a line is written over


@contextmanager
def progress_bar(
    shown: bool | None, total: int | None, what: str = "settings"
) -> Generator[Callable[[int], None], None, None]:
    """Hand out a function that is told how many more are done of ``what`` is counted; ``total`` None: nobody knows.

    ``shown``: None is "on a terminal or in a notebook". It is drawn on the standard error, never on the standard
    output; where that is no terminal, and it is asked for, a line is written now and then.
    """
    drawn = sys.stderr.isatty() or _in_notebook()
    if not (drawn if shown is None else shown):
        yield lambda _: None
        return
    patience = 0.0 if shown else PATIENCE
    if not drawn:
        told = _Log(total, what)
    else:
        told = _Line(total, what, patience) if _in_notebook() else _Bar(total, what, patience)
    try:
        yield told.advance
    finally:
        told.end()


@contextmanager
def progress_elsewhere(shown: bool | None, total: int | None, what: str) -> Generator[tuple[int, ...], None, None]:
    """The same of what another process does: hand out what it is to inherit (``pass_fds``), at most one end of a pipe,
    into which it writes through ``counting``. Empty where no process inherits such a thing.
    """
    with progress_bar(shown, total, what) as told:
        if sys.platform == "win32":
            yield ()
            return
        here, there = os.pipe()
        reader = Thread(target=_counted, args=(here, told), daemon=True)
        reader.start()
        try:
            yield (there,)
        finally:
            os.close(there)  # the other process has ended, and with it the only other one who could write
            reader.join()


def counting(there: tuple[int, ...] | list[int]) -> Callable[[int], None]:
    """Return what the other process tells how many more are done."""
    return (lambda more: _tell(there[0], more)) if there else (lambda _: None)


def _tell(there: int, more: int) -> None:
    try:
        os.write(there, b"." * more)
    except OSError:  # whoever waited has gone
        return


def _counted(here: int, told: Callable[[int], None]) -> None:
    with os.fdopen(here, "rb", buffering=0) as pipe:
        while more := pipe.read(64):
            told(len(more))


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this: nothing is imported to find out."""
    kernel: Any = sys.modules.get("IPython")
    shell = None if kernel is None else kernel.get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class _Log:
    """A line now and then, for files that are read later."""

    _before = ""

    def __init__(self, total: int | None, what: str) -> None:
        self._what, self._of = what, "" if total is None else f" of {total:,}"
        self._began = self._said = time.monotonic()
        self._done = 0

    def advance(self, more: int) -> None:
        """Count, and say so if nothing was said for a while."""
        self._done += more
        now = time.monotonic()
        if now - self._said >= EVERY:
            self._said = now
            self._say()

    def end(self) -> None:
        """Say the last of it."""
        self._say()

    def _say(self, end: str = "\n") -> None:
        seconds = time.monotonic() - self._began
        text = f"{self._before}{self._done:,}{self._of} {self._what}, {seconds:.0f} s"
        print(text, file=sys.stderr, flush=True, end=end)  # noqa: T201


class _Line(_Log):
    """One line that is written over again: notebooks draw no bar without widgets, which not everyone has."""

    _before = "\r"

    def __init__(self, total: int | None, what: str, patience: float) -> None:
        super().__init__(total, what)
        self._patience, self._shown = patience, False

    def advance(self, more: int) -> None:
        """Count; say so now and then, once the work has taken a while."""
        self._done += more
        now = time.monotonic()
        if now - self._began >= self._patience and now - self._said >= OFTEN:
            self._said, self._shown = now, True
            self._say("")

    def end(self) -> None:
        """Leave the line as it is at last."""
        if self._shown:
            self._say("\n")


class _Bar:
    """A bar of rich, which is imported when there is something to draw."""

    def __init__(self, total: int | None, what: str, patience: float) -> None:
        self._total, self._what, self._patience = total, what, patience
        self._began, self._done = time.monotonic(), 0
        self._bar: Any = None
        self._task: Any = None

    def advance(self, more: int) -> None:
        """Count; draw once the work has taken a while."""
        self._done += more
        if self._bar is not None:
            self._bar.advance(self._task, more)
        elif time.monotonic() - self._began >= self._patience:
            self._draw()

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        left = () if self._total is None else (TextColumn("left"), Remaining())
        columns = (TextColumn(self._what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *left)
        self._bar = Progress(*columns, console=Console(stderr=True))
        self._bar.start()
        self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)

    def end(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.stop()
