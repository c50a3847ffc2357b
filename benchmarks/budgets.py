"""Individual budgets of ten million records over a thousand steps, and the cost of a step of an accountant.

Run: ``python -m benchmarks.budgets [records] [steps]``. CPU time of this process (one thread) and its peak memory.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import neyman as ny


def individual(records: int, steps: int) -> None:
    rng = np.random.default_rng(1)
    budget = ny.IndividualFilter(mu=1.0, records=records)
    norms = rng.random(records, dtype=np.float32) * np.float32(0.1)
    kinds = {
        "an array": lambda: budget.spend(norms),
        "one number": lambda: budget.spend(0.01),
        "an array and a mask": lambda mask=norms > 0.03: budget.spend(norms, mask),
    }
    for name, spend in kinds.items():
        start, wall = time.process_time(), time.perf_counter()
        for _ in range(steps):
            active = spend()
        cpu, wall = time.process_time() - start, time.perf_counter() - wall
        print(
            f"{records:.0e} records, {steps} steps, {name}: {cpu:.1f} s CPU, {wall:.1f} s; {active.mean():.3f} active"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


def stepping(steps: int) -> None:
    rng = np.random.default_rng(2)
    settings = [(0.8 + 0.01 * i, 0.001 + 0.0002 * i) for i in range(100)]
    schedule = [settings[i] for i in rng.integers(0, 100, steps)]
    accountant = ny.Accountant()
    start = time.process_time()
    for sigma, rate in schedule:
        accountant.step(noise_multiplier=sigma, sample_rate=rate)
    print(f"{steps:.0e} steps of 100 settings: {(time.process_time() - start) / steps * 1e6:.2f} us CPU each")
    start = time.process_time()
    epsilon = accountant.get_epsilon(1e-5)
    print(f"their guarantee, epsilon(1e-5) = {epsilon:.6g}: {time.process_time() - start:.3f} s CPU")


if __name__ == "__main__":
    individual(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7, int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    stepping(10**6)
