"""Measure sweeps: `python benchmarks/sweeps.py NAME`, with the extra `sweep` installed.

figure4    mu and regret of 6,000 DP-SGD settings (noise 1 to 10, 400, 1000 and 2000 steps, 200 rates): time, and the
           rule of thumb "noise >= 2 and steps >= 400 give a regret below 0.01", confirmed or with its exceptions
cluster    N settings (--settings) on two Dask workers: time, memory of every process as it goes, cost of 10^8
sharing    what settings of one noise and rate have in common: time spent there, calls with equal arguments

--workers N       processes of figure4 (default: the cores of this machine)
--settings N      about how many settings (cluster: default 5,000; figure4: all 6,000)
--floor X         of mu and regret (default 1e-10)
--store DIR       keep blocks there, and go on from there
--quantities Q    asked, separated by spaces (default: mu regret; such as "mu regret epsilon(1e-5) advantage")
--profile         cluster: let Dask's workers profile themselves, which is their default and takes memory for an hour
--json FILE       everything measured, as JSON
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [p for p in (str(ROOT), str(ROOT / "src")) if p not in sys.path]
os.environ["PYTHONPATH"] = os.pathsep.join(p for p in (str(ROOT / "src"), os.environ.get("PYTHONPATH", "")) if p)

import numpy as np  # noqa: E402

import neyman as ny  # noqa: E402

NOISE, STEPS, RULE = np.arange(1.0, 11.0), [400, 1000, 2000], 0.01
QUANTITIES = ["mu", "regret"]


def figure4(options: argparse.Namespace) -> dict[str, Any]:
    """The figure, and its rule."""
    count = 200 if options.settings is None else max(2, options.settings // (len(NOISE) * len(STEPS)))
    grid: dict[str, Any] = {"noise_multiplier": NOISE, "sample_rate": np.geomspace(1e-2, 1.0, count), "steps": STEPS}
    start = _clock()
    found = ny.sweep(**grid, quantities=options.quantities.split(), floor=options.floor, workers=options.workers,
                     store=options.store)  # fmt: skip
    spent = _since(start)
    within = found.regret.where(found.noise_multiplier >= 2.0, drop=True)
    worst = within.isel(within.argmax(...))  # pyright: ignore
    loose = within.where(within >= RULE).stack(setting=within.dims).dropna("setting")
    exceptions = [_certificate(options.floor, *map(float, place)) for place in loose.setting.values]
    by_noise = {float(n): float(found.regret.sel(noise_multiplier=n).max()) for n in NOISE}
    return {
        **spent, "settings": found.attrs["settings"], "failed": found.attrs["failed"],
        "share_in_batches": float(found.in_batch.mean()),
        "ms_cpu_a_setting": 1e3 * spent["cpu"] / found.attrs["settings"],
        "largest_regret_by_noise": by_noise,
        "worst_within_rule": {**{d: float(worst[d]) for d in within.dims}, "regret_at_most": float(worst)},
        "floor": options.floor, "rule_holds": not exceptions,
        "exceptions_for_certain": sum(e["regret_at_least"] > RULE for e in exceptions), "exceptions": exceptions,
    }  # fmt: skip


def _certificate(floor: float, noise: float, rate: float, steps: float) -> dict[str, float]:
    """An exception is one if the regret is provably above the rule."""
    g = ny.account(ny.DPSGD(noise, rate, int(steps)))
    low, high = g.optimistic.gdp(floor).regret, g.gdp(floor).regret
    return {"noise": noise, "rate": rate, "steps": steps, "regret_at_least": low, "regret_at_most": high}


def cluster(options: argparse.Namespace) -> dict[str, Any]:
    """A sweep on two worker processes, their memory watched from outside."""
    import dask
    from distributed import Client, LocalCluster

    if not options.profile:
        dask.config.set({"distributed.worker.profile.enabled": False})
    size = options.settings or 5_000
    rates = max(2, round(size / (len(NOISE) * 50)))
    steps = np.unique(np.geomspace(400, 20_000, 50).astype(np.int64))
    grid: dict[str, Any] = {"noise_multiplier": NOISE, "sample_rate": np.geomspace(1e-2, 1.0, rates), "steps": steps}
    with (
        tempfile.TemporaryDirectory() as scratch,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=scratch) as here,
        Client(here) as client,
    ):
        pids = {"client": os.getpid(), **{f"worker {i}": p for i, p in enumerate(client.run(os.getpid).values())}}
        ready = sum(_cpu(pid) for pid in pids.values())
        start = time.perf_counter()
        with _Watch(pids) as watch:
            found = ny.sweep(**grid, quantities=options.quantities.split(), floor=options.floor, client=client,
                             store=options.store or f"{scratch}/store")  # fmt: skip
        wall = time.perf_counter() - start
        cpu = sum(_cpu(pid) for pid in pids.values()) - ready
    n = found.attrs["settings"]
    return {
        "settings": n, "failed": found.attrs["failed"], "wall": wall, "cpu": cpu,
        "ms_cpu_a_setting": 1e3 * cpu / n, "settings_a_second": n / wall,
        "days_of_one_core_for_1e8": cpu / n * 1e8 / 86_400, "days_here_for_1e8": wall / n * 1e8 / 86_400,
        "memory_mb": watch.quarters(),
    }  # fmt: skip


class _Watch:
    """Resident memory of some processes, ten times a second (Linux)."""

    def __init__(self, pids: dict[str, int]) -> None:
        self.pids = pids
        self.seen: dict[str, list[float]] = {name: [] for name in pids}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            for name, pid in self.pids.items():
                pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                self.seen[name].append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)

    def quarters(self) -> dict[str, list[float]]:
        """The largest in each quarter of the time."""
        return {
            name: [round(float(part.max()), 1) for part in np.array_split(np.array(seen), 4) if len(part)]
            for name, seen in self.seen.items()
        }


def sharing(_: argparse.Namespace) -> dict[str, Any]:
    """How much of an answer is the transform of one step, and how often it is asked the same twice."""
    from neyman.losses.gaussian.transform import SamplingTransform

    spent, asked, again, seen = 0.0, 0, 0, set[Any]()

    def watched(name: str) -> None:
        method = getattr(SamplingTransform, name)

        def timed(law: Any, *arguments: Any) -> Any:
            nonlocal spent, asked, again
            key = (name, law.sigma, law.rate, *(a.tobytes() if isinstance(a, np.ndarray) else a for a in arguments))
            asked, again = asked + 1, again + (key in seen)
            seen.add(key)
            start = time.process_time()
            try:
                return method(law, *arguments)
            finally:
                took = time.process_time() - start
                spent += took
                if key in saved:
                    saved[key] += took
                else:
                    saved[key] = 0.0

        setattr(SamplingTransform, name, timed)

    saved: dict[Any, float] = {}
    for name in ("moments", "on_line", "log_bound"):
        watched(name)
    start = time.process_time()
    found = ny.sweep(noise_multiplier=[1.0, 2.0, 5.0, 10.0], sample_rate=np.geomspace(1e-2, 1.0, 10), steps=STEPS,
                     quantities=QUANTITIES, workers=1, batches=False)  # fmt: skip
    whole = time.process_time() - start
    return {
        "settings": found.attrs["settings"], "cpu": whole, "share_of_transforms": spent / whole, "calls": asked,
        "calls_asked_before": again, "share_that_a_cache_would_save": sum(saved.values()) / whole,
    }  # fmt: skip


def _clock() -> tuple[float, float]:
    times = os.times()
    return time.perf_counter(), times.user + times.system + times.children_user + times.children_system


def _since(start: tuple[float, float]) -> dict[str, float]:
    wall, cpu = _clock()
    return {"wall": wall - start[0], "cpu": cpu - start[1]}


def _cpu(pid: int) -> float:
    """Seconds of processor that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    names = {"figure4": figure4, "cluster": cluster, "sharing": sharing}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(names))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--settings", type=int)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--floor", type=float, default=1e-10)
    parser.add_argument("--quantities", default=" ".join(QUANTITIES))
    parser.add_argument("--store")
    parser.add_argument("--json")
    options = parser.parse_args()
    found = {"benchmark": options.name, "load": os.getloadavg(), **names[options.name](options)}
    found["load_after"] = os.getloadavg()
    print(json.dumps(found, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
