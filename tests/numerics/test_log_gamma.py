"""log Gamma against ball arithmetic, and how large its stated errors are beside what they bound."""

from __future__ import annotations

import numpy as np
from flint import acb, arb, ctx

from neyman.numerics.functions.log_gamma import REMAINDER, log_gamma, log_gamma_at_most

PLACES = [(x, y) for x in (0.02, 0.5, 1.0, 3.3, 15.9, 16.0, 40.0, 2500.0) for y in (0.0, 0.7, 5.0, 90.0, 4e3, 1e5)]


def test_values_are_within_their_errors():
    shares = []
    with ctx.workprec(300):
        for x, y in PLACES:
            for r in (1.0, 0.3, 57.0, max(x, y)):
                found, error = log_gamma(x, np.array([-y]), r)
                truth = acb(x, -y).lgamma() - acb(x, -y) * acb(r).log()
                off = [abs(part - arb(float(mine))) for part, mine in
                       ((truth.real, found[0].real), (truth.imag, found[0].imag))]  # fmt: skip
                assert all(one < arb(float(error[0])) for one in off), (x, y, r)
                shares += [float((one / arb(float(error[0]))).mid()) for one in off]
    assert max(shares) > 0.02  # a fiftieth of what is stated would be too little


def test_a_known_factor_keeps_the_digits():
    assert log_gamma(5.0, np.array([4e3]), 4e3)[1] < 0.5 * log_gamma(5.0, np.array([4e3]))[1]


def test_stirlings_remainder():
    with ctx.workprec(300):
        bound = 2**8 * arb("7.0921568627450980392157") / (240 * arb(16) ** 15)
        assert bound < REMAINDER < 1.1 * bound


def test_from_above():
    with ctx.workprec(300):
        for x, y in PLACES:
            truth = acb(x, y).lgamma().real
            most = arb(float(log_gamma_at_most(x, np.array([y]))[0]))
            assert truth < most < truth + 0.17 / abs(acb(x, y)) + 1e-9 * (1 + abs(truth))
