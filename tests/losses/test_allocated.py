"""Random allocation: its transform, lines and series, each against another way; the profile against quadrature."""

from __future__ import annotations

import cmath
import math
from decimal import Decimal, localcontext

import mpmath
import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.losses.allocated.cells import Cells
from neyman.losses.allocated.elementary import by_a_test, told_alone
from neyman.losses.allocated.lines.hyperbola import Hyperbola, bent
from neyman.losses.allocated.lines.line import StraightLine
from neyman.losses.allocated.lines.ratios import Ratios
from neyman.losses.allocated.lines.transform import RealTable, Transform
from neyman.losses.allocated.profile import AllocatedProfile
from neyman.numerics.exact.double_double import Complex, Twofold
from neyman.profiles.effort import Effort
from tests.effort import crossed, examples, rest_slow
from tests.reference.allocation import phi

LONG = [pytest.param(*one, marks=pytest.mark.slow) for one in ((2.0, 100), (0.6, 2000), (8.0, 20))]
NOISES = (0.07, 0.4, 1.0, 3.0, 12.0)


@pytest.mark.parametrize("sigma", NOISES)
def test_the_transform_is_within_its_error(sigma):
    c = 0.7 * sigma if sigma > 3 else 1.3
    s = np.array([c, c + 0.01j * c, c + c * 1j, c + 8j * c, -c + 3j * c])
    zero = np.zeros(len(s))
    found = Transform(sigma).at(Complex(Twofold(s.real.copy(), zero), Twofold(s.imag.copy(), zero)))
    rough, off = Transform(sigma).rough(s)
    for i, place in enumerate(s.tolist()):
        angle = abs(cmath.phase(place))
        truth = phi(sigma, place, sigma * max(0.6 * angle, angle - 1.2), 150 if sigma < 5.0 else 500)
        re, im = found.value
        with ctx.workprec(500):
            mine = acb(*(arb(float(part.hi[i])) + arb(float(part.lo[i])) for part in (re, im)))
            assert float(abs(mine - truth).mid()) <= found.error[i]
            assert found.error[i] <= (1e-22 if sigma < 10.0 else 1e-19)
            assert float(abs(acb(rough[i].real, rough[i].imag) - truth).mid()) <= off[i]


@pytest.mark.parametrize("sigma", NOISES)
def test_bounds_of_moduli_are_above(sigma):
    table, transform = RealTable(Transform(sigma)), Transform(sigma)
    rng = np.random.default_rng(3)
    size, angle = np.exp(rng.uniform(-12.0, 5.0, 400)), rng.uniform(0.0, 0.9 * math.pi, 400)
    value, error = transform.rough(size * np.exp(1j * angle))
    wide = np.minimum(angle * 1.05, 0.99 * math.pi)
    with np.errstate(divide="ignore"):
        seen = np.log(np.maximum(np.abs(value) - error, 0.0))
    assert np.all(table.modulus(size, 0.97 * angle, wide) >= seen)
    real, off = transform.rough(size + 0j)
    with np.errstate(divide="ignore"):
        assert np.all(table.above(size) >= np.log(np.maximum(real.real - off, 0.0)))
    sharp = real.real > 1e-3
    assert np.all(table.above(size)[sharp] <= np.log(real.real[sharp]) + 0.02 * (size[sharp] + 1.0))


@pytest.mark.parametrize(("sigma", "t"), [(1.0, 300), (3.0, 40), *LONG])
def test_lines_of_either_kind_agree(sigma, t):
    table = RealTable(Transform(sigma))
    for share in (0.8, 1.0, 1.3):
        k = Decimal(t) * Decimal(share)
        c = float(table.every(0.5)[0][Ratios(sigma, t)._places(np.array([float(k)]))[0]])
        few = np.array([float(k)])
        straight, hyperbola = StraightLine(table, t, c), Hyperbola(table, t, bent(table, t, c))
        a, b = (line.series([k], few, 1e-12 * few) for line in (straight, hyperbola))
        one, two = a.coefficients[0], b.coefficients[0]
        apart = (one.hi[0] - two.hi[0]) + (one.lo[0] - two.lo[0])
        assert abs(apart) <= a.error[0] + b.error[0]
        assert b.error[0] <= 1e-20 * t


