"""The accountant: laws, agreement with ``account`` to the last bit, refusals, speed of a step."""

import copy
import math
import pickle
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import rest_slow

SETTINGS = ((1.0, 0.01), (0.8, 0.02), (2.0, 1.0), (1.1, 0.0), (3, 1))
runs = st.lists(st.tuples(st.sampled_from(range(len(SETTINGS))), st.integers(1, 5)), max_size=12)


def counted(pairs: list[tuple[int, int]], **terms: object) -> ny.Accountant:
    accountant = ny.Accountant(**terms)  # type: ignore[arg-type]
    for which, times in pairs:
        sigma, rate = SETTINGS[which]
        for _ in range(times):
            accountant.step(noise_multiplier=sigma, sample_rate=rate)
    return accountant


def composed(pairs: list[tuple[int, int]]) -> ny.Mechanism:
    return ny.compose(ny.DPSGD(*SETTINGS[which], times) for which, times in pairs)


def answers(g: ny.Guarantee) -> list[float]:
    return [
        g.delta(0.7),
        g.epsilon(1e-5),
        g.advantage,
        *np.atleast_1d(g.beta([1e-6, 0.1])).tolist(),
        g.mu(),
        g.regret(g),
    ]


@given(runs)
def test_everything_counted_is_one_composition(pairs: list[tuple[int, int]]) -> None:
    accountant = counted(pairs)
    assert len(accountant) == sum(times for _, times in pairs)
    assert ny.compose(m**n for m, n in accountant.history) == composed(pairs)
    assert all(one[0] != two[0] for one, two in zip(accountant.history, accountant.history[1:], strict=False))


@pytest.mark.parametrize(
    "adjacency", rest_slow(["add_or_remove", "add", "remove", "replace"], "add_or_remove", "replace")
)
def test_guarantee_is_that_of_account_bit_for_bit_in_any_order(adjacency: str) -> None:
    pairs = [(0, 300), (1, 20), (0, 7), (2, 1), (3, 4)]
    expected = answers(ny.account(composed(pairs), adjacency, 1e-5))
    rng = random.Random(3)
    for _ in range(3):
        rng.shuffle(pairs)
        assert answers(counted(pairs, adjacency=adjacency, tolerance=1e-5).guarantee()) == expected


def test_getters_are_views_of_the_guarantee() -> None:
    accountant = counted([(0, 1000)])
    g = accountant.guarantee()
    assert accountant.get_epsilon(1e-5) == g.epsilon(1e-5)
    assert np.array_equal(accountant.get_epsilon(np.array([1e-5, 1e-6])), g.epsilon([1e-5, 1e-6]))
    assert accountant.get_mu_and_regret() == (g.gdp().mu, g.gdp().regret)
    assert accountant.get_mu_and_regret(floor=1e-4).mu == g.mu(1e-4)
    assert accountant.get_advantage() == g.advantage
    assert accountant.get_beta(0.05) == g.beta(0.05)
    table = accountant.get_beta()
    assert table.alpha.tolist() == [1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1]
    assert np.array_equal(table.beta, g.beta(table.alpha))
    assert str(table).splitlines()[-1] == f"0.1        {math.floor(g.beta(0.1) * 1e6) / 1e6:.6f}"


def test_published_case_mu() -> None:
    accountant = ny.Accountant()
    accountant.add(ny.DPSGD(1.0, 0.01, 1000))
    assert len(accountant) == 1
    assert accountant.get_mu_and_regret().mu == pytest.approx(0.52220147, abs=1e-8)


def test_guarantee_is_kept_until_the_next_step() -> None:
    accountant = counted([(0, 3)])
    g = accountant.guarantee()
    assert accountant.guarantee() is g
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    assert accountant.guarantee() is not g
    assert accountant.guarantee().delta(0.0) > g.delta(0.0)
    g = accountant.guarantee()
    accountant.add(ny.Laplace(1.0), 0)
    assert accountant.guarantee() is g
    assert len(accountant) == 4


def test_nothing_run_is_perfect_privacy() -> None:
    accountant = ny.Accountant()
    assert (accountant.get_advantage(), accountant.get_epsilon(0.0), len(accountant)) == (0.0, 0.0, 0)
    assert accountant.history == ()


@pytest.mark.parametrize("bad", [True, np.True_, "1", None, math.nan, 0.0, -1.0, math.inf])
def test_steps_are_validated_also_where_an_equal_number_was_seen(bad: object) -> None:
    accountant = counted([(0, 1)])
    with pytest.raises(ny.InvalidParameter, match="noise_multiplier"):
        accountant.step(noise_multiplier=bad, sample_rate=0.01)  # type: ignore[arg-type]
    accountant = ny.Accountant()
    accountant.step(noise_multiplier=1.0, sample_rate=1.0)
    with pytest.raises(ny.InvalidParameter, match=r"sample_rate|noise_multiplier"):
        accountant.step(noise_multiplier=1.0, sample_rate=bad if bad != 0.0 else 1.5)  # type: ignore[arg-type]
    assert len(accountant) == 1


def test_equal_numbers_of_other_types_are_one_setting() -> None:
    accountant = ny.Accountant()
    for sigma in (1.0, 1, np.float64(1.0), np.float32(1.0), np.int64(1)):
        accountant.step(noise_multiplier=sigma, sample_rate=0.5)
    assert accountant.history == ((ny.Gaussian(1.0).poisson(0.5), 5),)


def test_refusals() -> None:
    with pytest.raises(ny.InvalidParameter, match="adjacency"):
        ny.Accountant(adjacency="zero_out")
    with pytest.raises(ny.InvalidParameter, match="tolerance"):
        ny.Accountant(tolerance=0.0)
    accountant = ny.Accountant()
    with pytest.raises(ny.InvalidParameter, match="mechanism must be a Mechanism"):
        accountant.add(1.0)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="count"):
        accountant.add(ny.Gaussian(1.0), 1.5)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="count"):
        accountant.add(ny.Gaussian(1.0), -1)
    accountant.add(ny.Gaussian(1.0), 10**18)
    with pytest.raises(ny.InvalidParameter, match="at most 0"):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    assert len(accountant) == 10**18
    replace = ny.Accountant(adjacency="replace")
    with pytest.raises(ny.InvalidParameter):
        replace.add(ny.PureMechanism(1.0).poisson(0.5))
    with pytest.raises(ny.InvalidParameter):
        replace.add(ny.Opaque(ny.account(ny.Gaussian(1.0))))
    assert len(replace) == 0


def test_copies_and_pickles_are_independent() -> None:
    accountant = counted([(0, 2), (1, 1)])
    accountant.guarantee()
    for twin in (copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):
        twin.step(noise_multiplier=1.0, sample_rate=0.01)
        assert (len(twin), len(accountant)) == (4, 3)


@pytest.mark.slow
def test_a_million_steps_of_a_hundred_settings() -> None:
    """CPU time: of two microseconds a step, and of one second for the guarantee."""
    rng = random.Random(5)
    settings = [(0.8 + 0.01 * i, 0.001 + 0.0002 * i) for i in range(100)]
    steps = [rng.choice(settings) for _ in range(1_000_000)]
    accountant = ny.Accountant()
    start = time.process_time()
    for sigma, rate in steps:
        accountant.step(noise_multiplier=sigma, sample_rate=rate)
    assert time.process_time() - start < 2.0
    start = time.process_time()
    assert accountant.get_epsilon(1e-5) > 0.0
    assert time.process_time() - start < 1.0
