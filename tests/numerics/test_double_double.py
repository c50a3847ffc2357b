"""Arithmetic of 106 bits against mpmath: every stated error bound, and how far below it what is seen lies."""

from __future__ import annotations

from decimal import Decimal

import mpmath
import numpy as np
import pytest

from neyman.numerics.exact.double_double import (
    _LN2,
    _TAU,
    TWICE,
    Complex,
    Twofold,
    expm1_small,
    exponential,
    from_decimals,
    growth,
    to_decimal,
    turned,
)

MANY = 300


def drawn(seed: int, low: float = -40.0, high: float = 40.0) -> Twofold:
    rng = np.random.default_rng(seed)
    hi = rng.choice([-1.0, 1.0], MANY) * np.exp(rng.uniform(low, high, MANY))
    return Twofold(hi, hi * rng.uniform(-1.0, 1.0, MANY) * 2.0**-54)


def exact(x: Twofold) -> list[mpmath.mpf]:
    return [mpmath.mpf(float(hi)) + mpmath.mpf(float(lo)) for hi, lo in zip(x.hi, x.lo, strict=True)]


def of(z: Complex) -> list[mpmath.mpc]:
    return [mpmath.mpc(a, b) for a, b in zip(exact(z.re), exact(z.im), strict=True)]


@pytest.fixture(autouse=True)
def many_digits():
    with mpmath.workdps(60):
        yield


def test_sums_products_and_inverses():
    a, b = drawn(1), drawn(2)
    for found, x, y in zip(exact(a + b), exact(a), exact(b), strict=True):
        assert abs(found - (x + y)) <= TWICE * (abs(x) + abs(y))
    for found, x, y in zip(exact(a * b), exact(a), exact(b), strict=True):
        assert abs(found - x * y) <= TWICE * abs(x * y)
    for found, x in zip(exact(a.inverse()), exact(a), strict=True):
        assert abs(found * x - 1) <= 4.0 * TWICE


def test_powers_growth_and_sums_along_an_axis():
    x = drawn(5, -3.0, 0.5)
    found, many = x.powers(41), exact(x)
    for j in (0, 1, 2, 3, 7, 32, 40):
        for mine, base in zip(exact(found.at((..., j))), many, strict=True):
            assert abs(mine - base**j) <= j * TWICE * abs(base**j)
    small = drawn(6, -30.0, -1.1)
    small = small.at(np.abs(small.hi) <= 0.36)
    for mine, z in zip(exact(growth(small)), exact(small), strict=True):
        assert abs(mine - mpmath.expm1(z)) <= 16.0 * TWICE * abs(mpmath.expm1(z))
    for last in (1, 2, 7, 64):
        term = drawn(7).at(slice(0, 4 * last))
        table = Twofold(term.hi.reshape(4, last), term.lo.reshape(4, last))
        for row, mine in enumerate(exact(table.summed())):
            each = exact(term)[row * last : (row + 1) * last]
            assert abs(mine - mpmath.fsum(each)) <= 8.0 * TWICE * mpmath.fsum(abs(one) for one in each)


def test_a_sum_that_cancels_is_as_good_as_its_terms():
    a = drawn(3)
    b = Twofold(-a.hi * (1.0 + 2.0**-50), a.lo)
    for found, x, y in zip(exact(a + b), exact(a), exact(b), strict=True):
        assert abs(found - (x + y)) <= 4.0 * TWICE * abs(x + y)


def test_complex_products_powers_and_inverses():
    a, b = Complex(drawn(4, -3, 3), drawn(5, -3, 3)), Complex(drawn(6, -3, 3), drawn(7, -3, 3))
    for found, x, y in zip(of(a * b), of(a), of(b), strict=True):
        assert abs(found - x * y) <= TWICE * abs(x * y)
    for found, x in zip(of(a.inverse()), of(a), strict=True):
        assert abs(found * x - 1) <= 16.0 * TWICE
    unit = a.times(Twofold(1.0 / a.modulus, np.zeros(MANY)))
    for power in (1, 2, 3, 10, 37, 1000):
        for found, x in zip(of(unit.to_the(power)), of(unit), strict=True):
            assert abs(found - x**power) <= 4.0 * power * TWICE * abs(x**power)


def test_exponentials():
    small = Complex(drawn(8, -80, -4.9), drawn(9, -80, -4.9))
    for found, z in zip(of(expm1_small(small)), of(small), strict=True):
        assert abs(found - mpmath.expm1(z)) <= 8.0 * TWICE * abs(z)
    angle = drawn(10, -30, 6.2)
    for found, x in zip(of(turned(angle)), exact(angle), strict=True):
        assert abs(found - mpmath.expj(x)) <= 24.0 * TWICE * (1.0 + abs(x))
    z = Complex(drawn(11, -10, 6.3), drawn(12, -10, 20.0))
    for found, x in zip(of(exponential(z)), of(z), strict=True):
        assert abs(found - mpmath.exp(x)) <= (200.0 + 8.0 * abs(x)) * TWICE * abs(mpmath.exp(x))


def test_sums_along_an_axis():
    a = Complex(drawn(13, -3, 3), drawn(14, -3, 3))
    for many in (1, 2, 3, 7, 64, 100, MANY):
        some = a.at(slice(0, many))
        total = some.summed()
        whole = mpmath.mpc(*(mpmath.mpf(float(p.hi)) + mpmath.mpf(float(p.lo)) for p in total))
        assert abs(whole - sum(of(some))) <= 10.0 * TWICE * sum(abs(z) for z in of(some))


def test_decimals_come_and_go():
    third = Decimal(1) / Decimal(3)
    two = from_decimals([third, Decimal("1e-30"), Decimal(0)])
    assert abs(to_decimal(float(two.hi[0]), float(two.lo[0])) - third) < Decimal(2) ** -106
    assert two.hi[2] == two.lo[2] == 0.0


def test_constants_are_known_to_106_bits() -> None:
    for found, truth in ((_LN2, mpmath.log(2)), (_TAU, 2 * mpmath.pi)):
        (value,) = exact(Twofold(np.array([found.hi]), np.array([found.lo])))
        assert abs(value - truth) <= truth * mpmath.mpf(2) ** -106