@pytest.mark.parametrize(("sigma", "t"), rest_slow([(1.0, 100), (0.5, 20), (1.0, 10**4)], 0, 1))
def test_power_series_are_the_function(sigma, t):
    ratios = Ratios(sigma, t)
    for eps in (-0.4, 0.001, 0.6):
        with localcontext(prec=50):
            centre = Decimal(t) * Decimal(eps).exp()
            width = 1e-3 * float(centre)
            series = ratios.series([centre], np.array([width]))
            for x in (Decimal(-1), Decimal(1) / 3):
                terms = enumerate(series.coefficients)
                value = sum((Decimal(float(c.hi[0])) + Decimal(float(c.lo[0]))) * x**j for j, c in terms)
                there = ratios.series([centre + x * Decimal(width)], np.array([1e-12 * width]))
                first = there.coefficients[0]
                straight = Decimal(float(first.hi[0])) + Decimal(float(first.lo[0]))
                assert abs(value - straight) <= Decimal(float(series.error[0] + there.error[0]))


@crossed(
    (("sigma", "t", "eps"), [(1.0, 100, 0.4), (1.0, 10**4, 0.3), (0.5, 2, 9.0), (20.0, 10, 0.03)]),
    ("remove", [True, False]),
)
def test_cells_are_as_good_at_their_ends_as_in_the_middle(sigma, t, eps, remove):
    """Two cells meet at any end: there both are right, and neither is much wider than where it began."""
    cells = Cells(Ratios(sigma, t), remove)
    _, (middle,), (half,) = cells.cells(np.array([eps if remove else 0.1 * eps]))
    end = middle + half
    eps = np.array([middle, np.nextafter(end, 0.0), np.nextafter(end, 9.0)])
    found = cells.delta(eps)
    with localcontext(prec=50):
        value = [
            Decimal(hi) + Decimal(lo) for hi, lo in zip(found.value.hi.tolist(), found.value.lo.tolist(), strict=True)
        ]
        fallen = 1.01 * AllocatedProfile(sigma, sigma, t, remove).slope(eps[1:2])[0] * (eps[2] - eps[1])
        assert abs(value[1] - value[2]) <= Decimal(found.error[1] + found.error[2] + fallen)
    assert found.error[1] <= 30.0 * found.error[0]


def two_steps(sigma: float, eps: float, remove: bool) -> mpmath.mpf:
    """t = 2: one of the two outputs is integrated over, the other has a closed form."""
    sigma, k = mpmath.mpf(sigma), 2 * mpmath.exp(eps if remove else -mpmath.mpf(eps))

    def inner(x: mpmath.mpf) -> mpmath.mpf:
        left = k - mpmath.exp(x / sigma - 1 / (2 * sigma**2))
        if left <= 0:
            return (1 - left) * mpmath.npdf(x) if remove else mpmath.mpf(0)
        d = sigma * mpmath.log(left) + 1 / (2 * sigma)
        put = left * mpmath.ncdf(d) - mpmath.ncdf(d - 1 / sigma)
        call = mpmath.ncdf(1 / sigma - d) - left * mpmath.ncdf(-d)
        return (call if remove else put) * mpmath.npdf(x)

    kink = sigma * mpmath.log(k) + 1 / (2 * sigma)
    ends = [kink - 14, *(kink - mpmath.mpf(2) ** (1 - i) for i in range(12)), kink]
    ends += [kink + mpmath.mpf(2) ** (i - 10) for i in range(12)] + [kink + 12] if remove else []
    ends = sorted({-14 + mpmath.mpf(0), *(e for e in ends if e > -14)})
    whole = mpmath.quad(inner, ends)
    return whole / 2 if remove else whole / k


