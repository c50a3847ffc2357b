"""Hyperbolas as witnesses: what steering chose finds the same again, and nothing false follows from other numbers."""

import json
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.contour.hyperbola.arc import Edge, Shape
from neyman.engines.contour.hyperbola.certifier import certified_arc
from neyman.engines.contour.hyperbola.rotated import Steps
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.witness import ArcWitness
from neyman.losses.gaussian.plain import GaussianStep
from neyman.profiles.certificate import Certificate
from tests.effort import crossed, examples

RUNS = [
    ny.DPSGD(1.0, 0.001, 3),
    ny.DPSGD(0.372, 0.44, 5),
    ny.DPSGD(0.5, 1e-4, 50),
    ny.DPSGD(0.29, 0.32, 3),
    ny.DPSGD(0.38, 0.075, 3) * ny.DPSGD(1.04, 6e-4, 3),
]
PLACES = np.array([0.0, 0.001, 0.01, 0.1, 0.3, 1.0, 2.0, 5.0, 12.0])
KNOWN: dict[tuple[int, str], tuple[Parts, np.ndarray, np.ndarray]] = {}


def parts(run: ny.Mechanism, direction: str) -> Parts:
    found = [(transform(step), times) for step, times in run.losses() if not isinstance(step, GaussianStep)]
    return Parts(tuple((law, times) for law, times in found if law is not None), 0.0, direction)


def known(index: int, direction: str) -> tuple[Parts, np.ndarray, np.ndarray]:
    if (index, direction) not in KNOWN:
        b = ny.account(RUNS[index], direction).sides.forward.bracket(PLACES)
        KNOWN[index, direction] = parts(RUNS[index], direction), b.lower, b.upper
    return KNOWN[index, direction]


def arcs(one: Certificate) -> list[Certificate]:
    return [found for part in one.parts for found in arcs(part)] + [one] * (one.supply == "hyperbola")


@cache
def witnesses(index: int) -> list[tuple[str, float, Certificate]]:
    guarantee, found = ny.account(RUNS[index]), []
    for epsilon in (0.01, 0.1, 0.5, 2.0, 5.0):
        for name, whole in guarantee.certificate(epsilon).directions.items():
            found += [(name, epsilon, one) for one in arcs(whole) if one.plan is not None and one.lower > 0.0]
    return found


def test_a_witness_from_a_file_is_certified_to_the_same_bits() -> None:
    seen = set()
    for i, run in enumerate(RUNS):
        for name, epsilon, one in witnesses(i):
            witness = ArcWitness.of_dict(json.loads(json.dumps(one.plan)))
            found = certified_arc(parts(run, name), witness, np.array([epsilon])).bracket()
            assert (found.lower[0], found.upper[0]) == (one.lower, one.upper)
            seen.add((i, name))
    assert len(seen) >= 4


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


@examples(25, 1500)
@given(
    index=st.integers(0, len(RUNS) - 1), direction=st.sampled_from(["remove", "add"]), c=log_uniform(1e-3, 200.0),
    curvature=log_uniform(1e-8, 1e8), low=log_uniform(1e-4, 10.0), wide=log_uniform(1.0, 100.0),
    reach=st.floats(-1.0, 300.0), depth=st.sampled_from([0.0, 0.5, 3.0, 50.0]),
)  # fmt: skip
def test_whatever_is_chosen_nothing_false_follows(
    index: int, direction: str, c: float, curvature: float, low: float, wide: float, reach: float, depth: float
) -> None:
    law, lower, upper = known(index, direction)
    found = certified_arc(law, ArcWitness(c, curvature, low, low * wide, reach, depth), PLACES).bracket()
    assert np.all(found.lower <= upper)
    assert np.all(found.upper >= lower)


@crossed(
    ("name", ["c", "curvature", "low", "high", "reach", "depth"]),
    ("share", [0.3, 0.8, 1.1, 3.0]),
)
def test_nearly_right_witnesses_are_wide_and_true(name: str, share: float) -> None:
    seen = set()
    for way, _, one in witnesses(1):
        law, lower, upper = known(1, way)
        assert one.plan is not None
        plan = {**one.plan, name: share * one.plan[name]}
        found = certified_arc(law, ArcWitness.of_dict(plan), PLACES).bracket()
        assert np.all(found.lower <= upper)
        assert np.all(found.upper >= lower)
        seen.add(way)
    assert seen == {"remove", "add"}


