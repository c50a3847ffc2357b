"""Compositions listed outcome by outcome, where floats cannot hold all their masses at once."""

import math

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.engines.atoms import enumerated
from neyman.engines.atoms_profile import AtomsProfile
from neyman.engines.lattice import LatticeProfile
from neyman.losses.discrete import DiscreteGaussianStep, DiscreteLaplaceStep
from neyman.losses.laplace import LaplaceStep
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep


def truth(scale: float, times: int, epsilon: float) -> mp.mpf:
    """delta of ``times`` discrete Laplace steps of sensitivity 2: they lose 2 / scale, nothing, or the opposite."""
    with mp.workdps(40):
        a, loss, e = mp.exp(-1 / mp.mpf(scale)), 2 / mp.mpf(scale), mp.mpf(epsilon)
        up, none, down = 1 / (1 + a), a * (1 - a) / (1 + a), a * a / (1 + a)
        total = mp.mpf(0)
        for j in range(math.floor(e / loss) + 1, times + 1):  # ups less downs
            gain = -mp.expm1(e - j * loss)
            for low in range((times - j) // 2 + 1):
                ways = mp.binomial(times, low) * mp.binomial(times - low, j + low)
                total += gain * ways * up ** (j + low) * down**low * none ** (times - j - 2 * low)
        return total


@pytest.mark.parametrize(
    ("scale", "times", "below"),
    [(2.0, 700, 2), (2.0, 700, 20), (2.0, 1300, 7), (0.5, 900, 5), (0.1561, 2393, 3), (0.1561, 2393, 20)],
)
def test_the_rarest_losses_keep_their_mass(scale: float, times: int, below: int) -> None:
    # e^-700 of the largest sqrt(p q), though no such part of p
    table = DiscreteLaplaceStep(scale, 2).table()
    atoms = enumerated([(table, times)])
    assert atoms is not None
    epsilon = (times - below + 0.5) * 2.0 / scale
    found = AtomsProfile(atoms, True, math.inf).bracket(np.array([epsilon]))
    exact = truth(scale, times, epsilon)
    assert found.lower[0] <= exact * (1 + mp.mpf(10) ** -30)
    assert exact * (1 - mp.mpf(10) ** -30) <= found.upper[0]
    assert found.upper[0] <= found.lower[0] * (1.0 + 1e-6)


@pytest.mark.parametrize("many", [75, 80])
def test_far_tails_of_many_discrete_gaussians(many: int) -> None:
    # an explicit test lies beyond the eps where all used to end: so many steps show 3, the others 2
    atoms = enumerated([(DiscreteGaussianStep(0.5, 2).table(), 200)])
    assert atoms is not None
    with mp.workdps(30):
        mass = [mp.exp(-2 * mp.mpf(x) ** 2) for x in range(9)]
        total = 2 * sum(mass) - 1
        none, one = mass[0] / total, mass[1] / total  # beyond 2, to where the record moves them
        chance = mp.binomial(200, many) * one**many * none ** (200 - many)
        epsilon = 8.0 * (2 * 200 + many) - 8.0 * 200 - 1.0
        least = chance * -mp.expm1(-1)
    for direction in (True, False):
        found = AtomsProfile(atoms, direction, math.inf).bracket(np.array([epsilon]))
        assert least <= found.upper[0] <= found.lower[0] * (1.0 + 1e-6)


def test_a_composition_that_all_but_reveals_the_record_is_answered() -> None:
    guarantee = ny.account(ny.DiscreteLaplace(0.1561, 2) ** 2393)
    assert guarantee.advantage == 1.0
    epsilon = guarantee.epsilon(1e-5)
    assert truth(0.1561, 2393, epsilon) <= 1e-5 <= truth(0.1561, 2393, epsilon * (1.0 - 1e-7))


def test_a_lattice_asked_far_beyond_its_end() -> None:
    steps = [(LaplaceStep(21.41), 97), (DiscreteLaplaceStep(2.0, 1, rate=0.5), 2)]
    found = LatticeProfile(steps, "remove").bracket(np.array([0.1, 1e300]))  # warnings are errors
    assert 0.0 < found.lower[0] <= found.upper[0] < 1.0
    assert found.upper[1] == 0.0


def test_a_lattice_too_coarse_to_say_anything_says_nothing() -> None:
    steps = [(SubsampledGaussianStep(0.01185, 0.0004066), 4662), (DiscreteGaussianStep(176.2, 1, rate=5.051e-06), 2)]
    found = LatticeProfile(steps, "remove", max_points=1 << 10).bracket(np.array([0.0]))
    took_part = -math.expm1(4662 * math.log1p(-0.0004066))  # which the first law all but reveals
    assert found.lower[0] <= took_part * (1.0 + 1e-5)
    assert took_part * (1.0 - 1e-12) <= found.upper[0]
