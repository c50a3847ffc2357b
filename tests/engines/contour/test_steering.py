"""What only steers is asked for as sharply as steering needs, and what no line does is not tried at every place."""

from __future__ import annotations

import numpy as np
import pytest

import neyman as ny
from neyman.engines.contour.cumulant import Parts
from neyman.engines.contour.lines import StraightLines
from neyman.engines.contour.profile import ContourProfile
from neyman.losses.gaussian.transform import SamplingTransform


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
    g = ny.account(ny.DPSGD(0.5, 0.01, 2))
    g.gdp()
    g.beta(np.linspace(1.0 / 257.0, 256.0 / 257.0, 256))
    assert 0 < len(planned) <= 10
