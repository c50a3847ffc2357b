"""The verbs of a guarantee: laws for all, references for some, refusals for each."""

from __future__ import annotations

import contextlib
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter, NotCertified
from neyman.engines.closed_form.pairs import GaussianProfile, SubsampledGaussianProfile
from neyman.guarantees import BLATANT, GDP, PERFECT, ComposedGuarantee, GDPReport
from neyman.guarantees.questions.mu.at_floor import fit_upper
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket
from tests.effort import examples, rest_slow
from tests.guarantees.references import load, quantile, subsampled_delta, subsampled_point


def one_step(sigma, rate, adjacency="add_or_remove"):
    pair = (SubsampledGaussianProfile(sigma, rate, d) for d in ("remove", "add"))
    return ComposedGuarantee(*pair, adjacency)


def composed_gaussian(mu):
    profile = GaussianProfile(mu)
    return ComposedGuarantee(profile, profile)


GUARANTEES = {
    "perfect": PERFECT,
    "blatant": BLATANT,
    **{f"gdp {mu:g}": GDP(mu) for mu in (0.0, 1e-10, 1e-3, 0.5, 1.0, 3.0, 40.0, 3e4)},
    **{f"gaussian {mu:g}": composed_gaussian(mu) for mu in (1e-10, 1.0, 40.0, 3e4)},
    **{
        f"one step {s:g} {q:g} {a}": one_step(s, q, a)
        for s, q in ((1.0, 0.01), (0.3, 1e-6), (2.0, 0.5), (0.3, 0.5))
        for a in ("add_or_remove", "remove", "add")
    },
}
EVERY = pytest.mark.parametrize("g", GUARANTEES.values(), ids=GUARANTEES.keys())
_ALWAYS = ("perfect", "blatant", "gdp 0", "gdp 1e-10", "gdp 1", "gdp 30000", "gaussian 1",
           "one step 1 0.01 remove")  # fmt: skip
COSTLY = pytest.mark.parametrize("g", [pytest.param(g, id=name, marks=[] if name in _ALWAYS else pytest.mark.slow)
                                       for name, g in GUARANTEES.items()])  # fmt: skip
NAMES = st.sampled_from(sorted(GUARANTEES))
EPSILONS = np.concatenate([-np.geomspace(1e-12, 60, 25)[::-1], [0.0], np.geomspace(1e-12, 60, 25)])
ALPHAS = np.concatenate(
    [[0.0], np.geomspace(1e-30, 0.4, 12), np.linspace(0.45, 0.55, 5), [0.9, 1 - 1e-6, 1 - 1e-12, 1.0]]
)


@EVERY
def test_delta_is_a_profile(g):
    upper, lower = g.delta(EPSILONS), g.optimistic.delta(EPSILONS)
    assert np.all((lower >= 0.0) & (lower <= upper) & (upper <= 1.0))
    assert np.all(np.diff(lower) <= np.diff(lower) * 0 + (upper - lower)[:-1])  # non-increasing within the bracket
    x = np.exp(EPSILONS)
    weight = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    assert np.all(lower[1:-1] <= (1 - weight) * upper[:-2] + weight * upper[2:] + 1e-14)  # convex in e^eps
    assert np.all(upper >= -np.expm1(np.minimum(EPSILONS, 0.0)) * (1 - 1e-15))


@COSTLY
def test_beta_is_a_trade_off_curve(g):
    low, high = g.beta(ALPHAS), g.optimistic.beta(ALPHAS)
    assert np.all((low >= 0.0) & (low <= high) & (high <= 1.0 - ALPHAS + 2e-16))
    assert np.all(low[1:] <= high[:-1])
    weight = (ALPHAS[1:-1] - ALPHAS[:-2]) / (ALPHAS[2:] - ALPHAS[:-2])
    assert np.all(low[1:-1] <= (1 - weight) * high[:-2] + weight * high[2:] + 1e-14)
    power, least = g.roc(ALPHAS), g.optimistic.roc(ALPHAS)
    assert np.all((least <= power) & (least >= ALPHAS) & (power <= 1.0))
    np.testing.assert_allclose(power, 1.0 - low, atol=1e-13)


