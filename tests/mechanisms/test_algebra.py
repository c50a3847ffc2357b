"""Laws of the algebra: mechanisms form a commutative monoid under ``*``, ``**`` is repetition, equality is exact."""

import copy
import itertools
import json
import math
import pickle
from fractions import Fraction

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman
from neyman import DPSGD, Gaussian, compose, mechanism_from_dict
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.mechanisms.serialise import json_schema
from tests.effort import examples
from tests.mechanisms.mixes import counts, gaussians, mechanisms, rates, steps

VALIDATOR = jsonschema.Draft202012Validator(json_schema())

PERFECT = compose([])
NAMES = {name: getattr(neyman, name) for name in neyman.__all__}


@given(mechanisms, st.integers(0, 10), st.integers(0, 10))
def test_powers_add_and_multiply(m, a, b):
    few = compose(step ** (n % 10**6) for step, n in m.parts)
    assert few**a * few**b == few ** (a + b)
    assert (few**a) ** b == few ** (a * b)
    assert m**1 is m
    assert m**0 == PERFECT


@given(mechanisms, mechanisms, mechanisms)
def test_composition_is_a_commutative_monoid(a, b, c):
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert (a * b) * c == compose([c, a, b])
    assert a * PERFECT == a
    assert (a * b).losses() == (b * a).losses()
    assert repr((a * b) * c) == repr(c * (b * a))


@given(mechanisms, mechanisms, st.integers(0, 10))
def test_power_distributes(a, b, n):
    a, b = (compose(step ** (k % 10**6) for step, k in m.parts) for m in (a, b))
    assert (a * b) ** n == a**n * b**n


