"""The ROC curve next to fpr = 0 of losses that end: both bounds, where points are too far apart to tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples

SHARP = 1e-4  # what four points around a corner may lose
FPR = np.array([0.0, 1e-300, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4])


@given(st.floats(0.01, 20.0))
@examples(6, 300)
def test_a_pure_promise_is_a_line_of_slope_e_epsilon(epsilon):
    g = ny.PureDP(epsilon)
    fpr = FPR[0.5 * math.exp(-epsilon) >= FPR]
    with np.errstate(under="ignore"):
        truth = math.exp(epsilon) * fpr
    assert np.all(g.optimistic.roc(fpr) <= truth * (1 + 1e-15))
    assert np.all(g.optimistic.roc(fpr) >= truth * (1 - SHARP))


@given(st.floats(0.01, 8.0), st.floats(1e-12, 0.2))
@examples(5, 200)
def test_a_pair_starts_at_its_delta(epsilon, delta):
    g = ny.ApproximateDP(epsilon, delta)
    fpr = FPR[0.2 * math.exp(-epsilon) >= FPR]
    truth = delta + math.exp(epsilon) * fpr
    assert np.all(g.optimistic.roc(fpr) <= truth * (1 + 1e-15))
    assert np.all(g.optimistic.roc(fpr) >= truth * (1 - SHARP))
    assert g.optimistic.roc(0.0) == pytest.approx(delta, rel=1e-14)


@pytest.mark.parametrize(
    ("mechanism", "largest"),
    [
        pytest.param(ny.Laplace(2.0) ** 2, 1.0, marks=pytest.mark.slow),
        (ny.RandomizedResponse(0.5) ** 8, 4.0),
        (ny.DiscreteLaplace(1.0) * ny.PureMechanism(0.3), 1.3),
    ],
)
def test_compositions_have_the_slope_of_their_largest_loss(mechanism, largest):
    g, fpr = ny.account(mechanism), 1e-14
    assert g.optimistic.roc(fpr) <= math.exp(largest) * fpr * (1 + 1e-12)
    assert g.optimistic.roc(fpr) >= math.exp(largest) * fpr * (1 - 1e-3)
    assert g.roc(fpr) >= math.exp(largest) * fpr * (1 - 1e-12)
