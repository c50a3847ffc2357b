"""Compute reference.json: `python -m benchmarks.reference [case ...]`, from the root of the repository.

Uses the independent high-precision evaluators of tests/reference only: contours in ball arithmetic, direct quadrature
for one and two steps. mu is read where alpha = floor on the "remove" curve. The mix of 1000 takes some minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from flint import arb as ball
from mpmath import mp, mpf

from benchmarks.cases import CASES, FLOOR, Case
from tests.reference import arb, brute, closed

OUT = Path(__file__).with_name("reference.json")
DIGITS = 11.0


def few(case: Case) -> dict[str, str]:
    """One and two steps: direct quadrature and bisection."""
    sigma, q, steps = case.steps[0]

    def at(e: mpf) -> brute.Tails:
        return brute.few_steps(repr(sigma), repr(q), steps, e, digits=30)

    e = _bisect(lambda e: at(e).delta - mpf("1e-5"))
    corner = at(_bisect(lambda e: at(e).alpha - mpf(FLOOR)))
    return {"mu": str(_quantile(corner.tail) - _quantile(mpf(FLOOR))), "epsilon": mp.nstr(e, 16)}


def many(case: Case) -> dict[str, str]:
    """Everything else: contours."""
    steps = [(repr(s), repr(q), t) for s, q, t in case.steps]
    mu = arb.mu(steps, FLOOR, digits=DIGITS)
    return {
        "mu": mu.value.str(16, radius=False),
        "epsilon": arb.epsilon(steps, "1e-5", digits=DIGITS).value.str(16, radius=False),
    }


def _quantile(p: mpf) -> float:
    return float(closed.normal_quantile(ball(mp.nstr(p, 25))))


def _bisect(f: Callable[[mpf], mpf], low: float = 0.0, high: float = 20.0) -> mpf:
    """The root of a falling function."""
    a, b = mpf(low), mpf(high)
    if f(a) < 0:
        return a
    for _ in range(60):
        middle = (a + b) / 2
        a, b = (middle, b) if f(middle) > 0 else (a, middle)
    return a


def main() -> None:
    arb.BUDGET = 1e9
    known = json.loads(OUT.read_text()) if OUT.exists() else {}
    for name in sys.argv[1:] or CASES:
        case = CASES[name]
        known[name] = few(case) if len(case.steps) == 1 and case.steps[0][2] <= 2 else many(case)
        print(name, known[name], flush=True)
        OUT.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
