"""The cores of this machine: blocks answered by processes of our own, started afresh ("spawn") on every system.

A worker that dies gives its block to another. The pipe of each worker holds one block at a time, so that nothing piles
up; when the parent goes, its workers find their pipes closed and leave.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from neyman._errors import NeymanError
from neyman.sweeps.answers import Answers, answers
from neyman.sweeps.extras import need
from neyman.sweeps.job import Job, Values

__all__ = ["Block", "here", "in_processes"]

Block = tuple[int, Values]
"""The number of a block, and its values."""

_DEATHS = 3  # of workers at one block, after which it is not tried again
_READY = "ready"
_PATIENCE = 5.0  # seconds that a worker told to end may take


def here(job: Job, blocks: Iterator[Block]) -> Generator[tuple[int, Answers], None, None]:
    """Answer the blocks in this process, one after the other."""
    for number, values in blocks:
        yield number, answers(job, values)


def in_processes(job: Job, blocks: Iterator[Block], workers: int) -> Generator[tuple[int, Answers], None, None]:
    """Answer the blocks in ``workers`` processes, in the order in which they end.

    Raises
    ------
    NeymanError
        If a worker cannot start, or a block has ended several of them.
    """
    message = need("cloudpickle").dumps(job)  # by value what no other process could import
    crew: list[_Worker] = []
    again: list[Block] = []
    deaths: Counter[int] = Counter()
    try:
        while True:
            _employ(crew, again, blocks, workers, message)
            busy = [worker for worker in crew if worker.block is not None]
            if not busy:
                return
            for connection in wait([worker.connection for worker in busy]):
                worker = next(w for w in busy if w.connection is connection)
                said = worker.hear()
                if said is None:
                    crew.remove(worker)
                    again.append(_mourned(worker, deaths))
                elif said != _READY:
                    number, worker.block = worker.number, None
                    yield number, _answers(said)
    finally:
        for worker in crew:
            worker.dismiss()


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    block: Block | None = None
    started: bool = False

    @classmethod
    def hired(cls, message: bytes) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, message), name="neyman sweep", daemon=True)
        with _undisturbed():
            process.start()
        theirs.close()
        return cls(process, ours)

    @property
    def number(self) -> int:
        return -1 if self.block is None else self.block[0]

    def give(self, block: Block) -> None:
        self.block = block
        with suppress(OSError):  # it has died: its pipe will say so
            self.connection.send(block)

    def hear(self) -> Any:
        """What it says; None if it has died."""
        try:
            said = self.connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self.dismiss()
            return None
        self.started = True
        return said

    def dismiss(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


@contextmanager
def _undisturbed() -> Generator[None, None, None]:
    """Ctrl-C reaches this process a moment later, and what is started meanwhile not at all, not even on its way to the
    line that ignores it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _employ(crew: list[_Worker], again: list[Block], blocks: Iterator[Block], workers: int, message: bytes) -> None:
    """Give every idle worker a block, and hire as long as there are blocks for more."""
    while any(worker.block is None for worker in crew) or len(crew) < workers:
        block = again.pop() if again else next(blocks, None)
        if block is None:
            return
        idle = next((worker for worker in crew if worker.block is None), None)
        if idle is None:
            idle = _Worker.hired(message)
            crew.append(idle)
        idle.give(block)


def _mourned(worker: _Worker, deaths: Counter[int]) -> Block:
    """The block that a dead worker leaves behind."""
    block = worker.block
    if block is None or not worker.started:
        raise NeymanError(
            "sweep: a worker process could not start. A script that sweeps must do so below "
            "if __name__ == '__main__':, and its make() must be found from there; workers=1 needs no process."
        )
    deaths[block[0]] += 1
    if deaths[block[0]] >= _DEATHS:
        raise NeymanError(f"sweep: {_DEATHS} worker processes have died at the settings {_shown(block[1])}.")
    return block


def _shown(values: Values) -> str:
    ends = [(repr(some[0]), repr(some[-1])) for some in values if some]
    return " x ".join(low if low == high else f"{low}..{high}" for low, high in ends)


def _answers(said: object) -> Answers:
    if isinstance(said, Answers):
        return said
    raise said if isinstance(said, BaseException) else NeymanError(f"sweep: {said}")


def _serve(connection: Connection, message: bytes) -> None:
    """The life of a worker. Ctrl-C reaches every process of a terminal: here the parent decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job: Job = pickle.loads(message)  # noqa: S301 (from our own parent)
        connection.send(_READY)
        while True:
            _, values = connection.recv()
            try:
                said: object = answers(job, values)
            except Exception as error:  # noqa: BLE001 (whatever it is, the parent raises it)
                said = _sendable(error)
            connection.send(said)
    except (EOFError, OSError):
        return  # the parent has gone


def _sendable(error: Exception) -> object:
    """The error itself where it survives the journey, else what it says."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    except Exception:  # noqa: BLE001 (errors of others may break in any way when copied)
        return f"{type(error).__name__}: {error}"
    return error
