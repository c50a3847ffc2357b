"""The law of the privacy loss: brackets hold the truth of laws that are known, and are narrow."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.guarantees import Bounds
from neyman.guarantees.loss import moments, tails
from tests.effort import examples

mp.mp.dps = 40
WIDE = 2e-6  # of a probability, that brackets of sharp profiles may leave open
LOG = st.floats(-6.0, 2.0).map(lambda x: 10.0**x)


def holds(bounds: Bounds, truth: list[object]) -> bool:
    low, high = np.atleast_1d(bounds.lower), np.atleast_1d(bounds.upper)
    return all(mp.mpf(float(a)) <= t <= mp.mpf(float(b)) for a, b, t in zip(low, high, truth, strict=True))


def normal(mean: object, deviation: object) -> object:
    return lambda x: mp.ncdf((mp.mpf(x) - mean) / deviation)


@examples(10, 200)
@given(mu=LOG, z=st.lists(st.floats(-30.0, 30.0), min_size=1, max_size=4))
def test_gaussian_loss_is_normal(mu: float, z: list[float]) -> None:
    loss, m = ny.GDP(mu).loss, mp.mpf(mu)
    for law, mean in ((loss.under_p, m * m / 2), (loss.under_q, -m * m / 2)):
        x = [float(mean) + one * mu for one in z]
        assert holds(law.cdf(x), [normal(mean, m)(one) for one in x])
        assert holds(law.survival(x), [normal(-mean, m)(-one) for one in x])
        assert np.all(law.cdf(x).width < WIDE)


def sampled(sigma: float, rate: float) -> tuple[object, object]:
    """P(L <= l) and Q(L <= l) of one sampled Gaussian step, a removed record."""
    mu, q = 1 / mp.mpf(sigma), mp.mpf(rate)

    def place(loss: float) -> object:
        return (mp.log((mp.expm1(loss) + q) / q) + mu**2 / 2) / mu if loss > mp.log1p(-q) else -mp.inf

    return (
        lambda x: (1 - q) * mp.ncdf(place(x)) + q * mp.ncdf(place(x) - mu),
        lambda x: mp.ncdf(place(x)),
    )


@examples(6, 100)
@given(sigma=st.floats(0.3, 8.0), rate=st.floats(1e-4, 0.9), z=st.lists(st.floats(-3.0, 7.0), min_size=1, max_size=3))
def test_a_sampled_step_in_both_directions(sigma: float, rate: float, z: list[float]) -> None:
    loss = ny.account(ny.Gaussian(sigma).poisson(rate)).loss
    assert (loss.direction, loss.remove.direction, loss.add.direction) == ("both", "remove", "add")
    under_p, under_q = sampled(sigma, rate)
    x = [math.log1p(rate * math.expm1(one / sigma - 0.5 / sigma**2)) for one in z]
    assert holds(loss.remove.under_p.cdf(x), [under_p(one) for one in x])
    assert holds(loss.remove.under_q.cdf(x), [under_q(one) for one in x])
    # the record under Q: L is the negative, and P and Q change places
    turned = [-one for one in x]
    assert holds(loss.add.under_p.survival(turned), [under_q(one) for one in x])
    assert holds(loss.add.under_q.survival(turned), [under_p(one) for one in x])
    assert np.all(loss.remove.under_p.cdf(x).width < WIDE)


def test_the_pair_of_both_directions_has_their_larger_delta() -> None:
    """Its law has what lies between the two tangents of slope -1 at L = 0."""
    loss = ny.account(ny.Gaussian(1.0).poisson(0.1)).loss
    at = loss.under_p.mass(-1e-5, 1e-5)
    assert 0.3 < at.lower <= at.upper < 0.4
    assert loss.remove.under_p.mass(-1e-5, 1e-5).upper < 1e-3
    x = np.array([0.01, 0.1, 0.3])  # where delta of "remove" is the larger
    np.testing.assert_allclose(loss.under_p.survival(x).middle, loss.remove.under_p.survival(x).middle, atol=1e-6)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0])
def test_laplace_has_jumps_at_its_ends(epsilon: float) -> None:
    e = mp.mpf(1) / mp.mpf(1.0 / epsilon)
    loss = ny.account(ny.Laplace(1.0 / epsilon)).loss
    x = [-0.7 * epsilon, 0.0, 0.9 * epsilon]
    share = [(one / e + 1) / 2 for one in x]
    assert holds(loss.under_p.cdf(x), [mp.e ** (-(1 - t) * e) / 2 for t in share])
    assert holds(loss.under_q.cdf(x), [1 - mp.e ** (-t * e) / 2 for t in share])
    end = loss.under_p.mass(0.9999 * epsilon, 1.0001 * epsilon)
    assert end.upper >= 0.5
    assert 0.5 - 1e-4 < end.lower <= 0.5 + 1e-4 * epsilon
    assert holds(loss.under_p.mean, [e + mp.expm1(-e)])
    assert loss.under_p.mean.width < 1e-10
    assert loss.under_p.quantile(0.9).lower == pytest.approx(epsilon, rel=1e-6)


def listed(n: int, epsilon: float) -> list[tuple[object, object, object]]:
    """Loss, P and Q of n randomised responses."""
    a = 1 / (1 + mp.e ** -mp.mpf(epsilon))
    both = [[mp.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)] for p in (a, 1 - a)]
    return [((2 * k - n) * mp.mpf(epsilon), both[0][k], both[1][k]) for k in range(n + 1)]


@examples(8, 100)
@given(n=st.integers(1, 7), epsilon=st.floats(0.01, 4.0), off=st.floats(-0.999, 0.999), near=st.floats(-15.0, -3.0))
def test_listed_losses(n: int, epsilon: float, off: float, near: float) -> None:
    law, atoms = ny.account(ny.RandomizedResponse(epsilon) ** n).loss.under_p, listed(n, epsilon)
    # between two losses next to nothing is left open; near one, and at it, both sides of the jump are within
    between = [(2 * k - n) * epsilon + (1.0 + 0.9 * off) * epsilon for k in range(n)]
    truth = [mp.fsum(p for loss, p, _ in atoms if loss <= x) for x in between]
    assert holds(law.cdf(between), [t * (1 + mp.mpf(10) ** -35) for t in truth])
    assert np.all(law.cdf(between).width < 1e-9)
    for loss, _, _ in atoms:
        for x in (float(loss), float(loss) + 10.0**near):
            found = law.cdf(x)
            for kept in (lambda one, x=x: one < x, lambda one, x=x: one <= x):
                value = mp.fsum(p for one, p, _ in atoms if kept(one))
                assert found.lower - 1e-30 <= value <= found.upper + 1e-30


@examples(6, 60)
@given(n=st.integers(1, 7), epsilon=st.floats(0.01, 4.0), p=st.floats(0.01, 0.99))
def test_quantiles_of_listed_losses(n: int, epsilon: float, p: float) -> None:
    loss, atoms = ny.account(ny.RandomizedResponse(epsilon) ** n).loss, listed(n, epsilon)
    for law, column in ((loss.under_p, 1), (loss.under_q, 2)):
        total, exact = mp.mpf(0), None
        for atom in atoms:
            total += atom[column]
            if exact is None and total >= mp.mpf(p):
                exact = atom[0]
        found = law.quantile(p)
        assert found.lower - 1e-14 * n * epsilon <= exact <= found.upper + 1e-14 * n * epsilon
        if min(abs(mp.fsum(a[column] for a in atoms[: k + 1]) - p) for k in range(n)) > 1e-6:
            assert found.width < 1e-6 * epsilon


@examples(4, 100)
@given(mu=st.floats(1e-4, 40.0), p=st.lists(st.floats(1e-12, 1.0 - 1e-12), min_size=1, max_size=4))
def test_quantiles_of_a_gaussian(mu: float, p: list[float]) -> None:
    for law, mean in ((ny.GDP(mu).loss.under_p, 0.5 * mu * mu), (ny.GDP(mu).loss.under_q, -0.5 * mu * mu)):
        found, cdf = law.quantile(p), normal(mp.mpf(mean), mp.mpf(mu))
        for low, high, one in zip(found.lower, found.upper, p, strict=True):
            assert cdf(low) <= mp.mpf(one) * (1 + mp.mpf(10) ** -13)
            assert cdf(high) >= mp.mpf(one) * (1 - mp.mpf(10) ** -13)
        assert np.all(found.width < 1e-4 * mu)


@examples(3, 60)
@given(mu=st.floats(1e-3, 20.0), centre=st.floats(-3.0, 3.0), order=st.integers(1, 4))
def test_moments_of_a_gaussian(mu: float, centre: float, order: int) -> None:
    loss, m = ny.GDP(mu).loss, mp.mpf(mu)
    for law, mean in ((loss.under_p, m * m / 2), (loss.under_q, -m * m / 2)):
        d = mean - mp.mpf(centre)
        truth = {1: d, 2: d**2 + m**2, 3: d**3 + 3 * d * m**2, 4: d**4 + 6 * d**2 * m**2 + 3 * m**4}[order]
        found = law.moment(order, centre)
        size = float(abs(d) + m + 1) ** order
        assert holds(found, [truth])
        assert found.width < 1e-5 * size
        assert holds(law.mean, [mean])
        assert law.mean.width < 1e-13 * (mu + mu * mu)
        assert holds(law.variance, [m * m])
        assert law.variance.width < 1e-4 * mu * mu * (1.0 + mu * mu)


def test_moments_of_a_sampled_step() -> None:
    mu, q = mp.mpf(1), mp.mpf(0.1)
    loss = ny.account(ny.Gaussian(1.0).poisson(0.1)).loss.remove
    places = [-12, 1, 14]
    for law, density in (
        (loss.under_p, lambda x: (1 - q) * mp.npdf(x) + q * mp.npdf(x - mu)),
        (loss.under_q, mp.npdf),
    ):
        for order in (2, 3):
            with mp.workdps(18):
                truth = mp.quad(
                    lambda x, n=order, f=density: mp.log1p(mp.mpf(0.1) * mp.expm1(x - mu / 2)) ** n * f(x), places
                )
            found = law.moment(order)
            assert holds(found, [truth])
            assert found.width < 1e-5 * abs(truth)


def test_infinite_losses() -> None:
    loss = ny.account(ny.ApproximateMechanism(1.0, 1e-3) ** 2).loss
    mass = 1 - (1 - mp.mpf(1e-3)) ** 2
    assert holds(loss.under_p.infinite, [mass])
    assert loss.under_p.infinite.width < 1e-12
    assert loss.under_p.mean == (math.inf, math.inf)
    assert ny.account(ny.ApproximateMechanism(1.0, 1e-5)).loss.under_p.mean == (math.inf, math.inf)
    assert loss.under_q.mean == (-math.inf, -math.inf)
    assert loss.under_p.variance == (math.inf, math.inf)
    assert holds(loss.under_p.survival(math.inf), [mass])
    assert holds(loss.under_q.cdf(-math.inf), [mass])
    assert loss.under_p.cdf(-math.inf) == (0.0, 0.0)
    assert holds(loss.under_q.mass(-math.inf, -2.5), [mass])
    assert loss.under_p.mass(-math.inf, math.inf) == (1.0, 1.0)
    assert holds(loss.under_p.mass(math.inf, math.inf), [mass])
    assert loss.under_p.mass(-math.inf, -math.inf) == (0.0, 0.0)
    assert loss.under_p.quantile(0.9999) == (math.inf, math.inf)
    assert loss.under_q.quantile(1e-4) == (-math.inf, -math.inf)
    drawn = loss.under_p.draw(200_000, seed=3)
    assert np.mean(np.isinf(drawn)) == pytest.approx(float(mass), rel=0.3)
    # divergences that are stated rule infinite losses out; what nothing bounds is not said to be finite
    assert ny.ZCDP(0.5).loss.under_p.infinite == (0.0, 0.0)
    assert ny.Profile([0.0, 1.0], [0.3, 0.1]).loss.under_p.mean == (math.inf, math.inf)


def test_the_ends_of_the_domain() -> None:
    perfect, blatant = ny.PERFECT.loss, ny.BLATANT.loss
    for law in (perfect.under_p, perfect.under_q):
        assert (law.mean, law.variance, law.quantile(0.3)) == ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
        assert not np.any(law.draw(9, 1))
        assert law.draw_error == (0.0, 0.0)
    assert blatant.under_p.infinite == blatant.under_q.infinite == (1.0, 1.0)
    assert blatant.under_p.quantile(0.5).lower == math.inf
    assert np.all(blatant.under_q.draw(9, 1) == -math.inf)
    for mu in (1e-140, 1e-12, 1e8, 1e100):
        found = ny.GDP(mu).loss.under_p
        assert holds(found.mean, [mp.mpf(mu) ** 2 / 2])
        assert holds(found.variance, [mp.mpf(mu) ** 2])
        assert holds(found.cdf(0.5 * mu * mu + mu), [mp.ncdf((mp.mpf(0.5 * mu * mu + mu) - mp.mpf(mu) ** 2 / 2) / mu)])


def test_what_is_drawn_is_within_what_is_said() -> None:
    for law, cdf in (
        (ny.GDP(1.5).loss.under_p, normal(mp.mpf("1.125"), mp.mpf("1.5"))),
        (ny.account(ny.Gaussian(1.0).poisson(0.1)).loss.remove.under_p, sampled(1.0, 0.1)[0]),
        (ny.account(ny.RandomizedResponse(1.0) ** 3).loss.under_p,
         lambda x: mp.fsum(p for one, p, _ in listed(3, 1.0) if one <= x)),
    ):  # fmt: skip
        error = law.draw_error
        assert error.probability < 1e-3
        assert error.shift < 1e-5
        losses = np.sort(law.draw(20_000, seed=7))
        np.testing.assert_array_equal(losses, np.sort(law.draw(20_000, seed=np.random.default_rng(7))))
        for rank in (10, 1000, 5000, 10_000, 15_000, 19_990):
            seen, x = rank / 20_000, float(losses[rank - 1])  # the law of 20,000 draws is within 0.0172 (1 in 10^5)
            assert cdf(x - error.shift) - error.probability <= seen + 0.0172
            assert cdf(x + error.shift) + error.probability >= seen - 0.0172


def test_draws_take_a_small_part_of_the_effort_and_say_what_that_leaves_open() -> None:
    run = ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    full, little = (ny.account(run, effort=effort).loss.remove.under_p for effort in (10.0, 0.2))
    few, many = little._table, full._table
    first = 0.01  # nominal seconds of the places that are always read
    assert 0.0 < few._used <= 0.1 * 0.2 + first < many._used <= 0.1 * 10.0
    assert len(few.place) < 0.7 * len(many.place)
    assert full.draw_error.probability < little.draw_error.probability < 0.01
    x = np.sort(little.draw(20_000, seed=1))
    rank = np.array([1000, 10_000, 19_000])
    error = little.draw_error.probability + 0.0172
    assert np.all(full.cdf(x[rank - 1] - 1e-4).lower - error <= rank / 20_000)
    assert np.all(full.cdf(x[rank - 1] + 1e-4).upper + error >= rank / 20_000)


@pytest.mark.parametrize("x", [5e-324, 1e-310, 2.3e-308, 1e-300, -5e-324])
def test_next_to_a_jump_nothing_overflows(x: float) -> None:
    law = ny.account(ny.RandomizedResponse(1.0) ** 2).loss.under_p
    below, at = 0.072329, 0.393224  # P(L = -2), P(L = 0)
    for found in (law.cdf(x), law.cdf([x, 1.0])):
        first = np.atleast_1d(found.lower)[0], np.atleast_1d(found.upper)[0]
        assert 0.0 <= first[0] <= (below + at if x > 0.0 else below) + 1e-6
        assert (below + at if x > 0.0 else below) - 1e-6 <= first[1] <= 1.0


def test_masses_of_many_intervals_are_those_of_each() -> None:
    inf = math.inf
    low, high = np.array([-inf, -inf, -1.0, 0.5, 1.0, inf, -inf]), np.array([-inf, 0.3, 0.5, 0.5, inf, inf, inf])
    for loss in (ny.GDP(1.0).loss, ny.ApproximateDP(1.0, 0.01).loss):
        for law in (loss.under_p, loss.under_q):
            found = law.mass(low, high)
            for i, (a, b) in enumerate(zip(low, high, strict=True)):
                one = law.mass(float(a), float(b))
                assert (found.lower[i], found.upper[i]) == pytest.approx((one.lower, one.upper), abs=1e-8)
                assert isinstance(one.lower, float)
    wide = LAW.mass([[-1.0], [-2.0]], [0.0, 1.0, 2.0])
    assert wide.lower.shape == (2, 3)
    assert wide.lower[1, 2] == pytest.approx(LAW.mass(-2.0, 2.0).lower, abs=1e-8)


def test_a_law_is_that_of_its_curve() -> None:
    """A computed guarantee and the promise of the same curve have one law; a weaker promise has another."""
    one, other = ny.account(ny.PureMechanism(1.0)).loss, ny.PureDP(1.0).loss
    x = np.linspace(-2.0, 2.0, 9) + 0.01
    np.testing.assert_allclose(one.under_p.cdf(x).middle, other.under_p.cdf(x).middle, atol=1e-12)
    assert ny.account(ny.Laplace(1.0)).loss.under_p.mean.upper < other.under_p.mean.lower
    f = ny.Tradeoff([0.0, 0.2, 1.0], [0.9, 0.5, 0.0]).loss  # losses log 2 and log 5/8, and inf with chance 0.1
    assert f.direction == "remove"
    for law, masses in ((f.under_p, (0.1, 0.4, 0.5)), (f.under_q, (0.0, 0.2, 0.8))):
        found = law.infinite, law.mass(0.69, 0.70), law.mass(-0.48, -0.46)
        for bounds, mass in zip(found, masses, strict=True):
            assert bounds.lower - 1e-9 <= mass <= bounds.upper + 1e-9
            assert bounds.width < 1e-8
    assert f.add.under_p.mean.upper == pytest.approx(-f.under_q.mean.lower)
    g = ny.account(ny.DPSGD(1.0, 0.01, 100))
    assert g.optimistic.loss.under_p.cdf(0.1) == g.loss.under_p.cdf(0.1)
    alone = ny.account(ny.DPSGD(1.0, 0.01, 100), adjacency="add").loss
    assert alone.direction == "add"
    assert alone.under_p.cdf(0.1).middle == pytest.approx(g.loss.add.under_p.cdf(0.1).middle, abs=1e-7)
    assert alone.remove.under_q.mean.lower == pytest.approx(-alone.under_p.mean.upper, rel=1e-9)


def test_the_weights_of_losses() -> None:
    """E_Q[e^L] = 1 and f(alpha) from both cdfs: what makes them the laws of one likelihood ratio."""
    g = ny.account(ny.DPSGD(1.0, 0.05, 50), adjacency="remove")
    x = np.linspace(-1.0, 1.5, 6)
    alpha, beta = g.loss.under_q.survival(x), g.loss.under_p.cdf(x)
    assert np.all(g.beta(alpha.upper) <= beta.upper)
    assert np.all(g.optimistic.beta(alpha.lower) >= beta.lower)
    np.testing.assert_allclose(g.beta(alpha.middle), beta.middle, rtol=1e-5)
    means = g.loss.under_p.mean, g.loss.under_q.mean
    assert means[0].upper == pytest.approx(g.renyi(1.0), rel=1e-10)
    assert means[1].upper < 0.0 < means[0].lower


def test_any_step_gives_a_true_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps steer: whatever they are, the truth is within."""
    x = np.array([-1.3, -0.2, 0.0, 0.4, 1.9])
    truth = [normal(mp.mpf("0.5"), mp.mpf(1))(float(one)) for one in x]
    for fine, coarse in (((1e-9,), (1e-12, 1e-12, 1e-12)), ((50.0,), (30.0, 500.0, 1e5)), ((0.0,), (0.0, 0.0, 0.0))):
        monkeypatch.setattr(tails, "_FINE", fine)
        monkeypatch.setattr(tails, "_COARSE", coarse)
        assert holds(ny.GDP(1.0).loss.under_p.cdf(x), truth)


