"""What samples and functions prove of a trade-off curve: never more than is true of it, and hardly less."""

from __future__ import annotations

import math
import pickle
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import neyman as ny
from neyman.guarantees.questions.curve.lower_polygon import down as _down
from tests.effort import examples

Curve = Callable[[np.ndarray], np.ndarray]


def exactly(g: ny.Tradeoff, alpha: float | Fraction) -> Fraction:
    """The polygon that was promised, at one alpha, without rounding."""
    x, y = g.stated["alphas"], g.stated["betas"]
    assert isinstance(x, tuple)
    assert isinstance(y, tuple)
    k = max(bisect_left(x, alpha), 1)  # Python compares floats and fractions exactly
    left, right, y_left, y_right = (Fraction(v) for v in (x[k - 1], x[k], y[k - 1], y[k]))
    return y_left + (y_right - y_left) * (Fraction(alpha) - left) / (right - left)


def as_mp(value: Fraction) -> mp.mpf:
    return mp.mpf(value.numerator) / mp.mpf(value.denominator)


def gauss(alpha: float, mu: float) -> mp.mpf:
    """G_mu at a float alpha, to 60 digits: the quantile by Newton's method from SciPy's."""
    z = mp.mpf(float(ndtri(alpha)))
    for _ in range(4):
        z -= (mp.ncdf(z) - mp.mpf(alpha)) / mp.npdf(z)
    return mp.ncdf(-z - mp.mpf(mu))


def laplace(alpha: float, epsilon: float) -> mp.mpf:
    a, e = mp.mpf(alpha), mp.exp(-mp.mpf(epsilon))
    return 1 - a / e if a < e / 2 else e / 4 / a if a <= 0.5 else e * (1 - a)


def response(alpha: float, epsilon: float) -> mp.mpf:
    a, rest, e = mp.mpf(alpha), 1 - mp.mpf(2.0**-10), mp.exp(mp.mpf(epsilon))
    return max(0, rest - e * a, (rest - a) / e)


RATE = 0.125
TRUTHS: dict[str, Callable[[float, float], mp.mpf]] = {
    "gauss": gauss,
    "laplace": laplace,
    "response": response,
    "sampled": lambda a, mu: mp.mpf(RATE) * gauss(a, mu) + (1 - mp.mpf(RATE)) * (1 - mp.mpf(a)),
}


def as_function(kind: str, size: float) -> Curve:
    """The same in float64."""
    e = math.exp(size)
    return {
        "gauss": lambda a: ndtr(-ndtri(a) - size),
        "laplace": lambda a: np.where(a < 0.5 / e, 1.0 - a * e, np.where(a <= 0.5, 0.25 / e / a, (1.0 - a) / e)),
        "response": lambda a: np.maximum(0.0, np.maximum(1.0 - 2.0**-10 - a * e, (1.0 - 2.0**-10 - a) / e)),
        "sampled": lambda a: RATE * ndtr(-ndtri(a) - size) + (1.0 - RATE) * (1.0 - a),
    }[kind]


@cache
def promised(kind: str, size: float) -> ny.Tradeoff:
    return ny.Tradeoff.from_function(as_function(kind, size), points=512)


@pytest.mark.parametrize("kind", TRUTHS)
@examples(10, 250)
@given(
    size=st.sampled_from([1e-3, 0.1, 0.7, 1.0, 3.0, 6.0]),
    alphas=st.lists(
        st.one_of(st.floats(1e-18, 1.0 - 2.0**-53), st.floats(-16.0, -0.1).map(lambda k: 10.0**k)), max_size=4
    ),
    near=st.integers(0, 10_000),
)
def test_a_function_is_promised_nowhere_more_than_it_is(kind: str, size: float, alphas: list[float], near: int) -> None:
    g, truth = promised(kind, size), TRUTHS[kind]
    corners = g.stated["alphas"]
    assert isinstance(corners, tuple)
    k = near % (len(corners) - 1)
    middle = 0.5 * (corners[k] + corners[k + 1])
    with mp.workdps(60):
        for alpha in [*alphas, max(corners[k], 1e-18), max(middle, 1e-18)]:
            if 0.0 < alpha < 1.0:
                assert as_mp(exactly(g, alpha)) <= truth(alpha, size)


