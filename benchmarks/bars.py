"""Every bar of speed in one table, what was measured beside what is asked: `python -m benchmarks.bars [WORD...]`.

CPU time of one thread, the least of several runs, each of new objects whose numbers differ by a millionth from those of
the run before, so that nothing is remembered; bars that say "wall" are of the clock. Words pick the bars whose names
hold one of them. The bars are those of the machine that they were set on:

--slower X    this machine takes X times as long (1.34 was measured where the bars were missed by as much)
--runs N      runs of each bar (default 7; sweeps and what takes seconds fewer)
--json FILE   what was measured, as JSON

Leaves with 1 where a bar is missed. A "whole answer" is account, gdp, epsilon at 1e-5, 1e-6 and 1e-9, epsilon(1e-5) and
mu from the optimistic side, and a curve of 256 points.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [p for p in (str(ROOT), str(ROOT / "src")) if p not in sys.path]
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # before NumPy is there

import numpy as np  # noqa: E402

import neyman as ny  # noqa: E402

__all__ = ["BARS", "Bar", "main", "whole_answer"]

_DELTAS = (1e-5, 1e-6, 1e-9)
_ORDERS = (1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0)
_FIRST = "import neyman as ny; ny.account(ny.DPSGD(9.4, 0.32768, 2000)).epsilon(1e-5)"
_COMMAND = ("dpsgd", "--noise-multiplier", "9.4", "--sample-rate", "0.32768", "--steps", "2000")


@dataclass(frozen=True)
class Bar:
    """What is timed, in seconds: ``run(factor)`` answers with them; ``most`` is the bar, ``runs`` at most so many."""

    name: str
    most: float
    run: Callable[[float], float]
    runs: int = 100


def _cpu(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def whole_answer(g: ny.Guarantee) -> None:
    """What is asked of a run: see above."""
    g.gdp()
    for delta in _DELTAS:
        g.epsilon(delta)
    g.optimistic.epsilon(1e-5)
    g.optimistic.mu()
    g.curve(256)


def _answered(make: Callable[[float], ny.Mechanism]) -> Callable[[float], float]:
    """The whole answer to a mechanism, from its making on."""
    return lambda factor: _cpu(lambda: whole_answer(ny.account(make(factor))))


def _dpsgd(noise: float, rate: float, steps: int) -> Callable[[float], float]:
    return _answered(lambda factor: ny.DPSGD(noise * factor, rate, steps))


def _mix(distinct: int) -> Callable[[float], float]:
    """Account, gdp and one epsilon of so many distinct settings, ten steps each."""

    def ask(factor: float) -> None:
        parts = np.linspace(0.0, 1.0, distinct)
        g = ny.account(ny.compose(ny.DPSGD((0.8 + 1.2 * x) * factor, 1e-3 + 9e-3 * x, 10) for x in parts.tolist()))
        g.gdp()
        g.epsilon(1e-5)

    return lambda factor: _cpu(lambda: ask(factor))


def _orders(factor: float) -> ny.Guarantee:
    """What an accountant of moments says of (1, .01, 1000): thirteen orders."""
    return ny.RDP(_ORDERS, [factor * e for e in _STATED])


_STATED = [float(e) for e in ny.account(ny.DPSGD(1.0, 0.01, 1000)).renyi(_ORDERS)]


def _stated(make: Callable[[float], ny.Guarantee]) -> Callable[[float], float]:
    """The gdp of what was stated."""
    return lambda factor: _cpu(lambda: make(factor).gdp())


def _few_orders(factor: float) -> ny.Guarantee:
    return ny.RDP([2.0, 4.0, 8.0, 16.0], [factor, 2.0, 4.0, 8.0])


def _curve_of_orders(factor: float) -> float:
    g = _orders(factor)
    g.gdp()

    def ask() -> None:
        g.curve(256)
        for delta in _DELTAS:
            g.epsilon(delta)

    return _cpu(ask)


def _audited(factor: float) -> float:
    claim = ny.ZCDP(0.5 * factor)
    rng = np.random.default_rng(1)
    evidence = ny.audit.from_scores(rng.normal(1.0, 1.0, 1000), rng.normal(0.0, 1.0, 1000))
    return _cpu(lambda: ny.audit.check(claim, evidence))


def _census(factor: float) -> ny.Mechanism:
    return ny.census.published("dhc-2022-08-25", rho=f"{3.65 * factor:.9f}").mechanism()


def _swept(factor: float) -> float:
    """Seconds a setting."""
    noises, rates = np.arange(1.0, 11.0) * factor, np.geomspace(1e-2, 1.0, 200)
    found: list[int] = []

    def sweep() -> None:
        swept = ny.sweep(
            noise_multiplier=noises, sample_rate=rates, steps=[400, 1000, 2000], quantities=["mu", "regret"], workers=1
        )
        found.append(swept.attrs["settings"])

    seconds = _cpu(sweep)
    return seconds / found[0]


def _steps(factor: float) -> float:
    """Seconds a step, of two thousand."""

    def train() -> None:
        accountant = ny.Accountant()
        for _ in range(2000):
            accountant.step(noise_multiplier=factor, sample_rate=0.01)
            accountant.get_epsilon(1e-5)

    return _cpu(train) / 2000


def _noise_for_mu(factor: float) -> float:
    return _cpu(lambda: ny.noise_for_dpsgd(ny.targets.Mu(factor), 0.01, 10_000))


def _laplace_for_mu(factor: float) -> float:
    return _cpu(lambda: ny.calibrate(lambda scale: ny.Laplace(scale) ** 10, ny.targets.Mu(factor)))


def _in_a_process(*arguments: str, wall: bool = False) -> float:
    """CPU time of a new process, its own and the system's for it, or the clock's."""
    paths = os.pathsep.join(p for p in (str(ROOT / "src"), os.environ.get("PYTHONPATH", "")) if p)
    before, start = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": paths}
    )
    clock, after = time.perf_counter() - start, os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return clock if wall else used


BARS = (
    Bar("whole answer, DPSGD(9.4, .32768, 2000)", 6e-3, _dpsgd(9.4, 0.32768, 2000)),
    Bar("whole answer, DPSGD(1, .01, 1000)", 8e-3, _dpsgd(1.0, 0.01, 1000)),
    Bar("whole answer, DPSGD(.6, .001, 10**5)", 9e-3, _dpsgd(0.6, 1e-3, 10**5)),
    Bar("whole answer, DPSGD(1, .0001, 10**6)", 15e-3, _dpsgd(1.0, 1e-4, 10**6)),
    Bar("whole answer, DPSGD(1, .01, 10)", 30e-3, _dpsgd(1.0, 0.01, 10)),
    Bar("whole answer, DPSGD(.5, .01, 2)", 60e-3, _dpsgd(0.5, 0.01, 2)),
    Bar("whole answer, DPSGD(.3, .01, 10)", 100e-3, _dpsgd(0.3, 0.01, 10)),
    Bar("whole answer, DPSGD(.1, .01, 3)", 150e-3, _dpsgd(0.1, 0.01, 3), 5),
    Bar("mix of 1000 settings: account, gdp, epsilon", 0.8, _mix(1000), 3),
    Bar("mix of 100 settings: account, gdp, epsilon", 0.3, _mix(100), 5),
    Bar("whole answer, Laplace(1) ** 10", 25e-3, _answered(lambda f: ny.Laplace(f) ** 10)),
    Bar("Laplace(b) ** 10 calibrated to mu 1", 0.2, _laplace_for_mu),
    Bar(
        "whole answer, DiscreteGaussian(2).poisson(.1) ** 100", 0.8,
        _answered(lambda f: ny.DiscreteGaussian(2.0).poisson(0.1 * f) ** 100), 5,
    ),
    Bar("whole answer, the Census of 2020", 40e-3, _answered(_census)),
    Bar("noise of DP-SGD for mu 1", 30e-3, _noise_for_mu),
    Bar("13 Renyi orders: gdp", 35e-3, _stated(_orders)),
    Bar("13 Renyi orders: a curve, three epsilons", 70e-3, _curve_of_orders),
    Bar("ZCDP(.5): gdp", 60e-3, _stated(lambda f: ny.ZCDP(0.5 * f))),
    Bar("ZCDP(.5): report", 2.0, lambda f: _cpu(lambda: ny.report(ny.ZCDP(0.5 * f))), 3),
    Bar("ZCDP(.5): audit of 1000 scores a side", 1.0, _audited, 3),
    Bar("ZCDP(.5) * GDP(1): gdp", 0.3, _stated(lambda f: ny.ZCDP(0.5 * f) * ny.GDP(1.0)), 5),
    Bar("ZCDP(.5) * four orders: gdp", 0.3, _stated(lambda f: ny.ZCDP(0.5) * _few_orders(f)), 5),
    Bar("ZCDP(.5).group(3): gdp", 0.3, _stated(lambda f: ny.ZCDP(0.5 * f).group(3)), 5),
    Bar("four orders in a group of 3: gdp", 0.3, _stated(lambda f: _few_orders(f).group(3)), 5),
    Bar("ZCDP(.5) and four orders, what both keep: gdp", 0.3, _stated(lambda f: ny.meet(ny.ZCDP(0.5), _few_orders(f)))),
    Bar("a setting of a sweep of 6,000", 1 / 800, _swept, 1),
    Bar("a step of 2,000, with its epsilon", 3e-3, _steps, 1),
    Bar("first answer of a process", 0.35, lambda _: _in_a_process("-c", _FIRST)),
    Bar("neyman dpsgd, wall", 0.5, lambda _: _in_a_process("-m", "neyman", *_COMMAND, wall=True)),
)  # fmt: skip


def _least(bar: Bar, runs: int) -> float:
    """The first run only warms up, where there is more than one."""
    times = [bar.run(1.0 + 1e-6 * k) for k in range(min(bar.runs, runs) + (bar.runs > 1))]
    return min(times[1:] or times)


def main() -> int:
    """Print a row for each bar, as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--slower", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows, chosen = [], [b for b in BARS if not options.words or any(w.lower() in b.name.lower() for w in options.words)]
    print(f"{'bar':54} {'measured':>12} {'bar':>12}")
    for bar in chosen:
        seconds, most = _least(bar, options.runs), bar.most * options.slower
        print(f"{bar.name:54} {1e3 * seconds:9.2f} ms {1e3 * most:9.2f} ms  {'' if seconds <= most else 'MISSED'}")
        sys.stdout.flush()
        rows.append({"bar": bar.name, "seconds": seconds, "most": most})
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2))
    return int(any(row["seconds"] > row["most"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
