"""What becomes of a mantissa, its error and its scale: bounds on delta and on log(1 - delta), rounded outwards."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.engines.contour import estimate
from neyman.engines.contour.estimate import of_delta
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import Bracket


def mantissas(seed: int, count: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, errors and logs of scales, of every size, a few next to 0; no delta is above one half."""
    rng = np.random.default_rng(seed)
    log_scale = np.where(rng.random(count) < 0.4, rng.uniform(-0.3, 0.3, count), rng.uniform(-700.0, 30.0, count))
    value = 0.1 * 10.0 ** rng.uniform(-12.0, 0.0, count) * np.exp(np.minimum(-log_scale, 0.0))
    return value, value * 10.0 ** rng.uniform(-18.0, 0.5, count), log_scale


def wrong(found: Bracket, value: np.ndarray, error: np.ndarray, log_scale: np.ndarray, lost: np.ndarray) -> int:
    """How many of the four bounds are on the wrong side, by numbers of 50 digits."""
    count = 0
    with mp.workdps(50):
        for i in range(len(value)):
            v, e, scale = mp.mpf(float(value[i])), mp.mpf(float(error[i])), mp.exp(mp.mpf(float(log_scale[i])))
            low, high = max(v - e, mp.mpf(0)) * scale, (v + e) * scale + mp.mpf(float(lost[i]))
            count += mp.mpf(float(found.lower[i])) > low
            count += mp.mpf(float(found.upper[i])) < high
            count += mp.mpf(float(found.log_gap_lower[i])) > mp.log(1 - high)
            count += mp.mpf(float(found.log_gap_upper[i])) < mp.log(1 - low)
    return count


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_however_small_the_error(seed: int) -> None:
    """Also beside mass that was lost, which is far more, and where they are hardly floats."""
    value, error, log_scale = mantissas(seed)
    lost = np.where(np.arange(len(value)) % 3 == 0, 1e-14, 0.0)
    for each in (error, 0.0 * error):
        assert wrong(of_delta(value, each, log_scale, lost), value, each, log_scale, lost) == 0
        beside = estimate._of_either(value, each, log_scale, np.zeros(len(value), dtype=np.bool_), lost)
        assert wrong(beside, value, each, log_scale, lost) == 0


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_of_1_minus_delta(seed: int) -> None:
    """Between the poles 1 - delta of the law that was cut is integrated: what was lost may belong to it besides."""
    value, error, log_scale = mantissas(seed)
    lost, gap = np.where(np.arange(len(value)) % 3 == 0, 1e-14, 0.0), np.ones(len(value), dtype=np.bool_)
    found = estimate._of_either(value, error, log_scale, gap, lost)
    with mp.workdps(50):
        for i in range(len(value)):
            v, e, scale = mp.mpf(float(value[i])), mp.mpf(float(error[i])), mp.exp(mp.mpf(float(log_scale[i])))
            cut = mp.mpf(float(lost[i]))
            low, high = max(v - e, mp.mpf(0)) * scale, (v + e) * scale + cut
            assert mp.mpf(float(found.lower[i])) <= max(1 - high, 0)
            assert mp.mpf(float(found.upper[i])) >= min(1 - low, 1)
            assert mp.mpf(float(found.log_gap_upper[i])) >= min(mp.log(high), 0)
            assert low <= 0 or mp.mpf(float(found.log_gap_lower[i])) <= mp.log(low)


@pytest.mark.parametrize("name", ["_ROUNDED", "gaps", "_UNDERFLOW", "_SUM"])
def test_with_less_room_for_rounding_bounds_would_be_false(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, _, log_scale = mantissas(9)
    nothing = 0.0 * value
    lost = nothing
    if name == "_ROUNDED":
        monkeypatch.setattr(estimate, "_ROUNDED", UNIT)
    elif name == "_UNDERFLOW":
        log_scale = log_scale - (735.0 + np.log(value) + log_scale)
        monkeypatch.setattr(estimate, "_UNDERFLOW", 0.0)
    elif name == "_SUM":
        lost = nothing + 1e-14
        monkeypatch.setattr(estimate, "_SUM", 1.0)
    else:
        monkeypatch.setattr(estimate, "_GAP_GROWN", 1.0 + 0.0 * estimate._GAP_GROWN)
        monkeypatch.setattr(estimate, "_GAP_MOVED", 0.0 * estimate._GAP_MOVED)
    assert wrong(of_delta(value, nothing, log_scale, lost), value, nothing, log_scale, lost) > 0
    monkeypatch.undo()
    assert wrong(of_delta(value, nothing, log_scale, lost), value, nothing, log_scale, lost) == 0


def test_what_underflows_overflows_or_is_unknown_is_bounded_all_the_same() -> None:
    value = np.array([0.3, 0.3, 0.0, 0.0, 1e-300, 0.5, 0.3, 0.3])
    error = np.array([0.1, 0.1, np.inf, 0.0, 0.0, 0.2, np.inf, np.inf])
    log_scale = np.array([-800.0, 800.0, 0.0, 0.0, -100.0, 0.0, -9999.0, 9999.0])
    found = of_delta(value, error, log_scale, np.zeros(8))
    assert np.isfinite([found.lower, found.upper, found.log_gap_upper]).all()
    assert (found.lower[6:].tolist(), found.upper[6:].tolist()) == ([0.0, 0.0], [1.0, 1.0])
    assert found.lower.tolist()[:5] == [0.0, 0.0, 0.0, 0.0, 0.0]
    assert found.upper.tolist()[:5] == [estimate._UNDERFLOW, 1.0, 1.0, 0.0, estimate._UNDERFLOW]
    assert np.all(found.lower <= found.upper)
    assert found.lower[5] == pytest.approx(0.3)
    assert found.upper[5] == pytest.approx(0.7)
    assert np.all((found.log_gap_lower <= found.log_gap_upper) & (found.log_gap_upper <= 0.0))


def test_without_room_for_logarithms_bounds_on_1_minus_delta_would_be_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_LOGGED", 0.0)
    with pytest.raises(AssertionError):
        test_bounds_hold_of_1_minus_delta(0)