@pytest.mark.parametrize("kind", TRUTHS)
@pytest.mark.parametrize("size", [0.7, 1.0, 3.0])
def test_a_function_is_promised_to_the_tolerance(kind: str, size: float) -> None:
    f = as_function(kind, size)
    g = ny.Tradeoff.from_function(f)
    alpha = np.concatenate([np.logspace(-14, -0.1, 300), 1.0 - np.logspace(-10, -0.3, 100)])
    short = f(alpha) - g.beta(alpha)
    assert np.all(short <= 2e-3 * (1.0 - f(alpha) + 1e-10) + 2e-11)  # the errors, where alpha is nearly 0


def test_what_a_function_of_gdp_says_is_what_gdp_says() -> None:
    for mu in (1.0, 6.0):
        g = ny.Tradeoff.from_function(as_function("gauss", mu))
        assert ny.GDP(mu).satisfies(g).outcome == "yes"
        assert mu <= g.mu(1e-10) <= mu + 0.06
        for delta in (1e-3, 1e-5, 1e-10):
            assert ny.GDP(mu).epsilon(delta) <= g.epsilon(delta) <= ny.GDP(mu).epsilon(delta) * 1.002
    kinks = ny.Tradeoff.from_function(as_function("response", 1.0))
    assert len(kinks.stated["alphas"]) < 12  # pyright: ignore[reportArgumentType]
    sure = ny.ApproximateDP(1.0, 2.0**-10).epsilon(2.0**-10 + 1e-9)
    assert sure <= kinks.epsilon(2.0**-10 + 1e-9) < sure + 1e-9


@examples(5, 120)
@given(st.integers(0, 2**31), st.sampled_from([1e-9, 1e-6, 1e-3]), st.booleans())
def test_errors_of_the_function_are_paid_for(seed: int, error: float, absolute: bool) -> None:
    draw = np.random.default_rng(seed)

    def crooked(alpha: np.ndarray) -> np.ndarray:
        sign = draw.choice([-1.0, 1.0], size=alpha.shape) * 0.999
        beta = ndtr(-ndtri(alpha) - 1.0)
        return np.clip(beta + sign * error if absolute else beta * (1.0 + sign * error), 0.0, 1.0)

    errors = {"relative_error": 1e-12 if absolute else error, "absolute_error": error if absolute else 0.0}
    g = ny.Tradeoff.from_function(crooked, points=200, **errors)
    with mp.workdps(30):
        for alpha in np.append(draw.random(6), 10.0 ** draw.uniform(-12, 0, 12)):
            assert as_mp(exactly(g, float(alpha))) <= gauss(float(alpha), 1.0)
    alphas = np.array([0.01, 0.1, 0.5, 0.9])
    assert np.all(g.beta(alphas) >= as_function("gauss", 1.0)(alphas) - 30.0 * error - 2e-3)


def exact_curve(places: list[int], falls: list[int]) -> tuple[list[Fraction], list[Fraction]]:
    """Corners of a convex curve from (0, <= 1) to (1, 0), all of them floats."""
    a = [0, *sorted(places), 1024]
    steps = np.diff(a)
    slopes = sorted(falls[: len(steps)], reverse=True)
    drops = [int(w) * m for w, m in zip(steps, slopes, strict=True)]
    b = [sum(drops[k:]) for k in range(len(drops) + 1)]
    return [Fraction(v, 1024) for v in a], [Fraction(v, 2**16) for v in b]


@examples(30, 500)
@given(
    st.sets(st.integers(1, 1023), min_size=1, max_size=12).map(list),
    st.lists(st.integers(0, 64), min_size=13, max_size=13),
    st.lists(st.booleans(), min_size=14, max_size=14).filter(any),
)
def test_exact_points_prove_all_that_they_prove(places: list[int], falls: list[int], seen: list[bool]) -> None:
    a, b = exact_curve(places, falls)
    known = [k for k in range(len(a)) if seen[k]]
    if not known:
        return
    alphas, betas = [float(a[k]) for k in known], [float(b[k]) for k in known]
    g = ny.Tradeoff.from_points(alphas, betas, relative_error=0.0)
    for left, right, y_left, y_right in zip(a, a[1:], b, b[1:], strict=False):
        for share in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)):
            x = left + share * (right - left)
            assert exactly(g, x) <= y_left + share * (y_right - y_left)
    # sharp: through each corner and all points there is a trade-off curve
    x, y = g.stated["alphas"], g.stated["betas"]
    assert isinstance(x, tuple)
    assert isinstance(y, tuple)
    for corner in zip(x[1:-1], y[1:-1], strict=True):
        some = {0.0: 1.0, 1.0: 0.0} | dict(zip(alphas, betas, strict=True))
        if corner[0] not in some:
            points = sorted([*some.items(), corner])
            for (x0, y0), (x1, y1), (x2, y2) in zip(points, points[1:], points[2:], strict=False):
                assert y1 <= (y0 * (x2 - x1) + y2 * (x1 - x0)) / (x2 - x0) + 1e-13


