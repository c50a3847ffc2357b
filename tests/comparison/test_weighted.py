"""Weighted divergences: brackets against brute force and closed forms, laws, densities against mpmath, refusals."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

import neyman as ny
from neyman.comparison import UQuadratic, Weighted, WeightedEstimate
from neyman.comparison.densities import BetaDensity, Density, UniformDensity
from neyman.guarantees.questions.regret import Divergence
from tests.effort import examples, rest_slow

GAUSS, LAPLACE = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
ONE_WAY = ny.account(ny.Laplace(1.0).poisson(0.3), adjacency="remove")
SAMPLED = ny.account(ny.DPSGD(1.0, 0.02, 1000), adjacency="remove")
LOW_NOISE = ny.account(ny.DPSGD(0.36, 0.0155, 30)), ny.account(ny.DPSGD(0.22, 0.0065, 30))
JEFFREYS = scipy.stats.beta(0.5, 0.5)

guarantees = st.one_of(
    st.floats(0.05, 3.0).map(ny.GDP),
    st.floats(0.05, 3.0).map(ny.PureDP),
    st.tuples(st.floats(0.05, 3.0), st.floats(0.0, 0.3)).map(lambda p: ny.ApproximateDP(*p)),
    st.floats(0.3, 4.0).map(lambda b: ny.account(ny.Laplace(b))),
    st.floats(0.1, 2.0).map(lambda e: ny.account(ny.RandomizedResponse(e) ** 2)),
    st.sampled_from([ny.account(ny.DPSGD(s, 0.1, 40)) for s in (0.7, 1.3, 2.5)]),
    st.sampled_from([ny.PERFECT, ny.BLATANT]),
)
shapes = st.one_of(st.floats(0.05, 30.0), st.sampled_from([0.5, 1.0, 1.0 + 1e-9, 2.0, 1e3]))
intervals = st.tuples(st.floats(0.0, 0.9), st.floats(0.01, 1.0)).map(lambda p: (p[0], min(p[1], 1.0 - p[0])))
betas = st.tuples(shapes, shapes).map(lambda p: scipy.stats.beta(*p))
laws = st.one_of(st.just(UQuadratic()), betas, intervals.map(lambda p: scipy.stats.uniform(*p)))


def by_brute_force(a: ny.Guarantee, b: ny.Guarantee, law: Any, points: int = 2_501, closer: int = 1) -> float:
    """max of density (R_a - R_b) over that many priors on each half, from the far sides of all brackets: a lower bound.

    Then so often as many again ``closer`` around the best. Where a prior rounds to 1 its density cannot be read.
    """
    best, low, high = 0.0, 0.0, 36.0
    for _ in range(1 + closer):
        found, place = _largest(a, b, law, np.linspace(low, high, points))
        best, cell = max(best, found), 2.0 * (high - low) / points
        low, high = max(place - cell, 0.0), min(place + cell, 36.0)
    return best


def _largest(a: ny.Guarantee, b: ny.Guarantee, law: Any, epsilon: np.ndarray) -> tuple[float, float]:
    """The largest value, and where it is."""
    least, most = 1.0 / (1.0 + np.exp(epsilon)), 1.0 / (1.0 + np.exp(-epsilon))
    best = np.zeros_like(epsilon)
    for mine, other, prior in (
        (a.sides.forward, b.sides.forward, most), (a.sides.backward, b.sides.backward, least)
    ):  # fmt: skip
        gain = (other.bracket(epsilon).lower - mine.bracket(epsilon).upper) * least
        with np.errstate(all="ignore"):
            value = law.pdf(prior) * gain
        best = np.maximum(best, np.where((prior < 1.0 - 1e-12) & np.isfinite(value), value, 0.0))
    return float(np.max(best)), float(epsilon[np.argmax(best)])


def certified(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> Weighted:
    found = ny.compare(a, b).weighted(law)
    assert isinstance(found, Weighted)
    return found


@examples(2, 400)
@given(guarantees, guarantees, laws)
@example(ny.PERFECT, ny.BLATANT, scipy.stats.beta(300.0, 200.0))
@example(GAUSS, LAPLACE, scipy.stats.beta(1e6, 3e6))
@example(LAPLACE, GAUSS, scipy.stats.beta(0.01, 0.02))
@example(LOW_NOISE[0], LOW_NOISE[1], scipy.stats.beta(1e-3, 0.3))
@example(LOW_NOISE[1], LOW_NOISE[0], scipy.stats.beta(7.0, 40.0))
@pytest.mark.slow
def test_brackets_hold_what_brute_force_finds(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> None:
    w = certified(a, b, law)
    for bounds, found in zip(w.bounds, (by_brute_force(a, b, law), by_brute_force(b, a, law)), strict=True):
        assert 0.0 <= bounds.lower <= bounds.upper < math.inf
        assert found <= bounds.upper * (1.0 + 1e-9) + 1e-15  # scipy's density is no better


@pytest.mark.parametrize(
    "law", rest_slow([JEFFREYS, UQuadratic(), scipy.stats.beta(2.0, 5.0), scipy.stats.uniform(0.1, 0.2)], 0, 1, 3)
)
@pytest.mark.parametrize(("a", "b"), rest_slow([
    (GAUSS, LAPLACE), (ny.ApproximateDP(1.0, 0.01), ny.PureDP(1.1)),
    (ny.account(ny.DPSGD(1.0, 0.02, 1000)), ny.account(ny.DPSGD(2.0, 0.1, 500))),
    (SAMPLED, ONE_WAY),
], 0, 1, 3))  # fmt: skip
def test_brackets_are_tight_and_agree_with_brute_force(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> None:
    searched = [by_brute_force(*both, law, 5_001) for both in ((a, b), (b, a))]
    for bounds, found in zip(certified(a, b, law).bounds, searched, strict=True):
        assert bounds.upper - bounds.lower <= 1e-10 * bounds.upper + 1e-10
        assert found == pytest.approx(bounds.upper, abs=1e-4)


@pytest.mark.parametrize(
    ("law", "density"),
    [
        (JEFFREYS, lambda x: 1 / (mpmath.pi * mpmath.sqrt(x * (1 - x)))),
        (UQuadratic(), lambda x: 12 * (x - mpmath.mpf(0.5)) ** 2),
        (scipy.stats.beta(2.0, 5.0), lambda x: 30 * x * (1 - x) ** 4),
        (scipy.stats.beta(3.0, 0.25), lambda x: x**2 * (1 - x) ** mpmath.mpf(-0.75) / mpmath.beta(3, 0.25)),
    ],
)
def test_gaussian_against_laplace_to_thirty_digits(law: Any, density: Any) -> None:
    """Where the certificate has its maximum the derivative vanishes, and the value there lies in the bracket."""

    def value(epsilon: Any, sign: int) -> Any:
        far, x = abs(epsilon), 1 / (1 + mpmath.exp(-epsilon))
        gauss = mpmath.ncdf(0.5 - far) - mpmath.exp(far) * mpmath.ncdf(-0.5 - far)
        laplace = 1 - mpmath.exp((far - 1) / 2) if far < 1 else 0
        return sign * density(x) * (laplace - gauss) / (1 + mpmath.exp(far))

    with mpmath.workdps(30):
        for bounds, sign in zip(certified(GAUSS, LAPLACE, law).bounds, (1, -1), strict=True):
            near = mpmath.mpf(bounds.epsilon)
            step = mpmath.mpf("1e-3")
            for _ in range(40):  # uphill, whether the peak is smooth or a kink
                places = [near - step, near, near + step]
                near = max(places, key=lambda e: value(e, sign))
                step = step / 2
            truth = value(near, sign)
            assert bounds.lower <= truth * (1 + mpmath.mpf("1e-20"))
            assert truth <= bounds.upper <= truth * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-12")


@examples(12, 200)
@given(guarantees, guarantees, st.sampled_from([scipy.stats.uniform(), scipy.stats.beta(1.0, 1.0)]))
def test_a_uniform_law_weighs_nothing(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> None:
    c = ny.compare(a, b)
    for weighted, plain in zip(certified(a, b, law).bounds, c.bounds, strict=True):
        assert max(weighted.lower, plain.lower) <= min(weighted.upper, plain.upper)
        assert weighted.upper == pytest.approx(plain.upper, abs=1e-10)


@examples(12, 200)
@given(guarantees, guarantees, laws)
@pytest.mark.slow
def test_exchanging_the_two_exchanges_the_answers(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> None:
    w, turned = certified(a, b, law), certified(b, a, law)
    assert turned.bounds == w.bounds[::-1]
    assert turned.preferred == {"a": "b", "b": "a"}.get(w.preferred, w.preferred)


@examples(4, 100)
@given(shapes, shapes)
@pytest.mark.slow
def test_exchanging_the_errors_turns_the_law(p: float, q: float) -> None:
    a, b = SAMPLED, ONE_WAY
    w = certified(a, b, scipy.stats.beta(p, q))
    turned = certified(a.inverse(), b.inverse(), scipy.stats.beta(q, p))
    for one, two in zip(w.bounds, turned.bounds, strict=True):
        assert one.lower <= two.upper
        assert two.lower <= one.upper


@examples(6, 200)
@given(guarantees, guarantees, intervals, st.floats(0.1, 1.0))
def test_a_wider_interval_finds_more(
    a: ny.Guarantee, b: ny.Guarantee, interval: tuple[float, float], part: float
) -> None:
    """On an interval the weighted divergence times its length is the largest difference there."""
    low, length = interval
    narrow, wide = (certified(a, b, scipy.stats.uniform(low, s)).bounds[0] for s in (length * part, length))
    assert narrow.lower * length * part <= wide.upper * length * (1.0 + 1e-12)
    assert wide.lower * length <= ny.compare(a, b).divergence * (1.0 + 1e-12)


@examples(12, 200)
@given(guarantees, guarantees, betas)
def test_no_more_than_the_density_at_its_peak(a: ny.Guarantee, b: ny.Guarantee, law: Any) -> None:
    """density (R_a - R_b) is at most its own largest value times the divergence, and at most density min(x, 1 - x)."""
    p, q = law.args  # of scipy's frozen law
    found, perfect = certified(a, b, law).bounds[0], certified(ny.PERFECT, ny.BLATANT, law).bounds[0]
    assert found.lower <= perfect.upper
    if p > 1.0 and q > 1.0:
        assert found.lower <= law.pdf((p - 1.0) / (p + q - 2.0)) * ny.compare(a, b).divergence * (1.0 + 1e-6)


@pytest.mark.parametrize(("law", "value"), [
    (JEFFREYS, 1.0 / math.pi), (UQuadratic(), 2.0 / 9.0), (scipy.stats.beta(2.0, 2.0), 0.75),
    (scipy.stats.beta(2.0, 1.0), 0.5), (scipy.stats.powerlaw(2.0), 0.5), (scipy.stats.arcsine(), 1.0 / math.pi),
    (scipy.stats.beta(a=0.5, b=0.5, scale=1.0), 1.0 / math.pi), (scipy.stats.uniform(0.0, 0.25), 1.0),
    (scipy.stats.uniform(loc=0.9, scale=0.1), 1.0), (scipy.stats.beta(1.0, 1.0, 0.9, 0.1), 1.0),
    (scipy.stats.beta(0.5, 1.0), 0.5 * math.sqrt(0.5)), (scipy.stats.beta(1e-3, 1.0), 1e-3 * 0.5**1e-3),
])  # fmt: skip
def test_perfect_against_blatant_in_closed_form(law: Any, value: float) -> None:
    """max of density min(x, 1 - x)."""
    bounds = certified(ny.PERFECT, ny.BLATANT, law).bounds[0]
    assert bounds.lower <= value * (1.0 + 1e-9)
    assert bounds.upper == pytest.approx(value, rel=1e-7)


def test_a_density_without_bound_gives_a_finite_maximum() -> None:
    """Mass at infinity and a density that grows almost like 1 / x: the product still falls to 0."""
    a, b = ny.PureDP(0.5), ny.ApproximateDP(0.5, 0.3)
    for p, q in ((1e-3, 1e-3), (1e-9, 5.0), (1e-300, 1e-300)):
        bounds = certified(a, b, scipy.stats.beta(p, q)).bounds
        assert 0.0 < bounds[0].lower <= bounds[0].upper < 1.0
        assert bounds[0].upper - bounds[0].lower <= 1e-11
        assert bounds[1].upper == 0.0


def test_dominance_costs_nothing_under_any_law() -> None:
    for law in (JEFFREYS, UQuadratic(), scipy.stats.triang(0.3)):
        w = ny.compare(ny.GDP(1.0), ny.GDP(2.0)).weighted(law)
        assert (w.reverse, w.preferred) == (0.0, "a")
        same = ny.compare(GAUSS, GAUSS).weighted(law)
        assert (same.divergence, same.reverse, same.preferred) == (0.0, 0.0, "either")


def test_the_preference_is_proved_or_left_open() -> None:
    low, high, wide = Divergence(0.1, 0.2, 0.0), Divergence(0.3, 0.4, 0.0), Divergence(0.1, 0.4, 0.0)
    assert Weighted((high, low)).preferred == "a"
    assert Weighted((low, high)).preferred == "b"
    assert Weighted((wide, high)).preferred == "undecided"
    assert Weighted((Divergence(0.0, 1e-16, 0.0), Divergence(0.0, 1e-16, 0.0))).preferred == "undecided"
    assert (Weighted((low, high)).divergence, Weighted((low, high)).reverse) == (0.2, 0.4)
    a = ny.account(ny.Laplace(1.0).poisson(0.3), adjacency="remove")
    mirrored = ny.Guarantee.inverse(ny.account(ny.Laplace(1.0).poisson(0.3), adjacency="add"))
    assert certified(a, mirrored, JEFFREYS).preferred in ("either", "undecided")


@pytest.mark.parametrize(
    "law",
    rest_slow([
        scipy.stats.triang(0.3),
        scipy.stats.beta(2.0, 2.0, 0.25, 0.5),
        scipy.stats.truncnorm(-1.0, 1.0, 0.5, 0.5),
        scipy.stats.beta(2.0, 5.0, 0.0, 0.3),
    ], 0, 3),
)  # fmt: skip
def test_any_other_law_is_searched_and_the_type_says_so(law: Any) -> None:
    for a, b in ((GAUSS, LAPLACE), (LAPLACE, GAUSS), (SAMPLED, ONE_WAY)):
        w = ny.compare(a, b).weighted(law)
        assert type(w) is WeightedEstimate
        assert not hasattr(w, "bounds")
        assert w.divergence == pytest.approx(by_brute_force(a, b, law), abs=2e-4)
        assert w.divergence >= by_brute_force(a, b, law) * (1.0 - 1e-9)
        assert w.preferred == ("a" if w.divergence > w.reverse else "b")


def test_the_search_agrees_with_the_certificate() -> None:
    class Own:
        """Somebody's own law, that happens to be known."""

        def __init__(self, law: Any) -> None:
            self.pdf, self.support = law.pdf, law.support

    for law in (JEFFREYS, UQuadratic(), scipy.stats.beta(0.1, 3.0), scipy.stats.uniform(0.2, 0.1)):
        for a, b in ((GAUSS, LAPLACE), (ny.GDP(0.3), ONE_WAY_BOTH)):
            sure, found = certified(a, b, law), ny.compare(a, b).weighted(Own(law))
            assert type(found) is WeightedEstimate
            assert found.divergence == pytest.approx(sure.divergence, rel=1e-6, abs=1e-10)
            assert found.reverse == pytest.approx(sure.reverse, rel=1e-6, abs=1e-10)


