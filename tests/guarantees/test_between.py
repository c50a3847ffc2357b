"""The trade-off between two laws: never above the truth, within 1e-9 of it, and refused where it is no such thing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import neyman as ny
from tests.effort import examples, rest_slow
from tests.guarantees import between_truths as truths
from tests.guarantees.between_truths import Case

ALPHAS = np.array([0.0, 1e-250, 1e-12, 0.003, 0.1, 0.5, 0.77, 1.0 - 1e-9, 1.0])
CASES = [
    truths.shifted_normal(1.0),
    truths.binormal(0.0, 2.0),
    truths.laplace(1.0),
    truths.exponential(2.0),
    truths.logistic(1.5),
    truths.uniform(0.3),
    truths.student(1.0, None),
    truths.power(3.0),
    truths.sampled(1.0, 0.125),
    truths.poisson(3.0, 5.0),
    truths.binomial(20, 0.3, 0.5),
    truths.geometric(0.3, 0.5),
]
MORE = [
    truths.binormal(0.5, 0.7),
    truths.exponential(0.4),
    truths.student(2.0, 3.0),
    truths.power(0.5),
    truths.weibull(1.5, 2.0),
    truths.weibull(0.7335570248855161, 2.756549674026681),
    truths.laplace_scales(2.0),
    truths.truncated(1.0, -1.0, 2.0),
    truths.poisson(6.0, 0.5),
]
TOLD = mp.mpf(10) ** -45  # to which the truths are computed
NEAR = 1e-9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_never_above_the_truth_and_within_1e_9(case: Case) -> None:
    near_the_truth(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", MORE, ids=lambda case: case.name)
def test_never_above_the_truth_of_more_pairs(case: Case) -> None:
    near_the_truth(case)


def near_the_truth(case: Case) -> None:
    g = ny.tradeoff_between(case.p, case.q)
    low, high = g.beta(ALPHAS), g.optimistic.beta(ALPHAS)
    for alpha, below, above in zip(ALPHAS, low, high, strict=True):
        if case.name.startswith("student") and 0.0 < alpha < 1e-15:
            continue  # where the root that the truth is made of has not enough digits
        true = case.truth(float(alpha))
        assert mp.mpf(below) - TOLD <= true <= mp.mpf(above) + TOLD
        assert true - below < NEAR
        assert above - true < NEAR or alpha < 1e-12  # at alpha = 0 only what is outside the support is told apart


@examples(4, 200)
@given(
    st.sampled_from(["normal", "logistic", "exponential", "power", "laplace", "binomial"]),
    st.floats(0.02, 5.0),
    st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
    st.integers(0, 299),
)
def test_never_above_at_any_size(kind: str, size: float, alphas: list[float], deep: int) -> None:
    make: dict[str, Callable[[float], Case]] = {
        "normal": truths.shifted_normal,
        "logistic": truths.logistic,
        "exponential": lambda s: truths.exponential(1.0 + s),
        "power": lambda s: truths.power(1.0 + s),
        "laplace": truths.laplace,
        "binomial": lambda s: truths.binomial(int(5 * s) + 1, 0.4, 0.4 + 0.1 * s),
    }
    case = make[kind](size)
    g = ny.tradeoff_between(case.p, case.q)
    asked = np.array([*alphas, 10.0**-deep, 1.0 - 2.0**-53])
    for alpha, below, above in zip(asked, g.beta(asked), g.optimistic.beta(asked), strict=True):
        true = case.truth(float(alpha))
        assert mp.mpf(below) - TOLD <= true <= mp.mpf(above) + TOLD
        assert true - below < NEAR


def test_powers_of_small_sizes_have_their_digits() -> None:
    case = truths.shifted_normal(1.0)
    g = ny.tradeoff_between(case.p, case.q)
    for alpha in (1e-20, 1e-8, 0.01):
        true = 1 - case.truth(alpha)
        assert g.optimistic.roc(alpha) <= true <= g.roc(alpha)
        assert g.roc(alpha) - g.optimistic.roc(alpha) < 1e-6 * true


@pytest.mark.parametrize("log", [True, False])
def test_densities_say_the_same_as_their_distributions(log: bool) -> None:
    def density(mean: float) -> Callable[[np.ndarray], np.ndarray]:
        law = stats.norm(mean, 1.0)
        return law.logpdf if log else law.pdf

    g = ny.tradeoff_between(density(0.0), density(1.0), support=(-math.inf, math.inf), log=log)
    case = truths.shifted_normal(1.0)
    asked = np.array([1e-30, 1e-4, 0.2, 0.9])
    for alpha, below, above in zip(asked, g.beta(asked), g.optimistic.beta(asked), strict=True):
        assert below <= case.truth(float(alpha)) <= above < below + 1e-10


def test_densities_with_bends_leaps_and_far_from_zero() -> None:
    laplace = truths.laplace(1.0)
    bent = ny.tradeoff_between(
        lambda x: -np.abs(x) - np.log(2.0), lambda x: -np.abs(x - 1.0) - np.log(2.0),
        support=(-math.inf, math.inf), log=True, points=[0.0, 1.0],
    )  # fmt: skip
    leaping = ny.tradeoff_between(
        lambda x: 1.0 * (x < 1.0), lambda x: 1.0 * (x > 0.25), support=(0.0, 1.25), points=[0.25, 1.0]
    )
    far = ny.tradeoff_between(
        lambda x: stats.norm.logpdf(x - 1e6), lambda x: stats.norm.logpdf(x - 1e6 - 1.0),
        support=(-math.inf, math.inf), log=True,
    )  # fmt: skip
    asked = np.array([0.05, 0.4])
    for g, truth, width in (
        (bent, laplace.truth, NEAR),
        (leaping, lambda alpha: max(mp.mpf(0.75) - mp.mpf(alpha), 0), NEAR),
        (far, truths.shifted_normal(1.0).truth, 10.0 * NEAR),  # floats are 1e-10 apart there
    ):
        for alpha, below, above in zip(asked, g.beta(asked), g.optimistic.beta(asked), strict=True):
            assert below <= truth(float(alpha)) <= above < below + width


def test_the_null_hypothesis_is_p_and_the_inverse_exchanges_them() -> None:
    p, q = stats.expon(), stats.expon(scale=2.0)
    forth, back = ny.tradeoff_between(p, q), ny.tradeoff_between(q, p)
    assert forth.beta(0.25) == pytest.approx(0.5, abs=1e-11)
    assert back.beta(0.25) == pytest.approx(0.5625, abs=1e-11)
    assert forth.inverse().beta(0.25) == pytest.approx(back.beta(0.25), abs=1e-11)
    law = {0: (0.75, 0.25), 1: (0.5, 0.5)}
    listed = ny.account(ny.Tabulated(p=law[1], q=law[0]), adjacency="remove")
    assert ny.tradeoff_between(stats.bernoulli(0.25), stats.bernoulli(0.5)).beta(0.1) == pytest.approx(
        listed.beta(0.1), abs=1e-11
    )


def test_laws_without_anything_in_common_and_laws_that_are_the_same() -> None:
    apart = ny.tradeoff_between(stats.uniform(0.0, 1.0), stats.uniform(2.0, 1.0))
    assert apart.beta(0.0) == 0.0
    assert apart.advantage == 1.0
    for law in (stats.norm(), stats.poisson(3.0)):
        same = ny.tradeoff_between(law, law)
        assert same.beta(0.3) == pytest.approx(0.7, abs=1e-10)
        assert same.advantage < 1e-10


def test_every_question_has_an_answer() -> None:
    g = ny.tradeoff_between(stats.norm(0.0, 1.0), stats.norm(1.0, 1.0))
    named = ny.GDP(1.0)
    assert named.epsilon(1e-5) <= g.epsilon(1e-5) < named.epsilon(1e-5) + 1e-9
    assert g.optimistic.epsilon(1e-5) <= named.epsilon(1e-5)
    assert named.mu() <= g.mu() < 1.0 + 1e-5
    assert g.optimistic.mu() <= 1.0
    assert named.auc <= g.auc
    assert g.optimistic.auc <= named.auc
    assert named.bayes_error(0.3) - 1e-11 < g.bayes_error(0.3) <= named.bayes_error(0.3) * (1.0 + 1e-14)
    assert math.isinf(g.tail_mu)
    assert math.isinf(g.zcdp())
    assert g.certificate(1.0).upper >= g.certificate(1.0).lower
    assert repr(g) == "tradeoff_between(norm(0.0, 1.0), norm(1.0, 1.0))"
    assert g.optimistic.pessimistic is g
    assert g.optimistic.optimistic is g.optimistic


def test_it_composes_with_what_else_is_known() -> None:
    g = ny.tradeoff_between(stats.norm(0.0, 1.0), stats.norm(0.6, 1.0))
    both = g * ny.GDP(0.8)
    exact = ny.GDP(1.0).delta(1.0)
    assert both.optimistic.delta(1.0) <= exact <= both.delta(1.0) < exact * (1.0 + 1e-5)
    discrete = ny.tradeoff_between(stats.bernoulli(0.25), stats.bernoulli(0.5))
    listed = ny.account(ny.Tabulated(p=(0.5, 0.5), q=(0.75, 0.25)) ** 3, adjacency="remove", tolerance=1e-3)
    cubed = ny.account(ny.Opaque(discrete) ** 3, adjacency="remove", tolerance=1e-3)
    assert cubed.delta(0.5) == pytest.approx(listed.delta(0.5), abs=1e-9)


class Biased:
    """A distribution whose cdf is not that of its density."""

    def __init__(self, by: float) -> None:
        self._by, self._law = by, stats.norm(0.0, 1.0)

    def support(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return self._law.cdf(x * (1.0 + self._by))

    def sf(self, x: np.ndarray) -> np.ndarray:
        return self._law.sf(x * (1.0 + self._by))

    def __getattr__(self, name: str) -> Any:
        if name == "pmf":
            raise AttributeError(name)
        return getattr(self._law, name)


def test_masses_that_contradict_their_densities_are_refused() -> None:
    with pytest.raises(ny.InvalidParameter, match="density and distribution function agree"):
        ny.tradeoff_between(Biased(1e-6), stats.norm(1.0, 1.0))
    assert ny.tradeoff_between(Biased(0.0), stats.norm(1.0, 1.0)).beta(0.5) == pytest.approx(0.158655254, abs=1e-9)


def test_stated_turns_are_all_there_are() -> None:
    p, q = stats.norm(0.0, 1.0), stats.norm(0.0, 2.0)
    found = ny.tradeoff_between(p, q).beta(0.1)
    assert ny.tradeoff_between(p, q, turns=[0.0]).beta(0.1) == pytest.approx(found, abs=1e-11)
    with pytest.raises(ny.InvalidParameter, match="One is missing"):
        ny.tradeoff_between(p, q, turns=[])
    assert ny.tradeoff_between(stats.norm(0.0), stats.norm(1.0), turns=[]).beta(0.5) < 0.158655254


def test_digits_that_a_distribution_lost_are_paid_for() -> None:
    """The cdf of SciPy's Pareto law is 1 minus something."""
    p, q = stats.pareto(3.0), stats.pareto(2.0)
    g = ny.tradeoff_between(p, q)
    for alpha in (1e-4, 0.3, 0.9):
        true = 1 - mp.mpf(alpha) ** (mp.mpf(2) / 3)
        assert g.beta(alpha) <= true <= g.optimistic.beta(alpha)
        assert true - g.beta(alpha) < NEAR


