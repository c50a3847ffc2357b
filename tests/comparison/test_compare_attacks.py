"""Comparisons at their edges: what is promised of them holds for every kind of guarantee and for extreme steps."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.comparison import Candidate, Comparison, dominates_after, moments, pareto
from neyman.guarantees.questions.regret import Divergence
from tests.effort import rest_slow
from tests.reference.integrals import sampled_moments


def kinds(adjacency: str) -> dict[str, ny.Guarantee]:
    """One of each kind."""
    made = {
        "gaussian": ny.Gaussian(0.9), "laplace": ny.Laplace(1.1), "sampled": ny.Laplace(1.0).poisson(0.3),
        "few": ny.DPSGD(1.0, 0.1, 2), "many": ny.DPSGD(1.0, 0.01, 1000), "response": ny.RandomizedResponse(1.0, 3) ** 2,
        "infinite": ny.ApproximateMechanism(0.7, 0.02), "lattice": ny.DiscreteLaplace(2.0),
        "table": ny.Tabulated((0.5, 0.3, 0.2, 0.0), (0.2, 0.3, 0.45, 0.05)),
    }  # fmt: skip
    found: dict[str, ny.Guarantee] = {name: ny.account(m, adjacency=adjacency) for name, m in made.items()}
    if adjacency == "add_or_remove":
        curve = ny.Tradeoff([0.0, 0.1, 0.5, 1.0], [0.9, 0.6, 0.2, 0.0])
        found |= {
            "gdp": ny.GDP(1.0), "pure": ny.PureDP(1.0), "pair": ny.ApproximateDP(1.0, 1e-3), "curve": curve,
            "turned": curve.inverse(), "both": curve.symmetrized(), "join": ny.join(ny.GDP(1.0), ny.PureDP(1.2)),
            "meet": ny.meet(ny.GDP(1.0), ny.PureDP(1.0)), "group": ny.PureDP(0.3).group(3), "none": ny.PERFECT,
            "all": ny.BLATANT, "box": ny.account(ny.Opaque(ny.ApproximateDP(0.5, 1e-4)) ** 2),
        }  # fmt: skip
    return found


@pytest.mark.parametrize("adjacency", rest_slow(["add_or_remove", "add", "remove"], "add"))
def test_brackets_and_orders_agree_with_a_dense_search(adjacency: str) -> None:
    made = kinds(adjacency)
    epsilon = np.linspace(-9.0, 9.0, 1801)
    weight = 1.0 / (1.0 + np.exp(epsilon))
    values = {name: g.sides.bracket(epsilon) for name, g in made.items()}
    pairs = list(itertools.combinations(made, 2))
    for one, other in pairs if len(pairs) < 20 else pairs[::9]:
        c = ny.compare(made[one], made[other])
        a, b = values[one], values[other]
        forth, back = np.max((b.lower - a.upper) * weight), np.max((a.lower - b.upper) * weight)
        for found, dense in zip(c.bounds, (forth, back), strict=True):
            assert max(dense, 0.0) <= found.upper, (one, other)
            assert found.lower <= max(dense, 0.0) + 3e-3, (one, other)
            assert found.upper - found.lower <= 1e-7, (one, other)
        assert not (c.order in ("more_private", "equal") and back > 0.0), (one, other)
        assert not (c.order in ("less_private", "equal") and forth > 0.0), (one, other)
        if c.bounds[0].lower > 1e-6:
            gain = made[one].bayes_error(c.prior) - made[other].bayes_error(c.prior)
            assert gain == pytest.approx(c.bounds[0].lower, abs=3e-8), (one, other)


def polygon(epsilons: list[float]) -> ny.Guarantee:
    """The pairs of a Gaussian at a few eps: in e^eps its delta is a polygon, above the curve but at these."""
    return ny.Profile(epsilons, [ny.GDP(1.0).delta(e) for e in epsilons])


@pytest.mark.parametrize("corners", rest_slow([4, 5, 6, 7], 0, 3))
@pytest.mark.parametrize("start", [0.2, 0.31, 0.405, 0.47, 0.6, 0.93, 1.4])
def test_crossings_close_together_are_all_found(start: float, corners: int) -> None:
    """Curves that wind around each other change places several times within one cell of a coarse search."""
    inner = (start + 0.02 * np.arange(corners)).tolist()
    a, b = (polygon([0.0, 0.1, *inner[k::2], 1.7, 3.0]) for k in (0, 1))
    c = ny.compare(a, b)
    # at its own corners each is the lower one: they change places between any two
    assert len([crossing for crossing in c.crossings if crossing.low > 0.0]) == corners - 1
    assert c.unseen <= 2e-9
    for crossing in c.crossings:
        assert crossing.low < crossing.high < crossing.low + 1e-6
        assert b.delta(crossing.epsilon) == pytest.approx(a.delta(crossing.epsilon), abs=1e-9)


def test_what_is_said_to_be_at_most_is() -> None:
    for a, b in ((ny.GDP(1.0), ny.GDP(1.3)), (ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))):
        c = ny.compare(a, b)
        words = str(c).split("at most ")
        assert float(words[1].split()[0]) >= c.divergence
        assert float(words[2].split()[0].rstrip(".;")) >= c.reverse
        assert float(words[1].split()[0]) <= 1.01 * c.divergence


def test_who_is_safer_is_said_where_the_order_is_open_by_next_to_nothing() -> None:
    run, release = ny.account(ny.DPSGD(1.0, 0.01, 100)), ny.account(ny.Gaussian(1.0))
    c = ny.compare(run, release)
    assert (c.order, c.bounds[0].lower > 0.1 > c.reverse) == ("undecided", True)
    assert c.verdict.startswith("a is more private than b, but for at most ")
    assert 1.01 * c.reverse >= float(c.verdict.split("at most ")[1].split()[0]) >= c.reverse
    turned = ny.compare(release, run)
    assert turned.verdict == c.verdict.replace("a is more private than b", "b is more private than a")
    assert str(turned).startswith(turned.verdict)
    crossed = ny.compare(ny.account(ny.DPSGD(1.0, 0.01, 1000)), ny.account(ny.Gaussian(2.0)))
    assert (crossed.order, crossed.bounds[0].lower > 0.01) == ("incomparable", True)
    assert 0.0 < crossed.bounds[1].lower < crossed.reverse < 1e-10  # it is there, and nobody notices
    assert crossed.verdict.startswith("a is more private than b, but for at most 5.")
    assert ny.compare(ny.GDP(1.0), ny.account(ny.Laplace(1.0))).verdict.startswith("Neither is")


def test_nobody_is_said_to_be_safer_where_neither_is_told_to_be() -> None:
    much = Comparison(ny.GDP(1.0), ny.GDP(1.0))
    much.__dict__.update(order="undecided", bounds=(Divergence(0.02, 0.02, 0.0), Divergence(0.0, 0.01, 0.0)))
    assert much.verdict == "Whether a or b is more private cannot be told within 0.01."  # 0.01 is not next to nothing
    much.__dict__["bounds"] = (Divergence(1e-8, 2e-8, 0.0), Divergence(0.0, 1.5e-9, 0.0))  # and here a may be no safer
    assert much.verdict == "Whether a or b is more private cannot be told within 1.5e-09."


def test_the_width_is_what_the_proof_of_the_order_leaves() -> None:
    c = ny.compare(ny.account(ny.DPSGD(1.0, 0.01, 100)), ny.account(ny.Gaussian(1.0)))
    assert c.reverse == c.width == 0.5 * c.a.satisfies(c.b).excess
    assert 0.0 < c.width <= 1e-30


def test_a_run_against_itself_is_equal_and_quick() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.01, 100))
    c = ny.compare(g, ny.account(ny.DPSGD(1.0, 0.01, 100)))
    assert (c.order, c.distance, c.excess_advantage, c.crossings, c.unseen) == ("equal", 0.0, 0.0, (), 0.0)


def test_bounds_are_told_from_mechanisms() -> None:
    a, b = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
    assert ny.compare(a, b).note == ""
    assert ny.compare(ny.PERFECT, ny.BLATANT).note == ""
    for bound in (ny.join(a, b), a.group(2), ny.account(ny.Opaque(ny.ZCDP(0.1))), ny.meet(a, ny.PureDP(1.0))):
        assert "what is promised is compared" in ny.compare(a, bound).note


def test_no_comparison_of_what_cannot_be_compared() -> None:
    g = ny.account(ny.Gaussian(1.0))
    for a, b, name in (
        (g, ny.account(ny.Gaussian(1.0), adjacency="remove"), "b"), (g, g.optimistic, "b"), (None, g, "a"),
    ):  # fmt: skip
        with pytest.raises(ny.InvalidParameter) as caught:
            Comparison(a, b)  # type: ignore[arg-type]
        assert caught.value.name == name


@pytest.mark.parametrize(
    ("sigma", "rate", "direction"),
    [(2.0, 1e-9, "remove"), (2.0, 1e-9, "add"), (1e9, 1.0, "remove"), (0.03, 0.5, "add"),
     pytest.param(0.01, 0.1, "add", marks=pytest.mark.slow),
     (0.2, 1e-3, "add")],
)  # fmt: skip
def test_moments_of_extreme_steps(sigma: float, rate: float, direction: str) -> None:
    step = ny.Gaussian(sigma).poisson(rate) if rate < 1.0 else ny.Gaussian(sigma)
    m = moments(step, direction)
    v1, v2, v3, _ = sampled_moments(sigma, rate, direction)
    variance = v2 - v1 * v1
    assert (m.v1, m.variance, m.v3) == pytest.approx((float(v1), float(variance), float(v3)), rel=1e-9)
    assert m.eta == pytest.approx(float(v1 / variance.sqrt()), rel=1e-9)


def test_moments_where_the_loss_hardly_varies() -> None:
    share = 1.0 / (1.0 + math.exp(30.0))
    m = moments(ny.PureMechanism(30.0))
    assert m.variance == pytest.approx(4.0 * 900.0 * share, rel=1e-7)
    assert m.v3 == pytest.approx(60.0**3 * share, rel=1e-7)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (ny.Gaussian(1e-99), "range of floats"), (ny.Gaussian(1e99), "range of floats"),
        (ny.PureMechanism(700.0), "range of floats"), (ny.DiscreteGaussian(0.1), "range of floats"),
        (ny.Gaussian(0.01).poisson(0.1), "range of floats"), (ny.Opaque(ny.PERFECT), "shows something"),
        (ny.CustomLoss(lambda x: np.where(x < 1.0, 0.3, 1.0), lambda x: np.where(x < 1.0, 0.7, 1.0), (-1.0, 1.0)),
         "whose law is known"),
        (ny.Opaque(ny.account(ny.Gaussian(1.0) * ny.Laplace(1.0))), "one step"),
    ],
)  # fmt: skip
def test_steps_whose_moments_are_refused(step: ny.Mechanism, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        moments(step)
    assert (caught.value.name, caught.value.value) == ("mechanism", step)
    assert words in str(caught.value)


def test_a_box_counts_as_what_is_in_it() -> None:
    assert moments(ny.Opaque(ny.account(ny.Laplace(1.0)))) == moments(ny.Laplace(1.0))


def test_dominance_is_not_claimed_where_nothing_is_promised() -> None:
    box = ny.Opaque(ny.GDP(2.0), adjacency="add")
    assert dominates_after(box, ny.Gaussian(1.0), 0.01, adjacency="add").copies == 1
    for adjacency in ("add_or_remove", "remove", "replace"):
        with pytest.raises(ny.InvalidParameter) as caught:
            dominates_after(box, ny.Gaussian(1.0), 0.01, adjacency=adjacency)
        assert caught.value.name == "adjacency"


def test_a_mechanism_dominates_itself_at_once() -> None:
    found = dominates_after(ny.Laplace(1.0), ny.Laplace(1.0), 1e-9)
    assert (found.copies, found.divergence, found.before) == (1, 0.0, 0.0)


def test_choices_of_equals_are_both_efficient() -> None:
    base = ny.account(ny.Laplace(1.0))
    same = ny.account(ny.Laplace(1.0), tolerance=1e-3)
    found = pareto([Candidate("a", base, 0.5), Candidate("b", same, 0.5), Candidate("c", ny.PERFECT, 0.1)], base)
    assert [(c.name, c.excess, c.efficient) for c in found] == [("a", 0.0, True), ("b", 0.0, True), ("c", 0.0, False)]


@pytest.mark.parametrize(
    ("rows", "baseline", "name"),
    [
        (None, ny.GDP(1.0), "candidates"), ([1.0], ny.GDP(1.0), "candidates"),
        ([Candidate("a", ny.GDP(1.0).optimistic, 1.0)], ny.GDP(1.0), "candidates"),
        ([Candidate("a", ny.GDP(1.0), 1.0)], ny.GDP(1.0).optimistic, "baseline"),
        ([Candidate("a", ny.GDP(1.0), np.array([1.0, 2.0]))], ny.GDP(1.0), "utility"),  # type: ignore[arg-type]
        ([Candidate("a", ny.GDP(1.0), math.inf)], ny.GDP(1.0), "utility"),
        ([Candidate("a", ny.GDP(1.0), "good")], ny.GDP(1.0), "utility"),  # type: ignore[arg-type]
        ([Candidate("a", 1.0, 1.0)], ny.GDP(1.0), "candidates"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_choices_refused(rows: Any, baseline: ny.Guarantee, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        pareto(rows, baseline)
    assert caught.value.name == name


def test_dominance_at_one_number_says_nothing_of_the_next() -> None:
    a, b = ny.Laplace(20.0), ny.Laplace(10.0)
    found = dominates_after(a, b, 0.0122)
    assert found.copies == 1
    assert ny.compare(ny.account(a**2), ny.account(b**2)).bounds[0].lower > 0.0122


def test_excess_advantage_is_certified_where_values_are_too_wide_to_be_handed_out() -> None:
    a, b = ny.account(ny.Gaussian(1e12)), ny.account(ny.Opaque(ny.ZCDP(1e-20)))
    with pytest.raises(ny.NotCertified):
        _ = b.advantage
    bracket = b.sides.bracket(np.zeros(1))
    found = ny.compare(a, b).excess_advantage
    assert bracket.upper[0] - a.advantage <= found <= bracket.upper[0] - a.optimistic.advantage + 1e-15
