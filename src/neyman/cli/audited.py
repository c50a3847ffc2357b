"""What ``neyman audit`` reads and prints."""

from __future__ import annotations

import io
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from rich.console import Console

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman.accounting import account
from neyman.audit import Audit, Verdict
from neyman.audit.readers import read_csv, read_scores
from neyman.audit.words import at_least
from neyman.cli.compare import read_mechanism
from neyman.cli.output import print_table
from neyman.cli.spec import SUFFIXES
from neyman.cli.table import table
from neyman.cli.text import plain
from neyman.guarantees import GDP, ApproximateDP, Guarantee, PureDP
from neyman.numerics.decimals import exactly

__all__ = ["read_claim", "show", "to_json", "within_and_without"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
_FORMS = (
    "a report, a file as for neyman account, dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA"
)
_RATES = (1e-4, 1e-3, 1e-2, 1e-1)
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


def to_json(found: Audit, verdict: Verdict | None, deltas: tuple[float, ...], claim: str | None) -> dict[str, object]:
    """Return the JSON form; bounds are lower bounds, and an infinite number is the string "inf"."""
    answer: dict[str, object] = {
        "schema": SCHEMA,
        "version": __version__,
        "n_in": found.n_in,
        "n_out": found.n_out,
        "confidence": found.confidence,
        "method": found.method,
        "mu": found.mu,
        "epsilon": [{"delta": d, "lower": _finite(found.epsilon(d))} for d in deltas],
        "advantage": found.advantage,
        "tpr": [{"fpr": rate, "lower": found.tpr(rate)} for rate in _RATES],
        "reversed": found.reversed,
    }
    if verdict is not None:
        answer["claim"] = claim
        answer["verdict"] = {
            "outcome": verdict.outcome,
            "p_value": verdict.p_value,
            "claimed_mu": _finite(verdict.claimed_mu),
            "audited_mu": verdict.audited_mu,
            "operating_point": {key: _plain(value) for key, value in asdict(verdict.operating_point).items()},
            "needed": None if verdict.needed is None else asdict(verdict.needed),
            "sentence": str(verdict),
        }
    return answer


def show(found: Audit, verdict: Verdict | None, deltas: tuple[float, ...], console: Console) -> None:
    """Print the bounds as a table, and the verdict."""
    rows = table("the mechanism leaks at least", f"at {found.confidence * 100:.12g} % confidence")
    rows.add_row("mu", at_least(found.mu, 6))
    for delta in deltas:
        rows.add_row(f"epsilon at delta {exactly(delta)}", at_least(found.epsilon(delta), 6))
    rows.add_row("advantage (TPR - FPR)", at_least(found.advantage, 6))
    for rate in _RATES:
        rows.add_row(f"TPR at FPR {exactly(rate)}", at_least(found.tpr(rate), 6))
    print_table(console, rows)
    console.print(f"{found.n_in:,} scores in, {found.n_out:,} out; {found.method}.", highlight=False, soft_wrap=True)
    if verdict is None and found.reversed:
        console.print("The scores look reversed: larger where the record is out.", highlight=False, soft_wrap=True)
    if verdict is not None:
        console.print(f"\n{verdict}", highlight=False, soft_wrap=True, markup=False)


def _plain(value: object) -> object:
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
