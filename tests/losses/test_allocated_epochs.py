"""The transform of random allocation: rays, moments, bounds, each against another way; its compositions."""

from __future__ import annotations

import math
from functools import partial

import mpmath
import numpy as np
import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman.engines.choose import profiles
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.combine.enclosed import enclosed_profiles
from neyman.engines.contour.laws import transform
from neyman.losses.allocated.mellin.ends import Ends
from neyman.losses.allocated.mellin.rays import Lattice, Ray, coefficients
from neyman.losses.allocated.mellin.transform import AllocatedTransform, _turned
from neyman.losses.allocated.moments import divergences
from neyman.losses.allocated.profile import AllocatedProfile
from neyman.losses.allocated.step import allocated_step
from tests.effort import rest_slow
from tests.reference.allocation import phi

NOISES = (0.2, 0.4, 1.0, 5.0, 20.0)
ANGLES = (0.0, 0.7, 1.3, 1.565)


def ball(z: complex) -> acb:
    return acb(float(z.real), float(z.imag))


def at_ray(lattice: Lattice, place: int, theta: float) -> acb:
    """e^{v - i theta} at a place of the lattice."""
    return acb(arb(place) / (lattice.each * arb(lattice.sigma) ** 2), -arb(theta)).exp()


@pytest.mark.parametrize("sigma", NOISES)
def test_phi_along_a_ray(sigma):
    lattice, shares = Lattice(sigma, 100), []
    with ctx.workprec(150):
        for theta in ANGLES:
            b = min(sigma * theta, 2.3)
            found = Ray(lattice, theta).phi(math.floor(-9.0 / lattice.step), math.ceil(6.0 / lattice.step), 5.0)
            for at in np.linspace(0, len(found.value) - 1, 4).astype(int).tolist():
                truth = phi(sigma, at_ray(lattice, found.first + at, theta), b)
                off = float(abs(ball(found.value[at]) - truth).mid())
                assert off <= found.error[at] + 1e-30
                shares.append(off / found.error[at])
                if found.log_error[at] < 1.0:
                    assert float(abs(ball(found.log[at]) - truth.log()).mid()) <= found.log_error[at]
    assert max(shares) > 1e-2


def test_a_coarse_lattice_states_what_it_misses():
    """Every second node of z: what a sum repeats is then more than rounding."""

    class Coarse(Ray):
        @property
        def h_at_most(self):
            return 5.0 * super().h_at_most

    lattice = Lattice(1.0, 100)
    for theta in ANGLES[:3]:
        fine, coarse = (kind(lattice, theta).phi(-60, 60, 5.0) for kind in (Ray, Coarse))
        off = np.abs(fine.value - coarse.value)
        assert (off <= coarse.error).all()
        assert off.max() > 1e3 * fine.error.max()


@pytest.mark.parametrize(("sigma", "t", "n"), [(1.0, 3, 5), (0.5, 100, 4), (3.0, 20, 8), (2.0, 2, 6)])
def test_coefficients_are_those_of_a_power(sigma, t, n):
    lattice = Lattice(sigma, t)
    for theta in (0.0, 1.1):
        found = Ray(lattice, theta).phi(-40, 20 + n * lattice.each, 8.0)
        p, off = coefficients(lattice, found, 10, 20, n)
        with ctx.workprec(150):
            for at in (0, 19):
                j, b = found.first + 10 + at, min(sigma * theta, 2.3)
                base = []
                for k in range(n + 1):
                    grown = (arb(k * (k - 1)) / 2 / arb(sigma) ** 2).exp() / math.factorial(k)
                    base.append(grown * phi(sigma, at_ray(lattice, j + k * lattice.each, theta), b))
                power = [acb(1)] + [acb(0)] * n
                for _ in range(t):
                    power = [sum((power[i] * base[k - i] for i in range(k + 1)), acb(0)) for k in range(n + 1)]
                truth = power[n] / base[0] ** t / arb(t) ** n
                assert float(abs(ball(p[at]) - truth).mid()) <= off[at]
                assert off[at] < 1e-7 * float(abs(truth).mid())


