"""Individual budgets: never overdrawn, exact in any order, the same by every way of calling."""

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.accountants import individual

losses = st.one_of(st.floats(0.0, 2.0), st.sampled_from([0.0, 0.5, 0.25, 1.0, 1e-30, 1e-200, 5e-324, 1e200, 2.0**-26]))


def test_blocks_and_masks_and_indices_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(individual, "_BLOCK", 64)
    rng = np.random.default_rng(3)
    size = 1000
    by_mask, by_index = ny.IndividualFilter(mu=1.0, records=size), ny.IndividualFilter(mu=1.0, records=size)
    alone = [ny.IndividualFilter(mu=1.0, records=1) for _ in range(20)]
    for _ in range(12):
        mu, mask = rng.uniform(0.0, 0.7, size), rng.random(size) < 0.7
        indices = rng.permutation(np.flatnonzero(mask))
        active = by_mask.spend(mu, mask)
        assert np.array_equal(active, by_index.spend(mu[indices], indices))
        for i, one in enumerate(alone):
            assert bool(one.spend(mu[i : i + 1], np.array([mask[i]]))[0]) == bool(active[i])
        assert not np.any(active & ~mask)
    assert np.array_equal(by_mask.spent, by_index.spent)
    assert np.array_equal(by_mask.active, by_mask.spent < 1.0)


@given(st.lists(losses, min_size=1, max_size=30), st.sampled_from([1.0, 0.3, 1e-40, 1e40, 0.7]))
def test_no_record_overdraws_and_little_is_wasted(values: list[float], budget: float) -> None:
    scaled = [value * budget for value in values]
    if any(not value < math.inf for value in scaled):
        return
    filters = ny.IndividualFilter(mu=budget, records=2)
    whole = Fraction(budget) ** 2
    truth = Fraction(0)
    for value in scaled:
        one, two = filters.spend(np.array([value, 0.0]))
        assert two
        square = Fraction(value) ** 2
        if one:
            truth += square
        else:
            assert truth + square > whole * (1 - Fraction(len(values) * 6, 2**52))
        assert truth <= whole
        spent, left = filters.spent[0], filters.remaining[0]
        assert truth <= Fraction(spent) ** 2 <= whole
        assert Fraction(left) ** 2 <= whole - truth
    assert filters.spent[1] == 0.0
    assert filters.guarantee() == ny.GDP(budget)


@given(st.lists(st.floats(0.0, 0.2), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_steps_does_not_matter(values: list[float], rng: random.Random) -> None:
    one, two = ny.IndividualFilter(mu=1.0, records=1), ny.IndividualFilter(mu=1.0, records=1)
    for value in values:
        one.spend(np.array([value]))
    rng.shuffle(values)
    for value in values:
        two.spend(np.array([value]))
    assert one.spent[0] == two.spent[0]


@given(st.floats(1e-10, 1e10), st.integers(1, 40))
def test_a_number_or_a_mechanism_may_spend_the_last_bit(budget: float, parts: int) -> None:
    filters = ny.IndividualFilter(mu=budget, records=3)
    assert filters.spend(budget).all()
    assert not filters.active.any()
    assert not filters.spend(1e-30 * budget).any()
    assert not ny.IndividualFilter(mu=budget, records=1).spend(math.nextafter(budget, math.inf)).any()
    quarters = ny.IndividualFilter(mu=budget, records=1)
    assert [bool(quarters.spend(budget / 2)[0]) for _ in range(5)] == [True] * 4 + [False]
    powers = ny.IndividualFilter(mu=1.0, records=1)
    assert powers.spend(ny.Gaussian(1.0).poisson(0.01))[0]  # charged as if not sampled
    assert not powers.active[0]


def test_what_remains_can_be_spent() -> None:
    rng = np.random.default_rng(5)
    filters = ny.IndividualFilter(mu=0.9, records=500)
    assert filters.remaining == pytest.approx(0.9, rel=1e-14)
    assert filters.spend(filters.remaining * (np.arange(500) % 2)).all()
    filters.spend(rng.uniform(0.01, 0.6, 500))
    assert filters.spend(filters.remaining).all()


def test_tiny_losses_cost_at_least_one_unit() -> None:
    filters = ny.IndividualFilter(mu=1.0, records=3)
    filters.spend(np.array([5e-324, 1e-200, 0.0]))
    assert (filters.spent > 0.0).tolist() == [True, True, False]
    filters.spend(5e-324)
    assert (filters.spent > 0.0).all()


def test_a_record_that_sits_out_pays_nothing_and_may_return() -> None:
    filters = ny.IndividualFilter(mu=1.0, records=1)
    filters.spend(0.8)
    before = filters.spent
    assert not filters.spend(0.7)[0]
    assert filters.spent == before
    assert filters.spend(0.5)[0]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_types_of_losses(kind: Any) -> None:
    filters = ny.IndividualFilter(mu=3.0, records=2)
    assert filters.spend(np.array([1, 2], dtype=kind)).all()
    assert filters.spent.tolist() == pytest.approx([1.0, 2.0], rel=1e-15)
    assert (filters.budget, len(filters)) == (3.0, 2)
    assert filters.spend(np.array(2.0)).tolist() == [True, True]


WRONG: list[tuple[Any, Any]] = [
    (-1.0, None), (math.nan, None), (math.inf, None), ("1", None), (True, None), ([0.1, 0.2], None),
    (np.array([0.1, math.nan, 0.1]), None), (np.array([0.1, -0.1, 0.1]), None), (np.array([0.1, math.inf, 0.1]), None),
    (np.array([True, True, True]), None), (np.array(["1", "1", "1"]), None), (np.ones((3, 1)), None),
    (0.1, [3]), (0.1, [-1]), (0.1, [0, 0]), (0.1, [0.5]), (0.1, [True, False]), (0.1, [[0]]), (0.1, 1),
    (np.ones(3), [0, 1]), (np.ones(2), np.array([True, True, False])), (np.array([0.1, math.nan]), [0, 1]),
    (ny.ApproximateMechanism(1.0, 1e-5), None),
]  # fmt: skip


@pytest.mark.parametrize(("mu", "records"), WRONG)
def test_refused_calls_charge_nobody(mu: Any, records: Any) -> None:
    filters = ny.IndividualFilter(mu=10.0, records=3)
    with pytest.raises(ny.InvalidParameter):
        filters.spend(mu, records)
    assert not filters.spent.any()


def test_refused_filters() -> None:
    for bad in (0.0, math.nan, math.inf, -1.0, "1"):
        with pytest.raises(ny.InvalidParameter, match="mu must be"):
            ny.IndividualFilter(mu=bad, records=3)  # type: ignore[arg-type]
    for bad in (0, -1, 1.5, True, 10**11):
        with pytest.raises(ny.InvalidParameter, match="records must be"):
            ny.IndividualFilter(mu=1.0, records=bad)  # type: ignore[arg-type]
    assert "SECRET" in str(ny.IndividualFilter.__doc__)
    assert repr(ny.IndividualFilter(mu=1.0, records=2)) == "<IndividualFilter: mu = 1.0 for each of 2 records>"


def test_rows_of_unequal_lengths_are_refused() -> None:
    budget = ny.IndividualFilter(mu=1.0, records=3)
    ragged: Any = [[0.1], [0.2, 0.3]]
    with pytest.raises(ny.InvalidParameter, match="mu must be"):
        budget.spend(ragged)
    with pytest.raises(ny.InvalidParameter, match="records must be"):
        budget.spend(0.1, records=ragged)
    assert not budget.spent.any()
