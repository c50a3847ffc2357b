"""When a record is exchanged, none are worse than the two that move the query furthest apart: by brute force."""

import itertools

import numpy as np
import pytest

from neyman import DiscreteGaussian, DiscreteLaplace

X = np.arange(-80, 81)
FAR = 3
MASSES = {
    DiscreteGaussian: lambda width, m: np.exp(-((X - m) ** 2) / (2.0 * width**2)),
    DiscreteLaplace: lambda width, m: np.exp(-np.abs(X - m) / width),
}


def mixture(kind, width, rate, m):
    plain, moved = (MASSES[kind](width, c) / MASSES[kind](width, 0).sum() for c in (0, m))
    return (1.0 - rate) * plain + rate * moved


def divergence(p, q, order):
    return np.maximum(p - order * q, 0.0).sum()


@pytest.mark.parametrize("kind", MASSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("rate", [0.05, 0.5, 0.95, 1.0])
def test_the_pair_under_replace_is_the_worst_and_is_attained(kind, rate):
    step = kind(1.3, FAR).poisson(rate).loss(replace=True)
    table = step.table()
    for order in (0.3, 0.8, 1.0, 1.05, 1.5, 4.0):
        laws = {m: mixture(kind, 1.3, rate, m) for m in range(-FAR, FAR + 1)}
        worst = max(divergence(laws[u], laws[v], order) for u, v in itertools.product(laws, repeat=2))
        ours = float((np.exp(table.log_q) * np.maximum(np.exp(table.loss) - order, 0.0)).sum())
        assert ours == pytest.approx(worst, rel=1e-9)
        assert divergence(laws[FAR], laws[-FAR], order) == pytest.approx(worst, rel=1e-12)