ONE_WAY_BOTH = ny.account(ny.Laplace(1.0).poisson(0.3))


class Doubtful(scipy.stats.rv_continuous):
    """A law whose density is no number."""

    def _pdf(self, x: Any, *_: Any) -> Any:
        return np.full_like(x, np.nan)


@pytest.mark.parametrize("law", [
    scipy.stats.norm(), scipy.stats.expon(), scipy.stats.uniform(0.5, 1.0), scipy.stats.uniform(-0.1, 0.5),
    scipy.stats.binom(3, 0.5), scipy.stats.randint(0, 2), scipy.stats.bernoulli(0.5),
    scipy.stats.beta(math.nan, 1.0), scipy.stats.beta(-1.0, 1.0), scipy.stats.beta(0.0, 1.0),
    scipy.stats.beta(1.0, math.inf), scipy.stats.uniform(math.nan), scipy.stats.beta([1.0, 2.0], 1.0),
    scipy.stats.beta, scipy.stats.uniform, scipy.stats.binom, UQuadratic, scipy.stats.multivariate_normal([0.5, 0.5]),
    Doubtful(a=0.0, b=1.0)(), None, 0.5, "beta", math.exp, scipy.stats.beta(2e9, 1.0),
])  # fmt: skip
def test_what_is_no_hyperprior(law: object) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.compare(GAUSS, LAPLACE).weighted(law)
    assert caught.value.name.startswith("hyperprior")
    assert caught.value.allowed


