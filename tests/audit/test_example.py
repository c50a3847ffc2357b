"""The audit of real training: what it trains, what it claims, and the bugs it has to find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from examples import audit_digits
from examples.audit_digits import Setting, audit, collect, watched, with_claimed_mu
from tests.effort import rest_slow


@pytest.fixture(scope="module")
def honest() -> Setting:
    return with_claimed_mu(1.0)


def test_the_claim_is_what_the_accountant_says(honest: Setting) -> None:
    claim = ny.account(honest.claim)
    assert 0.999 < claim.mu() <= 1.0
    assert replace(honest, bug="noise").claim == honest.claim  # bugs do not tell of themselves


def test_gradients_are_clipped_unless_that_is_the_bug() -> None:
    residual = np.array([[3.0, 4.0], [0.1, 0.0], [0.0, 0.0]])
    norms = np.array([2.0, 1.0, 5.0])
    short = audit_digits.factors(residual, norms, Setting(1.0))
    assert np.sqrt((residual**2).sum(axis=1)) * norms * short == pytest.approx([1.0, 0.1, 0.0])
    assert np.all(audit_digits.factors(residual, norms, Setting(1.0, bug="clip")) == 1.0)


def test_no_digit_has_ink_where_the_canary_has() -> None:
    images, targets, test_images, test_labels = audit_digits.digits()
    assert np.all(images[:, audit_digits.CANARY_PIXEL] == 0.0)
    assert np.all(test_images[:, audit_digits.CANARY_PIXEL] == 0.0)
    assert np.all(targets.sum(axis=1) == 1.0)
    assert len(images) + len(test_labels) == 1797


def test_without_noise_the_white_box_score_is_the_canary_itself() -> None:
    # rate 1, one step: the part along the canary is N(0 or 1, sigma^2), its log-likelihood ratio is linear in it
    setting = Setting(0.5, sample_rate=1.0 - 1e-12, steps=1)
    seeds = np.random.SeedSequence(1).spawn(12)
    parts = [[audit_digits.train(setting, k < 6, 50, seeds[k])[0] for k in half] for half in (range(6), range(6, 12))]
    white_in, white_out = (np.concatenate(part) for part in parts)
    assert np.mean(white_in) == pytest.approx(2.0, abs=0.5)  # mu^2 / 2 with mu = 1 / sigma = 2
    assert np.mean(white_out) == pytest.approx(-2.0, abs=0.5)
    assert np.std(white_in) == pytest.approx(2.0, rel=0.2)


@pytest.mark.slow
def test_scores_do_not_depend_on_how_the_work_is_divided(honest: Setting) -> None:
    class Client:
        """As much of a Dask client as is used."""

        def map(self, job: Any, jobs: Iterable[Any], pure: bool) -> list[Any]:
            assert not pure  # each task has a seed of its own
            return [job(one) for one in jobs]

        def gather(self, done: list[Any]) -> list[Any]:
            return done

    short = replace(honest, steps=2)
    alone = collect(short, 24, 3, workers=1)
    for other in (collect(short, 24, 3, workers=2), collect(short, 24, 3, client=Client())):
        for attack in ("white", "black"):
            for a, b in zip(alone.of(attack), other.of(attack), strict=True):
                assert np.array_equal(a, b)
    assert len(alone.white_in) == len(alone.black_out) == 24
    assert not np.array_equal(alone.white_in, collect(short, 24, 4, workers=1).white_in)


@pytest.mark.parametrize(("bug", "models"), rest_slow([("none", 40), ("noise", 120), ("clip", 40)], 0))
def test_both_bugs_are_caught_by_few_models_and_honest_training_is_not_accused(
    honest: Setting, bug: Any, models: int
) -> None:
    """In every run "clip" is caught through the command line, below."""
    claim = ny.account(honest.claim)
    scores = collect(replace(honest, bug=bug), models, 1, workers=1)
    caught = bug != "none"
    assert (audit(scores, claim).outcome == "violated") == caught
    assert (watched(scores, claim) is not None) == caught
    assert scores.accuracy > 0.8


def test_the_command_line_writes_what_neyman_audit_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--models", "30", "--bug", "clip", "--workers", "1", "--out", str(tmp_path)]
    assert audit_digits.main(arguments) == 1
    said = capsys.readouterr().out
    assert "Violated at 95 % confidence" in said
    assert "rejected after" in said
    assert "60 models in" in said
    evidence = ny.audit.from_file(tmp_path / "scores.csv")
    assert (evidence.n_in, evidence.n_out) == (30, 30)
    assert evidence.mu > 0.5
    assert (tmp_path / "audit.png").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["white", "black"])
def test_twenty_audits_of_each_kind(honest: Setting, attack: str) -> None:
    """2,000 canaries each: both bugs are caught in 19 of 20 runs at least, honest training is accused in 1 at most."""
    claim = ny.account(honest.claim)
    caught = {
        bug: sum(
            audit(collect(replace(honest, bug=bug), 1000, seed), claim, attack).outcome == "violated"  # type: ignore[arg-type]
            for seed in range(1, 21)
        )
        for bug in ("none", "noise", "clip")
    }
    assert caught["none"] <= 1
    assert caught["noise"] >= 19
    assert caught["clip"] >= 19
