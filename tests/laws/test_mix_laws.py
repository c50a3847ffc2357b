"""Laws that hold of every mix of every kind of mechanism, judged by brackets: a wide one never breaks a law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples

TOLERANCE = 0.5
BOTH = ("remove", "add")
EPS = np.concatenate([-np.array([4.0, 1.5, 0.4, 0.03]), [0.0], np.array([0.01, 0.1, 0.4, 1.0, 2.2, 5.0, 12.0])])
ROUNDING = 1.0 + 1e-12  # of the comparisons, and of parameters that have no exact float64

few = examples(2, 200)


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


RATES = log_uniform(1e-3, 0.95)
EPSILONS = st.floats(0.02, 3.0)
MASSES = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any).map(lambda w: [x / sum(w) for x in w])
TABLES = st.builds(ny.Tabulated, MASSES, MASSES)
NOISE = st.one_of(
    st.builds(ny.Gaussian, log_uniform(0.5, 30.0)),
    st.builds(ny.Laplace, log_uniform(0.3, 30.0)),
    st.builds(ny.DiscreteGaussian, log_uniform(0.4, 30.0), st.integers(1, 3)),
    st.builds(ny.DiscreteLaplace, log_uniform(0.3, 30.0), st.integers(1, 3)),
)
BLACK_BOXES = st.one_of(
    st.builds(ny.RandomizedResponse, EPSILONS, st.integers(2, 6)),
    st.builds(ny.PureMechanism, EPSILONS),
    st.builds(ny.ApproximateMechanism, EPSILONS, log_uniform(1e-9, 0.3)),
    TABLES,
)
SINGLES = st.one_of(NOISE, BLACK_BOXES)
STEPS = st.one_of(SINGLES, st.builds(ny.Mechanism.poisson, SINGLES, RATES))
RUNS = st.builds(ny.DPSGD, log_uniform(0.7, 20.0), log_uniform(1e-3, 0.5), st.integers(50, 2000))
PARTS = st.one_of(st.builds(lambda m, n: m**n, STEPS, st.sampled_from([1, 1, 2, 7])), RUNS)
MIXES = st.lists(PARTS, min_size=1, max_size=3)
REPLACEABLE = st.one_of(NOISE, st.builds(ny.Mechanism.poisson, NOISE, RATES), BLACK_BOXES, RUNS)


def bracket(m: ny.Mechanism, adjacency: str = "add_or_remove", at: Any = EPS) -> tuple[np.ndarray, np.ndarray]:
    """delta at every ``at`` from below and from above."""
    g = ny.account(m, adjacency=adjacency, tolerance=TOLERANCE)
    at = np.asarray(at, dtype=np.float64)
    lower = g.optimistic.delta(at)
    try:
        upper = g.delta(at)
    except ny.NotCertified:  # wider than even this tolerance: as it is, it holds
        upper = g.sides.bracket(at).upper
    assert np.all((lower >= 0.0) & (lower <= upper) & (upper <= 1.0))
    return lower, upper


def never_above(better: ny.Mechanism, worse: ny.Mechanism, adjacency: str = "add_or_remove", at: Any = EPS) -> None:
    lower, upper = bracket(better, adjacency, at)[0], bracket(worse, adjacency, at)[1]
    assert np.all(lower <= upper * ROUNDING + 1e-300), (better, worse, adjacency)


def same(one: ny.Mechanism, other: ny.Mechanism, adjacency: str = "add_or_remove") -> None:
    never_above(one, other, adjacency)
    never_above(other, one, adjacency)


@few
@given(MIXES)
def test_order_does_not_matter(mix: list[ny.Mechanism]) -> None:
    forward, backward = ny.compose(mix), ny.compose(mix[::-1])
    assert forward == backward
    assert hash(forward) == hash(backward)
    for one, other in zip(bracket(forward), bracket(backward), strict=True):
        assert np.array_equal(one, other)


@few
@given(MIXES)
def test_delta_falls_and_is_convex(mix: list[ny.Mechanism]) -> None:
    for adjacency in (*BOTH, "add_or_remove"):
        lower, upper = bracket(ny.compose(mix), adjacency)
        assert np.all(lower[1:] <= upper[:-1])
        x = np.exp(EPS)
        weight = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
        assert np.all(lower[1:-1] <= ((1.0 - weight) * upper[:-2] + weight * upper[2:]) * ROUNDING)
        assert np.all(upper >= -np.expm1(np.minimum(EPS, 0.0)))  # no test does worse than not looking


@few
@given(MIXES)
def test_reversal(mix: list[ny.Mechanism]) -> None:
    """delta_add(e) = 1 - e^e + e^e delta_remove(-e)."""
    m = ny.compose(mix)
    (lower, upper), (back_lower, back_upper) = bracket(m, "add"), bracket(m, "remove", -EPS)
    room = 1e-13 * (1.0 + np.exp(EPS))  # of the difference below
    assert np.all(lower <= -np.expm1(EPS) + np.exp(EPS) * back_upper + room)
    assert np.all(upper >= -np.expm1(EPS) + np.exp(EPS) * back_lower - room)


@few
@given(MIXES)
def test_one_direction_is_never_above_both(mix: list[ny.Mechanism]) -> None:
    m = ny.compose(mix)
    lower, upper = bracket(m)
    sides = [bracket(m, adjacency) for adjacency in BOTH]
    for side, _ in sides:
        assert np.all(side <= upper)
    assert np.all(lower <= np.maximum(sides[0][1], sides[1][1]))


@few
@given(MIXES, PARTS, st.sampled_from([*BOTH, "add_or_remove"]))
def test_a_further_step_never_helps(mix: list[ny.Mechanism], step: ny.Mechanism, adjacency: str) -> None:
    m = ny.compose(mix)
    never_above(m, m * step, adjacency)
    never_above(step, m * step, adjacency)
    never_above(m, m**2, adjacency)


@few
@given(MIXES, SINGLES, RATES, RATES, st.sampled_from([*BOTH, "add_or_remove"]))
def test_sampling_never_hurts(mix: list[ny.Mechanism], m: ny.Mechanism, q: float, r: float, adjacency: str) -> None:
    rare, often = m.poisson(min(q, r)), m.poisson(max(q, r))
    never_above(rare, often, adjacency)
    never_above(often, m, adjacency)
    beside = ny.compose(mix)
    never_above(rare * beside, often * beside, adjacency)
    never_above(often**2 * beside, m**2 * beside, adjacency)


@few
@given(TABLES, RATES, st.sampled_from([1, 2, 5]), st.sampled_from([*BOTH, "add_or_remove"]))
def test_what_tells_less_is_no_worse(m: Any, q: float, times: int, adjacency: str) -> None:
    """Two outcomes reported as one: a post-processing."""
    merged = ny.Tabulated((m.p[0] + m.p[1], *m.p[2:]), (m.q[0] + m.q[1], *m.q[2:]))
    never_above(merged**times, m**times, adjacency)
    never_above(merged.poisson(q) ** times, m.poisson(q) ** times, adjacency)
    noise = ny.Gaussian(3.0)
    never_above(merged * noise, m * noise, adjacency)


@few
@given(MIXES, BLACK_BOXES)
def test_a_sample_of_a_table_is_a_table(mix: list[ny.Mechanism], m: ny.Mechanism) -> None:
    """Whatever is written down as a list of outcomes has the numbers of that list, also sampled and among others."""
    if isinstance(m, ny.Tabulated):
        p, q = m.p, m.q
    elif isinstance(m, ny.RandomizedResponse):
        e = math.exp(m.epsilon)
        p = tuple(x / (e + m.k - 1) for x in (e, *[1.0] * (m.k - 1)))
        q = (p[1], p[0], *p[2:])
    else:
        d, e = getattr(m, "delta", 0.0), math.exp(m.epsilon)  # type: ignore[attr-defined]
        p = (d, 0.0, (1.0 - d) * e / (1.0 + e), (1.0 - d) / (1.0 + e))
        q = (p[1], p[0], p[3], p[2])
    rate = 0.25
    listed = ny.Tabulated([(1.0 - rate) * b + rate * a for a, b in zip(p, q, strict=True)], q)
    for adjacency in BOTH:
        same(ny.Tabulated(p, q) ** 3, m**3, adjacency)
        same(listed**3, m.poisson(rate) ** 3, adjacency)
    same(listed * ny.compose(mix), m.poisson(rate) * ny.compose(mix))


# ------------------------------------------------------------------------------------------- what is known exactly


@few
@given(EPSILONS, log_uniform(1e-12, 0.5), st.integers(1, 1000))
def test_disclosed_mass_composes_exactly(epsilon: float, d: float, times: int) -> None:
    for far in (epsilon * times + 1.0, 1e4):
        lower, upper = bracket(ny.ApproximateMechanism(epsilon, d) ** times, at=[far])
        exact = -math.expm1(times * math.log1p(-d))
        assert lower[0] <= exact * ROUNDING
        assert upper[0] * ROUNDING >= exact
        assert upper[0] - lower[0] <= 1e-12 * exact


@few
@given(EPSILONS, st.integers(2, 6), st.integers(1, 3), st.sampled_from([1, 2, 6]), RATES)
def test_the_pure_mechanism_is_the_worst(epsilon: float, k: int, shift: int, times: int, rate: float) -> None:
    worst = ny.PureMechanism(epsilon * (1.0 + 1e-15))  # not below shift / scale, as scale is rounded
    for m in (
        ny.RandomizedResponse(epsilon, k),
        ny.Laplace(1.0 / epsilon),
        ny.DiscreteLaplace(shift / epsilon, shift),
    ):
        never_above(m**times, worst**times)
        never_above(m.poisson(rate) ** times, worst.poisson(rate) ** times)
    same(ny.DiscreteLaplace(1.0 / epsilon) ** times, ny.PureMechanism(epsilon) ** times)  # only two losses


@few
@given(TABLES, EPSILONS, st.sampled_from([1, 2, 6]))
def test_the_approximate_mechanism_is_the_worst(m: ny.Mechanism, epsilon: float, times: int) -> None:
    at = ny.account(m, tolerance=TOLERANCE).delta(epsilon)
    if at < 1.0:
        never_above(m**times, ny.ApproximateMechanism(epsilon, at) ** times)


@few
@given(log_uniform(5.0, 100.0), st.integers(1, 5), st.sampled_from([1, 4, 20]))
def test_a_wide_discrete_gaussian_is_nearly_the_gaussian(sigma: float, shift: int, times: int) -> None:
    discrete = bracket(ny.DiscreteGaussian(sigma, shift) ** times)
    smooth = bracket(ny.Gaussian(sigma, float(shift)) ** times)
    assert np.all(np.abs(discrete[1] - smooth[1]) <= 1e-3)
    assert np.all(np.abs(discrete[0] - smooth[0]) <= 1e-3)


# ------------------------------------------------------------------------------------------- one record exchanged


@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.parametrize(
    ("m", "twice"),
    [
        (ny.Gaussian(1.7), ny.Gaussian(1.7, 2.0)),
        (ny.Laplace(0.8), ny.Laplace(0.8, 2.0)),
        (ny.Laplace(5.3), ny.Laplace(5.3, 2.0)),
        (ny.DiscreteGaussian(1.7, 3), ny.DiscreteGaussian(1.7, 6)),
        (ny.DiscreteLaplace(0.9, 2), ny.DiscreteLaplace(0.9, 4)),
    ],
    ids=lambda m: repr(m),
)
def test_an_exchanged_record_moves_unsampled_noise_twice_as_far(
    m: ny.Mechanism, twice: ny.Mechanism, times: int
) -> None:
    exchanged, moved = bracket(m**times, "replace"), bracket(twice**times)
    assert np.all(exchanged[0] <= moved[1])
    assert np.all(moved[0] <= exchanged[1])
    assert np.allclose(exchanged[1], moved[1], rtol=1e-9, atol=0.0)


@few
@given(NOISE, st.sampled_from([1, 3]))
def test_a_record_that_is_nearly_always_there(m: ny.Mechanism, times: int) -> None:
    """With rate 1 - r each law of a step moves by r (1 + e^eps) in the divergence at most."""
    missing = 1e-9
    sampled, whole = (bracket(k**times, "replace") for k in (m.poisson(1.0 - missing), m))
    room = 2.0 * times * missing * (1.0 + np.exp(EPS))
    assert np.all(sampled[0] <= whole[1] + room)
    assert np.all(whole[0] <= sampled[1] + room)


@few
@given(st.lists(st.tuples(REPLACEABLE, st.sampled_from([1, 2])), min_size=1, max_size=3))
def test_exchanging_a_record_is_no_better_than_losing_it(parts: list[tuple[ny.Mechanism, int]]) -> None:
    """With u the shift of one record and v of the other, v = 0 is a record that is not there (see PoissonSampled)."""
    m = ny.compose(k**n for k, n in parts)
    replaced = bracket(m, "replace")[1]
    for adjacency in (*BOTH, "add_or_remove"):
        assert np.all(bracket(m, adjacency)[0] <= replaced * ROUNDING)


@few
@given(NOISE, RATES, RATES, st.sampled_from([1, 3]))
def test_sampling_never_hurts_an_exchanged_record(m: ny.Mechanism, q: float, r: float, times: int) -> None:
    rare, often = m.poisson(min(q, r)) ** times, m.poisson(max(q, r)) ** times
    never_above(rare, often, "replace")
    never_above(often, m**times, "replace")
    never_above(rare, rare * ny.Gaussian(9.0), "replace")


@few
@given(st.lists(REPLACEABLE, min_size=1, max_size=3))
def test_an_exchange_is_its_own_reversal(parts: list[ny.Mechanism]) -> None:
    """delta(e) = 1 - e^e + e^e delta(-e), but of tables, whose pair is taken in both directions."""
    m = ny.compose(parts)
    (lower, upper), (back_lower, back_upper) = bracket(m, "replace"), bracket(m, "replace", -EPS)
    room = 1e-13 * (1.0 + np.exp(EPS))
    assert np.all(lower <= -np.expm1(EPS) + np.exp(EPS) * back_upper + room)
    assert np.all(upper >= -np.expm1(EPS) + np.exp(EPS) * back_lower - room)
