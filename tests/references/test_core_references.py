"""Laplace, randomised response and discrete noise, composed, mixed and sampled: never on the wrong side, sharp enough.

The values are those of ``reference/data`` and of ``reference/exact.py``, which shares nothing with the package.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from tests.effort import rest_slow
from tests.reference import closed, exact

DATA = Path(__file__).parents[1] / "reference" / "data"
ROUNDED = 1e-12  # what binary64 parameters in place of the decimals may move a value by
WIDTH, FAR_WIDTH = 1e-6, 1e-4
TOLD, FAR_TOLD = 1e-15, 1e-30  # down to where a bracket must be that narrow

RR, Lap, DG, DL = ny.RandomizedResponse, ny.Laplace, ny.DiscreteGaussian, ny.DiscreteLaplace
Approximate, Tabulated = ny.ApproximateMechanism, ny.Tabulated
Case = dict[str, Any]
Truth = Callable[[float], float]
Both = tuple[Truth, Truth]


def load(name: str) -> list[Case]:
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


def build(case: Case) -> ny.Mechanism:
    if "b" in case:
        return Lap(float(case["b"])) ** case["T"]
    if "sigma" in case:
        return DG(float(case["sigma"]), case["sensitivity"]) ** case["T"]
    return Approximate(float(case["eps0"]), float(case["delta0"])) ** case["T"]  # with delta0 = 0, randomised response


def truth(case: Case) -> Callable[[str | float], float]:
    """The exact profile of a case of the files, from ``exact``."""
    times = case["T"]
    if "b" in case:
        return lambda e: exact.floated(exact.laplace_delta([case["b"]] * times, e))
    if "sigma" in case:
        law = exact.discrete_gaussian_power(case["sigma"], times)
    else:
        law = exact.compose((exact.approximate(case["eps0"], case["delta0"]), times))
    return lambda e: exact.floated(exact.delta(law, e))


@cache
def guarantee(mechanism: ny.Mechanism, adjacency: str = "add_or_remove", tolerance: float = WIDTH) -> ny.Guarantee:
    return ny.account(mechanism, adjacency=adjacency, tolerance=tolerance)


def bracket(g: ny.Guarantee, e: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds, those of a refusal included."""
    upper = []
    for one in e:
        try:
            upper.append(g.delta(one))
        except ny.NotCertified as refusal:
            upper.append(refusal.upper)
    return g.optimistic.delta(e), np.array(upper)


def encloses(lower: np.ndarray, upper: np.ndarray, value: np.ndarray) -> None:
    assert np.all(lower <= value * (1.0 + ROUNDED))
    assert np.all(upper >= value * (1.0 - ROUNDED))


def sharp(lower: np.ndarray, upper: np.ndarray, value: np.ndarray) -> None:
    encloses(lower, upper, value)
    width = upper - lower
    assert np.all(width[value >= TOLD] <= WIDTH * value[value >= TOLD])
    assert np.all(width[value >= FAR_TOLD] <= FAR_WIDTH * value[value >= FAR_TOLD])
    # beyond the end of the support the bound may be the least positive float, or what is left of a cut table
    assert np.all(upper[value == 0.0] <= 1e-290)


def check(g: ny.Guarantee, e: Sequence[float], value: Truth) -> None:
    """All at once, which must not be refused; the truth lies between, closely."""
    points = np.array(e, dtype=float)
    upper = g.delta(points)
    sharp(g.optimistic.delta(points), upper, np.array([value(one) for one in e]))


# the files

CORE = [case for name in ("laplace", "randomized_response", "discrete_gaussian") for case in load(name)]
NAMES = [f"{build(case)!r}" for case in CORE]
EVERY = pytest.mark.parametrize("case", CORE, ids=NAMES)
DEAR = "Laplace(scale=2.0, sensitivity=1.0) ** 10"  # in the slow run; in every run it has a twin of scale 1
MOST = pytest.mark.parametrize("case", rest_slow(CORE, *(i for i, name in enumerate(NAMES) if name != DEAR)), ids=NAMES)


