"""Scores and Mills ratios that steer: near enough to those that bounds rest on, everywhere."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from neyman.numerics.functions.normal import mills, probit
from neyman.numerics.functions.score import ratio, score


def test_scores_are_probits() -> None:
    log_p = np.concatenate([-np.geomspace(1e-300, 0.6931, 3000), -np.geomspace(0.6932, 1e6, 20000)])
    assert np.allclose(score(log_p), -probit(log_p), rtol=1e-11, atol=1e-11)
    assert np.all(np.diff(score(np.sort(log_p))) < 1e-11)


@pytest.mark.parametrize("size", [1, 2, 15])
def test_scores_of_few_are_those_of_many(size: int) -> None:
    log_p = np.array(
        [-0.01, -1.0, -2.59, -2.6, -24.9, -25.1, -728.9, -729.1, -1e4, -0.6932, -0.6931, -1e-9, -3.0, -40.0, -1e9]
    )
    whole = score(log_p)
    for i in range(0, len(log_p), size):
        assert np.allclose(score(log_p[i : i + size]), whole[i : i + size], rtol=1e-14, atol=1e-15)


def test_scores_at_the_ends() -> None:
    assert score(np.array([-np.inf, 0.0])).tolist() == [np.inf, -np.inf]
    assert abs(float(score(np.log([0.5]))[0])) < 1e-15
    assert np.isnan(score(np.array([np.nan, -1.0]))).tolist() == [True, False]
    assert score(np.array([])).size == 0


@pytest.mark.parametrize("depth", [1e3, 1e12, 1e250])
def test_scores_of_the_least_probabilities(depth: float) -> None:
    with mp.workdps(40):
        t = mp.sqrt(2 * mp.mpf(depth))
        for _ in range(40):
            t = mp.sqrt(2 * (depth - mp.log(t) - mp.log(2 * mp.pi) / 2 + mp.log(1 - 1 / t**2 + 3 / t**4 - 15 / t**6)))
    assert float(score(np.array([-depth]))[0]) == pytest.approx(float(t), rel=1e-11)


def test_ratios_are_those_of_mills() -> None:
    t = np.concatenate([[0.0], np.geomspace(1e-9, 1e9, 5000), [25.0, np.nextafter(25.0, 26.0)]])
    assert np.allclose(ratio(t), mills(t), rtol=1e-10, atol=0.0)
