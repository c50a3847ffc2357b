"""Renyi divergences add under composition, and what is known by them is never worse than their sum."""

import itertools
import math
import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.renyi.composition import ComposedStatement
from neyman.guarantees.algebra import blocks
from neyman.guarantees.algebra.blocks import in_blocks
from neyman.guarantees.dominating_pair import worst_loss
from neyman.losses.enclosed.step import EnclosedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.profiles.profile import Bracket
from tests.effort import rest_slow

ROOM = 1.0 + 1e-9


@pytest.mark.parametrize(("rho", "n"), rest_slow([(0.125, 2), (0.125, 16)], 0))
def test_rho_adds_up(rho, n):
    many, once = ny.ZCDP(rho) ** n, ny.ZCDP(n * rho)
    assert many.zcdp() == once.zcdp()
    assert np.all(many.epsilon([1e-9, 1e-6, 1e-2]) <= once.epsilon([1e-9, 1e-6, 1e-2]) * ROOM)
    assert np.all(many.delta([0.0, 1.0, 5.0]) <= once.delta([0.0, 1.0, 5.0]) * ROOM)
    assert np.all(many.beta([1e-6, 0.05, 0.5]) * ROOM >= once.beta([1e-6, 0.05, 0.5]))
    gaussian = ny.GDP((2.0 * n * rho) ** 0.5)  # keeps the promise
    assert np.all(many.delta([0.0, 1.0, 5.0]) >= gaussian.optimistic.delta([0.0, 1.0, 5.0]))


@pytest.mark.parametrize(("rho", "n"), [(0.1, 5), *(pytest.param(rho, n, marks=pytest.mark.slow) for rho, n in [
    (0.003, 5), (0.05, 2), (0.01, 20), (0.5, 7),
])])  # fmt: skip
def test_no_curve_is_lost_where_two_cross(rho, n):
    """What composes and what adds up cross near one alpha: beta there was 3e-4 of itself less than what adds up says,
    since the chord that joins them began before they cross."""
    alpha = np.append(np.geomspace(1e-6, 0.5, 60), np.linspace(0.02, 0.9, 60))
    many, once = (ny.ZCDP(rho) ** n).beta(alpha), ny.ZCDP(n * rho).beta(alpha)
    assert np.all(many * ROOM >= once)
    assert np.max(many / once) > 1.001  # curves compose, too


@pytest.mark.slow
def test_mu_of_a_sum_of_rho_is_no_larger():
    assert (ny.ZCDP(0.125) ** 4).mu() <= ny.ZCDP(0.5).mu() * ROOM


def test_orders_add_up():
    orders = np.array([2.0, 4.0, 8.0, 16.0])
    twice, sum_of_both = ny.RDP(orders, orders / 8) * ny.RDP(orders, orders / 8), ny.RDP(orders, orders / 4)
    assert np.all(twice.renyi(orders) <= sum_of_both.renyi(orders) * ROOM)
    assert np.all(twice.epsilon([1e-9, 1e-6, 1e-2]) <= sum_of_both.epsilon([1e-9, 1e-6, 1e-2]) * ROOM)
    assert np.all(twice.beta([1e-6, 0.05]) * ROOM >= sum_of_both.beta([1e-6, 0.05]))


def test_boxes_among_mechanisms_say_what_their_product_says():
    boxes = ny.account(ny.Opaque(ny.ZCDP(0.1)) ** 4 * ny.Gaussian(2.0))
    product = ny.ZCDP(0.1) ** 4 * ny.GDP(0.5)
    assert boxes.epsilon(1e-6) == product.epsilon(1e-6) <= ny.ZCDP(0.525).epsilon(1e-6) * ROOM
    assert boxes.zcdp() == product.zcdp() == pytest.approx(0.525, rel=1e-12)


def test_a_meet_keeps_what_is_known_of_its_parts():
    both = ny.meet(ny.PureDP(1.0), ny.ZCDP(0.125))
    assert both.zcdp() <= 0.125
    twice = both * both
    assert twice.epsilon(1e-6) <= min(2.0, ny.ZCDP(0.25).epsilon(1e-6))
    assert twice.epsilon(0.0) <= 2.0 * (1.0 + 1e-6)


def test_a_join_adds_the_larger_divergence():
    either = ny.join(ny.ZCDP(0.1), ny.ZCDP(0.3), ny.PureDP(0.2))
    assert either.zcdp() == 0.3
    wide = ny.join(ny.ZCDP(0.1), ny.ApproximateDP(0.5, 1e-3))
    assert wide.zcdp() == float("inf")


