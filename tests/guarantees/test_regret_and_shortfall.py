"""The regret of a Gaussian and its shortfall below a floor, which are asked together: against both asked apart, and
against a dense search.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees.questions import regret
from neyman.guarantees.questions.regret import divergence, divergence_and_shortfall, last_that_matters, shortfall
from neyman.profiles.effort import Effort, allowance
from neyman.profiles.pair import Pair
from tests.effort import examples, rest_slow

Array = NDArray[np.float64]
SAME = 1e-9  # relative: what is read in other company is as sharp, and the same but for its last digits

MECHANISMS: dict[str, Callable[[], ny.Mechanism]] = {
    "many": lambda: ny.DPSGD(9.4, 0.32768, 2000),
    "rare": lambda: ny.DPSGD(1.0, 1e-4, 10**6),
    "low noise": lambda: ny.DPSGD(0.6, 1e-3, 10**5),
    "few": lambda: ny.DPSGD(1.0, 0.01, 10),
    "vague": lambda: ny.DPSGD(2.13183069134158, 0.0024854573126992094, 82),
    "one": lambda: ny.DPSGD(9.1, 0.14, 1),
    "two kinds": lambda: ny.DPSGD(1.0, 0.01, 100) * ny.Gaussian(3.0),
    "laplace": lambda: ny.Laplace(1.3) ** 10,
    "both": lambda: ny.Laplace(1.0) * ny.Gaussian(2.0),
    "sampled laplace": lambda: ny.Laplace(2.0).poisson(0.1) ** 100,
}  # fmt: skip


def asked(g: ny.Guarantee, floor: float) -> tuple[Pair, GaussianProfile, tuple[float, float], float]:
    """What ``gdp`` asks; the fit is known then."""
    return g.sides, GaussianProfile(g.mu(floor)), (floor, g.fit(floor).epsilon_floor), g._start


def alike(found: float, apart: float) -> bool:
    return abs(found - apart) <= SAME * abs(apart)


def check(g: ny.Guarantee, fresh: ny.Guarantee, floor: float) -> None:
    """One of the two is asked together, and the other apart, neither knowing what the other was told."""
    if not g.mu(floor) < g.tail_mu:
        return  # nothing is lost below the floor
    fresh.mu(floor)
    found, lost = divergence_and_shortfall(*asked(g, floor))
    sides, gaussian, at, start = asked(fresh, floor)
    apart, lost_apart = divergence(sides, Pair(gaussian, gaussian)), shortfall(sides, gaussian, at, start)
    assert alike(found.upper, apart.upper), (found, apart)
    assert alike(found.lower, apart.lower), (found, apart)
    assert alike(lost, lost_apart), (lost, lost_apart)
    assert 0.0 <= found.lower <= found.upper <= 0.5
    above, below = dense(sides, gaussian)
    assert above <= found.upper
    assert found.lower <= max(above, 0.0) + 3e-3
    assert below <= lost


def dense(sides: Pair, gaussian: GaussianProfile) -> tuple[float, float]:
    """The largest quotients on a grid, from below: of the Gaussian's delta beyond the curve's, and the other way."""
    above, below = -1.0, -1.0
    epsilon = np.linspace(0.0, 14.0, 1401)
    for branch in sides.branches:
        mine, other = branch.bracket(epsilon), gaussian.bracket(epsilon)
        above = max(above, float(np.max((other.lower - mine.upper) / (1.0 + np.exp(epsilon)))))
        below = max(below, float(np.max((mine.lower - other.upper) / (1.0 + np.exp(epsilon)))))
    return above, below


@pytest.mark.parametrize("floor", [1e-10, 1e-4, 0.01])
@pytest.mark.parametrize("name", rest_slow(list(MECHANISMS), "many", "rare", "few", "laplace"))
def test_asked_together_they_are_what_they_are_apart(name: str, floor: float) -> None:
    check(ny.account(MECHANISMS[name]()), ny.account(MECHANISMS[name]()), floor)


@pytest.mark.parametrize("adjacency", ["add", "remove", "replace"])
def test_so_they_are_in_one_direction_and_when_a_record_is_replaced(adjacency: str) -> None:
    """Where the curve is not its own inverse each branch has a floor of its own, and nothing is asked together."""
    m = ny.Gaussian(2.0).poisson(0.1) ** 20
    check(ny.account(m, adjacency=adjacency), ny.account(m, adjacency=adjacency), 1e-6)


@examples(3, 100)
@given(
    sigma=st.floats(0.7, 15.0), rate=st.floats(-4.0, -0.5).map(lambda x: 10.0**x), steps=st.integers(1, 3000),
    floor=st.sampled_from([1e-10, 1e-6, 1e-3]),
)  # fmt: skip
def test_so_they_are_of_any_sampled_gaussian(sigma: float, rate: float, steps: int, floor: float) -> None:
    if rate * (steps * np.expm1(sigma**-2)) ** 0.5 < 4.0:
        m = ny.DPSGD(sigma, rate, steps)
        check(ny.account(m), ny.account(m), floor)


@pytest.mark.parametrize(("name", "fewer"), [("many", 1), ("rare", 1), ("low noise", 1), ("vague", 0), ("laplace", 0)])
def test_both_begin_with_one_look_where_places_are_told_alike(
    name: str, fewer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    g, seen = ny.account(MECHANISMS[name]()), []
    sides, gaussian, at, start = asked(g, 1e-10)
    assert sides.forward.steady == bool(fewer)
    look = regret.evaluate
    monkeypatch.setattr(regret, "evaluate", lambda *all_: seen.append(len(all_[2])) or look(*all_))
    divergence_and_shortfall(sides, gaussian, at, start)
    together = len(seen)
    divergence(sides, Pair(gaussian, gaussian))
    shortfall(sides, gaussian, at, start)
    apart = seen[together:]
    assert together == len(apart) - fewer
    assert (seen[0] > apart[0]) == bool(fewer)


@pytest.mark.parametrize("name", ["many", "rare", "laplace"])
def test_a_report_is_the_same_when_it_is_asked_for_again(name: str) -> None:
    """Of one floor and its mu, and whatever was asked between."""
    g = ny.account(MECHANISMS[name]())
    first, other = g.gdp(), g.gdp(floor=1e-3)
    assert g.optimistic.gdp().regret <= first.regret
    g.epsilon(1e-5)
    assert g.gdp() == first
    assert g.gdp(floor=1e-3) == other


def test_what_was_cut_short_is_tried_again() -> None:
    """A regret and a shortfall that no work was left for are not those of the next question."""
    g, fresh = (ny.account(MECHANISMS["many"]()) for _ in range(2))
    mu = g.mu()
    with Effort(1e-9):
        allowance().take(1e9)
        short = g._gdp(1e-10)
    assert (1e-10, mu) not in g._missed
    known, told = fresh.gdp(), g.gdp()
    assert short.regret > 2.0 * known.regret
    assert alike(told.regret, known.regret)
    assert alike(told.shortfall, known.shortfall)
    assert (1e-10, mu) in g._missed


def test_a_floor_out_of_reach_is_asked_apart() -> None:
    """The eps of a shortfall end where e^eps does; what begins beyond takes the other road, and is as true."""
    g = ny.account(MECHANISMS["few"]())
    sides, gaussian, (floor, _), start = asked(g, 1e-10)
    _, lost = divergence_and_shortfall(sides, gaussian, (floor, 601.0), start)
    assert lost == shortfall(sides, gaussian, (floor, 601.0), start)
    assert lost >= dense(sides, gaussian)[1]


MUS = st.floats(-3.5, 2.5).map(lambda x: 10.0**x)


@examples(30, 1000)
@given(mu=MUS, share=st.lists(st.floats(0.0, 45.0), min_size=1, max_size=8))
def test_nearly_is_about_delta(mu: float, share: list[float]) -> None:
    """Near enough to tell at which eps next to nothing is left, of delta or of delta / (1 + e^eps)."""
    profile, epsilon = GaussianProfile(mu), np.array(share)
    found, b = profile.nearly(epsilon), profile.bracket(epsilon)
    assert np.all(np.abs(found - b.upper) <= 1e-13 + 1e-9 * b.upper)


@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e-3, 1e6, 1e200])
def test_nearly_is_the_bracket_where_the_formula_has_no_digits(mu: float) -> None:
    epsilon = np.array([0.0, 1e-3, 1.0, 45.0])
    assert np.array_equal(GaussianProfile(mu).nearly(epsilon), GaussianProfile(mu).bracket(epsilon).upper)


def test_any_other_profile_tells_no_less_by_nearly_than_by_its_bracket() -> None:
    profile, epsilon = ny.account(ny.Laplace(1.1)).sides.forward, np.array([0.0, 0.3, 0.9, 2.0])
    assert np.array_equal(profile.nearly(epsilon), profile.bracket(epsilon).upper)


class Astray(GaussianProfile):
    """One whose guess at what is left is off by that factor."""

    factor = 1.0

    def nearly(self, epsilon: Array) -> Array:
        return self.factor * super().nearly(epsilon)


@pytest.mark.parametrize("factor", [0.0, 0.5, 2.0, 1e20])
def test_nearly_only_steers(factor: float) -> None:
    """Wherever a grid ends, the bounds of a divergence hold: what lies beyond counts as a tail."""
    mine, other = ny.account(MECHANISMS["few"]()).sides, Astray(1.0)
    exact = divergence(mine, Pair(GaussianProfile(1.0), GaussianProfile(1.0)))
    other.factor = factor
    found = divergence(mine, Pair(other, other))
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper
    assert 0.0 < last_that_matters(mine.forward, other) <= 45.0
    if factor in (0.5, 2.0):
        assert found.upper - found.lower <= 1e-8


@pytest.mark.parametrize("run", [(0.147869, 0.01399, 767318640), (0.26, 0.0123, 13653174846903)])
def test_of_what_is_blatant_nothing_is_warned(run: tuple[float, float, int]) -> None:
    """Eps of a shortfall lie beyond those of which e^eps is a float."""
    report = ny.account(ny.DPSGD(*run)).gdp()
    assert 1e3 < report.mu < np.inf
    assert 0.0 <= report.regret < 1e-12
