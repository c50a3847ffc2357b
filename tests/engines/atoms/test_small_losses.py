"""Sums over outcomes whose losses, or the gaps between them, are small: against powers of randomised response."""

from __future__ import annotations

import math

import mpmath as mp
from hypothesis import example, given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples

small = st.floats(math.log(1e-290), math.log(3.0)).map(math.exp)


@examples(40, 800)
@given(
    small,
    st.one_of(st.just(1.0), small.map(lambda x: min(x, 0.99))),
    st.integers(1, 4),
    st.booleans(),
    st.floats(0.0, 0.95),
)
@example(1e-60, 1.0, 1, True, 0.0)
@example(2.25, 4.18302064217176e-124, 3, True, 0.0)
@example(0.5012982280950892, 5.95197436599172e-200, 4, False, 0.0)
@example(4.443057111171832e-160, 2.9876712472726265e-181, 1, True, 0.0)
def test_the_truth_is_between(epsilon: float, rate: float, times: int, remove: bool, share: float) -> None:
    step = ny.RandomizedResponse(epsilon)
    step = step if rate == 1.0 else step.poisson(rate)
    g = ny.account(step**times, adjacency="remove" if remove else "add")
    with mp.workdps(700):
        low = 1 / (1 + mp.exp(mp.mpf(epsilon)))
        up = mp.mpf(rate) * (1 - low) + (1 - mp.mpf(rate)) * low
        p, q = (up, low) if remove else (low, up)
        at = float(share * times * abs(mp.log(p / q)))
        ratio = mp.exp(mp.mpf(at))
        powers = [(mp.binomial(times, i), i, times - i) for i in range(times + 1)]
        ways = [(c, p**i * (1 - p) ** j, q**i * (1 - q) ** j) for c, i, j in powers]
        truth = mp.fsum(c * max(a - ratio * b, 0) for c, a, b in ways)
        try:
            lower, upper = g.optimistic.delta(at), g.delta(at)
        except ny.NotCertified as wide:
            lower, upper = wide.lower, wide.upper
        assert mp.mpf(float(lower)) <= truth <= mp.mpf(float(upper))
