"""What a question about promises may cost: counted for all of their parts together, and as true where it is refused."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest

import neyman as ny
from neyman._validate import FloatArray
from neyman.engines.contour.bulk_jumps.lines import Parting
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.straight.plan import Plan
from neyman.guarantees.questions.crossing import crossing
from neyman.guarantees.questions.curve import tradeoff
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.profiles.effort import Effort, allowance, questions
from tests.effort import rest_slow

STATED: dict[str, Callable[[], ny.Guarantee]] = {
    "zCDP": lambda: ny.ZCDP(0.3),
    "RDP": lambda: ny.RDP([1.5, 4.0, 32.0], [0.2, 0.9, 3.0]),
    "a group": lambda: ny.ZCDP(0.1).group(3),
    "chains": lambda: ny.Tradeoff([0.0, 0.1, 0.5, 1.0], [1.0, 0.6, 0.1, 0.0]).symmetrized().group(7),
    "corners": lambda: ny.PureDP(0.4).group(5),
    "both": lambda: ny.meet(ny.PureDP(1.0), ny.ZCDP(0.1)),
    "a power": lambda: ny.ZCDP(0.02) ** 3,
}


@pytest.mark.parametrize("name", STATED)
def test_what_is_refused_is_a_wider_bracket_of_the_same(name: str) -> None:
    stated = STATED[name]()
    epsilon = np.linspace(0.0, 3.0, 17)
    with Effort():
        whole = stated.sides.bracket(epsilon)
        lower, upper = whole.lower, whole.upper
    for seconds in (1e-9, 1e-3, 1e-2, 0.1):
        with Effort(seconds):
            found = STATED[name]().sides.forward.bracket(epsilon + 1e-9)
            assert np.all(found.lower <= upper), seconds  # delta falls
            assert np.all(found.log_gap_lower <= np.log1p(-lower) + 1e-8), seconds
            assert np.all((found.lower >= 0.0) & (found.upper <= 1.0) & (found.lower <= found.upper)), seconds
            assert np.all(found.upper >= lower - 2e-9), seconds


@pytest.mark.parametrize("name", [name for name in STATED if name != "a power"])
def test_what_was_refused_is_not_remembered(name: str) -> None:
    epsilon = np.array([0.0, 0.31, 1.07, 2.3])
    stated = STATED[name]()
    with Effort(1e-9):
        stated.sides.bracket(epsilon).lower.copy()
    with Effort():
        again, fresh = stated.sides.bracket(epsilon), STATED[name]().sides.bracket(epsilon)
        assert np.array_equal(again.lower, fresh.lower)
        assert np.array_equal(again.upper, fresh.upper)


def test_parts_are_asked_on_behalf_of_the_whole() -> None:
    """A part's own allowance was spent once and for all, where it was never asked by itself: answers grew wider."""
    part = ny.account(ny.DPSGD(1.0, 0.05, 3), effort=0.3)
    both = ny.meet(part, ny.PureDP(1.0))
    assert both.effort.seconds == 10.0  # that of the part that may take longest
    widths = []
    for epsilon in np.linspace(0.1, 0.6, 6):
        with both.effort:
            found = both.sides.bracket(np.array([epsilon]))
            widths.append(float(found.upper[0] - found.lower[0]) / float(found.upper[0]))
            assert allowance() is both.effort
    assert max(widths) < 1e-5
    for other in (both.group(2), both.inverse(), ny.join(both, ny.GDP(2.0)), part.inverse()):
        assert other.effort.seconds == (0.3 if other is part.inverse() else 10.0)


def test_questions_about_two_take_as_long_as_either_may() -> None:
    long, short = ny.account(ny.Gaussian(1.0), effort=50.0), ny.account(ny.Laplace(1.0), effort=1.0)
    seen: list[float] = []
    bracket = type(short.sides).bracket

    def watched(self, epsilon):
        seen.append(allowance().seconds)
        return bracket(self, epsilon)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(short.sides), "bracket", watched)
        short.regret(long)
        short.satisfies(long)
    assert set(seen) == {50.0}
    assert allowance().seconds == math.inf


