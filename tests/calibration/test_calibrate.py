"""calibrate: closed forms, laws, whole numbers, directions, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, special

import neyman as ny
from tests.calibration.just import just
from tests.effort import examples, rest_slow

t = ny.targets


@examples(1, 100)
@given(mu=st.floats(1e-3, 8.0), floor=st.floats(1e-12, 0.1))
def test_gaussian_noise_for_mu(mu: float, floor: float) -> None:
    sigma = just(ny.calibrate(ny.Gaussian, t.Mu(mu, floor)), ny.Gaussian)
    assert 1.0 <= sigma * mu <= 1.0 + 1e-6


@examples(20, 400)
@given(advantage=st.floats(1e-4, 0.999))
def test_gaussian_noise_for_advantage(advantage: float) -> None:
    sigma = just(ny.calibrate(ny.Gaussian, t.Advantage(advantage)), ny.Gaussian)
    assert sigma == pytest.approx(0.5 / special.ndtri(0.5 * (1.0 + advantage)), rel=1.1e-6)


@examples(3, 100)
@given(rate=st.floats(1e-6, 0.5), mu=st.floats(0.01, 4.0))
def test_gaussian_noise_for_attacks(rate: float, mu: float) -> None:
    power = float(special.ndtr(special.ndtri(rate) + mu))
    for target in (t.TPR(power, rate), t.Reconstruction(power, rate)):
        sigma = just(ny.calibrate(ny.Gaussian, target), ny.Gaussian)
        assert sigma * mu == pytest.approx(1.0, rel=1e-5)


@examples(3, 400)
@given(prior=st.floats(0.1, 0.9), mu=st.floats(0.5, 4.0), fpr=st.floats(1e-4, 0.3))
def test_gaussian_noise_for_guesses(prior: float, mu: float, fpr: float) -> None:
    error = ny.GDP(mu).bayes_error(prior)
    assume(error < min(prior, 1.0 - prior) * (1.0 - 1e-6))
    posterior = float(ny.risk.posterior(ny.GDP(mu), prior, fpr))
    for target in (t.BayesError(error, prior), t.Posterior(posterior, prior, fpr)):
        sigma = just(ny.calibrate(ny.Gaussian, target), ny.Gaussian)
        assert sigma * mu == pytest.approx(1.0, rel=1e-5)


@examples(10, 400)
@given(epsilon=st.floats(0.05, 12.0), delta=st.floats(1e-12, 0.1))
def test_gaussian_noise_for_a_pair_is_the_analytic_one(epsilon: float, delta: float) -> None:
    """Balle and Wang (2018), Improving the Gaussian mechanism, Theorem 8."""

    def over(log_sigma: float) -> float:
        mu = math.exp(-log_sigma)
        a, b = special.log_ndtr(0.5 * mu - epsilon / mu), epsilon + special.log_ndtr(-0.5 * mu - epsilon / mu)
        return a + math.log1p(-min(math.exp(b - a), 1.0 - 1e-15)) - math.log(delta)

    sigma = just(ny.calibrate(ny.Gaussian, t.Epsilon(epsilon, delta)), ny.Gaussian)
    assert math.log(sigma) == pytest.approx(optimize.brentq(over, -4.0, 8.0, xtol=1e-12), abs=1.1e-6)


@given(epsilon=st.floats(0.01, 20.0))
def test_laplace_noise_for_pure_privacy(epsilon: float) -> None:
    scale = just(ny.calibrate(ny.Laplace, t.Epsilon(epsilon, delta=0.0)), ny.Laplace)
    assert 1.0 - 1e-12 <= scale * epsilon <= 1.0 + 1e-6


@examples(8, 400)
@given(epsilon=st.floats(0.1, 8.0), advantage=st.floats(0.01, 0.9))
def test_epsilon_of_randomized_response_rises_to_the_target(epsilon: float, advantage: float) -> None:
    """The larger the parameter, the less private: the direction is found out."""
    found = ny.calibrate(ny.RandomizedResponse, t.Epsilon(epsilon, delta=0.0))
    assert just(found, ny.RandomizedResponse) == pytest.approx(epsilon, rel=1.1e-6)
    assert found.bracket[0] < found.bracket[1]
    found = ny.calibrate(ny.RandomizedResponse, t.Advantage(advantage))
    assert math.tanh(0.5 * just(found, ny.RandomizedResponse)) == pytest.approx(advantage, rel=1e-5)


MONOTONE: list[Callable[[float], ny.Mechanism]] = [
    lambda x: ny.Gaussian(x),
    lambda x: ny.Gaussian(1.0 / x),
    lambda x: ny.Gaussian(0.3 * x**5),
    lambda x: ny.Laplace(x),
    lambda x: ny.Gaussian(2.0, sensitivity=x),
    lambda x: ny.Gaussian(x) * ny.Laplace(20.0),
    lambda x: ny.Opaque(ny.GDP(x)),
    lambda x: ny.DiscreteGaussian(x) ** 5,
]
MET = [t.Epsilon(1.3, 1e-5), t.Mu(0.7), t.Advantage(0.2), t.TPR(0.2, 0.05), t.Divergence(0.02, ny.GDP(0.5))]


@pytest.mark.parametrize(
    ("make", "target"),
    [  # every way for one target, every target for one way; the other pairs in the slow run
        pytest.param(make, target, marks=[] if i == 0 or j == 2 else pytest.mark.slow)
        for i, make in enumerate(MONOTONE)
        for j, target in enumerate(MET)
    ],
    ids=lambda value: None if callable(value) else repr(value),
)
def test_any_monotone_parameter(make: Callable[[float], ny.Mechanism], target: Any) -> None:
    found = ny.calibrate(make, target)
    p = just(found, make)
    again = ny.calibrate(make, target, (p / 7.0, p * 5.0))
    assert just(again, make) == pytest.approx(p, rel=2e-6)
    assert max(found.evaluations, again.evaluations) <= 25  # delta of one Laplace step falls off a cliff


@examples(1, 100)
@given(epsilon=st.floats(0.2, 5.0), factor=st.floats(1.01, 3.0))
def test_stricter_targets_need_more_noise(epsilon: float, factor: float) -> None:
    def needed(target: Any) -> float:
        return float(ny.calibrate(ny.Gaussian, target))

    assert needed(t.Epsilon(epsilon, 1e-6)) > needed(t.Epsilon(epsilon * factor, 1e-6))
    assert needed(t.Epsilon(epsilon, 1e-6)) > needed(t.Epsilon(epsilon, 1e-6 * factor))
    assert needed(t.Mu(epsilon, 1e-6)) > needed(t.Mu(epsilon * factor, 1e-6))


@examples(1, 60)
@given(epsilon=st.floats(0.2, 5.0), advantage=st.floats(0.05, 0.9), mu=st.floats(0.1, 3.0))
def test_a_conjunction_needs_what_its_strictest_target_needs(epsilon: float, advantage: float, mu: float) -> None:
    each = [t.Epsilon(epsilon, 1e-6), t.Advantage(advantage), t.Mu(mu)]
    sigma = just(ny.calibrate(ny.Gaussian, t.All(*each)), ny.Gaussian)
    assert sigma == pytest.approx(max(float(ny.calibrate(ny.Gaussian, one)) for one in each), rel=2e-6)


@examples(2, 200)
@given(mu=st.floats(0.05, 3.0), tolerance=st.sampled_from([1e-9, 1e-8, 1e-4, 1e-2]))
def test_the_tolerance_is_kept(mu: float, tolerance: float) -> None:
    found = ny.calibrate(ny.Gaussian, t.Mu(mu), tolerance=tolerance)
    meets, misses = found.bracket
    assert 0.0 < meets - misses <= tolerance * meets
    assert meets * mu >= 1.0 > misses * mu * (1.0 - 1e-12)


@examples(1, 80)
@given(rate=st.floats(0.01, 0.3), sigma=st.floats(0.8, 4.0), epsilon=st.floats(0.5, 4.0))
def test_the_last_whole_number(rate: float, sigma: float, epsilon: float) -> None:
    def make(n: int) -> ny.Mechanism:
        assert isinstance(n, int)
        return ny.DPSGD(sigma, rate, n)

    target = t.Epsilon(epsilon, 1e-5)
    assume(ny.account(make(1)).delta(epsilon) <= 1e-5)
    steps = just(ny.calibrate(make, target, (1, 10**5)), make)
    assert steps == just(ny.calibrate(make, target, integer=True), make)


def test_whole_numbers_by_counting() -> None:
    def make(n: int) -> ny.Mechanism:
        return ny.RandomizedResponse(0.3) ** n

    for target in (t.Epsilon(1.0, 1e-3), t.Epsilon(1.0, 0.0), t.Advantage(0.31), t.Mu(1.2), t.BayesError(0.2, 0.4)):
        counted = next(n for n in range(100) if not target.met_by(ny.account(make(n + 1))))
        for found in (ny.calibrate(make, target, (0, 500)), ny.calibrate(make, target, integer=True)):
            assert just(found, make) == counted
            assert type(found.parameter) is int
    none = ny.calibrate(make, t.Advantage(0.01), (0, 500))
    assert none.bracket == (0, 1)


def test_more_is_better_for_whole_numbers_too() -> None:
    def make(sigma: int) -> ny.Mechanism:
        return ny.DiscreteGaussian(float(sigma)) ** 10

    found = ny.calibrate(make, t.Epsilon(1.0, 1e-6), (1, 1000))
    sigma = just(found, make)
    assert found.bracket == (sigma, sigma - 1)


def test_numbers_too_large_to_count_are_exact_as_far_as_the_tolerance() -> None:
    def make(n: int) -> ny.Mechanism:
        return ny.Gaussian(1e7) ** n

    found = ny.calibrate(make, t.Mu(1.0), integer=True)
    meets, misses = found.bracket
    assert found.parameter == meets <= 10**14 < misses <= meets * (1.0 + 1e-6)
    assert found.target.missed_by(ny.account(make(int(misses))))


def test_two_ints_mean_whole_numbers_unless_told_otherwise() -> None:
    found = ny.calibrate(lambda n: ny.Gaussian(10.0) ** n, t.Mu(1.05), (1, 1000), integer=None)
    assert found.parameter == 110
    found = ny.calibrate(ny.Gaussian, t.Mu(0.3), (1, 1000), integer=False)
    assert found.parameter == pytest.approx(1.0 / 0.3, rel=1.1e-6)


@examples(1, 100)
@given(mu=st.floats(0.2, 3.0))
def test_it_is_idempotent(mu: float) -> None:
    first = ny.calibrate(ny.Gaussian, t.Mu(mu))
    meets, misses = first.bracket
    again = ny.calibrate(ny.Gaussian, t.Mu(mu), (misses, meets))
    assert again.bracket == first.bracket
    assert again.evaluations == 2
    assert str(again) == str(first)
    assert ny.calibrate(ny.Gaussian, t.Mu(mu)).bracket == first.bracket


@pytest.mark.parametrize("adjacency", ["add_or_remove", "add", "remove", "replace"])
@pytest.mark.parametrize("target", rest_slow([t.Epsilon(1.0, 1e-5), t.TPR(0.2, 0.05), t.Posterior(0.7, 0.5, 0.01)], 0))
def test_adjacencies(adjacency: str, target: Any) -> None:
    def make(sigma: float) -> ny.Mechanism:
        return ny.Gaussian(sigma).poisson(0.1) ** 50

    found = ny.calibrate(make, target, adjacency=adjacency)
    just(found, make, adjacency)
    assert found.guarantee.adjacency == adjacency


def test_only_certified_bounds_decide() -> None:
    """The answer is proved: below, the truth itself is on the other side."""
    found = ny.calibrate(ny.Gaussian, t.Epsilon(1.0, 1e-5))
    meets, misses = found.bracket
    assert ny.account(ny.Gaussian(meets)).epsilon(1e-5) <= 1.0
    assert ny.account(ny.Gaussian(misses)).optimistic.epsilon(1e-5) > 1.0 - 1e-12


@pytest.mark.parametrize("bracket", rest_slow([None, [1.0, 5000.0]], 0))
def test_stairs(bracket: Any) -> None:
    """A parameter that make rounds: the answer is the last place on its step."""

    def make(x: float) -> ny.Mechanism:
        return ny.Gaussian(10.0) ** int(x)

    found = ny.calibrate(make, t.Mu(1.05), bracket and tuple(bracket))
    meets, misses = found.bracket
    assert 111.0 * (1.0 - 1e-6) <= meets < 111.0 <= misses <= meets * (1.0 + 1e-6)
    just(found, make)


class Vague(Exception):
    """Stands for whatever a caller's function may raise."""


