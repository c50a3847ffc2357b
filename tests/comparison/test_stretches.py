"""Which guarantee is safer at which false positive rates: against a dense grid, closed forms, and the words."""

import random
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import neyman as ny
from neyman.comparison.stretches import Stretch, _signs, in_words, often
from tests.effort import examples

_A = "Against attackers with fewer than about "
GAUSS, LAPLACE = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))


def test_gaussian_and_laplace_change_places_where_their_closed_forms_do() -> None:
    def gap(alpha: float) -> float:
        gauss = scipy.stats.norm.cdf(scipy.stats.norm.isf(alpha) - 1.0)
        e = np.e
        laplace = 1.0 - e * alpha if alpha <= 0.5 / e else 1.0 / (4.0 * e * alpha) if alpha <= 0.5 else (1 - alpha) / e
        return gauss - laplace

    c = ny.compare(GAUSS, LAPLACE)
    first, second, third = c.stretches
    assert [one.safer for one in c.stretches] == ["b", "a", "b"]
    truth = brentq(gap, 0.2, 0.3, xtol=1e-14), brentq(gap, 0.35, 0.45, xtol=1e-14)
    assert first.high <= truth[0] <= second.low
    assert second.high <= truth[1] <= third.low
    assert third.low - second.high < 1e-4
    assert (first.low, third.high) == (0.0, 1.0)
    turned = ny.compare(LAPLACE, GAUSS).stretches
    assert [(one.low, one.high) for one in turned] == [(one.low, one.high) for one in c.stretches]
    assert [one.safer for one in turned] == ["a", "b", "a"]


def test_crossings_that_lie_near_to_each_other_are_found() -> None:
    c = ny.compare(ny.GDP(1.0), ny.PureDP(0.875))
    assert [one.safer for one in c.stretches] == ["b", "a", "b"]
    gap = lambda alpha: scipy.stats.norm.cdf(scipy.stats.norm.isf(alpha) - 1.0) - (1.0 - np.exp(0.875) * alpha)  # noqa: E731
    truth = brentq(gap, 0.25, 0.29, xtol=1e-14)
    assert c.stretches[0].high <= truth <= c.stretches[1].low


@pytest.mark.parametrize("mu", [0.5, 0.75, 1.0, 1.125, 1.25])
def test_stretches_between_two_places_of_a_grid_are_found(mu: float) -> None:
    c = ny.compare(ny.GDP(mu), ny.PureDP(0.8125 * mu))
    assert [one.safer for one in c.stretches] == ["b", "a", "b"]
    corner = 1.0 / (1.0 + np.exp(0.8125 * mu))  # of the curve of b: the point where a is safer, if anywhere
    assert c.stretches[1].low < corner < c.stretches[1].high
    assert c.stretches[2].low - c.stretches[0].high < 0.04


@given(st.floats(0.4, 2.5), st.floats(0.7, 1.4), st.sampled_from(["laplace", "pure", "pair", "answers"]), st.randoms())
@examples(15, 150)
def test_whoever_is_called_safer_is(mu: float, share: float, kind: str, draw: random.Random) -> None:
    """Nowhere inside a stretch is the one that is called safer certainly the worse one, by more than stays unseen."""
    a = ny.GDP(mu)
    b = {
        "laplace": lambda: ny.account(ny.Laplace(1.0 / (share * mu))),
        "pure": lambda: ny.PureDP(share * mu),
        "pair": lambda: ny.ApproximateDP(share * mu, 0.01),
        "answers": lambda: ny.account(ny.RandomizedResponse(share * mu) ** 2),
    }[kind]()
    c = ny.compare(a, b)
    for one in c.stretches:
        rates = np.array([draw.uniform(one.low, one.high) for _ in range(40)])
        rates = np.concatenate([rates, np.geomspace(max(one.low, 1e-9), one.high, 40)])
        safer, other = (c.a, c.b) if one.safer == "a" else (c.b, c.a)
        best = np.asarray(safer.pessimistic.optimistic.beta(rates))
        assert np.all(best >= np.asarray(other.pessimistic.beta(rates)) - 2.0 * c.unseen)
    assert all(x.high <= y.low and x.safer != y.safer for x, y in pairwise(c.stretches))
    assert c.stretches or c.order != "incomparable" or not c.crossings


def test_where_one_is_safer_against_everybody_there_are_none() -> None:
    for pair in ((ny.GDP(1.0), ny.GDP(0.5)), (ny.GDP(1.0), ny.GDP(1.0)), (ny.PERFECT, ny.BLATANT)):
        assert ny.compare(*pair).stretches == ()
        assert ny.compare(*pair).attackers == ""
    almost = ny.compare("dpsgd:1,.01,1000", "gaussian:2")  # one is safer but for next to nothing: so says the verdict
    assert almost.stretches
    assert almost.attackers == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((), ""),
        (
            (Stretch(0.0, 0.00853, "b"), Stretch(0.00854, 1.0, "a")),
            "Against attackers with fewer than about 1 in 117 false alarms b is safer, with more a is.",
        ),
        (
            (Stretch(0.0, 0.001, "b"), Stretch(0.002, 1.0, "a")),
            _A + "1 in 1,000 false alarms b is safer, with more than about 1 in 500 a is.",
        ),
        (
            (Stretch(0.0, 0.01, "a"), Stretch(0.01, 0.9971, "b"), Stretch(0.9971, 1.0, "a")),
            _A + "1 in 100 false alarms a is safer, with more, up to 99 in 100, b is.",
        ),
    ],
)
def test_the_words(found: tuple[Stretch, ...], said: str) -> None:
    assert in_words(found) == said


def test_many_stretches_are_told_up_to_where_they_are_told() -> None:
    rates = np.linspace(0.0, 0.7, 8)
    found = tuple(Stretch(float(low), float(high), "ab"[i % 2]) for i, (low, high) in enumerate(pairwise(rates)))
    told = in_words(found)
    assert told.count(" is") == 5
    assert told.endswith("with more than about 40 in 100, up to about 50 in 100, a is.")


@given(st.floats(1e-12, 0.999))
def test_how_often(rate: float) -> None:
    said = often(rate).replace(",", "").split(" in ")
    assert float(said[0]) / float(said[1]) == pytest.approx(rate, rel=0.06)


def test_bounds_from_above_are_asked_of_the_less_safe_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random allocation they are dear: both of both at every rate made a sentence take five seconds."""
    above, below = [], []

    def counted(kind: type[ny.Guarantee], told: list[np.ndarray]) -> None:
        whole = kind._beta
        monkeypatch.setattr(kind, "_beta", lambda g, alpha: [told.append(alpha), whole(g, alpha)][1])

    counted(ny.guarantees.OptimisticGuarantee, above)
    counted(ny.guarantees.PessimisticGuarantee, below)
    a, b = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
    score = np.linspace(-20.0, 20.0, 81)
    sign = _signs(a, b, score)
    assert len(np.concatenate(above)) <= len(score) == len(np.concatenate(below)) // 2
    rate = 1.0 / (1.0 + np.exp(-score))
    least, most = ([g.beta(rate) for g in side] for side in ((a, b), (a.optimistic, b.optimistic)))
    assert np.array_equal(sign, (least[0] > most[1]).astype(float) - (least[1] > most[0]))
    assert {*sign} >= {1.0, -1.0}
