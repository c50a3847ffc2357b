"""What must hold of any two guarantees, whatever they are: computed, given, combined, for both orders or for one.

Delta is found again by its three definitions from the public verbs. These err by no more than the certificates of the
profiles they read: ``certificate`` measures how wide the brackets of the Bayes errors are, and a tolerance is that
width beside 1e-8. What is proved ("yes", a bracket) is held against what is proved, with no tolerance but rounding.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import Phase, assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

import neyman as ny
from neyman.guarantees.questions.regret import divergence
from tests.comparison.kinds import (
    EXCHANGED,
    MAKERS,
    ONE_WAY,
    SLOW,
    alike,
    by_errors,
    by_profiles,
    certificate,
    made,
    one_pair,
    over,
    quick,
)
from tests.effort import examples, rest_slow

SHARP = 1e-8
ROUNDED = 1e-13
CHORDS = 2e-6  # between curves that (nearly) coincide, where every interval of a search stays open
TURNED = {"more_private": "less_private", "less_private": "more_private"}
ORDERS = np.array([0.3, 1.0, 1.7, 4.0, 30.0])


def few(number, many=60):
    return examples(number, many, phases=[Phase.explicit, Phase.generate])


def bracket(a, b):
    """Delta(a || b) from below and from above."""
    found = ny.compare(a, b).bounds[0]
    return found.lower, found.upper


def width(*guarantees):
    return sum(certificate(g) for g in guarantees)


def three_definitions(a, b, curves=True, **search):
    lower, upper = bracket(a, b)
    room = SHARP + width(a, b)
    assert 0.0 <= lower <= upper <= 0.5
    assert upper - lower <= 2.0 * room + (CHORDS if upper <= CHORDS else 0.0)  # brackets are widest between the places
    room += upper - lower
    for found in (by_profiles(a, b, **search), by_errors(a, b, **search)):
        assert lower - room <= max(found, 0.0) <= upper + room
        assert upper <= max(found, 0.0) + room
    if not curves:
        alpha = np.array([0.0, 0.02, 0.15, 0.4, 0.8]) * (1.0 - upper)
        assert np.all(a.beta(alpha + upper) - upper <= b.optimistic.beta(alpha) + room)
        return
    assert over(a, b, min(upper + room, 0.5), **search) <= ROUNDED
    if lower > room:
        assert over(a, b, lower - room, **search) > 0.0


@functools.cache
def partner(room):
    """For each room one guarantee that crosses most of the others."""
    return {
        "": lambda: ny.GDP(1.1),
        "slow": lambda: ny.PureDP(0.9),
        "remove": lambda: ny.account(ny.Laplace(1.3).poisson(0.6), "remove"),
        "replace": lambda: ny.account(ny.Laplace(2.9), "replace"),
    }[room]()


OFTEN = {
    "": ("dpsgd", "response", "blatant"),
    "slow": ("meet of polygons",),
    "remove": ("sampled laplace",),
    "replace": ("box",),
}


@pytest.mark.parametrize(("room", "name"), [
    pytest.param(room, name, marks=[] if name in OFTEN[room] else pytest.mark.slow)
    for room, names in (("", MAKERS), ("slow", SLOW), ("remove", ONE_WAY), ("replace", EXCHANGED))
    for name in names
])  # fmt: skip
def test_three_definitions_agree_for_every_kind(room, name):
    """Shifted curves, profiles and Bayes errors. Promises of divergences are known to 1e-5 alone, and slow to ask."""
    g, other = made(name, room), partner(room)
    slow = room == "slow"
    search = {"rounds": 8, "kept": 1, "parts": 6} if slow else {}
    three_definitions(g, other, not slow, **search)
    if not slow:
        three_definitions(other, g, **search)


@given(pair=alike(2))
@few(2)
def test_three_definitions_agree(pair):
    three_definitions(*pair)


def levy(a, b, rounds=9):
    """The least k with F_a(x - k) - k <= F_b(x) <= F_a(x + k) + k for all x, where F(x) = f(1 - x)."""
    x = np.unique(np.concatenate([np.linspace(0.0, 1.0, 101), np.geomspace(1e-9, 0.1, 40)]))

    def cdf(g, at):
        return np.where(at <= 0.0, 0.0, np.where(at >= 1.0, 1.0, g.beta(1.0 - np.clip(at, 0.0, 1.0))))

    def needed(k, at):
        there = cdf(b, at)
        return np.maximum(cdf(a, at - k) - k - there, there - cdf(a, at + k) - k)

    k = 0.0
    for _ in range(rounds):
        if np.max(needed(k, x)) > 0.0:  # by more than k on the finer grid
            k = brentq(lambda k, x=x: float(np.max(needed(k, x))), k, 1.0, xtol=1e-11)
        # more k, less is needed: what holds here holds from now on, and only what is near the worst can ask for more
        worst = np.argsort(-needed(k, x))[:3]
        x = np.unique(np.concatenate([np.linspace(x[max(i - 1, 0)], x[min(i + 1, x.size - 1)], 17) for i in worst]))
    return k


@given(a=quick, b=quick)
@few(2)
def test_distance_is_that_of_levy(a, b):
    assert ny.compare(a, b).distance == pytest.approx(levy(a, b), abs=SHARP + width(a, b))


@pytest.mark.slow
@pytest.mark.parametrize("names", [("one step", "sampled laplace")])
def test_distance_is_that_of_levy_for_curves_of_one_order(names):
    a, b = (made(name, "remove") for name in names)
    assert ny.compare(a, b).distance == pytest.approx(levy(a, b), abs=SHARP + width(a, b))


def no_more_private(a, b, c):
    """Nowhere is ``a`` more private than ``b``: seen on the curves, the profiles and the Bayes errors."""
    alpha, epsilon = np.linspace(0.0, 1.0, 33), np.linspace(-4.0, 4.0, 33)
    prior = 1.0 / (1.0 + np.exp(-epsilon))
    assert np.all(a.beta(alpha) <= b.optimistic.beta(alpha) + ROUNDED)
    assert np.all(b.sides.bracket(epsilon).lower <= a.sides.bracket(epsilon).upper * (1.0 + ROUNDED))
    assert np.all(a.bayes_error(prior) <= b.optimistic.bayes_error(prior) + ROUNDED)
    assert b.satisfies(a)
    assert c.order in ("less_private", "equal", "undecided")


@given(pair=alike(2))
@few(2)
def test_no_divergence_is_dominance(pair):
    a, b = pair
    c = ny.compare(a, b)
    lower, upper = c.bounds[0].lower, c.bounds[0].upper
    answer = b.satisfies(a)
    assert c.divergence == upper >= lower >= 0.0
    assert (upper == 0.0) == (answer.outcome == "yes")
    if upper == 0.0:
        no_more_private(a, b, c)
    if lower > 0.0:  # at that prior, b is certainly worse
        assert answer.outcome == "no"
        assert c.order in ("more_private", "incomparable", "undecided")
        assert a.optimistic.bayes_error(c.prior) > b.bayes_error(c.prior)
        assert a.optimistic.bayes_error(c.prior) - b.bayes_error(c.prior) >= lower * (1.0 - 1e-9)
    if answer.outcome == "no":
        assert (
            b.sides.bracket(np.array([answer.epsilon])).upper[0] > a.sides.bracket(np.array([answer.epsilon])).lower[0]
        )
    assert abs(a.advantage - b.advantage) <= 2.0 * c.distance + width(a, b) + ROUNDED
    assert c.excess_advantage >= b.optimistic.advantage - a.advantage


@given(pair=alike(2))
@few(5)
def test_exchange(pair):
    a, b = pair
    there, back = ny.compare(a, b), ny.compare(b, a)
    assert back.order == TURNED.get(there.order, there.order)
    assert (back.divergence, back.reverse) == (there.reverse, there.divergence)
    assert back.distance == there.distance
    assert back.width == there.width


@given(pair=alike(2))
@few(5)
def test_roles_of_the_errors_do_not_matter(pair):
    """f_a^-1 against f_b^-1: the prior is turned, no more."""
    a, b = pair
    a_turned, b_turned = a.inverse(), b.inverse()
    if a_turned.adjacency != b_turned.adjacency:  # a symmetric curve is its own inverse
        return
    turned = ny.compare(a_turned, b_turned)
    for one, other in zip(ny.compare(a, b).bounds, turned.bounds, strict=True):
        assert one.lower <= other.upper + ROUNDED
        assert other.lower <= one.upper + ROUNDED


@given(pair=alike(1))
@few(4)
def test_nothing_is_more_private_than_itself(pair):
    (g,) = pair
    itself = ny.compare(g, g)
    assert (itself.order, itself.distance, itself.width) == ("equal", 0.0, 0.0)
    assert itself.crossings == ()
    again = ny.compare(g, ny.meet(g, ny.BLATANT) if g.adjacency == "add_or_remove" else g.group(1))
    assert again.order in ("equal", "undecided")
    assert again.distance <= CHORDS + 2.0 * width(g)


@pytest.mark.parametrize("make", rest_slow([
    lambda: ny.account(ny.Laplace(1.0)), lambda: ny.account(ny.DPSGD(1.1, 0.04, 60)),
    lambda: ny.account(ny.RandomizedResponse(0.7) ** 3), lambda: ny.account(ny.Laplace(2.0).poisson(0.3)),
    lambda: ny.account(ny.ApproximateMechanism(0.5, 0.02) * ny.Gaussian(1.5)),
], 0, 2, 3))  # fmt: skip
def test_the_same_twice_is_never_ranked(make):
    """Made twice, and once through a box: another way, other roundings."""
    first, second = make(), make()
    boxed = ny.account(ny.Opaque(first))
    for other in (second, boxed):
        c = ny.compare(first, other)
        assert c.order in ("equal", "undecided")
        assert c.distance <= CHORDS + 2.0 * width(first)
        assert c.width <= c.distance


@given(three=alike(3))
@few(2)
def test_triangle(three):
    a, b, c = three
    for x, y, z in ((a, b, c), (c, b, a), (b, a, c)):
        assert bracket(x, z)[0] <= bracket(x, y)[1] + bracket(y, z)[1] + ROUNDED
        distance = max(bracket(x, z)[0], bracket(z, x)[0])
        assert distance <= ny.compare(x, y).distance + ny.compare(y, z).distance + ROUNDED


@given(pair=alike(1))
@few(7)
def test_the_ends_of_the_scale(pair):
    """Delta(PERFECT || M) = delta(0) / 2 and Delta(M || BLATANT) = (1 - delta(0)) / 2: together 1/2."""
    (g,) = pair
    up, down = divergence(ny.PERFECT.sides, g.sides, 1e-12), divergence(g.sides, ny.BLATANT.sides, 1e-12)
    room = SHARP + width(g)
    assert up.lower <= up.upper <= up.lower + room
    assert 0.5 * g.optimistic.advantage - ROUNDED <= up.upper <= 0.5 * g.advantage + room
    # where f is not symmetric the largest Bayes error is not that of prior 1/2, but still the fixed point of f
    assert g.fixed_point - ROUNDED <= down.upper <= g.optimistic.fixed_point + room
    assert up.upper + down.upper >= 0.5 - ROUNDED
    if g.sides.symmetric:
        assert 0.5 * (1.0 - g.advantage) - ROUNDED <= down.upper <= 0.5 * (1.0 - g.optimistic.advantage) + room
        assert up.upper + down.upper <= 0.5 + 2.0 * room
    if g.adjacency == "add_or_remove":
        better, worse = ny.compare(ny.PERFECT, g), ny.compare(g, ny.BLATANT)
        assert better.reverse == worse.reverse == 0.0
        assert better.divergence == pytest.approx(up.upper, abs=room)
        assert worse.divergence == pytest.approx(down.upper, abs=room)


@given(mu=st.floats(1e-3, 20.0), factor=st.floats(1e-14, 2.5))
@few(10, 400)
def test_gaussians_are_always_ranked(mu, factor):
    worse = mu * (1.0 + factor)
    if worse == mu:
        assert ny.compare(ny.GDP(mu), ny.GDP(worse)).order == "equal"
        return
    c = ny.compare(ny.GDP(mu), ny.GDP(worse))
    assert c.order == "more_private"
    assert c.reverse == 0.0 < c.divergence
    assert c.crossings == ()
    assert ny.compare(ny.account(ny.Gaussian(1.0 / worse)), ny.GDP(mu * (1.0 - 1e-9))).order == "less_private"


@given(three=alike(3))
@few(3)
def test_join_and_meet_are_extremal(three):
    """No guarantee that both imply is better than the join, none that implies both is worse than the meet."""
    a, b, c = three
    worst, best = ny.join(a, b), ny.meet(a, b)
    for one in (a, b):
        assert ny.compare(one, worst).order in ("more_private", "equal", "undecided")
        assert one.satisfies(worst)
        assert ny.compare(one, best).order in ("less_private", "equal", "undecided")
        assert best.satisfies(one)
    above, below = ny.join(a, b, c), ny.meet(a, b, c)
    for answer in (worst.satisfies(above), below.satisfies(best)):  # equal curves made in another way: to rounding
        assert answer.outcome != "no"
        assert answer.excess <= SHARP
    for other in (c, a.group(1), ny.join(b, c)):
        if a.satisfies(other) and b.satisfies(other):
            assert worst.satisfies(other).outcome != "no"
        if other.satisfies(a) and other.satisfies(b):
            assert other.satisfies(best).outcome != "no"


@given(three=alike(3))
@few(1)
def test_divergences_of_join_and_meet(three):
    """Delta(c || join) and Delta(meet || c) are the larger of the two parts': no constant is lost."""
    a, b, c = three
    room = SHARP + width(a, b, c)
    pairs = (((c, ny.join(a, b)), (c, a), (c, b)), ((ny.meet(a, b), c), (a, c), (b, c)))
    for both, first, second in pairs:
        low, high = (max(one, other) for one, other in zip(bracket(*first), bracket(*second), strict=True))
        lower, upper = bracket(*both)
        assert lower <= high + ROUNDED
        assert low <= upper + ROUNDED
        assert upper - lower <= room + CHORDS
        assert upper <= high + room + (upper - lower)


