"""Whole answers beside gdpnum, one epsilon beside prv_accountant, in one run, as ratios: `python -m benchmarks.beside`.

CPU time of one thread, the least of several runs of either, of numbers that differ by a millionth from those of the run
before. gdpnum answers mu, regret and one epsilon on its default grid of 1e-4; ours the "whole answer" of
``benchmarks.bars``: mu, regret, three epsilons, a curve of 256 points, both bounds. prv_accountant's epsilon is within
.1, ours within 1e-6 of delta.

--runs N      runs of either (default 5; one of what takes seconds)
--json FILE   what was measured, as JSON

Leaves with 1 where a ratio is below what is wanted, with 2 where a peer is not installed (``requirements.txt``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from benchmarks.bars import whole_answer  # first: it tells NumPy how many threads

# isort: split
import neyman as ny
from benchmarks.peers import CONTESTANTS, DELTA, Answer, Steps

__all__ = ["RUNS", "main"]

RUNS = (
    (9.4, 0.32768, 2000), (1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (1.0, 1e-4, 10**6),
    (1.0, 0.01, 10), (0.5, 0.01, 2), (0.3, 0.01, 10), (0.1, 0.01, 3),
)  # fmt: skip
_LONG = 2.0  # seconds of what is run once
_AHEAD = {(9.4, 0.32768, 2000): 20.0}  # times faster that whole answers are to be; all others, and any epsilon: 1


def _epsilon(steps: Steps) -> Answer:
    return {"epsilon": float(ny.account(ny.DPSGD(*steps[0])).epsilon(DELTA))}


def _whole(steps: Steps) -> Answer:
    whole_answer(ny.account(ny.DPSGD(*steps[0])))
    return {}


def _least(solve: Callable[[Steps], Answer], run: tuple[float, float, int], times: int) -> float:
    """Seconds of CPU, of which the first run only warms up; nan where it fails."""
    noise, rate, steps = run
    found: list[float] = []
    for k in range(times + 1):
        start = time.process_time()
        try:
            solve([(noise * (1.0 + 1e-6 * k), rate, steps)])
        except Exception:
            return float("nan")
        found.append(time.process_time() - start)
        if found[-1] > _LONG:
            break
    return min(found[1:] or found)


def main() -> int:
    """Print two rows for each run, as they are measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    matches = (("whole answer", _whole, "gdpnum 1e-4"), ("one epsilon", _epsilon, "prv_accountant 0.1"))
    try:
        peers = {name: CONTESTANTS[name].load() for *_, name in matches}
    except ImportError as missing:
        print(f"{missing}: pip install -r benchmarks/requirements.txt", file=sys.stderr)
        return 2
    rows: list[dict[str, float | str]] = []
    print(f"{'DP-SGD':24} {'':14} {'ours':>10} {'peer':>12} {'times':>8}")
    for run in RUNS:
        for what, ours, name in matches:
            mine, theirs = (_least(solve, run, options.runs) for solve in (ours, peers[name]))
            wanted = _AHEAD.get(run, 1.0) if ours is _whole else 1.0
            behind = theirs < wanted * mine  # what fails is behind nobody
            print(
                f"{run!s:24} {what:14} {1e3 * mine:7.2f} ms {1e3 * theirs:9.1f} ms {theirs / mine:8.1f}"
                f"  {name}{f'  BEHIND {wanted:g}' if behind else ''}",
                flush=True,
            )
            rows.append({"run": str(run), "what": what, "peer": name, "ours": mine, "theirs": theirs, "wanted": wanted})
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2))
    return int(any(float(row["theirs"]) < float(row["wanted"]) * float(row["ours"]) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