def test_a_gaussian_that_keeps_the_bounds_is_one_of_what_they_allow() -> None:
    """mu of (17-zCDP)^11 from below was 0, after half a minute."""
    g = ny.compose_tradeoffs(*[ny.ZCDP(17.0)] * 11, effort=0.05)
    least = math.sqrt(2.0 * 11 * 17.0)
    assert least * (1.0 - 1e-11) <= g.optimistic.mu() <= g.mu()
    assert least * (1.0 - 1e-11) <= ny.ZCDP(187.0).optimistic.mu() <= ny.ZCDP(187.0).mu()
    mixed = ny.compose_tradeoffs(ny.RDP([2.0, 8.0], [30.0, 240.0]), ny.GDP(2.0), effort=0.05)
    assert math.sqrt(30.0 + 4.0) * (1.0 - 1e-9) <= mixed.optimistic.mu() <= mixed.mu()


@pytest.mark.parametrize(
    "stated", [ny.ZCDP(0.37), ny.RDP([0.7, 1.5, 9.0], [0.3, 0.2, 3.0]), ny.RDP(4.0, 1e-3)], ids=str
)
def test_the_largest_such_gaussian_meets_one_bound(stated: ny.ZCDP | ny.RDP) -> None:
    mu = stated.sides.forward.attained_mu  # type: ignore[attr-defined]
    orders = np.array([1.5, 2.0, 30.0]) if isinstance(stated, ny.ZCDP) else np.array(stated.stated["orders"])
    share = 0.5 * mu**2 * orders / stated.renyi(orders)
    assert np.max(share) == pytest.approx(1.0, abs=1e-14)
    assert 0.5 * mu * mu * orders[np.argmax(share)] <= stated.renyi(orders)[np.argmax(share)]


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "seconds"),
    rest_slow([(0.5, 0.01, 2, 1e-3), (1.0, 0.01, 10, 1e-3), (0.3, 0.1, 3, 1e-3)], 0),
)
def test_groups_of_exchanged_records_are_answered_with_little_effort(
    sigma: float, rate: float, steps: int, seconds: float
) -> None:
    """An eps far out left no term of a sum alive: an IndexError."""
    mechanism = ny.DPSGD(sigma, rate, steps)
    little, whole = (ny.account(mechanism, "replace", effort=effort).group(2) for effort in (seconds, 1.0))
    assert little.optimistic.advantage <= whole.advantage
    assert whole.optimistic.advantage <= little.advantage <= 1.0
    one = ny.account(mechanism, "replace", effort=seconds).sides.forward
    found = one.bracket(np.array([1e3, 1e6, 1e9, 1e12]))
    assert np.all((found.lower >= 0.0) & (found.lower <= found.upper) & (found.upper <= 1.0))


def test_lines_of_exchanged_records_are_not_planned_beyond_the_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their plans counted as nothing: 500 of them, nine seconds, where a thousandth of a second was allowed."""
    made, make = [], Plan.make
    monkeypatch.setattr(Plan, "make", lambda *a, **k: made.append(None) or make(*a, **k))
    group = ny.account(ny.DPSGD(0.3, 0.1, 3), "replace", effort=1e-3).group(2)
    assert group.optimistic.advantage >= 0.0
    assert len(made) <= 20


def test_bounds_that_refused_readings_leave_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chernoff's bounds at thousands of eps were not counted: an area took over a minute with .006 seconds."""
    asked, chernoff = [], ContourProfile._chernoff
    monkeypatch.setattr(
        ContourProfile, "_chernoff", lambda self, epsilon: asked.append(len(epsilon)) or chernoff(self, epsilon)
    )
    sampled = ny.DiscreteGaussian(22.367800483629445).poisson(0.0007271222728371935) ** 2
    run = ny.DiscreteGaussian(7.989463344500378) * ny.Laplace(26.657623470269016) ** 616 * sampled
    assert ny.account(run, "remove", effort=0.006).group(5).auc <= 1.0
    assert sum(asked) < 2_000_000