@COSTLY
def test_optimistic_below_pessimistic(g):
    o = g.optimistic
    assert o.optimistic is o
    deltas = [0.0, 1e-250, 1e-30, 1e-12, 1e-5, 1e-3, 0.3, 0.999, 1.0]
    assert np.all(o.epsilon(deltas) <= g.epsilon(deltas))
    priors = [0.0, 1e-300, 1e-12, 0.1, 0.5, 0.99, 1 - 1e-12, 1.0]
    assert np.all(o.bayes_error(priors) >= g.bayes_error(priors))
    assert np.all(g.bayes_error(priors) <= np.minimum(priors, 1 - np.array(priors)))
    assert o.advantage <= g.advantage
    assert 0.5 <= o.auc <= g.auc <= 1.0
    assert 0.0 <= g.fixed_point <= o.fixed_point <= 0.5 * (1 + 1e-15)
    for floor in (1e-3, 1e-10, 1e-30):
        assert o.mu(floor) <= g.mu(floor) <= g.tail_mu
    with contextlib.suppress(NotCertified):  # a one-sided curve may have no sharp answer so close to 1/2: a refusal
        assert o.mu(0.4) <= g.mu(0.4) <= g.tail_mu
    assert o.gdp().regret <= g.gdp().regret
    for other in (GDP(1.0), PERFECT, BLATANT, g):
        assert 0.0 <= o.regret(other) <= g.regret(other) <= 0.5


@COSTLY
def test_epsilon_inverts_delta(g):
    for e in (1e-3, 0.1, 1.0, 7.0):
        d = g.optimistic.delta(e)
        if 1e-290 < d < 0.999 and g.delta(e) < g.delta(0.0):
            assert g.epsilon(d) >= e * (1 - 1e-12)
            assert g.epsilon(g.delta(e)) <= e * (1 + 1e-9) + 1e-12
    assert g.epsilon(1.0) == 0.0
    for d in (1e-3, 1e-8, 1e-100):
        assert g.delta(min(g.epsilon(d), 1e300)) <= d or g is BLATANT


@given(NAMES, st.floats(-50.0, 50.0))
def test_reversal_identity(name, e):
    g = GUARANTEES[name]
    twin = {"add": "remove", "remove": "add"}.get(g.adjacency)
    reverse = GUARANTEES[name.replace(f" {g.adjacency}", f" {twin}")] if twin else g
    expected = -np.expm1(-abs(e)) + np.exp(-abs(e)) * reverse.delta(abs(e))
    assert g.delta(-abs(e)) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@examples(12, 1000)
@given(NAMES, st.floats(0.0, 1.0), st.floats(-40.0, 40.0))
def test_every_tangent_supports_the_curve(name, alpha, e):
    """f(alpha) + e^eps alpha >= 1 - delta(eps), with f from above and delta from below."""
    o = GUARANTEES[name].optimistic
    with np.errstate(over="ignore"):
        assert o.beta(alpha) * (1 + 1e-12) + np.exp(e) * alpha >= (1 - o.delta(e)) * (1 - 1e-12) - 1e-15 - (
            GUARANTEES[name].delta(e) - o.delta(e)
        )


@examples(25, 1000)
@given(st.floats(1e-6, 30.0), st.floats(1e-6, 1.0 - 1e-6))
def test_gdp_closed_forms(mu, alpha):
    g = GDP(mu)
    with mp.workdps(40):
        z = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(alpha))
        exact = mp.erfc(-(z - mp.mpf(mu)) / mp.sqrt(2)) / 2
        assert g.beta(alpha) <= exact * (1 + mp.mpf("1e-30"))
        assert g.beta(alpha) >= exact * (1 - mp.mpf("1e-8"))
        assert 0 <= g.advantage - mp.erf(mp.mpf(mu) / (2 * mp.sqrt(2))) < 1e-13
        assert 0 <= g.auc - mp.erfc(-mp.mpf(mu) / 2) / 2 < 1e-13
    assert g.mu() == g.tail_mu == mu
    assert g.gdp() == GDPReport(mu, 0.0, 1e-10, mu, 0.0)
    assert mu * (1 - 1e-7) <= g.optimistic.mu() <= mu


@examples(25, 1000)
@given(st.floats(1e-8, 1e3))
def test_a_composed_gaussian_finds_its_mu(mu):
    g = composed_gaussian(mu)
    assert g.optimistic.mu() <= mu * (1 + 1e-15)
    assert g.mu() == mu  # capped by tail_mu, which is exact here
    assert mu <= g.fit(1e-6).mu <= mu * (1 + 2e-6)


