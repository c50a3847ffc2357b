"""Renyi divergences and rho: against naive high-precision references, a peer, closed forms, and their laws."""

import math

import dp_accounting as dp
import mpmath
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter
from neyman.engines.renyi.composition import CompositionDivergence
from neyman.guarantees.renyi import ProfileDivergence
from tests.effort import examples, rest_slow

ORDERS = np.array([1e-6, 0.1, 0.5, 0.9, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.3, 2.0, 3.7, 16.0, 100.5])


def sampled_gaussian(sigma: float, rate: float, order: float, remove: bool = True, two_sided: bool = False) -> object:
    """D_t by the trapezoid rule in 50 digits: no care for cancellation, no case but t = 1."""
    with mpmath.workdps(50):
        s, q, t = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(order)
        h = mpmath.mpf(1) / 12 * min(1, s)
        low = mpmath.floor((-2 / s - 16) / h)
        top = mpmath.ceil((16 + max(1, abs(t)) / s) / h)
        if two_sided or not remove:
            low = mpmath.floor((-16 - max(1, abs(t)) / s) / h)

        def mix(z: object) -> object:
            return 1 - q + q * mpmath.exp(z / s - 1 / (2 * s * s))

        def term(z: object) -> object:
            plain = mpmath.exp(-z * z / 2)
            p, r = mix(z) * plain, (mix(-z) if two_sided else 1) * plain
            p, r = (p, r) if remove else (r, p)
            return p * mpmath.log(p / r) if t == 1 else p**t * r ** (1 - t)

        total = mpmath.fsum(term(k * h) for k in range(int(low), int(top) + 1)) * h / mpmath.sqrt(2 * mpmath.pi)
        return total if t == 1 else mpmath.log(total) / (t - 1)


def discrete(p: list[object], q: list[object], order: float) -> object:
    """D_t of two lists of masses, by definition."""
    with mpmath.workdps(60):
        t = mpmath.mpf(order)
        pairs = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(p, q, strict=True)]
        if t == 1:
            return mpmath.fsum(a * mpmath.log(a / b) for a, b in pairs)
        return mpmath.log(mpmath.fsum(a**t * b ** (1 - t) for a, b in pairs)) / (t - 1)


def laplace(scale: float, order: float, rate: float = 1.0, remove: bool = True) -> object:
    """D_t by Gauss-Legendre between the kinks, in 25 digits: twelve are asked of what is held against it."""
    with mpmath.workdps(25):
        b, t, q = mpmath.mpf(scale), mpmath.mpf(order), mpmath.mpf(rate)

        def f(x: np.ndarray, m: ny.Mechanism) -> object:
            return mpmath.exp(-abs(x - m) / b) / (2 * b)

        def term(x: np.ndarray) -> object:
            p, r = (1 - q) * f(x, 0) + q * f(x, 1), f(x, 0)
            p, r = (p, r) if remove else (r, p)
            return p * mpmath.log(p / r) if t == 1 else p**t * r ** (1 - t)

        total = mpmath.quad(term, [-60 * b, -20 * b, -5 * b, 0, 0.5, 1, 1 + 5 * b, 1 + 20 * b, 1 + 60 * b])
        return total if t == 1 else mpmath.log(total) / (t - 1)


def encloses(g: ny.Guarantee, order: object, exact: object, width: float = 1e-12) -> None:
    """Whether the two sides hold ``exact``, no further apart than ``width``."""
    lower, upper = g.optimistic.renyi(float(order)), g.renyi(float(order))
    assert mpmath.mpf(lower) <= exact <= mpmath.mpf(upper), (order, lower, upper, exact)
    assert upper - lower <= width * upper


@pytest.mark.parametrize(
    ("sigma", "rate", "remove"),
    rest_slow(
        [
            (*setting, remove)
            for setting in ((9.4, 0.32768), (1.0, 1e-4), (0.6, 1e-3), (0.4, 0.9), (5.0, 1e-9))
            for remove in (True, False)
        ], 0, 3, 9,
    ),
)  # fmt: skip
def test_a_sampled_gaussian_step_against_fifty_digits(sigma: float, rate: float, remove: bool) -> None:
    g = ny.account(ny.DPSGD(sigma, rate, 1), adjacency="remove" if remove else "add")
    for order in (1e-6, 0.3, 1.0, 1.0 + 1e-9, 2.5, 20.3):
        encloses(g, order, sampled_gaussian(sigma, rate, order, remove), 2e-11)