def test_a_search_that_was_cut_short_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended at eps = 5e7, where delta is known to be nothing, and that was handed out for an epsilon of 3.2."""
    chernoff = ContourProfile._chernoff
    monkeypatch.setattr(
        ContourProfile, "_chernoff", lambda self, epsilon: allowance().spend(1e7) or chernoff(self, epsilon)
    )
    with pytest.raises(ny.NotCertified, match="larger effort") as refused:
        ny.account(ny.DPSGD(0.6, 0.02, 5), effort=1e-6).epsilon(1e-5)
    assert refused.value.lower <= 3.24597024313 <= refused.value.upper


def test_a_group_asks_for_no_curve_that_it_cannot_afford() -> None:
    rare = ny.Gaussian(0.473).poisson(0.00114) ** 3 * ny.RandomizedResponse(0.0219, 3) ** 4
    began = time.process_time()
    assert ny.account(rare, "remove", effort=1e-4).group(2).advantage <= 1.0
    assert time.process_time() - began < 10.0  # 18 s: the whole curve of one record, for a division of its eps


def test_the_curve_of_one_record_is_paid_for_once() -> None:
    """Each eps asked of a group was charged for it again: a hundred of them left nothing of the effort."""
    group = ny.account(ny.DPSGD(2.0, 0.1, 30)).group(2)
    profile = group.sides.forward
    with Effort(1.0):
        profile.bracket(np.array([0.5]))
        for epsilon in np.linspace(0.1, 2.0, 40):
            profile.bracket(np.array([epsilon]))
        assert not allowance().spent


@pytest.mark.parametrize("rho", [1e-3, 0.1, 2.0])
def test_small_promises_are_no_less_than_that_gaussian_with_no_effort_at_all(rho: float) -> None:
    g = ny.compose_tradeoffs(*[ny.ZCDP(rho)] * 3, effort=1e-9)
    assert g.optimistic.mu() >= 0.9 * math.sqrt(6.0 * rho)


def test_a_search_without_effort_ends_as_near_as_it_came() -> None:
    asked: list[int] = []

    def score(epsilon: np.ndarray) -> np.ndarray:
        asked.append(epsilon.size)
        return epsilon**3

    goal = np.array([2.0, 100.0])
    with Effort():
        assert np.allclose(crossing(score, goal, 1.0) ** 3, goal, rtol=1e-12)
    whole, asked[:] = len(asked), []
    with Effort(1e-9):
        crossing(score, goal, 1.0)
    assert whole > 6 > len(asked)


def test_four_points_without_effort_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = ny.account(ny.DPSGD(1.0, 0.01, 100)).sides
    looks: list[int] = []
    objective = tradeoff._objective
    monkeypatch.setattr(tradeoff, "_objective", lambda *args: looks.append(1) or objective(*args))
    alpha = np.geomspace(1e-6, 0.5, 9)
    far = np.full(9, 3.0)  # no tangent touches there: points ever wider are looked at
    with Effort():
        best = tradeoff.beta_near(sides, alpha, far, 1.0)
    whole, looks[:] = len(looks), []
    with Effort(1e-9):
        found = tradeoff.beta_near(sides, alpha, far, 1.0)
    assert whole > 2 > len(looks)
    assert np.all(found >= best - 1e-12)


def test_no_law_is_parted_where_no_effort_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be laid was looked for anew at every place of a search: seconds, for a question of none."""
    asked: list[float] = []
    real = Parting.jump_line

    def counted(self: Parting, nodes: int, epsilon: float) -> object:
        asked.append(epsilon)
        return real(self, nodes, epsilon)

    monkeypatch.setattr(Parting, "jump_line", counted)
    without = ny.account(ny.DPSGD(0.6, 0.02, 5), effort=1e-6)
    with pytest.raises(ny.NotCertified) as caught:
        without.epsilon(1e-5)
    assert asked == []
    assert caught.value.lower < 3.24597024 < caught.value.upper < 6.0
    ny.account(ny.DPSGD(0.8, 1e-5, 10**7)).gdp()
    assert asked  # with effort they are


