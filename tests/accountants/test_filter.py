"""Filters: never above the budget, exact to the last bit, whatever the strategy."""

import inspect
import json
import math
import pickle
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.accountants.budget import add_exactly
from tests.effort import rest_slow

Strategy = Callable[[random.Random, ny.Filter], ny.Mechanism]


def up(x: float, steps: int = 1) -> float:
    for _ in range(steps):
        x = math.nextafter(x, math.inf)
    return x


def spent_to_the_ulp(rng: random.Random, budget: ny.Filter) -> ny.Mechanism:
    """Just what is left, or a few last places beside it: the strategy that lives on rounding."""
    left = max(budget.remaining, 1e-40 * budget.budget)
    mu = left if budget.unit == "mu" else math.sqrt(2.0 * left)
    mu *= rng.choice([1.0, 0.5, 0.75, 1.0 - 2.0**-52])
    sigma = min(max(1.0 / mu, 1e-90), 1e90)
    for _ in range(rng.randrange(3)):
        sigma = math.nextafter(sigma, rng.choice([0.0, math.inf]))
    return ny.Gaussian(sigma)


def any_noise(rng: random.Random, budget: ny.Filter) -> ny.Mechanism:
    scale = budget.budget if budget.unit == "mu" else math.sqrt(budget.budget)
    sigma = math.exp(rng.uniform(-1.0, 5.0)) / scale
    return ny.Gaussian(sigma, rng.choice([1.0, 0.1, 3.0]) if sigma > 1e-30 else 1.0) ** rng.randrange(3)


def dust(rng: random.Random, budget: ny.Filter) -> ny.Mechanism:
    """So little that a float sum would not move."""
    return ny.Gaussian(min(rng.uniform(1.0, 2.0) * 1e20 / budget.budget, 1e99)) ** rng.choice([1, 10**17])


def sampled(rng: random.Random, budget: ny.Filter) -> ny.Mechanism:
    return ny.Gaussian(max(2.0, 3.0 / budget.budget)).poisson(rng.uniform(0.001, 0.999)) ** rng.randrange(1, 4)


def steered(rng: random.Random, budget: ny.Filter) -> ny.Mechanism:
    """Pretends to look at the releases, and turns from one habit to another."""
    return rng.choice([spent_to_the_ulp, any_noise, dust, sampled])(rng, budget)


STRATEGIES: list[Strategy] = [spent_to_the_ulp, any_noise, dust, sampled, steered]


def cost_of(mechanism: ny.Mechanism, unit: str, factor: int) -> Fraction:
    """The charge by its definition: squares of sensitivity / sigma, sampled or not."""
    total = Fraction(0)
    for step, n in mechanism.parts:
        plain = getattr(step, "of", step)
        total += n * factor * (Fraction(plain.sensitivity) / Fraction(plain.sigma)) ** 2
    return total if unit == "mu" else total / 2


@pytest.mark.parametrize("seed", rest_slow(range(10), 0, 1, 2))
def test_a_thousand_adaptive_strategies_never_overdraw(seed: int) -> None:
    for number in range(100):
        rng = random.Random(1000 * seed + number)
        unit, adjacency = rng.choice(["mu", "rho"]), rng.choice(["add_or_remove", "replace"])
        stated = math.exp(rng.uniform(-20.0, 20.0)) if number % 2 else rng.choice([1.0, 0.3, 1e-30, 1e30, 2.0**-20])
        budget = ny.Filter(**{unit: stated}, adjacency=adjacency)  # type: ignore[arg-type]
        whole = Fraction(stated) ** 2 if unit == "mu" else Fraction(stated)
        factor = 4 if adjacency == "replace" else 1
        strategy, truth = STRATEGIES[number % len(STRATEGIES)], Fraction(0)
        for _ in range(12):
            mechanism = strategy(rng, budget)
            cost = cost_of(mechanism, unit, factor)
            before = (budget.spent, budget.remaining)
            try:
                budget.spend(mechanism)
            except ny.BudgetExceeded:
                assert truth + cost > whole
                assert (budget.spent, budget.remaining) == before
            else:
                truth += cost
            assert truth <= whole
            shown = Fraction(budget.spent) ** 2 if unit == "mu" else Fraction(budget.spent)
            left = Fraction(budget.remaining) ** 2 if unit == "mu" else Fraction(budget.remaining)
            assert truth <= shown <= whole
            assert left <= whole - truth


@given(st.floats(1e-20, 1e20), st.integers(1, 1000))
def test_a_budget_may_be_spent_to_the_last_bit_and_not_one_more(mu: float, parts: int) -> None:
    sensitivity = mu
    budget = ny.Filter(mu=mu)
    budget.spend(ny.Gaussian(1.0, sensitivity))
    assert (budget.spent, budget.remaining) == (mu, 0.0)
    with pytest.raises(ny.BudgetExceeded):
        budget.spend(ny.Gaussian(1e99))
    with pytest.raises(ny.BudgetExceeded):
        ny.Filter(mu=mu).spend(ny.Gaussian(1.0, up(sensitivity)))
    budget = ny.Filter(mu=1.0)
    budget.spend(ny.Gaussian(float(parts)) ** (parts * parts))
    assert budget.remaining == 0.0
    with pytest.raises(ny.BudgetExceeded):
        ny.Filter(mu=1.0).spend(ny.Gaussian(float(parts)) ** (parts * parts + 1))
    rho = ny.Filter(rho=0.5)
    for _ in range(9):
        rho.spend(ny.Gaussian(3.0).poisson(0.5))
    assert rho.remaining == 0.0


