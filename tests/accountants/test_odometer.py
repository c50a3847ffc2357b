"""Odometers: what holds at all times at once, and at totals named beforehand."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples


def after(rho: float, delta: float, near: float = 1.0) -> ny.Odometer:
    odometer = ny.Odometer(delta=delta, near=near)
    odometer.spend(ny.Gaussian(1.0, math.sqrt(2.0 * rho)))
    return odometer


@examples(6, 500)
@given(st.floats(1e-6, 1e3), st.floats(1e-12, 0.5), st.floats(1e-3, 1e2))
def test_the_boundary_is_where_the_mixture_passes_one_over_delta(rho: float, delta: float, near: float) -> None:
    odometer = after(rho, delta, near)
    with mp.workdps(40):
        d, total = mp.mpf(delta), mp.mpf(odometer.spent)
        odds = -mp.log(d)
        c = mp.mpf(near) / (2 * odds + mp.log(1 + 2 * odds))
        x = mp.mpf(odometer.epsilon) - total
        # the mixture by its definition: the mean of exp(s x - s^2 R) over a half-normal s of density ~ exp(-c s^2)
        peak = max(x / (2 * (total + c)), mp.mpf(0))
        scale = 1 / mp.sqrt(total + c)
        points = [mp.mpf(0), *[peak + k * scale for k in (-4, -1, 0, 1, 4) if peak + k * scale > 0], peak + 15 * scale]
        mean = mp.quad(lambda s: mp.exp(s * x - s * s * (total + c)), points) * 2 * mp.sqrt(c / mp.pi)
        assert 1 <= mean * d < 1 + mp.mpf(10) ** -7


def test_all_times_at_once_where_the_running_total_fails() -> None:
    """Runs that stop as soon as the loss is past a bound: the bound for one time fails, that of the odometer holds."""
    rng = np.random.default_rng(11)
    runs, square, delta = 40_000, 0.01, 0.05
    odometer = ny.Odometer(delta=delta, near=1.0)
    loss = np.zeros(runs)
    past, fooled = np.zeros(runs, bool), np.zeros(runs, bool)
    for _ in range(300):
        odometer.spend(ny.Gaussian(10.0))
        loss += 0.5 * square + math.sqrt(square) * rng.standard_normal(runs)
        total = odometer.spent
        past |= loss > odometer.epsilon
        fooled |= loss > total + 1.6448536 * math.sqrt(2.0 * total)  # the exact quantile of the total so far
    room = 5.0 * math.sqrt(delta / runs)
    assert past.mean() <= delta + room
    assert fooled.mean() > 2.0 * delta


def test_it_is_not_far_from_a_single_time() -> None:
    """At the total it is made for it costs little more than zCDP's own tail bound at one fixed time."""
    for rho in (0.01, 1.0, 50.0):
        single = rho + 2.0 * math.sqrt(rho * math.log(1e6))
        assert rho < after(rho, 1e-6, near=rho).epsilon < 1.15 * single


def test_more_is_never_less() -> None:
    odometer = ny.Odometer(delta=1e-6)
    assert odometer.epsilon == odometer.spent == 0.0
    before = 0.0
    for mechanism in (ny.Gaussian(5.0), ny.Laplace(3.0), ny.DPSGD(2.0, 0.01, 3), ny.PureMechanism(0.1)):
        odometer.spend(mechanism)
        assert odometer.epsilon > before
        before = odometer.epsilon
    assert after(1.0, 1e-9).epsilon > after(1.0, 1e-6).epsilon
    assert odometer.delta == 1e-6
    assert "but with probability 1e-06" in repr(odometer)


def test_checkpoints_are_filters_that_watch() -> None:
    odometer = ny.Odometer(delta=1e-6, checkpoints=[0.25, 0.5, 1.0])
    for _ in range(5):
        odometer.spend(ny.Gaussian(2.0))  # rho = 1/8
    first, second, third = odometer.checkpoints
    assert (first.releases, first.passed) == (2, True)  # to the last bit: two releases are 0.25
    assert (second.releases, second.passed) == (4, True)
    assert (third.releases, third.passed) == (5, False)
    assert second.guarantee() == ny.ZCDP(0.5)
    odometer.spend(ny.Gaussian(0.5))  # passes the rest at once
    odometer.spend(ny.Gaussian(0.5))
    assert odometer.checkpoints[2].releases == 5
    assert [c.releases for c in odometer.checkpoints] == [2, 4, 5]


def test_replace_charges_four_times() -> None:
    odometer = ny.Odometer(delta=1e-6, adjacency="replace")
    odometer.spend(ny.Gaussian(2.0))
    assert (odometer.spent, odometer.adjacency) == (0.5, "replace")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"delta": 0.0}, "delta"), ({"delta": 1.0}, "delta"), ({"delta": math.nan}, "delta"),
        ({"delta": 0.1, "near": 0.0}, "near"), ({"delta": 0.1, "near": math.inf}, "near"),
        ({"delta": 0.1, "checkpoints": 1.0}, "checkpoints"), ({"delta": 0.1, "checkpoints": "12"}, "checkpoints"),
        ({"delta": 0.1, "checkpoints": [1.0, 1.0]}, r"checkpoints\[1\]"),
        ({"delta": 0.1, "checkpoints": [0.0]}, r"checkpoints\[0\]"), ({"delta": 0.1, "adjacency": "add"}, "adjacency"),
    ],
)  # fmt: skip
def test_refusals(arguments: dict[str, object], name: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=f"^{name} must be"):
        ny.Odometer(**arguments)  # type: ignore[arg-type]


def test_nothing_is_counted_of_what_is_refused() -> None:
    odometer = ny.Odometer(delta=0.1)
    with pytest.raises(ny.InvalidParameter, match="a finite rho holds"):
        odometer.spend(ny.ApproximateMechanism(1.0, 1e-6))
    with pytest.raises(ny.InvalidParameter, match="a Mechanism"):
        odometer.spend(1.0)  # type: ignore[arg-type]
    assert odometer.spent == 0.0
