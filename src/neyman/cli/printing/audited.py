"""What ``neyman audit`` prints."""

from __future__ import annotations

import math
from dataclasses import asdict

from rich.console import Console

from neyman import __version__
from neyman.audit import Audit, Verdict
from neyman.audit.words import at_least
from neyman.cli.printing.output import print_table
from neyman.cli.printing.table import table
from neyman.numerics.exact.short_exact import short_exact
from neyman.quantities import QUANTITIES

__all__ = ["show", "to_json"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
_RATES = (1e-4, 1e-3, 1e-2, 1e-1)  # false positive rates at which a rate of true positives is told


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
        rows.add_row(QUANTITIES["epsilon"].title((delta,), _given), at_least(found.epsilon(delta), 6))
    rows.add_row("advantage (TPR - FPR)", at_least(found.advantage, 6))
    for rate in _RATES:
        rows.add_row(QUANTITIES["tpr"].title((rate,)), at_least(found.tpr(rate), 6))
    print_table(console, rows)
    console.print(f"{found.n_in:,} scores in, {found.n_out:,} out; {found.method}.", highlight=False, soft_wrap=True)
    if verdict is None and found.reversed:
        console.print("The scores look reversed: larger where the record is out.", highlight=False, soft_wrap=True)
    if verdict is not None:
        console.print(f"\n{verdict}", highlight=False, soft_wrap=True, markup=False)


def _given(_: str, delta: float) -> str:
    """No larger than it is: a little above it, less may leak."""
    return short_exact(delta)


def _plain(value: object) -> object:
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
