"""Rare sampled discrete Gaussians, by how many of their outcomes are rare: against every outcome of few steps in long
precision, each reading against the others, and every bound with what would make it too small.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.closed_form.pairs import GaussianProfile, PerfectProfile
from neyman.engines.combine.listed import lists
from neyman.engines.combine.staged import StagedProfile
from neyman.engines.combine.tabled import SweptLattice, TabledProfile
from neyman.engines.counts import levels
from neyman.engines.counts.chernoff import Chernoff
from neyman.engines.counts.levels import by_jumps
from neyman.engines.counts.parting import parting
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Bracket, Profile
from tests.effort import examples, rest_slow


def truth(sigma: float, rate: float, times: int, epsilon: float, remove: bool, exchanged: bool = False) -> float:
    """delta of few steps, summed over the multisets of their outputs in 40 digits."""
    with mpmath.workdps(40):
        s, q = mpmath.mpf(sigma), mpmath.mpf(rate)
        reach = math.ceil(16.0 * sigma) + 2
        x = range(-reach, reach + 2)
        f = {k: mpmath.exp(-((mpmath.mpf(k) / s) ** 2) / 2) for k in range(-reach - 1, reach + 3)}
        whole = mpmath.fsum(f.values())
        other = q if exchanged else mpmath.mpf(0)
        step = [tuple(((1 - r) * f[k] + r * f[k - d]) / whole for r, d in ((q, 1), (other, -1))) for k in x]
        return float(_ordered(step, times, mpmath.exp(mpmath.mpf(epsilon)), remove))


def _ordered(step: list[tuple[mpmath.mpf, mpmath.mpf]], times: int, y: mpmath.mpf, remove: bool) -> mpmath.mpf:
    found = mpmath.mpf(0)

    def visit(first: int, left: int, p: mpmath.mpf, q: mpmath.mpf, ways: int) -> None:
        nonlocal found
        if max(p, q) * ways < mpmath.mpf(10) ** -30:
            return
        if left == 0:
            found += ways * max((p - y * q) if remove else (q - y * p), mpmath.mpf(0))
            return
        if first == len(step):
            return
        a, b = step[first]
        for k in range(left + 1):
            visit(first + 1, left - k, p * a**k, q * b**k, ways * math.comb(left, k))

    visit(0, times, mpmath.mpf(1), mpmath.mpf(1), 1)
    return found


def level(sigma: float, rate: float, times: int, whole: bool = False, exchanged: bool = False) -> levels.Level:
    table = DiscreteGaussianStep(sigma, 1, rate, exchanged).table()
    found = levels._level(table, times, 1e-6, 9.0, Effort(), lambda losses: (BLUNT, BLUNT), -57.0)
    assert found is not None
    if not whole:  # read one list at each outcome of the other, or a table
        found.__dict__["_whole_list"] = None
    return found


class Blunt(Profile):
    """It knows nothing."""

    method, tail_mu = "blunt", math.inf

    def bracket(self, epsilon: np.ndarray) -> Bracket:
        return Bracket.of_delta(np.zeros(len(epsilon)), np.ones(len(epsilon)))

    def slope(self, epsilon: np.ndarray) -> np.ndarray:
        return np.zeros(len(epsilon))


BLUNT = Blunt()


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "exchanged", "width"),
    rest_slow(
        [
            (0.5, 1e-6, 3, False, 1e-6),
            (0.5, 1e-3, 3, True, 1e-6),
            (0.7, 3e-9, 5, False, 1e-6),
            (1.1, 2e-4, 4, False, 1e-6),
            (0.4, 1e-12, 6, True, 3e-4),  # its losses cancel: sums of large ones are known no better than those
        ],
        0,
        1,
    ),
)
def test_every_reading_holds_the_truth_of_few_steps(
    sigma: float, rate: float, times: int, exchanged: bool, width: float
) -> None:
    loss = DiscreteGaussianStep(sigma, 1, rate, exchanged).table().loss
    eps = np.unique(np.concatenate([[0.0, 0.3 * rate, 3.0 * rate], loss[(loss > rate) & (loss < 3.0)]]))
    for whole in (True, False):
        both = level(sigma, rate, times, whole, exchanged).profiles(False)
        for profile, remove in zip(both, (True, False), strict=True):
            found = profile.bracket(eps)
            for at, low, high in zip(eps.tolist(), found.lower, found.upper, strict=True):
                delta = truth(sigma, rate, times, at, remove, exchanged)
                assert low <= delta * (1.0 + 1e-12) + 1e-27
                assert high >= delta * (1.0 - 1e-12) - 1e-27
                assert high - low <= width * high + 1e-23


@examples(3, 100)
@given(
    sigma=st.floats(0.35, 4.0), log_rate=st.floats(-40.0, -4.0), times=st.integers(2, 60), share=st.floats(0.0, 1.2),
)  # fmt: skip
def test_lists_tables_and_the_whole_list_agree(sigma: float, log_rate: float, times: int, share: float) -> None:
    """Of any two readings the brackets meet, from one end of the law to the other."""
    table = DiscreteGaussianStep(sigma, 1, math.exp(log_rate)).table()
    if parting(table, times, -57.0) is None:
        return
    few = level(sigma, math.exp(log_rate), times)
    listed = level(sigma, math.exp(log_rate), times, whole=True)
    top = np.log1p(float(table.loss.max()) / math.exp(log_rate)) * share
    eps = np.array([0.0, math.exp(log_rate) * math.expm1(top)])
    for one, other in zip(few.profiles(False), listed.profiles(True), strict=True):
        a, b = one.bracket(eps), other.bracket(eps)
        assert np.all(a.lower <= b.upper)
        assert np.all(b.lower <= a.upper)
        assert np.all(a.log_gap_lower <= b.log_gap_upper)
        assert np.all(b.log_gap_lower <= a.log_gap_upper)


def test_how_many_are_rare_is_counted_to_the_last() -> None:
    """A_0 + A_1 + ... and the rest are 1, under P and under Q; the two laws given either are whole."""
    for sigma, rate, times in [(0.6, 1e-6, 18), (1.2, 1e-4, 35), (2.0, 1e-3, 10**6), (0.4, 1e-200, 7)]:
        found = parting(DiscreteGaussianStep(sigma, 1, rate).table(), times, -57.0)
        assert found is not None
        for side in (0, 1):
            masses = [math.exp(given.log_mass[side]) for given in found.counts]
            assert abs(math.fsum(masses) - 1.0) <= found.rest[side] + 1e-12
            assert found.rest[side] < 1e-20
        for law in (found.common, found.rare):
            for logs in (law.log_p, law.log_q):
                assert abs(float(np.exp(logs).sum()) - 1.0) <= law.relative + law.slack * (1.0 + 2.0 * times)
        # the masses of one rare outcome put together again
        whole = np.sort(np.concatenate([found.common.loss + found.counts[0].ratio / times, found.rare.loss]))
        assert np.all(np.isfinite(whole))


@pytest.mark.parametrize("times", [7, 10**9])
def test_logs_of_how_many_are_rare_are_off_by_no_more_than_stated(times: int) -> None:
    """Against 50 digits, with a and b as the laws that are handed over have them."""
    table = DiscreteGaussianStep(0.9, 1, 1e-5).table()
    found = parting(table, times, -57.0)
    assert found is not None
    with mpmath.workdps(50):
        # of the outcomes that are listed: the rare ones are those beyond the common, at one end or at both
        p = [
            mpmath.exp(mpmath.mpf(float(q))) * mpmath.exp(mpmath.mpf(float(x)))
            for q, x in zip(table.log_q, table.loss, strict=True)
        ]
        kept = np.maximum(table.log_q, table.log_p) >= -57.0 - math.log(times)
        losses, p = table.loss[kept], [one for one, here in zip(p, kept, strict=True) if here]
        common = found.common.loss + found.counts[0].ratio / times
        rare = [one for loss, one in zip(losses, p, strict=True) if np.min(np.abs(common - loss)) > 1e-9 * abs(loss)]
        assert len(rare) == len(found.rare.loss)
        a = mpmath.fsum(rare)
        for j, given in enumerate(found.counts):
            due = mpmath.log(mpmath.binomial(times, j)) + j * mpmath.log(a) + (times - j) * mpmath.log1p(-a)
            assert abs(mpmath.mpf(given.log_mass[0]) - due) <= given.vague


def test_what_is_left_out_counts_as_revealed() -> None:
    """Lists of masses above e^-30 alone: delta is known to within what they leave out, and no better."""
    table = DiscreteGaussianStep(0.6, 1, 1e-6).table()
    found = parting(table, 18, -30.0)
    assert found is not None
    assert 1e-16 < found.rest[0] < 1e-10
    sharp = level(0.6, 1e-6, 18).profiles(True)[0].bracket(np.array([2.0]))
    known = levels._level(table, 18, 1e-6, 9.0, Effort(), lambda losses: (BLUNT, BLUNT), -30.0)
    assert known is not None
    rough = known.profiles(True)[0].bracket(np.array([2.0]))
    assert rough.lower[0] <= sharp.lower[0] <= sharp.upper[0] <= rough.upper[0]
    assert rough.upper[0] >= found.rest[0] > 100.0 * sharp.upper[0]


def test_laws_whose_losses_are_of_one_scale_are_not_parted() -> None:
    for step, times in [(DiscreteGaussianStep(30.0, 1, 0.1), 100), (DiscreteGaussianStep(1.0, 1), 10)]:
        assert (
            by_jumps(step, times, step.table(), 1e-6, 9.0, Effort(), lambda _: (BLUNT, BLUNT), lambda: (BLUNT, BLUNT))
            is None
        )


@given(mu=st.floats(0.05, 1.0), place=st.floats(0.0, 1.0))
def test_a_table_holds_what_it_is_a_table_of(mu: float, place: float) -> None:
    exact = GaussianProfile(mu)
    reach = 7.0 * mu
    known = SweptLattice([(GaussianStep(mu), 1)], "remove", 1e-6, Effort(), mu)
    table = TabledProfile(known, (0.0, 0.4 * reach, reach), 1e-2 * mu**2, np.ones_like)
    eps = np.array([place * reach, 0.4 * reach, reach])
    found, due = table.bracket(eps), exact.bracket(eps)
    assert np.all(found.lower <= due.upper)
    assert np.all(found.upper >= due.lower)
    assert table.bracket(np.array([2.0 * reach])).upper[0] >= exact.bracket(np.array([2.0 * reach])).lower[0]


def test_a_table_is_sharp_between_its_places_and_made_where_it_is_asked() -> None:
    mu = 0.3
    known = SweptLattice([(GaussianStep(mu), 1)], "remove", 1e-6, Effort(), mu)
    table = TabledProfile(known, (0.0, 1.2, 3.0), 1.5e-3 * mu**2, np.ones_like)
    eps = np.linspace(0.01, 1.19, 777)
    found, due = table.bracket(eps), GaussianProfile(mu).bracket(eps)
    assert np.all(found.upper - found.lower <= 3e-6 * due.upper)
    assert list(table._tables) == [0]
    # a slope to steer by
    fall = GaussianProfile(mu).slope(eps)
    assert np.allclose(table.slope(eps), fall, rtol=2e-3)
    # for what is not asked to more than that nothing is made
    assert table.above(np.array([2.0]), lambda: np.ones(1)).upper[0] == 1.0
    assert list(table._tables) == [0]


def test_a_table_that_the_effort_does_not_suffice_for_is_made_by_the_next_question() -> None:
    effort = Effort(1e-4)
    known = SweptLattice([(GaussianStep(0.3), 1)], "remove", 1e-6, effort, 0.3)
    table = TabledProfile(known, (0.0, 2.0), 1e-4, np.ones_like)
    with effort:
        assert table.bracket(np.array([0.5])).upper[0] == 1.0
    assert not table._tables
    effort._whole = math.inf
    with effort:
        assert table.bracket(np.array([0.5])).upper[0] < 0.1


@given(sigma=st.floats(0.35, 3.0), log_rate=st.floats(-30.0, -2.0), times=st.integers(1, 4), share=st.floats(0.0, 1.0))
def test_chernoff_is_above_delta(sigma: float, log_rate: float, times: int, share: float) -> None:
    table = DiscreteGaussianStep(sigma, 1, math.exp(log_rate)).table()
    parts = lists([(table, times)])
    if len(parts) != 1:
        return
    for remove in (True, False):
        profile = AtomsProfile(parts[0], remove, 9.0)
        eps = np.array([0.0, share * float(np.max(table.loss if remove else -table.loss)) * times])
        for many in ((0,), range(0, len(table.loss) - 2, 3)):
            assert np.all(Chernoff(table, times, remove, many)(eps) >= profile.bracket(eps).lower)


def test_chernoff_tells_how_little_is_left_only_with_what_is_rarest_revealed() -> None:
    """The tail of these losses falls more slowly than any exponential: without cuts the bound says nothing."""
    table = DiscreteGaussianStep(2.0, 1, 1e-4).table()
    eps = np.array([0.1])
    assert Chernoff(table, 28, remove=True)(eps)[0] > 1e-3
    assert Chernoff(table, 28, True, range(len(table.loss) - 2))(eps)[0] < 1e-30


def test_stages_are_asked_for_what_is_wide_and_not_for_less_than_anybody_cares() -> None:
    asked: list[str] = []

    class Stage(Blunt):
        def __init__(self, name: str, width: float) -> None:
            self._name, self._width = name, width

        def bracket(self, epsilon: np.ndarray) -> Bracket:
            asked.append(self._name)
            upper = np.exp(-10.0 * epsilon) * 0.5
            return Bracket.of_delta(upper * (1.0 - self._width), upper)

    def staged() -> StagedProfile:
        stages = [(2.0, lambda: Stage("second", 1e-9)), (1e-18, lambda: Stage("deep", 1e-12))]
        return StagedProfile(Stage("first", 0.1), stages, 1e-6, np.ones_like)  # type: ignore[arg-type]

    found = staged().bracket(np.array([0.0, 1.0]))
    assert asked == ["first", "second"]
    assert np.all(found.upper - found.lower <= 1e-8 * found.upper)
    asked.clear()
    staged().above(np.array([2.0]), lambda: np.array([1e-3]))
    staged().decide(np.array([2.0]), (1e-3, 0.9))
    staged().rough(np.array([4.0]))
    assert asked == ["first"] * 3
    assert StagedProfile(PerfectProfile(), [], 1e-6, np.zeros_like).bracket(np.zeros(1)).upper[0] == 0.0


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "delta", "at"),
    rest_slow(
        [
            (0.6365, 2.306e-06, 18, 8.992078664e-06, 0.0),
            (1.224, 1.384e-4, 35, 1.582117e-18, 0.1),
            (2.029, 1.7e-4, 28, 1e-5, 8.63529e-4),
            (1.139, 1.464e-05, 4419, 4.1831352e-4, 0.0),
        ],
        0,
        1,
        2,
    ),
)
def test_settings_that_were_refused(sigma: float, rate: float, times: int, delta: float, at: float) -> None:
    guarantee = ny.account(ny.DiscreteGaussian(sigma).poisson(rate) ** times)
    upper, lower = guarantee.delta(at), guarantee.optimistic.delta(at)
    assert lower <= upper <= lower * (1.0 + 2e-6)
    assert math.isclose(upper, delta, rel_tol=1e-3)


def test_sums_of_losses_of_every_size_keep_their_digits() -> None:
    """Losses of 1e-7 beside some of 40: all were known to within digits of the largest, and delta to 3e-6."""
    guarantee = ny.account(ny.DiscreteGaussian(0.6187).poisson(1.733e-07) ** 3, "remove")
    assert math.isclose(guarantee.delta(0.0), truth(0.6187, 1.733e-07, 3, 0.0, True), rel_tol=1e-9)
    assert guarantee.delta(0.0) - guarantee.optimistic.delta(0.0) <= 1e-9 * guarantee.delta(0.0)


@pytest.mark.parametrize("remove", [True, False])
def test_what_is_looked_up_is_the_least_of_the_table(remove: bool) -> None:
    """To the last bit: the neighbours of a chord's slope are the c that say most."""
    table = DiscreteGaussianStep(0.9153, 1, 6.618e-5).table()
    bound = Chernoff(table, 514, remove, range(0, len(table.loss) - 2, 7))
    epsilon = np.concatenate([np.zeros(1), np.geomspace(1e-9, 1e3, 2000)])
    least = np.ones(len(epsilon))
    for c, logs, _, rest in bound._bounds:
        lines = np.min(logs - np.multiply.outer(epsilon, c) * (1.0 - 4.0 * UNIT), axis=1)
        least = np.minimum(least, np.exp(np.minimum(lines, 0.0)) * (1.0 + 1e-9) + (rest + SMALLEST))
    assert np.array_equal(bound(epsilon), least)
