"""Random allocation at much noise: sums for psi, lines and what they leave out; a few steps by product sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman.losses.allocated.lines import centred as module
from neyman.losses.allocated.lines.centred import Centred
from neyman.losses.allocated.profile import AllocatedProfile
from neyman.losses.allocated.two import two_steps
from neyman.numerics.functions.normal import mills_drop
from neyman.numerics.rounding import UNIT
from tests.effort import rest_slow
from tests.reference.allocation import call


def product(sigma: float, t: int, epsilon: float, remove: bool) -> float:
    """All directions but that of the sum by the trapezoid rule: given them it is a Gaussian mechanism."""
    nu, h = 1.0 / (sigma * math.sqrt(t)), 0.35
    axis = np.arange(-9.45, 9.5, h)
    turn = np.linalg.qr(np.column_stack([np.ones(t), np.eye(t)[:, 1:]]))[0][:, 1:]
    v = np.stack(np.meshgrid(*[axis] * (t - 1), indexing="ij"), -1).reshape(-1, t - 1)
    weight = np.exp(-0.5 * (v**2).sum(axis=1)) * (h / math.sqrt(2.0 * math.pi)) ** (t - 1)
    log_a = np.log1p(np.expm1((v @ turn.T) / sigma).mean(axis=1)) - 0.5 / sigma**2 + 0.5 * nu * nu
    x = epsilon + (-log_a if remove else log_a)
    c = np.abs(x) / nu - 0.5 * nu
    delta = np.exp(-0.5 * c * c) / math.sqrt(2.0 * math.pi) * mills_drop(np.maximum(c, -1.0), nu)
    delta = np.where(x < 0.0, -np.expm1(x) + np.exp(x) * delta, delta)
    return float(np.sum(weight * delta * (np.exp(log_a) if remove else 1.0)))


SETTINGS = [(6.0, 3), (12.0, 3), (30.0, 3), (100.0, 3), (1e3, 3), (1e6, 3), (15.0, 4), (300.0, 4)]


@pytest.mark.parametrize(("sigma", "t"), rest_slow(SETTINGS, 1, 3, 5))
@pytest.mark.parametrize("remove", [True, False])
def test_few_steps_by_product_sums(sigma, t, remove):
    epsilon = np.array([0.0, 0.3, 1.0, 3.0]) / (sigma * math.sqrt(t))
    found = AllocatedProfile(sigma, sigma, t, remove).bracket(epsilon)
    for i, one in enumerate(epsilon.tolist()):
        truth = product(sigma, t, one, remove)
        assert found.lower[i] * (1.0 - 3e-12) <= truth <= found.upper[i] * (1.0 + 3e-12)
        assert found.upper[i] - found.lower[i] <= 1e-8 * found.upper[i]


@pytest.mark.parametrize(("sigma", "t", "share"), [(6.0, 8, 1.0), pytest.param(9.0, 40, 2.0, marks=pytest.mark.slow)])
def test_more_steps_in_high_precision(sigma, t, share):
    epsilon = share / (sigma * math.sqrt(t))
    found = Centred(sigma, t).bracket(np.array([epsilon]), True)
    truth = float(call(sigma, t, epsilon).mid())
    assert found.lower[0] * (1.0 - 1e-14) <= truth <= found.upper[0] * (1.0 + 1e-14)
    assert found.upper[0] - found.lower[0] <= 1e-9 * found.upper[0]


@pytest.mark.parametrize("sigma", [12.0, 1e3, 1e6])
def test_two_steps_are_those_of_their_integral(sigma):
    for remove in (True, False):
        epsilon = np.linspace(0.0, 1.5, 6) / (sigma * math.sqrt(2.0))
        found, sharp = Centred(sigma, 2).bracket(epsilon, remove), two_steps(sigma, epsilon, remove)
        assert np.all(found.lower <= sharp.upper)
        assert np.all(found.upper >= sharp.lower)


def psi(sigma: float, rho: complex) -> acb:
    """E e^{rho X} of the law that is cut far out, in balls."""
    with ctx.workprec(200):
        s, r = arb(sigma), acb(rho.real, rho.imag)

        def term(z: acb, _: bool) -> acb:
            x = s * ((z / s - 1 / (2 * s * s)).exp() - 1)
            return (r * x - z * z / 2).exp() / (2 * arb.pi()).sqrt()

        return acb.integral(term, arb(-14), arb(14), rel_tol=arb(10) ** -30)


@pytest.mark.parametrize("sigma", [6.0, 50.0, 1e5])
def test_psi_is_within_its_error(sigma):
    """Fine sums to what rounding does, a coarse one to what it misses: each a share of what is stated that is seen."""
    shares = []
    for rule, most in ((module._Sum(sigma, 0.125, 110), 6.0), (module._Sum(sigma, 0.75, 18), 0.5)):
        rho = 0.4 + 1j * np.array([0.0, 0.2, most])
        value, error = rule.excess(rho)
        with ctx.workprec(200):
            truth = [psi(sigma, one) for one in rho.tolist()]
            off = np.array([float(abs(acb(v.real, v.imag) + 1 - x).mid()) for v, x in zip(value, truth, strict=True)])
        assert np.all(off <= error)
        shares.append(float(np.max(off / error)))
        assert error[0] < (1e-13 if rule.h < 0.5 else 0.1)
    assert shares[0] > 1e-3
    assert shares[1] > 1e-6


def test_a_line_states_what_it_repeats_and_leaves_out(monkeypatch):
    """Spacings and ends for little: what is missed is more than rounding, and within the bracket."""
    sharp = Centred(20.0, 10)
    epsilon = np.array([0.01, 0.03])
    for remove in (True, False):
        truth = sharp.bracket(epsilon, remove)
        seen = 0.0
        for goal in (6.0, 9.0, 12.0):
            monkeypatch.setattr(module, "_GOAL", goal)
            found = Centred(20.0, 10).bracket(epsilon, remove)
            assert np.all(found.lower <= truth.upper)
            assert np.all(found.upper >= truth.lower)
            seen = max(seen, float(np.max(found.upper - found.lower)))
        assert seen > 1e-9
        monkeypatch.undo()


def test_moduli_beyond_a_cut_are_below_their_bound():
    law = Centred(12.0, 5)
    rule = module._Sum(12.0, 0.125, 96)
    for y in (1.0, 2.5, 4.0):
        bound = law._beyond(rule, 0.6, y)
        for further in (1.0, 1.3, 2.0):
            value, error = rule.excess(np.array([0.6 + 1j * y * further]))
            assert 5.0 * math.log(abs(1.0 + value[0]) - error[0]) <= bound
        assert bound <= 5.0 * math.log(abs(1.0 + rule.excess(np.array([0.6 + 1j * y]))[0][0])) + 1.0


def test_what_the_cut_law_leaves_out_counts():
    """Lines for a delta that is not deep cut the law near: what is lost is part of the bracket."""
    law = Centred(12.0, 50)
    for remove in (True, False):
        line = law._line(6, remove, 8.0)
        assert line is not None
        assert line.lost > 0.0
        end = math.sqrt(2.0 * (module._GOAL + 8.0 + math.log(50.0))) + 1.0 / 12.0
        assert line.lost >= 100.0 * 0.5 * math.erfc((end + 1.0) / math.sqrt(2.0))


def test_numbers_are_no_smaller_than_their_derivation():
    assert 1.06 / math.factorial(module._SERIES + 1) <= UNIT  # what is left of the series, relative to |w|^2
    assert 2.0 * module._SERIES + 4.0 * (math.e - 2.0) + 8.0 <= module._POWERS
    assert module._EXPS >= 12.0 + 4.0 + 4.0  # exp of a complex number, two sums, a product
    assert module._PLACE >= 4.0 + 1.0 + 4.0 + 3.0  # expm1, sigma, rho X
    assert module._WEIGHT >= 2.0 * 4.0 + 4.0 + 32.0
    assert module._SUMMED >= 32.0 + 12.0 + 4.0


def test_the_slope_is_that_of_the_profile():
    for remove in (True, False):
        law, epsilon, step = Centred(20.0, 10), np.array([0.001, 0.01, 0.05]), 1e-6
        fall = law.bracket(epsilon - step, remove).upper - law.bracket(epsilon + step, remove).upper
        assert law.slope(epsilon, remove) == pytest.approx(fall / (2.0 * step), rel=1e-5)


def test_many_eps_are_as_sharp_as_few():
    epsilon = np.linspace(0.0, 0.2, 2500)
    for t in (2, 100):
        many = AllocatedProfile(30.0, 30.0, t, True).bracket(epsilon)
        few = AllocatedProfile(30.0, 30.0, t, True).bracket(epsilon[::500])
        assert np.all(many.lower[::500] <= few.upper)
        assert np.all(many.upper[::500] >= few.lower)
        assert np.all(many.upper[:1000] - many.lower[:1000] <= 1e-8 * many.upper[:1000])


def test_beyond_the_last_line_next_to_nothing_is_left():
    """Forty deviations and more: a line that does not serve bounds it all the same."""
    for remove in (True, False):
        epsilon = np.array([60.0, 300.0]) / (50.0 * 1000.0)
        found = AllocatedProfile(50.0, 50.0, 10**6, remove).bracket(epsilon)
        assert np.all(found.upper < 1e-290)
    law, epsilon = Centred(20.0, 10), np.array([0.03])
    line = law._line(8, True, 16.0)
    assert line is not None
    most = np.exp(np.min(line.chernoff(20.0 * 10 * np.expm1(epsilon)))) / 200.0
    assert most >= law.bracket(epsilon, True).upper[0]


def test_what_no_float_holds_bounds_nothing_and_warns_of_nothing():
    g = ny.account(ny.Gaussian(7.44).allocated(9), tolerance=1e-3)
    assert 0.0 < g.roc(2e-271) < 1e-50
