"""The area under the ROC curve from both sides, against closed forms and enumeration."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath as mp
import pytest

import neyman as ny
from tests.effort import rest_slow


def gaussian(mu):
    with mp.workdps(40):
        return mp.erfc(-mp.mpf(mu) / 2) / 2


def laplace(scale):
    """f = 1 - e^e a up to e^-e / 2, then e^-e / (4 a) up to 1/2, then e^-e (1 - a): integrated."""
    with mp.workdps(40):
        e = 1 / mp.mpf(scale)
        return 1 - mp.exp(-e) * (2 + e) / 4


def responses(truth, times):
    """P(L_P > L_Q) + P(L_P = L_Q) / 2 of so many binary responses that are true with that chance, in rationals."""
    p = [Fraction(truth), 1 - Fraction(truth)]
    law = {}
    for word in itertools.product((0, 1), repeat=times):
        chance, other = Fraction(1), Fraction(1)
        for letter in word:
            chance, other = chance * p[letter], other * p[1 - letter]
        ratio = chance / other
        a, b = law.get(ratio, (Fraction(0), Fraction(0)))
        law[ratio] = (a + chance, b + other)
    return float(sum(
        (1 if r > s else Fraction(1, 2) if r == s else 0) * law[r][0] * law[s][1] for r in law for s in law
    ))  # fmt: skip


@pytest.mark.parametrize("mu", [1e-9, 1e-4, 0.03, 1.0, 4.0, 7.7, 11.0, 20.0, 300.0])
def test_gaussian(mu):
    g = ny.account(ny.Gaussian(1.0 / mu))
    with mp.workdps(40):
        exact = gaussian(mu)
        assert 0 <= mp.mpf(g.auc) - exact < 2e-5
        assert 0 <= exact - mp.mpf(g.optimistic.auc) < 2e-5
        assert exact - mp.mpf(g.optimistic.auc) < mp.mpf("1e-3") * min(exact - 0.5, 1 - exact) + mp.mpf("3e-12")


@pytest.mark.parametrize("scale", [0.002, 0.1, 1.0, 30.0, 1e6])
def test_laplace(scale):
    g = ny.account(ny.Laplace(scale))
    exact = laplace(scale)
    assert 0 <= mp.mpf(g.auc) - exact < 1e-5
    assert 0 <= exact - mp.mpf(g.optimistic.auc) < 1e-6


@pytest.mark.parametrize("times", [1, 2, 5])
def test_an_area_with_corners_is_known_to_a_float(times):
    epsilon = 1.25
    truth = Fraction(1.0 / (1.0 + float(mp.exp(-epsilon))))
    g = ny.account(ny.RandomizedResponse(epsilon, 2) ** times)
    assert g.auc == pytest.approx(responses(truth, times), abs=2e-12)
    assert g.optimistic.auc == pytest.approx(responses(truth, times), abs=2e-12)


@pytest.mark.parametrize("rho", rest_slow([1e-6, 0.178, 3.0], 1))
def test_of_a_promise_it_lies_between_that_of_the_gaussian_and_the_promise(rho):
    g = ny.ZCDP(rho)
    assert gaussian(mp.sqrt(2 * mp.mpf(rho))) <= g.auc
    assert g.optimistic.auc <= g.auc <= g.optimistic.auc + 3e-5


@pytest.mark.parametrize("adjacency", rest_slow(["remove", "add"], "remove"))
def test_the_same_from_either_end(adjacency):
    """The area does not change where both laws change places."""
    one = ny.account(ny.DPSGD(0.6, 0.05, 20), adjacency=adjacency)
    other = ny.account(ny.DPSGD(0.6, 0.05, 20), adjacency="add" if adjacency == "remove" else "remove")
    assert one.optimistic.auc <= other.auc
    assert one.auc - other.optimistic.auc < 5e-5