def test_moments_hold_however_few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "_CELLS", 5)
    monkeypatch.setattr(moments, "_MOST", 12)
    found = ny.GDP(1.0).loss.under_p
    assert holds(found.moment(2), [mp.mpf("1.25")])
    assert found.moment(2).width > 1e-4
    monkeypatch.setattr(moments, "_NEGLIGIBLE", 0.1)  # the tail is bounded by a Gaussian's, whatever is cut
    assert holds(found.moment(2), [mp.mpf("1.25")])
    assert found.moment(2).width > 1e-2


def test_words() -> None:
    assert str(ny.account(ny.Gaussian(1.0)).loss) == (
        "Privacy loss L = log dP/dQ (either direction): under P mean 0.5, 95 % within [-1.46, 2.46]; under Q mean "
        "-0.5, 95 % within [-2.46, 1.46]."
    )
    assert "infinite with a chance of at most 0.001 under P" in str(ny.ApproximateDP(1.0, 1e-3).loss)
    assert repr(ny.GDP(1.0).loss) == "<PrivacyLoss: both, closed form>"
    assert repr(ny.GDP(1.0).loss.under_q) == "<LossLaw: of L = log dP/dQ under Q>"
    bounds = Bounds(1.0, 1.5)
    assert (bounds.width, bounds.middle, -bounds) == (0.5, 1.25, (-1.5, -1.0))
    assert Bounds(math.inf, math.inf).width == 0.0


