"""Measure Renyi divergences beside dp_accounting's, and comparisons: `python benchmarks/languages.py`.

Each task is called once to warm up and then seven times, on guarantees that exist but have not been asked this before;
the median counts. dp_accounting is left out where it is not installed.
"""

from __future__ import annotations

import logging
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [p for p in (str(ROOT / "src"),) if p not in sys.path]

import numpy as np  # noqa: E402

import neyman as ny  # noqa: E402

ORDERS = np.concatenate([1.0 + np.geomspace(0.01, 1.0, 30), np.arange(3.0, 65.0), np.geomspace(80.0, 1e4, 8)])
REPEATS = 7
CENSUS = (2.0, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3)  # per cent of rho, level by level, ten tables each
OTHER = (5.0, 20.0, 10.0, 15.0, 15.0, 20.0, 14.0, 1.0)
ODD = (8.2761, 2.2361, 4.0141, 3.2339, 3.2331, 2.3993, 3.4079, 21.369)


def census(shares: tuple[float, ...], rho: float) -> ny.Mechanism:
    """80 discrete Gaussians."""
    return ny.compose(ny.DiscreteGaussian((10.0 / (2.0 * share / 100.0 * rho)) ** 0.5) ** 10 for share in shares)


def measured(prepare: Callable[[], object], task: Callable[[object], object]) -> float:
    """Median seconds of ``task``."""
    seconds = []
    for turn in range(REPEATS + 1):
        ready = prepare()
        start = time.perf_counter()
        task(ready)
        if turn:
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def pair(a: ny.Mechanism, b: ny.Mechanism) -> tuple[ny.Guarantee, ny.Guarantee]:
    """Two guarantees that have been asked for mu."""
    both = ny.account(a), ny.account(b)
    for g in both:
        g.gdp()
    return both


def main() -> None:
    """Print the table."""
    for run in (ny.DPSGD(1.0, 0.01, 1000), ny.DPSGD(9.4, 0.32768, 2000)):
        ours = measured(lambda run=run: ny.account(run), lambda g: g.renyi(ORDERS))
        line = f"renyi of {run!r}, {len(ORDERS)} orders: {1e3 * ours:.1f} ms"
        try:
            from dp_accounting.rdp import rdp_privacy_accountant as peer

            logging.getLogger("absl").setLevel(logging.ERROR)  # a line for each order that does not converge
        except ImportError:
            print(line)
            continue
        step = run.parts[0][0]
        theirs = measured(lambda: None, lambda _, s=step: peer._compute_rdp_poisson_subsampled_gaussian(
            s.rate, s.of.sigma, ORDERS))  # fmt: skip
        print(f"{line}; dp_accounting {1e3 * theirs:.1f} ms, {theirs / ours:.1f} times")
    cases = {
        "two DP-SGD runs": (ny.DPSGD(9.4, 0.32768, 2000), ny.DPSGD(12.0, 0.32768, 2007)),
        "DP-SGD of other rates": (ny.DPSGD(1.0, 0.01, 1000), ny.DPSGD(0.8, 0.005, 3000)),
        "Gaussian and Laplace": (ny.Gaussian(1.0), ny.Laplace(1.0)),
        "two census releases, rho 3.65 and 2.56": (census(CENSUS, 3.65), census(CENSUS, 2.56)),
        "two census releases, other shares": (census(CENSUS, 3.65), census(OTHER, 3.65)),
        "two releases without a common lattice": (
            census(CENSUS, 3.65),
            ny.compose(ny.DiscreteGaussian(s) ** 10 for s in ODD),
        ),
    }
    for name, (a, b) in cases.items():
        both = measured(lambda a=a, b=b: pair(a, b), lambda gs: ny.compare(*gs).bounds)
        order = measured(lambda a=a, b=b: pair(a, b), lambda gs: ny.compare(*gs).order)
        print(f"compare {name}: divergences {1e3 * both:.1f} ms, order {1e3 * order:.1f} ms")


if __name__ == "__main__":
    main()