@pytest.mark.parametrize("case", load("gaussian"), ids=lambda c: c["mu"])
def test_gaussian_reference(case):
    g = GDP(float(case["mu"]))
    for point in case["points"]:
        e, exact = float(point["eps"]), float(point["delta"])
        assert g.delta(e) == pytest.approx(exact, rel=2e-12)
        if 1e-305 < exact < g.delta(0.0) and e > 0.0:
            assert g.epsilon(exact) == pytest.approx(e, rel=1e-11)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (2.0, 0.5), (0.3, 1e-6)])
@pytest.mark.parametrize("floor", rest_slow([1.3e-3, 2.9e-7, 1e-10, 1e-20], 3))
def test_mu_of_one_step_by_definition(sigma, rate, floor):
    """Directions are each other's inverse, and mu grows as alpha falls: mu(floor) is taken at the floor."""
    with mp.workdps(60):
        beta = subsampled_point(sigma, rate, mp.mpf(floor))
        exact = quantile(1 - beta) - quantile(mp.mpf(floor))
    for adjacency in ("add_or_remove", "remove", "add"):
        g = one_step(sigma, rate, adjacency)
        assert g.optimistic.mu(floor) <= exact <= g.mu(floor)
        assert g.mu(floor) <= float(exact) * (1 + 2e-8)
        assert g.optimistic.mu(floor) >= float(exact) * (1 - 1e-7)


def test_known_mu_of_one_step():
    g = one_step(1.0, 0.01)
    assert g.mu(1.3e-3) == pytest.approx(0.0454, abs=5e-4)
    assert g.mu(2.9e-7) == pytest.approx(0.1445, abs=3e-4)
    assert g.tail_mu == pytest.approx(1.0)


@pytest.mark.parametrize(("sigma", "rate"), rest_slow([(1.0, 0.01), (2.0, 0.5), (0.3, 0.5)], 0))
@pytest.mark.parametrize("adjacency", ["add_or_remove", "remove", "add"])
def test_regret_of_one_step_on_a_dense_grid(sigma, rate, adjacency):
    g = one_step(sigma, rate, adjacency)
    report = g.gdp()
    assert report.shortfall > 0.0
    assert report.tail_mu == pytest.approx(1 / sigma)
    e = np.concatenate([np.linspace(0.0, 12.0, 3001), np.geomspace(1e-5, 1.0, 6001)])
    e = np.concatenate([-e, e])
    gauss = GDP(report.mu)
    dense = np.max((gauss.delta(e) - g.delta(e)) / (1 + np.exp(e)))
    assert dense - 1e-12 <= report.regret <= dense + 1e-6
    lost = np.max((g.delta(e) - gauss.delta(e)) / (1 + np.exp(e)))
    assert lost - 1e-13 <= report.shortfall <= 1e-9
    assert report.regret - g.optimistic.gdp().regret < 1e-7


def test_randomised_choice_of_definitions():
    rng = np.random.default_rng(3)
    for _ in range(20):
        s, q, e = rng.uniform(0.3, 3), 10 ** rng.uniform(-6, -0.01), rng.uniform(-2, 4)
        for direction in ("remove", "add"):
            g = one_step(s, q, direction)
            exact = subsampled_delta(s, q, direction, e)
            assert g.optimistic.delta(e) <= exact <= g.delta(e)
            if exact > 1e-250:
                assert g.delta(e) == pytest.approx(float(exact), rel=1e-11)


def test_blatant_mechanisms_never_get_a_small_mu():
    g = composed_gaussian(40.0)
    assert g.fit(1e-10).mu == pytest.approx(40.0, rel=1e-11)
    assert g.fit(1e-10).mu >= 40.0
    assert composed_gaussian(3e4).optimistic.mu() == pytest.approx(3e4, rel=1e-11)
    assert (BLATANT.mu(), BLATANT.epsilon(0.5), BLATANT.beta(0.1)) == (np.inf, np.inf, 0.0)
    assert BLATANT.regret(PERFECT) == 0.0
    assert PERFECT.regret(BLATANT) == 0.5
    assert GDP(1.0).regret(BLATANT) == pytest.approx((1 - GDP(1.0).advantage) / 2, abs=1e-12)
    assert PERFECT.regret(GDP(1.0)) == pytest.approx(GDP(1.0).advantage / 2, abs=1e-12)


@COSTLY
@pytest.mark.parametrize("n", rest_slow([2, 3, 64, 255], 0, 2))
def test_curve(g, n):
    c = g.curve(n)
    assert c.epsilon.shape == c.alpha.shape == c.beta.shape == (n,)
    assert np.all(np.diff(c.alpha) < 0.0)
    assert np.all((c.alpha >= 0.0) & (c.alpha <= 1.0) & (c.beta >= 0.0))
    assert np.all(c.beta <= g.optimistic.beta(c.alpha))
    assert np.all(np.diff(c.epsilon) >= 0.0)


