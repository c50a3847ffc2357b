"""Compositions listed outcome by outcome, where floats cannot hold all their masses at once."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import gammaln, ndtri_exp

import neyman as ny
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.enumeration import enumerated, product
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.steps import DiscreteGaussianStep, DiscreteLaplaceStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from tests.effort import rest_slow


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


@pytest.mark.parametrize(("epsilon", "rate", "times"), rest_slow([(9.0, 0.3, 1500), (7.0, 0.15, 1700)], 1))
def test_what_is_left_out_does_not_hide_1_minus_delta(epsilon: float, rate: float, times: int) -> None:
    """Of three outcomes by the thousand the rarest are not listed: 1e-39 of all, where 1 - delta is e^-325."""
    p = np.array([math.exp(epsilon), 1.0, 1.0])
    p /= p.sum()
    q = p[[1, 0, 2]]
    first, second = np.meshgrid(np.arange(times + 1.0), np.arange(times + 1.0), indexing="ij")
    kept = first + second <= times
    n = np.stack([first[kept], second[kept], times - first[kept] - second[kept]])
    ways = gammaln(times + 1.0) - gammaln(n + 1.0).sum(axis=0)
    log_p, log_q = ways + np.log((1.0 - rate) * q + rate * p) @ n, ways + np.log(q) @ n
    guarantee = ny.account(ny.RandomizedResponse(epsilon, 3).poisson(rate) ** times)
    at = np.array([0.0, 1.0, 30.0])
    found = guarantee.sides.forward.bracket(at)
    truth = np.array([np.logaddexp.reduce(np.minimum(log_p, e + log_q)) for e in at])
    other = np.array([np.logaddexp.reduce(np.minimum(log_q, e + log_p)) for e in at])
    truth = np.minimum(truth, other)  # of both directions the one with the larger delta
    assert np.all(found.log_gap_lower <= truth + 1e-6)
    assert np.all(truth - 1e-6 <= found.log_gap_upper)
    assert np.all(found.log_gap_upper - found.log_gap_lower < 1e-4)
    assert 0.0 < guarantee.mu() - guarantee.optimistic.mu() < 1e-6 * guarantee.mu()


def test_strong_laws_on_a_lattice_have_a_mu() -> None:
    """mu was between 318.8 and 366.1, for masses of 1e-5500 were taken to be nothing."""
    times, scale = 2393, 0.1561
    guarantee = ny.account(ny.DiscreteLaplace(scale, 2) ** times)
    a = math.exp(-1.0 / scale)
    outer, inner = math.log(a / (1.0 + a)), math.log(a * (1.0 - a) / (1.0 + a))  # sqrt(p q) of +-2 / scale, and of 0
    up, down = (x.ravel() for x in np.meshgrid(np.arange(480.0, 1120.0), np.arange(480.0, 1120.0)))
    log_w = gammaln(times + 1.0) - gammaln(up + 1.0) - gammaln(down + 1.0) - gammaln(times - up - down + 1.0)
    log_w += outer * (up + down) + inner * (times - up - down)
    log_gap = float(np.logaddexp.reduce(log_w - np.abs(up - down) / scale))
    truth = -2.0 * float(ndtri_exp(np.array(log_gap - math.log(2.0))))
    assert guarantee.optimistic.mu() <= truth * (1.0 + 1e-7)
    assert truth * (1.0 - 1e-7) <= guarantee.mu() < truth * (1.0 + 1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_outcomes_left_out_count_where_they_may(seed: int) -> None:
    """Of a list some outcomes are taken out and stated as lost: bounds hold for the whole list, also where 1 - delta is
    small beside what is lost.
    """
    source = np.random.default_rng(seed)
    loss = np.sort(source.normal(0.0, 40.0, 300))
    p, q = (np.exp(sign * 0.5 * loss - source.uniform(0.0, 3.0, 300)) for sign in (1.0, -1.0))
    p, q = p / p.sum(), q / q.sum()
    order = np.argsort(np.log(p / q))
    p, q = p[order], q[order]
    loss, log_w = np.log(p / q), 0.5 * np.log(p * q)
    out = source.random(300) < 0.1
    mass, overlap = max(p[out].sum(), q[out].sum()), float(np.logaddexp.reduce(log_w[out]))
    atoms = Atoms(loss[~out], log_w[~out], 1e-13, 1e-13, 1e-12, mass * (1.0 + 1e-12), None, 0.0, None, overlap)
    at = np.array([0.0, 0.5, 5.0, 50.0])
    found = AtomsProfile(atoms, True, math.inf).bracket(at)
    truth = np.array([np.logaddexp.reduce(np.minimum(np.log(p), e + np.log(q))) for e in at])
    assert np.all(found.log_gap_lower <= truth)
    assert np.all(truth <= found.log_gap_upper)


def sampled_truth(sigma: float, rate: float, times: int, epsilon: list[float]) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """delta of ``times`` sampled discrete Gaussian steps in both directions, by every way to share them among outcomes
    of more than e^-100.
    """
    with mp.workdps(50):
        s, q, last = mp.mpf(sigma), mp.mpf(rate), math.ceil(14.2 * sigma)
        mass = {x: mp.exp(-(mp.mpf(x) ** 2) / (2 * s * s)) for x in range(-last - 2, last + 3)}
        total = mp.fsum(mass.values())
        one = [((1 - q) * mass[x] / total + q * mass[x - 1] / total, mass[x] / total) for x in range(-last, last + 1)]
        ways = [[(p**n / mp.factorial(n), q**n / mp.factorial(n)) for n in range(times + 1)] for p, q in one]
        lists = [(times, mp.factorial(times), mp.factorial(times))]
        for parts in ways[:-1]:
            lists = [(left - n, p * parts[n][0], q * parts[n][1]) for left, p, q in lists for n in range(left + 1)]
        pairs = [(p * ways[-1][left][0], q * ways[-1][left][1]) for left, p, q in lists]
        grown = [mp.exp(mp.mpf(e)) for e in epsilon]
        remove = [mp.fsum(p - y * q for p, q in pairs if p > y * q) for y in grown]
        return remove, [mp.fsum(q - y * p for p, q in pairs if q > y * p) for y in grown]


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "epsilon"),
    rest_slow([(0.55, 1e-5, 4, [0.0, 1e-5, 7e-4, 0.1, 1.0, 7.0]), (1.0, 1e-3, 3, [0.0, 1e-4, 0.02, 1.0])], 0),
)
def test_few_sampled_discrete_gaussians_against_enumeration(
    sigma: float, rate: float, times: int, epsilon: list[float]
) -> None:
    # no lattice holds them, and their tails have more outcomes than can be counted
    atoms = enumerated([(DiscreteGaussianStep(sigma, 1, rate).table(), times)])
    assert atoms is not None
    for remove, truths in zip((True, False), sampled_truth(sigma, rate, times, epsilon), strict=True):
        found = AtomsProfile(atoms, remove, math.inf).bracket(np.array(epsilon))
        for lower, upper, exact in zip(found.lower, found.upper, truths, strict=True):
            assert lower <= exact * (1 + mp.mpf(10) ** -30) + mp.mpf(10) ** -41
            assert exact <= upper
            assert exact < 1e-30 or upper <= lower * (1.0 + 1e-9)


def test_losses_that_cancel_are_off_by_more_than_in_proportion() -> None:
    # 10 + 1e-3, each off by 1e-13 of itself, less 10: the difference is off by 2e-12, not by 1e-16
    def one(loss: list[float]) -> Atoms:
        half = np.log(np.full(2, 0.5))
        return Atoms(np.array(loss), half, 0.0, 1e-13, 0.0, 0.0, None, 0.0, None)

    both = product(one([-10.0, 10.001]), one([-10.0, 10.0]))
    assert both is not None
    off = both.slack + both.stretch * np.abs(both.loss)
    assert np.all(off >= 1e-13 * np.array([20.0, 20.0, 20.001, 20.001])[: len(off)])
    # losses that are one are merged, and what that moves is counted
    near = product(one([1.0, 3.0]), one([2.0, 4.0 + 2e-13]))
    assert near is not None
    assert len(near.loss) == 3
    assert near.slack + near.stretch * near.loss[1] >= 2e-13


def test_rare_discrete_gaussians_are_answered() -> None:
    # delta(0.1) was known to lie in [3.572e-11, 3.612e-11]; losses of 1e-5 beside others of 10 kept no digits
    g = ny.account(ny.DiscreteGaussian(0.55).poisson(1e-5) ** 9)
    assert g.method == "exact sum"
    assert g.mu() <= g.optimistic.mu() * (1.0 + 1e-6)
