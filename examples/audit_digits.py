"""Audit DP-SGD on real data: many small models, a canary in half of them, and bugs planted on purpose.

    python examples/audit_digits.py --models 1000               # honest training: consistent with its claim
    python examples/audit_digits.py --models 1000 --bug noise   # half the noise that was claimed: caught
    python examples/audit_digits.py --models 1000 --bug clip    # gradients never clipped: caught

Each trains 2,000 models, in about a minute on two cores, and writes scores.csv and audit.png.

Softmax regression on scikit-learn's handwritten digits, trained by DP-SGD with per-example clipping and Poisson
sampling. Half of the models also train on a canary: a black image with one overexposed pixel in a corner where no digit
has ink. Each model gives one score, so that scores are independent. The claim is what ``ny.account`` certifies for the
noise, rate and steps that were asked for; the audit asks whether the scores can be true of it. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import neyman as ny

Floats = NDArray[np.float64]
Bug = Literal["none", "noise", "clip"]

RECORDS = 300  # of the digits; the others test the models
CLIP = 1.0
CANARY_PIXEL = 0  # the upper left corner, where no digit has ink
CANARY_VALUE = 10.0  # ten times the brightest ink: its gradient is clipped until the model knows the canary by heart
CANARY_LABEL = 0
BLOCK = 50  # models that are trained at once, as one array


@dataclass(frozen=True)
class Setting:
    """How the models are trained, and what was planted."""

    noise_multiplier: float
    sample_rate: float = 0.25
    steps: int = 100
    learning_rate: float = 0.02
    bug: Bug = "none"

    @property
    def claim(self) -> ny.DPSGD:
        """What the training says of itself, bugs or no bugs."""
        return ny.DPSGD(self.noise_multiplier, self.sample_rate, self.steps)


@dataclass(frozen=True)
class Scores:
    """One score for each model: larger where the canary seems to have been trained on."""

    white_in: Floats
    white_out: Floats
    black_in: Floats
    black_out: Floats
    accuracy: float

    def of(self, attack: str) -> tuple[Floats, Floats]:
        """With and without the canary, of the attack "white" or "black"."""
        return (self.white_in, self.white_out) if attack == "white" else (self.black_in, self.black_out)


@lru_cache(maxsize=1)
def digits() -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Images (with a constant 1 appended) and one-hot labels to train on, images and labels to test with."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise SystemExit("audit_digits needs scikit-learn: pip install scikit-learn") from error
    pixels, labels = (np.asarray(part) for part in load_digits(return_X_y=True))
    images = np.hstack([pixels / 16.0, np.ones((len(pixels), 1))])
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:RECORDS], order[RECORDS:]
    return images[train], np.eye(10)[labels[train]], images[test], labels[test]


def with_claimed_mu(mu: float, sample_rate: float = 0.25, steps: int = 100) -> Setting:
    """Return the setting whose noise makes DP-SGD keep this mu."""
    found = ny.noise_for_dpsgd(ny.targets.Mu(mu), sample_rate, steps)
    return Setting(found.parameter, sample_rate, steps)


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, along the last axis."""
    powers = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def factors(residual: Floats, norm: Floats, setting: Setting) -> Floats:
    """What each example's gradient is multiplied by, so that it is at most CLIP long; 1 with the bug "clip"."""
    if setting.bug == "clip":
        return np.ones(residual.shape[:-1])
    length = np.sqrt(np.sum(residual**2, axis=-1)) * norm
    return np.minimum(1.0, CLIP / np.maximum(length, 1e-12))


def train(setting: Setting, member: bool, models: int, seed: np.random.SeedSequence) -> tuple[Floats, Floats, float]:
    """Train ``models`` models side by side; return white-box scores, black-box scores and the mean test accuracy.

    The white-box attack sees every noisy gradient. It takes the part along the canary's own clipped gradient, to which
    no other image contributes, and adds up the log-likelihood ratios of the steps. The black-box attack sees the final
    model: minus the canary's loss.
    """
    rng = np.random.default_rng(seed)
    images, targets, test_images, test_labels = digits()
    norms = np.sqrt(np.sum(images**2, axis=1))
    canary = np.zeros(images.shape[1])
    canary[CANARY_PIXEL] = CANARY_VALUE
    wanted = np.eye(10)[CANARY_LABEL]
    q, claimed = setting.sample_rate, setting.noise_multiplier
    spread = CLIP * claimed * (0.5 if setting.bug == "noise" else 1.0)
    weights = np.zeros((models, images.shape[1], 10))
    white = np.zeros(models)
    for _ in range(setting.steps):
        residual = softmax(images @ weights) - targets
        chosen = rng.random((models, len(images))) < q
        residual *= (chosen * factors(residual, norms, setting))[:, :, None]
        total = images.T @ residual + spread * rng.standard_normal(weights.shape)
        missed = softmax(canary @ weights) - wanted
        along = missed / np.maximum(np.sqrt(np.sum(missed**2, axis=1, keepdims=True)), 1e-12)
        if member:
            scale = factors(missed, np.full(models, CANARY_VALUE), setting) * (rng.random(models) < q)
            total += canary[None, :, None] * (missed * scale[:, None])[:, None, :]
        seen = np.sum(total[:, CANARY_PIXEL] * along, axis=1) / (CLIP * claimed**2)
        white += np.logaddexp(math.log1p(-q), math.log(q) + seen - 0.5 / claimed**2)
        weights -= setting.learning_rate * total
    black = np.log(np.maximum(softmax(canary @ weights)[:, CANARY_LABEL], 1e-300))
    right = np.argmax(test_images @ weights, axis=2) == test_labels
    return white, black, float(np.mean(right))


