"""Lists of outcomes read over another profile: what is not read is counted, and what tells little is read where it
tells something.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.choose import profiles
from neyman.engines.closed_form.pairs import GaussianProfile, LaplaceProfile
from neyman.engines.combine import mixture
from neyman.engines.combine.faded import faded
from neyman.engines.combine.mixture import MixtureProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import bracket_at
from tests.effort import rest_slow
from tests.engines.contour.test_rare_laplace import line
from tests.reference import exact
from tests.reference.closed import gaussian_delta


def within(found: Profile, epsilon: float, truth: float, width: float = 1e-6) -> None:
    b = found.bracket(np.array([epsilon]))
    assert b.lower[0] <= truth * (1.0 + 1e-12)
    assert truth * (1.0 - 1e-12) <= b.upper[0]
    assert b.upper[0] - b.lower[0] <= width * b.upper[0]


def test_a_long_list_over_one_whole_step_is_read_but_for_what_is_too_rare() -> None:
    """Contours took what time there was: 559 times this beside Laplace(10.65) took 54 s."""
    steps = ((RandomizedResponseStep(7.996, 5, 0.0006346), 60), (LaplaceStep(10.65), 1))
    law = exact.compose((exact.sampled(exact.k_ary(7.996, 5), 0.0006346), 60))
    both = profiles(steps, 1e-6, Effort(1.0))
    assert "exact sum over closed form" in both[0].method
    for eps in (0.0, 0.05, 0.9, 3.0):
        for one, way in zip(both, (law, exact.reverse(law)), strict=True):
            truth = exact.mixed_delta(way, lambda e: exact.laplace_delta([10.65], e), eps)
            within(one, eps, float(truth))
    assert both[1].bracket(np.array([both[1].end])).upper[0] == 0.0


def test_what_is_not_read_of_a_list_is_counted() -> None:
    atoms = enumerated([(RandomizedResponseStep(3.0, 4, 0.2).table().whole()[0], 60)])
    assert atoms is not None
    few = atoms.trimmed(-9.0)
    assert len(few.loss) < 0.5 * len(atoms.loss)
    assert few.dropped > 1e-3
    other = LaplaceProfile(0.7, 2.0)
    eps = np.array([0.0, 1.0, 4.0, 9.0, 15.0, 40.0])
    for remove in (True, False):
        whole, part = (MixtureProfile(one, remove, other, other, 9.0) for one in (atoms, few))
        known, found = whole.bracket(eps), part.bracket(eps)
        assert np.all(found.lower <= known.upper)
        assert np.all(known.lower <= found.upper)
        assert np.all(found.log_gap_lower <= known.log_gap_upper)
        assert np.all(known.log_gap_lower <= found.log_gap_upper)
        assert part.end == whole.end
    assert atoms.trimmed(-1e9) is atoms


@pytest.mark.parametrize("add", rest_slow([False, True], 1))
def test_steps_that_tell_little_are_read_near_each_outcome(add: bool) -> None:
    steps = ((RandomizedResponseStep(1.0, 3), 20), (LaplaceStep(2.0, 1e-4), 300))
    found = profiles(steps, 1e-6, Effort(1.0))[1 if add else 0]
    assert "exact sum" in found.method
    with ctx.workprec(200):
        law = exact.compose((exact.k_ary(1.0, 3), 20))

        def rest(e: arb) -> arb:
            size = abs(float(e))
            if size > 0.05:  # forty deviations
                return arb(0) if float(e) > 0.0 else 1 - e.exp()
            if float(e) < 0.0:
                return 1 - e.exp() + e.exp() * line(2.0, 1e-4, 300, size, not add, 1e3, 0.06, 400)
            return line(2.0, 1e-4, 300, size, add, 1e3, 0.06, 400)

        for eps in (0.0, 0.9995, 1.0005, 1.5):
            within(found, eps, float(exact.mixed_delta(law, rest, eps)))


@pytest.mark.parametrize(("mechanism", "seconds"), [
    ("PureMechanism(.015).poisson(.02295)**127*Laplace(962.6).poisson(1.322e-6)**5744", 5.0),  # 20 s, and refused
    ("DiscreteLaplace(.2358,1).poisson(.01515)**7*Gaussian(34760).poisson(1.519e-5)**7", 5.0),  # 28 s, and refused
    ("Laplace(145.8).poisson(.0009319)**952", 5.0),  # 9 s
])  # fmt: skip
def test_mixes_are_answered_at_once(mechanism: str, seconds: float) -> None:
    begun = time.process_time()
    guarantee = ny.account(eval(mechanism, {name: getattr(ny, name) for name in ny.__all__}))
    assert guarantee.optimistic.mu() <= guarantee.mu() <= guarantee.optimistic.mu() * (1.0 + 1e-6)
    assert guarantee.advantage > 0.0
    assert guarantee.epsilon(1e-5) >= 0.0
    assert time.process_time() - begun < seconds


def test_a_lattice_is_as_long_as_what_lies_between_its_points_asks_for() -> None:
    """Of this law 1 - 1/1925 are two atoms, of any number of steps on one lattice."""
    law = LatticeProfile([(LaplaceStep(962.6, 1.322e-6), 5744)], "remove")
    assert law.points < 1 << 17
    eps = np.array([0.0, 1e-7, 3e-7])
    known = law.bracket(eps)
    assert np.all(known.upper - known.lower <= 1e-6 * known.upper)


def test_a_faded_profile_is_that_of_which_it_is_told() -> None:
    known = GaussianProfile(0.1)
    one = faded(known, np.array([0.3, 1.0, 2.0]))
    assert one is not None
    eps = np.array([0.0, 0.9, 1.0, 1.1, 5.0])
    found, truth = one.bracket(eps), known.bracket(eps)
    assert np.all(found.lower <= truth.upper)
    assert np.all(truth.lower <= found.upper)
    assert np.all(found.log_gap_lower <= truth.log_gap_upper)
    assert np.all(truth.log_gap_lower <= found.log_gap_upper)
    assert found.lower[1] == pytest.approx(truth.lower[1], rel=1e-12)
    assert np.all(one.slope(eps)[2:] == 0.0)
    assert faded(known, np.array([0.1])) is None


def test_deltas_as_small_as_what_is_left_are_read_whole() -> None:
    """Beyond the last outcome, by deviations of the other."""
    atoms, other = enumerated([(RandomizedResponseStep(1.0, 3).table().whole()[0], 3)]), GaussianProfile(0.01)
    assert atoms is not None
    plain, quick = (MixtureProfile(atoms, True, other, other, 9.0, spread) for spread in (0.0, 0.01))
    eps = np.array([0.0, 0.5, 2.95, 3.0, 3.05, 3.08, 3.1, 3.12, 3.2])
    known, found = plain.bracket(eps), quick.bracket(eps)
    np.testing.assert_allclose(found.upper, known.upper, rtol=1e-9)
    np.testing.assert_allclose(found.lower, known.lower, rtol=1e-9)
    np.testing.assert_allclose(found.log_gap_upper, known.log_gap_upper, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found.log_gap_lower, known.log_gap_lower, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(quick.slope(eps)[:6], plain.slope(eps)[:6], rtol=1e-6)
    assert 0.0 < known.upper[-2] < 1e-25


def test_hardly_any_noise_beside_a_list_is_told_by_participations() -> None:
    """No contour is walked for it (1391 promises beside twelve such steps hung); as the list read at each outcome."""
    steps = ((RandomizedResponseStep(1.14, 4, 0.005), 5), (SubsampledGaussianStep(0.05, 0.02), 3))
    for way, found in zip(("remove", "add"), profiles(steps, 1e-6, Effort(1.0)), strict=True):
        assert found.method.startswith("sum over participations")
        alone = profiles(steps[1:], 1e-6, Effort(1.0))
        list_ = enumerated([(steps[0][0].table().whole()[0], 5)])
        assert list_ is not None
        loss, mass = (list_.loss, np.exp(list_.log_p)) if way == "remove" else (-list_.loss, np.exp(list_.log_q))
        eps = np.array([0.3])
        low, high = 0.0, 0.0
        for at, weight in zip(eps[0] - loss, mass, strict=True):
            one = bracket_at(*(alone if way == "remove" else alone[::-1]), np.array([at]))
            low, high = low + weight * one.lower[0], high + weight * one.upper[0]
        known = found.bracket(eps)
        assert low * (1.0 - 1e-9) <= known.upper[0] <= high * (1.0 + 1e-9)
        assert known.upper[0] - known.lower[0] <= 1e-6 * known.upper[0]


def test_a_lattice_whose_points_lie_too_far_apart_for_a_tilt_is_not_made() -> None:
    """Steps of two kinds, far out: two million points were added up for each eps, to say nothing."""
    steps = ((SubsampledGaussianStep(5159.0, 1.513e-5), 1267), (LaplaceStep(75.34, 1.155e-4), 19))
    profile = LatticeProfile(steps, "remove", max_points=1 << 16)
    found = profile.bracket(np.array([2e-5, 2.9e-5, 2.947e-5, 4e-5]))
    assert np.all(found.lower <= found.upper)
    assert found.upper[0] * (1.0 + 1e-8) >= 1.35667522e-9
    assert found.lower[0] <= 1.35672401e-9
    assert max(tilt.plan.c * tilt.plan.h for tilt in profile._tilts) < 1.0
    assert 1 <= len(profile._tilts) < 9


@pytest.mark.parametrize("remove", [True, False])
def test_rare_outcomes_are_read_where_what_is_small_counts(remove: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With both ends of the list and without: the same numbers, as deep as delta and 1 - delta go."""
    atoms = enumerated([(RandomizedResponseStep(1.2, 3).table().whole()[0], 250)])
    assert atoms is not None
    other = GaussianProfile(0.7)
    eps = np.array([0.0, 1.0, 30.0, 90.0, 150.0, 200.0, 250.0, 290.0, 320.0])
    found = MixtureProfile(atoms, remove, other, other, 9.0)
    monkeypatch.setattr(mixture, "_RARE", 1e-300)
    whole = MixtureProfile(atoms, remove, other, other, 9.0)
    assert found._most != found._every == whole._most
    first, second = found.bracket(eps), whole.bracket(eps)
    assert np.all(np.maximum(first.lower, second.lower) <= np.minimum(first.upper, second.upper))
    assert np.all(first.upper - first.lower <= 2.0 * (second.upper - second.lower) + 1e-9 * second.upper)
    width = [b.log_gap_upper - b.log_gap_lower for b in (first, second)]
    assert np.all(width[0] <= 2.0 * width[1] + 1e-9 * np.abs(second.log_gap_lower))
    assert np.all(first.log_gap_lower <= second.log_gap_upper)
    assert np.all(second.log_gap_lower <= first.log_gap_upper)
    assert found.slope(eps) == pytest.approx(whole.slope(eps), rel=1e-6)


