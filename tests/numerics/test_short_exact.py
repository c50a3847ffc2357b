"""Numbers that were given, in short: the text is still the number, or lies on the side where the promise holds."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman.numerics.exact.short_exact import in_short, one_in, setting, short_exact


def _read(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below) if below else float(text)


@given(st.integers(1, 10**6), st.integers(2, 10**6))
def test_a_share_of_records_stays_as_it_was_typed(k: int, n: int) -> None:
    k, n = min(k, n - 1), n
    value = k / n
    assert _read(short_exact(value, n)) == value
    assert _read(short_exact(value)) == value
    if len(Decimal(repr(value)).as_tuple().digits) > 9:
        assert short_exact(value, n) == f"{k}/{n}"
        assert Fraction(short_exact(value)) == Fraction(k, n)


@given(st.floats(1e-300, 1e300))
def test_what_is_written_reads_back_as_the_number(value: float) -> None:
    assert _read(short_exact(value)) == value


@given(st.integers(2, 10**9), st.integers(0, 4))
def test_a_delta_just_below_one_over_n_is_told_as_that(n: int, steps: int) -> None:
    value = 1.0 / n
    for _ in range(steps):
        value = math.nextafter(value, 0.0)
    written = short_exact(value, below=True)
    assert 0.0 <= _read(written) - value <= 2.0 * math.ulp(value)
    assert _read(short_exact(value)) == value


@given(st.floats(1e-6, 1e6), st.booleans())
def test_settings_are_rounded_to_their_own_side(value: float, up: bool) -> None:
    written, rounded, _ = setting(value, up=up).partition(" (rounded")
    if not rounded:
        off = _read(written) - value  # a fraction on the side to which it may be rounded
        assert 0.0 <= (off if up else -off) <= 2.0 * math.ulp(value)
    else:
        assert (_read(written) > value) is up
        assert abs(_read(written) - value) <= 1e-5 * value


@pytest.mark.parametrize(
    ("code", "of", "short"),
    [
        ("Gaussian(sigma=1.1).poisson(0.008533333333333334)", 60000, "Gaussian(sigma=1.1).poisson(512/60000)"),
        ("Gaussian(sigma=1.1).poisson(0.008533333333333334)", None, "Gaussian(sigma=1.1).poisson(16/1875)"),
        ("Gaussian(sigma=1.0923546789012)", None, "Gaussian(sigma=1.0923546789012)"),
        ("a.poisson(0.3333333333333333) ** 3", 10, "a.poisson(1/3) ** 3"),
        ("x1.poisson(0.1)", None, "x1.poisson(0.1)"),
    ],
)
def test_code_in_short_is_the_same_code(code: str, of: int | None, short: str) -> None:
    assert in_short(code, of) == short


@given(st.floats(1e-14, 0.0999))
def test_one_in_so_many(rate: float) -> None:
    said = one_in(rate)
    n = float(said.rpartition(" ")[2].replace(",", ""))
    assert abs(1.0 / n - rate) <= (6e-3 if said.startswith("about") else 1e-8) * rate


def test_a_rate_just_above_a_fraction_is_told_as_that() -> None:
    value = 0.0041666666666666675
    assert value > 250 / 60000
    assert short_exact(value, above=True) == "1/240"
    assert short_exact(value, 60000, above=True) == "250/60000"
    assert setting(value, up=False, of=60000) == "250/60000"
    assert short_exact(value) == repr(value)
