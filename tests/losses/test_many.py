"""Readings of many sampled Gaussian steps at once, against those of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import assume, given
from hypothesis import strategies as st

from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from neyman.losses.gaussian.many import block, bounds, lines, moments
from neyman.losses.gaussian.many.bounds import certified_of, estimates_of
from neyman.losses.gaussian.many.lines import on_line_of, sum_on_line, terms_of, weigh
from neyman.losses.gaussian.many.looks import steps_of
from neyman.losses.gaussian.many.moments import lost_of, moments_of
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.numerics.sums.fourier_sum import turned_sum, turned_sums
from tests.effort import rest_slow
from tests.reference.integrals import integral

MARGIN = 42.0


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


# beyond what blocks serve, too: rates above 1/2, noise so small that exponents are large
LAWS = st.lists(
    st.builds(SamplingTransform, log_uniform(0.05, 1e4), log_uniform(1e-12, 0.9999)), min_size=8, max_size=14
)
TILTS = st.one_of(
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), log_uniform(1e-3, 1e4), log_uniform(1e-3, 1e4).map(lambda w: -w)
)


def of_each(laws: list[SamplingTransform], w: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    return np.array([getattr(law.moments(w), name) for law in laws])


@given(LAWS, st.lists(TILTS, min_size=1, max_size=9))
def test_moments_are_those_of_each_law(laws: list[SamplingTransform], tilts: list[float]) -> None:
    w = np.array(sorted(tilts))
    found = moments_of(laws, w)
    cut = of_each(laws, w, "cut")
    assert np.array_equal(np.isnan(found.cut), np.isnan(cut))
    assert np.array_equal(np.isposinf(found.cut), np.isposinf(cut))
    there = ~np.isnan(cut)
    log_a = of_each(laws, w, "log_a")[there]
    np.testing.assert_allclose(found.log_a[there], log_a, rtol=4e-14, atol=4e-15)
    variance = of_each(laws, w, "variance")[there]
    np.testing.assert_allclose(found.variance[there], variance, rtol=1e-9, atol=1e-15)
    mean = of_each(laws, w, "mean")[there]
    np.testing.assert_allclose(
        found.mean[there], mean, rtol=1e-11, atol=1e-11 * float(np.sqrt(variance.max(initial=1)))
    )


@given(LAWS, st.lists(st.one_of(st.just(math.inf), log_uniform(1.0, 1e5)), min_size=3, max_size=3))
def test_what_lies_beyond_the_cuts_is_what_each_law_says(laws: list[SamplingTransform], cut: list[float]) -> None:
    cuts = np.tile(cut, (len(laws), 1))
    each = np.exp([law.log_lost(np.array(cut)) for law in laws])
    np.testing.assert_allclose(lost_of(laws, cuts), each, rtol=1e-13)


@given(LAWS, TILTS, log_uniform(1e-3, 1e3), st.sampled_from([1, 2, 17, 60]), st.booleans())
def test_values_on_a_line_are_those_of_each_law_within_their_errors(
    laws: list[SamplingTransform], w: float, reach: float, nodes: int, even: bool
) -> None:
    omega = np.linspace(0.0, reach, nodes)
    omega = omega if even else omega**1.25
    cut = of_each(laws, np.array([w]), "cut")[:, 0]
    value, error = on_line_of(laws, w, omega, np.where(np.isnan(cut), math.inf, cut), MARGIN)
    for i in np.flatnonzero(~np.isnan(cut)):
        one, off = laws[i].on_line(w, omega, float(cut[i]), MARGIN)
        sharp = (off < 1e-3) & (error[i] < 1e-3)
        turn = (value[i] - one)[sharp]
        assert np.all(np.abs(turn) <= 1.01 * (off + error[i])[sharp])
        assert np.all(error[i][sharp] >= 0.3 * off[sharp])
        assert np.array_equal(np.isfinite(off), np.isfinite(error[i]))


@given(LAWS, TILTS.filter(lambda w: w < 20.0), log_uniform(1e-2, 1e3), log_uniform(1e-2, 1.0))
def test_bounds_are_hardly_above_those_of_each_law(
    laws: list[SamplingTransform], w: float, omega: float, share: float
) -> None:
    cut = of_each(laws, np.array([w]), "cut")[:, 0]
    laws, cut = [law for law, end in zip(laws, cut, strict=True) if end > 0.0], cut[cut > 0.0]  # those within reach
    assume(len(laws) >= 8)
    looks = estimates_of(laws, w, omega, share, cut)
    found = certified_of(laws, w, omega, cut, looks)
    for law, end, near, shift, bound in zip(laws, cut.tolist(), *(a.tolist() for a in (*looks, found)), strict=True):
        own = law.certified(w, omega, end, (near, shift))
        assert bound <= own + 1e-3 * (1.0 + abs(own))
        beyond = omega * np.array([1.0, 1.1, 2.0])
        value, error = law.on_line(w, beyond, end, MARGIN)
        sharp = (error < 1e-3) & (end == math.inf)
        assert np.all(value.real[sharp] <= bound + 2.0 * error[sharp] + 1e-13 * (1.0 + abs(bound)))


def exact(law: SamplingTransform, w: float, omega: float) -> acb:
    """A(w + i omega) by ball arithmetic."""
    s, q, z = arb(law.sigma), arb(law.rate), acb(w, omega)

    def integrand(x: acb, analytic: bool) -> acb:
        loss = (1 - q + q * ((x - arb(1) / 2) / (s * s)).exp()).log(analytic=analytic)
        return (z * loss - x * x / (2 * s * s)).exp() / (s * (2 * arb.pi()).sqrt())

    ends = np.linspace(-20.0 * law.sigma, 20.0 * law.sigma + 1.0 + max(w, 0.0), 33)
    return integral(integrand, ends.tolist())


POINTS = [
    SamplingTransform(sigma, rate)
    for sigma, rate in (
        (0.8, 1e-3), (1.0, 0.1), (1.3, 0.2), (2.0, 0.01), (2.5, 0.5), (4.0, 0.1), (0.7, 1e-4), (9.4, 0.3), (30.0, 0.1),
    )
]  # fmt: skip


def test_what_is_no_float_is_not_known_exactly() -> None:
    """Far up a line the whole sum is 0 to a float: an error relative to that would be none."""
    w, omega = math.exp(4.0), np.array([0.0, math.exp(7.5)])
    law = SamplingTransform(1.0, math.exp(-1.0))
    together = on_line_of([law] * 8, w, omega, np.full(8, math.inf), MARGIN)
    for log_a, error in (law.on_line(w, omega, math.inf, MARGIN), (together[0][3], together[1][3])):
        assert log_a[0].real > 1000.0
        assert log_a[1].real + math.log(error[1]) >= log_a[0].real - 45.0


@given(LAWS, TILTS, st.one_of(st.just(0.0), log_uniform(1e-2, 1e5)), st.one_of(st.just(math.inf), st.floats(0.5, 30.0)))
def test_steps_after_a_look_are_those_of_each_law(
    laws: list[SamplingTransform], w: float, omega: float, far: float
) -> None:
    plain, _ = block.parted(laws)
    assume(len(plain) > 0)
    some = block.Block.of(laws, plain)
    cuts = far * some.sigma
    found = steps_of(some, w, omega, MARGIN, cuts)
    for i, cut, step in zip(plain.tolist(), cuts.tolist(), found.tolist(), strict=True):
        alone = laws[i]._step(w, omega, MARGIN, 0.0, cut)
        assert 0.99 * alone <= step <= 1.25 * alone  # of finer cells bounds are nearer


@pytest.mark.parametrize(("w", "reach"), rest_slow([(3.0, 12.0), (-4.0, 9.0), (0.5, 20.0), (14.0, 2.0)], 1, 3))
def test_no_error_is_smaller_than_the_true_one(w: float, reach: float) -> None:
    cut = of_each(POINTS, np.array([w]), "cut")[:, 0]
    laws = [law for law, end in zip(POINTS, cut.tolist(), strict=True) if end == math.inf]
    assert len(block.parted(laws)[0]) == len(laws) >= 8
    omega = np.linspace(0.0, reach, 33)
    value, error = on_line_of(laws, w, omega, np.full(len(laws), math.inf), MARGIN)
    looks = estimates_of(laws, w, reach, 0.3, np.full(len(laws), math.inf))
    bound = certified_of(laws, w, reach, np.full(len(laws), math.inf), looks)
    mass = moments_of(laws, np.array([w])).log_a[:, 0]
    precision, ctx.prec = ctx.prec, 160
    try:
        for i, law in enumerate(laws):
            for j in (0, 7, 32):
                true = exact(law, w, float(omega[j]))
                off = (acb(value[i, j].real, value[i, j].imag).exp() / true - 1).abs_upper()
                assert float(off) <= float(error[i, j])
            assert float(exact(law, w, reach).abs_upper().log()) <= bound[i] + 1e-12
            assert float(exact(law, w, 0.0).real.log()) == pytest.approx(mass[i], rel=1e-13, abs=1e-14)
    finally:
        ctx.prec = precision


def test_blocks_serve_plain_laws_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few laws, rates above one half, little noise and laws of other kinds are asked one by one."""
    plain = [SamplingTransform(1.0 + 0.1 * i, 0.01) for i in range(8)]
    odd = [SamplingTransform(1.0, 0.6), SamplingTransform(0.05, 0.1), DiscreteGaussianTransform(3.0, 1)]
    together, alone = block.parted([*odd, *plain])
    assert together.tolist() == list(range(3, 11))
    assert alone.tolist() == [0, 1, 2]
    assert len(block.parted(plain[1:])[0]) == 0
    asked = list[SamplingTransform]()
    single = SamplingTransform.moments
    monkeypatch.setattr(
        SamplingTransform, "moments", lambda law, w, *margin: (asked.append(law), single(law, w, *margin))[1]
    )
    moments_of(plain, np.array([-2.0, 0.5, 3.0]))
    assert not asked
    moments_of(plain[1:], np.array([0.5]))
    assert asked == plain[1:]