def test_ten_thousand_uneven_charges_stay_short_and_safe() -> None:
    """Denominators would grow without end; the sum is rounded up instead, and still not above the budget."""
    rng = random.Random(2)
    budget, truth = ny.Filter(mu=1.0), Fraction(0)
    for i in range(2000):
        sigma = rng.uniform(100.0, 200.0)
        budget.spend(ny.Gaussian(sigma))
        truth += Fraction(1) / Fraction(sigma) ** 2 if i < 60 else 0
        if i == 59:
            assert truth <= budget._spent <= truth * (1 + Fraction(1, 2**200))
    assert budget._spent.denominator.bit_length() <= 4096
    assert budget._spent <= 1


@given(st.fractions(0, 1), st.fractions(0, 1, max_denominator=10**9))
def test_long_sums_are_rounded_up_by_next_to_nothing(total: Fraction, cost: Fraction) -> None:
    long = Fraction(1, 3**2600)
    assert add_exactly(total, cost, Fraction(1)) == total + cost
    rounded = add_exactly(total + long, cost, Fraction(1))
    assert 0 <= rounded - (total + long + cost) < Fraction(1, 2**256)


def test_what_other_mechanisms_cost() -> None:
    mu, rho = ny.Filter(mu=10.0), ny.Filter(rho=10.0)
    assert mu.cost(ny.Laplace(1.0)) == pytest.approx(1.0300639976, abs=1e-9)
    assert mu.cost(ny.Laplace(1.0)) >= ny.account(ny.Laplace(1.0)).tail_mu * (1 - 1e-15)
    assert rho.cost(ny.PureMechanism(1.0)) == ny.account(ny.PureMechanism(1.0)).zcdp()
    assert rho.cost(ny.PureMechanism(1.0) ** 5) == pytest.approx(5 * math.tanh(0.5), rel=1e-9)
    mixed = ny.Laplace(1.0) * ny.DPSGD(1.0, 0.01, 1)
    charge = rho.cost(mixed)
    assert charge == pytest.approx(ny.account(mixed).zcdp(), rel=1e-9)
    assert charge < rho.cost(ny.Laplace(1.0)) + 0.5
    assert rho.cost(mixed * ny.Gaussian(1.0)) >= ny.account(mixed * ny.Gaussian(1.0)).zcdp() * (1 - 1e-12)
    assert mu.cost(ny.compose([])) == rho.cost(ny.compose([])) == 0.0
    assert mu.cost(ny.Opaque(ny.GDP(0.7))) == pytest.approx(0.7, rel=1e-12)
    assert ny.Filter(mu=10.0, adjacency="replace").cost(ny.DPSGD(2.0, 0.01, 9)) == 3.0
    assert ny.Filter(rho=10.0, adjacency="replace").cost(ny.DPSGD(2.0, 0.01, 8)) == 4.0


def test_the_charge_covers_what_the_mechanism_promises() -> None:
    """GDP with the charge must be implied by nothing but the truth: no curve of the mechanism lies below it."""
    budget = ny.Filter(mu=100.0)
    for mechanism in (
        ny.Laplace(2.0) ** 3,
        ny.DPSGD(1.0, 0.1, 5),
        ny.DiscreteGaussian(2.0),
        ny.RandomizedResponse(1.0),
    ):
        charged = ny.GDP(budget.cost(mechanism))
        assert np.all(
            ny.account(mechanism).optimistic.beta([1e-8, 1e-3, 0.1, 0.4]) >= charged.beta([1e-8, 1e-3, 0.1, 0.4])
        )


def test_an_adaptive_analyst_gains_nothing() -> None:
    """The likelihood ratio of runs steered by their own releases stays inside the promised curve."""
    rng = np.random.default_rng(7)
    runs, budget = 200_000, 1.0
    for habit in ("stop when ahead", "double when behind"):
        loss, spent = np.zeros(runs), np.zeros(runs)  # under H1, of a Gaussian with shift mu: N(mu^2 / 2, mu^2)
        for _ in range(40):
            ahead = loss > 0.4
            square = np.where(ahead, 0.0, 0.05) if habit == "stop when ahead" else np.where(ahead, 0.02, 0.2)
            square = np.where(spent + square <= budget, square, 0.0)
            loss += 0.5 * square + np.sqrt(square) * rng.standard_normal(runs)
            spent += square
        for epsilon in (0.0, 0.5, 1.0, 2.0):
            gained = np.maximum(0.0, -np.expm1(epsilon - loss))  # its mean is delta(epsilon)
            error = 5.0 * gained.std() / math.sqrt(runs)
            assert gained.mean() - error <= ny.GDP(1.0).delta(epsilon)


