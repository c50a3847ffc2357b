"""Few sampled discrete Gaussians, whose outcomes share no lattice and are too many for a list."""

from __future__ import annotations

import math
import time

import mpmath
import numpy as np
import pytest

import neyman as ny
from neyman.engines.atoms import enumeration
from neyman.engines.atoms import profile as atoms_profile
from neyman.engines.choose import profiles
from neyman.engines.combine.smoothed import SmoothedProfile
from neyman.engines.contour.truncation import cells
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.steps import DiscreteGaussianStep, DiscreteLaplaceStep
from neyman.losses.readings.outcomes import Outcomes
from neyman.profiles.pair import DIRECTIONS, Direction, MaximumProfile
from neyman.profiles.real_line import bracket_at

FEW = ((DiscreteGaussianStep(3.0, 1, 0.3), 5),)


def test_sums_from_every_place_on_are_rounded_a_few_times_only() -> None:
    """Against 40 digits: all of a size, falling and rising by thousands of e-folds, with nothing between."""
    source = np.random.default_rng(7)
    n = 3001
    cases = [
        source.normal(size=n),
        np.linspace(0.0, -4000.0, n) + source.normal(size=n),
        np.linspace(-4000.0, 0.0, n) + source.normal(size=n) * 300.0,
        np.where(source.random(n) < 0.4, -math.inf, source.normal(size=n) * 30.0),
    ]
    for logs in cases:
        found = atoms_profile._suffix(logs)
        with mpmath.workdps(40):
            total, truth = mpmath.mpf(0), np.empty(n)
            for i in range(n - 1, -1, -1):
                total += mpmath.exp(mpmath.mpf(logs[i])) if logs[i] > -math.inf else 0
                truth[i] = float(mpmath.log(total)) if total else -math.inf
        size = 1.0 + np.abs(logs[np.isfinite(logs)]).max()
        seen = np.isfinite(truth)
        assert np.array_equal(found[~seen], truth[~seen])
        assert np.max(np.abs(found - truth)[seen]) <= 2.0**-53 * (4.0 + math.log2(n + 1.0)) * size