def test_a_replaced_gaussian_step_against_fifty_digits() -> None:
    g = ny.account(ny.DPSGD(1.1, 0.2, 1), adjacency="replace")
    for order in (0.2, 1.0, 1.5, 9.3):
        encloses(g, order, sampled_gaussian(1.1, 0.2, order, two_sided=True))


@pytest.mark.parametrize(("rate", "remove"), rest_slow([(1.0, True), (1.0, False), (0.05, True), (0.05, False)], 3))
def test_laplace_against_25_digits(rate: float, remove: bool) -> None:
    g = ny.account(ny.Laplace(0.7).poisson(rate), adjacency="remove" if remove else "add")
    for order in (0.2, 1.0, 1.7, 12.5):
        encloses(g, order, laplace(0.7, order, rate, remove))


@pytest.mark.parametrize("order", ORDERS)
def test_randomised_response_by_definition(order: float) -> None:
    g = ny.account(ny.PureMechanism(1.5))
    with mpmath.workdps(60):
        high = mpmath.exp(1.5) / (1 + mpmath.exp(1.5))
        encloses(g, order, discrete([high, 1 - high], [1 - high, high], order))


@pytest.mark.parametrize("order", [0.3, 1.0, 1.5, 2.0, 7.3])
def test_discrete_gaussians_by_definition(order: float) -> None:
    x = range(-60, 61)
    with mpmath.workdps(60):
        mass = [mpmath.exp(-(mpmath.mpf(k) ** 2) / 8) for k in range(-63, 64)]
        total = mpmath.fsum(mass)
        plain, moved = [mass[k + 63] / total for k in x], [mass[k + 60] / total for k in x]
        mixed = [mpmath.mpf(3) / 4 * b + a / 4 for a, b in zip(moved, plain, strict=True)]
    encloses(ny.account(ny.DiscreteGaussian(2.0, 3)), order, discrete(moved, plain, order))
    remove = ny.account(ny.DiscreteGaussian(2.0, 3).poisson(0.25), adjacency="remove")
    encloses(remove, order, discrete(mixed, plain, order))


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (0.6, 1e-3, 10**5)])
def test_the_peer_agrees_at_whole_orders(sigma: float, rate: float, steps: int) -> None:
    orders = [2, 3, 4, 8, 32, 64, 128, 512, 1024, 4096, 10000]
    event = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)), steps)
    peer = rdp_privacy_accountant.RdpAccountant(orders=orders)
    peer.compose(event)
    ours = ny.account(ny.DPSGD(sigma, rate, steps)).renyi(orders)
    assert np.allclose(ours, peer._rdp, rtol=1e-9, atol=0.0)


def test_the_peer_agrees_at_fractions_where_its_own_series_is_exact() -> None:
    event = dp.PoissonSampledDpEvent(1e-3, dp.GaussianDpEvent(0.6))
    peer = rdp_privacy_accountant.RdpAccountant(orders=[2.5, 7.3, 33.7])
    peer.compose(event)
    g = ny.account(ny.DPSGD(0.6, 1e-3, 1))
    assert np.allclose(g.renyi([7.3, 33.7]), peer._rdp[1:], rtol=1e-9, atol=0.0)
    # at 2.5 the two are 0.3 % apart, and fifty digits say who is right
    assert peer._rdp[0] > 1.002 * g.renyi(2.5)
    encloses(g, 2.5, sampled_gaussian(0.6, 1e-3, 2.5))


STEPS = st.sampled_from([
    ny.Gaussian(2.0), ny.DPSGD(1.0, 0.05, 3), ny.Laplace(1.0), ny.Laplace(0.5).poisson(0.3), ny.PureMechanism(1.0),
    ny.RandomizedResponse(2.0, 4).poisson(0.1), ny.DiscreteGaussian(2.0), ny.DiscreteGaussian(1.5, 2).poisson(0.2),
    ny.DiscreteLaplace(2.0).poisson(0.4), ny.Tabulated((0.7, 0.2, 0.1), (0.2, 0.2, 0.6)),
])  # fmt: skip
SOME = st.floats(1e-4, 2e3) | st.floats(0.9, 1.1) | st.sampled_from([0.5, 1.0, 2.0])
DIRECTIONS = st.sampled_from(["add_or_remove", "add", "remove"])


