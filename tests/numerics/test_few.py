"""Reductions of few places say what NumPy's do, NaN and infinities included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from neyman.numerics.functions.few import every, largest, smallest, some

_NUMBERS = npst.arrays(np.float64, st.integers(1, 40), elements=st.floats(width=64))


@given(npst.arrays(np.bool_, npst.array_shapes(min_dims=0, max_dims=3, min_side=0)))
def test_every_and_some_are_all_and_any(true: np.ndarray) -> None:
    true = np.asarray(true)
    assert every(true) is bool(true.all())
    assert some(true) is bool(true.any())


@given(_NUMBERS)
def test_largest_and_smallest_are_max_and_min(x: np.ndarray) -> None:
    np.testing.assert_array_equal(largest(x), x.max())
    np.testing.assert_array_equal(smallest(x), x.min())


@given(_NUMBERS, st.integers(0, 39))
def test_one_nan_is_told(x: np.ndarray, place: int) -> None:
    x[place % len(x)] = math.nan
    assert math.isnan(largest(x))
    assert math.isnan(smallest(x))


def test_of_nothing_there_is_none() -> None:
    for ask in (largest, smallest):
        with pytest.raises(ValueError, match="empty"):
            ask(np.zeros(0))
