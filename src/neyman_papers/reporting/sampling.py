"""The sweep behind Fig. 4: regret over rates, noises and numbers of steps."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from neyman.sweeps import sweep
from neyman_papers.cases import dpsgd
from neyman_papers.verdict import Ours, Statement

__all__ = ["NOISES", "STEPS", "findings", "regrets_by_rate"]

NOISES = (1.0, 2.0, 3.0, 4.0, 6.0, 10.0)  # noise multipliers of the figure
STEPS = (400, 1000, 2000)  # numbers of steps of the figure
_RATES = 40  # sample rates from 0.01 to 1
_RULE, _HIGH_FLOOR = 0.01, 1e-5  # the regret of the text's rule; a floor that lets it hold more often
_OTHER_FLOORS = (_HIGH_FLOOR, 1e-15)
_FLOORS = (_HIGH_FLOOR, 1e-10, 1e-15)
_OURS = ", ".join(f"{noise:g}" for noise in NOISES)


@cache
def regrets_by_rate(noises: tuple[float, ...] = NOISES, floor: float = 1e-10) -> Any:
    """Certified regrets from both sides, as a labelled array."""
    return sweep(
        noise_multiplier=list(noises), sample_rate=np.geomspace(1e-2, 1.0, _RATES), steps=list(STEPS),
        quantities=["regret", "optimistic.regret"], floor=floor, workers=1, progress=False,
    )  # fmt: skip


def findings() -> dict[str, Ours]:
    """What Section 5 says about it."""
    found = regrets_by_rate()
    high, low = found["regret"], found["optimistic.regret"]
    more = _rises(high, low, "steps")
    noisy = _rises(high, low, "noise_multiplier")
    per_rate = low.isel(sample_rate=slice(1, -1)).max("sample_rate")
    ends = np.maximum(high.isel(sample_rate=0), high.isel(sample_rate=-1))
    within = low.where(low.noise_multiplier >= 2.0, drop=True)
    worst = within.isel(within.argmax(...))
    upper = high.where(high.noise_multiplier >= 3.0, drop=True)
    other = regrets_by_rate((NOISES[1],), _HIGH_FLOOR)["regret"]
    fails, passes = float(worst) >= _RULE, float(other.max()) < _RULE and float(upper.max()) < _RULE
    rule = (
        f"worst at noise {float(worst.noise_multiplier):g}, rate {float(worst.sample_rate):.3g}, "
        f"{int(worst.steps)} steps: at least {float(worst):.4g}; from noise {NOISES[2]:g} on at most "
        f"{float(upper.max()):.4g}; at noise {NOISES[1]:g} with floor 1e-5 at most {float(other.max()):.4g}"
    )
    return {
        "4/steps": Statement(not more, _said(more, "steps")),
        "4/steps/any": _from_one_step(),
        "4/noise": Statement(*_noisier(high, low, noisy)),
        "4/rates": Statement(bool((per_rate > ends).all()), "largest between the ends, for every noise and steps"),
        "4/rule": Statement(None if fails and passes else not fails, rule),
    }


def _rises(high: Any, low: Any, axis: str) -> list[tuple[float, float, float]]:
    """Where the regret certainly grows along ``axis``: rate, and the two regrets that follow each other."""
    before, after = high.isel({axis: slice(None, -1)}), low.isel({axis: slice(1, None)})
    grown = np.argwhere(after.values > before.values)
    rates = high.dims.index("sample_rate")
    return [
        (float(high.sample_rate[place[rates]]), float(before.values[tuple(place)]), float(after.values[tuple(place)]))
        for place in grown
    ]


def _noisier(high: Any, low: Any, rises: list[tuple[float, float, float]]) -> tuple[bool | None, str]:
    """Whether more noise never raises the regret, and if it does, whether it does so at other floors, too."""
    if not rises:
        return True, _said(rises, "noise")
    grown = low.shift(noise_multiplier=-1) - high
    worst = grown.isel(grown.argmax(...))
    less, rate, steps = float(worst.noise_multiplier), float(worst.sample_rate), int(worst.steps)
    more = NOISES[NOISES.index(less) + 1]
    pairs = {
        floor: (dpsgd(less, rate, steps).gdp(floor).regret, dpsgd(more, rate, steps).optimistic.gdp(floor).regret)
        for floor in _OTHER_FLOORS
    }
    shown = ", ".join(f"floor {floor:g}: {a:.2g} and {b:.2g}" for floor, (a, b) in pairs.items())
    within_rule = [dpsgd(noise, 0.4, 400) for noise in (2.0, 3.0)]
    rule = " and ".join(f"{g.gdp(_HIGH_FLOOR).regret:.3g}" for g in within_rule)
    said = (
        f"{_said(rises, 'noise')} (noise {less:g} and {more:g}, rate {rate:.3g}, {steps} steps; {shown}). Both "
        f"noises in "
        f"the rule of thumb: noise 2 and 3, rate 0.4, 400 steps, floor 1e-5: {rule}"
    )
    return (False if all(a < b for a, b in pairs.values()) else None), said


def _said(rises: list[tuple[float, float, float]], what: str) -> str:
    if not rises:
        return f"noises {_OURS}, {_RATES} rates from 0.01 to 1: never larger with more {what}, within brackets"
    rates = sorted(rate for rate, _, _ in rises)
    _, before, after = max(rises, key=lambda rise: rise[2] - rise[1])
    return (
        f"{len(rises)} exceptions on our grid (noises {_OURS}, rates from 0.01 to 1: the text names neither), at rates "
        f"{rates[0]:.3g} to {rates[-1]:.3g}; the largest: from at most {before:.3g} to at least {after:.3g}"
    )


def _from_one_step() -> Statement:
    """More steps than one, with the noise and the rate of the paper's own listing."""
    few, many = (dpsgd(1.0, 0.001, steps) for steps in (1, 100))
    pairs = {floor: (few.gdp(floor).regret, many.optimistic.gdp(floor).regret) for floor in _FLOORS}
    shown = ", ".join(f"floor {floor:g}: {a:.3g} and {b:.3g}" for floor, (a, b) in pairs.items())
    holds = False if all(a < b for a, b in pairs.values()) else None
    return Statement(holds, f"noise 1, rate 0.001 (the listing of Algorithm 1), 1 step and 100: {shown}")
