"""Lists of outcomes, each widened by what tells little, against enumeration of all outcomes at 50 digits."""

import math

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.combine.beside.widened import WidenedProfile
from neyman.losses.discrete.steps import DiscreteGaussianStep, RandomizedResponseStep

Pairs = list[tuple[mp.mpf, mp.mpf]]


def responses(epsilon: float, times: int) -> Pairs:
    e = mp.exp(mp.mpf(epsilon))
    p, q = e / (1 + e), 1 / (1 + e)
    return [(mp.binomial(times, k) * p ** (times - k) * q**k, mp.binomial(times, k) * q ** (times - k) * p**k)
            for k in range(times + 1)]  # fmt: skip


def sampled_gaussian(sigma: float, rate: float) -> Pairs:
    s, q, last = mp.mpf(sigma), mp.mpf(rate), math.ceil(14.2 * sigma)
    mass = {x: mp.exp(-(mp.mpf(x) ** 2) / (2 * s * s)) for x in range(-last - 2, last + 3)}
    total = mp.fsum(mass.values())
    return [((1 - q) * mass[x] / total + q * mass[x - 1] / total, mass[x] / total) for x in range(-last, last + 1)]


@pytest.mark.parametrize(
    ("epsilon", "times", "sigma", "rate", "least"),
    [(0.3, 8, 2.0, 1e-3, 1e-7), (3.0, 9, 3.0, 0.02, 1e-3), (0.2, 3, 9.0, 0.1, 1e-30)],
)
def test_widened_lists_against_enumeration(epsilon: float, times: int, sigma: float, rate: float, least: float) -> None:
    # of few steps, which deviate far: what lies further than r adds something to deltas below ``least``
    atoms = enumerated([(RandomizedResponseStep(epsilon, 2).table(), times)])
    few = enumerated([(DiscreteGaussianStep(sigma, 1, rate).table(), 1)])
    assert atoms is not None
    assert few is not None
    little = AtomsProfile(few, True, math.inf), AtomsProfile(few, False, math.inf)
    deviation = rate / sigma
    kinks = epsilon * np.arange(times % 2, times + 1, 2)
    beside = deviation * np.array([-4.0, -0.5, 0.0, 1e-9, 0.7, 3.0, 30.0])
    at = np.concatenate([np.add.outer(kinks[[0, 1, len(kinks) // 2, -1]], beside).ravel(), kinks[:-1] + epsilon])
    at = np.unique(at[at >= 0.0])
    with mp.workdps(50):
        one = sampled_gaussian(sigma, rate)
        pairs = [(a * b, x * y) for a, x in responses(epsilon, times) for b, y in one]
        for remove in (True, False):
            ways = little if remove else little[::-1]
            profile = WidenedProfile(atoms, remove, lambda ways=ways: ways, deviation, math.inf)
            found = profile.bracket(at)
            ordered = pairs if remove else [(q, p) for p, q in pairs]
            for i in range(len(at)):
                y = mp.exp(mp.mpf(float(at[i])))
                exact = mp.fsum(p - y * q for p, q in ordered if p > y * q)
                gap = mp.log(1 - exact)
                assert found.lower[i] <= exact + mp.mpf(10) ** -40
                assert exact <= found.upper[i]
                assert found.log_gap_lower[i] <= gap <= found.log_gap_upper[i]
                assert exact < least or found.upper[i] <= found.lower[i] * (1.0 + 1e-6)


def test_what_tells_little_is_asked_near_few_outcomes() -> None:
    # 16 s: two laws without a common lattice were composed on one, again and again
    g = ny.account(ny.DiscreteGaussian(96.63).poisson(2.284e-05) ** 890 * ny.PureMechanism(0.0526) ** 357)
    alone = ny.account(ny.PureMechanism(0.0526) ** 357)
    assert g.method == "exact sum over transform"
    assert g.optimistic.delta(1.0) <= g.delta(1.0) <= g.optimistic.delta(1.0) * (1.0 + 1e-6)
    assert alone.optimistic.delta(1.0) <= g.delta(1.0) <= alone.delta(1.0) * (1.0 + 1e-5)
    assert alone.optimistic.mu() <= g.mu() <= alone.mu() * (1.0 + 1e-5)
