"""Work is counted before it is done; what is refused leaves a bracket that is wider, and as true."""

from __future__ import annotations

import time

import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.choose import profiles
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.listed import lists
from neyman.engines.combine.mixture import MixtureProfile
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.losses.gaussian.paths.rotated import RotatedLaw
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.effort import Effort, allowance, question
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import Bracket


def test_a_question_inside_another_shares_its_allowance() -> None:
    class Asked:
        effort = Effort(1.0)

        @question
        def inner(self, work: float) -> bool:
            return self.effort.take(work)

        @question
        def outer(self) -> list[bool]:
            return [self.inner(6e8), self.inner(6e8), self.inner(3e8)]

    asked = Asked()
    for _ in range(2):  # the next question starts afresh
        assert asked.outer() == [True, False, True]
        assert asked.effort.spent
    assert asked.inner(1e9)
    assert not asked.effort.spent


def test_a_part_is_worth_so_much() -> None:
    whole = Effort(1.0)
    part = whole.part(0.3, 0.5)
    for _ in range(2):
        with whole:
            assert [part.take(work) for work in (4e8, 3e8, 3e8, 2e8)] == [False, True, False, True]
            assert part.spent
            assert whole.spent
            assert whole.take(5e8)  # what is refused is not taken
            assert not whole.take(1e8)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"), [(0.05, 0.001, 50, 500.0), (1.0, 0.01, 100, 0.5), (0.5, 1e-5, 20, 1.0)]
)
def test_less_effort_is_a_wider_bracket(sigma: float, rate: float, steps: int, epsilon: float) -> None:
    losses = ((SubsampledGaussianStep(sigma, rate), steps),)
    truth = LatticeProfile(losses, "remove", 1e-5, 1 << 15).bracket(np.array([epsilon]))
    for seconds in (1e-9, 1e-3, 0.05):
        remove, _ = profiles(losses, 1e-6, Effort(seconds))
        bracket = remove.bracket(np.array([epsilon]))
        assert bracket.lower[0] <= truth.upper[0]
        assert truth.lower[0] <= bracket.upper[0]
        assert bracket.lower[0] <= bracket.upper[0] <= 1.0


def test_little_noise_is_answered_in_seconds() -> None:
    """Arcs of 10^4 nodes times 10^4 grid points took minutes where a lattice takes one second."""
    began = time.process_time()
    guarantee = ny.account(ny.DPSGD(0.05, 0.001, 50), adjacency="remove")
    upper, lower = guarantee.epsilon(1e-5), guarantee.optimistic.epsilon(1e-5)
    assert upper - lower <= 1e-6 * upper
    assert time.process_time() - began < 12.0  # ten times that without a limit


def test_effort_is_named_where_the_work_was_refused_before() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.01, 182), effort=1e-6)
    for _ in range(2):
        with pytest.raises(ny.NotCertified, match="larger effort"):
            _ = g.advantage
    with pytest.raises(ny.NotCertified) as refused:
        _ = ny.account(ny.DPSGD(1.0, 0.01, 1000), tolerance=1e-12).advantage
    assert "effort" not in refused.value.reason  # it has nothing to do with that


def test_effort_is_named_and_counted_not_timed() -> None:
    with pytest.raises(ny.InvalidParameter, match="effort must be"):
        ny.account(ny.DPSGD(1.0, 0.01, 10), effort=0.0)
    for _ in range(2):  # alike, each time it is asked
        with pytest.raises(ny.NotCertified, match="larger effort") as refused:
            ny.account(ny.DPSGD(0.6, 0.02, 5), effort=1e-6).epsilon(1e-5)
        assert refused.value.lower <= 3.24597024313 <= refused.value.upper


