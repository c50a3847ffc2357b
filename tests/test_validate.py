"""The validators: what passes, in what type it comes back, and every refusal word for word."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman import BudgetExceeded, InvalidParameter, NeymanError, NotCertified
from neyman._validate import (
    MAX_COUNT,
    between,
    choice,
    count,
    inside,
    positive,
    probability,
    reals,
    unit_interval,
    whole,
)

NOT_NUMBERS = [None, "1", True, np.True_, 1j, [1.0], Decimal(1), np.array([1.0]), object]
NUMBERS = [1, 1.0, np.float64(1), np.float32(1), np.int8(1), np.uint64(1), Fraction(1)]


def refused(call, *arguments):
    with pytest.raises(InvalidParameter) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.parametrize("value", NUMBERS)
def test_every_real_type_becomes_a_plain_float(value):
    for result in (positive("x", value), probability("x", value), inside("x", value, 0.0, 2.0)):
        assert type(result) is float
        assert result == 1.0


@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, math.nan, math.inf, -math.inf, 0, 0.0, -0.0, -1.0, 10**400, -(10**400)]
)
def test_positive_refuses(value):
    error = refused(positive, "sigma", value)
    shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
    assert str(error) == f"sigma must be a finite number > 0, got {shown}."
    assert (error.name, error.value, error.allowed) == ("sigma", value, "a finite number > 0")


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, math.inf, -5e-324, math.nextafter(1.0, 2.0), 10**400])
def test_probability_refuses(value):
    error = refused(probability, "sample_rate", value, "Divide.")
    shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
    assert str(error) == f"sample_rate must be a number in [0, 1], got {shown}. Divide."


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, math.inf, 0.0, -0.0, 1.0])
def test_inside_refuses(value):
    assert str(refused(inside, "floor", value, 0.0, 1.0)) == f"floor must be a number in (0, 1), got {value!r}."


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, math.inf, -math.inf, 0.4999, 2.0001, 10**400])
def test_between_refuses(value):
    shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
    said = f"epsilon must be a number in [0.5, 2], got {shown}. Out."
    assert str(refused(between, "epsilon", value, 0.5, 2.0, "Out.")) == said


def test_between_keeps_both_ends():
    assert between("epsilon", 0, 0.0, 700.0) == 0.0
    assert between("epsilon", np.int8(2), 0.5, 2.0) == 2.0


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, 3.0, 1, 1001, -(10**30)])
def test_whole_refuses(value):
    assert str(refused(whole, "k", value, 2, 1000)) == f"k must be a whole number from 2 to 1e+03, got {value!r}."


def test_whole_returns_plain_integers():
    assert [whole("k", value, 2, 1000) for value in (2, np.int16(1000))] == [2, 1000]
    assert type(whole("k", np.uint8(3), 2, 1000)) is int


def test_probability_keeps_both_ends():
    assert probability("q", 0) == 0.0
    assert probability("q", 1) == 1.0
    assert probability("q", 5e-324) == 5e-324


@pytest.mark.parametrize("value", [0, 1, MAX_COUNT, np.int64(MAX_COUNT), np.uint8(7)])
def test_count_returns_a_plain_int(value):
    assert type(count("steps", value)) is int
    assert count("steps", value) == value


@pytest.mark.parametrize(
    "value", [-1, MAX_COUNT + 1, 1e3, 1e30, 10**30, 0.5, math.nan, True, np.True_, "3", None, np.float64(3)]
)
def test_count_refuses(value):
    assert str(refused(count, "steps", value)) == f"steps must be a whole number from 0 to 1e+18, got {value!r}."


@pytest.mark.parametrize("value", ["c", 1, None, ["a"], np.array(["a"])])
def test_choice_refuses(value):
    assert str(refused(choice, "side", value, ("a", "b"))) == f"side must be one of 'a', 'b', got {value!r}."
    assert choice("side", "b", ("a", "b")) == "b"


@pytest.mark.parametrize("value", [0.5, [0.0, 1.0], np.float32([0.25]), np.zeros((2, 3)), 1])
def test_unit_interval_keeps_the_shape(value):
    array = unit_interval("alpha", value)
    assert array.dtype == np.float64
    assert array.shape == np.shape(value)


@pytest.mark.parametrize("value", [[], np.empty((0, 3)), "0.5", True, [True, False], None, [1j], [None, 0.5]])
def test_arrays_of_something_else_are_refused(value):
    allowed = "a number, or a non-empty array of numbers"
    assert str(refused(unit_interval, "alpha", value)) == f"alpha must be {allowed}, in [0, 1], got {value!r}."
    assert str(refused(reals, "epsilon", value)) == f"epsilon must be {allowed}, all finite, got {value!r}."


@pytest.mark.parametrize("bad", [-1e-300, 1.0000000000000002, math.nan, math.inf])
def test_the_offending_element_is_shown(bad):
    assert str(refused(unit_interval, "alpha", [0.5, bad, 2.0])) == f"alpha must be a number in [0, 1], got {bad!r}."


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_reals_refuse_what_is_not_finite(bad):
    assert str(refused(reals, "epsilon", [1.0, bad])) == f"epsilon must be a finite number, got {bad!r}."


@given(st.floats())
def test_validators_agree_with_their_definition(x):
    for call, truth in ((positive, 0 < x < math.inf), (probability, 0 <= x <= 1)):
        if truth:
            assert call("x", x) == x
        else:
            refused(call, "x", x)


def test_errors_are_one_family_and_survive_pickling():
    errors = [
        InvalidParameter("sigma", -1.0, "a finite number > 0", "Turn it round."),
        NotCertified("epsilon", 1.0, 2.0, "too few terms"),
        BudgetExceeded("mu", 2.0, 0.5, 1.0, "Wait."),
    ]
    for error in errors:
        assert isinstance(error, NeymanError)
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)
    assert isinstance(errors[0], ValueError)
    assert str(errors[1]) == "epsilon is certified only to lie in [1, 2]: too few terms."
