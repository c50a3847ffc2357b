"""The larger of two directions where the losses of the second end soon: it is asked only above its chord."""

from __future__ import annotations

import numpy as np
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import Bracket, Profile


def delta(end: float, epsilon: float) -> arb:
    return (arb(end).exp() - arb(epsilon).exp()) / (arb(end).exp() + 1)


class Straight(Profile):
    """delta = (e^end - e^eps) / (e^end + 1): nothing but its chord; it counts what it is asked."""

    method = "closed form"  # type: ignore[assignment]
    tail_mu = 10.0  # type: ignore[assignment]

    def __init__(self, end: float, share: float = 1.0) -> None:
        self._end, self._share = end, share
        self.asked = 0

    @property
    def end(self) -> float:
        return self._end

    def bracket(self, epsilon: np.ndarray) -> Bracket:
        self.asked += int(np.count_nonzero(epsilon > 0.0))
        with ctx.workprec(200):
            true = [float((self._share * max(delta(self._end, e), arb(0))).mid()) for e in epsilon.tolist()]
        value = np.array(true)
        return Bracket.of_delta(np.nextafter(value, 0.0), np.nextafter(value, 1.0))

    def slope(self, epsilon: np.ndarray) -> np.ndarray:
        return self._share * np.exp(epsilon) / (np.exp(self._end) + 1.0)


PLACES = st.floats(0.0, 1.2) | st.floats(-36.0, -1.0).map(lambda t: 1.0 - float(np.exp(t)))


@given(st.floats(1e-6, 1.0), st.lists(PLACES, min_size=1, max_size=20), st.sampled_from([0.0, 0.5, 2.0]))
def test_a_chord_is_no_less_than_the_second(end: float, places: list[float], share: float) -> None:
    second = Straight(end)
    both = MaximumProfile(Straight(end, share), second)
    both.bracket(np.zeros(1))
    epsilon = np.sort(np.array(places)) * end
    found = both.bracket(epsilon[epsilon > 0.0])
    with ctx.workprec(200):
        for e, upper in zip(epsilon[epsilon > 0.0].tolist(), found.upper.tolist(), strict=True):
            assert e >= end or arb(upper) >= delta(end, e)


def test_the_second_is_not_asked_below_its_chord() -> None:
    second = Straight(0.02, 0.5)
    both = MaximumProfile(Straight(0.03), second)
    both.bracket(np.zeros(1))
    epsilon = np.linspace(0.001, 0.05, 40)
    assert np.all(both.bracket(epsilon).upper >= Straight(0.03).bracket(epsilon).upper)
    assert second.asked == 0
    larger = Straight(0.02, 3.0)
    both = MaximumProfile(Straight(0.03), larger)
    both.bracket(np.zeros(1))
    both.bracket(epsilon)
    assert larger.asked > 0


def test_both_directions_of_few_steps_are_within_what_each_says() -> None:
    step = ny.Gaussian(0.5).poisson(0.01) ** 2
    epsilon = np.concatenate([np.geomspace(1e-5, 0.02, 30), np.linspace(0.03, 3.0, 10)])
    both, remove, add = (ny.account(step, adjacency) for adjacency in ("add_or_remove", "remove", "add"))
    lower = np.maximum(remove.optimistic.delta(epsilon), add.optimistic.delta(epsilon))
    upper = np.maximum(remove.delta(epsilon), add.delta(epsilon))
    assert np.all(both.delta(epsilon) >= lower)
    assert np.all(both.optimistic.delta(epsilon) <= upper)
    assert np.all(both.delta(epsilon) <= upper * (1.0 + 2e-8))