@given(STEPS, SOME, SOME, DIRECTIONS)
@examples(20, 300)
def test_it_does_not_decrease_and_its_cumulant_is_convex(m: ny.Mechanism, s: float, t: float, adjacency: str) -> None:
    g = ny.account(m, adjacency=adjacency)
    s, t = min(s, t), max(s, t)
    lower, upper = g.optimistic.renyi([s, t]), g.renyi([s, t])
    assert np.all(lower <= upper)
    assert lower[0] <= upper[1]
    middle = 0.5 * (s + t)
    if adjacency != "add_or_remove" or s >= 1.0:
        cumulant = [(s - 1) * (upper if s > 1 else lower)[0], (t - 1) * (upper if t > 1 else lower)[1]]
        at = (middle - 1) * (g.optimistic if middle > 1 else g).renyi(middle)
        assert at <= 0.5 * sum(cumulant) + 1e-9 * sum(map(abs, cumulant)) + 1e-15


@pytest.mark.slow
@given(STEPS, STEPS, SOME, st.sampled_from(["add", "remove"]))
@examples(4, 80)
def test_it_adds_over_composition(one: ny.Mechanism, two: ny.Mechanism, t: float, adjacency: str) -> None:
    whole, *parts = (ny.account(m, adjacency=adjacency) for m in (one * two**3, one, two))
    lower, upper = (sum(n * p.renyi(t) for n, p in zip((1, 3), side, strict=True)) for side in (
        [p.optimistic for p in parts], parts))  # fmt: skip
    assert whole.optimistic.renyi(t) <= upper * (1 + 1e-12)
    assert whole.renyi(t) >= lower * (1 - 1e-12)
    assert whole.renyi(t) <= upper * (1 + 1e-12)


@given(st.sampled_from([ny.Gaussian(1.0), ny.Laplace(1.0), ny.DiscreteGaussian(1.0), ny.PureMechanism(1.0)]), SOME,
       st.floats(1e-6, 1.0), st.floats(1e-6, 1.0))  # fmt: skip
@examples(16, 400)
def test_sampling_less_never_reveals_more(m: ny.Mechanism, t: float, p: float, q: float) -> None:
    p, q = min(p, q), max(p, q)
    rare, often = (ny.account(m.poisson(rate)) for rate in (p, q))
    assert rare.optimistic.renyi(t) <= often.renyi(t)


@given(STEPS, SOME)
@examples(12, 300)
def test_the_two_directions_are_one_divergence_read_twice(m: ny.Mechanism, t: float) -> None:
    if not t < 1.0:
        return
    remove, add = (ny.account(m, adjacency=a) for a in ("remove", "add"))
    turned = t / (1.0 - t)
    assert remove.optimistic.renyi(t) <= turned * add.renyi(1.0 - t) * (1 + 1e-12)
    assert remove.renyi(t) >= turned * add.optimistic.renyi(1.0 - t) * (1 - 1e-12)


def test_zcdp_of_dpsgd_is_exactly_that_of_the_noise() -> None:
    assert ny.account(ny.DPSGD(2.0, 0.01, 1000)).zcdp() == 125.0
    assert ny.account(ny.DPSGD(4.0, 1e-6, 10**6), adjacency="remove").zcdp() == 31250.0
    g = ny.account(ny.DPSGD(9.4, 0.32768, 2000))
    exact = 2000 / (2 * mpmath.mpf(9.4) ** 2)
    assert 0 <= mpmath.mpf(g.zcdp()) - exact <= math.ulp(g.zcdp())
    assert 0 <= exact - mpmath.mpf(g.optimistic.zcdp()) <= 8 * math.ulp(g.zcdp())
    grid = np.geomspace(1.01, 1e4, 200)
    assert np.max(g.renyi(grid) / grid) < 0.999 * g.zcdp()  # what a grid of orders would say


def test_zcdp_where_it_is_known() -> None:
    assert ny.account(ny.Gaussian(2.0)).zcdp() == 0.125
    assert ny.account(ny.DiscreteGaussian(2.0, 3)).zcdp() == 1.125
    assert ny.account(ny.DiscreteGaussian(2.0).poisson(0.1)).zcdp() == 0.125
    for eps in (0.1, 1.0, 5.0):  # the limit t -> 1 is the largest: Kullback-Leibler
        g = ny.account(ny.PureMechanism(eps))
        assert g.optimistic.zcdp() <= eps * math.tanh(eps / 2) <= g.zcdp() <= eps * math.tanh(eps / 2) * (1 + 3e-9)
    g = ny.account(ny.Laplace(1.0))
    assert g.optimistic.zcdp() <= math.exp(-1.0) <= g.zcdp() <= math.exp(-1.0) * (1 + 3e-9)


