"""Where saddle points expect an alpha to lie: searches begin there, and end where they would have ended anyway."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.saddles import expected_fall, expected_scores
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.numerics.functions.normal import probit
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import Fall

NORMAL = [
    *(((9.4, 0.32768, 2000), floor) for floor in (1e-6, 1e-10)),
    *(((0.6, 1e-3, 10**5), floor) for floor in (1e-6, 1e-10)),
    ((0.344, 8.9e-4, 10147), 1e-10),
    ((0.3, 0.01, 10), 1e-10),
    *(((4.1, 0.33, 3), floor) for floor in (1e-6, 1e-10)),
]


@pytest.mark.parametrize(("run", "floor"), NORMAL)
def test_an_alpha_lies_about_where_it_is_expected(run: tuple[float, float, int], floor: float) -> None:
    guarantee = ny.account(ny.DPSGD(*run))
    fall = guarantee.sides.forward.fall(math.log(floor))
    assert fall is not None
    assert 0.7 <= fall.deviations / -float(probit(np.log([floor]))[0]) <= 3.6
    assert fall.epsilon == pytest.approx(guarantee.fit(floor).epsilon_floor, rel=0.01)


@pytest.mark.parametrize("run", [(2.145, 2.4e-4, 146), (0.997, 2.3e-4, 2006), (1.467, 4.4e-4, 4708)])
def test_what_is_far_from_normal_says_so(run: tuple[float, float, int]) -> None:
    """Of these an alpha of 1e-10 lies in the bulk, the saddle point among rare jumps: a search begins elsewhere."""
    guarantee = ny.account(ny.DPSGD(*run))
    fall = guarantee.sides.forward.fall(math.log(1e-10))
    assert fall is None or not 0.7 <= fall.deviations / 6.36 <= 4.0


def test_a_walk_that_is_too_short_or_too_steep_tells_nothing() -> None:
    parts = Parts(((SamplingTransform(1.0, 0.01), 100),), 0.0, "remove")
    assert expected_fall(Walk.at(parts, np.array([-0.5, 500.0, 600.0])), math.log(1e-10)) is None
    assert expected_scores(Walk.at(parts, np.array([-0.5, 0.5, 1.0]))) is None


@pytest.mark.parametrize("told", [None, Fall(0.01, 6.4), Fall(30.0, 6.4), Fall(2.5, 12.0), Fall(3.1, 60.0)])
def test_a_wrong_expectation_moves_no_answer(told: Fall | None, monkeypatch: pytest.MonkeyPatch) -> None:
    right = ny.account(ny.DPSGD(1.0, 0.01, 1000)).gdp()
    monkeypatch.setattr(MaximumProfile, "fall", lambda self, log_alpha: told)
    guarantee = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    assert guarantee.gdp().mu == pytest.approx(right.mu, rel=2e-8)
    assert guarantee.optimistic.mu() <= guarantee.gdp().mu
