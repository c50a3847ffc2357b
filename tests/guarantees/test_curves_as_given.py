"""Curves as people have them: functions, ROC curves, Bayes errors; and whether something is f-DP for such an f."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr, ndtri

import neyman as ny
from tests.effort import examples

mp.mp.dps = 50
Curve = Callable[[Any], Any]


def gauss(mu: float) -> tuple[Curve, Curve]:
    def exact(alpha: Any) -> Any:
        z = mp.mpf(float(ndtri(float(alpha))))
        for _ in range(5):
            z -= (mp.ncdf(z) - alpha) / mp.npdf(z)
        return mp.ncdf(-z - mp.mpf(mu))

    return lambda a: ndtr(-ndtri(a) - mu), exact


def laplace(epsilon: float) -> tuple[Curve, Curve]:
    def curve(a: Any, exp: Any) -> Any:
        e = exp(-epsilon)
        return 1 - a / e if a < e / 2 else e / 4 / a if a <= 0.5 else e * (1 - a)

    return lambda a: curve(a, math.exp), lambda a: curve(a, lambda x: mp.exp(mp.mpf(x)))  # of one number, like many


def power(k: float) -> tuple[Curve, Curve]:
    return (
        lambda a: (-np.expm1(k * np.log(a))) ** (1.0 / k),
        lambda a: (-mp.expm1(mp.mpf(k) * mp.log(a))) ** (1 / mp.mpf(k)),
    )


def lines(size: float) -> tuple[Curve, Curve]:
    """The largest of a few lines below 1 - alpha, each with numbers that are exact."""
    cut = [(1.0 - 2.0**-k, 2.0**k * (1.0 + math.floor(8.0 * size) / 8.0)) for k in range(1, 4)]

    def curve(a: Any) -> Any:
        return max([0 * a, *(h - s * a for h, s in cut)])

    return lambda a: np.array([curve(float(x)) for x in a]), curve


FAMILIES: dict[str, Callable[[float], tuple[Curve, Curve]]] = {
    "gauss": gauss,
    "laplace": laplace,
    "power": lambda size: power(1.0 / (1.0 + size)),
    "lines": lines,
}


def asked_of(f: Curve, alpha: np.ndarray) -> np.ndarray:
    """What a function says of an array, whether it knows arrays or not."""
    try:
        return np.asarray(f(alpha), dtype=float)
    except ValueError:
        return np.array([f(float(a)) for a in alpha])


def mixed(one: tuple[Curve, Curve], other: tuple[Curve, Curve], weight: float) -> tuple[Curve, Curve]:
    w = math.floor(weight * 64.0) / 64.0
    return (
        lambda a: w * asked_of(one[0], a) + (1.0 - w) * asked_of(other[0], a),
        lambda a: w * one[1](a) + (1 - mp.mpf(w)) * other[1](a),
    )


def chained(one: tuple[Curve, Curve], other: tuple[Curve, Curve]) -> tuple[Curve, Curve]:
    """Two records one after the other: f(1 - g(alpha)), convex again."""
    return (
        lambda a: asked_of(one[0], np.clip(1.0 - asked_of(other[0], a), 0.0, 1.0)),
        lambda a: one[1](1 - other[1](a)),
    )


@examples(12, 300)
@given(
    st.sampled_from(sorted(FAMILIES)), st.sampled_from(sorted(FAMILIES)), st.floats(0.01, 3.0), st.floats(0.01, 3.0),
    st.floats(0.0, 1.0), st.booleans(), st.integers(1, 280), st.floats(1e-6, 1.0 - 1e-6),
)  # fmt: skip
def test_a_function_lies_between_what_is_promised_and_its_chords(
    first: str, second: str, size: float, other: float, weight: float, chain: bool, deep: int, alpha: float
) -> None:
    one, two = FAMILIES[first](size), FAMILIES[second](other)
    chain = chain and first == second == "laplace"  # of the others 1 - g has lost digits that f needs
    f, exact = chained(one, two) if chain else mixed(one, two, weight)
    g = ny.Tradeoff.from_function(f, tolerance=1e-2, points=300, absolute_error=1e-12)
    asked = np.array([10.0**-deep, 1e-6, alpha, 1.0 - 1e-6, 1.0 - 2.0**-50])
    for a, below, above in zip(asked, g.beta(asked), g.optimistic.beta(asked), strict=True):
        assert below <= exact(mp.mpf(float(a))) <= above
    assert g.beta(0.0) <= 1.0 == g.optimistic.beta(0.0)
    assert g.beta(1.0) == 0.0 == g.optimistic.beta(1.0)
    assert g.optimistic.advantage <= g.advantage


def test_the_bracket_is_what_sampling_costs() -> None:
    f, _ = gauss(1.0)
    widths = [
        g.optimistic.beta(0.1) - g.beta(0.1)
        for g in (ny.Tradeoff.from_function(f, tolerance=t, points=8192) for t in (1e-2, 1e-3, 1e-4))
    ]
    assert widths[0] > 5.0 * widths[1] > 25.0 * widths[2] > 0.0
    g = ny.Tradeoff.from_function(f)
    exact = ny.GDP(1.0)
    assert g.optimistic.epsilon(1e-5) <= exact.epsilon(1e-5) <= g.epsilon(1e-5)
    assert g.optimistic.mu() <= 1.0 <= g.mu()
    assert g.optimistic.pessimistic is g
    assert g.chords.beta(0.1) > exact.beta(0.1) > g.beta(0.1)
    stated = ny.Tradeoff(g.stated["alphas"], g.stated["betas"])  # the promise alone
    assert stated == g
    assert stated.chords is stated
    assert stated.optimistic.beta(0.1) == pytest.approx(g.beta(0.1), abs=1e-9)


def test_functions_of_one_number() -> None:
    plain = ny.Tradeoff.from_function(lambda alpha: (1.0 - alpha) * (1.0 - alpha))
    one = ny.Tradeoff.from_function(lambda alpha: (1.0 - alpha) * (1.0 - alpha) if alpha < 2.0 else 0.0)
    assert one == plain
    roots = ny.Tradeoff.from_function(lambda alpha: 1.0 - math.sqrt(alpha))
    digits = ny.Tradeoff.from_function(lambda alpha: 1 - mp.sqrt(alpha))
    assert roots.beta(0.3) == pytest.approx(digits.beta(0.3), abs=1e-12)
    assert roots.beta(0.3) <= 1.0 - math.sqrt(0.3)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda a: 1.0 - a * a, "f must be at most 1 - alpha"),
        (lambda a: 0.5 * (1.0 - a * a) - 0.0 * a, "f must be convex"),
        (lambda a: 0.1 * a, "f must be at most 1 - alpha"),
        (lambda a: 0.25 * (1.0 - a) * (1.0 + np.abs(np.sin(9.0 * a))), "f must be"),
        (lambda a: math.nan, "f must be in [0, 1]"),
        (lambda a: -1.0 if a > 0.6 else 0.3 - 0.3 * a, "f must be in [0, 1]"),
        (lambda a: 1.5 - a, "f must be in [0, 1]"),
        (lambda a: "half", "an array of 3 alphas with an array of as many betas"),
        (lambda a: None, "an array of 3 alphas with an array of as many betas"),
    ],
)
def test_what_is_no_curve_is_refused(f: Curve, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.Tradeoff.from_function(f)
    assert words in str(caught.value)


# Bayes errors


@examples(40, 400)
@given(st.lists(st.integers(1, 63), min_size=1, max_size=12, unique=True), st.floats(0.0, 4.0))
def test_bayes_errors_come_back_and_nothing_is_added(places: list[int], mu: float) -> None:
    priors = np.sort(places) / 64.0
    known = ny.GDP(mu)
    errors = known.bayes_error(priors)
    g = ny.Tradeoff.from_bayes_errors(priors, errors)
    back = g.bayes_error(priors)
    assert np.all(back <= errors * (1.0 + 1e-15))
    assert np.all(back >= errors * (1.0 - 1e-12) - 1e-15)
    alphas = np.linspace(0.0, 1.0, 41)
    best = np.max((errors[:, None] - priors[:, None] * alphas) / (1.0 - priors[:, None]), axis=0)
    betas = g.beta(alphas)
    assert np.all(betas <= np.maximum(best, 0.0) + 1e-15)
    assert np.all(betas >= best - 1e-12)
    assert np.all(betas <= known.optimistic.beta(alphas))
    assert known.satisfies(g)


def test_bayes_errors_are_lines_below_the_curve_exactly() -> None:
    """At corners, in rationals: none above a line, which rounding to nearest would be half of the time."""
    from fractions import Fraction

    rng = np.random.default_rng(7)
    for _ in range(50):
        priors = np.sort(rng.uniform(0.01, 0.99, 9))
        errors = ny.GDP(rng.uniform(0.1, 3.0)).bayes_error(priors)
        g = ny.Tradeoff.from_bayes_errors(priors, errors)
        x, y = g.stated["alphas"], g.stated["betas"]
        assert isinstance(x, tuple)
        assert isinstance(y, tuple)
        p, e = ([Fraction(float(v)) for v in values] for values in (priors, errors))
        for a, b in zip(x, y, strict=True):
            best = max((r - q * Fraction(a)) / (1 - q) for q, r in zip(p, e, strict=True))
            assert Fraction(b) <= max(best, Fraction(0))


def test_bayes_errors_of_either_order_are_those_of_a_profile() -> None:
    priors, errors = [0.25, 0.5, 0.75], [0.15, 0.25, 0.15]
    once = ny.Tradeoff.from_bayes_errors(priors, errors)
    both = ny.Profile.from_bayes_errors(priors, errors)
    for prior in (0.1, 0.25, 0.4, 0.5, 0.7, 0.9):
        assert once.symmetrized().bayes_error(prior) == pytest.approx(both.bayes_error(prior), abs=1e-12)


@pytest.mark.parametrize(
    ("priors", "errors", "name"),
    [
        ([0.2, 0.5, 0.8], [0.15, 0.1, 0.15], "errors"),
        ([0.25, 0.5], [0.05, 0.3], "errors"),
        ([0.2], [0.25], "errors"),
        ([0.2], [-0.1], "errors"),
        ([0.2], [math.nan], "errors"),
        ([0.5, 0.2], [0.1, 0.1], "priors"),
        ([0.0, 0.2], [0.0, 0.1], "priors"),
        ([0.2, 0.4], [0.1], "errors"),
    ],
)
def test_no_curve_has_these_bayes_errors(priors: list[float], errors: list[float], name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.Tradeoff.from_bayes_errors(priors, errors)
    assert caught.value.name == name


def test_bayes_errors_that_say_nothing_and_everything() -> None:
    assert ny.Tradeoff.from_bayes_errors([0.5], [0.0]).beta(0.0) == 0.0
    assert ny.Tradeoff.from_bayes_errors([0.5], [0.5]).beta([0.0, 0.25, 1.0]) == pytest.approx(
        [1.0, 0.75, 0.0], abs=1e-12
    )


# ROC curves


@examples(20, 200)
@given(st.lists(st.floats(1e-6, 1.0 - 1e-6), min_size=3, max_size=30, unique=True), st.floats(0.1, 3.0))
def test_points_of_a_roc_curve_promise_no_more_than_it_says(places: list[float], mu: float) -> None:
    fpr = np.concatenate([[0.0], np.sort(places), [1.0]])
    tpr = np.concatenate([[0.0], ndtr(ndtri(fpr[1:-1]) + mu), [1.0]])
    g = ny.Tradeoff.from_roc(fpr, tpr, absolute_error=1e-15)
    exact = gauss(mu)[1]
    asked = np.array([1e-9, 0.01, 0.3, 0.5, 0.9])
    for a, below, above in zip(asked, g.beta(asked), g.optimistic.beta(asked), strict=True):
        assert below <= exact(mp.mpf(float(a))) <= above


def test_a_roc_curve_of_a_finite_output_is_its_chords() -> None:
    g = ny.Tradeoff.from_roc([0.0, 0.0, 0.25, 1.0], [0.0, 0.125, 0.75, 1.0], "chords")
    assert g.beta([0.0, 0.125, 0.25, 1.0]) == pytest.approx([0.875, 0.5625, 0.25, 0.0], abs=1e-12)
    below = ny.Tradeoff.from_roc([0.0, 0.0, 0.25, 1.0], [0.0, 0.125, 0.75, 1.0])
    assert np.all(below.beta([0.0, 0.1, 0.2, 0.6]) <= g.beta([0.0, 0.1, 0.2, 0.6]))
    thirds = ny.Tradeoff.from_roc([0.0, 0.1, 1.0], [0.0, 0.3, 1.0], "chords")  # 1 - 0.3 is rounded
    assert thirds.beta(0.1) <= 0.7


def test_the_roc_curve_of_an_attack_on_samples_is_refused() -> None:
    rng = np.random.default_rng(3)
    scores = np.sort(np.concatenate([rng.normal(size=50), rng.normal(1.0, size=50)]))[::-1]
    absent, present = rng.normal(size=50), rng.normal(1.0, size=50)
    fpr = np.array([0.0, *(np.mean(absent >= s) for s in scores), 1.0])
    tpr = np.array([0.0, *(np.mean(present >= s) for s in scores), 1.0])
    with pytest.raises(ny.InvalidParameter, match=r"ny\.audit\.from_scores"):
        ny.Tradeoff.from_roc(fpr, tpr)
    with pytest.raises(ny.InvalidParameter, match=r"ny\.audit\.from_scores"):
        ny.Tradeoff.from_roc(fpr, tpr, "chords")


@pytest.mark.parametrize(
    ("fpr", "tpr", "name"),
    [
        ([0.0, 0.5, 1.0], [0.0, 0.4, 1.0], "tpr"),
        ([0.0, 0.2, 0.5, 1.0], [0.0, 0.3, 0.9, 1.0], "tpr"),
        ([0.0, 0.5, 0.5, 1.0], [0.0, 0.6, 0.8, 1.0], "tpr"),
        ([0.0, 0.5, 1.0], [0.0, math.nan, 1.0], "tpr"),
        ([0.0, 0.5, 0.4], [0.0, 0.6, 1.0], "fpr"),
        ([0.0, 0.5, 1.0], [0.0, 0.9, 0.8], "tpr"),
        ([0.0, 1.5], [0.0, 1.0], "fpr"),
        ([0.0, 0.5], [0.0], "tpr"),
    ],
)
def test_no_best_attack_has_this_roc_curve(fpr: list[float], tpr: list[float], name: str) -> None:
    for between in ("below", "chords"):
        with pytest.raises(ny.InvalidParameter) as caught:
            ny.Tradeoff.from_roc(fpr, tpr, between)
        assert caught.value.name == name


def test_options_of_a_roc_curve() -> None:
    points = [0.0, 0.25, 1.0], [0.0, 0.75, 1.0]
    for options, name in (
        ({"between": "lines"}, "between"),
        ({"between": "chords", "relative_error": 0.0}, "relative_error"),
        ({"between": "chords", "absolute_error": 1e-3}, "absolute_error"),
        ({"absolute_error": -1.0}, "absolute_error"),
    ):
        with pytest.raises(ny.InvalidParameter) as caught:
            ny.Tradeoff.from_roc(*points, **options)
        assert caught.value.name == name


# Is it f-DP?


def test_is_it_f_dp() -> None:
    laplace_ = ny.account(ny.Laplace(1.0))
    assert laplace_.is_fdp(gauss(1.04)[0]).outcome == "yes"
    no = laplace_.is_fdp(gauss(1.02)[0])
    assert no.outcome == "no"
    assert not no
    assert no.alpha is not None
    assert no.excess > 0.0
    assert laplace_.optimistic.beta(no.alpha) < gauss(1.02)[1](mp.mpf(no.alpha))
    assert laplace_.is_fdp(ny.GDP(1.04)) == laplace_.satisfies(ny.GDP(1.04))
    assert ny.PureDP(1.0).is_fdp(lambda alpha: max(0.0, 1.0 - 3.0 * alpha, (1.0 - alpha) / 3.0))
    assert str(ny.PureDP(1.0).is_fdp(ny.PureDP(2.0))) == "yes"
    assert str(no).startswith(f"no: at alpha = {no.alpha:.6g} it is lower")


def test_a_curve_that_is_attained_is_neither_proved_nor_disproved() -> None:
    open_ = ny.GDP(1.0).is_fdp(gauss(1.0)[0])
    assert open_.outcome == "undecided"
    assert 0.0 < open_.excess < 1e-3
    assert str(open_).startswith("undecided: its delta is nowhere larger by more than")
    assert ny.GDP(1.0).is_fdp(gauss(0.999)[0]).outcome == "no"


def test_two_laws_and_f() -> None:
    g = ny.tradeoff_between(stats.laplace(0.0), stats.laplace(1.0))
    open_ = g.is_fdp(lambda alpha: (1.0 - alpha) ** 4)  # nothing is known of a tail in which next to nothing lies
    assert open_.outcome == "undecided"
    assert open_.excess < 1e-290
    assert g.is_fdp(gauss(0.9)[0]).outcome == "no"
    assert ny.PureDP(0.5).is_fdp(g).outcome == "yes"


@pytest.mark.parametrize("f", [3.0, None, "gauss", lambda a: 1.0 - a / 2.0, lambda a: a[:1]])
def test_no_curve_no_answer(f: Any) -> None:
    with pytest.raises(ny.InvalidParameter):
        ny.GDP(1.0).is_fdp(f)


@pytest.mark.parametrize("points", [2, 3, 6, 10])
def test_what_some_attack_reaches_is_no_more_than_the_chords_allow(points: int) -> None:
    """roc and beta of the other side are one curve: the chord towards alpha = 0 ends where both polygons do."""
    alpha = np.linspace(0.0, 1.0, points)
    g = ny.Tradeoff.from_points(alpha, (1.0 - alpha) ** 2)
    asked = np.array([0.0, 1e-12, 1e-3, 0.01, 0.1, 0.3, 0.7])
    assert np.all(g.optimistic.roc(asked) <= 1.0 - np.interp(asked, alpha, (1.0 - alpha) ** 2) + 1e-15)


def test_the_rounding_of_a_tpr_near_one_is_counted() -> None:
    """As a float it is off by 5e-17, which may be all of what is left of 1."""
    alpha = np.linspace(0.9, 0.99, 500)
    with ctx.workprec(150):
        root = arb(2).sqrt()
        beta = [(((2 * arb(a) - 1).erfinv() * root + 5) / root).erfc() / 2 for a in alpha.tolist()]
        assert all(b.rad() <= b * arb("1e-30") for b in beta)
        tpr = np.array([float(1 - b) for b in beta])
        g = ny.Tradeoff.from_roc(alpha, tpr)
        assert all(arb(found) <= b for found, b in zip(g.beta(alpha).tolist(), beta, strict=True))
        taken = ny.Tradeoff.from_roc(alpha, tpr, relative_error=1e-12)  # at its word
        assert any(arb(found) > b for found, b in zip(taken.beta(alpha).tolist(), beta, strict=True))


def test_a_promise_that_says_less_than_is_known_is_no_refutation() -> None:
    """The curve behind the points may be the other; what surely lies below it is refuted."""
    g = ny.Tradeoff.from_points([0.25, 0.5], [0.5, 0.25])
    assert g.satisfies(ny.Tradeoff([0.0, 0.25, 0.5, 1.0], [1.0, 0.5, 0.25, 0.0])).outcome == "undecided"
    assert g.satisfies(ny.GDP(0.1)).outcome == "no"
    assert ny.Tradeoff.from_function(lambda a: (1.0 - a) ** 2).is_fdp(lambda a: (1.0 - a) ** 2).outcome == "undecided"