@pytest.mark.parametrize(("mechanism", "adjacency"), rest_slow([
    (ny.PureMechanism(8.0).poisson(0.01), "add_or_remove"), (ny.DPSGD(0.5, 0.6, 3), "replace"),
    (ny.DPSGD(0.5, 0.01, 3), "add"), (ny.Gaussian(3.0) * ny.Laplace(0.2) * ny.DPSGD(1.0, 0.3, 2), "add_or_remove"),
    (ny.DiscreteGaussian(1.0).poisson(0.7), "replace"), (ny.Laplace(0.1).poisson(1e-3), "remove"),
], 0, 2, 4, 5))  # fmt: skip
def test_zcdp_is_above_every_order_and_attained(mechanism: ny.Mechanism, adjacency: str) -> None:
    g = ny.account(mechanism, adjacency=adjacency)
    orders = 1.0 + np.geomspace(1e-6, 1e5, 400)
    assert np.all(g.optimistic.renyi(orders) / orders <= g.zcdp())
    assert g.optimistic.zcdp() <= g.zcdp() <= g.optimistic.zcdp() * (1 + 1e-8)


def test_mass_at_infinity() -> None:
    g = ny.account(ny.ApproximateMechanism(1.0, 1e-3))
    assert np.all(np.isinf(g.renyi([1.0, 2.0])))
    assert math.isinf(g.zcdp())
    assert math.isinf(g.optimistic.zcdp())
    with mpmath.workdps(50):
        half = mpmath.mpf(1) - mpmath.mpf(1e-3)
        high = half * mpmath.exp(1) / (1 + mpmath.exp(1))
        encloses(g, 0.5, discrete([high, half - high], [half - high, high], 0.5))
    one_way = ny.Tabulated((0.5, 0.5, 0.0), (0.25, 0.25, 0.5))
    assert ny.account(one_way, adjacency="remove").renyi(7.0) == pytest.approx(math.log(2.0), rel=1e-12)
    assert math.isinf(ny.account(one_way, adjacency="add").renyi(7.0))


def test_a_loss_known_by_its_distribution_functions() -> None:
    low, high = 1.0 / (1.0 + math.e), math.e / (1.0 + math.e)

    def p_cdf(x: np.ndarray) -> np.ndarray:  # randomised response
        return np.where(x < -1.0, 0.0, np.where(x < 1.0, low, 1.0))

    def q_cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < -1.0, 0.0, np.where(x < 1.0, high, 1.0))

    def accounted(loss: ny.CustomLoss) -> ny.Guarantee:
        """Divergences are those of the loss itself, whatever a composition is certified to."""
        return ny.account(loss, tolerance=1e-2)

    g, exact = accounted(ny.CustomLoss(p_cdf, q_cdf, support=(-1.0, 1.0))), ny.account(ny.PureMechanism(1.0))
    orders = np.array([0.1, 1.0, 2.5, 40.0])
    assert np.all(g.optimistic.renyi(orders) <= exact.renyi(orders))
    assert np.all(g.renyi(orders) >= exact.optimistic.renyi(orders))
    assert np.allclose(g.renyi(orders), g.optimistic.renyi(orders), rtol=1e-7, atol=0.0)

    def smooth(x: np.ndarray) -> np.ndarray:  # the loss of a Gaussian mechanism with mu = 1, as far as nine deviations
        return -0.5 * (x - 0.5) ** 2 - 0.5 * np.log(2.0 * np.pi)

    g = accounted(ny.CustomLoss.from_log_densities(smooth, lambda x: smooth(x) - x, (-9.5, 9.5)))
    assert np.allclose(g.optimistic.renyi([0.5, 1.0, 2.0]), [0.25, 0.5, 1.0], rtol=1e-6, atol=0.0)
    assert np.all(g.renyi([0.5, 1.0, 2.0]) >= g.optimistic.renyi([0.5, 1.0, 2.0]))


@pytest.mark.slow
def test_a_promise_in_a_composition_keeps_its_own_words() -> None:
    boxed = ny.Opaque(ny.ZCDP(0.25)) * ny.DPSGD(2.0, 0.1, 8)
    g = ny.account(boxed)
    assert g.renyi(3.0) == pytest.approx(0.75 + ny.account(ny.DPSGD(2.0, 0.1, 8)).renyi(3.0), rel=1e-12)
    assert 1.25 <= g.zcdp() <= 1.25 * (1 + 1e-8)