@given(st.lists(st.tuples(steps, counts), max_size=4).flatmap(lambda x: st.tuples(st.just(x), st.permutations(x))))
def test_order_and_grouping_leave_no_trace(parts_and_shuffled):
    parts, shuffled = parts_and_shuffled
    at_once = compose(m**n for m, n in parts)
    one_by_one = compose([])
    for m, n in shuffled:
        one_by_one = m ** (n - n // 2) * one_by_one * m ** (n // 2)
    assert one_by_one == at_once
    assert hash(one_by_one) == hash(at_once)
    assert repr(one_by_one) == repr(at_once)
    assert one_by_one.losses() == at_once.losses()


@given(mechanisms)
def test_repr_can_be_pasted_back(m):
    pasted = eval(repr(m), NAMES)
    assert pasted == m
    assert repr(pasted) == repr(m)


@examples(20, 500)
@given(mechanisms)
def test_dict_pickle_and_copy_round_trip(m):
    VALIDATOR.validate(m.to_dict())
    through_json = mechanism_from_dict(json.loads(json.dumps(m.to_dict(), allow_nan=False)))
    for other in (through_json, pickle.loads(pickle.dumps(m)), copy.deepcopy(m), copy.copy(m)):
        assert other == m
        assert hash(other) == hash(m)
        assert repr(other) == repr(m)
        assert other.losses() == m.losses()


@given(mechanisms)
def test_normal_form_has_distinct_steps_and_one_gaussian_loss(m):
    losses = m.losses()
    laws = [step.law for step, _ in m.parts]
    assert len(set(laws)) == len(laws)
    assert all(type(n) is int and n >= 1 for _, n in (*losses, *m.parts))
    assert not any(isinstance(step, GaussianStep) for step, _ in losses[1:])
    assert all(0.0 < step.rate <= 1.0 for step, _ in losses if not isinstance(step, GaussianStep))


@given(st.lists(st.tuples(gaussians, st.integers(1, 10**17)), min_size=1, max_size=5))
def test_mu_is_the_least_float_not_below_the_exact_root(parts):
    ((step, n),) = compose(m**k for m, k in parts).losses()
    exact = sum(k * (Fraction(m.sensitivity) / Fraction(m.sigma)) ** 2 for m, k in parts)
    assert isinstance(step, GaussianStep)
    assert n == 1
    assert Fraction(math.nextafter(step.mu, 0.0)) ** 2 < exact <= Fraction(step.mu) ** 2


@given(gaussians, st.floats(1e-300, 0.99))
def test_sampled_sigma_is_the_greatest_float_not_above_the_quotient(m, rate):
    ((step, _),) = m.poisson(rate).losses()
    exact = Fraction(m.sigma) / Fraction(m.sensitivity)
    assert Fraction(step.sigma) <= exact < Fraction(math.nextafter(step.sigma, math.inf))
    assert step.rate == rate


@given(gaussians, rates, rates)
def test_sampling_twice_multiplies_the_rates_upward(m, a, b):
    twice = m.poisson(a).poisson(b)
    assert twice == m.poisson(b).poisson(a)
    exact = Fraction(a) * Fraction(b)
    if 0.0 < a < 1.0 and 0.0 < b < 1.0:
        assert Fraction(math.nextafter(twice.rate, 0.0)) < exact <= Fraction(twice.rate)
    else:
        assert twice == m.poisson(a * b)


def test_sampling_at_the_ends():
    m = Gaussian(3.0)
    assert m.poisson(0) == m.poisson(-0.0) == m.poisson(0.0).poisson(0.5) == PERFECT
    assert m.poisson(1) is m
    assert (m * m.poisson(0.5)).poisson(1) == m * m.poisson(0.5)
    assert (m * m.poisson(0.5)).poisson(0) == PERFECT


def test_gaussians_collapse_to_one():
    assert Gaussian(2.0) ** 4 == Gaussian(1.0) == Gaussian(7.0, sensitivity=7.0)
    assert (Gaussian(2.0) ** 4).losses() == ((GaussianStep(1.0), 1),)
    assert hash(Gaussian(2.0) ** 4) == hash(Gaussian(1.0))
    assert Gaussian(2.0) * Gaussian(2.0) == Gaussian(2.0) ** 2 != Gaussian(2.0)
    mix = DPSGD(1.0, 0.01, 10) * Gaussian(0.5) * Gaussian(1.0) ** 5
    assert mix.losses() == ((GaussianStep(3.0), 1), (SubsampledGaussianStep(1.0, 0.01), 10))


def test_spelling_of_a_step_does_not_matter():
    a, b = Gaussian(2.0, 2.0).poisson(0.1), Gaussian(1.0).poisson(0.1)
    assert a == b
    assert a * b == b * a == b**2
    assert repr(a * b) == repr(b * a) == "Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.1) ** 2"


def test_different_mechanisms_are_different():
    values = [PERFECT, Gaussian(1.0), Gaussian(2.0), Gaussian(1.0).poisson(0.5), Gaussian(2.0).poisson(0.5)]
    values += [Gaussian(1.0).poisson(0.25), Gaussian(1.0).poisson(0.5) ** 2, Gaussian(1.0) * Gaussian(1.0).poisson(0.5)]
    for a, b in itertools.combinations(values, 2):
        assert a != b
    assert Gaussian(1.0) != 1.0
    assert Gaussian(1.0) != "Gaussian(sigma=1.0, sensitivity=1.0)"


def test_dpsgd_is_the_algebra():
    m = DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    assert m == Gaussian(9.4).poisson(0.32768) ** 2000
    assert repr(m) == "Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768) ** 2000"
    assert m.losses() == ((SubsampledGaussianStep(9.4, 0.32768), 2000),)
    assert DPSGD(1.0, 0.0, 10) == DPSGD(1.0, 0.5, 0) == DPSGD(1, -0.0, 3) == PERFECT
    assert DPSGD(2, 1, 4) == Gaussian(1)
    assert repr(PERFECT) == "compose([])"
    assert PERFECT.losses() == ()


def test_numpy_scalars_become_plain_numbers():
    m = Gaussian(np.float32(0.5), np.int64(2)).poisson(np.float64(0.25)) ** np.int32(3)
    assert repr(m) == "Gaussian(sigma=0.5, sensitivity=2.0).poisson(0.25) ** 3"
    assert json.loads(json.dumps(m.to_dict())) == m.to_dict()
    assert (Gaussian(1) ** np.uint8(200) ** 1).parts == ((Gaussian(1.0), 200),)


def test_psi():
    assert Gaussian(2.0, sensitivity=3.0).psi == 1.5
    assert Gaussian(2.0) == Gaussian(sigma=2, sensitivity=1)


def test_values_are_frozen():
    for m, field in ((Gaussian(1.0), "sigma"), (Gaussian(1.0).poisson(0.5), "rate"), (Gaussian(1.0) ** 2, "steps")):
        with pytest.raises(AttributeError, match=rf"^cannot assign to field '{field}'$"):
            setattr(m, field, 2.0)
        with pytest.raises((AttributeError, TypeError)):
            m.other = 1.0


def test_huge_counts_stay_exact():
    m = Gaussian(1.0).poisson(0.5)
    assert (m ** (10**18 - 1) * m).parts == ((m, 10**18),)
    assert (Gaussian(1e100) ** 10**18).losses() == ((GaussianStep(1e-91, math.nextafter(1e-91, 0.0)), 1),)


def test_many_different_steps_are_cheap():
    plain = compose(Gaussian(1.0 + i / 7.0) for i in range(300))
    assert hash(plain) == hash(compose(reversed([m for m, _ in plain.parts])))
    assert math.isclose(
        plain.losses()[0][0].mu, math.sqrt(sum((1.0 + i / 7.0) ** -2 for i in range(300))), rel_tol=1e-12
    )


def test_public_names_are_all_listed():
    assert set(neyman.__all__) <= set(dir(neyman))
    for name in ("Gaussian", "DPSGD", "Mechanism", "compose", "mechanism_from_dict", "InvalidParameter", "__version__"):
        assert name in neyman.__all__
        assert getattr(neyman, name) is not None
    with pytest.raises(AttributeError, match=r"^module 'neyman' has no attribute 'nothing'$"):
        neyman.nothing  # noqa: B018
