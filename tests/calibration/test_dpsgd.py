"""The three numbers of DP-SGD: published and peers' cases, random targets, whole steps, refusals."""

from __future__ import annotations

import functools
import math
import time
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

import neyman as ny
from tests.calibration.just import just
from tests.effort import rest_slow

t = ny.targets


@functools.cache
def noise(target: Any, rate: float, steps: int) -> ny.Calibration:
    found = ny.noise_for_dpsgd(target, sample_rate=rate, steps=steps)
    just(found, lambda sigma: ny.DPSGD(sigma, rate, steps))
    assert found.bracket[1] < found.bracket[0]
    return found


@pytest.mark.parametrize(
    ("target", "rate", "steps", "sigma"),
    [
        (t.Epsilon(8.0, 1e-5), 0.01, 10_000, 0.8825284),
        (t.Advantage(0.1), 0.01, 1000, 1.4224401),
        (t.Advantage(0.1), 0.01, 10_000, 4.0387695),
        pytest.param(t.TPR(0.5, 0.01), 0.01, 1000, 0.4303687, marks=pytest.mark.slow),
        (t.TPR(0.5, 0.01), 0.01, 10_000, 0.7150469),
        (t.Epsilon(8.0, 1e-5), 0.32768, 2000, 8.838),
    ],
    ids=repr,
)
def test_the_public_cases(target: Any, rate: float, steps: int, sigma: float) -> None:
    found = noise(target, rate, steps)
    assert found.parameter == pytest.approx(sigma, rel=1.1e-6 if sigma != 8.838 else 1e-4)
    assert found.evaluations <= 8


@pytest.mark.parametrize(
    ("peer", "target", "sigma"),
    [
        ("dp_accounting, PLD", t.Epsilon(8.0, 1e-5), 0.8825299),
        ("opacus, PRV", t.Epsilon(8.0, 1e-5), 0.8831787),
        ("opacus, RDP", t.Epsilon(8.0, 1e-5), 0.9173584),
        ("prv_accountant", t.Epsilon(8.0, 1e-5), 0.8829438),
        ("jax_privacy", t.Epsilon(8.0, 1e-5), 0.8921329),
        ("riskcal", t.Epsilon(8.0, 1e-5), 0.8825703),
        ("riskcal", t.Advantage(0.1), 4.039554),
    ],
)
def test_peers_that_are_safe_ask_for_more_noise(peer: str, target: Any, sigma: float) -> None:
    """Stored answers at rate 0.01, 10,000 steps."""
    assert noise(target, 0.01, 10_000).parameter < sigma
    assert target.met_by(ny.account(ny.DPSGD(sigma, 0.01, 10_000))), peer


@pytest.mark.parametrize(
    ("peer", "target", "sigma"),
    [("riskcal, error rates", t.TPR(0.5, 0.01), 0.7140503), ("opacus, GDP", t.Epsilon(8.0, 1e-5), 0.8679199)],
)
def test_peers_that_err_on_the_unsafe_side(peer: str, target: Any, sigma: float) -> None:
    assert target.missed_by(ny.account(ny.DPSGD(sigma, 0.01, 10_000))), peer
    assert noise(target, 0.01, 10_000).parameter > sigma


def test_dp_accounting_agrees() -> None:
    sigma = noise(t.Epsilon(2.0, 1e-5), 0.05, 300).parameter
    made = functools.partial(pld.from_gaussian_mechanism, sigma, sampling_prob=0.05, value_discretization_interval=1e-3)
    above = made(pessimistic_estimate=True).self_compose(300).get_epsilon_for_delta(1e-5)
    below = made(pessimistic_estimate=False).self_compose(300).get_epsilon_for_delta(1e-5)
    assert below <= 2.0 <= above