def test_errors_stated_widen_the_bracket() -> None:
    p, q = stats.norm(0.0), stats.norm(1.0)
    width = [
        g.optimistic.beta(0.1) - g.beta(0.1)
        for g in (ny.tradeoff_between(p, q), ny.tradeoff_between(p, q, relative_error=1e-6))
    ]
    assert width[0] < 1e-11 < 1e-7 < width[1] < 1e-5


NORMAL = stats.norm(0.0, 1.0)
LINE = (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: ny.tradeoff_between(stats.poisson(1.0), stats.poisson(1e10)), "p"),
        (lambda: ny.tradeoff_between(stats.norm, 1), "q"),
        (lambda: ny.tradeoff_between(stats.gamma, NORMAL), "p"),
        (lambda: ny.tradeoff_between(NORMAL, 3.0), "q"),
        (lambda: ny.tradeoff_between(NORMAL, stats.poisson(1.0)), "q"),
        (lambda: ny.tradeoff_between(NORMAL, NORMAL, support=(0.0, 1.0)), "support"),
        (lambda: ny.tradeoff_between(NORMAL, NORMAL, log=True), "log"),
        (lambda: ny.tradeoff_between(stats.poisson(1.0), stats.poisson(2.0), points=[0.0]), "points"),
        (lambda: ny.tradeoff_between(NORMAL, NORMAL, turns=[1.0, 0.0]), "turns"),
        (lambda: ny.tradeoff_between(NORMAL, NORMAL, relative_error=math.nan), "relative_error"),
        (lambda: ny.tradeoff_between(NORMAL, NORMAL, absolute_error=0.5), "absolute_error"),
        (lambda: ny.tradeoff_between(stats.poisson(1.0), stats.poisson(2.0), turns=[1.0]), "turns"),
        (lambda: ny.tradeoff_between(stats.poisson(1.0), stats.poisson(1e12)), "q"),
        (lambda: ny.tradeoff_between(np.cos, np.sin), "support"),
        (lambda: ny.tradeoff_between(np.cos, np.sin, support=(1.0, 0.0)), "support"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, lambda x: 2.0 * NORMAL.pdf(x), support=LINE), "q"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, lambda x: -NORMAL.pdf(x), support=LINE), "q"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, lambda x: x[:-1], support=LINE), "q"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, lambda x: 0.0 * x, support=LINE), "q"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, NORMAL.pdf, support=LINE, points=range(65)), "points"),
        (lambda: ny.tradeoff_between(NORMAL.pdf, NORMAL.pdf, support=LINE, absolute_error=1e-6), "absolute_error"),
    ],
)
def test_refusals_name_the_argument(make: Callable[[], object], name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        make()
    assert caught.value.name == name


def test_many_turns_are_refused() -> None:
    def wavy(x: np.ndarray) -> np.ndarray:
        return 1.0 + 0.5 * np.sin(400.0 * np.pi * x)

    with pytest.raises(ny.InvalidParameter, match="turns"):
        ny.tradeoff_between(lambda x: 1.0 + 0.0 * x, wavy, support=(0.0, 1.0))


def test_probabilities_that_have_lost_digits_are_refused_until_that_is_stated() -> None:
    """SciPy's Poisson probabilities at 1e8 are off by 7e-8."""
    p, q = stats.poisson(1e8), stats.poisson(1e8 + 1e4)
    with pytest.raises(ny.InvalidParameter, match="state relative_error"):
        ny.tradeoff_between(p, q)


def test_tails_that_no_list_holds_count_as_revealed() -> None:
    g = ny.tradeoff_between(stats.zipf(2.5), stats.zipf(3.0))
    assert 0.0 < g.optimistic.beta(0.1) - g.beta(0.1) < 1e-7


class Peaked(Biased):
    """A normal law with a little of its mass in a narrow peak, which no quantile of it tells."""

    def __init__(self, share: float, width: float) -> None:
        super().__init__(0.0)
        self._parts = (1.0 - share, self._law), (share, stats.norm(0.3, width))

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return np.sum([share * law.cdf(x) for share, law in self._parts], axis=0)

    def sf(self, x: np.ndarray) -> np.ndarray:
        return np.sum([share * law.sf(x) for share, law in self._parts], axis=0)

    def logpdf(self, x: np.ndarray) -> np.ndarray:
        return np.logaddexp(*(np.log(share) + law.logpdf(x) for share, law in self._parts))


@pytest.mark.parametrize(("share", "width"), rest_slow([(1e-3, 1e-7), (1e-6, 1e-4)], 1))
def test_peaks_that_no_place_has_seen_are_refused_and_those_stated_are_told(share: float, width: float) -> None:
    p, q = stats.norm(0.0, 1.0), Peaked(share, width)
    line = {"support": LINE, "log": True}
    with pytest.raises(ny.InvalidParameter):
        ny.tradeoff_between(p, q)
    with pytest.raises(ny.InvalidParameter):
        ny.tradeoff_between(p.logpdf, q.logpdf, **line)
    for g in (ny.tradeoff_between(p, q, points=[0.3]), ny.tradeoff_between(p.logpdf, q.logpdf, **line, points=[0.3])):
        told = (1.0 - share) * (1.0 - 0.1)  # all of the peak, and the rest by chance
        low = g.beta(0.1)
        assert low == pytest.approx(told, abs=10.0 * width * share + 1e-9)
        assert low <= g.optimistic.beta(0.1)


@pytest.mark.parametrize(
    ("p", "q"),
    [(stats.poisson(1), stats.poisson(200)), (stats.binom(400, 0.1), stats.binom(400, 0.95))],
)
def test_probabilities_that_are_no_floats_are_not_revealed(p: object, q: object) -> None:
    """Losses are finite, up to 900 or so, and nothing is told beyond."""
    low = ny.tradeoff_between(p, q).optimistic
    assert low.epsilon(0.1) < 900.0
    assert low.delta(1e4) == 0.0
    assert low.beta(0.0) == 1.0
    assert low.roc(0.0) == 0.0


def test_bins_of_a_histogram_are_seen_however_narrow() -> None:
    """Of two histograms that differ in a bin of a millionth, and moved to elsewhere."""
    edges = np.array([0.0, 0.30001, 0.300011, 0.300012, 1.0])
    flat = stats.rv_histogram((np.array([1.0, 1.0, 1.0, 1.0]), edges), density=True)
    other = stats.rv_histogram((np.array([1.0, 0.0, 2.0, 1.0]), edges), density=True)
    p, q = (np.diff(law.cdf(edges)) for law in (flat, other))
    order = np.argsort(-q / p)
    alpha, beta = np.append(0.0, np.cumsum(p[order])), np.append(1.0, 1.0 - np.cumsum(q[order]))
    for place in ({}, {"loc": 3.0, "scale": 2.0}):
        g = ny.tradeoff_between(flat(**place) if place else flat, other(**place) if place else other)
        asked = np.array([5e-7, 0.25, 0.5, 0.9])
        truth, low = np.interp(asked, alpha, beta), g.beta(asked)
        assert np.all(low <= truth + 1e-12)
        assert np.all(np.abs(low - truth) <= 1e-9)
        assert np.all(g.optimistic.beta(asked) >= truth - 1e-12)
