"""Random DP-SGD settings through the whole package, some verified against the independent evaluator.

From the root of the repository (a few minutes):

    python -m tests.reference.random_settings [--settings 500] [--verify 30] [--seed 20240601]

Every setting is accounted with warnings as errors; epsilon(1e-5), mu() and the advantage are read from above and below.
Printed: times, refusals, brackets out of order or wider than asked, bounds broken, and the worst offenders. Exit code 1
if anything failed.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import neyman as ny
from tests.reference import arb, closed

__all__ = ["Outcome", "Setting", "draw", "faults", "run", "truth", "verify"]

DELTA, FLOOR = 1e-5, 1e-10
SECONDS = 2.0
TOLERANCE = 1e-6
"""Relative width of the bracket of delta that account() aims for; mu inherits the width this implies."""
MU_WIDTH = 1e-4  # what account() itself lets pass at its default tolerance
SLACK = 1e-12
"""What the reference's own rounding may amount to, relative."""


@dataclass(frozen=True)
class Setting:
    """A noise multiplier, a sample rate, and a number of steps."""

    sigma: float
    q: float
    steps: int

    def __str__(self) -> str:
        return f"DPSGD({self.sigma!r}, {self.q!r}, {self.steps})"


@dataclass
class Outcome:
    """What the package said: brackets (lower, upper) by quantity, or why there are none."""

    setting: Setting
    seconds: float = 0.0
    method: str = ""
    refused: str = ""
    error: str = ""
    brackets: dict[str, tuple[float, float]] = field(default_factory=dict)


def draw(count: int, seed: int = 20240601) -> list[Setting]:
    """Log-uniform sigma in [0.3, 100], q in [1e-6, 1] (one in twenty exactly 1) and T in [1, 1e8]."""
    rng = random.Random(seed)

    def between(low: float, high: float) -> float:
        return min(max(math.exp(rng.uniform(math.log(low), math.log(high))), low), high)

    return [
        Setting(between(0.3, 100.0), 1.0 if rng.random() < 0.05 else between(1e-6, 1.0), round(between(1.0, 1e8)))
        for _ in range(count)
    ]


def run(setting: Setting) -> Outcome:
    """Account for one setting, in CPU seconds; warnings count as errors, NotCertified as a refusal."""
    outcome = Outcome(setting)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            g = ny.account(ny.DPSGD(setting.sigma, setting.q, setting.steps), tolerance=TOLERANCE)
            low, high = g.optimistic.epsilon(DELTA), g.epsilon(DELTA)
            outcome.brackets["epsilon"] = (low, high)
            outcome.brackets["mu"] = (g.optimistic.mu(FLOOR), g.mu(FLOOR))
            outcome.brackets["advantage"] = (g.optimistic.advantage, g.advantage)
            outcome.seconds = time.process_time() - start
            outcome.brackets["delta"] = (g.optimistic.delta(high), g.delta(high))
            outcome.method = str(g.method).split()[0].strip(",:")
        except ny.NotCertified as refusal:
            outcome.refused = str(refusal)
        except Exception as error:
            outcome.error = f"{type(error).__name__}: {error}"
    outcome.seconds = outcome.seconds or time.process_time() - start
    return outcome


def width(bracket: tuple[float, float]) -> float:
    """Relative width; 0 where both ends agree (infinite ends included)."""
    low, high = bracket
    return 0.0 if low == high else (high - low) / abs(high) if high else math.inf


def faults(outcome: Outcome) -> list[str]:
    """Everything about one outcome that should not be, refusals apart."""
    if outcome.error:
        return [outcome.error]
    found = [] if outcome.seconds <= SECONDS else [f"took {outcome.seconds:.2f} s"]
    if outcome.refused:
        return found
    limits = {"delta": TOLERANCE, "advantage": TOLERANCE, "mu": MU_WIDTH, "epsilon": math.inf}
    for name, (low, high) in outcome.brackets.items():
        if not 0.0 <= low <= high:
            found.append(f"{name} bracket [{low!r}, {high!r}]")
        elif not width((low, high)) <= limits[name] * (1.0 + 1e-6):
            found.append(f"{name} relative width {width((low, high)):.2e}")
    return found


