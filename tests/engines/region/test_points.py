"""Coins inside a region of Renyi divergences: all bounds hold of them, and they are as far out as they can be."""

import mpmath
import numpy as np
import pytest

import neyman as ny
from neyman.engines.region.all_orders import AllOrders
from neyman.engines.region.coins import Coins
from neyman.engines.region.profile import ZcdpProfile
from tests.effort import crossed, rest_slow

RHOS = [1e-60, 1e-8, 1e-3, 0.36, 5.0, 60.0, 300.0]


def worst(rho, d1, d2):
    """The largest log of a moment over rho t (t - 1), less 1, over all orders looked at, either way: 40 digits."""
    with mpmath.workdps(40):
        d1, d2 = mpmath.mpf(float(d1)), mpmath.mpf(float(d2))
        a = -mpmath.expm1(d2) / (mpmath.exp(d1) - mpmath.exp(d2))
        p = a * mpmath.exp(d1)
        found = mpmath.mpf(-1)
        last = 2 * max(d1, -d2) / rho + 2
        orders = [mpmath.mpf(10) ** (mpmath.mpf(-12) + i * mpmath.log10(last * 10**12) / 600) for i in range(601)]
        for first, second in ((p, a), (a, p)):
            ways = [(first, second), (1 - first, 1 - second)]

            def excess(s, ways=ways):
                moment = sum(q * mpmath.expm1((s + 1) * mpmath.log(x / q)) for x, q in ways)
                return mpmath.log1p(moment) / (rho * s * (s + 1)) - 1

            values = [excess(s) for s in orders]
            top = values.index(max(values))
            near = orders[max(top - 1, 0)], orders[min(top + 1, 600)]
            fine = [near[0] + (near[1] - near[0]) * i / 60 for i in range(61)]
            found = max(found, *(excess(s) for s in fine))
        return float(found)


@pytest.mark.parametrize("rho", rest_slow(RHOS, 3))
def test_coins_that_are_said_to_keep_every_order_do_and_hardly_more(rho):
    mu = np.sqrt(2.0 * rho)
    tangent, t = ZcdpProfile(rho).direct(np.maximum(rho + mu * np.array([0.2, 0.7, 1.5, 3.0, 7.0]), 0.0))
    d1, d2, inside = AllOrders(rho).drawn(tangent.d1, tangent.d2, t)
    assert np.any(inside) or rho < 1e-50  # there hardly any digit is left, and a ladder of orders decides
    for one, two in zip(d1[inside], d2[inside], strict=True):
        assert -1e-6 <= worst(rho, one, two) <= 0.0


@pytest.mark.parametrize("rho", [1e-3, 0.36, 5.0])
def test_coins_a_little_too_far_apart_are_not_said_to_keep_it(rho):
    profile = ZcdpProfile(rho)
    start = 1.001 * profile.corner[0]  # before it the corner rules, and tangents touch where nobody asks
    tangent, t = profile.direct(np.linspace(start, start + 9.0 * np.sqrt(2.0 * rho), 60))
    d1, d2, inside = AllOrders(rho).drawn(tangent.d1, tangent.d2, t)
    assert np.all(inside)
    coins = Coins(d1, d2, np.ones_like(d1))
    # an order may promise to second order more: 1 / t of its share of kappa
    further = [AllOrders(rho).share(*coins.drawn(np.full_like(d1, 1.0 - by))) for by in (1e-9, 1e-6, 1e-3)]
    assert np.all([share > 1.0 for share in further])


def test_one_order_tells_of_all():
    """Any coins at all, in one look: what is said to be inside is, by all orders of a fine ladder."""
    rng = np.random.default_rng(5)
    rho = 0.36
    d1, d2 = 10.0 ** rng.uniform(-2.0, 1.0, 400), -(10.0 ** rng.uniform(-6.0, 1.0, 400))
    kept = AllOrders(rho).share(d1, d2) <= 1.0
    excess = 10.0 ** np.linspace(-9.0, 3.0, 4000)[:, None]
    below = -np.expm1(d2 - d1)
    p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below
    log_a, log_p, log_rest = np.log(p) - d1, np.log(p), np.log(rest)
    t = 1.0 + excess
    log_moments = [
        np.logaddexp(log_a + t * d1, log_rest + t * d2),
        np.logaddexp(log_p - t * d1, log_rest + d2 - t * d2),
    ]
    over = np.max([np.max(m / (rho * t * excess) - 1e-15 / (rho * t * excess), axis=0) for m in log_moments], axis=0)
    assert 40 < np.sum(kept) < 360
    assert np.all(over[kept] <= 1.0 + 1e-9)
    assert np.all(over[~kept] >= 1.0 - 1e-6)


