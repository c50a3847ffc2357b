"""The bound on a transform by the part of the law that turns, against balls."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

from neyman.losses.gaussian.parts.decaying import CUTS, TurningPart
from neyman.losses.gaussian.shifted_bound import log_size
from neyman.losses.gaussian.transform import SamplingTransform
from tests.effort import rest_slow
from tests.hunt.balls import SampledGaussianFactor, TooDear


def log_modulus(s: float, q: float, w: float, omega: float) -> float:
    """log |A(w + i omega)| in balls."""
    ctx.prec = 192
    try:
        return float(abs(SampledGaussianFactor(s, q, 1).nodes(arb(w), arb(omega), 2)[1]).log().lower())
    finally:
        ctx.prec = 53


def drawn(count: int) -> list[tuple[float, float, float, float, int]]:
    source = random.Random(71)
    return [
        (
            math.exp(source.uniform(math.log(0.06), math.log(1.0))),
            math.exp(source.uniform(math.log(1e-6), math.log(0.7))),
            math.exp(source.uniform(math.log(0.3), math.log(3.0))),
            math.exp(source.uniform(math.log(0.03), math.log(60.0))),
            source.randrange(len(CUTS)),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(("s", "q", "w", "omega", "place"), rest_slow(drawn(120), 24))
def test_no_later_modulus_is_larger(s: float, q: float, w: float, omega: float, place: int) -> None:
    law = SamplingTransform(s, q)
    part = TurningPart.of(law, w, math.inf, CUTS[place], log_size(law, w, math.inf))
    bound = part.log_bound(omega)
    for later in (1.0, 1.7, 5.0):
        try:
            assert log_modulus(s, q, w, later * omega) <= bound
        except TooDear:
            continue
    # and what is no longer turned is all that can be told
    assert part.least <= bound <= log_size(law, w, math.inf)


def test_a_rare_record_that_is_told_at_once() -> None:
    """Of 4.9e8 steps some hundreds tell much: at omega = 0.05 no more than e^-30 is left, where the shifted axis says
    nothing.
    """
    s, q, times, w = 0.09759, 3.382e-05, 485600000, 0.9033583
    law, omega = SamplingTransform(s, q), 0.05
    size = log_size(law, w, math.inf)
    told = min(TurningPart.of(law, w, math.inf, place, size).log_bound(omega) for place in CUTS)
    sd = math.sqrt(float(law.moments(np.array([w])).variance[0]))
    shifted = float(law.log_bound(np.array([w]), np.array([omega]), np.array([s * sd]), math.inf)[0])
    assert times * (told - size) < -30.0
    assert times * (shifted - size) > -1.0
    assert log_modulus(s, q, w, omega) <= told
