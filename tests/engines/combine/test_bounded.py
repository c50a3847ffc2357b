"""A dear engine behind a cheap bound is asked only where the bound does not say enough, for what is asked."""

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.before import BoundedProfile
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import Bracket, Profile


class Vague(Profile):
    """A Gaussian's profile, up to a factor either way."""

    def __init__(self, mu, factor):
        self._of, self._factor = GaussianProfile(mu), factor

    method, tail_mu = "vague", 9.0

    def bracket(self, epsilon):
        b = self._of.bracket(epsilon)
        lower, upper = b.lower / self._factor, np.minimum(b.upper * self._factor, 1.0)
        return Bracket(lower, upper, np.log1p(-upper) if np.all(upper < 1.0) else np.full(len(upper), -np.inf), -lower)

    def slope(self, epsilon):
        return self._of.slope(epsilon)


class Asked(GaussianProfile):
    """An engine that keeps what it was asked for."""

    def __init__(self, mu):
        super().__init__(mu)
        self.epsilons = []

    def bracket(self, epsilon):
        self.epsilons.extend(epsilon.tolist())
        return super().bracket(epsilon)


def bounded(asked, mu=1.0, factor=1.5):
    return BoundedProfile(Vague(mu, factor), lambda: asked, 1e-6)


def test_delta_itself_is_asked_of_the_engine():
    asked = Asked(1.0)
    found = bounded(asked).bracket(np.array([1.0, 2.0]))
    assert asked.epsilons == [1.0, 2.0]
    assert np.all(found.upper - found.lower <= 1e-12)


@pytest.mark.parametrize("joined", [False, True])
def test_a_search_asks_only_near_its_goals(joined):
    asked = Asked(1.0)
    profile = bounded(asked)
    if joined:
        profile = MaximumProfile(profile, bounded(asked))
    far = profile.decide(np.array([0.5, 6.0]), (9e-3, 1.1e-2))  # deltas 0.25 and 1e-8
    assert asked.epsilons == []
    truth = GaussianProfile(1.0).bracket(np.array([0.5, 6.0]))
    assert np.all(far.lower <= truth.upper)
    assert np.all(truth.lower <= far.upper)
    near = profile.decide(np.array([2.0]), (1e-2, 5e-2))  # delta 0.021
    assert set(asked.epsilons) == {2.0}
    assert near.upper[0] - near.lower[0] <= 1e-12
    if joined:  # what a search left behind is not an answer
        full = profile.bracket(np.array([0.5, 6.0]))
        assert np.all(full.upper - full.lower <= 1e-12)


def test_epsilon_of_steps_that_hardly_ever_take_part():
    """The search passes eps at which the bound is vague and delta far below what is sought."""
    assert ny.account(ny.DPSGD(0.0479, 4.52e-11, 3359000)).epsilon(1e-5) == pytest.approx(224.61473977837494, rel=1e-9)


def test_a_slope_where_solvers_just_were_asks_no_more_of_the_bound(monkeypatch):
    """Where all of it is wide the engine's slope counts, and the bound's is not looked for."""
    seen = []
    plainly, slopes = Vague.bracket, Vague.slope
    monkeypatch.setattr(Vague, "bracket", lambda self, e: seen.append("bracket") or plainly(self, e))
    monkeypatch.setattr(Vague, "slope", lambda self, e: seen.append("slope") or slopes(self, e))
    profile, places = bounded(Asked(1.0)), np.array([1.0, 2.0])
    profile.bracket(places)
    assert profile.slope(places) == pytest.approx(GaussianProfile(1.0).slope(places))
    assert seen == ["bracket"]
    assert np.all(profile.rough(places).upper <= plainly(Vague(1.0, 1.5), places).upper)
    assert seen == ["bracket"]
    other = np.array([1.0, 3.0])
    profile.slope(other)
    assert seen == ["bracket", "bracket"]
