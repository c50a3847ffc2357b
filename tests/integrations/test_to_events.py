"""Mechanisms become events of dp_accounting, and come back the same, or promising no more."""

import sys
from fractions import Fraction

import pytest
from dp_accounting import dp_event as dp
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter, from_dp_event
from neyman.integrations.to_events import to_dp_event

sizes = st.floats(1e-3, 1e3)
rates = st.floats(0.0, 1.0, exclude_min=True, exclude_max=True)
copied = st.one_of(
    sizes.map(ny.Gaussian),
    st.floats(2e-2, 1e3).map(ny.Laplace),
    st.builds(lambda noise, rate: ny.Gaussian(noise).poisson(rate), sizes, rates),
    st.builds(lambda noise, rate: ny.Laplace(noise).poisson(rate), st.floats(2e-2, 1e3), rates),
)


@given(st.lists(st.tuples(copied, st.integers(0, 10**6)), max_size=5))
def test_what_is_copied_comes_back_the_same(parts):
    mechanism = ny.compose(one**times for one, times in parts)
    back = from_dp_event(to_dp_event(mechanism))
    assert back == mechanism or sum(isinstance(step, ny.Gaussian) for step, _ in mechanism.parts) > 1
    assert from_dp_event(to_dp_event(back)) == back


@given(sizes, st.floats(1e-2, 1e2))
def test_ratios_are_rounded_down(noise, sensitivity):
    exact = Fraction(noise) / Fraction(sensitivity)
    for kind in (ny.Gaussian, ny.Laplace):
        try:
            event = to_dp_event(kind(noise, sensitivity))
        except InvalidParameter:
            continue  # a scale that Laplace does not take
        assert 0 <= exact - Fraction(event.noise_multiplier) <= exact * Fraction(2) ** -52


@given(st.floats(0.1, 1e3), st.integers(1, 50))
def test_inverse_scales_are_rounded_up(scale, sensitivity):
    event = to_dp_event(ny.DiscreteLaplace(scale, sensitivity))
    assert Fraction(event.noise_parameter) * Fraction(scale) >= 1
    back = from_dp_event(event)
    assert back.sensitivity == sensitivity
    assert scale * (1.0 - 1e-15) <= back.scale <= scale


@given(st.floats(0.0, 600.0), st.integers(2, 10**6))
def test_randomised_responses_come_back_with_no_less_epsilon(epsilon, k):
    back = from_dp_event(to_dp_event(ny.RandomizedResponse(epsilon, k)))
    assert back.k == k
    assert epsilon <= back.epsilon <= epsilon * (1 + 1e-12) + 1e-13 * k


EVENTS = [
    (ny.compose([]), dp.NoOpDpEvent()),
    (ny.Gaussian(2.0), dp.GaussianDpEvent(2.0)),
    (ny.DPSGD(1.0, 0.25, 1), dp.PoissonSampledDpEvent(0.25, dp.GaussianDpEvent(1.0))),
    (
        ny.DPSGD(1.0, 0.25, 10),
        dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.25, dp.GaussianDpEvent(1.0)), 10),
    ),
    (
        ny.Gaussian(2.0) * ny.Laplace(3.0) ** 2,
        dp.ComposedDpEvent([dp.GaussianDpEvent(2.0), dp.SelfComposedDpEvent(dp.LaplaceDpEvent(3.0), 2)]),
    ),
    (ny.RandomizedResponse(0.0, 4), dp.RandomizedResponseDpEvent(1.0, 4)),
    (ny.Opaque(ny.ZCDP(0.5)), dp.ZCDpEvent(0.5)),
]


@pytest.mark.parametrize(("mechanism", "event"), EVENTS, ids=lambda value: type(value).__name__)
def test_what_is_written(mechanism, event):
    assert to_dp_event(mechanism) == event


NO_EVENT = [
    ny.DiscreteGaussian(2.0),
    ny.Tabulated([0.5, 0.5], [0.4, 0.6]),
    ny.Opaque(ny.GDP(1.0)),
    ny.Opaque(ny.ZCDP(0.5), adjacency="replace"),
    ny.DiscreteGaussian(2.0).poisson(0.5) ** 3 * ny.Gaussian(1.0),
]


@pytest.mark.parametrize("mechanism", NO_EVENT, ids=repr)
def test_what_no_event_says(mechanism):
    with pytest.raises(InvalidParameter) as caught:
        to_dp_event(mechanism)
    assert str(caught.value).endswith("dp_accounting has no event that says the same.")
    assert "must be made of Gaussian, Laplace, DiscreteLaplace, RandomizedResponse" in str(caught.value)


@pytest.mark.parametrize("box", [ny.PureMechanism(1.0), ny.ApproximateMechanism(1.0, 1e-6)])
def test_black_boxes_need_an_event_of_later_versions(box, monkeypatch):
    monkeypatch.delattr(dp, "EpsilonDeltaDpEvent", raising=False)
    with pytest.raises(InvalidParameter, match="has no event"):
        to_dp_event(box)
    monkeypatch.setattr(dp, "EpsilonDeltaDpEvent", lambda epsilon, delta: (epsilon, delta), raising=False)
    assert to_dp_event(box) in ((1.0, 0.0), (1.0, 1e-6))


def test_what_is_no_mechanism():
    with pytest.raises(InvalidParameter, match="mechanism must be a Mechanism, got 1"):
        to_dp_event(1)


def test_without_dp_accounting(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", None)
    with pytest.raises(ImportError, match=r"pip install 'neyman\[dp-accounting\]'"):
        to_dp_event(ny.Gaussian(1.0))
