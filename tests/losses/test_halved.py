"""The first half that is good enough, in few looks."""

from __future__ import annotations

import numpy as np
import pytest

from neyman.losses.gaussian.halved import halved

WHOLE = 4096.0


class Steps:
    """Steps that fall as a power of the reach, and those below ``fall`` huge; counted."""

    def __init__(self, power: float, fall: float) -> None:
        self.power, self.fall, self.looks = power, fall, 0

    def of(self, reach: float) -> float:
        return float(reach**-self.power) if reach > self.fall or reach == WHOLE else 1e9

    def look(self, reach: float) -> float:
        self.looks += 1
        return self.of(reach)


@pytest.mark.parametrize("power", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("fall", [1e-9, 3.0, 1e3])
def test_the_first_half_that_is_enough_however_steps_grow(power: float, fall: float) -> None:
    for enough in np.geomspace(1e-6, 1e3, 40).tolist():
        steps = Steps(power, fall)
        found, step = halved(steps.look, WHOLE, steps.of(WHOLE), enough)
        plainly = WHOLE
        while steps.of(plainly) < enough:
            plainly *= 0.5
        assert (found, step) == (plainly, steps.of(plainly))
        assert fall > 1.0 or steps.looks <= np.log2(WHOLE / plainly) + 1.0


def test_steps_of_nothing_tell_nothing_and_end() -> None:
    looks: list[float] = []

    def look(reach: float) -> float:
        looks.append(reach)
        return 0.0 if reach > 1.0 else 1.0 / reach

    assert halved(look, WHOLE, 0.0, 0.5) == (1.0, 1.0)
    assert len(looks) < 20