def _job(job: tuple[Setting, bool, int, np.random.SeedSequence]) -> tuple[Floats, Floats, float]:
    return train(*job)


def collect(setting: Setting, models: int, seed: int, *, client: Any = None, workers: int | None = None) -> Scores:
    """Train ``models`` models with the canary and as many without, and return their scores.

    Parameters
    ----------
    setting : Setting
        How to train.
    models : int
        A side.
    seed : int
        The scores depend on it alone, not on how the work is divided.
    client : dask.distributed.Client, optional
        Train on its cluster; else in processes of this machine.
    workers : int, optional
        How many processes; by default one for each core. With 1, none is started.
    """
    sides = np.random.SeedSequence(seed).spawn(2)
    jobs = [
        job for member, side in zip((True, False), sides, strict=True) for job in _jobs(setting, member, models, side)
    ]
    if client is not None:
        done = client.gather(client.map(_job, jobs, pure=False))
    elif workers == 1:
        done = [_job(job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            done = list(pool.map(_job, jobs))
    half = len(jobs) // 2
    parts = [[np.concatenate([one[k] for one in done[at]]) for at in (slice(half), slice(half, None))] for k in (0, 1)]
    accuracy = float(np.average([one[2] for one in done], weights=[job[2] for job in jobs]))
    return Scores(parts[0][0], parts[0][1], parts[1][0], parts[1][1], accuracy)


def _jobs(
    setting: Setting, member: bool, models: int, seed: np.random.SeedSequence
) -> Iterator[tuple[Setting, bool, int, np.random.SeedSequence]]:
    for k, part in enumerate(seed.spawn(-(-models // BLOCK))):
        yield setting, member, min(BLOCK, models - k * BLOCK), part


def audit(scores: Scores, claim: ny.Guarantee, attack: str = "white", confidence: float = 0.95) -> ny.audit.Verdict:
    """Hold the scores of one attack against the claim."""
    return ny.audit.check(claim, ny.audit.from_scores(*scores.of(attack), confidence=confidence))


def watched(scores: Scores, claim: ny.Guarantee, attack: str = "white") -> int | None:
    """How many models a side a test that is watched would have needed to reject the claim; None if it never does."""
    test = ny.audit.Sequential(claim)
    for inside, outside in zip(*scores.of(attack), strict=True):
        test.update(inside, outside)
        if test.rejected:
            return test.canaries // 2
    return None


def write_csv(path: Path, scores: tuple[Floats, Floats]) -> None:
    """Write the scores as ``neyman audit`` reads them: one row a model."""
    rows = [f"{score!r},{member}" for member, side in ((1, scores[0]), (0, scores[1])) for score in side.tolist()]
    path.write_text("\n".join(["score,member", *rows, ""]))


def draw(path: Path, verdict: ny.audit.Verdict) -> None:
    """Draw the claim, what the attack reached, and what is certified."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 4.0), layout="constrained")
    ny.plot.audit(verdict, ax=figure.add_subplot())
    figure.savefig(path, dpi=200)


def main(arguments: list[str] | None = None) -> int:
    """Run one audit; the exit code is 1 where the claim is violated."""
    parser = argparse.ArgumentParser(description="Audit DP-SGD on scikit-learn's digits.")
    parser.add_argument("--models", type=int, default=1000, help="models with the canary, and as many without")
    parser.add_argument("--bug", choices=("none", "noise", "clip"), default="none", help="what to plant")
    parser.add_argument("--attack", choices=("white", "black"), default="white", help="what the attack sees")
    parser.add_argument("--mu", type=float, default=1.0, help="the mu that is claimed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder for scores.csv and audit.png")
    chosen = parser.parse_args(arguments)
    for library in ("OMP", "OPENBLAS", "MKL"):  # processes that each use all cores would be in each other's way
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    say = sys.stdout.write
    begun = time.perf_counter()
    setting = replace(with_claimed_mu(chosen.mu), bug=chosen.bug)
    claim = ny.account(setting.claim)
    say(f"{setting.claim}, bug: {setting.bug}\n")
    scores = collect(setting, chosen.models, chosen.seed, workers=chosen.workers)
    say(f"{2 * chosen.models} models in {time.perf_counter() - begun:.0f} s, test accuracy {scores.accuracy:.3f}\n")
    verdict = audit(scores, claim, chosen.attack)
    say(f"{verdict}\n")
    stop = watched(scores, claim, chosen.attack)
    say(f"Watched pair by pair: {'never rejected' if stop is None else f'rejected after {stop} models a side'}.\n")
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_csv(chosen.out / "scores.csv", scores.of(chosen.attack))
    form = f"dpsgd:{setting.noise_multiplier!r},{setting.sample_rate!r},{setting.steps}"
    say(f"The same by hand: neyman audit {chosen.out / 'scores.csv'} --claim {form}\n")
    draw(chosen.out / "audit.png", verdict)
    return int(verdict.outcome == "violated")


if __name__ == "__main__":
    sys.exit(main())