@pytest.mark.parametrize(("sigma", "eps"), rest_slow([(1.0, 0.0), (1.0, 2.5), (0.5, 6.0), (2.5, 0.7)], 1))
@pytest.mark.parametrize("remove", [True, False])
def test_two_steps_by_quadrature(sigma, eps, remove):
    with mpmath.workdps(24):
        truth = two_steps(sigma, eps, remove)
        found = AllocatedProfile(sigma, sigma, 2, remove).bracket(np.array([eps]))
        assert mpmath.mpf(float(found.lower[0])) <= truth * (1 + mpmath.mpf(10) ** -17)
        assert mpmath.mpf(float(found.upper[0])) >= truth * (1 - mpmath.mpf(10) ** -17)
        assert found.upper[0] - found.lower[0] <= 5e-9 * found.upper[0]


PUBLISHED = [  # shared/reference/random_allocation.json, 25 digits there
    (1.0, 10, 4.2578125, True, 1.002946048056872095577971e-10),
    (1.0, 10, 2.11328125, False, 1.002136613053990000076489e-10),
    (1.0, 10, 2.1875, True, 1.006545499012017684732596e-5),
    (1.0, 10, 0.607421875, True, 0.01698159279903904040387091),
]


@pytest.mark.parametrize(("sigma", "t", "eps", "remove", "truth"), PUBLISHED)
def test_values_of_high_precision(sigma, t, eps, remove, truth):
    found = AllocatedProfile(sigma, sigma, t, remove).bracket(np.array([eps]))
    assert found.lower[0] <= truth * (1.0 + 2e-16)
    assert found.upper[0] >= truth * (1.0 - 2e-16)
    assert found.upper[0] - found.lower[0] <= 2e-9 * truth


@examples(10, 100, deadline=None)
@given(
    st.floats(-6.9, 9.0),
    st.floats(math.log(2.0), math.log(1e9)),
    st.lists(st.floats(-9.0, 6.5), min_size=5, max_size=5),
)
def test_any_setting_lies_between_nothing_and_the_gaussian_mechanism(noise, steps, places):
    sigma, t, eps = math.exp(noise), max(int(math.exp(steps)), 2), np.sort(np.append(0.0, np.exp(places)))
    whole = GaussianProfile(1.0 / sigma).bracket(eps)
    with Effort(1.0):
        found = [AllocatedProfile(sigma, sigma, t, remove).bracket(eps) for remove in (True, False)]
    for one in found:
        assert np.all(one.lower >= 0.0)
        assert np.all(one.lower <= one.upper)
        assert np.all(one.log_gap_lower <= one.log_gap_upper)
        assert np.all(one.lower <= whole.upper * (1.0 + 1e-12) + 1e-300)
        falling = np.minimum.accumulate(one.upper)
        assert np.all(one.lower[1:] <= falling[:-1] * (1.0 + 1e-12) + 1e-300)
    # delta(0) is the same in both directions
    assert found[0].lower[0] <= found[1].upper[0]
    assert found[1].lower[0] <= found[0].upper[0]


def test_probabilities_that_underflow_show_nothing():
    """log N(x) underflows near x = 38: a test whose probability under Q is lost would show a delta that is none."""
    eps = np.array([70.0, 300.0, 650.0])
    for t in (2, 100, 10**6):
        found = by_a_test(1.0, t, eps, True)
        assert np.all(found.lower <= GaussianProfile(1.0).bracket(eps).upper)


def test_many_places_share_power_series():
    profile = AllocatedProfile(1.0, 1.0, 200, True)
    eps = np.linspace(0.0, 2.0, 3000)
    many = profile.bracket(eps)
    few = profile.bracket(eps[5::600])
    assert np.all(many.lower[5::600] <= few.upper)
    assert np.all(many.upper[5::600] >= few.lower)
    assert np.all(many.upper[:1000] - many.lower[:1000] <= 1e-12 * many.upper[:1000])


def test_the_slope_is_that_of_the_profile():
    for remove in (True, False):
        profile = AllocatedProfile(1.0, 1.0, 50, remove)
        eps, step = np.array([0.05, 0.4, 1.0]), 1e-5
        fall = profile.bracket(eps - step).upper - profile.bracket(eps + step).upper
        assert profile.slope(eps) == pytest.approx(fall / (2.0 * step), rel=1e-5)


