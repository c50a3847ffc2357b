"""Sampled Laplace mechanisms of small scale against tests that any attacker can run, and two steps exactly."""

import math
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import bdtrc

import neyman as ny
from neyman.losses.laplace.step import LaplaceStep

GRID = [(8.0, 0.3), (14.0, 1e-6), (21.0, 0.9999), (29.5, 0.06), (35.0, 0.0644964), (45.0, 1e-3)]


def best_threshold(d: float, rate: float, steps: int) -> float:
    """delta(0) of the best test "at least k outputs above 1/2": a lower bound on the advantage."""
    far = 0.5 * math.exp(-0.5 * d)
    with_record = far + rate * (1.0 - 2.0 * far)
    k = np.arange(steps)
    return float(np.max(bdtrc(k, steps, with_record) - bdtrc(k, steps, far)))


def two_steps(d: float, rate: float) -> mpf:
    """delta(0) of two steps, from the law of one: E_P[(1 - e^-(L + L'))_+] over the two-dimensional law of (t, t')."""
    with mp.workdps(30):
        q, d_, low, high = mpf(rate), mpf(d), mp.exp(-mpf(d)), mp.exp(mpf(d))

        def ratio(x: mpf) -> mpf:  # e^L at e^t = x
            return 1 - q + q * x

        def beyond(x: mpf) -> tuple[mpf, mpf]:
            """P and Q of a step whose e^t exceeds x; the atom at the top included, that at the bottom only below it."""
            if x < low:
                return mpf(1), mpf(1)
            if x >= high:
                return mpf(0), mpf(0)
            without = mp.exp(-(mp.log(x) + d_) / 2) / 2
            taking = 1 - mp.exp(-(d_ - mp.log(x)) / 2) / 2
            return (1 - q) * without + q * taking, without

        def inner(x: mpf) -> mpf:
            """P'(...) ratio(x) - Q'(...) over the second step, per unit of Q of the first."""
            p, without = beyond((1 / ratio(x) - 1 + q) / q)
            return ratio(x) * p - without

        atoms = inner(low) / 2 + inner(high) * low / 2
        kinks = sorted({mp.log(x) for x in ((1 / ratio(low) - 1 + q) / q, mpf(1)) if low < x < high} | {-d_, d_})
        places = [a + (b - a) * k / 8 for a, b in pairwise(kinks) for k in range(8)] + [d_]
        return atoms + mp.quad(lambda t: inner(mp.exp(t)) * mp.exp(-(t + d_) / 2) / 4, places)


@pytest.mark.parametrize(
    ("d", "rate"),
    [(33.0, 0.0644964), (35.0, 0.9999987), *(pytest.param(*one, marks=pytest.mark.slow) for one in GRID)],
)
def test_two_steps_are_what_quadrature_finds(d: float, rate: float) -> None:
    guarantee = ny.account(ny.Laplace(1.0 / d).poisson(rate) ** 2, tolerance=0.02)
    exact = float(two_steps(d, rate))
    assert guarantee.advantage >= exact * (1.0 - 1e-14)
    assert guarantee.optimistic.advantage <= exact * (1.0 + 1e-14)


def test_the_quadrature_agrees_with_published_figures() -> None:
    assert float(two_steps(33.0, 0.0644964)) == pytest.approx(0.124833, abs=5e-7)
    assert 1.0 - float(two_steps(35.0, 0.9999987)) == pytest.approx(5e-11, abs=1.1e-11)


@pytest.mark.parametrize(
    "steps", [100, pytest.param(7, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.slow)]
)
def test_no_advantage_is_below_that_of_counting_outputs_above_one_half(steps: int) -> None:
    cases = [(33.0, 0.0644964)] if steps == 100 else [*GRID, (33.0, 0.0644964)]
    for d, rate in cases:
        advantage = ny.account(ny.Laplace(1.0 / d).poisson(rate) ** steps, tolerance=0.02).advantage
        assert advantage >= best_threshold(d, rate, steps) * (1.0 - 1e-12), (d, rate)


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("remove", [False, True])
def test_the_masses_that_a_cut_leaves_out_are_those_that_its_bins_lack(two_sided: bool, remove: bool) -> None:
    for scale, rate in ((1.0, 1.0), (0.5, 0.3), (1 / 33, 0.06), (20.0, 1e-3), (1 / 40, 0.999)):
        if two_sided and rate == 1.0:
            continue
        law = LaplaceStep(scale, rate, two_sided).bins()
        h = law.unit / 1000.0
        for first, last in ((0, 1000), (200, 1000), (0, 900), (400, 600), (550, 700)):
            bins = law.bins(h, first, last, remove)
            edge = bins.base + h * np.arange(first, last + 1)
            at, log_node = bins.nodes
            q = math.fsum(
                [*bins.lower, *bins.upper, *np.exp(log_node), math.exp(bins.below[0]), math.exp(bins.above[0])]
            )
            p = math.fsum([
                *(bins.lower * np.exp(edge[:-1])), *(bins.upper * np.exp(edge[1:])), *np.exp(log_node + edge[at]),
                math.exp(bins.below[1]), math.exp(bins.above[1]),
            ])  # fmt: skip
            assert q == pytest.approx(1.0, abs=1e-11), (scale, rate, first, last)
            assert p == pytest.approx(1.0, abs=1e-11), (scale, rate, first, last)