def _pdf(density: Density, epsilon: float) -> mpmath.mpf:
    x = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
    y = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
    if isinstance(density, UQuadratic):
        return 12 * (x - mpmath.mpf("0.5")) ** 2
    assert isinstance(density, BetaDensity)
    a, b = mpmath.mpf(density.a), mpmath.mpf(density.b)
    return x ** (a - 1) * y ** (b - 1) / mpmath.beta(a, b)


any_shape = st.one_of(shapes, st.floats(1e-12, 1e-3), st.floats(1e3, 1e9))
densities = st.one_of(st.just(UQuadratic()), st.tuples(any_shape, any_shape).map(lambda p: BetaDensity(*p)))


@examples(20, 2000)
@given(densities, st.floats(0.0, 500.0) | st.floats(0.0, 3.0), st.floats(1e-9, 25.0) | st.floats(1e-9, 0.1))
def test_densities_are_enclosed_on_points_and_intervals(density: Density, start: float, width: float) -> None:
    epsilon = np.array([start, start + width])
    with mpmath.workdps(400):
        lower, upper = density.bounds(epsilon)
        spans, rest = density.spans(epsilon, upper), float(density.rest(epsilon[:1])[0])
        truth = [_pdf(density, float(e)) for e in epsilon]
        for low, true, high in zip(lower, truth, upper, strict=True):
            assert low <= true <= high
            if true > 1e-200 and isinstance(density, BetaDensity) and max(density.a, density.b) < 100.0:
                assert high - low <= 1e-11 * high * (1.0 + start)
        chord_start, chord_stop = (float(u) + float(spans.bend[0]) for u in upper)
        x0, x1 = (1 / (1 + mpmath.exp(-mpmath.mpf(float(e)))) for e in epsilon)
        for part in (0.1, 0.3, 0.5, 0.7, 0.9):
            inner = start + width * part
            x, true = 1 / (1 + mpmath.exp(-mpmath.mpf(inner))), _pdf(density, inner)
            share = (x - x0) / (x1 - x0)
            assert true <= spans.most[0]
            assert true <= (1 - share) * chord_start + share * chord_stop if chord_start < math.inf else True
            assert true / (1 + mpmath.exp(mpmath.mpf(inner))) <= rest


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 0.99), st.floats(1e-6, 1.0))
def test_edges_of_a_uniform_law(low: float, length: float) -> None:
    high = min(low + length, 1.0)
    density = UniformDensity.on(low, high)
    with mpmath.workdps(400):
        for side, given_as in ((density, high), (density.turned, low)):
            prior = mpmath.mpf(high) if side is density else 1 - mpmath.mpf(low)
            if prior in (0, 1):
                assert side.high == (math.inf, math.inf)
                continue
            edge = mpmath.log(prior / (1 - prior))
            assert side.high[0] <= edge <= side.high[1]
            assert side.high[1] - side.high[0] < 1e-12 + 1e-14 * (abs(edge) + 1 / (1 - mpmath.mpf(given_as)))
    assert density.turned.turned == density