def drawn(seed: int, count: int) -> list[tuple[Any, float, int]]:
    """Targets of every kind, as a Gaussian mechanism with a mu between 0.05 and 4 would meet them."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, float, int]] = []
    while len(rows) < count:
        g = ny.GDP(math.exp(rng.uniform(math.log(0.05), math.log(4.0))))
        fpr, prior, mu = 10.0 ** rng.uniform(-5.0, -0.5), rng.uniform(0.2, 0.8), float(g.mu())
        error = g.bayes_error(prior)
        if error > min(prior, 1.0 - prior) * (1.0 - 1e-6):
            continue
        targets = (
            lambda r=rng: t.Epsilon(math.exp(r.uniform(-2.0, 2.3)), 10.0 ** r.uniform(-9.0, -3.0)),
            lambda m=mu: t.Mu(m),
            lambda h=g: t.Advantage(h.advantage),
            lambda h=g, f=fpr: t.TPR(h.roc(f), f),
            lambda h=g, f=fpr: t.Reconstruction(h.roc(f), f),
            lambda e=error, p=prior: t.BayesError(e, p),
            lambda h=g, f=fpr, p=prior: t.Posterior(float(ny.risk.posterior(h, p, f)), p, f),
            lambda h=g, r=rng: t.Divergence(r.uniform(0.001, 0.1), h),
        )
        steps = int(10.0 ** rng.uniform(2.0, 5.0))
        rate = max(10.0 ** rng.uniform(-3.0, 0.0), 2.0 / steps)
        rows.append((targets[len(rows) % len(targets)](), rate, steps))
    return rows


@pytest.mark.parametrize("count", rest_slow([3, 16], 0))
def test_random_targets_of_every_kind(count: int) -> None:
    counts: list[int] = []
    for target, rate, steps in drawn(11, count):
        shown = ny.ApproximateDP(0.0, min(-math.expm1(steps * math.log1p(-rate)) + 1e-12, 1.0))
        if target.met_by(shown):  # even where every record that is sampled is shown
            with pytest.raises(ny.InvalidParameter, match="missed where no noise is added"):
                ny.noise_for_dpsgd(target, rate, steps)
        else:
            counts.append(noise(target, rate, steps).evaluations)
    assert len(counts) >= count - 3
    assert np.median(counts) <= 6


@pytest.mark.parametrize(
    ("target", "rate", "steps"),
    rest_slow([
        (t.Epsilon(1.0, 1e-7), 1e-3, 50), (t.Epsilon(7.0, 3e-4), 0.14, 5), (t.TPR(1.7e-4, 3e-6), 0.0018, 5),
        (t.Advantage(0.4), 0.023, 30), (t.Mu(0.47), 0.0027, 10), (t.BayesError(0.2, 0.5), 0.5, 2),
        (t.Epsilon(1.0, 1e-6), 1.0, 1), (t.Epsilon(1.0, 1e-6), 0.01, 1),
    ], 5, 6, 7),
    ids=repr,
)  # fmt: skip
def test_few_and_rare_steps(target: Any, rate: float, steps: int) -> None:
    noise(target, rate, steps)


def test_far_away_settings() -> None:
    assert noise(t.Mu(30.0), 1.0, 1).parameter == pytest.approx(1.0 / 30.0, rel=1.1e-6)
    assert noise(t.Mu(1e-4), 1.0, 10**9).parameter == pytest.approx(math.sqrt(1e9) * 1e4, rel=1.1e-6)
    assert noise(t.Epsilon(1.0, 1e-5), 0.001, 10**9).parameter > 100.0
    assert noise(t.Epsilon(1.0, 1e-30), 0.001, 10**5).parameter > 3.0


@pytest.mark.parametrize(
    ("target", "sigma", "rate"),
    [
        (t.Epsilon(1.0, 1e-5), 1.0, 0.01),
        (t.Advantage(0.1), 1.0, 0.01),
        (t.TPR(0.5, 0.01), 0.8, 0.02),
        (t.Mu(1.0), 5.0, 1.0),
        (t.Epsilon(1.0, 1e-5), 50.0, 0.001),
        (t.Epsilon(3.0, 1e-5) & t.Advantage(0.4), 2.0, 0.1),
    ],
    ids=repr,
)
def test_the_last_step(target: Any, sigma: float, rate: float) -> None:
    found = ny.steps_for_dpsgd(target, noise_multiplier=sigma, sample_rate=rate)
    assert type(found.parameter) is int
    assert found.bracket[1] == found.parameter + 1
    just(found, lambda steps: ny.DPSGD(sigma, rate, steps))
    assert found.evaluations <= 10


@pytest.mark.parametrize(
    ("target", "sigma", "steps"),
    [
        (t.Epsilon(1.0, 1e-5), 1.0, 1000),
        (t.Advantage(0.1), 10.0, 10),
        (t.TPR(0.2, 0.01), 0.8, 500),
        pytest.param(t.Epsilon(3.0, 1e-5), 0.7, 10, marks=pytest.mark.slow),
        (t.Advantage(0.1), 0.5, 1),
    ],
    ids=repr,
)
def test_the_largest_rate(target: Any, sigma: float, steps: int) -> None:
    found = ny.rate_for_dpsgd(target, noise_multiplier=sigma, steps=steps)
    assert found.bracket[1] > found.parameter
    just(found, lambda rate: ny.DPSGD(sigma, rate, steps))


def test_the_three_agree() -> None:
    target = t.Epsilon(2.0, 1e-6)
    sigma = noise(target, 0.02, 1500).parameter
    assert ny.rate_for_dpsgd(target, sigma, 1500).parameter == pytest.approx(0.02, rel=1e-5)
    assert ny.steps_for_dpsgd(target, sigma, 0.02).parameter == 1500
    assert float(ny.calibrate(lambda s: ny.DPSGD(s, 0.02, 1500), target, (0.3, 30.0))) == pytest.approx(sigma, rel=2e-6)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_noise_grows_with_rate_and_steps_and_shrinks_with_the_target(every: int) -> None:
    target = t.Epsilon(2.0, 1e-6)
    sigmas = [noise(target, rate, 500).parameter for rate in (0.01, 0.03, 0.1, 0.3, 1.0)[::every]]
    assert sigmas == sorted(sigmas)
    sigmas = [noise(target, 0.05, steps).parameter for steps in (100, 200, 1000, 5000)[::every]]
    assert sigmas == sorted(sigmas)
    sigmas = [noise(t.Epsilon(epsilon, 1e-6), 0.05, 500).parameter for epsilon in (4.0, 2.0, 1.0, 0.5)[::every]]
    assert sigmas == sorted(sigmas)


def test_other_neighbours() -> None:
    target = t.Epsilon(2.0, 1e-6)
    one = noise(target, 0.05, 500).parameter
    both = ny.noise_for_dpsgd(target, 0.05, 500, adjacency="replace").parameter
    assert 1.5 * one < both < 2.5 * one
    base = ny.account(ny.DPSGD(2.0, 0.05, 500), adjacency="remove")
    found = ny.noise_for_dpsgd(t.Divergence(0.01, base), 0.05, 500, adjacency="remove")
    assert 1.0 < found.parameter < 2.0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ny.noise_for_dpsgd(1.0, 0.1, 10), "target"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.0, 10), "sample_rate"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 1.5, 10), "sample_rate"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), math.nan, 10), "sample_rate"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.1, 0), "steps"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.1, 2.5), "steps"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.1, 10, adjacency="both"), "adjacency"),
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.1, 10, tolerance=1.0), "tolerance"),
        (lambda: ny.noise_for_dpsgd(t.Advantage(0.5), 1e-3, 10), "target"),  # met with no noise
        (lambda: ny.noise_for_dpsgd(t.Epsilon(1.0, 0.0), 0.1, 10), "target"),  # never met
        (lambda: ny.steps_for_dpsgd(t.Mu(1.0), 0.0, 0.1), "noise_multiplier"),
        (lambda: ny.steps_for_dpsgd(t.Mu(1.0), math.nan, 0.1), "noise_multiplier"),
        (lambda: ny.steps_for_dpsgd(t.Mu(1.0), 1.0, 0.0), "sample_rate"),
        (lambda: ny.steps_for_dpsgd(t.Mu(0.1), 1.0, 1.0), "target"),  # one step is too many
        (lambda: ny.rate_for_dpsgd(t.Mu(1.0), -1.0, 10), "noise_multiplier"),
        (lambda: ny.rate_for_dpsgd(t.Mu(1.0), 1.0, 0), "steps"),
        (lambda: ny.rate_for_dpsgd(t.Mu(1.0), 10.0, 10), "target"),  # met at rate 1
        (lambda: ny.noise_for_dpsgd(t.Mu(1.0), 0.1, 10, effort=math.nan), "effort"),
        (lambda: ny.steps_for_dpsgd(t.Mu(1.0), 1.0, 0.1, effort=0.0), "effort"),
        (lambda: ny.rate_for_dpsgd(t.Mu(1.0), 1.0, 10, effort=-1.0), "effort"),
    ],
)
def test_refusals(call: Any, name: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert caught.value.name == name


@pytest.mark.parametrize(
    "call",
    [
        lambda **more: ny.noise_for_dpsgd(t.Mu(1.0), 1.0, 10, **more),
        lambda **more: ny.rate_for_dpsgd(t.Advantage(0.2), 1.0, 1, **more),
        lambda **more: ny.steps_for_dpsgd(t.Mu(1.0), 10.0, 1.0, **more),
        lambda **more: ny.calibrate(ny.Gaussian, t.Mu(1.0), **more),
    ],
    ids=["noise", "rate", "steps", "any"],
)
def test_every_trial_may_take_the_effort_that_is_given(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from neyman.calibration import trial

    given: set[float] = set()

    def account(mechanism: ny.Mechanism, **asked: Any) -> ny.Guarantee:
        given.add(asked["effort"])
        return ny.account(mechanism, **asked)

    monkeypatch.setattr(trial, "account", account)
    assert call(effort=3.0).parameter == call().parameter
    assert given == {3.0, 10.0}


def test_what_the_effort_does_not_reach_is_refused_by_its_name() -> None:
    with pytest.raises(ny.NotCertified, match="a larger effort may tell"):
        ny.steps_for_dpsgd(t.Advantage(0.1), 1.0, 0.01, effort=1e-6)
    with pytest.raises(ny.InvalidParameter, match=r"met nowhere: .* a larger effort may tell"):
        ny.calibrate(lambda n: ny.DPSGD(1.0, 0.01, n), t.Advantage(0.1), (300, 400), effort=1e-6)
    with pytest.raises(ny.NotCertified, match="tolerance is 1e-06; a larger effort may tell"):
        ny.calibrate(lambda n: ny.DPSGD(1.0, 0.01, n), t.Advantage(0.1), (1, 400), effort=1e-6)
    assert ny.steps_for_dpsgd(t.Advantage(0.1), 1.0, 0.01, effort=20.0).bracket == (384, 385)


def test_what_is_refused_says_why() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"A record is in one of 10 batches with a probability of 0.00996"):
        ny.noise_for_dpsgd(t.Advantage(0.5), 1e-3, 10)
    with pytest.raises(ny.InvalidParameter, match=r"met nowhere: at 1.0 the mu at floor 1e-10 is .* 1, allo"):
        ny.steps_for_dpsgd(t.Mu(0.1), 1.0, 1.0)
    with pytest.raises(ny.InvalidParameter, match=r"met throughout: .*at 1.0 the mu at floor 1e-10 is"):
        ny.rate_for_dpsgd(t.Mu(1.0), 10.0, 10)


@pytest.mark.parametrize(("noise", "rate"), [(2**63, 0.1), (1e100, 1.0)])
def test_steps_that_no_count_reaches_are_refused_at_once(noise: float, rate: float) -> None:
    began = time.process_time()
    with pytest.raises(ny.InvalidParameter, match="met throughout"):
        ny.steps_for_dpsgd(ny.targets.Mu(1.0), noise, rate)
    assert time.process_time() - began < 10.0  # it was half a minute


def test_noise_for_a_regret() -> None:
    """Certified on both sides by the accounting alone, and by another road to the regret: Delta(f || G_mu)."""
    target = t.Regret(0.01)
    for rate, steps in ((0.1, 400), (0.01, 10_000)):
        found = ny.noise_for_dpsgd(target, rate, steps)
        meets, misses = (ny.account(ny.DPSGD(noise, rate, steps)) for noise in found.bracket)
        report = meets.gdp()
        assert report.regret <= 0.01 < misses.optimistic.gdp().regret
        assert ny.compare(meets, ny.GDP(report.mu)).bounds[0].lower <= 0.01
        assert found.bracket[1] == pytest.approx(found.bracket[0], rel=2e-6)


def test_a_regret_asks_for_noise_even_where_everything_is_shown() -> None:
    """With no noise, after so many steps nothing is hidden and no mu is finite: there mu tells all there is to tell."""
    assert t.Regret(0.01).met_by(ny.account(ny.ApproximateMechanism(0.0, 1.0 - 1e-12)))
    assert ny.noise_for_dpsgd(t.Regret(0.01), 0.1, 400).parameter > 2.0


def test_where_a_regret_rises_and_falls() -> None:
    found = ny.calibrate(ny.Laplace, t.Regret(0.02), (0.2, 0.5))
    assert found.bracket[0] < found.bracket[1]  # less noise, and less to regret
    found = ny.calibrate(ny.Laplace, t.Regret(0.02), (1.0, 10.0))
    assert found.bracket[0] > found.bracket[1]
    assert ny.calibrate(ny.Laplace, t.Regret(0.02)).bracket == pytest.approx(found.bracket, rel=1e-5)
    peak = ny.calibrate(ny.Laplace, t.Regret(0.0375))  # 0.03758 at its highest, between two steps of the search
    assert t.Regret(0.0375).missed_by(ny.account(ny.Laplace(peak.bracket[1])))
    for ends in ((0.1, 10.0), (0.5, 1.5)):  # both ends alike: of what is between nothing is said
        with pytest.raises(ny.InvalidParameter, match=r"where it was tried: from .* at 2 parameters"):
            ny.calibrate(ny.Laplace, t.Regret(0.02), ends)


@pytest.mark.parametrize(
    ("ask", "largest"),
    [
        (lambda: ny.noise_for_dpsgd(t.Regret(0.01), 0.3, 400), "0.0081"),
        (lambda: ny.rate_for_dpsgd(t.Regret(0.02), noise_multiplier=2.0, steps=400), "0.0143"),
        (lambda: ny.calibrate(ny.Laplace, t.Regret(0.05)), "0.0375"),
        (lambda: ny.calibrate(ny.Laplace, t.Regret(0.04)), "0.0375"),
        (lambda: ny.calibrate(ny.Gaussian, t.Regret(0.01)), ".*e-"),
    ],
)
def test_a_regret_that_is_nowhere_too_large(ask: Any, largest: str) -> None:
    words = f"met throughout where it was tried: from .*; the largest regret at floor 1e-10 is .* {largest}"
    with pytest.raises(ny.InvalidParameter, match=words) as caught:
        ask()
    assert caught.value.name == "target"


def test_a_regret_that_is_met_nowhere_in_reach() -> None:
    """With a probability of 0.3 all is shown, so that no mu is finite."""
    with pytest.raises(ny.InvalidParameter, match=r"met nowhere where it was tried: .* give calibrate\(\) a bracket"):
        ny.calibrate(lambda e: ny.ApproximateMechanism(e, 0.3), t.Regret(0.01), (0.1, 1.0))


def test_steps_for_a_regret() -> None:
    """The most that keep the rest, where it is kept there, too; nothing is claimed of fewer, or of a regret alone."""
    both = t.Regret(0.005) & t.Epsilon(8.0, 1e-5)
    found = ny.steps_for_dpsgd(both, noise_multiplier=2.0, sample_rate=0.01)
    assert just(found, lambda n: ny.DPSGD(2.0, 0.01, n)) == 97_314
    assert found.bracket == ny.steps_for_dpsgd(t.Epsilon(8.0, 1e-5), 2.0, 0.01).bracket
    assert both.missed_by(ny.account(ny.DPSGD(2.0, 0.01, 2)))  # which is no reason to stop there
    with pytest.raises(ny.InvalidParameter, match=r"They are 97314: there the regret .* Fewer steps may meet it"):
        ny.steps_for_dpsgd(t.Regret(0.0001) & t.Epsilon(8.0, 1e-5), 2.0, 0.01)
    with pytest.raises(ny.InvalidParameter, match=r"joined to one that limits steps.*DPSGD\(2.0, 0.1, n\)") as caught:
        ny.steps_for_dpsgd(t.Regret(0.01), noise_multiplier=2.0, sample_rate=0.1)
    assert "nowhere" not in str(caught.value)
    ends = ny.calibrate(lambda n: ny.DPSGD(2.0, 0.1, n), t.Regret(0.01), (400, 5000)).bracket
    assert ends[0] == ends[1] + 1  # from here on it is met, at least as far as 5000
    assert ny.calibrate(lambda n: ny.DPSGD(2.0, 0.1, n), t.Regret(0.01), integer=True).bracket == ends


def test_an_answer_tells_its_own_target() -> None:
    """What meets the target may be known no better than that: its guarantee refused epsilon(delta) as too wide."""
    asked = ny.targets.Epsilon(0.0968, delta=5.64e-11)
    found = ny.noise_for_dpsgd(asked, sample_rate=6.89e-6, steps=37005, tolerance=1e-9)
    assert isinstance(found.guarantee, ny.guarantees.ComposedGuarantee)
    assert found.guarantee.tolerance > 1e-10
    assert asked.met_by(found.guarantee)
    assert 0.0968 * (1.0 - 1e-8) < found.guarantee.epsilon(5.64e-11) <= 0.0968


def test_an_answer_that_cannot_tell_its_target_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ny.targets.Epsilon, "told_by", lambda target, guarantee: guarantee.tolerance > 1e-3)
    found = ny.noise_for_dpsgd(epsilon=1.0, delta=1e-5, sample_rate=0.01, steps=100, tolerance=0.05)
    assert found.guarantee.tolerance == pytest.approx(0.01)
    monkeypatch.setattr(ny.targets.Epsilon, "told_by", lambda target, guarantee: False)
    with pytest.raises(ny.NotCertified, match="too wide to be handed out") as refused:
        ny.noise_for_dpsgd(epsilon=1.0, delta=1e-5, sample_rate=0.01, steps=100)
    assert refused.value.lower <= found.parameter <= 1.1 * refused.value.upper


def test_all_parts_of_a_target_are_told() -> None:
    met = ny.account(ny.DPSGD(1.0, 0.01, 100))
    wide = ny.account(ny.DPSGD(0.696949784981723, 6.89e-6, 37005), tolerance=1e-10)
    part, other = ny.targets.Epsilon(0.0968, 5.64e-11), ny.targets.TPR(0.9, 0.1)  # which is told of any width
    assert part.told_by(met)
    assert other.told_by(wide)
    assert not part.told_by(wide)
    assert not (part & other).told_by(wide)
    assert (part & other & ny.targets.Mu(1.0)).told_by(met)
