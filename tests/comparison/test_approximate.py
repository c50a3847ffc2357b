"""Approximate dominance, Levy's distance and the canonical pair; numbers of copies that are not the same."""

import bisect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import neyman as ny
from neyman.comparison import (
    approximately_dominates,
    canonical_pair,
    dominance_bound,
    dominates_after,
    emergent_dominance,
    levy_distance,
    moments,
)
from tests.effort import examples

GAUSS, LAPLACE = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
STRAIGHT = ny.Tradeoff([0.0, 0.2, 1.0], [0.9, 0.4, 0.0])
KINKED = ny.Tradeoff([0.0, 0.5, 1.0], [1.0, 0.2, 0.0])


def gaussian_divergence(a: float, b: float) -> float:
    """Delta(G_a || G_b) for a < b: the largest difference of the Bayes errors, at any prior."""

    def bayes(mu: float, epsilon: float) -> float:
        delta = stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)
        return (1.0 - delta) / (1.0 + math.exp(epsilon))

    grid = np.linspace(0.0, 8.0, 81)
    best = grid[np.argmax([bayes(a, e) - bayes(b, e) for e in grid])]
    around = (max(best - 0.15, 0.0), best + 0.15)
    found = optimize.minimize_scalar(lambda e: bayes(b, e) - bayes(a, e), bounds=around, method="bounded",
                                     options={"xatol": 1e-12})  # fmt: skip
    return max(-float(found.fun), bayes(a, 0.0) - bayes(b, 0.0))


def test_verdicts() -> None:
    exact = 0.005272208
    yes, no = (approximately_dominates(GAUSS, LAPLACE, limit) for limit in (exact + 1e-8, exact - 1e-8))
    assert (yes.outcome, bool(yes), yes.prior, yes.epsilon) == ("yes", True, None, None)
    assert (no.outcome, bool(no)) == ("no", False)
    assert no.bounds.lower > no.delta
    # the three clauses of the theorem fail there together
    e, limit = no.epsilon, no.delta
    assert GAUSS.delta(e) + limit * (1.0 + math.exp(e)) < LAPLACE.optimistic.delta(e)
    assert GAUSS.bayes_error(no.prior) - LAPLACE.optimistic.bayes_error(no.prior) > limit
    alpha = np.linspace(1e-3, 0.5, 400)
    less = limit - 1e-4
    assert np.any(GAUSS.beta(alpha + less) - less > LAPLACE.optimistic.beta(alpha))
    assert np.all(GAUSS.beta(alpha + yes.delta) - yes.delta <= LAPLACE.optimistic.beta(alpha) + 1e-12)


def test_dominance_without_any_room_is_the_order() -> None:
    a, b = ny.GDP(1.0), ny.GDP(0.5)
    assert approximately_dominates(a, b, 0.0).outcome == "yes"
    assert approximately_dominates(b, a, 0.0).outcome == "no"
    assert approximately_dominates(ny.PERFECT, ny.BLATANT, 0.5).outcome == "yes"
    assert approximately_dominates(ny.PERFECT, ny.BLATANT, 0.4999).outcome == "no"
    assert approximately_dominates(GAUSS, ny.account(ny.Gaussian(1.0)), 0.0).outcome == "yes"
    vague = ny.compare(ny.account(ny.DPSGD(1.0, 0.01, 100)), ny.account(ny.Gaussian(1.0)))
    assert vague.order == "undecided"
    found = approximately_dominates(vague.b, vague.a, 0.0)
    assert found.outcome in ("yes", "undecided")


@examples(4, 80)
@given(a=st.floats(0.1, 3.0), b=st.floats(0.1, 3.0), limit=st.floats(0.0, 0.5))
def test_gaussian_verdicts(a: float, b: float, limit: float) -> None:
    found = approximately_dominates(ny.GDP(a), ny.GDP(b), limit)
    exact = gaussian_divergence(a, b) if a < b else 0.0
    assert found.bounds.lower - 1e-9 <= exact <= found.bounds.upper + 1e-9
    if abs(exact - limit) > 1e-8:
        assert found.outcome == ("yes" if exact <= limit else "no")


