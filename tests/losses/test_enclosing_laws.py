"""Laws above and below one that is known by bounds: in the right order everywhere, and no more than a law."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.losses.enclosed.laws import HalfLine, law_above, law_below
from neyman.losses.readings.outcomes import Outcomes
from neyman.profiles.profile import Bracket
from tests.effort import crossed, examples


def told(losses: list[float], masses: list[float], at: float, reverse: bool) -> mpmath.mpf:
    """delta of the law with these masses under Q, in one direction."""
    found = mpmath.mpf(0)
    for loss, mass in zip(losses, masses, strict=True):
        ratio = mpmath.exp(mpmath.mpf(loss))
        one, other = (1, ratio) if reverse else (ratio, 1)
        found += mpmath.mpf(mass) * max(0, one - mpmath.exp(mpmath.mpf(at)) * other)
    return found


def of_list(table: Outcomes, at: float, reverse: bool) -> float:
    loss, mass = (-table.loss, np.exp(table.log_p)) if reverse else (table.loss, np.exp(table.log_q))
    shown = table.infinite[1 if reverse else 0]
    return math.fsum(np.maximum(np.exp(loss) - math.exp(at), 0.0) * mass) + shown


@crossed(
    ("nearest", [2.220446049250313e-16, 3e-13, 1e-9, 1e-4, 0.1]),
    ("room", [0.0, 1e-12, 1e-7]),
)
def test_laws_of_points_close_to_nothing_and_of_vague_bounds(nearest, room):
    """A point at 2e-16, where delta is known to 1e-12, made a law below of mass 1.008, and lower bounds above delta."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        losses = [-nearest, nearest, *rng.uniform(0.2, 2.0, 2).tolist(), -float(rng.uniform(0.2, 2.0))]
        weights = rng.dirichlet(np.ones(5)).tolist()
        # under P the masses are to sum to 1 as well: what is left of either lies at 0, or is shown
        points = np.unique(np.append(0.0, np.abs(losses)))
        scale = 0.9 / max(1.0, math.fsum(w * math.exp(v) for w, v in zip(weights, losses, strict=True)))
        masses = [w * scale for w in weights]
        p, q = math.fsum(m * math.exp(v) for m, v in zip(masses, losses, strict=True)), math.fsum(masses)
        left = 1.0 - max(p, q)  # at 0; the rest of the lighter one is shown to nobody else
        shown = 1.0 - left - p, 1.0 - left - q
        halves = []
        for reverse in (False, True):
            values = np.array([float(told(losses, masses, at, reverse)) for at in points]) + shown[reverse]
            bounds = Bracket.of_delta(np.maximum(values - room - 4e-16, 0.0), np.minimum(values + room + 4e-16, 1.0))
            halves.append(HalfLine(bounds, max(shown[reverse] - room - 4e-16, 0.0)))
        below, above = law_below(points, *halves, None, True), law_above(points, *halves, None)
        for mass, infinite in ((np.exp(below.log_p), below.infinite[0]), (np.exp(below.log_q), below.infinite[1])):
            assert math.fsum(mass) + infinite <= 1.0 + 1e-14
        for reverse in (False, True):
            for at in (0.0, nearest, 0.1, 0.3, 0.7, 1.1, 1.9):
                truth = float(told(losses, masses, at, reverse)) + shown[reverse]
                assert of_list(below, at, reverse) <= truth + below.relative + 1e-15
                assert of_list(above, at, reverse) >= truth - above.relative - 1e-15
        if nearest > 1e-6:
            assert of_list(above, 0.0, False) - of_list(below, 0.0, False) <= 4.0 * room + 1e-9


@pytest.mark.parametrize("far", [1e-17, 1.4136840794295912e-15, 3e-14, 1e-11, 1e-6])
@pytest.mark.parametrize("rest", [1e-15, 9.308803e-10, 1e-4, 0.4])
def test_no_law_above_weighs_more_than_a_law(far, rest):
    """Of slopes between points a few units of 1 apart nothing is left but rounding: masses of 2.36 beside 1 - 9e-10."""
    delta = 1.0 - rest
    bounds = Bracket.of_delta(np.array([delta, delta]), np.array([min(delta + 0.5 * far * rest + 2e-16, 1.0), delta]))
    above = law_above(np.array([0.0, far]), HalfLine(bounds, delta), HalfLine(bounds, delta), None)
    for logs, infinite in zip((above.log_p, above.log_q), above.infinite, strict=True):
        assert infinite >= delta
        mass = math.fsum(np.exp(logs))
        assert mass <= (1.0 - infinite + above.beyond) * (1.0 + 1e-12)
        assert far > 1e-9 or mass <= (1.0 - infinite) * (1.0 + 1e-8)
    for at in (0.0, 0.5 * far, far, 1.0):
        assert of_list(above, at, False) >= delta - above.relative


