"""Measure ours beside gdpnum, dp_accounting's PLD and prv_accountant: `python benchmarks/run.py`.

Every case of every contestant runs in its own process (so that peak memory is its own), is called once to warm up, then
repeated; the median counts. Error is against the independently computed reference.json; times are also given as ratios
to ours.

    --case NAME, --contestant NAME   only these (may be repeated)
    --peers PYTHON                   an interpreter that has the peers, if this one has not
    --cap SECONDS                    longest time one contestant may take on one case (default 120)
    --json FILE                      everything measured, as JSON
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [p for p in (str(ROOT), str(ROOT / "src")) if p not in sys.path]

from benchmarks.cases import CASES, Truth, truths  # noqa: E402
from benchmarks.peers import CONTESTANTS, OURS  # noqa: E402

REPEAT_FOR = 2.0
IMPORT = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
EAGER = "from neyman import DPSGD, account"
"""Ours imports lazily: what a first answer needs is measured beside the bare import."""
Row = dict[str, Any]


def measure(contestant: str, case: str) -> Row:
    """In the child: one cold call, then 3 to 15 calls in about two seconds (none if the cold one took over 20 s)."""
    try:
        solve = CONTESTANTS[contestant].load()
    except ImportError as error:
        return {"missing": f"{error}; pip install {CONTESTANTS[contestant].install}"}
    steps, seconds = list(CASES[case].steps), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        try:
            answer = solve(steps)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {str(error)[:160]}"}
        cold = time.perf_counter() - start
        while cold < 20.0 and len(seconds) < 15 and (len(seconds) < 3 or sum(seconds) < REPEAT_FOR):
            start = time.perf_counter()
            solve(steps)
            seconds.append(time.perf_counter() - start)
    return {
        **answer,
        "cold": cold,
        "median": statistics.median(seconds) if seconds else cold,
        "calls": len(seconds),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / (1024.0**2 if sys.platform == "darwin" else 1024.0),
        "warnings": sorted({f"{w.category.__name__}: {str(w.message)[:100]}" for w in caught}),
    }


def run_child(python: str, contestant: str, case: str, cap: float) -> Row:
    """One measurement in a fresh process."""
    command = [python, __file__, "--measure", contestant, case]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=cap, env=_environment(), check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer within {cap:g} s"}
    if done.returncode != 0:
        return {"error": f"exit {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1][:160]}"}
    return json.loads(done.stdout.splitlines()[-1])


def import_seconds(python: str, statement: str) -> float | None:
    """Best of five fresh processes; None where the statement fails."""
    found = []
    for _ in range(5):
        done = subprocess.run(
            [python, "-c", IMPORT.format(statement)], capture_output=True, text=True, env=_environment(), check=False
        )
        if done.returncode != 0:
            return None
        found.append(float(done.stdout.splitlines()[-1]))
    return min(found)


def _environment() -> dict[str, str]:
    path = os.pathsep.join(p for p in (str(ROOT / "src"), os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, "PYTHONPATH": path}


# ---------------------------------------------------------------------------------------------------------- the table


def line(contestant: str, row: Row, ours: Row, truth: Truth | None) -> str:
    """One line of the table; an answer on the wrong side of the truth by more than 1e-9 is marked UNDER."""
    if "missing" in row or "error" in row:
        return f"  {contestant:<20} {'missing: ' + row['missing'] if 'missing' in row else 'failed: ' + row['error']}"
    ratio = f"{row['median'] / ours['median']:8.1f}x" if "median" in ours else "       --"
    cells = [f"  {contestant:<20} {_time(row['median'])} {ratio} {_time(row['cold'])} {row['rss_mb']:6.0f}"]
    cells += [_value(row.get(x), getattr(truth, x, None), row.get(f"{x}_lower")) for x in ("mu", "epsilon")]
    cells.append(f"{row['regret']:.3e}" if "regret" in row else "--")
    return "  ".join(cells) + (f"  [{len(row['warnings'])} warnings]" if row["warnings"] else "")


def _value(value: float | None, truth: float | None, lower: float | None) -> str:
    if value is None:
        return f"{'--':>38}"
    error = value / truth - 1.0 if truth else float("nan")
    note = "  no ref" if not truth else f"{error:+8.1e}"
    side = (
        " UNDER"
        if truth and error < -1e-9
        else " CROSS"
        if truth and lower is not None and lower > truth * (1.0 + 1e-9)
        else "      "
    )
    width = f"{value - lower:7.0e}" if lower is not None else "     --"
    return f"{value:12.8f} {note} {width}{side}".rjust(38)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:8.1f} ms" if seconds < 10.0 else f"{seconds:8.1f} s "


HEADER = (
    f"  {'':<20} {'median':>11} {'to ours':>9} {'first call':>11} {'MB':>6}"
    f"  {'mu at 1e-10, error, bracket':>38}  {'epsilon(1e-5), error, bracket':>38}  regret"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", choices=list(CASES), default=None)
    parser.add_argument("--contestant", action="append", choices=list(CONTESTANTS), default=None)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--cap", type=float, default=120.0, metavar="SECONDS")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE")
    parser.add_argument("--measure", nargs=2, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0

    chosen = options.contestant or list(CONTESTANTS)
    pythons = {name: sys.executable if name == OURS else options.peers for name in chosen}
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    result: Row = {"machine": machine, "import": {}, "cases": {}}
    print(machine)
    for statement, python in _imports(pythons).items():
        seconds = result["import"][statement] = import_seconds(python, statement)
        print(f"  {statement:<36} {'fails or missing' if seconds is None else _time(seconds)}")
    known = truths()
    for case in options.case or CASES:
        print(f"\n{case}: {_describe(case)}\n{HEADER}", flush=True)
        rows = result["cases"][case] = {}
        for name in chosen:
            rows[name] = run_child(pythons[name], name, case, options.cap)
            print(line(name, rows[name], rows.get(OURS, {}), known.get(case)), flush=True)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def _imports(pythons: dict[str, str]) -> dict[str, str]:
    """Each statement to time, with the interpreter that runs it."""
    found = {f"import {CONTESTANTS[name].module}": python for name, python in pythons.items()}
    return {**found, EAGER: pythons[OURS]} if OURS in pythons else found


def _describe(case: str) -> str:
    steps = CASES[case].steps
    if len(steps) > 1:
        return f"{len(steps)} different steps, {steps[0]} to {steps[-1]}"
    return "noise multiplier {:g}, sample rate {:g}, {} steps".format(*steps[0])


if __name__ == "__main__":
    sys.exit(main())
