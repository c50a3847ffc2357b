"""Lines through laws that never die: what a shorter cut leaves out is no more than it claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.choose import profiles
from neyman.engines.contour_line import Plan
from neyman.engines.contour_scan import shortened
from neyman.engines.contour_walk import Parts, Walk
from neyman.engines.lattice import LatticeProfile
from neyman.losses.discrete_transform import DiscreteTransform
from neyman.losses.laplace import LaplaceStep
from neyman.losses.laplace_transform import LaplaceTransform
from neyman.losses.outcomes import Outcomes


def composition(scales: np.ndarray, times: int = 1) -> Parts:
    return Parts(tuple((LaplaceTransform(LaplaceStep(float(b))), times) for b in scales), 0.0, "remove")


def beyond(parts: Parts, c: float, cut: float) -> float:
    """(1/pi) int |e^K| / |z (z + 1)| from ``cut`` on, by a fine sum far beyond: no bound, but the truth nearly."""
    omega = np.concatenate([np.linspace(cut, 40.0 * cut, 6000), np.geomspace(40.0 * cut, 1e5 * cut, 1000)[1:]])
    log_size = np.zeros(len(omega))
    for law, times in parts.steps:
        log_size += times * law.on_line(c + 1.0, omega, math.inf, 40.0)[0].real
    z = c + 1j * omega
    with np.errstate(under="ignore"):
        return float(np.trapezoid(np.exp(log_size) / np.abs(z * (z + 1.0)), omega)) / math.pi


def test_nodes_that_meet_every_return_are_counted() -> None:
    """Fair answers of +-a: |A| is 1 at every multiple of pi / a and next to nothing between them. A rule whose nodes
    lie there sums as much as if |A| were 1 throughout, which is far more than the integral of |A|^4000."""
    a, times, c = 0.05, 4000, 1.0
    coin = Outcomes(np.array([-a, a]), np.log([0.5, 0.5]))
    spread = 2.0 * a
    parts = Parts(((DiscreteTransform(coin), times),), 0.0, "remove")
    w = np.array([c + 1.0])
    top = times * float(parts.steps[0][0].moments(w).log_a[0])
    sd = math.sqrt(times * float(parts.steps[0][0].moments(w).variance[0]))
    last = 1e5
    end = (last, top - math.log(math.pi * last))
    cut, log_tail = shortened(parts, np.array([math.inf]), c, sd, spread, end, top - 11.0)
    omega = 2.0 * math.pi / spread * np.arange(1, 200000)
    omega = omega[omega >= cut]
    with np.errstate(under="ignore"):
        size = times * (parts.steps[0][0].on_line(float(w[0]), omega, math.inf, 40.0)[0].real) - top
        total = np.sum(np.exp(size) / np.abs((c + 1j * omega) * (c + 1.0 + 1j * omega))) * 2.0 / spread
    assert cut <= last
    assert total <= math.exp(log_tail - top)


@pytest.mark.parametrize("scales", [np.linspace(10.0, 100.0, 300), np.linspace(1.0, 3.0, 60), np.full(1, 4.0)])
def test_what_is_cut_off_is_bounded(scales: np.ndarray) -> None:
    parts = composition(scales, 400 if len(scales) == 1 else 4)
    walk = Walk.along(parts)
    for index in np.flatnonzero(walk.useful())[12:40:14]:
        plan = Plan.make(parts, walk, int(index), (0.0, 1.0))
        assert math.isfinite(plan.nodes)
        assert beyond(parts, plan.c, plan.cut) <= math.exp(plan.log_truncation) * (1.0 + 1e-6)


def test_many_large_scales_are_certified() -> None:
    """Five hundred steps that fall by 13 e-folds together: certified all the same, whatever the tolerance."""
    many = ny.account(ny.compose(ny.Laplace(float(b)) ** 10 for b in np.linspace(10.0, 30.0, 50)))
    few = ny.account(ny.compose(ny.Laplace(float(b)) ** 10 for b in np.linspace(10.0, 30.0, 50)), tolerance=1e-4)
    assert "transform" in many.method
    for eps in (0.0, 2.0, 6.0):
        assert many.optimistic.delta(eps) <= few.delta(eps)
        assert few.optimistic.delta(eps) <= many.delta(eps)
        assert many.delta(eps) - many.optimistic.delta(eps) <= 1e-6 * many.delta(eps)


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(
    "mechanism",
    [
        ny.Gaussian(1.0).poisson(0.3) ** 8,
        ny.Gaussian(4.0).poisson(0.9) ** 10,
        ny.Laplace(1.0).poisson(0.3) ** 120,
        ny.Laplace(3.0) ** 100,
        ny.Gaussian(2.0) * ny.DiscreteGaussian(2.0).poisson(0.1) ** 5,
    ],
    ids=repr,
)
def test_contours_of_every_law_overlap_the_lattice(mechanism: ny.Mechanism, adjacency: str) -> None:
    """Two engines with nothing in common but the law: their brackets cannot be disjoint."""
    losses = mechanism.losses(replace=adjacency == "replace")
    profiles_ = profiles(losses, 1e-6)
    contour = profiles_[adjacency == "add"]
    lattice = LatticeProfile(losses, "add" if adjacency == "add" else "remove", 1e-4, 1 << 17)
    epsilon = np.array([0.0, 0.2, 0.7, 1.5, 3.0, 6.0])
    assert "transform" in contour.method
    a, b = contour.bracket(epsilon), lattice.bracket(epsilon)
    assert np.all(a.lower <= b.upper)
    assert np.all(b.lower <= a.upper)
    assert np.all(b.upper - b.lower <= 0.05 * b.upper + 1e-30)