def test_the_guarantee_is_the_budget_not_what_was_spent() -> None:
    mu, rho = ny.Filter(mu=1.5), ny.Filter(rho=0.7)
    for budget in (mu, rho):
        budget.spend(ny.Gaussian(4.0))
    assert mu.guarantee() == ny.GDP(1.5)
    assert rho.guarantee() == ny.ZCDP(0.7)
    assert (mu.unit, mu.budget, mu.adjacency, mu.spent) == ("mu", 1.5, "add_or_remove", 0.25)
    assert repr(rho) == "<Filter: rho = 0.03125 spent of 0.7, add_or_remove>"


def test_the_error_carries_its_numbers_and_the_way_out() -> None:
    budget = ny.Filter(mu=1.0)
    budget.spend(ny.Gaussian(2.0))
    with pytest.raises(
        ny.BudgetExceeded, match=r"mu = 1\.0 would overdraw.*without amplification.*Accountant"
    ) as caught:
        budget.spend(ny.DPSGD(10.0, 0.001, 100))
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.unit, error.cost, error.budget) == ("mu", 1.0, 1.0)
    assert error.remaining == pytest.approx(math.sqrt(0.75), rel=1e-15)
    assert str(error) == str(caught.value)
    budget.spend(ny.Gaussian(10.0))  # a cheaper one still fits


@pytest.mark.parametrize("mechanism", [ny.ApproximateMechanism(1.0, 1e-5), ny.Opaque(ny.ApproximateDP(1.0, 1e-6))])
@pytest.mark.parametrize("unit", ["mu", "rho"])
def test_mechanisms_without_a_finite_charge_are_refused(mechanism: ny.Mechanism, unit: str) -> None:
    budget = ny.Filter(**{unit: 1e6})  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match=f"a finite {unit} holds"):
        budget.spend(mechanism)
    assert budget.spent == 0.0


def test_refusals() -> None:
    for arguments in ({}, {"mu": 1.0, "rho": 1.0}):
        with pytest.raises(ny.InvalidParameter, match="exactly one"):
            ny.Filter(**arguments)
    for bad in (0.0, -1.0, math.nan, math.inf, True, "1", 1e51):
        with pytest.raises(ny.InvalidParameter, match="mu must be"):
            ny.Filter(mu=bad)  # type: ignore[arg-type]
        with pytest.raises(ny.InvalidParameter, match="rho must be"):
            ny.Filter(rho=bad)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="adjacency"):
        ny.Filter(mu=1.0, adjacency="add")
    with pytest.raises(ny.InvalidParameter, match="a Mechanism"):
        ny.Filter(mu=1.0).spend(0.5)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter):
        ny.Filter(rho=1.0, adjacency="replace").spend(ny.PureMechanism(1.0).poisson(0.1))


def test_a_budget_survives_json_to_the_last_bit() -> None:
    rng = random.Random(9)
    for unit in ("mu", "rho"):
        one, two = ny.Filter(**{unit: 0.7}), ny.Filter(**{unit: 0.7})  # type: ignore[arg-type]
        for _ in range(80):
            one.spend(ny.Gaussian(rng.uniform(100.0, 200.0)))
        two.spend(ny.Gaussian(3.0))
        two.load_state_dict(json.loads(json.dumps(one.state_dict())))
        assert (two._spent, two.remaining) == (one._spent, one.remaining)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2}, {"schema": True}, {"mu": 1.5}, {"mu": 1}, {"adjacency": "replace"}, {"extra": 0},
        {"spent": None},
        {"spent": ["1"]}, {"spent": [1, 2]}, {"spent": ["-1", "2"]}, {"spent": ["1", "0"]}, {"spent": ["5", "4"]},
        {"spent": ["1.0", "2"]}, {"spent": ["\u0661", "2"]}, {"spent": ["1" * 5000, "1" * 5001]},
    ],
)  # fmt: skip
def test_malformed_states_of_a_budget_are_refused(change: dict[str, object]) -> None:
    budget = ny.Filter(mu=1.0)
    budget.spend(ny.Gaussian(2.0))
    with pytest.raises(ny.InvalidParameter):
        budget.load_state_dict({**ny.Filter(mu=1.0).state_dict(), **change})
    with pytest.raises(ny.InvalidParameter):
        budget.load_state_dict(ny.Filter(rho=1.0).state_dict())
    with pytest.raises(ny.InvalidParameter):
        budget.load_state_dict("state")  # type: ignore[arg-type]
    assert budget.spent == 0.5


def test_there_is_no_filter_for_curves() -> None:
    """Composing curves and stopping at the crossing is not valid: nothing here takes a curve as its budget."""
    assert set(inspect.signature(ny.Filter).parameters) == {"mu", "rho", "adjacency"}
    assert "NOT to be valid" in str(ny.Filter.__doc__)
    assert "FIXED SCHEDULES" in str(ny.Accountant.__doc__)
    assert "WITHOUT AMPLIFICATION" in str(ny.Filter.__doc__)
