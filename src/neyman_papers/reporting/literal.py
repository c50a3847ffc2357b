"""Equation 5 of the reporting paper as it is printed, without a floor; and what a floor that is not named decides."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.comparison import compare
from neyman.guarantees import GDP, Guarantee
from neyman_papers.cases import CIFAR_RATE, FINE_TUNING, FROM_SCRATCH, LARGER_RATE, dpsgd
from neyman_papers.reporting.printed import EPSILONS
from neyman_papers.verdict import Number, Ours, Statement

__all__ = ["FLOORS", "limit_mu", "literal", "ratios", "regret_over_floors"]

FLOORS = (1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15)
"""Where an accountant's grid may end: the text names no floor, and what these decide differently it leaves open."""

_DEFAULT = 1e-10  # the floor of ours
_PRINTED = 1e-3  # the bound in the caption of Table 2
_TOUCH = 1e-5  # a ratio so little above 2 cannot be told from 2
_ROOM = 1e-12  # relative: more than a root and a quotient are rounded by


def limit_mu(noise: float, steps: int) -> Number:
    """Equation 5 for DP-SGD: sqrt(steps) / noise, whatever the sampling rate.

    Not larger: a step without sampling is less private, and ``steps`` of those are a Gaussian mechanism of that mu. Not
    smaller: among the outputs is one of weight rate^steps that shifts by m = sqrt(steps) / noise, so that the test
    "beyond t" has a power of at least rate^steps Phi(m - t); with Phi(-s - c) <= e^(-s c) Phi(-s) its mu is at least
    m - steps log(1 / rate) / (t - m), which tends to m as t grows.
    """
    m = math.sqrt(steps) / noise
    return Number(m * (1.0 - _ROOM), m * (1.0 + _ROOM), note="sqrt(T) / sigma, the limit of ever smaller error rates")


@cache
def regret_over_floors(noise: float, steps: int) -> Number:
    """The regret at the default floor; of all floors from the least to the largest where the default alone misses 1e-3.

    The printed bound is met if the default floor meets it, and missed only if every floor misses it.
    """
    g = dpsgd(noise, CIFAR_RATE, steps)
    high, low = ([each.gdp(floor).regret for floor in FLOORS] for each in (g, g.optimistic))
    at = FLOORS.index(_DEFAULT)
    shown = ", ".join(f"{floor:g}: {value:.3g}" for floor, value in zip(FLOORS, high, strict=True))
    if high[at] < _PRINTED <= max(high) or max(high) < _PRINTED:
        return Number(low[at], high[at], note=f"floor {_DEFAULT:g}; by floor {shown}")
    other = dpsgd(noise, LARGER_RATE, steps)
    larger = ", ".join(f"{floor:g}: {other.gdp(floor).regret:.3g}" for floor in (1e-5, 1e-8, 1e-10))
    return Number(min(low), max(high), note=f"by floor {shown}; with the rate 16384/60000 {larger}")


def literal() -> dict[str, Ours]:
    """Section 5 by equation 5 without a floor, and the regrets of Table 2 over floors."""
    noise, steps = 9.4, 2000
    g = dpsgd(noise, CIFAR_RATE, steps)
    mu = limit_mu(noise, steps)
    bound = compare(g, GDP(mu.upper)).bounds[0]
    below = compare(GDP(mu.upper), g)
    rule = g.satisfies(GDP(g.tail_mu)).outcome == "yes"
    found: dict[str, Ours] = {
        "5/mu/literal": mu,
        "5/regret/literal": Number(bound.lower, bound.upper, note=f"of mu = {mu.upper:.6g}"),
        "4/rule/literal": Statement(bound.upper < 0.01, f"noise {noise:g}, {steps} steps: regret {bound.lower:.4g}"),
        "4/valid": Statement(rule and below.order == "less_private", f"DP-SGD of Section 5 lies above G_mu everywhere "
                                                                     f"for mu = {g.tail_mu:.4f}, equation 5"),
        "c.2": Statement(below.divergence == 0.0 and below.reverse == below.distance,
                         f"mu = {mu.upper:.4f}: Delta(f_mu, f) = {below.divergence:g}, Delta(f, f_mu) = "
                         f"{below.reverse:.4g}; at a floor above 0 the first is at most the shortfall, not 0"),
    }  # fmt: skip
    for name, table in (("scratch", FROM_SCRATCH), ("tuned", FINE_TUNING)):
        for epsilon in EPSILONS:
            found[f"2/regret/{name}/{epsilon:g}"] = regret_over_floors(*table[epsilon])
    return found


def widest(g: Guarantee, floor: float = _DEFAULT) -> Number:
    """The largest difference f - G_mu over the regret: certified from below, on a grid from above."""
    high, low = g.gdp(floor), g.optimistic.gdp(floor)
    alpha: FloatArray = np.append(np.linspace(1e-4, 0.999, 2000), special.ndtr(-0.5 * np.array([low.mu, high.mu])))
    least, most = np.zeros(1), np.zeros(1)
    at = 0.5
    for step in (2e-3, 5e-5, 1e-6):  # two steps of the grid before
        least = np.asarray(g.beta(alpha)) - np.asarray(GDP(low.mu).optimistic.beta(alpha))
        most = np.asarray(g.optimistic.beta(alpha)) - np.asarray(GDP(high.mu).beta(alpha))
        at = float(alpha[np.argmax(least)])
        alpha = np.append(np.clip(np.linspace(at - step, at + step, 200), 1e-6, 1.0), at)
    return Number(float(np.max(least)) / high.regret, float(np.max(most)) / low.regret, note=f"at FPR {at:.3g}")


def ratios(figure: str, epsilon: float, noise: float, steps: int) -> dict[str, Ours]:
    """Fig. 7 and 8: the largest difference over the regret, and on which side of 2 it is, over floors."""
    g = dpsgd(noise, CIFAR_RATE, steps)
    by_floor = {floor: widest(g, floor) for floor in (FLOORS[0], _DEFAULT, FLOORS[-1])}
    sides = {True if r.lower > 2.0 else False if r.upper < 2.0 * (1.0 + _TOUCH) else None for r in by_floor.values()}
    above = sides.pop() if len(sides) == 1 else None
    holds = above if epsilon == 8.0 or above is None else not above
    shown = ", ".join(f"{floor:g}: {r.lower:.5f}" for floor, r in by_floor.items())
    said = f"the largest difference over the regret, by floor {shown}" + ("; 2 within 1e-5" if above is False else "")
    if holds is False:
        other = dpsgd(noise, LARGER_RATE, steps)
        larger = ", ".join(f"{floor:g}: {widest(other, floor).lower:.5f}" for floor in (FLOORS[0], FLOORS[-1]))
        said += f"; with the rate 16384/60000, which the mu of Table 2 imply, {larger}"
    return {f"{figure}/ratio/{epsilon:g}": by_floor[_DEFAULT], f"{figure}/most/{epsilon:g}": Statement(holds, said)}
