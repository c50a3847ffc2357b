"""What ``neyman audit`` is given: scores, and what is claimed."""

from __future__ import annotations

import io
import sys
from typing import Any

from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman.audit.readers import read_csv, read_scores
from neyman.guarantees import Given, Guarantee
from neyman.understanding.spec import SUFFIXES
from neyman.understanding.subject import Subject

__all__ = ["read_claim", "within_and_without"]

_FORMS = (
    "a report, a file as for neyman account, dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA"
)
_LARGEST_INPUT = 10**9  # bytes of standard input


def within_and_without(source: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of a file, or of standard input as CSV."""
    try:
        if source != "-":
            return read_scores(source)
        try:
            raw = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
            if len(raw) > _LARGEST_INPUT:
                raise InvalidParameter(
                    "SCORES", source, "at most 1 GB of CSV", "Write larger ones into a file.", topic="file"
                )
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise InvalidParameter(
                "SCORES", source, "text in UTF-8", f"Byte {error.start} is not.", topic="file"
            ) from None
        return read_csv(source, io.StringIO(text))
    except InvalidParameter as error:
        raise error.called("SCORES") from None


def read_claim(text: str, adjacency: str, tolerance: float, effort: float) -> Guarantee:
    """Return the guarantee that is claimed; a report brings its own adjacency.

    Raises
    ------
    InvalidParameter
        If the text is none of the forms that a claim has, or the file cannot be read.
    """
    if text == "-":
        raise InvalidParameter("claim", text, _FORMS)
    try:
        subject = Subject.of("claim", text)
    except InvalidParameter as error:
        if error.name == "claim" and error.value == text and not text.endswith(SUFFIXES):
            raise InvalidParameter("claim", text, _FORMS, error.advice) from None
        raise
    given = isinstance(subject.what, Given)
    return subject.guarantee(None if given or subject.adjacency else adjacency, tolerance, effort)
