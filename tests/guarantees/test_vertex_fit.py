"""mu of laws with few outcomes, both sides, against all their vertices in 60 digits."""

import itertools
import math
import random

import mpmath as mp
import pytest

import neyman as ny
from tests.guarantees.references import quantile


def power(step, times):
    """Every outcome of ``times`` steps, equal ones together."""
    found = []
    for chosen in itertools.combinations_with_replacement(range(len(step)), times):
        ways = mp.factorial(times)
        for i in set(chosen):
            ways /= mp.factorial(chosen.count(i))
        found.append(tuple(ways * mp.fprod(step[i][side] for i in chosen) for side in (0, 1)))
    return found


def answers(epsilon, k, rate):
    grown, q = mp.exp(mp.mpf(epsilon)), mp.mpf(rate)
    whole = grown + k - 1
    law = [(grown / whole, 1 / whole), (1 / whole, grown / whole)] + [((k - 2) / whole,) * 2] * (k > 2)
    return [((1 - q) * b + q * a, b) for a, b in law]


def telling(epsilon, delta, rate):
    """The worst of (epsilon, delta), sampled: with probability delta all is told."""
    grown, d, q = mp.exp(mp.mpf(epsilon)), mp.mpf(delta), mp.mpf(rate)
    small, large = (1 - d) / (1 + grown), (1 - d) * grown / (1 + grown)
    return [((1 - q) * b + q * a, b) for a, b in ((large, small), (small, large), (d, mp.mpf(0)), (mp.mpf(0), d))]


def curve(law):
    a, b, found = mp.mpf(0), mp.mpf(1), [(mp.mpf(0), mp.mpf(1))]
    for p, q in sorted(law, key=lambda pair: -pair[0] / pair[1] if pair[1] else -mp.inf):
        a, b = a + q, b - p
        found.append((a, b))
    return found


def hull(points):
    kept = []
    for c in sorted(set(points)):
        while len(kept) > 1 and (
            (kept[-1][0] - kept[-2][0]) * (c[1] - kept[-2][1]) <= (kept[-1][1] - kept[-2][1]) * (c[0] - kept[-2][0])
        ):
            kept.pop()
        kept.append(c)
    return kept


def score(p):
    if p > mp.mpf(1) / 2:
        return -score(1 - p)
    return mp.mpf(0) if p == mp.mpf(1) / 2 else -quantile(p)


def largest(points, floor):
    """The local mu is largest at a vertex or at the floor; at the fixed point where all of the curve is below."""
    floor, found = mp.mpf(floor), []
    for (a, b), (c, d) in itertools.pairwise(points):
        found += [(a, b), (c, d)]
        if a < floor < c:
            found.append((floor, b + (d - b) * (floor - a) / (c - a)))
        if d < floor < b:
            found.append((a + (c - a) * (b - floor) / (b - d), floor))
    found = [score(a) + score(b) for a, b in found if a >= floor and b >= floor]
    if found:
        return max(found)
    for (a, b), (c, d) in itertools.pairwise(points):
        if b >= a and d <= c:
            return 2 * score(a + (c - a) * (b - a) / ((b - a) + (c - d)))
    raise AssertionError


def check(epsilon, k, rate, times, adjacency, floor, delta=None):
    with mp.workdps(60):
        step = answers(epsilon, k, rate) if delta is None else telling(epsilon, delta, rate)
        law = [(p, q) for p, q in power(step, times) if p or q]
        one, other = curve(law), curve([(q, p) for p, q in law])
        truth = largest(hull({"remove": one, "add": other, "add_or_remove": one + other}[adjacency]), floor)
        m = ny.RandomizedResponse(epsilon, k) if delta is None else ny.ApproximateMechanism(epsilon, delta)
        g = ny.account((m if rate == 1.0 else m.poisson(rate)) ** times, adjacency)
        lower, upper = g.optimistic.mu(floor), g.mu(floor)
        assert lower <= truth <= upper
        assert upper - lower <= (1e-9 * upper if delta is None else 1e-6 * upper + 1e-9)


@pytest.mark.parametrize(
    "case",
    [
        (8.594846639738654, 2, 1.355333325785855e-08, 8, "remove", 0.00628865936868615),  # was 61 % wide
        (8.490553492680387, 2, 1.4167323076835374e-08, 6, "add", 0.0030121371778884026),
        (1.0, 3, 1.0, 2, "add_or_remove", 1e-10),
        (0.00434840638365491, 10, 1.0, 8, "add_or_remove", 0.003510351483931402),
        (12.0, 2, 0.9, 2, "remove", 0.05),  # the whole curve is below the floor
    ],
)
def test_nine_outcomes_and_fewer(case):
    check(*case)


@pytest.mark.parametrize("points", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_any_few_outcomes(points):
    rng = random.Random(points)
    for _ in range(points):
        check(
            10 ** rng.uniform(-3, 1.3), rng.choice([2, 3, 10]), rng.choice([1.0, 10 ** -rng.uniform(0, 8)]),
            rng.randint(1, 6), rng.choice(["remove", "add", "add_or_remove"]), 10 ** -rng.uniform(1, 12),
        )  # fmt: skip


@pytest.mark.parametrize("points", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_what_reveals_the_record_now_and_then(points):
    """Also where the floor lies below all that is left of alpha, and where delta is beyond 1/2."""
    rng = random.Random(points)
    for _ in range(points):
        delta, rate, times = 10 ** -rng.uniform(0.1, 12), rng.choice([1.0, 10 ** -rng.uniform(0, 8)]), rng.randint(1, 6)
        least = min(times * delta * rng.choice([1.0, rate]) * 2, 0.4)  # below what is revealed mu is inf
        floor = math.exp(rng.uniform(math.log(max(least, 1e-12)), math.log(0.45)))
        check(10 ** rng.uniform(-3, 1.3), 2, rate, times, rng.choice(["remove", "add", "add_or_remove"]), floor, delta)


def test_a_floor_at_what_is_revealed_was_refused():
    check(0.01321, 2, 0.0001623, 8, "add_or_remove", 1e-10, 2.601e-9)
