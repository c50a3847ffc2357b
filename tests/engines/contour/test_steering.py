"""What only steers is asked for as sharply as steering needs, and what no line does is not tried at every place."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import neyman as ny
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.straight.lines import StraightLines
from neyman.engines.rules.contours import _BACKED
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import EFFORT, Effort


def test_rough_holds_and_a_later_question_is_answered_sharply() -> None:
    parts = Parts(((SamplingTransform(0.5, 0.01), 2),), 0.0, "remove")
    profile, alone = ContourProfile(parts), ContourProfile(parts)
    epsilon = np.geomspace(1e-3, 8.0, 40)
    rough, sharp, known = profile.rough(epsilon), profile.bracket(epsilon), alone.bracket(epsilon)
    told = known.upper > 1e-12
    assert np.all((rough.lower <= known.upper) & (known.lower <= rough.upper))
    assert np.all((rough.upper - rough.lower)[told] <= 1e-3 * rough.upper[told])
    assert np.all((sharp.upper - sharp.lower)[told] <= 1e-6 * sharp.upper[told])
    assert np.allclose(sharp.upper[told], known.upper[told], rtol=1e-6)
    slope = profile.slope(epsilon)
    assert np.allclose(slope[told], alone.slope(epsilon)[told], rtol=1e-3)


def test_no_line_is_planned_again_and_again_where_none_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the end of the losses of "add" each of 38 groups of eps planned five lines, of which none was short."""
    planned: list[float] = []
    whole = StraightLines._affordable

    def noted(self, steepest, band, limit):  # type: ignore[no-untyped-def]
        planned.append(band[0])
        return whole(self, steepest, band, limit)

    monkeypatch.setattr(StraightLines, "_affordable", noted)
    g = ny.account(ny.DPSGD(0.5, 0.01, 2), "add")
    g.gdp()
    g.beta(np.linspace(1.0 / 257.0, 256.0 / 257.0, 256))
    assert 0 < len(planned) <= 10


def test_a_schedule_of_a_thousand_settings_is_planned_within_the_usual_effort() -> None:
    """It was refused: what a plan takes was counted as that of one law a thousand times, six times as much as it is."""
    settings = ((0.8 + 1.2 * i / 999, 1e-3 + 9e-3 * i / 999) for i in range(1000))
    parts = Parts(tuple((SamplingTransform(*one), 10) for one in settings), 0.0, "remove")
    planning = StraightLines._planning.func(SimpleNamespace(_parts=parts))  # type: ignore[attr-defined]
    share, most = _BACKED
    assert planning <= share * EFFORT * 1e9
    assert 4.0 * planning <= most * EFFORT * 1e9  # as many as it is asked for
    alone = StraightLines._planning.func(SimpleNamespace(_parts=Parts(parts.steps[:1], 0.0, "remove")))  # type: ignore[attr-defined]
    assert planning >= 100.0 * alone  # and it is counted


def test_of_few_steps_one_line_serves_what_is_usually_asked() -> None:
    """Two were laid, of 14,000 and 18,000 nodes: each better a little, where it stood, than the shorter ones chosen."""
    profile = ContourProfile(Parts(((SamplingTransform(1.0, 0.01), 10),), 0.0, "remove"))
    found = profile.bracket(np.linspace(0.01, 1.8, 30))
    lines = profile._lines._light_lines.values()
    assert [line.nodes < 13_500 for line, _ in lines] == [True]
    assert np.all(found.upper - found.lower < 1e-9 * found.upper)


def test_lines_change_places_between_their_stretches() -> None:
    parts = Parts(((SamplingTransform(1.0, 0.01), 10),), 0.0, "remove")
    lines = ContourProfile(parts)._lines
    stands, meet = lines.stands, lines._meeting
    assert len(stands) > 1
    assert np.all(np.diff(meet) >= 0.0)
    middle = 0.5 * (np.append(0.0, meet) + np.append(meet, 2.0 * meet[-1]))
    best = np.argmin(lines._h - np.multiply.outer(middle, stands), axis=1)
    assert best.tolist() == list(range(len(stands)))
    assert np.all(lines._stretches.first[1:] <= meet)
    assert np.all(meet <= lines._stretches.last[:-1])


@pytest.mark.parametrize("steps", [1, 10, 1000, 10**6])
@pytest.mark.parametrize(("sigma", "rate"), [(9.4, 0.32768), (1.0, 0.01), (0.6, 1e-3), (0.3, 1e-5)])
def test_the_line_that_serves_is_the_one_at_which_the_height_is_least(sigma: float, rate: float, steps: int) -> None:
    for one in ContourProfile.pair(Parts(((SamplingTransform(sigma, rate), steps),), 0.0, "remove"), 1.0, Effort()):
        lines, epsilon = one._lines, np.append(0.0, np.geomspace(1e-6, 1e6, 500))
        heights = lines._h - np.multiply.outer(epsilon, lines.stands)
        taken = heights[np.arange(len(epsilon)), lines.best(epsilon)]
        assert np.all(taken <= heights.min(axis=1) + 1e-12 * np.abs(heights).max(axis=1))
