"""How ``neyman`` leaves: one place for the codes, and what each verb means by them."""

from __future__ import annotations

__all__ = [
    "BAD_INPUT",
    "FAILED",
    "INTERRUPTED",
    "MEANINGS",
    "NOT_CERTIFIED",
    "OK",
    "READER_GONE",
    "UNFORESEEN",
    "meanings_of",
]

# codes; 70 is that of BSD for software that failed, 130 and 141 are 128 + the signal, of Ctrl-C and of a closed pipe
OK, FAILED, BAD_INPUT, NOT_CERTIFIED, UNFORESEEN, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 70, 130, 141

MEANINGS = {
    OK: "answer",
    FAILED: "the answer is no: a claim does not hold",
    BAD_INPUT: "bad input: one line on standard error says what is allowed",
    NOT_CERTIFIED: "not certified to the tolerance asked for, or cannot tell",
    UNFORESEEN: "no answer: memory ran out, or an error that was not foreseen",
    INTERRUPTED: "interrupted",
    READER_GONE: "whoever read the output closed it early",
}
_ANSWERS_NO = ("verify", "audit", "prove", "table")
_OTHERWISE = {
    "explore": {OK: "answer; also where Ctrl-C ends it"},
    "report": {FAILED: "with --prove, a claim was refuted: nothing is written"},
    "table": {FAILED: "an epsilon that was stated does not hold: the table is written all the same"},
    "reproduce": {FAILED: "a figure, a table or a number failed: the others are written all the same"},
}


def meanings_of(verb: str) -> dict[int, str]:
    """Return the codes that a verb can leave with, beside 70, 130 and 141, which any can."""
    own = [OK, *([FAILED] if verb in _ANSWERS_NO else []), BAD_INPUT, *([] if verb == "help" else [NOT_CERTIFIED])]
    otherwise = _OTHERWISE.get(verb, {})
    return {code: otherwise.get(code, MEANINGS[code]) for code in sorted({*own, *otherwise})}