@pytest.mark.parametrize("rho", [1e-3, 0.36, 5.0])
def test_brackets_are_closed(rho):
    mu = np.sqrt(2.0 * rho)
    bracket = ZcdpProfile(rho).bracket(np.maximum(rho + mu * np.linspace(-2.0, 7.0, 60), 0.0))
    assert np.all(bracket.lower <= bracket.upper)
    assert np.all(bracket.lower >= bracket.upper * (1.0 - 1e-9))


def test_brackets_of_finitely_many_orders_are_closed_but_for_rounding_where_one_rules():
    orders = np.array([1.5, 2, 3, 4, 5, 6, 8, 10, 16, 20, 32, 64, 128])
    bracket = ny.RDP(orders, 0.02 * orders).sides.forward.bracket(np.linspace(0.0, 1.5, 9))
    assert np.all(bracket.lower <= bracket.upper)
    assert np.all(bracket.lower >= bracket.upper * (1.0 - 1e-10))


def test_lower_bounds_are_not_looked_for_until_they_are_asked(monkeypatch):
    asked = []
    drawn = ZcdpProfile._drawn
    monkeypatch.setattr(ZcdpProfile, "_drawn", lambda self, *coins: asked.append(1) or drawn(self, *coins))
    bracket = ZcdpProfile(0.5).bracket(np.linspace(0.0, 3.0, 30))
    assert not asked
    assert np.all(bracket.lower > 0.0)
    assert len(asked) == 2  # and on the diagonal


def test_lower_bounds_of_groups():
    g = ny.ZCDP(0.36).group(2)
    upper = g.epsilon(1e-5)
    assert 0.99 * upper <= g.optimistic.epsilon(1e-5) <= upper
    many = ny.ZCDP(1e-6).group(60)
    assert many.optimistic.delta(0.0) <= many.delta(0.0)
    assert many.optimistic.delta(0.0) >= 0.999 * ny.GDP(60 * np.sqrt(2e-6)).delta(0.0)  # which keeps it


@pytest.mark.parametrize("many", [0, 1, 2500])
def test_any_number_of_eps(many):
    profile = ny.RDP([2.0, 8.0], [0.1, 0.5]).sides.forward
    epsilon = np.linspace(0.0, 3.0, many)
    bracket = profile.bracket(epsilon)
    assert bracket.lower.shape == bracket.log_gap_upper.shape == (many,)
    assert np.all(
        (bracket.lower > 0.0) & (bracket.lower <= bracket.upper) & (np.diff(bracket.lower, prepend=1.0) <= 0.0)
    )


def test_a_curve_whose_one_branch_is_never_touched():
    g = ny.join(ny.ZCDP(0.01686), ny.Profile([0.01192, 0.01494, 0.273], [0.2711, 0.02899, 4.092e-05]))
    assert np.all(np.isfinite(g.curve(20).beta))


@crossed(
    ("turned", [False, True]),
    ("g", [ny.ZCDP(0.36), ny.RDP([2.0, 8.0, 32.0], [0.5, 2.2, 11.0])]),
)
def test_what_coins_attain_is_below_the_curve_and_on_it_where_they_are(g, turned):
    profile, alpha = g.sides.forward, np.geomspace(1e-9, 0.999, 60)
    most = 1.0 - alpha - g.beta(alpha)
    best = np.zeros_like(alpha)
    for e in np.linspace(0.0, 4.0, 400):  # f is symmetric: turned round it is the same
        found = profile.attained(alpha, np.full_like(alpha, e), turned)
        assert np.all(found <= most * (1.0 + 1e-12))
        best = np.maximum(best, found)
    inside = (alpha < 0.3) != turned
    assert np.all(best[inside & (alpha > 1e-3)] >= 0.8 * most[inside & (alpha > 1e-3)])


def test_what_one_pair_of_coins_attains():
    a, p = 0.01, 0.3
    coins = Coins(np.log(np.array([p / a])), np.log(np.array([(1.0 - p) / (1.0 - a)])), np.array([1.25]))
    drawn_a, drawn_p = a / 1.25, p / 1.25
    alpha = np.array([drawn_a / 3.0, drawn_a, 0.5])
    power = np.array([drawn_p / 3.0, drawn_p, drawn_p + (1.0 - drawn_p) * (0.5 - drawn_a) / (1.0 - drawn_a)])
    heads, tails = (coins.tests(np.array([turned])) for turned in (False, True))
    found = np.concatenate([heads.at(alpha[i : i + 1]) for i in range(3)])
    assert np.all(found <= power - alpha)
    assert found == pytest.approx(power - alpha, rel=1e-12)
    turned = tails.at(np.array([1.0 - drawn_p]))  # (1 - p, 1 - a)
    assert turned[0] == pytest.approx(drawn_p - drawn_a, rel=1e-12)
    assert turned[0] <= drawn_p - drawn_a
