"""What the auditor of one training run counts: canaries, guesses, and how many of them were right."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Count"]


@dataclass(frozen=True, slots=True)
class Count:
    """``correct`` of at most ``guesses`` guesses about ``canaries`` coins with ``choices`` sides each."""

    correct: int
    guesses: int
    canaries: int
    choices: int = 2
