"""Numbers as tables print them: never on the wrong side of what they stand for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from neyman.cli.printing.answer import Interval
from neyman.cli.printing.table import bracket_text

RNG = np.random.default_rng(0)
VALUES = [2.0 / 3.0, 0.1 + 0.2, 1e-300 / 3.0, 123456789.123456789, 0.0, *(10.0 ** RNG.uniform(-30.0, 9.0, 50))]


@pytest.mark.parametrize("value", VALUES)
def test_a_number_known_exactly_reads_back_as_itself(value: float) -> None:
    assert float(bracket_text(Interval(value, value))) == value


@pytest.mark.parametrize("value", VALUES[:-40])
def test_a_bracket_is_printed_outward(value: float) -> None:
    low, high = bracket_text(Interval(value, value * (1.0 + 1e-9) + 1e-310)).strip("\\[]").split(", ")
    assert Fraction(low) <= Fraction(value) < Fraction(high)
