"""What the trapezoid rule on the real axis of a batch leaves out, against sums and integrals of 30 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.engines.batch.laying import axis as room
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.cut import log_beyond
from neyman.engines.batch.laying.nodes import nodes
from neyman.engines.batch.laying.settings import LOSS_UNITS, Settings
from neyman.numerics.rounding import UNIT
from tests.effort import crossed

ONE = Settings(np.array([1.0]), np.array([0.2]), np.array([1000.0]))
SOME = [(1.0, 0.2), (0.5, 0.9), (3.0, 0.01), (0.8, 1e-4)]


def settings(sigma: float, rate: float) -> Settings:
    return Settings(np.array([sigma]), np.array([rate]), np.array([1000.0]))


def transform(sigma: float, rate: float, w: complex, shift: float = 0.0) -> mp.mpc:
    """A(w) in 30 digits, by a rule far finer and longer than that of a batch."""
    with mp.workdps(30):
        s, q = mp.mpf(sigma), mp.mpf(rate)
        step = mp.mpf(1) / 40 * min(s, s * s)
        end = 14 * s + 1 + abs(mp.re(w))
        count = int(end / step)
        total = mp.mpf(0)
        for k in range(-count, count + 1):
            x = k * step
            loss = mp.log(1 - q + q * mp.exp((x - mp.mpf(1) / 2) / s**2))
            total += mp.exp(-((x / s) ** 2) / 2 + w * loss)
        return total * step / (s * mp.sqrt(2 * mp.pi))


def axis_of(one: Settings, step: float, first: float, last: float) -> Axis:
    """An axis of our own choice: as coarse and as short as a test wants it."""
    s = float(one.sigma[0])
    x = step * np.arange(np.ceil(first / step), np.floor(last / step) + 1.0)[None, :]
    log_weight = -0.5 * (x / s) ** 2 + np.log(step / (s * np.sqrt(2.0 * np.pi)))
    places, rest = room._tails(one, np.array([3.0]))
    beyond = rest[0, np.searchsorted(places[0], x[0, -1], side="right") - 1]
    return Axis(one, np.array([step]), x, log_weight, one.loss(x), np.array([x.shape[1] - 1]), np.array([beyond * 2.0]))


@pytest.mark.parametrize(("sigma", "rate"), SOME)
def test_losses(sigma: float, rate: float) -> None:
    x = np.linspace(-12.0 * sigma, 14.0 * sigma, 60)[None, :]
    found, t = settings(sigma, rate).loss(x)[0], settings(sigma, rate).tilt(x)[0]
    with mp.workdps(40):
        truth = [mp.log(1 - mp.mpf(rate) + mp.mpf(rate) * mp.exp((mp.mpf(z) - 0.5) / mp.mpf(sigma) ** 2)) for z in x[0]]
        off = np.array([float(abs(mp.mpf(a) - b) / abs(b)) for a, b in zip(found, truth, strict=True)])
    assert (off <= UNIT * (LOSS_UNITS + 5.0 * np.abs(t))).all()


@pytest.mark.parametrize(
    ("rate", "step", "w", "omega"),
    [(0.2, 1.3, 1.0, 0.0), (0.2, 1.6, 2.0, 0.0), (0.2, 1.4, -1.5, 0.0), (0.98, 1.4, 1.5, 1.0), (0.98, 1.2, 1.0, 2.0)],
)
def test_coarse_steps_know_how_coarse_they_are(
    rate: float, step: float, w: float, omega: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LITTLE", np.inf)
    axis = axis_of(settings(1.0, rate), step, -16.0, 18.0)
    found = complex(np.sum(np.exp(axis.log_weight[0] + (w + 1j * omega) * axis.loss[0])))
    size = float(np.sum(np.exp(axis.log_weight[0] + w * axis.loss[0])))
    off = abs(found - complex(transform(1.0, rate, w + 1j * omega)))
    bound = float(axis.aliased(np.array([[w]]), np.array([[omega]]))[0, 0]) * size * 1.3
    assert off <= bound <= 60.0 * off  # a bound of a sixtieth would be false


@pytest.mark.parametrize("w", [-3.0, -0.7, 0.0, 3.0])
@pytest.mark.parametrize(("first", "last"), [(-9.0, 2.5), (-2.0, 12.0)])
def test_ends_cover_the_nodes_that_are_left_out(w: float, first: float, last: float) -> None:
    whole, short = axis_of(ONE, 0.25, -14.0, 16.0), axis_of(ONE, 0.25, first, last)
    missing = (
        np.exp(whole.log_weight[0] + w * whole.loss[0]).sum() - np.exp(short.log_weight[0] + w * short.loss[0]).sum()
    )
    assert missing <= float(short.ends(np.array([[w]]))[0, 0]) <= 40.0 * missing


@pytest.mark.parametrize("cell", [0.35, 2.5])
@pytest.mark.parametrize("w", [12.0, 18.0, 23.0, 28.0])
def test_cells_beyond_a_place_hold_the_integral(cell: float, w: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_CELL", cell)
    one = settings(2.0, 0.05)
    places, rest = room._tails(one, np.array([w]))
    x = np.linspace(0.0, float(places[0, -1]) + 40.0, 400_001)
    f = np.exp(-0.5 * (x / 2.0) ** 2 + w * one.loss(x[None, :])[0]) / (2.0 * np.sqrt(2.0 * np.pi))
    tail = np.cumsum(f[::-1])[::-1] * (x[1] - x[0])
    for i in range(0, len(places[0]), 5 if cell < 1.0 else 1):
        truth = tail[np.searchsorted(x, places[0, i])]
        assert truth <= rest[0, i]
        assert rest[0, i] <= 1000.0 * truth or places[0, i] > 2.0 * w or cell > 1.0


def test_steps_of_24_bits_have_exact_multiples() -> None:
    axis = Axis.spanned(ONE, np.array([-2.0]), np.array([3.0]), np.array([4.0]))
    mantissa = float(np.frexp(axis.step[0])[0]) * 2.0**24
    assert mantissa == np.floor(mantissa)
    assert (np.diff(axis.x[0]) == axis.step[0]).all()


@crossed(
    (("sigma", "rate"), SOME),
    ("w", [1.4, -0.6]),
)
def test_nodes_are_within_their_errors(sigma: float, rate: float, w: float) -> None:
    one = settings(sigma, rate)
    axis = Axis.spanned(one, np.array([min(w, 0.0)]), np.array([max(w, 0.0)]), np.array([6.0]))
    found = nodes(axis, np.array([[w]]), np.array([[0.9]]), np.array([[7]]))
    for k in (0, 3, 6):
        truth = complex(mp.log(transform(sigma, rate, w + 0.9j * k)))
        assert abs(complex(found.log_a[0, 0, k]) - truth) <= found.error[0, 0, k] < 1e-8


def test_nodes_of_a_coarse_axis_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_LITTLE", np.inf)
    axis = axis_of(settings(1.0, 0.98), 1.2, -16.0, 18.0)
    found = nodes(axis, np.array([[1.0]]), np.array([[1.0]]), np.array([[3]]))
    off = abs(complex(found.log_a[0, 0, 2]) - complex(mp.log(transform(1.0, 0.98, 1.0 + 2.0j))))
    assert off <= found.error[0, 0, 2] <= 100.0 * off


@crossed(
    ("w", [1.5, -0.8]),
    ("y", [0.3, 0.7]),
)
def test_no_later_transform_is_above(w: float, y: float) -> None:
    axis = Axis.spanned(ONE, np.array([min(w, 0.0)]), np.array([max(w, 0.0)]), np.array([3.0]))
    whole = np.array([[float(mp.re(transform(1.0, 0.2, w))) * (1.0 + 1e-9)]])
    bound = float(np.exp(log_beyond(axis, np.array([[w]]), whole, np.array([[2.0]]), np.array([[y]]))[0, 0]))
    assert all(abs(complex(transform(1.0, 0.2, w + 1j * omega))) <= bound for omega in (2.0, 2.4, 5.0, 11.0))


@pytest.mark.parametrize(("rate", "w"), [(0.7, -1.5), (0.98, -1.5), (0.98, 1.5), (0.2, 1.5)])
@pytest.mark.parametrize(("omega", "y"), [(0.5, 0.2), (4.0, 0.5)])
def test_the_modulus_is_integrated_from_above_however_coarse_the_grid(
    rate: float, w: float, omega: float, y: float
) -> None:
    one, at = settings(1.0, rate), (np.array([[omega]]), np.array([[y]]))
    fine = Axis.spanned(one, np.array([min(w, 0.0)]), np.array([max(w, 0.0)]), np.array([9.0]))
    whole = np.array([[float(mp.re(transform(1.0, rate, w)))]])
    found = float(log_beyond(fine, np.array([[w]]), whole, *at)[0, 0])
    truth = _total(fine, rate, w, *at)
    assert truth <= found <= truth + 1e-9
    nearest = 0.0
    for step in (1.1, 1.4, 1.7, 2.0, 2.3):
        axis = axis_of(one, step, -16.0, 18.0)
        above = np.exp(float(log_beyond(axis, np.array([[w]]), whole, *at)[0, 0]))
        alone = np.exp(float(log_beyond(axis, np.array([[w]]), 0.0 * whole, *at)[0, 0]))
        assert above >= np.exp(truth)
        nearest = max(nearest, (np.exp(truth) - alone) / (above - alone))
    assert nearest >= (0.04 if rate > 0.5 and omega < 1.0 else 0.0)  # a 25th of what is added would be false


def test_short_grids_count_what_they_leave_out_of_the_modulus() -> None:
    w, at = 1.5, (np.array([[2.0]]), np.array([[0.7]]))
    fine = Axis.spanned(ONE, np.array([0.0]), np.array([w]), np.array([9.0]))
    whole = np.array([[float(mp.re(transform(1.0, 0.2, w)))]])
    truth = float(log_beyond(fine, np.array([[w]]), whole, *at)[0, 0])
    short = axis_of(ONE, 0.2, -1.5, 16.0)
    assert float(log_beyond(short, np.array([[w]]), whole, *at)[0, 0]) >= truth
    assert _total(short, 0.2, w, *at) < truth  # the sum alone is no bound


def _total(axis: Axis, rate: float, w: float, omega: np.ndarray, y: np.ndarray) -> float:
    """Log of the sum of the modulus over the nodes of an axis, of noise 1."""
    z = axis.x[0] + 1j * y[0, 0]
    loss = np.log(1.0 - rate + rate * np.exp(z - 0.5))
    return float(
        np.log(np.sum(np.exp(axis.log_weight[0] + 0.5 * y[0, 0] ** 2 + w * loss.real - omega[0, 0] * loss.imag)))
    )


@pytest.mark.parametrize("w", [40.0, 0.5, -3.0])
def test_terms_of_weights_that_are_no_floats(w: float) -> None:
    """Where p has lost its digits, e^{wL} may still make a term of it."""
    one = settings(0.3, 1e-7)
    axis = axis_of(one, 0.01, -4.0, 14.0)
    assert axis.log_weight.min() < -745.0
    tilted, less = axis.terms(np.array([[w]]))
    with mp.workdps(30):
        for k in range(0, axis.x.shape[1], 37):
            p, grown = mp.exp(mp.mpf(axis.log_weight[0, k])), mp.exp(mp.mpf(w) * mp.mpf(axis.loss[0, k]))
            room = 2e-13 * max(p, p * grown) + mp.mpf(1e-320)
            if p * grown < 1e300:
                assert abs(mp.mpf(float(tilted[0, 0, k])) - p * grown) <= room
                assert abs(mp.mpf(float(less[0, 0, k])) - p * (grown - 1)) <= room