def test_sums_kept_for_neighbouring_tilts_are_those_of_each() -> None:
    """Blocks of w share what is summed once: values one at a time are the same, within their errors."""
    law = RotatedLaw(SamplingTransform(0.3, 0.05), 0.3, 3.0, 0.0, 0.05, 0.25)
    w = 1.0 + 1j * np.geomspace(0.01, 300.0, 400)
    value, error = law.log_rest(w)
    for i in (0, 7, 150, 255, 399):
        alone, apart = law.log_rest(w[i : i + 1])
        assert abs(alone[0] - value[i]) <= error[i] + apart[0]
        assert error[i] < 1e-9


def test_work_that_is_counted_afterwards_leaves_less() -> None:
    """Looks along lines were not counted at all: what is spent, by a part too, is gone until the next question."""
    effort = Effort(1.0)
    part = effort.part(0.5, 0.8)
    with effort:
        part.spend(7e8)
        assert not part.take(2e8)  # 0.9 of all, where 0.8 is its most
        assert effort.take(2e8)
        effort.spend(5e8)  # more than is left
        assert not effort.take(1.0)
        assert effort.spent
    with effort:
        assert part.take(4e8)


def test_looks_tell_what_they_cost() -> None:
    told: list[float] = []
    parts = Parts(((LaplaceStep(20.0).transform(), 400),), 0.0, "remove")
    walk = Walk.along(parts)
    index = int(np.argmin(np.abs(walk.c - 1.0)))
    Plan.make(parts, walk, index, (1.0, 2.0), most=60000, spend=told.append)
    assert sum(told) > 1e6


def test_what_was_cut_short_when_it_was_made_is_tried_again() -> None:
    """delta(0), asked at once when a guarantee is made, was kept for good with whatever effort had been left for it."""
    asked: list[bool] = []

    class Poor(GaussianProfile):
        def bracket(self, epsilon: FloatArray) -> Bracket:
            asked.append(allowance().take(0.9e9))
            return super().bracket(epsilon) if asked[-1] else Bracket.of_delta(0.0 * epsilon, 0.0 * epsilon + 1.0)

    effort = Effort(1.0)
    both = MaximumProfile(Poor(1.0), Poor(1.0))
    for epsilon in (np.zeros(1), np.array([0.5, 1.0])):
        with effort:
            assert both.bracket(epsilon).upper[0] == 1.0  # enough for the first alone
        effort._whole = 2e9
        with effort:
            assert both.bracket(epsilon).upper[0] == GaussianProfile(1.0).bracket(epsilon).upper[0]
        asked.clear()
        with effort:
            both.bracket(epsilon)
        assert asked == []  # known now
        effort._whole = 1e9


def test_readings_are_counted_and_end_at_twice_the_allowance() -> None:
    """Long lines read at each of hundreds of outcomes took minutes: no plan had counted the reading."""
    effort = Effort(1.0)
    with effort:
        effort.spend(1.9e9)
        assert not effort.take(1.0)  # nothing more is begun
        assert not allowance().overdrawn()  # but what is there is read
        effort.spend(0.2e9)
        assert allowance().overdrawn()
    with effort:
        assert not allowance().overdrawn()
        assert not effort.spent
    normal = GaussianProfile(1.0)
    atoms = lists([(RandomizedResponseStep(0.5, 2).table().whole()[0], 3)])[0]
    mixture = MixtureProfile(atoms, True, normal, normal, 2.0)
    epsilon = np.array([0.0, 1.0])
    with effort:
        known = mixture.bracket(epsilon)
        effort.spend(5e9)
        cut = mixture.bracket(epsilon)
        assert np.all((cut.lower <= known.lower) & (cut.upper >= known.upper) & (cut.upper <= 1.0))
        assert effort.spent


def test_what_a_line_is_read_for_is_counted() -> None:
    parts = Parts(((SamplingTransform(1.0, 0.1), 10),), 0.0, "remove")
    walk = Walk.along(parts)
    line = Line.run(parts, walk, Plan.make(parts, walk, int(np.argmin(np.abs(walk.c - 2.0))), (0.5, 0.5)))
    effort = Effort(1.0)
    with effort:
        line.integrate(np.linspace(0.4, 0.6, 50))
        left = effort.left
    assert left < 1e9 - line.nodes * 50
