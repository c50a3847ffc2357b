"""A line that turns while an answer takes its time: on a terminal, on standard error, gone when there is something else
to read.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import cycle
from typing import Any, TextIO

__all__ = ["waiting"]

PATIENCE = 1.0  # seconds before it is drawn
_PAUSE = 0.1  # seconds between two turns
_ROUND, _PLAIN = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"


@contextmanager
def waiting(words: str) -> Generator[None]:
    """While the body works, and says nothing, draw ``words`` and the seconds that have passed.

    It ends with the body, or with the first thing that is written: an answer, an error, a progress bar.
    """
    ours = sys.stdout, sys.stderr
    line = _Line(sys.stderr, words)
    sys.stdout, sys.stderr = (_Watched(stream, line) for stream in ours)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sys.stdout, sys.stderr = ours
        line.end()


class _Line:
    def __init__(self, to: TextIO, words: str) -> None:
        self._to, self._words = to, words
        self._over = threading.Event()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._turn, name="neyman waiting", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Leave nothing of it; what is written next stands where it was."""
        if self._over.is_set() or os.getpid() != self._process:
            return
        self._over.set()
        self._thread.join()

    def _turn(self) -> None:
        began = time.monotonic()
        if self._over.wait(PATIENCE):
            return
        signs = _ROUND if (self._to.encoding or "").lower().replace("-", "") == "utf8" else _PLAIN
        text = ""
        for sign in cycle(signs):
            text = f"{sign} {self._words}, {time.monotonic() - began:.0f} s"
            self._draw(f"\r{text}")
            if self._over.wait(_PAUSE):
                break
        self._draw(f"\r{' ' * len(text)}\r")

    def _draw(self, text: str) -> None:
        try:
            self._to.write(text)
            self._to.flush()
        except (OSError, ValueError):  # the terminal has gone: whoever writes next will say so
            self._over.set()


class _Watched:
    """A stream that ends the line before anything else is written."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        self._line.end()
        return self._stream.write(text)

    @property
    def buffer(self) -> Any:
        self._line.end()
        return self._stream.buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