def columns(points: Iterable[dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    listed = [(float(p["eps"]), float(p["delta"])) for p in points]
    return np.array([e for e, _ in listed]), np.array([d for _, d in listed])


def test_the_files_are_whole() -> None:
    assert len(CORE) == 4 + 4 + 5
    assert sum(len(case["points"]) for case in CORE) == 38 + 46 + 93
    assert all(p["direction"] == "both" for case in CORE for p in case["points"])


@EVERY
def test_the_evaluators_reproduce_the_files(case: Case) -> None:
    value = truth(case)
    for p in case["points"]:
        assert value(p["eps"]) == pytest.approx(float(p["delta"]), rel=1e-15, abs=0.0)


@MOST
@pytest.mark.parametrize("adjacency", ["add_or_remove", "add"])
def test_delta(case: Case, adjacency: str) -> None:
    mechanism = build(case)
    if adjacency == "add" and "b" in case and case["T"] > 1:
        adjacency, mechanism = "replace", Lap(2.0 * float(case["b"])) ** case["T"]  # moved twice as far
    g = guarantee(mechanism, adjacency)
    e, value = columns(case["points"])
    upper, lower = g.delta(e), g.optimistic.delta(e)
    sharp(lower, upper, value)
    assert np.all(upper[value == 0.0] == 0.0)


@EVERY
def test_delta_one_at_a_time(case: Case) -> None:
    g = ny.account(build(case))
    for p in case["points"][::5]:
        e, value = float(p["eps"]), float(p["delta"])
        assert value * (1.0 - ROUNDED) <= g.delta(e) <= value * (1.0 + WIDTH)
        assert g.optimistic.delta(e) <= value * (1.0 + ROUNDED)


@MOST
def test_delta_between_and_beyond_the_points_of_the_file(case: Case) -> None:
    """Down to 1e-30 where delta gets there gradually; near the ends of a bounded loss, on either side of 0."""
    value, g = truth(case), guarantee(build(case))
    if "sigma" in case:
        top = 1.02 * max(float(p["eps"]) for p in case["points"])
        points = [*np.linspace(0.0, top, 23), *np.linspace(-2.0 * top, 0.0, 9)]
    else:
        end = case["T"] / float(case["b"]) if "b" in case else case["T"] * float(case["eps0"])
        near = [1.0 - 2.0**-k for k in (1, 3, 5, 8, 11)]
        points = [end * f for f in (*near, -0.5, -1.0, -2.0, 1.5, 60.0)] + [-end * f for f in near]
    check(g, [float(e) for e in points], value)


@pytest.mark.parametrize("mechanism", [RR(1.0), RR(1.0) ** 10, Lap(1.0) ** 2], ids=repr)
def test_at_the_last_floats_before_the_end(mechanism: ny.Mechanism) -> None:
    """However wide the bracket, it is true: delta there is 1e-10 to 1e-17."""
    (step, times), *_ = mechanism.parts
    law = exact.compose((exact.k_ary(1), times)) if isinstance(step, RR) else None
    e = [times * (1.0 - 2.0**-k) for k in (32, 44, 52)]
    value = [exact.floated(exact.delta(law, one) if law else exact.laplace_delta([1, 1], one)) for one in e]
    assert min(value) > 0.0
    encloses(*bracket(guarantee(mechanism), e), np.array(value))


@EVERY
def test_epsilon(case: Case) -> None:
    g = guarantee(build(case))
    mass = 1.0 - (1.0 - float(case.get("delta0", 0.0))) ** case["T"]
    least = 1e-30 if "sigma" in case else max(1e-9, 2.0 * mass)
    e, value = columns(p for p in case["points"] if float(p["eps"]) > 0.0 and float(p["delta"]) > least)
    assert len(e)
    assert np.all(g.epsilon(value) >= e * (1.0 - ROUNDED))
    assert np.all(g.optimistic.epsilon(value) <= e * (1.0 + ROUNDED))
    np.testing.assert_allclose(g.epsilon(value), g.optimistic.epsilon(value), rtol=2e-5)


@EVERY
def test_bayes_error(case: Case) -> None:
    g = guarantee(build(case))
    e, value = columns(p for p in case["points"] if abs(float(p["eps"])) < 8.0)
    prior = 1.0 / (1.0 + np.exp(-e))
    error = (1.0 - value) / (1.0 + np.exp(e))
    assert np.all(g.bayes_error(prior) <= error * (1.0 + 1e-11))
    assert np.all(g.optimistic.bayes_error(prior) >= error * (1.0 - 1e-11))
    np.testing.assert_allclose(g.bayes_error(prior), g.optimistic.bayes_error(prior), rtol=1e-5)


@MOST
def test_the_curve_lies_on_the_exact_tangents(case: Case) -> None:
    g = guarantee(build(case))
    e, value = columns(p for p in case["points"] if abs(float(p["eps"])) < 30.0)
    for alpha in (1e-8, 1e-3, 0.2):
        assert g.optimistic.beta(alpha) >= np.max(1.0 - value - np.exp(e) * alpha) - 1e-12


# derived values

DERIVED = [case for case in load("derived") if case["case"]["mechanism"] in ("laplace", "randomized_response")]


@pytest.fixture(params=DERIVED, ids=[case["case"]["mechanism"] for case in DERIVED])
def derived(request: pytest.FixtureRequest) -> Case:
    return request.param


def one(derived: Case) -> ny.Guarantee:
    case = derived["case"]
    return guarantee(Lap(float(case["b"])) if "b" in case else RR(float(case["eps0"])))


def test_trade_off_curve(derived: Case) -> None:
    g = one(derived)
    rows = derived["tradeoff"]
    alpha, beta, power = (np.array([float(row[key]) for row in rows]) for key in ("alpha", "beta", "one_minus_beta"))
    assert len(alpha) == 9
    assert np.all(g.beta(alpha) <= beta * (1.0 + ROUNDED))
    assert np.all(g.optimistic.beta(alpha) >= beta * (1.0 - ROUNDED))
    np.testing.assert_allclose(g.beta(alpha), beta, rtol=WIDTH)
    np.testing.assert_allclose(g.optimistic.beta(alpha), beta, rtol=1e-5)
    assert np.all(g.roc(alpha) >= power * (1.0 - ROUNDED))
    assert np.all(g.optimistic.roc(alpha) <= power * (1.0 + ROUNDED))
    told = alpha >= 1e-4
    np.testing.assert_allclose(g.roc(alpha)[told], power[told], rtol=1e-3)


def test_mu_at_every_floor(derived: Case) -> None:
    g = one(derived)
    assert [row["alpha_min"] for row in derived["mu"]] == ["1e-6", "1e-10", "1e-20", "1e-50"]
    for row in derived["mu"]:
        mu, floor = float(row["mu"]), float(row["alpha_min"])
        assert mu * (1.0 - ROUNDED) <= g.mu(floor) <= mu * (1.0 + 1e-9)
        assert mu * (1.0 - 1e-9) <= g.optimistic.mu(floor) <= mu * (1.0 + ROUNDED)
    # bounded losses: the largest mu is at a vertex or touching point, so that the floor does not matter
    assert mu * (1.0 - ROUNDED) <= g.tail_mu <= mu * (1.0 + 1e-9)


def test_advantage_regret_and_fixed_point(derived: Case) -> None:
    g = one(derived)
    advantage = float(derived["advantage_delta0"])
    assert advantage * (1.0 - ROUNDED) <= g.advantage <= advantage * (1.0 + WIDTH)
    assert advantage * (1.0 - WIDTH) <= g.optimistic.advantage <= advantage * (1.0 + ROUNDED)
    assert g.fixed_point == pytest.approx(0.5 * (1.0 - advantage), rel=WIDTH)
    regret = float(derived["regret_vs_mu(1e-10)"]["regret"])
    assert regret - 1e-14 <= g.gdp().regret <= regret + 1e-9
    assert regret - 1e-8 <= g.optimistic.gdp().regret <= regret + 1e-14


def test_the_printed_values() -> None:
    for mechanism, mu, regret in (
        (Lap(1.0), 1.0300639976244338757, 0.037016111322),
        (RR(1.0), 1.2320353853449, 0.05754639605),
    ):
        report = guarantee(mechanism).gdp()
        assert report.mu == pytest.approx(mu, rel=1e-9)
        assert report.regret == pytest.approx(regret, abs=1e-9)


@pytest.mark.parametrize("alpha", [1e-8, 1e-4, 1e-2])
def test_mu_of_randomised_response_is_that_of_its_vertex(alpha: float) -> None:
    """-2 Phi^-1(1 / (1 + e^eps)) by the twin's own quantile."""
    epsilon = math.log(1.0 / alpha - 1.0)
    with ctx.workprec(200):
        mu = float((-2 * closed.normal_quantile(1 / (1 + arb(epsilon).exp()))).mid())
    g = guarantee(RR(epsilon))
    assert g.mu(1e-10) == pytest.approx(mu, rel=1e-9)
    assert g.optimistic.mu(1e-10) <= mu * (1.0 + ROUNDED)
    assert g.mu(1e-10) >= mu * (1.0 - ROUNDED)


# mass at infinity


@pytest.mark.parametrize(
    ("mechanism", "mass"),
    [
        (Approximate(1.0, 1e-5), 1e-5),
        (Approximate(1.0, 1e-6), 1e-6),
        (Approximate(1.0, 1e-6) ** 10, 9.99995500012e-6),
        (Approximate(0.1, 1e-12) ** 3, 2.999999999997e-12),
        (RR(0.5) * Approximate(0.25, 1e-3) ** 2, 1.999e-3),
        (Tabulated([0.9375, 0.0, 0.0625], [0.875, 0.125, 0.0]) * RR(0.5), 0.125),
    ],
    ids=repr,
)
def test_what_may_be_revealed_is_not_covered_by_any_epsilon(mechanism: ny.Mechanism, mass: float) -> None:
    g = guarantee(mechanism)
    assert g.epsilon(0.99 * mass) == math.inf
    assert g.epsilon(0.0) == math.inf
    assert g.tail_mu == math.inf
    assert mass * (1.0 - 1e-11) <= g.delta(600.0) <= mass * (1.0 + WIDTH)
    assert g.optimistic.delta(600.0) <= mass * (1.0 + 1e-11)
    assert g.epsilon(0.45) < math.inf


@pytest.mark.parametrize(
    ("mechanism", "floor", "finite"),
    [
        (Approximate(1.0, 1e-5), 1e-10, False),
        (Approximate(1.0, 1e-5), 1e-4, True),
        (Approximate(0.1, 1e-12) ** 3, 1e-10, True),
        (Approximate(0.1, 1e-12) ** 3, 2e-12, False),
        # design/numerics.md, section 4, gives 1.608 for (1, 1e-6) at the floor 1e-10, and its own rule gives inf: the
        # mass at infinity exceeds the floor. 1.608 is where the local mu stands AT the floor. The rule is tested.
        (Approximate(1.0, 1e-6), 1e-10, False),
        (Approximate(1.0, 1e-6), 1e-5, True),
        (Approximate(1.0, 1e-6) ** 10, 9e-6, False),
        (Approximate(1.0, 1e-6) ** 10, 1.1e-5, True),
    ],
    ids=repr,
)
def test_mu_is_infinite_where_the_mass_exceeds_the_floor(mechanism: ny.Mechanism, floor: float, finite: bool) -> None:
    g = guarantee(mechanism)
    assert math.isfinite(g.mu(floor)) is finite
    assert math.isfinite(g.gdp(floor).mu) is finite
    if finite:
        assert g.optimistic.mu(floor) == pytest.approx(g.mu(floor), rel=WIDTH)


def test_mu_of_an_approximate_mechanism_is_that_of_its_vertex() -> None:
    """Above the floor it is the vertex (alpha, beta) with both (1 - delta) / (1 + e^eps), as of no mass at all."""
    for epsilon, share, floor in ((1.0, 1e-6, 1e-5), (0.5, 1e-3, 1e-2)):
        with ctx.workprec(200):
            corner = (1 - arb(share)) / (1 + arb(epsilon).exp())
            mu = float((-2 * closed.normal_quantile(corner)).mid())
        g = guarantee(Approximate(epsilon, share))
        assert mu * (1.0 - ROUNDED) <= g.mu(floor) <= mu * (1.0 + 1e-9)


# the release of the 2020 US Census


def test_census_topdown() -> None:
    shares = (2.0, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3)  # percent of rho = 3.65, ten discrete Gaussians each
    m = ny.compose(DG(math.sqrt(10.0 / (2.0 * share / 100.0 * 3.65))) ** 10 for share in shares)
    g = guarantee(m)
    report = g.gdp()
    assert round(report.mu, 3) == 2.702
    assert round(g.optimistic.mu(), 3) == 2.702
    assert g.optimistic.mu() <= 2.701851 + 1e-6
    assert 2.701851 - 1e-6 <= report.mu <= 2.701851 + 1e-5
    assert report.regret < 1e-6
    assert report.floor == 1e-10


# mixes of one's own, sampled ones among them


def of(law: exact.Law) -> Both:
    """The exact profiles of "remove" and "add"."""
    back = exact.reverse(law)
    return lambda e: exact.floated(exact.delta(law, e)), lambda e: exact.floated(exact.delta(back, e))


def alike(value: Callable[[float], arb]) -> Both:
    return (lambda e: exact.floated(value(e)),) * 2


def over(law: exact.Law, rest: Callable[[arb, str], arb]) -> Both:
    """A discrete law over a profile that knows its direction."""
    back = exact.reverse(law)
    return (
        lambda e: exact.floated(exact.mixed_delta(law, lambda x: rest(x, "remove"), e)),
        lambda e: exact.floated(exact.mixed_delta(back, lambda x: rest(x, "add"), e)),
    )


LISTED = [0.5, 0.25, 0.1875, 0.0625, 0.0], [0.25, 0.5, 0.125, 0.0, 0.125]
ONLY_P, ONLY_Q = ([0.5, 0.25, 0.25], [0.75, 0.25, 0.0]), ([0.75, 0.25, 0.0], [0.5, 0.25, 0.25])
TWELVE = [0.1 * i for i in range(1, 13)]
WIDE, NARROW = (-2.0, -0.25, 0.0, 0.3, 1.0, 2.5, 4.0), (-1.0, -0.1, 0.0, 0.05, 0.1, 0.3, 0.5)

DISCRETE: list[Any] = [
    pytest.param(mechanism, exact.compose(*parts), points, id=f"{mechanism!r}"[:80])
    for mechanism, parts, points in (
        (ny.compose(RR(e) for e in TWELVE), [(exact.k_ary(e), 1) for e in TWELVE], (*WIDE, 6.0, 7.0, 7.75)),
        (RR(0.3) ** 4 * RR(0.7, k=5) ** 3, [(exact.k_ary(0.3), 4), (exact.k_ary(0.7, 5), 3)], (*WIDE, 2.0, 3.25)),
        (DL(2.0, 3) ** 2 * RR(0.5), [(exact.discrete_laplace(2.0, 3), 2), (exact.k_ary(0.5), 1)], (*WIDE, 3.375)),
        (Tabulated(*LISTED) ** 2, [(exact.tabulated(*LISTED), 2)], WIDE),
        (Tabulated(*LISTED) * RR(0.5) ** 2, [(exact.tabulated(*LISTED), 1), (exact.k_ary(0.5), 2)], WIDE),
        (Tabulated(*ONLY_P) ** 3, [(exact.tabulated(*ONLY_P), 3)], WIDE),
        (Tabulated(*ONLY_Q) ** 3, [(exact.tabulated(*ONLY_Q), 3)], (*WIDE, 1.2)),
        (
            Tabulated(*LISTED).poisson(0.25) ** 2,
            [(exact.sampled(exact.tabulated(*LISTED), 0.25), 2)],
            (*WIDE, -0.05, 0.05),
        ),
        (
            DG(2.1) * DG(3.3) ** 2,
            [(exact.discrete_gaussian(2.1), 1), (exact.discrete_gaussian_power(3.3, 2), 1)],
            (*WIDE, 6.0, 7.5),
        ),
        (DG(2.0, 3), [(exact.discrete_gaussian(2.0, 3), 1)], (*WIDE, 8.0, 12.0)),
        (RR(1.0).poisson(0.2) ** 4, [(exact.sampled(exact.k_ary(1.0), 0.2), 4)], (*NARROW, 0.75)),
        (RR(1.0, k=4).poisson(0.2) ** 4, [(exact.sampled(exact.k_ary(1.0, 4), 0.2), 4)], (*NARROW, 0.75)),
        (
            Approximate(0.5, 1e-6).poisson(0.125),
            [(exact.sampled(exact.approximate(0.5, 1e-6), 0.125), 1)],
            (*WIDE, 0.07, 0.1),
        ),
        (
            Approximate(0.5, 1e-6).poisson(0.125) ** 3,
            [(exact.sampled(exact.approximate(0.5, 1e-6), 0.125), 3)],
            (*WIDE, *NARROW),
        ),
        (
            DL(2.0, 2).poisson(0.25) ** 2 * RR(0.25),
            [(exact.discrete_laplace(2.0, 2, 0.25), 2), (exact.k_ary(0.25), 1)],
            (*NARROW, 0.7),
        ),
        (DG(1.5).poisson(0.125), [(exact.discrete_gaussian(1.5, 1, 0.125), 1)], (*WIDE, *NARROW)),
    )
]


@pytest.mark.parametrize("direction", rest_slow(["remove", "add", "add_or_remove"], "remove", "add"))
@pytest.mark.parametrize(("mechanism", "law", "points"), DISCRETE)
def test_discrete_mixes(mechanism: ny.Mechanism, law: exact.Law, points: Sequence[float], direction: str) -> None:
    remove, add = of(law)
    value = {"remove": remove, "add": add, "add_or_remove": lambda e: max(remove(e), add(e))}[direction]
    check(guarantee(mechanism, direction), points, value)


THREE = exact.k_ary(0.5, 3)
PAIRS = exact.tabulated(*LISTED)
CONTINUOUS: list[Any] = [
    pytest.param(mechanism, both, points, id=f"{mechanism!r}")
    for mechanism, both, points in (
        (
            Lap(1.0) * Lap(0.7) ** 2 * Lap(1.3),
            alike(lambda e: exact.laplace_delta([1.0, 0.7, 0.7, 1.3], e)),
            (*WIDE, 4.5, 4.6),
        ),
        (Lap(1.0) ** 2, alike(lambda e: exact.laplace_delta([1, 1], e)), (-1.0, 0.0, 0.5, 1.0, 1.9, 1.99, 1.999)),
        (Lap(1.0) ** 3, alike(lambda e: exact.laplace_delta([1, 1, 1], e)), (-1.0, 0.0, 0.5, 1.0, 1.9, 2.99)),
        *(
            (
                Lap(1.0).poisson(rate),
                tuple(
                    lambda e, d=d, q=rate: exact.floated(exact.sampled_laplace_delta(1.0, q, e, d))
                    for d in ("remove", "add")
                ),
                (*NARROW, 0.15, 0.16, 0.9, 2.0),
            )
            for rate in (0.1, 0.9)
        ),
        (
            Lap(2.0) ** 2 * DG(2.0),
            over(exact.discrete_gaussian(2.0), lambda x, _: exact.laplace_delta([2.0, 2.0], x)),
            (*WIDE, 5.25),
        ),
        (
            Lap(1.0).poisson(0.25) * RR(0.5, k=3),
            over(THREE, lambda x, d: exact.sampled_laplace_delta(1.0, 0.25, x, d)),
            (*NARROW, 0.625, 0.75),
        ),
        (
            ny.Gaussian(2.0) * Tabulated(*LISTED),
            over(PAIRS, lambda x, _: closed.gaussian_delta(0.5, x)),
            WIDE,
        ),
        (
            ny.Gaussian(2.0).poisson(0.25) * RR(0.5, k=3),
            over(THREE, lambda x, d: exact.sampled_one_step(lambda y: closed.gaussian_delta(0.5, y), 0.25, x, d)),
            (*NARROW, 0.7, 1.0),
        ),
    )
]


@pytest.mark.parametrize("direction", rest_slow(["remove", "add", "add_or_remove"], "remove", "add"))
@pytest.mark.parametrize(("mechanism", "both", "points"), CONTINUOUS)
def test_mixes_with_continuous_noise(
    mechanism: ny.Mechanism, both: Both, points: Sequence[float], direction: str
) -> None:
    remove, add = both
    if remove is add and direction == "add":
        g = guarantee(mechanism)
        assert g.delta(points[0]) == ny.account(mechanism, adjacency="add").delta(points[0])
        return
    value = {"remove": remove, "add": add, "add_or_remove": lambda e: max(remove(e), add(e))}[direction]
    check(guarantee(mechanism, direction), points, value)


REPLACED = (-1.0, 0.0, 0.1, 0.3, 1.0, 1.5, 3.0)


@pytest.mark.parametrize(
    ("mechanism", "value"),
    [
        *((Lap(b).poisson(q), alike(lambda e, b=b, q=q: exact.replaced_laplace_delta(b, q, e))[0])
          for b, q in ((1.0, 0.1), (0.5, 0.5))),
        *((ny.Gaussian(s).poisson(q), alike(lambda e, s=s, q=q: exact.replaced_gaussian_delta(s, q, e))[0])
          for s, q in ((1.0, 0.1), (2.0, 0.5))),
        *((DG(s).poisson(q), of(exact.discrete_gaussian(s, 1, q, two_sided=True))[0])
          for s, q in ((1.0, 0.1), (2.0, 0.5))),
        (DL(2.0, 2).poisson(0.25), of(exact.discrete_laplace(2.0, 2, 0.25, two_sided=True))[0]),
        (
            DL(2.0, 2).poisson(0.25) ** 2,
            of(exact.compose((exact.discrete_laplace(2.0, 2, 0.25, two_sided=True), 2)))[0],
        ),
        (DG(2.0, 2), of(exact.discrete_gaussian(2.0, 4))[0]),
        (DL(2.0, 2) ** 2, of(exact.compose((exact.discrete_laplace(2.0, 4), 2)))[0]),
        (Lap(2.0) ** 2, alike(lambda e: exact.laplace_delta([1, 1], e))[0]),
    ],
    ids=lambda x: f"{x!r}" if isinstance(x, ny.Mechanism) else "",
)  # fmt: skip
def test_one_record_exchanged(mechanism: ny.Mechanism, value: Truth) -> None:
    check(guarantee(mechanism, "replace"), REPLACED, value)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_several_sampled_discrete_gaussians_are_enclosed(direction: str) -> None:
    """On no lattice: a weak spot of the engines, so only the enclosure is asked for."""
    law = exact.compose((exact.discrete_gaussian(1.5, 1, 0.125), 2))
    value = of(law)[direction == "add"]
    g = guarantee(DG(1.5).poisson(0.125) ** 2, direction, 1e-2)
    encloses(*bracket(g, WIDE), np.array([value(e) for e in WIDE]))


def _drawn(rng: random.Random) -> tuple[ny.Mechanism, list[tuple[exact.Law, int]]]:
    """Two or three discrete steps of any kinds, sampled or not, with few outcomes in all."""
    parts: list[tuple[exact.Law, int]] = []
    mechanism = ny.compose([])
    for _ in range(rng.randint(2, 3)):
        eps, times = rng.choice([0.05, 0.1, 0.25, 0.7, 1.1, 2.0]), rng.randint(1, 3)
        k, shift = rng.choice([2, 2, 3, 10]), rng.randint(1, 3)
        share, scale = rng.choice([1e-8, 1e-4, 0.03125]), rng.choice([0.5, 1.0, 1.7, 4.0])
        p, q = rng.choice([LISTED, ONLY_P, ONLY_Q])
        step, law = rng.choice([
            (RR(eps, k=k), exact.k_ary(eps, k)),
            (Approximate(eps, share), exact.approximate(eps, share)),
            (Tabulated(p, q), exact.tabulated(p, q)),
            (DL(scale, shift), exact.discrete_laplace(scale, shift)),
        ])  # fmt: skip
        if rng.random() < 0.4:
            rate = rng.choice([0.01, 0.25, 0.5, 0.875])
            step, law = step.poisson(rate), exact.sampled(law, rate)
        mechanism, parts = mechanism * step**times, [*parts, (law, times)]
    return mechanism, parts


@pytest.mark.parametrize("seed", rest_slow(range(40), *range(12)))
def test_drawn_mixes(seed: int) -> None:
    rng = random.Random(seed)
    mechanism, parts = _drawn(rng)
    law = exact.compose(*parts)
    remove, add = of(law)
    points = [0.0, *(rng.uniform(-3.0, 3.0) for _ in range(3)), rng.uniform(-0.1, 0.1)]
    check(guarantee(mechanism, "remove"), points, remove)
    check(guarantee(mechanism, "add"), points, add)
    check(guarantee(mechanism), points, lambda e: max(remove(e), add(e)))


# the evaluators against each other


def test_two_laplace_steps_by_quadrature() -> None:
    """E_P delta_1(eps - L) with the law of L: two atoms and a density between."""
    with mpmath.workdps(40):
        first, second = 1 / mpmath.mpf(1.0), 1 / mpmath.mpf(0.7)

        def alone(e: Any) -> Any:
            if e >= second:
                return mpmath.mpf(0)
            return 1 - mpmath.exp((e - second) / 2) if e >= -second else 1 - mpmath.exp(e)

        for e in (-1.0, 0.0, 0.75, 1.5, 2.4):
            kinks = sorted({min(max(x, -first), first) for x in (-first, first, e - second, e + second)})
            smooth = mpmath.quad(lambda x, e=e: mpmath.exp((x - first) / 2) / 4 * alone(e - x), kinks)
            value = smooth + alone(e - first) / 2 + mpmath.exp(-first) / 2 * alone(e + first)
            assert float(value) == pytest.approx(exact.floated(exact.laplace_delta([1.0, 0.7], e)), rel=1e-14)


@pytest.mark.parametrize("e", [-0.5, 0.0, 0.05, 0.2])
def test_exchanged_records_by_quadrature(e: float) -> None:
    """The definition, integral of (p - e^eps q)_+."""
    rate, x = 0.25, np.linspace(-40.0, 40.0, 800_001)
    for shape, value in (
        (np.exp(-np.abs(x) / 2.0) / 4.0, exact.replaced_laplace_delta(2.0, rate, e)),
        (np.exp(-(x**2) / 8.0) / math.sqrt(8.0 * math.pi), exact.replaced_gaussian_delta(2.0, rate, e)),
    ):
        step = 10_000  # the sensitivity in cells
        p = (1.0 - rate) * shape[step:-step] + rate * shape[: -2 * step]
        q = (1.0 - rate) * shape[step:-step] + rate * shape[2 * step :]
        whole = np.trapezoid(np.maximum(p - math.exp(e) * q, 0.0), x[step:-step])
        assert whole == pytest.approx(exact.floated(value), rel=1e-6)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_one_sampled_step_by_either_road(direction: str) -> None:
    law = exact.discrete_gaussian(1.5)
    mixed = exact.discrete_gaussian(1.5, 1, 0.125)
    listed = exact.sampled(law, 0.125)
    for e in NARROW:
        value = exact.floated(exact.sampled_one_step(lambda x: exact.delta(law, x), 0.125, e, direction))
        for other in (mixed, listed):
            one = other if direction == "remove" else exact.reverse(other)
            assert exact.floated(exact.delta(one, e)) == pytest.approx(value, rel=1e-14, abs=1e-60)


def test_discrete_laplace_is_what_its_outcomes_are() -> None:
    far, ratio = 200, math.exp(-1.0 / 2.0)
    x = np.arange(-far, far + 1)
    p, q = (ratio ** np.abs(x - m) * (1.0 - ratio) / (1.0 + ratio) for m in (3, 0))
    for e in NARROW:
        direct = float(np.maximum(p - math.exp(e) * q, 0.0).sum())
        assert direct == pytest.approx(exact.floated(exact.delta(exact.discrete_laplace(2.0, 3), e)), rel=1e-12)


@pytest.mark.parametrize("times", [7, 40])
def test_few_outcomes_many_times(times: int) -> None:
    """Three outcomes that share no lattice, by every way to share the steps among them, against their convolution."""
    g = ny.account(RR(1.0, 4).poisson(0.1) ** times, adjacency="remove")
    assert g.method == "exact sum"
    law = exact.compose((exact.sampled(exact.k_ary(1, 4), 0.1), times))
    check(g, [0.0, 0.2, 0.9, 2.0], lambda e: exact.floated(exact.delta(law, e)))


@pytest.mark.parametrize(("sigma", "largest"), [(55.0, 1.0000137745031), (120.0, 1.0000028935361)])
def test_the_floor_free_mu_of_a_wide_discrete_gaussian(sigma: float, largest: float) -> None:
    """sigma times the largest mu at a vertex down to twelve deviations, in 30 digits: 1 + 1/(24 sigma^2), nearly."""
    mu = ny.account(ny.DiscreteGaussian(sigma)).tail_mu
    assert largest <= mu * sigma <= largest + 1.0 / sigma**2
