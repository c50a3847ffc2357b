"""Sampled Laplace noise by contours, against the inversion integral of the densities in 200 bits."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.engines.choose import profiles
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.effort import Effort
from tests.effort import rest_slow
from tests.hunt.balls import _rotated

NODES = 40


@cache
def nodes(
    scale: float, rate: float, times: int, add: bool, c: float, period: float, n: int, bits: int
) -> list[tuple[acb, acb]]:
    """z of each node on a line, and what e^{-z eps} is multiplied by there; ``bits`` are those of the context."""
    d, q, h = 1 / arb(scale), arb(rate), 2 * arb.pi() / arb(period)
    w = arb(-c) if add else arb(c) + 1
    steep = min(1.0, 2.2 * rate * math.exp(1.0 / scale))
    panels = math.ceil(float(d) * max(2.0, (abs(float(w)) + float(h) * n) * steep / 6.0))
    rule = [arb.legendre_p_root(NODES, k, weight=True) for k in range(NODES)]
    half = d / panels
    t = [half * (2 * i + 1 + x) - d for i in range(panels) for x, _ in rule]
    mass = [half * weight * (-(at + d) / 2).exp() / 4 for at, (_, weight) in zip(t, rule * panels, strict=True)]
    loss = [(1 - q + q * at.exp()).log() for at in [-d, *t, d]]
    start = [m * (w * x).exp() for m, x in zip([arb(0.5), *mass, (-d).exp() / 2], loss, strict=True)]
    found = []
    for k, value in enumerate(_rotated(start, loss, h, n)):
        z = acb(c, h * k)
        grown = value**times
        grown = acb(grown.real, -grown.imag) if add else grown
        found.append((z, grown / (z * (z + 1))))
    return found


def line(scale: float, rate: float, times: int, eps: float, add: bool, c: float, period: float, n: int) -> arb:
    """The trapezoid rule along Re z = c of ``n`` nodes, 2 pi / ``period`` apart, without the aliases of the poles."""
    total, last = arb(0), arb(0)
    for k, (z, grown) in enumerate(nodes(scale, rate, times, add, c, period, n, ctx.prec)):
        term = (grown * (-z * arb(eps)).exp()).real
        total, last = total + (term / 2 if k == 0 else term), term
    total *= 2 / arb(period)
    assert abs(last) * n < abs(total) * 1e-12  # no end in sight otherwise
    near, far = 1 / ((arb(c) * arb(period)).exp() - 1), arb(eps).exp() / (((arb(c) + 1) * arb(period)).exp() - 1)
    return total - near + far


# scale, rate, steps; eps; direction; c, distance of aliases, nodes of two lines that share nothing
CASES = [
    pytest.param(
        (0.5442, 1.95e-5, 1133, 0.0011734, False, (2700.0, 0.03, 700), (2000.0, 0.04, 900)), marks=pytest.mark.slow
    ),
    (0.5442, 1.95e-5, 1133, 0.0046943, True, (4000.0, 0.03, 900), (5000.0, 0.025, 800)),
    (0.2167, 0.02323, 416, 3.63400246, False, (0.6, 160.0, 700), (0.5, 200.0, 900)),
    (0.2167, 0.02323, 416, 8.0, True, (30.0, 3.0, 200), (25.0, 4.0, 250)),
    (94.31, 2.081e-6, 8723, 1e-6, False, (9e5, 8e-5, 250), (7e5, 1e-4, 300)),
]


@pytest.mark.parametrize("case", rest_slow(CASES, 0, whole=True))
def test_rare_records_are_answered_by_short_lines(case: tuple[float, ...]) -> None:
    """Each was refused, or took seconds: as far as a tilt of 1e4 no quadrature was tried, and every transform was
    taken to be whole until each of its steps oscillates.
    """
    scale, rate, times, eps, add, *lines = case
    with ctx.workprec(200):
        found = [float(line(scale, rate, times, eps, add, *one)) for one in lines]
    assert found[0] == pytest.approx(found[1], rel=1e-10)
    both = profiles(((LaplaceStep(scale, rate), times),), 1e-6, Effort(1.0))
    known = both[1 if add else 0].bracket(np.array([eps]))
    assert found[0] * (1.0 - 2e-7) <= known.lower[0] <= found[0] * (1.0 + 1e-11)
    assert found[0] * (1.0 - 1e-11) <= known.upper[0] <= found[0] * (1.0 + 2e-7)