def test_shapes_and_types():
    g = GDP(1.0)
    for verb in (g.delta, g.epsilon, g.beta, g.roc, g.bayes_error):
        assert type(verb(0.25)) is float
        assert type(verb(np.float32(0.25))) is float
        assert type(verb(np.array(0.25))) is float
        assert verb([[0.25, 0.5, 0.75]]).shape == (1, 3)
        assert verb([0.25])[0] == verb(0.25)


def test_values_and_words():
    assert GDP(1) == GDP(1.0) != GDP(2.0)
    assert hash(GDP(1)) == hash(GDP(1.0))
    assert repr(GDP(1.5)) == "GDP(mu=1.5)"
    assert (repr(PERFECT), repr(BLATANT)) == ("PERFECT", "BLATANT")
    assert repr(composed_gaussian(1.0)) == "<ComposedGuarantee: add_or_remove, closed form, advantage 0.382925>"
    assert str(GDP(1.0).gdp()) == (
        "1-GDP at error rates of 1e-10 and above (the floor); the summary overstates attacks by a regret of at most 0. "
        "The same mu holds below the floor."
    )
    assert str(BLATANT.gdp(1e-6)) == (
        "No finite mu is promised: with a chance above 1e-06 (the floor) the output may reveal the record; "
        "state epsilon(delta) or the whole trade-off curve instead."
    )
    assert str(PERFECT.gdp()) == "0-GDP (floor 1e-10): perfect privacy, with no exception below the floor."
    assert str(one_step(1.0, 0.01).gdp()) == (
        "0.255728-GDP at error rates of 1e-10 and above (the floor); the summary overstates attacks by a regret of at "
        "most 0.049. Below the floor only mu = 1.00001 is guaranteed; the curve falls short of G_mu there by at most "
        "1.08e-11."
    )


NUMBER = "a number, or a non-empty array of numbers, in [0, 1]"
FLOOR = "The promise of mu holds at error rates of floor and above."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.delta(float("nan")), "epsilon must be a finite number, got nan."),
        (lambda g: g.delta([0.0, float("inf")]), "epsilon must be a finite number, got inf."),
        (lambda g: g.delta([]), "epsilon must be a number, or a non-empty array of numbers, all finite, got []."),
        (lambda g: g.delta(True), "epsilon must be a number, or a non-empty array of numbers, all finite, got True."),
        (lambda g: g.epsilon(1.5), "delta must be a number in [0, 1], got 1.5."),
        (lambda g: g.epsilon(-1e-9), "delta must be a number in [0, 1], got -1e-09."),
        (lambda g: g.epsilon("1e-5"), f"delta must be {NUMBER}, got '1e-5'."),
        (lambda g: g.beta(2.0), "alpha must be a number in [0, 1], got 2.0."),
        (lambda g: g.beta([0.5, float("nan")]), "alpha must be a number in [0, 1], got nan."),
        (lambda g: g.beta(None), "alpha must be given, got None. Write: g.beta(alpha=0.01)"),
        (lambda g: g.roc(-0.1), "fpr must be a number in [0, 1], got -0.1."),
        (lambda g: g.bayes_error(1.1), "prior must be a number in [0, 1], got 1.1."),
        (lambda g: g.mu(0.5), f"floor must be a number in (0, 0.5), got 0.5. {FLOOR}"),
        (lambda g: g.mu(0.0), f"floor must be a number in (0, 0.5), got 0.0. {FLOOR}"),
        (lambda g: g.gdp("x"), f"floor must be a number in (0, 0.5), got 'x'. {FLOOR}"),
        (lambda g: g.curve(1), "n must be a whole number from 2 to 1e+07, got 1."),
        (lambda g: g.curve(10**12), "n must be a whole number from 2 to 1e+07, got 1000000000000."),
        (lambda g: g.curve(2.5), "n must be a whole number from 2 to 1e+07, got 2.5."),
        (lambda g: g.regret(1.0), "other must be a Guarantee, got 1.0."),
        (lambda g: GDP(-1), "mu must be a finite number >= 0, got -1."),
        (lambda g: GDP(True), "mu must be a finite number >= 0, got True."),
        (lambda g: GDP(float("inf")), "mu must be a finite number >= 0, got inf."),
        (
            lambda g: ComposedGuarantee(g.sides.forward, g.sides.backward, "swap"),
            "adjacency must be one of 'add_or_remove', 'add', 'remove', 'replace', got 'swap'. Did you mean 'replace'?",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InvalidParameter) as caught:
        call(GDP(1.0))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "setting", [(1.8293936977691276, 0.14314852261351307, 83323), (0.3578220706578604, 0.457329066725073, 485)]
)
@pytest.mark.parametrize("floor", rest_slow([1e-2, 1e-10, 1e-20], 0))
def test_mu_of_one_direction_whose_curve_lies_below_the_floor(setting, floor):
    """The fixed point takes the floor's place; a curve and its reversal have the same."""
    ends = []
    for adjacency in ("remove", "add"):
        g = ny.account(ny.DPSGD(*setting), adjacency=adjacency)
        assert g.fixed_point < floor
        assert 0.0 <= g.mu(floor) - g.optimistic.mu(floor) < 1e-8 * g.mu(floor)
        ends.append((g.optimistic.mu(floor), g.mu(floor)))
    assert max(low for low, _ in ends) <= min(high for _, high in ends)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"), rest_slow([(0.3, 0.5, 5), (0.3, 0.1, 5), (1.0, 1e-3, 50), (2.0, 0.4, 300)], 2, 3)
)
def test_at_zero_both_directions_are_one_distance(sigma, rate, steps):
    """delta(0) is the distance in total variation: each direction alone encloses what both together say."""
    both = ny.account(ny.DPSGD(sigma, rate, steps))
    for adjacency in ("add", "remove"):
        one = ny.account(ny.DPSGD(sigma, rate, steps), adjacency=adjacency)
        assert one.optimistic.delta(0.0) <= both.delta(0.0)
        assert both.optimistic.delta(0.0) <= one.delta(0.0)
        # asked beside other eps, the same
    grid = np.array([0.0, 0.7, 0.0, 1.9])
    assert np.array_equal(both.delta(grid), [both.delta(e) for e in grid])


