"""Binomial probabilities against 60-digit arithmetic."""

import math
import random

import mpmath
import numpy as np

from neyman.numerics.functions.binomial import binomial_deviance, log_binomial


def test_log_binomial_is_within_its_error_over_the_whole_domain() -> None:
    source = random.Random(1)
    for _ in range(1500):
        n = int(10 ** source.uniform(0.0, 9.5)) + 1
        small = source.random() < 0.7
        p = 10 ** source.uniform(-250.0 if source.random() < 0.2 else -15.0, -1e-9) if small else None
        p = p if p is not None else 1.0 - 10 ** source.uniform(-12.0, -0.3)
        sd = math.sqrt(n * p * (1.0 - p))
        k = source.choice([0, 1, 2, n, n - 1, n // 2, int(n * p + source.uniform(-40.0, 40.0) * sd), 16, 15])
        k = min(max(k, 0), n)
        value, error = log_binomial(np.array([float(k)]), n, p)
        with mpmath.workdps(60):
            rate = mpmath.mpf(p)
            truth = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            truth += k * mpmath.log(rate) + (n - k) * mpmath.log1p(-rate)
            assert abs(mpmath.mpf(float(value[0])) - truth) <= float(error[0]), (n, p, k)
        assert error[0] <= 1e-13 * (1.0 + abs(value[0]) + abs(k - n * p)), (n, p, k)


def test_log_binomial_of_more_trials_than_floats_count() -> None:
    source = random.Random(3)
    with np.errstate(all="raise", under="ignore"):
        for _ in range(300):
            n = source.choice([10**16, 10**17, 2**62, 2**63 - 1, int(10 ** source.uniform(15.5, 18.9))])
            p = source.choice([1.0 / n, 30.0 / n, 0.25, 0.5, 10 ** source.uniform(-19.0, -1.0)])
            k = float(source.choice([0, 1, 2, 40, 63]))
            value, error = log_binomial(np.array([k]), n, p)
            with mpmath.workdps(60):
                truth = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - int(k) + 1)
                truth += int(k) * mpmath.log(mpmath.mpf(p)) + (n - int(k)) * mpmath.log1p(-mpmath.mpf(p))
                assert abs(mpmath.mpf(float(value[0])) - truth) <= float(error[0]), (n, p, k)


def test_log_binomial_adds_up_to_one() -> None:
    for n, p in ((7, 0.3), (1000, 0.02), (100_000, 0.5)):
        total = math.fsum(np.exp(log_binomial(np.arange(n + 1.0), n, p)[0]))
        assert abs(total - 1.0) < 1e-12


def test_deviances_are_within_their_error() -> None:
    source = random.Random(2)
    for _ in range(600):
        n = int(10 ** source.uniform(0.0, 12.0)) + 1
        p = source.choice([10 ** source.uniform(-190.0, -0.3), 1.0 - 10 ** source.uniform(-12.0, -0.3)])
        sd = math.sqrt(n * p * (1.0 - p))
        k = source.choice([0, 1, n, n - 1, n // 2, int(n * p + source.uniform(-40.0, 40.0) * sd), int(n * p * 0.91)])
        k = min(max(k, 0), n)
        with mpmath.workdps(60):
            rate, part = mpmath.mpf(p), mpmath.mpf(k) / n  # 60 digits are enough: log1p does not cancel
            truth = (k * mpmath.log(part / rate) if k else 0) + (
                (n - k) * (mpmath.log1p(-part) - mpmath.log1p(-rate)) if k < n else 0
            )
            found = float(binomial_deviance(np.array(float(k)), n, np.array(p)))
            allowed = 2e-14 * float(truth) + 1e-15 * abs(k - n * p)
            assert abs(mpmath.mpf(found) - truth) <= allowed, (n, p, k)
