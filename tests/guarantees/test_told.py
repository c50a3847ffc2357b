"""Where everything is told f(alpha) is 0 to a float, and no tangent is looked for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import neyman as ny
from neyman.guarantees.attained import chord
from neyman.guarantees.given.extremes import BLATANT
from neyman.guarantees.questions.curve import tradeoff


@pytest.mark.parametrize("mu", [70.0, 76.0, 77.5, 78.5, 90.0, 300.0])
def test_it_is_exactly_where_floats_show_nothing(mu: float) -> None:
    """Phi(probit(1 - alpha) - mu) of the formula, against what the shortcut says."""
    alpha = np.array([0.0, 1e-310, 1e-300, 1e-10, 0.01, 0.5, 1.0])
    g = ny.account(ny.Gaussian(1.0 / mu))
    exact = ny.GDP(mu)
    assert np.all(g.beta(alpha) <= exact.optimistic.beta(alpha))
    assert g.beta(0.0) == pytest.approx(1.0, abs=1e-12)


def test_no_tangent_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a mix whose mu is 99,000 that took a minute."""
    found = ny.account(ny.Gaussian(1e-5) * ny.RandomizedResponse(4.754, 2) ** 3)
    monkeypatch.setattr(tradeoff, "tangent", None)
    assert found.beta(0.01) == 0.0
    assert found.roc(0.01) == 1.0
    assert BLATANT.beta(0.01) == 0.0


def test_a_chord_is_rounded_up() -> None:
    """Six roundings of either term: without `_SLACK` half of the chords would lie below those of the points."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        i, k = np.sort(rng.uniform(0.0, 1.0, 2)).tolist()
        last, first = np.sort(rng.uniform(0.0, 1.0, 2)).tolist()
        alpha = float(rng.uniform(i, k))
        found = float(chord(np.array([alpha]), np.array([[i], [k]]), np.array([[first], [last]]))[0])
        left, right = Fraction(k) - Fraction(alpha), Fraction(alpha) - Fraction(i)
        assert Fraction(found) >= (left * Fraction(first) + right * Fraction(last)) / (Fraction(k) - Fraction(i))