def test_given_guarantees() -> None:
    assert ny.GDP(1.5).renyi(4.0) == pytest.approx(4.5, rel=1e-15)
    assert ny.GDP(1.5).zcdp() == 1.125
    assert ny.PERFECT.renyi(3.0) == ny.PERFECT.zcdp() == 0.0
    assert math.isinf(ny.BLATANT.renyi(0.5))
    assert math.isinf(ny.BLATANT.zcdp())
    assert ny.ZCDP(0.5).renyi([1.0, 8.0]).tolist() == pytest.approx([0.5, 4.0], rel=1e-14)
    assert ny.ZCDP(0.5).zcdp() == 0.5
    stated = ny.RDP([2.0, 4.0], [0.5, 1.2]).renyi([1.5, 2.0, 3.0, 4.0, 4.1])
    assert stated.tolist() == pytest.approx([0.5, 0.5, (0.5 + 3.6) / 4.0, 1.2, math.inf], rel=1e-14)


@pytest.mark.parametrize(
    "mechanism",
    rest_slow([ny.Gaussian(1.0), ny.Laplace(1.0), ny.PureMechanism(1.0), ny.DPSGD(1.0, 0.1, 1)], 1, 2),
    ids=repr,
)
def test_profiles_alone_are_sound_and_nearly_as_sharp(mechanism: ny.Mechanism) -> None:
    g = ny.account(mechanism)
    orders = np.array([0.01, 0.5, 1.0, 1.1, 3.0, 12.0])
    alone = ProfileDivergence(g.sides)
    lower, upper = alone.divergence(orders, False), alone.divergence(orders, True)
    assert np.all(lower <= g.renyi(orders))
    assert np.all(upper >= g.optimistic.renyi(orders))
    assert np.all(upper[:4] - lower[:4] <= 5e-5 * upper[:4])  # sharper where the orders asked together are close
    assert alone.concentration(False) <= g.zcdp()
    assert alone.concentration(True) >= g.optimistic.zcdp()


@pytest.mark.parametrize("order", rest_slow([1e5, 1e8, 1e30, 1e200, 1e308], 0, 4))
def test_extreme_orders_keep_the_order_of_the_two_sides(order: float) -> None:
    for m in (ny.DPSGD(1.0, 0.01, 5), ny.DPSGD(1e-3, 0.3, 1), ny.Laplace(0.01).poisson(0.2), ny.PureMechanism(3.0)):
        for adjacency in ("add", "remove"):
            g = ny.account(m, adjacency=adjacency)
            assert g.optimistic.renyi(order) <= g.renyi(order)
    assert ny.account(ny.Laplace(0.5)).renyi(order) == pytest.approx(2.0, rel=1e-4)


def test_shapes() -> None:
    g = ny.account(ny.Laplace(1.0))
    assert isinstance(g.renyi(2.0), float)
    assert g.renyi([[2.0, 3.0]]).shape == (1, 2)
    assert g.renyi([2, 3])[0] == g.renyi(2.0)


@pytest.mark.parametrize(
    ("order", "shown"), [(0.0, "0.0"), (-1.0, "-1.0"), (math.inf, "inf"), (math.nan, "nan"), ([2.0, 0.0], "0.0")]
)
def test_orders_out_of_range_are_refused(order: object, shown: str) -> None:
    text = (
        f"order must be a finite number > 0, got {shown}. As the order grows without end, the divergence tends to the "
        "largest loss: see epsilon(0.0)."
    )
    with pytest.raises(InvalidParameter) as caught:
        ny.GDP(1.0).renyi(order)
    assert str(caught.value) == text


@pytest.mark.parametrize("order", ["2", [None], [], True])
def test_orders_that_are_no_numbers_are_refused(order: object) -> None:
    with pytest.raises(
        InvalidParameter, match="order must be a number, or a non-empty array of numbers, all finite and > 0"
    ):
        ny.GDP(1.0).renyi(order)


def test_bounds_from_below_are_no_more_than_the_gaussian_that_dominates(monkeypatch):
    monkeypatch.setattr(CompositionDivergence, "divergence", lambda self, order, upper: order * 1e6)
    monkeypatch.setattr(CompositionDivergence, "concentration", lambda self, upper: 1e6)
    g = ny.account(ny.Gaussian(2.0)).optimistic
    assert 1.0 <= g.renyi(8.0) <= 1.0 + 1e-14
    assert 0.125 <= g.zcdp() <= 0.125 * (1 + 1e-14)