def test_sentences() -> None:
    assert str(approximately_dominates(GAUSS, LAPLACE, 0.01)) == (
        "a approximately dominates b up to 0.01: whoever chooses b instead of a gives away at most 0.005273 of the "
        "attacker's Bayes error, whatever the prior."
    )
    assert "does not approximately dominate b up to 0.001: at prior 0.5" in str(
        approximately_dominates(GAUSS, LAPLACE, 0.001)
    )
    c = ny.compare(ny.GDP(0.5), ny.GDP(1.0))
    assert (c.order, c.verdict) == ("more_private", "a is more private than b, against every attacker.")
    assert str(c).startswith("a is more private than b, against every attacker. Choosing b instead of a costs at most")
    assert ny.compare(ny.GDP(1.0), ny.GDP(0.5)).verdict.startswith("b is more private than a")
    assert ny.compare(ny.GDP(1.0), ny.GDP(1.0)).verdict == "a and b are equally private, against every attacker."
    crossed = ny.compare(GAUSS, LAPLACE)
    assert "change places at epsilon = 0.328772, prior 0.5815 (P(record absent))" in str(crossed.crossings[1])
    assert "between 0.1 and 0.2" in str(ny.comparison.Crossing(0.1, 0.2))
    assert str(crossed.weighted(stats.beta(0.5, 0.5))).endswith(
        "choosing a instead of b at most 0.0246: b is to be preferred. Both are certified."
    )
    searched = crossed.weighted(stats.truncnorm(-1, 1, 0.5, 0.1))
    assert str(searched).endswith("A search found these; nothing is promised.")
    points = GAUSS.curve(40)
    assert repr(points) == "<TradeoffPoints: 40 points, alpha from 1e-10 to 1>"
    assert str(points).startswith("40 certified points of a trade-off curve: a test with false positive rate alpha")
    assert len(str(points).splitlines()) == 11


def test_levy_distance_is_that_of_the_two_distribution_functions() -> None:
    for a, b in ((GAUSS, LAPLACE), (STRAIGHT, KINKED), (KINKED, STRAIGHT), (STRAIGHT, ny.GDP(0.7))):
        found = levy_distance(a, b)
        assert found.width < 1e-9
        first, second = canonical_pair(a), canonical_pair(b)
        x = np.linspace(-0.6, 1.6, 2201)

        def inside(k: float, first=first, second=second, x=x) -> bool:  # by the middles of brackets 1e-9 wide
            low, high = first.cdf(x - k).middle - k, first.cdf(x + k).middle + k
            return bool(np.all((low <= second.cdf(x).middle + 1e-9) & (second.cdf(x).middle <= high + 1e-9)))

        assert inside(found.upper + 1e-6)
        assert not inside(found.lower - 1e-3)
        assert found.upper == ny.compare(a, b).distance
        assert levy_distance(b, a) == found
    assert levy_distance(GAUSS, GAUSS) == (0.0, 0.0)
    whole = levy_distance(ny.PERFECT, ny.BLATANT)
    assert whole.lower == pytest.approx(0.5)
    assert whole.upper == 0.5


def test_levy_distance_obeys_the_triangle() -> None:
    several = [GAUSS, LAPLACE, STRAIGHT, KINKED, ny.ApproximateDP(1.0, 0.01)]
    far = {(i, j): levy_distance(several[i], several[j]) for i in range(5) for j in range(i)}
    far |= {(j, i): bounds for (i, j), bounds in far.items()}
    for i, j, k in ((0, 1, 2), (1, 2, 3), (4, 0, 3), (2, 4, 1)):
        assert far[i, j].lower <= far[i, k].upper + far[k, j].upper


