"""Printed bounds: on their side, and read back as the number that is claimed, down to the smallest floats."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

import neyman as ny
from neyman.numerics.exact.decimals import outward


@given(value=st.floats(0.0, 1e308), digits=st.integers(1, 9))
@example(value=5e-324, digits=2)
@example(value=1.5e-323, digits=7)
@example(value=2.2250738585072014e-308, digits=3)
def test_a_printed_bound_lies_on_its_side_and_is_the_number_that_is_read(value: float, digits: int) -> None:
    above, below = outward(value, digits), outward(value, digits, up=False)
    assert float(below) <= value <= float(above)
    for text in (above, below):
        if text != "inf":
            assert Decimal(text) == Decimal(repr(float(text)))


def test_a_shortfall_of_nothing_is_none() -> None:
    """Pure DP lies above its tangent Gaussian wherever that is stated: no quotient was there to underflow."""
    assert ny.account(ny.PureMechanism(1.0)).gdp().shortfall == 0.0
