"""What ``neyman audit`` is given: scores, and what is claimed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman.accounting import account
from neyman.audit.readers import read_csv, read_scores
from neyman.cli.reading.mechanism import read_mechanism
from neyman.cli.reading.spec import SUFFIXES
from neyman.cli.reading.text import plain
from neyman.guarantees import GDP, ApproximateDP, Guarantee, PureDP

__all__ = ["read_claim", "within_and_without"]

_FORMS = (
    "a report, a file as for neyman account, dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA"
)
_LARGEST = 5 * 10**6  # bytes of a report
_LARGEST_INPUT = 10**9  # bytes of standard input


def within_and_without(source: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of a file, or of standard input as CSV."""
    try:
        if source != "-":
            return read_scores(source)
        try:
            raw = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
            if len(raw) > _LARGEST_INPUT:
                raise InvalidParameter("SCORES", source, "at most 1 GB of CSV", "Write larger ones into a file.")
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise InvalidParameter("SCORES", source, "text in UTF-8", f"Byte {error.start} is not.") from None
        return read_csv(source, io.StringIO(text))
    except InvalidParameter as error:
        raise InvalidParameter("SCORES", error.value, error.allowed, error.advice) from None


def read_claim(text: str, adjacency: str, tolerance: float, effort: float) -> Guarantee:
    """Return the guarantee that is claimed; a report brings its own adjacency.

    Raises
    ------
    InvalidParameter
        If the text is none of the forms that a claim has, or the file cannot be read.
    """
    for prefix in ("mu:", "epsilon:"):
        if text.startswith(prefix):
            return _stated(text, prefix, text.removeprefix(prefix).split(","))
    if _is_report(text):
        from neyman.reports.reading import read

        document = read(Path(text)).document()
        return account(document.mechanism, adjacency=document.adjacency, tolerance=tolerance, effort=effort)
    if not text.startswith("dpsgd:") and not text.endswith(SUFFIXES):
        raise InvalidParameter("claim", text, _FORMS)
    try:
        mechanism = read_mechanism("claim", text)
    except InvalidParameter as error:
        name = "claim" if error.name == "SPEC" else error.name
        raise InvalidParameter(name, error.value, error.allowed, error.advice) from None
    return account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)


def _stated(text: str, prefix: str, parts: list[str]) -> Guarantee:
    try:
        numbers = [plain(float, part) for part in parts]
    except ValueError:
        raise InvalidParameter("claim", text, _FORMS) from None
    if len(numbers) != (1 if prefix == "mu:" else 2):
        raise InvalidParameter("claim", text, _FORMS)
    if prefix == "mu:":
        return GDP(numbers[0])
    return ApproximateDP(*numbers) if numbers[1] != 0.0 else PureDP(numbers[0])


def _is_report(text: str) -> bool:
    """Whether a file says that it is a report; what else may be wrong with it is said by who reads it."""
    if Path(text).suffix == ".html":
        return True
    if Path(text).suffix != ".json" or not Path(text).is_file():
        return False
    try:
        with Path(text).open("rb") as file:
            data = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("format") == "neyman-report"
