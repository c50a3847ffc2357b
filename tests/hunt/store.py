"""A store of answers, to the last bit: what a change of the house must not change.

    python -m tests.hunt.store --write before.json              # 420 settings of the survey, 13 numbers each, and given
    python -m tests.hunt.store --compare before.json            # exit code 1 where a bit differs, a line for each

Every number is asked of a guarantee of its own setting, in the same order, both sides; a refusal is kept with its
bracket. Written by one commit and compared by another, on one machine: other machines round elementary functions
otherwise. A change of last bits is explained in the changelog or undone.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import neyman as ny
from tests.hunt.survey import drawn

SETTINGS = 420
GIVEN = [
    "GDP(0.8)", "PureDP(1.3)", "ApproximateDP(0.4, 1e-6)", "ZCDP(0.11)", "RDP([2.0, 8.0], [0.1, 0.9])",
    "Profile([1.0, 3.0], [0.2, 1e-6])", "Tradeoff([0.0, 0.1, 1.0], [1.0, 0.7, 0.0])", "ZCDP(0.02) ** 7",
    "PureDP(0.3) ** 9 * GDP(0.4)", "meet(PureDP(1.0), ZCDP(0.1))", "join(GDP(1.0), PureDP(0.7))",
    "PureDP(0.4).group(3)", "account(DPSGD(2.0, 0.1, 30)).group(2)", "account(DPSGD(1.0, 0.1, 10), 'remove').inverse()",
    "account(DPSGD(1.0, 0.1, 10), 'remove').symmetrized()", "account(DPSGD(1.0, 0.1, 10), 'replace')",
]  # fmt: skip


def asked(guarantee: object) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is asked of each."""
    g = guarantee
    for side in ("", "optimistic."):
        one = g if not side else g.optimistic  # type: ignore[attr-defined]
        yield f"{side}epsilon", lambda one=one: one.epsilon([1e-9, 1e-5, 1e-2])
        yield f"{side}delta", lambda one=one: one.delta([0.0, 0.1, 1.0, 8.0])
        yield f"{side}beta", lambda one=one: one.beta([1e-6, 0.01, 0.3])
        yield f"{side}mu", lambda one=one: one.mu()
    yield "regret", lambda: g.gdp().regret  # type: ignore[attr-defined]
    yield "renyi", lambda: g.renyi([2.0, 16.0])  # type: ignore[attr-defined]


def told(expression: str) -> dict[str, list[str]]:
    """Every number of one setting, as hexadecimal floats."""
    names = {name: getattr(ny, name) for name in ny.__all__}
    out: dict[str, list[str]] = {}
    made = eval(expression, names)  # our own expressions
    guarantee = made if hasattr(made, "delta") else ny.account(made)
    for name, question in asked(guarantee):
        try:
            found = np.atleast_1d(np.asarray(question(), dtype=np.float64))
        except ny.NotCertified as wide:
            found = np.array([np.nan, wide.lower, wide.upper])
        except ny.InvalidParameter:
            found = np.array([np.nan])
        out[name] = [float(value).hex() for value in found]
    return out


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--settings", type=int, default=SETTINGS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    before = json.loads(options.compare.read_text()) if options.compare else None
    settings = list(before) if before is not None else GIVEN + drawn(options.seed, options.settings)
    store: dict[str, dict[str, list[str]]] = {}
    changed = 0
    for setting in settings:
        store[setting] = told(setting)
        for name, values in store[setting].items() if before is not None else ():
            if values != before[setting].get(name):
                changed += 1
                print(f"{setting}  {name}: {before[setting].get(name)} -> {values}", flush=True)
    count = sum(len(values) for one in store.values() for values in one.values())
    print(f"{len(store)} settings, {count} numbers" + ("" if before is None else f", {changed} answers changed"))
    if options.write:
        options.write.write_text(json.dumps(store, indent=1))
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
