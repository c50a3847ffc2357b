"""Plans of lattices are values: from their dict form the same bits follow, and nothing that they say is believed."""

import json
import math
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.lattice.cumulant import Cumulant
from neyman.engines.lattice.tilt import Plan, Tilt, plan_tilt
from neyman.profiles.profile import Bracket
from tests.effort import examples

RUNS = [
    ny.Laplace(2.0) ** 3,
    ny.DPSGD(0.7, 0.1, 5),
    ny.Laplace(0.05).poisson(0.1) ** 4,
    ny.DiscreteLaplace(2.0) ** 9 * ny.DiscreteGaussian(4.0) ** 3,
    ny.RandomizedResponse(0.3) ** 20 * ny.Laplace(3.0) ** 2,
]
PLACES = np.array([0.0, 0.01, 0.3, 1.0, 2.0, 5.0, 12.0])


@cache
def whole(run: ny.Mechanism, direction: Literal["remove", "add"]) -> Bracket:
    """What all engines say."""
    return ny.account(run, direction).sides.forward.bracket(PLACES)


def planned(run: ny.Mechanism, direction: str, c: float, h: float) -> tuple[tuple, Plan]:  # type: ignore[type-arg]
    laws = tuple((step.bins(), times) for step, times in run.losses())
    cumulant = Cumulant(laws, direction)
    at = cumulant.at(c)
    plan = plan_tilt(laws, cumulant, direction == "remove", at, -50.0, h * at.deviation, 1 << 13)
    assert plan is not None
    return laws, plan


@pytest.mark.parametrize("run", RUNS, ids=repr)
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_plan_from_a_file_makes_the_same_bits(run: ny.Mechanism, direction: str) -> None:
    laws, plan = planned(run, direction, 1.5, 0.01)
    again = Plan.of_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == replace(plan, labour=0.0)
    for one, other in zip(
        Tilt(laws, direction == "remove", plan).delta(PLACES), Tilt(laws, direction == "remove", again).delta(PLACES),
        strict=True,
    ):  # fmt: skip
        assert one.tolist() == other.tolist()


def test_certificates_tell_the_plan_of_their_lattice() -> None:
    run = ny.compose([ny.Laplace(2.0), ny.Laplace(1.0)])
    for way, one in ny.account(run).certificate(0.7).directions.items():
        assert one.plan is not None
        assert one.plan["kind"] == "lattice"
        laws = tuple((step.bins(), times) for step, times in run.losses())
        lower, upper = Tilt(laws, way != "add", Plan.of_dict(dict(one.plan))).delta(np.array([0.7]))
        assert lower[0] <= one.upper
        assert upper[0] == one.upper


@examples(40, 2000)
@given(
    run=st.sampled_from(RUNS),
    direction=st.sampled_from(["remove", "add"]),
    c=st.floats(-3.0, 3.0).map(math.exp),
    change=st.sampled_from(["h", "low", "high", "left", "right", "c", "cuts", "turned"]),
    size=st.floats(-3.0, 3.0),
)
def test_whatever_is_planned_nothing_false_follows(
    run: ny.Mechanism, direction: str, c: float, change: str, size: float
) -> None:
    laws, plan = planned(run, direction, c, 0.05)
    (low, high), (left, right), wide = plan.window, plan.neighbours, plan.window[1] - plan.window[0]
    other = {
        "h": {"h": plan.h * math.exp(size)},
        "low": {"window": (low + 0.2 * size * wide, high)},
        "high": {"window": (low, high + 0.2 * size * wide)},
        "left": {"neighbours": (plan.c - size, right)},
        "right": {"neighbours": (left, plan.c + size)},
        "c": {"c": plan.c * math.exp(size)},
        "cuts": {"cuts": tuple((first, last + round(100.0 * size)) for first, last in plan.cuts)},
        "turned": {"neighbours": (right, left)},
    }[change]
    known = whole(run, direction)
    try:
        lower, upper = Tilt(laws, direction == "remove", Plan.of_dict({**plan.to_dict(), **other})).delta(PLACES)
    except (ny.NotCertified, ny.InvalidParameter):  # masses are missing, or it is no lattice
        return
    assert np.all(lower <= known.upper)
    assert np.all(upper >= known.lower)


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("moved", [1500.0, 3000.0, 6000.0])
@pytest.mark.parametrize("wider", [0.0, 1500.0, 4000.0])
def test_bins_far_above_all_that_happens_hide_nothing(direction: str, moved: float, wider: float) -> None:
    """Next to them what is below all bins is no float: delta was 1e-12 from above where it is 0.49."""
    laws, plan = planned(ny.Gaussian(0.02), direction, 0.5, 0.05)
    n, (low, high) = round(moved / plan.h) * (1 if direction == "remove" else -1), plan.window
    epsilon = np.linspace(1250.0, 3000.0, 8)
    truth = GaussianProfile(50.0).bracket(epsilon)
    for at in (low - 2000.0, low, low + 2000.0):
        other = replace(plan, cuts=tuple((a + n, b + n) for a, b in plan.cuts), window=(at, at + high - low + wider))
        lower, upper = Tilt(laws, direction == "remove", other).delta(epsilon)
        assert np.all(lower <= truth.upper)
        assert np.all(upper >= truth.lower)


@pytest.mark.parametrize(
    "change",
    [
        {"h": 0.0}, {"h": -1.0}, {"h": math.nan}, {"window": (1.0, 1.0)}, {"window": (0.0, 1e30)}, {"c": math.inf},
        {"cuts": ((5, 5),)}, {"cuts": ((0, 1 << 40),)}, {"neighbours": (math.nan, 3.0)}, {"c": -0.5}, {"c": math.nan},
    ],
)  # fmt: skip
def test_what_is_no_lattice_is_refused(change: dict[str, object]) -> None:
    plan = planned(RUNS[0], "remove", 1.0, 0.1)[1]
    with pytest.raises(ny.InvalidParameter, match="lattice of at most 2097152 points under a tilt c >= 0"):
        Plan.of_dict({**plan.to_dict(), **change})