FALSE_ONCE = [  # a referee's: angles beyond what a polynomial was made for, at large noise; truths to 13 digits
    (100.0, 7, 0.001, True, 0.0010608901881179),
    (53.0, 2, 0.0, True, 0.0053227),
    (67.46135975772498, 3, 0.019246238221190495, True, 3.6722029642e-5),
    (95.66742985681861, 6, 0.003650984683919539, True, 4.65e-4),
    (97.45617477893035, 7, 0.0003554672903169318, False, 0.00137626),
    (54.993042381231945, 2, 0.0534136220509607, True, 4.72e-8),
]


@pytest.mark.parametrize(("sigma", "t", "eps", "remove", "truth"), FALSE_ONCE)
def test_large_noise_is_enclosed(sigma, t, eps, remove, truth):
    found = AllocatedProfile(sigma, sigma, t, remove).bracket(np.array([eps]))
    assert found.lower[0] <= truth * 1.002
    assert found.upper[0] >= truth * 0.998


@pytest.mark.parametrize(("sigma", "t", "eps"), [(0.05, 10**8, 240.7), (0.06, 10**6, 300.0), (0.0524, 43, 600.0)])
def test_the_far_end_of_small_noise_is_answered(sigma, t, eps):
    for remove in (True, False):
        found = AllocatedProfile(sigma, sigma, t, remove).bracket(np.array([eps]))
        assert 0.0 <= found.lower[0] <= found.upper[0] <= 1.0


@pytest.mark.parametrize("effort", [0.003, 0.3])
def test_little_effort_tells_less_and_nothing_else(effort):
    """Lines and series are counted before they are made; what was refused is not kept for those who may have it."""
    for m in (ny.Gaussian(1.7).allocated(300), ny.Gaussian(4.0).allocated(20) ** 2):
        known = ny.account(m)
        little = ny.account(m, effort=effort, tolerance=0.999)
        for epsilon in (0.0, 0.01, 0.05, 0.2):
            try:
                high = little.delta(epsilon)
            except ny.NotCertified as refused:
                high = refused.upper
            assert little.optimistic.delta(epsilon) <= known.delta(epsilon)
            assert high >= known.optimistic.delta(epsilon)
        again = ny.account(m).delta(0.05)
        assert again == pytest.approx(known.delta(0.05), rel=1e-6)


def test_whoever_is_told_the_one_output_learns_no_less():
    """The Gaussian mechanism from above, delta and 1 - delta, over the whole domain, against 60 digits."""
    rng = np.random.default_rng(11)
    with mpmath.workdps(60):
        for sigma in (10.0 ** rng.uniform(-3.0, 6.0, 250)).tolist():
            eps = abs(rng.normal()) * 4.0 / sigma + rng.choice([0.0, 0.5 / sigma**2, 10.0 ** rng.uniform(-12.0, 2.5)])
            found = told_alone(sigma, np.array([eps]))
            x, half = mpmath.mpf(float(eps)) * mpmath.mpf(sigma), 1 / (2 * mpmath.mpf(sigma))
            grown = mpmath.exp(mpmath.mpf(float(eps))) * mpmath.ncdf(-x - half)
            delta, gap = mpmath.ncdf(half - x) - grown, mpmath.ncdf(x - half) + grown
            assert mpmath.mpf(float(found.upper[0])) >= delta
            assert found.upper[0] <= delta * (1 + mpmath.mpf(10) ** -9) + mpmath.ncdf(half - x) * 1e-11 + 1e-300
            assert mpmath.mpf(float(found.log_gap_lower[0])) <= (mpmath.log(gap) if gap < 0.5 else mpmath.log1p(-delta))


def test_lines_with_room_beyond_floats_say_something() -> None:
    """e^(2 pi a / h) of a hyperbola of next to no K is no float: it counts as e^700."""
    found = Ratios(0.1481578620406918, 66114)
    for k in np.geomspace(0.01, 10.0, 9).tolist():
        value, error = found.put(k)
        assert error >= 0.0
        assert -error <= value <= k + error
