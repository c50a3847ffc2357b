"""mu at a floor, where another place decides."""

from __future__ import annotations

import pytest

import neyman as ny


@pytest.mark.parametrize("scale", [2.0, 3.0368, 6.0])
def test_where_the_floor_can_say_no_more_it_is_not_looked_at(scale: float) -> None:
    """The local mu of Laplace noise is largest far from there, where its losses end."""
    g = ny.account(ny.Laplace(scale) ** 10, tolerance=1e-7)
    fit = g.fit(1e-10)
    assert fit.at_floor < 0.99 * fit.mu
    assert 0.0 <= g.mu(1e-10) - g.least_mu(1e-10) <= 1e-6 * fit.mu
    power = g.optimistic.roc(1e-10)
    assert power <= float(ny.GDP(fit.at_floor).roc(1e-10)) * (1.0 + 1e-9)
