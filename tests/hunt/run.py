"""Settings one after the other, in a child process that may die, hang or run out of memory without ending the hunt."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from tests.hunt.draw import Setting
from tests.hunt.families import MECHANISMS
from tests.hunt.probes import examine
from tests.hunt.promises import PROMISES
from tests.hunt.session import Event

__all__ = ["FAMILIES", "Outcome", "drawn", "hunt", "once"]

FAMILIES: dict[str, Callable[[random.Random], Setting]] = {make.__name__: make for make in (*MECHANISMS, *PROMISES)}
ADDRESS_SPACE, RESIDENT = 4 << 30, 1 << 30
"""Bytes that a child may ask for, and above which it is reported."""
DEAD = 120.0
"""Seconds of CPU after which a child that says nothing is ended: some loops let no signal in."""
_QUESTIONS = 40


@dataclass
class Outcome:
    """What one setting came to."""

    family: str
    index: int
    words: str = ""
    points: int = 0
    open: int = 0
    seconds: float = 0.0
    events: list[Event] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)


def drawn(family: str, seed: int, index: int) -> tuple[Setting, random.Random]:
    """The setting of a family at a place, the same in every run."""
    rng = random.Random(f"{seed} {family} {index}")
    return FAMILIES[family](rng), rng


def once(family: str, seed: int, index: int, questions: int = _QUESTIONS) -> Outcome:
    """One setting, in this process."""
    started, outcome = time.process_time(), Outcome(family, index)
    try:
        setting, rng = drawn(family, seed, index)
        outcome.words = setting.words
        session = examine(setting, rng, questions)
        outcome.points, outcome.open = session.points, session.open
        outcome.events, outcome.widths = session.events, session.widths
    except Exception:
        line = outcome.words or f"drawn({family!r}, {seed}, {index})"
        outcome.events.append(Event("oracle", family, line, traceback.format_exc(limit=-3)))
    outcome.seconds = time.process_time() - started
    return outcome


def hunt(seed: int, seconds: float, families: Sequence[str] = tuple(FAMILIES)) -> Iterator[Outcome]:
    """Round after round over the families, until the time is up."""
    end = time.monotonic() + seconds
    child: _Child | None = None
    index = 0
    try:
        while True:
            for family in families:
                if time.monotonic() > end:
                    return
                child = child or _Child(seed)
                outcome = child.run(family, index)
                yield outcome
                if child.spent:
                    child.end()
                    child = None
            index += 1
    finally:
        if child is not None:
            child.end()


class _Child:
    """A process that examines one setting after the other."""

    def __init__(self, seed: int) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, seed), daemon=True)
        self._process.start()
        theirs.close()
        self._seed = seed
        self.spent = False

    def run(self, family: str, index: int) -> Outcome:
        """The outcome, or what became of the process."""
        self._pipe.send((family, index))
        try:
            start = self._cpu()
            while not self._pipe.poll(1.0):
                if self._cpu() > start + DEAD:
                    break
            else:
                outcome, self.spent = self._pipe.recv()
                return outcome
            kind, what = "hung", f"said nothing for {DEAD:g} s of CPU"
        except EOFError:
            kind, what = "crashed", "the process died"
        self.spent = True
        words = drawn(family, self._seed, index)[0].words
        return Outcome(family, index, words, events=[Event(kind, family, words, what)])

    def _cpu(self) -> float:
        """Seconds of CPU of the process so far; a dead one has none, and its pipe says so."""
        stat = Path(f"/proc/{self._process.pid}/stat")
        fields = stat.read_text().rpartition(")")[2].split() if stat.exists() else []
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0

    def end(self) -> None:
        """Stop the process, whatever it does."""
        self._pipe.close()
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    while True:
        try:
            family, index = pipe.recv()
        except EOFError:
            return
        outcome = once(family, seed, index)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if peak > RESIDENT:
            outcome.events.append(Event("memory", family, outcome.words, f"peak of {peak / 1e9:.1f} GB"))
        pipe.send((outcome, peak > RESIDENT // 2))
