"""Verdicts: what is violated, consistent, or not put to a test."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.audit import Audit, Verdict
from tests.effort import rest_slow

RNG = np.random.default_rng(7)
OUT = RNG.normal(0.0, 1.0, 4000)
IN = RNG.normal(1.0, 1.0, 4000)
STRONG = ny.audit.from_scores(IN, OUT)
WEAK = ny.audit.from_scores(OUT[:2000], OUT[2000:])


def test_violated() -> None:
    verdict = ny.audit.check(ny.GDP(0.5), STRONG)
    point = verdict.operating_point
    assert verdict.outcome == "violated"
    assert verdict.p_value < 1e-20
    assert verdict.needed is None
    assert (verdict.claimed_mu, verdict.audited_mu) == (0.5, STRONG.mu)
    assert point.threshold is not None
    assert point.alpha == np.mean(point.threshold < OUT)
    assert point.beta == np.mean(point.threshold >= IN)
    assert point.alpha_upper is not None
    assert point.beta_upper is not None
    assert point.allowed == ny.GDP(0.5).beta(point.alpha_upper)
    assert point.beta_upper < point.allowed
    assert str(verdict).startswith("Violated at 95 % confidence (p <= ")
    assert "claim allows no false negative rate below" in str(verdict)


def test_consistent() -> None:
    verdict = ny.audit.check(ny.GDP(1.0), STRONG)
    assert verdict.outcome == "consistent"
    assert verdict.p_value > 0.05
    assert "which is no proof" in str(verdict)
    assert verdict.needed is not None


def test_not_informative() -> None:
    verdict = ny.audit.check(ny.GDP(1.0), WEAK)
    assert (verdict.outcome, verdict.audited_mu, verdict.p_value) == ("not informative", 0.0, 1.0)
    assert str(verdict).startswith("Not informative: nothing better than guessing is proved at 95 % confidence.")
    assert "The claim was not put to a test." in str(verdict)


def test_perfect_privacy_is_refuted_by_anything() -> None:
    assert ny.audit.check(ny.PERFECT, STRONG).outcome == "violated"
    assert ny.audit.check(ny.PERFECT, WEAK).outcome == "not informative"
    blatant = ny.audit.check(ny.BLATANT, STRONG)
    assert (blatant.outcome, blatant.p_value, blatant.claimed_mu) == ("consistent", 1.0, math.inf)
    assert "no finite mu" in str(blatant)


def test_a_mechanism_is_accounted_for() -> None:
    quiet, loud = ny.Gaussian(4.0), ny.Gaussian(1.0)
    assert ny.audit.check(quiet, STRONG).outcome == "violated"
    assert ny.audit.check(loud, STRONG).outcome == "consistent"
    assert ny.audit.check(quiet, STRONG).claimed_mu == ny.account(quiet).mu()


@pytest.mark.slow
@pytest.mark.parametrize("which", ["remove", "add", "add_or_remove"])
def test_which_curve_a_one_sided_claim_promises(which: str) -> None:
    """ "remove" and "add" of one mechanism promise the same to these attacks; both together promise less."""
    mechanism = ny.DPSGD(0.6, 0.1, 3)
    n, alpha = 200_000, 0.004
    beta = ny.account(mechanism, adjacency="remove").beta(
        alpha
    )  # an attack exactly on the curve whose null is that the record is absent
    evidence = ny.audit.from_counts(round((1.0 - beta) * n), n, round(alpha * n), n)
    mirrored = ny.audit.from_counts(n - round(alpha * n), n, round(beta * n), n)
    claim = ny.account(mechanism, adjacency=which)
    assert ny.audit.check(claim, evidence).outcome == "consistent"
    turned = "consistent" if which == "add_or_remove" else "violated"
    assert ny.audit.check(claim, mirrored).outcome == turned


@pytest.mark.parametrize(("mu", "seed"), rest_slow([(0.5, 1), (2.0, 2)], 1))
def test_planned_numbers_are_about_right(mu: float, seed: int) -> None:
    """With as many scores as were said to be needed, the bound is about at its goal."""
    rng = np.random.default_rng(seed)
    first = ny.audit.from_scores(rng.normal(mu, 1.0, 1500), rng.normal(0.0, 1.0, 1500))
    needed = ny.audit.check(ny.GDP(mu), first).needed
    assert needed is not None
    assert needed.share == 0.9
    assert needed.strongest is not None
    n = needed.strongest
    reached = [
        ny.audit.from_scores(rng.normal(mu, 1.0, n), rng.normal(0.0, 1.0, n)).mu / mu for _ in range(9)
    ]  # fmt: skip
    assert 0.87 < float(np.median(reached)) < 0.94
    assert needed.observed is not None
    assert 0.2 * n < needed.observed < 5.0 * n


@pytest.mark.parametrize("method", ["simultaneous", "fixed", "split", "dkw"])
def test_planned_numbers_at_a_corner(method: str) -> None:
    """Randomised response is strongest at one threshold, which no grid of rates hits; a pilot share is counted."""
    rng = np.random.default_rng(4)
    claim, chance = ny.PureDP(1.0), math.e / (1.0 + math.e)
    threshold = 0.5 if method == "fixed" else None

    def answers(n: int) -> Audit:
        within, outside = (rng.random(n) < chance).astype(int), (rng.random(n) < 1.0 - chance).astype(int)
        return ny.audit.from_scores(within, outside, method=method, threshold=threshold)  # type: ignore[arg-type]

    needed = answers(1500).needed(claim)
    assert needed.strongest is not None
    assert 1500 < needed.strongest < 6000
    goal = claim.mu(1e-10)
    assert 0.87 < float(np.median([answers(needed.strongest).mu / goal for _ in range(15)])) < 0.94


def test_no_attack_needs_fewer_canaries_than_the_strongest() -> None:
    """Of few scores the best threshold is a lucky one."""
    rng = np.random.default_rng(5)
    for n, mu in ((60, 2.0), (1500, 0.2), (1000, 1.0)):
        needed = ny.audit.from_scores(rng.normal(mu, 1.0, n), rng.normal(0.0, 1.0, n)).needed(ny.GDP(mu))
        assert needed.strongest is not None
        assert needed.observed is None or needed.observed >= needed.strongest


def test_a_violated_claim_with_a_larger_mu() -> None:
    """A mu that holds down to error rates of 1e-10 says little of a curve where it was tested."""
    verdict = ny.audit.check(ny.DPSGD(0.8, 0.02, 200), STRONG)
    assert verdict.outcome == "violated"
    assert verdict.audited_mu < verdict.claimed_mu
    assert str(verdict).endswith("At these error rates the claim is stricter than its mu.")
    assert "stricter" not in str(ny.audit.check(ny.GDP(0.5), STRONG))


@pytest.mark.parametrize("method", ["fixed", "split", "dkw"])
def test_every_method_plans(method: str) -> None:
    found = ny.audit.from_scores(IN, OUT, method=method, threshold=0.5 if method == "fixed" else None)  # type: ignore[arg-type]
    needed = found.needed(ny.GDP(1.0))
    assert needed.strongest is not None
    assert 1500 < needed.strongest < 8000
    closer = found.needed(ny.GDP(1.0), share=0.97)
    assert closer.strongest is not None
    assert closer.strongest > needed.strongest


@pytest.mark.slow
def test_out_of_reach() -> None:
    """A mu that the claim attains only at error rates that no audit sees."""
    verdict = ny.audit.check(ny.DPSGD(1.0, 1e-4, 100), STRONG)
    assert verdict.outcome == "violated"
    weak = ny.audit.check(ny.DPSGD(0.7, 1e-4, 100), WEAK)
    assert weak.outcome == "not informative"
    assert weak.needed is not None
    assert weak.needed.strongest is None or weak.needed.strongest > 10**7
    useless = ny.audit.from_counts(500, 1000, 501, 1000).needed(ny.GDP(1.0))
    assert useless.observed is None


def test_reversed_scores_are_not_flipped() -> None:
    found = ny.audit.from_scores(OUT, IN)
    assert found.mu == 0.0
    assert found.reversed
    assert not STRONG.reversed
    assert not WEAK.reversed
    verdict = ny.audit.check(ny.GDP(0.1), found)
    assert verdict.outcome == "not informative"
    assert "The scores look reversed" in str(verdict)
    assert "The scores look reversed" in str(found)


def test_all_scores_equal() -> None:
    for within, outside in (([1.0] * 50, [1.0] * 80), ([0], [0])):
        found = ny.audit.from_scores(within, outside)
        assert (found.mu, found.advantage, found.epsilon(0.0), found.tpr(0.1)) == (0.0, 0.0, 0.0, 0.1)
        assert not found.reversed
        assert ny.audit.check(ny.GDP(0.1), found).outcome == "not informative"
        assert len(found.roc().fpr) >= 1


def test_one_score_a_side() -> None:
    found = ny.audit.from_scores([1.0], [0.0], 0.5)
    assert found.mu == 0.0
    assert ny.audit.from_scores([1.0, 2.0], [0.0, -1.0], 0.2).mu > 0.0


def test_tiny_p_values() -> None:
    """They stay above 0, and a refused claim of any shape has one."""
    sure = ny.audit.from_scores(np.arange(1000) + 1000, np.arange(1000))
    for claim in (ny.GDP(0.1), ny.PureDP(0.1), ny.ApproximateDP(1.0, 1e-6)):
        assert 0.0 < ny.audit.check(claim, sure).p_value < 1e-80


@pytest.mark.parametrize("claim", [1.0, None, "mu:1", STRONG])
def test_claims_that_are_none(claim: object) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^claim must be a Guarantee or a Mechanism, got "):
        ny.audit.check(claim, STRONG)  # type: ignore[arg-type]


def test_bounds_promise_nothing() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^claim must be a promise, got .*Its \.optimistic bounds promise"):
        ny.audit.check(ny.account(ny.Laplace(1.0)).optimistic, STRONG)


def test_evidence_that_is_none() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^evidence must be Evidence of an audit, got array"):
        ny.audit.check(ny.GDP(1.0), IN)  # type: ignore[arg-type]


@pytest.mark.parametrize("runs", rest_slow([3, 20], 0))
def test_the_planted_bug_is_caught_and_the_honest_run_is_not_accused(runs: int) -> None:
    """Noise at half its stated scale at a claimed mu of 1, 1,000 canaries a side, in so many runs each."""
    rng = np.random.default_rng(11)
    verdicts: dict[float, list[Verdict]] = {1.0: [], 2.0: []}
    for true_mu, found in verdicts.items():
        for _ in range(runs):
            evidence: Audit = ny.audit.from_scores(rng.normal(true_mu, 1.0, 1000), rng.normal(0.0, 1.0, 1000))
            found.append(ny.audit.check(ny.GDP(1.0), evidence))
    assert sum(v.outcome == "violated" for v in verdicts[2.0]) >= runs - 1
    assert sum(v.outcome == "violated" for v in verdicts[1.0]) <= 1