def test_deltas_that_are_asked_together_are_refused_no_sooner_than_alone() -> None:
    """Searches of deltas far apart laid lines where neither needed them, until nothing was left for either.

    With a fifth of the usual effort, which each alone needs no more than a part of: together they spend all of it.
    """
    mechanism = ny.DPSGD(0.0397, 1.105e-4, 340) * ny.DPSGD(0.3845, 0.5498, 23) * ny.DPSGD(2.4172, 0.513, 22)
    delta = [1.018e-8, 5.95e-19]
    g = ny.account(mechanism, effort=2.0)
    together, least = g.epsilon(delta), g.optimistic.epsilon(delta)
    for i, one in enumerate(delta):
        alone = ny.account(mechanism, effort=2.0)
        assert together[i] == pytest.approx(alone.epsilon(one), rel=1e-6)
        assert alone.optimistic.epsilon(one) <= together[i]
        assert least[i] <= alone.epsilon(one)


DEAR = ny.Laplace(0.517).poisson(0.00144) * ny.DiscreteGaussian(3.65) * ny.Laplace(1.15) ** 4


@pytest.mark.parametrize("count", [1, 20, 400])
def test_no_epsilon_is_infinite_for_want_of_effort(count: int) -> None:
    """A search that was cut short says inf, which holds, and is no answer."""
    g = ny.account(DEAR, effort=0.1)
    with pytest.raises(ny.NotCertified, match=r"in \[0, inf\].*larger effort"):
        g.epsilon(np.geomspace(1e-12, 0.4, count))
    assert np.isinf(g.epsilon(0.0))  # of 0 it is one


def test_no_mu_is_infinite_for_want_of_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(self: PessimisticGuarantee, floor: float) -> float:
        assert not allowance().take(math.inf)
        return math.inf

    g = ny.account(DEAR, effort=0.1)
    monkeypatch.setattr(PessimisticGuarantee, "_mu", spent)
    with pytest.raises(ny.NotCertified, match=r"mu\(floor=1e-06\).*inf\]"):
        g.mu(1e-6)


class Asked:
    """Each place takes three tenths of an allowance."""

    effort = Effort(1.0)

    def __init__(self, raises: bool) -> None:
        self._raises, self.asked = raises, 0

    @questions
    def verb(self, places: FloatArray) -> FloatArray:
        self.asked += len(places)
        enough = [allowance().take(3e8) for _ in places]
        if self._raises and not all(enough):
            raise ny.NotCertified("verb", 0.0, 1.0, "wide")
        return np.where(enough, places, np.inf)


@pytest.mark.parametrize("raises", [True, False])
def test_what_was_cut_short_is_asked_one_by_one_within_bounds(raises: bool) -> None:
    places = np.arange(5.0)
    few = Asked(raises)
    assert np.array_equal(few.verb(places[:3]), places[:3])
    assert few.asked == 3
    assert np.array_equal(few.verb(places), places)
    assert few.asked == 3 + 5 + 5
    with few.effort:  # on behalf of another question there is nothing more to be had
        if raises:
            with pytest.raises(ny.NotCertified):
                few.verb(places)
        else:
            assert np.isinf(few.verb(places)).sum() == 2
    for many, alone in (20, 10), (61, 0):  # three allowances; of which each takes a sixtieth at least
        asked, places = Asked(raises), np.arange(float(many))
        if raises:
            with pytest.raises(ny.NotCertified, match="wide"):
                asked.verb(places)
        else:
            assert np.isinf(asked.verb(places)).sum() == many - max(alone, 3)
        assert asked.asked == many + alone


class Fickle:
    """Told of several together, after some work was refused; alone none is."""

    effort = Effort(1.0)

    @questions
    def verb(self, places: FloatArray) -> FloatArray:
        allowance().take(2e9)
        if len(places) == 1:
            raise ny.NotCertified("verb", 0.0, 1.0, "wide")
        return places.copy()


def test_what_was_told_together_holds_where_one_alone_is_refused() -> None:
    assert np.array_equal(Fickle().verb(np.arange(3.0)), np.arange(3.0))
