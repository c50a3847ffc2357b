"""A verification for whoever signs: five lines, what is wrong below the verdict, and all of it where that is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from neyman._version import __version__
from neyman.reports.said.text import visible

if TYPE_CHECKING:
    from neyman.reports.verifying.checks import Check
    from neyman.reports.verifying.verification import Verification

__all__ = ["five_lines", "in_full", "printed"]

_MOST = 5  # of what is wrong, below the verdict
_HELD = {
    "holds": "The report holds",
    "does not hold": "The report does not hold",
    "cannot tell": "The report cannot be told to hold",
}


def five_lines(found: Verification) -> str:
    """Return what was run, who is protected, the headline, the verdict, what it cannot know; what is wrong is below."""
    checks = found.checks if found.recomputed else ()  # else the same is said of each, and once below
    wrong = [check for check in (*checks, *found.words) if check.outcome != "holds"]
    wrong.sort(key=lambda check: check.outcome != "does not hold")  # what is false first
    shown = [f"  {_line(check)}" for check in wrong[:_MOST]]
    if len(wrong) > _MOST:
        shown.append(f"  and {len(wrong) - _MOST} more: --verbose lists them.")
    return printed([*_about(found), f"Verdict: {_verdict(found)}", *shown, *_asides(found), _unknown(found)])


def in_full(found: Verification) -> str:
    """Return the same with every claim, in the words of the report, and every part that is said in words."""
    width = max(len(check.label or check.id) for check in (*found.checks, *found.words))
    rows = [
        f"  {check.label or check.id:<{width}}  {check.stated}: {check.outcome}{_why(check)}"
        for check in (*found.checks, *found.words)
    ]
    made = f'"{found.title}", written by neyman {found.made_by}, ' if found.made_by else ""
    return printed(
        [
            f"{made}verified by neyman {__version__}",
            *_about(found),
            *rows,
            f"Verdict: {_verdict(found)}",
            *_asides(found),
            _unknown(found),
        ]
    )


def _about(found: Verification) -> Iterator[str]:
    if found.told is not None:
        yield f"What was run: {found.told.run}"
        yield f"Who is protected: {found.told.protected}"
        yield f"What it claims: {found.told.headline}"


def _verdict(found: Verification) -> str:
    if not found.checks:
        return f"{_HELD[found.outcome]}: its data were altered, and nothing of it was computed."
    if not found.recomputed:
        return f"{_HELD[found.outcome]}: none of its {len(found.checks)} claims was computed again."
    count = sum(check.outcome == "holds" for check in found.checks)
    proved = [f" {word.stated} (the proof at hand was accepted)." for word in found.words if _accepted(word)]
    around = count == len(found.checks) and found.outcome == "does not hold"
    more = "; what is written around them does not" if around else ""
    return f"{_HELD[found.outcome]}: {count} of {len(found.checks)} claims hold{more}.{''.join(proved)}"


def _accepted(word: Check) -> bool:
    return word.id == "proof" and word.outcome == "holds"


def _line(check: Check) -> str:
    """One thing that is wrong, as somebody would say it; a claim by what it is about."""
    if check.label:
        return f"{check.label}: the report says {check.stated}{_why(check) or f'; {check.outcome}'}."
    return f"{check.id}: {check.reason}."


def _why(check: Check) -> str:
    return f"; {check.reason}" if check.reason else ""


def _asides(found: Verification) -> list[str]:
    return [f"  {note}" for note in found.notes if note not in found.unknown]


def _unknown(found: Verification) -> str:
    return f"What this cannot know: {' '.join(found.unknown)}"


def printed(lines: Sequence[str]) -> str:
    """Return lines as text, each in one line, whatever a file has in it."""
    return "\n".join(" ".join(visible(line).split("\n")) for line in lines)