def test_a_power_with_too_many_outcomes_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million pairs were added up and sorted, to find that the next product has too many; where sums meet all is
    as it was."""
    table = DiscreteGaussianStep(20.0, 1, 0.07).table()
    one = enumeration._atoms(table)
    assert enumeration._hopeless(one, 55)
    assert not enumeration._hopeless(one, 1)
    spaced = Outcomes(0.3 * np.arange(-40.0, 41.0), np.full(81, -math.log(81.0)), slack=1e-15)
    assert not enumeration._hopeless(enumeration._atoms(spaced), 16)
    with monkeypatch.context() as patch:
        patch.setattr(enumeration, "product", None)
        assert enumeration._power(one, 55) is None
    whole = enumeration._power(enumeration._atoms(spaced), 16)
    assert whole is not None
    assert len(whole.loss) == 16 * 80 + 1


def test_what_is_left_out_of_a_list_is_all_that_lies_beyond_it() -> None:
    """In the direction "add" a step loses -log(1 - q) at most: delta(8) was only known to be below 6e-27."""
    profile = LatticeProfile(FEW, "add")
    far = 5.0 * -math.log1p(-0.3)
    bracket = profile.bracket(np.array([far * (1.0 + 1e-9), 8.0]))
    assert np.all(bracket.upper <= 1e-290)
    assert np.all(bracket.upper > 0.0)  # something is left out of the list
    assert not profile._tilts
    assert profile.bracket(np.array([0.5 * far])).upper[0] > 1e-30
    exact = LatticeProfile(((DiscreteLaplaceStep(1.0, 1, 0.3), 5),), "add")  # and nothing of this one
    assert exact.bracket(np.array([8.0])).upper[0] == 0.0


def test_what_cannot_matter_is_not_sharpened() -> None:
    """At this eps "add" has 1e-6 of the delta of "remove", and took seconds to know it to six digits."""
    epsilon = np.array([0.2, 1.0117])
    profile, whole = (LatticeProfile(FEW, "add", 5e-7, 1 << 20) for _ in range(2))
    least = np.array([1.0, 1e-5])
    found, sharp = profile.above(epsilon, lambda: least), whole.bracket(epsilon)
    assert np.all(found.upper <= least)
    assert np.all(found.lower <= sharp.upper)
    assert np.all(sharp.lower <= found.upper)
    assert sum(tilt.points for tilt in profile._tilts) < 0.2 * sum(tilt.points for tilt in whole._tilts)
    decided = LatticeProfile(FEW, "add", 5e-7, 1 << 20)
    assert decided.decide(epsilon[1:], (1e-5, 1.0)).upper[0] <= 1e-5
    assert decided.decide(epsilon[:1], (0.0, 1e-4)).lower[0] >= 1e-4
    remove = LatticeProfile(FEW, "remove", 5e-7, 1 << 20)
    both = MaximumProfile(remove, profile).bracket(epsilon)
    one, other = remove.bracket(epsilon), whole.bracket(epsilon)
    assert np.array_equal(both.upper, np.maximum(one.upper, other.upper))
    assert np.array_equal(both.lower, np.maximum(one.lower, other.lower))


@pytest.mark.parametrize(
    ("sigma", "rate", "adjacency", "epsilon"),
    [
        (5.784, 0.02167, "add", (0.01, 0.03, 0.06)),
        pytest.param(5.784, 0.02167, "remove", (0.01, 0.03, 0.06), marks=pytest.mark.slow),
    ],
)
def test_lines_and_lattices_agree(sigma: float, rate: float, adjacency: str, epsilon: tuple[float, ...]) -> None:
    """Many nodes of few terms are cheap: lines behind veils, against a lattice that shares nothing with them."""
    losses = (ny.DiscreteGaussian(sigma).poisson(rate) ** 25).losses()
    lines = profiles(losses, 1e-6)[adjacency == "add"]
    assert isinstance(lines, SmoothedProfile)
    a = lines.bracket(np.array(epsilon))
    b = LatticeProfile(losses, adjacency, 1e-4, 1 << 17).bracket(np.array(epsilon))
    assert np.all(a.upper - a.lower <= 1e-6 * a.upper)
    assert np.all(a.lower <= b.upper)
    assert np.all(b.lower <= a.upper)
    assert np.all(b.upper - b.lower <= 1e-2 * b.upper)


def test_sums_of_what_cells_weigh_are_no_smaller_than_they_are() -> None:
    source = np.random.default_rng(3)
    for goal in (-30.0, 500.0):
        logs = goal + source.normal(size=400) * 200.0
        found = cells._log_sums(np.sort(logs), goal)
        truth = np.logaddexp.accumulate(np.sort(logs))
        assert np.all(found >= truth - 1e-12)
        near = np.abs(truth - goal) < 300.0
        assert np.all(found[near] <= truth[near] + 1e-8)


@pytest.mark.parametrize(
    "mechanism",
    [
        ny.DiscreteGaussian(12.52).poisson(0.1359) ** 10,
        ny.DiscreteGaussian(29.47).poisson(0.2289) ** 4,
        ny.DiscreteGaussian(20.25).poisson(0.07032) ** 55,
        pytest.param(ny.DiscreteGaussian(5.784).poisson(0.02167) ** 19, marks=pytest.mark.slow),
        pytest.param(ny.DiscreteGaussian(14.71).poisson(0.006971) ** 200, marks=pytest.mark.slow),
    ],
    ids=repr,
)
@pytest.mark.slow
def test_all_questions_of_few_steps_are_answered_in_a_second(mechanism: ny.Mechanism) -> None:
    began = time.process_time()
    guarantee = ny.account(mechanism)
    guarantee.epsilon(1e-5)
    guarantee.mu()
    guarantee.beta(0.01)
    for epsilon in (0.1, 1.0, 8.0):
        guarantee.delta(epsilon)
    assert time.process_time() - began < 2.5  # about one, on an idle machine; 3.5 before


def test_discrete_gaussians_are_read_at_each_of_few_outcomes() -> None:
    """25 answers beside hardly sampled ones: refused after 36 s. The answers by hand, over all they can say."""
    many, epsilon = ny.DiscreteGaussian(11.67).poisson(0.001349) ** 35, 3.088
    guarantee = ny.account(many * ny.RandomizedResponse(epsilon, 2) ** 25)
    alone = ny.account(many)
    assert "exact sum over" in guarantee.method
    yes = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    for at in (0.0, 67.9361):
        low = high = 0.0
        for k in range(26):
            shift, weight = at - epsilon * (2 * k - 25), math.comb(25, k) * yes**k * (1.0 - yes) ** (25 - k)
            bracket = alone.sides.bracket(np.array([shift]))
            low, high = low + weight * float(bracket.lower[0]), high + weight * float(bracket.upper[0])
        assert high - low <= 1e-6 * high
        assert guarantee.optimistic.delta(at) <= high * (1.0 + 1e-12)
        assert low * (1.0 - 1e-12) <= guarantee.delta(at)
        assert guarantee.delta(at) <= high * (1.0 + 1e-6)


@pytest.mark.parametrize("empty", ["first", "last", "every second", "all but one"])
def test_blocks_of_nothing_sum_to_nothing(empty):
    logs = np.random.default_rng(1).uniform(-50.0, 5.0, 1000)
    gone = {
        "first": slice(0, 500),
        "last": slice(300, None),
        "every second": slice(0, None, 2),
        "all but one": slice(1, None),
    }
    logs[gone[empty]] = -np.inf
    truth = np.logaddexp.accumulate(logs[::-1])[::-1]
    found = atoms_profile._suffix(logs)
    assert np.array_equal(np.isfinite(found), np.isfinite(truth))
    np.testing.assert_allclose(found[np.isfinite(truth)], truth[np.isfinite(truth)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_steers_a_sum_over_rare_outcomes_encloses_it(direction: Direction) -> None:
    g = ny.account(ny.DiscreteGaussian(1.4462).poisson(0.02214) ** 11, adjacency=direction)
    epsilon, profile = np.array([0.01, 0.1, 0.1637, 0.2, 0.9]), g.sides.forward
    rough, sharp = profile.rough(epsilon), profile.bracket(epsilon)
    assert np.all((rough.lower <= sharp.upper) & (sharp.lower <= rough.upper))
    at = np.linspace(-0.1, 0.2, 9)
    least = np.full(len(at), 1e-9)
    loose, tight = (bracket_at(*g.sides, at, rough=rough, least=least) for rough in (True, False))
    assert np.all((loose.lower <= tight.upper) & (tight.lower <= loose.upper))
    assert np.all((loose.upper - loose.lower <= 1e-3 * loose.upper) | (loose.upper < least))
