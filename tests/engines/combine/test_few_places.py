"""What tells less beside what tells more: the latter read at few places of the former."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.closed_form.single import single
from neyman.engines.combine.beside import few_places
from neyman.engines.combine.beside.few_places import FewPlaces
from neyman.engines.combine.beside.places import Places
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.effort import Effort
from tests.effort import rest_slow

EPSILONS = np.array([0.0, 0.01, 0.5, 2.0, 5.0, 8.0])


def _gaussian(mu: object, epsilon: object) -> tuple[object, object]:
    """delta and 1 - delta of a Gaussian."""
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    high, low = mp.ncdf(mu / 2 - epsilon / mu), mp.ncdf(-mu / 2 - epsilon / mu)
    return high - mp.exp(epsilon) * low, mp.ncdf(epsilon / mu - mu / 2) + mp.exp(epsilon) * low


@pytest.mark.parametrize("little", [1e-6, 1e-3, 0.02])
@pytest.mark.parametrize("mu", [0.3, 4.0])
def test_two_gaussians_are_a_third(mu: float, little: float) -> None:
    law, other = GaussianProfile(mu), GaussianProfile(little * mu)
    profile = FewPlaces(law, law, lambda: (other, other), little * mu, 6.0 / mu, 1e-7, 5.0)
    epsilon = EPSILONS * mu
    b = profile.bracket(epsilon)
    with mp.workdps(60):
        for i, eps in enumerate(epsilon):
            delta, rest = _gaussian(mp.sqrt(mp.mpf(mu) ** 2 + mp.mpf(little * mu) ** 2), eps)
            assert b.lower[i] <= delta <= b.upper[i]
            assert b.log_gap_lower[i] <= mp.log(rest) <= b.log_gap_upper[i]
            if delta > 1e-30:
                assert b.upper[i] - b.lower[i] <= 5e-7 * b.upper[i]


def _beside_laplace(scale: float, mu: float, epsilon: float) -> object:
    """delta of Laplace noise beside a Gaussian: the closed form of the one, integrated over the losses of the other."""
    d, mu, epsilon = 1 / mp.mpf(scale), mp.mpf(mu), mp.mpf(epsilon)
    near, far = ((epsilon + s * d - mu**2 / 2) / mu for s in (-1, 1))  # where the closed forms meet

    def mean(power: object, start: object, end: object) -> object:
        """Of e^(power e) where start < x < end: e = epsilon - mu x - mu^2 / 2, x is of a Gaussian."""
        shift = power * mu
        return mp.exp(power * (epsilon - mu**2 / 2) + shift**2 / 2) * (mp.ncdf(end + shift) - mp.ncdf(start + shift))

    with mp.extradps(40):  # they all but cancel
        half = mp.mpf(1) / 2
        between = mean(0, near, far) - mp.exp(-d / 2) * mean(half, near, far)  # of -expm1((e - d) / 2)
        return between + mean(0, far, mp.inf) - mean(1, far, mp.inf)  # and of -expm1(e)


@pytest.mark.parametrize("mu", rest_slow([1e-5, 2e-3], 1))
def test_the_end_of_a_law_is_smeared(mu: float) -> None:
    """Delta of Laplace noise ends at once; beside a Gaussian it falls within a few deviations of that."""
    scale = 4.0
    laplace = single(((LaplaceStep(scale), 1),))
    other = GaussianProfile(mu)
    atoms = np.array([0.25, -0.25]), np.array([0.5, 0.5 * math.exp(-0.25)]) * (1.0 - 1e-12)
    profile = FewPlaces(*laplace, lambda: (other, other), mu, 30.0, 1e-7, 1.0, atoms)
    epsilon = 0.25 + mu * np.array([-3.0, -1.0, 0.0, 1.0, 3.0, 5.0, 7.0])
    epsilon = np.append(epsilon, [0.0, 0.1])
    b = profile.bracket(epsilon)
    with mp.workdps(30):
        for i, eps in enumerate(epsilon):
            delta = _beside_laplace(scale, mu, eps)
            assert b.lower[i] <= delta <= b.upper[i]
            assert b.log_gap_lower[i] <= mp.log1p(-delta) <= b.log_gap_upper[i]
            assert b.upper[i] - b.lower[i] <= 1e-5 * b.upper[i]


@pytest.mark.parametrize("mechanism", [ny.PureMechanism(0.02), ny.Laplace(50.0), ny.Gaussian(50.0)], ids=repr)
def test_lowered_chords_lie_below_what_they_stand_for(mechanism: ny.Mechanism) -> None:
    """Between places, where no piece of a cell was looked at: at a bend of delta a chord sags by a quarter of both."""
    sides = ny.account(mechanism).sides
    both = sides.forward, sides.backward
    for steep in (20.0, 37.0, 90.0):
        places = Places.of(both, 0.02, steep, 1e-5, 1e-15)
        assert places is not None
        for turned, (one, (away, above, below)) in enumerate(zip(both, places.sides, strict=True)):
            s = np.interp(np.linspace(0.0, len(away) - 1.0, 20_000), np.arange(len(away)), away)
            loss = np.abs(np.log1p(-s if turned else s))
            found = one.bracket(loss)
            weight = np.exp(-loss) if turned else 1.0
            assert np.all(np.interp(s, away, below) <= found.upper * weight * (1.0 + 1e-12))
            assert np.all(np.interp(s, away, above) >= found.lower * weight * (1.0 - 1e-12))


def test_losses_that_cancel_are_off_by_no_more_than_is_allowed() -> None:
    """Of Laplace steps of several kinds some outcomes tell next to nothing: they are off by more than their size."""
    rng, hardest = np.random.default_rng(3), 0.0
    for _ in range(60):
        steps = tuple((LaplaceStep(float(np.exp(rng.uniform(-2.0, 5.0))), q), 11) for q in (1.0, 0.3))
        steps = steps[: rng.integers(1, 3)] if rng.random() < 0.5 else ((steps[0][0], 120),)
        loss, _ = few_places._atoms(steps)
        exact = [Fraction(0)]
        for step, times in steps:
            low, high = (Fraction(float(one)) for one in step.bins().atoms[0])
            exact = [e + k * high + (times - k) * low for e in exact for k in range(times + 1)]
        off = np.array([abs(float(Fraction(one) - e)) for one, e in zip(loss.tolist(), exact, strict=True)])
        assert np.all(off <= 0.25 * few_places.unsure(loss))
        hardest = max(hardest, float(np.max(off[loss != 0.0] / np.abs(loss[loss != 0.0]))))
    assert hardest > 32.0 * 2.0**-53  # of themselves: that would not have been enough


def test_more_places_than_allowed_say_nothing() -> None:
    law, other = GaussianProfile(1.0), GaussianProfile(0.02)
    assert Places.of((other, other), 0.02, 6.0, 1e-7, 1e-20, 100) is None
    few = FewPlaces(law, law, lambda: (other, other), 0.02, 6.0, 1e-7, 2.0, most=100)
    assert few.bracket(np.array([1.0])).upper[0] == 1.0


def test_next_to_nothing_beside_laplace_noise() -> None:
    """What was refused on one lattice: now within what the little that is told can add."""
    known = ny.Laplace(10.32) ** 6
    whole, part = ny.account(ny.Laplace(988.5).poisson(2e-6) ** 80 * known), ny.account(known)
    assert part.optimistic.delta(0.0) <= whole.advantage <= part.advantage + 1e-6


@pytest.mark.slow
def test_a_few_rare_gaussians_beside_laplace_noise() -> None:
    known = ny.Laplace(51.8) ** 7
    whole, part = ny.account(ny.Gaussian(1438.0).poisson(7.8e-5) ** 120 * known), ny.account(known)
    for epsilon in (0.0, 0.02, 0.05):
        assert part.optimistic.delta(epsilon) <= whole.delta(epsilon)
        assert whole.optimistic.delta(epsilon) <= part.delta(epsilon) + 1e-6
    assert math.isclose(whole.mu(), part.mu(), rel_tol=1e-3)


def test_a_short_list_is_read_over_laplace_noise() -> None:
    """What lay on one lattice with the noise, of two million points: 125 outcomes, read one by one."""
    found = ny.account(ny.Laplace(158.4).poisson(0.5325) ** 21 * ny.PureMechanism(0.1182).poisson(0.003054) ** 124)
    part = ny.account(ny.Laplace(158.4).poisson(0.5325) ** 21)
    assert part.optimistic.delta(0.01) <= found.delta(0.01)
    assert "exact sum" in found.method


def test_far_beyond_all_places_nothing_warns() -> None:
    g = ny.account(ny.Laplace(3.5) ** 2 * ny.Gaussian(1.6).poisson(1.95e-06), "remove")
    assert 0.0 <= g.optimistic.delta(720.0) <= g.delta(720.0) < 1e-30


def test_places_that_floats_tell_no_more_apart():
    """Losses of a hundred and more on the side where 1 - e^-x is 1: the bracket was [nan, 1]."""
    g = ny.account(ny.Laplace(0.105) ** 18 * ny.PureMechanism(7.615).poisson(0.5807) ** 8743)
    for epsilon in (0.1, 1.0, 8.0):
        assert 0.999 <= g.optimistic.delta(epsilon) <= g.delta(epsilon) <= 1.0


def test_what_is_read_at_each_place_is_counted() -> None:
    """An area asked hundreds of places of it at each outcome of a list: half a minute, of which none was counted."""
    law = single(((LaplaceStep(1.0), 4),))
    other, mu = GaussianProfile(0.01), 1.0
    profile = FewPlaces(*law, lambda: (other, other), 0.01, 30.0, 1e-7, mu)
    epsilon = np.linspace(0.0, 3.0, 1 << 9)
    known = profile.bracket(epsilon)
    assert profile.labour > law[0].labour > 0.0
    effort = Effort(0.02)
    with effort:
        cut = profile.bracket(epsilon)
        assert effort.spent
        assert -2.0 * effort.seconds < effort.left * 1e-9 < 0.0
        assert np.array_equal(profile.slope(epsilon), law[0].slope(epsilon))  # it steers
    assert np.all((cut.lower <= known.lower) & (known.upper <= cut.upper) & (cut.upper <= 1.0))
    assert np.all((cut.log_gap_lower <= known.log_gap_lower) & (known.log_gap_upper <= cut.log_gap_upper))
    assert cut.upper[0] == known.upper[0] < 1.0 == cut.upper[-1]