LAW = ny.GDP(1.0).loss.under_p


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (lambda: LAW.cdf(math.nan), "x"), (lambda: LAW.cdf("1"), "x"), (lambda: LAW.survival([]), "x"),
        (lambda: LAW.quantile(0.0), "p"), (lambda: LAW.quantile([0.5, 1.0]), "p"),
        (lambda: LAW.quantile(math.nan), "p"),
        (lambda: LAW.mass(1.0, 0.0), "low, high"), (lambda: LAW.mass(math.nan, 0.0), "low, high"),
        (lambda: LAW.moment(0), "order"), (lambda: LAW.moment(5), "order"), (lambda: LAW.moment(1.5), "order"),
        (lambda: LAW.moment(2, math.inf), "centre"), (lambda: LAW.moment(2, [1.0]), "centre"),
        (lambda: LAW.mass([1.0, 2.0], [3.0, 1.0]), "low, high"), (lambda: LAW.mass([1, 2], [3, 4, 5]), "low, high"),
        (lambda: LAW.draw(0), "n"), (lambda: LAW.draw(3, seed="a"), "seed"), (lambda: LAW.draw(3, seed=-1), "seed"),
    ],
)  # fmt: skip
def test_refusals(asked: object, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        asked()
    assert caught.value.name == name


def test_divergences_that_are_stated_bound_the_tail() -> None:
    """Where no Gaussian dominates, a Renyi divergence does: of weak promises one of a large order."""
    for rho in (1e-6, 0.5):
        law = ny.ZCDP(rho).loss.under_p
        assert rho < law.mean.lower <= law.mean.upper < 1.6 * rho  # the pair that attains the curve is not zCDP itself
        assert law.mean.width < 1e-3 * rho


def test_moments_of_few_large_losses() -> None:
    """Nearly all of the mass is where the loss is about 0; what is rare has nearly all of the mean."""
    p, q = (0.9989872808197654, 0.0010127191802345146), (0.9999999981143338, 1.885666274895268e-09)
    first, second = ([mp.mpf(one) / mp.fsum(row) for one in row] for row in (p, q))
    law = ny.account(ny.Tabulated(p, q)).loss.remove.under_p
    for order in (1, 2, 3):
        truth = mp.fsum(a * mp.log(a / b) ** order for a, b in zip(first, second, strict=True))
        assert holds(law.moment(order), [truth])
        assert law.moment(order).width < 1e-9 * truth


def test_jumps_are_named() -> None:
    for n, epsilon in ((1, 0.3), (4, 1.0)):
        loss = ny.account(ny.RandomizedResponse(epsilon) ** n).loss
        for law, column in ((loss.under_p, 1), (loss.under_q, 2)):
            exact = [atom for atom in listed(n, epsilon) if atom[column] > 1e-5]
            assert len(law.jumps) == len(exact)
            for jump, atom in zip(law.jumps, exact, strict=True):
                assert jump.low < atom[0] < jump.high
                assert holds(jump.mass, [atom[column]])
                assert jump.mass.width < 1e-6
    ends = ny.account(ny.Laplace(2.0)).loss.under_q.jumps
    assert [round(0.5 * (j.low + j.high), 6) for j in ends] == [-0.5, 0.5]
    assert ends[0].mass.lower == pytest.approx(0.5, abs=1e-5)
    assert ny.GDP(1.0).loss.under_p.jumps == ny.account(ny.DPSGD(1.0, 0.05, 50)).loss.remove.under_p.jumps == ()
    both = ny.account(ny.Gaussian(1.0).poisson(0.1)).loss.under_p.jumps  # where the two directions meet
    assert [j.low < 0.0 < j.high for j in both] == [True]
    assert ny.PERFECT.loss.under_p.mass(0.0, 0.0).upper == 1.0


def test_the_mean_is_the_integral() -> None:
    """What is known by the steps' divergences and what delta tells agree."""
    for mechanism in (ny.DPSGD(1.0, 0.05, 50), ny.Laplace(1.0) * ny.Gaussian(2.0), ny.RandomizedResponse(1.0, k=3)):
        g = ny.account(mechanism)
        for loss in (g.loss.remove, g.loss.add):
            for law in (loss.under_p, loss.under_q):
                by_delta = law.moment(1)
                assert by_delta.lower <= law.mean.lower + 1e-15
                assert law.mean.upper <= by_delta.upper + 1e-15
                assert law.mean.width < 1e-9


def test_its_types_are_public() -> None:
    assert isinstance(ny.GDP(1.0).loss, ny.PrivacyLoss)
    assert isinstance(ny.GDP(1.0).loss.under_p.mean, ny.Bounds)


def test_what_is_said_of_promises_is_so() -> None:
    """No bound of P(L > x) for the mechanisms behind, and no pair that keeps zCDP has the curve of its promise."""
    mechanism, promise = ny.account(ny.RandomizedResponse(1.0)), ny.GDP(1.24)
    assert mechanism.satisfies(promise)
    assert mechanism.loss.under_p.survival(0.99).lower > promise.loss.under_p.survival(0.99).upper + 0.3
    assert ny.ZCDP(0.5).loss.under_p.mean.lower > 0.75
    mixed = ny.account(ny.Laplace(1.0) ** 2).loss.under_p  # e^-1 / 2, 18 %, at L = 0
    assert mixed.mass(-1e-3, 1e-3).lower > 0.18
    (middle,) = (j.mass for j in mixed.jumps if j.low < 0.0 < j.high)
    assert middle.lower == pytest.approx(0.5 * math.exp(-1.0), rel=1e-5)
    assert middle.upper <= middle.lower * (1.0 + 1e-5)


def test_the_rule_of_a_cell_errs_by_less_than_its_room() -> None:
    """``_ORDER`` nodes in the longest cell of exponentials: weights of the fourth moment beside e^t - 1 and e^-t."""
    node, share = moments.gauss(moments._ORDER)
    at, part, h = 0.5 * (1.0 + node), 0.5 * share, moments._SHORT
    for centre, power, turned in [(0.0, 2, 0.0), (1.5, 2, 1.0), (-7.0, 2, 1.0), (0.25, 0, 1.0)]:

        def value(t: object, c: float = centre, n: int = power, s: float = turned) -> object:
            return (t - c) ** n * mp.exp(-s * t) * (0.25 + 0.75 * mp.expm1(t))

        found = sum(w * float(value(t)) for w, t in zip(part.tolist(), (h * at).tolist(), strict=True)) * h
        assert abs(mp.mpf(found) - mp.quad(value, [0, h])) <= 8e-15 * mp.quad(value, [0, h])
