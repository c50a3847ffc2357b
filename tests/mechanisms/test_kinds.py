"""Every kind of mechanism: the law it has under each adjacency, when two spellings are one, and every refusal."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman import (
    ApproximateMechanism,
    CustomLoss,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameter,
    Laplace,
    PureMechanism,
    RandomizedResponse,
    Tabulated,
    account,
    compose,
)
from neyman.losses.discrete.steps import (
    ApproximateStep,
    DiscreteGaussianStep,
    DiscreteLaplaceStep,
    RandomizedResponseStep,
    TabulatedStep,
)
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from tests.mechanisms.mixes import additive, black_boxes, steps

P, Q = (0.75, 0.25), (0.25, 0.75)


def ramp(x):
    return np.clip(x, 0.0, 1.0)


def square(x):
    return np.clip(x, 0.0, 1.0) ** 2


def message(call):
    with pytest.raises(InvalidParameter) as caught:
        call()
    return str(caught.value)


# --- losses ----------------------------------------------------------------------------------------------------

ADDITIVE = [
    # the mechanism, its loss, when a record is replaced, sampled, sampled and replaced
    (
        Gaussian(2.0), GaussianStep(0.5), GaussianStep(1.0),
        SubsampledGaussianStep(2.0, 0.25), ReplacedGaussianStep(2.0, 0.25),
    ),
    (
        Gaussian(3.0, 2.0), GaussianStep(math.nextafter(2.0 / 3.0, 1.0), 2.0 / 3.0),
        GaussianStep(math.nextafter(4.0 / 3.0, 2.0), 4.0 / 3.0),
        SubsampledGaussianStep(1.5, 0.25), ReplacedGaussianStep(1.5, 0.25),
    ),
    (
        Laplace(4.0, 2.0), LaplaceStep(2.0), LaplaceStep(1.0),
        LaplaceStep(2.0, 0.25), LaplaceStep(2.0, 0.25, two_sided=True),
    ),
    (
        DiscreteGaussian(2.0, 3), DiscreteGaussianStep(2.0, 3), DiscreteGaussianStep(2.0, 6),
        DiscreteGaussianStep(2.0, 3, 0.25), DiscreteGaussianStep(2.0, 3, 0.25, two_sided=True),
    ),
    (
        DiscreteLaplace(2.0, 3), DiscreteLaplaceStep(2.0, 3), DiscreteLaplaceStep(2.0, 6),
        DiscreteLaplaceStep(2.0, 3, 0.25), DiscreteLaplaceStep(2.0, 3, 0.25, two_sided=True),
    ),
]  # fmt: skip
BLACK_BOXES = [
    (RandomizedResponse(1.0, 3), RandomizedResponseStep(1.0, 3), RandomizedResponseStep(1.0, 3, 0.25)),
    (PureMechanism(1.0), RandomizedResponseStep(1.0, 2), RandomizedResponseStep(1.0, 2, 0.25)),
    (ApproximateMechanism(1.0, 0.1), ApproximateStep(1.0, 0.1), ApproximateStep(1.0, 0.1, 0.25)),
    (ApproximateMechanism(1.0, 0.0), RandomizedResponseStep(1.0, 2), RandomizedResponseStep(1.0, 2, 0.25)),
    (Tabulated(P, Q), TabulatedStep(Q, P), TabulatedStep(Q, P, 0.25)),  # sorted, as the order does not matter
]


@pytest.mark.parametrize(("m", "plain", "replaced", "sampled", "both"), ADDITIVE, ids=lambda v: type(v).__name__)
def test_losses_of_additive_noise(m, plain, replaced, sampled, both):
    assert m.losses() == ((plain, 1),)
    assert m.losses(replace=True) == ((replaced, 1),)
    assert m.poisson(0.25).losses() == ((sampled, 1),)
    assert m.poisson(0.25).losses(replace=True) == ((both, 1),)
    assert m.loss() == plain
    assert m.loss(replace=True) == replaced
    assert (m.poisson(0.25) ** 7).losses(True) == ((both, 7),)


@pytest.mark.parametrize(("m", "plain", "sampled"), BLACK_BOXES, ids=lambda v: type(v).__name__)
def test_losses_of_black_boxes(m, plain, sampled):
    assert m.losses() == m.losses(replace=True) == ((plain, 1),)
    assert m.poisson(0.25).losses() == ((sampled, 1),)
    assert message(lambda: (m.poisson(0.25) ** 3 * Gaussian(1.0)).losses(replace=True)) == (
        'adjacency must be one of "add_or_remove", "add", "remove" for a sampled '
        f"{type(m).__name__}, got 'replace'. No proof is known of which pair is worst when a record is exchanged "
        "inside a sampled black box."
    )


def test_a_mix_has_one_gaussian_and_each_other_law_once():
    mix = compose([Gaussian(2.0) ** 4, Laplace(1.0) ** 2, Laplace(2.0, 2.0), PureMechanism(1.0), DiscreteGaussian(2.0)])
    assert mix.losses() == (
        (GaussianStep(1.0), 1), (DiscreteGaussianStep(2.0, 1), 1), (LaplaceStep(1.0), 3),
        (RandomizedResponseStep(1.0), 1),
    )  # fmt: skip
    assert mix.losses(replace=True)[0] == (GaussianStep(2.0), 1)


@given(st.floats(1e-3, 1e3), st.floats(0.1, 10.0), st.floats(0.01, 0.99))
def test_ratios_are_rounded_down(scale, sensitivity, rate):
    m = Laplace(max(scale, sensitivity / 600.0), sensitivity)
    exact = Fraction(m.scale) / Fraction(m.sensitivity)
    for step in (m.loss(), m.poisson(rate).loss(), m.poisson(rate).loss(replace=True)):
        assert Fraction(step.scale) <= exact < Fraction(math.nextafter(step.scale, math.inf))
    assert m.loss(replace=True).scale == m.loss().scale / 2.0


@given(additive, st.floats(0.01, 1.0))
def test_additive_noise_always_has_a_pair(m, rate):
    ((step, n),) = m.poisson(rate).losses(replace=True)
    assert n == 1
    assert hash(step) == hash(m.poisson(rate).losses(replace=True)[0][0])


@given(black_boxes)
def test_black_boxes_do_not_mind_the_adjacency(m):
    assert m.losses() == m.losses(replace=True)


def test_custom_loss():
    from neyman.losses.custom.step import CustomStep

    m = CustomLoss(ramp, square, support=(0, 1))
    assert m.losses() == m.losses(replace=True) == ((CustomStep(ramp, square, 0.0, 1.0, 1.0), 1),)
    assert m.poisson(0.25).losses() == ((CustomStep(ramp, square, 0.0, 1.0, 0.25), 1),)
    assert "for a sampled CustomLoss, got" in message(lambda: m.poisson(0.25).losses(replace=True))


# --- equality ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Laplace(2.0, 2.0), Laplace(1.0)),
        (Laplace(0.3, 0.1), Laplace(0.6, 0.2)),
        (ApproximateMechanism(1.0, 0.0), PureMechanism(1.0)),
        (PureMechanism(1.0), RandomizedResponse(1.0, 2)),
        (PureMechanism(-0.0), RandomizedResponse(0)),
        (Tabulated(P, Q), Tabulated(P[::-1], Q[::-1])),
        (Tabulated(P, Q), Tabulated((0.0, *P), (0.0, *Q))),
    ],
)
def test_spellings_of_one_law_are_counted_together(a, b):
    for x, y in ((a, b), (a.poisson(0.5), b.poisson(0.5))):
        assert x == y
        assert hash(x) == hash(y)
        assert x * y == y * x == x**2 == y**2
        assert repr(x * y) == repr(y * x)
        assert len((x**3 * y).parts) == 1
        assert x.losses() == y.losses()


def test_different_laws_are_different():
    values = [
        Gaussian(1.0), Laplace(1.0), DiscreteGaussian(1.0), DiscreteGaussian(1.0, 2), DiscreteGaussian(2.0, 2),
        DiscreteLaplace(1.0), DiscreteLaplace(2.0, 2), RandomizedResponse(1.0, 3), PureMechanism(1.0),
        PureMechanism(2.0), ApproximateMechanism(1.0, 0.1), ApproximateMechanism(1.0, 0.2), Tabulated(P, Q),
        Tabulated((0.5, 0.5), Q), Tabulated(Q, (0.5, 0.5)), Tabulated((0.75, 0.25, 0.0), (0.25, 0.5, 0.25)),
    ]  # fmt: skip
    for a, b in itertools.combinations(values + [m.poisson(0.5) for m in values] + [m**2 for m in values], 2):
        assert a != b


def test_exact_ratios_tell_scales_apart():
    third = Laplace(1.0, 3.0)
    assert third != Laplace(1.0 / 3.0)
    assert third * Laplace(1.0 / 3.0) != third**2


def test_custom_losses_are_equal_by_identity():
    m = CustomLoss(ramp, square, (0.0, 1.0))
    assert m == CustomLoss(ramp, square, [0, 1])
    assert m * CustomLoss(ramp, square, np.array([0, 1])) == m**2
    assert m.poisson(0.5) * m.poisson(0.5) == m.poisson(0.5) ** 2
    others = [
        CustomLoss(square, ramp, (0.0, 1.0)), CustomLoss(ramp, square, (0.0, 2.0)),
        CustomLoss(lambda x: ramp(x), square, (0.0, 1.0)), m.poisson(0.5), Laplace(1.0),
    ]  # fmt: skip
    assert all(m != other for other in others)
    assert compose([m, *others]) == compose([*reversed(others), m])


@given(steps)
def test_steps_are_values(m):
    assert pickle.loads(pickle.dumps(m)) == m
    for field in ("scale", "sigma", "epsilon", "p", "rate"):
        if hasattr(m, field):
            with pytest.raises(AttributeError, match=rf"^cannot assign to field '{field}'$"):
                setattr(m, field, 2.0)


def test_numpy_values_become_plain():
    m = Tabulated(np.array(P), np.array(Q, dtype=np.float32))
    assert repr(m) == "Tabulated(p=(0.75, 0.25), q=(0.25, 0.75))"
    assert m.to_dict() == {"schema": 1, "kind": "tabulated", "p": [0.75, 0.25], "q": [0.25, 0.75]}
    assert repr(DiscreteGaussian(np.float32(2), np.int8(3))) == "DiscreteGaussian(sigma=2.0, sensitivity=3)"
    assert repr(RandomizedResponse(np.int64(1), np.uint8(3))) == "RandomizedResponse(epsilon=1.0, k=3)"
    assert repr(Tabulated((1, -0.0), (0, 1))) == "Tabulated(p=(1.0, 0.0), q=(0.0, 1.0))"


def test_dicts_as_the_schema_writes_them():
    assert Laplace(2.0).to_dict() == {"schema": 1, "kind": "laplace", "scale": 2.0, "sensitivity": 1.0}
    written = {"schema": 1, "kind": "discrete_gaussian", "sigma": 2.0, "sensitivity": 1}
    assert DiscreteGaussian(2.0).to_dict() == written
    assert DiscreteLaplace(2.0).to_dict() == {"schema": 1, "kind": "discrete_laplace", "scale": 2.0, "sensitivity": 1}
    assert RandomizedResponse(1).to_dict() == {"schema": 1, "kind": "randomized_response", "epsilon": 1.0, "k": 2}
    assert PureMechanism(1).to_dict() == {"schema": 1, "kind": "pure_mechanism", "epsilon": 1.0}
    written = {"schema": 1, "kind": "approximate_mechanism", "epsilon": 1.0, "delta": 0.5}
    assert ApproximateMechanism(1, 0.5).to_dict() == written


# --- refusals ----------------------------------------------------------------------------------------------------

NOT_POSITIVE = [0.0, -0.0, -1, math.nan, math.inf, -math.inf, True, np.True_, "1", None, [1.0], 1j]
POSITIVE = "a finite number > 0"


@pytest.mark.parametrize("value", NOT_POSITIVE)
def test_scales_must_be_positive(value):
    none = " Without noise nothing is promised." if value == 0 else ""
    assert message(lambda: Laplace(value)) == f"scale must be {POSITIVE}, got {value!r}.{none}"
    assert message(lambda: Laplace(1.0, value)) == f"sensitivity must be {POSITIVE}, got {value!r}."
    assert message(lambda: DiscreteLaplace(value)) == f"scale must be {POSITIVE}, got {value!r}.{none}"
    assert message(lambda: DiscreteGaussian(value)) == f"sigma must be a number in [0.03, 10000], got {value!r}."


@pytest.mark.parametrize("value", [0, -1, 1.5, math.nan, math.inf, True, np.True_, "1", None, 10**7])
def test_whole_sensitivities(value):
    said = f"sensitivity must be a whole number from 1 to 1e+05, got {value!r}."
    assert message(lambda: DiscreteGaussian(1.0, value)) == said
    said = f"sensitivity must be a whole number from 1 to 1e+06, got {value!r}."
    assert message(lambda: DiscreteLaplace(1.0, value)) == said


def test_noise_that_no_engine_can_hold():
    allowed = "between 0.00142857 and 1e+15 times the sensitivity"
    assert message(lambda: Laplace(0.0014)) == f"scale must be {allowed} 1.0, got 0.0014."
    assert message(lambda: Laplace(1e15, 0.5)) == f"scale must be {allowed} 0.5, got 1000000000000000.0."
    assert message(lambda: Laplace(1e300, 1e-300)) == f"scale must be {allowed} 1e-300, got 1e+300."
    assert message(lambda: DiscreteLaplace(0.01, 10)) == f"scale must be {allowed} 10, got 0.01."
    assert message(lambda: DiscreteGaussian(0.02)) == "sigma must be a number in [0.03, 10000], got 0.02."
    assert message(lambda: DiscreteGaussian(1e5)) == "sigma must be a number in [0.03, 10000], got 100000.0."
    said = "sigma must be at least the sensitivity 1001 over 1000, got 1.0."
    assert message(lambda: DiscreteGaussian(1.0, 1001)) == said
    for m in (Laplace(1 / 700), Laplace(1e15), DiscreteGaussian(0.03), DiscreteGaussian(1e4), DiscreteLaplace(1e15)):
        assert m.loss(replace=True) is not None
    assert DiscreteGaussian(100.0, 10**5).sensitivity == 10**5
    assert DiscreteLaplace(1e4, 10**6).sensitivity == 10**6


@pytest.mark.parametrize("value", [-1e-300, 700.1, math.nan, math.inf, True, np.True_, "1", None, [1.0]])
def test_epsilon_is_bounded(value):
    said = f"epsilon must be a number in [0, 700], got {value!r}."
    assert message(lambda: RandomizedResponse(value)) == said
    assert message(lambda: PureMechanism(value)) == said
    assert message(lambda: ApproximateMechanism(value, 0.1)) == said


@pytest.mark.parametrize("value", [1, 0, -1, 2.5, 10**9 + 1, math.nan, True, "2", None])
def test_k_is_a_whole_number(value):
    said = f"k must be a whole number from 2 to 1e+09, got {value!r}."
    assert message(lambda: RandomizedResponse(1.0, value)) == said


@pytest.mark.parametrize("value", [-1e-300, 1.1, math.nan, math.inf, True, "0.1", None])
def test_delta_is_a_probability(value):
    assert message(lambda: ApproximateMechanism(1.0, value)) == f"delta must be a number in [0, 1], got {value!r}."


def test_delta_is_below_one():
    said = "delta must be a number in [0, 1), got {}. At 1 everything may be revealed."
    for value in (1, 1.0):
        assert message(lambda value=value: ApproximateMechanism(1.0, value)) == said.format(repr(value))
    assert ApproximateMechanism(1.0, math.nextafter(1.0, 0.0)).delta < 1.0


SEQUENCE = "a non-empty sequence of probabilities"
BAD_LAWS = [
    ((), P, f"p must be {SEQUENCE}, got ()."),
    (P, [], f"q must be {SEQUENCE}, got []."),
    (0.5, P, f"p must be {SEQUENCE}, got 0.5."),
    ("ab", P, f"p must be {SEQUENCE}, got 'ab'."),
    (None, P, f"p must be {SEQUENCE}, got None."),
    ({1.0: 1.0}, P, f"p must be {SEQUENCE}, got {{1.0: 1.0}}."),
    (np.ones((1, 1)), P, f"p must be {SEQUENCE}, got array([[1.]])."),
    (np.array(1.0), P, f"p must be {SEQUENCE}, got array(1.)."),
    (P, (0.5, math.nan), "q[1] must be a number in [0, 1], got nan."),
    ((-0.5, 1.5), Q, "p[0] must be a number in [0, 1], got -0.5."),
    ((0.5, "0.5"), Q, "p[1] must be a number in [0, 1], got '0.5'."),
    ((False, True), Q, "p[0] must be a number in [0, 1], got False."),
    ((0.5, 0.4), Q, "sum(p) must be 1 within 1e-09, got 0.9."),
    (P, (0.25, 0.75 + 2.0**-20), f"sum(q) must be 1 within 1e-09, got {1.0 + 2.0**-20!r}."),
    (P, (0.25, 0.5, 0.25), "len(q) must be 2, the length of p, got 3."),
]


@pytest.mark.parametrize(("p", "q", "said"), BAD_LAWS)
def test_tables_must_be_laws(p, q, said):
    assert message(lambda: Tabulated(p, q)) == said


def test_a_law_may_miss_one_by_rounding():
    assert Tabulated([0.1] * 10, [1 - 1e-10, *[0.0] * 9]).p == (0.1,) * 10


INTERVAL = "two finite numbers (low, high) with low < high"


@pytest.mark.parametrize(
    "value", [(1.0, 0.0), (0.0, 0.0), (0.0, math.inf), (math.nan, 1.0), (0.0,), (0, 1, 2), 1.0, "01", None, (0, [1])]
)
def test_the_support_is_an_interval(value):
    assert message(lambda: CustomLoss(ramp, square, value)) == f"support must be {INTERVAL}, got {value!r}."


def test_custom_losses_take_functions_and_have_no_dict():
    assert message(lambda: CustomLoss(1.0, square, (0, 1))) == "p_cdf must be a function of an array, got 1.0."
    assert message(lambda: CustomLoss(ramp, None, (0, 1))) == "q_cdf must be a function of an array, got None."
    m = CustomLoss(ramp, square, (0.0, 1.0))
    shown = repr(m)[:77] + "..."
    said = (
        f"mechanism must be made of numbers to become a dict, got {shown}. A CustomLoss holds functions; a Tabulated "
        "of the same law can be written."
    )
    for written in (m, m**2, m.poisson(0.5), m * Gaussian(1.0)):
        assert message(written.to_dict) == said


@given(steps)
def test_compositions_of_any_kind_cannot_be_sampled_as_one(m):
    if not m.parts:
        return
    whole = m**2
    shown = repr(whole) if len(repr(whole)) <= 80 else repr(whole)[:77] + "..."
    said = (
        f"mechanism must be a single step to be sampled, got {shown}. A sample shared by several steps is another "
        "mechanism: sample each step first, m.poisson(rate) ** n."
    )
    assert message(lambda: whole.poisson(0.5)) == said


@pytest.mark.parametrize("epsilon", [1e-300, 1e-17, 1e-15, 1e-12])
def test_losses_too_close_to_tell_apart_are_not_nothing(epsilon):
    found = account(PureMechanism(epsilon).poisson(0.1))
    assert 0.05 * epsilon * (1.0 - 1e-9) <= found.sides.bracket(np.zeros(1)).upper[0]
