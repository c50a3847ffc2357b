"""The series of mechanisms that share one (epsilon, delta), behind Fig. 1 and 4 to 7."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from neyman.accounting import account
from neyman.calibration import noise_for_dpsgd, steps_for_dpsgd, targets
from neyman.comparison import compare
from neyman.guarantees import Guarantee
from neyman.mechanisms import DPSGD, Gaussian, Mechanism
from neyman_papers.cases import dpsgd

__all__ = ["BASELINE", "Member", "gauss", "grid", "noisier", "reconstructed", "same_pair", "sgms"]

BASELINE = 0.1
"""The attacker's success at reconstruction without the model, of ten equally likely candidates: our choice."""

_FEW, _RATE, _STEPS = 6, 0.01, 500  # rates of each series but the first; rate and steps of the baseline


@dataclass(frozen=True, slots=True)
class Member:
    """One calibrated mechanism, with Delta(baseline || it) from both sides."""

    noise: float
    rate: float
    steps: int
    guarantee: Guarantee
    divergence: tuple[float, float]

    @classmethod
    def beside(cls, base: Guarantee, noise: float, rate: float, steps: int) -> Member:
        """Account for it, and compare."""
        g = dpsgd(noise, rate, steps)
        bound = compare(base, g).bounds[0]
        return cls(noise, rate, steps, g, (bound.lower, bound.upper))


@cache
def gauss(sigma: float = 1.0) -> Guarantee:
    """Gaussian noise on a query of sensitivity 1."""
    return account(Gaussian(sigma))


@cache
def same_pair() -> tuple[Member, Member]:
    """Fig. 1: the rate and steps of Fig. 6's baseline, and a rate fifty times higher, both with (4.00, 0.08)."""
    target = targets.Epsilon(4.0, delta=0.08)
    noises = [noise_for_dpsgd(target, rate, _STEPS).parameter for rate in (_RATE, 0.5)]
    base = dpsgd(noises[0], _RATE, _STEPS)
    return Member.beside(base, noises[0], _RATE, _STEPS), Member.beside(base, noises[1], 0.5, _STEPS)


def sgms() -> tuple[Mechanism, Mechanism]:
    """Fig. 4: few steps at low noise, where curves are far from Gaussian ones."""
    return DPSGD(0.36, 0.0155, 30), DPSGD(0.22, 0.0065, 30)


@cache
def noisier() -> tuple[Member, ...]:
    """Fig. 5: as many steps as (8, 1e-5) allows each noise, at rate 0.1."""
    target = targets.Epsilon(8.0, delta=1e-5)
    noises = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
    steps = [int(steps_for_dpsgd(target, noise, 0.1).parameter) for noise in noises]
    base = dpsgd(noises[0], 0.1, steps[0])
    return tuple(Member.beside(base, noise, 0.1, many) for noise, many in zip(noises, steps, strict=True))


@cache
def grid() -> tuple[Member, ...]:
    """Fig. 6: the stated ranges of rate and steps, calibrated to (8, 1e-5)."""
    target = targets.Epsilon(8.0, delta=1e-5)
    base = dpsgd(0.54, _RATE, _STEPS)
    return tuple(
        Member.beside(base, noise_for_dpsgd(target, float(rate), steps).parameter, float(rate), steps)
        for steps in (534, 800, 1100, 1500)
        for rate in np.geomspace(0.04, 0.9, _FEW + 1)
    )


@cache
def reconstructed() -> tuple[Member, ...]:
    """Fig. 7: from noise 0.6 and rate 0.01 up, with the most steps that (4, 1e-5) allows there."""
    target = targets.Epsilon(4.0, delta=1e-5)
    steps = int(steps_for_dpsgd(target, 0.6, _RATE).parameter)
    base = dpsgd(0.6, _RATE, steps)
    rates = np.append(np.geomspace(0.02, 0.5, 8), 0.99)
    found = [Member.beside(base, noise_for_dpsgd(target, float(r), steps).parameter, float(r), steps) for r in rates]
    return (Member.beside(base, 0.6, _RATE, steps), *found)
