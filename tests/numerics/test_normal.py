"""Tails and probits against 60-digit arithmetic, over all magnitudes."""

import mpmath as mp
import numpy as np
import pytest

from neyman.numerics.functions import normal
from neyman.numerics.rounding import UNIT


def mills(t):
    t = mp.mpf(float(t))
    return mp.sqrt(mp.pi / 2) * mp.erfc(t / mp.sqrt(2)) * mp.exp(t * t / 2)


def quantile(p):
    """Phi^-1(p), by Newton from a float start."""
    z = mp.mpf(float(normal.probit(np.array([float(mp.log(p))]))[0]))
    for _ in range(6):
        z -= (mp.erfc(-z / mp.sqrt(2)) / 2 - p) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
    return z


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(80):
        yield


@pytest.mark.parametrize("width", [1e-14, 1e-8, 1e-3, 0.1, 1.0, 3.0, 50.0])
def test_mills_drop(width):
    t = np.concatenate([np.linspace(-1.0, 8.0, 60), np.geomspace(8.0, 1e5, 12)])
    drop = normal.mills_drop(t, width)
    for x, value in zip(t, drop, strict=True):
        with mp.workdps(120):
            exact = mills(x) - mills_at(mp.mpf(float(x)) + mp.mpf(width))
            # the sum t + width is rounded once by the caller's mu; its effect is within the stated error
            assert abs(mp.mpf(float(value)) / exact - 1) < normal.MILLS_ERROR


def mills_at(t):
    return mp.sqrt(mp.pi / 2) * mp.erfc(t / mp.sqrt(2)) * mp.exp(t * t / 2)


@pytest.mark.parametrize(("epsilon", "mu"), [(1.0, 0.3), (5e9 + 1e5, 1e5), (1e-12, 3e-13), (0.1, 1e-7), (799.9, 40.0)])
def test_ratio_has_twice_the_digits(epsilon, mu):
    high, low = normal.ratio_twofold(np.array([epsilon]), mu)
    exact = mp.mpf(epsilon) / mp.mpf(mu) - mp.mpf(mu) / 2
    assert abs(mp.mpf(float(high[0])) + mp.mpf(float(low[0])) - exact) <= 1e-28 * abs(exact)
    assert abs(low[0]) <= UNIT * abs(high[0])


def test_density_in_the_far_tail():
    x = np.array([0.0, 1.1, 7.3, 25.7, 37.4])
    low = np.full_like(x, 1e-17)
    for value, t in zip(normal.density(x, low), x, strict=True):
        exact = mp.npdf(mp.mpf(float(t)) + mp.mpf(1e-17))
        assert abs(mp.mpf(float(value)) / exact - 1) < 8 * UNIT


@pytest.mark.parametrize("alpha", ["1e-290", "1e-20", "1e-3", "0.2", "0.499", "0.6"])
@pytest.mark.parametrize("share", ["1e-14", "1e-7", "0.01", "0.5", "0.99"])
def test_probit_gap(alpha, share):
    a = mp.mpf(alpha)
    for excess in (a * mp.mpf(share), (1 - a) * mp.mpf(share)):
        beta = 1 - a - excess
        if beta <= 0:
            continue
        logs = [np.array([float(mp.log(v))]) for v in (a, excess, beta)]
        got = float(normal.probit_gap(*logs)[0])
        # the inputs are logs rounded to double: compare at the rounded alpha and excess
        ra, re = mp.exp(mp.mpf(float(logs[0][0]))), mp.exp(mp.mpf(float(logs[1][0])))
        exact = quantile(ra + re) - quantile(ra)
        assert abs(mp.mpf(got) / exact - 1) < normal.PROBIT_ERROR


def test_probit_gap_at_the_ends():
    zero = np.array([-np.inf])
    assert normal.probit_gap(np.log([0.3]), zero, np.log([0.7]))[0] == 0.0
    assert normal.probit_gap(np.log([0.3]), np.log([0.7]), zero)[0] == np.inf


def test_nearer_probits() -> None:
    log_p = -np.concatenate([np.geomspace(0.6931471805599454, 690.0, 300), np.linspace(0.6932, 3.0, 100)])
    found, error = normal.probit_near(log_p)
    nearest = 0.0
    for value, bound, log in zip(found, error, log_p, strict=True):
        p = mp.exp(mp.mpf(float(log)))
        z = mp.mpf(float(value))
        for _ in range(3):
            z -= (mp.erfc(-z / mp.sqrt(2)) / 2 - p) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        off = float(abs(mp.mpf(float(value)) - z) / mp.mpf(float(bound)))
        assert off <= 0.5
        nearest = max(nearest, off)
    assert nearest > 0.02  # a fiftieth would be false