@pytest.mark.parametrize("far", [1e-17, 1.4136840794295912e-15, 3e-14, 1e-11, 1e-6])
@pytest.mark.parametrize("rest", [9.308803e-10, 1e-4, 0.4])
@pytest.mark.parametrize("times", [1, 3, 10])
def test_promises_of_next_to_no_epsilon_and_deltas_near_one(far, rest, times):
    """delta was said to be at most -12 of three, where 1 - rest^3 is revealed."""
    delta = 1.0 - rest
    g = ny.account(ny.Opaque(ny.Profile([far], [delta])) ** times, tolerance=1e-3)
    kept = mpmath.mpf(1) - mpmath.mpf(delta)
    for side in (g.sides.forward, g.sides.backward):
        b = side.bracket(np.array([0.0, 0.5 * far, 2.0 * times * far, 1.0]))
        assert np.all((b.lower >= 0.0) & (b.upper <= 1.0) & (b.lower <= b.upper))
        assert np.all(b.upper >= float(1 - kept**times) - 2e-16)
        assert np.all(b.log_gap_lower <= float(times * mpmath.log(kept)) * (1.0 - 1e-15) + 1e-15)
        assert np.all(b.log_gap_upper >= float(times * mpmath.log(kept)) - times * far - 1e-12)


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def left_of_responses(far: float, rest: float, times: int, at: float) -> mpmath.mpf:
    """1 - delta of randomised responses of (eps, delta), which (eps, delta) alone implies: by counting."""
    up = mpmath.exp(mpmath.mpf(far)) / (1 + mpmath.exp(mpmath.mpf(far)))
    found = mpmath.mpf(0)
    for j in range(times + 1):
        p, q = (mpmath.binomial(times, j) * up**a * (1 - up) ** b for a, b in ((times - j, j), (j, times - j)))
        found += min(p, mpmath.exp(mpmath.mpf(at)) * q)
    return mpmath.mpf(rest) ** times * found


@examples(60, 3000)
@given(
    far=log_uniform(1e-16, 40.0), rest=log_uniform(1e-15, 1.0), times=st.sampled_from([1, 2, 3, 5, 9]),
    share=st.floats(0.0, 3.0),
)  # fmt: skip
def test_composed_promises_are_randomised_responses(far, rest, times, share):
    """One setting in twenty of these was false: masses were moved by a share of 1, not of what is not revealed."""
    with mpmath.workdps(60):
        delta = 1.0 - rest
        g = ny.account(ny.Opaque(ny.Profile([far], [delta])) ** times, tolerance=1e-3)
        at = np.array([0.0, share * far, share])
        b = g.sides.forward.bracket(at)
        for k, epsilon in enumerate(at.tolist()):
            left = left_of_responses(far, mpmath.mpf(1) - mpmath.mpf(delta), times, epsilon)
            gap, small = mpmath.log(left), mpmath.mpf(10) ** -50
            assert b.lower[k] - small <= 1 - left <= b.upper[k] + small
            assert b.log_gap_lower[k] <= gap + mpmath.mpf(10) ** -17 - gap * mpmath.mpf(10) ** -16
            assert b.log_gap_upper[k] >= gap - mpmath.mpf(10) ** -17 + gap * mpmath.mpf(10) ** -16


@pytest.mark.parametrize("far", [1e-9, 1e-6, 1e-3, 0.1, 5.0])
@pytest.mark.parametrize("rest", [1e-13, 1e-12, 1e-9, 1e-6, 0.1])
def test_what_a_law_above_reveals_is_not_summed_where_masses_were_moved(far, rest):
    delta = 1.0 - rest
    most = min(delta + rest * math.tanh(0.5 * far), 1.0)
    bounds = Bracket.of_delta(np.array([delta, delta]), np.array([most, delta]))
    above = law_above(np.array([0.0, far]), HalfLine(bounds, delta), HalfLine(bounds, delta), None)
    for side in (0, 1):
        log, off = above.whole().log_whole[side], above.whole().off[side]
        assert abs(log - float(mpmath.log(1 - mpmath.mpf(above.infinite[side])))) <= off
