"""Batches of DP-SGD and accountants that go on, over their whole domain: no bound may contradict a truth in balls.

    python -m tests.hunt.batches --minutes 10 --seed 1

Each round draws a block of settings that share a batch, another with other questions, and a run that is asked for
epsilon as it goes. Of those that are certain a few are looked at: the law's delta in ball arithmetic beside that of
the Gaussian, at eps whose alpha is certain to be above the floor; delta, advantage and epsilon beside it; and the
regular engine's bounds. Printed: what is false, with its setting; counts.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

import numpy as np
from flint import arb

import neyman as ny
from neyman.engines.batch.answering.answer import answer
from neyman.engines.batch.answering.asked import WIDTH, Questions, answers
from tests.hunt.draw import between, number, whole
from tests.hunt.steps import Step
from tests.hunt.truth import Composition, Truth
from tests.reference.closed import gaussian_delta

__all__ = ["main"]

_BLOCK, _LOOKED, _PLACES = 40, 2, 5
_ROUNDED = 1e-12  # relative, of the Gaussian's delta: far below what is claimed


def _drawn(rng: random.Random) -> tuple[float, float, int]:
    """As people have them, anywhere, or so that the whole tells something."""
    kind = rng.random()
    if kind < 0.4:
        return number(rng, 0.5, 12.0), number(rng, 1e-4, 1.0), whole(rng, 30, 10**5)
    if kind < 0.6:
        return number(rng, 0.28, 1100.0), number(rng, 1e-8, 1.0), whole(rng, 25, 10**9)
    sigma, rate = number(rng, 0.3, 1000.0), number(rng, 1e-6, 0.999)
    spread = between(rng, 2e-3, 80.0)
    times = (spread / rate) ** 2 / math.expm1(min(sigma**-2.0, 600.0))
    return sigma, rate, min(max(round(times), 30), 10**9)


def _truth(sigma: float, rate: float, steps: int) -> Truth:
    return Truth(Composition([Step("Gaussian", (sigma,), rate, steps)]))


def _false_of_batch(rng: random.Random, counts: Counter[str]) -> Iterator[str]:
    """What is false of one block."""
    floor = between(rng, 1e-15, 0.05)
    block = [_drawn(rng) for _ in range(_BLOCK)]
    found = answer(*(np.array(column, dtype=np.float64) for column in zip(*block, strict=True)), floor)
    certain = np.flatnonzero(found.certain).tolist()
    counts["settings"] += len(block)
    counts["certain"] += len(certain)
    for i in rng.sample(certain, min(_LOOKED, len(certain))):
        sigma, rate, steps = block[i]
        words = f"answer of ({sigma!r}, {rate!r}, {steps}) at floor {floor!r}, index {i} of its block"
        mu, regret = float(found.mu[i]), float(found.regret[i])
        if not (found.mu_lower[i] <= mu and 0.0 <= found.regret_lower[i] <= regret):
            yield f"bounds crossed: {words}"
        if rate < 1.0:
            yield from _beside(rng, counts, (sigma, rate, steps), (mu, regret, floor), words)
        try:
            g = ny.account(ny.DPSGD(sigma, rate, steps))
            report, least = g.gdp(floor), g.optimistic.mu(floor)
        except ny.NotCertified:
            counts["regular refused"] += 1
            continue
        counts["regular"] += 1
        if mu < least or found.mu_lower[i] > report.mu:
            yield f"mu {found.mu_lower[i]!r} to {mu!r}, not {least!r} to {report.mu!r}: {words}"
        if found.regret_lower[i] > report.regret + 0.4 * (report.mu - least):
            yield f"regret from {found.regret_lower[i]!r}, not up to {report.regret!r}: {words}"


def _beside(
    rng: random.Random, counts: Counter[str], setting: tuple[float, float, int], claim: tuple[float, float, float],
    words: str,
) -> Iterator[str]:  # fmt: skip
    """The law's delta beside the Gaussian's."""
    truth, (mu, regret, floor) = _truth(*setting), claim
    for _ in range(_PLACES):
        epsilon = max(0.0, mu * (0.5 * mu + rng.uniform(-1.0, 1.1) * math.sqrt(-2.0 * math.log(floor))))
        low, high = truth.delta(epsilon)
        gaussian = gaussian_delta(mu, epsilon)
        counts["deltas"] += 1
        if gaussian - high > (regret * (1 + _ROUNDED)) * (1 + arb(epsilon).exp()):
            yield f"regret {regret!r} at epsilon {epsilon!r}: {words}"
        if not low > gaussian * (1 + _ROUNDED):
            continue
        width = 1e-3 * mu
        beyond = truth.delta(epsilon + width)[1]
        alpha = (low - beyond) / (arb(epsilon).exp() * arb(width).expm1())
        if alpha >= floor and (1 - high - arb(epsilon).exp() * alpha) >= floor:
            yield f"mu {mu!r} at epsilon {epsilon!r}: {words}"


def _false_of_asked(rng: random.Random, counts: Counter[str]) -> Iterator[str]:
    """What is false of delta, advantage and epsilon of one block."""
    asked = Questions(
        (0.0, rng.choice([rng.uniform(0.0, 3.0), rng.uniform(0.0, 80.0)])),
        (between(rng, 1e-15, 0.9), rng.choice([1e-5, 1e-6, 1e-9])),
    )
    block = [_drawn(rng) for _ in range(_BLOCK)]
    found = answers(*(np.array(column, dtype=np.float64) for column in zip(*block, strict=True)), asked)
    counts["questions"] += found.certain.size
    counts["certain of questions"] += int(found.certain.sum())
    some = np.flatnonzero(found.certain.any(axis=0)).tolist()
    for i in rng.sample(some, min(2 * _LOOKED, len(some))):
        setting = block[i]
        words = f"answers of {setting!r} at {asked!r}, index {i} of its block"
        truth = _truth(*setting) if setting[1] < 1.0 else None
        try:
            g = ny.account(ny.DPSGD(*setting))
        except ny.NotCertified:
            g = None
        for row in np.flatnonzero(found.certain[:, i]).tolist():
            lower, upper = float(found.lower[row, i]), float(found.upper[row, i])
            if not 0.0 <= upper - lower <= WIDTH * upper:
                yield f"row {row} from {lower!r} to {upper!r}: {words}"
            if g is not None:
                yield from _beside_regular(counts, g, asked, (row, lower, upper), words)
            if truth is not None:
                yield from _beside_balls(counts, truth, asked, (row, lower, upper), words)


def _beside_balls(
    counts: Counter[str], truth: Truth, asked: Questions, claim: tuple[int, float, float], words: str
) -> Iterator[str]:
    """The law's delta in balls."""
    row, lower, upper = claim
    counts["rows in balls"] += 1
    if row < len(asked.epsilons):
        low, high = truth.delta(asked.epsilons[row])
        if low > upper or high < lower:
            yield f"delta from {lower!r} to {upper!r}, row {row}: {words}"
        return
    level = asked.levels[row - len(asked.epsilons)]
    if truth.delta(upper)[0] > level:
        yield f"epsilon {upper!r} too small, row {row}: {words}"
    if lower > 0.0 and truth.delta(lower)[1] < level:
        yield f"epsilon {lower!r} too large, row {row}: {words}"


