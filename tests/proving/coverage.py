"""How much of what reports claim is proved, family by family of the hunter: a table that decides what is missing most.

    python -m tests.proving.coverage --settings 5 --seed 1 --seconds 60 [--family laplace]

Each setting is reported on and proved in a process of its own, which is given so many seconds. Columns: settings drawn
and answered, statements (both ends of each claim) that the checker proves and refutes, median processor seconds of the
report (the float certificate), of the search with its check, of the check alone; then why statements are not proved,
the commonest first. What is refuted is printed with its setting: a bug in an engine, or in a statement of the prover.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from statistics import median
from typing import Any

import neyman as ny
from tests.hunt import custom
from tests.hunt.families import MECHANISMS

__all__ = ["answered", "main"]

_CHILD = "from tests.proving.coverage import child; child()"


def answered(words: str) -> dict[str, Any]:
    """Report on a setting and prove what is said."""
    start = time.process_time()
    guarantee = eval(words, {"ny": ny, "custom": custom})  # words of the hunter
    report = ny.report(guarantee)
    reported = time.process_time()
    proof = ny.prove(report)
    proved = time.process_time()
    proof.check()
    checked = time.process_time()
    return {
        "answers": [(one.id, one.verdict, one.reason) for one in proof.answers],
        "seconds": [reported - start, proved - reported, checked - proved],
    }


def child() -> None:
    """One setting from standard input."""
    try:
        found = answered(sys.stdin.read())
    except (ny.NeymanError, ArithmeticError) as error:
        found = {"failure": f"{type(error).__name__}: {error}"[:100]}
    sys.stdout.write(json.dumps(found))


def _elsewhere(words: str, seconds: float) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD], input=words.encode(), capture_output=True, timeout=seconds, check=False
        )
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"failure": f"longer than {seconds:g} s"}
    except ValueError:
        return {"failure": "ended without an answer"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--family", help="one of them alone")
    asked = parser.parse_args()
    print(f"{'family':<24}{'settings':>9}{'proved':>8}{'refuted':>8}{'report':>8}{'prove':>7}{'check':>7}  missing")
    for make in MECHANISMS:
        rng = random.Random(f"{asked.seed} {make.__name__}")
        if asked.family in (None, make.__name__):
            _row(make.__name__, [make(rng).words for _ in range(asked.settings)], asked.seconds)


def _row(family: str, settings: list[str], seconds: float) -> None:
    found = [(words, _elsewhere(words, seconds)) for words in settings]
    whole = [one for _, one in found if "answers" in one]
    answers = [(words, *answer) for words, one in found for answer in one.get("answers", ())]
    count = Counter(verdict for _, _, verdict, _ in answers)
    share = f"{count['proved'] / len(answers):.0%}" if answers else "-"
    times = [f"{median(times):.1f}" for times in zip(*(one["seconds"] for one in whole), strict=True)] or ["-"] * 3
    missing = Counter(why for _, _, verdict, why in answers if verdict == "not proved")
    missing.update(one["failure"] for _, one in found if "failure" in one)
    why = "; ".join(f"{why} ({number})" for why, number in missing.most_common(3))
    print(f"{family:<24}{len(whole):>4} of{len(settings):>2}{share:>8}{count['refuted']:>8}"
          f"{times[0]:>8}{times[1]:>7}{times[2]:>7}  {why}", flush=True)  # fmt: skip
    for words, name, verdict, _ in answers:
        if verdict == "refuted":
            print(f"    {name} of {words}")


if __name__ == "__main__":
    main()
