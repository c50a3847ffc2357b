"""One setting through the package: what it answered, how long it took, what went wrong."""

from __future__ import annotations

import contextlib
import random
import signal
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import neyman as ny
from tests.hunt import custom
from tests.hunt.draw import Setting

__all__ = ["HUNG", "SLOW", "Answer", "Event", "Session", "Tired", "limited"]

SLOW, HUNG = 2.0, 15.0
"""Seconds of CPU a single question may take, and after which it is interrupted."""


TRIES = 3
"""Slow answers after which a setting is left alone."""


class Tired(BaseException):
    """Interrupted: no handler of the package's may swallow it."""


@dataclass(frozen=True)
class Event:
    """Something to report: "false", "refused", "slow", "hung", "warned", "crashed" or "memory"."""

    kind: str
    family: str
    line: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind.upper():8} {self.family}: {self.line}\n         {self.what}"


@dataclass(frozen=True)
class Answer:
    """The two ends of a bracket; ``refused`` where they come from NotCertified."""

    low: float
    up: float
    refused: bool = False


@dataclass
class Session:
    """The questions asked of one guarantee."""

    setting: Setting
    rng: random.Random
    points: int = 0
    open: int = 0
    spent: float = 0.0
    events: list[Event] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    guarantee: object = None

    def build(self) -> bool:
        """Evaluate the words; whether there is something to ask."""
        answer = self._tried(self.setting.words, lambda: eval(self.setting.words, {"ny": ny, "custom": custom}))
        self.guarantee = answer
        return answer is not None

    def ask(self, question: str) -> Answer | None:
        """Both sides of a question: ``.optimistic`` from below, the guarantee itself from above."""
        if sum(event.kind in ("hung", "slow") for event in self.events) >= TRIES:
            return None
        names = {"ny": ny, "g": self.guarantee}
        line = f"g = {self.setting.words}; g.{question}"

        def asked() -> Answer | None:
            refusal = None
            try:
                up = eval(f"g.{question}", names)
            except ny.NotCertified as error:
                refusal = error
            try:
                low = eval(f"g.optimistic.{question}", names)
            except ny.NotCertified as error:
                refusal, low = refusal or error, error.lower
            if refusal is None:
                return Answer(low, up)
            if refusal.quantity == "delta" and not question.startswith("delta"):  # of a guard, not of what was asked
                self.note("refused", line, str(refusal))
                return None
            self.note("refused", line, f"[{refusal.lower!r}, {refusal.upper!r}]")
            return Answer(max(float(low), float(refusal.lower)) if isinstance(low, float) else refusal.lower,
                          refusal.upper, True)  # fmt: skip

        self.points += 1
        return self._tried(line, asked)

    def tell(self, question: str) -> object:
        """The value of an attribute, as it is."""
        self.points += 1
        names = {"g": self.guarantee}
        return self._tried(f"g = {self.setting.words}; g.{question}", lambda: eval(f"g.{question}", names))

    def judge(self, question: str, problem: str, width: float | None = None) -> None:
        """Report a problem, if there is one; remember how sharp the truth was."""
        if problem:
            self.note("false", f"g = {self.setting.words}; g.{question}", problem)
        if width is not None:
            self.widths.append(width)

    def note(self, kind: str, line: str, what: str) -> None:
        """Report something."""
        self.events.append(Event(kind, self.setting.family, line, what))

    def _tried(self, line: str, run):
        started = time.process_time()
        try:
            with limited(HUNG), warnings.catch_warnings():
                warnings.simplefilter("error")
                return run()
        except Tired:
            self.note("hung", line, f"interrupted after {HUNG:g} s")
        except Warning as warning:
            self.note("warned", line, f"{type(warning).__name__}: {warning}")
        except MemoryError as error:
            self.note("memory", line, str(error))
        except ny.NotCertified as error:
            self.note("refused", line, str(error))
        except Exception as error:
            self.note("crashed", line, f"{type(error).__name__}: {error}")
        finally:
            taken = time.process_time() - started
            if taken > SLOW and not (self.events and self.events[-1].kind == "hung"):
                self.note("slow", line, f"{taken:.1f} s of CPU")
        return None


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Tired after so many seconds of CPU."""

    def interrupt(*_: object) -> None:
        raise Tired

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