def test_chords_of_samples_promise_too_much_and_points_do_not() -> None:
    alphas = np.linspace(0.0, 1.0, 21)
    betas = ndtr(-ndtri(alphas) - 1.0)
    truth = 0.8314633292897975  # G_1(0.025), 60 digits rounded
    assert round(ny.Tradeoff(alphas, betas).beta(0.025), 3) == 0.870
    below = ny.Tradeoff.from_points(alphas, betas)
    assert 0.79 < below.beta(0.025) < truth
    assert ny.GDP(1.0).satisfies(below).outcome == "yes"
    assert ny.GDP(1.0).satisfies(ny.Tradeoff(alphas, betas)).outcome == "no"
    assert ny.Tradeoff.from_points(alphas, betas, "chords") == ny.Tradeoff(alphas, betas)
    assert ny.Tradeoff.from_points(alphas, betas, between="below") == below


def test_few_points() -> None:
    assert ny.Tradeoff.from_points([0.0], [1.0]).beta(0.5) == 0.0
    one = ny.Tradeoff.from_points([0.25], [0.5], relative_error=0.0)  # from (1, 0) to 2/3 at 0, from (0, 1) to 0 at 1/2
    assert one.stated["alphas"] == (0.0, 0.5, 1.0)
    assert one.stated["betas"] == (math.nextafter(2.0 / 3.0, 0.0) if Fraction(2 / 3) > Fraction(2, 3) else 2 / 3, 0, 0)
    assert ny.Tradeoff.from_points([0.5], [0.5]).beta(0.3) == pytest.approx(0.7, abs=1e-11)  # only 1 - alpha


def test_a_promise_from_a_function_is_like_any_other() -> None:
    g = ny.Tradeoff.from_function(lambda alpha: (1.0 - alpha) ** 2, points=16)
    assert pickle.loads(pickle.dumps(g)) == g
    assert eval(f"ny.{g!r}") == g
    node = ny.Opaque(g).to_dict()
    assert ny.Opaque(ny.Tradeoff(g.stated["alphas"], g.stated["betas"])).to_dict() == node
    assert ny.Tradeoff(g.stated["alphas"], g.stated["betas"]) == g


def test_no_more_points_than_allowed_and_never_the_ends() -> None:
    asked: list[float] = []

    def f(alpha: np.ndarray) -> np.ndarray:
        asked.extend(alpha.tolist())
        return ndtr(-ndtri(alpha) - 1.0)

    for points in (3, 4, 57):
        asked.clear()
        ny.Tradeoff.from_function(f, tolerance=1e-6, points=points)
        assert len(asked) == len(set(asked)) == points
        assert 0.0 < min(asked) < max(asked) < 1.0


def test_a_function_may_change_the_array_it_is_given() -> None:
    def f(alpha: np.ndarray) -> np.ndarray:
        alpha -= 1.0
        return alpha * alpha

    assert ny.Tradeoff.from_function(f) == ny.Tradeoff.from_function(lambda alpha: (alpha - 1.0) ** 2)


