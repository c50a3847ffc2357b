"""log(1 + z) of complex z, within the units that transforms count of it."""

from __future__ import annotations

import math

import numpy as np
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from neyman.losses.readings.transform import LOGGED
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import UNIT

ANGLES = st.floats(-math.pi, math.pi)
SIZES = st.floats(-40.0, 40.0).map(math.exp) | st.floats(-4.0, 1.0).map(math.exp)


def units(found: complex, z: complex) -> float:
    """How many of its modulus it is off by."""
    with ctx.workprec(400):
        true = (1 + acb(arb(z.real), arb(z.imag))).log()
        off = abs(acb(arb(found.real), arb(found.imag)) - true)
        return float((off / abs(true)).mid()) / UNIT


@given(SIZES, ANGLES)
def test_logarithms_of_transforms_are_off_by_no_more_than_is_counted(size: float, angle: float) -> None:
    z = size * complex(math.cos(angle), math.sin(angle))
    if z.real <= -0.5 or z == 0.0:
        return
    assert units(complex(log1p(np.array([z]))[0]), z) <= LOGGED


@given(st.floats(-600.0, 600.0), ANGLES)
def test_logarithms_of_what_was_scaled(log_size: float, angle: float) -> None:
    z = complex(math.cos(angle), math.sin(angle))
    found = complex(np.log(np.array([z]))[0]) + log_size
    with ctx.workprec(400):
        true = acb(arb(z.real), arb(z.imag)).log() + arb(log_size)
        off = abs(acb(arb(found.real), arb(found.imag)) - true)
        assert float(off.mid()) <= LOGGED * UNIT * (abs(log_size) + abs(complex(float(true.real.mid()), angle)))