@pytest.mark.slow
def test_a_join_does_not_give_one_part_the_divergences_of_another():
    stated, epsilon = ny.ZCDP(0.25), np.arange(0.0, 3.01, 0.1)
    inner = ny.Profile(epsilon, np.append(0.85 * stated.delta(epsilon[:-1]), 0.0))
    assert inner.satisfies(stated)  # as a curve, and yet
    assert inner.zcdp() > 0.32  # several pairs of that rho at once have a larger one
    for either in (ny.join(inner, stated), ny.join(stated, inner)):
        assert either.zcdp() >= inner.zcdp()
        assert either.delta(1.0) == stated.delta(1.0)


def test_products_are_pickled_and_inverted():
    product = ny.compose_tradeoffs(ny.ZCDP(0.1), ny.ZCDP(0.2), tolerance=0.1)
    again = pickle.loads(pickle.dumps(product))
    assert again.delta(4.0) == product.delta(4.0)
    assert product.inverse() is product
    assert product.optimistic.delta(4.0) <= product.delta(4.0)


def test_bounds_from_below_are_found_when_asked():
    asked: list[int] = []

    def below() -> tuple[np.ndarray, np.ndarray]:
        asked.append(1)
        return np.array([0.3]), np.array([-1.0])

    late = Bracket.late(np.array([0.2]), np.array([-0.5]), below)
    assert float(late.upper[0]) == 0.2
    assert not asked
    assert (float(late.lower[0]), float(late.log_gap_upper[0])) == (0.2, -0.5)  # never beyond the upper bounds
    assert len(asked) == 1
    assert pickle.loads(pickle.dumps(late)).lower.tolist() == [0.2]


@pytest.mark.parametrize("number", rest_slow([6, 20], 0))
@pytest.mark.slow
def test_very_long_powers_and_products_of_many_are_quick(number):
    began = time.process_time()
    many, rho = ny.ZCDP(1e-9) ** 10**9, np.linspace(0.001, 0.05, number)
    found = many.epsilon(1e-6)
    product = math.prod((ny.ZCDP(float(one)) for one in rho[1:]), start=ny.ZCDP(float(rho[0])))
    sum_ = product.epsilon(1e-6)
    assert time.process_time() - began < 10.0  # more than a minute, of 10^9 curves, and 5 s, of 20 different ones
    assert found <= ny.ZCDP(1.0).epsilon(1e-6) * ROOM
    assert many.mu() <= ny.ZCDP(1.0).mu() * ROOM
    assert many.zcdp() == pytest.approx(1.0, rel=1e-12)
    assert sum_ <= ny.ZCDP(math.fsum(rho)).epsilon(1e-6) * ROOM
    assert product.beta(0.01) * ROOM >= ny.ZCDP(math.fsum(rho)).beta(0.01)


def test_steps_in_blocks_are_bounded_as_what_they_are():
    """Twelve different randomised responses, of which eps^2 / 2 is stated: all 4096 outcomes of the true law."""
    eps = np.linspace(0.02, 0.4, 12)
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=12)))
    loss = signs @ eps
    p = np.exp(np.sum(np.log(1.0 / (1.0 + np.exp(-signs * eps))), axis=1))
    bound = math.prod((ny.ZCDP(float(e * e / 2)) for e in eps[1:]), start=ny.ZCDP(float(eps[0] ** 2 / 2)))
    for at in (0.0, 0.1, 0.5, 1.0, 2.0):
        truth = float(p @ np.maximum(-np.expm1(at - loss), 0.0))
        assert truth <= bound.delta(at) <= ny.ZCDP(float(eps @ eps) / 2).delta(at) * ROOM


def test_no_step_is_left_out_of_the_blocks():
    steps = tuple((worst_loss(ny.ZCDP(rho)), n) for rho, n in ((0.3, 7), (0.01, 1000), (0.004, 3), (1e-6, 10**7)))
    rest = (GaussianStep(0.5, 0.5), 1)
    *kept, (block, count) = in_blocks((*steps, rest))
    assert kept == [rest]
    assert isinstance(block, EnclosedStep)
    assert isinstance(block.promise, ny.ZCDP)
    whole = 0.3 * 7 + 0.01 * 1000 + 0.004 * 3 + 1e-6 * 10**7
    assert 1.0 - 1e-12 <= count * block.promise.zcdp() / whole < 1.1
    few = (steps[0], rest)
    assert in_blocks(few) == few