class _Dear(Profile):
    """A Gaussian that says it is dear to ask, and counts how often it is asked."""

    def __init__(self, mu: float) -> None:
        self._known, self.asked = GaussianProfile(mu), 0

    @property
    def method(self) -> str:
        return "transform"

    @property
    def tail_mu(self) -> float:
        return self._known.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        self.asked += len(epsilon)
        return self._known.bracket(epsilon)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._known.slope(epsilon)


def test_what_is_dear_is_read_once_where_rounding_does_not_count() -> None:
    law = exact.compose((exact.sampled(exact.k_ary(2.0, 3), 0.25), 40))
    atoms = enumerated([(RandomizedResponseStep(2.0, 3, 0.25).table().whole()[0], 40)])
    assert atoms is not None
    dear = _Dear(0.7)
    read = MixtureProfile(atoms, True, dear, dear, 50.0)
    count = len(atoms.loss)
    twice: list[bool] = []
    for eps in (0.0, 0.3, 4.0, 12.0, 25.0, 34.0):
        dear.asked = 0
        b = read.bracket(np.array([eps]))
        twice.append(dear.asked > count)
        truth = exact.mixed_delta(law, lambda e: gaussian_delta(0.7, e), eps)
        assert b.lower[0] <= truth <= b.upper[0]
        with ctx.workprec(300):
            log_gap = (1 - truth).log()
        assert b.log_gap_lower[0] <= log_gap <= b.log_gap_upper[0]
        assert b.upper[0] - b.lower[0] <= 2e-8 * b.upper[0]
    assert not twice[0]
    assert twice[-1]


def test_few_outcomes_far_apart_are_read_over_what_tells_little_beside_them() -> None:
    """Lines of the whole knew little, for two million points of a lattice behind them to make up for: 18 s."""
    found = ny.account(ny.Gaussian(4992.0).poisson(0.0887) ** 105 * ny.PureMechanism(0.1571).poisson(0.689))
    assert "exact sum over transform" in found.method
    law = exact.sampled(exact.k_ary(0.1571, 2), 0.689)
    for eps in (0.02, 0.05, 0.08):  # far from the outcomes nothing is added
        truth = float(exact.mixed_delta(law, lambda e: 1 - e.exp() if e < 0 else arb(0), eps))
        assert found.optimistic.delta(eps) <= truth * (1.0 + 1e-9)
        assert truth * (1.0 - 1e-9) <= found.delta(eps)
