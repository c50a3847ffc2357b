"""Both ends of a curve from its profile in bulk: they hold, they are sharp, and slow guarantees are drawn by them."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.plot.drawing.curves import Curve
from neyman.plot.drawing.hull import Hull
from tests.effort import examples

NEAREST = 1e-12
SEEN = 5e-4  # of an axis

ALPHAS = np.concatenate([[0.0, 1.0], np.geomspace(NEAREST, 0.5, 40), np.linspace(0.5, 1.0, 21)[1:-1]])
FEW = np.array([1e-9, 0.2])  # where each takes a while


@examples(6, 150)
@given(st.floats(1e-4, 12.0), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_the_ends_hold_the_curve_of_a_gaussian(mu, alphas):
    g, alpha = ny.GDP(mu), np.array(alphas)
    hull = Hull(g, NEAREST)
    assert np.all(hull.beta(alpha) <= g.optimistic.beta(alpha))
    assert np.all(hull.optimistic.beta(alpha) >= g.beta(alpha))
    assert np.all(hull.roc(alpha) >= g.optimistic.roc(alpha))
    assert np.all(hull.optimistic.roc(alpha) <= g.roc(alpha))


@pytest.mark.parametrize(
    ("g", "alphas"),
    [
        (ny.ZCDP(0.5), FEW),
        pytest.param(ny.RDP([4.0], [2.0]), FEW, marks=pytest.mark.slow),
        (ny.GDP(5.0), ALPHAS),
        (ny.account(ny.Laplace(1.0)), ALPHAS),
    ],
    ids=["zcdp", "rdp", "gdp", "laplace"],
)
def test_the_ends_hold_and_nothing_is_seen_of_what_they_lose(g, alphas):
    hull, above = Hull(g, NEAREST), g.optimistic
    ends = [hull.beta(alphas), above.beta(alphas), hull.optimistic.beta(alphas), g.beta(alphas)]
    assert np.all(ends[0] <= ends[1])
    assert np.all(ends[2] >= ends[3])
    away = alphas > 0.0
    assert np.all((ends[2] - ends[0])[away] < 2.0 * SEEN)
    powers = [hull.roc(alphas), above.roc(alphas), hull.optimistic.roc(alphas), g.roc(alphas)]
    assert np.all(powers[0] >= powers[1])
    assert np.all(powers[2] <= powers[3])
    assert np.all(np.log(powers[0][away] / powers[2][away]) < 2.0 * SEEN * np.log(1.0 / NEAREST))


@pytest.mark.parametrize("g", [ny.RDP([2.0], [0.0]), ny.RDP([2.0], [np.inf]), ny.ZCDP(0.0)], ids=repr)
def test_perfect_and_no_privacy(g):
    hull = Hull(g, NEAREST)
    assert np.all(hull.beta(ALPHAS) <= hull.optimistic.beta(ALPHAS))
    assert np.all(hull.optimistic.beta(ALPHAS) <= 1.0 - ALPHAS)
    assert np.all(hull.optimistic.roc(ALPHAS) <= hull.roc(ALPHAS))
    assert np.all(hull.optimistic.beta(ALPHAS) >= g.beta(ALPHAS))


def test_no_alpha_is_no_work():
    hull = Hull(ny.GDP(1.0), NEAREST)
    assert hull.beta(np.zeros(0)).size == hull.optimistic.roc(np.zeros(0)).size == 0


def test_only_what_is_slow_is_drawn_so():
    assert isinstance(Curve("", ny.ZCDP(0.5)).traced(), Hull)
    assert isinstance(Curve("", ny.RDP([2.0], [1.0])).traced(), Hull)
    exact = ny.GDP(1.0)
    assert Curve("", exact).traced() is exact


@pytest.mark.parametrize("name", ["roc", "regret", "local_mu"])
def test_pictures_of_renyi_divergences_take_a_second(name):
    fresh = ny.RDP([2.0, 8.0], [1.0, 4.0])
    before = time.process_time()
    found = getattr(ny.plot, name).data(fresh)
    assert time.process_time() - before < 6.0  # 0.3 to 1.3 s measured, 17 to 33 s without hulls
    low, high = (key for key in found if key.endswith(("_lower", "_upper")))
    assert np.all(found[low] <= found[high])
