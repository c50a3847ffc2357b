"""Sums along rays of losses, against 40 digits: rounded by no more than is stated, and bounds from above."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.losses.gaussian.paths import sums
from neyman.losses.gaussian.paths.sums import grown_sums, log_moments, log_products
from neyman.numerics.rounding import UNIT


@pytest.mark.parametrize("angle", [0.0, 0.6])
@pytest.mark.parametrize(("many", "length"), [(1, 7), (40, 900)])
def test_sums_of_exponentials_are_rounded_as_their_exponents_are(
    angle: float, many: int, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "ROWS", 2000)
    rng = np.random.default_rng(length)
    s = np.sort(rng.exponential(3.0, length)) * np.exp(1j * angle)
    log_weight = -rng.uniform(0.0, 30.0, length) + 1j * rng.uniform(-3.0, 3.0, length) * (angle > 0.0)
    w = rng.uniform(-2.0, 1.0, many) + 1j * rng.uniform(0.0, 20.0, many)
    units = rng.uniform(1.0, 2.0, (2, length))
    found, sizes = grown_sums(w, s, log_weight, units)
    assert found.shape == (many,)
    for i in {0, many // 2, many - 1}:
        with mp.workdps(40):
            powers = [mp.mpmathify(complex(w[i])) * mp.mpmathify(complex(x)) for x in s]
            terms = [mp.exp(p + mp.mpmathify(complex(y))) for p, y in zip(powers, log_weight, strict=True)]
            off = float(abs(mp.mpmathify(complex(found[i])) - mp.fsum(terms)))
            moduli = np.array([float(abs(x)) for x in terms])
        # products of two numbers and one more, the exponential, a turn, and sums in pairs
        allowed = 4.0 + 6.0 + 32.0 + 4.0 * np.abs(w[i] * s) + np.abs(log_weight)
        assert off <= UNIT * float(moduli @ allowed)
        assert np.allclose(sizes[i], units @ moduli, rtol=1e-12)


def test_exponents_by_products_of_matrices_are_no_less_than_they_are() -> None:
    """Of one term there is no sum, and parts that nearly cancel show what rounding may do."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        loss = 10.0 ** rng.uniform(-1.0, 3.0, 1) * np.exp(1j * rng.uniform(-1.2, 1.2, 1))
        w = 10.0 ** rng.uniform(-1.0, 3.0, 4) * np.exp(1j * rng.uniform(0.0, 2.5, 4))
        log_weight = -(w[:1] * loss).real * (1.0 + rng.uniform(-1e-6, 1e-6, 1))
        for one, found in zip(w, log_moments(w, loss, log_weight), strict=True):
            with mp.workdps(40):
                true = mp.re(mp.mpmathify(complex(one)) * mp.mpmathify(complex(loss[0]))) + mp.mpf(float(log_weight[0]))
                assert mp.mpf(float(found)) >= true
                assert mp.mpf(float(found)) - true <= 1e-14 * float(abs(one * loss[0]) + abs(log_weight[0]))


@pytest.mark.parametrize("deep", [30.0, 59.0, 61.0, 200.0])
def test_what_is_too_small_to_be_looked_at_is_counted(deep: float) -> None:
    """Two rows have their largest terms at opposite ends, and another nowhere near."""
    place = np.linspace(0.0, 1.0, 1001)
    parts = np.stack([place, np.where((place == 0.0) | (place == 1.0), 0.0, -deep)])
    tilts = np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0]])
    found = log_products(tilts, parts)
    for tilt, total in zip(tilts, found, strict=True):
        with mp.workdps(60):
            true = mp.log(mp.fsum(mp.exp(mp.mpf(float(x))) for x in tilt @ parts))
        assert float(total - true) >= -1e-15 * (1.0 + abs(float(true)))
        assert float(total - true) <= 1e-14 * (1.0 + abs(float(true)))
    assert np.isposinf(log_products(np.array([[np.inf, 1.0]]), parts[:, 1:])).all()
