"""Where a line is cut: what lies beyond is bounded wherever that is, and found by few looks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import WALKED, Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.truncation import monotone
from neyman.losses.gaussian.growth import step_at_least
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import Transform
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Direction

EPSILON = np.array([0.05, 0.4, 1.0])


def _cuts(parts: Parts) -> list[tuple[float, float, float, float]]:
    """(c, cut, log of the bound on what lies beyond, K(c)) of what is laid for some eps of either direction."""
    found: list[tuple[float, float, float, float]] = []
    for one in ContourProfile.pair(parts, 1.0, Effort()):
        one.bracket(EPSILON)
        plans = one._lines._plans.items()
        found += [(p.c, p.cut, p.log_truncation, float(one._walk.k[i])) for i, p in plans if p.cut < math.inf]
    return found


def _see_beyond(law: SamplingTransform, steps: int) -> int:
    """Hold the bound of every line against that integral as far as it is seen; how many lines there were."""
    count = 0
    for way in ("remove", "add"):
        parts = Parts(((law, steps),), 0.0, way)
        profile = ContourProfile(parts, Walk.along(parts))
        profile.bracket(EPSILON)
        for index, plan in profile._lines._plans.items():
            if not plan.cut < 1e4:
                continue
            beyond = np.linspace(plan.cut, 3.0 * plan.cut, 400)
            end = float(profile._walk.cut_at(index)[0])
            log_a, error = law.on_line(float(parts.argument(plan.c)), beyond, end, 60.0)
            height = steps * log_a.real + steps * np.log1p(np.minimum(error, 1.0))
            z = plan.c + 1j * beyond
            seen = np.exp(np.minimum(height - plan.log_truncation, 600.0)) / np.abs(z * (z + 1.0)) / math.pi
            assert float(np.trapezoid(seen, beyond)) <= 1.0 + 1e-6
            count += 1
    return count


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [
        (1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (0.8, 0.01, 3000), (0.4, 1e-3, 3000), (2.0, 0.05, 500),
        (9.4, 0.32768, 2000), (4.8, 1.3e-4, 17449), (2.6, 2e-4, 4000),
    ],
)  # fmt: skip
def test_what_lies_beyond_a_cut_is_no_more_than_its_bound(sigma: float, rate: float, steps: int) -> None:
    """The bound is of int_W^inf |e^{K(c + iv)}| / |z (z + 1)| dv / pi: both forms of it, and laws that are cut."""
    assert _see_beyond(SamplingTransform(sigma, rate), steps) >= 2


@given(st.floats(-0.5, 1.3), st.floats(-4.0, -0.05), st.floats(0.5, 6.0))
def test_the_same_wherever_noise_hides_something(log_sigma: float, log_rate: float, log_steps: float) -> None:
    law, steps = SamplingTransform(10.0**log_sigma, 10.0**log_rate), int(10.0**log_steps)
    if law.rate * math.sqrt(steps * math.expm1(min(law.sigma**-2, 50.0))) <= 4.0:
        _see_beyond(law, steps)


def test_a_line_counts_the_mass_that_its_law_was_cut_by() -> None:
    law, steps = SamplingTransform(2.6, 2e-4), 4000
    parts = Parts(((law, steps),), 0.0, "remove")
    profile = ContourProfile(parts, Walk.along(parts))
    profile.bracket(EPSILON)
    lost = {index: line.lost for index, line in profile._lines._lines.items()}
    mass = {i: steps * math.exp(float(law.log_lost(profile._walk.cut_at(i))[0])) for i in lost}
    assert lost == pytest.approx(mass, rel=1e-12, abs=0.0)
    assert max(lost.values()) > 1e-60


@pytest.mark.parametrize(
    ("run", "most"),
    [
        ((9.4, 0.32768, 2000), 0),
        ((5.0, 0.1, 100), 0),
        ((1.0, 0.01, 1000), 6),
        ((0.8, 0.01, 3000), 6),
        ((1.0, 1e-4, 10**6), 8),
    ],
)
def test_few_looks_find_the_cuts_of_both_directions(
    run: tuple[float, float, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    estimates = monotone.estimates_of

    def noted(
        laws: tuple[Transform, ...], w: float, omega: float, share: float, cuts: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        looks.append(omega)
        return estimates(laws, w, omega, share, cuts)

    monkeypatch.setattr(monotone, "estimates_of", noted)
    parts = Parts(((SamplingTransform(*run[:2]), run[2]),), 0.0, "remove")
    found = _cuts(parts)
    assert len(looks) <= most
    assert len(found) >= 2
    assert all(log_rest < k - 20.0 for _, _, log_rest, k in found)


@given(
    st.floats(-0.7, 1.3), st.floats(-6.0, -0.01), st.floats(-30.0, 30.0), st.floats(-1.0, 3.0), st.floats(20.0, 60.0)
)
def test_a_step_that_one_parallel_tells_is_no_wider_than_what_all_tell(
    log_sigma: float, log_rate: float, w: float, log_omega: float, margin: float
) -> None:
    law, omega = SamplingTransform(10.0**log_sigma, 10.0**log_rate), 10.0**log_omega
    assert 0.0 < step_at_least(law, w, omega, margin) <= law._step(w, omega, margin, 0.0) * (1.0 + 1e-12)


@given(st.floats(-0.5, 1.3), st.floats(-6.0, -0.01), st.floats(0.0, 8.0), st.sampled_from(["remove", "add"]))
def test_the_walk_says_no_less_of_a_step_than_its_transform_is(
    log_sigma: float, log_rate: float, log_steps: float, way: Direction
) -> None:
    """What a bound beyond a cut takes for log A(w)."""
    law, steps = SamplingTransform(10.0**log_sigma, 10.0**log_rate), int(10.0**log_steps)
    parts = Parts(((law, steps),), 0.0, way)
    walk = Walk.along(parts)
    useful = walk.useful().nonzero()[0]
    for i in useful[:: max(1, len(useful) // 8)].tolist():
        cut = float(walk.cut_at(i)[0])
        log_a, error = law.on_line(float(parts.argument(float(walk.c[i]))), np.zeros(1), cut, 40.0)
        least = float(log_a[0].real) + math.log1p(-min(float(error[0]), 0.5))
        assert least <= float(walk.k[i]) / steps + WALKED
