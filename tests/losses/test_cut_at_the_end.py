"""Laws under tilts that reach beyond the end of their grid: where they are cut; bounds where nothing else is left."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.losses.gaussian import shifted_bound
from neyman.losses.gaussian.many.moments import moments_of
from neyman.losses.gaussian.transform import SamplingTransform


def log_a(sigma: float, rate: float, w: float, cut: float) -> arb:
    """log A(w) of the law on (-inf, cut), by Gauss quadrature over many panels in balls."""
    with ctx.workprec(160):
        s, q = arb(sigma), arb(rate)
        nodes, weights = np.polynomial.legendre.leggauss(20)
        edges = np.linspace(-15.0 * sigma, cut, 600)
        total = arb(0)
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            half = (arb(high) - arb(low)) / 2
            for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
                x = arb(low) + half * (1 + arb(node))
                r = 1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()
                total += half * arb(weight) * (-(x * x) / (2 * s * s)).exp() * r ** arb(w)
        return (total / (s * (2 * arb.pi()).sqrt())).log()


@pytest.mark.parametrize("share", [1.05, 1.2])
def test_a_law_that_reaches_its_end_is_cut_where_its_grid_ends(share: float) -> None:
    law = SamplingTransform(0.05, 0.01)
    w = share * 38.5 * law.sigma
    found = law.moments(np.array([0.9 * w, w]))
    cut = float(found.cut[1])
    assert 38.5 * law.sigma + 0.9 < cut <= law.limit
    value, error = law.on_line(w, np.zeros(1), cut, 36.0)
    assert abs(float(value[0].real) - float(log_a(law.sigma, law.rate, w, law.limit).mid())) < float(error[0]) + 1e-11


def test_a_block_cuts_as_one_law_does() -> None:
    laws = [SamplingTransform(0.2, 0.1 + 0.01 * i) for i in range(9)]
    w = np.array([1.0, 5.0, 9.0])
    together = moments_of(laws, w)
    for i, law in enumerate(laws):
        alone = law.moments(w)
        assert np.array_equal(np.isinf(together.cut[i]), np.isinf(alone.cut))
        assert np.array_equal(np.isnan(together.cut[i]), np.isnan(alone.cut))


def test_steps_of_very_unequal_noise_are_answered() -> None:
    unequal = ny.Gaussian(0.23).poisson(0.0019) ** 25000 * ny.Gaussian(312.0).poisson(0.0019) ** 10**7
    g = ny.account(unequal)
    assert 0.0 < g.optimistic.epsilon(1e-6) <= g.epsilon(1e-6)


def test_a_sum_of_what_hardly_is_a_float_is_no_less_than_it_is() -> None:
    law = SamplingTransform(1.0, 0.5)
    log_term = np.concatenate([[-744.4], np.full(1000, -745.2), [0.0]])
    x = np.linspace(-1.0, 1.0, len(log_term))
    found = shifted_bound._summed(law, x, 0.1, log_term, np.zeros(len(log_term)))
    with ctx.workprec(200):
        true = (arb(-744.4).exp() + 1000 * arb(-745.2).exp()).log()
    assert arb(found) >= true