def truth(setting: Setting, digits: float = 14.0) -> dict[str, tuple[float, float]]:
    """epsilon, mu, advantage with relative errors, or TooExpensive. No mu where the curve is all near the floor."""
    sigma, q, t = setting.sigma, setting.q, setting.steps
    steps = [(sigma, q, t)]
    if q >= 1.0:
        strength = (arb.arb(t).sqrt() / arb.arb(sigma)).mid()
        answers = {"advantage": (float(closed.gaussian_delta(strength, 0).mid()), 0.0)}
        if float(strength) < 10.0:
            answers["mu"] = (float(strength), 0.0)
    elif t == 1:
        return {"advantage": (float(closed.one_step_delta(sigma, q, 0, "remove").mid()), 0.0)}
    else:
        found = arb.advantage(steps, digits=digits)
        answers = {"advantage": (float(found), found.error)}
        corner = arb.point(steps, 0, digits=digits)
        if min(float(corner.alpha.mid()), 1.0 - float(corner.tail.mid())) > 1e3 * FLOOR:
            mu = arb.mu(steps, FLOOR, digits=digits)
            answers["mu"] = (float(mu), mu.error)
    found = arb.epsilon(steps, DELTA, digits=digits)
    if float(found) > 0.0 and _add_is_larger(steps, float(found), digits):
        found = arb.epsilon(steps, DELTA, "add", digits=digits)
    answers["epsilon"] = (float(found), found.error)
    return answers


def _add_is_larger(steps: list[tuple[float, float, int]], epsilon: float, digits: float) -> bool:
    """Whether "add" is larger at epsilon (never seen); near the end of its support it may be unaffordable."""
    try:
        return float(arb.delta(steps, epsilon, "add", digits=digits)) > DELTA * (1.0 + 1e-9)
    except arb.TooExpensive:
        return False


def verify(outcome: Outcome, digits: float = 14.0) -> list[str]:
    """The bounds that the independent values break."""
    broken = []
    for name, (value, error) in truth(outcome.setting, digits).items():
        low, high = outcome.brackets[name]
        slack = SLACK + 2.0 * error
        if not error < 1e-7:
            broken.append(f"{name}: the reference itself is only good to {error:.1e}")
        elif not low * (1.0 - slack) <= value <= high * (1.0 + slack):
            broken.append(f"{name} = {value!r} is outside [{low!r}, {high!r}]")
    return broken


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--verify", type=int, default=30)
    parser.add_argument("--seed", type=int, default=20240601)
    options = parser.parse_args(arguments)

    outcomes = [run(setting) for setting in draw(options.settings, options.seed)]
    bad = [(o, reason) for o in outcomes for reason in faults(o)]
    _summary(outcomes)
    for o, reason in bad:
        print(f"FAULT {o.setting}: {reason}")

    order = [o for o in outcomes if o.brackets.get("advantage") and not o.error]
    random.Random(options.seed).shuffle(order)
    checked, refused, broken = 0, 0, 0
    for o in order:
        if checked >= options.verify:
            break
        start = time.perf_counter()
        try:
            reasons = verify(o)
        except arb.TooExpensive:
            refused += 1
            continue
        checked += 1
        broken += bool(reasons)
        print(
            f"{'BROKEN' if reasons else 'holds '} {o.setting} {'; '.join(reasons)}",
            f"({time.perf_counter() - start:.1f} s)",
            flush=True,
        )
    print(f"{checked} verified, {broken} broken; {refused} passed over as too expensive for the reference")
    return int(bool(bad) or bool(broken) or sum(bool(o.refused) for o in outcomes) > 0.01 * len(outcomes))


def _summary(outcomes: list[Outcome]) -> None:
    times = sorted(o.seconds for o in outcomes)
    methods: dict[str, int] = {}
    for o in outcomes:
        methods[o.method or "none"] = methods.get(o.method or "none", 0) + 1
    print(f"{len(outcomes)} settings: {methods}")
    print(
        f"seconds: median {times[len(times) // 2]:.3f}, "
        f"99 % {times[int(0.99 * (len(times) - 1))]:.3f}, worst {times[-1]:.3f}"
    )
    print(
        f"refused (NotCertified): {sum(bool(o.refused) for o in outcomes)}; "
        f"errors: {sum(bool(o.error) for o in outcomes)}"
    )
    for o in sorted(outcomes, key=lambda o: -o.seconds)[:5]:
        print(f"  slowest {o.seconds:7.3f} s  {o.setting}  {o.method}{o.refused}")
    for name in ("epsilon", "delta", "mu", "advantage"):
        found = sorted(
            ((width(o.brackets[name]), o) for o in outcomes if name in o.brackets), key=lambda pair: -pair[0]
        )
        if found:
            print(
                f"{name}: relative width median {found[len(found) // 2][0]:.1e}, "
                f"widest {found[0][0]:.1e}  {found[0][1].setting}"
            )


if __name__ == "__main__":
    sys.exit(main())
