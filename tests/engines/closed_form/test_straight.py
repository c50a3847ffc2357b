"""Curves that are straight between corners, against ball arithmetic where floats end."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.closed_form.straight import CornerProfile


@pytest.mark.parametrize("alpha", [1e-322, 5e-320, 3e-310, 1e-306])
def test_a_corner_next_to_the_axis_is_touched_at_an_eps_whose_exponential_is_no_float(alpha: float) -> None:
    """Its load e^eps alpha is one: delta was 0.4999 from below where it is 0.26."""
    corners = np.array([0.0, alpha, 1.0]), np.array([0.9, 0.5, 0.0])
    profile = CornerProfile(*corners)
    epsilon = np.concatenate([np.linspace(700.0, 745.0, 181), np.linspace(709.0, 710.0, 21), [800.0, 2000.0]])
    b = profile.bracket(epsilon)
    with ctx.workprec(200):
        for i, eps in enumerate(epsilon.tolist()):
            loads = [arb(eps).exp() * arb(a) for a in corners[0].tolist()]
            deltas = [1 - arb(y) - load for y, load in zip(corners[1].tolist(), loads, strict=True)]
            delta = max(deltas, key=lambda d: float(d.mid()))
            assert arb(float(b.lower[i])) <= delta <= arb(float(b.upper[i]))
            assert float(b.log_gap_lower[i]) <= (1 - delta).log() <= float(b.log_gap_upper[i])
    assert np.all(b.upper - b.lower <= 1e-11)


def test_what_is_said_of_such_a_curve_is_true_from_below_as_well() -> None:
    g = ny.Tradeoff([0.0, 1e-322, 1.0], [0.9, 0.5, 0.0])
    with ctx.workprec(200):
        truth = 1 - arb(0.5) - arb(738).exp() * arb(1e-322)
    assert arb(g.optimistic.delta(738.0)) <= truth <= arb(g.delta(738.0))
