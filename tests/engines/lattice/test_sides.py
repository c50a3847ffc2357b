"""Many lattices read at once say what each says alone, and what plain sums over their points say."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neyman._validate import FloatArray
from neyman.engines.lattice.sides import Side, Sides
from tests.effort import examples


def side(masses: FloatArray, c: float, h: float, first: float) -> Side:
    """Of plain sums over the points, in the log of numbers that stay floats."""
    x = h * np.arange(len(masses))
    plain = np.array([math.fsum(masses[j:] * np.exp(-c * (x[j:] - x[j]))) for j in range(len(masses))])
    beyond = np.array([
        math.fsum(masses[j:] * np.exp(-c * (x[j:] - x[j])) * -np.expm1(-(x[j:] - x[j]))) for j in range(len(masses))
    ])  # fmt: skip
    return Side(plain, beyond, 0.3, 1e-14, 1e-15, 1e-15, first, h, c)


laws = st.lists(
    st.tuples(
        st.integers(1, 40), st.floats(0.0, 30.0), st.floats(-3.0, 0.5), st.floats(-4.0, 4.0), st.integers(0, 1000)
    ),
    min_size=1, max_size=5,
)  # fmt: skip


@given(laws, st.lists(st.floats(-6.0, 30.0), min_size=1, max_size=6))
@examples(80, 800)
def test_together_as_alone_and_around_the_plain_sum(
    drawn: list[tuple[int, float, float, float, int]], places: list[float]
) -> None:
    made, weights = [], []
    for n, c, log_h, first, seed in drawn:
        masses = np.random.default_rng(seed).dirichlet(np.ones(n))
        weights.append(masses)
        made.append(side(masses, c, 10.0**log_h, first))
    epsilon = np.array(places)
    both = [(one, sign) for one in made for sign in (-1.0, 1.0)]
    together = Sides([one for one, _ in both], [sign for _, sign in both]).sums(np.tile(epsilon, (len(both), 1)))
    for row, (one, sign) in zip(together, both, strict=True):
        assert np.array_equal(row, Sides([one], [sign]).sums(epsilon[None])[0])
    for one, masses, (below, above) in zip(made, weights, together.reshape(-1, 2, len(epsilon)), strict=True):
        # the untilted masses are e^{0.3 - c l} w
        loss = one.first + one.h * np.arange(len(masses))
        for e, low, high in zip(epsilon, below, above, strict=True):
            beyond = loss > e
            truth = math.fsum(np.exp(0.3 - one.c * loss[beyond]) * masses[beyond] * -np.expm1(e - loss[beyond]))
            assert low <= truth * (1.0 + 1e-12)
            assert high >= min(truth, 1.0) * (1.0 - 1e-12)


def test_where_nothing_was_seen_nothing_is_known() -> None:
    blank = Side(np.zeros(1), np.zeros(1), -math.inf, 0.0, 0.0, 0.0, 0.0, 0.1, 2.0)
    low, high = Sides([blank, blank], [-1.0, 1.0]).sums(np.zeros((2, 3)))
    assert np.all(low == 0.0)
    assert np.all(high == 1.0)
