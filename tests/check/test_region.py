"""What rho alone promises: no test that it allows is beyond a tangent, and tests that it forbids are not taken."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.witnesses.region import Region
from neyman_check import NotProved, Unreadable, check
from neyman_check.claims import region as room
from neyman_check.claims.region import inside, region, tangent
from neyman_check.work import Work
from tests.effort import examples, rest_slow
from tests.reference.recorded import recorded

FREE = Work(128).spend
ORDERS = 1.0 + np.geomspace(1e-7, 1e7, 300)
BESIDE = np.geomspace(0.88, 1.13, 100)
RHOS = (1e-3, 0.02, 0.37, 3.0, 40.0)


def spent(p, a, rho):
    """The largest D_t - rho t over orders, in both orders of the pair: above 0 the test is forbidden."""
    found = -math.inf
    for x, y in ((p, a), (1.0 - a, 1.0 - p)):  # the second is the pair exchanged
        best = 2.0
        for near in (False, True):
            orders = 1.0 + (best - 1.0) * BESIDE if near else ORDERS
            with np.errstate(divide="ignore"):
                one = orders * np.log(x) + (1.0 - orders) * np.log(y)
                other = orders * np.log1p(-x) + (1.0 - orders) * np.log1p(-y)
            over = np.logaddexp(one, other) / (orders - 1.0) - rho * orders
            best = orders[int(np.argmax(over))]
            found = max(found, float(np.max(over)))
    return found


def most_power(a, rho):
    """The largest p that is allowed beside a, by halving."""
    low, high = a, 1.0
    for _ in range(44):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spent(middle, a, rho) <= 0.0 else (low, middle)
    return low


def profile(t, rho):
    """delta of rho alone, by a search over a: a little below the truth."""
    return float(profile_digits(t, rho))


@recorded(1e-9)
def profile_digits(t: float, rho: float) -> str:
    grid = np.geomspace(math.exp(-rho) * 1e-9, 0.9999, 80)
    value = [most_power(a, rho) - t * a for a in grid]
    i = int(np.argmax(value))
    low, high = math.log(grid[max(i - 1, 0)]), math.log(grid[min(i + 1, len(grid) - 1)])
    best = max(value)
    for _ in range(30):
        x, y = low + 0.382 * (high - low), low + 0.618 * (high - low)
        u, v = (most_power(math.exp(z), rho) - t * math.exp(z) for z in (x, y))
        best = max(best, u, v)
        low, high = (low, y) if u > v else (x, high)
    return repr(float(best))


def known(rho, epsilon):
    found = Region(rho, rho + 6.0 * math.sqrt(rho) + epsilon)
    return found.touching(epsilon, math.sqrt(2.0 * rho)), found.inside(epsilon)


@given(
    rho=st.floats(-6.0, 1.7).map(lambda x: 10.0**x), order=st.floats(-6.0, 3.0).map(lambda x: 1.0 + 10.0**x),
    d1=st.floats(-4.0, 1.5).map(lambda x: 10.0**x), d2=st.floats(-4.0, 1.5).map(lambda x: -(10.0**x)),
    a=st.floats(1e-9, 0.999), share=st.floats(0.0, 1.0),
)  # fmt: skip
@examples(60, 3000)
def test_no_allowed_test_is_beyond_a_tangent(rho, order, d1, d2, a, share):
    t, most = tangent(arb(rho), arb(order), arb(d1), arb(d2))
    p = a + share * (1.0 - a)
    over = spent(p, a, rho)
    if not over <= 0.0:  # nearer to the diagonal
        p = most_power(a, rho)
    if t > 0 and most.is_finite():
        assert p - float(t.lower()) * a <= float(most.upper()) + 1e-9 * (1.0 + float(t.upper()) * a)


@pytest.mark.parametrize("rho", rest_slow(RHOS, 0, 4))
def test_tangents_and_a_test_enclose_a_search(rho):
    for share in (0.0, 0.6, 2.0):
        epsilon = share * math.sqrt(2.0 * rho)
        touching, allowed = known(rho, epsilon)
        most = float(region(arb(rho), touching).delta(arb(epsilon).exp()).upper())
        truth = profile(math.exp(epsilon), rho)
        (d,) = allowed
        p, a = inside(arb(rho), arb(d[0]), arb(d[1]), FREE)
        least = float((p - arb(epsilon).exp() * a).lower())
        assert truth * (1.0 - 1e-5) <= most <= truth * (1.0 + 2e-4)
        assert truth * (1.0 - 1e-4) <= least <= truth * (1.0 + 1e-5)


@pytest.mark.parametrize(("rho", "beyond"), [(1e-3, 1e-5), (0.02, 1e-5), (0.37, 1e-5), (3.0, 1e-5), (40.0, 1e-3)])
def test_a_test_that_is_forbidden_is_not_taken(rho, beyond):
    """The one that is allowed, moved away from the diagonal by little more than what it was moved towards it."""
    for share in (0.0, 1.0, 2.0):
        (d,) = known(rho, share * math.sqrt(2.0 * rho))[1]
        inside(arb(rho), arb(d[0]), arb(d[1]), FREE)
        with pytest.raises(NotProved, match="does not surely allow"):
            inside(arb(rho), arb(d[0]) * (1 + arb(beyond)), arb(d[1]) * (1 + arb(beyond)), FREE)


def test_both_orders_of_the_pair_count():
    """D(P||Q) alone would allow more: a = e^-rho beside p = 1."""
    with pytest.raises(NotProved, match="does not surely allow"):
        inside(arb(1.0), arb(0.5), arb(-30.0), FREE)
    with pytest.raises(NotProved, match="does not surely allow"):
        inside(arb(1.0), arb(30.0), arb(-0.5), FREE)


@pytest.mark.parametrize("point", [(0.0, -1.0), (1.0, 0.0), (-1.0, -2.0), (1.0, 2.0)])
def test_a_test_no_better_than_a_guess_tells_nothing(point):
    with pytest.raises(NotProved, match="no better than a guess"):
        tangent(arb(1), arb(2), *map(arb, point))


def test_with_no_tangents_everything_is_told():
    assert region(arb(1), ()).delta(arb(2)) == 1


RHO = 0.4621171572600098  # of randomised response with e = 1: its D_t / t is largest next to t = 1


@cache
def truth():
    """What RHO alone gives away of it, by searches: a little below the truth."""
    guarantee = ny.account(ny.RandomizedResponse(1.0))
    grid = np.linspace(0.25, 1.5, 6).tolist()  # with its corner
    return max((profile(math.exp(e), RHO) - float(guarantee.delta(e))) / (1.0 + math.exp(e)) for e in grid)


@cache
def witnesses():
    points = [known(RHO, x) for x in np.linspace(0.25, 1.5, 6).tolist()]
    return [row for one in points for row in one[0][::2]], [one[1][0] for one in points]


def judged(statements):
    eps = [0.005 * k for k in range(280)]
    answers = check({
        "format": "neyman-proof", "version": 1, "bits": 128, "mechanism": ny.RandomizedResponse(1.0).to_dict(),
        "adjacency": "add_or_remove", "lines": [], "statements": statements,
        "places": [{"direction": way, "epsilon": e, "line": None} for way in ("remove", "add") for e in eps],
    })  # fmt: skip
    return {one.id: one.verdict for one in answers}


def stated(name, side, value, rho=RHO):
    touching, tests = witnesses()
    return {
        "id": name,
        "quantity": "zcdp_regret",
        side: value,
        "given": {"rho": rho, "touching": [list(row) for row in touching], "inside": [list(row) for row in tests]},
    }


def test_the_regret_of_rho():
    """What is true to 0.2 % is proved, what is false by 1e-6 never."""
    verdicts = judged([
        stated("true, at most", "at_most", truth() * 1.002), stated("true, at least", "at_least", truth() * 0.998),
        stated("false, at most", "at_most", truth() * (1.0 - 1e-6)),
        stated("false, at least", "at_least", truth() * 1.001),
    ])  # fmt: skip
    assert verdicts["true, at most"] == verdicts["true, at least"] == "proved"
    assert "proved" not in (verdicts["false, at most"], verdicts["false, at least"])


@given(seed=st.integers(0, 2**32))
@examples(25, 3000, deadline=None)
def test_tangents_and_tests_altered(seed):
    """Whatever they are, nothing false is proved: the regret grows with rho."""
    rng = random.Random(seed)
    statements = [
        stated("false, at most", "at_most", truth() * (1.0 - 1e-6), RHO * rng.choice((1.0, 1.0, 1.1, 3.0))),
        stated("false, at least", "at_least", truth() * 1.001, RHO * rng.choice((1.0, 1.0, 0.9, 0.3))),
    ]
    for one in statements:
        for rows in (one["given"]["touching"], one["given"]["inside"]):
            for row in rng.sample(rows, rng.randrange(1, len(rows))):
                k = rng.randrange(len(row))
                near = row[k] * math.exp(rng.gauss(0.0, 10.0 ** rng.uniform(-6.0, 1.0)))
                row[k] = rng.choice((-row[k], near, near, 0.0, 1.0, 1e300, 5e-324, -1e6, 1.0 + 1e-15))
    assert "proved" not in judged(statements).values()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("touching", [[2.0, 1.0]], "3 numbers"), ("touching", [[2.0, 1.0, "x"]], "a number"), ("touching", 1, "a list"),
        ("inside", [[1.0, -1.0, 2.0]], "2 numbers"), ("inside", [[1.0, -1.0]] * 11, "at most 10"),
        ("touching", [[2.0, 1.0, -1.0]] * 1001, "at most 1000"), ("rho", -1.0, "0 or more"), ("rho", None, "a number"),
    ],
)  # fmt: skip
def test_what_no_file_may_say(name, value, words):
    one = stated("bad", "at_most", 1.0)
    one["given"][name] = value
    with pytest.raises(Unreadable, match=words):
        judged([one])


def test_a_plane_that_is_too_low_is_caught(monkeypatch):
    """Were e^{rho t (t - 1)} taken smaller by 0.1 %, false statements would follow."""

    def tangent_lowered(rho, order, d1, d2):
        t, most = tangent(rho, order, d1, d2)
        s = order - 1
        rise = order * (s * d2).exp() * (s * (d1 - d2)).expm1()
        return t, most - (rho * order * s).exp() / rise / 1000

    monkeypatch.setattr(room, "tangent", tangent_lowered)
    touching, _ = known(0.37, 1.0)
    assert float(region(arb(0.37), touching).delta(arb(1.0).exp()).upper()) < profile(math.e, 0.37) * (1.0 - 1e-6)
