"""Lines through laws that never die: what a shorter cut leaves out is no more than it claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.choose import profiles
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.contour.truncation import cells
from neyman.engines.contour.truncation.cells import shortened
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.transform import DiscreteTransform
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.readings.outcomes import Outcomes
from tests.effort import crossed


def composition(scales: np.ndarray, times: int = 1) -> Parts:
    return Parts(tuple((LaplaceStep(float(b)).transform(), times) for b in scales), 0.0, "remove")


def beyond(parts: Parts, plan: Plan) -> float:
    """What the nodes that are left out weigh: each, far beyond the last that is not; then a sum that stands for all."""
    spacing = 2.0 * math.pi / plan.spread
    kept = np.rint(plan.omega() / spacing).astype(int)
    near = spacing * np.setdiff1d(np.arange(40 * int(kept[-1])), kept)
    far = np.geomspace(near[-1], 1e4 * near[-1], 1000)

    def size(omega: np.ndarray) -> np.ndarray:
        log_size = np.zeros(len(omega))
        for law, times in parts.steps:
            log_size += times * law.on_line(plan.c + 1.0, omega, math.inf, 40.0)[0].real
        z = plan.c + 1j * omega
        with np.errstate(under="ignore"):
            return np.exp(log_size) / np.abs(z * (z + 1.0))

    return float(spacing * size(near).sum() + np.trapezoid(size(far), far)) / math.pi


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
    cut, log_tail, some = shortened(parts, np.array([math.inf]), c, sd, spread, end, top - 11.0)
    omega = 2.0 * math.pi / spread * np.arange(1, 200000)
    left_out = omega >= cut
    if some is not None:
        left_out = ~np.any((omega[:, None] >= some[0]) & (omega[:, None] <= some[1]), axis=1)
    omega = omega[left_out]
    assert len(omega) > 0
    with np.errstate(under="ignore"):
        size = times * (parts.steps[0][0].on_line(float(w[0]), omega, math.inf, 40.0)[0].real) - top
        total = np.sum(np.exp(size) / np.abs((c + 1j * omega) * (c + 1.0 + 1j * omega))) * 2.0 / spread
    assert cut <= last
    assert total <= math.exp(log_tail - top)


def test_between_the_ends_of_a_cell_nothing_is_larger_than_its_bound() -> None:
    """|cos|^2 bends as much as any transform may: where it is largest in the middle of a cell the bound is attained."""
    coin = DiscreteTransform(Outcomes(np.array([-1.0, 1.0]), np.log([0.5, 0.5])))
    parts = Parts(((coin, 1), (DiscreteTransform(rare(0.6, 0.05)), 3)), 0.0, "remove")
    w = 1e-9  # all but an even coin
    deviation = np.sqrt([float(law.moments(np.array([w])).variance[0]) for law, _ in parts.steps])
    look = cells._Look(parts, np.full(2, math.inf), w, deviation, 1, np.ones(2, dtype=np.bool_))
    edge = np.concatenate([np.linspace(0.1, 3.0, 9), math.pi + np.array([-0.05, 0.05]), np.linspace(3.3, 60.0, 200)])
    found = look.fallen(edge[:-1], edge[1:])
    at = edge[:-1] + np.diff(edge) * np.linspace(0.0, 1.0, 101)[:, None]
    size = sum(
        times * (law.on_line(w, at.ravel(), math.inf, 40.0)[0].real - float(law.moments(np.array([w])).log_a[0]))
        for law, times in parts.steps
    )
    highest = size.reshape(at.shape).max(axis=0)
    assert np.all(highest <= found + 1e-9)
    assert found[9] - highest[9] < 5e-4  # a fifth of what the bend costs there


def test_places_that_are_looked_at_are_evenly_apart_to_the_last_bit() -> None:
    """They were but for roundings, and every second line was summed place by place, at forty times the price."""
    for deviation in np.geomspace(1e-4, 1.0, 40):
        edge = cells._edges(40.0, 4e4 / deviation, float(deviation), 1 << 21)
        assert edge is not None
        apart = np.diff(edge)[-1000:-2]
        assert np.all(apart == apart[0])


@pytest.mark.parametrize("scales", [np.linspace(10.0, 100.0, 300), np.linspace(1.0, 3.0, 60), np.full(1, 4.0)])
def test_what_is_cut_off_is_bounded(scales: np.ndarray) -> None:
    parts = composition(scales, 400 if len(scales) == 1 else 4)
    walk = Walk.along(parts)
    for index in np.flatnonzero(walk.useful())[12:40:14]:
        plan = Plan.make(parts, walk, int(index), (0.0, 1.0))
        assert math.isfinite(plan.nodes)
        assert beyond(parts, plan) <= math.exp(plan.log_truncation) * (1.0 + 1e-6)


@pytest.mark.slow
def test_many_large_scales_are_certified() -> None:
    """Five hundred steps that fall by 13 e-folds together: certified all the same, whatever the tolerance."""
    many = ny.account(ny.compose(ny.Laplace(float(b)) ** 10 for b in np.linspace(10.0, 30.0, 50)))
    few = ny.account(ny.compose(ny.Laplace(float(b)) ** 10 for b in np.linspace(10.0, 30.0, 50)), tolerance=1e-4)
    assert "transform" in many.method
    for eps in (0.0, 2.0, 6.0):
        assert many.optimistic.delta(eps) <= few.delta(eps)
        assert few.optimistic.delta(eps) <= many.delta(eps)
        assert many.delta(eps) - many.optimistic.delta(eps) <= 1e-6 * many.delta(eps)


@crossed(
    ("adjacency", ["remove", "add", "replace"]),
    (
        "mechanism",
        [
            ny.Gaussian(1.0).poisson(0.3) ** 8,
            ny.Gaussian(4.0).poisson(0.9) ** 10,
            ny.Laplace(1.0).poisson(0.3) ** 120,
            ny.Laplace(1.0) ** 100,
            ny.Gaussian(2.0) * ny.DiscreteGaussian(2.0).poisson(0.1) ** 5,
        ],
    ),
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


def rare(epsilon: float, rate: float) -> Outcomes:
    """Three outcomes without a lattice: randomised response among four, sampled."""
    p = np.array([math.exp(epsilon), 1.0, 2.0])
    p /= p.sum()
    q = p[[1, 0, 2]]
    loss = np.log1p(rate * (p / q - 1.0))
    order = np.argsort(loss)
    return Outcomes(loss[order], np.log(q[order]), slack=1e-15)


@pytest.mark.parametrize("c", [0.7, 4.0])
def test_what_is_left_out_between_stretches_is_bounded(c: float) -> None:
    """Three outcomes, seen through a thin veil: they return far apart, and all nodes between are counted as nothing."""
    times, law = 2000, DiscreteTransform(rare(0.6, 0.05))
    sd = math.sqrt(times * float(law.moments(np.array([0.5])).variance[0]))
    parts = Parts(((law, times),), 6e-5 * sd, "remove")
    walk = Walk.along(parts)
    index = int(np.argmin(np.abs(walk.c - c / sd)))
    plan = Plan.make(parts, walk, index, (0.0, 3.0 * sd))
    assert plan.islands is not None
    assert plan.nodes < 3000
    spacing = 2.0 * math.pi / plan.spread
    every = spacing * np.arange(math.ceil(plan.cut / spacing) + 1)
    rest = np.setdiff1d(np.arange(len(every)), np.rint(plan.omega() / spacing).astype(int))
    omega = every[rest]
    z = plan.c + 1j * omega
    height = times * law.on_line(plan.c + 1.0, omega, math.inf, 40.0)[0].real
    height += (0.5 * parts.mu**2 * z * (z + 1.0)).real
    left_out = float(np.sum(np.exp(height) / np.abs(z * (z + 1.0)))) * spacing / math.pi
    assert len(rest) > 50 * plan.nodes
    assert 0.0 < left_out <= math.exp(plan.log_truncation)


def test_where_every_cell_may_be_left_out_the_stretch_before_them_is_kept() -> None:
    low, high = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0])
    assert cells._runs(low, high, np.zeros(0, dtype=np.int64)).tolist() == [[0.0], [1.0]]
    assert cells._runs(low, high, np.array([0, 2])).tolist() == [[0.0, 1.0, 3.0], [1.0, 2.0, 4.0]]


def test_a_law_of_which_a_tilt_leaves_one_outcome_does_not_stop_a_look() -> None:
    """It has no deviation: a division by it was a crash, of one of the hunter's mixes."""
    sure = DiscreteTransform(Outcomes(np.array([-1.0, 1.0]), np.array([-800.0, 0.0])))
    parts = Parts(((sure, 2), (DiscreteTransform(rare(0.6, 0.05)), 3)), 0.0, "remove")
    look = cells._Look(parts, np.full(2, math.inf), 0.5, np.zeros(2), 2, np.ones(2, dtype=np.bool_))
    edge = np.linspace(0.1, 3.0, 9)
    found = look.fallen(edge[:-1], edge[1:])
    assert np.all(np.isfinite(found))
    assert np.all(found <= 0.0)