@given(st.data())
def test_blocks_hold_a_run_in_any_order(data):
    """Filled one after the other, as the docstring of the room says."""
    kinds = data.draw(st.integers(2, 5))
    orders = np.array([2.0, 8.0])
    told = [[data.draw(st.floats(1e-3, 1.0)) for _ in orders] for _ in range(kinds)]
    stated = tuple((worst_loss(ny.RDP(orders, np.array(one) * orders)), data.draw(st.integers(1, 6))) for one in told)
    count = data.draw(st.integers(1, 8))
    _, bounds = blocks._at_most(stated, orders, count)
    each = [ComposedStatement(((step, 1),)) for step, _ in stated]
    bound, size = [one.bound(orders) for one in each], [blocks._size(one, orders) for one in each]
    run = data.draw(st.permutations([i for i, (_, times) in enumerate(stated) for _ in range(times)]))
    largest = sorted((size[i] for i in run), reverse=True)[: count - 1]
    room = max((sum(size[i] for i in run) + sum(largest)) / count, max(size)) * (1.0 + 1e-12)
    filled = [[]]
    for i in run:
        if sum(size[j] for j in filled[-1]) + size[i] > room:
            filled.append([])
        filled[-1].append(i)
    assert len(filled) <= count
    for block in filled:
        assert np.all(sum(bound[i] for i in block) <= bounds)


def test_orders_in_blocks():
    orders = np.array([2.0, 4.0, 8.0, 16.0])
    many, once = ny.RDP(orders, orders * 1e-6) ** 10**6, ny.RDP(orders, orders)
    assert np.all(many.epsilon([1e-9, 1e-6, 1e-2]) <= once.epsilon([1e-9, 1e-6, 1e-2]) * ROOM)
    gaussian = ny.GDP(2.0**0.5)  # keeps the promise
    assert np.all(many.delta([0.0, 1.0, 5.0]) >= gaussian.optimistic.delta([0.0, 1.0, 5.0]))
    assert many.delta(0.0) < once.delta(0.0)  # curves compose, too


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "times"), [(1e3, 20), (1e-3, 10**9)])
def test_large_promises_add_up_too(rho, times):
    power, whole = ny.ZCDP(rho) ** times, ny.ZCDP(rho * times)
    total = rho * times
    e = total + 2.0 * np.sqrt(total) * np.array([-1.0, 0.0, 2.0, 6.0])
    assert np.all(power.delta(e) <= whole.delta(e) * (1 + 1e-9))
    assert np.all(power.delta(e) >= [1 - 1e-9, 0.99, 0.01, 0.0])  # a Gaussian keeps the promise
    assert power.epsilon(1e-6) <= whole.epsilon(1e-6) * (1 + 1e-9)
    assert power.mu() <= whole.mu() * (1 + 1e-9)
    assert power.optimistic.delta(5.0) > 1 - 1e-6


def test_what_a_large_promise_of_renyi_divergences_leaves():
    """The order 2 alone: epsilon <= D_2 - log(4 delta), from the elementary bound c^c / (1 + c)^(1 + c) with c = 1."""
    g = ny.RDP([2.0, 8.0], [1.0, 3.0]) ** 10**5
    assert 1e5 <= g.epsilon(1e-6) <= (1e5 - np.log(4e-6)) * ROOM
    assert g.mu() < 1e3


@pytest.mark.parametrize(
    ("rho", "epsilon"), rest_slow([(6495.2, 6839.2), (130060.5, 130775.7), (98831.6, 102516.1), (30.0, 60.0)], 2, 3)
)
def test_no_conversion_of_a_single_order_says_more(rho, epsilon):
    """The least over c = t - 1 of c^c / (1 + c)^(1 + c) e^(c (rho (1 + c) - eps)), at ten thousand orders."""
    c = np.geomspace(1e-5, 10.0, 10**4)
    exponent = c * np.log(c) - (1.0 + c) * np.log1p(c) + c * (rho * (1.0 + c) - epsilon)
    assert ny.ZCDP(rho).delta(epsilon) <= np.exp(exponent.min()) * (1.0 + 1e-9)


@pytest.mark.parametrize("rho", [0.05, 1.0, 30.0])
def test_far_beyond_what_is_told_no_record_is_seen(rho):
    """An alpha that is no float is not multiplied by e^eps."""
    eps = np.array([1.0, 0.2, 0.1]) * 1e4
    assert np.all(ny.ZCDP(rho).sides.forward.slope(eps) <= 1e-300)


@pytest.mark.parametrize("rho", rest_slow([3e-12, 1.62e-8, 1.64e-8, 3e-3, 1e10], 1, 4))
def test_far_beyond_what_is_told_nothing_warns(rho):
    """Orders and points that are no floats tell nothing; warnings are errors here."""
    g, mu = ny.ZCDP(rho), math.sqrt(2.0 * rho)
    eps = np.array([0.0, 0.01 * mu, mu, rho + 20.0 * mu, 4.0 * rho + 40.0 * mu, 100.0 * rho + 1000.0 * mu, 1.0, 30.0])
    lower, upper = g.optimistic.delta(eps), g.delta(eps)
    assert np.all((lower >= 0.0) & (lower <= upper) & (upper <= 1.0))
    assert np.all(upper >= ny.GDP(mu * (1.0 - 1e-14)).optimistic.delta(eps))
