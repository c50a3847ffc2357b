"""Tests that are one of two by chance: what is said of them is never more than they attain, and hardly less."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.engines.region import coins as room
from neyman.engines.region.coins import Coins
from neyman.guarantees.questions.curve.tradeoff import tangent


def drawn(many, seed):
    """Pairs of coins that are near to each other, or not, and an alpha between them."""
    rng = np.random.default_rng(seed)
    d1, d2 = np.exp(rng.uniform(-9.0, 3.5, (2, many))), -np.exp(rng.uniform(-20.0, 3.0, (2, many)))
    near = rng.random(many) < 0.5
    d1[1] = np.where(near, d1[0] * (1.0 + 1e-6), d1[1])
    d2[1] = np.where(near, d2[0] * (1.0 + 1e-6), d2[1])
    ends = [-np.expm1(d2[i]) / -np.expm1(d2[i] - d1[i]) * np.exp(-d1[i]) for i in (0, 1)]
    alpha = np.min(ends, axis=0) * (np.max(ends, axis=0) / np.min(ends, axis=0)) ** rng.random(many)
    return d1, d2, np.minimum(alpha, 1.0)


def exact(d1, d2, alpha):
    """The excess at alpha of the least concave curve above two coins, (0, 0) and (1, 0): 60 digits."""
    with ctx.workdps(60):
        points = [(arb(0), arb(0)), (arb(1), arb(0))]
        for u, v in zip(d1, d2, strict=True):
            above, below = arb(float(u)).expm1(), arb(float(v)).expm1()
            a = -below / (above - below)
            points.append((a, a * above))
        at = arb(float(alpha))
        before, after = ([one for one in points if keep(one[0])] for keep in (lambda a: a <= at, lambda a: a > at))
        return max(x + (y - x) * (at - a) / (b - a) for a, x in before for b, y in after)


def excesses(many=3000):
    d1, d2, alpha = drawn(many, 5)
    plain = np.zeros(many, dtype=bool)
    one, two = (Coins(d1[i], d2[i], np.ones(many)).tests(plain) for i in (0, 1))
    found = one.mixed(two, alpha)
    truth = [exact(d1[:, i], d2[:, i], alpha[i]) for i in range(many)]
    with ctx.workdps(60):
        return np.array([float((arb(float(f)) - t) / t) for f, t in zip(found, truth, strict=True)]), alpha


def test_what_is_said_of_a_mixture_is_never_more_than_it_attains():
    over, _ = excesses()
    assert np.all(over <= 0.0)
    assert np.percentile(over, 60) >= -1e-6  # tests whose rates hardly differ tell little of shares
    assert np.percentile(over, 90) >= -1e-13


def test_without_room_for_rounding_it_would_be(monkeypatch):
    for name in ("_ROUNDED", "_MIXED"):
        monkeypatch.setattr(room, name, 0.0)
    assert np.any(excesses(400)[0] > 0.0)


@pytest.mark.parametrize("g", [ny.ZCDP(1e-3), ny.ZCDP(0.5), ny.ZCDP(40.0), ny.RDP([8.0], [4.0])])
@pytest.mark.parametrize("off", [0.0, 1e-4])
def test_tests_on_either_side_of_an_alpha_tell_all_of_it(g, off):
    profile = g.sides.forward
    alpha = g.fixed_point * np.geomspace(1e-8, 0.9, 40)
    most = 1.0 - g.beta(alpha) - alpha
    epsilon = tangent(g.sides, alpha, g.sides.forward.attained_mu)
    found = profile.attained(alpha, epsilon * (1.0 + off), False)
    assert np.all(found <= most)
    assert np.all(found >= most * (1.0 - 2e-8) - 1e-14)  # most is 1 less what is near 1


def test_the_share_of_a_mixture_is_exactly_one_less_the_other():
    rng = np.random.default_rng(3)
    for share in np.concatenate([rng.random(200), 10.0 ** rng.uniform(-20.0, 0.0, 200)]):
        rest = Fraction(1) - Fraction(float(share))
        assert abs(Fraction(float(1.0 - share)) - rest) <= rest * Fraction(1, 2**53)
