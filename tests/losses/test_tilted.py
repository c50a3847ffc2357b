"""Tilted laws on a grid: the quick way by A - 1 beside sums term by term, in high precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

from neyman.losses.gaussian.transform import LIMIT, SamplingTransform
from neyman.losses.readings import tilted
from neyman.losses.readings.tilted import of_each_kind, tilted_moments
from neyman.losses.readings.transform import Moments

LAWS = [(0.8, 1e-3), (9.4, 0.32768), (1.0, 1e-4), (0.5, 0.3), (40.0, 0.5), (2.0, 1e-8), (0.3, 0.01)]
TILTS = np.array([-64.0, -9.0, -1.5, -1.0, -0.5, -1e-3, 1e-9, 0.5, 1.0, 1.001, 2.0, 8.0, 30.0, 200.0])


def gridded(sigma: float, rate: float) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
    law, step = SamplingTransform(sigma, rate), 0.05 * sigma
    x = np.arange(-12.0 * sigma, 12.0 * sigma + 40.0, step)
    return x, step, law.log_ratio(x), law.log_density(x)


@pytest.mark.parametrize(("sigma", "rate"), LAWS)
def test_both_ways_agree(sigma: float, rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, step, loss, density = gridded(sigma, rate)
    ends = LIMIT * sigma, 0.0
    quick = tilted_moments(TILTS, x, step, loss, density, ends)
    monkeypatch.setattr(tilted, "_NEAR", 0.0)  # nothing is near: term by term
    careful = tilted_moments(TILTS, x, step, loss, density, ends)
    monkeypatch.undo()
    for one, other in zip(quick, careful, strict=True):
        assert np.array_equal(np.isnan(one), np.isnan(other))
    held = ~np.isnan(quick[3])
    assert np.array_equal(quick[3][held], careful[3][held])
    for one, other in zip(quick[1:3], careful[1:3], strict=True):
        np.testing.assert_allclose(one[held], other[held], rtol=1e-9, atol=1e-11 * float(np.abs(loss).max()))
    np.testing.assert_allclose(quick[0][held], careful[0][held], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("sigma", "rate"), LAWS)
def test_log_a_keeps_its_digits_near_nothing(sigma: float, rate: float) -> None:
    """T log A counts, T up to 10^9: the error of A - 1 is in proportion to E |r^w - 1|."""
    x, step, loss, density = gridded(sigma, rate)
    log_a, *_, cut = tilted_moments(TILTS, x, step, loss, density, (LIMIT * sigma, 0.0))
    for w, found in zip(TILTS[np.isinf(cut)].tolist(), log_a[np.isinf(cut)].tolist(), strict=True):
        with ctx.workprec(150):
            terms = [arb(d).exp() * (arb(w) * y).expm1() for d, y in zip(density.tolist(), loss.tolist(), strict=True)]
            ball = (sum(terms, arb(0)) * step).log1p()
            assert ball.rad() <= abs(ball) * arb("1e-20")
            truth, size = float(ball), float(sum(map(abs, terms), arb(0)) * step)
        assert abs(found - truth) <= 1e-13 * (size + abs(truth)) / min(1.0, math.exp(truth))


def test_many_laws_are_each_their_own() -> None:
    laws = LAWS[:3]
    grids = [gridded(*law) for law in laws]
    count = min(len(grid[0]) for grid in grids)
    x, loss, density = (np.stack([grid[k][:count] for grid in grids])[:, None] for k in (0, 2, 3))
    steps = np.array([[grid[1]] for grid in grids])
    ends = np.array([[LIMIT * sigma] for sigma, _ in laws])
    together = tilted_moments(TILTS, x, steps, loss, density, (ends, 0.0))
    for i, (grid, (sigma, _)) in enumerate(zip(grids, laws, strict=True)):
        alone = tilted_moments(TILTS, grid[0][:count], grid[1], grid[2][:count], grid[3][:count], (LIMIT * sigma, 0.0))
        for one, other in zip(together, alone, strict=True):
            np.testing.assert_allclose(one[i], other, rtol=1e-11, atol=1e-14)


def test_each_kind_is_asked_for_once_and_put_back() -> None:
    asked: list[list[float]] = []

    def moments(w: np.ndarray) -> Moments:
        asked.append(w.tolist())
        return Moments(*(np.stack([w, 2.0 * w]) + k for k in range(4)))

    w = np.array([1e5, -0.5, 3.0, -1e5, 2.0, 70.0, 0.0, -1.0])
    found = of_each_kind(w, moments)
    assert asked == [[-1e5], [-0.5, -1.0], [0.0], [3.0, 2.0], [70.0], [1e5]]
    for k, column in enumerate((found.log_a, found.mean, found.variance, found.cut)):
        assert np.array_equal(column, np.stack([w, 2.0 * w]) + k)


@pytest.mark.parametrize("law", [(0.1, 0.01), (0.3, 0.01), (1.0, 1e-4)])
def test_a_ladder_in_parts_is_each_tilt_alone(law: tuple[float, float]) -> None:
    """A grid made for steep tilts, or for mild ones, weighs a law alike."""
    transform = SamplingTransform(*law)
    w = np.concatenate([-np.geomspace(5e4, 0.1, 60), np.geomspace(0.1, 60.0, 60)])
    together = transform.moments(np.concatenate([w, np.geomspace(0.2, 9.0, 400)]))
    for i in range(0, len(w), 7):
        alone = transform.moments(w[i : i + 1])
        assert math.isnan(alone.cut[0]) == math.isnan(together.cut[i])
        if math.isinf(alone.cut[0]):
            for name in ("log_a", "mean", "variance"):
                assert getattr(together, name)[i] == pytest.approx(getattr(alone, name)[0], rel=1e-10, abs=1e-13)