def _beside_regular(
    counts: Counter[str], g: ny.Guarantee, asked: Questions, claim: tuple[int, float, float], words: str
) -> Iterator[str]:
    """The regular engine's bounds."""
    row, lower, upper = claim
    try:
        if row < len(asked.epsilons):
            high, low = (side.delta(asked.epsilons[row]) for side in (g, g.optimistic))
        else:
            high, low = (side.epsilon(asked.levels[row - len(asked.epsilons)]) for side in (g, g.optimistic))
    except ny.NotCertified as wide:
        high, low = wide.upper, wide.lower
    counts["rows beside the regular engine"] += 1
    if upper < low or lower > high:
        yield f"from {lower!r} to {upper!r}, not from {low!r} to {high!r}, row {row}: {words}"


def _false_of_run(rng: random.Random, counts: Counter[str]) -> Iterator[str]:
    """What is false of an accountant that is asked as it goes."""
    sigma, rate, steps = _drawn(rng)
    accountant = ny.Accountant(adjacency=rng.choice(["add_or_remove", "remove", "add"]))
    steps = min(steps, 10**6)
    step = ny.DPSGD(sigma, rate, 1)
    accountant.add(step, steps)
    for _ in range(8):
        more, delta = whole(rng, 1, max(1, steps // 20)), between(rng, 1e-12, 0.5)
        accountant.add(step, more)
        steps += more
        try:
            epsilon = accountant.get_epsilon(delta)
        except ny.NotCertified:
            counts["runs refused"] += 1
            return
        counts["epsilons"] += 1
        if accountant._guarantee is not None or rate == 1.0:
            continue
        counts["of lines"] += 1
        truth = Truth(Composition([Step("Gaussian", (sigma,), rate, steps)]), accountant.adjacency)
        low, high = truth.delta(epsilon)
        words = f"epsilon {epsilon!r} at {delta!r} of ({sigma!r}, {rate!r}, {steps}), {accountant.adjacency}"
        if low > delta:
            yield f"too small: {words}"
        if epsilon > 0.0 and high < delta * (1 - arb(1e-8)):
            yield f"too large by far: {words}"


def main() -> int:
    """Hunt until the time is over; 1 where anything is false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, counts, end = random.Random(asked.seed), Counter[str](), time.monotonic() + 60.0 * asked.minutes
    with suppress(KeyboardInterrupt):  # a truth in balls may take minutes
        while time.monotonic() < end:
            for false in chain(_false_of_batch(rng, counts), _false_of_asked(rng, counts), _false_of_run(rng, counts)):
                counts["false"] += 1
                print(f"FALSE {false}", flush=True)
    print(dict(counts))
    return int(counts["false"] > 0)


if __name__ == "__main__":
    sys.exit(main())
