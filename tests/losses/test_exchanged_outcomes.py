"""Outcomes of sampled noise on the integers, one record in or out or exchanged for another, against 60 digits."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman.losses.readings.outcomes import Outcomes, discrete_gaussian, discrete_laplace
from tests.effort import examples

Point = tuple[mp.mpf, mp.mpf]  # a loss, and the log of the mass under Q
rates = st.floats(-690.0, -1e-3).map(math.exp)


def gaussian(x: int, sigma: float) -> mp.mpf:
    return -(mp.mpf(x) ** 2) / (2 * mp.mpf(sigma) ** 2)


def laplace(x: int, scale: float) -> mp.mpf:
    return -abs(mp.mpf(x)) / mp.mpf(scale)


def point(log_f: object, x: int, width: float, shift: int, rate: float, exchanged: bool) -> Point:
    """Without the mass of all of it."""
    assert callable(log_f)
    here, q = log_f(x, width), mp.mpf(rate)
    up = mp.log1p(q * mp.expm1(log_f(x - shift, width) - here))
    down = mp.log1p(q * mp.expm1(log_f(x + shift, width) - here)) if exchanged else mp.mpf(0)
    return up - down, here + down


def held(table: Outcomes, exact: list[Point]) -> None:
    """Every loss lies within its error of one that is listed; those that cannot be told apart weigh together what they
    should.
    """
    off = table.slack + table.stretch * np.abs(table.loss) * (1.0 + 1e-9)
    first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(table.loss) > 4.0 * np.maximum(off[1:], off[:-1]))])
    held_by: list[list[mp.mpf]] = [[] for _ in first]
    for loss, log_q in exact:
        at = int(np.argmin(np.abs(table.loss - float(loss))))
        near = range(max(at - 1, 0), min(at + 2, len(off)))
        assert any(abs(mp.mpf(float(table.loss[i])) - loss) <= off[i] for i in near)
        held_by[int(np.searchsorted(first, at, side="right")) - 1].append(log_q)
    for logs, listed in zip(held_by, np.split(table.log_q, first[1:]), strict=True):
        assert logs
        assert abs(log_sum(logs) - log_sum([mp.mpf(float(x)) for x in listed])) <= table.relative


def log_sum(logs: list[mp.mpf]) -> mp.mpf:
    top = max(logs)
    return top + mp.log(mp.fsum(mp.exp(one - top) for one in logs))


@examples(25, 500)
@given(st.floats(math.log(0.08), math.log(2.0)).map(math.exp), st.integers(1, 4), rates, st.booleans())
def test_normal_noise(sigma: float, shift: int, rate: float, exchanged: bool) -> None:
    table = discrete_gaussian(sigma, shift, rate, exchanged)
    reach = math.ceil(38.6 * sigma) + 1
    with mp.workdps(60):
        whole = mp.log(mp.fsum(mp.exp(gaussian(x, sigma)) for x in range(-reach, reach + 1)))
        xs = range(-reach - (shift if exchanged else 0), reach + shift + 1)
        exact = [point(gaussian, x, sigma, shift, rate, exchanged) for x in xs]
        held(table, [(loss, log_q - whole) for loss, log_q in exact])


@examples(25, 500)
@given(st.floats(math.log(0.02), math.log(300.0)).map(math.exp), st.integers(1, 9), rates, st.booleans())
def test_laplace_noise(scale: float, shift: int, rate: float, exchanged: bool) -> None:
    """What lies beyond the ends has their losses, and is counted there."""
    table = discrete_laplace(scale, shift, rate, exchanged)
    first = -shift if exchanged else 0
    with mp.workdps(60):
        one = mp.mpf(1) / mp.mpf(scale)
        whole = mp.log((1 + mp.exp(-one)) / (1 - mp.exp(-one)))
        exact = []
        for x in range(first, shift + 1):
            loss, log_q = point(laplace, x, scale, shift, rate, exchanged)
            beyond = -mp.log(1 - mp.exp(-one)) if x in (first, shift) else mp.mpf(0)
            exact.append((loss, log_q + beyond - whole))
        held(table, exact)


@pytest.mark.parametrize("rate", [1e-3, 1e-12, 1e-200])
def test_losses_of_an_exchange_are_known_to_their_own_digits(rate: float) -> None:
    """A smallest of rate * 23 among others up to 80, which were all known as the largest is."""
    table = discrete_gaussian(0.4, 1, rate, True)
    assert table.slack < 1e-300
    assert table.stretch < 1e-13
