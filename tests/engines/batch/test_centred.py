"""Sums whose first order is left out, against 30 digits, and what each of their places errs by against their doubt."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.centred import Centred
from neyman.engines.batch.laying.nodes import _units, nodes
from neyman.engines.batch.laying.settings import LOSS_UNITS
from neyman.numerics.functions.curved import turn_curved
from neyman.numerics.rounding import UNIT
from tests.effort import crossed
from tests.engines.batch.test_axis import ONE, axis_of, settings, transform

SOME = [(1.0, 0.2), (0.5, 0.9), (3.0, 0.01), (0.8, 1e-4), (20.0, 0.3), (2.0, 0.6), (5.0, 0.98), (0.35, 0.05)]
TILTS = [1.4, 9.0, -0.6, -7.0]


def axis_for(sigma: float, rate: float, w: float, omega: float) -> Axis:
    return Axis.spanned(settings(sigma, rate), np.array([min(w, 0.0)]), np.array([w]), np.array([omega]))


def sums(axis: Axis, w: float, omega: float) -> Centred:
    return Centred.of(axis, np.array([[w]]), np.array([[omega]]))


@crossed((("sigma", "rate"), SOME), ("w", TILTS))
def test_level_and_lean_are_those_of_a(sigma: float, rate: float, w: float) -> None:
    omega = 0.3 / min(1.0, rate)
    axis = axis_for(sigma, rate, w, omega)
    found = sums(axis, w, omega)
    rest = (found.tilted * turn_curved(omega * axis.loss[:, None, :])).sum()
    value = complex(found.level[0, 0] + 1j * omega * found.lean[0, 0] + rest)
    truth = complex(transform(sigma, rate, w + 1j * omega) - 1)
    doubt = float(found.doubt(np.array([[[omega]]]), (64.0, 64.0))[0, 0, 0])
    assert abs(value - truth) <= doubt


@pytest.mark.parametrize(("sigma", "rate"), SOME)
@pytest.mark.parametrize("w", TILTS)
@pytest.mark.parametrize("omega", [0.0, 1.0, 30.0])
def test_what_places_err_by_is_within_the_doubt(sigma: float, rate: float, w: float, omega: float) -> None:
    """Every place moved by all that it may be off, each to the worse side; a doubt of a hundredth would be false."""
    axis = axis_for(sigma, rate, w, omega)
    found = sums(axis, w, omega)
    kept = w * axis.loss[0] < 600.0  # where e^{wL} is no float p is none either
    x, loss, p = axis.x[0, kept], axis.loss[0, kept], np.exp(axis.log_weight[0, kept])
    t = axis.settings.tilt(axis.x)[0, kept]
    v, z = rate * np.expm1(t), w + 1j * omega
    grown, turned = np.exp(w * loss), turn_curved(omega * loss)
    rest = found.rest[0, 0, kept] / np.maximum(p, 1e-300)
    term = np.abs(grown - 1.0 - w * loss + 1j * omega * (grown - 1.0) * loss + grown * turned + z * rest)
    by_loss = np.abs(z * (np.exp(z * loss) - 1.0) * loss)
    by_v = np.abs(z * v * v / (1.0 + v))
    units = 12.5 + 4.5 * np.abs(t)
    if rate > 0.5:
        units = LOSS_UNITS + 5.0 * np.abs(t)
        deep = v < -0.3
        by_loss, by_v = by_loss + np.where(deep, np.abs(z * loss), 0.0), np.where(deep, np.abs(z * v), by_v)
    moved = p * (term * (68.0 + 1.5 * (x / sigma) ** 2) + by_loss * units + by_v * (8.0 + 3.0 * np.abs(t)))
    doubt = float(found.doubt(np.array([[[omega]]]), (0.0, 0.0))[0, 0, 0])
    assert UNIT * moved.sum() <= doubt
    assert doubt <= 100.0 * UNIT * moved.sum() + 1e-19


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.02), (4.0, 0.3), (8.0, 0.05), (2.0, 0.8)])
@pytest.mark.parametrize("w", [6.0, -5.0])
def test_nodes_know_their_second_order(sigma: float, rate: float, w: float) -> None:
    """A million steps of what one errs by are next to nothing; tables of turns err by what they say."""
    spread = rate * float(np.sqrt(np.expm1(sigma**-2.0)))
    spacing = 0.1 / spread
    axis = axis_for(sigma, rate, w, 11.0 * spacing)
    found = nodes(axis, np.array([[w]]), np.array([[spacing]]), np.array([[12]]))
    for k in (0, 1, 5, 11):
        truth = complex(mp.log(transform(sigma, rate, w + 1j * k * mp.mpf(spacing))))
        off = abs(complex(found.log_a[0, 0, k]) - truth)
        assert off <= found.error[0, 0, k]
        size = (abs(w) + k * spacing) ** 2 * spread**2
        assert found.error[0, 0, k] <= (2e-12 if rate > 0.5 else 4e-13) * max(size, size**0.5)


def test_tables_err_by_more_the_longer_they_are() -> None:
    near, far = _units(200, 10)
    assert near >= 3.0 * 200 + 4.0 * 10
    assert far >= near
    assert _units(400, 10)[0] > near
    assert _units(200, 20)[1] > far


def test_what_the_mean_of_v_lacks_is_counted() -> None:
    """Of an axis that is short on the right, where r^w falls and v rises."""
    axis = axis_of(ONE, 0.25, -14.0, 2.0)
    for w in (-0.5, -3.0):
        found = sums(axis, w, 0.0)
        truth = float(mp.re(transform(1.0, 0.2, w))) - 1.0
        off = abs(float(found.level[0, 0]) - truth)
        doubt = float(found.doubt(np.zeros((1, 1, 1)), (0.0, 0.0))[0, 0, 0])
        assert off <= doubt <= 200.0 * off
