"""The transform of a list of outcomes: what is left out of it is bounded, against sums in 40 digits."""

from __future__ import annotations

import math
import random

import mpmath as mp
import numpy as np
import pytest

from neyman.losses.discrete.transform import DiscreteTransform
from neyman.losses.readings.outcomes import Outcomes, discrete_gaussian


def sum_of(table: Outcomes, w: float, omega: float, cut: float) -> mp.mpc:
    """A(w + i omega) of the outcomes as they are listed, up to the cut."""
    with mp.workdps(40):
        kept = [(mp.mpf(float(x)), mp.mpf(float(y))) for x, y in zip(table.loss, table.log_q, strict=True) if x < cut]
        return mp.fsum(mp.exp(y + mp.mpc(w, omega) * x) for x, y in kept)


@pytest.mark.parametrize("seed", range(3))
def test_lines_and_looks_hold_the_whole_sum(seed: int) -> None:
    """Also where tilted laws are cut, and where light outcomes on either side are not turned."""
    source = random.Random(seed)
    sigma, rate = math.exp(source.uniform(-0.5, 1.5)), math.exp(source.uniform(-14.0, -0.5))
    table = discrete_gaussian(sigma, source.randint(1, 2), rate, source.random() < 0.3)
    law = DiscreteTransform(table)
    step = math.sqrt(float(law.moments(np.array([0.5])).variance[0]))
    tilts = np.array([source.choice([-1.0, 1.0]) * math.exp(source.uniform(-3.0, 2.0)) / step for _ in range(8)])
    moments = law.moments(tilts)
    seen = np.flatnonzero(np.isfinite(moments.log_a) & ~np.isnan(moments.cut))
    assert len(seen) > 3
    for i in seen:
        w, cut = float(tilts[i]), float(moments.cut[i])
        omega = np.sort(np.exp(np.array([source.uniform(-3.0, 5.0) for _ in range(3)]))) / step
        value, error = law.on_line(w, omega, cut, 40.0)
        bound = law.looked(w, omega, cut)
        for at, log_a, off, most in zip(omega, value, error, bound, strict=True):
            with mp.workdps(40):
                exact = sum_of(table, w, float(at), cut)
                scaled = exact * mp.exp(-mp.mpc(complex(log_a)))
                assert abs(scaled - 1) <= max(float(off), 1e-15)
                assert abs(exact) <= mp.mpf(float(most)) * mp.exp(mp.mpf(float(moments.log_a[i]))) * (
                    1 + mp.mpf(10) ** -11
                )


def test_looks_are_worth_it() -> None:
    """A look leaves out a thousandth of the law, and its bound is not much larger."""
    law = DiscreteTransform(discrete_gaussian(6.469, 1, 0.02215, False))
    omega = np.linspace(1.0, 3000.0, 500)
    value, _ = law.on_line(30.0, omega, math.inf, 40.0)
    log_a = float(law.moments(np.array([30.0])).log_a[0])
    assert np.all(law.looked(30.0, omega, math.inf) <= np.exp(value.real - log_a) + 2.1e-3)


@pytest.mark.parametrize("rate", [1.098e-5, 1e-9, 0.3])
def test_what_lies_beyond_a_cut_is_lost(rate: float) -> None:
    table = discrete_gaussian(1.518, 1, rate, False)
    law = DiscreteTransform(table)
    moments = law.moments(np.geomspace(1.0, 1e5, 60))
    cuts = np.unique(moments.cut[np.isfinite(moments.cut)])
    assert len(cuts) > (3 if rate < 1e-3 else -1)
    for cut in cuts:
        beyond = table.loss >= cut
        p, q = (math.fsum(np.exp(logs[beyond])) for logs in (table.log_p, table.log_q))
        assert max(p, q) <= math.exp(float(law.log_lost(np.array(cut)))) <= 1.01 * max(p, q) + 2e-300
    assert math.exp(float(law.log_lost(np.array(math.inf)))) <= 2e-300


def test_small_losses_are_known_to_their_own_digits() -> None:
    """Of hardly any rate small losses and large ones are orders of magnitude apart: 0.0012 was off by 3e-10 of itself
    after 6889 steps, for the largest loss is 15. Likely outcomes are known better than those of e^-745.
    """
    sigma, rate = 1.518, 1.098e-5
    table = discrete_gaussian(sigma, 1, rate, False)
    with mp.workdps(60):
        exact = sorted(
            mp.log1p(mp.mpf(rate) * mp.expm1((2 * k - 1) / (2 * mp.mpf(sigma) ** 2))) for k in range(-61, 63)
        )
        law = [mp.exp(-(mp.mpf(k) ** 2) / (2 * mp.mpf(sigma) ** 2)) for k in range(-61, 63)]
        whole = mp.fsum(mp.exp(-(mp.mpf(k) ** 2) / (2 * mp.mpf(sigma) ** 2)) for k in range(-70, 71))
        for loss, log_q in zip(table.loss[::7], table.log_q[::7], strict=True):
            nearest = min(exact, key=lambda x: abs(x - mp.mpf(float(loss))))
            mass = law[exact.index(nearest)] / whole
            assert abs(mp.exp(mp.mpf(float(log_q))) / mass - 1) <= table.off(float(log_q))
            assert table.off(float(log_q)) <= table.growth * (4.0 + abs(float(log_q)))
            assert abs(nearest - mp.mpf(float(loss))) <= table.slack + table.stretch * abs(float(loss))
    assert table.slack < 1e-300
    assert table.stretch < 1e-14