def test_rounding_of_the_chord_refuses_no_corner() -> None:
    beta = 0.3 * 2.0**-52 * 0.99
    assert ny.Tradeoff([0.0, 1.0 - 2.0**-52, 1.0], [0.3, beta, 0.0]).beta(1.0 - 2.0**-52) <= beta


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda a: np.full_like(a, np.nan), "f must be in [0, 1] at alpha = 0.25, got nan"),
        (lambda a: 1.5 - a, "f must be in [0, 1] at alpha = 0.25, got 1.25"),
        (lambda a: -a, "f must be in [0, 1] at alpha = 0.25, got -0.25"),
        (lambda a: np.minimum(1.0, 1.125 - a), "f must be at most 1 - alpha"),
        (lambda a: 0.25 - 0.5 * np.abs(a - 0.5), "f must be falling"),
        (lambda a: (1.0 - a * a) / 3.0, "f must be convex: at most"),
        (lambda a: ndtr(-ndtri(a) - 1.0) * (1.0 + 1e-6 * np.sin(1e6 * a)), "If that is rounding, state it"),
        (lambda a: 0.25, "f must be convex: at most"),
        (lambda a: a[:-1], "got 'shape (2,), float64'"),
        (lambda a: (1.0 - a)[:, None], "got 'shape (3, 1), float64'"),
        (lambda a: None, "as many betas"),
        (lambda a: ["x"] * len(a), "as many betas"),
        (lambda a: (1.0 - a) * 1j, "as many betas"),
        (lambda a: np.ma.masked_array(1.0 - a, mask=a > 0.6), "a masked array that hides"),
        (lambda a: (1.0 - a).astype(np.float32), "in float64, or with the errors of less stated, got 'float32'"),
        (0.5, "f must be a function of an array of alphas"),
    ],
)
def test_no_curve_no_promise(f: Curve, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.Tradeoff.from_function(f)
    assert words in str(caught.value)
    assert caught.value.name == "f"


def test_what_the_function_raises_is_passed_on() -> None:
    def f(alpha: np.ndarray) -> np.ndarray:
        raise ArithmeticError(f"no {len(alpha)}")

    with pytest.raises(ArithmeticError, match="no 3"):
        ny.Tradeoff.from_function(f)
    coarse = ny.Tradeoff.from_function(lambda a: ((1.0 - a) ** 2).astype(np.float32), relative_error=1e-6)
    assert 0.249 < coarse.beta(0.5) < 0.25


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: ny.Tradeoff.from_points([0.1, 0.5], [0.5, math.nan]), "betas"),
        (lambda: ny.Tradeoff.from_points([0.1, math.nan], [0.5, 0.1]), "alphas"),
        (lambda: ny.Tradeoff.from_points([0.1, 0.5], [0.5, 0.6]), "betas"),  # above 1 - alpha
        (lambda: ny.Tradeoff.from_points([0.1, 0.3], [0.5, 0.6]), "betas"),  # rising
        (lambda: ny.Tradeoff.from_points([0.1, 0.2, 0.3], [0.5, 0.45, 0.1]), "betas"),  # not convex
        (lambda: ny.Tradeoff.from_points([0.1, 0.2], [0.9, 0.5]), "betas"),  # 1.3 at 0
        (lambda: ny.Tradeoff.from_points([0.1, 0.9], [0.11, 0.1]), "betas"),  # steeper again towards (1, 0)
        (lambda: ny.Tradeoff.from_points([0.5, 1.0], [0.5, 0.1]), "betas"),
        (lambda: ny.Tradeoff.from_points([0.5, 0.1], [0.1, 0.5]), "alphas"),
        (lambda: ny.Tradeoff.from_points([0.1, 0.1], [0.5, 0.5]), "alphas"),
        (lambda: ny.Tradeoff.from_points([0.1, 1.1], [0.5, 0.0]), "alphas"),
        (lambda: ny.Tradeoff.from_points([0.1], [0.5, 0.1]), "betas"),
        (lambda: ny.Tradeoff.from_points([], []), "alphas"),
        (lambda: ny.Tradeoff.from_points([0.1], [0.5], "above"), "between"),
        (lambda: ny.Tradeoff.from_points([0.1], [0.5], relative_error=-1.0), "relative_error"),
        (lambda: ny.Tradeoff.from_points([0.1], [0.5], absolute_error=math.nan), "absolute_error"),
        (lambda: ny.Tradeoff.from_points([0.0, 1.0], [1.0, 0.0], "chords", absolute_error=0.1), "absolute_error"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, tolerance=0.0), "tolerance"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, tolerance=math.nan), "tolerance"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, points=2), "points"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, points=100_001), "points"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, relative_error=math.inf), "relative_error"),
        (lambda: ny.Tradeoff.from_function(np.zeros_like, absolute_error=-0.1), "absolute_error"),
    ],
)
def test_refusals_name_the_argument(make: Callable[[], ny.Tradeoff], name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        make()
    assert caught.value.name == name


def test_points_in_less_than_float64_err_by_as_much() -> None:
    alphas = np.linspace(0.0, 1.0, 2001)
    betas = (0.7 * (1.0 - alphas)).astype(np.float32)
    g = ny.Tradeoff.from_points(alphas, betas)
    assert all(exactly(g, float(a)) <= Fraction(7, 10) * (1 - Fraction(float(a))) for a in alphas)
    assert g.beta(0.5) > 0.3499
    with pytest.raises(ny.InvalidParameter, match="convex"):
        ny.Tradeoff.from_points(alphas, betas, relative_error=1e-12)


@settings(max_examples=200)
@given(st.integers(0, 2**400), st.integers(1, 2**400))
def test_corners_are_rounded_down_and_by_no_more_than_needed(part: int, whole: int) -> None:
    n, d = min(part, whole), max(part, whole)
    found = _down(n, d)
    assert Fraction(found) <= Fraction(n, d) < Fraction(float(np.nextafter(found, 2.0)))
