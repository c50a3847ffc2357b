"""Elementary bounds beside the region of a Renyi statement: no conversion of single orders says more than the curve."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman import conversions
from neyman.engines.region.one_order import elementary_delta
from tests.effort import rest_slow


def test_each_formula_is_rounded_up():
    rng = np.random.default_rng(7)
    for _ in range(200):
        t, rho = 1.0 + 10.0 ** rng.uniform(-3, 5), 10.0 ** rng.uniform(-60, 3)
        epsilon = rho * 10.0 ** rng.uniform(-1, 2)
        found = float(elementary_delta(np.array([[t]]), np.array([[rho]]), np.array([epsilon]))[0])
        with ctx.workprec(400):
            o, r, e = arb(t), arb(rho), arb(epsilon)
            bounds = [((o - 1) * (r - e)).exp() * (1 - 1 / o) ** (o - 1) / o, (r / 2).sqrt(), (1 - (-r).exp()).sqrt()]
            bounds.append(1 / o if e >= r else arb(max(float(1 / o), float(1 - (e - r).exp()))) * (1 + arb(2) ** -50))
            if e > r:
                bounds.append((((o - 1) * r).exp() - 1) / (o * (((o - 1) * e).exp() - 1)))
            least = min(bounds, key=lambda b: float(b.mid()))
            assert arb(found) >= least or found >= 1.0
            assert arb(found) <= least * (1 + arb(1e-9)) + arb(5e-14) or found >= 1.0


def test_the_order_that_rules_nothing_stops_no_elementary_bound():
    order, rho, delta = 3.5628632730947443, 2.043314472210772e-56, 9.683635969489943e-25
    assert ny.RDP([order], [rho]).epsilon(delta) == conversions.rdp_best(order, rho, delta) == 0.0


@pytest.mark.parametrize(("rho", "delta"), rest_slow([(1e4, 1e-300), (1e-40, 1e-30), (0.5, 1e-5)], 1, 2))
def test_zcdp_is_at_most_the_standard_conversion(rho, delta):
    standard = rho + 2.0 * math.sqrt(rho * -math.log(delta))
    g = ny.ZCDP(rho)
    assert g.optimistic.epsilon(delta) <= g.epsilon(delta) <= standard * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", rest_slow(range(4), 0, 2))
def test_rdp_is_at_most_every_conversion(seed):
    rng = np.random.default_rng(seed)
    orders = np.sort(1.0 + 10.0 ** rng.uniform(-2, 3, 5))
    epsilons = 10.0 ** rng.uniform(-30, 2) * orders
    g = ny.RDP(orders, epsilons)
    delta = 10.0 ** rng.uniform(-30, -1, 6)
    best = conversions.rdp_best(orders, epsilons, delta)
    assert np.all(g.epsilon(delta) <= best * (1.0 + 1e-9) + 1e-12 * epsilons[0])