def test_what_make_raises_is_not_hidden() -> None:
    def make(x: float) -> ny.Mechanism:
        raise Vague

    with pytest.raises(Vague):
        ny.calibrate(make, t.Mu(1.0))


def test_what_cannot_be_told_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the certificates leave a gap wider than the tolerance, nothing is guessed."""
    from neyman.calibration.curve_targets import Mu

    sharp = Mu.number

    def vague(self: Any, side: ny.Guarantee) -> float:
        return sharp(self, side) * (1.0 if type(side).__name__ != "OptimisticGuarantee" else 0.999)

    monkeypatch.setattr(Mu, "number", vague)
    monkeypatch.delattr(Mu, "excess_beside")
    with pytest.raises(ny.NotCertified, match="the parameter that just meets the target is certified only") as caught:
        ny.calibrate(ny.Gaussian, t.Mu(1.0))
    assert caught.value.upper == pytest.approx(1.0, rel=1e-5)
    assert caught.value.lower < 0.9991
    found = ny.calibrate(ny.Gaussian, t.Mu(1.0), tolerance=1e-2)
    assert 1.0 <= found.parameter <= 1.01
    assert found.bracket[1] < 0.999


def test_an_accounting_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import neyman.calibration.trial as trial

    def account(mechanism: ny.Mechanism, **asked: Any) -> ny.Guarantee:
        raise ny.NotCertified("delta(1.0)", 0.1, 0.2, "for no reason")

    monkeypatch.setattr(trial, "account", account)
    with pytest.raises(ny.NotCertified, match=r"delta\(1.0\) at the parameter 1.0 is certified only to lie in"):
        ny.calibrate(ny.Gaussian, t.Mu(1.0))


@pytest.mark.parametrize(
    ("bracket", "says"),
    [
        ((3.0, 1.0), "two numbers, low < high"),
        ((1.0, 1.0), "two numbers, low < high"),
        ((1.0,), "two numbers, low < high"),
        (5.0, "two numbers, low < high"),
        ((0.0, 1.0), "a finite number > 0"),
        ((-1.0, 1.0), "a finite number > 0"),
        ((math.nan, 1.0), "a finite number > 0"),
        ((1.0, math.inf), "a finite number > 0"),
        ((-1, 5), "a whole number from 0"),
        ((True, 5), "a whole number from 0"),
    ],
)
def test_brackets_that_are_refused(bracket: Any, says: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=says) as caught:
        ny.calibrate(ny.Gaussian, t.Mu(1.0), bracket)
    assert caught.value.name == "bracket"


@pytest.mark.parametrize(
    ("call", "name", "says"),
    [
        (lambda: ny.calibrate(1.0, t.Mu(1.0)), "make", "a function of one number that returns a Mechanism"),
        (lambda: ny.calibrate(lambda x: x, t.Mu(1.0)), "make", "a function that returns a Mechanism, got 1.0"),
        (lambda: ny.calibrate(ny.GDP, t.Mu(1.0)), "make", r"ny.Opaque\(guarantee\)"),
        (lambda: ny.calibrate(ny.Gaussian, 1.0), "target", "a target"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu), "target", "a target"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), adjacency="both"), "adjacency", "one of"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), tolerance=0.0), "tolerance", "number in"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), tolerance=math.nan), "tolerance", "number in"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), effort=math.nan), "effort", "a finite number > 0, got nan"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), effort=0.0), "effort", "a finite number > 0, got 0.0"),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), effort=-1.0), "effort", "a finite number > 0, got -1.0"),
        (
            lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), (0.1, 0.5)),
            "target",
            "It is met nowhere: at 0.1 the mu at floor 1e-10 is certified to be 10, allowed 1; at 0.5 .* 2, ",
        ),
        (lambda: ny.calibrate(ny.Gaussian, t.Mu(1.0), (2.0, 5.0)), "target", "It is met throughout: at 2.0 .* be 0.5,"),
        (lambda: ny.calibrate(ny.Gaussian, t.Epsilon(1.0, 0.0)), "target", "It is met nowhere: .* be inf, allowed 1"),
        (lambda: ny.calibrate(lambda x: ny.Gaussian(2.0), t.Mu(1.0)), "target", "It is met throughout: "),
        (lambda: ny.calibrate(lambda x: ny.Gaussian(0.5), t.Mu(1.0), (1, 9)), "target", "It is met nowhere: "),
        (lambda: ny.calibrate(lambda x: ny.Gaussian(x) * ny.Laplace(0.1), t.Mu(1.0), (0.5, 99.0)), "target", "nowhere"),
        (lambda: ny.calibrate(lambda d: ny.ApproximateMechanism(0.1, d), t.Mu(1.0)), "bracket", "start at 1.0"),
    ],
)
def test_refusals(call: Any, name: str, says: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=says) as caught:
        call()
    assert caught.value.name == name


@pytest.mark.parametrize(
    "make",
    [
        lambda x: ny.Gaussian(3.0 * math.exp(-((x - 3.0) ** 2))),  # both ends miss, what is between meets
        lambda x: ny.Gaussian(0.5 + (x - 3.0) ** 2),  # both ends meet, what is between misses
        lambda x: ny.Gaussian(0.5 + x * (1.0 + 0.9 * math.sin(4.0 * math.log(x)))),
        lambda x: ny.Gaussian(0.3 + abs(x - 1.5)),  # falls, and rises past the target
    ],
)
def test_what_is_not_monotone(make: Callable[[float], ny.Mechanism]) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"monotone in its parameter|met throughout|met nowhere") as caught:
        ny.calibrate(make, t.Mu(1.0), (1.0, 6.0))
    assert caught.value.name in ("make", "target")


def test_what_is_seen_to_turn_is_refused_with_what_was_found() -> None:
    with pytest.raises(
        ny.InvalidParameter, match=r"make must be monotone in its parameter, got .*farther from"
    ) as caught:
        ny.calibrate(lambda x: ny.Gaussian(x if x > 2.0 or x < 1.1 else 0.3), t.Mu(0.6), (1.0, 9.0))
    assert caught.value.name == "make"


@pytest.mark.slow
def test_a_rate_is_sought_up_to_one() -> None:
    found = ny.calibrate(lambda q: ny.Gaussian(1.0).poisson(q) ** 5, t.Epsilon(4.0, 0.1))
    assert 0.9 < found.parameter < 1.0


def test_make_that_refuses_on_the_way_bounds_the_search() -> None:
    def small(x: float) -> ny.Mechanism:
        if x > 1.5:
            raise ny.InvalidParameter("x", x, "a number up to 1.5")
        return ny.Gaussian(x)

    assert ny.calibrate(small, t.Mu(0.7)).parameter == pytest.approx(1.0 / 0.7, rel=1.1e-6)
    with pytest.raises(ny.InvalidParameter, match="met nowhere"):
        ny.calibrate(small, t.Mu(0.5))


def test_half_a_dozen_evaluations() -> None:
    rng = np.random.default_rng(5)
    counts = [ny.calibrate(ny.Gaussian, t.Epsilon(e, 1e-6)).evaluations for e in rng.uniform(0.1, 8.0, 40)]
    assert np.median(counts) <= 7
    assert max(counts) <= 10


@pytest.mark.parametrize(
    ("make", "adjacency", "target"),
    [
        (ny.RandomizedResponse, "remove", t.Reconstruction(0.7342057022908142, 0.2494363538378483)),
        (ny.RandomizedResponse, "replace", t.TPR(0.21543183891818599, 0.007090374198480887)),
        (ny.RandomizedResponse, "replace", t.Posterior(0.012232085133441935, 0.003930095001401281, 0.25857989)),
        (ny.DiscreteGaussian, "remove", t.TPR(0.2617480773224231, 2.4326388353957734e-05)),
        (ny.Laplace, "add", t.Posterior(0.7544240007408649, 0.5141448342824846, 0.005986706707305038)),
    ],
)
def test_curves_with_corners(make: Callable[[float], ny.Mechanism], adjacency: str, target: Any) -> None:
    """Their bounds from the other side are sharp enough for the tolerance."""
    just(ny.calibrate(make, target, adjacency=adjacency), make, adjacency)


def test_the_other_side_is_asked_only_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    missed_by = t.Advantage.missed_by
    excess = t.Advantage.excess

    def counted(self: Any, side: ny.Guarantee) -> float:
        if type(side).__name__ == "OptimisticGuarantee":
            asked.append(1.0)
        return excess(self, side)

    monkeypatch.setattr(t.Advantage, "excess", counted)
    found = ny.calibrate(lambda s: ny.Laplace(s) ** 3, t.Advantage(0.3))
    assert found.evaluations > 3
    assert len(asked) <= 2
    assert missed_by(found.target, ny.account(ny.Laplace(found.bracket[1]) ** 3, tolerance=1e-7))


def test_far_trials_are_rough_and_the_answer_is_not() -> None:
    from neyman.calibration.trial import LOGARITHMIC, Trials

    trials = Trials(ny.Gaussian, t.Mu(1.0), "add_or_remove", 1e-7, LOGARITHMIC, False)
    assert trials.at(9.0, rough=True).guarantee.tolerance == 1e-4
    assert trials.at(1.01, rough=True).guarantee.tolerance == 1e-7
    found = ny.calibrate(lambda n: ny.Gaussian(1.0) ** n, t.Mu(1.1), (1, 2))
    assert found.bracket == (1, 2)
    found = ny.calibrate(lambda n: ny.Gaussian(1.0) ** n, t.Mu(1.2), (1, 50))
    assert found.bracket == (1, 2)
    assert found.guarantee.tolerance <= 1e-6


def test_a_target_beyond_where_make_ends_is_refused_at_once() -> None:
    calls: list[float] = []

    def make(x: float) -> ny.Mechanism:
        if x < 0.02:
            raise ny.InvalidParameter("x", x, "a number >= 0.02")
        calls.append(x)
        return ny.Laplace(x).poisson(0.01)

    with pytest.raises(ny.InvalidParameter, match="met throughout"):
        ny.calibrate(make, t.TPR(0.8, 0.01))
    assert len(calls) < 15


def test_a_start_that_make_refuses_says_why() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"a whole number from 0 .* That is integer=True"):
        ny.calibrate(lambda n: ny.Gaussian(10.0) ** n, t.Mu(1.05))


@pytest.mark.parametrize("integer", ["yes", 1, 0.0])
def test_integer_is_a_flag(integer: Any) -> None:
    with pytest.raises(ny.InvalidParameter, match="integer must be True, False or None"):
        ny.calibrate(ny.Gaussian, t.Mu(1.0), integer=integer)


def test_few_copies_that_tell_next_to_nothing_do_not_mislead_the_count():
    found = ny.calibrate(lambda n: ny.DPSGD(4.0, 0.015625, n), t.Epsilon(1.0, 1e-5), integer=True)
    assert found.parameter == ny.steps_for_dpsgd(t.Epsilon(1.0, 1e-5), 4.0, 0.015625).parameter == 4505
