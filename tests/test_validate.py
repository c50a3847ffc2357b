"""The validators: what passes, in what type it comes back, and every refusal word for word."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman
from neyman import BudgetExceeded, InvalidParameter, NeymanError, NotCertified
from neyman._validate import (
    MAX_COUNT,
    between,
    choice,
    count,
    inside,
    not_negative,
    positive,
    positives,
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


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, 3.5, 1.0, 1, 1001, -(10**30)])
def test_whole_refuses(value):
    assert str(refused(whole, "k", value, 2, 1000)) == f"k must be a whole number from 2 to 1e+03, got {value!r}."


def test_small_limits_are_written_out():
    assert str(refused(whole, "order", 5, 1, 4)) == "order must be a whole number from 1 to 4, got 5."


def test_whole_returns_plain_integers():
    assert [whole("k", value, 2, 1000) for value in (2, np.int16(1000), 3.0, np.float32(7))] == [2, 1000, 3, 7]
    assert {type(whole("k", value, 2, 1000)) for value in (np.uint8(3), 3.0, np.float64(3))} == {int}
    assert whole("k", 1e18, 0, MAX_COUNT) == 10**18


def test_probability_keeps_both_ends():
    assert probability("q", 0) == 0.0
    assert probability("q", 1) == 1.0
    assert probability("q", 5e-324) == 5e-324


@pytest.mark.parametrize("value", [0, 1, MAX_COUNT, np.int64(MAX_COUNT), np.uint8(7)])
def test_count_returns_a_plain_int(value):
    assert type(count("steps", value)) is int
    assert count("steps", value) == value


@pytest.mark.parametrize(
    "value",
    [-1, MAX_COUNT + 1, 1000.5, 1e30, 10**30, 0.5, math.nan, math.inf, True, np.True_, "3", None, np.float64(-3)],
)
def test_count_refuses(value):
    assert str(refused(count, "steps", value)) == f"steps must be a whole number from 0 to 1e+18, got {value!r}."


@pytest.mark.parametrize("value", ["c", 1, None, ["a"], np.array(["a"])])
def test_choice_refuses(value):
    assert str(refused(choice, "side", value, ("a", "b"))) == f"side must be one of 'a', 'b', got {value!r}."
    assert choice("side", "b", ("a", "b")) == "b"


@pytest.mark.parametrize("check", [unit_interval, reals])
@pytest.mark.parametrize(
    "value", [0.5, np.float64(0.5), np.float32(0.5), 0.0, [0.0, 1.0], np.float32([0.25]), np.zeros((2, 3)), 1]
)
def test_arrays_keep_their_shape(check, value):
    array = check("alpha", value)
    assert array.dtype == np.float64
    assert array.shape == np.shape(value)
    assert np.array_equal(array, value)


@pytest.mark.parametrize("value", [[], np.empty((0, 3)), "0.5", True, [True, False], None, [1j], [None, 0.5]])
def test_arrays_of_something_else_are_refused(value):
    allowed = "a number, or a non-empty array of numbers"
    assert str(refused(unit_interval, "alpha", value)) == f"alpha must be {allowed}, in [0, 1], got {value!r}."
    assert str(refused(reals, "epsilon", value)) == f"epsilon must be {allowed}, all finite, got {value!r}."


@pytest.mark.parametrize("bad", [-1e-300, 1.0000000000000002, math.nan, math.inf])
def test_the_offending_element_is_shown(bad):
    for value in (bad, [0.5, bad, 2.0]):
        assert str(refused(unit_interval, "alpha", value)) == f"alpha must be a number in [0, 1], got {bad!r}."


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_reals_refuse_what_is_not_finite(bad):
    for value in (bad, [1.0, bad]):
        assert str(refused(reals, "epsilon", value)) == f"epsilon must be a finite number, got {bad!r}."


LONG = np.longdouble(1) / np.longdouble(3)  # a float64 where the machine has none that is longer
NO_FLOATS = [Fraction(1, 3), Fraction(1, 10), 2**53 + 1, np.int64(2**53 + 1), np.uint64(2**64 - 1), 10**300 + 1]
NO_FLOATS += [LONG] if np.finfo(np.longdouble).eps < 2.0**-52 else []


@pytest.mark.parametrize("value", NO_FLOATS)
def test_a_number_that_no_float_equals_is_refused(value):
    shown = f"got {value!r}." if len(repr(value)) <= 80 else "..."
    for call in (positive, not_negative, reals, positives):
        error = refused(call, "x", value)
        assert shown in str(error)
        assert error.allowed.endswith(", without rounding a float64")
        assert (
            error.advice == "Round it yourself, to the side that is safe: float(x), or math.nextafter(float(x), ...)."
        )
    refused(probability, "x", value)
    refused(unit_interval, "x", value)
    if not isinstance(value, Fraction):  # NumPy takes a list of fractions for one of objects
        refused(reals, "x", [value])
        refused(reals, "x", np.array([value]))
        refused(reals, "x", [[0.5, value]])
        refused(reals, "x", [np.array([0.5]), np.array([value])])


@pytest.mark.parametrize(
    "value",
    [
        1, 2**53, 2**53 + 2, 2**1000, 10**22, np.int64(-(2**53)), np.int64(2**60), np.uint64(2**63), np.int8(-3),
        Fraction(3, 1024), np.float32(0.1), np.float16(0.1), np.float64(0.1), np.longdouble(0.1),
    ],
)  # fmt: skip
def test_a_number_of_another_kind_that_a_float_equals_is_taken(value):
    exact = Fraction(int(value)) if isinstance(value, (int, np.integer)) else Fraction(*value.as_integer_ratio())
    assert Fraction(between("x", value, -1e301, 1.1e301)) == exact
    assert Fraction(float(reals("x", value))) == exact
    assert reals("x", value).shape == ()
    assert reals("x", np.array(value, dtype=getattr(value, "dtype", np.float64))).shape == ()


def test_nan_and_endless_numbers_of_another_kind_are_refused_as_such():
    for value in (np.float32("nan"), np.longdouble("nan"), np.float32("inf"), np.longdouble("-inf")):
        assert str(refused(positive, "x", value)) == f"x must be a finite number > 0, got {value!r}."
        assert str(refused(reals, "x", np.array([value]))).startswith("x must be a finite number, got ")


@pytest.mark.parametrize("call", [reals, unit_interval, positives])
@pytest.mark.parametrize("inside", [lambda x: x, lambda x: [x], lambda x: [0.5, [x]]])
@pytest.mark.parametrize("value", [b"a", bytearray(b"a"), memoryview(b"a"), np.ma.masked, np.ma.array([1.0], mask=[1])])
def test_bytes_are_no_numbers_and_what_is_hidden_is_none(call, inside, value):
    refused(call, "x", inside(value))


def test_rows_of_unequal_lengths_are_refused():
    for call in (reals, unit_interval, positives):
        assert "[[0.1, 0.2], [0.3]]" in str(refused(call, "x", [[0.1, 0.2], [0.3]]))


HIDING = np.ma.array([0.5, 0.25], mask=[0, 1])
RAGGED = [[0.1, 0.2], [0.3]]
BAD = [HIDING, np.ma.masked, RAGGED, bytearray(b"ab"), memoryview(b"\x00\x01"), [2**53 + 1, 0.5]]


@pytest.mark.parametrize("bad", BAD)
def test_every_reader_of_arrays_refuses_the_same(bad):
    good = [0.25, 0.5]
    g = neyman.GDP(1.0)
    for call in (
        lambda: neyman.RDP([2.0, 4.0], bad), lambda: neyman.RDP(bad, [1.0, 2.0]), lambda: neyman.RDP(2.0, bad),
        lambda: neyman.Profile(good, bad), lambda: neyman.Profile(bad, good),
        lambda: neyman.Profile.from_bayes_errors(bad, good), lambda: neyman.Profile.from_bayes_errors(good, bad),
        lambda: neyman.Tradeoff(bad, good), lambda: neyman.Tradeoff(good, bad),
        lambda: neyman.Tradeoff.from_points(bad, good), lambda: neyman.Tradeoff.from_points(good, bad),
        lambda: g.delta(bad), lambda: g.epsilon(bad), lambda: g.beta(bad), lambda: g.roc(bad),
        lambda: g.bayes_error(bad), lambda: neyman.conversions.rdp_best([2.0, 4.0], bad, 1e-5),
        lambda: neyman.conversions.rdp_standard(bad, [1.0, 2.0], 1e-5), lambda: neyman.Tabulated(bad, [0.5, 0.5]),
    ):  # fmt: skip
        with pytest.raises(InvalidParameter):
            call()


@pytest.mark.parametrize("value", [Fraction(1, 3), 2**53 + 1, *NO_FLOATS[6:]])
def test_no_statement_and_no_mechanism_rounds_what_it_is_given(value):
    for call in (
        lambda: neyman.PureDP(value), lambda: neyman.PureMechanism(value), lambda: neyman.ZCDP(value),
        lambda: neyman.GDP(value), lambda: neyman.ApproximateDP(1.0, value), lambda: neyman.ApproximateDP(value, 0.1),
        lambda: neyman.Gaussian(1.0, value), lambda: neyman.Gaussian(value), lambda: neyman.RDP(2.0, value),
        lambda: neyman.Gaussian(1.0).poisson(value), lambda: neyman.Laplace(value), lambda: neyman.Profile(1.0, value),
    ):  # fmt: skip
        with pytest.raises(InvalidParameter):
            call()
    assert neyman.PureDP(Fraction(1, 4)) == neyman.PureDP(0.25)
    assert neyman.RDP(2, Fraction(1, 4)) == neyman.RDP(2.0, 0.25)


@pytest.mark.parametrize(
    "nothing", ["", b"", bytearray(), memoryview(b""), {}, np.array(1.0), np.array([]), np.array(None), 1.0, None]
)
def test_what_is_no_list_of_mechanisms_is_no_perfect_privacy(nothing):
    error = refused(neyman.compose, nothing)
    assert error.allowed == "given one by one, or in one list"


def test_an_empty_list_and_an_array_of_mechanisms_compose():
    m = neyman.Gaussian(1.0)
    assert neyman.compose([]) == neyman.compose(()) == neyman.compose(iter([])) == m**0
    assert neyman.compose(np.array([m, m], dtype=object)) == m * m


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