def grid(sigma: float, t: int, w: float, omega: np.ndarray) -> np.ndarray:
    """E (S / t)^(w + i omega) by the trapezoid rule in t dimensions."""
    h = 0.1 if t == 2 else 0.25
    x = np.arange(-9.0 + min(w, 0.0) / sigma, 9.0 + max(w, 0.0) / sigma, h)
    y, weight = np.exp(x / sigma - 0.5 / sigma**2), h * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    total, many = y, weight
    for _ in range(t - 1):
        total, many = np.add.outer(total, y), np.multiply.outer(many, weight)
    log = np.log(total / t)
    size = many * np.exp(w * log)
    return np.array([complex(np.sum(size * np.cos(one * log)), np.sum(size * np.sin(one * log))) for one in omega])


@pytest.mark.parametrize(("sigma", "t"), rest_slow([(0.4, 2), (1.0, 2), (3.0, 2), (1.0, 3), (2.0, 3)], 0, 2, 4))
def test_the_transform_by_quadrature(sigma, t):
    law = AllocatedTransform(sigma, t)
    omega = np.array([0.0, 0.3, 1.0, 2.0, 5.0])
    for w in (-3.0, -0.5, 0.0, 0.37, 1.0, 2.2, 4.0):
        value, error = law.on_line(w, omega, math.inf, 36.0)
        truth = grid(sigma, t, w, omega)
        off = np.abs(np.exp(value) - truth)
        assert (off <= np.abs(np.exp(value)) * error + 3e-14 * truth[0].real).all()
        assert (np.abs(np.exp(value)) * error < 1e-9 * truth[0].real).all()
        most = np.exp(law.log_bound(np.full(5, w), omega, omega, math.inf))
        assert (np.abs(truth) <= most * (1.0 + 1e-12) + 3e-14 * truth[0].real).all()


@pytest.mark.parametrize(("sigma", "t"), [(0.3, 50), (1.0, 100), (1.0, 10**5), (5.0, 1000)])
def test_whole_moments(sigma, t):
    law = AllocatedTransform(sigma, t)
    for order in (2, 3, 4):
        if law.order(order) <= law.highest:
            value, error = law.on_line(float(order), np.zeros(1), math.inf, 36.0)
            truth = [(order - 1.0) * divergences(sigma, t, np.array([float(order)]), up)[0] for up in (False, True)]
            assert truth[0] - error[0] <= value[0].real <= truth[1] + error[0]
            assert error[0] < 1e-11
            assert truth[0] <= law.at_most(float(order)) <= truth[1] + 2e-11


def test_masses_are_one():
    for sigma, t in ((0.16, 2), (0.2, 10**4), (1.0, 10**4), (12.0, 10**3)):
        law = transform(allocated_step(sigma, sigma, t))
        assert law is not None
        assert law.on_line(0.0, np.zeros(1), math.inf, 36.0)[1][0] < 1e-11
        assert (np.abs(law.moments(np.array([0.0, 1.0])).log_a) < 1e-11).all()


def test_moments_are_the_derivatives():
    law, h = AllocatedTransform(0.8, 20), 1e-3
    for w in (-4.0, 0.5, 1.0, 2.5):
        found, near = law.moments(np.array([w])), law.moments(np.array([w - h, w, w + h])).log_a
        assert found.mean[0] == pytest.approx((near[2] - near[0]) / (2.0 * h), rel=1e-5, abs=1e-7)
        assert found.variance[0] == pytest.approx((near[2] - 2.0 * near[1] + near[0]) / h**2, rel=1e-4)


