"""What is sharp is handed on as it is: whoever may be asked first says the same, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.before import BoundedProfile
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.combine.smoothed import SmoothedProfile
from neyman.engines.combine.told_alone import ToldAlone
from neyman.engines.combine.total_variation import TotalVariation
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import SHARPEST, Bracket, Profile

PLACES = np.unique(np.concatenate([[0.0], np.geomspace(1e-6, 40.0, 60), np.linspace(0.1, 6.0, 30)]))
RUNS = [
    ny.DPSGD(9.4, 0.32768, 2000), ny.DPSGD(1.0, 0.01, 1000), ny.DPSGD(0.6, 1e-3, 500), ny.DPSGD(4.0, 0.5, 30000),
    ny.DPSGD(1.2, 1.0, 3), ny.Laplace(2.0) ** 40 * ny.DPSGD(1.0, 0.1, 50), ny.DiscreteGaussian(3.0) ** 20,
    ny.Laplace(30.0).poisson(0.2) ** 900 * ny.Gaussian(2.0),
]  # fmt: skip
COLUMNS = ("lower", "upper", "log_gap_lower", "log_gap_upper")


def contour(sigma: float = 1.0, rate: float = 0.1, steps: int = 100, direction: str = "remove") -> ContourProfile:
    return ContourProfile(Parts(((SamplingTransform(sigma, rate), steps),), 0.0, direction))


def backed(tolerance: float) -> FallbackProfile:
    one = contour()
    return FallbackProfile(one, TotalVariation(one, contour(direction="add")), None, tolerance)


def bits(bracket: Bracket) -> list[bytes]:
    return [getattr(bracket, name).tobytes() for name in COLUMNS]


def directions(run: ny.Mechanism) -> list[Profile]:
    return directions_of(ny.account(run))


def directions_of(guarantee: ny.Guarantee) -> list[Profile]:
    both = guarantee.sides.forward
    return [both.first, both.second] if isinstance(both, MaximumProfile) else [both]


@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_the_source_says_the_same_where_it_is_sharp(run: ny.Mechanism) -> None:
    for profile in directions(run):
        for epsilon in PLACES[PLACES > 0.0] if profile.source is not None else ():
            at = np.array([epsilon])
            first = profile.source.bracket(at)
            if first.sharp:
                assert first.upper[0] < 0.5 or first.log_gap_upper[0] - first.log_gap_lower[0] <= SHARPEST
                assert first.upper[0] - first.lower[0] <= SHARPEST * first.upper[0]
                assert bits(first) == bits(profile.bracket(at)) == bits(profile.above(at, lambda: np.zeros(1)))
                assert bits(first) == bits(profile.decide(at, (0.0, 1.0)))


@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_the_larger_of_two_is_the_same_without_their_sources(run: ny.Mechanism) -> None:
    one, other = ny.account(run), ny.account(run)
    for profile in directions_of(other):
        profile.source = None
    for places in (PLACES, PLACES[PLACES > 0.0], *np.split(PLACES, 7), *PLACES[:, None]):
        assert bits(one.sides.bracket(places)) == bits(other.sides.bracket(places))
        assert one.sides.forward.slope(places).tobytes() == other.sides.forward.slope(places).tobytes()


def test_most_runs_have_sharp_places() -> None:  # else nothing is compared above
    found = [
        sum(profile.source.bracket(np.array([eps])).sharp for eps in PLACES[PLACES > 0.0])
        for run in RUNS
        for profile in directions(run)
        if profile.source is not None
    ]
    assert sum(one >= 10 for one in found) >= 8


def test_a_contour_is_not_the_last_word_where_more_is_asked_than_sharp() -> None:
    assert backed(1e-6).source is not None
    assert backed(1e-12).source is None
    assert ToldAlone(backed(1e-12), []).source is None
    assert ToldAlone(GaussianProfile(1.0), []).source is None


def test_a_bound_that_costs_little_is_not_the_last_word_either() -> None:
    assert BoundedProfile(backed(1e-6), None, 1e-6).source is not None
    assert BoundedProfile(backed(1e-6), None, 1e-12).source is None
    assert BoundedProfile(backed(1e-12), None, 1e-6).source is None
    assert BoundedProfile(GaussianProfile(1.0), None, 1e-6).source is None


def test_behind_veils_no_single_contour_is_asked_first() -> None:
    near, far = contour(), contour(1.1)
    both = (near, TotalVariation(near, near)), (far, TotalVariation(far, far))
    veiled = SmoothedProfile(*both, None, 1e-6, 1 << 18, 1e-6, math.inf)
    assert veiled.source is None
    assert ToldAlone(veiled, []).source is None


@pytest.mark.parametrize("places", [np.zeros(1), np.array([0.0, 1.0]), np.array([1e-9]), np.array([1.0, 1e3])])
def test_sharp_is_a_promise_about_every_place(places: np.ndarray) -> None:
    found = contour().bracket(places)
    width, gap = found.upper - found.lower, found.log_gap_upper - found.log_gap_lower
    assert found.sharp == bool(((width <= SHARPEST * found.upper) & ((found.upper < 0.5) | (gap <= SHARPEST))).all())


def test_what_a_contour_hands_out_may_be_written_into() -> None:
    one = contour()
    first = one.bracket(np.array([1.0]))
    kept = bits(first)
    for name in COLUMNS:
        getattr(first, name)[:] = np.nan
    assert bits(one.bracket(np.array([1.0]))) == kept


def test_places_may_be_overwritten_after_they_were_asked() -> None:
    both = MaximumProfile(contour(), contour(direction="add"))
    at = np.array([1.0])
    both.bracket(at)
    at[0] = 2.0
    assert bits(both.bracket(at)) == bits(MaximumProfile(contour(), contour(direction="add")).bracket(np.array([2.0])))