def test_the_canonical_pair_has_the_curve() -> None:
    for g in (GAUSS, STRAIGHT, ny.ApproximateDP(1.0, 0.05)):
        pair = canonical_pair(g)
        w = np.linspace(0.0, 0.999, 50)
        found = pair.cdf(w)
        assert np.all(found.lower <= g.optimistic.beta(1.0 - w))
        assert np.all(g.beta(1.0 - w) <= found.upper)
        assert np.all(found.width < 1e-9)
        outside = pair.cdf([-1.0, 1.0, 2.0, math.inf, -math.inf])
        assert outside.lower.tolist() == outside.upper.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
        p = np.array([0.0, 0.1, 0.3, 0.6, 0.85, 1.0])
        at = pair.quantile(p)
        assert np.all(pair.cdf(np.minimum(at.upper + 1e-7, 1.0)).upper >= p)
        assert np.all(pair.cdf(at.lower - 1e-7).lower <= p)
        drawn = pair.draw(4000, seed=5)
        # W beats U as the best attacker beats a guess: P(W > U) = 1 - area under f
        assert np.mean(drawn) == pytest.approx(g.auc, abs=0.03)
        assert np.mean(drawn > 1.0 - 1e-9) == pytest.approx(g.roc(1e-9), abs=0.02)


def test_ratios_of_copies() -> None:
    # mu = sqrt(n) against sqrt(2 n) / 1.5: the former is larger, from the first on
    assert dominates_after(ny.Gaussian(1.0), ny.Gaussian(1.5), 1e-6, ratio=(1, 2)).copies == 1
    found = dominates_after(ny.Laplace(1.0), ny.Gaussian(1.0), 0.01, ratio=(3, 2))
    assert (found.copies, found.copies_of_b) == (3, 2)
    for n in (1, 2):  # the definition, at each ratio that was stepped over
        a, b = ny.account(ny.Laplace(1.0) ** (3 * n)), ny.account(ny.Gaussian(1.0) ** (2 * n))
        assert approximately_dominates(a, b, 0.01).outcome == "yes"
    found = dominates_after(ny.Laplace(1.0), ny.Gaussian(1.1), 2e-3, ratio=(1, 1))
    a, b = (ny.account(m**found.copies) for m in (ny.Laplace(1.0), ny.Gaussian(1.1)))
    assert approximately_dominates(a, b, 2e-3)
    assert str(found).startswith(f"{found.copies} copies of a approximately dominate {found.copies} of b: whoever runs")


@examples(3, 40)
@given(mu=st.floats(0.2, 1.0), other=st.floats(0.2, 1.0), m=st.integers(1, 30), limit=st.floats(1e-4, 0.05))
def test_a_fixed_number_of_copies(mu: float, other: float, m: int, limit: float) -> None:
    found = dominates_after(ny.Gaussian(1.0 / mu), ny.Gaussian(1.0 / other), limit, copies_of_b=m)
    goal = other * math.sqrt(m)

    def enough(n: int) -> bool:
        return mu * math.sqrt(n) >= goal or gaussian_divergence(mu * math.sqrt(n), goal) <= limit

    least = 1 + bisect.bisect_left(range(1, 2000), True, key=enough)
    if found.copies != least:  # a tie within the brackets
        assert abs(gaussian_divergence(mu * math.sqrt(least), goal) - limit) < 1e-3 * limit
    assert found.copies_of_b == m
    assert found.smallest == (found.copies == 1 or found.before > limit)


def test_the_same_mechanism_more_often() -> None:
    found = dominates_after(ny.Laplace(1.0), ny.Laplace(1.0), 1e-6, copies_of_b=7)
    assert (found.copies, found.smallest) == (7, True)
    assert dominates_after(ny.Laplace(1.0), ny.Laplace(1.0), 1e-9, ratio=(5, 4)).divergence == 0.0


