"""The bound on the transform of sampled Laplace noise: above the truth at its omega and at larger ones, and near it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.losses.laplace import bound as laplace_bound
from neyman.losses.laplace.step import LaplaceStep


def size(scale: float, rate: float, w: float, omega: float, two_sided: bool) -> float:
    """log |A(w + i omega)| from the densities, in balls."""
    ctx.prec = 120
    b, q, z = arb(scale), arb(rate), acb(w, omega)
    d = 1 / b

    def share(t: acb, near: bool) -> acb:  # one half of the smooth part, from its end to 0
        t = t - d if near else d - t
        r = 1 - q + q * t.exp()
        one = (-(t + d) / 2).exp() / 4
        if not two_sided:
            return one * (z * r.log()).exp()
        low = (1 - q + q * (-d).exp()).log()
        there, back = (z * (r.log() - low)).exp(), (z * (low - r.log())).exp()
        return one * (low.exp() * there + r * back)

    total = acb(0)
    for near in (True, False):
        ends = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 12) * float(d)])
        for i in range(len(ends) - 1):
            high = d if i == len(ends) - 2 else arb(float(ends[i + 1]))
            total += acb.integral(
                lambda t, _, near=near: share(t, near), acb(float(ends[i])), acb(high), eval_limit=200000
            )
    low, high = (1 - q + q * (-d).exp()).log(), (1 - q + q * d.exp()).log()
    if two_sided:
        far = (-d).exp() / 2
        total += far * high.exp() * (z * (low - high)).exp() + far * low.exp() * (z * (high - low)).exp()
    else:
        total += (z * low).exp() / 2 + (-d).exp() / 2 * (z * high).exp()
    return float(abs(total).log().mid())


def drawn(count: int, seed: int) -> list[tuple[float, float, float, float, bool]]:
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        d, rate = math.exp(rng.uniform(math.log(1e-3), math.log(30.0))), 10.0 ** rng.uniform(-6.0, -1e-4)
        rate = 1.0 - rate if i % 3 == 0 else rate
        grown = rate * math.exp(d) / (1.0 + rate * math.exp(d))
        w = rng.uniform(-4.0, 4.0) * (1.0 if i % 2 else 1.0 / grown)
        omega = 10.0 ** rng.uniform(-2.0, 1.7) / (grown if i % 4 < 3 else rate)
        found.append((1.0 / d, rate, w, min(omega, 1e3 / grown), i % 5 == 0))
    return found


@pytest.mark.parametrize("count", [24, pytest.param(1500, marks=pytest.mark.slow)])
def test_no_later_transform_is_above(count: int) -> None:
    rng = np.random.default_rng(count)
    for scale, rate, w, omega, two_sided in drawn(count, count):
        law = LaplaceStep(scale, rate, two_sided).transform()
        bound = float(law.log_bound(np.array([w]), np.array([omega]), np.ones(1), math.inf)[0])
        for later in (1.0, 1.0 + 0.2 * rng.random(), 1.0 + rng.random()):
            truth = size(scale, rate, w, omega * later, two_sided)
            assert truth <= bound + 1e-13, (scale, rate, w, omega, two_sided, later)


def test_each_way_alone_is_above() -> None:
    """Also where the other one is the better, and where pieces are few and large."""
    law = LaplaceStep(0.2167, 0.02323)
    for w, omega in ((1.6, 4.3), (1.6, 430.0), (-0.5, 43.0), (0.5, 4300.0)):
        transform = law.transform()
        found = float(transform.log_bound(np.array([w]), np.array([omega]), np.ones(1), math.inf)[0])
        whole = float(transform.moments(np.array([w])).log_a[0])
        truth = max(size(law.scale, law.rate, w, omega * x, False) for x in (1.0, 1.05, 1.2, 1.5)) - whole
        assert truth <= found - whole <= 0.5 * truth  # of all that it falls at least half is known


def test_at_omega_zero_it_is_the_whole_piece() -> None:
    for d, rate, a in ((2.0, 0.1, 1.0), (20.0, 1e-6, 3.0), (1e-3, 0.5, -2.0)):
        found = laplace_bound.log_shifted(d, rate, a, 0.0)
        whole = acb.integral(
            lambda t, _, d=d, q=rate, a=a: (-(t + d) / 2).exp() * (1 - q + q * t.exp()) ** a, -d, d
        ).real
        assert 0.0 <= found - float(whole.log().mid()) < 0.05