def test_what_is_out_of_reach_is_said():
    law = AllocatedTransform(0.4, 100)
    assert np.isnan(law.moments(np.array([law.highest + 1.0])).cut).all()
    assert allocated_step(0.05, 0.05, 100).transform() is None
    assert allocated_step(1.0, 1.1, 100).transform() is None


def test_what_a_sum_repeats():
    """On a lattice twice as wide it is what the sum errs by, and is stated."""

    class Wide(Lattice):
        @property
        def each(self):
            return max(super().each // 8, 1)

    fine, wide = AllocatedTransform(0.3, 20), AllocatedTransform(0.3, 20)
    wide.__dict__["lattice"] = Wide(0.3, 20)
    worst = 0.0
    for w in (-2.0, 0.5, 1.3):
        top = math.exp(fine.at_most(w))
        omega = np.linspace(0.0, 4.0, 9)
        one, other = (law.on_line(w, omega, math.inf, 36.0) for law in (fine, wide))
        off = np.abs(np.exp(one[0]) - np.exp(other[0]))
        stated = np.abs(np.exp(one[0])) * one[1] + np.abs(np.exp(other[0])) * other[1]
        assert (off <= stated).all()
        worst = max(worst, float(np.max(off)) / top)
    assert worst > 1e-12  # above all rounding


def test_ends_are_bounded():
    sigma, t = 0.8, 30
    law = AllocatedTransform(sigma, t)
    for w, theta in ((-2.0, 0.0), (0.4, 0.9), (2.2, 1.2)):
        n = law.order(w)
        ends = Ends.of(sigma, t, w, n, law._whole[: n + 1], law.lattice.step)
        terms = law._terms(w, n, theta, 0.0)
        size = terms.top + (n - w) * math.log(terms.middle) + np.log(np.abs(terms.value))
        u = terms.place + math.log(terms.middle)
        for at in (len(u) // 8, len(u) // 3):
            low, high = np.logaddexp.reduce(size[: at + 1]), np.logaddexp.reduce(size[-at - 1 :])
            assert np.logaddexp(low, high) <= ends.beyond(theta, float(u[at]), float(u[-at - 1]))
    assert 0.0 < math.exp(ends.beyond(0.0, *ends.reach(0.0, -40.0))) < 1e-15


def test_turned_sums():
    rng = np.random.default_rng(5)
    place, value = rng.uniform(-9.0, 9.0, 300), rng.standard_normal(300) + 1j * rng.standard_normal(300)
    for omega in (np.linspace(3.0, 800.0, 200), np.sort(rng.uniform(0.0, 800.0, 50)), np.array([7.0])):
        found, error = _turned(omega, place, value)
        for at in (0, len(omega) // 2, len(omega) - 1):
            with mpmath.workdps(30):
                truth = mpmath.fsum(
                    mpmath.mpmathify(complex(v)) * mpmath.expj(-mpmath.mpf(float(omega[at])) * mpmath.mpf(float(p)))
                    for v, p in zip(value, place, strict=True)
                )
                off = abs(truth - mpmath.mpmathify(complex(found[at])))
            assert off <= error[at]
        assert error[-1] < 1e-8


# shared/reference/random_allocation_epochs.json: 18 digits and more, by other contours
KNOWN = {
    (1.0, 100, 2): {
        "remove": {
            0.0: 0.07284244270711333356198, 0.8046875: 9.950492798110531352088e-6,
            1.03515625: 9.996074832525126252662e-7, 2.25: 9.903728596719425718542e-11,
        },
        "add": {
            0.6240234375: 1.003847050705145385382e-5, 0.7158203125: 9.901158106243080497378e-7,
            1.001953125: 1.035653645428246412246e-10,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("run", KNOWN)
@pytest.mark.parametrize("way", ["remove", "add"])
def test_values_of_many_digits(run, way):
    sigma, t, epochs = run
    g = ny.account(ny.Gaussian(sigma).allocated(t) ** epochs, adjacency=way)
    for epsilon, truth in KNOWN[run][way].items():
        low, high = g.optimistic.delta(epsilon), g.delta(epsilon)
        assert low * (1.0 - 1e-14) <= truth <= high * (1.0 + 1e-14)
        assert high - low < 1e-8 * high


@pytest.mark.parametrize(("sigma", "epsilon"), rest_slow([(1.0, 1.5), (0.5, 4.0), (2.0, 0.3)], 0))
def test_two_epochs_of_two_batches_by_what_is_known_of_one(sigma, epsilon):
    """delta_2(eps) = E_Q [X delta_1(eps - log X)], X = (Y_1 + Y_2) / 2: a smooth sum over both outputs of one epoch."""
    one = [AllocatedProfile(sigma, sigma, 2, way) for way in (True, False)]
    two = ny.account(ny.Gaussian(sigma).allocated(2) ** 2, adjacency="remove")
    h = 0.25 if sigma < 1.0 else 0.4
    x = np.arange(-8.0, 8.0 + 1.0 / sigma, h)
    y, weight = np.exp(x / sigma - 0.5 / sigma**2), h * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    ratio, mass = np.add.outer(y, y).ravel() / 2.0, np.multiply.outer(weight, weight).ravel()
    kept = mass * np.maximum(ratio, 1.0) > 1e-13
    ratio, mass = ratio[kept], mass[kept]
    place = epsilon - np.log(ratio)
    told, up = -np.expm1(place), place >= 0.0
    told[up] = one[0].bracket(place[up]).upper
    told[~up] += np.exp(place[~up]) * one[1].bracket(-place[~up]).upper
    truth = float(np.sum(mass * ratio * told))
    assert two.optimistic.delta(epsilon) * (1.0 - 1e-8) <= truth <= two.delta(epsilon) * (1.0 + 1e-8)
    assert two.delta(epsilon) - two.optimistic.delta(epsilon) < 1e-7 * truth


def test_beside_other_steps():
    """Between what two enclosing laws say of the same."""
    m = ny.Gaussian(0.9).allocated(50) ** 3
    alone = ny.account(m, adjacency="remove")
    for other, more in ((ny.DPSGD(2.0, 0.01, 20), 1e-4), (ny.Gaussian(3.0), 0.01), (ny.Laplace(30.0), 1e-4)):
        g = ny.account(m * other, adjacency="remove")
        for epsilon in (0.3, 1.0, 2.0):
            low, high = g.optimistic.delta(epsilon), g.delta(epsilon)
            assert high - low <= 1e-6 * high
            assert alone.delta(epsilon) * (1.0 + more) < high


ENCLOSED = [(1.0, 100, 2, 1e-3), (0.6, 12, 9, 1e-3), (40.0, 30, 2, 0.1)]  # of much noise lines are short


@pytest.mark.parametrize(("sigma", "t", "times", "tolerance"), rest_slow(ENCLOSED, 2))
def test_enclosing_laws_say_the_same(sigma, t, times, tolerance):
    """Those that are behind the contours: wider, and in the right place."""
    law = allocated_step(sigma, sigma, t)
    compose = partial(profiles, tolerance=tolerance)
    remove, _ = enclosed_profiles(((law, times),), tolerance, compose)
    if sigma > 16.0:  # between one step and as many that say which batch it is
        at = np.array([0.0, 1e-3, 5e-3])
        low, high = law.forward.bracket(at).lower, GaussianProfile(math.sqrt(times) / sigma).bracket(at).upper
    else:
        sharp = ny.account(ny.Gaussian(sigma).allocated(t) ** times, adjacency="remove")
        at = sharp.epsilon(np.array([0.1, 1e-3, 1e-6]))
        low, high = sharp.optimistic.delta(at), sharp.delta(at)
    found = remove.bracket(at)
    assert (found.lower <= high).all()
    assert (low <= found.upper).all()
    assert (found.upper - found.lower <= 10.0 * tolerance * found.upper).all()