@pytest.mark.parametrize(
    "change",
    [
        {"c": 0.0}, {"c": -0.5}, {"c": math.nan}, {"curvature": 0.0}, {"curvature": -1.0}, {"curvature": 1e-12},
        {"low": -1.0}, {"low": 9.0}, {"high": math.inf}, {"reach": 1e12}, {"reach": math.nan}, {"reach": -50.0},
        {"depth": -1.0}, {"c": 1e300},
    ],
)  # fmt: skip
def test_of_what_is_no_hyperbola_nothing_follows(change: dict[str, float]) -> None:
    plan = {"c": 2.0, "curvature": 3.0, "low": 0.05, "high": 3.0, "reach": 6.0, "depth": 0.0}
    law = parts(RUNS[4], "remove")
    sane = certified_arc(law, ArcWitness.of_dict(plan), PLACES).bracket()
    assert np.any(sane.lower > 0.0)
    found = certified_arc(law, ArcWitness.of_dict({**plan, **change}), PLACES).bracket()
    assert np.all((found.lower == 0.0) & (found.upper == 1.0))


def test_above_the_largest_loss_a_hyperbola_says_nothing() -> None:
    """There its integrand grows along it: delta <= 1, delta >= 1 followed."""
    law = parts(RUNS[3], "add")
    witness = ArcWitness(3.723521587085565, 0.12018760850896924, 0.00333, 0.3, 1.55, 1.56e18)
    found = certified_arc(law, witness, np.array([0.1, 1.1, 1.2, 5.0, 12.0])).bracket()
    assert law.largest_loss < 1.2
    assert found.lower[0] > 0.0
    assert np.all((found.lower[2:] == 0.0) & (found.upper[2:] == 1.0))


@pytest.mark.parametrize(
    ("run", "mu", "witness"),
    [
        (
            ny.DPSGD(0.3159928278505181, 0.002149067986662206, 2), 2.0744635239560805e-06,
            ArcWitness(569.2509459212758, 4.061957705004955e-07, 0.00277764, 0.00332588, 1.6, 683.601135105531),
        ),
        (
            ny.DPSGD(0.3159928278505181, 0.002149067986662206, 2), 1e-9,
            ArcWitness(569.2509459212758, 4.061957705004955e-07, 0.00277764, 0.00332588, 1.6, 683.601135105531),
        ),
    ],
)  # fmt: skip
def test_beside_a_gaussian_too(run: ny.Mechanism, mu: float, witness: ArcWitness) -> None:
    """Its loss has no end, that of the sampled steps has: above, 2e173 +- 7e171 stood for 2e-323."""
    law = Parts(parts(run, "add").gaussians, mu, "add")
    end = parts(run, "add").largest_loss
    found = certified_arc(law, witness, np.array([0.5, 1.01, 2.0, 4.0]) * end).bracket()
    assert found.lower[0] > 0.0
    assert np.all(found.lower[1:] == 0.0)


def test_sampled_steps_beside_next_to_nothing_end_where_they_end() -> None:
    """delta("add") at 6 times the largest loss of the sampled steps was said to be 4.6e-31 at least."""
    sigma, rate = 0.32253091679429524, 0.010063411850674043
    run = ny.DPSGD(sigma, rate, 3) * ny.Gaussian(1.0 / 1.1229131222187236e-06)
    at = -3.0 * math.log1p(-rate) * np.array([0.05, 0.236, 0.422, 0.608, 0.794, 0.98, 1.2, 2.0, 4.0, 6.0, 9.0, 13.0])
    found = ny.account(run, "add").sides.forward.bracket(at)
    assert np.all(found.lower[:5] > 0.0)
    assert np.all(found.lower[6:] == 0.0)


@pytest.mark.parametrize("index", range(len(RUNS)))
def test_edges_bound_whole_pieces(index: int) -> None:
    """The lesser of two convex bounds is none: what is said of a piece bounds one of the two everywhere on it."""
    law = parts(RUNS[index], "remove")
    steps = Steps.along(law, 3.0, 0.0)
    rng = np.random.default_rng(index)
    for _ in range(6):
        shape = Shape(float(rng.uniform(1.1, 2.5)), float(np.exp(rng.uniform(-2.0, 3.0))))
        angle = float(rng.uniform(0.0, 0.9)) * steps.sector
        edge = Edge.along(steps, shape, angle, False, np.array([-0.1]), np.array([-60.0]))
        pieces = len(edge.real)
        share = np.linspace(0.0, 1.0, 9)
        u = 0.3 * (np.arange(pieces)[:, None] + share)
        w = shape.at(u.ravel(), angle)
        each = np.stack([steps.log_bounds(w, rotated) for rotated in (True, False)]).reshape(2, *u.shape)
        each[1][np.imag(w.reshape(u.shape)) >= 4.0 * np.abs(np.real(w.reshape(u.shape))) + 1.0] = math.inf
        most = np.min(np.max(each, axis=2), axis=0)
        assert np.all(most <= edge.log_bound.max(axis=1) + 1e-9 * (1.0 + np.abs(most)))
