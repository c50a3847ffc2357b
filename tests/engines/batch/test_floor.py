"""The local mu of one point, from both sides, against 40 digits; and how a regret goes with mu."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.engines.batch.answering.answer import _rising
from neyman.engines.batch.answering.floor import _local_mu, _sharply, _through
from neyman.numerics.functions.normal import PROBIT_ERROR

FLOORS = [1e-18, 1e-10, 1e-5, 1e-3, 0.02]


def probit(p: mp.mpf) -> mp.mpf:
    """Phi^-1(p), p <= 1/2."""
    z = -mp.sqrt(-2 * mp.log(2 * p)) if p < 0.4 else mp.mpf(0)
    for _ in range(60):
        step = (mp.erfc(-z / mp.sqrt(2)) / 2 - p) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        z -= max(min(step, mp.mpf("0.5")), -mp.mpf("0.5"))
        if abs(step) < mp.mpf(10) ** -36:
            break
    return z


def points(floor: float) -> list[tuple[float, float]]:
    """Excess powers and betas of points whose power is small, and whose beta is."""
    rng = np.random.default_rng(7)
    powers = floor * 10.0 ** rng.uniform(0.01, np.log10(0.5 / floor) - 0.01, 60)
    betas = floor * 10.0 ** rng.uniform(0.0, np.log10(0.5 / floor), 60)
    small = [(float(power - floor), float(1.0 - power)) for power in powers]
    return small + [(float(1.0 - beta - floor), float(beta)) for beta in betas]


@pytest.mark.parametrize("floor", FLOORS)
def test_local_mus_lie_between_their_bounds(floor: float) -> None:
    nearest, wide = 0.0, 0.0
    with mp.workdps(40):
        start = probit(mp.mpf(floor))
        for excess, beta in points(floor):
            by_power = excess + floor < 0.5
            end = probit(mp.mpf(excess) + mp.mpf(floor)) if by_power else -probit(mp.mpf(beta))
            truth = end - start
            for way in (_local_mu, _sharply):
                low, high = (
                    mp.mpf(float(way(np.array([excess]), np.array([beta]), floor, side)[0])) for side in (-1, 1)
                )
                assert low <= truth <= high
            # of the sharper one: how far the middle is off, and how wide it is
            middle, half = (low + high) / 2, (high - low) / 2
            nearest = max(nearest, float(abs(truth - middle) / half))
            wide = max(wide, float(half / truth)) if truth > 0.5 else wide
    assert nearest > 0.03  # a bound of a thirtieth would be false
    assert wide < 0.2 * PROBIT_ERROR


def test_a_smaller_beta_that_is_certain_says_more() -> None:
    """Of a power near 1 floats know nothing, of what it lacks they do."""
    floor, beta = 1e-10, 3e-9
    power = np.array([1.0 - 1e-8])
    assert _through(power, np.array([beta]), floor)[0] > _through(power, np.array([np.inf]), floor)[0]
    with mp.workdps(40):
        truth = -probit(mp.mpf(beta)) - probit(mp.mpf(floor))
    assert 0.0 <= float(truth) - _through(power, np.array([beta]), floor)[0] < 1e-12


@pytest.mark.parametrize("mu", [0.05, 0.7, 3.0, 11.0])
def test_q_rises_with_mu_by_no_more(mu: float) -> None:
    nearest = 0.0
    with mp.workdps(40):
        for epsilon in (0.0, 0.01, 0.4 * mu * mu, 0.5 * mu * mu, 0.9 * mu * mu + mu, 4.0 * mu + 1.0):
            low = mu * (1.0 - 1e-9)
            rise = (gaussian(epsilon, mu) - gaussian(epsilon, low)) / (1 + mp.exp(epsilon)) / (mp.mpf(mu) - mp.mpf(low))
            found = float(_rising(np.array([epsilon]), np.array([low]), np.array([mu]))[0])
            assert rise <= found
            nearest = max(nearest, float(rise) / found)
    assert nearest > 0.9


def gaussian(epsilon: float, mu: float) -> mp.mpf:
    """delta of a Gaussian."""
    m, e = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)
