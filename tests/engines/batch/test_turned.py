"""Turned sums against sums of 60 digits: within the units that are counted for them."""

import mpmath as mp
import numpy as np
import pytest

from neyman.engines.batch.laying.turned import SUM_UNITS, turned
from neyman.numerics.rounding import UNIT


@pytest.mark.parametrize("count", [1, 2, 3, 15, 16, 17, 33, 200])
def test_turned_sums(count: int) -> None:
    rng = np.random.default_rng(count)
    weight = rng.normal(size=(2, 2, count)) + 1j * rng.normal(size=(2, 2, count))
    weight *= np.exp(-0.02 * np.arange(count))
    spacing = rng.uniform(0.1, 1.0, (2, 2))
    z = 0.5 + 1j * spacing[..., None] * np.arange(count)
    epsilon = np.broadcast_to(np.array([[0.0, 0.3, 7.0], [0.1, 2.0, 30.0]])[:, None], (2, 2, 3))
    value, slope = turned(weight, z, spacing, epsilon)
    with mp.workdps(60):
        for at in np.ndindex(2, 2, 3):
            row = at[:2]
            phase = [-mp.mpf(spacing[row]) * mp.mpf(epsilon[at]) * k for k in range(count)]
            terms = [mp.mpmathify(complex(w)) * mp.expj(p) for w, p in zip(weight[row], phase, strict=True)]
            units = SUM_UNITS * (2.0 + count) + 4.0 * spacing[row] * (count - 1) * epsilon[at]
            size, tilted = float(np.abs(weight[row]).sum()), float(np.abs(weight[row] * z[row]).sum())
            assert abs(float(mp.re(mp.fsum(terms)) - value[at])) <= UNIT * units * size
            sloped = mp.fsum(t * mp.mpmathify(complex(w)) for t, w in zip(terms, z[row], strict=True))
            assert abs(float(mp.re(sloped) - slope[at])) <= UNIT * (units + 4.0) * tilted


def test_without_slopes_the_values_are_the_same() -> None:
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(3, 2, 40)) + 1j * rng.normal(size=(3, 2, 40))
    spacing, epsilon = rng.uniform(0.1, 1.0, (3, 2)), rng.uniform(0.0, 5.0, (3, 2, 9))
    both, alone = turned(weight, weight, spacing, epsilon), turned(weight, weight, spacing, epsilon, sloped=False)
    np.testing.assert_allclose(alone[0], both[0], rtol=0.0, atol=1e-13)
    assert not alone[1].any()


def test_what_is_no_number_stays_in_its_row_and_column() -> None:
    weight = np.ones((2, 2, 20), dtype=np.complex128)
    weight[0, 1, 3] = np.nan
    epsilon = np.ones((2, 2, 2))
    epsilon[1, :, 1] = np.nan
    with np.errstate(invalid="ignore"):
        value, _ = turned(weight, weight, np.ones((2, 2)), epsilon)
    assert np.isnan(value).tolist() == [[[False, False], [True, True]], [[False, True], [False, True]]]
