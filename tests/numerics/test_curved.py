"""What is left of functions without their first order, and its sums: within the rounding that is claimed."""

from collections.abc import Iterator

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from neyman.numerics.functions.curved import curved_sum, curved_units, exp_curved, log_curved, turn_curved

UNIT = 2.0**-53
SIZES = st.floats(1e-12, 40.0)


@pytest.fixture(autouse=True, scope="module")
def _digits() -> Iterator[None]:
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


@given(size=SIZES, negative=st.booleans())
def test_exponentials_without_their_first_order(size: float, negative: bool) -> None:
    a = -size if negative else size
    truth = arb(a).exp() - 1 - arb(a)
    assert abs(arb(float(exp_curved(np.array([a]))[0])) - truth) < 10.0 * UNIT * abs(truth)


@given(size=SIZES, negative=st.booleans())
def test_logarithms_without_their_first_order(size: float, negative: bool) -> None:
    v = max(-size, -0.5) if negative else size
    truth = (1 + arb(v)).log() - arb(v)
    assert abs(arb(float(log_curved(np.array([v]))[0])) - truth) < 10.0 * UNIT * abs(truth)


@given(size=st.floats(1e-12, 1e6), negative=st.booleans())
def test_turns_without_their_first_order(size: float, negative: bool) -> None:
    u = -size if negative else size
    for count in (1, 200):  # few and many are turned in different ways
        found = complex(turn_curved(np.full(count, u))[0])
        truth = acb(0, arb(u)).exp() - 1 - acb(0, arb(u))
        assert abs(acb(found.real, found.imag) - truth) < 10.0 * UNIT * arb(min(u * u, 4.0 * abs(u)))


def missed(rng: np.random.Generator) -> float:
    """The largest error of sums over a random grid, of what is allowed."""
    count, many = int(np.exp(rng.uniform(np.log(9), np.log(900)))), int(rng.choice([5, 16, 20, 60, 200]))
    place = np.sort(rng.normal(size=count) * 10 ** rng.uniform(-6, 1))
    weight = rng.uniform(size=count) * np.exp(-rng.uniform(0, 30, count))
    spacing = 10 ** rng.uniform(-4, 1)
    omega = spacing * (np.arange(many) if rng.random() < 0.7 else np.sort(rng.uniform(0.0, many, many)))
    found, largest = curved_sum(omega, place, weight), 0.0
    for i in rng.choice(many - 1, 2, replace=False) + 1:
        turns = (acb(0, arb(float(omega[i])) * arb(x)) for x in place.tolist())
        truth = sum((w * (u.exp() - 1 - u) for w, u in zip(weight.tolist(), turns, strict=True)), acb(0))
        u = omega[i] * np.abs(place)
        allowed = curved_units(count) * UNIT * float(weight @ np.minimum(u * u, 4.0 * u))
        largest = max(largest, float(abs(acb(found[i].real, found[i].imag) - truth).mid()) / allowed)
    return largest


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_rounded_by_no_more_than_half_of_what_is_claimed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert max(missed(rng) for _ in range(25)) < 0.5


def test_the_claim_is_not_idle() -> None:
    """Sums of the plain turns lose what is claimed here many times over."""
    place, weight = np.linspace(-1e-5, 1e-5, 301), np.full(301, 1.0 / 301.0)
    u = 1.7 * np.abs(place)
    plain = np.sum(weight * (np.exp(1.7j * place) - 1.0)) - 1j * np.sum(weight * 1.7 * place)
    allowed = curved_units(301) * UNIT * float(weight @ (u * u))
    assert abs(plain - curved_sum(np.array([1.7]), place, weight)[0]) > 10.0 * allowed
