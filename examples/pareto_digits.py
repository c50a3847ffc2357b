"""Accuracy of DP-SGD on real data by noise multiplier, every run within (8, 1e-5)-DP: the rows of pareto_digits.csv.

    python examples/pareto_digits.py        # two minutes; writes pareto_digits.csv beside this file
    neyman table examples/pareto_digits.csv --baseline "noise 2"

Softmax regression on scikit-learn's handwritten digits, trained by DP-SGD with per-example clipping and Poisson
sampling at rate 0.1; of each noise multiplier as many steps as (8, 1e-5) allows. The accuracy is the mean of 16 models
on the digits that none of them saw. Needs scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import neyman as ny

NOISES = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
RATE, CLIP, LEARNING_RATE, MODELS, TRAINED = 0.1, 1.0, 2.0, 16, 1400


def accuracy(noise: float, steps: int, rng: np.random.Generator, data: Any) -> float:
    """Of models that are trained side by side, on what they have not seen."""
    x, y, unseen_x, unseen_y = data
    weights = np.zeros((MODELS, x.shape[1], 10))
    for _ in range(steps):
        drawn = rng.random(len(x)) < RATE  # one batch for all models, noise of their own
        batch, label = x[drawn], y[drawn]
        scores = batch @ weights
        scores = np.exp(scores - scores.max(axis=2, keepdims=True))
        error = scores / scores.sum(axis=2, keepdims=True)
        error[:, np.arange(len(batch)), label] -= 1.0
        size = np.linalg.norm(error, axis=2) * np.linalg.norm(batch, axis=1)  # of the gradient, an outer product
        error *= np.minimum(1.0, CLIP / np.maximum(size, 1e-12))[:, :, None]
        gradient = batch.T @ error + rng.normal(0.0, noise * CLIP, weights.shape)
        weights -= LEARNING_RATE / (RATE * len(x)) * gradient
    return float(np.mean(np.argmax(unseen_x @ weights, axis=2) == unseen_y))


def main() -> None:
    """Train, and write the table."""
    images, labels = load_digits(return_X_y=True)
    x = np.hstack([images / 16.0, np.ones((len(images), 1))])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    order = np.random.default_rng(7).permutation(len(x))
    x, labels = x[order], labels[order]
    data = (x[:TRAINED], labels[:TRAINED], x[TRAINED:], labels[TRAINED:])
    target = ny.targets.Epsilon(8.0, delta=1e-5)
    lines = ["# Made by pareto_digits.py: DP-SGD on scikit-learn's digits, every run within (8, 1e-5)-DP",
             "name,noise_multiplier,sample_rate,steps,delta,epsilon,accuracy"]  # fmt: skip
    for noise in NOISES:
        steps = int(ny.steps_for_dpsgd(target, noise, RATE).parameter)
        found = accuracy(noise, steps, np.random.default_rng(11), data)
        lines.append(f"noise {noise:g},{noise:g},{RATE:g},{steps},1e-5,8,{100.0 * found:.2f}")
        sys.stdout.write(f"{lines[-1]}\n")
    Path(__file__).with_suffix(".csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
