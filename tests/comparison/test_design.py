"""Design among mechanisms that share one (epsilon, delta): the calibrated grid of the paper, and what is efficient."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.comparison import Candidate, pareto
from tests.effort import examples


def test_the_grid_of_the_paper() -> None:
    """Base (0.54, 0.01, 500) against what shares its epsilon at 1e-5 (Fig. 6): up to about 0.12, growing both ways."""
    base = ny.account(ny.DPSGD(0.54, 0.01, 500))
    shared = ny.targets.Epsilon(base.epsilon(1e-5), delta=1e-5)
    found = np.array([
        [ny.compare(base, ny.noise_for_dpsgd(shared, q, n).guarantee).divergence for n in (534, 1500)]
        for q in (0.04, 0.2, 0.9)
    ])  # fmt: skip
    assert np.all(np.diff(found, axis=0) > 0.0)
    assert np.all(np.diff(found, axis=1) > 0.0)
    assert 0.08 < found.min() < found.max() < 0.13


def test_calibrated_to_8_the_divergence_grows_with_the_noise() -> None:
    """Fig. 5: base sigma 2; the rows are not in the text: rate 0.1, as many steps as each noise allows."""
    noises = np.array([2.0, 2.5, 3.0, 4.0, 6.0, 8.0])
    target = ny.targets.Epsilon(8.0, delta=1e-5)
    rows = [ny.steps_for_dpsgd(target, sigma, 0.1).guarantee for sigma in noises]
    costs = [ny.compare(rows[0], row).divergence for row in rows[1:]]
    assert costs == sorted(costs)
    assert 1e-3 < costs[0] < costs[-1] < 0.1


@examples(10, 400)
@given(st.lists(st.tuples(st.floats(0.3, 3.0), st.floats(-1.0, 1.0)), min_size=1, max_size=7))
def test_what_is_efficient(rows: list[tuple[float, float]]) -> None:
    base = ny.GDP(1.0)
    found = pareto([Candidate(str(i), ny.GDP(mu), u) for i, (mu, u) in enumerate(rows)], base)
    assert [c.excess for c in found] == sorted(c.excess for c in found)
    assert any(c.efficient for c in found)
    for c in found:
        beaten = any(
            d.utility >= c.utility and d.excess <= c.excess and (d.utility, d.excess) != (c.utility, c.excess)
            for d in found
        )
        assert c.efficient == (not beaten)
    kept = [c for c in found if c.efficient]
    assert all(a.utility <= b.utility for a, b in pairwise(kept))


def test_refusals() -> None:
    g, one = ny.GDP(1.0), ny.account(ny.Laplace(1.0), adjacency="remove")
    for call, name in (
        (lambda: pareto([], g), "candidates"),
        (lambda: pareto([Candidate("a", g, 1.0)] * 2, g), "candidates"),
        (lambda: pareto([Candidate("a", one, 1.0)], g), "candidates"),
        (lambda: pareto([Candidate("a", g, math.nan)], g), "utility"),
        (lambda: pareto([Candidate("a", g, 1.0)], 1.0), "baseline"),
    ):
        with pytest.raises(ny.InvalidParameter) as caught:
            call()
        assert caught.value.name == name
