"""delta = 0 is asked for by every report: noise that has no end promises no epsilon there, and says so at once."""

from __future__ import annotations

import math

import pytest

import neyman as ny


@pytest.mark.parametrize(
    "run", [(1.0, 0.01, 1000), (2.0, 0.01, 1000), (1.1, 512 / 60_000, 1172), (9.4, 0.32768, 2000)], ids=repr
)
def test_no_epsilon_without_a_delta(run: tuple[float, float, int]) -> None:
    """Searches go on to 1e150, which was read from a table of a period that took 2^63 turns to come round."""
    g = ny.account(ny.DPSGD(*run))
    assert g.epsilon(0.0) == math.inf
    assert g.optimistic.epsilon(0.0) > 20.0
    assert g.epsilon([1e-5, 0.0])[1] == math.inf
    assert 0.0 <= g.delta(1e150) < 1e-40


@pytest.mark.parametrize(
    ("run", "end"),
    [
        (ny.Laplace(20.0) ** 100, 5.0),
        (ny.RandomizedResponse(0.5) ** 50, 25.0),
        (ny.Laplace(1.0).poisson(0.1) ** 20, 20.0 * math.log1p(0.1 * math.expm1(1.0))),
    ],
    ids=repr,
)  # fmt: skip
def test_losses_with_an_end_have_one(run: ny.Mechanism, end: float) -> None:
    g = ny.account(run)
    assert end <= g.epsilon(0.0) <= end * (1.0 + 1e-9)
    assert end * (1.0 - 1e-9) <= g.optimistic.epsilon(0.0) <= end * (1.0 + 1e-15)
