"""Numbers as people write them, rounded to the side that is asked for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman.understanding.number_text import exact, number, rounded, whole_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("512/60000", Fraction(512, 60000)), ("1e3", Fraction(1000)), ("1%", Fraction(1, 100)), (".5", Fraction(1, 2)),
        ("2.5 %", Fraction(1, 40)), (" 1 / 3 ", Fraction(1, 3)), ("-1/4", Fraction(-1, 4)),
        ("1e-3/2", Fraction(1, 2000)),
    ],
)  # fmt: skip
def test_exact(text: str, value: Fraction) -> None:
    assert exact(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "1/0", "1//2", "1/2/3", "%", "1%%", "1_0", "\uff11/2", "1e9999", "nan/1", "1/2%", "60,000", "0x10"],
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 it has no words of its own: whoever asked names the option
        exact(text)


@given(top=st.integers(1, 10**30), bottom=st.integers(1, 10**30))
def test_the_side_is_kept(top: int, bottom: int) -> None:
    value = number(f"{top}/{bottom}")
    assert value == Fraction(top, bottom)
    low, high = rounded(value, "down"), rounded(value, "up")
    assert Fraction(low) <= Fraction(top, bottom) <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)


def test_decimals_are_what_python_reads() -> None:
    assert [number(text) for text in ("0.1", "1e-5", "inf", "3")] == [0.1, 1e-5, math.inf, 3.0]
    assert rounded(0.1, "up") == rounded(0.1, "down") == 0.1


@pytest.mark.parametrize(("text", "value"), [("1000", 1000), ("1e3", 1000), ("1000.0", 1000), ("9/3", 3)])
def test_whole_numbers(text: str, value: int) -> None:
    assert whole_number(text) == value


@pytest.mark.parametrize("text", ["1000.5", "1/3", "", "x", "nan", "inf", "1_000"])
def test_what_is_not_whole(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        whole_number(text)
