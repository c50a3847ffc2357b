"""Lines of a run that goes on: as true after a hundred more steps as those that are laid for them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.growing import GrowingLines
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.truncation.monotone import log_beyond
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.profile import Bracket

TAIL = 1e3  # a mu without a floor that is not asked for here


def laid(steps: list[tuple[float, float, int]], growing: int, most: int, mu: float = 0.0) -> list[GrowingLines]:
    """Of both directions."""
    parts = Parts(tuple((SamplingTransform(s, q), n) for s, q, n in steps), mu, "remove")
    pair = zip((parts, parts.reversed), Walk.pair(parts), strict=True)
    return [GrowingLines(law, walk, growing, most) for law, walk in pair]


def overlap(a: Bracket, b: Bracket) -> bool:
    return bool(np.all((a.lower <= b.upper) & (b.lower <= a.upper)))


@given(
    log_sigma=st.floats(-1.0, 3.0), log_rate=st.floats(-9.0, -0.05), log_steps=st.floats(3.0, 14.0),
    share=st.floats(0.0, 0.4), other=st.booleans(), gaussian=st.booleans(),
)  # fmt: skip
def test_the_same_as_of_the_whole_engine(
    log_sigma: float, log_rate: float, log_steps: float, share: float, other: bool, gaussian: bool
) -> None:
    sigma, rate, steps = math.exp(log_sigma), math.exp(log_rate), int(math.exp(log_steps))
    most = max(1, int(0.4 * steps))
    more = int(share * steps)
    kinds = [(sigma, rate, steps), *([(1.5, 0.05, 7)] if other else [])]
    whole = ny.DPSGD(sigma, rate, steps + more)
    whole = whole * ny.DPSGD(1.5, 0.05, 7) if other else whole
    whole = whole * ny.Gaussian(4.0) if gaussian else whole
    for lines, adjacency in zip(laid(kinds, 0, most, 0.25 * gaussian), ("remove", "add"), strict=True):
        if not len(lines.places):
            continue
        g = ny.account(whole, adjacency, tolerance=0.999)
        start = max(g.optimistic.advantage, 1e-12)
        epsilon = start * np.array([0.0, 0.3, 1.0, 3.0, 6.0])
        found = lines.at(more, TAIL).bracket(epsilon)
        assert np.all(found.lower <= g.delta(epsilon) * (1.0 + 1e-15))
        assert np.all(found.upper >= g.optimistic.delta(epsilon) * (1.0 - 1e-15))


def test_sharp_to_the_last_step_they_are_laid_for() -> None:
    for sigma, rate, steps in ((9.4, 0.32768, 1000), (1.0, 0.01, 100), (0.8, 1e-3, 2000), (3.0, 1e-4, 10**5)):
        for lines in laid([(sigma, rate, steps)], 0, int(0.4 * steps)):
            profile = lines.at(int(0.4 * steps), TAIL)
            at = profile.bracket(np.zeros(1)).upper * np.array([0.0, 0.5, 1.0, 2.0])
            found = profile.bracket(at)
            assert np.all(found.upper[found.upper > 1e-9] <= found.lower[found.upper > 1e-9] * (1.0 + 1e-8))


@pytest.mark.parametrize("direction", [0, 1])
def test_what_lies_beyond_the_cut_grows_as_the_line_does(direction: int) -> None:
    """With a cut so early that it is all of the error: with the growth left out, the truth would lie outside."""
    sigma, rate, steps, more = 1.0, 0.2, 10, 40
    lines = laid([(sigma, rate, steps)], 0, more)[direction]
    parts, walk = lines._parts, lines._walk
    index = int(lines.places[0])
    plan = lines._plans[index]
    c, sd = float(walk.c[index]), math.sqrt(float(walk.variance[index]))
    cut = 1.2 / sd
    early = replace(plan, cut=cut, log_truncation=log_beyond(parts, walk.cut_at(index), c, sd, cut))
    rooted = lines._rooted(parts, lines._law, early)
    grown = walk.grown(lines._one, more)
    epsilon = np.maximum(grown.mean[[index]], 0.0)
    g = ny.account(ny.DPSGD(sigma, rate, steps + more), ("remove", "add")[direction])
    truth = float(g.delta(epsilon)[0])

    def holds(line: Line) -> bool:
        found = line.integrate(epsilon)
        scale = math.exp(float(found.log_scale[0]))
        return abs(truth / scale - float(found.mantissa[0])) <= float(found.error[0])

    line = rooted.line(grown, more)
    assert holds(line)
    assert math.exp(line.log_truncation - line.scale) > 0.5 * float(line.integrate(epsilon).error[0])  # that is it
    assert not holds(replace(line, log_truncation=early.log_truncation - 2.0 * float(grown.k[index] - walk.k[index])))
    # exactly as much as |A(c)| to the power of the steps that came
    growth = line.log_truncation - early.log_truncation
    assert growth == pytest.approx(float(grown.k[index] - walk.k[index]), abs=2e-6)


def test_the_aliases_are_those_of_the_longer_run() -> None:
    """The walk that bounds them is that of all steps."""
    (lines, _) = laid([(1.0, 0.1, 50)], 0, 20)
    grown = lines._walk.grown(lines._one, 20)
    parts = replace(lines._parts, steps=((lines._law, 70),))
    whole = Walk.at(parts, grown.c)
    assert np.allclose(whole.k, grown.k, rtol=1e-12, atol=1e-12)
    assert np.allclose(whole.mean, grown.mean, rtol=1e-9)
    assert np.allclose(whole.variance, grown.variance, rtol=1e-6)
    assert np.all(grown.log_lost >= whole.log_lost - 1e-9)


def test_the_rounding_of_k_grows_with_the_steps() -> None:
    (lines, _) = laid([(1.0, 0.1, 50)], 0, 20)
    index = int(lines.places[0])
    before, after = (lines.line(index, lines._walk.grown(lines._one, n), n) for n in (0, 20))
    rooted = lines._laid[index]
    assert np.all(rooted.step_error > 0.0)
    assert after.wobble / after.mass > 1.2 * before.wobble / before.mass