def test_which_comes_to_dominate() -> None:
    laplace, gauss = ny.Laplace(1.0), ny.Gaussian(1.2)
    found = emergent_dominance(laplace, gauss)
    assert found.outcome == "a"
    assert found.strength_a == pytest.approx(2.0 * moments(laplace).eta)
    assert found.strength_b == pytest.approx(1.0 / 1.2)
    assert emergent_dominance(gauss, laplace).outcome == "b"
    assert emergent_dominance(ny.Gaussian(1.0), ny.Gaussian(2.0), (1, 4)).outcome == "undecided"
    assert emergent_dominance(ny.Gaussian(1.0), ny.Gaussian(2.0), (1, 5)).outcome == "b"
    bound = found.bound(500)
    assert bound == dominance_bound(moments(laplace), 500, moments(gauss), 500)
    assert bound.applies
    a, b = ny.account(laplace**500), ny.account(gauss**500)
    assert ny.compare(a, b).divergence <= bound.value
    turned = emergent_dominance(gauss, laplace).bound(500)
    assert (turned.value, turned.applies) == (pytest.approx(bound.value), True)
    assert "The moments do not bound" in str(dominance_bound(moments(gauss), 500, moments(laplace), 500))
    # approximately, never exactly: n Laplace mechanisms have delta = 0 from some epsilon on, Gaussian ones nowhere
    assert ny.account(laplace**50).delta(60.0) < ny.account(gauss**50).optimistic.delta(60.0)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (lambda: approximately_dominates(GAUSS, LAPLACE, -0.1), "delta"),
        (lambda: approximately_dominates(GAUSS, LAPLACE, 0.6), "delta"),
        (lambda: approximately_dominates(GAUSS, LAPLACE, math.nan), "delta"),
        (lambda: approximately_dominates(GAUSS, ny.Laplace(1.0), 0.1), "b"),
        (lambda: approximately_dominates(GAUSS.optimistic, LAPLACE, 0.1), "a"),
        (lambda: levy_distance(GAUSS, 1.0), "b"),
        (lambda: canonical_pair(ny.Gaussian(1.0)), "guarantee"),
        (lambda: canonical_pair(GAUSS.optimistic), "guarantee"),
        (lambda: canonical_pair(GAUSS).cdf(math.nan), "w"),
        (lambda: canonical_pair(GAUSS).quantile(1.5), "p"),
        (lambda: canonical_pair(GAUSS).draw(0), "n"),
        (lambda: canonical_pair(GAUSS).draw(1, seed="x"), "seed"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, ratio=2), "ratio"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, ratio=(1, 2, 3)), "ratio"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, ratio=(0, 2)), "ratio[0]"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, ratio=(1, 1.5)), "ratio[1]"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, most=3, ratio=(4, 1)), "most"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, ratio=(2, 1), copies_of_b=3), "copies_of_b"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, copies_of_b=0), "copies_of_b"),
        (lambda: dominates_after(ny.Laplace(9.0), ny.Laplace(1.0), 1e-3, 4, copies_of_b=50), "most"),
        (lambda: emergent_dominance(ny.Laplace(1.0), GAUSS), "b"),
        (lambda: emergent_dominance(ny.Laplace(1.0), ny.Gaussian(1.0), ratio=(1, 0)), "ratio[1]"),
        (lambda: emergent_dominance(ny.Laplace(1.0), ny.Gaussian(1.0), ratio="ab"), "ratio"),
        (lambda: emergent_dominance(ny.Laplace(1.0), ny.Gaussian(1.0)).bound(0), "n"),
        (lambda: emergent_dominance(ny.Laplace(1.0), ny.Laplace(1.0)).bound(3), "n"),
    ],
)
def test_refusals(asked: object, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        asked()
    assert caught.value.name == name


def test_lists_and_arguments_alike() -> None:
    pair = [ny.GDP(1.0), LAPLACE]
    for combine in (ny.join, ny.meet, ny.compose_tradeoffs):
        one, other, third = combine(*pair), combine(pair), combine(g for g in pair)
        assert one.delta(0.7) == other.delta(0.7) == third.delta(0.7)
        assert combine([LAPLACE]).delta(0.3) == combine(LAPLACE).delta(0.3)
        for wrong in (([pair[0]], pair[1]), ("ab",), ({},), (3,), ([],), (np.array([1.0]),)):
            with pytest.raises(ny.InvalidParameter, match="guarantees"):
                combine(*wrong)
    steps = [ny.Gaussian(1.0), ny.Laplace(1.0), ny.Gaussian(1.0)]
    assert ny.compose(*steps) == ny.compose(steps) == ny.compose(iter(steps))
    assert ny.compose(steps[0]) == ny.compose([steps[0]]) == steps[0]
    assert ny.compose() == ny.compose([])
    for wrong in ((steps, steps[0]), (steps[0], [steps[1]]), (steps[0], 2.0), ("",), ({},)):
        with pytest.raises(ny.InvalidParameter, match="mechanisms"):
            ny.compose(*wrong)
