"""The lower law of a step whose density is steep at one end: below the truth, and with its mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from neyman.engines.lattice.law import tilted_laws
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.sampling import mixed

STEEP = [(11.41, 0.08554), (7.75, 0.04774), (12.4, 0.001549), (33.0, 0.5), (7.5, 1.7e-5), (30.0, 0.9999)]


def delta_of_one(d: float, rate: float, direction: str, epsilon: float) -> mpf:
    """E_Q[(e^L - e^eps)_+] (or under P, of -L) from the two laws of t alone."""
    with mp.workdps(50):
        d_, q, sign = mpf(d), mpf(rate), 1 if direction == "remove" else -1
        argument = (mp.exp(sign * mpf(epsilon)) - 1 + q) / q
        t = mp.log(argument) if argument > 0 else -mp.inf
        below_without = 0 if t < -d_ else 1 - mp.exp(-(t + d_) / 2) / 2 if t < d_ else mpf(1)
        below_with = 0 if t < -d_ else mp.exp(-(d_ - t) / 2) / 2 if t < d_ else mpf(1)
        p, without = (1 - q) * below_without + q * below_with, below_without
        if direction == "remove":
            return (1 - p) - mp.exp(epsilon) * (1 - without)
        return without - mp.exp(epsilon) * p


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("d", "rate"), STEEP)
def test_what_is_gathered_lies_below_the_law_and_keeps_its_mean(d: float, rate: float, direction: str) -> None:
    law = LaplaceStep(1.0 / d, rate, False).bins()
    d = law.d  # what the law takes 1 / scale for
    low, high = law.ends
    for points in (150, 1200):
        h = law.unit / points
        bins = law.gathered(h, 0, points)
        assert bins is not None
        one = tilted_laws(bins.weighed(law), direction, 0.0)
        place = one.base + (one.first + np.arange(len(one.lower.masses))) * bins.h
        mass = one.lower.masses * math.exp(one.lower.log_norm)
        near = np.geomspace(1e-7, 0.9, 40) * law.unit
        for epsilon in np.concatenate([low + near, [low - 1.0, low + 0.5 * h, high - 0.5 * h]]):
            eps = float(epsilon if direction == "remove" else -epsilon)
            found = float(np.sum(mass * np.maximum(-np.expm1(eps - place), 0.0)))
            truth = float(delta_of_one(d, rate, direction, eps))
            assert found <= truth * (1.0 + 1e-11) + 1e-13
            if eps == low - 1.0:  # below all losses nothing but the mean counts
                assert found >= truth * (1.0 - 1e-9)


def test_nothing_is_gathered_where_nothing_is_steep_or_no_lattice_holds_both_ends() -> None:
    steep = LaplaceStep(0.1, 0.01, False).bins()
    h = steep.unit / 100
    assert steep.gathered(h, 0, 100) is not None
    assert steep.gathered(0.993 * h, 0, 101) is None
    assert steep.gathered(h, 1, 100) is None
    assert LaplaceStep(50.0, 0.01, False).bins().gathered(1e-5, 0, 20) is None
    assert LaplaceStep(0.1, 1.0, False).bins().gathered(0.01, 0, 2000) is None
    assert LaplaceStep(0.1, 0.01, True).bins().gathered(0.01, 0, 100) is None


def test_the_mean_of_what_is_gathered() -> None:
    law = LaplaceStep(0.1, 0.01, False).bins()
    for t in (-law.d, -9.999, -8.0, 0.0, 3.0):
        with mp.workdps(40):
            d, q = mpf(law.d), mpf(law.rate)
            taking, without = mp.exp(-(d - t) / 2) / 2, 1 - mp.exp(-(t + d) / 2) / 2
            truth = mp.log((1 - q) + q * taking / without) - mp.log(1 - q + q * mp.exp(-d))
        assert law._mean_below(t) == pytest.approx(float(truth), rel=1e-12, abs=0.0)


@pytest.mark.parametrize(
    ("scale", "rate", "times", "epsilon"), [(0.08764, 0.08554, 146, 200.0), (0.1327, 1.717e-5, 291, 0.1)]
)
def test_few_points_suffice_where_a_record_rarely_tells_much(
    scale: float, rate: float, times: int, epsilon: float
) -> None:
    profile = LatticeProfile([(LaplaceStep(scale, rate, False), times)], "remove", max_points=1 << 18)
    found = profile.bracket(np.array([epsilon]))
    assert found.upper[0] - found.lower[0] <= 2e-6 * found.upper[0]


def test_spacings_forced_by_the_budget_keep_both_atoms_on_points() -> None:
    step = LaplaceStep(0.1289, 0.04774, False)
    profile = LatticeProfile([(step, 302)], "remove", max_points=1 << 16)
    profile.bracket(np.array([100.0]))
    unit = float(np.diff(mixed(np.array([-1.0 / step.scale, 1.0 / step.scale]), step.rate))[0])
    assert profile._tilts
    for tilt in profile._tilts:
        assert unit / tilt.plan.h == pytest.approx(round(unit / tilt.plan.h), abs=1e-9)