def test_epsilon_is_handed_out_when_it_is_itself_narrow():
    """At the end of two Laplace steps on a lattice delta has no six digits, but epsilon has a dozen."""
    g = ny.account(ny.compose([ny.Laplace(1.0), ny.Laplace(2.0)]))
    with pytest.raises(ny.NotCertified):
        g.delta(1.5 * (1.0 - 2.0**-32))
    upper, lower = g.epsilon(1e-9), g.optimistic.epsilon(1e-9)
    # delta = (1 - e^{eps - 1.5}) / 4 there, but for a part of order (1.5 - eps)^2
    assert lower <= 1.5 - 4e-9 * (1.0 - 1e-6)
    assert 1.5 - 4e-9 * (1.0 + 1e-6) <= upper <= lower * (1.0 + 1e-6)


def test_several_laplace_steps_keep_their_digits_to_the_end():
    g = ny.account(ny.Laplace(1.0) ** 2)
    left = 2.0**-31
    # (1 - e^-left) / 4, and what comes of one step between its ends: left^2 / 16
    assert g.delta(2.0 - left) == pytest.approx(-math.expm1(-left) / 4.0 + left**2 / 16.0, rel=1e-12)


def test_an_epsilon_that_is_not_narrow_is_refused():
    """There is an end to the digits, and the message says where."""
    g = ny.account(ny.DPSGD(0.7, 1e-4, 3000), tolerance=1e-12)
    with pytest.raises(ny.NotCertified) as caught:
        g.epsilon(1e-5)
    lower, upper = caught.value.lower, caught.value.upper
    assert 0.06 < lower < upper < 0.0601
    assert str(caught.value) == (
        f"epsilon(1e-05) is certified only to lie in [{lower!r}, {upper!r}]: wider than the tolerance 1e-12 asks; "
        "pass a larger tolerance to account() to accept it."
    )
    wide = ny.account(ny.DPSGD(0.7, 1e-4, 3000), tolerance=1e-2)
    assert wide.optimistic.epsilon(1e-5) <= wide.epsilon(1e-5)


def test_flat_curves_are_not_asked_for_more_than_their_mu_shows() -> None:
    class Counted(GaussianProfile):
        asked = 0

        def bracket(self, epsilon: np.ndarray) -> Bracket:
            Counted.asked += len(epsilon)
            return super().bracket(epsilon)

    profile = Counted(1.0)
    found = fit_upper(Pair(profile, profile), 1e-10, 1.0)
    assert 1.0 <= found.mu <= 1.0 + 1e-6
    assert Counted.asked < 5000
