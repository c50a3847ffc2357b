"""What functions err by, against balls of 220 bits: in 150 points each, and on request in 60,000 (40 s)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from scipy import fft, special

from neyman.audit.both_counts import boundaries
from neyman.engines.counts import combinations
from neyman.numerics import rounding
from neyman.numerics.functions.normal import MILLS_ERROR, PROBIT_ERROR
from neyman.numerics.rounding import UNIT, largest_sum_error
from neyman.numerics.sums import tilted_fft
from neyman.numerics.sums.turns import cosine_and_sine, grown, grown_less_one, less_one

Random = np.random.Generator


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    before = ctx.prec
    ctx.prec = 220
    yield
    ctx.prec = before


def log_uniform(rng: Random, low: float, high: float, count: int) -> np.ndarray:
    return np.exp(rng.uniform(np.log(low), np.log(high), count))


def either_sign(rng: Random, low: float, high: float, count: int) -> np.ndarray:
    return log_uniform(rng, low, high, count) * rng.choice([-1.0, 1.0], count)


def near_poles(rng: Random, count: int) -> np.ndarray:
    """Any turns, and such as are about odd multiples of pi, where tan(x / 2) has its poles."""
    poles = np.pi * (2.0 * rng.integers(-(10**6), 10**6, count) + 1.0)
    any_ = either_sign(rng, 1e-300, 1e18, count)
    return np.where(rng.random(count) < 0.3, poles * (1.0 + either_sign(rng, 1e-16, 1e-3, count)), any_)


def ball(x: Any) -> Any:
    return acb(float(x.real), float(x.imag)) if np.iscomplexobj(x) else arb(float(x))


def relative(x: Any, got: Any, truth: Any) -> float:
    size = abs(truth)
    return float((abs(ball(got) - truth) / size).mid()) if float(size.mid()) > 1e-300 else 0.0


def absolute(x: Any, got: Any, truth: Any) -> float:
    return float(abs(ball(got) - truth).mid())


def below(x: Any) -> Any:
    """Phi(x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def log_below(x: Any) -> Any:
    return (-below(-x)).log1p() if x > 0 else below(x).log()


def density(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


@dataclass(frozen=True)
class Case:
    """A function, its truth, where it is asked, and what its error is measured by, in units of 2^-53."""

    function: Callable[[Any], Any]
    truth: Callable[[Any], Any]
    points: Callable[[Random, int], np.ndarray]
    allowed: float
    error: Callable[[Any, Any, Any], float] = relative


def sector(rng: Random, low: float, high: float, count: int, widest: float = np.pi) -> np.ndarray:
    return log_uniform(rng, low, high, count) * np.exp(1j * rng.uniform(-widest, widest, count))


def beside_share(x: Any, got: Any, truth: Any) -> float:
    """Of e^got, where the truth is Phi itself."""
    return float((abs(ball(got).exp() - truth) / abs(truth)).mid())


def tilted(rng: Random, count: int) -> np.ndarray:
    """Places along the paths of ``losses.jumps`` and beside them."""
    turn = np.exp(1j * rng.choice([0.0, 0.12, 0.3, 0.5], count))
    z = (rng.uniform(-13.0, 40.0, count) + 1j * rng.uniform(-4.0, 4.0, count)) * turn * np.sqrt(2.0)
    return z[(z.real > 0.0) & (np.abs(np.angle(z)) < 0.6) | (z.real <= 0.0) & ((z**2).real < 140.0)]


def quantile_of(log: bool) -> Callable[[Any, Any, Any], float]:
    """The error of a quantile, from that of its probability, to first order."""

    def error(p: Any, z: Any, _: Any) -> float:
        at = ball(z)
        off = (log_below(at) - ball(p)) * below(at) if log else below(at) - ball(p)
        return float((abs(off / density(at)) / max(abs(z), 0.0 if log else 1.0)).mid())

    return error


def angles(rng: Random, count: int) -> np.ndarray:
    """Of all sizes, and as near to multiples of pi as floats come."""
    near = np.pi * (rng.integers(-1000, 1000, count // 3) + rng.uniform(-1.0, 1.0, count // 3) ** 9)
    return np.concatenate([either_sign(rng, 1e-300, 1e18, count // 3), near, rng.uniform(-10.0, 10.0, count // 3 + 2)])


def below_one(rng: Random, count: int) -> np.ndarray:
    """Left of the imaginary axis, or on it but for a little."""
    return -log_uniform(rng, 1e-12, 700.0, count) + 1j * either_sign(rng, 1e-12, 1e9, count)


def in_one(parts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return parts[0] + 1j * parts[1]


CASES = {
    "exp": Case(np.exp, lambda x: x.exp(), lambda r, n: either_sign(r, 1e-300, 700.0, n), rounding.ELEMENTARY),
    "expm1": Case(np.expm1, lambda x: x.expm1(), lambda r, n: either_sign(r, 1e-300, 700.0, n), rounding.ELEMENTARY),
    "log": Case(np.log, lambda x: x.log(), lambda r, n: log_uniform(r, 1e-307, 1e307, n), rounding.ELEMENTARY),
    "log near 1": Case(
        np.log, lambda x: x.log(), lambda r, n: 1.0 + either_sign(r, 1e-15, 0.9, n), rounding.ELEMENTARY
    ),
    "log1p": Case(np.log1p, lambda x: x.log1p(), lambda r, n: log_uniform(r, 1e-300, 1e300, n), rounding.ELEMENTARY),
    "log1p below": Case(
        np.log1p, lambda x: x.log1p(), lambda r, n: -log_uniform(r, 1e-300, 1.0 - 1e-12, n), rounding.ELEMENTARY
    ),
    "sin": Case(np.sin, lambda x: x.sin(), lambda r, n: either_sign(r, 1e-300, 1e18, n), rounding.TURN, absolute),
    "cos": Case(np.cos, lambda x: x.cos(), lambda r, n: either_sign(r, 1e-300, 1e18, n), rounding.TURN, absolute),
    "sin by tangents": Case(
        lambda x: cosine_and_sine(x)[1], lambda x: x.sin(), lambda r, n: near_poles(r, n), rounding.TURNED, absolute
    ),
    "cos by tangents": Case(
        lambda x: cosine_and_sine(x)[0], lambda x: x.cos(), lambda r, n: near_poles(r, n), rounding.TURNED, absolute
    ),
    "e^it - 1 by tangents": Case(
        lambda x: in_one(less_one(x)), lambda x: acb(0, x).exp() - 1, angles, rounding.LESS_ONE
    ),
    "complex exp": Case(
        np.exp, lambda z: z.exp(),
        lambda r, n: either_sign(r, 1e-12, 700.0, n) + 1j * either_sign(r, 1e-12, 1e9, n), rounding.COMPLEX,
    ),
    "complex exp by tangents": Case(
        lambda z: grown(z.real, z.imag), lambda z: z.exp(),
        lambda r, n: either_sign(r, 1e-12, 700.0, n) + 1j * either_sign(r, 1e-12, 1e9, n), rounding.COMPLEX,
    ),
    "complex expm1 by tangents": Case(
        lambda z: grown_less_one(z.real, z.imag), lambda z: z.exp() - 1, below_one, rounding.COMPLEX
    ),
    "complex expm1": Case(
        np.expm1, lambda z: z.exp() - 1, lambda r, n: sector(r, 1e-12, 700.0, n), rounding.COMPLEX
    ),
    "complex log": Case(np.log, lambda z: z.log(), lambda r, n: sector(r, 1e-150, 1e150, n), rounding.COMPLEX),
    "erfcx": Case(
        special.erfcx, lambda x: (x * x).exp() * x.erfc(), lambda r, n: log_uniform(r, 1e-300, 1e9, n), rounding.ERFCX
    ),
    "erfcx below": Case(
        special.erfcx, lambda x: (x * x).exp() * x.erfc(), lambda r, n: -log_uniform(r, 1e-300, 26.0, n),
        rounding.ERFCX, lambda x, got, truth: relative(x, got, truth) / (1.0 + 2.0 * x * x),
    ),
    "ndtr": Case(
        special.ndtr, below, lambda r, n: either_sign(r, 1e-300, 37.0, n), rounding.NDTR,
        lambda x, got, truth: relative(x, got, truth) / (1.0 + min(x, 0.0) ** 2),
    ),
    "log_ndtr": Case(
        special.log_ndtr, log_below, lambda r, n: np.append(r.uniform(-40.0, 37.0, n), -log_uniform(r, 1e-9, 1e8, n)),
        rounding.LOG_NDTR, lambda x, got, truth: relative(x, got, truth) / (1.0 + max(x, 0.0) ** 2),
    ),
    "ndtri": Case(
        special.ndtri, lambda p: p, lambda r, n: np.append(log_uniform(r, 1e-300, 0.5, n), r.uniform(0.0, 1.0, n)),
        rounding.NDTRI, quantile_of(False),
    ),
    "ndtri_exp": Case(
        special.ndtri_exp, lambda p: p,
        lambda r, n: np.append(-log_uniform(r, 1e-12, 0.68, n), -log_uniform(r, 0.71, 1e10, n)),
        rounding.NDTRI_EXP, quantile_of(True),
    ),
    "gammaln": Case(
        special.gammaln, lambda x: x.lgamma(), lambda r, n: log_uniform(r, 1e-3, 1e18, n), rounding.GAMMALN,
        lambda x, got, truth: absolute(x, got, truth) / (1.0 + abs(got)),
    ),
    "complex log_ndtr": Case(
        special.log_ndtr, lambda z: (-z / arb(2).sqrt()).erfc() / 2, tilted, rounding.COMPLEX_LOG_NDTR, beside_share
    ),
}  # fmt: skip


def largest(case: Case, rng: Random, count: int) -> tuple[float, Any]:
    """The largest error, in units, and where."""
    points = case.points(rng, count)
    values = case.function(points)
    errors = [case.error(x, y, case.truth(ball(x))) / UNIT for x, y in zip(points, values, strict=True)]
    assert np.isfinite(errors).all()
    worst = int(np.argmax(errors))
    return errors[worst], points[worst]


@pytest.mark.parametrize("name", CASES)
def test_functions_err_by_less_than_is_stated(name: str) -> None:
    error, at = largest(CASES[name], np.random.default_rng(3), 150)
    assert error <= CASES[name].allowed, f"{error:.3g} units at {at!r}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_functions_err_by_less_than_half_of_what_is_stated(name: str) -> None:
    """So that no bound is spent, and none is so wide that a function could become ten times worse unseen."""
    error, at = largest(CASES[name], np.random.default_rng(11), 60_000)
    assert error <= 0.5 * CASES[name].allowed, f"{error:.3g} units at {at!r}"
    assert error >= 0.05 * CASES[name].allowed


def test_errors_are_stated_by_what_was_measured() -> None:
    assert PROBIT_ERROR >= rounding.NDTRI_EXP * UNIT
    assert MILLS_ERROR >= 10.7 * (rounding.ERFCX + 3.0) * UNIT
    assert combinations.TAILS >= rounding.LOG_NDTR * UNIT
    assert 2.0 * max(rounding.NDTRI, rounding.NDTR) * UNIT <= boundaries._PROBIT


@pytest.mark.parametrize("count", [1, 128, 1000, 40_000])
def test_sums_in_pairs(count: int) -> None:
    """Against exact sums: terms of one sign, and of both and many sizes."""
    rng = np.random.default_rng(count)
    for terms in (rng.uniform(1.0, 1.0 + 2.0**-20, count), rng.normal(size=count) * 10.0 ** rng.uniform(-8, 8, count)):
        exact, size = math.fsum(terms), math.fsum(np.abs(terms))  # correctly rounded
        assert abs(float(terms.sum()) - exact) <= (largest_sum_error(count) + 1.0) * UNIT * size
        assert abs(float(terms @ np.ones(count)) - exact) <= (count + 1.0) * UNIT * size


@pytest.mark.parametrize("size", [2, 3, 60, 1024, 6561, 15000])
def test_transforms_err_by_less_than_is_stated(size: int) -> None:
    """In the 2-norm, against the same transform in 64-bit mantissas, and exactly for few terms."""
    rng = np.random.default_rng(size)
    allowed = tilted_fft._FFT * UNIT * np.log2(size)
    for x in (rng.random(size), np.exp(-0.5 * ((np.arange(size) - 0.4 * size) / (0.03 * size + 1.0)) ** 2)):
        exact = np.asarray(fft.rfft(x.astype(np.longdouble)))
        assert exact.dtype == np.clongdouble
        got = fft.rfft(x)
        assert np.linalg.norm(got - exact) <= allowed * np.linalg.norm(exact)
        back = fft.irfft(got, size)
        assert np.linalg.norm(
            back - np.asarray(fft.irfft(got.astype(np.clongdouble), size))
        ) <= allowed * np.linalg.norm(x)