@given(pair=alike(2))
@few(3)
def test_crossings_and_the_order_agree(pair):
    a, b = pair
    c = ny.compare(a, b)
    lower = [bound.lower for bound in c.bounds]
    if c.order in ("more_private", "less_private", "equal"):
        assert c.crossings == ()
        assert min(lower) == 0.0
    if c.order != "undecided":
        assert c.width == 0.0
    if min(lower) > 0.0:
        assert c.order == "incomparable"
    if min(lower) > 2.0 * c.unseen:
        assert c.crossings
    for x in c.crossings:
        at = np.array([x.low, x.high])
        mine, other = a.sides.bracket(at), b.sides.bracket(at)
        sign = (other.lower > mine.upper).astype(int) - (other.upper < mine.lower)
        assert sign[0] * sign[1] <= 0  # read from the other side of 0, a sign may be lost to rounding


CURVES = st.one_of(  # one pair each, in both orders; all but the last are quick to compose
    st.floats(0.05, 2.0).map(ny.GDP),
    st.floats(0.05, 2.0).map(ny.PureDP),
    st.builds(ny.ApproximateDP, st.floats(0.0, 2.0), st.floats(1e-6, 0.2)),
    st.floats(0.7, 4.0).map(lambda b: ny.account(ny.Laplace(b))),
    st.floats(0.1, 2.0).map(lambda e: ny.account(ny.RandomizedResponse(e, k=3))),
    st.sampled_from(["pairs", "lopsided", "discrete laplace", "product"]).map(made),
)