def test_terms_and_weights_of_many() -> None:
    laws = [*POINTS, SamplingTransform(1.0, 0.7)]
    assert terms_of(laws, 2.0, 5.0) == pytest.approx(sum(law.terms(2.0, 5.0) for law in laws), rel=1e-12)
    weigh(laws)


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("nodes", [1, 5, 16, 40, 300])
def test_turned_sums_are_those_of_each_row(one: bool, nodes: int) -> None:
    rng = np.random.default_rng(7)
    place, weight = rng.uniform(0.0, 3.0, (3, 500)), rng.uniform(0.0, 1.0, (3, 500))
    omega = np.linspace(0.0, 20.0, nodes)
    found = turned_sums(omega, place, weight, one=one)
    for row in range(3):
        each = turned_sum(omega, place[row], weight[row], one=one)
        room = 2.0 * (16.0 + 500 / 8.0) * 2.0**-53 * ((weight[row] @ place[row]) * omega + weight[row].sum() * one)
        assert np.all(np.abs(found[row] - each) <= room)


@pytest.mark.parametrize("fault", ["grid", "shift", "end"])
def test_what_is_false_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that is too coarse, an axis elsewhere than is said, and an end that comes too soon."""
    nodes_of = block.nodes_of
    if fault == "grid":
        monkeypatch.setattr(lines, "nodes_of", lambda low, top, count: nodes_of(low, top, count // 4))
        with pytest.raises(AssertionError):
            test_no_error_is_smaller_than_the_true_one(3.0, 12.0)
    elif fault == "shift":
        monkeypatch.setattr(bounds, "mixed_each", lambda t, turn, rate: (t - 50.0, turn))
        monkeypatch.setattr(bounds, "log_sums", lambda term: np.zeros(term.shape[:-1]))
        monkeypatch.setattr(bounds._Strips, "_summed", lambda strip, x, step: (-9.0 + 0.0 * step, -99.0 + 0.0 * step))
        with pytest.raises(AssertionError):
            test_no_error_is_smaller_than_the_true_one(3.0, 0.2)
    else:
        monkeypatch.setattr(moments, "nodes_of", lambda low, top, count: nodes_of(low, 0.3 * top, count))
        with pytest.raises(AssertionError):
            test_no_error_is_smaller_than_the_true_one(0.5, 20.0)


def test_the_sum_over_laws_counts_its_own_rounding() -> None:
    """Two units of each term were counted, whatever their number: of a thousand in a row it is a thousand."""
    laws = [SamplingTransform(1.0 + 0.001 * i, 0.01) for i in range(300)]
    times, omega, cuts = np.full(300, 7.0), np.linspace(0.0, 3.0, 9), np.full(300, np.inf)
    value, error = sum_on_line(laws, times, 2.0, omega, cuts, 40.0)
    log_a, off = on_line_of(laws, 2.0, omega, cuts, 40.0)
    sizes = (times[:, None] * np.abs(log_a)).sum(axis=0)
    assert np.all(error - (times[:, None] * np.log1p(off)).sum(axis=0) >= 0.99 * 301.0 * 2.0**-53 * sizes)
    exact = [math.fsum((times * column).tolist()) for column in log_a.real.T]
    assert np.all(np.abs(value.real - exact) <= error)
