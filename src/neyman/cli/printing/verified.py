"""What became of files that were verified, and the one code to leave with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neyman.cli.exits import BAD_INPUT, FAILED, NOT_CERTIFIED, OK, UNFORESEEN
from neyman.reports.said.text import visible

if TYPE_CHECKING:
    from neyman.reports import Verification

__all__ = ["Answers", "Verified", "counted", "headed", "worst"]

Answers = list[tuple[str, str, str]]  # of a proof: the statement, its verdict, why

_WORST = (FAILED, UNFORESEEN, BAD_INPUT, NOT_CERTIFIED, OK)
_CODES = {"holds": OK, "does not hold": FAILED, "cannot tell": NOT_CERTIFIED}
_COUNTED = {
    FAILED: "do not hold", UNFORESEEN: "without an answer", BAD_INPUT: "cannot be read",
    NOT_CERTIFIED: "cannot be told to hold", OK: "hold",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verified:
    """One file: what was found, or why nothing was (``trouble``, with the code that it leaves with).

    ``answers`` are those of a proof that was asked for beside it, ``failure`` says why there is none.
    """

    file: str
    found: Verification | None = None
    answers: Answers | None = None
    failure: str = ""
    trouble: str = ""
    code: int = OK

    @property
    def leaving(self) -> int:
        """The code for this file alone."""
        if self.found is None:
            return self.code
        codes = [_CODES[self.found.outcome]]
        if self.answers is not None:
            verdicts = {verdict for _, verdict, _ in self.answers}
            proved = verdicts == {"proved"} and not self.failure
            codes.append(FAILED if "refuted" in verdicts else OK if proved else NOT_CERTIFIED)
        return worst(codes)

    def text(self, *, full: bool) -> str:
        """What is printed of it."""
        if self.found is None:
            return f"Verdict: none. {self.trouble}"
        told = self.found.details if full else str(self.found)
        return told if self.answers is None else f"{told}\n{_proved(self.answers, self.failure)}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of what was found."""
        if self.found is None:
            return {"outcome": "none", "reason": self.trouble}
        made = self.found.to_dict()
        if self.answers is not None:
            told = [dict(zip(("id", "verdict", "reason"), one, strict=True)) for one in self.answers]
            made["proof"] = {"answers": told, "failure": self.failure}
        return made


def worst(codes: Sequence[int]) -> int:
    """Return the code that says most against what was verified: one that does not hold hides behind nothing.

    Examples
    --------
    >>> worst([0, 3, 1, 2]), worst([0, 2, 3]), worst([0, 0])
    (1, 2, 0)
    """
    return min(codes, key=_WORST.index)


def counted(found: Sequence[Verified]) -> str:
    """Return how many of several files came to what."""
    numbers = Counter(one.leaving for one in found)
    told = [f"{numbers[code]} {_COUNTED[code]}" for code in _WORST[::-1] if numbers[code]]
    return f"Of {len(found)} files: {', '.join(told)}."


def headed(file: str) -> str:
    """Return the line above what is said of a file, whose name somebody else chose."""
    return visible(" ".join(file.splitlines()))


def _proved(answers: Answers, failure: str) -> str:
    if failure:
        return f"Nothing is proved: {failure}."
    lines = [f"  {name}: {verdict} ({reason})" for name, verdict, reason in answers if verdict != "proved"]
    return "\n".join(
        [*lines, f"{len(answers) - len(lines)} of {len(answers)} statements are proved in ball arithmetic."]
    )