def better(a, b):
    """The pair with the more private one first, if there is one; else ``a`` and what both imply."""
    order = ny.compare(a, b).order
    if order == "more_private":
        return a, b
    return (b, a) if order == "less_private" else (a, ny.join(a, b))


EXACT = st.one_of(  # their composition is a sum over finitely many outcomes, or Gaussian
    st.floats(0.05, 2.0).map(ny.GDP),
    st.floats(0.05, 2.0).map(ny.PureDP),
    st.builds(ny.ApproximateDP, st.floats(0.0, 2.0), st.floats(1e-6, 0.2)),
    st.floats(0.1, 2.0).map(lambda e: ny.account(ny.RandomizedResponse(e, k=3))),
    st.sampled_from(["lopsided", "discrete laplace"]).map(made),
)


@given(a=EXACT, b=EXACT, times=st.integers(2, 3))
@few(3)
def test_dominance_survives_composition(a, b, times):
    """As guarantees, as boxes, and next to something else."""
    order = ny.compare(a, b).order
    assume(order in TURNED)
    good, bad = (a, b) if order == "more_private" else (b, a)
    beside = ny.GDP(0.4)
    for one, other in (
        (good**times, bad**times),
        (good * beside, bad * beside),
        (ny.account(ny.Opaque(good) ** times), ny.account(ny.Opaque(bad) ** times)),
    ):
        c = ny.compare(one, other)
        assert c.bounds[1].lower == 0.0
        assert c.order in ("more_private", "equal", "undecided")
        assert c.reverse <= CHORDS + width(one, other)


