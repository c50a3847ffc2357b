"""Random allocation to the left of 0: the jump, the growth, the cut, and all of it against values of high precision."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from neyman.losses.allocated.left.corner import round_the_corner
from neyman.losses.allocated.left.cut import edge, gathered, panel
from neyman.losses.allocated.left.excess import above, excess, series
from neyman.losses.allocated.left.jump import foot, jump, log_jump_above
from neyman.losses.allocated.left.line import Left
from neyman.losses.allocated.left.rule import GAUSS, gauss_error
from neyman.losses.allocated.lines.ratios import Ratios
from neyman.losses.allocated.profile import AllocatedProfile
from tests.effort import rest_slow
from tests.reference.allocation import call

FAR = [  # delta of "remove" near 1e-12, 1e-16 and 1e-20, by tests/reference/allocation.py
    (0.4, 2, 19.54, "1.009533190973907291043855e-12"),
    (0.4, 2, 22.55, "9.837126407255381839765391e-17"),
    (0.4, 2, 25.17, "1.000776910413966528686862e-20"),
    (0.5, 2, 14.95, "9.928814466237058684821798e-13"),
    (0.5, 2, 17.35, "1.019713662493240379691149e-16"),
    (0.5, 2, 19.46, "9.940880076420544175474605e-21"),
    (0.7, 2, 10.02, "9.797068990066450344437394e-13"),
    (0.7, 2, 11.74, "1.008658542490663475199071e-16"),
    (0.7, 2, 13.25, "9.931331716028562044773621e-21"),
    (1.0, 2, 6.546, "1.000483030768464769101024e-12"),
    (1.0, 2, 7.759, "1.000105614225431673565454e-16"),
    (1.0, 2, 8.818, "9.987395194468978331772895e-21"),
    (2.0, 2, 2.79, "9.946375892977264741078187e-13"),
    (2.0, 2, 3.387, "9.924031225907725359385296e-17"),
    (2.0, 2, 3.913, "9.932885226085128023067616e-21"),
    (3.0, 2, 1.679, "1.004197422491288152852306e-12"),
    (3.0, 2, 2.047, "1.006314421483483719006905e-16"),
    (3.0, 2, 2.381, "9.911798741653644996986051e-21"),
    (0.4, 10, 17.93, "1.011142643323529242539178e-12"),
    (0.4, 10, 20.94, "9.855409514559276465053614e-17"),
    (0.4, 10, 23.56, "1.002868512808498794453336e-20"),
    (0.5, 10, 13.34, "9.948605713136418678856810e-13"),
    (0.5, 10, 15.75, "9.808226344764598264470578e-17"),
    (0.5, 10, 17.85, "9.966816464736716690321252e-21"),
    (0.7, 10, 8.407, "9.979343533446212922973423e-13"),
    (0.7, 10, 10.13, "1.012108238297817997868630e-16"),
    (0.7, 10, 11.64, "9.967980007176312086061984e-21"),
    (1.0, 10, 4.942, "1.002722416687923991575575e-12"),
    (1.0, 10, 6.151, "1.002329498074879243264132e-16"),
    (1.0, 10, 7.209, "1.000163176704241030898638e-20"),
    (2.0, 10, 1.416, "9.948688794228149334834212e-13"),
    (2.0, 10, 1.91, "9.907632968751815209698103e-17"),
    (2.0, 10, 2.382, "1.005657617812526879264489e-20"),
    (3.0, 10, 0.7242, "1.000061149313781434471181e-12"),
    (3.0, 10, 0.9039, "9.994533241834535261957009e-17"),
    (3.0, 10, 1.113, "1.008076718956308678064035e-20"),
    (0.4, 100, 15.63, "1.003761975256619690881324e-12"),
    (0.4, 100, 18.63, "1.009975350655552693924573e-16"),
    (0.4, 100, 21.26, "9.932846718312694846329871e-21"),
    (0.5, 100, 11.04, "9.858612456509478582007709e-13"),
    (0.5, 100, 13.44, "1.011257302267435481483549e-16"),
    (0.5, 100, 15.55, "9.848093845221934348981281e-21"),
    (0.7, 100, 6.106, "1.000023082792525598444936e-12"),
    (0.7, 100, 7.83, "9.992328503663133914929072e-17"),
    (0.7, 100, 9.337, "9.999912082316582275776591e-21"),
    (1.0, 100, 2.702, "1.002689175119677182035863e-12"),
    (1.0, 100, 3.868, "9.977087104316204473251302e-17"),
    (1.0, 100, 4.913, "1.000684781909924083213161e-20"),
    (2.0, 100, 0.3497, "1.003961709672832310216117e-12"),
    (2.0, 100, 0.4818, "9.989569849857152854548985e-17"),
    (2.0, 100, 0.698, "1.000333668985844388108120e-20"),
    (3.0, 100, 0.2163, "9.916196041015173777849824e-13"),
    (3.0, 100, 0.2608, "1.009648294916871113639974e-16"),
    (3.0, 100, 0.2994, "9.986196695619014217434490e-21"),
    (0.5, 10000, 6.432, "1.001399815437173435486992e-12"),
    (0.5, 10000, 10.94, "1.007188766291689697243350e-20"),
]


@pytest.mark.parametrize(("sigma", "t", "epsilon", "truth"), FAR)
def test_small_deltas_are_sharp(sigma, t, epsilon, truth):
    found = AllocatedProfile(sigma, sigma, t, True).bracket(np.array([epsilon]))
    with mpmath.workdps(30):
        truth = mpmath.mpf(truth)
        assert mpmath.mpf(float(found.lower[0])) <= truth * (1 + mpmath.mpf(10) ** -20)
        assert mpmath.mpf(float(found.upper[0])) >= truth * (1 - mpmath.mpf(10) ** -20)
    assert found.upper[0] - found.lower[0] <= 1e-6 * float(truth)


@pytest.mark.parametrize("one", [0, pytest.param(8, marks=pytest.mark.slow)])
def test_what_is_recorded_is_found_again(one):
    for sigma, t, epsilon, truth in FAR[one : one + 1]:
        assert abs(float(call(sigma, t, epsilon, other=True)) / float(truth) - 1.0) <= 1e-14


@pytest.mark.parametrize(
    ("sigma", "t"), rest_slow([(1.0, 10**6), (0.4, 10**6), (2.0, 10**4), (3.0, 10**4), (1.0, 10**4)], 2, 4)
)
@pytest.mark.parametrize("remove", [True, False])
def test_many_steps_are_sharp_at_every_delta(sigma, t, remove):
    profile, epsilon, seen = AllocatedProfile(sigma, sigma, t, remove), 1e-4, 0
    for _ in range(40):
        found = profile.bracket(np.array([epsilon]))
        if found.upper[0] < 1e-20:
            break
        assert found.upper[0] - found.lower[0] <= 1e-6 * found.upper[0]
        seen, epsilon = seen + 1, 1.45 * epsilon
    assert seen > 5


def path(sigma: float, r: float) -> mpmath.mpf:
    """q, straight up from x_0 and to the right."""
    sigma, x = mpmath.mpf(sigma), mpmath.mpf(float(foot(sigma, np.array([r]))[0]))

    def f(z: mpmath.mpc) -> mpmath.mpc:
        return mpmath.npdf(z) * mpmath.exp(r * mpmath.exp(z / sigma - 1 / (2 * sigma**2)))

    up = mpmath.quad(lambda y: mpmath.re(f(x + 1j * y)), mpmath.linspace(0, mpmath.pi * sigma, 33))
    right = mpmath.quad(lambda z: mpmath.im(f(z + 1j * mpmath.pi * sigma)), mpmath.linspace(x, x + 12, 61))
    return up + right


@pytest.mark.parametrize(("sigma", "r"), rest_slow([(0.4, 1e-9), (0.4, 0.1), (1.0, 1e-3), (2.0, 0.3)], 0, 3))
def test_the_jump_is_within_its_error_and_below_its_bound(sigma, r):
    at = np.array([r])
    found, error = jump(sigma, at)
    with mpmath.workdps(25):
        truth = path(sigma, r)
        assert abs(mpmath.exp(float(found[0])) / truth - 1) <= error[0]
        assert error[0] <= 1e-11
        x = foot(sigma, at)
        for share in (0.8, 1.0, 1.1):
            bound = log_jump_above(sigma, share * x, at, at, np.zeros(1))[0]
            assert bound >= mpmath.log(truth)
        assert log_jump_above(sigma, x, at, at, np.zeros(1))[0] <= mpmath.log(truth) + 1.0


@pytest.mark.parametrize("sigma", [0.3, 0.7, 1.0, 1.6, 2.5, 4.0])
def test_three_ways_to_the_growth_agree(sigma):
    rng = np.random.default_rng(5)
    p = np.exp(rng.uniform(-9.0, 0.5, 60)) * np.exp(-1j * rng.uniform(0.0, 0.8, 60))
    one, other = series(sigma, p), excess(sigma, p, 1e-6)
    assert np.all(np.abs(one.value - other.value) <= one.error + other.error)
    if sigma > 1.0:  # where less noise makes it grow, it is not asked
        value, error = round_the_corner(sigma, p)
        assert np.all(np.abs(value - other.value) <= error + other.error)
    assert np.all(other.error <= 1e-9 * np.abs(p))


@pytest.mark.parametrize("sigma", [0.4, 1.0, 2.5])
def test_what_grows_is_below_its_bound(sigma):
    rng = np.random.default_rng(6)
    size, angle = np.exp(rng.uniform(-9.0, -0.5, 80)), rng.uniform(0.0, 1.2, 80)
    p = size * np.exp(-1j * angle)
    found = excess(sigma, p, 1e-6)
    bound = above(sigma, (p.real, p.real), (p.real, np.abs(p)), np.zeros(80))
    most = np.exp(bound.grown[0]) + np.exp(bound.jump)
    assert np.all(np.abs(1.0 + found.value) - found.error <= most)
    real = excess(sigma, size.astype(complex), 1e-6)
    tight = above(sigma, (size, size), (size, size), np.zeros(80))
    assert np.all(np.abs(1.0 + real.value) >= np.exp(tight.least) - np.exp(tight.jump) - real.error)


@pytest.mark.parametrize(
    ("sigma", "t", "epsilon"), [(1.0, 100, 0.9), (3.0, 10, 1.1), (2.0, 10, 1.2), (1.0, 10**4, 0.1)]
)
def test_it_does_not_matter_where_one_goes_round(sigma, t, epsilon):
    left, k = Left(sigma, t), t * math.exp(epsilon)
    first, last = left._panels(k)
    found = [left._whole(first, last - i, k) for i in range(3 if last - first > 3 else 1)]
    for one in found:
        for other in found:
            assert abs(one.value - other.value) <= one.error + other.error
    assert min(one.error / one.value for one in found) <= 1e-7


def test_a_line_too_short_or_a_rule_too_coarse_is_seen():
    left, k = Left(1.0, 100), 100 * math.exp(0.3)
    sharp = left.call(k)
    first, last = left._panels(k)
    value, error, _ = gathered(1.0, first + 3, last).shown(k, 100, panel(1.0))
    line = left._along(last, k, 0.0)
    off = float(np.sum(error)) + left._before(first + 3, k) + line.error
    assert abs(float(np.sum(value)) + line.value - sharp.value) <= off + sharp.error
    crude = left._along(last, k, math.inf)
    assert crude.value == 0.0
    assert abs(line.value) <= crude.error + line.error
    assert edge(1.0, last) > edge(1.0, first)


def test_what_gauss_misses_is_bounded():
    """1 / (x - a) has its pole just beyond the ellipse, which it is at most 1 / (a - 2.125) on."""
    for a in (2.2, 2.5, 4.0):
        summed = float(np.sum(GAUSS[1] / (a - GAUSS[0])))
        assert abs(summed - math.log((a + 1.0) / (a - 1.0))) <= float(gauss_error(1.0, 1.0 / (a - 2.125))) + 4e-16


@pytest.mark.parametrize(("sigma", "t"), rest_slow([(1.0, 100), (0.5, 2), (2.0, 10**5), (8.0, 3)], 1, 2))
def test_floats_and_pairs_of_floats_agree(sigma, t):
    for remove in (True, False):
        profile = AllocatedProfile(sigma, sigma, t, remove)
        for epsilon in (0.01 / sigma, 0.3 / sigma, 1.0 / sigma):
            known, _ = profile._summed(sigma, np.array([epsilon]))
            value, error = profile._deltas(sigma, np.array([epsilon]))[0]
            assert value - error <= known.upper[0] * (1.0 + 1e-15)
            assert value + error >= known.lower[0] * (1.0 - 1e-15)


def test_sums_for_put_options_in_floats():
    for sigma, t in ((1.0, 100), (3.0, 40), (0.6, 2000)):
        ratios = Ratios(sigma, t)
        for share in (0.7, 0.9, 1.0):
            value, error = ratios.put(share * t)
            assert 0.0 < error <= 1e-8 * value
