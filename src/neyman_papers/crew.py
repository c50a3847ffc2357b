"""The pieces of work done by processes of our own, started afresh ("spawn") on every system."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from neyman._errors import NeymanError
from neyman_papers.tasks import Done, Task, work

__all__ = ["cores", "done_by"]

_MOST_USEFUL = 8  # processes: more would each load the libraries for a figure or two
_START = (
    "reproduce: a worker process ended before its work was done. A script that calls reproduce() must do so below "
    'if __name__ == "__main__":; workers=1 needs no process.'
)


def cores() -> int:
    """How many processes are worth starting here."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, _MOST_USEFUL)


def done_by(workers: int, tasks: list[Task]) -> Generator[Done, None, None]:
    """Do the pieces, in the order in which they end; one worker is this process.

    Raises
    ------
    NeymanError
        If a process ends before its work is done.
    """
    if workers == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    with _pool(min(workers, len(tasks))) as pool:
        try:
            for future in as_completed([pool.submit(work, task) for task in tasks]):
                yield future.result()
        except BrokenProcessPool:
            raise NeymanError(_START) from None


@contextmanager
def _pool(workers: int) -> Generator[ProcessPoolExecutor, None, None]:
    """A pool whose processes are gone when it is left, whatever they were doing."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _deaf)
    try:
        yield pool
    except BaseException:  # interrupted, or closed before the end
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
            child.join()
        raise
    pool.shutdown()


def _deaf() -> None:
    """Ctrl-C reaches every process of a terminal: the parent decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
