"""The command line of the hunter: see ``tests.hunt``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from tests.hunt.report import Report
from tests.hunt.run import FAMILIES, hunt, once


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt, print what is found as it is found, and a table; 1 where anything is false or an oracle failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="drawn from the clock if none is given; printed")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="these alone (may be repeated)")
    parser.add_argument("--index", type=int, default=None, help="one setting of each family, in this process")
    parser.add_argument("--quiet", action="store_true", help="false numbers and failed oracles alone, and the table")
    options = parser.parse_args(arguments)
    seed = int(time.time()) if options.seed is None else options.seed
    families = options.family or list(FAMILIES)
    print(f"seed {seed}, {options.minutes:g} minutes, {len(families)} families", flush=True)
    report = Report()
    if options.index is not None:
        found = (once(family, seed, options.index) for family in families)
    else:
        found = hunt(seed, 60.0 * options.minutes, families)
    for outcome in found:
        report.add(outcome)
        for event in outcome.events:
            if not options.quiet or event.kind in ("false", "oracle"):
                print(f"{event}\n         python -m tests.hunt --seed {seed} --family {outcome.family} "
                      f"--index {outcome.index}", flush=True)  # fmt: skip
    print(report)
    return int(report.count("false") + report.count("oracle") > 0)


if __name__ == "__main__":
    sys.exit(main())