@pytest.mark.slow
@given(sigma=st.floats(0.6, 3.0), factor=st.floats(1.01, 1.5), rate=st.floats(0.01, 0.5), steps=st.integers(2, 40))
@few(1)
def test_dominance_of_steps_is_that_of_runs(sigma, factor, rate, steps):
    """One sampled step dominates another, so do their compositions, each direction for itself."""
    for adjacency in ("remove", "add"):
        quiet, loud = (ny.Gaussian(s).poisson(rate) for s in (sigma * factor, sigma))
        assert ny.compare(ny.account(quiet, adjacency), ny.account(loud, adjacency)).bounds[1].lower == 0.0
        assert (
            ny.compare(ny.account(quiet**steps, adjacency), ny.account(loud**steps, adjacency)).bounds[1].lower == 0.0
        )


@given(a=CURVES, b=CURVES)
@few(3)
def test_dominance_orders_every_renyi_divergence(a, b):
    """Of the curves' own pairs: what zCDP and RDP state of divergences is not what their curves allow."""
    good, bad = better(a, b)
    assert one_pair(good)
    assert one_pair(bad)
    assert np.all(good.optimistic.renyi(ORDERS) <= bad.renyi(ORDERS))
    assert good.optimistic.zcdp() <= bad.zcdp()
    # without the certificates: profiles alone know a divergence to 1e-5
    finite = np.isfinite(bad.renyi(ORDERS))
    assert np.all(good.renyi(ORDERS)[finite] <= bad.renyi(ORDERS)[finite] * (1.0 + 1e-4) + 1e-9)


def test_renyi_divergences_in_order_and_curves_that_cross():
    """Laplace noise of scale 1 and GDP(0.98): every divergence of the first is the smaller, and yet it lets the
    attacker at prior 1/2 err less.

    For t > 1 rho of the first is below mu^2 / 2, and D_t of the second is t mu^2 / 2. On [1/2, 1] D_t rises with t, so
    that it is enough to hold its value at the end of each cell against t mu^2 / 2 at the start; (1 - t) D_t = t D_(1-t)
    of symmetric pairs brings t < 1/2.
    """
    mu = 0.98
    a, b = ny.account(ny.Laplace(1.0)), ny.GDP(mu)
    rho = 0.5 * mu**2 * (1.0 - 1e-15)
    assert a.zcdp() < rho
    t = np.linspace(0.5, 1.0, 41)
    assert np.all(a.renyi(t[1:]) < rho * t[:-1])
    c = ny.compare(a, b)
    assert c.order == "incomparable"
    assert a.bayes_error(0.5) < a.optimistic.bayes_error(0.5) < b.bayes_error(0.5)
    assert c.bounds[1].lower > 1e-3
    assert c.bounds[0].lower > 1e-3
    assert len(c.crossings) == 2
