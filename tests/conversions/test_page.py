"""The page of the Gaussian mechanism, binormal curves and Renyi divergences of normal laws."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate

import neyman as ny
from neyman.conversions import GaussianPage, Line, binormal_auc, binormal_roc, gaussian_renyi
from tests.conversions import formulas
from tests.effort import examples

indices = st.one_of(st.floats(0.0, 12.0), st.floats(-12.0, 2.0).map(lambda x: 10.0**x), st.sampled_from([0.0, 37.0]))
rates = st.one_of(
    st.floats(0.0, 1.0), st.floats(-300.0, 0.0).map(lambda x: 10.0**x), st.sampled_from([0.0, 1.0, 1.0 - 2.0**-53])
)
with mp.workdps(formulas.DIGITS):
    EXACT = 1 - mp.mpf(10) ** -44  # of the reference itself
widths = st.floats(-3.0, 3.0).map(lambda x: 10.0**x)


@given(psi=indices, x=rates)
@example(psi=1.0, x=0.5)
def test_roc_never_below_the_formula_and_hardly_above(psi, x):
    found = GaussianPage(psi).roc(x)
    if x in (0.0, 1.0):
        assert found == x
        return
    with mp.workdps(formulas.DIGITS):
        truth = formulas.binormal(x, psi, 1.0, 1.0)
        assert mp.mpf(found) >= truth * EXACT
        assert mp.mpf(found) <= truth * (1 + mp.mpf("2e-11")) + mp.mpf(1e-322)
    assert found >= x


@given(psi=st.floats(0.0, 10.0), more=st.floats(0.0, 3.0), x=rates, y=rates)
def test_roc_grows_with_psi_and_fpr(psi, more, x, y):
    low, high = sorted((x, y))
    assert GaussianPage(psi).roc(low) <= GaussianPage(psi).roc(high) * (1.0 + 1e-10)
    assert GaussianPage(psi).roc(x) <= GaussianPage(psi + more).roc(x) * (1.0 + 1e-10)


@given(psi=st.one_of(st.just(0.0), st.floats(1e-6, 10.0)), x=rates)
def test_roc_is_that_of_the_guarantee(psi, x):
    page = GaussianPage(psi)
    x = max(x, 1e-290)  # below, the tangents of a guarantee are steered no more
    assert page.roc(x) == pytest.approx(page.guarantee.roc(x), rel=1e-9)
    assert page.guarantee.beta(x) + page.roc(x) == pytest.approx(1.0, abs=1e-9)


@given(psi=indices)
def test_numbers_of_the_page_against_50_digits(psi):
    page = GaussianPage(psi)
    with mp.workdps(formulas.DIGITS):
        m = mp.mpf(psi)
        area, advantage = formulas.normal_cdf(m / mp.sqrt(2)), mp.erf(m / mp.sqrt(8))
        assert area <= page.auc <= area + mp.mpf("1e-14")
        assert advantage <= page.advantage <= advantage * (1 + mp.mpf("1e-13")) + mp.mpf(1e-290)
        assert Fraction(page.zcdp) * 2 >= Fraction(psi) ** 2
        assert page.zcdp <= m * m / 2 * (1 + mp.mpf("2.3e-16")) + mp.mpf(1e-323)
        assert page.rdp(3.5) >= mp.mpf(3.5) * m * m / 2
    assert page.guarantee == ny.GDP(psi)
    assert page.rdp(1e-300) >= 0.0
    assert page.rdp([1.0, 2.0]).shape == (2,)


@given(psi=st.floats(1e-6, 1e6), order=st.floats(1e-6, 1e6))
def test_renyi_line_is_rounded_up(psi, order):
    truth = Fraction(order) * Fraction(psi) ** 2 / 2
    found = Fraction(GaussianPage(psi).rdp(order))
    assert truth <= found <= truth * (1 + Fraction(2e-15))


@given(psi=st.floats(0.0, 8.0), epsilon=st.floats(0.0, 30.0), x=rates)
def test_tangents_lie_above_the_curve_and_touch_it(psi, epsilon, x):
    page = GaussianPage(psi)
    for line in (page.tangent(epsilon), page.mirror_tangent(epsilon)):
        assert isinstance(line, Line)
        assert line.slope * x + line.intercept >= page.roc(x) * (1.0 - 1e-10)
    if psi > 0.1:
        touch = float(formulas.normal_cdf(mp.mpf(-psi / 2 - epsilon / psi)))
        steep, flat = page.tangent(epsilon), page.mirror_tangent(epsilon)
        tpr = page.roc(touch)
        assert steep.slope * touch + steep.intercept == pytest.approx(tpr, rel=1e-7, abs=1e-290)
        mirrored = 1.0 - tpr, 1.0 - touch  # reflected about TPR = 1 - FPR
        assert flat.slope * mirrored[0] + flat.intercept == pytest.approx(mirrored[1], rel=1e-9)


def test_tangent_at_zero_and_intercept_is_delta():
    page = GaussianPage(1.0)
    assert page.tangent(0.0) == page.mirror_tangent(0.0) == Line(1.0, page.advantage)
    assert page.tangent(2.0).intercept == ny.GDP(1.0).delta(2.0)
    assert page.tangent(700.0).slope < math.inf


def test_the_two_families_bound_the_region():
    """The least of all tangents at x is R(x)."""
    page = GaussianPage(1.5)
    x = np.array([0.01, 0.2, 0.5, 0.9])
    grid = np.linspace(0.0, 12.0, 801)
    lines = [rule(e) for e in grid for rule in (page.tangent, page.mirror_tangent)]
    least = np.min([line.slope * x + line.intercept for line in lines], axis=0)
    np.testing.assert_allclose(least, page.roc(x), rtol=2e-5)
    assert np.all(least >= page.roc(x) * (1.0 - 1e-12))


@examples(10, 500)
@given(psi=st.floats(0.0, 8.0), x=rates, share=st.floats(0.0, 1.0))
def test_the_region_holds_every_mixture_of_tests_and_nothing_above(psi, x, share):
    page = GaussianPage(psi)
    tpr = page.guarantee.optimistic.roc(x)  # never above the truth
    assert page.allows(x, tpr)
    assert page.allows(x, x)
    low, high = 1.0 - ny.GDP(psi).optimistic.roc(1.0 - x), tpr
    if low < high:
        assert page.allows(x, min(max(low + share * (high - low), np.nextafter(low, 1.0)), high))
    if page.roc(x) < 0.99:
        assert not page.allows(x, page.roc(x) + 1e-3)
        assert not page.allows(1.0 - x, 1.0 - page.roc(x) - 1e-3) or x < 1e-12


def test_region_broadcasts():
    page = GaussianPage(1.0)
    inside = page.allows([[0.1], [0.2]], [0.05, 0.3, 0.9])
    assert inside.tolist() == [[True, True, False], [True, True, False]]
    assert page.allows(0.0, 0.0) is True
    assert page.allows(1.0, 1.0) is True
    assert page.allows(0.0, 1e-300) is False
    assert page.allows(1.0, 0.999) is False


@given(psi=st.floats(0.0, 8.0), failure=st.floats(0.0, 1.0), x=rates)
@example(psi=1.0, failure=0.3, x=0.0)
def test_failed_mechanism(psi, failure, x):
    page = GaussianPage(psi)
    found = page.failed_roc(x, failure)
    if x == 0.0:
        assert found == failure
    if 0.0 < x < 1.0:
        with mp.workdps(formulas.DIGITS):
            k = mp.mpf(failure)
            truth = k + (1 - k) * formulas.binormal(x, psi, 1.0, 1.0)
            assert truth * EXACT <= mp.mpf(found) <= truth * (1 + mp.mpf("2e-11")) + mp.mpf(1e-322)
    assert page.failed_roc(x, 0.0) == page.roc(x)
    assert page.failed_roc(x, 1.0) == 1.0


@given(psi=st.floats(1e-9, 100.0), k=st.integers(0, 10**6))
def test_groups_are_rounded_up(psi, k):
    grown = GaussianPage(psi).group(k)
    assert Fraction(grown.psi) >= k * Fraction(psi)
    assert grown.psi <= k * psi * (1.0 + 4e-16)


@given(
    st.lists(st.one_of(st.floats(0.0, 50.0), st.floats(-250.0, 90.0).map(lambda x: 10.0**x)), min_size=1, max_size=6)
)
@example([1e-200, 1e-200])
@example([0.0, 0.0])
def test_composition_is_rounded_up(psis):
    first, *rest = map(GaussianPage, psis)
    together = Fraction(first.compose(*rest).psi)
    square = sum(Fraction(psi) ** 2 for psi in psis)
    assert together**2 >= square
    assert (together - Fraction(5e-324)) ** 2 <= square * (1 + Fraction(2e-15)) or not square


def test_composition_agrees_with_the_mechanisms():
    parts = [ny.Gaussian(2.0), ny.Gaussian(3.0, 2.0)]
    pages = [GaussianPage(part.psi) for part in parts]
    whole = ny.account(parts[0] * parts[1])
    assert pages[0].compose(pages[1]).psi == pytest.approx(whole.tail_mu, rel=1e-15)


def test_the_page_is_a_value():
    page = GaussianPage(2)
    assert page == GaussianPage(2.0)
    assert hash(page) == hash(GaussianPage(2.0))
    assert repr(page) == "GaussianPage(psi=2.0)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.psi = 1.0


@given(x=rates, shift=st.floats(0.0, 5.0), s0=widths, s1=widths)
def test_binormal_curve_against_50_digits(x, shift, s0, s1):
    found = binormal_roc(x, shift, s0, s1)
    if x in (0.0, 1.0):
        assert found == x
        return
    with mp.workdps(formulas.DIGITS):
        truth = formulas.binormal(x, shift, s0, s1)
        size = shift / s1 + s0 / s1 * abs(float(formulas.probit(x)))
        moved = formulas.binormal(x, shift + 1e-14 * size * s1, s0, s1)
        assert truth * EXACT <= mp.mpf(found) <= moved * (1 + mp.mpf("4e-12")) + mp.mpf(1e-322)


@given(shift=st.floats(0.0, 50.0), s0=widths, s1=widths)
def test_binormal_area(shift, s0, s1):
    with mp.workdps(formulas.DIGITS):
        truth = formulas.normal_cdf(mp.mpf(shift) / mp.sqrt(mp.mpf(s0) ** 2 + mp.mpf(s1) ** 2))
        assert truth <= binormal_auc(shift, s0, s1) <= truth + mp.mpf("1e-14")
    assert binormal_auc(shift, s0, s1) == binormal_auc(shift, s1, s0)


def test_area_is_the_area_under_the_curve():
    area, _ = integrate.quad(lambda x: binormal_roc(x, 1.3, 1.0, 2.5), 0.0, 1.0)
    assert area == pytest.approx(binormal_auc(1.3, 1.0, 2.5), rel=1e-6)
    assert binormal_auc(1.0, 1e-300, 1e300) >= 0.5
    assert binormal_auc(1e300, 1e-300, 1e-300) == 1.0
    assert binormal_roc(0.5, 1e300, 1e-300, 1e-300) == 1.0


def test_unequal_variances_are_no_privacy_bound():
    """The likelihood-ratio test beats the binormal curve: with equal means it still tells the laws apart."""
    assert binormal_roc(0.05, 0.0, 1.0, 3.0) < 0.3
    two_sided = 2.0 * float(formulas.normal_cdf(formulas.probit(0.025) / 3))
    assert two_sided > 0.5


orders = st.one_of(st.floats(0.01, 30.0), st.floats(-8.0, 8.0).map(lambda x: 1.0 + 10.0**x), st.just(1.0))
ratios = st.one_of(widths, st.floats(-15.0, -1.0).map(lambda x: 1.0 + 10.0**x), st.just(1.0))


@given(order=orders, shift=st.one_of(st.just(0.0), st.floats(1e-6, 100.0)), s0=ratios, s1=widths, n=st.integers(1, 50))
@example(order=1.0 + 2.0**-52, shift=0.0, s0=1.5, s1=1.0, n=1)
@example(order=1.0 - 2.0**-53, shift=0.0, s0=0.5, s1=1.0, n=1)
@example(order=2.0, shift=1.0, s0=math.sqrt(2.0), s1=1.0, n=3)
def test_renyi_divergence_against_50_digits(order, shift, s0, s1, n):
    found = gaussian_renyi(order, shift, s0, s1, n)
    with mp.workdps(60):
        truth = formulas.renyi(order, shift, s0, s1, n)
        assert mp.mpf(found) >= truth
        v = order * s1**2 + (1.0 - order) * s0**2
        if v > 1e-3 * order * s1**2 or order < 1.0:  # away from where it ceases to exist
            ratio = abs(math.log(s1 / s0))
            size = n * (1.0 + ratio + abs(math.log(v / s1**2) / (2.0 * (order - 1.0)) if order != 1.0 else 0.0))
            size += n * (s0 / s1) ** 2 + 0.5 * order * shift**2 / v
            assert mp.mpf(found) - truth <= 1e-11 * size


@given(order=orders, shift=st.floats(0.0, 10.0), sigma=widths)
def test_equal_variances_give_the_line(order, shift, sigma):
    assert gaussian_renyi(order, shift, sigma, sigma) == pytest.approx(
        GaussianPage(shift / sigma).rdp(order), rel=1e-13
    )


def test_renyi_divergence_does_not_always_exist():
    """It is finite below order s0^2 / (s0^2 - s1^2), and infinite from there on."""
    limit = 4.0 / 3.0
    values = gaussian_renyi([1.0, 1.3, 1.3333, 1.33333333, limit + 1e-12, 2.0, 1e300], 1.0, 2.0, 1.0)
    assert np.all(np.isfinite(values[:4]))
    assert np.all(np.diff(values[:4]) > 0.0)
    assert np.all(np.isinf(values[4:]))
    assert gaussian_renyi(1e300, 1.0, 1.0, 2.0) < math.inf


def test_renyi_divergence_by_quadrature():
    for order, shift, s0, s1 in [(0.5, 1.0, 2.0, 1.0), (1.2, 0.7, 1.5, 1.0), (3.0, 1.0, 1.0, 2.0)]:
        with mp.workdps(30):

            def weight(x, order=order, shift=shift, s0=s0, s1=s1):
                return mp.npdf(x, 0, s0) ** order * mp.npdf(x, shift, s1) ** (1 - order)

            value = mp.log(mp.quad(weight, mp.linspace(-60, 60, 13))) / (order - 1)
        assert gaussian_renyi(order, shift, s0, s1) == pytest.approx(float(value), rel=1e-12)
        assert gaussian_renyi(order, 0.0, s0, s1, 5) == pytest.approx(
            5.0 * gaussian_renyi(order, 0.0, s0, s1), rel=1e-12
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GaussianPage(-1.0), "psi must be a number in [0, 1e+100], got -1.0."),
        (lambda: GaussianPage(math.nan), "psi must be a number in [0, 1e+100], got nan."),
        (lambda: GaussianPage(math.inf), "psi must be a number in [0, 1e+100], got inf."),
        (lambda: GaussianPage("1"), "psi must be a number in [0, 1e+100], got '1'."),
        (lambda: GaussianPage(1.0).roc(1.5), "fpr must be a number in [0, 1], got 1.5."),
        (lambda: GaussianPage(1.0).roc(math.nan), "fpr must be a number in [0, 1], got nan."),
        (lambda: GaussianPage(1.0).failed_roc(0.5, -0.1), "failure must be a number in [0, 1], got -0.1."),
        (lambda: GaussianPage(1.0).failed_roc(2.0, 0.1), "fpr must be a number in [0, 1], got 2.0."),
        (lambda: GaussianPage(1.0).tangent(-1.0), "epsilon must be a number in [0, 700], got -1.0."),
        (lambda: GaussianPage(1.0).mirror_tangent(701.0), "epsilon must be a number in [0, 700], got 701.0."),
        (lambda: GaussianPage(1.0).allows(0.5, 1.1), "tpr must be a number in [0, 1], got 1.1."),
        (lambda: GaussianPage(1.0).allows(-0.5, 1.0), "fpr must be a number in [0, 1], got -0.5."),
        (
            lambda: GaussianPage(1.0).allows([0.1, 0.2], [0.1, 0.2, 0.3]),
            "tpr must be of a shape that fits that of fpr, (2,), got (3,).",
        ),
        (lambda: GaussianPage(1.0).rdp(0.0), "order must be a finite number > 0, got 0.0."),
        (lambda: GaussianPage(1.0).rdp(math.inf), "order must be a finite number, got inf."),
        (lambda: GaussianPage(1.0).group(-1), "k must be a whole number from 0 to 1e+18, got -1."),
        (lambda: GaussianPage(1.0).group(1.5), "k must be a whole number from 0 to 1e+18, got 1.5."),
        (lambda: GaussianPage(1e100).group(2), "psi must be a number in [0, 1e+100], got 2e+100."),
        (lambda: GaussianPage(1.0).compose(2.0), "others must be pages of Gaussian mechanisms, got 2.0."),
        (lambda: binormal_roc(0.5, -1.0, 1.0, 1.0), "shift must be a finite number >= 0, got -1.0."),
        (lambda: binormal_roc(0.5, 1.0, 0.0, 1.0), "sigma0 must be a finite number > 0, got 0.0."),
        (lambda: binormal_roc(0.5, 1.0, 1.0, math.nan), "sigma1 must be a finite number > 0, got nan."),
        (lambda: binormal_roc(-0.5, 1.0, 1.0, 1.0), "fpr must be a number in [0, 1], got -0.5."),
        (lambda: binormal_auc(math.inf, 1.0, 1.0), "shift must be a finite number >= 0, got inf."),
        (lambda: binormal_auc(1.0, -1.0, 1.0), "sigma0 must be a finite number > 0, got -1.0."),
        (lambda: binormal_auc(1.0, 1.0, 0.0), "sigma1 must be a finite number > 0, got 0.0."),
        (lambda: gaussian_renyi(0.0, 1.0, 1.0, 1.0), "order must be a finite number > 0, got 0.0."),
        (lambda: gaussian_renyi(math.nan, 1.0, 1.0, 1.0), "order must be a finite number, got nan."),
        (lambda: gaussian_renyi(2.0, -1.0, 1.0, 1.0), "shift must be a finite number >= 0, got -1.0."),
        (lambda: gaussian_renyi(2.0, 1.0, 0.0, 1.0), "sigma0 must be a finite number > 0, got 0.0."),
        (lambda: gaussian_renyi(2.0, 1.0, 1.0, -1.0), "sigma1 must be a finite number > 0, got -1.0."),
        (
            lambda: gaussian_renyi(2.0, 1.0, 1e-200, 1.0),
            "sigma0 must be between 1e-100 and 1e+100 times sigma1 1.0, got 1e-200.",
        ),
        (lambda: gaussian_renyi(2.0, 1.0, 1.0, 1.0, 0), "dimension must be a whole number >= 1, got 0."),
        (lambda: gaussian_renyi(2.0, 1.0, 1.0, 1.0, 2.5), "dimension must be a whole number from 0 to 1e+18, got 2.5."),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("psi", [0.01, 0.7, 5.0])
def test_slopes_and_divergences_are_rounded_up(psi: float) -> None:
    page = GaussianPage(psi)
    with mp.workdps(formulas.DIGITS):
        for e in np.geomspace(1e-9, 690.0, 400):
            for line, truth in (
                (page.tangent(float(e)), mp.exp(float(e))),
                (page.mirror_tangent(float(e)), mp.exp(-float(e))),
            ):
                assert truth <= mp.mpf(line.slope) <= truth * (1 + mp.mpf(2) ** -48)
        for order in np.geomspace(1e-3, 1e6, 200):
            assert mp.mpf(page.rdp(float(order))) >= mp.mpf(float(order)) * mp.mpf(psi) ** 2 / 2
